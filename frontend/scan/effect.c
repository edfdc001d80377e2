// effect.c -- side effects of the expressions of a module.
//
// A walrus binds a name; a method or a called function may change its receiver
// or its arguments.
//
// For example, `print(n := 5)` binds n; with `def grow(x): x.append(5)`,
// `grow(L)` may change the object of L.
#include "frontend/scan/parts.h"

#include "ir/base/base.h"

#include <string.h>

// Are the tokens evaluated whenever the statement is?  Yes without a condition,
// a loop or a second comparison: `a < b < c` may skip `c`.
static bool is_straight(const Scanner *s, uint32_t begin, uint32_t end) {
  int compared = 0;
  for (; begin < end; begin++) {
    switch (scan_kind(s, begin)) {
    case TOKEN_LT:
    case TOKEN_LE:
    case TOKEN_GT:
    case TOKEN_GE:
    case TOKEN_EQ:
    case TOKEN_NE:
    case TOKEN_IN:
    case TOKEN_IS:
      if (++compared > 1) return false;
      break;
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_IF:
    case TOKEN_FOR:
    case TOKEN_LAMBDA: return false;
    default: break;
    }
  }
  return true;
}

static uint32_t value_end(const Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  for (uint32_t i = begin; i < end; i++) {
    const int kind = scan_kind(s, i);
    if (!depth && (kind == TOKEN_COMMA || kind == TOKEN_COLON)) return i;
    depth += token_nesting(kind);
    if (depth < 0) return i;
  }
  return end;
}

// Does the text of an f-string contain the word, perhaps as part of another
// word?
static bool says(const char *text, size_t length, const char *word, size_t n) {
  for (size_t i = 0; i + n <= length; i++) {
    if (!memcmp(text + i, word, n)) return true;
  }
  return false;
}

static bool is_once(const Scanner *s, uint32_t token, uint32_t begin,
                    uint32_t end) {
  size_t n, m;
  const char *text = scan_text(s, token, &n);
  for (uint32_t i = begin; i < end; i++) {
    const char *other = scan_text(s, i, &m);
    if (i != token && n == m && !strncmp(text, other, n)) return false;
    if (scan_is_code(s, i) && says(other, m, text, n)) return false;
  }
  return true;
}

// Does the colon at the token belong to a lambda, and not to a dictionary or a
// slice?
static bool ends_parameters(const Scanner *s, uint32_t colon, uint32_t begin) {
  int depth = 0;
  for (uint32_t i = colon; depth >= 0 && i-- > begin;) {
    depth -= token_nesting(scan_kind(s, i));
    if (!depth && scan_kind(s, i) == TOKEN_LAMBDA) return true;
    if (!depth && scan_kind(s, i) == TOKEN_COLON) return false;
  }
  return false;
}

// Walruses of one statement that are followed: each scans the whole statement,
// which takes quadratic time without a limit.
enum { MAX_WALRUSES = 64 };

// Is the walrus at the token in the body of a lambda?  The walrus binds a name
// of the lambda then.  The body ends at the comma behind it, or with the
// bracket around it.
static bool is_of_lambda(const Scanner *s, uint32_t token, uint32_t begin,
                         int number) {
  if (number > MAX_WALRUSES) return false;
  int depth = 0;
  bool ended = false;
  for (uint32_t i = token; i-- > begin;) {
    const int kind = scan_kind(s, i);
    depth -= token_nesting(kind);
    if (depth < 0) { // left the bracket around it
      depth = 0;
      ended = false;
    }
    if (depth) continue;
    ended |= kind == TOKEN_COMMA || kind == TOKEN_FOR;
    if (kind == TOKEN_COLON && !ended && ends_parameters(s, i, begin))
      return true;
  }
  return false;
}

// `(NAME := value)`: other parts of the statement may read the name's earlier
// value, so the new value is followed only if the walrus is evaluated exactly
// once.
static void scan_walrus(Scanner *s, uint32_t token, uint32_t begin,
                        uint32_t end, int number) {
  const uint32_t value = token + 2;
  if (number > MAX_WALRUSES || s->scope.in_loop ||
      !is_straight(s, begin, end) || !is_once(s, token, begin, end)) {
    scan_hide(s, token);
    return;
  }
  s->limit = s->file->num_definitions + 1;
  end = value_end(s, value, end);
  if (scan_function(s, token, value, end)) return;
  scan_global(s, scan_intern(s, s->scope.prefix, token), token, value, end);
}

