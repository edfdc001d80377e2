// specialize_alias.c -- things that change under another name.
//
// `get().append(3)`, `X = [L]; X[0] = 2`: a statement of a module changes a
// thing that other names may stand for, too.  Each such thing is found where
// its statement stands; whoever reads it below that line is told that it
// changes.
#include "frontend/builtins.h"
#include "frontend/errors.h"
#include "frontend/named_tokens.h"
#include "frontend/program.h"
#include "frontend/scan.h"

#include "frontend/parser.tab.h"

#include <string.h>

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

// Stands for all things.
static const Object anything;

static void note_by(const Noting *n, const Object *x) {
  Changed *before = map_get(&n->w->changed, x);
  if (before && before->by == n->change) return;
  Changed *changed = arena_new(n->w->arena, Changed);
  *changed = (Changed){n->file, n->change, before};
  map_put(&n->w->changed, n->w->arena, x, changed);
}

static bool note(void *context, const Object *x) {
  if (is_shared(x)) note_by(context, x);
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
  if (!name) return NULL;
  const char *own =
      place.prefix ? arena_printf(w->arena, "%s%s", place.prefix, name) : name;
  const Definition *d = file_find_at(file, own, place.order);
  return d ? d : file_find_at(file, name, place.order);
}

// What is in the tokens that a change names, and in those that they name.
typedef struct {
  AstFile *file; // of those that are looked at
  AstFile *home; // of the change
  const AstChange *change;
  Map asked; // Definitions
  int lines; // that were looked at
} Search;

static void note_named(Walk *w, Search *s, AstPlace place, uint32_t begin,
                       uint32_t end);

// What is changed came by where nobody can follow: any thing may be meant.
static void note_any(Walk *w, const Search *s) {
  note_by(&(Noting){w, s->home, s->change}, &anything);
}

static bool is_first_time(Walk *w, Search *s, const Definition *d) {
  if (map_get(&s->asked, d)) return false;
  map_put(&s->asked, w->arena, d, (void *)d);
  return true;
}

static void note_line(Walk *w, Search *s, AstPlace place, const Definition *d);

// The methods of a class, and its other members.
static void note_class(Walk *w, Search *s, const Definition *class) {
  const char *prefix = arena_printf(w->arena, "%s.", class->name);
  const AstFile *file = class->file;
  for (size_t i = 0; i < file->names.count; i++) {
    const char *name = file->names.items[i];
    const Definition *d =
        strncmp(name, prefix, strlen(prefix)) ? NULL : file_find(file, name);
    if (d && is_first_time(w, s, d))
      note_line(w, s, (AstPlace){.prefix = prefix}, d);
  }
  note_named(w, s, (AstPlace){0}, class->begin, class->end);
}

static void note_value(Walk *w, Search *s, AstPlace place,
                       const Definition *d) {
  const AstRun *run = d->global->run;
  const uint32_t from = run ? run->function.begin : d->begin;
  const uint32_t to = run ? run->function.end : d->end;
  const AstPlace above = {.prefix = place.prefix, .order = d->order};
  const bool told =
      from < to || d->over_begin < d->over_end || d->from_begin < d->from_end;
  if (!told) note_any(w, s);
  if (d->from_begin < d->from_end && d->before &&
      is_first_time(w, s, d->before))
    note_line(w, s, place, d->before); // what an earlier turn began with
  note_named(w, s, place, from, to);
  note_named(w, s, above, from, to);
  note_named(w, s, above, d->over_begin, d->over_end);
  note_named(w, s, above, d->from_begin, d->from_end);
}

// What the line of a name names, be it here or where that line stands; of a
// function, what its body does, and of a class, what its methods do.
static void note_line(Walk *w, Search *s, AstPlace place, const Definition *d) {
  enum { MAX_LINES = 500 };
  if (d->kind == DEFINES_IMPORT) return;
  if (++s->lines > MAX_LINES) {
    note_any(w, s);
    return;
  }
  if (d->kind == DEFINES_GLOBAL)
    note_value(w, s, place, d);
  else if (d->function)
    note_named(w, s, place, d->decorators, d->end);
  else
    note_class(w, s, d);
}

