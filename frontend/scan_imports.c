// scan_imports.c -- what the import statements of a file define.
#include "frontend/scan.h"

#include "frontend/guard.h"
#include "frontend/parser.tab.h"

#include <string.h>

static bool is_dotted_part(int kind) {
  return kind == TOKEN_NAME || kind == TOKEN_DOT;
}

// The dotted name at *index, which moves past it.
static const char *scan_dotted(const Scanner *s, uint32_t *index) {
  Str name = str_in(s->program->arena);
  for (; is_dotted_part(scan_kind(s, *index)); ++*index) {
    if (scan_kind(s, *index) == TOKEN_NAME && name.length &&
        scan_kind(s, *index - 1) == TOKEN_NAME)
      break;
    size_t length;
    const char *text = scan_text(s, *index, &length);
    str_add_bytes(&name, text, length);
  }
  return str_text(&name);
}

static void define_import(Scanner *s, uint32_t token, const char *name,
                          Import import) {
  const char *whole =
      arena_printf(s->program->arena, "%s%s", s->scope.prefix, name);
  Definition *d =
      scan_define(s, DEFINES_IMPORT, program_intern(s->program, whole), token);
  d->import = import;
  if (s->scope.in_try && !guard_import_works(s->program, s->file, d))
    s->scope.may_stop = true;
}

static const char *first_part(const Scanner *s, const char *dotted) {
  return arena_strndup(s->program->arena, dotted, strcspn(dotted, "."));
}

void scan_import(Scanner *s) {
  const uint32_t end = scan_statement_end(s, s->next);
  uint32_t i = s->next + 1;
  while (i < end && scan_kind(s, i) == TOKEN_NAME) {
    const uint32_t token = i;
    const char *module = scan_dotted(s, &i);
    if (scan_kind(s, i) == TOKEN_AS && scan_kind(s, i + 1) == TOKEN_NAME) {
      define_import(s, i + 1, scan_intern(s, "", i + 1),
                    (Import){0, module, NULL});
      i += 2;
    } else {
      const char *root = first_part(s, module);
      define_import(s, token, root, (Import){0, root, NULL});
    }
    if (scan_kind(s, i) == TOKEN_COMMA) i++;
  }
  s->next = end;
}

static int scan_level(const Scanner *s, uint32_t *index) {
  int level = 0;
  for (;; ++*index) {
    const int kind = scan_kind(s, *index);
    if (kind != TOKEN_DOT && kind != TOKEN_ELLIPSIS) return level;
    level += kind == TOKEN_DOT ? 1 : 3;
  }
}

void scan_from(Scanner *s) {
  const uint32_t end = scan_statement_end(s, s->next);
  uint32_t i = s->next + 1;
  const int level = scan_level(s, &i);
  const char *module = scan_dotted(s, &i);
  s->next = end;
  if (scan_kind(s, i++) != TOKEN_IMPORT) return;
  if (scan_kind(s, i) == TOKEN_STAR) {
    const StarImport star = {.import = {level, module, NULL},
                             .order = ++s->file->num_definitions,
                             .loc = scan_loc(s, i),
                             .uncertain = scan_is_uncertain(s)};
    vec_push(s->program->arena, &s->file->star_imports, star);
    return;
  }
  if (scan_kind(s, i) == TOKEN_LPAREN) i++;
  while (i < end && scan_kind(s, i) == TOKEN_NAME) {
    const Import import = {level, module, scan_intern(s, "", i)};
    if (scan_kind(s, i + 1) == TOKEN_AS) i += 2;
    define_import(s, i, scan_intern(s, "", i), import);
    i += scan_kind(s, i + 1) == TOKEN_COMMA ? 2 : 1;
  }
}
