// write.c -- writes of functions and of other files to a file's globals.
//
// The time when a function is called is unknown.  So a global that a function
// assigns has no known value anywhere, and an object that a function changes in
// place has none for kernels.  Names that the function itself binds are local.
//
// For example, with `N = 4` and `SIZES = [1, 2]` in a file, `def f(): global N;
// N = 8` and `def g(n): SIZES.append(n)` leave a kernel that reads N or SIZES
// with an error; after `def h(): P = 6`, the global P keeps its value.
#include "frontend/scan/parts.h"

#include "frontend/module/module.h"

#include <string.h>

void scan_rebind(Scanner *s, AstFile *file, const char *name, uint32_t token) {
  Definition *d = scan_make(s, DEFINES_GLOBAL, name, token);
  d->parsed = true;
  map_put_text(&file->rebound, s->program->arena, name, strlen(name), d);
}

Symbol scan_brought(const Scanner *s, uint32_t token) {
  enum { MAX_ALIASES = 8 };
  const Symbol nothing = {.kind = SYMBOL_ABSENT};
  const char *name = scan_intern(s, "", token);
  const Definition *d = file_find(s->file, name);
  for (int i = 0;
       i < MAX_ALIASES && d && d->kind == DEFINES_GLOBAL &&
       d->end == d->begin + 1 && scan_kind(s, d->begin) == TOKEN_NAME;
       i++) {
    token = d->begin;
    name = scan_intern(s, "", token);
    d = file_find(s->file, name);
  }
  const bool alias = d && d->kind == DEFINES_GLOBAL && d->begin < d->end &&
                     scan_kind(s, d->begin) == TOKEN_NAME &&
                     scan_after_trailers(s, d->begin + 1, d->end) == d->end;
  if (d ? d->kind != DEFINES_IMPORT && !alias : !s->file->star_imports.count)
    return nothing;
  const bool language = d && d->kind == DEFINES_IMPORT && !d->import.level &&
                        is_language(d->import.module);
  if (s->is_imported && !language) return nothing;
  DiagList quiet;
  diag_init_muted(&quiet, s->program->arena);
  s->program->aside++;
  const Symbol symbol =
      program_lookup(s->program, &quiet, s->file, name, scan_loc(s, token));
  s->program->aside--;
  return symbol.file == s->file ? nothing : symbol;
}

Symbol scan_member_of(const Scanner *s, Symbol module, uint32_t token) {
  DiagList quiet;
  diag_init_muted(&quiet, s->program->arena);
  s->program->aside++;
  const Symbol member =
      program_member(s->program, &quiet, module, scan_intern(s, "", token),
                     scan_loc(s, token));
  s->program->aside--;
  return member;
}

// The name, as its file has it, of a member of another file or class; NULL if
// the symbol has no members.
static const char *member_name(const Scanner *s, const Symbol *of,
                               const char *name) {
  if (of->kind == SYMBOL_MODULE) return name;
  if (of->kind != SYMBOL_HOST && of->kind != SYMBOL_CLASS) return NULL;
  const char *whole = arena_printf(s->program->arena, "%s.%s", of->name, name);
  return program_intern(s->program, whole);
}

void scan_set_of_language(const Scanner *s, const Symbol *module,
                          const char *name) {
  Program *program = s->program;
  const char *whole = arena_printf(program->arena, "%s.%s", module->name, name);
  map_put_text(&program->language_members, program->arena, whole, strlen(whole),
               program);
}

void scan_rebind_member(Scanner *s, uint32_t token, const char *name) {
  const Symbol symbol = scan_brought(s, token);
  if (symbol.kind == SYMBOL_BUILTIN) {
    scan_set_of_language(s, &symbol, name);
    return;
  }
  const char *member = member_name(s, &symbol, name);
  if (member) {
    scan_rebind(s, symbol.file, member, token);
    return;
  }
  const char *whole =
      arena_printf(s->program->arena, "%s.%s", scan_intern(s, "", token), name);
  scan_rebind(s, s->file, program_intern(s->program, whole), token);
}

