// test_cut_rules.c -- a part of a tile has only elements of that part of the
// operand which the rule gives.
//
// Ops that move elements are interpreted on a tile that holds the number of
// each element, and the rule is asked for each cut into two and four parts.
#include "passes/cluster/cuts.h"
#include "tests/unit/ir/interp_kit.h"

enum { MAX_ELEMENTS = 256 };

typedef struct {
  const char *from; // shape of the operand
  const char *op;   // of %x: the op's text up to the result's type
  const char *to;
} Row;

static const Row rows[] = {
    {"8x4", "reshape %x", "4x8"},
    {"8x16", "reshape %x", "16x8"},
    {"8x16", "reshape %x", "8x4x4"},
    {"8x4x4", "reshape %x", "8x16"},
    {"8x4x4", "reshape %x", "32x4"},
    {"4x1x8", "reshape %x", "4x8"},
    {"4x8", "reshape %x", "1x4x8"},
    {"128", "reshape %x", "8x16"},
    {"2x8x8", "reshape %x", "16x8"},
    {"2x8x8", "reshape %x", "4x4x8"},
    {"4x8", "trans %x {order = [1, 0]}", "8x4"},
    {"4x8x2", "trans %x {order = [1, 2, 0]}", "8x2x4"},
    {"4x8x2", "trans %x {order = [2, 0, 1]}", "2x4x8"},
    {"4x1", "broadcast %x", "4x8"},
    {"1x8", "broadcast %x", "4x8"},
    {"4x8", "expand_dims %x {axis = 0}", "1x4x8"},
    {"4x8", "expand_dims %x {axis = 1}", "4x1x8"},
    {"4x8", "expand_dims %x {axis = 2}", "4x8x1"},
    {"4x8", "join %x, %x", "4x8x2"},
    {"4x8", "cat %x, %x {axis = 0}", "8x8"},
    {"4x8", "cat %x, %x {axis = 1}", "4x16"},
};
enum { NUM_ROWS = sizeof rows / sizeof *rows };

static int64_t numbers[MAX_ELEMENTS]; // of the operand's elements

static int64_t elements_of(const char *shape) {
  int64_t count = 1;
  for (char *end; *shape; shape = end + (*end == 'x'))
    count *= strtoll(shape, &end, 10);
  return count;
}

static void open_row(Kit *kit, const Row *row) {
  const int from = (int)elements_of(row->from), to = (int)elements_of(row->to);
  char text[1024];
  snprintf(text, sizeof text,
           "kernel @k(%%p: ptr<i64>) {\n"
           "  %%i = arange {end = %d, start = 0} : tile<%dxi32>\n"
           "  %%w = extsi %%i : tile<%dxi64>\n"
           "  %%x = reshape %%w : tile<%sxi64>\n"
           "  %%y = %s : tile<%sxi64>\n"
           "  %%f = reshape %%y : tile<%dxi64>\n"
           "  %%j = arange {end = %d, start = 0} : tile<%dxi32>\n"
           "  %%s = splat %%p : tile<%dxptr<i64>>\n"
           "  %%a = addptr %%s, %%j : tile<%dxptr<i64>>\n"
           "  store %%a, %%f\n  return\n}\n",
           from, from, from, row->from, row->op, row->to, to, to, to, to, to);
  kit_open(kit, text);
  kit_memory(kit, 0, numbers, sizeof numbers);
  assert_true(kit_try(kit));
}

static int64_t part_of(const Type *type, int64_t element, int cut, int parts) {
  for (int d = type->rank - 1; d > cut; d--) element /= type->shape[d];
  return element % type->shape[cut] / (type->shape[cut] / parts);
}

// Returns whether the rule allows the cut.
static bool check_cut(const Row *row, const Op *op, int index, int cut,
                      int parts) {
  const Type *to = op_result(op)->type, *from = op_operand(op, index)->type;
  int out = 99;
  if (!cut_of_operand(op, index, cut, parts, &out)) return false;
  if (out == WHOLE) return true;
  if (!cut_fits(from, out, parts)) return false; // the caller asks this, too
  for (int64_t i = 0; i < to->num_elements; i++)
    if (part_of(to, i, cut, parts) != part_of(from, numbers[i], out, parts))
      fail_msg(
          "%s to %s, cut along %d into %d: element %lld is not of the part "
          "along %d",
          row->op, row->to, cut, parts, (long long)i, out);
  return true;
}

static void parts_come_from_parts(void **state) {
  (void)state;
  int allowed = 0;
  for (int i = 0; i < NUM_ROWS; i++) {
    Kit kit;
    open_row(&kit, &rows[i]);
    const Op *op = kit.m->functions->body->first;
    while (strcmp(op_result(op)->name ? op_result(op)->name : "", "y"))
      op = op->next;
    const Type *to = op_result(op)->type;
    for (int cut = 0; cut < to->rank; cut++)
      for (int parts = 2; parts <= 4; parts *= 2)
        for (int k = 0; cut_fits(to, cut, parts) && k < op->num_operands; k++)
          allowed += check_cut(&rows[i], op, k, cut, parts);
    kit_close(&kit);
  }
  // The number of cuts that the rule has always allowed; with each, blocks
  // share work.
  assert_true(allowed >= 82);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_come_from_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
