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

static const char *name_at(Walk *w, const AstFile *file, uint32_t index) {
  const Token *token = &file->list.tokens.items[index];
  return token->kind == TOKEN_NAME
             ? arena_strndup(w->arena, file->source.text + token->begin,
                             token->end - token->begin)
             : NULL;
}

// What the name at `index` stands for, also where that changes; NULL.
static const Object *thing_named(Walk *w, AstFile *file, AstPlace place,
                                 uint32_t index) {
  const char *name = name_at(w, file, index);
  if (!name) return NULL;
  const SrcLoc loc = token_loc(&file->source, &file->list.tokens.items[index]);
  const Symbol symbol =
      program_lookup_at(w->program, w->diags, file, place, name, loc);
  if (symbol.kind != SYMBOL_GLOBAL) return NULL;
  const Object *x = constant_of_symbol(w, &symbol, loc);
  return x ? x : global_known(w, symbol.global);
}

// The line above the change that binds the name at `index`; NULL.
static const Definition *line_of(Walk *w, const AstFile *file,
                                 const AstChange *change, uint32_t index) {
  const char *name = name_at(w, file, index);
  const Definition *d = name ? file_find(file, name) : NULL;
  while (d && d->order >= change->place.order) d = d->before;
  return d && d->kind == DEFINES_GLOBAL ? d : NULL;
}

// All that what the tokens name may hold; of a name whose value is not known,
// what its line names.
static void note_named(Walk *w, AstFile *file, const AstChange *change,
                       uint32_t begin, uint32_t end, Map *seen) {
  enum { MAX_LINES = 64 };
  for (uint32_t i = begin; i < end; i++) {
    const Object *x = thing_named(w, file, change->place, i);
    const Definition *d =
        x && is_shared(x) ? NULL : line_of(w, file, change, i);
    if (x) note_deep(w, file, change, x);
    if (!d || seen->count >= MAX_LINES || map_get(seen, d)) continue;
    map_put(seen, w->arena, d, (void *)d);
    note_named(w, file, change, d->begin, d->end, seen);
  }
}

// The thing itself, if it is found.
static const Object *thing_changed(Walk *w, AstFile *file,
                                   const AstChange *change) {
  if (change->end == change->begin + 1)
    return thing_named(w, file, change->place, change->begin);
  const Expr *expr =
      program_parse_quietly(w->program, file, change->begin, change->end);
  return expr ? value_of_line(w, file, change->place, expr) : NULL;
}

static void find_changed(Walk *w, AstFile *file, const AstChange *change) {
  HostRun run;
  Map seen = {0};
  host_run_begin(w, &run);
  const Object *x = thing_changed(w, file, change);
  if (!x || object_is_of_host(x))
    note_named(w, file, change, change->begin, change->end, &seen);
  else if (change->is_deep)
    note_deep(w, file, change, x);
  else
    note(w, file, change, x);
  host_run_end(w, &run);
}

static void find_all_changed(Walk *w, AstFile *file) {
  const void *seen = map_get(&w->searched, file);
  if (seen || !file->changes.count) return;
  map_put(&w->searched, w->arena, file, file);
  for (size_t i = 0; i < file->changes.count; i++)
    find_changed(w, file, &file->changes.items[i]);
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
