// set.c -- sets of constants, in code that runs while compiling.
//
// The order of a set's items is Python's own affair: a result that depends on
// it is an error.  Operations that only test members, or that sort them, are
// evaluated.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/value/value.h"

#include <assert.h>
#include <string.h>

// Can the object be an item?  Python refuses lists; of other objects, equality
// must be known.
static bool can_be_kept(const Object *x) {
  switch (x->kind) {
  case OBJECT_SET: return x->as.set.is_frozen;
  case OBJECT_BUILTIN: return !x->as.builtin.self;
  case OBJECT_NONE:
  case OBJECT_STRING:
  case OBJECT_DTYPE:
  case OBJECT_FUNCTION:
  case OBJECT_CLASS: return true;
  case OBJECT_TUPLE: break;
  default: return object_is_number(x) || host_is_type(x);
  }
  for (int i = 0; i < x->as.tuple.count; i++) {
    if (!can_be_kept(x->as.tuple.items[i])) return false;
  }
  return x->as.tuple.written != '[';
}

static const Object *set_of(Walk *w, const Objects *items, bool frozen) {
  for (size_t i = 0; i < items->count; i++)
    assert(can_be_kept(items->items[i])); // I7
  Object *x = arena_new(w->arena, Object);
  x->kind = OBJECT_SET;
  x->as.set.items = items->items;
  x->as.set.count = (int)items->count;
  x->as.set.is_frozen = frozen;
  object_hold(x, x->as.set.items, x->as.set.count);
  return walk_own(w, x, '{');
}

static const Object *cannot_be_kept(Walk *w, SrcLoc loc, const Object *x) {
  const Object *host = host_is_type(x) ? NULL : object_find_of_host(x);
  if (!host || walk_decides(w, loc, host))
    walk_error(w, loc, ERROR_set_of_constants, text_of(w, x));
  return NULL;
}

const Object *set_of_items(Walk *w, SrcLoc loc, const Object *tuple,
                           bool frozen) {
  Objects kept = {0};
  for (int i = 0; i < tuple->as.tuple.count; i++) {
    const Object *x = tuple->as.tuple.items[i];
    const Object so_far = {
        .kind = OBJECT_SET,
        .as.set = {kept.items, (int)kept.count, false},
    };
    if (!can_be_kept(x)) return cannot_be_kept(w, loc, x);
    if (!walk_count(w, loc)) return NULL;
    if (!constant_set_has(&so_far, x)) vec_push(w->arena, &kept, x);
  }
  return set_of(w, &kept, frozen);
}

const Object *walk_members(Walk *w, const Object *x) {
  if (x->kind != OBJECT_SET) return walk_iterable(w, x);
  return object_tuple(w->arena, x->as.set.items, x->as.set.count);
}

// -- Operators ---------------------------------------------------------------

// Adds to `out` the items of `x` that are in `y`; if `has` is false, those that
// are not.
static void take(Walk *w, const Object *x, const Object *y, bool has,
                 Objects *out) {
  for (int i = 0; i < x->as.set.count; i++) {
    const Object *item = x->as.set.items[i];
    if (constant_set_has(y, item) == has) vec_push(w->arena, out, item);
  }
}

static void take_all(Walk *w, const Object *x, Objects *out) {
  for (int i = 0; i < x->as.set.count; i++)
    vec_push(w->arena, out, x->as.set.items[i]);
}

const Object *set_operation(Walk *w, Operator op, const Object *x,
                            const Object *y) {
  Objects items = {0};
  assert(x->kind == OBJECT_SET && y->kind == OBJECT_SET); // I6
  switch (op) {
  case OPERATOR_OR: take_all(w, x, &items); break;
  case OPERATOR_AND: take(w, x, y, true, &items); break;
  case OPERATOR_SUB:
  case OPERATOR_XOR: take(w, x, y, false, &items); break;
  default: return NULL;
  }
  if (op == OPERATOR_OR || op == OPERATOR_XOR) take(w, y, x, false, &items);
  return set_of(w, &items, x->as.set.is_frozen);
}

// -- Functions and methods ---------------------------------------------------

// set() and frozenset().
const Object *builtin_set(Walk *w, const BuiltinCall *c) {
  const bool frozen = c->info->data == 'f';
  if (!call_is_of_host(w, c)) return NULL;
  if (argument_absent(c, 0))
    return set_of_items(w, c->loc, object_tuple(w->arena, NULL, 0), frozen);
  const Object *all = walk_members(w, c->args[0]);
  if (!all)
    return walk_error(w, c->locs[0], ERROR_wants_tuple, c->info->name,
                      text_of(w, c->args[0]));
  return set_of_items(w, c->locs[0], all, frozen);
}

// `x.union(y, z)` and the like: any iterables are taken as sets.
const Object *builtin_set_operation(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  for (int i = 0; x && i < c->num_rest; i++) {
    const Object *all = walk_members(w, c->rest[i]);
    const Object *y = all ? set_of_items(w, c->loc, all, true)
                          : walk_error(w, c->loc, ERROR_wants_tuple,
                                       c->info->name, text_of(w, c->rest[i]));
    x = y ? set_operation(w, (Operator)c->info->data, x, y) : NULL;
  }
  return x && !c->num_rest ? set_operation(w, OPERATOR_OR, x, x) : x;
}

// `x.issubset(y)` and the like.
const Object *builtin_set_question(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0], *all = walk_members(w, c->args[1]);
  const Object *y = all ? set_of_items(w, c->loc, all, true) : NULL;
  Objects outside = {0};
  if (!all)
    return walk_error(w, c->locs[1], ERROR_wants_tuple, c->info->name,
                      text_of(w, c->args[1]));
  if (!y) return NULL;
  const bool above = c->info->data == 'a', apart = c->info->data == 'd';
  take(w, above ? y : x, above ? x : y, apart, &outside);
  return object_bool(!outside.count);
}

// The set `x` after a call of `method`, which changes it; NULL: no such method.
const Object *set_changed(Walk *w, SrcLoc loc, const char *method,
                          const Object *x, int count,
                          const Object *const *args) {
  static const struct {
    const char *name;
    Operator op;
    bool takes_item;
  } methods[] = {
#define METHOD(name, op, takes_item) {name, OPERATOR_##op, takes_item},
#include "frontend/python/set_methods.def"
  };
  size_t i = 0;
  while (i < sizeof methods / sizeof *methods &&
         strcmp(methods[i].name, method) != 0)
    i++;
  if (i == sizeof methods / sizeof *methods) return NULL;
  const bool clears = !strcmp(method, "clear");
  if (count != !clears) return NULL;
  const Object *by = clears                  ? walk_members(w, x)
                     : methods[i].takes_item ? object_tuple(w->arena, args, 1)
                                             : walk_members(w, args[0]);
  if (!by || (!strcmp(method, "remove") && !constant_set_has(x, args[0])))
    return NULL;
  const Object *y = set_of_items(w, loc, by, true);
  return y ? set_operation(w, methods[i].op, x, y) : NULL;
}
