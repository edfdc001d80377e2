// value.c -- matches an argument with the specification of a variant.
//
// A variant fits any argument that its code is right for: an i64 parameter fits
// a small integer, and a parameter without a hint fits an address that has it.
#include "runtime/rt/value.h"

#include "ir/number.h"
#include "runtime/compile/argument.h"
#include "runtime/errors.h"

#include <assert.h>
#include <string.h>

_Static_assert((int)PACK_MAX_DEPTH == (int)MAX_TUPLE_DEPTH,
               "a pack has the tuples that libtile takes");

// -- Numbers -----------------------------------------------------------------

static bool is_integer(const TileArg *a) {
  return a->kind == TILE_ARG_INT || a->kind == TILE_ARG_BOOL ||
         a->kind == TILE_ARG_UINT;
}

// Whether an integer of that type can hold the value.
static bool holds(TileDtype dtype, const TileArg *a) {
  const int bits = rt_dtype(dtype)->size * 8;
  const bool is_unsigned = dtype >= TILE_UINT8 && dtype <= TILE_UINT64;
  if (a->kind == TILE_ARG_UINT && a->as.u > INT64_MAX)
    return dtype == TILE_UINT64;
  const int64_t value = a->as.i;
  if (dtype == TILE_BOOL) return value == 0 || value == 1;
  if (is_unsigned) return value >= 0 && (bits == 64 || !(value >> bits));
  return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) &&
                        value < INT64_C(1) << (bits - 1));
}

// Rounded to a float of these bits, to the nearest, ties to even.
static uint64_t narrow(double value, int exponent_bits, int fraction_bits) {
  const uint64_t bits = double_bits(value);
  const uint64_t sign = bits >> 63 << (exponent_bits + fraction_bits);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (int)(bits >> 52 & 0x7FF) - 1023 + bias;
  const uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 1024 + bias)
    return sign | top << fraction_bits |
           (fraction ? UINT64_C(1) << (fraction_bits - 1) : 0);
  fraction |= UINT64_C(1) << 52;
  const int shift = 52 - fraction_bits + (exponent < 1 ? 1 - exponent : 0);
  if (shift > 54) return sign;
  assert(shift >= 1 && shift <= 54 && fraction >> 53 == 0); // I4
  const uint64_t half = UINT64_C(1) << (shift - 1);
  const uint64_t odd = fraction >> shift & 1;
  uint64_t rounded = (fraction + half - 1 + odd) >> shift;
  if (exponent > 1) rounded += (uint64_t)(exponent - 1) << fraction_bits;
  return sign |
         (rounded < top << fraction_bits ? rounded : top << fraction_bits);
}

static uint64_t encode_float(TileDtype dtype, double value) {
  switch (dtype) {
  case TILE_FP16: return narrow(value, 5, 10);
  case TILE_BF16: return narrow(value, 8, 7);
  case TILE_FP32: return float_bits((float)value);
  default: return double_bits(value);
  }
}

static double number_of(const TileArg *a) {
  return a->kind == TILE_ARG_FLOAT                         ? a->as.f
         : a->kind == TILE_ARG_UINT && a->as.u > INT64_MAX ? (double)a->as.u
                                                           : (double)a->as.i;
}

static uint64_t encode_plain(const PackSpec *spec, const TileArg *a) {
  if (spec->kind == PACK_POINTER) return (uint64_t)(uintptr_t)a->as.pointer;
  if (element_is_float(spec->dtype))
    return encode_float(spec->dtype, number_of(a));
  return a->as.u;
}

// -- Values of machine parameters --------------------------------------------

static const TileArg *unmark(const TileArg *a) {
  return a && a->kind == TILE_ARG_CONSTANT ? a->as.constant : a;
}

// In the order of libtile's bind_parts().
static uint64_t encode_part(const TileArg *a, int value) {
  TileTensorDescriptor d;
  sized_copy(&sized_descriptor, a->as.descriptor, &d);
  if (!value) return rt_address(&d);
  return (uint64_t)(value <= d.rank ? d.shape[value - 1]
                                    : d.strides[value - 1 - d.rank]);
}

