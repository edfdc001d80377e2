// environment.c -- variables of the environment that lines of a program set.
//
// `os.environ["NAME"] = value`: the variable is unknown from here on.  All
// variables are, if the name is no literal or the mapping itself escapes.  But
// if a function of a file that is not the main one gets the name as its first
// argument, the variables are those that calls of it name.
//
// Example: after `def need(name): os.environ[name] = "1"` and `need("FAST")`,
// FAST is unknown, and other variables are not set.
#include "frontend/scan/parts.h"

#include "ir/base/base.h"

#include <string.h>

// -- Functions that set the variable that they are given ---------------------

// The first `def` around the token that is in no other function; 0: none.
static uint32_t outermost_def(const Scanner *s, uint32_t token) {
  for (uint32_t i = 0; i < token;) {
    if (scan_kind(s, i) != TOKEN_DEF) {
      i++;
      continue;
    }
    const uint32_t end = scan_after_block(s, i);
    if (token < end) return i;
    i = end;
  }
  return 0;
}

// The kind of the first token of the statement that the token is in.
static int statement_kind(const Scanner *s, uint32_t token) {
  while (token && !scan_begins_statement(scan_kind(s, token - 1))) token--;
  return scan_kind(s, token);
}

static bool is_decorated(const Scanner *s, uint32_t def) {
  const int before = scan_kind(s, def - 1);
  if (before != TOKEN_NEWLINE) return !scan_begins_statement(before);
  return statement_kind(s, def - 1) == TOKEN_AT;
}

// `f(NAME, ...)`, `x[NAME]`, `NAME in x`; a nested `def f(NAME)` binds it.
static bool is_read(const Scanner *s, uint32_t name) {
  const int before = scan_kind(s, name - 1), after = scan_kind(s, name + 1);
  if (after == TOKEN_IN || after == TOKEN_NOT)
    return before != TOKEN_FOR && before != TOKEN_COMMA;
  return (before == TOKEN_LPAREN || before == TOKEN_LBRACKET) &&
         (after == TOKEN_RPAREN || after == TOKEN_RBRACKET ||
          after == TOKEN_COMMA) &&
         scan_kind(s, name - 2) == TOKEN_NAME &&
         scan_kind(s, name - 3) != TOKEN_DEF;
}

// Is the variable's name, at the token, the first argument of a function of a
// file that is not the main one?  Then the calls of it tell which are set.
static bool note_setter(Scanner *s, uint32_t token) {
  const uint32_t def =
      s->in_function && s->file != program_main_file(s->program)
          ? outermost_def(s, token)
          : 0;
  const uint32_t first = def + 3;
  if (!def || is_decorated(s, def) || scan_kind(s, first) != TOKEN_NAME ||
      !scan_is_same_text(s, first, token))
    return false;
  const uint32_t end = scan_after_block(s, def);
  for (uint32_t i = first + 1; i < end; i++)
    if (scan_kind(s, i) == TOKEN_NAME && scan_is_same_text(s, i, first) &&
        !is_read(s, i))
      return false;
  vec_push(s->program->arena, &s->program->setters,
           scan_intern(s, "", def + 1));
  return true;
}

static bool holds_word(const Scanner *s, uint32_t token, const char *word) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  const size_t size = strlen(word);
  for (size_t k = 0; k + size <= length; k++)
    if (!strncmp(text + k, word, size)) return true;
  return false;
}

// `from module import NAME`
static bool is_imported(const Scanner *s, uint32_t name) {
  return statement_kind(s, name) == TOKEN_FROM &&
         scan_kind(s, name + 1) != TOKEN_AS;
}

// The setter's name is at the token: `set("NAME", ...)`.
static void note_use(Scanner *s, uint32_t i) {
  if (scan_kind(s, i - 1) == TOKEN_DEF || is_imported(s, i)) return;
  const int after = scan_kind(s, i + 3);
  const char *name = scan_kind(s, i + 1) == TOKEN_LPAREN &&
                             (after == TOKEN_COMMA || after == TOKEN_RPAREN)
                         ? scan_quoted_name(s, "", i + 2)
                         : NULL;
  if (name)
    vec_push(s->program->arena, &s->program->variables, name);
  else
    s->program->any_variable = true;
}

