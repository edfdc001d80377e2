// host_tensor.c -- methods of tensors that host code of decorators calls.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/value/value.h"

#include <string.h>

const Object *builtin_element_size(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (!object_is_pointer(x))
    return walk_error(w, c->loc, ERROR_computed_by_host, ".element_size()");
  const int bits = dtype_info[x->as.tensor.dtype.id].bits;
  return object_int(w->arena, bits < 8 ? 1 : bits / 8);
}

// Notes the value; the launch fills the tensor.
const Object *builtin_fill_tensor(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  double value = 0;
  int64_t whole;
  if (!w->hook || !object_is_pointer(x))
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
  vec_push(w->arena, &w->hook->fills, ((TensorFill){x, value}));
  return x;
}

// A class of the host, for isinstance().
const Object *builtin_host_class(Walk *w, const BuiltinCall *c) {
  return walk_error(w, c->loc, ERROR_computed_by_host, c->info->name);
}

// -- Tensor descriptors ------------------------------------------------------

// The last block shape that the hook gave the descriptor; NULL if none.
static const Object *new_block(const Walk *w, const Object *x) {
  for (size_t i = w->hook ? w->hook->blocks.count : 0; i-- > 0;)
    if (w->hook->blocks.items[i].descriptor == x)
      return w->hook->blocks.items[i].block;
  return NULL;
}

const Object *host_descriptor_attribute(Walk *w, const Object *x,
                                        const char *name) {
  const Type *type = object_type(x);
  const Object *sizes[MAX_RANK], *given = new_block(w, x);
  if (!strcmp(name, "dtype")) return host_type(w, x->as.tensor.dtype.id);
  if (strcmp(name, "block_shape")) return NULL;
  for (int i = 0; i < type->rank; i++)
    sizes[i] = object_int(w->arena, type->shape[i]);
  return given ? given : object_tuple(w->arena, sizes, type->rank);
}

bool host_descriptor_assign(Walk *w, SrcLoc loc, const Object *x,
                            const char *name, const Object *value) {
  const int rank = object_type(x)->rank;
  int64_t size;
  bool ok = value->kind == OBJECT_TUPLE && value->as.tuple.count == rank;
  if (!w->hook || strcmp(name, "block_shape"))
    return diag_error(w->diags, loc, ERROR_computed_by_host,
                      arena_printf(w->arena, ".%s = ...", name));
  for (int i = 0; ok && i < rank; i++)
    ok = object_constant_int(value->as.tuple.items[i], &size) && size > 0 &&
         size <= INT32_MAX;
  if (!ok)
    return diag_error(w->diags, loc, ERROR_hook_block, rank, text_of(w, value));
  vec_push(w->arena, &w->hook->blocks, ((NewBlock){x, value}));
  return true;
}