// A function that changes its argument, `heappush`, also as a quoted name.
static bool is_changer(const Scanner *s, uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  const bool quoted = scan_kind(s, token) == TOKEN_STRING && length > 2;
  return words_have_span(WORDS_CHANGING_FUNCTIONS, quoted ? text + 1 : text,
                         quoted ? length - 2 : length);
}

// `getattr(x, "append")`, `methodcaller("append", 1)`,
// `getattr(operator, "iadd")`
static bool gets_method(const Scanner *s, uint32_t token) {
  if (!scan_is_word(s, token, "getattr") &&
      !scan_is_word(s, token, "__getattribute__") &&
      !scan_is_word(s, token, "methodcaller") &&
      !scan_is_word(s, token, "attrgetter"))
    return false;
  const uint32_t end = scan_after_brackets(s, token + 1);
  for (uint32_t i = token + 2; i < end; i++) {
    const bool text = scan_kind(s, i) == TOKEN_STRING;
    if (text && (scan_changes(s, i) || is_changer(s, i))) return true;
  }
  return false;
}

// `setattr(x, "name", value)`; if `x` is the module itself, a name is bound
// instead.
static bool sets_member(const Scanner *s, uint32_t token) {
  static const char *const ways[] = {"__delattr__", "__setattr__", "delattr",
                                     "setattr"};
  if (!scan_is_one_of(s, token, ways, sizeof ways / sizeof *ways)) return false;
  const uint32_t end = scan_after_brackets(s, token + 1);
  uint32_t comma = token + 2;
  while (comma < end && scan_kind(s, comma) != TOKEN_COMMA) comma++;
  return !scan_is_module(s, token + 2, comma);
}

// Calls that change an argument: `heappush(x, 1)`, `list.append(x, 1)`,
// `getattr(x, "append")(1)`, `setattr(x, "name", 1)`
bool scan_changes_given(const Scanner *s, uint32_t token) {
  const bool method = scan_kind(s, token - 1) == TOKEN_DOT;
  const bool of_class = method && (scan_is_word(s, token - 2, "list") ||
                                   scan_is_word(s, token - 2, "dict"));
  return (of_class && scan_changes(s, token)) || gets_method(s, token) ||
         is_changer(s, token) || sets_member(s, token);
}

// `patch(NAME)`, where NAME is a module of the language.
static void scan_set_by_call(Scanner *s, uint32_t token, uint32_t name) {
  const Symbol module = scan_brought(s, name);
  if (module.kind == SYMBOL_BUILTIN) scan_call_sets(s, token, &module);
}

static bool is_own_name(const Scanner *s, uint32_t token) {
  return scan_kind(s, token) == TOKEN_NAME &&
         scan_kind(s, token - 1) != TOKEN_DOT;
}

// Is there a name among the arguments of the called function at `i`?  If it is
// not called, but an argument itself: is there a name behind it in the brackets
// around it?
static bool gets_name(const Scanner *s, uint32_t i, uint32_t end, bool called) {
  int depth = !called;
  for (bool more = true; more && i < end; i++) {
    if (is_own_name(s, i)) return true;
    depth += token_nesting(scan_kind(s, i));
    more = depth > 0 || scan_kind(s, i + 1) == TOKEN_LPAREN;
  }
  return false;
}

// `NAME(...)` where NAME is a function that may change its arguments, or NAME
// itself as an argument beside them: `partial(NAME, ...)`.
static void scan_call(Scanner *s, uint32_t token, uint32_t end) {
  const bool member = scan_kind(s, token - 1) == TOKEN_DOT;
  uint32_t i = member ? token + 1 : scan_callee_end(s, token);
  const bool called = scan_kind(s, i) == TOKEN_LPAREN;
  if (!gets_name(s, i, end, called)) return; // before a file is read
  const bool ours = member ? called && scan_method_changes(s, token)
                           : scan_call_changes(s, token);
  if (!ours && !scan_changes_given(s, token)) return;
  const bool patches = called && !member && scan_call_patches(s, token);
  int depth = !called;
  for (bool more = true; more && i < end; i++) {
    depth += token_nesting(scan_kind(s, i));
    if (is_own_name(s, i)) {
      if (patches)
        scan_patch_at(s, i);
      else
        scan_change_at(s, i);
      if (called && !member) scan_set_by_call(s, token, i);
    }
    // `make(x)(y)`: the made function may change `x`.
    more = depth > 0 || (ours && scan_kind(s, i + 1) == TOKEN_LPAREN);
  }
}

