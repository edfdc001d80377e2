// indirect.c -- names that are bound by their text.
//
// `globals()["x"] = value`, `sys.modules[__name__].x = value`, `setattr(NAME,
// "x", value)`, `exec("x = 1")`: a name that is bound so has no known value.
// If the text itself is unknown, no name of the file has one.
//
// For example, with `N` and `P` defined above, `globals()["N"] = 8` leaves a
// kernel that reads N with an error, which points at "N"; P keeps its value.
// After `globals()[os.environ["NAME"]] = 8`, neither has a value.
#include "frontend/scan/parts.h"

#include "ir/base/base.h"

#include <string.h>

// The name loses its value: for the lines below, if a statement of the module
// binds it; for all lines, if a function or another file does.
static void forget(Scanner *s, AstFile *file, const char *name,
                   uint32_t token) {
  if (s->in_function || file != s->file)
    scan_rebind(s, file, name, token);
  else
    scan_global(s, name, token, 0, 0);
}

static bool is_value(const Definition *d) {
  return d && d->kind == DEFINES_GLOBAL && !strchr(d->name, '.');
}

static void forget_other(Scanner *s, AstFile *file, uint32_t token) {
  for (size_t i = 0; i < file->names.count; i++) {
    const char *name = file->names.items[i];
    if (is_value(file_find(file, name))) scan_rebind(s, file, name, token);
  }
}

// All names of the file lose their values.  Names up to num_forgotten have lost
// them already, and are skipped.
static void forget_all(Scanner *s, AstFile *file, uint32_t token) {
  if (file != s->file) {
    forget_other(s, file, token);
    return;
  }
  if (s->in_function) {
    s->any_rebound = token;
    return;
  }
  if (s->scope.in_handler && s->scope.tried_well) return; // not reached
  const size_t n = s->file->names.count;
  for (size_t i = s->num_forgotten; i < n; i++) {
    const char *name = s->file->names.items[i];
    if (is_value(file_find(s->file, name))) forget(s, file, name, token);
  }
  s->num_forgotten = s->file->names.count;
}

void scan_rebind_all(Scanner *s) {
  if (s->any_rebound) forget_other(s, s->file, s->any_rebound);
}

// -- Expressions for the module, and for the table of its names --------------

static bool has_kinds(const Scanner *s, uint32_t i, const int *kinds, int n) {
  for (int k = 0; k < n; k++) {
    if (scan_kind(s, i + (uint32_t)k) != kinds[k]) return false;
  }
  return true;
}

// The token behind `globals()` at `i`; `i` if there is no such call, or if it
// calls a function of the file.
static uint32_t after_call(const Scanner *s, uint32_t i) {
  static const int call[] = {TOKEN_NAME, TOKEN_LPAREN, TOKEN_RPAREN};
  const bool named = scan_is_word(s, i, "globals") ||
                     (!s->in_function && (scan_is_word(s, i, "locals") ||
                                          scan_is_word(s, i, "vars")));
  return named && has_kinds(s, i, call, 3) ? i + 3 : i;
}

// The token behind `sys.modules[__name__]`, whose `modules` is at `i`; else
// `i`.
static uint32_t after_own(const Scanner *s, uint32_t i) {
  static const int index[] = {TOKEN_NAME, TOKEN_LBRACKET, TOKEN_NAME,
                              TOKEN_RBRACKET};
  static const int call[] = {TOKEN_NAME, TOKEN_LPAREN, TOKEN_NAME,
                             TOKEN_RPAREN};
  const bool own =
      (scan_is_word(s, i, "modules") && has_kinds(s, i, index, 4)) ||
      (scan_is_word(s, i, "import_module") && has_kinds(s, i, call, 4));
  return own && scan_is_word(s, i + 2, "__name__") ? i + 4 : i;
}

// The name that gets the module or its table: `me = sys.modules[__name__]`,
// `table = globals()`.  NULL if the statement is neither.
static const char *alias_of(const Scanner *s, uint32_t i) {
  size_t length;
  const char *text = scan_text(s, i, &length);
  return scan_kind(s, i) == TOKEN_NAME ? map_get_text(&s->aliases, text, length)
                                       : NULL;
}

