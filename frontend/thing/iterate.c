// iterate.c -- iterators, which look up an item when they reach it.
#include "frontend/thing/builtins.h"

#include <stdint.h>

Thing *iterator_new(Machine *m, IteratorKind kind, Thing *over, Thing **parts,
                    int num_parts) {
  Thing *x = thing_new(m, THING_ITERATOR);
  x->as.iterator.kind = kind;
  x->as.iterator.over = over;
  x->as.iterator.parts = arena_array(m->arena, Thing *, num_parts + 1);
  x->as.iterator.num_parts = num_parts;
  for (int i = 0; i < num_parts; i++) x->as.iterator.parts[i] = parts[i];
  if (over && (over->kind == THING_DICT || over->kind == THING_SET))
    x->as.iterator.first = content_of(over);
  run_store(m, &x->owner, &x->as.iterator.at, (void *)(intptr_t)1);
  return x;
}

static Thing *iterator_of_instance(Machine *m, Thing *x) {
  Things none = {0};
  Thing *method = class_is_unknown(x->as.instance.class)
                      ? NULL
                      : special_method(m, x, "__iter__");
  Thing *result = method ? run_call(m, method, &none, NULL) : NULL;
  if (method && !result) return NULL;
  if (result && result->kind == THING_ITERATOR) return result;
  run_unknown(m, x, result);
  return &thing_unknown;
}

static Thing *iterator_of_view(Machine *m, Thing *x) {
  Thing *iterator = iterator_new(m, ITERATES_ITEMS, x->as.view.dict, NULL, 0);
  iterator->as.iterator.start = x->as.view.kind;
  return iterator;
}

Thing *run_iterator(Machine *m, Thing *x) {
  x = record_plain(m, x);
  switch (x->kind) {
  case THING_ITERATOR: return x;
  case THING_CONSTANT:
    if (!thing_is_text(x)) return run_raise(m, "TypeError");
    break;
  case THING_LIST:
  case THING_TUPLE:
  case THING_DICT:
  case THING_SET:
  case THING_RANGE: break;
  case THING_FUNCTION: return run_raise(m, "TypeError");
  case THING_INSTANCE: return iterator_of_instance(m, x);
  case THING_VIEW:
    return x->as.view.kind == 3 ? run_unknown(m, x, NULL)
                                : iterator_of_view(m, x);
  default: return run_unknown(m, x, NULL);
  }
  return iterator_new(m, ITERATES_ITEMS, x, NULL, 0);
}

// -- Places ------------------------------------------------------------------

enum { AT_END = 1 << 30 };

static intptr_t position(const Thing *x) {
  return (intptr_t)x->as.iterator.at - 1;
}

static void move_to(Machine *m, Thing *x, intptr_t position) {
  run_store(m, &x->owner, &x->as.iterator.at, (void *)(position + 1));
}

static Next end(Machine *m, Thing *x) {
  move_to(m, x, AT_END);
  return NEXT_END;
}

Next iterator_lose(Machine *m, Thing *x) {
  run_store(m, &x->owner, &x->as.iterator.at, &lost_state);
  run_may_raise(m);
  return NEXT_UNKNOWN;
}

static Next found(Machine *m, Thing *x, Thing *item, Thing **out) {
  *out = item;
  move_to(m, x, position(x) + 1);
  return NEXT_ITEM;
}

Integer count_steps(Integer start, Integer stop, Integer step) {
  const Integer span = step > 0 ? stop - start : start - stop;
  const Integer size = step > 0 ? step : -step;
  return span > 0 ? (span + size - 1) / size : 0;
}

Integer range_count(const Thing *range) {
  return count_steps(range->as.range.start, range->as.range.stop,
                     range->as.range.step);
}

static bool is_ascii(const Thing *text) {
  const char *s = text->as.constant->as.string.text;
  for (; *s; s++)
    if (*s & 0x80) return false;
  return true;
}

