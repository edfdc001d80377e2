// test_axis_groups.c -- reductions and scans along each axis of tiles that are
// not square: the claims of the analysis hold for the values, and all groups of
// equal elements are found that follow from the operand.
#include "passes/analysis/axis_info.h"

#include "tests/unit/ir/interp_kit.h"
#include "tests/unit/passes/axis_claims.h"

enum { ELEMENTS = 32, MAX_RESULTS = 16 };

static int64_t cells[MAX_RESULTS * ELEMENTS];

static const char head[] =
    "kernel @k(%p: ptr<i64>) {\n"
    "  %c0 = arange {end = 8, start = 0} : tile<8xi32>\n"
    "  %c1 = extsi %c0 : tile<8xi64>\n"
    "  %c2 = expand_dims %c1 {axis = 0} : tile<1x8xi64>\n"
    "  %column = broadcast %c2 : tile<4x8xi64>\n"
    "  %r0 = arange {end = 4, start = 0} : tile<4xi32>\n"
    "  %r1 = extsi %r0 : tile<4xi64>\n"
    "  %r2 = expand_dims %r1 {axis = 1} : tile<4x1xi64>\n"
    "  %row = broadcast %r2 : tile<4x8xi64>\n"
    "  %two = constant {value = 2} : tile<4x8xi64>\n"
    "  %eight = constant {value = 8} : tile<4x8xi64>\n"
    "  %pairs = divsi %column, %two : tile<4x8xi64>\n"
    "  %bands = divsi %row, %two : tile<4x8xi64>\n"
    "  %far = muli %row, %eight : tile<4x8xi64>\n"
    "  %place = addi %far, %column : tile<4x8xi64>\n";

// The expected constancy, for each axis: of a reduction along that axis, and of
// a scan along it, in the dimension of the other axis.
static const struct {
  const char *name;
  int64_t reduced[2], scanned[2];
} sources[] = {
    {"column", {1, 4}, {1, 4}}, {"row", {8, 1}, {8, 1}},
    {"pairs", {2, 4}, {2, 4}},  {"bands", {8, 2}, {8, 2}},
    {"place", {1, 1}, {1, 1}},  {"two", {8, 4}, {8, 4}},
};
enum { NUM_SOURCES = sizeof sources / sizeof *sources };

static void add_store(Str *text, const char *name, int elements, int at) {
  str_addf(text,
           "  %%%s_f = reshape %%%s : tile<%dxi64>\n"
           "  %%%s_i = arange {end = %d, start = %d} : tile<%dxi32>\n"
           "  %%%s_p = splat %%p : tile<%dxptr<i64>>\n"
           "  %%%s_a = addptr %%%s_p, %%%s_i : tile<%dxptr<i64>>\n"
           "  store %%%s_a, %%%s_f\n",
           name, name, elements, name, at + elements, at, elements, name,
           elements, name, name, name, elements, name, name);
}

static void add_along(Str *text, const char *name, int axis) {
  const int left = axis ? 4 : 8, number = 2 * axis;
  str_addf(text,
           "  %%reduced%d = reduce inputs(%%%s) {axis = %d} : tile<%dxi64> "
           "(%%l: i64, %%r: i64) {\n"
           "    %%s = maxsi %%l, %%r : i64\n    yield values(%%s)\n  }\n"
           "  %%scanned%d = scan inputs(%%%s) {axis = %d, reverse = false} : "
           "tile<4x8xi64> (%%l: i64, %%r: i64) {\n"
           "    %%s = addi %%l, %%r : i64\n    yield values(%%s)\n  }\n",
           axis, name, axis, left, axis, name, axis);
  add_store(text, axis ? "reduced1" : "reduced0", left, number * ELEMENTS);
  add_store(text, axis ? "scanned1" : "scanned0", ELEMENTS,
            (number + 1) * ELEMENTS);
}

static void check_source(int i) {
  Kit kit;
  Arena arena;
  arena_init(&arena, &system_allocator);
  Str text = str_in(&arena);
  str_add(&text, head);
  for (int axis = 0; axis < 2; axis++) add_along(&text, sources[i].name, axis);
  str_add(&text, "  return\n}\n");
  kit_open(&kit, str_text(&text));
  kit_memory(&kit, 0, cells, sizeof cells);
  assert_true(kit_try(&kit));
  const Function *f = kit.m->functions;
  const AxisAnalysis *a = axis_analyze(f, &arena);
  int found = 0;
  for (const Op *op = f->body->first; op; op = op->next) {
    if (op->kind != OP_reduce && op->kind != OP_scan) continue;
    const int axis = found / 2;
    const AxisInfo *info = axis_info(a, op_result(op));
    check(info, op_result(op)->type, &cells[found++ * ELEMENTS], 1, op->kind);
    const int64_t wanted = op->kind == OP_reduce ? sources[i].reduced[axis]
                                                 : sources[i].scanned[axis];
    const int64_t groups = info->constancy[op->kind == OP_scan && !axis];
    if (groups < wanted)
      fail_msg("%s of %s along %d: constancy %lld, not %lld",
               op_info[op->kind].name, sources[i].name, axis, (long long)groups,
               (long long)wanted);
  }
  assert_int_equal(found, 4);
  arena_free(&arena);
  kit_close(&kit);
}

static void groups_are_those_of_the_values(void **state) {
  (void)state;
  for (int i = 0; i < NUM_SOURCES; i++) check_source(i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_are_those_of_the_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
