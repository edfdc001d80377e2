// operate.c -- operators on the values of a run.
#include "frontend/thing/builtins.h"

#include <math.h>
#include <string.h>

static bool is_constant(const Thing *x) {
  return x->kind == THING_CONSTANT;
}

static bool is_number(const Thing *x) {
  return is_constant(x) && object_is_number(x->as.constant);
}

static bool is_sequence(const Thing *x) {
  return x->kind == THING_LIST || x->kind == THING_TUPLE;
}

// May the thing's truth or equality run code of the program?
static bool runs_code(const Thing *x) {
  if (x->kind == THING_INSTANCE) return true;
  if (x->kind != THING_UNKNOWN) return false;
  return (x->as.either[0] && runs_code(x->as.either[0])) ||
         (x->as.either[1] && runs_code(x->as.either[1]));
}

static Known truth_unknown(Machine *m, Thing *x) {
  if (runs_code(x)) run_expose(m, x);
  run_unseen(m);
  run_may_raise(m);
  return KNOWN_NOT;
}

static Known truth_of_instance(Machine *m, Thing *x, bool *alive) {
  if (class_is_unknown(x->as.instance.class)) return truth_unknown(m, x);
  Thing *method = special_method(m, x, "__bool__");
  if (!method) method = special_method(m, x, "__len__");
  if (!method) return KNOWN_TRUE;
  Things none = {0};
  Thing *result = run_call(m, method, &none, NULL);
  if (!result) *alive = false;
  if (!result) return KNOWN_NOT;
  return is_constant(result) ? known_of(constant_truth(result->as.constant))
                             : truth_unknown(m, result);
}

Known run_truth(Machine *m, Thing *x, bool *alive) {
  x = record_plain(m, x);
  const Content *c;
  switch (x->kind) {
  case THING_CONSTANT: return known_of(constant_truth(x->as.constant));
  case THING_TUPLE: return known_of(x->as.tuple.count);
  case THING_LIST:
  case THING_DICT:
  case THING_SET: c = content_of(x); return c ? known_of(c->count) : KNOWN_NOT;
  case THING_VIEW:
    return x->as.view.kind == 3 ? KNOWN_TRUE
                                : run_truth(m, x->as.view.dict, alive);
  case THING_RANGE: return known_of(range_count(x) > 0);
  case THING_FUNCTION:
  case THING_METHOD:
  case THING_BUILTIN:
  case THING_CLASS:
  case THING_MODULE: return KNOWN_TRUE;
  case THING_INSTANCE: return truth_of_instance(m, x, alive);
  default: return truth_unknown(m, x);
  }
}

// -- Equality ----------------------------------------------------------------

static Known equal_constants(Machine *m, const Object *a, const Object *b) {
  const bool numbers = object_is_number(a) && object_is_number(b);
  if (!numbers && a->kind != b->kind)
    return object_is_literal(a) || a->kind == OBJECT_NONE ? KNOWN_FALSE
                                                          : KNOWN_NOT;
  const Object *x = constant_compare(&m->constants, COMPARE_EQ, a, b);
  return x ? known_of(x->as.truth) : KNOWN_NOT;
}

Thing *run_known(Machine *m, Known x) {
  if (x != KNOWN_NOT) return thing_bool(x == KNOWN_TRUE);
  run_may_raise(m);
  return &thing_unknown;
}

Known run_is(const Thing *a, const Thing *b) {
  const bool unknown = a->kind == THING_UNKNOWN || b->kind == THING_UNKNOWN ||
                       a->kind == THING_FOREIGN || b->kind == THING_FOREIGN;
  if (unknown) return KNOWN_NOT;
  if (a == b) return KNOWN_TRUE;
  if (a->kind != b->kind) return KNOWN_FALSE;
  switch (a->kind) {
  case THING_CONSTANT:
    if (a->as.constant->kind != b->as.constant->kind) return KNOWN_FALSE;
    return a->as.constant->kind == OBJECT_NONE ? KNOWN_TRUE
           : a->as.constant->kind == OBJECT_BOOL
               ? known_of(a->as.constant->as.truth == b->as.constant->as.truth)
               : KNOWN_NOT;
  case THING_LIST:
  case THING_DICT:
  case THING_SET: return known_of(false);
  case THING_BUILTIN: return known_of(a->as.builtin == b->as.builtin);
  case THING_FUNCTION:
  case THING_CLASS:
  case THING_INSTANCE:
  case THING_MODULE: return KNOWN_FALSE;
  default: return KNOWN_NOT;
  }
}