// Does the colon end the header of a statement such as `if x:`?  The colon of
// an annotation does not.
static bool ends_header(const Scanner *s, uint32_t colon) {
  int depth = 0;
  uint32_t i = colon;
  for (; i > 0 && !scan_ends_statement(scan_kind(s, i - 1)); i--) {
    const int kind = scan_kind(s, i - 1);
    depth -= token_nesting(kind);
    if (depth < 0 || (!depth && kind == TOKEN_COLON)) return false;
  }
  return scan_kind(s, i) != TOKEN_NAME;
}

bool scan_is_target(const Scanner *s, uint32_t token, uint32_t end) {
  const int before = scan_kind(s, token - 1), after = scan_kind(s, end);
  if (after == TOKEN_COMMA) return scan_is_one_target(s, end, UINT32_MAX);
  return after == TOKEN_ASSIGN &&
         (scan_ends_statement(before) || before == TOKEN_ASSIGN ||
          before == TOKEN_COMMA ||
          (before == TOKEN_COLON && ends_header(s, token - 1)));
}

// `NAME.math.cos = value`
static void write_language(Scanner *s, Symbol module, uint32_t token) {
  const uint32_t end = scan_callee_end(s, token);
  if (end < token + 3 || !scan_is_target(s, token, end)) return;
  for (uint32_t i = token + 2; i < end - 1; i += 2)
    module = scan_member_of(s, module, i);
  if (module.kind == SYMBOL_BUILTIN)
    scan_set_of_language(s, &module, scan_intern(s, "", end - 1));
}

void scan_write_other(Scanner *s, uint32_t token) {
  Symbol symbol = scan_brought(s, token);
  write_language(s, symbol, token);
  while (scan_kind(s, token + 1) == TOKEN_DOT &&
         scan_kind(s, token + 2) == TOKEN_NAME) {
    token += 2;
    const char *name = scan_intern(s, "", token);
    const char *member = member_name(s, &symbol, name);
    if (!member) return;
    const Symbol next = scan_member_of(s, symbol, token);
    const bool inner = next.kind == SYMBOL_MODULE ||
                       (next.kind == SYMBOL_HOST && !next.function) ||
                       next.kind == SYMBOL_CLASS;
    const bool last = scan_kind(s, token + 1) != TOKEN_DOT ||
                      scan_kind(s, token + 2) != TOKEN_NAME;
    if (!inner || last) {
      scan_rebind(s, symbol.file, member, token);
      return;
    }
    symbol = next;
  }
}

// -- Bodies of functions -----------------------------------------------------

static void bind(const Scanner *s, Map *names, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  map_put_text(names, s->program->arena, text, length, (void *)text);
}

// `f"{(NAME := value)}"`
static void bind_walruses(const Scanner *s, Map *names, uint32_t token) {
  Names bound = {0};
  scan_walruses(s, token, &bound);
  for (size_t i = 0; i < bound.count; i++)
    map_put_text(names, s->program->arena, bound.items[i],
                 strlen(bound.items[i]), (void *)bound.items[i]);
}

// `a, (b, *c)`: binds each name in the tokens that is a whole target.
static void bind_targets(const Scanner *s, Map *names, uint32_t begin,
                         uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    const int after = scan_kind(s, i + 1);
    if (scan_kind(s, i) == TOKEN_NAME && scan_kind(s, i - 1) != TOKEN_DOT &&
        after != TOKEN_DOT && after != TOKEN_LBRACKET && after != TOKEN_LPAREN)
      bind(s, names, i);
  }
}

// The first token of this kind, within few tokens, as lists of targets are
// short; else `end`.
static uint32_t find_kind(const Scanner *s, uint32_t begin, uint32_t end,
                          int kind) {
  enum { MAX_TOKENS = 100 };
  if (end > begin + MAX_TOKENS) end = begin + MAX_TOKENS;
  while (begin < end && scan_kind(s, begin) != kind) begin++;
  return begin;
}