// The number of items that the iterator visits now; -1: unknown.
static Integer count_of(const Thing *over) {
  const Content *c;
  switch (over->kind) {
  case THING_TUPLE: return over->as.tuple.count;
  case THING_RANGE: return range_count(over);
  case THING_CONSTANT:
    return is_ascii(over) ? (Integer)over->as.constant->as.string.length : -1;
  default: c = content_of(over); return c ? c->count : -1;
  }
}

static Thing *item_at(Machine *m, Thing *over, intptr_t at, Integer view) {
  switch (over->kind) {
  case THING_TUPLE: return over->as.tuple.items[at];
  case THING_RANGE:
    return thing_int(m, over->as.range.start + at * over->as.range.step);
  case THING_CONSTANT:
    return thing_text(m, over->as.constant->as.string.text + at, 1);
  case THING_LIST: return content_of(over)->items[at];
  default: break;
  }
  const Content *c = content_of(over);
  Thing *pair[] = {c->keys[at], c->items ? c->items[at] : NULL};
  return view == 2 ? thing_tuple(m, pair, 2) : pair[view];
}

// NEXT_ITEM, unless the keys of the dictionary or set may have changed since
// the iterator was made.
static Next changed_keys(Machine *m, Thing *x, intptr_t at) {
  const Content *first = x->as.iterator.first;
  const Content *now = content_of(x->as.iterator.over);
  if (!first || !now) return iterator_lose(m, x);
  if (first->count != now->count) {
    run_raise(m, "RuntimeError");
    return NEXT_DEAD;
  }
  return at < now->count && first->keys[at] != now->keys[at]
             ? iterator_lose(m, x)
             : NEXT_ITEM;
}

static Next next_item(Machine *m, Thing *x, Thing **out) {
  Thing *over = x->as.iterator.over;
  const intptr_t at = position(x);
  if (at == AT_END) return NEXT_END;
  if (over->kind == THING_DICT || over->kind == THING_SET) {
    const Next next = changed_keys(m, x, at);
    if (next != NEXT_ITEM) return next;
  }
  const Integer count = count_of(over);
  if (count < 0 || (over->kind == THING_SET && count > 1))
    return iterator_lose(m, x);
  return at < count
             ? found(m, x, item_at(m, over, at, x->as.iterator.start), out)
             : end(m, x);
}

static Next next_reversed(Machine *m, Thing *x, Thing **out) {
  const intptr_t at = (intptr_t)x->as.iterator.start - position(x);
  const Integer count = count_of(x->as.iterator.over);
  if (position(x) == AT_END || at < 0) return end(m, x);
  if (count < 0) return iterator_lose(m, x);
  return at < count ? found(m, x, item_at(m, x->as.iterator.over, at, 0), out)
                    : end(m, x);
}

// The next item of each inner iterator.
static Next next_parts(Machine *m, Thing *x, Things *out) {
  for (int i = 0; i < x->as.iterator.num_parts; i++) {
    Thing *item;
    const Next next = run_next(m, x->as.iterator.parts[i], &item);
    if (next == NEXT_UNKNOWN) return iterator_lose(m, x);
    if (next != NEXT_ITEM) return next;
    vec_push(m->arena, out, item);
  }
  return NEXT_ITEM;
}

static Next next_of_parts(Machine *m, Thing *x, Thing **out) {
  Things items = {0};
  const Next next = next_parts(m, x, &items);
  if (next != NEXT_ITEM) return next;
  if (x->as.iterator.kind == ITERATES_ENUMERATE) {
    Thing *pair[] = {thing_int(m, x->as.iterator.start + position(x)),
                     items.items[0]};
    return found(m, x, thing_tuple(m, pair, 2), out);
  }
  if (x->as.iterator.kind == ITERATES_ZIP)
    return found(m, x, thing_tuple(m, items.items, (int)items.count), out);
  *out = run_call(m, x->as.iterator.over, &items, NULL);
  return *out ? NEXT_ITEM : NEXT_DEAD;
}

