// environment.c -- variables of the environment that lines of a program set.
//
// `os.environ["NAME"] = value`: the variable is unknown from here on.  All
// variables are, if the name is no literal or the mapping itself escapes.
#include "frontend/scan/parts.h"

static void set_variable(Scanner *s, uint32_t token) {
  const char *name = scan_quoted_name(s, "", token);
  const int after = scan_kind(s, token + 1);
  if (name && (after == TOKEN_RBRACKET || after == TOKEN_COMMA ||
               after == TOKEN_RPAREN || after == TOKEN_COLON))
    vec_push(s->program->arena, &s->program->variables, name);
  else
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