static Known equal_items(Machine *m, Thing **a, Thing **b, int count,
                         bool *alive) {
  Known all = KNOWN_TRUE;
  for (int i = 0; *alive && i < count; i++) {
    const Known one = run_equal_items(m, a[i], b[i], alive);
    if (one == KNOWN_FALSE) return KNOWN_FALSE;
    if (one == KNOWN_NOT) all = one;
  }
  return all;
}

static Known equal_sequences(Machine *m, Thing *a, Thing *b, bool *alive) {
  if (a->kind == THING_TUPLE)
    return a->as.tuple.count == b->as.tuple.count
               ? equal_items(m, a->as.tuple.items, b->as.tuple.items,
                             a->as.tuple.count, alive)
               : KNOWN_FALSE;
  const Content *x = content_of(a), *y = content_of(b);
  if (!x || !y) return KNOWN_NOT;
  if (x->count != y->count) return KNOWN_FALSE;
  return equal_items(m, x->items, y->items, x->count, alive);
}

static Known equal_holders(Machine *m, Thing *a, Thing *b, bool *alive) {
  const Content *x = content_of(a), *y = content_of(b);
  if (!x || !y) return KNOWN_NOT;
  if (x->count != y->count) return KNOWN_FALSE;
  Known all = KNOWN_TRUE;
  for (int i = 0; *alive && i < x->count; i++) {
    Known found;
    const int at = content_find(m, y, x->keys[i], &found);
    if (found == KNOWN_TRUE && x->items)
      found = run_equal_items(m, x->items[i], y->items[at], alive);
    if (found == KNOWN_FALSE) return KNOWN_FALSE;
    if (found == KNOWN_NOT) all = found;
  }
  return all;
}

static Known equal_by_method(Machine *m, Thing *method, Thing *other,
                             bool *alive) {
  Thing *x = run_call_one(m, method, other);
  if (!x) *alive = false;
  return x ? run_truth(m, x, alive) : KNOWN_NOT;
}

// Equality of two things, at least one of them an instance.
static Known equal_instances(Machine *m, Thing *a, Thing *b, bool *alive) {
  if (class_is_derived(b, a)) return KNOWN_NOT;
  for (int i = 0; i < 2; i++) {
    Thing *x = i ? b : a;
    if (x->kind != THING_INSTANCE) continue;
    if (class_is_unknown(x->as.instance.class)) return KNOWN_NOT;
    if (a != b && record_of(x->as.instance.class)) return KNOWN_NOT;
    Thing *method = special_method(m, x, "__eq__");
    if (method) return equal_by_method(m, method, i ? a : b, alive);
  }
  return known_of(a == b);
}

static Known equal_known(Machine *m, Thing *a, Thing *b, bool *alive) {
  if (is_constant(a) && is_constant(b))
    return equal_constants(m, a->as.constant, b->as.constant);
  if (a->kind == THING_INSTANCE || b->kind == THING_INSTANCE)
    return equal_instances(m, a, b, alive);
  // `{1: 2}.keys() == {1}`
  if (a->kind == THING_VIEW || b->kind == THING_VIEW) return KNOWN_NOT;
  if (a->kind != b->kind)
    return a->kind == THING_CLASS || b->kind == THING_CLASS ? KNOWN_NOT
                                                            : KNOWN_FALSE;
  switch (a->kind) {
  case THING_TUPLE:
  case THING_LIST: return equal_sequences(m, a, b, alive);
  case THING_DICT:
  case THING_SET: return equal_holders(m, a, b, alive);
  case THING_FUNCTION:
  case THING_BUILTIN:
  case THING_CLASS:
  case THING_MODULE: return run_is(a, b);
  default: return KNOWN_NOT;
  }
}

