// tensor.c -- conversions and shapes of run-time values.
//
// Conversions and splats of constants are constants right away, so that the
// walk itself leaves little to fold.
#include "frontend/core/tensor.h"

#include "frontend/core/builtins.h"

#include "frontend/core/walk.h"
#include "frontend/errors.h"

#include "ir/number.h"

#include <assert.h>
#include <math.h>

const Type *tensor_type(Walk *w, Dtype dtype, int rank, const int64_t *shape) {
  const Type *scalar = dtype_type(&w->m->types, dtype);
  assert(0 <= rank && rank <= MAX_RANK); // I8
  if (!rank) return scalar;
  return type_tile(&w->m->types, rank, shape, scalar, NULL);
}

bool check_shape(Walk *w, SrcLoc loc, int rank, const int64_t *shape) {
  return check_shape_at(w, loc, NULL, rank, shape);
}

bool check_shape_at(Walk *w, SrcLoc loc, const SrcLoc *places, int rank,
                    const int64_t *shape) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++) {
    const long long size = (long long)shape[i];
    if (size < 1 || (size & (size - 1)))
      return diag_error(w->diags, places ? places[i] : loc,
                        ERROR_shape_not_power_of_two, i,
                        shape_text(w->arena, rank, shape));
    count = size > MAX_TILE_ELEMENTS ? size : count * size;
    if (count > MAX_TILE_ELEMENTS)
      return diag_error(w->diags, loc, ERROR_tile_too_big,
                        shape_text(w->arena, rank, shape), MAX_TILE_ELEMENTS);
  }
  return true;
}

// -- Constants ---------------------------------------------------------------

static const Object *code_constant(Walk *w, const Type *type, Dtype dtype,
                                   const Object *number) {
  const Type *half =
      tensor_type(w, dtype_of(DTYPE_FP16), type->rank, type->shape);
  const Object *x =
      tensor_wrap(w, build_float(&w->b, half, constant_number(number)),
                  dtype_of(DTYPE_FP16));
  return tensor_cast(w, w->b.loc, x, dtype);
}

static const Object *number_constant(Walk *w, const Type *type, Dtype dtype,
                                     const Object *number) {
  assert(object_is_number(number) && !dtype.is_pointer); // I9
  if (dtype_is_code(dtype)) return code_constant(w, type, dtype, number);
  if (dtype_is_float(dtype))
    return tensor_wrap(w, build_float(&w->b, type, constant_number(number)),
                       dtype);
  const bool wild =
      number->kind == OBJECT_FLOAT && !(fabs(number->as.number) < 0x1p63);
  Integer value = constant_integer(number);
  if (number->kind == OBJECT_FLOAT)
    value = wild ? 0 : (Integer)number->as.number;
  const int64_t bits =
      dtype.id == DTYPE_INT1 ? constant_truth(number) : (int64_t)value;
  return tensor_wrap(w, build_int(&w->b, type, bits), dtype);
}

const Object *tensor_constant(Walk *w, Dtype dtype, const Object *number) {
  return number_constant(w, tensor_type(w, dtype, 0, NULL), dtype, number);
}

const Object *tensor_int(Walk *w, Dtype dtype, int64_t value) {
  return tensor_wrap(w, build_int(&w->b, tensor_type(w, dtype, 0, NULL), value),
                     dtype);
}

static bool in_range(Integer value, int low, int high) {
  const Integer one = 1;
  return value >= (low ? -(one << low) : 0) && value < one << high;
}

// The type of an integer literal; VOID if no type is wide enough.
static DtypeId integer_dtype(Integer value) {
  if (in_range(value, 31, 31)) return DTYPE_INT32;
  if (in_range(value, 0, 32)) return DTYPE_UINT32;
  if (in_range(value, 63, 63)) return DTYPE_INT64;
  return in_range(value, 0, 64) ? DTYPE_UINT64 : DTYPE_VOID;
}

static DtypeId float_dtype(double value) {
  const double x = fabs(value);
  const bool fits =
      x == 0 || !isfinite(x) || (x >= 0x1p-126 && x <= 0x1.fffffep127);
  return fits ? DTYPE_FP32 : DTYPE_FP64;
}

