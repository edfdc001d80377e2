// builtins.c -- builtin functions and types of Python.
#include "frontend/thing/builtins.h"

#include <math.h>
#include <string.h>

static Thing *argument(const Things *args, ArgNames names, const char *name) {
  for (size_t i = 0; names && i < args->count; i++)
    if (names[i] && !strcmp(names[i], name)) return args->items[i];
  return NULL;
}

static size_t num_plain(const Things *args, ArgNames names) {
  size_t count = 0;
  for (size_t i = 0; i < args->count; i++) count += !(names && names[i]);
  return count;
}

// -- Items -------------------------------------------------------------------

static Thing *len_of(Machine *m, Thing *self, Things *args, ArgNames names,
                     int data) {
  (void)self;
  (void)data;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = record_plain(m, args->items[0]), *method = NULL;
  Things none = {0};
  const Content *c = NULL;
  if (x->kind == THING_VIEW && x->as.view.kind < 3) x = x->as.view.dict;
  switch (x->kind) {
  case THING_TUPLE: return thing_int(m, x->as.tuple.count);
  case THING_LIST:
  case THING_DICT:
  case THING_SET:
    c = content_of(x);
    return c ? thing_int(m, c->count) : &thing_unknown;
  case THING_CONSTANT:
    if (!thing_is_text(x)) return run_raise(m, "TypeError");
    return thing_int(
        m, (Integer)count_characters(x->as.constant->as.string.text,
                                     x->as.constant->as.string.length));
  case THING_RANGE: return thing_int(m, range_count(x));
  case THING_INSTANCE:
    if (class_is_unknown(x->as.instance.class)) break;
    method = special_method(m, x, "__len__");
    return method ? run_call(m, method, &none, NULL)
                  : run_raise(m, "TypeError");
  case THING_FUNCTION: return run_raise(m, "TypeError");
  default: break;
  }
  return run_call_unseen(m, NULL, args);
}

static Thing *range_of(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  (void)self;
  (void)data;
  Integer bounds[3] = {0, 0, 1};
  if (!args_are_plain(args, names, 1, 3)) return run_call_unseen(m, NULL, args);
  for (size_t i = 0; i < args->count; i++)
    if (!thing_is_integer(args->items[i], &bounds[args->count > 1 ? i : 1]))
      return args->items[i]->kind == THING_CONSTANT
                 ? run_raise(m, "TypeError")
                 : run_call_unseen(m, NULL, args);
  if (!bounds[2]) return run_raise(m, "ValueError");
  Thing *x = thing_new(m, THING_RANGE);
  x->as.range.start = bounds[0];
  x->as.range.stop = bounds[1];
  x->as.range.step = bounds[2];
  return x;
}

static Thing *unclear_or_dead(Machine *m, const Things *args, bool alive) {
  return alive ? run_call_unseen(m, NULL, args) : NULL;
}

// list, tuple, set, frozenset
static Thing *sequence_of(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  (void)self;
  bool alive = true;
  Things items = {0};
  const bool set = data == 's' || data == 'f';
  if (!args_are_plain(args, names, 0, 1)) return run_call_unseen(m, NULL, args);
  if (args->count) {
    Thing *x = record_plain(m, args->items[0]);
    if (data == 't' && x->kind == THING_TUPLE) return x;
    if (!(set ? run_drain_any : run_drain)(m, x, &items, &alive))
      return unclear_or_dead(m, args, alive);
  }
  const int count = (int)items.count;
  if (data == 'l') return thing_list(m, items.items, count);
  if (data == 't') return thing_tuple(m, items.items, count);
  Thing *x = run_set_of(m, &items);
  if (x && x->kind == THING_SET) x->as.holder.frozen = data == 'f';
  return x;
}

static Thing *dict_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)self;
  (void)data;
  Thing *dict = thing_dict(m, NULL, NULL, 0);
  Thing *update = method_thing(m, dict, run_word(m, "update"));
  if (num_plain(args, names) > 1) return run_raise(m, "TypeError");
  return run_call(m, update, args, names) ? dict : NULL;
}

