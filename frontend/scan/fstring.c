// fstring.c -- names in the fields of f-strings.
//
// An f-string is one token.  Its fields are lexed again, and so are the fields
// of f-strings within them.
#include "frontend/scan/parts.h"

#include <string.h>

// Deeper nesting than in any real program; each level lexes again all of the
// levels within it.
enum { MAX_LEVELS = 32 };

typedef struct {
  const Scanner *s;
  Names *names;
  int depth;
} FieldScan;

static void walk_string(FieldScan *fields, const TokenList *list,
                        const Token *string);

static void walk_tokens(FieldScan *fields, const TokenList *list) {
  const char *text = fields->s->file->source.text;
  Program *program = fields->s->program;
  for (size_t i = 0; i + 1 < list->tokens.count; i++) {
    const Token *t = &list->tokens.items[i];
    if (t->kind == TOKEN_FSTRING) walk_string(fields, list, t);
    if (t->kind != TOKEN_NAME || t[1].kind != TOKEN_WALRUS) continue;
    const char *name =
        arena_strndup(program->arena, text + t->begin, t->end - t->begin);
    vec_push(program->arena, fields->names, program_intern(program, name));
  }
}

// Walks the field from its '{' at `open` to `end`.
static void walk_field(FieldScan *fields, const FStringMark *open,
                       uint32_t end) {
  const Scanner *s = fields->s;
  FStringMark at = *open;
  TokenList list = {0};
  DiagList quiet;
  diag_init_muted(&quiet, s->program->arena);
  at.offset++;
  at.column++;
  if (fields->depth == MAX_LEVELS) return;
  fields->depth++;
  lex_fragment(s->program->arena, &quiet, &s->file->source, at, end, &list);
  walk_tokens(fields, &list);
  fields->depth--;
}

static void walk_string(FieldScan *fields, const TokenList *list,
                        const Token *string) {
  for (size_t i = string->marks; i + 1 < list->marks.count; i++) {
    const FStringMark *mark = &list->marks.items[i];
    if (mark->offset >= string->end) break;
    if (mark->kind == MARK_FIELD) walk_field(fields, mark, mark[1].offset);
  }
}

static bool has_walrus(const char *text, size_t length) {
  const char *const end = text + length;
  while (text < end && (text = memchr(text, ':', (size_t)(end - text)))) {
    if (++text < end && *text == '=') return true;
  }
  return false;
}

void scan_walruses(const Scanner *s, uint32_t token, Names *names) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  if (scan_kind(s, token) != TOKEN_FSTRING || !has_walrus(text, length)) return;
  const TokenList *list = &s->file->list;
  FieldScan fields = {s, names, 0};
  walk_string(&fields, list, &list->tokens.items[token]);
}
