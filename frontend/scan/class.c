// class.c -- which classes have escaped.
//
// `thing.WIDTH = 2` in a function can write to a class only if a name other
// than the class's own may refer to it: if the class is passed as an argument,
// stored or subclassed.  A class that is only called, or whose members are only
// read, has not escaped, and `ctx.WIDTH = 2` cannot change it.
#include "frontend/scan/parts.h"

#include <string.h>

// Is the class at hand only compared, or its `__name__` read?
static bool is_looked_at(const Scanner *s, uint32_t after) {
  switch (scan_kind(s, after)) {
  case TOKEN_EQ:
  case TOKEN_NE:
  case TOKEN_IS:
  case TOKEN_IN:
  case TOKEN_NOT: return true;
  default:
    return scan_kind(s, after) == TOKEN_DOT &&
           (scan_is_word(s, after + 1, "__name__") ||
            scan_is_word(s, after + 1, "__qualname__"));
  }
}

// `type(x)`, `x.__class__`, `vars()`: an expression that can give any class.
static bool gives_any(const Scanner *s, uint32_t i) {
  if (scan_is_listed(s, i, WORDS_WAYS_TO_CLASSES))
    return !is_looked_at(s, i + 1);
  if (scan_is_word(s, i, "type") && scan_kind(s, i + 1) == TOKEN_LPAREN)
    return !is_looked_at(s, scan_after_brackets(s, i + 1));
  const int after = scan_kind(s, i + 1);
  return scan_is_word(s, i, "cls") && after != TOKEN_DOT &&
         after != TOKEN_LPAREN && scan_kind(s, i - 2) != TOKEN_NAME;
}

// Does a decorator other than `dataclass` get the class at the token?
static bool is_decorated(const Scanner *s, uint32_t class) {
  uint32_t i = class;
  if (i < 2 || scan_kind(s, i - 1) != TOKEN_NEWLINE) return false;
  for (i--; i && scan_kind(s, i - 1) != TOKEN_NEWLINE; i--) {
    if (scan_is_word(s, i, "dataclass")) return false;
  }
  return scan_kind(s, i) == TOKEN_AT;
}

// Does the class escape at this token, which is its name?
static bool gives(const Scanner *s, uint32_t i) {
  const int before = scan_kind(s, i - 1), after = scan_kind(s, i + 1);
  if (before == TOKEN_CLASS) return is_decorated(s, i - 1);
  if (before == TOKEN_IMPORT || before == TOKEN_EXCEPT)
    return scan_kind(s, i + 1) == TOKEN_AS;
  if (after == TOKEN_DOT) {
    // `module.Class.name = value`
    const int behind = scan_kind(s, i + 3);
    return before == TOKEN_DOT &&
           (behind == TOKEN_ASSIGN || scan_operator(behind) != OPERATOR_COUNT);
  }
  return after != TOKEN_LPAREN;
}

// `getattr(module, "Class")`
static bool is_quoted(const Scanner *s, uint32_t i, const char *name) {
  size_t length;
  const char *text = scan_text(s, i, &length);
  const size_t wanted = strlen(name);
  return scan_is_word(s, i - 4, "getattr") && length == wanted + 2 &&
         !memcmp(text + 1, name, wanted);
}

// `hasattr(Class, "name")` does not let the class escape.
static bool is_asked(const Scanner *s, uint32_t i) {
  return (scan_is_word(s, i, "hasattr") || scan_is_word(s, i, "getattr")) &&
         scan_kind(s, i + 1) == TOKEN_LPAREN &&
         scan_kind(s, i + 3) == TOKEN_COMMA;
}

static bool file_gives(const Scanner *s, const char *name) {
  for (uint32_t i = 4; scan_kind(s, i) != TOKEN_END; i++) {
    const int kind = scan_kind(s, i);
    if (kind == TOKEN_STRING && is_quoted(s, i, name)) return true;
    if (kind != TOKEN_NAME) continue;
    if (scan_is_word(s, i, "isinstance") || scan_is_word(s, i, "issubclass"))
      i = scan_after_brackets(s, i + 1) - 1;
    else if (is_asked(s, i))
      i += 2;
    else if (gives_any(s, i) || (scan_is_word(s, i, name) && gives(s, i)))
      return true;
  }
  return false;
}

bool scan_gives_class(Program *program, const char *member) {
  static const char yes[] = "yes", no[] = "no";
  const char *end = strrchr(member, '.'), *name = end;
  while (name > member && name[-1] != '.') name--;
  const size_t length = (size_t)(end - name);
  const char *known = map_get_text(&program->given_classes, name, length);
  if (known) return known == yes;
  const char *class = arena_printf(program->arena, "%.*s", (int)length, name);
  known = no;
  for (size_t i = 0; i < program->files.count && known == no; i++) {
    const Scanner s = {.program = program, .file = program->files.items[i]};
    if (file_gives(&s, class)) known = yes;
  }
  map_put_text(&program->given_classes, program->arena, class, length,
               (void *)known);
  return known == yes;
}

// Does the `class` at the token have a decorator?
static bool has_decorator(const Scanner *s, uint32_t class) {
  uint32_t i = class;
  if (i < 2 || scan_kind(s, i - 1) != TOKEN_NEWLINE) return false;
  for (i--; i && scan_kind(s, i - 1) != TOKEN_NEWLINE;) i--;
  while (scan_kind(s, i) == TOKEN_INDENT || scan_kind(s, i) == TOKEN_DEDENT)
    i++;
  return scan_kind(s, i) == TOKEN_AT;
}

bool scan_says_members(const Definition *class) {
  const Scanner s = {.file = class->file};
  uint32_t i = 1;
  while (scan_kind(&s, i) != TOKEN_END &&
         (scan_kind(&s, i - 1) != TOKEN_CLASS ||
          !loc_same(scan_loc(&s, i), class->loc)))
    i++;
  if (scan_kind(&s, i) == TOKEN_END || has_decorator(&s, i - 1)) return false;
  const uint32_t end = scan_after_block(&s, i);
  for (; i < end; i++) {
    if (scan_is_listed(&s, i, WORDS_WAYS_TO_MEMBERS)) return false;
  }
  return true;
}

bool scan_may_change(const Definition *d) {
  const Scanner s = {.file = d->file};
  bool fixed = d->begin < d->end && scan_kind(&s, d->begin - 1) == TOKEN_ASSIGN;
  for (uint32_t i = d->begin; i < d->end && fixed; i++) {
    const int kind = scan_kind(&s, i);
    fixed =
        kind != TOKEN_NAME && kind != TOKEN_LBRACKET && kind != TOKEN_LBRACE;
  }
  return !fixed;
}