// The names that a function binds: its parameters, and targets.
static Map names_bound(const Scanner *s, uint32_t begin, uint32_t end) {
  Map names = {0};
  int depth = 0;
  bool in_lambda = false; // before the colon of a lambda
  bool in_def = false;    // in the header of an inner function
  const uint32_t header = scan_header_end(s, begin);
  uint32_t statement = header + 1;
  for (uint32_t i = begin; i < end; i++) {
    const int kind = scan_kind(s, i), before = scan_kind(s, i - 1);
    depth += token_nesting(kind);
    in_lambda = kind == TOKEN_LAMBDA || (in_lambda && kind != TOKEN_COLON);
    in_def = kind == TOKEN_DEF || (in_def && (depth || kind != TOKEN_COLON));
    if (!depth && scan_begins_statement(before)) statement = i;
    if (kind == TOKEN_ASSIGN && !depth && i > header) {
      bind_targets(s, &names, statement, i);
      statement = i + 1;
    }
    if (kind == TOKEN_FOR)
      bind_targets(s, &names, i + 1, find_kind(s, i, end, TOKEN_IN));
    if (i == statement && scan_is_word(s, i, "case"))
      bind_targets(s, &names, i + 1, find_kind(s, i, end, TOKEN_COLON));
    if (kind == TOKEN_FSTRING) bind_walruses(s, &names, i);
    if (kind != TOKEN_NAME) continue;
    const bool in_header = i < header || (in_def && depth);
    const bool bound = (in_header && before != TOKEN_ASSIGN) ||
                       before == TOKEN_AS || in_lambda ||
                       scan_kind(s, i + 1) == TOKEN_WALRUS;
    if (bound) bind(s, &names, i);
  }
  return names;
}

static uint32_t scan_global_names(Scanner *s, uint32_t i, uint32_t end) {
  for (; i < end && scan_kind(s, i) != TOKEN_NEWLINE; i++) {
    if (scan_kind(s, i) == TOKEN_SEMICOLON) break;
    if (scan_kind(s, i) == TOKEN_NAME)
      scan_rebind(s, s->file, scan_intern(s, "", i), i);
  }
  return i;
}

// Is the token in brackets?  Not if both ends of them are far away.
static bool is_in_brackets(const Scanner *s, uint32_t token) {
  enum { MAX_TOKENS = 200 };
  int depth = 0;
  for (uint32_t i = token; i && token - i < MAX_TOKENS; i--) {
    const int kind = scan_kind(s, i - 1);
    if (scan_ends_statement(kind)) return false;
    depth -= token_nesting(kind);
    if (depth < 0) return true;
  }
  depth = 0;
  for (uint32_t i = token; i - token < MAX_TOKENS; i++) {
    const int kind = scan_kind(s, i);
    if (scan_ends_statement(kind) || kind == TOKEN_END) return false;
    depth += token_nesting(kind);
    if (depth < 0) return true;
  }
  return false;
}

bool scan_is_one_target(const Scanner *s, uint32_t comma, uint32_t end) {
  const uint32_t assign = find_kind(s, comma, end, TOKEN_ASSIGN);
  int depth = 0;
  for (uint32_t i = comma; i < assign; i++) {
    const int kind = scan_kind(s, i);
    depth += token_nesting(kind);
    if (depth < 0 || kind == TOKEN_NEWLINE || kind == TOKEN_SEMICOLON)
      return false;
  }
  // In brackets, `=` belongs to a keyword argument.
  return !depth && scan_kind(s, assign) == TOKEN_ASSIGN &&
         !is_in_brackets(s, assign);
}

// `NAME.add` where NAME is a file that has a function `add`.
static bool is_function_of_file(const Scanner *s, uint32_t token) {
  const Symbol of = scan_brought(s, token);
  if (of.kind != SYMBOL_MODULE) return false;
  return scan_member_of(s, of, token + 2).kind == SYMBOL_FUNCTION;
}

bool scan_is_changed(const Scanner *s, uint32_t token, uint32_t after) {
  return after > token + 1 && scan_changes(s, after - 1) &&
         (after > token + 3 || !is_function_of_file(s, token));
}

// `NAME.x = value`, `NAME[i] += value`, `NAME.x.append(value)`
static bool is_write(const Scanner *s, uint32_t token, uint32_t end) {
  const uint32_t after = scan_after_trailers(s, token + 1, end);
  const int kind = scan_kind(s, after);
  return kind == TOKEN_ASSIGN || scan_operator(kind) != OPERATOR_COUNT ||
         scan_kind(s, token - 1) == TOKEN_DEL ||
         scan_is_changed(s, token, after) ||
         (kind == TOKEN_COMMA && scan_is_one_target(s, after, end));
}

