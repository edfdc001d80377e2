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

typedef struct Changed {
  const AstFile *file;
  const AstChange *by;
  struct Changed *before; // of the same thing
} Changed;

// What a statement that is run makes of a list or a dictionary.
typedef struct {
  const Object *of;
  const AstFile *file;
  const AstGlobal *global; // that has it then
} Copied;

void walk_note_copy(Walk *w, const Symbol *symbol, const Object *copy,
                    const Object *of) {
  Copied *copied = arena_new(w->arena, Copied);
  *copied = (Copied){of, symbol->file, symbol->global};
  map_put(&w->copies, w->arena, copy, copied);
}

// May something else hold it, too?
static bool is_shared(const Object *x) {
  return x->kind == OBJECT_TUPLE || x->kind == OBJECT_DICT ||
         x->kind == OBJECT_SET;
}

static void note(Walk *w, const AstFile *file, const AstChange *change,
                 const Object *x) {
  if (!is_shared(x)) return;
  Changed *before = map_get(&w->changed, x);
  if (before && before->by == change) return;
  Changed *changed = arena_new(w->arena, Changed);
  *changed = (Changed){file, change, before};
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

// -- Guesses ------------------------------------------------------------------

bool walk_guess_begin(Walk *w) {
  const bool outer = w->guessed;
  w->guessed = false;
  return outer;
}

const void *walk_kept(Walk *w, const Map *known, const void *key) {
  const void *x = map_get(known, key);
  if (x || !w->searches) return x;
  x = map_get(&w->guesses, key);
  w->guessed |= x != NULL;
  return x;
}

void walk_keep(Walk *w, Map *known, const void *key, const void *x,
               bool outer) {
  map_put(known, w->arena, key, w->guessed ? NULL : (void *)x);
  if (w->guessed) map_put(&w->guesses, w->arena, key, (void *)x);
  w->guessed |= outer;
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
  const Object *known = global_known(w, symbol.global);
  w->guessed = !known || (x && x != known);
  return x ? x : known;
}

// The line above the place that binds the name at `index`; NULL.
static const Definition *line_of(Walk *w, const AstFile *file, AstPlace place,
                                 uint32_t index) {
  const char *name = name_at(w, file, index);
  const Definition *d = name ? file_find(file, name) : NULL;
  const uint32_t below = place.order;
  while (d && below && d->order >= below) d = d->before;
  return d && d->kind == DEFINES_GLOBAL ? d : NULL;
}

// All that what the tokens name may hold; of a name whose value is not known,
// what its line names, be it here or where that line stands.
static void note_named(Walk *w, AstFile *file, const AstChange *change,
                       AstPlace place, uint32_t begin, uint32_t end,
                       Map *seen) {
  enum { MAX_LINES = 64 };
  for (uint32_t i = begin; i < end; i++) {
    w->guessed = false;
    const Object *x = thing_named(w, file, place, i);
    const bool known = x && is_shared(x) && !w->guessed;
    const Definition *d = known ? NULL : line_of(w, file, place, i);
    if (x) note_deep(w, file, change, x);
    if (!d || seen->count >= MAX_LINES || map_get(seen, d)) continue;
    map_put(seen, w->arena, d, (void *)d);
    const AstRun *run = d->global->run;
    const uint32_t from = run ? run->function.begin : d->begin;
    const uint32_t to = run ? run->function.end : d->end;
    const AstPlace above = {.prefix = place.prefix, .order = d->order};
    note_named(w, file, change, place, from, to, seen);
    note_named(w, file, change, above, from, to, seen);
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
  const bool outer = walk_guess_begin(w), searches = w->searches;
  w->searches = true;
  w->num_replays++;
  host_run_begin(w, &run);
  const Object *x = thing_changed(w, file, change);
  if (x && change->is_deep && !change->is_after_loop)
    note_deep(w, file, change, x);
  else if (x && !change->is_after_loop)
    note(w, file, change, x);
  if (!x || object_is_of_host(x) || w->guessed)
    note_named(w, file, change, change->place, change->begin, change->end,
               &seen);
  host_run_end(w, &run);
  w->searches = searches;
  w->guessed = outer;
}

static void find_in_file(Walk *w, AstFile *file) {
  const void *seen = map_get(&w->searched, file);
  if (seen || !file->changes.count) return;
  map_put(&w->searched, w->arena, file, file);
  for (size_t i = 0; i < file->changes.count; i++)
    find_changed(w, file, &file->changes.items[i]);
}

// What a file imports has changed before what it changes itself.
void walk_find_changes(Walk *w) {
  for (size_t i = w->program->files.count; i-- > 0;)
    find_in_file(w, w->program->files.items[i]);
}

// -- Reading -----------------------------------------------------------------

static bool any_changed(const Walk *w, const AstFile *file, uint32_t order,
                        const Object *const *items, int count);

static bool sees(const Changed *c, const AstFile *file, uint32_t order) {
  return !order || c->file != file || c->by->order < order;
}

// By a line below the statement that made a copy?  Then other names stood for
// what that was made of, too.
static bool is_below(const Changed *c, const Copied *copied) {
  return c->file != copied->file || c->by->is_by_call ||
         c->by->begin >= copied->global->run->function.end;
}

static bool was_changed(const Walk *w, const AstFile *file, uint32_t order,
                        const Object *x) {
  const Copied *first = map_get(&w->copies, x);
  const Changed *c = map_get(&w->changed, x);
  for (; c; c = c->before) {
    if (sees(c, file, order)) return true;
  }
  for (const Copied *o = first; o; o = map_get(&w->copies, o->of)) {
    for (c = map_get(&w->changed, o->of); c; c = c->before) {
      if (is_below(c, first) && sees(c, file, order)) return true;
    }
  }
  return false;
}

static bool is_changed(const Walk *w, const AstFile *file, uint32_t order,
                       const Object *x) {
  if (!is_shared(x)) return false;
  if (was_changed(w, file, order, x)) return true;
  if (x->kind == OBJECT_SET) return false;
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
  walk_find_changes(w);
  return w->changed.count && is_changed(w, file, order, x);
}
