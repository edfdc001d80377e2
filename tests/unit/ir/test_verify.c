// test_verify.c -- IR that the verifier accepts, IR that it refuses, and why.
//
// Backs I2 of ir.
#include "ir/text.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
} Fixture;

static void fixture_open(Fixture *f) {
  arena_init(&f->arena, &system_allocator);
  diag_init(&f->diags, &f->arena);
  f->m = module_create(&f->arena, &f->diags);
}

static const char *messages(Fixture *f) {
  Str out = str_in(&f->arena);
  diag_render_all(&f->diags, false, &out);
  return str_text(&out);
}

static void parse(Fixture *f, const char *text) {
  Source *source = source_create(&f->arena, "t", text, strlen(text));
  const bool ok = module_parse(f->m, source);
  if (!ok) assert_string_equal(messages(f), "");
}

static char *every_op(void) {
  FILE *file = fopen(TILE_SOURCE_DIR "/tests/golden/ir/every-op.tir", "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 16);
  assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

static void count_ops(const Block *block, int counts[OP_COUNT]) {
  for (const Op *op = block->first; op; op = op->next) {
    counts[op->kind]++;
    for (int i = 0; i < op->num_regions; i++) count_ops(op->regions[i], counts);
  }
}

static void every_op_is_accepted(void **state) {
  (void)state;
  char *text = every_op();
  Fixture f;
  fixture_open(&f);
  parse(&f, text);
  module_verify(f.m);
  assert_string_equal(messages(&f), "");
  int counts[OP_COUNT] = {0};
  for (Function *k = f.m->functions; k; k = k->next) count_ops(k->body, counts);
  for (int kind = 0; kind < OP_COUNT; kind++) {
    if (!counts[kind]) fail_msg("no instance of '%s'", op_info[kind].name);
  }
  arena_free(&f.arena);
  free(text);
}

static void every_op_prints_the_same_again(void **state) {
  (void)state;
  char *text = every_op();
  Fixture f, g;
  fixture_open(&f);
  fixture_open(&g);
  parse(&f, text);
  const PrintOptions options = {.locations = true};
  Str once = str_in(&f.arena), twice = str_in(&g.arena);
  module_print(f.m, &options, &once);
  parse(&g, str_text(&once));
  module_print(g.m, &options, &twice);
  assert_string_equal(str_text(&once), str_text(&twice));
  arena_free(&f.arena);
  arena_free(&g.arena);
  free(text);
}

// -- Mutations: a broken module is refused or still prints and parses --------

typedef void (*Visit)(Fixture *f, Op *op);

static void visit_ops(Fixture *f, Block *block, Visit visit) {
  for (Op *op = block->first; op; op = op->next) {
    visit(f, op);
    for (int i = 0; i < op->num_regions; i++) {
      visit_ops(f, op->regions[i], visit);
    }
  }
}

static int num_accepted, num_refused;

static void judge(Fixture *f) {
  f->diags.num_errors = 0;
  f->diags.muted = true;
  if (!module_verify(f->m)) {
    num_refused++;
    return;
  }
  num_accepted++;
}

// Each operand in turn becomes each value of the kernel's first ops.
static void swap_operands(Fixture *f, Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    Value *const saved = op_operand(op, i);
    const Block *body = op->block->function->body;
    for (Op *other = body->first; other; other = other->next) {
      for (int r = 0; r < other->num_results; r++) {
        op_set_operand(op, i, &other->results[r]);
        judge(f);
      }
    }
    op_set_operand(op, i, saved);
  }
}

static void drop_attributes(Fixture *f, Op *op) {
  Attr saved[16];
  const int count = op->num_attrs;
  for (int i = 0; i < count; i++) saved[i] = op->attrs[i];
  for (int i = 0; i < count; i++) {
    op_remove_attr(op, saved[i].key);
    judge(f);
    for (int k = 0; k < count; k++) op->attrs[k] = saved[k];
    op->num_attrs = count;
    if (attr_info[saved[i].key].kind != ATTR_KIND_INT) continue;
    op->attrs[i].as.i = 77;
    judge(f);
    op->attrs[i] = saved[i];
  }
}

static void change_results(Fixture *f, Op *op) {
  TypeTable *types = &f->m->types;
  const int64_t shape[] = {16, 16, 3}, big[] = {1 << 20, 1 << 20};
  const Type *f32 = type_scalar(types, ELEM_f32);
  const Type *others[] = {
      f32,
      type_scalar(types, ELEM_i1),
      type_scalar(types, ELEM_f8e5),
      type_pointer(types, f32, SPACE_GLOBAL),
      type_pointer(types, f32, SPACE_SHARED),
      type_tile(types, 1, shape, f32, NULL),
      type_tile(types, 2, shape, type_scalar(types, ELEM_i32), NULL),
      type_tile(types, 3, shape, f32, NULL),
      type_tile(types, 2, big, f32, NULL),
      type_block_pointer(types, 2, shape, f32),
      type_wide_block_pointer(types, type_block_pointer(types, 2, shape, f32)),
      type_descriptor(types, 2, shape, f32),
      type_memdesc(types, 2, shape, f32, NULL, SPACE_SHARED),
      type_memdesc(types, 2, shape, f32, NULL, SPACE_GLOBAL),
      type_token(types),
      type_mbarrier(types),
  };
  for (int i = 0; i < op->num_results; i++) {
    const Type *const saved = op->results[i].type;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
      op->results[i].type = others[k];
      judge(f);
    }
    op->results[i].type = saved;
  }
}

