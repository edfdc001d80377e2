// search.c -- objects that the statements of a module change.
//
// Each statement is examined at its place.  A call that can be computed changes
// nothing.  Otherwise any object that its tokens name may change, and so may
// any object in the lines that define those names, and in the bodies of
// functions that these lines name.  But if none of these tokens can change any
// object (scan_suspect()), nothing does.
//
// Example: after `patch(L)`, with `if flag(): x.append(N)` in `def patch(x)`,
// the objects of `L` and `N` count as changed, as flag() is unknown; with
// `print(N)` in place of the append, neither does.
#include "frontend/core/builtins.h"
#include "frontend/host/alias.h"
#include "frontend/module/program.h"
#include "frontend/scan/scan.h"

#include "frontend/host/host.h"
#include "frontend/walk/evaluate.h"

#include <stdlib.h>
#include <string.h>

static const char *name_at(Walk *w, const AstFile *file, uint32_t index) {
  const Token *token = &file->list.tokens.items[index];
  return token->kind == TOKEN_NAME
             ? arena_strndup(w->arena, file->source.text + token->begin,
                             token->end - token->begin)
             : NULL;
}

static SrcLoc loc_of(const AstFile *file, uint32_t index) {
  return token_loc(&file->source, &file->list.tokens.items[index]);
}

// May the host skip the line, so that the name keeps its earlier meaning?
static bool may_be_earlier(const Definition *d) {
  return d->uncertain || d->in_handler;
}

// The value of a name, also if it was changed; NULL: none.
static const Object *thing_called(Walk *w, AstFile *file, AstPlace place,
                                  const char *name, SrcLoc loc) {
  const Symbol symbol =
      program_lookup_at(w->program, w->diags, file, place, name, loc);
  if (symbol.kind != SYMBOL_GLOBAL || map_get(&w->unknown, symbol.global))
    return NULL;
  const Object *x = constant_of_symbol(w, &symbol, loc);
  const Object *known = global_known(w, symbol.global);
  const Definition *d = file_find_visible(w->arena, file, place, name);
  w->guessed = !known || (x && x != known) || (d && may_be_earlier(d));
  if (!x && !known)
    map_put(&w->unknown, w->arena, symbol.global, (void *)symbol.global);
  return x ? x : known;
}

static const Object *thing_named(Walk *w, AstFile *file, AstPlace place,
                                 uint32_t index) {
  const char *name = name_at(w, file, index);
  return name ? thing_called(w, file, place, name, loc_of(file, index)) : NULL;
}

// The objects that the tokens of a change refer to, directly or through the
// definitions of names in them.
typedef struct {
  AstFile *file; // whose tokens are examined now
  AstFile *home; // the file with the change
  const AstChange *change;
  Map asked;                  // definitions that were visited
  int lines;                  // number of lines that were examined
  int suspicion;              // possible effects of the tokens:
                              // SUSPECT_CHANGES, ...
  Vec(const Object *) things; // that the tokens refer to
} ChangeSearch;

static void note_named(Walk *w, ChangeSearch *s, AstPlace place, uint32_t begin,
                       uint32_t end);

// The changed object cannot be followed: it may be any object.
static void note_any(ChangeSearch *s) {
  s->suspicion |= SUSPECT_ALL;
}

static void note_thing(Walk *w, ChangeSearch *s, const Object *x) {
  vec_push(w->arena, &s->things, x);
}

// Cached by the first token, as many statements lead to the same tokens.
static void suspect(Walk *w, ChangeSearch *s, uint32_t begin, uint32_t end) {
  static const int all[] = {0, 1, 2, 3};
  if (begin >= end) return;
  const Token *key = &s->file->list.tokens.items[begin];
  const int *known = map_get(&w->suspicions, key);
  if (!known) {
    const Scanner scanner = {.program = w->program, .file = s->file};
    known = &all[scan_suspect(&scanner, begin, end)];
    map_put(&w->suspicions, w->arena, key, (void *)known);
  }
  s->suspicion |= *known;
}

