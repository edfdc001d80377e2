// compare.c -- `<`, `in`, and operators with one operand.
#include "frontend/thing/objects.h"

#include <math.h>

static Thing *opposite(Thing *x) {
  return x == &thing_true ? &thing_false : x == &thing_false ? &thing_true : x;
}

static bool is_nan(const Thing *x) {
  return x->kind == THING_CONSTANT && x->as.constant->kind == OBJECT_FLOAT &&
         isnan(x->as.constant->as.number);
}

Known run_equal_items(Machine *m, Thing *a, Thing *b, bool *alive) {
  if (is_nan(a) || is_nan(b)) return KNOWN_NOT;
  return run_is(a, b) == KNOWN_TRUE ? KNOWN_TRUE : run_equal(m, a, b, alive);
}

// -- Containment -------------------------------------------------------------

static Known in_items(Machine *m, Thing *x, Thing **items, int count,
                      bool *alive) {
  Known any = KNOWN_FALSE;
  for (int i = 0; *alive && i < count; i++) {
    const Known one = run_equal_items(m, items[i], x, alive);
    if (one == KNOWN_TRUE) return one;
    if (one == KNOWN_NOT) any = one;
  }
  return any;
}

static Known in_range(const Thing *range, const Thing *x) {
  Integer n;
  if (!thing_is_integer(x, &n)) return KNOWN_NOT;
  const Integer start = range->as.range.start, stop = range->as.range.stop;
  const Integer step = range->as.range.step;
  const bool within =
      step > 0 ? start <= n && n < stop : stop < n && n <= start;
  return known_of(within && (n - start) % step == 0);
}

static Thing *in_text(Machine *m, Thing *x, Thing *text) {
  if (!thing_is_text(x))
    return x->kind == THING_CONSTANT ? run_raise(m, "TypeError")
                                     : run_unknown(m, x, NULL);
  const Object *found = constant_compare(&m->constants, COMPARE_IN,
                                         x->as.constant, text->as.constant);
  return found ? thing_constant(m, found) : run_unknown(m, NULL, NULL);
}

static Thing *contains(Machine *m, Thing *x, Thing *in) {
  bool alive = true;
  const Content *c;
  Known known;
  switch (in->kind) {
  case THING_CONSTANT:
    return thing_is_text(in) ? in_text(m, x, in) : run_raise(m, "TypeError");
  case THING_TUPLE:
    known = in_items(m, x, in->as.tuple.items, in->as.tuple.count, &alive);
    return alive ? run_known(m, known) : NULL;
  case THING_LIST:
    c = content_of(in);
    if (!c) return run_unknown(m, x, NULL);
    known = in_items(m, x, c->items, c->count, &alive);
    return alive ? run_known(m, known) : NULL;
  case THING_DICT:
  case THING_SET:
    c = content_of(in);
    if (thing_is_unhashable(x)) return run_raise(m, "TypeError");
    if (!c) return run_unknown(m, x, NULL);
    content_find(m, c, x, &known);
    return run_known(m, known);
  case THING_VIEW:
    if (in->as.view.kind == 3) return run_unknown(m, x, NULL);
    return in->as.view.kind ? run_unknown(m, x, in)
                            : contains(m, x, in->as.view.dict);
  case THING_FOREIGN: return run_unknown(m, x, NULL);
  case THING_RANGE: return run_known(m, in_range(in, x));
  case THING_INSTANCE:
    if (!class_is_unknown(in->as.instance.class)) {
      Thing *method = special_method(m, in, "__contains__");
      Thing *result = method ? run_call_one(m, method, x) : NULL;
      if (method && !result) return NULL;
      if (result) {
        known = run_truth(m, result, &alive);
        return alive ? run_known(m, known) : NULL;
      }
    }
    break;
  default: break;
  }
  return run_unknown(m, x, in);
}

// -- Order -------------------------------------------------------------------

static Thing *order_items(Machine *m, CompareOperator op, Thing **a, int na,
                          Thing **b, int nb) {
  for (int i = 0; i < na && i < nb; i++) {
    bool alive = true;
    const Known same = run_equal_items(m, a[i], b[i], &alive);
    if (!alive) return NULL;
    if (same == KNOWN_NOT) return run_unknown(m, a[i], b[i]);
    if (same == KNOWN_FALSE) return run_compare(m, op, a[i], b[i]);
  }
  const bool less = op == COMPARE_LT || op == COMPARE_LE;
  if (na == nb) return thing_bool(op == COMPARE_LE || op == COMPARE_GE);
  return thing_bool(less ? na < nb : na > nb);
}

static Thing *order_lists(Machine *m, CompareOperator op, Thing *a, Thing *b) {
  const Content *x = content_of(a), *y = content_of(b);
  if (!x || !y) return run_unknown(m, a, b);
  return order_items(m, op, x->items, x->count, y->items, y->count);
}

