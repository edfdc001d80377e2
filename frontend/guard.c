// guard.c -- conditions at module level that the language decides.
//
// Libraries that run under several releases ask for a function with `hasattr`,
// and those that run without Triton whether its import went well; something
// that only looks like it stands below the `else`.
#include "frontend/guard.h"

#include "frontend/builtins.h"
#include "frontend/parser.tab.h"

#include <string.h>

typedef struct {
  Program *program;
  const AstFile *file;
  uint32_t next;
} Reader;

static const Token *token_at(const Reader *r, uint32_t index) {
  const TokenList *list = &r->file->list;
  const uint32_t last = (uint32_t)list->tokens.count - 1;
  return &list->tokens.items[index < last ? index : last];
}

static bool take(Reader *r, int kind) {
  if (token_at(r, r->next)->kind != kind) return false;
  r->next++;
  return true;
}

// The text of the token before the next, less `quotes` bytes at both ends.
static const char *taken_text(const Reader *r, uint32_t quotes) {
  const Token *token = token_at(r, r->next - 1);
  Str text = str_in(r->program->arena);
  str_add_bytes(&text, r->file->source.text + token->begin + quotes,
                token->end - token->begin - 2 * quotes);
  return str_text(&text);
}

// What an import names, NULL if only its file could tell.  Packages hand the
// language on from a module of their own.
static const char *imported(const Reader *r, const Import *import) {
  const char *member = import->member;
  if (member && !strcmp(member, "triton")) return "triton";
  if (member && !strcmp(member, "tl")) return "triton.language";
  if (import->level) return NULL;
  return member
             ? arena_printf(r->program->arena, "%s.%s", import->module, member)
             : import->module;
}

// Of `tl.math`, "triton.language.math"; NULL if it is no import of a module.
static const char *take_module(Reader *r) {
  if (!take(r, TOKEN_NAME)) return NULL;
  const Definition *d = file_find(r->file, taken_text(r, 0));
  if (!d || d->kind != DEFINES_IMPORT) return NULL;
  const char *root = imported(r, &d->import);
  if (!root) return NULL;
  Str path = str_in(r->program->arena);
  str_add(&path, root);
  while (take(r, TOKEN_DOT)) {
    if (!take(r, TOKEN_NAME)) return NULL;
    str_add(&path, ".");
    str_add(&path, taken_text(r, 0));
  }
  return str_text(&path);
}

// `hasattr(tl, "NAME"):`
static bool has_function(Reader *r) {
  static const char language[] = "triton.language";
  const size_t length = sizeof language - 1;
  if (!take(r, TOKEN_NAME) || strcmp(taken_text(r, 0), "hasattr") ||
      !take(r, TOKEN_LPAREN))
    return false;
  const char *module = take_module(r);
  if (!module || strncmp(module, language, length)) return false;
  if (!take(r, TOKEN_COMMA) || !take(r, TOKEN_STRING)) return false;
  const char *name = taken_text(r, 1), *inner = module + length;
  if (!take(r, TOKEN_RPAREN) || !take(r, TOKEN_COLON)) return false;
  if (*inner == '.')
    name = arena_printf(r->program->arena, "%s.%s", inner + 1, name);
  else if (*inner)
    return false;
  const Builtin *found = builtin_find(name);
  return found && found->run;
}

// `triton is not None:`
static bool is_there(Reader *r) {
  const char *module = take_module(r);
  if (!module || strncmp(module, "triton", 6)) return false;
  if (module[6] && module[6] != '.') return false;
  return take(r, TOKEN_IS) && take(r, TOKEN_NOT) && take(r, TOKEN_NONE) &&
         take(r, TOKEN_COLON);
}

bool guard_holds(Program *program, const AstFile *file, uint32_t begin) {
  Reader has = {program, file, begin}, is = has;
  return has_function(&has) || is_there(&is);
}