static void mutate(Visit visit, int least) {
  char *text = every_op();
  Fixture f;
  fixture_open(&f);
  parse(&f, text);
  num_accepted = num_refused = 0;
  for (Function *k = f.m->functions; k; k = k->next) {
    visit_ops(&f, k->body, visit);
  }
  assert_true(num_refused > least);
  f.diags.muted = false;
  f.diags.num_errors = 0;
  assert_true(module_verify(f.m)); // every mutation was undone
  arena_free(&f.arena);
  free(text);
}

static void wrong_operands_are_survived(void **state) {
  (void)state;
  mutate(swap_operands, 1000);
}

static void wrong_attributes_are_survived(void **state) {
  (void)state;
  mutate(drop_attributes, 30);
}

static void wrong_results_are_survived(void **state) {
  (void)state;
  mutate(change_results, 1000);
}

// -- Messages ----------------------------------------------------------------

// `body` in a kernel with parameters of many types.
static void refuses_in(const char *head, const char *body, const char *tail,
                       const char *message) {
  Fixture f;
  fixture_open(&f);
  Str text = str_in(&f.arena);
  str_addf(&text, "%s%s%s", head, body, tail);
  parse(&f, str_text(&text));
  assert_false(module_verify(f.m));
  if (!strstr(messages(&f), message)) {
    assert_string_equal(messages(&f), message);
  }
  arena_free(&f.arena);
}

static void refuses(const char *body, const char *message) {
  refuses_in("kernel @k(%i: i32, %l: i64, %f: f32, %c: i1, %p: ptr<f32>, "
             "%d: desc<8x16xf32>) {\n"
             "  %t = splat %f : tile<16xf32>\n"
             "  %n = splat %i : tile<16xi32>\n"
             "  %q = splat %p : tile<16xptr<f32>>\n"
             "  %tt = splat %f : tile<8x16xf32>\n"
             "  %mm = splat %c : tile<16xi1>\n",
             body, "\n  return\n}\n", message);
}

