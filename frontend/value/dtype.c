// dtype.c -- the table of element types and Triton's promotion rules.
#include "frontend/value/dtype.h"

#include <assert.h>
#include <string.h>

const DtypeInfo dtype_info[DTYPE_COUNT] = {
#define DTYPE(id, attribute, name, signature, elem, kind, is_signed, bits,     \
              mantissa, bias, supported)                                       \
  {attribute, name, signature, elem, KIND_##kind,                              \
   is_signed, bits, mantissa,  bias, supported},
#include "frontend/value/dtypes.def"
};

Dtype dtype_int_of(int bits) {
  assert(bits == 8 || bits == 16 || bits == 32 || bits == 64); // I3
  return dtype_of(bits == 8    ? DTYPE_INT8
                  : bits == 16 ? DTYPE_INT16
                  : bits == 32 ? DTYPE_INT32
                               : DTYPE_INT64);
}

bool dtype_is_int(Dtype d) {
  const DtypeKind kind = dtype_kind(d);
  return kind == KIND_BOOL || kind == KIND_INT;
}

bool dtype_is_float(Dtype d) {
  return dtype_kind(d) == KIND_FLOAT;
}

bool dtype_is_fp8(Dtype d) {
  return dtype_is_float(d) && dtype_bits(d) == 8;
}

bool dtype_is_code(Dtype d) {
  return dtype_is_float(d) && dtype_info[d.id].elem == ELEM_i8;
}

bool dtype_is_signed(Dtype d) {
  return !d.is_pointer && dtype_info[d.id].is_signed;
}

const Type *dtype_type(TypeTable *types, Dtype d) {
  assert(d.id < DTYPE_COUNT && "a dtype that was not found"); // I3
  const bool byte = d.is_pointer && d.id == DTYPE_INT1;
  const Elem elem = byte ? ELEM_i8 : dtype_info[d.id].elem;
  const Type *scalar = type_scalar(types, elem);
  return d.is_pointer ? type_pointer(types, scalar, SPACE_GLOBAL) : scalar;
}

const char *dtype_text(Arena *arena, Dtype d) {
  const char *name = dtype_info[d.id].name;
  if (!d.is_pointer) return name;
  return arena_printf(
      arena, d.is_const ? "const pointer to %s" : "pointer to %s", name);
}

DtypeId dtype_find_attribute(const char *name) {
  for (int i = 0; i < DTYPE_COUNT; i++) {
    if (!strcmp(dtype_info[i].attribute, name)) return (DtypeId)i;
  }
  return DTYPE_COUNT;
}

static bool parse_scalar(const char *text, DtypeId *out) {
  for (int i = 1; i < DTYPE_COUNT; i++) {
    const DtypeInfo *info = &dtype_info[i];
    if (strcmp(info->signature, text) && strcmp(info->name, text) &&
        strcmp(info->attribute, text))
      continue;
    *out = (DtypeId)i;
    return true;
  }
  *out = DTYPE_INT1;
  return !strcmp(text, "u1") || !strcmp(text, "B");
}

bool dtype_parse(const char *text, Dtype *out) {
  *out = (Dtype){.is_pointer = *text == '*'};
  if (!out->is_pointer) return parse_scalar(text, &out->id);
  text++;
  out->is_const = *text == 'k';
  return parse_scalar(text + out->is_const, &out->id);
}

Dtype dtype_promote_ints(Dtype a, Dtype b) {
  assert(dtype_is_int(a) && dtype_is_int(b)); // I6
  const int a_bits = dtype_bits(a), b_bits = dtype_bits(b);
  if (dtype_is_signed(a) == dtype_is_signed(b)) return a_bits > b_bits ? a : b;
  if (!dtype_is_signed(a)) return a_bits >= b_bits ? a : b;
  return b_bits >= a_bits ? b : a;
}

static bool either(Dtype a, Dtype b, DtypeId id) {
  return a.id == id || b.id == id;
}

// The common float type of two operands, at least one of them a float.
static DtypeId compute_float(Dtype a, Dtype b, Quotient quotient) {
  assert(dtype_is_float(a) || dtype_is_float(b)); // I6
  const bool half = either(a, b, DTYPE_FP16) || either(a, b, DTYPE_BF16);
  if (either(a, b, DTYPE_FP64)) return DTYPE_FP64;
  if (quotient == QUOTIENT_OF_FP8 || (quotient && half)) return DTYPE_FP32;
  if (either(a, b, DTYPE_FP32)) return DTYPE_FP32;
  if (either(a, b, DTYPE_FP16)) return DTYPE_FP16;
  if (a.id == DTYPE_BF16 && b.id == DTYPE_BF16) return DTYPE_BF16;
  if (either(a, b, DTYPE_BF16)) return DTYPE_FP32;
  if (dtype_is_fp8(a) && dtype_is_fp8(b))
    return a.id == b.id ? a.id : DTYPE_FP16;
  return dtype_is_float(a) ? a.id : b.id; // fp8 with an integer literal
}

bool dtype_compute(Dtype a, bool a_weak, Dtype b, bool b_weak,
                   Quotient quotient, Dtype *out) {
  if (a_weak != b_weak) {
    const Dtype weak = a_weak ? a : b, strong = a_weak ? b : a;
    if (dtype_kind(weak) <= dtype_kind(strong)) a = b = strong;
  }
  if (dtype_is_float(a) || dtype_is_float(b)) {
    *out = dtype_of(compute_float(a, b, quotient));
    return true;
  }
  *out = dtype_promote_ints(a, b);
  return !quotient || dtype_is_signed(a) == dtype_is_signed(b);
}
