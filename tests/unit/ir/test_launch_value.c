// test_launch_value.c -- arithmetic on arguments against C's.
#include "ir/launch_value.h"

#include "ir/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// A kernel of a pointer, an i32, an i64, an i8 and an i1, and its arguments.
typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  Builder b;
  Value *args[5];
  uint64_t slots[5];
} Kernel;

static const Type *scalar(Kernel *k, Elem elem) {
  return type_scalar(&k->m->types, elem);
}

static void kernel_open(Kernel *k) {
  arena_init(&k->arena, &system_allocator);
  diag_init(&k->diags, &k->arena);
  k->m = module_create(&k->arena, &k->diags);
  const Type *types[] = {
      type_pointer(&k->m->types, scalar(k, ELEM_f16), SPACE_GLOBAL),
      scalar(k, ELEM_i32), scalar(k, ELEM_i64), scalar(k, ELEM_i8),
      scalar(k, ELEM_i1)};
  const SrcLoc loc = {0};
  Function *f = function_create(k->m, "k", loc, 5, types);
  k->b = builder_at_end(k->m, f->body, loc);
  for (int i = 0; i < 5; i++) k->args[i] = &f->body->args[i];
}

static void set(Kernel *k, uint64_t p, int32_t i, int64_t l, int8_t c, bool b) {
  // Bits above those of an argument may have any value.
  const uint64_t junk = UINT64_C(0xabcd) << 48;
  k->slots[0] = p;
  k->slots[1] = (uint32_t)i | junk;
  k->slots[2] = (uint64_t)l;
  k->slots[3] = (uint8_t)c | junk;
  k->slots[4] = (uint64_t)b | junk;
}

static int64_t compute(const Kernel *k, const Value *value) {
  LaunchStep steps[LAUNCH_MAX_STEPS];
  const int count = launch_value_steps(value, steps);
  assert_true(count > 0);
  return launch_value_compute(steps, count, k->slots);
}

static const int32_t ints[] = {0, 1, -1, 63, 64, 1000, INT32_MAX, INT32_MIN};
enum { NUM_INTS = sizeof ints / sizeof *ints };

static void arguments_have_their_width(void **state) {
  (void)state;
  Kernel k;
  kernel_open(&k);
  set(&k, UINT64_C(0xffff000000001230), -5, INT64_MIN + 7, -128, true);
  assert_int_equal((uint64_t)compute(&k, k.args[0]),
                   UINT64_C(0xffff000000001230));
  assert_int_equal(compute(&k, k.args[1]), -5);
  assert_int_equal(compute(&k, k.args[2]), INT64_MIN + 7);
  assert_int_equal(compute(&k, k.args[3]), -128);
  assert_int_equal(compute(&k, k.args[4]), 1);
  const Type *i64 = scalar(&k, ELEM_i64);
  assert_int_equal(compute(&k, build_extui(&k.b, i64, k.args[3])), 128);
  assert_int_equal(compute(&k, build_extsi(&k.b, i64, k.args[3])), -128);
  assert_int_equal(compute(&k, build_extui(&k.b, i64, k.args[4])), 1);
  assert_int_equal(compute(&k, build_extsi(&k.b, i64, k.args[4])), -1);
  arena_free(&k.arena);
}

// (n + 63) / 64 * 64 as i64, wrapping in 32 bits before.
static void sizes_are_as_c_has_them(void **state) {
  (void)state;
  Kernel k;
  kernel_open(&k);
  const Type *i32 = scalar(&k, ELEM_i32), *i64 = scalar(&k, ELEM_i64);
  Value *more = build_addi(&k.b, i32, k.args[1], build_int(&k.b, i32, 63));
  Value *size = build_int(&k.b, i32, 64);
  Value *blocks = build_divsi(&k.b, i32, more, size);
  Value *rows = build_muli(&k.b, i32, blocks, size);
  Value *wide = build_muli(&k.b, i64, build_extsi(&k.b, i64, rows), k.args[2]);
  Value *rest = build_remsi(&k.b, i32, more, size);
  Value *most = build_maxsi(&k.b, i32, rest, build_int(&k.b, i32, 5));
  for (int i = 0; i < NUM_INTS; i++) {
    set(&k, 0, ints[i], 3000000000, 0, false);
    const int32_t sum = (int32_t)((uint32_t)ints[i] + 63);
    const int32_t up = (int32_t)((uint32_t)(sum / 64) * 64);
    assert_int_equal(compute(&k, rows), up);
    assert_int_equal(compute(&k, wide), up * 3000000000);
    assert_int_equal(compute(&k, most), sum % 64 > 5 ? sum % 64 : 5);
  }
  arena_free(&k.arena);
}

static void choices_are_as_c_has_them(void **state) {
  (void)state;
  Kernel k;
  kernel_open(&k);
  const Type *i32 = scalar(&k, ELEM_i32);
  Value *nine = build_int(&k.b, i32, 9);
  Value *less = build_cmp(&k.b, OP_cmpi, PREDICATE_lt, k.args[1], nine);
  Value *below = build_cmp(&k.b, OP_cmpi, PREDICATE_ult, k.args[1], nine);
  Value *x = build_select(&k.b, i32, less, k.args[1], nine);
  Value *y = build_select(&k.b, i32, below, k.args[1], nine);
  for (int i = 0; i < NUM_INTS; i++) {
    set(&k, 0, ints[i], 0, 0, false);
    assert_int_equal(compute(&k, x), ints[i] < 9 ? ints[i] : 9);
    assert_int_equal(compute(&k, y), (uint32_t)ints[i] < 9 ? ints[i] : 9);
  }
  arena_free(&k.arena);
}