// The header of a function, which ends at `end`: its defaults and annotations
// are evaluated at the definition.
void scan_defaults(Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  for (uint32_t i = begin; i < end; i++) {
    depth += token_nesting(scan_kind(s, i));
    if (depth != 1 || scan_kind(s, i) != TOKEN_ASSIGN) {
      scan_bound(s, i, i + 1);
      continue;
    }
    const uint32_t after = value_end(s, i + 1, end);
    scan_effects(s, i + 1, after);
    i = after - 1;
  }
}

bool scan_is_of_result(const Scanner *s, uint32_t token, uint32_t begin) {
  uint32_t i = token;
  while (i > begin + 1 && scan_kind(s, i) == TOKEN_NAME &&
         scan_kind(s, i - 1) == TOKEN_DOT)
    i -= 2;
  const int kind = scan_kind(s, i);
  return i < token && (kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET ||
                       kind == TOKEN_RBRACE);
}

// If the text names a global, this global has no known value from here on.
static void hide_word(Scanner *s, const char *word, uint32_t token) {
  const char *name =
      arena_printf(s->program->arena, "%s%s", s->scope.prefix, word);
  Definition *d = scan_global(s, program_intern(s->program, name), token, 0, 0);
  d->from_begin = token;
  d->from_end = token + 1;
}

// Does `:=` follow the word that ends there?
static bool is_bound(const char *text, const char *end) {
  while (text < end && *text == ' ') text++;
  return end - text > 1 && text[0] == ':' && text[1] == '=';
}

// `f"{L.append(1)}"`, `eval("L.append(1)")`: names in the text may be changed;
// names that eval() binds have no known value.
static void scan_fstring(Scanner *s, uint32_t token) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  size_t length;
  const char *text = scan_text(s, token, &length), *const end = text + length;
  const bool code = scan_kind(s, token) == TOKEN_STRING;
  const bool formats =
      (code || memchr(text, '{', length)) && memchr(text, '(', length);
  while (formats && text < end) {
    const size_t n = strspn(text, letters);
    const char *name = arena_strndup(s->program->arena, text, n);
    if (n && file_find(s->file, name))
      map_put_text(&s->file->touched, s->program->arena, name, n, s->file);
    if (n && code && is_bound(text + n, end)) hide_word(s, name, token);
    text += n ? n : 1;
  }
}

// `f"{(NAME := value)}"`: the name has no known value.
static void hide_bound(Scanner *s, uint32_t token) {
  Names names = {0};
  scan_walruses(s, token, &names);
  for (size_t i = 0; i < names.count; i++) hide_word(s, names.items[i], token);
}

void scan_bound(Scanner *s, uint32_t begin, uint32_t end) {
  int walruses = 0;
  for (uint32_t i = begin; i < end; i++) {
    hide_bound(s, i);
    if (scan_kind(s, i) == TOKEN_NAME && scan_kind(s, i + 1) == TOKEN_WALRUS &&
        !is_of_lambda(s, i, begin, ++walruses))
      scan_hide(s, i);
  }
}

void scan_effects(Scanner *s, uint32_t begin, uint32_t end) {
  int walruses = 0;
  scan_indirect(s, begin, end);
  scan_member_writes(s, begin, end, NULL);
  for (uint32_t i = begin; i < end; i++) {
    const int kind = scan_kind(s, i);
    const bool code =
        kind == TOKEN_STRING && i > begin + 1 && scan_is_word(s, i - 2, "eval");
    if (kind == TOKEN_FSTRING || code) scan_fstring(s, i);
    if (kind == TOKEN_FSTRING) hide_bound(s, i);
    if (scan_kind(s, i) != TOKEN_NAME || i + 1 >= end) continue;
    if (scan_changes(s, i) && scan_is_of_result(s, i, begin))
      scan_change_of_result(s, i - 1, begin);
    if (scan_kind(s, i + 1) == TOKEN_WALRUS &&
        !is_of_lambda(s, i, begin, ++walruses))
      scan_walrus(s, i, begin, end, walruses);
    if (scan_kind(s, i + 1) != TOKEN_ASSIGN) scan_call(s, i, end);
    if (i > begin && scan_kind(s, i - 1) == TOKEN_DOT) continue;
    const uint32_t after = scan_after_trailers(s, i + 1, end);
    if (scan_is_changed(s, i, after)) scan_change_at(s, i);
  }
}
