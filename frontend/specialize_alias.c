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

// May something else hold it, too, and change it?
static bool is_shared(const Object *x) {
  return (x->kind == OBJECT_TUPLE && x->as.tuple.written != '(') ||
         x->kind == OBJECT_DICT || object_is_set(x);
}

typedef struct {
  Walk *w;
  const AstFile *file;
  const AstChange *change;
} Noting;

static bool note(void *context, const Object *x) {
  const Noting *n = context;
  if (!is_shared(x)) return false;
  Changed *before = map_get(&n->w->changed, x);
  if (before && before->by == n->change) return false;
  Changed *changed = arena_new(n->w->arena, Changed);
  *changed = (Changed){n->file, n->change, before};
  map_put(&n->w->changed, n->w->arena, x, changed);
  return false;
}

static void note_deep(Walk *w, const AstFile *file, const AstChange *change,
                      const Object *x) {
  Noting noting = {w, file, change};
  walk_reaches(w, x, note, &noting);
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

// What the name at `index` is above the place; NULL.
static const Definition *definition_at(Walk *w, const AstFile *file,
                                       AstPlace place, uint32_t index) {
  const char *name = name_at(w, file, index);
  const Definition *d = name ? file_find(file, name) : NULL;
  const uint32_t below = place.order;
  while (d && below && d->order >= below) d = d->before;
  return d;
}

// What is in the tokens that a change names, and in those that they name.
typedef struct {
  AstFile *file;
  const AstChange *change;
  Map asked; // Definitions
  int lines; // that were looked at
} Search;

static void note_named(Walk *w, Search *s, AstPlace place, uint32_t begin,
                       uint32_t end);

// What the line of a name names, be it here or where that line stands; of a
// function that is called, what its body does.
static void note_line(Walk *w, Search *s, AstPlace place, const Definition *d) {
  enum { MAX_LINES = 500 };
  const bool value = d->kind == DEFINES_GLOBAL;
  const bool called = d->function && s->change->is_call;
  if ((!value && !called) || ++s->lines > MAX_LINES) return;
  const AstRun *run = value ? d->global->run : NULL;
  const uint32_t from = run ? run->function.begin : d->begin;
  const uint32_t to = run ? run->function.end : d->end;
  note_named(w, s, place, from, to);
  if (!value) return;
  const AstPlace above = {.prefix = place.prefix, .order = d->order};
  note_named(w, s, above, from, to);
}

// `name.member` and so on, where that is known.
static void note_members(Walk *w, Search *s, AstPlace place, uint32_t begin,
                         uint32_t end) {
  const Token *tokens = s->file->list.tokens.items;
  for (uint32_t i = begin + 1; i + 1 < end; i += 2) {
    if (tokens[i].kind != TOKEN_DOT || tokens[i + 1].kind != TOKEN_NAME) return;
    const Expr *expr = program_parse_quietly(w->program, s->file, begin, i + 2);
    const Object *x = expr ? value_of_line(w, s->file, place, expr) : NULL;
    if (x) note_deep(w, s->file, s->change, x);
  }
}

// All that what the tokens name may hold; of a name whose value is not known,
// or is a function, what its line names.
static void note_named(Walk *w, Search *s, AstPlace place, uint32_t begin,
                       uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    const Definition *d = definition_at(w, s->file, place, i);
    if (d) note_members(w, s, place, i, end);
    if (d && map_get(&s->asked, d)) continue;
    if (d) map_put(&s->asked, w->arena, d, (void *)d);
    w->guessed = false;
    const Object *x = thing_named(w, s->file, place, i);
    const bool known =
        x && !object_is_callable(x) && !object_is_of_host(x) && !w->guessed;
    if (x) note_deep(w, s->file, s->change, x);
    if (d && !known) note_line(w, s, place, d);
  }
}

// The thing itself, if it is found.
static const Object *thing_changed(Walk *w, AstFile *file,
                                   const AstChange *change) {
  if (change->is_applied) return NULL;
  if (change->end == change->begin + 1)
    return thing_named(w, file, change->place, change->begin);
  const Expr *expr =
      program_parse_quietly(w->program, file, change->begin, change->end);
  return expr ? value_of_line(w, file, change->place, expr) : NULL;
}

static void find_changed(Walk *w, AstFile *file, const AstChange *change) {
  HostRun run;
  Search search = {.file = file, .change = change};
  Noting noting = {w, file, change};
  const bool outer = walk_guess_begin(w), searches = w->searches;
  w->searches = true;
  w->num_replays++;
  host_run_begin(w, &run);
  const Object *x = thing_changed(w, file, change);
  const bool known = x && !object_is_of_host(x) && !w->guessed &&
                     (change->is_call || !object_is_callable(x));
  if (x && change->is_deep && !change->is_call && !change->is_after_loop)
    note_deep(w, file, change, x);
  else if (x && !change->is_call && !change->is_after_loop)
    note(&noting, x);
  if (!known) note_named(w, &search, change->place, change->begin, change->end);
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

static bool sees(const Changed *c, const AstFile *file, uint32_t order) {
  return !order || c->file != file || c->by->order < order;
}

// By a line below the statement that made a copy?  Then other names stood for
// what that was made of, too.
static bool is_below(const Changed *c, const Copied *copied) {
  return c->file != copied->file || c->by->is_by_call ||
         c->by->begin >= copied->global->run->function.end;
}

typedef struct {
  const Walk *w;
  const AstFile *file;
  uint32_t order;
} Reading;

static bool was_changed(void *context, const Object *x) {
  const Reading *r = context;
  if (!is_shared(x)) return false;
  const Copied *first = map_get(&r->w->copies, x);
  const Changed *c = map_get(&r->w->changed, x);
  for (; c; c = c->before) {
    if (sees(c, r->file, r->order)) return true;
  }
  for (const Copied *o = first; o; o = map_get(&r->w->copies, o->of)) {
    for (c = map_get(&r->w->changed, o->of); c; c = c->before) {
      if (is_below(c, first) && sees(c, r->file, r->order)) return true;
    }
  }
  return false;
}

bool walk_was_changed(Walk *w, const AstFile *file, uint32_t order,
                      const Object *x) {
  if (object_is_number(x) || x->kind == OBJECT_STRING) return false;
  walk_find_changes(w);
  Reading reading = {w, file, order};
  return w->changed.count && walk_reaches(w, x, was_changed, &reading);
}