static Thing *order_constants(Machine *m, CompareOperator op, Thing *a,
                              Thing *b) {
  const Object *x = a->as.constant, *y = b->as.constant;
  const bool numbers = object_is_number(x) && object_is_number(y);
  if (!numbers && !(thing_is_text(a) && thing_is_text(b)))
    return run_raise(m, "TypeError");
  const Object *result = constant_compare(&m->constants, op, x, y);
  return result ? thing_constant(m, result) : run_unknown(m, NULL, NULL);
}

static Thing *order_instances(Machine *m, CompareOperator op, Thing *a,
                              Thing *b) {
  static const char *const names[][2] = {
      [COMPARE_LT] = {"__lt__", "__gt__"},
      [COMPARE_LE] = {"__le__", "__ge__"},
      [COMPARE_GT] = {"__gt__", "__lt__"},
      [COMPARE_GE] = {"__ge__", "__le__"},
  };
  for (int i = 0; !class_is_derived(b, a) && i < 2; i++) {
    Thing *x = i ? b : a;
    if (x->kind != THING_INSTANCE) continue;
    if (class_is_unknown(x->as.instance.class)) break;
    Thing *method = special_method(m, x, names[op][i]);
    if (method) return run_call_one(m, method, i ? a : b);
  }
  return run_unknown(m, a, b);
}

static Thing *order(Machine *m, CompareOperator op, Thing *a, Thing *b) {
  if (a->kind == THING_CONSTANT && b->kind == THING_CONSTANT)
    return order_constants(m, op, a, b);
  if (a->kind == THING_INSTANCE || b->kind == THING_INSTANCE)
    return order_instances(m, op, a, b);
  if (a->kind == THING_LIST && b->kind == THING_LIST)
    return order_lists(m, op, a, b);
  if (a->kind == THING_TUPLE && b->kind == THING_TUPLE)
    return order_items(m, op, a->as.tuple.items, a->as.tuple.count,
                       b->as.tuple.items, b->as.tuple.count);
  const bool kinds = a->kind != b->kind && a->kind != THING_UNKNOWN &&
                     b->kind != THING_UNKNOWN;
  const bool plain = (a->kind == THING_CONSTANT || a->kind == THING_LIST ||
                      a->kind == THING_TUPLE) &&
                     (b->kind == THING_CONSTANT || b->kind == THING_LIST ||
                      b->kind == THING_TUPLE);
  return kinds && plain ? run_raise(m, "TypeError") : run_unknown(m, a, b);
}

static Thing *equals(Machine *m, Thing *a, Thing *b) {
  bool alive = true;
  const Known known = run_equal(m, a, b, &alive);
  return alive ? run_known(m, known) : NULL;
}

Thing *run_compare(Machine *m, CompareOperator op, Thing *a, Thing *b) {
  Thing *x;
  if (op != COMPARE_IS && op != COMPARE_IS_NOT) {
    a = record_plain(m, a);
    b = record_plain(m, b);
  }
  switch (op) {
  case COMPARE_EQ: return equals(m, a, b);
  case COMPARE_NE: x = equals(m, a, b); return x ? opposite(x) : NULL;
  case COMPARE_IS: return run_known(m, run_is(a, b));
  case COMPARE_IS_NOT: return opposite(run_known(m, run_is(a, b)));
  case COMPARE_IN: return contains(m, a, b);
  case COMPARE_NOT_IN: x = contains(m, a, b); return x ? opposite(x) : NULL;
  default: return order(m, op, a, b);
  }
}

// -- One operand -------------------------------------------------------------

Thing *run_unary(Machine *m, UnaryOperator op, Thing *x) {
  static const char *const names[UNARY_COUNT] = {
      [UNARY_NEG] = "__neg__",
      [UNARY_POS] = "__pos__",
      [UNARY_INVERT] = "__invert__",
  };
  bool alive = true;
  if (op == UNARY_NOT) {
    const Known truth = run_truth(m, x, &alive);
    if (!alive) return NULL;
    return truth == KNOWN_NOT ? &thing_unknown
                              : thing_bool(truth == KNOWN_FALSE);
  }
  if (x->kind == THING_CONSTANT && object_is_number(x->as.constant)) {
    const Object *result = constant_unary(&m->constants, op, x->as.constant);
    if (result) return thing_constant(m, result);
  }
  Thing *method =
      x->kind == THING_INSTANCE && !class_is_unknown(x->as.instance.class)
          ? special_method(m, x, names[op])
          : NULL;
  Things none = {0};
  return method ? run_call(m, method, &none, NULL) : run_unknown(m, x, NULL);
}