Known run_equal(Machine *m, Thing *a, Thing *b, bool *alive) {
  a = record_plain(m, a);
  b = record_plain(m, b);
  enum { MAX_HELD = 20 };
  if (a->kind == THING_UNKNOWN || b->kind == THING_UNKNOWN ||
      a->kind == THING_FOREIGN || b->kind == THING_FOREIGN) {
    if (runs_code(a)) run_expose(m, a);
    if (runs_code(b)) run_expose(m, b);
    run_unseen(m);
    run_may_raise(m);
    return KNOWN_NOT;
  }
  if (m->nesting > MAX_HELD) run_lose(m);
  if (m->lost) return KNOWN_NOT;
  m->nesting++;
  const Known known = equal_known(m, a, b, alive);
  m->nesting--;
  return known;
}

// -- Keys --------------------------------------------------------------------

bool thing_is_unhashable(const Thing *x) {
  return x->kind == THING_LIST || x->kind == THING_DICT ||
         (x->kind == THING_SET && !x->as.holder.frozen);
}

// Can the thing be a key: does it compare by value or by identity?
static bool is_key(Machine *m, Thing *x) {
  switch (x->kind) {
  case THING_CONSTANT:
    return x->as.constant->kind != OBJECT_FLOAT ||
           !isnan(x->as.constant->as.number);
  case THING_TUPLE:
    for (int i = 0; i < x->as.tuple.count; i++)
      if (!is_key(m, x->as.tuple.items[i])) return false;
    return true;
  case THING_FUNCTION:
  case THING_BUILTIN:
  case THING_CLASS:
  case THING_MODULE: return true;
  case THING_INSTANCE:
    return !class_is_unknown(x->as.instance.class) &&
           !record_of(x->as.instance.class) &&
           !special_method(m, x, "__eq__") && !special_method(m, x, "__hash__");
  default: return false;
  }
}

int content_find(Machine *m, const Content *content, Thing *key, Known *found) {
  bool alive = true;
  *found = is_key(m, key) ? KNOWN_FALSE : KNOWN_NOT;
  for (int i = 0; *found == KNOWN_FALSE && i < content->count; i++) {
    *found = run_equal(m, content->keys[i], key, &alive);
    if (*found == KNOWN_TRUE) return i;
  }
  return -1;
}

// -- Binary operators --------------------------------------------------------

// `__add__`; with a prefix `__iadd__`, `__radd__`.
static Thing *method_of(Machine *m, Thing *x, const char *prefix, Operator op) {
  if (x->kind != THING_INSTANCE) return NULL;
  const char *bare = operator_method[op] + strlen("__");
  return special_method(m, x, arena_printf(m->arena, "__%s%s", prefix, bare));
}

static Thing *binary_instances(Machine *m, Operator op, Thing *a, Thing *b,
                               bool in_place) {
  for (int i = 0; i < 2; i++) {
    const Thing *x = i ? b : a;
    if (x->kind == THING_INSTANCE && class_is_unknown(x->as.instance.class))
      return run_unknown(m, a, b);
  }
  if (class_is_derived(b, a)) return run_unknown(m, a, b);
  Thing *method = in_place ? method_of(m, a, "i", op) : NULL;
  if (!method) method = method_of(m, a, "", op);
  if (method) return run_call_one(m, method, b);
  method = method_of(m, b, "r", op);
  if (method) return run_call_one(m, method, a);
  return (a->kind == THING_INSTANCE || is_number(a)) &&
                 (b->kind == THING_INSTANCE || is_number(b))
             ? run_raise(m, "TypeError")
             : run_unknown(m, a, b);
}

static bool divides(Operator op) {
  return op == OPERATOR_DIV || op == OPERATOR_FLOORDIV || op == OPERATOR_MOD;
}

