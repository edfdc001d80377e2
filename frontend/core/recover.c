// recover.c -- walking on after an error, so that one run reports several.
//
// For example, after an error in `y = tl.no_such(n)`, `y` is poison, so `z = y
// + 1` fails without a message and makes `z` poison; an unknown name in a later
// statement is reported, too.
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"

#include <assert.h>
#include <string.h>

WalkPoint recover_point(const Walk *w) {
  return (WalkPoint){.b = w->b,
                     .num_pending = w->frame->pending.count,
                     .depth = w->depth,
                     .loops = w->frame->loops};
}

void recover_to(Walk *w, const WalkPoint *point) {
  assert(point->num_pending <= w->frame->pending.count); // I3
  assert(point->depth <= w->depth);                      // I1
  assert(point->loops <= w->frame->loops);               // I3
  assert(point->b.m == w->b.m);                          // I3
  w->b = point->b;
  w->depth = point->depth;
  w->frame->loops = point->loops;
  w->frame->pending.count = point->num_pending;
}

const Object *recover_never(Walk *w) {
  w->stopped = true;
  return NULL;
}

// -- Poison ------------------------------------------------------------------

static void poison_target(Walk *w, const Expr *target) {
  if (!target) return;
  if (target->kind == EXPR_NAME)
    scope_set(&w->frame->scope, target->name, &object_poison);
  if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return;
  for (int i = 0; i < target->items.count; i++)
    poison_target(w, target->items.items[i]);
}

static void poison_targets(Walk *w, const ExprList *targets) {
  for (int i = 0; i < targets->count; i++) poison_target(w, targets->items[i]);
}

static void poison_stmt(Walk *w, const Stmt *stmt);

static void poison_block(Walk *w, const StmtList *block) {
  for (int i = 0; i < block->count; i++) poison_stmt(w, block->items[i]);
}

static void poison_branches(Walk *w, const Stmt *stmt) {
  for (int i = 0; i < stmt->if_.num_branches; i++)
    poison_block(w, &stmt->if_.branches[i].body);
  poison_block(w, &stmt->if_.otherwise);
}

static void poison_with(Walk *w, const Stmt *stmt) {
  for (int i = 0; i < stmt->with.num_items; i++)
    poison_target(w, stmt->with.items[i].target);
  poison_block(w, &stmt->with.body);
}

// The parser limits the nesting of statements, and so the depth of this
// recursion.
static void poison_stmt(Walk *w, const Stmt *stmt) {
  switch (stmt->kind) {
  case STMT_ASSIGN: poison_targets(w, &stmt->assign.targets); return;
  case STMT_AUG_ASSIGN: poison_target(w, stmt->aug_assign.target); return;
  case STMT_ANN_ASSIGN: poison_target(w, stmt->ann_assign.target); return;
  case STMT_IF: poison_branches(w, stmt); return;
  case STMT_FOR:
    poison_target(w, stmt->for_.target);
    poison_block(w, &stmt->for_.body);
    poison_block(w, &stmt->for_.otherwise);
    return;
  case STMT_WHILE:
    poison_block(w, &stmt->while_.body);
    poison_block(w, &stmt->while_.otherwise);
    return;
  case STMT_WITH: poison_with(w, stmt); return;
  case STMT_UNSUPPORTED:
    if (stmt->unsupported.name)
      scope_set(&w->frame->scope, stmt->unsupported.name, &object_poison);
    return;
  default: return;
  }
}

bool recover(Walk *w, const WalkPoint *point, const Stmt *stmt) {
  w->failures++;
  if (w->stopped || diag_is_full(w->diags)) return false;
  recover_to(w, point);
  poison_stmt(w, stmt);
  return true;
}

void poison_changed(Walk *w, const ScopeState *start,
                    const ScopeState *before) {
  Locals *scope = &w->frame->scope;
  for (size_t i = 0; i < scope->count; i++) {
    const Object **x = &scope->items[i].object;
    *x = *x == state_get(start, i) ? state_get(before, i) : &object_poison;
  }
}

// -- Notes -------------------------------------------------------------------

// The last note of `error`, behind which the next one goes. NULL if `error` has
// enough notes, or if the last note is about the same recursive function.
static Diag *last_note(Diag *error, SrcLoc loc) {
  assert(error->severity == DIAG_ERROR && "notes stand behind an error"); // I5
  Diag *last = error;
  for (int n = 0; last->next && last->next->severity == DIAG_NOTE; n++) {
    if (n >= MAX_CALL_NOTES) return NULL;
    last = last->next;
  }
  return loc_same(last->loc, loc) ? NULL : last;
}

void recover_note_calls(Walk *w, Diag **mark, SrcLoc loc, const char *format,
                        ...) {
  Str text = str_in(w->arena);
  va_list args;
  va_start(args, format);
  str_vaddf(&text, format, args);
  va_end(args);
  for (Diag *d = *mark; d; d = d->next) {
    Diag *last = d->severity == DIAG_ERROR ? last_note(d, loc) : NULL;
    if (last) diag_note_after(w->diags, last, loc, str_text(&text), format);
  }
}

// -- Errors in the library ---------------------------------------------------

static Diag *after_notes(Diag *error) {
  Diag *next = error->next;
  while (next && next->severity == DIAG_NOTE) next = next->next;
  return next;
}

// Has the same error been reported for another call at this place?
static bool is_known(const DiagList *diags, const Diag *error, SrcLoc loc) {
  for (const Diag *d = diags->first; d && d != error; d = d->next) {
    if (d->severity == DIAG_ERROR && loc_same(d->loc, loc) &&
        !strcmp(d->text, error->text))
      return true;
  }
  return false;
}

static void blame(Walk *w, Diag *error, SrcLoc loc, const char *name) {
  Diag *note = arena_new(w->diags->arena, Diag);
  *note = (Diag){.next = after_notes(error),
                 .severity = DIAG_NOTE,
                 .format = NOTE_library,
                 .text = arena_printf(w->diags->arena, NOTE_library, name)};
  error->loc = loc;
  error->fix = NULL;
  error->next = note;
}

static void blame_call(Walk *w, Diag **mark, const char *library, SrcLoc loc,
                       const char *name) {
  bool blamed = false;
  Diag **at = mark;
  while (*at) {
    Diag *d = *at;
    const bool inside = d->severity == DIAG_ERROR && d->loc.file == library;
    const bool drop = inside && (blamed || is_known(w->diags, d, loc));
    blamed = blamed || inside;
    if (drop) {
      *at = after_notes(d);
      assert(w->diags->num_distinct > 0 && "more errors go than came"); // I5
      w->diags->num_distinct--;
      continue;
    }
    if (inside) blame(w, d, loc, name);
    at = &d->next;
  }
  w->diags->last = at;
}

void library_blame_call(Walk *w, Diag **mark, SrcLoc loc, const char *name) {
  const AstFile *library = w->program->library;
  if (!library || loc.file == library->source.name) return;
  frontend_add_sources(w->program, w->diags); // the library may not be among
                                              // the sources yet
  blame_call(w, mark, library->source.name, loc, name);
}
