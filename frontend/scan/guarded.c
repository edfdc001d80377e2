// guarded.c -- members that a module gets only if it lacks them.
//
//     for name in names:
//         if hasattr(module, name):
//             continue
//         setattr(module, name, spare[name])
//
// Members that the module has stay unchanged, whatever `names` is.  The test
// counts if it is above in the same block or in a block around, and neither
// `module` nor `name` is bound between the test and the setattr().
#include "frontend/scan/parts.h"

static bool is_same_pair(const Scanner *s, uint32_t a, uint32_t b) {
  static const int kinds[] = {TOKEN_LPAREN, TOKEN_NAME, TOKEN_COMMA};
  for (uint32_t k = 0; k < 3; k++) {
    if (scan_kind(s, a + 1 + k) != kinds[k]) return false;
  }
  const int name = scan_kind(s, a + 4);
  return (name == TOKEN_NAME || name == TOKEN_STRING) &&
         scan_is_same_text(s, a + 2, b + 2) &&
         scan_is_same_text(s, a + 4, b + 4);
}

// `f(NAME, ...)`: reads the name and does not bind it.
static bool is_argument_of_call(const Scanner *s, uint32_t name,
                                uint32_t begin) {
  const int before = scan_kind(s, name - 1), after = scan_kind(s, name + 1);
  int depth = 0;
  uint32_t i = name;
  while (i > begin && depth >= 0) depth -= token_nesting(scan_kind(s, --i));
  return (before == TOKEN_LPAREN || before == TOKEN_COMMA) &&
         (after == TOKEN_RPAREN || after == TOKEN_COMMA) && depth < 0 &&
         scan_kind(s, i) == TOKEN_LPAREN && scan_kind(s, i - 1) == TOKEN_NAME;
}

// Is the setattr() at `token` within the block that begins at `begin`, with no
// binding of its two names before it in the block?
static bool is_reached(const Scanner *s, uint32_t begin, uint32_t token) {
  int depth = 0;
  for (uint32_t i = begin; i < token; i++) {
    const int kind = scan_kind(s, i);
    depth += (kind == TOKEN_INDENT) - (kind == TOKEN_DEDENT);
    if (depth < 0 || kind == TOKEN_DEF || kind == TOKEN_CLASS) return false;
    if (kind == TOKEN_NAME &&
        (scan_is_same_text(s, i, token + 2) ||
         scan_is_same_text(s, i, token + 4)) &&
        !is_argument_of_call(s, i, begin))
      return false;
  }
  return true;
}

// The start of the list in `for name in ("a", "b"):` at `loop`, if the loop
// binds the name that is set at `token`; else 0.
static uint32_t list_of(const Scanner *s, uint32_t loop, uint32_t token) {
  const int opening = scan_kind(s, loop + 3);
  if (scan_kind(s, loop) != TOKEN_FOR || scan_kind(s, loop + 1) != TOKEN_NAME ||
      !scan_is_same_text(s, loop + 1, token + 4) ||
      scan_kind(s, loop + 2) != TOKEN_IN ||
      (opening != TOKEN_LPAREN && opening != TOKEN_LBRACKET))
    return 0;
  if (opening == TOKEN_LPAREN && scan_kind(s, loop + 5) != TOKEN_COMMA)
    return 0; // a string: the loop is over its letters
  uint32_t i = loop + 4;
  while (scan_kind(s, i) == TOKEN_STRING && scan_kind(s, i + 1) == TOKEN_COMMA)
    i += 2;
  i += scan_kind(s, i) == TOKEN_STRING;
  const uint32_t colon = scan_after_brackets(s, loop + 3);
  if (i + 1 != colon || scan_kind(s, colon) != TOKEN_COLON) return 0;
  const uint32_t body = colon + 1;
  const bool inside = scan_kind(s, body) == TOKEN_NEWLINE
                          ? is_reached(s, body + 2, token)
                          : body == token;
  return inside ? loop + 4 : 0;
}

uint32_t scan_listed_names(const Scanner *s, uint32_t token) {
  if (scan_kind(s, token + 4) != TOKEN_NAME ||
      !scan_begins_statement(scan_kind(s, token - 1)))
    return 0;
  for (uint32_t i = token; i-- > 0;) {
    const uint32_t list = list_of(s, i, token);
    if (list) return list;
    if (scan_kind(s, i) == TOKEN_DEF) return 0;
  }
  return 0;
}

// `if hasattr(module, name):` and `continue`, or `if not hasattr(...)`, where
// hasattr() is at `test`.
static bool is_guard(const Scanner *s, uint32_t test, uint32_t token) {
  const bool negated = scan_kind(s, test - 1) == TOKEN_NOT;
  if (scan_kind(s, test - 1 - negated) != TOKEN_IF ||
      scan_kind(s, test + 5) != TOKEN_RPAREN ||
      scan_kind(s, test + 6) != TOKEN_COLON)
    return false;
  const uint32_t body = test + 7;
  const bool block = scan_kind(s, body) == TOKEN_NEWLINE;
  if (negated) return block ? is_reached(s, body + 2, token) : body == token;
  const int first = scan_kind(s, body + (block ? 2 : 0));
  return (first == TOKEN_CONTINUE || first == TOKEN_RETURN) &&
         is_reached(s, body, token);
}

bool scan_sets_absent(const Scanner *s, uint32_t token, uint32_t begin) {
  if (!scan_is_word(s, token, "setattr") || !is_same_pair(s, token, token) ||
      !scan_begins_statement(scan_kind(s, token - 1)))
    return false;
  for (uint32_t i = token; i > begin; i--) {
    if (scan_is_word(s, i, "hasattr") && is_same_pair(s, i, token) &&
        is_guard(s, i, token))
      return true;
  }
  return false;
}