// What `name`, or `name.member`, of another file does.
static void note_brought(Walk *w, Search *s, AstPlace place, uint32_t index) {
  const Token *tokens = s->file->list.tokens.items;
  const SrcLoc loc = token_loc(&s->file->source, &tokens[index]);
  Symbol symbol = program_lookup_at(w->program, w->diags, s->file, place,
                                    name_at(w, s->file, index), loc);
  while (symbol.kind == SYMBOL_MODULE && tokens[index + 1].kind == TOKEN_DOT &&
         tokens[index + 2].kind == TOKEN_NAME) {
    index += 2;
    symbol = program_member(
        w->program, w->diags, symbol,
        program_intern(w->program, name_at(w, s->file, index)), loc);
  }
  const Definition *d =
      symbol.file && symbol.name && symbol.kind != SYMBOL_MODULE
          ? file_find(symbol.file, symbol.name)
          : NULL;
  if (!d || !is_first_time(w, s, d)) return;
  AstFile *const here = s->file;
  s->file = d->file;
  note_line(w, s, (AstPlace){0}, d);
  s->file = here;
}

// `name.member` and so on, where that is known.
static void note_members(Walk *w, Search *s, AstPlace place, uint32_t begin,
                         uint32_t end) {
  const Token *tokens = s->file->list.tokens.items;
  for (uint32_t i = begin + 1; i + 1 < end; i += 2) {
    if (tokens[i].kind != TOKEN_DOT || tokens[i + 1].kind != TOKEN_NAME) return;
    const Expr *expr = program_parse_quietly(w->program, s->file, begin, i + 2);
    const Object *x = expr ? value_of_line(w, s->file, place, expr) : NULL;
    if (x) note_deep(w, s->home, s->change, x);
  }
}

// What it gives, or is, nobody knows.
static bool is_dark(void *context, const Object *x) {
  (void)context;
  return object_is_callable(x) || x->kind == OBJECT_SYMBOL;
}

// `.name` and `name=` are no names of the file.
static bool is_own_name(const AstFile *file, uint32_t index) {
  const Token *tokens = file->list.tokens.items;
  return tokens[index].kind == TOKEN_NAME &&
         (!index || tokens[index - 1].kind != TOKEN_DOT);
}

// `name[index]`, `name.get(key)`
static bool has_part(const AstFile *file, uint32_t index, uint32_t end) {
  const int after = file->list.tokens.items[index + 1].kind;
  return index + 1 < end && (after == TOKEN_LBRACKET || after == TOKEN_DOT);
}

