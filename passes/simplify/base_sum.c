// base_sum.c -- the base of a window as a sum.
//
// Terms that are launch values go into the base of a map.  A scalar of the
// program, such as the number of its head, times a launch value is an offset
// along one more dimension.  Sums of addresses are assumed not to wrap.
//
//     q + program_id(1) * stride_h + 64
//
// starts at q + 64 elements, known at the launch; stride_h is an argument, so
// the map has a dimension of that stride, along which each program has the
// offset program_id(1).
#include "passes/simplify/tensor_maps.h"

enum { MAX_OPS = 64 }; // visited ops

typedef struct {
  BaseSum *sum;
  int budget;
} SumLook;

static bool is_known(const Value *value) {
  LaunchStep steps[LAUNCH_MAX_STEPS];
  return launch_value_steps(value, steps) > 0;
}

static bool add_term(BaseTerm *terms, int *count, int most, Value *at,
                     const BaseTerm *scale) {
  if (*count == most) return false;
  terms[*count] = *scale;
  terms[(*count)++].at = at;
  return true;
}

// `scale` contains the factors so far.
static bool add_sum(SumLook *look, Value *value, const BaseTerm *scale);

static bool add_product(SumLook *look, Op *op, const BaseTerm *scale) {
  const int known = is_known(op_operand(op, 1));
  BaseTerm more = *scale;
  if (!known && !is_known(op_operand(op, 0))) return false;
  if (more.num_factors == BASE_MAX_FACTORS) return false;
  more.factors[more.num_factors++] = op_operand(op, known);
  return add_sum(look, op_operand(op, !known), &more);
}

static bool add_leaf(SumLook *look, Value *value, const BaseTerm *scale) {
  BaseSum *sum = look->sum;
  return value->type->elem == ELEM_i32 &&
         add_term(sum->outer, &sum->num_outer, BASE_MAX_OUTER, value, scale);
}

// Adds the terms of a product; if they are too many, the product as one term.
static bool add_product_or_leaf(SumLook *look, Op *op, const BaseTerm *scale) {
  const BaseSum before = *look->sum;
  if (add_product(look, op, scale)) return true;
  *look->sum = before;
  return add_leaf(look, op_result(op), scale);
}

static bool add_sum(SumLook *look, Value *value, const BaseTerm *scale) {
  BaseSum *sum = look->sum;
  Op *op = value->def;
  if (look->budget-- <= 0) return false;
  if (is_known(value))
    return add_term(sum->known, &sum->num_known, BASE_MAX_KNOWN, value, scale);
  switch (op ? op->kind : OP_COUNT) {
  case OP_addi:
    return add_sum(look, op_operand(op, 0), scale) &&
           add_sum(look, op_operand(op, 1), scale);
  case OP_extsi:
  case OP_hint: return add_sum(look, op_operand(op, 0), scale);
  case OP_muli: return add_product_or_leaf(look, op, scale);
  default: return add_leaf(look, value, scale);
  }
}

bool base_sum(const Op *window, BaseSum *out) {
  const BaseTerm none = {.num_factors = 0};
  SumLook look = {out, MAX_OPS};
  *out = (BaseSum){.start = op_operand(window, 0)};
  while (!is_known(out->start)) {
    Op *op = out->start->def;
    if (!op || look.budget-- <= 0) return false;
    if (op->kind != OP_hint && op->kind != OP_addptr) return false;
    if (op->kind == OP_addptr && !add_sum(&look, op_operand(op, 1), &none))
      return false;
    out->start = op_operand(op, 0);
  }
  return true;
}

static Value *build_i64(Builder *b, Value *value) {
  const Type *i64 = type_scalar(&b->m->types, ELEM_i64);
  return value->type == i64 ? value : build_extsi(b, i64, value);
}

Value *base_stride(Builder *b, const BaseTerm *term) {
  const Type *i64 = type_scalar(&b->m->types, ELEM_i64);
  if (!term->num_factors) return build_int(b, i64, 1);
  Value *stride = build_i64(b, term->factors[0]);
  for (int i = 1; i < term->num_factors; i++)
    stride = build_muli(b, i64, stride, build_i64(b, term->factors[i]));
  return stride;
}

Value *base_start(Builder *b, const BaseSum *sum) {
  Value *start = sum->start;
  for (int i = 0; i < sum->num_known; i++) {
    const BaseTerm *term = &sum->known[i];
    Value *offset = build_i64(b, term->at);
    if (term->num_factors)
      offset = build_muli(b, offset->type, offset, base_stride(b, term));
    start = build_addptr(b, start->type, start, offset);
  }
  return start;
}

// -- Steps of a launch -------------------------------------------------------

// May the ops that compute the value move up into the block?  The number of
// steps limits the depth.
static bool can_rise(const Value *value, const Block *top) {
  const Op *op = value->def;
  if (!op || op->block == top) return true;
  bool can = op_has(op, TRAIT_SPECULATABLE);
  for (int i = 0; i < op->num_operands && can; i++) {
    can = can_rise(op_operand(op, i), top);
  }
  return can;
}

int launch_steps(const Value *value, const Block *top) {
  LaunchStep steps[LAUNCH_MAX_STEPS];
  const int count = launch_value_steps(value, steps);
  return count && can_rise(value, top) ? count : TOO_MANY_STEPS;
}

// The steps for a scale, and for each factor with its extension and product.
int base_stride_steps(const BaseTerm *term, const Block *top) {
  int count = 1;
  for (int i = 0; i < term->num_factors; i++)
    count += launch_steps(term->factors[i], top) + 2;
  return count;
}

// A term is extended and multiplied by its stride; an address takes three more
// steps.
int base_start_steps(const BaseSum *sum, const Block *top) {
  int count = launch_steps(sum->start, top);
  for (int i = 0; i < sum->num_known; i++) {
    const BaseTerm *term = &sum->known[i];
    count += launch_steps(term->at, top) + 1 + 3;
    if (term->num_factors) count += base_stride_steps(term, top) + 1;
  }
  return count;
}
