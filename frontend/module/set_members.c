// set_members.c -- names that setattr() or an assignment from outside may have
// set: of a module or class that has escaped, or of a module of the language.
#include "frontend/module/set_members.h"

#include "frontend/module/imports.h"
#include "frontend/scan/scan.h"

#include <string.h>

bool name_is_member(const Map *members, const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && map_get_text(members, dot + 1, strlen(dot + 1));
}

bool name_may_be_set(Program *program, const AstFile *file, const char *name) {
  if (strchr(name, '.'))
    return name_is_member(&program->assigned_members, name) ||
           ((name_is_member(&program->given_members, name) ||
             program->any_given) &&
            scan_gives_class(program, name));
  const size_t length = strlen(name);
  return file->is_given &&
         (program->any_given ||
          map_get_text(&program->given_members, name, length) ||
          map_get_text(&program->assigned_members, name, length));
}

// A setattr() with an unknown name is ignored here: else no function of a
// module that has escaped would be known.
bool function_may_be_set(const Program *program, const AstFile *file,
                         const char *name) {
  return file->is_given &&
         map_get_text(&program->assigned_members, name, strlen(name));
}

Symbol symbol_of_set(Program *program, AstFile *file, const char *name,
                     SrcLoc loc) {
  AstGlobal *global = arena_new(program->arena, AstGlobal);
  *global = (AstGlobal){.name = name, .loc = loc, .op = OPERATOR_COUNT};
  return (Symbol){.kind = SYMBOL_GLOBAL,
                  .name = name,
                  .loc = loc,
                  .global = global,
                  .file = file};
}

bool name_is_bound_elsewhere(Program *program, const AstFile *file,
                             const char *name, SymbolKind kind) {
  return kind != SYMBOL_ABSENT && kind != SYMBOL_ERROR &&
         kind != SYMBOL_GLOBAL &&
         !program->world->is_told(program, file, name, TOLD_CODE);
}

static bool is_set_of_language(const Program *program, const Symbol *symbol,
                               const char *name) {
  if (symbol->kind != SYMBOL_BUILTIN || !program->language_members.count)
    return false;
  const char *whole = arena_printf(program->arena, "%s.%s", symbol->name, name);
  return map_get_text(&program->language_members, whole, strlen(whole));
}

bool symbol_is_set(const Program *program, const Symbol *symbol,
                   const char *name) {
  const bool patched =
      symbol->is_patched &&
      map_get_text(&program->patched_members, name, strlen(name));
  return patched || is_set_of_language(program, symbol, name);
}
