// dtype_attribute.c -- attributes of dtypes and of the types of tiles.
#include "frontend/python/python.h"

#include <string.h>

const Object *shape_of_type(Walk *w, const Type *type) {
  const int rank = type ? type->rank : 0;
  const Object *sizes[MAX_RANK];
  for (int i = 0; i < rank; i++)
    sizes[i] = object_int(w->arena, type->shape[i]);
  return object_tuple(w->arena, sizes, rank);
}

static bool is_sint(const DtypeInfo *info) {
  return info->kind == KIND_INT && info->is_signed;
}

static bool is_uint(const DtypeInfo *info) {
  return info->kind == KIND_BOOL ||
         (info->kind == KIND_INT && !info->is_signed);
}

static bool is_float(const DtypeInfo *info) {
  return info->kind == KIND_FLOAT;
}

static bool is_standard_float(const DtypeInfo *info) {
  return info->kind == KIND_FLOAT && info->bits > 8;
}

static bool is_other(const DtypeInfo *info) {
  return info->kind == KIND_VOID;
}

static bool is_listed(const DtypeInfo *info, const char *list) {
  static const struct {
    const char *list;
    bool (*has)(const DtypeInfo *info);
  } lists[] = {{"SINT_TYPES", is_sint},
               {"UINT_TYPES", is_uint},
               {"FP_TYPES", is_float},
               {"STANDARD_FP_TYPES", is_standard_float},
               {"OTHER_TYPES", is_other}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!strcmp(lists[i].list, list)) return lists[i].has(info);
  return false;
}

const Object *dtype_list(Walk *w, const char *name) {
  const Object *items[DTYPE_COUNT];
  int n = 0;
  for (int i = 0; i < DTYPE_COUNT; i++) {
    const DtypeInfo *info = &dtype_info[i];
    if (!is_listed(info, name)) continue;
    items[n++] = object_string(w->arena, info->name, strlen(info->name));
  }
  return n ? object_tuple(w->arena, items, n) : NULL;
}

static const Object *address_space(Walk *w, const Object *x) {
  return x->as.type.dtype.is_pointer ? object_int(w->arena, 1) : NULL;
}

static const Object *is_const(Walk *w, const Object *x) {
  (void)w;
  const Dtype dtype = x->as.type.dtype;
  return dtype.is_pointer ? object_bool(dtype.is_const) : NULL;
}

static const Object *exponent_bias(Walk *w, const Object *x) {
  const Dtype dtype = x->as.type.dtype;
  return dtype_is_float(dtype) ? object_int(w->arena, dtype_info[dtype.id].bias)
                               : NULL;
}

static const Object *signedness(Walk *w, const Object *x) {
  const Dtype dtype = x->as.type.dtype;
  if (!dtype_is_int(dtype)) return NULL;
  const char *name = dtype_is_signed(dtype) ? "dtype.SIGNEDNESS.SIGNED"
                                            : "dtype.SIGNEDNESS.UNSIGNED";
  return object_builtin(w->arena, w->language->find(name), NULL);
}

static const Object *type_numel(Walk *w, const Object *x) {
  const Type *tile = x->as.type.tile;
  return tile ? object_int(w->arena, tile->num_elements) : NULL;
}

static const Object *type_bytes(Walk *w, const Object *x) {
  const Type *tile = x->as.type.tile;
  const int bits = dtype_bits(x->as.type.dtype);
  return tile ? object_int(w->arena, tile->num_elements * bits / 8) : NULL;
}

static const Object *itself(Walk *w, const Object *x) {
  (void)w;
  return x;
}

static const Object *scalar(Walk *w, const Object *x) {
  return object_dtype(w->arena, x->as.type.dtype);
}

static const Object *type_shape(Walk *w, const Object *x) {
  return shape_of_type(w, x->as.type.tile);
}

static const Object *type_name(Walk *w, const Object *x) {
  const char *name = dtype_info[x->as.type.dtype.id].name;
  return object_string(w->arena, name, strlen(name));
}

static const Object *bit_width(Walk *w, const Object *x) {
  return object_int(w->arena, dtype_bits(x->as.type.dtype));
}

static const Object *byte_width(Walk *w, const Object *x) {
  return object_int(w->arena, dtype_bits(x->as.type.dtype) / 8);
}

static const Object *mantissa_width(Walk *w, const Object *x) {
  return object_int(w->arena, dtype_info[x->as.type.dtype.id].mantissa);
}

// An attribute that follows from the type alone; its function returns NULL if
// the type has none.
static const struct {
  const char *name;
  const Object *(*value)(Walk *w, const Object *x);
} attributes[] = {
    {"value", itself}, // of a constexpr
    {"type", constexpr_type_of},
    {"scalar", scalar},
    {"shape", type_shape},
    {"name", type_name},
    {"primitive_bitwidth", bit_width},
    {"int_bitwidth", bit_width},
    {"itemsize", byte_width},
    {"fp_mantissa_width", mantissa_width},
    {"address_space", address_space},
    {"const", is_const},
    {"exponent_bias", exponent_bias},
    {"int_signedness", signedness},
    {"numel", type_numel},
    {"nbytes", type_bytes},
};

const Object *dtype_attribute(Walk *w, const Object *x, const char *name) {
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (!strcmp(attributes[i].name, name)) return attributes[i].value(w, x);
  return NULL;
}
