// import.c -- imports in functions that run while compiling.
//
// An import that may fail makes the function's result unknown.
#include "frontend/core/walk.h"
#include "frontend/host/guard.h"
#include "frontend/host/host.h"
#include "frontend/module/module.h"
#include "frontend/walk/evaluate.h"

static bool is_there(Walk *w, const Symbol *symbol) {
  switch (symbol->kind) {
  case SYMBOL_ABSENT:
  case SYMBOL_ERROR: return false;
  case SYMBOL_EXTERNAL:
    return guard_has_module(w->program, w->frame->file, symbol->name);
  default: return true;
  }
}

static bool bind(Walk *w, const ImportedName *x, SrcLoc loc) {
  if (!x->name) return false;
  const Symbol symbol =
      program_import(w->program, w->diags, w->frame->file, &x->import, loc);
  const Object *value =
      is_there(w, &symbol) ? constant_of_symbol(w, &symbol, loc) : NULL;
  if (!value) return false;
  scope_set(&w->frame->scope, x->name, value);
  return true;
}

bool walk_import(Walk *w, const Stmt *stmt) {
  const bool imports = words_have(WORDS_IMPORTING, stmt->unsupported.keyword);
  if (!imports || !walk_is_constant(w)) return false;
  const ImportedNames names =
      import_names(w->program, w->frame->file, stmt->unsupported.token);
  for (size_t i = 0; i < names.count; i++) {
    if (!bind(w, &names.items[i], stmt->loc)) return false;
  }
  return names.count > 0;
}