bool tensor_dtype(Walk *w, SrcLoc loc, const Object *x, Dtype *out) {
  if (object_is_tensor(x)) return *out = x->as.tensor.dtype, true;
  if (!object_is_number(x))
    return diag_error(w->diags, loc, ERROR_run_time_value_wanted_here,
                      text_of(w, x));
  DtypeId id = DTYPE_INT1;
  if (x->kind == OBJECT_INT) id = integer_dtype(x->as.integer);
  if (x->kind == OBJECT_FLOAT) id = float_dtype(x->as.number);
  if (id == DTYPE_VOID)
    return diag_error(w->diags, loc, ERROR_constant_past_64_bits,
                      text_of(w, x));
  *out = dtype_of(id);
  return true;
}

const Object *to_tensor(Walk *w, SrcLoc loc, const Object *x) {
  Dtype dtype;
  if (object_is_tensor(x)) return x;
  if (!tensor_dtype(w, loc, x, &dtype)) return NULL;
  return tensor_constant(w, dtype, x);
}

// -- Casts -------------------------------------------------------------------

typedef struct {
  const Object *x;
  Dtype from, to;
  const Type *type; // of the result
} Cast;

static int64_t constant_bits(const Cast *c, const Attr *value) {
  const Elem elem = object_type(c->x)->elem;
  if (dtype_is_signed(c->from)) return value->as.i;
  return (int64_t)int_unsigned(value->as.i, elem);
}

// The result of the cast as a constant; NULL if the operand is no constant, or
// if the cast is not folded.
static Value *fold_cast(Walk *w, const Cast *c) {
  const Attr *value;
  if (c->from.is_pointer || c->to.is_pointer) return NULL;
  if (!value_is_constant(c->x->as.tensor.value, &value)) return NULL;
  const bool from_float = dtype_is_float(c->from);
  if (dtype_is_float(c->to)) {
    if (from_float) return build_float(&w->b, c->type, value->as.f);
    const int64_t bits = constant_bits(c, value);
    const bool exact = bits <= 1 << 24 && bits >= -(1 << 24);
    return exact ? build_float(&w->b, c->type, (double)bits) : NULL;
  }
  if (from_float) return NULL;
  const int64_t bits = constant_bits(c, value);
  return build_int(&w->b, c->type, c->to.id == DTYPE_INT1 ? bits != 0 : bits);
}

static Value *not_zero(Walk *w, const Object *x) {
  const Type *type = object_type(x);
  const bool is_float = dtype_is_float(x->as.tensor.dtype);
  Value *zero =
      is_float ? build_float(&w->b, type, 0) : build_int(&w->b, type, 0);
  return build_cmp(&w->b, is_float ? OP_cmpf : OP_cmpi, PREDICATE_ne,
                   x->as.tensor.value, zero);
}

static Value *cast_int(Walk *w, const Cast *c) {
  Value *x = c->x->as.tensor.value;
  const int from = dtype_bits(c->from), to = dtype_bits(c->to);
  if (from == to) return x;
  if (to == 1) return not_zero(w, c->x);
  if (to < from) return build_trunci(&w->b, c->type, x);
  return dtype_is_signed(c->from) ? build_extsi(&w->b, c->type, x)
                                  : build_extui(&w->b, c->type, x);
}

static Value *cast_float(Walk *w, const Cast *c, Rounding rounding) {
  assert(dtype_bits(c->from) != dtype_bits(c->to)); // I9
  Value *x = c->x->as.tensor.value;
  if (dtype_bits(c->to) > dtype_bits(c->from))
    return build_extf(&w->b, c->type, x);
  Value *result = build_truncf(&w->b, c->type, x);
  if (rounding != ROUNDING_rtne)
    op_set_int(w->m, result->def, ATTR_rounding, rounding);
  return result;
}

static Value *cast_pointer(Walk *w, SrcLoc loc, const Cast *c) {
  assert(c->from.is_pointer || c->to.is_pointer); // I9
  Value *x = c->x->as.tensor.value;
  if (c->from.is_pointer && c->to.is_pointer)
    return object_type(c->x) == c->type ? x : build_bitcast(&w->b, c->type, x);
  if (c->to.is_pointer && dtype_is_int(c->from) && dtype_bits(c->from) == 64)
    return build_inttoptr(&w->b, c->type, x);
  if (c->from.is_pointer && dtype_is_int(c->to) && dtype_bits(c->to) == 64)
    return build_ptrtoint(&w->b, c->type, x);
  const char *advice =
      c->to.is_pointer && dtype_is_int(c->from)
          ? ": an address has 64 bits; '.to(tl.int64)' makes them"
          : "";
  walk_error(w, loc, ERROR_cannot_convert, text_of(w, c->x),
             dtype_text(w->arena, c->to), advice);
  return NULL;
}