static Thing *binary_constants(Machine *m, Operator op, Thing *a, Thing *b) {
  const Object *x = a->as.constant, *y = b->as.constant;
  const bool numbers = object_is_number(x) && object_is_number(y);
  if (numbers && divides(op) && constant_number(y) == 0)
    return run_raise(m, "ZeroDivisionError");
  const bool text = thing_is_text(a) || thing_is_text(b);
  const bool none = x->kind == OBJECT_NONE || y->kind == OBJECT_NONE;
  const bool formats = thing_is_text(a) && op == OPERATOR_MOD;
  const bool repeats = op == OPERATOR_MUL && !none;
  const bool joins = thing_is_text(a) && thing_is_text(b) && op == OPERATOR_ADD;
  if ((text || none) && !formats && !repeats && !joins)
    return run_raise(m, "TypeError");
  const Object *result = constant_binary(&m->constants, op, x, y);
  Thing *thing = result ? thing_of_object(m, result) : NULL;
  return thing ? thing : run_unknown(m, NULL, NULL);
}

static void sequence_items(Thing *x, Thing ***items, int *count) {
  const Content *c = x->kind == THING_LIST ? content_of(x) : NULL;
  *items = x->kind == THING_TUPLE ? x->as.tuple.items : c ? c->items : NULL;
  *count = x->kind == THING_TUPLE ? x->as.tuple.count : c ? c->count : -1;
}

static Thing *sequence_of(Machine *m, Thing *like, const Things *items,
                          bool in_place) {
  if (like->kind == THING_TUPLE)
    return thing_tuple(m, items->items, (int)items->count);
  if (!in_place) return thing_list(m, items->items, (int)items->count);
  content_set(m, like, content_new(m, NULL, items->items, (int)items->count));
  return like;
}

// The result of an operation on lists whose items are unknown: a new list, or
// `a`, if the operation is in place.
static Thing *lost_list(Machine *m, Thing *a, Thing *b, bool in_place) {
  run_expose(m, a);
  run_expose(m, b);
  return in_place ? a : &thing_unknown;
}

static Thing *concatenate(Machine *m, Thing *a, Thing *b, bool in_place) {
  Thing **items[2];
  int counts[2];
  Things all = {0};
  sequence_items(a, &items[0], &counts[0]);
  sequence_items(b, &items[1], &counts[1]);
  if (counts[0] < 0 || counts[1] < 0) return lost_list(m, a, b, in_place);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < counts[k]; i++) vec_push(m->arena, &all, items[k][i]);
  return sequence_of(m, a, &all, in_place);
}

static Thing *repeat(Machine *m, Thing *x, Integer times, bool in_place) {
  enum { MAX_REPEATED = 5000 };
  Thing **items;
  int count;
  Things all = {0};
  sequence_items(x, &items, &count);
  if (count < 0 || (count && times > MAX_REPEATED / count))
    return lost_list(m, x, &thing_none, in_place);
  for (Integer k = 0; count && k < times; k++)
    for (int i = 0; i < count; i++) vec_push(m->arena, &all, items[i]);
  return sequence_of(m, x, &all, in_place);
}

// `list += iterable`
static Thing *extend(Machine *m, Thing *list, Thing *other) {
  bool alive = true;
  Things items = {0};
  if (!run_drain(m, other, &items, &alive) || !content_of(list)) {
    if (!alive &&
        (other->kind == THING_ITERATOR || other->kind == THING_INSTANCE))
      run_expose(m, list); // may have got some of the items
    if (!alive) return NULL;
    run_may_raise(m);
    return lost_list(m, list, other, true);
  }
  return concatenate(m, list, thing_tuple(m, items.items, (int)items.count),
                     true);
}

// A dictionary or set with the keys of both.
static Thing *unite(Machine *m, Thing *a, Thing *b, bool in_place) {
  const Content *x = content_of(a), *y = content_of(b);
  if (!x || !y) return lost_list(m, a, b, in_place);
  Things keys = {0}, items = {0};
  for (int i = 0; i < x->count; i++) {
    vec_push(m->arena, &keys, x->keys[i]);
    if (x->items) vec_push(m->arena, &items, x->items[i]);
  }
  for (int i = 0; i < y->count; i++) {
    Known found;
    const int at = content_find(m, x, y->keys[i], &found);
    if (found == KNOWN_NOT) return lost_list(m, a, b, in_place);
    if (at >= 0 && y->items) items.items[at] = y->items[i];
    if (at >= 0) continue;
    vec_push(m->arena, &keys, y->keys[i]);
    if (y->items) vec_push(m->arena, &items, y->items[i]);
  }
  const int count = (int)keys.count;
  if (!in_place)
    return x->items ? thing_dict(m, keys.items, items.items, count)
                    : thing_set(m, keys.items, count, a->as.holder.frozen);
  content_set(
      m, a,
      content_new(m, keys.items ? keys.items : x->keys,
                  x->items ? (items.items ? items.items : x->items) : NULL,
                  count));
  return a;
}