uint64_t rt_encode(const PackSpec *spec, const TileArg *argument, int value) {
  assert(value >= 0 && value < pack_num_values(spec)); // I5
  const TileArg *a = unmark(argument);
  if (!a) return 0;
  if (spec->kind == PACK_DESCRIPTOR) return encode_part(a, value);
  if (spec->kind != PACK_TUPLE) return encode_plain(spec, a);
  for (int i = 0; i < spec->num_items; i++) {
    const int count = pack_num_values(&spec->items[i]);
    if (value < count)
      return rt_encode(&spec->items[i], &a->as.tuple.items[i], value);
    value -= count;
  }
  return 0;
}

// -- Values that no variant takes --------------------------------------------

static const char *descriptor_fault(const TileTensorDescriptor *from) {
  TileTensorDescriptor d;
  if (!from) return ERROR_descriptor_null;
  if (sized_copy(&sized_descriptor, from, &d)) return ERROR_rt_descriptor_size;
  const char *problem = descriptor_problem(&d);
  if (problem) return problem;
  if (d.buffer) return ERROR_rt_buffer;
  return rt_address(&d) % DESCRIPTOR_ALIGNMENT ? ERROR_descriptor_address
                                               : NULL;
}

static const char *find_problem(const TileArg *a, int depth);

static const char *tuple_fault(const TileArg *a, int depth) {
  if (depth >= PACK_MAX_DEPTH) return ERROR_argument_too_deep;
  if (a->as.tuple.count && !a->as.tuple.items) return ERROR_argument_null_items;
  for (size_t i = 0; i < a->as.tuple.count; i++) {
    if (a->as.tuple.names && !a->as.tuple.names[i])
      return ERROR_argument_null_name;
    const char *problem = find_problem(&a->as.tuple.items[i], depth + 1);
    if (problem) return problem;
  }
  return NULL;
}

// Whether no variant fits the address: code expects the address of an element
// to be a multiple of its size.
static bool is_misaligned(const TileArg *a) {
  const size_t size = (size_t)rt_dtype(a->dtype)->size;
  return a->kind == TILE_ARG_POINTER && size && (uintptr_t)a->as.pointer % size;
}

static const char *find_problem(const TileArg *a, int depth) {
  if (a->kind == TILE_ARG_CONSTANT && !a->as.constant)
    return ERROR_argument_null_constant;
  a = unmark(a);
  if (a->kind == TILE_ARG_BUFFER) return ERROR_rt_buffer;
  if (is_misaligned(a)) return ERROR_rt_misaligned;
  if (a->kind == TILE_ARG_DESCRIPTOR) return descriptor_fault(a->as.descriptor);
  return a->kind == TILE_ARG_TUPLE ? tuple_fault(a, depth) : NULL;
}

const char *rt_problem(const TileArg *argument) {
  return find_problem(argument, 0);
}

// -- Matching ----------------------------------------------------------------

// A known type counts less than any known hint or constant.
enum { KNOWN = 2, USUAL_TYPE = 1 };

static int match_hint(const PackSpec *spec, uint64_t value) {
  if (!spec->divisibility) return 0;
  return value % (uint64_t)spec->divisibility ? NO_MATCH : KNOWN;
}

static int match_pointer(const PackSpec *spec, const TileArg *a) {
  if (a->kind != TILE_ARG_POINTER) return NO_MATCH;
  if (a->dtype && a->dtype != spec->dtype) return NO_MATCH;
  const uint64_t address = (uint64_t)(uintptr_t)a->as.pointer;
  if (address % (uint64_t)rt_dtype(spec->dtype)->size) return NO_MATCH;
  return match_hint(spec, address);
}

