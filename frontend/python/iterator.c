// iterator.c -- iterators and views of dictionaries.
//
// Iterators are evaluated eagerly here, lazily in Python.  Both ways give the
// same items if the source does not change in between.  So an iterator that a
// name of a function keeps freezes its source, and one that outlives the
// function, or belongs to a module, is unknown.
//
// Example: in `for i, x in enumerate(a)` the items of `a` are read at once;
// after `e = enumerate(a)`, an `a.append(1)` is an error.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"

#include <assert.h>
#include <string.h>

static bool freeze_sources(const Object *x) {
  if (!x->over) return false;
  assert(object_passes(x) && x->over->kind == OBJECT_TUPLE); // I4
  for (int i = 0; i < x->over->as.tuple.count; i++) {
    const Object *of = x->over->as.tuple.items[i];
    if (object_passes(of) && !freeze_sources(of)) return false;
  }
  object_freeze(x->over);
  return true;
}

bool walk_keep_iterator(Walk *w, SrcLoc loc, const Object *x) {
  if (!walk_is_host(w) || !object_passes(x) || freeze_sources(x)) return true;
  return diag_error(w->diags, loc, ERROR_iterator_kept);
}

// Does the function iterate over its argument, or count its items?
static bool goes_over(const Builtin *info) {
  return words_have(WORDS_GO_OVER, info->name) || strstr(info->params, "iter");
}

bool walk_may_get(Walk *w, const Object *callee, const Arguments *args) {
  if (callee->kind != OBJECT_BUILTIN) return walk_keep_arguments(w, args);
  for (size_t i = 0; !goes_over(callee->as.builtin.info) && i < args->count;
       i++) {
    if (!walk_is_whole(w, args->items[i].loc, args->items[i].value))
      return false;
  }
  return true;
}

bool walk_keep_arguments(Walk *w, const Arguments *args) {
  for (size_t i = 0; i < args->count; i++) {
    if (!walk_keep_iterator(w, args->items[i].loc, args->items[i].value))
      return false;
  }
  return true;
}

void walk_note_over(Walk *w, const Object *callee, const Arguments *args,
                    const Object *x) {
  if (callee->kind != OBJECT_BUILTIN || !object_passes(x) || x->over) return;
  const Object *self = callee->as.builtin.self;
  const Object **items = arena_array(w->arena, const Object *, args->count + 1);
  int n = 0;
  if (self) items[n++] = self;
  for (size_t i = 0; i < args->count; i++) {
    const Object *of = args->items[i].value;
    if (of == x || (object_is_callable(of) && of->kind != OBJECT_BUILTIN))
      return; // items read by functions of the file are unknown
    items[n++] = of;
  }
  assert(n <= (int)args->count + 1); // I4
  ((Object *)x)->over = object_tuple(w->arena, items, n);
}

void walk_loop_over(const Object *x, int change) {
  assert(change == 1 || change == -1); // I4
  for (int i = 0; x->over && i < x->over->as.tuple.count; i++) {
    const Object *of = x->over->as.tuple.items[i];
    if (of->kind != OBJECT_TUPLE && of->kind != OBJECT_DICT) continue;
    ((Object *)of)->num_loops += change;
    assert(of->num_loops >= 0 && "a loop ended that did not begin"); // I4
    walk_loop_over(of, change);
  }
}

static bool passes(void *context, const Object *x) {
  (void)context;
  return object_passes(x);
}

bool walk_has_iterator(Walk *w, const Object *x) {
  return walk_reaches(w, x, passes, NULL);
}