static bool is_first_time(Walk *w, ChangeSearch *s, const Definition *d) {
  if (map_get(&s->asked, d)) return false;
  map_put(&s->asked, w->arena, d, (void *)d);
  return true;
}

static void note_tokens(Walk *w, ChangeSearch *s, AstPlace place,
                        uint32_t begin, uint32_t end) {
  suspect(w, s, begin, end);
  note_named(w, s, place, begin, end);
}

static void note_line(Walk *w, ChangeSearch *s, AstPlace place,
                      const Definition *d);

// Notes the objects in the lines of the methods and members of a class.
static void note_class(Walk *w, ChangeSearch *s, const Definition *class) {
  const char *prefix = arena_printf(w->arena, "%s.", class->name);
  const AstFile *file = class->file;
  for (size_t i = 0; i < file->names.count; i++) {
    const char *name = file->names.items[i];
    const Definition *d =
        strncmp(name, prefix, strlen(prefix)) ? NULL : file_find(file, name);
    if (d && is_first_time(w, s, d))
      note_line(w, s, (AstPlace){.prefix = prefix}, d);
  }
  note_tokens(w, s, (AstPlace){0}, class->begin, class->end);
}

static void note_value(Walk *w, ChangeSearch *s, AstPlace place,
                       const Definition *d) {
  const AstRun *run = d->global->run;
  const uint32_t from = run ? run->function.begin : d->begin;
  const uint32_t to = run ? run->function.end : d->end;
  const AstPlace above = {
      .prefix = place.prefix, .within = place.within, .order = d->order};
  const bool told =
      from < to || d->over_begin < d->over_end || d->from_begin < d->from_end;
  if (!told) note_any(s);
  if (d->from_begin < d->from_end && d->before &&
      is_first_time(w, s, d->before))
    note_line(w, s, place, d->before); // value before the loop's first turn
  note_tokens(w, s, place, from, to);
  note_named(w, s, above, from, to);
  note_tokens(w, s, above, d->over_begin, d->over_end);
  note_tokens(w, s, above, d->from_begin, d->from_end);
}

// Notes the objects that the line of definition `d` refers to, with the body of
// a function or the methods of a class.
static void note_line(Walk *w, ChangeSearch *s, AstPlace place,
                      const Definition *d) {
  enum { MAX_LINES = 500, MAX_ALL_LINES = 5000 };
  if (d->kind == DEFINES_IMPORT) return;
  w->num_lines++;
  if (++s->lines > MAX_LINES || w->num_lines > MAX_ALL_LINES) {
    s->suspicion = SUSPECT_CHANGES | SUSPECT_ALL;
    return;
  }
  if (d->kind == DEFINES_GLOBAL) {
    note_value(w, s, place, d);
  } else if (d->function) {
    note_tokens(w, s, place, d->decorators, d->begin);
    note_tokens(w, s, place, d->begin, d->end);
  } else {
    note_class(w, s, d);
  }
}