// All that what the tokens name may hold; of a name whose value is not known,
// or is or holds a function, what its line names.
static void note_named(Walk *w, Search *s, AstPlace place, uint32_t begin,
                       uint32_t end) {
  const bool *named = named_tokens(w->program, s->file);
  for (uint32_t i = begin; i < end; i++) {
    if (!named[i] || !is_own_name(s->file, i)) continue;
    const char *name = name_at(w, s->file, i);
    if (map_get_text(&s->file->rebound, name, strlen(name))) note_any(w, s);
    const Definition *d = definition_at(w, s->file, place, i);
    if (d) note_members(w, s, place, i, end);
    if (d && d->kind == DEFINES_IMPORT) note_brought(w, s, place, i);
    if (d && !is_first_time(w, s, d)) continue;
    w->guessed = false;
    const Object *x = thing_named(w, s->file, place, i);
    const bool known = x && !w->guessed && !walk_reaches(w, x, is_dark, NULL);
    if (x) note_deep(w, s->home, s->change, x);
    // What was put into it, unseen, may be anything.
    const bool unseen =
        w->guessed || map_get_text(&s->file->touched, name, strlen(name));
    if (x && unseen && is_shared(x) && has_part(s->file, i, end))
      note_any(w, s);
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

// `SUM += 1` in a loop that leaves a number.
static bool is_number_after(Walk *w, AstFile *file, const AstChange *change) {
  if (!change->after || change->end != change->begin + 1) return false;
  const AstPlace below = {.prefix = change->place.prefix,
                          .order = change->after};
  const Object *x = thing_named(w, file, below, change->begin);
  return x && object_is_number(x);
}

// Behind the brackets of `name.member(...)`; `index`: it is no call.
static uint32_t after_call(const AstFile *file, uint32_t index, uint32_t end) {
  const Token *tokens = file->list.tokens.items;
  uint32_t i = index + 1;
  while (i + 1 < end && tokens[i].kind == TOKEN_DOT) i += 2;
  if (i >= end || tokens[i].kind != TOKEN_LPAREN) return index;
  int depth = 0;
  do depth += token_nesting((int)tokens[i++].kind);
  while (depth > 0 && i < end);
  return i;
}

// Can it be computed?  Then it changes nothing.
static bool is_computed(Walk *w, const Search *s, uint32_t begin,
                        uint32_t end) {
  const Expr *expr = program_parse_quietly(w->program, s->file, begin, end);
  w->guessed = false;
  const Object *x =
      expr ? value_of_line(w, s->file, s->change->place, expr) : NULL;
  return x && !w->guessed && !walk_reaches(w, x, is_dark, NULL);
}

// `triton.autotune(...)` calls what it is given when the kernel is launched.
static bool names_tuner(Walk *w, AstFile *file, uint32_t begin, uint32_t end) {
  const Scanner s = {.program = w->program, .file = file};
  while (begin < end && !scan_is_tuner(&s, begin)) begin++;
  return begin < end;
}

// What the tokens of the change name, but for the calls that are computed.
static void note_change(Walk *w, Search *s) {
  const AstChange *change = s->change;
  const uint32_t end = change->end;
  const bool tunes = names_tuner(w, s->file, change->begin, end);
  uint32_t from = change->begin;
  for (uint32_t i = from; change->is_call && i < end; i++) {
    const uint32_t after =
        is_own_name(s->file, i) ? after_call(s->file, i, end) : i;
    if (after == i) continue;
    const bool computed = is_computed(w, s, i, after);
    if (!computed && (!tunes || names_tuner(w, s->file, i, after))) continue;
    if (tunes) from = i;
    note_named(w, s, change->place, from, computed ? i : after);
    from = after;
    i = after - 1;
  }
  if (!change->is_call || !tunes) note_named(w, s, change->place, from, end);
}

// A function, or a class, by its name alone: what its body does is not done.
static bool names_code(Walk *w, AstFile *file, const AstChange *change) {
  const char *name = change->end == change->begin + 1 && !change->is_call
                         ? name_at(w, file, change->begin)
                         : NULL;
  if (!name) return false;
  const Symbol symbol = program_lookup_at(
      w->program, w->diags, file, change->place, name,
      token_loc(&file->source, &file->list.tokens.items[change->begin]));
  return symbol.kind == SYMBOL_FUNCTION || symbol.kind == SYMBOL_CLASS ||
         (symbol.kind == SYMBOL_HOST &&
          (!symbol.function || program_is_plain(w->program, &symbol)));
}

static void find_changed(Walk *w, AstFile *file, const AstChange *change) {
  HostRun run;
  Search search = {.file = file, .home = file, .change = change};
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
  if (!known && !is_number_after(w, file, change) &&
      !names_code(w, file, change))
    note_change(w, &search);
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
  if (w->trusts) return;
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
  const Object *kept; // which no other name stands for; or NULL
} Reading;

static bool was_any_changed(const Reading *r) {
  const Changed *c = map_get(&r->w->changed, &anything);
  while (c && !sees(c, r->file, r->order)) c = c->before;
  return c != NULL;
}

static bool was_changed(void *context, const Object *x) {
  const Reading *r = context;
  if (!is_shared(x)) return false;
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
  return is_shared(x);
}

bool walk_was_changed(Walk *w, const AstFile *file, uint32_t order,
                      const Object *x, const Symbol *symbol) {
  if (object_is_number(x) || x->kind == OBJECT_STRING) return false;
  if (w->trusts) {
    w->doubts |= walk_reaches(w, x, may_change, NULL);
    return false;
  }
  walk_find_changes(w);
  Reading reading = {w, file, order, NULL};
  if (symbol && is_shared(x) && was_any_changed(&reading) &&
      program_keeps(w->program, symbol))
    reading.kept = x;
  return w->changed.count && walk_reaches(w, x, was_changed, &reading);
}
