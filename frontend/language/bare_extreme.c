// bare_extreme.c -- `max(v, 0)` of a tile: axis 0, or comparison with 0?
//
// A bare `sum(v, 0)` reduces along the axis, so a reader expects the same of a
// bare `max(v, 0)`.  In Python, it compares each element with 0.
#include "frontend/language/language.h"

#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"

#include <string.h>

// Is the callee Python's `max` or `min`, under any name, to which no import of
// the file gives another meaning?
static bool is_bare(Walk *w, const Expr *name, const Object *callee) {
  if (callee->kind != OBJECT_BUILTIN) return false;
  const Builtin *info = callee->as.builtin.info;
  if (info->run != builtin_python_extreme) return false;
  const Symbol symbol =
      program_lookup_at(w->program, w->diags, w->frame->file, w->frame->place,
                        info->name, name->loc);
  return symbol.kind == SYMBOL_ABSENT;
}

static bool is_axis_of(const Object *axis, const Object *x) {
  if (axis->kind != OBJECT_INT || !object_is_tile(x)) return false;
  const int rank = object_type(x)->rank;
  return axis->as.integer >= -rank && axis->as.integer < rank;
}

// Could the arguments be those of tl.max(x, axis), or tl.max(x, axis,
// return_indices)?
static bool may_be_axis(const Arguments *args) {
  if (args->count != 2 && args->count != 3) return false;
  for (size_t i = 0; i < args->count; i++)
    if (args->items[i].name) return false;
  if (args->count == 3 && args->items[2].value->kind != OBJECT_BOOL)
    return false;
  return is_axis_of(args->items[1].value, args->items[0].value);
}

static const char *unparsed(Walk *w, const Expr *expr) {
  enum { MAX_SHOWN = 40 };
  Str text = str_in(w->arena);
  ast_unparse(expr, MAX_SHOWN, &text);
  return str_text(&text);
}

// The call as written, and its two possible meanings.
typedef struct {
  const char *written, *along, *each;
} Spellings;

static Spellings spell(Walk *w, const Expr *call, const Object *callee,
                       const Arguments *args) {
  const char *name = callee->as.builtin.info->name;
  const CallArg *first = &call->call.args[0];
  const char *x =
      first->kind == ARG_POSITIONAL ? unparsed(w, first->value) : "x";
  const char *tl = file_is_python(w->frame->file) ? "tl." : "";
  const int axis = (int)args->items[1].value->as.integer;
  const bool three = args->count == 3;
  const char *third = !three                             ? ""
                      : args->items[2].value->as.integer ? ", True"
                                                         : ", False";
  Str written = str_in(w->arena), along = written, each = written;
  str_addf(&written, "%s(%s, %d%s)", unparsed(w, call->call.callee), x, axis,
           third);
  str_addf(&along, "tl.%s(%s, %d%s)", name, x, axis, third);
  if (three) str_addf(&each, "%s%simum(", tl, name);
  str_addf(&each, "%s%simum(%s, %d)", tl, name, x, axis);
  if (three) str_addf(&each, "%s)", third);
  return (Spellings){str_text(&written), str_text(&along), str_text(&each)};
}

bool extreme_is_clear(Walk *w, const Expr *call, const Object *callee,
                      const Arguments *args) {
  if (!may_be_axis(args) || !is_bare(w, call->call.callee, callee)) return true;
  const Spellings s = spell(w, call, callee, args);
  const int axis = (int)args->items[1].value->as.integer;
  if (!file_is_python(w->frame->file))
    return diag_error(w->diags, call->loc, ERROR_bare_extreme, s.written,
                      s.along, axis, s.each);
  diag_warning(w->diags, call->loc, WARNING_bare_extreme_is_pythons, s.written,
               s.each, s.along, axis);
  return true;
}
