// host_tensor.c -- methods of tensors that host code of decorators calls.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/value/value.h"

const Object *builtin_element_size(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (!object_is_pointer(x))
    return walk_error(w, c->loc, ERROR_computed_by_host, ".element_size()");
  const int bits = dtype_info[x->as.tensor.dtype.id].bits;
  return object_int(w->arena, bits < 8 ? 1 : bits / 8);
}

// The hook's caller fills it.
const Object *builtin_fill_tensor(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  double value = 0;
  int64_t whole;
  if (!w->fills || !object_is_pointer(x))
    return walk_error(w, c->loc, ERROR_computed_by_host, ".fill_()");
  if (c->info->data) {
    const Object *given = c->args[1];
    if (given->kind == OBJECT_FLOAT)
      value = given->as.number;
    else if (object_constant_int(given, &whole))
      value = (double)whole;
    else
      return walk_error(w, c->locs[1], ERROR_computed_by_host, ".fill_()");
  }
  vec_push(w->arena, w->fills, ((TensorFill){x, value}));
  return x;
}