static Next next_filtered(Machine *m, Thing *x, Thing **out) {
  for (;;) {
    bool alive = true;
    const Next next = run_next(m, x->as.iterator.parts[0], out);
    if (next == NEXT_UNKNOWN) return iterator_lose(m, x);
    if (next != NEXT_ITEM) return next;
    Thing *answer = x->as.iterator.over == &thing_none
                        ? *out
                        : run_call_one(m, x->as.iterator.over, *out);
    const Known truth = answer ? run_truth(m, answer, &alive) : KNOWN_NOT;
    if (!answer || !alive) return NEXT_DEAD;
    if (truth == KNOWN_NOT) return iterator_lose(m, x);
    if (truth == KNOWN_TRUE) return NEXT_ITEM;
  }
}

static Next next_kind(Machine *m, Thing *x, Thing **out) {
  switch (x->as.iterator.kind) {
  case ITERATES_ITEMS: return next_item(m, x, out);
  case ITERATES_REVERSED: return next_reversed(m, x, out);
  case ITERATES_ENUMERATE:
  case ITERATES_ZIP:
  case ITERATES_MAP: return next_of_parts(m, x, out);
  case ITERATES_FILTER: return next_filtered(m, x, out);
  case ITERATES_GENERATOR: return generator_next(m, x, out);
  case ITERATES_FUNCTION: break;
  }
  run_expose(m, x);
  return iterator_lose(m, x);
}

Next run_next(Machine *m, Thing *x, Thing **item) {
  if (!run_step(m)) return NEXT_DEAD;
  if (x->kind != THING_ITERATOR) return NEXT_UNKNOWN;
  if (x->owner.exposed || x->as.iterator.at == &lost_state) {
    run_expose(m, x);
    run_unseen(m);
    run_may_raise(m);
    return NEXT_UNKNOWN;
  }
  const Next next = next_kind(m, x, item);
  if (next == NEXT_UNKNOWN) {
    run_expose(m, x);
    run_unseen(m);
  }
  return m->lost ? NEXT_DEAD : next;
}

bool iterator_take_all(Machine *m, Thing *x) {
  const bool at_begin = !x->owner.exposed && !position(x);
  if (at_begin) move_to(m, x, AT_END);
  return at_begin;
}

// All items of a generator function, by one run of its body.
static bool drain_function(Machine *m, Thing *x, Things *out, bool *alive) {
  bool known;
  Thing *yields = thing_list(m, NULL, 0);
  x->as.iterator.frame->yields = yields;
  *alive = run_generator(m, x, NULL, &known);
  if (!known) *alive = true;
  const Content *c = content_of(yields);
  for (int i = 0; c && i < c->count; i++) vec_push(m->arena, out, c->items[i]);
  if (*alive && !c) run_may_raise(m);
  if (!known && position(x) == AT_END && !x->owner.exposed) return true;
  if (!known) run_expose(m, x);
  return known && *alive && c;
}

static bool drain_kinds(Machine *m, Thing *x, Things *out, bool *alive) {
  Thing *iterator = run_iterator(m, x), *item;
  if (!iterator) *alive = false;
  if (!iterator) return false;
  const bool whole = iterator->kind == THING_ITERATOR &&
                     iterator->as.iterator.kind == ITERATES_FUNCTION;
  if (whole) return drain_function(m, iterator, out, alive);
  for (;;) {
    const Next next = run_next(m, iterator, &item);
    if (next == NEXT_END) return true;
    if (next == NEXT_DEAD) *alive = false;
    if (next != NEXT_ITEM) break;
    vec_push(m->arena, out, item);
  }
  return false;
}

bool run_drain(Machine *m, Thing *x, Things *out, bool *alive) {
  const bool known = drain_kinds(m, x, out, alive);
  for (size_t i = 0; !known && i < out->count; i++)
    run_expose(m, out->items[i]);
  return known && !m->lost;
}

bool run_drain_any(Machine *m, Thing *x, Things *out, bool *alive) {
  const Content *c = x->kind == THING_SET ? content_of(x) : NULL;
  if (!c) return run_drain(m, x, out, alive);
  for (int i = 0; i < c->count; i++) vec_push(m->arena, out, c->keys[i]);
  return true;
}