static Thing *iterator_of(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  (void)self;
  Things parts = {0};
  Thing *start = argument(args, names, "start");
  const IteratorKind kind = (IteratorKind)data;
  const bool calls = kind == ITERATES_MAP || kind == ITERATES_FILTER;
  const size_t count = args->count;
  if (kind == ITERATES_ENUMERATE && count == 2 && !start)
    start = args->items[1];
  const bool others = !args_are_plain(args, names, calls ? 2 : 0, 64) && !start;
  if (others || (kind == ITERATES_FILTER && count != 2) ||
      (kind == ITERATES_ENUMERATE && (count < 1 || count > 2)))
    return run_call_unseen(m, NULL, args);
  Integer first = 0;
  if (start && !thing_is_integer(start, &first))
    return run_call_unseen(m, NULL, args);
  const size_t end = kind == ITERATES_ENUMERATE ? 1 : count;
  for (size_t i = calls; i < end; i++) {
    Thing *part = run_iterator(m, args->items[i]);
    if (!part) return NULL;
    if (part->kind != THING_ITERATOR) return run_call_unseen(m, NULL, args);
    vec_push(m->arena, &parts, part);
  }
  Thing *x = iterator_new(m, kind, calls ? args->items[0] : NULL, parts.items,
                          (int)parts.count);
  x->as.iterator.start = first;
  return x;
}

static Thing *reversed_of(Machine *m, Thing *self, Things *args, ArgNames names,
                          int data) {
  (void)self;
  (void)data;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = args->items[0];
  const Content *c = x->kind == THING_LIST ? content_of(x) : NULL;
  const bool tuple = x->kind == THING_TUPLE;
  if (!c && !tuple) {
    bool alive = true;
    Things items = {0};
    if ((x->kind != THING_RANGE && !thing_is_text(x)) ||
        !run_drain(m, x, &items, &alive))
      return run_call_unseen(m, NULL, args);
    x = thing_tuple(m, items.items, (int)items.count);
  }
  Thing *iterator = iterator_new(m, ITERATES_REVERSED, x, NULL, 0);
  iterator->as.iterator.start = (c ? c->count : x->as.tuple.count) - 1;
  return iterator;
}

static Thing *iter_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)self;
  (void)data;
  return args_are_plain(args, names, 1, 1) ? run_iterator(m, args->items[0])
                                           : run_call_unseen(m, NULL, args);
}

static bool take_first(Machine *m, void *data, Thing *item) {
  (void)data;
  return run_leave(m, LEAVE_BREAK, item);
}

// The generator's body up to its first `yield`; the rest is not followed.
static Thing *first_of_function(Machine *m, const Things *args) {
  bool known;
  const size_t base = m->leaves.count;
  Thing *x = args->items[0], *item = NULL;
  Taker taker = {take_first, NULL, m->frame};
  const bool ends = run_generator(m, x, &taker, &known);
  if (!known) {
    run_expose(m, x);
    return run_call_unseen(m, NULL, args);
  }
  Thing *end = NULL;
  if (ends) end = args->count > 1 ? args->items[1] : NULL;
  if (ends && args->count < 2) run_raise(m, "StopIteration");
  if (end) run_leave(m, LEAVE_BREAK, end);
  if (!run_merge(m, base, LEAVE_BREAK, false, &item)) return NULL;
  run_store(m, &x->owner, &x->as.iterator.at, &lost_state);
  return item;
}

static Thing *next_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)self;
  (void)data;
  Thing *item;
  if (!args_are_plain(args, names, 1, 2) ||
      args->items[0]->kind != THING_ITERATOR)
    return run_call_unseen(m, NULL, args);
  if (args->items[0]->as.iterator.kind == ITERATES_FUNCTION)
    return first_of_function(m, args);
  switch (run_next(m, args->items[0], &item)) {
  case NEXT_ITEM: return item;
  case NEXT_END:
    return args->count > 1 ? args->items[1] : run_raise(m, "StopIteration");
  case NEXT_DEAD: return NULL;
  case NEXT_UNKNOWN: break;
  }
  return run_call_unseen(m, NULL, args);
}