static void types_must_follow_the_rules(void **state) {
  (void)state;
  refuses("%0 = addi %i, %l : i32",
          "error: 'addi' wants i32 as each operand, found i64\n");
  refuses("%0 = addi %f, %f : f32",
          "error: 'addi' wants integers as operands, found f32\n");
  refuses("%0 = addi %i, %i : i64",
          "error: 'addi' wants i32 as its result, found i64\n");
  refuses("%0 = addf %t, %f : tile<16xf32>",
          "wants tile<16xf32> as each operand, found f32\n");
  refuses("%0 = cmpf %f, %f {predicate = ult} : i1",
          "error: 'cmpf' has no unsigned predicates\n");
  refuses("%0 = cmpi %n, %n {predicate = lt} : i1",
          "wants i1 in the operands' shape as its result, found i1\n");
  refuses("%0 = extsi %l : i32", "'extsi' wants a wider result\n");
  refuses("%0 = truncf %f : f64", "'truncf' wants a narrower result\n");
  refuses("%0 = bitcast %p : i64", "turns numbers into numbers");
  refuses("%0 = addptr %q, %i : tile<16xptr<f32>>",
          "wants integers in the pointers' shape as offset, found i32\n");
  refuses("%0 = load %f : f32",
          "wants global pointers as its first operand, found f32\n");
  refuses("%0 = load %q mask(%c) : tile<16xf32>", "as mask, found i1\n");
  refuses("%0 = load %q : tile<16xi32>",
          "wants what the pointers point at as its result");
  refuses("%0 = arange {start = 0, end = 8} : tile<16xi32>",
          "wants a tile of end - start i32 as its result");
  refuses("%0 = splat %t : tile<16x16xf32>", "wants a scalar as its operand");
  refuses("%0 = broadcast %tt : tile<16x16xf32>",
          "wants the operand with sizes of 1 repeated");
  refuses("%0 = trans %tt {order = [0, 0]} : tile<8x16xf32>",
          "wants different dimensions below 2 as 'order'\n");
  refuses("%0 = expand_dims %t {axis = 2} : tile<16x1xf32>",
          "wants an axis from 0 to 1, found 2\n");
  refuses("%0 = dot %tt, %tt, %tt : tile<8x16xf32>",
          "does not take these shapes: tile<8x16xf32>");
  refuses("%0 = splat %f : tile<12xf32>",
          "tile<12xf32> is no type of a value: a size is not a power of two");
  refuses("%0 = splat %f : tile<2048x1024xf32>", "more than 1048576 elements");
  refuses("%0 = load_desc %d offsets(%i) : tile<8x16xf32>",
          "wants 2 'offsets', found 1\n");
  refuses("%0 = atomic_rmw %p, %f {kind = add} : f32",
          "wants a type that it can update as value, found f32\n");
}

static void attributes_must_fit(void **state) {
  (void)state;
  refuses("%0 = program_id : i32",
          "error: 'program_id' wants the attribute 'axis'\n");
  refuses("%0 = program_id {axis = 3} : i32",
          "wants an axis from 0 to 2, found 3\n");
  refuses("%0 = addi %i, %i {axis = 1} : i32",
          "error: 'addi' has no attribute 'axis'\n");
  refuses("%0 = hint %t {divisibility = [0]} : tile<16xf32>",
          "wants a positive number for each dimension as 'divisibility'\n");
  refuses_in("kernel @k() {num_warps = 3} {", "return", "}",
             "num_warps must be 1, 2, 4, 8, 16, 32\n");
  refuses_in("kernel @k() {num_stages = 4294967296} {", "return", "}",
             "num_stages must be from 0 to 1024\n");
  refuses_in("kernel @k() {num_stages = -1} {", "return", "}",
             "num_stages must be from 0 to 1024\n");
  refuses_in("kernel @k(%n: i32 {axis = 1}) {", "return", "}",
             "'n' has no attribute 'axis'\n");
  refuses_in("kernel @k(%n: i32 {divisibility = [16, 16]}) {", "return", "}",
             "'divisibility' of a parameter wants a positive number\n");
  refuses("for %i, %i, %i {unroll = -1} (%x: i32) {\n yield\n }",
          "'for' wants 'unroll' from 0 to 1024\n");
}

// Whether the kernel, which has a number, parses and verifies.
static bool is_taken(const char *text, long long number) {
  Fixture f;
  char filled[512];
  fixture_open(&f);
  snprintf(filled, sizeof filled, text, number);
  Source *source = source_create(&f.arena, "t", filled, strlen(filled));
  const bool taken = module_parse(f.m, source) && module_verify(f.m);
  arena_free(&f.arena);
  return taken;
}

