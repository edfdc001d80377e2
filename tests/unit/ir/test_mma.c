// test_mma.c -- the instruction that a dot becomes on each chip.
#include "ir/mma.h"

#include "ir/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  const char *target;
  Elem elem, acc;
  Precision precision;
  int64_t k;
  const char *types; // NULL: none
  int instr_k, parts;
} Want;

static const Want wants[] = {
    {"sm_80", ELEM_f16, ELEM_f32, PRECISION_tf32, 16, "f32.f16.f16.f32", 16, 1},
    {"sm_80", ELEM_f16, ELEM_f32, PRECISION_tf32, 8, "f32.f16.f16.f32", 8, 1},
    {"sm_80", ELEM_f16, ELEM_f32, PRECISION_tf32, 4, NULL, 0, 1},
    {"sm_75", ELEM_f16, ELEM_f16, PRECISION_tf32, 16, "f16.f16.f16.f16", 8, 1},
    {"sm_75", ELEM_bf16, ELEM_f32, PRECISION_tf32, 16, NULL, 0, 1},
    {"sm_90", ELEM_bf16, ELEM_f32, PRECISION_tf32, 64, "f32.bf16.bf16.f32", 16,
     1},
    {"sm_80", ELEM_f32, ELEM_f32, PRECISION_tf32, 16, "f32.tf32.tf32.f32", 8,
     1},
    {"sm_80", ELEM_f32, ELEM_f32, PRECISION_tf32x3, 16, "f32.tf32.tf32.f32", 8,
     2},
    {"sm_80", ELEM_f32, ELEM_f32, PRECISION_bf16x3, 16, "f32.bf16.bf16.f32", 16,
     2},
    {"sm_80", ELEM_f32, ELEM_f32, PRECISION_bf16x6, 16, "f32.bf16.bf16.f32", 16,
     3},
    {"sm_80", ELEM_f32, ELEM_f32, PRECISION_ieee, 16, NULL, 0, 1},
    {"sm_75", ELEM_f32, ELEM_f32, PRECISION_tf32, 16, NULL, 0, 1},
    {"sm_80", ELEM_f64, ELEM_f64, PRECISION_tf32, 16, NULL, 0, 1},
    {"sm_86", ELEM_i8, ELEM_i32, PRECISION_tf32, 32, "s32.s8.s8.s32", 32, 1},
    {"sm_75", ELEM_i8, ELEM_i32, PRECISION_tf32, 32, NULL, 0, 1},
    {"sm_89", ELEM_f8e5, ELEM_f32, PRECISION_tf32, 32, "f32.e5m2.e5m2.f32", 32,
     1},
    {"sm_89", ELEM_f8e4nv, ELEM_f32, PRECISION_tf32, 32, "f32.e4m3.e4m3.f32",
     32, 1},
    {"sm_89", ELEM_f8e4nv, ELEM_f16, PRECISION_tf32, 32, "f16.e4m3.e4m3.f16",
     32, 1},
    {"sm_89", ELEM_f8e4nv, ELEM_f16, PRECISION_tf32, 16, "f16.f16.f16.f16", 16,
     1},
    {"sm_80", ELEM_f8e4nv, ELEM_f32, PRECISION_tf32, 32, "f32.f16.f16.f32", 16,
     1},
    {"sm_80", ELEM_f8e5, ELEM_f32, PRECISION_tf32, 32, "f32.f16.f16.f32", 16,
     1},
};

static Op *build_product(Module *m, const Want *want) {
  const int64_t a[] = {16, want->k}, b[] = {want->k, 8}, c[] = {16, 8};
  const Type *elem = type_scalar(&m->types, want->elem);
  const Type *acc = type_scalar(&m->types, want->acc);
  const Type *types[] = {type_tile(&m->types, 2, a, elem, NULL),
                         type_tile(&m->types, 2, b, elem, NULL),
                         type_tile(&m->types, 2, c, acc, NULL)};
  Function *f = function_create(m, "k", (SrcLoc){0}, 3, types);
  Builder builder = builder_at_end(m, f->body, f->loc);
  Value *args = f->body->args;
  Value *product = build_dot(&builder, types[2], &args[0], &args[1], &args[2]);
  op_set_int(m, product->def, ATTR_precision, want->precision);
  return product->def;
}

static void check(void *data) {
  Arena *arena = data;
  DiagList diags;
  diag_init(&diags, arena);
  Module *m = module_create(arena, &diags);
  for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
    const Want *want = &wants[i];
    const MmaPlan plan =
        mma_plan(target_find(want->target), build_product(m, want));
    assert_int_equal(plan.mma != NULL, want->types != NULL);
    assert_int_equal(plan.parts, want->parts);
    if (!want->types) continue;
    assert_string_equal(plan.mma->types, want->types);
    assert_int_equal(plan.mma->k, want->instr_k);
  }
}

static void each_type_has_its_instruction(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  assert_true(arena_protect(&arena, check, &arena));
  arena_free(&arena);
}

// Facts on which the search for an instruction relies.
static void the_longest_comes_first(void **state) {
  (void)state;
  for (int i = 1; i < mma_count; i++) {
    const Mma *before = &mma_table[i - 1], *mma = &mma_table[i];
    if (before->elem != mma->elem || before->acc != mma->acc) continue;
    assert_true(before->k > mma->k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_type_has_its_instruction),
      cmocka_unit_test(the_longest_comes_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