static Value *cast_number(Walk *w, const Cast *c, Rounding rounding) {
  assert(!c->from.is_pointer && !c->to.is_pointer); // I9
  Value *x = c->x->as.tensor.value;
  const bool from_float = dtype_is_float(c->from);
  if (from_float && dtype_is_float(c->to)) return cast_float(w, c, rounding);
  if (from_float && c->to.id == DTYPE_INT1) return not_zero(w, c->x);
  if (from_float)
    return dtype_is_signed(c->to) ? build_fptosi(&w->b, c->type, x)
                                  : build_fptoui(&w->b, c->type, x);
  if (!dtype_is_float(c->to)) return cast_int(w, c);
  return dtype_is_signed(c->from) ? build_sitofp(&w->b, c->type, x)
                                  : build_uitofp(&w->b, c->type, x);
}

// Is the conversion done in two steps?  Small floats are converted by way of
// fp32, pointers to int1 by way of int64.
static bool needs_middle(Dtype from, Dtype to, DtypeId *middle) {
  const bool floats = dtype_is_float(from) && dtype_is_float(to);
  *middle = DTYPE_FP32;
  if (floats) return dtype_bits(from) == dtype_bits(to);
  if (dtype_is_float(from) && dtype_is_int(to)) return dtype_bits(from) < 32;
  if (dtype_is_int(from) && dtype_is_fp8(to)) return true;
  *middle = DTYPE_INT64;
  return from.is_pointer && dtype_is(to, DTYPE_INT1);
}

static bool check_dtype(Walk *w, SrcLoc loc, Dtype dtype) {
  const DtypeInfo *info = &dtype_info[dtype.id];
  if (info->supported) return true;
  return diag_error(w->diags, loc, ERROR_type_not_supported_yet, info->name);
}

// The library decodes a code to fp16, which is exact.
static const Object *cast_from_code(Walk *w, SrcLoc loc, const Object *x,
                                    Dtype to, Rounding rounding) {
  x = tensor_wrap(w, x->as.tensor.value, dtype_of(DTYPE_UINT8));
  x = w->language->library_one(w, loc, "_from_e4b15", x);
  return x ? tensor_cast_rounding(w, loc, x, to, rounding) : NULL;
}

// Rounds to fp16 towards 0, and the fp16 number to the nearest code, as Triton
// does.
static const Object *cast_to_code(Walk *w, SrcLoc loc, const Object *x,
                                  Dtype to) {
  const Dtype half = dtype_of(DTYPE_FP16);
  if (!dtype_is(x->as.tensor.dtype, DTYPE_FP16))
    x = tensor_cast(w, loc, x, dtype_of(DTYPE_FP32));
  if (x) x = tensor_cast_rounding(w, loc, x, half, ROUNDING_rtz);
  if (x) x = w->language->library_one(w, loc, "_to_e4b15", x);
  return x ? tensor_wrap(w, x->as.tensor.value, to) : NULL;
}

const Object *tensor_cast_rounding(Walk *w, SrcLoc loc, const Object *x,
                                   Dtype to, Rounding rounding) {
  const Dtype from = x->as.tensor.dtype;
  if (object_is_window(x))
    return walk_error(w, loc, ERROR_cannot_convert, text_of(w, x),
                      dtype_text(w->arena, to), "");
  if (!check_dtype(w, loc, to)) return NULL;
  if (dtype_equal(from, to)) return x;
  if (dtype_is_code(from)) return cast_from_code(w, loc, x, to, rounding);
  if (dtype_is_code(to)) return cast_to_code(w, loc, x, to);
  DtypeId middle;
  if (needs_middle(from, to, &middle)) {
    x = tensor_cast(w, loc, x, dtype_of(middle));
    return x ? tensor_cast_rounding(w, loc, x, to, rounding) : NULL;
  }
  const Type *type = object_type(x);
  const Cast c = {x, from, to, tensor_type(w, to, type->rank, type->shape)};
  Value *result = rounding == ROUNDING_rtne ? fold_cast(w, &c) : NULL;
  if (!result && (from.is_pointer || to.is_pointer))
    result = cast_pointer(w, loc, &c);
  else if (!result)
    result = cast_number(w, &c, rounding);
  assert(!result || result->type == c.type); // I9
  return result ? tensor_wrap(w, result, to) : NULL;
}

