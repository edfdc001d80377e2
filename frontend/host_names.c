// host_names.c -- functions of the language that host code chose.
//
// `rsqrt = find_function("rsqrt")` and `backend.libdevice().tanh` are common in
// libraries that run under several releases.  What host code does is not known
// here, but a function of the language under that very name is what it finds.
#include "frontend/host_names.h"

#include "frontend/builtins.h"
#include "frontend/errors.h"
#include "frontend/host_limits.h"

#include <string.h>

static Symbol symbol_of(Walk *w, AstFile *file, const Expr *expr) {
  const Symbol nothing = {.kind = SYMBOL_ABSENT};
  if (expr->kind == EXPR_NAME)
    return program_lookup(w->program, w->diags, file, expr->name, expr->loc);
  if (expr->kind != EXPR_ATTRIBUTE) return nothing;
  const Symbol object = symbol_of(w, file, expr->attribute.object);
  if (object.kind == SYMBOL_ABSENT || object.kind == SYMBOL_ERROR)
    return object;
  return program_member(w->program, w->diags, object, expr->attribute.name,
                        expr->loc);
}

bool host_computes(Walk *w, const Symbol *symbol) {
  const Expr *value = symbol->global->value;
  if (!value || value->kind != EXPR_CALL) return false;
  const Symbol callee = symbol_of(w, symbol->file, value->call.callee);
  if (callee.kind == SYMBOL_EXTERNAL)
    return !host_math(w, callee.name) && !host_is_limits(callee.name);
  return callee.kind == SYMBOL_HOST;
}

const Object *host_fact(Walk *w, const char *dotted) {
  static const char system[] = "linux", family[] = "posix";
  if (!strcmp(dotted, "typing.TYPE_CHECKING")) return &object_false;
  if (!strcmp(dotted, "sys.platform"))
    return object_string(w->arena, system, strlen(system));
  if (!strcmp(dotted, "os.name"))
    return object_string(w->arena, family, strlen(family));
  if (strcmp(dotted, "sys.version_info") != 0) return NULL;
  const Object *release[] = {object_int(w->arena, 3), object_int(w->arena, 12),
                             object_int(w->arena, 0)};
  return object_tuple(w->arena, release, 3);
}

const Object *host_function(Walk *w, const char *name, SrcLoc use) {
  const char *last = strrchr(name, '.');
  const char *bare = last ? last + 1 : name;
  const char *dotted = arena_printf(w->arena, "libdevice.%s", bare);
  const Builtin *info = builtin_find(dotted); // finds those of `tl`, too
  if (!info || !info->run) return NULL;
  if (!w->trial) diag_warning(w->diags, use, WARNING_host_function, name, bare);
  return object_builtin(w->arena, info, NULL);
}
