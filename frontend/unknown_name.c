// unknown_name.c -- what is said of names that stand for nothing.
#include "frontend/unknown_name.h"

#include "frontend/builtins.h"
#include "frontend/errors.h"
#include "frontend/host_names.h"

#include <string.h>

// What other languages call `None`.
static bool is_null(const char *name) {
  return !strcmp(name, "null") || !strcmp(name, "nullptr") ||
         !strcmp(name, "NULL") || !strcmp(name, "nil");
}

static const char *nearest_name(Walk *w, const char *name) {
  static const char *const constants[] = {"True", "False", "None"};
  const Locals *scope = &w->frame->scope;
  const char **names = arena_array(w->arena, const char *, scope->count + 1);
  size_t n = 0;
  for (size_t i = 0; i < scope->count; i++) {
    if (scope->items[i].object) names[n++] = scope->items[i].name;
  }
  if (is_null(name)) return "None";
  const char *near = diag_nearest(name, names, n);
  if (!near) near = file_nearest(w->frame->file, name);
  if (!near) near = diag_nearest(name, constants, 3);
  return near ? near : builtin_nearest(w->arena, name, SPACE_PYTHON);
}

const Object *unknown_name(Walk *w, const Expr *expr, const char *member) {
  const char *name = expr->name;
  if (member && language_has(member)) {
    walk_error(w, expr->loc, ERROR_unknown_module, name, member);
    diag_fix(w->diags, expr->loc, "tl");
    return NULL;
  }
  if (host_has_builtin(name))
    return walk_error(w, expr->loc, ERROR_host_builtin, name);
  // Nobody hears what a condition of a module might have meant.
  const char *near = w->diags->muted ? NULL : nearest_name(w, name);
  if (!near) return walk_error(w, expr->loc, ERROR_unknown_name, name);
  walk_error(w, expr->loc, ERROR_unknown_name_near, name, near);
  diag_fix(w->diags, expr->loc, near);
  return NULL;
}

const Object *name_is_gone(Walk *w, SrcLoc loc, const char *name,
                           const Object *gone) {
  walk_error(w, loc, ERROR_name_is_gone, name, gone->as.gone.reason);
  for (int i = 0; i < 2; i++) {
    const Object *was = gone->as.gone.were[i];
    if (!was || !object_is_tensor(was) || !was->as.tensor.value->def) continue;
    const SrcLoc def = was->as.tensor.value->def->loc;
    if (def.file == loc.file)
      diag_note(w->diags, def, NOTE_was, name, text_of(w, was));
  }
  return NULL;
}

void note_need(Walk *w, const Diag *errors, SrcLoc use, const char *name) {
  static const char *const of_host[] = {
      ERROR_host_builtin,     ERROR_host_indexed,    ERROR_calls_host_code,
      ERROR_calls_no_file,    ERROR_calls_host_near, ERROR_calls_library,
      ERROR_calls_host_value, ERROR_calls_host_class};
  for (; errors; errors = errors->next) {
    for (size_t i = 0; i < sizeof of_host / sizeof *of_host; i++) {
      if (strcmp(errors->format, of_host[i]) != 0) continue;
      diag_note(w->diags, use, NOTE_needed_of_host, name, name);
      return;
    }
  }
  diag_note(w->diags, use, NOTE_needed);
}