static uint32_t after_module(const Scanner *s, uint32_t i) {
  const char *alias = alias_of(s, i);
  return alias && !strcmp(alias, "module") ? i + 1 : after_own(s, i);
}

static uint32_t after_table(const Scanner *s, uint32_t i) {
  const char *alias = alias_of(s, i);
  if (alias && !strcmp(alias, "table")) return i + 1;
  const uint32_t module = after_module(s, i);
  if (module > i && scan_kind(s, module) == TOKEN_DOT &&
      scan_is_word(s, module + 1, "__dict__"))
    return module + 2;
  return after_call(s, i);
}

bool scan_is_module(const Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    if (after_table(s, i) == end || after_module(s, i) == end) return true;
    if (scan_kind(s, i + 1) != TOKEN_DOT) return false;
    i++;
  }
  return false;
}

uint32_t scan_alias(const Scanner *s, uint32_t begin, uint32_t end) {
  while (begin > 1 && scan_kind(s, begin - 1) == TOKEN_DOT) begin -= 2;
  const int next = scan_kind(s, end);
  const bool named = begin > 1 && scan_kind(s, begin - 1) == TOKEN_ASSIGN &&
                     scan_kind(s, begin - 2) == TOKEN_NAME &&
                     (next == TOKEN_NEWLINE || next == TOKEN_SEMICOLON);
  return named ? begin - 2 : end;
}

static void note_alias(Scanner *s, uint32_t begin, uint32_t end,
                       const char *what) {
  const uint32_t name = scan_alias(s, begin, end);
  size_t length;
  const char *text = scan_text(s, name, &length);
  if (name < end)
    map_put_text(&s->aliases, s->program->arena, text, length, (void *)what);
}

// -- Names in text -----------------------------------------------------------

// The prefix of a name that is bound through the table of the file's names.
static const char *prefix_in(const Scanner *s, const AstFile *file) {
  return s->in_function || file != s->file ? "" : s->scope.prefix;
}

void scan_forget_quoted(Scanner *s, AstFile *file, uint32_t token) {
  const char *name = scan_quoted_name(s, prefix_in(s, file), token);
  if (name)
    forget(s, file, name, token);
  else
    forget_all(s, file, token);
}

// `update(x=1)`, `update({"x": 1})`, with its bracket at `open`: forgets the
// names in the arguments.
static void forget_updated(Scanner *s, AstFile *file, uint32_t open) {
  const uint32_t end = scan_after_brackets(s, open);
  bool found = false;
  for (uint32_t i = open + 1; i + 1 < end; i++) {
    const int after = scan_kind(s, i + 1), kind = scan_kind(s, i);
    if (kind == TOKEN_NAME && after == TOKEN_ASSIGN) {
      forget(s, file, scan_intern(s, prefix_in(s, file), i), i);
      found = true;
    } else if (kind == TOKEN_STRING && after == TOKEN_COLON) {
      scan_forget_quoted(s, file, i);
      found = true;
    } else if (kind == TOKEN_POWER || kind == TOKEN_FOR) {
      found = false;
      break;
    }
  }
  if (!found) forget_all(s, file, open);
}

// -- Writes ------------------------------------------------------------------

// Are the tokens [begin, end) passed to a function, which may do anything with
// their value?
static bool is_given(const Scanner *s, uint32_t begin, uint32_t end) {
  const int before = scan_kind(s, begin - 1), after = scan_kind(s, end);
  if (!begin || (before != TOKEN_LPAREN && before != TOKEN_COMMA)) return false;
  if (after != TOKEN_RPAREN && after != TOKEN_COMMA) return false;
  if (before == TOKEN_COMMA) return true;
  size_t length;
  const char *text = scan_text(s, begin - 2, &length);
  return scan_kind(s, begin - 2) == TOKEN_NAME &&
         !words_have_span(WORDS_READING_FUNCTIONS, text, length);
}

