// find_dots.c -- matrix products that are written as sums.
//
// sum(x[:, :, None] * y[None, :, :], 1), for x: [M, K] and y: [K, N], becomes a
// dot: so there is no tile of M * K * N elements.  The dot adds in any order,
// as the sum does, but its products are not rounded, while those of the sum
// are.  The dot's sum starts from -0, the neutral element: a sum of -0 alone
// stays -0.
#include "passes/analysis/walk.h"
#include "passes/pass.h"

// The least sizes are those that `tl.dot` accepts for fp32, and from which on
// Triton turns such a sum into a dot; a smaller product has few elements
// anyway.  If the sum is much longer than the sides, there are few results, for
// which each thread would read long rows.
enum { LEAST_K = 8, LEAST_SIDE = 16, MOST_K_OF_SIDE = 4 };

// The operand of a broadcast along `axis` alone; else NULL.
static Value *before_repeating(const Value *x, int axis) {
  const Op *repeated = value_def(x, OP_broadcast);
  if (!repeated) return NULL;
  Value *once = op_operand(repeated, 0);
  for (int d = 0; d < x->type->rank; d++) {
    const bool same = once->type->shape[d] == x->type->shape[d];
    if (same == (d == axis)) return NULL;
  }
  return once;
}

// `once` without its dimension `axis` of size 1, the first or the last, along
// which `once` was repeated.
static Value *matrix_of(Builder *b, Value *once, int axis) {
  const Op *expanded = value_def(once, OP_expand_dims);
  if (expanded) return op_operand(expanded, 0); // no other dimension is 1
  const int64_t *shape = once->type->shape + (axis == 0);
  const Type *type =
      type_tile(&b->m->types, 2, shape, once->type->element, NULL);
  return build_reshape(b, type, once);
}

static bool has_size_of_dot(const Type *product) {
  const int64_t m = product->shape[0], k = product->shape[1];
  const int64_t n = product->shape[2], side = m < n ? m : n;
  return side >= LEAST_SIDE && k >= LEAST_K && k <= MOST_K_OF_SIDE * side;
}

// The product whose only use is this sum, along its middle axis.
static const Op *find_product(const Op *reduce) {
  if (!reduce_only_adds(reduce)) return NULL;
  const Value *terms = op_operand(reduce, 0);
  const Type *type = terms->type;
  if (type->rank != 3 || op_int(reduce, ATTR_axis) != 1) return NULL;
  if (type->elem != ELEM_f32 || type->layout) return NULL;
  if (!has_size_of_dot(type) || terms->uses->next) return NULL;
  return value_def(terms, OP_mulf);
}

// Replaces the sum by the dot of `x`, [M, K, 1], and `y`, [1, K, N].
static void replace_by_dot(Op *reduce, Value *x, Value *y) {
  Builder b = builder_before(op_function(reduce)->module, reduce);
  Value *result = op_result(reduce);
  Value *left = matrix_of(&b, x, 2), *right = matrix_of(&b, y, 0);
  Value *start = build_float(&b, result->type, -0.0);
  Value *dot = build_dot(&b, result->type, left, right, start);
  op_set_int(b.m, dot->def, ATTR_precision, PRECISION_ieee);
  dot->name = result->name;
  value_replace_uses(result, dot);
  op_erase(reduce);
}

static void visit(Op *op, void *ctx) {
  (void)ctx;
  const Op *product = op->kind == OP_reduce ? find_product(op) : NULL;
  for (int i = 0; product && i < 2; i++) {
    Value *x = before_repeating(op_operand(product, i), 2);
    Value *y = before_repeating(op_operand(product, 1 - i), 0);
    if (!x || !y) continue;
    replace_by_dot(op, x, y);
    return;
  }
}

bool pass_find_dots(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) {
    block_walk(f->body, visit, NULL);
  }
  return true;
}
