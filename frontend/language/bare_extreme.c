// bare_extreme.c -- `max(v, 0)` of a tile: along axis 0, or of each and 0?
//
// A bare `sum(v, 0)` goes along the axis, so a reader takes a bare `max(v, 0)`
// for the same.  In Python it compares each element with 0.
#include "frontend/language/bare_extreme.h"

#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"

#include <string.h>

// Has nothing but Python given the name `max` or `min` its meaning?
static bool is_bare(Walk *w, const Expr *name, const Object *callee) {
  if (name->kind != EXPR_NAME || callee->kind != OBJECT_BUILTIN) return false;
  const Builtin *info = callee->as.builtin.info;
  if (info->run != builtin_python_extreme || strcmp(info->name, name->name) ||
      scope_get(&w->frame->scope, name->name))
    return false;
  const Symbol symbol =
      program_lookup_at(w->program, w->diags, w->frame->file, w->frame->place,
                        name->name, name->loc);
  return symbol.kind == SYMBOL_ABSENT;
}

static bool is_axis_of(const Object *axis, const Object *x) {
  if (axis->kind != OBJECT_INT || !object_is_tile(x)) return false;
  const int rank = object_type(x)->rank;
  return axis->as.integer >= -rank && axis->as.integer < rank;
}

// Both arguments, as they were written, stand on their own.
static bool are_written(const Expr *call, const Arguments *args) {
  return args->count == 2 && call->call.num_args == 2 &&
         call->call.args[0].kind == ARG_POSITIONAL &&
         call->call.args[1].kind == ARG_POSITIONAL;
}

bool extreme_is_clear(Walk *w, const Expr *call, const Object *callee,
                      const Arguments *args) {
  enum { MAX_SHOWN = 40 };
  if (!are_written(call, args) ||
      !is_axis_of(args->items[1].value, args->items[0].value) ||
      !is_bare(w, call->call.callee, callee))
    return true;
  const char *name = call->call.callee->name;
  Str text = str_in(w->arena);
  ast_unparse(call->call.args[0].value, MAX_SHOWN, &text);
  const char *x = str_text(&text);
  const int axis = (int)args->items[1].value->as.integer;
  if (!file_is_python(w->frame->file))
    return diag_error(w->diags, call->loc, ERROR_bare_extreme, name, x, axis,
                      name, x, axis, axis, name, x, axis);
  diag_warning(w->diags, call->loc, WARNING_bare_extreme_is_pythons, name, x,
               axis, name, x, axis, name, x, axis, axis);
  return true;
}