void scan_write_table(Scanner *s, AstFile *file, uint32_t begin, uint32_t end) {
  static const char *const setters[] = {"__setitem__", "pop", "setdefault"};
  const bool indexed = scan_kind(s, end) == TOKEN_LBRACKET;
  const uint32_t method = scan_kind(s, end) == TOKEN_DOT ? end + 1 : end;
  const uint32_t item = indexed ? scan_after_brackets(s, end) : end;
  const bool changed = item > end && scan_kind(s, item) == TOKEN_DOT &&
                       scan_changes(s, item + 1);
  if (indexed && (changed || scan_assigns(scan_kind(s, item))))
    scan_forget_quoted(s, file,
                       scan_kind(s, end + 2) == TOKEN_RBRACKET ? end + 1 : end);
  else if (scan_is_word(s, method, "update"))
    forget_updated(s, file, method + 1);
  else if (scan_is_one_of(s, method, setters, sizeof setters / sizeof *setters))
    scan_forget_quoted(s, file, method + 2);
  else if (scan_assigns(scan_kind(s, end)) || is_given(s, begin, end))
    forget_all(s, file, begin);
}

// `sys.modules[__name__] = thing` replaces the module by `thing`.
static void write_module(Scanner *s, uint32_t begin, uint32_t end) {
  const char *name = scan_intern(s, prefix_in(s, s->file), end + 1);
  s->file->is_replaced |= scan_kind(s, end) == TOKEN_ASSIGN &&
                          scan_kind(s, end - 1) == TOKEN_RBRACKET;
  if (scan_kind(s, end) == TOKEN_DOT && scan_assigns(scan_kind(s, end + 2)))
    forget(s, s->file, name, end + 1);
  note_alias(s, begin, end, "module");
}

static bool is_self(const Scanner *s, uint32_t token) {
  return s->self && scan_is_word(s, token, s->self);
}

// `setattr(NAME, "x", value)`, where NAME is a class, another file, or any
// expression for the module itself.
static void write_attribute(Scanner *s, uint32_t call) {
  const uint32_t end = scan_after_brackets(s, call + 1);
  uint32_t i = call + 2;
  bool own = false;
  for (; i < end && scan_kind(s, i) != TOKEN_COMMA; i++)
    own |= after_module(s, i) > i;
  if (own) {
    scan_forget_quoted(s, s->file, i + 1);
    return;
  }
  const bool known = i == call + 3 && scan_kind(s, call + 2) == TOKEN_NAME;
  const bool self = known && is_self(s, call + 2);
  const char *name = scan_quoted_name(s, "", i + 1);
  if (!name) s->program->any_given |= !self;
  if (!name || scan_sets_absent(s, call, 0)) return;
  if (known) scan_rebind_member(s, call + 2, name);
  if (self) return;
  if (!known || s->in_function ||
      !file_find(s->file, scan_intern(s, "", call + 2)))
    scan_assign_member(s, name);
}

// Is the table of the module's names among the arguments?
static bool gives_table(const Scanner *s, uint32_t begin, uint32_t end) {
  while (begin < end && after_table(s, begin) == begin) begin++;
  return begin < end;
}

static bool is_literal(const Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  return scan_kind(s, token) == TOKEN_STRING &&
         (text[0] == '"' || text[0] == '\'' || text[0] == 'r');
}

// Forgets each word of a string that is run as code.
static void forget_words(Scanner *s, uint32_t token) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  size_t length;
  const char *text = scan_text(s, token, &length);
  for (const char *end = text + length; text < end;) {
    const size_t n = strspn(text, letters);
    const char *word = arena_strndup(s->program->arena, text, n);
    if (n && file_find(s->file, word))
      forget(s, s->file, program_intern(s->program, word), token);
    text += n ? n : 1;
  }
}

// `exec(code)` sees the names around the call, `exec(code, globals())` those of
// the module.
static void write_by_code(Scanner *s, uint32_t call) {
  const uint32_t end = scan_after_brackets(s, call + 1);
  int depth = 0;
  uint32_t comma = call + 2;
  for (; comma + 1 < end; comma++) {
    depth += token_nesting(scan_kind(s, comma));
    if (!depth && scan_kind(s, comma) == TOKEN_COMMA) break;
  }
  const bool alone = comma + 1 >= end;
  if (alone ? s->in_function : !gives_table(s, comma, end)) return;
  if (!s->in_function && is_literal(s, call + 2) && comma == call + 3)
    forget_words(s, call + 2);
  else
    forget_all(s, s->file, call);
}