TileDtype rt_usual_type(const PackParam *param, const TileArg *a) {
  if (a->dtype) return a->dtype;
  if (param->dtype && !param->is_pointer) return param->dtype;
  if (a->kind == TILE_ARG_FLOAT) return TILE_FP32;
  if (a->kind == TILE_ARG_BOOL) return TILE_BOOL;
  if (a->kind == TILE_ARG_UINT && a->as.u > INT64_MAX) return TILE_UINT64;
  return holds(TILE_INT32, a) ? TILE_INT32 : TILE_INT64;
}

static int match_number(const PackParam *param, const PackSpec *spec,
                        const TileArg *a) {
  const int usual = rt_usual_type(param, a) == spec->dtype ? USUAL_TYPE : 0;
  if (a->dtype && !usual) return NO_MATCH;
  if (element_is_float(spec->dtype)) {
    const bool has_code = spec->dtype >= TILE_FP16 && spec->dtype <= TILE_FP64;
    // An integer fits a float parameter, if the kernel annotates it.
    const bool fits = a->kind == TILE_ARG_FLOAT || (usual && is_integer(a));
    return has_code && fits ? usual : NO_MATCH;
  }
  if (!is_integer(a) || !holds(spec->dtype, a)) return NO_MATCH;
  const int hint = match_hint(spec, a->as.u);
  return hint == NO_MATCH ? NO_MATCH : hint + usual;
}

// A string, a type and a function with the same name are three constants.
static bool same_text(const PackSpec *spec, const TileArg *a) {
  const char *text = NULL;
  PackKind kind = PACK_DTYPE;
  switch (a->kind) {
  case TILE_ARG_STRING:
    kind = PACK_STRING;
    text = a->as.string;
    break;
  case TILE_ARG_FUNCTION:
    kind = PACK_FUNCTION;
    text = a->as.string;
    break;
  case TILE_ARG_DTYPE: text = rt_dtype(a->dtype)->name; break;
  case TILE_ARG_POINTER_DTYPE: text = rt_dtype(a->dtype)->pointer_name; break;
  default: break;
  }
  return text && kind == spec->kind && !strcmp(text, spec->text);
}

// 1 and 1.0 are two constants; True matches 1 if no variant has True.
static int match_constant(const PackSpec *spec, const TileArg *a) {
  const bool is_bool = a->kind == TILE_ARG_BOOL;
  switch (spec->kind) {
  case PACK_NONE: return a->kind == TILE_ARG_NONE ? KNOWN : NO_MATCH;
  case PACK_BOOL:
  case PACK_INT:
    if (!is_integer(a) || !holds(TILE_INT64, a) || a->as.i != spec->i)
      return NO_MATCH;
    return is_bool == (spec->kind == PACK_BOOL) ? KNOWN : USUAL_TYPE;
  case PACK_FLOAT:
    return a->kind == TILE_ARG_FLOAT && pack_same_float(a->as.f, spec->f)
               ? KNOWN
               : NO_MATCH;
  default: return same_text(spec, a) ? KNOWN : NO_MATCH;
  }
}

static bool same_names(const PackSpec *spec, const TileArg *a) {
  const char *const *names = a->as.tuple.names;
  if (!spec->names || !names) return !spec->names && !names;
  for (int i = 0; i < spec->num_items; i++) {
    if (strcmp(spec->names[i], names[i])) return false;
  }
  return true;
}

static int match_value(const PackParam *param, const PackSpec *spec,
                       const TileArg *a);

// The annotation is of the whole tuple.
static int match_tuple(const PackSpec *spec, const TileArg *a) {
  const PackParam item = {.dtype = TILE_DTYPE_NONE};
  int known = KNOWN;
  if (a->kind != TILE_ARG_TUPLE ||
      a->as.tuple.count != (size_t)spec->num_items || !same_names(spec, a))
    return NO_MATCH;
  for (int i = 0; i < spec->num_items; i++) {
    const int one = match_value(&item, &spec->items[i], &a->as.tuple.items[i]);
    if (one == NO_MATCH) return NO_MATCH;
    known += one;
  }
  return known;
}

