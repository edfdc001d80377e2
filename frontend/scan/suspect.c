// suspect.c -- may tokens change an object that they did not make?
//
// The answer is conservative and flow-insensitive: true if any token could do
// so, whether it is reached or not, and whatever the object.
//
// Example: `x = []; x.append(1)` in a function is not suspect, as `x` is made
// there; `SIZES.append(1)` is SUSPECT_CHANGES, and `vars()["SIZES"]`
// SUSPECT_ALL.
#include "frontend/scan/parts.h"

#include "ir/base/base.h"

#include <string.h>

// -- Names that can reach any object -----------------------------------------

// `eval("f(L)")`, `f"{f(L)}"`: the code in the text is scanned, too.
bool scan_is_code(const Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  if (scan_kind(s, token) == TOKEN_FSTRING)
    return memchr(text, '{', length) != NULL;
  if (scan_kind(s, token) != TOKEN_STRING || token < 2) return false;
  const int after = scan_kind(s, token + 1);
  return (scan_is_word(s, token - 2, "eval") ||
          scan_is_word(s, token - 2, "exec")) &&
         scan_kind(s, token - 1) == TOKEN_LPAREN &&
         (after == TOKEN_COMMA || after == TOKEN_RPAREN);
}

size_t scan_word(const char *text) {
  return strspn(text, "abcdefghijklmnopqrstuvwxyz"
                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

// `globals()`, `sys.modules`: any object can be reached through them.
static bool is_way_to_all(const char *name, size_t length) {
  return words_have_span(WORDS_WAYS_TO_ALL, name, length);
}

// Names through which any object can be reached also as a member:
// `x.globals()`. A member `vars` is an object's own.
static bool is_way_behind_dot(const char *name, size_t length) {
  return words_have_span(WORDS_WAYS_BEHIND_DOT, name, length);
}

static bool is_run(const char *name, size_t length) {
  static const char *const ways[] = {"eval", "exec"};
  return names_have_span(ways, sizeof ways / sizeof *ways, name, length);
}

// The text of a literal is known and scanned, so eval() of one is harmless.
static int suspect_name(const Scanner *s, uint32_t token) {
  size_t length;
  const char *name = scan_text(s, token, &length);
  if (scan_kind(s, token) != TOKEN_NAME) return 0;
  const bool member =
      scan_is_member(s, token) && !scan_is_word(s, token - 2, "builtins");
  if (is_run(name, length) && !member && !scan_is_code(s, token + 2))
    return SUSPECT_CHANGES | SUSPECT_ALL;
  if (!is_way_to_all(name, length)) return 0;
  if (scan_is_word(s, token, "modules"))
    return scan_is_word(s, token - 2, "sys") ? SUSPECT_ALL : 0;
  return !member || is_way_behind_dot(name, length) ? SUSPECT_ALL : 0;
}

// The suspicions about a string: none, unless it may be code with a call or an
// assignment.
static int suspect_text(const Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length), *const end = text + length;
  if (!scan_is_code(s, token) ||
      (!memchr(text, '(', length) && !memchr(text, '=', length)))
    return 0;
  int found = SUSPECT_CHANGES;
  while (text < end) {
    const size_t n = scan_word(text);
    if (n && (is_way_to_all(text, n) || is_run(text, n))) found |= SUSPECT_ALL;
    text += n ? n : 1;
  }
  return found;
}

// `getattr(x, name)`, `methodcaller("app" + "end")`: may give any method.
static bool hides_method(const Scanner *s, uint32_t token) {
  static const char *const ways[] = {"__getattribute__", "attrgetter",
                                     "getattr", "methodcaller"};
  if (!scan_is_one_of(s, token, ways, sizeof ways / sizeof *ways)) return false;
  const uint32_t end = scan_after_brackets(s, token + 1) - 1;
  for (uint32_t i = token + 2; i < end; i++) {
    const int after = scan_kind(s, i + 1), before = scan_kind(s, i - 1);
    if (scan_kind(s, i) == TOKEN_STRING &&
        (before == TOKEN_COMMA || before == TOKEN_LPAREN) &&
        (after == TOKEN_COMMA || after == TOKEN_RPAREN))
      return false;
  }
  return true;
}

// The statement `setattr(x, "name", 1)`: the change of `x` is noted elsewhere,
// and a number holds no other object.
static bool sets_number(const Scanner *s, uint32_t token) {
  static const char *const ways[] = {"__setattr__", "setattr"};
  if (!scan_is_one_of(s, token, ways, sizeof ways / sizeof *ways)) return false;
  const uint32_t end = scan_after_brackets(s, token + 1);
  return scan_kind(s, end - 2) == TOKEN_INT &&
         scan_kind(s, end - 3) == TOKEN_COMMA;
}

// -- Writing -----------------------------------------------------------------

// The start of the target that ends at `end`, in the statement at `begin`.
static uint32_t target_begin(const Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  uint32_t i = end;
  for (; i > begin; i--) {
    const int kind = scan_kind(s, i - 1);
    if (!depth && !scan_ends_primary(kind) && kind != TOKEN_DOT) break;
    depth -= token_nesting(kind);
    if (depth < 0) break;
  }
  return i;
}

// `name: List[int] = value`
static bool is_annotation(const Scanner *s, uint32_t first) {
  if (first < 3 || scan_kind(s, first - 1) != TOKEN_COLON ||
      scan_kind(s, first - 2) != TOKEN_NAME)
    return false;
  const int before = scan_kind(s, first - 3);
  return before == TOKEN_LPAREN || before == TOKEN_COMMA ||
         before == TOKEN_NEWLINE || before == TOKEN_INDENT ||
         before == TOKEN_DEDENT || before == TOKEN_SEMICOLON;
}

// Does the function contain code that runs after the call: a lambda, a `def` or
// a generator?
static bool has_later(const Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin + 1; i < end; i++) {
    const int kind = scan_kind(s, i);
    if (kind == TOKEN_DEF || kind == TOKEN_LAMBDA || kind == TOKEN_CLASS ||
        kind == TOKEN_YIELD)
      return true;
  }
  return false;
}

