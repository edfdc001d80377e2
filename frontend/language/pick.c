// pick.c -- the better of two values, with its index.
#include "frontend/language/pick.h"

#include <assert.h>

static const Object *either(Walk *w, SrcLoc loc, const Object *x,
                            const Object *y) {
  return tensor_binary(w, loc, OPERATOR_OR, x, y);
}

static const Object *both(Walk *w, SrcLoc loc, const Object *x,
                          const Object *y) {
  return tensor_binary(w, loc, OPERATOR_AND, x, y);
}

// `best` is the better of two values, and a NaN only if both values are NaN: so
// a value that equals `best` is no NaN.
static const Object *first_is(Walk *w, SrcLoc loc, const Pick *pick,
                              const Object *best, const Object *const *a,
                              const Object *const *b) {
  const Object *wins = tensor_comparison(w, loc, COMPARE_EQ, a[0], best);
  if (!pick->leftmost) return wins;
  const Object *alone = tensor_comparison(w, loc, COMPARE_NE, b[0], best);
  const Object *left = tensor_comparison(w, loc, COMPARE_LT, a[1], b[1]);
  return both(w, loc, wins, either(w, loc, alone, left));
}

static const Object *first_is_better(Walk *w, SrcLoc loc, const Pick *pick,
                                     const Object *const *a,
                                     const Object *const *b) {
  const CompareOperator op =
      pick->which == EXTREME_MAX ? COMPARE_GT : COMPARE_LT;
  const Object *better = tensor_comparison(w, loc, op, a[0], b[0]);
  if (!better || !pick->leftmost) return better;
  const Object *tie = tensor_comparison(w, loc, COMPARE_EQ, a[0], b[0]);
  const Object *left = tensor_comparison(w, loc, COMPARE_LT, a[1], b[1]);
  return either(w, loc, better, both(w, loc, tie, left));
}

// fp8 values are compared in fp32, since a maximum in fp8 would lose an
// infinity.
static const Object *compared(Walk *w, SrcLoc loc, const Object *x) {
  return dtype_is_fp8(x->as.tensor.dtype)
             ? tensor_cast(w, loc, x, dtype_of(DTYPE_FP32))
             : x;
}

bool pick_is_symmetric(const Pick *pick, Dtype dtype) {
  return pick->leftmost && (pick->is_index || !dtype_is_float(dtype));
}

bool pick_better(Walk *w, SrcLoc loc, const char *name, const Pick *pick,
                 const Object *const *a, const Object *const *b,
                 const Object **out) {
  const Object *best = NULL, *first;
  assert(object_type(a[0]) == object_type(b[0])); // I4
  assert(object_type(a[1]) == object_type(b[1])); // I4
  const Dtype dtype = a[0]->as.tensor.dtype;
  if (dtype_is_float(dtype)) {
    const Object *x[] = {compared(w, loc, a[0]), a[1]};
    const Object *y[] = {compared(w, loc, b[0]), b[1]};
    best = tensor_extreme(w, loc, name, pick->which, false, x[0], y[0]);
    if (!best) return false;
    first = first_is(w, loc, pick, best, x, y);
  } else {
    first = first_is_better(w, loc, pick, a, b);
  }
  if (!first) return false;
  const bool equal = best && pick->is_index && !dtype_is_fp8(dtype);
  out[0] = equal ? best : tensor_select(w, loc, first, a[0], b[0]);
  out[1] = tensor_select(w, loc, first, a[1], b[1]);
  return true;
}

const Object *pick_index(Walk *w, SrcLoc loc, const Object *value,
                         const Object *index) {
  if (!dtype_is_float(value->as.tensor.dtype)) return index;
  const Object *is_nan = tensor_comparison(w, loc, COMPARE_NE, value, value);
  const Object *none = tensor_int(w, index->as.tensor.dtype, 0);
  return tensor_select(w, loc, is_nan, none, index);
}
