// pointer_shape.c -- attributes of tensors that a pointer does not have.
//
// A kernel gets only the address of a tensor.  As in Triton, `p.shape` is an
// empty tuple and `p.numel` is 1.  A kernel that reads these attributes expects
// those of the tensor, so reading them is an error.
#include "frontend/core/walk.h"

#include "frontend/errors.h"
#include "ir/base/base.h"

static bool is_pointer(const Object *x) {
  return object_is_tensor(x) && x->as.tensor.dtype.is_pointer &&
         !object_is_tile(x) && !object_is_window(x);
}

bool asks_for_shape(const Object *x, const char *name) {
  return is_pointer(x) && words_have(WORDS_SHAPE_METHODS, name);
}

bool reads_shape(const Walk *w, const Expr *expr) {
  static const char *const names[] = {"shape", "numel", "ndim"};
  if (expr->kind != EXPR_ATTRIBUTE ||
      expr->attribute.object->kind != EXPR_NAME ||
      !names_have(names, sizeof names / sizeof *names, expr->attribute.name))
    return false;
  const Object *x = scope_get(&w->frame->scope, expr->attribute.object->name);
  return x && is_pointer(x);
}

const Object *pointer_has_no_shape(Walk *w, const Expr *attribute) {
  return walk_error(w, attribute->attribute.name_loc, ERROR_pointer_no_shape,
                    attribute->attribute.name);
}