// `&`, `-`, `^` of sets.
static Thing *select_keys(Machine *m, Operator op, Thing *a, Thing *b) {
  const Content *x = content_of(a), *y = content_of(b);
  if (!x || !y) return lost_list(m, a, b, false);
  Things keys = {0};
  for (int k = 0; k < (op == OPERATOR_XOR ? 2 : 1); k++) {
    const Content *from = k ? y : x, *other = k ? x : y;
    for (int i = 0; i < from->count; i++) {
      Known found;
      Thing *key = from->keys[i];
      const int at = content_find(m, other, key, &found);
      if (found == KNOWN_NOT) return lost_list(m, a, b, false);
      if (op == OPERATOR_AND && at >= 0 && !thing_is_same(key, other->keys[at]))
        return lost_list(m, a, b, false); // unknown which of two equal keys
                                          // stays
      if ((found == KNOWN_TRUE) == (op == OPERATOR_AND))
        vec_push(m->arena, &keys, key);
    }
  }
  return thing_set(m, keys.items, (int)keys.count, a->as.holder.frozen);
}

static Thing *binary_sets(Machine *m, Operator op, Thing *a, Thing *b,
                          bool in_place) {
  if (op == OPERATOR_OR)
    return unite(m, a, b, in_place && !a->as.holder.frozen);
  if (op != OPERATOR_AND && op != OPERATOR_SUB && op != OPERATOR_XOR)
    return run_raise(m, "TypeError");
  Thing *result = select_keys(m, op, a, b);
  if (!in_place || a->as.holder.frozen) return result;
  if (result->kind == THING_SET) content_set(m, a, content_of(result));
  return a;
}

static Thing *binary_things(Machine *m, Operator op, Thing *a, Thing *b,
                            bool in_place) {
  Integer times;
  if (a->kind == THING_LIST && op == OPERATOR_ADD && in_place)
    return extend(m, a, b);
  if (is_sequence(a) && a->kind == b->kind && op == OPERATOR_ADD)
    return concatenate(m, a, b, false);
  if (op == OPERATOR_MUL && is_sequence(a) && thing_is_integer(b, &times))
    return repeat(m, a, times, in_place && a->kind == THING_LIST);
  if (op == OPERATOR_MUL && is_sequence(b) && thing_is_integer(a, &times))
    return repeat(m, b, times, false);
  if (op == OPERATOR_OR && a->kind == THING_DICT && b->kind == THING_DICT)
    return unite(m, a, b, in_place);
  if (a->kind == THING_SET && b->kind == THING_SET)
    return binary_sets(m, op, a, b, in_place);
  if (thing_is_text(a) && op == OPERATOR_MOD) {
    const Object *values = thing_object(m, b, NULL);
    const Object *text =
        values ? constant_binary(&m->constants, op, a->as.constant, values)
               : NULL;
    return text ? thing_constant(m, text) : run_unknown(m, b, NULL);
  }
  if (is_sequence(a) && (is_number(b) || is_sequence(b)))
    return run_raise(m, "TypeError");
  if (is_number(a) && (is_sequence(b) || b->kind == THING_DICT))
    return run_raise(m, "TypeError");
  return run_unknown(m, a, b);
}

Thing *run_binary(Machine *m, Operator op, Thing *a, Thing *b, bool in_place) {
  if (!run_step(m)) return NULL;
  a = record_plain(m, a);
  b = record_plain(m, b);
  if (a->kind == THING_UNKNOWN || b->kind == THING_UNKNOWN)
    return run_unknown(m, a, b);
  if (is_constant(a) && is_constant(b)) return binary_constants(m, op, a, b);
  if (a->kind == THING_INSTANCE || b->kind == THING_INSTANCE)
    return binary_instances(m, op, a, b, in_place);
  return binary_things(m, op, a, b, in_place);
}