static void touch(Scanner *s, uint32_t token) {
  const char *name = scan_intern(s, "", token);
  map_put_text(&s->file->touched, s->program->arena, name, strlen(name),
               (void *)name);
}

static void scan_write(Scanner *s, uint32_t token) {
  const char *name = scan_intern(s, "", token);
  touch(s, token);
  if (scan_kind(s, token + 1) != TOKEN_DOT) return;
  const char *prefix = arena_printf(s->program->arena, "%s.", name);
  scan_rebind(s, s->file, scan_intern(s, prefix, token + 2), token);
  scan_write_other(s, token);
}

// The names in a header, parameters among them.
static Map names_in(const Scanner *s, uint32_t begin, uint32_t end) {
  Map names = {0};
  for (uint32_t i = begin; i < end; i++)
    if (scan_kind(s, i) == TOKEN_NAME) bind(s, &names, i);
  return names;
}

// `M = thing`: M becomes another name of the object.
static bool is_other_name(const Scanner *s, uint32_t token) {
  return scan_kind(s, token + 1) == TOKEN_ASSIGN &&
         scan_kind(s, token + 2) == TOKEN_NAME &&
         scan_kind(s, token + 3) == TOKEN_NEWLINE;
}

// `M += value`, where M is a parameter or another name of an object.
static bool is_updated(const Scanner *s, uint32_t token, const Map *others) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  return scan_operator(scan_kind(s, token + 1)) != OPERATOR_COUNT &&
         map_get_text(others, text, length);
}

// The function changes the object of the local name at `token`: notes a change
// of the file's objects that it binds to that name, or that are its default.
// `seen`: tokens of bindings that were followed.
static void touch_sources(Scanner *s, uint32_t token, const Map *bound,
                          Map *seen, uint32_t begin, uint32_t end) {
  const Token *tokens = s->file->list.tokens.items;
  for (uint32_t i = begin; i < end; i++) {
    const int after = scan_kind(s, i + 1), kind = scan_kind(s, i + 2);
    if ((after != TOKEN_ASSIGN && after != TOKEN_IN) || kind != TOKEN_NAME ||
        !scan_is_same_text(s, i, token) || map_get(seen, &tokens[i]))
      continue;
    map_put(seen, s->program->arena, &tokens[i], s);
    const int last = scan_kind(s, scan_after_trailers(s, i + 3, end));
    size_t length;
    const char *text = scan_text(s, i + 2, &length);
    const bool whole = last == TOKEN_NEWLINE || last == TOKEN_COMMA ||
                       last == TOKEN_RPAREN || last == TOKEN_COLON ||
                       last == TOKEN_SEMICOLON;
    if (whole && !map_get_text(bound, text, length))
      touch(s, i + 2);
    else if (whole && begin < i)
      touch_sources(s, i + 2, bound, seen, begin, i);
  }
}

bool scan_writes(Scanner *s, uint32_t begin, uint32_t end) {
  bool changes = false;
  const Map bound = names_bound(s, begin, end);
  const uint32_t header = scan_header_end(s, begin);
  Map others = names_in(s, begin, header), seen = {0};
  s->in_function = true;
  scan_indirect(s, begin, end);
  s->in_function = false;
  for (uint32_t i = header; i < end; i++) {
    const int kind = scan_kind(s, i), after = scan_kind(s, i + 1);
    if (kind == TOKEN_GLOBAL) i = scan_global_names(s, i + 1, end);
    if (kind != TOKEN_NAME) continue;
    if (is_other_name(s, i)) bind(s, &others, i);
    const bool member = scan_kind(s, i - 1) == TOKEN_DOT;
    if (member && scan_changes(s, i) && scan_is_of_result(s, i, begin))
      changes = true;
    const bool dotted = after == TOKEN_DOT || after == TOKEN_LBRACKET;
    if (member || !(dotted ? is_write(s, i, end) : is_updated(s, i, &others)))
      continue;
    size_t length;
    const char *text = scan_text(s, i, &length);
    if (map_get_text(&bound, text, length)) {
      changes = true;
      touch_sources(s, i, &bound, &seen, begin, end);
    } else {
      scan_write(s, i);
    }
  }
  return changes;
}
