// dot_value.c -- `.value`, which a constexpr has and a member of an Enum.
//
// Constants do not say whether Triton has a constexpr around them; how some
// were written does.
#include "frontend/core/builtins.h"
#include "frontend/walk/evaluate.h"

#include <string.h>

// `x.dtype`, `tl.float32`
static bool is_of_name(Walk *w, const Expr *expr) {
  if (expr->kind != EXPR_ATTRIBUTE || expr->attribute.object->kind != EXPR_NAME)
    return false;
  const Object *owner = walk_name(w, expr->attribute.object);
  return owner && (object_is_tensor(owner) || owner->kind == OBJECT_DTYPE ||
                   (owner->kind == OBJECT_SYMBOL &&
                    owner->as.symbol->kind == SYMBOL_BUILTIN));
}

bool value_is_bare(Walk *w, const Expr *expr, const Object *x) {
  if (walk_is_host(w)) return false;
  if (expr->kind == EXPR_TUPLE || expr->kind == EXPR_FSTRING) return true;
  return x->kind == OBJECT_DTYPE && is_of_name(w, expr);
}

const Object *builtin_value(Walk *w, const Builtin *info) {
  const bool member = !strncmp(info->name, "dtype.KIND.", 11) ||
                      !strncmp(info->name, "dtype.SIGNEDNESS.", 17);
  return member ? object_int(w->arena, info->data) : NULL;
}
