// scan_bind.c -- what a statement does to names other than by `NAME = value`.
//
// Such a name has no value that is known: what it was before is not what
// Python would find.  Where the thing itself is changed in place, its first
// value is kept for those who read it as a list of configurations.
#include "frontend/scan.h"

#include "frontend/parser.tab.h"
#include "ir/base/names.h"

#include <string.h>

static bool changes_by_operator(int kind) {
  switch (kind) {
  case TOKEN_PLUS_ASSIGN:
  case TOKEN_MINUS_ASSIGN:
  case TOKEN_STAR_ASSIGN:
  case TOKEN_AT_ASSIGN:
  case TOKEN_SLASH_ASSIGN:
  case TOKEN_FLOORDIV_ASSIGN:
  case TOKEN_PERCENT_ASSIGN:
  case TOKEN_POWER_ASSIGN:
  case TOKEN_SHL_ASSIGN:
  case TOKEN_SHR_ASSIGN:
  case TOKEN_AMPERSAND_ASSIGN:
  case TOKEN_BAR_ASSIGN:
  case TOKEN_CARET_ASSIGN: return true;
  default: return false;
  }
}

static bool changes_in_place(const Scanner *s, uint32_t token) {
  static const char *const methods[] = {
      "append", "clear",   "extend",     "insert", "pop",   "popitem",
      "remove", "reverse", "setdefault", "sort",   "update"};
  size_t length;
  const char *text = scan_text(s, token, &length);
  return names_have_span(methods, sizeof methods / sizeof *methods, text,
                         length);
}

void scan_hide(Scanner *s, uint32_t token) {
  const char *name = scan_intern(s, s->scope.prefix, token);
  Definition *d = scan_define(s, DEFINES_GLOBAL, name, token);
  d->global = arena_new(s->program->arena, AstGlobal);
  d->global->name = name;
  d->global->loc = d->loc;
  d->global->uncertain = true;
}

static void change(Scanner *s, const char *name) {
  Definition *d = map_get_text(&s->file->definitions, name, strlen(name));
  if (d && d->kind == DEFINES_GLOBAL) d->global->is_changed = true;
}

// The name at `token`, and the member after it if there is one.
static void change_at(Scanner *s, uint32_t token) {
  const char *name = scan_intern(s, s->scope.prefix, token);
  change(s, name);
  if (scan_kind(s, token + 1) != TOKEN_DOT ||
      scan_kind(s, token + 2) != TOKEN_NAME)
    return;
  const char *class = arena_printf(s->program->arena, "%s.", name);
  change(s, scan_intern(s, class, token + 2));
}

// After `.name` and `[index]` at `index`.
static uint32_t after_trailers(const Scanner *s, uint32_t index, uint32_t end) {
  while (index < end) {
    if (scan_kind(s, index) == TOKEN_DOT) {
      index += 2;
      continue;
    }
    if (scan_kind(s, index) != TOKEN_LBRACKET) break;
    int depth = 0;
    do depth += token_nesting(scan_kind(s, index++));
    while (depth > 0 && index < end);
  }
  return index < end ? index : end;
}

void scan_targets(Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    if (scan_kind(s, i) == TOKEN_COLON) return; // an annotation
    if (scan_kind(s, i) != TOKEN_NAME) continue;
    const uint32_t after = after_trailers(s, i + 1, end);
    if (after == i + 1)
      scan_hide(s, i);
    else
      change_at(s, i);
    i = after - 1;
  }
}

// `(NAME := value)` and `NAME.append(value)`, wherever they stand.
void scan_effects(Scanner *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i + 1 < end; i++) {
    if (scan_kind(s, i) != TOKEN_NAME) continue;
    if (scan_kind(s, i + 1) == TOKEN_WALRUS) scan_hide(s, i);
    if (i > begin && scan_kind(s, i - 1) == TOKEN_DOT) continue;
    uint32_t last = i;
    while (last + 2 < end && scan_kind(s, last + 1) == TOKEN_DOT) last += 2;
    if (last > i && scan_kind(s, last + 1) == TOKEN_LPAREN &&
        changes_in_place(s, last))
      change_at(s, i);
  }
}

void scan_binding(Scanner *s, uint32_t begin, uint32_t end) {
  int depth = 0;
  uint32_t target = begin;
  for (uint32_t i = begin; i < end; i++) {
    const int kind = scan_kind(s, i);
    if (kind == TOKEN_LAMBDA) return; // its parameters have defaults
    depth += token_nesting(kind);
    if (depth) continue;
    if (changes_by_operator(kind)) change_at(s, begin);
    if (kind != TOKEN_ASSIGN) continue;
    scan_targets(s, target, i);
    target = i + 1;
  }
}