// any, all
static Thing *any_of(Machine *m, Thing *self, Things *args, ArgNames names,
                     int data) {
  (void)self;
  bool alive = true;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = args->items[0], *item;
  Things keys = {0};
  if (x->kind == THING_SET && run_drain_any(m, x, &keys, &alive))
    x = thing_tuple(m, keys.items, (int)keys.count);
  Thing *iterator = run_iterator(m, x);
  if (!iterator) return NULL;
  for (;;) {
    const Next next = run_next(m, iterator, &item);
    if (next == NEXT_DEAD) return NULL;
    if (next == NEXT_UNKNOWN) break;
    if (next == NEXT_END) return thing_bool(!data);
    const Known truth = run_truth(m, item, &alive);
    if (!alive) return NULL;
    if (truth == known_of(data)) return thing_bool(data);
    if (truth == KNOWN_NOT) break;
  }
  run_expose(m, iterator);
  return run_call_unseen(m, NULL, args);
}

// -- sum, min, max, sorted ---------------------------------------------------

static Thing *sum_of(Machine *m, Thing *self, Things *args, ArgNames names,
                     int data) {
  (void)self;
  (void)data;
  bool alive = true;
  int floats = 0;
  Things items = {0};
  Thing *sum = argument(args, names, "start");
  if (args->count < 1 || args->count > 2 || (names && names[0]))
    return run_call_unseen(m, NULL, args);
  if (!sum) sum = args->count > 1 ? args->items[1] : thing_int(m, 0);
  if (!run_drain_any(m, args->items[0], &items, &alive))
    return unclear_or_dead(m, args, alive);
  for (size_t i = 0; i <= items.count; i++) {
    const Thing *x = i ? items.items[i - 1] : sum;
    // Python 3.12 adds floats with a correction of rounding errors.
    if (floats > 1) return run_call_unseen(m, NULL, args);
    floats += x->kind == THING_CONSTANT && x->as.constant->kind == OBJECT_FLOAT;
    if (x->kind == THING_LIST)
      return run_call_unseen(m, NULL, args); // each addition would copy
  }
  if (floats && items.count > 1 && args->items[0]->kind == THING_SET)
    return run_call_unseen(m, NULL, args); // in an unknown order
  if (thing_is_text(sum)) return run_raise(m, "TypeError");
  for (size_t i = 0; sum && i < items.count; i++)
    sum = run_binary(m, OPERATOR_ADD, sum, items.items[i], false);
  return sum;
}

static bool is_ordered(const Thing *x) {
  if (x->kind == THING_CONSTANT)
    return x->as.constant->kind != OBJECT_FLOAT ||
           !isnan(x->as.constant->as.number);
  const Content *c = x->kind == THING_LIST ? content_of(x) : NULL;
  if (x->kind != THING_TUPLE && !c) return false;
  Thing **items = c ? c->items : x->as.tuple.items;
  for (int i = 0; i < (c ? c->count : x->as.tuple.count); i++)
    if (items[i]->kind == THING_LIST || !is_ordered(items[i])) return false;
  return true;
}

// The sort keys of the items.  False: they are unknown, or, if `alive` is
// cleared, the path ended.
static bool keys_of(Machine *m, const Things *items, Thing *key, Things *out,
                    bool *alive) {
  bool known = true;
  for (size_t i = 0; i < items->count; i++) {
    Thing *x = items->items[i];
    if (key && key != &thing_none) x = run_call_one(m, key, x);
    if (!x) *alive = false;
    if (!x) return false;
    known = known && is_ordered(x);
    vec_push(m->arena, out, x);
  }
  return known;
}