static void note_uses(Scanner *s, const char *setter) {
  for (uint32_t i = 1; i + 1 < s->file->list.tokens.count; i++) {
    const int kind = scan_kind(s, i);
    if (kind == TOKEN_NAME && scan_is_word(s, i, setter)) note_use(s, i);
    if ((kind == TOKEN_STRING || kind == TOKEN_FSTRING) &&
        holds_word(s, i, setter))
      s->program->any_variable = true;
  }
}

static void note_calls(Program *program, AstFile *file) {
  Scanner s = {.program = program, .file = file};
  for (; file->num_setters < program->setters.count; file->num_setters++)
    note_uses(&s, program->setters.items[file->num_setters]);
}

void scan_calls_of_setters(Program *program) {
  for (size_t i = 0; i < program->lexed.count; i++)
    note_calls(program, program->lexed.items[i]);
}

// -- Lines that set variables ------------------------------------------------

static void set_variable(Scanner *s, uint32_t token) {
  const char *name = scan_quoted_name(s, "", token);
  const int after = scan_kind(s, token + 1);
  const bool whole = after == TOKEN_RBRACKET || after == TOKEN_COMMA ||
                     after == TOKEN_RPAREN || after == TOKEN_COLON;
  if (name && whole)
    vec_push(s->program->arena, &s->program->variables, name);
  else if (!whole || !note_setter(s, token))
    s->program->any_variable = true;
}

// `update(NAME=value)`, `update({"NAME": value})`
static void set_variables(Scanner *s, uint32_t open) {
  const uint32_t end = scan_after_brackets(s, open);
  bool found = false;
  for (uint32_t i = open + 1; i + 1 < end; i++) {
    const int kind = scan_kind(s, i), after = scan_kind(s, i + 1);
    const bool named = kind == TOKEN_NAME && after == TOKEN_ASSIGN;
    const bool keyed = kind == TOKEN_STRING && after == TOKEN_COLON;
    if (named)
      vec_push(s->program->arena, &s->program->variables,
               scan_intern(s, "", i));
    if (keyed) set_variable(s, i);
    found = found || named || keyed;
    if (kind == TOKEN_POWER || kind == TOKEN_FOR)
      s->program->any_variable = true;
  }
  if (!found) s->program->any_variable = true;
}

static void by_method(Scanner *s, uint32_t method) {
  const bool called = scan_kind(s, method + 1) == TOKEN_LPAREN;
  if (scan_is_listed(s, method, WORDS_ENVIRONMENT_READERS)) return;
  if (called && scan_is_listed(s, method, WORDS_ENVIRONMENT_SETTERS))
    set_variable(s, method + 2);
  else if (called && scan_is_word(s, method, "update"))
    set_variables(s, method + 1);
  else
    s->program->any_variable = true;
}

// The mapping is only read: `NAME in os.environ`, `dict(os.environ)`.
static bool is_only_read(const Scanner *s, uint32_t i, uint32_t from) {
  const int after = scan_kind(s, i + 1);
  const int before = from ? scan_kind(s, from - 1) : TOKEN_NEWLINE;
  const bool argument = after == TOKEN_RPAREN || after == TOKEN_COMMA;
  size_t length;
  switch (before) {
  case TOKEN_IN:
  case TOKEN_POWER: return true;
  case TOKEN_IMPORT:
  case TOKEN_COMMA: return after == TOKEN_NEWLINE || after == TOKEN_COMMA;
  case TOKEN_ASSIGN: return argument; // `env=os.environ`
  case TOKEN_LPAREN:
    if (from < 2 || !argument) return false;
    const char *text = scan_text(s, from - 2, &length);
    return scan_is_word(s, from - 2, "dict") ||
           words_have_span(WORDS_READING_FUNCTIONS, text, length);
  default: return false;
  }
}

static void set_environment(Scanner *s, uint32_t i) {
  if (!scan_is_word(s, i, "environ")) return;
  const bool member = i > 1 && scan_kind(s, i - 1) == TOKEN_DOT;
  const uint32_t from = member ? i - 2 : i;
  if (scan_kind(s, i + 1) == TOKEN_DOT) {
    by_method(s, i + 2);
  } else if (scan_kind(s, i + 1) == TOKEN_LBRACKET) {
    const bool deleted = from && scan_kind(s, from - 1) == TOKEN_DEL;
    const uint32_t after = scan_after_brackets(s, i + 1);
    if (deleted || scan_assigns(scan_kind(s, after))) set_variable(s, i + 2);
  } else if (!is_only_read(s, i, from)) {
    s->program->any_variable = true;
  }
}

void scan_environment(Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) set_environment(s, i);
}