static void addresses_count_elements(void **state) {
  (void)state;
  Kernel k;
  kernel_open(&k);
  Value *narrow = build_addptr(&k.b, k.args[0]->type, k.args[0], k.args[1]);
  Value *wide = build_addptr(&k.b, narrow->type, narrow, k.args[2]);
  set(&k, 0x100000, -16, 1 << 20, 0, false);
  assert_int_equal(compute(&k, narrow), 0x100000 - 32);
  assert_int_equal(compute(&k, wide), 0x100000 - 32 + (2 << 20));
  arena_free(&k.arena);
}

static void others_are_refused(void **state) {
  (void)state;
  Kernel k;
  kernel_open(&k);
  LaunchStep steps[LAUNCH_MAX_STEPS];
  const Type *i32 = scalar(&k, ELEM_i32), *f32 = scalar(&k, ELEM_f32);
  assert_false(launch_value_steps(build_program_id(&k.b, 0), steps));
  Value *half = build_float(&k.b, f32, 0.5);
  assert_false(launch_value_steps(half, steps));
  assert_false(launch_value_steps(build_fptosi(&k.b, i32, half), steps));
  // A long expression, and one of few ops that counts as long.
  Value *chain = k.args[1], *tree = k.args[1];
  for (int i = 0; i < 1000; i++) {
    chain = build_addi(&k.b, i32, chain, k.args[1]);
    tree = build_muli(&k.b, i32, tree, tree);
  }
  assert_false(launch_value_steps(chain, steps));
  assert_false(launch_value_steps(tree, steps));
  arena_free(&k.arena);
}

// All integer arithmetic of scalars: an op without a row makes kernels slower.
static void each_integer_op_has_a_row(void **state) {
  (void)state;
  bool has_row[OP_COUNT] = {false};
#define LAUNCH_OP(name, count)                                                 \
  has_row[OP_##name] = true;                                                   \
  assert_int_equal(op_info[OP_##name].num_operands, count);
#include "ir/op/launch_ops.def"
  for (int i = 0; i < OP_COUNT; i++) {
    const TypeRule rule = op_info[i].rule;
    const bool computes = rule == RULE_INTS || rule == RULE_WIDEN_INT ||
                          rule == RULE_NARROW_INT || i == OP_cmpi ||
                          i == OP_select;
    assert_int_equal(has_row[i], computes);
  }
}

static bool is_sound(LaunchStep last) {
  const LaunchStep steps[] = {{.kind = STEP_ARGUMENT, .value = 1},
                              {.kind = STEP_CONSTANT, .value = -1},
                              last};
  return launch_value_is_sound(steps, 3, 2);
}

static LaunchStep operation(LaunchOp op, Elem from, Elem to) {
  return (LaunchStep){.kind = STEP_OPERATION, .op = op, .from = from, .to = to};
}

static void steps_of_others_are_not_believed(void **state) {
  (void)state;
  assert_true(is_sound(operation(LAUNCH_addi, ELEM_i64, ELEM_i64)));
  assert_true(is_sound(operation(LAUNCH_divui, ELEM_i8, ELEM_i8)));
  assert_false(is_sound(operation(LAUNCH_absi, ELEM_i64, ELEM_i64)));
  assert_false(is_sound(operation(LAUNCH_select, ELEM_i64, ELEM_i64)));
  assert_false(is_sound(operation(LAUNCH_addi, ELEM_f32, ELEM_f32)));
  assert_false(is_sound(operation(LAUNCH_addi, ELEM_i64, ELEM_COUNT)));
  assert_false(is_sound(operation(NUM_LAUNCH_OPS, ELEM_i64, ELEM_i64)));
  assert_false(is_sound((LaunchStep){.kind = STEP_CONSTANT}));
  LaunchStep steps[LAUNCH_MAX_STEPS + 2] = {{.kind = STEP_ARGUMENT}};
  assert_true(launch_value_is_sound(steps, 1, 1));
  assert_false(launch_value_is_sound(steps, 1, 0));
  assert_false(launch_value_is_sound(steps, 0, 1));
  steps[0].value = -1;
  assert_false(launch_value_is_sound(steps, 1, 1));
  steps[0].kind = (LaunchStepKind)3;
  assert_false(launch_value_is_sound(steps, 1, 1));
  for (int i = 0; i < LAUNCH_MAX_STEPS + 2; i++) steps[i].kind = STEP_CONSTANT;
  assert_false(launch_value_is_sound(steps, LAUNCH_MAX_STEPS + 2, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_have_their_width),
      cmocka_unit_test(sizes_are_as_c_has_them),
      cmocka_unit_test(choices_are_as_c_has_them),
      cmocka_unit_test(addresses_count_elements),
      cmocka_unit_test(others_are_refused),
      cmocka_unit_test(each_integer_op_has_a_row),
      cmocka_unit_test(steps_of_others_are_not_believed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