const Object *tensor_cast(Walk *w, SrcLoc loc, const Object *x, Dtype dtype) {
  return tensor_cast_rounding(w, loc, x, dtype, ROUNDING_rtne);
}

const Object *tensor_truth(Walk *w, SrcLoc loc, const Object *x) {
  return tensor_cast(w, loc, x, dtype_of(DTYPE_INT1));
}

Dtype memory_dtype(Dtype pointed) {
  return dtype_of(pointed.id == DTYPE_INT1 ? DTYPE_INT8 : pointed.id);
}

const Object *value_in_memory(Walk *w, SrcLoc loc, const Object *x,
                              Dtype pointed) {
  if (pointed.id == DTYPE_INT1 && rule_holds(w->program, RULE_bools_are_truths))
    x = tensor_truth(w, loc, x);
  return x ? tensor_cast(w, loc, x, memory_dtype(pointed)) : NULL;
}

const Object *tensor_logical(Walk *w, SrcLoc loc, const char *what,
                             const Object *x) {
  const Dtype dtype = x->as.tensor.dtype;
  if (!object_is_window(x) && !dtype.is_pointer && dtype.id != DTYPE_INT1)
    return walk_error(w, loc, ERROR_logical_wants_int1, what, text_of(w, x));
  return tensor_truth(w, loc, x);
}

const Object *tensor_bitcast(Walk *w, SrcLoc loc, const Object *x, Dtype to) {
  const Dtype from = x->as.tensor.dtype;
  if (object_is_window(x) || from.is_pointer || to.is_pointer)
    return tensor_cast(w, loc, x, to);
  if (!check_dtype(w, loc, to)) return NULL;
  if (dtype_bits(from) != dtype_bits(to))
    return walk_error(w, loc, ERROR_bitcast_keeps_width_bits,
                      dtype_text(w->arena, from), dtype_bits(from),
                      dtype_text(w->arena, to), dtype_bits(to));
  const Type *type = object_type(x);
  const Type *result = tensor_type(w, to, type->rank, type->shape);
  Value *value = x->as.tensor.value;
  if (result != type) value = build_bitcast(&w->b, result, value);
  return tensor_wrap(w, value, to);
}

// -- Shapes ------------------------------------------------------------------

static const Object *splat(Walk *w, const Object *x, int rank,
                           const int64_t *shape) {
  assert(!object_is_tile(x) && !object_is_window(x)); // I8
  const Dtype dtype = x->as.tensor.dtype;
  const Type *type = tensor_type(w, dtype, rank, shape);
  Value *value = x->as.tensor.value;
  const Attr *constant;
  if (!value_is_constant(value, &constant))
    return tensor_wrap(w, build_splat(&w->b, type, value), dtype);
  Value *result = type_is_float(type) ? build_float(&w->b, type, constant->as.f)
                                      : build_int(&w->b, type, constant->as.i);
  return tensor_wrap(w, result, dtype);
}

static const Object *broadcast(Walk *w, const Object *x, int rank,
                               const int64_t *shape) {
  const Dtype dtype = x->as.tensor.dtype;
  const Type *type = tensor_type(w, dtype, rank, shape), *from = object_type(x);
  assert(from->rank == rank); // I8
  for (int i = 0; i < rank; i++)
    assert(from->shape[i] == 1 || from->shape[i] == shape[i]); // I8
  if (from == type) return x;
  return tensor_wrap(w, build_broadcast(&w->b, type, x->as.tensor.value),
                     dtype);
}

