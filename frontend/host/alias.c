// alias.c -- objects that change under another name.
//
// `get().append(3)`, `X = [L]; X[0] = 2`: a statement of a module changes an
// object that other names may refer to.  The object is computed at the
// statement and noted as changed; a lookup of any of its names below that line
// then gives no value.
//
// Example: after `L = [1]`, `X = [L]` and `X[0].append(2)`, the object of `L`
// counts as changed by line 3; a lookup of `L` below it gives no value.
#include "frontend/host/alias.h"

#include "frontend/core/builtins.h"
#include "frontend/host/host.h"
#include "frontend/module/program.h"

#include <assert.h>

typedef struct Changed {
  const AstFile *file;
  const AstChange *by;
  struct Changed *before; // an earlier change of the same object
} Changed;

// The original of a list or dictionary that a statement, when it was run, has
// copied before changing it.
typedef struct {
  const Object *of;
  const AstFile *file;
  const AstGlobal *global; // gets the copy as its value
} Copied;

void walk_note_copy(Walk *w, const Symbol *symbol, const Object *copy,
                    const Object *of) {
  assert(copy != of); // I3
  Copied *copied = arena_new(w->arena, Copied);
  *copied = (Copied){of, symbol->file, symbol->global};
  map_put(&w->copies, w->arena, copy, copied);
}

bool object_is_shared(const Object *x) {
  return (x->kind == OBJECT_TUPLE && x->as.tuple.written != '(') ||
         x->kind == OBJECT_DICT || object_is_set(x);
}

typedef struct {
  Walk *w;
  const AstFile *file;
  const AstChange *change;
} Noting;

// Key of `changed` for a change of an unknown object: any object may be meant.
static const Object anything;

static void note_by(const Noting *n, const Object *x) {
  Changed *before = map_get(&n->w->changed, x);
  if (before && before->by == n->change) return;
  Changed *changed = arena_new(n->w->arena, Changed);
  *changed = (Changed){n->file, n->change, before};
  map_put(&n->w->changed, n->w->arena, x, changed);
}

static bool note(void *context, const Object *x) {
  if (object_is_shared(x)) note_by(context, x);
  return false;
}

void walk_note_one_changed(Walk *w, const AstFile *file,
                           const AstChange *change, const Object *x) {
  note(&(Noting){w, file, change}, x);
}

void walk_note_changed(Walk *w, const AstFile *file, const AstChange *change,
                       const Object *x) {
  Noting noting = {w, file, change};
  if (x)
    walk_reaches(w, x, note, &noting);
  else
    note_by(&noting, &anything);
}

// -- Reading -----------------------------------------------------------------

static bool sees(const Changed *c, const AstFile *file, uint32_t order) {
  return !order || c->file != file || c->by->order < order;
}

// Is the change below the statement that made the copy?  Then the original
// itself may have been changed there, under another name.
static bool is_below(const Changed *c, const Copied *copied) {
  return c->file != copied->file || c->by->is_by_call ||
         c->by->begin >= copied->global->run->function.end;
}

typedef struct {
  const Walk *w;
  const AstFile *file;
  uint32_t order;
  const Object *kept; // an object without aliases; or NULL
} Reading;

static bool was_any_changed(const Reading *r) {
  const Changed *c = map_get(&r->w->changed, &anything);
  while (c && !sees(c, r->file, r->order)) c = c->before;
  return c != NULL;
}

static bool was_changed(void *context, const Object *x) {
  const Reading *r = context;
  if (!object_is_shared(x)) return false;
  const Copied *first = map_get(&r->w->copies, x);
  const Changed *c = map_get(&r->w->changed, x);
  for (; c; c = c->before) {
    if (sees(c, r->file, r->order)) return true;
  }
  if (x != r->kept && was_any_changed(r)) return true;
  for (const Copied *o = first; o; o = map_get(&r->w->copies, o->of)) {
    for (c = map_get(&r->w->changed, o->of); c; c = c->before) {
      if (is_below(c, first) && sees(c, r->file, r->order)) return true;
    }
  }
  return false;
}

static bool may_change(void *context, const Object *x) {
  (void)context;
  return object_is_shared(x);
}

bool walk_was_changed(Walk *w, const AstFile *file, uint32_t order,
                      const Object *x, const Symbol *symbol) {
  if (object_is_number(x) || x->kind == OBJECT_STRING) return false;
  if (w->trusts) {
    w->doubts |= walk_reaches(w, x, may_change, NULL);
    return false;
  }
  walk_find_changes(w, symbol ? symbol->file : file);
  Reading reading = {w, file, order, NULL};
  if (symbol && object_is_shared(x) && was_any_changed(&reading) &&
      program_keeps(w->program, symbol))
    reading.kept = x;
  return w->changed.count && walk_reaches(w, x, was_changed, &reading);
}
