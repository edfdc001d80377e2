// named_tokens.c -- the tokens of a file that may be names of its module.
//
// Most names in the bodies of functions are local.
#include "frontend/scan/parts.h"

#include <string.h>

static Map last_parts(Arena *arena, const AstFile *file) {
  Map parts = {0};
  for (size_t i = 0; i < file->names.count; i++) {
    const char *name = file->names.items[i], *dot = strrchr(name, '.');
    const char *last = dot ? dot + 1 : name;
    map_put_text(&parts, arena, last, strlen(last), (void *)name);
  }
  return parts;
}

const bool *named_tokens(Program *program, AstFile *file) {
  const TokenList *list = &file->list;
  const size_t known = file->names.count + file->rebound.count;
  if (file->named.tokens && file->named.num_names == known)
    return file->named.tokens;
  const Map parts = last_parts(program->arena, file);
  bool *named = arena_array(program->arena, bool, list->tokens.count + 1);
  for (size_t i = 0; i < list->tokens.count; i++) {
    const Token *t = &list->tokens.items[i];
    const char *text = file->source.text + t->begin;
    const size_t length = t->end - t->begin;
    named[i] =
        t->kind == TOKEN_NAME &&
        (file->star_imports.count || map_get_text(&parts, text, length) ||
         map_get_text(&file->rebound, text, length));
  }
  file->named.tokens = named;
  file->named.num_names = known;
  return named;
}