static int match_descriptor(const PackSpec *spec, const TileArg *a) {
  TileTensorDescriptor d;
  if (a->kind != TILE_ARG_DESCRIPTOR) return NO_MATCH;
  sized_copy(&sized_descriptor, a->as.descriptor, &d);
  if (d.dtype != spec->dtype || d.rank != spec->num_items ||
      d.pads_with_nan != (spec->i != 0))
    return NO_MATCH;
  for (int i = 0; i < d.rank; i++) {
    if (d.block[i] != spec->items[i].i) return NO_MATCH;
  }
  return match_hint(spec, (uint64_t)d.shape[d.rank - 1]);
}

static int match_value(const PackParam *param, const PackSpec *spec,
                       const TileArg *a) {
  a = unmark(a);
  switch (spec->kind) {
  case PACK_ABSENT: return NO_MATCH;
  case PACK_POINTER: return match_pointer(spec, a);
  case PACK_NUMBER: return match_number(param, spec, a);
  case PACK_TUPLE: return match_tuple(spec, a);
  case PACK_DESCRIPTOR: return match_descriptor(spec, a);
  default: return match_constant(spec, a);
  }
}

// -- Defaults left to the kernel ---------------------------------------------

static bool is_number(const PackSpec *spec) {
  return spec->kind >= PACK_BOOL && spec->kind <= PACK_FLOAT;
}

TileArg rt_default_number(const PackParam *param) {
  const PackSpec *value = &param->value;
  TileArg a = tile_int_arg(value->i);
  if (value->kind == PACK_FLOAT) return tile_float_arg(value->f);
  if (value->kind == PACK_BOOL) a.kind = TILE_ARG_BOOL;
  return a;
}

// Whether the compiler would treat the argument as the same constant.
static bool is_exactly(const PackSpec *spec, const TileArg *from) {
  const TileArg *a = unmark(from);
  if (spec->kind != PACK_TUPLE) return match_constant(spec, a) == KNOWN;
  if (a->kind != TILE_ARG_TUPLE ||
      a->as.tuple.count != (size_t)spec->num_items || !same_names(spec, a))
    return false;
  for (int i = 0; i < spec->num_items; i++) {
    if (!is_exactly(&spec->items[i], &a->as.tuple.items[i])) return false;
  }
  return true;
}

// Matches a variant that was compiled for the default.  A number that is no
// constexpr must have the same type as in libtile, not only the value.
static int match_default(const PackParam *param, const TileArg *a) {
  if (!is_exactly(&param->value, a)) return NO_MATCH;
  if (param->is_constexpr || param->value.kind == PACK_NONE) return KNOWN;
  if (!is_number(&param->value)) return NO_MATCH;
  const TileArg own = rt_default_number(param);
  return rt_usual_type(param, unmark(a)) == rt_usual_type(param, &own)
             ? KNOWN
             : NO_MATCH;
}

// Matches an argument that the launch leaves out with a variant that was
// compiled with an argument.
static int match_left_out(const PackParam *param, const PackSpec *spec) {
  if (spec->kind != PACK_NUMBER || !is_number(&param->value))
    return pack_same_spec(&param->value, spec) ? KNOWN : NO_MATCH;
  const TileArg own = rt_default_number(param);
  return match_number(param, spec, &own);
}

int rt_match(const PackParam *param, const PackSpec *spec, const TileArg *a,
             bool is_fixed) {
  const bool is_absent = spec->kind == PACK_ABSENT;
  const bool is_out = !a || a->kind == TILE_ARG_DEFAULT;
  if (is_absent && is_out) return KNOWN;
  if (!is_absent && !is_out) return match_value(param, spec, a);
  if (is_out && !param->has_default)
    return pack_num_values(spec) ? NO_MATCH : 0;
  if (!is_fixed) return NO_MATCH;
  return is_out ? match_left_out(param, spec) : match_default(param, a);
}
