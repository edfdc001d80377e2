// specialize_alias.c -- things that change under another name.
//
// `get().append(3)`, `X = [L]; X[0] = 2`: a statement of a module changes a
// thing that other names may stand for, too.  Each such thing is found where
// its statement stands; whoever reads it below that line is told that it
// changes.
#include "frontend/builtins.h"
#include "frontend/errors.h"
#include "frontend/program.h"

#include "frontend/parser.tab.h"

typedef struct {
  const AstFile *file;
  uint32_t order; // of the first line that sees the change
} Changed;

// May something else hold it, too?
static bool is_shared(const Object *x) {
  return x->kind == OBJECT_TUPLE || x->kind == OBJECT_DICT;
}

static void note(Walk *w, const AstFile *file, const AstChange *change,
                 const Object *x) {
  if (!is_shared(x) || map_get(&w->changed, x)) return;
  Changed *changed = arena_new(w->arena, Changed);
  *changed = (Changed){file, change->place.order};
  map_put(&w->changed, w->arena, x, changed);
}

static void note_all(Walk *w, const AstFile *file, const AstChange *change,
                     const Object *const *items, int count);

static void note_deep(Walk *w, const AstFile *file, const AstChange *change,
                      const Object *x) {
  note(w, file, change, x);
  if (x->kind == OBJECT_TUPLE)
    note_all(w, file, change, x->as.tuple.items, x->as.tuple.count);
  if (x->kind == OBJECT_DICT)
    note_all(w, file, change, x->as.dict.items, x->as.dict.count);
}

static void note_all(Walk *w, const AstFile *file, const AstChange *change,
                     const Object *const *items, int count) {
  for (int i = 0; i < count; i++) note_deep(w, file, change, items[i]);
}

// -- Finding what changes ----------------------------------------------------

// What the name at `index` stands for, also where that changes; NULL.
static const Object *thing_named(Walk *w, AstFile *file, AstPlace place,
                                 uint32_t index) {
  const Token *token = &file->list.tokens.items[index];
  if (token->kind != TOKEN_NAME) return NULL;
  const SrcLoc loc = token_loc(&file->source, token);
  const char *name = arena_strndup(w->arena, file->source.text + token->begin,
                                   token->end - token->begin);
  const Symbol symbol =
      program_lookup_at(w->program, w->diags, file, place, name, loc);
  if (symbol.kind != SYMBOL_GLOBAL) return NULL;
  const Object *x = constant_of_symbol(w, &symbol, loc);
  return x ? x : global_known(w, symbol.global);
}

// Everything that what the tokens name may hold.
static void note_named(Walk *w, AstFile *file, const AstChange *change) {
  for (uint32_t i = change->begin; i < change->end; i++) {
    const Object *x = thing_named(w, file, change->place, i);
    if (x) note_deep(w, file, change, x);
  }
}

// The thing itself, if it is found.
static const Object *thing_changed(Walk *w, AstFile *file,
                                   const AstChange *change) {
  if (change->is_deep) return NULL;
  if (change->end == change->begin + 1)
    return thing_named(w, file, change->place, change->begin);
  const Expr *expr =
      program_parse_quietly(w->program, file, change->begin, change->end);
  return expr ? value_of_line(w, file, change->place, expr) : NULL;
}

static void find_changed(Walk *w, AstFile *file, const AstChange *change) {
  const Object *x = thing_changed(w, file, change);
  if (x)
    note(w, file, change, x);
  else
    note_named(w, file, change);
}

static void find_all_changed(Walk *w, AstFile *file) {
  HostRun run;
  const void *seen = map_get(&w->searched, file);
  if (seen || !file->changes.count) return;
  map_put(&w->searched, w->arena, file, file);
  host_run_begin(w, &run);
  for (size_t i = 0; i < file->changes.count; i++)
    find_changed(w, file, &file->changes.items[i]);
  host_run_end(w, &run);
}

// -- Reading -----------------------------------------------------------------

static bool any_changed(const Walk *w, const AstFile *file, uint32_t order,
                        const Object *const *items, int count);

static bool is_changed(const Walk *w, const AstFile *file, uint32_t order,
                       const Object *x) {
  if (!is_shared(x)) return false;
  const Changed *c = map_get(&w->changed, x);
  if (c && (!order || c->file != file || c->order < order)) return true;
  return x->kind == OBJECT_TUPLE
             ? any_changed(w, file, order, x->as.tuple.items, x->as.tuple.count)
             : any_changed(w, file, order, x->as.dict.items, x->as.dict.count);
}

static bool any_changed(const Walk *w, const AstFile *file, uint32_t order,
                        const Object *const *items, int count) {
  for (int i = 0; i < count; i++) {
    if (is_changed(w, file, order, items[i])) return true;
  }
  return false;
}

bool walk_was_changed(Walk *w, const AstFile *file, uint32_t order,
                      const Object *x) {
  if (!is_shared(x)) return false;
  for (size_t i = 0; i < w->program->files.count; i++)
    find_all_changed(w, w->program->files.items[i]);
  return w->changed.count && is_changed(w, file, order, x);
}