// Is a < b, or a > b?  KNOWN_NOT with `alive` cleared: the path ended.
static Known is_before(Machine *m, CompareOperator op, Thing *a, Thing *b,
                       bool *alive) {
  Thing *x = run_step(m) ? run_compare(m, op, a, b) : NULL;
  if (!x) *alive = false;
  return x ? run_truth(m, x, alive) : KNOWN_NOT;
}

Thing *run_sorted(Machine *m, const Things *items, const Things *args,
                  ArgNames names) {
  bool alive = true;
  Integer reverse = 0;
  Things keys = {0}, sorted = {0};
  Thing *order = argument(args, names, "reverse");
  if (order && !thing_is_integer(order, &reverse))
    return run_call_unseen(m, order, items);
  if (!keys_of(m, items, argument(args, names, "key"), &keys, &alive))
    return unclear_or_dead(m, items, alive);
  const CompareOperator op = reverse ? COMPARE_GT : COMPARE_LT;
  for (size_t i = 0; i < items->count; i++) {
    Thing *x = items->items[i], *key = keys.items[i];
    size_t at = i;
    vec_push(m->arena, &sorted, x);
    for (; at > 0; at--) {
      const Known before = is_before(m, op, key, keys.items[at - 1], &alive);
      if (!alive) return NULL;
      if (before == KNOWN_NOT) return run_call_unseen(m, NULL, items);
      if (before == KNOWN_FALSE) break;
      sorted.items[at] = sorted.items[at - 1];
      keys.items[at] = keys.items[at - 1];
    }
    sorted.items[at] = x;
    keys.items[at] = key;
  }
  return thing_list(m, sorted.items, (int)sorted.count);
}

static Thing *sorted_of(Machine *m, Thing *self, Things *args, ArgNames names,
                        int data) {
  (void)self;
  (void)data;
  bool alive = true;
  Things items = {0};
  if (num_plain(args, names) != 1) return run_call_unseen(m, NULL, args);
  if (!run_drain_any(m, args->items[0], &items, &alive))
    return unclear_or_dead(m, args, alive);
  Thing *key = argument(args, names, "key");
  // Items of a set that have equal keys come in an unknown order.
  if (args->items[0]->kind == THING_SET && key && key != &thing_none)
    return run_call_unseen(m, NULL, args);
  return run_sorted(m, &items, args, names);
}

static Thing *extreme_of(Machine *m, Thing *self, Things *args, ArgNames names,
                         int data) {
  (void)self;
  bool alive = true;
  Things items = {0}, keys = {0};
  const size_t count = num_plain(args, names);
  Thing *other = argument(args, names, "default");
  Thing *key = argument(args, names, "key");
  if (!count || (count > 1 && other)) return run_raise(m, "TypeError");
  if (count == 1 && args->items[0]->kind == THING_SET && key)
    return run_call_unseen(m, NULL, args);
  if (count == 1 && !run_drain_any(m, args->items[0], &items, &alive))
    return unclear_or_dead(m, args, alive);
  for (size_t i = 0; count > 1 && i < count; i++)
    vec_push(m->arena, &items, args->items[i]);
  if (!items.count) return other ? other : run_raise(m, "ValueError");
  if (!keys_of(m, &items, key, &keys, &alive))
    return unclear_or_dead(m, args, alive);
  size_t best = 0;
  for (size_t i = 1; i < items.count; i++) {
    const Known better = is_before(m, data ? COMPARE_GT : COMPARE_LT,
                                   keys.items[i], keys.items[best], &alive);
    if (!alive) return NULL;
    if (better == KNOWN_NOT) return run_call_unseen(m, NULL, args);
    if (better == KNOWN_TRUE) best = i;
  }
  return items.items[best];
}

// -- Table -------------------------------------------------------------------

static const BuiltinRow rows[] = {
#define OF_ITEMS(name, function, data) {name, function, data},
#include "frontend/thing/builtins.def"
    {NULL, NULL, 0},
};

const BuiltinRow *builtin_row(const char *name) {
  const BuiltinRow *row = row_named(rows, name);
  return row ? row : value_row(name);
}
