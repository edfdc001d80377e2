// changed_type.c -- the error about a loop in which a name changes its type.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/walk/loop.h"

static const Op *definition_of(const Object *x) {
  return object_is_tensor(x) ? x->as.tensor.value->def : NULL;
}

// The type of `x` for a message.  If a name has different types on two paths,
// both: "int32 or fp32".
static const char *new_type(Walk *w, const Object *x) {
  if (x->kind != OBJECT_GONE) return text_of(w, x);
  const Object *const *were = x->as.gone.were;
  if (!were[0] || !were[1]) return "nothing on some path";
  return arena_printf(w->arena, "%s or %s", text_of(w, were[0]),
                      text_of(w, were[1]));
}

// The location of the expression that computed `x`, if it is on the
// assignment's line; else the assignment, since the value may come from another
// name or a helper. NULL: unknown.
static const SrcLoc *place_of(const Given *x) {
  const Op *def = definition_of(x->object);
  if (!def || !x->at) return x->at;
  const bool there =
      def->loc.file == x->at->file && def->loc.line == x->at->line;
  return there ? &def->loc : x->at;
}

static void note_new_value(Walk *w, const Object *before, Given x) {
  if (!x.object || object_same_type(before, x.object)) return;
  const SrcLoc *place = place_of(&x);
  if (place) diag_note(w->diags, *place, NOTE_new_value);
}

// The value of `y` whose type differs from the type of `x`: `y` itself, or, if
// `y` is one of two values after a branch, the first whose type differs; NULL
// if there is none.
static const Object *other_type(const Object *x, const Object *y) {
  if (y->kind != OBJECT_GONE) return y;
  const Object *const *were = y->as.gone.were;
  for (int i = 0; i < 2; i++)
    if (were[i] && !object_same_type(x, were[i])) return were[i];
  return NULL;
}

bool changed_type(Walk *w, const Stmt *stmt, const char *name, Given before,
                  Given after) {
  const Object *x = before.object, *y = after.object;
  name = object_difference(w->arena, name, &x, &y);
  diag_error(w->diags, stmt->loc, ERROR_loop_changes_type, name, text_of(w, x),
             new_type(w, y));
  const SrcLoc *place = place_of(&before);
  if (place) diag_note(w->diags, *place, NOTE_was, name, text_of(w, x));
  if (y->kind != OBJECT_GONE && after.at != before.at)
    note_new_value(w, x, after);
  for (int i = 0; y->kind == OBJECT_GONE && i < 2; i++)
    note_new_value(w, x, (Given){y->as.gone.were[i], y->as.gone.given[i]});
  y = other_type(x, y);
  if (y) note_carried(w, name, element_of(w, x), element_of(w, y));
  return false;
}
