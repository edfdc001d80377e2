// limits.c -- types of torch, and the results of torch.finfo and torch.iinfo.
//
// Files use `torch.finfo(torch.float32).min` in their constants.  These
// functions of the host have fixed results.
#include "frontend/python/python.h"

#include "frontend/errors.h"
#include "frontend/value/value.h"

#include <math.h>
#include <string.h>

// torch has no "int1"; it has no "fp8e5" either, but a type that equals it.
const Object *host_type(Walk *w, DtypeId id) {
  const char *name = id == DTYPE_INT1 ? "bool" : dtype_info[id].attribute;
  const Symbol type = {.kind = SYMBOL_EXTERNAL,
                       .name = arena_printf(w->arena, "torch.%s", name),
                       .file = w->frame->file};
  return object_symbol(w->arena, &type);
}

const Object *host_type_attribute(Walk *w, const Object *x, const char *name) {
  const DtypeId id = host_dtype(x);
  if (id == DTYPE_COUNT) return NULL;
  if (!strcmp(name, "itemsize"))
    return object_int(w->arena, (dtype_info[id].bits + 7) / 8);
  if (!strcmp(name, "is_floating_point"))
    return object_bool(dtype_is_float(dtype_of(id)));
  return NULL;
}

// The argument is a type of torch or NumPy, or one of the language,
// `tl.float16`.
static DtypeId dtype_of_argument(const Object *x) {
  if (x->kind == OBJECT_DTYPE && !x->as.type.dtype.is_pointer)
    return x->as.type.dtype.id;
  return host_dtype(x);
}

// The width of the exponent determines its bias; fp8e4nv has no infinities.
static const Object *float_limits(Walk *w, DtypeId id) {
  static const char *const names[] = {
#define FINFO_FIELD(id, name) name,
#include "frontend/python/fields.def"
  };
  enum { NUM_NAMES = sizeof names / sizeof *names };
  const DtypeInfo *info = &dtype_info[id];
  const int bias = (1 << (info->bits - info->mantissa - 2)) - 1;
  const double eps = ldexp(1, -info->mantissa);
  const double max = id == DTYPE_FP8E4NV ? 448 : ldexp(2 - eps, bias);
  Arena *a = w->arena;
  const Object *tiny = object_float(a, ldexp(1, 1 - bias));
  const Object *items[NUM_NAMES] = {
      object_float(a, max),      object_float(a, -max),
      object_float(a, eps),      tiny,
      object_int(a, info->bits), tiny};
  return object_named(a, NUM_NAMES, names, items);
}

static const Object *int_limits(Walk *w, DtypeId id) {
  static const char *const names[] = {"max", "min", "bits"};
  const DtypeInfo *info = &dtype_info[id];
  const Integer span = (Integer)1 << info->bits;
  const Integer max = (info->is_signed ? span / 2 : span) - 1;
  const Integer min = info->is_signed ? -span / 2 : 0;
  Arena *a = w->arena;
  const Object *items[] = {object_int(a, max), object_int(a, min),
                           object_int(a, info->bits)};
  return object_named(a, 3, names, items);
}

const Object *host_limits(Walk *w, const char *name, SrcLoc loc,
                          const Arguments *args) {
  const bool of_float = strstr(name, ".finfo") != NULL;
  const DtypeId id =
      args->count == 1 ? dtype_of_argument(args->items[0].value) : DTYPE_COUNT;
  const DtypeKind kind = of_float ? KIND_FLOAT : KIND_INT;
  if (id == DTYPE_COUNT || dtype_info[id].kind != kind)
    return walk_error(w, loc, ERROR_limits_want_type, name,
                      of_float ? "floats" : "integers");
  return of_float ? float_limits(w, id) : int_limits(w, id);
}
