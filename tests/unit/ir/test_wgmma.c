// test_wgmma.c -- descriptors of matrices in shared memory, against the byte
// that the PTX manual's formula finds for each element.
#include "ir/wgmma.h"

#include "ir/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Module *m;
  int num_found;
} Fixture;

typedef struct {
  int64_t m, n, k;
  Elem elem;
  int num_warps;
  Precision precision; // of fp32
} Product;

static Op *build_product(Module *m, const Product *p) {
  const int64_t a[] = {p->m, p->k}, b[] = {p->k, p->n}, c[] = {p->m, p->n};
  const Type *elem = type_scalar(&m->types, p->elem);
  const Type *acc =
      type_scalar(&m->types, p->elem == ELEM_i8 ? ELEM_i32 : ELEM_f32);
  const Type *types[] = {type_tile(&m->types, 2, a, elem, NULL),
                         type_tile(&m->types, 2, b, elem, NULL),
                         type_tile(&m->types, 2, c, acc, NULL)};
  Function *f = function_create(m, "k", (SrcLoc){0}, 3, types);
  function_set_attr(f, (Attr){.key = ATTR_num_warps, .as.i = p->num_warps});
  Builder builder = builder_at_end(m, f->body, f->loc);
  Value *args = f->body->args;
  Value *product = build_dot(&builder, types[2], &args[0], &args[1], &args[2]);
  op_set_int(m, product->def, ATTR_precision, p->precision);
  return product->def;
}

// The chunk of 16 bytes that the address bits above 7 select.
static uint32_t swizzled(uint32_t address, int swizzle) {
  const uint32_t chunks = (uint32_t)swizzle / 16 - 1;
  return address ^ (address >> 7 & chunks) << 4;
}

// "Strides" of the manual: `i` counts rows of A or columns of B.
static uint32_t hardware_byte(const SharedMatrix *x, uint32_t start, uint32_t i,
                              uint32_t k, uint32_t bytes) {
  const uint32_t line = (uint32_t)x->swizzle;
  const uint32_t lead = (uint32_t)x->lead, stride = (uint32_t)x->stride;
  if (!x->across) {
    return swizzled(start + i % 8 * line + i / 8 * stride + k * bytes,
                    x->swizzle);
  }
  return swizzled(start + i * bytes % line + i * bytes / line * lead +
                      k % 8 * line + k / 8 * stride,
                  x->swizzle);
}

static void check_instruction(const SharedMatrix *x, int index, uint32_t i0,
                              uint32_t k0, uint32_t count,
                              const WgmmaForm *wgmma) {
  const uint32_t bytes = (uint32_t)elem_info[wgmma->a].bits / 8;
  const uint32_t start =
      index ? shared_matrix_byte(x, k0, i0) : shared_matrix_byte(x, i0, k0);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < (uint32_t)wgmma->k; k++) {
      const uint32_t found = index ? shared_matrix_byte(x, k0 + k, i0 + i)
                                   : shared_matrix_byte(x, i0 + i, k0 + k);
      assert_int_equal(hardware_byte(x, start, i, k, bytes), found);
    }
  }
}

static void check_operand(Fixture *t, const Product *p, int index, int fast) {
  WgmmaPlan plan;
  SharedMatrix x;
  const Op *dot = build_product(t->m, p);
  if (!wgmma_plan(target_find("sm_90a"), dot, &plan)) return;
  const Layout *layout = wgmma_buffer(&t->m->layouts, &plan, dot, index, fast);
  if (!layout) return;
  t->num_found++;
  assert_true(shared_matrix(layout, &plan, index, &x));
  assert_int_equal(x.across, fast == (index ? 1 : 0));
  const int64_t size = index ? p->n : p->m;
  const int step = index ? plan.columns : WGMMA_ROWS;
  for (uint32_t i = 0; i < (uint32_t)size; i += (uint32_t)step) {
    for (uint32_t k = 0; k < (uint32_t)p->k; k += (uint32_t)plan.wgmma->k) {
      check_instruction(&x, index, i, k, (uint32_t)step, plan.wgmma);
    }
  }
}