// The smallest and largest numbers that the parser and the verifier accept, and
// none beyond.
static void ranges_end_where_they_do(void **state) {
  (void)state;
  static const struct {
    const char *text;
    long long least, most;
  } ranges[] = {
      {"kernel @k() {num_stages = %lld} { return }", 0, 1024},
      {"kernel @k(%%i: i32) { for %%i, %%i, %%i {unroll = %lld} (%%x: i32) {\n"
       "yield }\n return }",
       0, 1024},
      {"kernel @k(%%i: i32) { for %%i, %%i, %%i {loop_stages = %lld} "
       "(%%x: i32) {\n yield }\n return }",
       0, 1024},
      {"kernel @k() { %%0 = program_id {axis = %lld} : i32\n return }", 0, 2},
      {"kernel @k() { %%0 = constant {value = %lld} : i8\n return }", -128,
       255},
      {"kernel @k() { %%0 = constant {value = %lld} : i16\n return }", -32768,
       65535},
      {"kernel @k() { %%0 = constant {value = %lld} : i32\n return }",
       INT32_MIN, UINT32_MAX},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    const char *text = ranges[i].text;
    const long long least = ranges[i].least, most = ranges[i].most;
    if (!is_taken(text, least) || !is_taken(text, most) ||
        is_taken(text, least - 1) || is_taken(text, most + 1))
      fail_msg("not from %lld to %lld: %s", least, most, text);
  }
  const char *splat =
      "kernel @k(%%f: f32) { %%0 = splat %%f : tile<1024x%lldxf32>\n return }";
  assert_true(is_taken(splat, 1024));
  assert_false(is_taken(splat, 2048));
}

static void structure_must_hold(void **state) {
  (void)state;
  refuses_in("kernel @k() {", "", "}", "a block is empty\n");
  refuses_in("kernel @k(%x: tile<2xf32>) {", "return", "}",
             "tile<2xf32> cannot be a kernel parameter\n");
  refuses_in("kernel @k() { return }", "", " kernel @k() { return }",
             "there are two kernels 'k'\n");
  refuses_in("kernel @k(%i: i32) {", "%0 = addi %i, %i : i32", "}",
             "'addi' cannot be the last of a block\n");
  refuses("return", "'return' must be the last of its block\n");
  refuses("if %c () {\n return\n } () {\n yield\n }",
          "'return' ends a kernel only\n");
  refuses("if %c () {\n yield values(%i)\n } () {\n yield\n }",
          "'yield' wants 0 values, found 1\n");
  refuses("%0 = if %c : f32 () {\n yield values(%i)\n } () {\n "
          "yield values(%f)\n }",
          "'yield' wants f32 as number 0 of its values, found i32\n");
  refuses("if %i () {\n yield\n } () {\n yield\n }",
          "'if' wants i1 as condition, found i32\n");
  refuses("if %c (%x: i32) {\n yield\n } () {\n yield\n }",
          "'if' has regions without arguments\n");
  refuses("for %i, %i, %i (%x: i64) {\n yield\n }",
          "'for' wants i32 as first argument of its region\n");
  refuses("for %i, %l, %i (%x: i32) {\n yield\n }",
          "'for' wants i32 as upper, found i64\n");
  refuses("%0 = for %i, %i, %i init(%f) : i32 (%x: i32, %y: f32) {\n "
          "yield values(%y)\n }",
          "'yield' wants i32 as number 0 of its values, found f32\n");
  refuses("%0 = for %i, %i, %i init(%f) : i32 (%x: i32, %y: f32) {\n "
          "yield values(%x)\n }",
          "'for' wants f32 as number 0 of its results, found i32\n");
  refuses("while () {\n yield\n } () {\n yield\n }",
          "'yield' cannot end this block\n");
  refuses("while () {\n condition %c values(%i)\n } () {\n yield\n }",
          "'condition' wants 0 values, found 1\n");
  refuses("while () {\n condition %c\n } () {\n condition %c\n }",
          "'condition' ends the first region of a while only\n");
}

