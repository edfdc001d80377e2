// trips.c -- the trips of a loop: do they exist, and where do they start?
#include "passes/pipeline/trips.h"

#include <assert.h>

static const Type *scalar(LoopTrips *t, Elem elem) {
  return type_scalar(&t->m->types, elem);
}

static Value *upper_of(const LoopTrips *t) {
  return op_operand(t->loop, FOR_UPPER);
}

static Value *widen(LoopTrips *t, Builder *b, Value *x) {
  const Type *i64 = scalar(t, ELEM_i64);
  return x->type == i64 ? x : build_extsi(b, i64, x);
}

// Is the distance from `iv` to the bound larger than `trips` steps?
static Value *left_constant(LoopTrips *t, Builder *b, Value *iv, int trips) {
  const Type *type = iv->type;
  const bool up = t->step > 0;
  Value *left =
      build_subi(b, type, up ? upper_of(t) : iv, up ? iv : upper_of(t));
  const int64_t way = (up ? t->step : -t->step) * trips;
  return build_cmp(b, OP_cmpi, PREDICATE_ugt, left, build_int(b, type, way));
}

static Value *left_wide(LoopTrips *t, Builder *b, Value *iv, int trips) {
  const Type *i64 = scalar(t, ELEM_i64);
  Value *left = build_subi(b, i64, t->wide_upper, widen(t, b, iv));
  Value *way = build_muli(b, i64, t->wide_step, build_int(b, i64, trips));
  Value *more = build_cmp(b, OP_cmpi, PREDICATE_gt, left, way);
  Value *less = build_cmp(b, OP_cmpi, PREDICATE_lt, left, way);
  return build_select(b, scalar(t, ELEM_i1), t->up, more, less);
}

// One step before the bound, but not beyond the range of the type.
static Value *before_bound(LoopTrips *t, Builder *b, bool up) {
  Value *upper = upper_of(t), *step = op_operand(t->loop, FOR_STEP);
  const Type *type = upper->type;
  const int64_t least = INT64_MIN >> (64 - type_element_bits(type));
  Value *farthest = build_int(b, type, up ? least : -(least + 1));
  Value *reachable = build_addi(b, type, farthest, step);
  Value *bound = up ? build_maxsi(b, type, upper, reachable)
                    : build_minsi(b, type, upper, reachable);
  return build_subi(b, type, bound, step);
}

// Does the next trip exist?  Compares as the loop does.
static Value *left_next(LoopTrips *t, Builder *b, Value *iv) {
  Value *more = build_cmp(b, OP_cmpi, PREDICATE_lt, iv, t->before_upper);
  Value *less = build_cmp(b, OP_cmpi, PREDICATE_gt, iv, t->before_lower);
  return build_select(b, scalar(t, ELEM_i1), t->up, more, less);
}

Value *trips_exist(LoopTrips *t, Builder *b, Value *iv, int trips) {
  assert(t->runs && !t->step == (t->wide_step != NULL) && trips > 0); // I9
  if (t->step) return left_constant(t, b, iv, trips);
  return trips == 1 ? left_next(t, b, iv) : left_wide(t, b, iv, trips);
}

static void prepare_wide(LoopTrips *t, Builder *b) {
  const Type *i64 = scalar(t, ELEM_i64);
  Value *step = widen(t, b, op_operand(t->loop, FOR_STEP));
  Value *zero = build_int(b, i64, 0);
  t->wide_step = step;
  t->wide_upper = widen(t, b, upper_of(t));
  t->up = build_cmp(b, OP_cmpi, PREDICATE_gt, step, zero);
  Value *some = build_cmp(b, OP_cmpi, PREDICATE_ne, step, zero);
  t->before_upper = before_bound(t, b, true);
  t->before_lower = before_bound(t, b, false);
  Value *first = left_wide(t, b, op_operand(t->loop, FOR_LOWER), 0);
  t->runs = build_andi(b, some->type, some, first);
}

void trips_prepare(LoopTrips *t, Builder *b) {
  if (!value_constant_int(op_operand(t->loop, FOR_STEP), &t->step)) {
    prepare_wide(t, b);
    return;
  }
  t->runs = build_cmp(b, OP_cmpi, t->step > 0 ? PREDICATE_lt : PREDICATE_gt,
                      op_operand(t->loop, FOR_LOWER), upper_of(t));
}

Value *trips_move(LoopTrips *t, Builder *b, Value *iv, int trips) {
  if (!trips) return iv;
  const Type *type = iv->type;
  Value *way = t->step ? build_int(b, type, t->step * trips)
                       : build_muli(b, type, op_operand(t->loop, FOR_STEP),
                                    build_int(b, type, trips));
  return build_addi(b, type, iv, way);
}

// The `and` of both masks.  The loop-invariant one is applied last, so that
// copies that differ only in it share the rest.
static Value *both(LoopTrips *t, Builder *b, Value *mask, Value *all) {
  const Op *op = value_def(mask, OP_andi);
  for (int i = 0; op && i < 2; i++) {
    Value *fixed = op_operand(op, i);
    if (!value_is_outside(fixed, t->loop->regions[0])) continue;
    Value *rest = build_andi(b, all->type, op_operand(op, 1 - i), all);
    return build_andi(b, all->type, fixed, rest);
  }
  return build_andi(b, all->type, mask, all);
}

Value *trips_mask(LoopTrips *t, Builder *b, const Value *ptr, Value *mask,
                  Value *trip) {
  const Type *i1 = scalar(t, ELEM_i1);
  if (!type_is_tile(ptr->type)) return mask ? both(t, b, mask, trip) : trip;
  const Type *type = type_with_element(&t->m->types, ptr->type, i1);
  Value *all = build_splat(b, type, trip);
  return mask ? both(t, b, mask, all) : all;
}