static void check_all(void *data) {
  static const Elem elems[] = {ELEM_f16, ELEM_f32, ELEM_f8e5};
  Arena *arena = data;
  DiagList diags;
  diag_init(&diags, arena);
  Fixture t = {module_create(arena, &diags), 0};
  for (int e = 0; e < 3; e++) {
    for (int m = 64; m <= 256; m *= 2) {
      for (int n = 8; n <= 256; n *= 2) {
        for (int k = 8; k <= 256; k *= 2) {
          for (int way = 0; way < 8; way++) {
            const Product p = {
                m, n, k, elems[e], way & 4 ? 8 : 4, PRECISION_tf32};
            check_operand(&t, &p, way & 1, way >> 1 & 1);
          }
        }
      }
    }
  }
  assert_true(t.num_found > 1000);
}

static void in_arena(void (*check)(void *)) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  assert_true(arena_protect(&arena, check, &arena));
  arena_free(&arena);
}

static void descriptors_find_each_element(void **state) {
  (void)state;
  in_arena(check_all);
}

// -- Plans -------------------------------------------------------------------

typedef struct {
  const char *target;
  Product product;
  int groups_m, groups_n, columns; // 0: there is no instruction
} Want;

static const Want wants[] = {
    {"sm_90a", {128, 128, 64, ELEM_f16, 4, PRECISION_tf32}, 1, 1, 128},
    {"sm_90a", {128, 256, 64, ELEM_f16, 8, PRECISION_tf32}, 2, 1, 256},
    {"sm_90a", {64, 256, 64, ELEM_f16, 8, PRECISION_tf32}, 1, 2, 128},
    {"sm_90a", {64, 16, 64, ELEM_bf16, 8, PRECISION_tf32}, 1, 2, 8},
    {"sm_90a", {64, 8, 64, ELEM_bf16, 8, PRECISION_tf32}, 0, 0, 0},
    {"sm_90a", {128, 128, 64, ELEM_f16, 2, PRECISION_tf32}, 0, 0, 0},
    {"sm_90a", {32, 128, 64, ELEM_f16, 4, PRECISION_tf32}, 0, 0, 0},
    {"sm_90a", {128, 128, 8, ELEM_f16, 4, PRECISION_tf32}, 0, 0, 0},
    // 256 sums a thread are too many.
    {"sm_90a", {128, 256, 64, ELEM_f16, 4, PRECISION_tf32}, 0, 0, 0},
    {"sm_90a", {256, 256, 64, ELEM_f16, 16, PRECISION_tf32}, 0, 0, 0},
    {"sm_90a", {128, 128, 64, ELEM_f64, 4, PRECISION_tf32}, 0, 0, 0},
    {"sm_90a", {128, 128, 64, ELEM_f32, 4, PRECISION_tf32}, 1, 1, 128},
    {"sm_90a", {128, 128, 64, ELEM_f32, 4, PRECISION_ieee}, 0, 0, 0},
    {"sm_90a", {128, 128, 64, ELEM_f32, 4, PRECISION_tf32x3}, 0, 0, 0},
    {"sm_90a", {128, 128, 64, ELEM_f32, 4, PRECISION_bf16x3}, 0, 0, 0},
    {"sm_90", {128, 128, 64, ELEM_f16, 4, PRECISION_tf32}, 0, 0, 0},
};

static void check_plans(void *data) {
  Arena *arena = data;
  DiagList diags;
  diag_init(&diags, arena);
  Module *m = module_create(arena, &diags);
  for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
    const Want *want = &wants[i];
    WgmmaPlan plan;
    const bool found = wgmma_plan(target_find(want->target),
                                  build_product(m, &want->product), &plan);
    assert_int_equal(found, want->columns != 0);
    if (!found) continue;
    assert_int_equal(plan.groups_m, want->groups_m);
    assert_int_equal(plan.groups_n, want->groups_n);
    assert_int_equal(plan.columns, want->columns);
  }
}

static void groups_share_rows_first(void **state) {
  (void)state;
  in_arena(check_plans);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptors_find_each_element),
      cmocka_unit_test(groups_share_rows_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