static void reductions_are_scalar_and_pure(void **state) {
  (void)state;
  refuses("%0 = reduce inputs(%t) {axis = 0} : f32 (%l1: f32, %r1: f32) {\n"
          "  %v = load %p : f32\n"
          "  yield values(%v)\n"
          "}",
          "'load' cannot stand in the region of 'reduce'");
  refuses("%0 = reduce inputs(%t) {axis = 0} : f32 (%l1: f32) {\n"
          "  yield values(%l1)\n"
          "}",
          "wants 1 right arguments, found 0\n");
  refuses("%0 = reduce inputs(%t) {axis = 1} : f32 (%l1: f32, %r1: f32) {\n"
          "  yield values(%l1)\n"
          "}",
          "wants an axis from 0 to 0, found 1\n");
  refuses("%0 = reduce inputs(%tt) {axis = 1} : tile<16xf32> (%l1: f32, %r1: "
          "f32) {\n  yield values(%l1)\n}",
          "wants its input without the axis as result, found tile<16xf32>\n");
  refuses("%0 = scan inputs(%t) {axis = 0} : f32 (%l1: f32, %r1: f32) {\n"
          "  yield values(%l1)\n"
          "}",
          "wants tile<16xf32> as number 0 of its results, found f32\n");
}

static void buffers_stay_put(void **state) {
  (void)state;
  refuses_in("kernel @k(%m: mbarrier) {", "return", "}",
             "mbarrier cannot be a block argument\n");
  refuses("%b = alloc_shared : memdesc<16xf32, shared>\n"
          "%0 = for %i, %i, %i init(%b) : memdesc<16xf32, shared> "
          "(%x: i32, %y: memdesc<16xf32, shared>) {\n yield values(%y)\n }",
          "memdesc<16xf32, shared> cannot be a block argument\n");
  refuses("%b = alloc_shared : memdesc<16xf32, shared>\n"
          "%0 = select %c, %b, %b : memdesc<16xf32, shared>",
          "'select' wants scalars or tiles as operands");
  refuses("%b = alloc_shared : memdesc<3x16xf32, shared>\n"
          "%v = view_index %b, %i : memdesc<16xf32, shared>\n"
          "free_shared %v",
          "'free_shared' wants a whole buffer, not a view\n");
  refuses("%b = alloc_shared : memdesc<16xf32>",
          "buffers are in shared memory\n");
}

static void values_come_before_their_uses(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
  parse(&f, "kernel @k(%i: i32) {\n"
            "  %a = addi %i, %i : i32\n"
            "  %b = addi %a, %a : i32\n"
            "  return\n"
            "}\n");
  Op *a = f.m->functions->body->first;
  op_set_operand(a, 1, op_result(a->next));
  assert_false(module_verify(f.m));
  assert_string_equal(messages(&f),
                      "t:2:3: error: 'addi' uses a value that is not defined "
                      "before it (operand 1)\n");
  arena_free(&f.arena);
}

static void inner_values_are_not_visible_outside(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
  parse(&f, "kernel @k(%c: i1, %i: i32) {\n"
            "  if %c () {\n"
            "    %a = addi %i, %i : i32\n"
            "    yield\n"
            "  } () {\n"
            "    yield\n"
            "  }\n"
            "  %b = addi %i, %i : i32\n"
            "  return\n"
            "}\n");
  Op *branch = f.m->functions->body->first;
  op_set_operand(branch->next, 0, op_result(branch->regions[0]->first));
  assert_false(module_verify(f.m));
  assert_non_null(strstr(messages(&f), "t:8:3: error: 'addi' uses a value"));
  arena_free(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_op_is_accepted),
      cmocka_unit_test(every_op_prints_the_same_again),
      cmocka_unit_test(wrong_operands_are_survived),
      cmocka_unit_test(wrong_attributes_are_survived),
      cmocka_unit_test(wrong_results_are_survived),
      cmocka_unit_test(types_must_follow_the_rules),
      cmocka_unit_test(attributes_must_fit),
      cmocka_unit_test(ranges_end_where_they_do),
      cmocka_unit_test(structure_must_hold),
      cmocka_unit_test(reductions_are_scalar_and_pure),
      cmocka_unit_test(buffers_stay_put),
      cmocka_unit_test(values_come_before_their_uses),
      cmocka_unit_test(inner_values_are_not_visible_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
