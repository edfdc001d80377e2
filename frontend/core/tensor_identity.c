// tensor_identity.c -- identity of run-time values: are two surely the same?
#include "frontend/core/tensor.h"
#include "frontend/errors.h"

static bool is_in_loop(const Walk *w) {
  const Frame *f = w->frame;
  while (f && !f->loops) f = f->caller;
  return f != NULL;
}

// x is y, or x is not y.  A trial walk of a loop does not decide that, since
// each name has a value of its own there.
const Object *tensor_identity(Walk *w, SrcLoc loc, CompareOperator op,
                              const Object *x, const Object *y) {
  if (x->kind == y->kind && object_same_type(x, y) && is_in_loop(w))
    return walk_error(w, loc, ERROR_identity_in_loop, compare_text[op]);
  return object_bool(object_equal(x, y) == (op == COMPARE_IS));
}

typedef enum { SAME, OTHER, UNKNOWN } Sameness;

// Compares tuples as Python does: an object equals itself, and the first items
// that differ decide.
static Sameness compare_items(Walk *w, SrcLoc loc, const Object *x,
                              const Object *y) {
  if (object_is_constant(x) && object_is_constant(y)) {
    const ConstantContext c = constant_context(w, loc);
    return constant_compare(&c, COMPARE_EQ, x, y)->as.truth ? SAME : OTHER;
  }
  if (x->kind != OBJECT_TUPLE || y->kind != OBJECT_TUPLE)
    return object_equal(x, y) ? SAME : UNKNOWN;
  if (x->as.tuple.count != y->as.tuple.count) return OTHER;
  for (int i = 0; i < x->as.tuple.count; i++) {
    const Sameness answer =
        compare_items(w, loc, x->as.tuple.items[i], y->as.tuple.items[i]);
    if (answer != SAME) return answer;
  }
  return SAME;
}

const Object *tensor_tuples(Walk *w, SrcLoc loc, CompareOperator op,
                            const Object *x, const Object *y) {
  const Sameness answer = is_in_loop(w) ? UNKNOWN : compare_items(w, loc, x, y);
  if (answer == UNKNOWN)
    return walk_error(w, loc, ERROR_compares_tuples, compare_text[op]);
  return object_bool((answer == SAME) == (op == COMPARE_EQ));
}