// Notes the objects of `name` or `name.member`, if another file defines them.
static void note_brought(Walk *w, ChangeSearch *s, AstPlace place,
                         uint32_t index) {
  const Token *tokens = s->file->list.tokens.items;
  const SrcLoc loc = loc_of(s->file, index);
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

// Notes the object of each `name.member`, if it is known.
static void note_members(Walk *w, ChangeSearch *s, AstPlace place,
                         uint32_t begin, uint32_t end) {
  const Token *tokens = s->file->list.tokens.items;
  for (uint32_t i = begin + 1; i + 1 < end; i += 2) {
    if (tokens[i].kind != TOKEN_DOT || tokens[i + 1].kind != TOKEN_NAME) return;
    const Expr *expr = program_parse_quietly(w->program, s->file, begin, i + 2);
    const Object *x = expr ? value_of_line(w, s->file, place, expr) : NULL;
    if (x) note_thing(w, s, x);
  }
}

// Does the object have unknown results or parts?
static bool is_dark(void *context, const Object *x) {
  (void)context;
  return object_is_callable(x) || x->kind == OBJECT_SYMBOL;
}

// `.name` does not refer to a name of the file.  The name of a keyword in a
// call, `f(name=1)`, counts as one that does.
static bool is_own_name(const AstFile *file, uint32_t index) {
  const Token *tokens = file->list.tokens.items;
  return tokens[index].kind == TOKEN_NAME &&
         (!index || tokens[index - 1].kind != TOKEN_DOT);
}

// Is a part of the object read: `name[index]`, `name.get(key)`?
// `name.append(value)` and `name[0] = value` read none.
static bool has_part(Walk *w, const ChangeSearch *s, uint32_t index,
                     uint32_t end) {
  const Scanner scanner = {.program = w->program, .file = s->file};
  const uint32_t after = scan_after_trailer(&scanner, index + 1, end);
  if (after <= index + 1) return false;
  if (scan_kind(&scanner, index + 1) == TOKEN_DOT)
    return !scan_changes(&scanner, index + 2) ||
           scan_is_word(&scanner, index + 2, "pop");
  const int next = scan_kind(&scanner, after);
  return next != TOKEN_ASSIGN && scan_operator(next) == OPERATOR_COUNT &&
         (next != TOKEN_COMMA || !scan_is_one_target(&scanner, after, end));
}

// Notes the object of the name and all that it holds.  If the object is
// unknown, or is or holds a function, notes also the objects that its line
// refers to.
static void note_name(Walk *w, ChangeSearch *s, AstPlace place,
                      const char *name, SrcLoc loc, bool part) {
  const Definition *d = file_find_visible(w->arena, s->file, place, name);
  if (map_get_text(&s->file->rebound, name, strlen(name))) note_any(s);
  if (d && !is_first_time(w, s, d)) return;
  w->guessed = false;
  const Object *x = thing_called(w, s->file, place, name, loc);
  const bool known = x && !w->guessed && !walk_reaches(w, x, is_dark, NULL);
  if (x) note_thing(w, s, x);
  // Code that is not followed may have put any object into the object of the
  // name.
  const bool unseen =
      w->guessed || map_get_text(&s->file->touched, name, strlen(name));
  if (x && unseen && object_is_shared(x) && part) note_any(s);
  if (known) return;
  for (; d; d = may_be_earlier(d) ? d->before : NULL) note_line(w, s, place, d);
}

// Notes the objects of the words in code as text: `f"{L.append(1)}"`,
// `eval("f(L)")`.
static void note_text(Walk *w, ChangeSearch *s, AstPlace place,
                      uint32_t token) {
  const Scanner scanner = {.program = w->program, .file = s->file};
  size_t length;
  const char *text = scan_text(&scanner, token, &length);
  const char *const end = text + length;
  if (!scan_is_code(&scanner, token)) return;
  while (text < end) {
    const size_t n = scan_word(text);
    const char *name =
        program_intern(w->program, arena_strndup(w->arena, text, n));
    const char *after = text + n + strspn(text + n, " ");
    const bool binds = after[0] == '=' && after[1] != '=';
    if (n && !binds && file_find(s->file, name))
      note_name(w, s, place, name, loc_of(s->file, token), text[n] == '[');
    text += n ? n : 1;
  }
}

static void note_named(Walk *w, ChangeSearch *s, AstPlace place, uint32_t begin,
                       uint32_t end) {
  const bool *named = named_tokens(w->program, s->file);
  for (uint32_t i = begin; i < end; i++) {
    note_text(w, s, place, i);
    if (!named[i] || !is_own_name(s->file, i)) continue;
    const char *name = name_at(w, s->file, i);
    const Definition *d = file_find_visible(w->arena, s->file, place, name);
    if (d) note_members(w, s, place, i, end);
    if (!d || d->kind == DEFINES_IMPORT) note_brought(w, s, place, i);
    note_name(w, s, place, name, loc_of(s->file, i), has_part(w, s, i, end));
  }
}

// The changed object, if it can be computed.
static const Object *thing_changed(Walk *w, AstFile *file,
                                   const AstChange *change) {
  if (change->is_applied) return NULL;
  if (change->end == change->begin + 1)
    return thing_named(w, file, change->place, change->begin);
  const Expr *expr =
      program_parse_quietly(w->program, file, change->begin, change->end);
  return expr ? value_of_line(w, file, change->place, expr) : NULL;
}

// `SUM += 1` in a loop, after which SUM is a number: no object has changed.
static bool is_number_after(Walk *w, AstFile *file, const AstChange *change) {
  if (!change->after || change->end != change->begin + 1) return false;
  const AstPlace below = {.prefix = change->place.prefix,
                          .within = change->place.within,
                          .order = change->after};
  const Object *x = thing_named(w, file, below, change->begin);
  return x && object_is_number(x);
}

// The token behind the brackets of `name.member(...)`; `index` if that is no
// call.
static uint32_t after_call(const Scanner *s, uint32_t index, uint32_t end) {
  uint32_t i = index + 1;
  while (i + 1 < end && scan_kind(s, i) == TOKEN_DOT) i += 2;
  if (i >= end || scan_kind(s, i) != TOKEN_LPAREN) return index;
  return scan_after_brackets(s, i);
}

// Can the call be computed?  Then it changes nothing, but its result may be
// changed later.
static bool is_computed(Walk *w, ChangeSearch *s, uint32_t begin,
                        uint32_t end) {
  const Expr *expr = program_parse_quietly(w->program, s->file, begin, end);
  w->guessed = false;
  const Object *x =
      expr ? value_of_line(w, s->file, s->change->place, expr) : NULL;
  const bool known = x && !w->guessed && !walk_reaches(w, x, is_dark, NULL);
  if (known) note_thing(w, s, x);
  return known;
}

// `triton.autotune(...)` calls its arguments when the kernel is launched.
static bool names_tuner(Walk *w, AstFile *file, uint32_t begin, uint32_t end) {
  const Scanner s = {.program = w->program, .file = file};
  while (begin < end && !scan_is_tuner(&s, begin)) begin++;
  return begin < end;
}

// Notes the objects that the tokens of the change refer to, except those in
// calls that are computed.
static void note_change(Walk *w, ChangeSearch *s) {
  const AstChange *change = s->change;
  const uint32_t end = change->end;
  const Scanner scanner = {.program = w->program, .file = s->file};
  const bool tunes = names_tuner(w, s->file, change->begin, end);
  uint32_t from = change->begin;
  for (uint32_t i = from; !change->is_applied && change->is_call && i < end;
       i++) {
    const uint32_t after =
        is_own_name(s->file, i) ? after_call(&scanner, i, end) : i;
    if (after == i) continue;
    const bool computed = is_computed(w, s, i, after);
    if (!computed && (!tunes || names_tuner(w, s->file, i, after))) continue;
    if (tunes) from = i;
    note_tokens(w, s, change->place, from, computed ? i : after);
    from = after;
    i = after - 1;
  }
  if (!change->is_call || !tunes) note_tokens(w, s, change->place, from, end);
}

// The bare name of a function or class: its body does not run.
static bool names_code(Walk *w, AstFile *file, const AstChange *change) {
  const char *name = change->end == change->begin + 1 && !change->is_call
                         ? name_at(w, file, change->begin)
                         : NULL;
  if (!name) return false;
  const Symbol symbol =
      program_lookup_at(w->program, w->diags, file, change->place, name,
                        loc_of(file, change->begin));
  return symbol.kind == SYMBOL_FUNCTION || symbol.kind == SYMBOL_CLASS ||
         (symbol.kind == SYMBOL_HOST &&
          (!symbol.function || program_is_plain(w->program, &symbol)));
}

static bool is_symbol(void *context, const Object *x) {
  (void)context;
  return x->kind == OBJECT_SYMBOL;
}

// Is the change part of a statement that is run?  Its effects are then known.
static bool is_run(Walk *w, AstFile *file, const AstChange *change) {
  const Definition *d = change->run;
  if (!change->is_call || !d) return false;
  const AstPlace below = {.order = d->order + 1};
  const Symbol symbol =
      program_lookup_at(w->program, w->diags, file, below, d->name, d->loc);
  w->guessed = false;
  const bool found = symbol.kind == SYMBOL_GLOBAL && symbol.global->run &&
                     symbol.global->run == d->global->run;
  return found && run_value(w, &symbol) && !w->guessed;
}

static bool is_known(Walk *w, const AstChange *change, const Object *x) {
  if (!x || w->guessed || object_is_of_host(x)) return false;
  return change->is_call ? !walk_reaches(w, x, is_symbol, NULL)
                         : !object_is_callable(x);
}

// Notes the objects that the statement may change, if its tokens can change
// any.
static void search_change(Walk *w, ChangeSearch *s) {
  const AstChange *change = s->change;
  s->suspicion = change->is_call ? 0 : SUSPECT_CHANGES;
  note_change(w, s);
  if (!(s->suspicion & SUSPECT_CHANGES)) return;
  for (size_t i = 0; i < s->things.count; i++)
    walk_note_changed(w, s->home, change, s->things.items[i]);
  if (s->suspicion & SUSPECT_ALL) walk_note_changed(w, s->home, change, NULL);
}

static void find_thing(Walk *w, AstFile *file, const AstChange *change) {
  ChangeSearch search = {.file = file, .home = file, .change = change};
  if (is_run(w, file, change)) return;
  w->guessed = false;
  const Object *x = thing_changed(w, file, change);
  const bool known = is_known(w, change, x);
  if (x && !change->is_call && !change->is_after_loop) {
    if (change->is_deep)
      walk_note_changed(w, file, change, x);
    else
      walk_note_one_changed(w, file, change, x);
  }
  if (!known && !is_number_after(w, file, change) &&
      !names_code(w, file, change))
    search_change(w, &search);
}

typedef struct {
  AstFile *file;
  const AstChange *change;
} ChangeAt;

static const void *find_step(Walk *w, void *context) {
  const ChangeAt *at = context;
  find_thing(w, at->file, at->change);
  return NULL;
}

static void find_changed(Walk *w, AstFile *file, const AstChange *change) {
  ChangeAt at = {file, change};
  w->num_replays++;
  walk_searching(w, find_step, &at);
}

static void find_in_file(Walk *w, AstFile *file) {
  const void *seen = map_get(&w->searched, file);
  if (seen || !file->changes.count) return;
  map_put(&w->searched, w->arena, file, file);
  for (size_t i = 0; i < file->changes.count; i++)
    find_changed(w, file, &file->changes.items[i]);
}

// Is the file searched for changes of objects of `of`?  Only `of`, the file
// that asks and the main file are searched.  Other files are only imported: the
// run of the modules finds their changes (`World.is_told`).
static bool is_searched(const Walk *w, const AstFile *file, const AstFile *of) {
  return file == of || file == program_main_file(w->program) ||
         (w->frame && file == w->frame->file);
}

// Imported files are searched first: their statements run before those of the
// importing file.
void walk_find_changes(Walk *w, const AstFile *of) {
  if (w->trusts) return;
  for (size_t i = w->program->files.count; i-- > 0;) {
    AstFile *file = w->program->files.items[i];
    if (is_searched(w, file, of)) find_in_file(w, file);
  }
}
