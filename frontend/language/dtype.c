// dtype.c -- types, and their attributes.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"

#include <string.h>

const Object *builtin_dtype(Walk *w, const BuiltinCall *c) {
  Dtype dtype;
  const Object *x = c->args[0]; // a name, perhaps of an unsupported type
  if (x->kind == OBJECT_STRING && dtype_parse(x->as.string.text, &dtype))
    return object_dtype(w->arena, dtype);
  return argument_dtype(w, c, 0, &dtype) ? object_dtype(w->arena, dtype) : NULL;
}

const Object *builtin_pointer_type(Walk *w, const BuiltinCall *c) {
  Dtype dtype;
  bool is_const;
  if (!argument_dtype(w, c, 0, &dtype) ||
      !argument_bool(w, c, 2, false, &is_const))
    return NULL;
  if (dtype.is_pointer)
    return walk_error(w, c->loc, ERROR_pointers_pointers_not_supported_yet);
  return object_dtype(w->arena, (Dtype){dtype.id, true, is_const});
}

const Object *builtin_get_int_dtype(Walk *w, const BuiltinCall *c) {
  int64_t bits;
  bool is_signed;
  if (!argument_int(w, c, 0, 0, &bits) ||
      !argument_bool(w, c, 1, true, &is_signed))
    return NULL;
  for (int i = 1; i < DTYPE_COUNT; i++) {
    const DtypeInfo *info = &dtype_info[i];
    const bool fits = info->kind == KIND_BOOL ||
                      (info->kind == KIND_INT && info->is_signed == is_signed);
    if (fits && info->bits == bits)
      return object_dtype(w->arena, dtype_of((DtypeId)i));
  }
  return walk_error(w, c->loc, ERROR_there_no_integer_bits, (long long)bits);
}

const Object *builtin_dtype_is(Walk *w, const BuiltinCall *c) {
  (void)w;
  const Object *x = c->args[0];
  return object_bool(!x->as.type.tile &&
                     dtype_is(x->as.type.dtype, (DtypeId)c->info->data));
}

static bool has_kind(const Object *x, char kind) {
  const Dtype d = x->as.type.dtype;
  switch (kind) {
  case '8': return dtype_is_fp8(d);
  case 'f': return dtype_is_float(d);
  case 'F': return dtype_is_float(d) && !dtype_is_fp8(d);
  case 'i': return dtype_is_int(d);
  case 's': return dtype_is_int(d) && dtype_is_signed(d);
  case 'u': return dtype_is_int(d) && !dtype_is_signed(d);
  case 'p': return d.is_pointer || x->as.type.is_block;
  case 'b': return x->as.type.tile && !x->as.type.is_block;
  default: return d.is_const;
  }
}

const Object *builtin_dtype_kind(Walk *w, const BuiltinCall *c) {
  (void)w;
  return object_bool(has_kind(c->args[0], (char)c->info->data));
}

const Object *builtin_dtype_limit(Walk *w, const BuiltinCall *c) {
  const Dtype d = c->args[0]->as.type.dtype;
  if (!dtype_is_int(d))
    return walk_error(w, c->loc, ERROR_no_integer, text_of(w, c->args[0]));
  const bool sign = dtype_is_signed(d);
  const Integer end = (Integer)1 << (dtype_bits(d) - sign);
  const Integer low = sign ? -end : 0;
  return object_int(w->arena, c->info->data ? end - 1 : low);
}

// -- Tiles -------------------------------------------------------------------

const Object *builtin_block_type(Walk *w, const BuiltinCall *c) {
  Dtype dtype;
  int64_t shape[MAX_RANK];
  int rank;
  if (!argument_dtype(w, c, 0, &dtype) ||
      !argument_shape(w, c, 1, shape, &rank))
    return NULL;
  Object *type = arena_new(w->arena, Object);
  type->kind = OBJECT_DTYPE;
  type->as.type.dtype = dtype;
  if (rank) type->as.type.tile = tensor_type(w, dtype, rank, shape);
  return type;
}

const Object *builtin_with_element(Walk *w, const BuiltinCall *c) {
  Object *type = arena_new(w->arena, Object);
  *type = *c->args[0];
  return argument_dtype(w, c, 1, &type->as.type.dtype) ? type : NULL;
}

const Object *builtin_block_shapes(Walk *w, const BuiltinCall *c) {
  const Type *tile = c->args[0]->as.type.tile;
  const Object *sizes[MAX_RANK];
  const int rank = tile ? tile->rank : 0;
  for (int i = 0; i < rank; i++)
    sizes[i] = object_int(w->arena, tile->shape[i]);
  return object_tuple(w->arena, sizes, rank);
}

const Object *builtin_dtype_family(Walk *w, const BuiltinCall *c) {
  const DtypeKind kind = dtype_kind(c->args[0]->as.type.dtype);
  const char *name = kind == KIND_BOOL    ? "dtype.KIND.BOOLEAN"
                     : kind == KIND_INT   ? "dtype.KIND.INTEGRAL"
                     : kind == KIND_FLOAT ? "dtype.KIND.FLOATING"
                                          : NULL;
  if (!name)
    return walk_error(w, c->loc, ERROR_no_kind, text_of(w, c->args[0]));
  return object_builtin(w->arena, builtin_find(name), NULL);
}

// -- Lists of types ----------------------------------------------------------

const Object *builtin_dtype_known(Walk *w, const BuiltinCall *c) {
  const Object *name = c->args[0];
  if (name->kind != OBJECT_STRING)
    return walk_error(w, c->locs[0], ERROR_wants_string, "type_str",
                      c->info->name, text_of(w, name));
  for (int i = 0; i < DTYPE_COUNT; i++) {
    if (!strcmp(name->as.string.text, dtype_info[i].name)) return &object_true;
  }
  return &object_false;
}
