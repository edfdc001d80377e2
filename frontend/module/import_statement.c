// import_statement.c -- `import a.b as c, d`, `from ..a import (b, c as d)`.
#include "frontend/module/import_statement.h"

#include <string.h>

typedef struct {
  Program *program;
  const AstFile *file;
  uint32_t at;
  ImportedNames names;
} ImportReader;

static const Token *token_at(const ImportReader *r, uint32_t index) {
  const size_t last = r->file->list.tokens.count - 1;
  return &r->file->list.tokens.items[index < last ? index : last];
}

static int kind(const ImportReader *r, uint32_t offset) {
  return token_at(r, r->at + offset)->kind;
}

static const char *text(const ImportReader *r) {
  const Token *token = token_at(r, r->at);
  const char *whole =
      arena_strndup(r->program->arena, r->file->source.text + token->begin,
                    token->end - token->begin);
  return program_intern(r->program, whole);
}

static void add(ImportReader *r, const char *name, uint32_t token,
                Import import, const char *module) {
  const ImportedName imported = {name, token, import, module};
  vec_push(r->program->arena, &r->names, imported);
}

// Reads a dotted name; `r->at` is then behind it.
static const char *read_dotted(ImportReader *r) {
  Str name = str_in(r->program->arena);
  while (kind(r, 0) == TOKEN_NAME) {
    str_add(&name, text(r));
    r->at++;
    if (kind(r, 0) != TOKEN_DOT) break;
    str_add(&name, ".");
    r->at++;
  }
  return str_text(&name);
}

static void read_modules(ImportReader *r) {
  do {
    const uint32_t token = ++r->at;
    if (kind(r, 0) != TOKEN_NAME) return;
    const char *root = text(r), *module = read_dotted(r);
    if (kind(r, 0) == TOKEN_AS && kind(r, 1) == TOKEN_NAME) {
      r->at++;
      add(r, text(r), r->at, (Import){0, module, NULL}, module);
      r->at++;
    } else {
      add(r, root, token, (Import){0, root, NULL}, module);
    }
  } while (kind(r, 0) == TOKEN_COMMA);
}

static int read_level(ImportReader *r) {
  int level = 0;
  for (;; r->at++) {
    if (kind(r, 0) != TOKEN_DOT && kind(r, 0) != TOKEN_ELLIPSIS) return level;
    level += kind(r, 0) == TOKEN_DOT ? 1 : 3;
  }
}

static void read_members(ImportReader *r) {
  r->at++;
  const int level = read_level(r);
  const char *module = read_dotted(r);
  if (kind(r, 0) != TOKEN_IMPORT) return;
  r->at++;
  if (kind(r, 0) == TOKEN_STAR)
    add(r, NULL, r->at, (Import){level, module, NULL}, module);
  if (kind(r, 0) == TOKEN_LPAREN) r->at++;
  while (kind(r, 0) == TOKEN_NAME) {
    const Import import = {level, module, text(r)};
    if (kind(r, 1) == TOKEN_AS) r->at += 2;
    add(r, text(r), r->at, import, module);
    r->at += kind(r, 1) == TOKEN_COMMA ? 2 : 1;
  }
}

bool is_language(const char *module) {
  return !strncmp(module, "triton", 6) && (!module[6] || module[6] == '.');
}

ImportedNames import_names(Program *program, const AstFile *file,
                           uint32_t token) {
  ImportReader r = {.program = program, .file = file, .at = token};
  if (kind(&r, 0) == TOKEN_IMPORT)
    read_modules(&r);
  else
    read_members(&r);
  return r.names;
}
