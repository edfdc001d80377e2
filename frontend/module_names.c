// module_names.c -- names of a module that no line of it binds.
#include "frontend/program.h"

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