// `NAME[i] = value`, `NAME.append(value)` on a list that the function makes.
static bool is_own(const Scanner *s, uint32_t token, uint32_t begin,
                   uint32_t end) {
  return scan_kind(s, token) == TOKEN_NAME && !scan_is_member(s, token) &&
         scan_kind(s, begin) == TOKEN_DEF &&
         scan_is_made(s, scan_intern(s, "", token), begin, end) &&
         !has_later(s, begin, end);
}

// `self.name = value` in `__init__`: the object is still being made.
static bool makes_self(const Scanner *s, uint32_t token, uint32_t begin) {
  size_t n, m;
  const char *self = scan_text(s, begin + 3, &n);
  const char *name = scan_text(s, token, &m);
  return scan_kind(s, begin) == TOKEN_DEF &&
         scan_is_word(s, begin + 1, "__init__") && n == m &&
         !strncmp(self, name, n);
}

// The first token of a value in `call(configs=[...], key=[])`
static bool is_argument(const Scanner *s, uint32_t first) {
  if (first < 3 || scan_kind(s, first - 1) != TOKEN_ASSIGN) return false;
  const int before = scan_kind(s, first - 3);
  return scan_kind(s, first - 2) == TOKEN_NAME &&
         (before == TOKEN_LPAREN || before == TOKEN_COMMA);
}

// Does the `=`, `+=` or comma at `at` end a target whose assignment changes an
// object?
static bool writes(const Scanner *s, uint32_t at, uint32_t begin,
                   uint32_t end) {
  const int last = scan_kind(s, at - 1);
  const bool part = last == TOKEN_RBRACKET || scan_is_member(s, at - 1);
  if (!part && (scan_kind(s, at) == TOKEN_ASSIGN || last != TOKEN_NAME))
    return false;
  const uint32_t first = target_begin(s, begin, at);
  if (is_annotation(s, first)) return false;
  if (scan_kind(s, at) == TOKEN_ASSIGN && scan_is_member(s, at - 1) &&
      first + 3 == at && makes_self(s, first, begin))
    return false;
  const uint32_t of =
      last == TOKEN_RBRACKET ? scan_opening(s, at - 1, first) : at - 2;
  if (of == first && is_argument(s, first)) return false;
  if (part && scan_is_module(s, first, of)) return false; // binds a name
  const uint32_t after = scan_after_trailer(s, first + 1, at);
  return after != at || !is_own(s, first, begin, end);
}

// `for x[0] in y`, `with y as x[0]`, `del x[0]`
static bool writes_otherwise(const Scanner *s, uint32_t token, uint32_t end) {
  const int kind = scan_kind(s, token);
  if (kind != TOKEN_FOR && kind != TOKEN_AS && kind != TOKEN_DEL) return false;
  for (uint32_t i = token + 1; i < end; i++) {
    const int next = scan_kind(s, i);
    if (next == TOKEN_DOT || (next == TOKEN_LBRACKET && i > token + 1))
      return true;
    if (next == TOKEN_IN || next == TOKEN_COLON || next == TOKEN_NEWLINE ||
        next == TOKEN_SEMICOLON)
      break;
  }
  return false;
}

// `vars(list)["append"]`
static bool is_key_of_method(const Scanner *s, uint32_t token) {
  return scan_kind(s, token) == TOKEN_STRING && scan_changes(s, token) &&
         scan_kind(s, token - 1) == TOKEN_LBRACKET;
}

static bool changes_at(const Scanner *s, uint32_t i, uint32_t begin,
                       uint32_t end) {
  const int kind = scan_kind(s, i);
  if (i > begin && is_key_of_method(s, i)) return true;
  if (i > begin && scan_assigns(kind)) return writes(s, i, begin, end);
  if (i > begin && kind == TOKEN_COMMA)
    return scan_kind(s, i - 1) == TOKEN_RBRACKET &&
           scan_is_one_target(s, i, end) && writes(s, i, begin, end);
  if (kind != TOKEN_NAME) return writes_otherwise(s, i, end);
  if (scan_is_member(s, i) && scan_changes(s, i) && i >= begin + 2)
    return !is_own(s, i - 2, begin, end) &&
           !scan_is_module(s, target_begin(s, begin, i - 1), i - 1);
  return (scan_changes_given(s, i) && !(i == begin && sets_number(s, i))) ||
         hides_method(s, i);
}

int scan_suspect(const Scanner *s, uint32_t begin, uint32_t end) {
  int found = 0;
  for (uint32_t i = begin; i < end; i++) {
    found |= suspect_text(s, i) | suspect_name(s, i);
    if (!(found & SUSPECT_CHANGES) && changes_at(s, i, begin, end))
      found |= SUSPECT_CHANGES;
  }
  return found;
}
