// names.c -- names that no line of their module binds, and chains of lookups
// that are too long.
#include "frontend/errors.h"
#include "frontend/module/program.h"

#include <string.h>

bool file_makes_names(const AstFile *file) {
  return file->is_replaced || file_find(file, "__getattr__");
}

// The last part of a module's name.
static const char *stem(Arena *arena, const AstFile *file) {
  const char *path = file->source.name, *end = path + strlen(file->folder);
  if (!file->is_package || end == path)
    return arena_strndup(arena, end, strcspn(end, "."));
  const char *begin = --end;
  while (begin > path && begin[-1] != '/') begin--;
  return arena_strndup(arena, begin, (size_t)(end - begin));
}

Symbol symbol_made_by(Program *program, AstFile *file, const char *name) {
  if (!file_makes_names(file)) return (Symbol){.kind = SYMBOL_ABSENT};
  Arena *arena = program->arena;
  return (Symbol){.kind = SYMBOL_EXTERNAL,
                  .name = arena_printf(arena, "%s.%s", stem(arena, file), name),
                  .file = file};
}

void lookup_too_deep(DiagList *diags, const NameLookup *lookup, SrcLoc use) {
  const NameLookup *l = lookup->outer;
  while (l && (l->file != lookup->file || strcmp(l->name, lookup->name)))
    l = l->outer;
  if (l)
    diag_error(diags, use, ERROR_circular_definition, lookup->name);
  else
    diag_error(diags, use, ERROR_lookups_too_deep, MAX_LOOKUPS, lookup->name);
}