// `getattr(thing, "na" + "me")`
static bool computes_name(const Scanner *s, uint32_t call) {
  const uint32_t end = scan_after_brackets(s, call + 1);
  int depth = 0;
  for (uint32_t i = call + 2; i + 1 < end; i++) {
    depth += token_nesting(scan_kind(s, i));
    if (depth || scan_kind(s, i) != TOKEN_COMMA) continue;
    const int after = scan_kind(s, i + 2);
    return after != TOKEN_RPAREN && after != TOKEN_COMMA;
  }
  return false;
}

static bool is_used(const Scanner *s, uint32_t i) {
  const int kind = scan_kind(s, i);
  return kind == TOKEN_LBRACKET || kind == TOKEN_DOT;
}

// Is `modules` that of `sys`, and no folder or method of the same name?
static TextBinding by_modules(const Scanner *s, uint32_t i) {
  const int before = i ? scan_kind(s, i - 1) : TOKEN_NEWLINE;
  const int after = scan_kind(s, i + 1);
  if (after == TOKEN_LPAREN || before == TOKEN_FROM) return TEXT_NEVER;
  if (after == TOKEN_LBRACKET) return TEXT_FOLLOWED;
  const bool own =
      before != TOKEN_DOT || (i > 1 && scan_is_word(s, i - 2, "sys"));
  return own ? TEXT_ANY : TEXT_NEVER;
}

// A call of setattr() is none of these ways: write_attribute() handles it.
static TextBinding by_attribute(const Scanner *s, uint32_t i, bool called) {
  if (!called) return TEXT_ANY;
  const bool reads = scan_is_word(s, i, "getattr");
  return reads && computes_name(s, i) ? TEXT_ANY : TEXT_NEVER;
}

// How may the word bind names?  The text in `exec(code)` is followed; after
// `run = exec`, run() may get any text.
static TextBinding binding_of(const Scanner *s, uint32_t i) {
  const int before = i ? scan_kind(s, i - 1) : TOKEN_NEWLINE;
  const bool called = scan_kind(s, i + 1) == TOKEN_LPAREN;
  if (scan_is_word(s, i, "modules")) return by_modules(s, i);
  if (scan_is_word(s, i, "sys"))
    return before == TOKEN_LPAREN || before == TOKEN_ASSIGN ? TEXT_ANY
                                                            : TEXT_NEVER;
  if (scan_is_listed(s, i, WORDS_ATTRIBUTE_FUNCTIONS))
    return by_attribute(s, i, called);
  if (scan_is_listed(s, i, WORDS_WAYS_TO_GLOBALS)) return TEXT_ANY;
  if (!scan_is_listed(s, i, WORDS_NAMING_ALL)) return TEXT_NEVER;
  if (scan_is_word(s, i, "__dict__")) return TEXT_FOLLOWED;
  if (before == TOKEN_DOT) return TEXT_NEVER;
  if (!called) return TEXT_ANY;
  if (scan_kind(s, i + 2) != TOKEN_RPAREN) return TEXT_FOLLOWED;
  const bool in_class = s->scope.prefix[0] && !s->in_function;
  return is_used(s, i + 3) && !in_class ? TEXT_FOLLOWED : TEXT_ANY;
}

static void note_binding(Scanner *s, uint32_t token) {
  const TextBinding how = binding_of(s, token);
  if (how > s->file->by_text) s->file->by_text = how;
}

void scan_indirect(Scanner *s, uint32_t begin, uint32_t end) {
  scan_environment(s, begin, end);
  for (uint32_t i = begin; i < end; i++) {
    if (scan_kind(s, i) != TOKEN_NAME) continue;
    note_binding(s, i);
    if (!scan_is_member(s, i) || scan_is_way_to_file(s, i)) scan_other(s, i);
    const bool called = scan_kind(s, i + 1) == TOKEN_LPAREN;
    const uint32_t table = after_table(s, i), module = after_module(s, i);
    if (called && (scan_is_listed(s, i, WORDS_ATTRIBUTE_WRITERS) ||
                   (scan_is_word(s, i, "__setattr__") && i > 1 &&
                    scan_is_word(s, i - 2, "type"))))
      write_attribute(s, i);
    if (called && scan_is_word(s, i, "exec")) write_by_code(s, i);
    if (table > i) {
      scan_write_table(s, s->file, i, table);
      note_alias(s, i, table, "table");
    } else if (module > i) {
      write_module(s, i, module);
    }
  }
}
