// enum_member.c -- members of an Enum: their values, with a mark.
//
// A member of a pure Enum supports only `.value` and comparisons with other
// members. A member that is a number or text behaves like its value, except for
// str().
#include "frontend/walk/enum_member.h"

#include "frontend/module/program.h"

#include <string.h>

// A copy of the value, marked as a member of a class of that kind.
static const Object *marked(Walk *w, const Object *x, EnumKind kind) {
  Object *copy = arena_new(w->arena, Object);
  *copy = *x;
  copy->enum_kind = kind;
  return copy;
}

const Object *enum_member(Walk *w, const Symbol *class, const char *name,
                          const Object *value) {
  const bool may = value && object_is_literal(value) && *name != '_' &&
                   class->kind == SYMBOL_HOST && !class->global;
  const EnumKind kind = may ? program_enum_kind(w->program, class) : ENUM_NONE;
  return kind == ENUM_NONE ? value : marked(w, value, kind);
}

const Object *enum_named(Walk *w, const Symbol *symbol, const Object *value) {
  const char *dot = symbol->kind == SYMBOL_GLOBAL && symbol->name
                        ? strrchr(symbol->name, '.')
                        : NULL;
  const char *within = w->frame->place.prefix; // the class's own body sees
                                               // values
  if (!dot ||
      (within && *within && !strncmp(within, symbol->name, strlen(within))))
    return value;
  DiagList quiet;
  diag_init_muted(&quiet, w->arena);
  const char *name =
      arena_strndup(w->arena, symbol->name, (size_t)(dot - symbol->name));
  const Symbol class =
      program_lookup(w->program, &quiet, symbol->file, name, symbol->loc);
  return enum_member(w, &class, dot + 1, value);
}

const Object *enum_value(Walk *w, const Object *x) {
  return x->enum_kind == ENUM_NONE ? x : marked(w, x, ENUM_NONE);
}