const Object *tensor_expand(Walk *w, const Object *x, int axis) {
  const Type *type = object_type(x);
  int64_t shape[MAX_RANK + 1];
  assert(0 <= axis && axis <= type->rank && type->rank < MAX_RANK); // I8
  for (int i = 0; i < type->rank; i++) shape[i + (i >= axis)] = type->shape[i];
  shape[axis] = 1;
  if (!type->rank) return splat(w, x, 1, shape);
  const Dtype dtype = x->as.tensor.dtype;
  const Type *result = tensor_type(w, dtype, type->rank + 1, shape);
  Value *value = build_expand_dims(&w->b, result, x->as.tensor.value);
  op_set_int(w->m, value->def, ATTR_axis, axis);
  return tensor_wrap(w, value, dtype);
}

const Object *tensor_reshape(Walk *w, const Object *x, int rank,
                             const int64_t *shape, bool reorder) {
  const Dtype dtype = x->as.tensor.dtype;
  if (!object_is_tile(x)) return splat(w, x, rank, shape);
  const Type *type = tensor_type(w, dtype, rank, shape);
  assert(type->num_elements == object_type(x)->num_elements); // I8
  if (type == object_type(x)) return x;
  Value *value = build_reshape(&w->b, type, x->as.tensor.value);
  if (reorder) op_set_int(w->m, value->def, ATTR_reorder, 1);
  return tensor_wrap(w, value, dtype);
}

const char column_advice[] = "; with '[:, None]' behind it, it would";

bool fits_as_column(const Type *x, const Type *other) {
  return x->rank == 1 && other->rank == 2 && x->shape[0] == other->shape[0];
}

const Object *tensor_broadcast_to(Walk *w, SrcLoc loc, const Object *x,
                                  int rank, const int64_t *shape) {
  if (!object_is_tile(x)) return rank ? splat(w, x, rank, shape) : x;
  const Type *type = object_type(x);
  bool fits = type->rank == rank;
  for (int i = 0; fits && i < rank; i++)
    fits = type->shape[i] == shape[i] || type->shape[i] == 1;
  if (fits) return broadcast(w, x, rank, shape);
  const bool column =
      type->rank == 1 && rank == 2 && type->shape[0] == shape[0];
  return walk_error(w, loc, ERROR_does_not_broadcast_shape, text_of(w, x),
                    shape_text(w->arena, rank, shape),
                    column ? column_advice : "");
}

// The first dimension in which the shapes do not fit; their rank if all do.
static int common_shape(const Type *a, const Type *b, int64_t *shape) {
  int i = 0;
  assert(a->rank == b->rank); // I8
  for (; i < a->rank; i++) {
    if (a->shape[i] != b->shape[i] && a->shape[i] != 1 && b->shape[i] != 1)
      break;
    shape[i] = a->shape[i] == 1 ? b->shape[i] : a->shape[i];
  }
  return i;
}

bool tensor_broadcast(Walk *w, SrcLoc loc, const char *what, const Object **x,
                      const Object **y) {
  const Type *a = object_type(*x), *b = object_type(*y);
  if (!a->rank && !b->rank) return true;
  if (!a->rank) return *x = splat(w, *x, b->rank, b->shape), true;
  if (!b->rank) return *y = splat(w, *y, a->rank, a->shape), true;
  const Object *x0 = *x, *y0 = *y;
  while (object_type(*x)->rank < b->rank) *x = tensor_expand(w, *x, 0);
  while (object_type(*y)->rank < a->rank) *y = tensor_expand(w, *y, 0);
  int64_t shape[MAX_RANK];
  const Type *s = object_type(*x), *t = object_type(*y);
  const int rank = s->rank, bad = common_shape(s, t, shape);
  if (bad < rank && (fits_as_column(a, b) || fits_as_column(b, a)))
    return diag_error(w->diags, loc, ERROR_shapes_want_column, what,
                      text_of(w, x0), text_of(w, y0),
                      a->rank == 1 ? "first" : "second");
  if (bad < rank)
    return diag_error(w->diags, loc, ERROR_shapes_do_not_broadcast, what,
                      text_of(w, x0), text_of(w, y0), (long long)s->shape[bad],
                      (long long)t->shape[bad], bad);
  if (!check_shape(w, loc, rank, shape)) return false;
  *x = broadcast(w, *x, rank, shape);
  *y = broadcast(w, *y, rank, shape);
  return true;
}
