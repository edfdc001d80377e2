// narrow.c -- the narrow float formats: f16, bf16, f8.
//
// Their values are exact in f32, which is their compute form.  Rounding to a
// format is integer arithmetic on the f32's bits; magnitudes below the format's
// smallest normal are rounded by adding a power of two so large that the sum's
// last bit is the format's.  No instruction that flushes denormals is used.
//
// For example, 1 + 3 * 2^-11 to f16: the bits 0x3f803000 drop 13; with 0xfff
// and the odd last bit added they are 0x3f804000, which is 1 + 2^-9.  Below
// 2^-14, 1.5 * 2^-24 + 0.5 - 0.5 is 2^-23, since floats from 0.5 on have steps
// of 2^-24.
#include "codegen/scalar/scalar.h"

#include <math.h>

typedef struct {
  Emit *e;
  LLVMTypeRef f32, i32; // scalars or vectors
} Bits;

static Bits bits_of(Emit *e, LLVMValueRef f32) {
  LLVMTypeRef like = LLVMTypeOf(f32);
  return (Bits){e, like, type_like(like, int_type(e, 32))};
}

static LLVMValueRef as_int(Bits *k, LLVMValueRef x) {
  return LLVMBuildBitCast(k->e->b, x, k->i32, "");
}

static LLVMValueRef as_float(Bits *k, LLVMValueRef x) {
  return LLVMBuildBitCast(k->e->b, x, k->f32, "");
}

static LLVMValueRef keep_bits(Bits *k, LLVMValueRef x, uint32_t mask) {
  return LLVMBuildAnd(k->e->b, x, const_int(k->i32, (int32_t)mask), "");
}

static LLVMValueRef shift_right(Bits *k, LLVMValueRef x, int by) {
  return LLVMBuildLShr(k->e->b, x, const_int(k->i32, by), "");
}

static LLVMValueRef add(Bits *k, LLVMValueRef x, int64_t value) {
  return LLVMBuildAdd(k->e->b, x, const_int(k->i32, value), "");
}

static LLVMValueRef is_nan(Emit *e, LLVMValueRef x) {
  return LLVMBuildFCmp(e->b, LLVMRealUNO, x, x, "");
}

static int smallest_exponent(Elem elem) {
  return 2 - (1 << (elem_info[elem].exponent_bits - 1));
}

static double largest(Elem elem) {
  if (elem == ELEM_f8e4nv) return 448;
  const ElemInfo *info = &elem_info[elem];
  return ldexp(2 - ldexp(1, -info->mantissa_bits),
               -smallest_exponent(elem) + 1);
}

// The bits of a magnitude, rounded like a normal number of the format.
static LLVMValueRef round_normal(Bits *k, LLVMValueRef bits, int dropped,
                                 Rounding rounding) {
  const uint32_t mask = ~((UINT32_C(1) << dropped) - 1);
  if (rounding == ROUNDING_rtz) return keep_bits(k, bits, mask);
  LLVMValueRef odd = keep_bits(k, shift_right(k, bits, dropped), 1);
  LLVMValueRef sum = add(k, bits, (1 << (dropped - 1)) - 1);
  return keep_bits(k, LLVMBuildAdd(k->e->b, sum, odd, ""), mask);
}

static LLVMValueRef round_tiny(Bits *k, LLVMValueRef magnitude, Elem elem,
                               Rounding rounding) {
  LLVMBuilderRef b = k->e->b;
  const int ulp = smallest_exponent(elem) - elem_info[elem].mantissa_bits;
  LLVMValueRef big = const_float(k->f32, ldexp(1, 23 + ulp));
  LLVMValueRef sum = LLVMBuildFAdd(b, magnitude, big, "");
  LLVMValueRef near = LLVMBuildFSub(b, sum, big, "");
  if (rounding == ROUNDING_rtne) return near;
  LLVMValueRef unit = const_float(k->f32, ldexp(1, ulp));
  LLVMValueRef less = LLVMBuildFSub(b, near, unit, "");
  LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, near, magnitude, "");
  return emit_select(k->e, above, less, near);
}

// `rounded`, with magnitudes beyond the largest finite value replaced: by that
// value if the format saturates, else by infinity.
static LLVMValueRef limit(Bits *k, LLVMValueRef rounded, LLVMValueRef magnitude,
                          Elem elem, Rounding rounding) {
  LLVMBuilderRef b = k->e->b;
  LLVMValueRef top = const_float(k->f32, largest(elem));
  LLVMValueRef inf = const_float(k->f32, INFINITY);
  LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, rounded, top, "");
  const bool saturates = elem_info[elem].bits == 8 || rounding == ROUNDING_rtz;
  LLVMValueRef out = emit_select(k->e, above, saturates ? top : inf, rounded);
  if (elem_info[elem].bits == 8 || !saturates) return out;
  LLVMValueRef was_inf = LLVMBuildFCmp(b, LLVMRealOEQ, magnitude, inf, "");
  return emit_select(k->e, was_inf, inf, out);
}

static LLVMValueRef round_any(Emit *e, Elem elem, LLVMValueRef x,
                              Rounding rounding) {
  Bits k = bits_of(e, x);
  const int dropped = 23 - elem_info[elem].mantissa_bits;
  LLVMValueRef bits = as_int(&k, x);
  LLVMValueRef sign = keep_bits(&k, bits, UINT32_C(1) << 31);
  LLVMValueRef low = keep_bits(&k, bits, INT32_MAX);
  LLVMValueRef magnitude = as_float(&k, low);
  LLVMValueRef out = as_float(&k, round_normal(&k, low, dropped, rounding));
  if (elem != ELEM_bf16) { // bf16 has the exponents of f32
    LLVMValueRef least = const_float(k.f32, ldexp(1, smallest_exponent(elem)));
    LLVMValueRef tiny = LLVMBuildFCmp(e->b, LLVMRealOLT, magnitude, least, "");
    out = emit_select(e, tiny, round_tiny(&k, magnitude, elem, rounding), out);
  }
  if (elem != ELEM_bf16 || rounding == ROUNDING_rtz) {
    out = limit(&k, out, magnitude, elem, rounding);
  }
  LLVMValueRef signed_bits = LLVMBuildOr(e->b, as_int(&k, out), sign, "");
  LLVMValueRef nan = const_int(k.i32, convert_nan(elem));
  return as_float(&k, emit_select(e, is_nan(e, x), nan, signed_bits));
}

static LLVMTypeRef half_like(Emit *e, LLVMValueRef x) {
  return type_like(LLVMTypeOf(x), LLVMHalfTypeInContext(e->llvm.context));
}

static LLVMValueRef to_half(Emit *e, LLVMValueRef f32) {
  return LLVMBuildFPTrunc(e->b, f32, half_like(e, f32), "");
}

static LLVMTypeRef f32_like(Emit *e, LLVMValueRef x) {
  return type_like(LLVMTypeOf(x), LLVMFloatTypeInContext(e->llvm.context));
}

static LLVMValueRef from_half(Emit *e, LLVMValueRef half) {
  return LLVMBuildFPExt(e->b, half, f32_like(e, half), "");
}

LLVMValueRef convert_round(Emit *e, Elem elem, LLVMValueRef f32,
                           Rounding rounding) {
  LLVMValueRef rounded = nvptx_round(e, elem, f32, rounding);
  if (rounded) return rounded;
  if (elem == ELEM_f16 && rounding == ROUNDING_rtne && e->llvm.has_half) {
    return from_half(e, to_half(e, f32));
  }
  return round_any(e, elem, f32, rounding);
}

LLVMValueRef convert_f16(Emit *e, LLVMValueRef f32, Rounding rounding) {
  LLVMValueRef rounded = convert_round(e, ELEM_f16, f32, rounding);
  if (e->target->is_gpu || !e->llvm.has_half || rounding != ROUNDING_rtne)
    return rounded;
  Bits k = bits_of(e, f32);
  LLVMValueRef nan = as_float(&k, const_int(k.i32, convert_nan(ELEM_f16)));
  return emit_select(e, is_nan(e, f32), nan, rounded);
}

// The nearest f32, and whether its magnitude is above or below the f64's.
typedef struct {
  LLVMValueRef bits, beyond, exact;
} Near;

static Near nearest(Emit *e, LLVMValueRef f64) {
  LLVMValueRef near = LLVMBuildFPTrunc(e->b, f64, f32_like(e, f64), "");
  LLVMValueRef back = LLVMBuildFPExt(e->b, near, LLVMTypeOf(f64), "");
  Bits k = bits_of(e, near);
  return (Near){
      .bits = as_int(&k, near),
      .exact = LLVMBuildFCmp(e->b, LLVMRealUEQ, back, f64, ""),
      .beyond = LLVMBuildFCmp(e->b, LLVMRealOGT,
                              emit_intrinsic(e, "llvm.fabs", 1, &back),
                              emit_intrinsic(e, "llvm.fabs", 1, &f64), ""),
  };
}

// If the nearest f32 is not exact, its neighbour with an odd last bit is used,
// so that a later rounding sees no false tie.
LLVMValueRef convert_to_odd(Emit *e, LLVMValueRef f64) {
  Near near = nearest(e, f64);
  LLVMTypeRef f32 = f32_like(e, f64);
  Bits k = {e, f32, LLVMTypeOf(near.bits)};
  LLVMValueRef odd =
      LLVMBuildTrunc(e->b, near.bits, type_like(k.i32, int_type(e, 1)), "");
  LLVMValueRef keep = LLVMBuildOr(e->b, near.exact, odd, "");
  LLVMValueRef moved = emit_select(e, near.beyond, add(&k, near.bits, -1),
                                   add(&k, near.bits, 1));
  return as_float(&k, emit_select(e, keep, near.bits, moved));
}

LLVMValueRef convert_toward_zero(Emit *e, LLVMValueRef f64) {
  Near near = nearest(e, f64);
  Bits k = {e, f32_like(e, f64), LLVMTypeOf(near.bits)};
  return as_float(
      &k, emit_select(e, near.beyond, add(&k, near.bits, -1), near.bits));
}

// Bits below the 53 of f64 are first folded (ORed) into the last of the 53.
LLVMValueRef convert_wide_int(Emit *e, Elem elem, LLVMValueRef x,
                              bool is_signed) {
  LLVMBuilderRef b = e->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef low = LLVMBuildAnd(b, x, const_int(type, 0x7ff), "");
  LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, low, LLVMConstNull(type), "");
  LLVMValueRef sticky = LLVMBuildShl(b, LLVMBuildZExt(b, some, type, ""),
                                     const_int(type, 11), "");
  LLVMValueRef high = LLVMBuildAnd(b, x, const_int(type, ~INT64_C(0x7ff)), "");
  LLVMValueRef folded = LLVMBuildOr(b, high, sticky, "");
  // Small magnitudes are exact in f64.
  LLVMValueRef top = LLVMBuildAShr(b, x, const_int(type, 53), "");
  LLVMValueRef small =
      LLVMBuildICmp(b, LLVMIntEQ, top, LLVMConstNull(type), "");
  if (is_signed) {
    LLVMValueRef minus = LLVMConstAllOnes(type);
    LLVMValueRef below = LLVMBuildICmp(b, LLVMIntEQ, top, minus, "");
    small = LLVMBuildOr(b, small, below, "");
  }
  LLVMTypeRef f64 = type_like(type, LLVMDoubleTypeInContext(e->llvm.context));
  LLVMValueRef exact = LLVMBuildCast(b, is_signed ? LLVMSIToFP : LLVMUIToFP,
                                     emit_select(e, small, x, folded), f64, "");
  return convert_round(e, elem, convert_to_odd(e, exact), ROUNDING_rtne);
}

// -- Memory forms ------------------------------------------------------------

static LLVMValueRef widen(Emit *e, LLVMValueRef x, int bits) {
  return LLVMBuildZExt(e->b, x, type_like(LLVMTypeOf(x), int_type(e, bits)),
                       "");
}

static LLVMValueRef narrow(Emit *e, LLVMValueRef x, int bits) {
  return LLVMBuildTrunc(e->b, x, type_like(LLVMTypeOf(x), int_type(e, bits)),
                        "");
}

static LLVMValueRef shift_left(Emit *e, LLVMValueRef x, int by) {
  return LLVMBuildShl(e->b, x, const_int(LLVMTypeOf(x), by), "");
}

static LLVMValueRef load_bf16(Emit *e, LLVMValueRef x) {
  return LLVMBuildBitCast(e->b, shift_left(e, widen(e, x, 32), 16),
                          f32_like(e, x), "");
}

// The power of two by which an f32 with the format's exponent field differs.
static int excess(Elem elem) {
  return smallest_exponent(elem) + 126;
}

// The magnitude's bits, read as an f32, are the value scaled down.
static LLVMValueRef load_bits(Emit *e, Elem elem, LLVMValueRef x) {
  LLVMTypeRef f32 = f32_like(e, x);
  Bits k = {e, f32, type_like(f32, int_type(e, 32))};
  const int size = elem_info[elem].bits, m = elem_info[elem].mantissa_bits;
  const uint32_t top = UINT32_C(1) << (size - 1);
  LLVMValueRef bits = widen(e, x, 32);
  LLVMValueRef low = keep_bits(&k, bits, top - 1);
  LLVMValueRef sign = shift_left(e, keep_bits(&k, bits, top), 32 - size);
  LLVMValueRef moved = shift_left(e, low, 23 - m);
  LLVMValueRef value = LLVMBuildFMul(
      e->b, as_float(&k, moved), const_float(f32, ldexp(1, excess(elem))), "");
  const uint32_t first = elem == ELEM_f8e4nv ? top - 1 : top - (1U << m);
  LLVMValueRef special =
      LLVMBuildICmp(e->b, LLVMIntUGE, low, const_int(k.i32, first), "");
  LLVMValueRef infinite =
      LLVMBuildOr(e->b, moved, const_int(k.i32, 0x7f800000), "");
  LLVMValueRef magnitude = emit_select(e, special, infinite, as_int(&k, value));
  return as_float(&k, LLVMBuildOr(e->b, magnitude, sign, ""));
}

static LLVMValueRef load_f16(Emit *e, LLVMValueRef x) {
  if (e->llvm.has_half) return from_half(e, x);
  LLVMTypeRef i16 = type_like(LLVMTypeOf(x), int_type(e, 16));
  return load_bits(e, ELEM_f16, LLVMBuildBitCast(e->b, x, i16, ""));
}

static LLVMValueRef load_f8e5(Emit *e, LLVMValueRef x) {
  if (!e->llvm.has_half) return load_bits(e, ELEM_f8e5, x);
  LLVMValueRef bits = shift_left(e, widen(e, x, 16), 8);
  return from_half(e, LLVMBuildBitCast(e->b, bits, half_like(e, x), ""));
}

static LLVMValueRef load_f8e4nv(Emit *e, LLVMValueRef x) {
  LLVMValueRef loaded = nvptx_load_f8e4nv(e, x);
  return loaded ? loaded : load_bits(e, ELEM_f8e4nv, x);
}

static LLVMValueRef store_bf16(Emit *e, LLVMValueRef x) {
  Bits k = bits_of(e, x);
  return narrow(e, shift_right(&k, as_int(&k, x), 16), 16);
}

// The bits of `x`, which is a value of the format.
static LLVMValueRef store_bits(Emit *e, Elem elem, LLVMValueRef x) {
  Bits k = bits_of(e, x);
  const int size = elem_info[elem].bits, m = elem_info[elem].mantissa_bits;
  const uint32_t top = UINT32_C(1) << (size - 1);
  const uint32_t infinite = elem == ELEM_f8e4nv ? top : top - (1U << m);
  LLVMValueRef bits = as_int(&k, x);
  LLVMValueRef sign = keep_bits(&k, shift_right(&k, bits, 32 - size), top);
  LLVMValueRef low = keep_bits(&k, bits, INT32_MAX);
  LLVMValueRef normal =
      add(&k, shift_right(&k, low, 23 - m), -((int64_t)excess(elem) << m));
  LLVMValueRef scale =
      const_float(k.f32, ldexp(1, m - smallest_exponent(elem)));
  LLVMValueRef units = LLVMBuildFMul(e->b, as_float(&k, low), scale, "");
  // Below 2^m units the encoding is the number of units.
  LLVMValueRef least = const_float(k.f32, ldexp(1, m));
  LLVMValueRef tiny = LLVMBuildFCmp(e->b, LLVMRealOLT, units, least, "");
  LLVMValueRef safe = emit_select(e, tiny, units, least);
  LLVMValueRef count = LLVMBuildFPToSI(e->b, safe, k.i32, "");
  LLVMValueRef code = emit_select(e, tiny, count, normal);
  LLVMValueRef is_inf =
      LLVMBuildICmp(e->b, LLVMIntEQ, low, const_int(k.i32, 0x7f800000), "");
  code = emit_select(e, is_inf, const_int(k.i32, infinite), code);
  LLVMValueRef nan = const_int(k.i32, top - 1);
  if (size == 16) { // a quiet NaN with the upper bits of its fraction
    nan = keep_bits(&k, shift_right(&k, low, 23 - m), top - 1);
    nan = LLVMBuildOr(e->b, nan, const_int(k.i32, 1 << (m - 1)), "");
  }
  code = emit_select(e, is_nan(e, x), nan, code);
  return narrow(e, LLVMBuildOr(e->b, code, sign, ""), size);
}

static LLVMValueRef store_f16(Emit *e, LLVMValueRef x) {
  if (e->llvm.has_half) return to_half(e, x);
  LLVMValueRef bits = store_bits(e, ELEM_f16, x);
  return LLVMBuildBitCast(e->b, bits, half_like(e, x), "");
}

static LLVMValueRef store_f8e5(Emit *e, LLVMValueRef x) {
  LLVMValueRef stored = nvptx_store_f8(e, ELEM_f8e5, x);
  if (stored) return stored;
  if (!e->llvm.has_half) return store_bits(e, ELEM_f8e5, x);
  LLVMValueRef half = to_half(e, x);
  LLVMTypeRef i16 = type_like(LLVMTypeOf(x), int_type(e, 16));
  LLVMValueRef bits = LLVMBuildBitCast(e->b, half, i16, "");
  return narrow(e, LLVMBuildLShr(e->b, bits, const_int(i16, 8), ""), 8);
}

static LLVMValueRef store_f8e4nv(Emit *e, LLVMValueRef x) {
  LLVMValueRef stored = nvptx_store_f8(e, ELEM_f8e4nv, x);
  return stored ? stored : store_bits(e, ELEM_f8e4nv, x);
}

LLVMValueRef convert_load(Emit *e, const Type *element, LLVMValueRef memory) {
  if (element->kind == TYPE_POINTER) return memory;
  switch (element->elem) {
  case ELEM_i1:
    return LLVMBuildICmp(e->b, LLVMIntNE, memory,
                         LLVMConstNull(LLVMTypeOf(memory)), "");
  case ELEM_f16: return load_f16(e, memory);
  case ELEM_bf16: return load_bf16(e, memory);
  case ELEM_f8e5: return load_f8e5(e, memory);
  case ELEM_f8e4nv: return load_f8e4nv(e, memory);
  default: return memory;
  }
}

LLVMValueRef convert_store(Emit *e, const Type *element, LLVMValueRef value) {
  if (element->kind == TYPE_POINTER) return value;
  switch (element->elem) {
  case ELEM_i1: return widen(e, value, 8);
  case ELEM_f16: return store_f16(e, value);
  case ELEM_bf16: return store_bf16(e, value);
  case ELEM_f8e5: return store_f8e5(e, value);
  case ELEM_f8e4nv: return store_f8e4nv(e, value);
  default: return value;
  }
}

static LLVMTypeRef bits_like(Emit *e, LLVMValueRef memory) {
  LLVMTypeRef type = LLVMTypeOf(memory);
  const bool half = type == half_like(e, memory);
  return half ? type_like(type, int_type(e, 16)) : type;
}

LLVMValueRef convert_to_bits(Emit *e, LLVMValueRef memory) {
  LLVMValueRef bits = LLVMBuildBitCast(e->b, memory, bits_like(e, memory), "");
  return LLVMBuildBitCast(e->b, widen(e, bits, 32), f32_like(e, memory), "");
}

LLVMValueRef convert_from_bits(Emit *e, const Type *element, LLVMValueRef f32) {
  Bits k = bits_of(e, f32);
  LLVMValueRef bits = narrow(e, as_int(&k, f32), elem_info[element->elem].bits);
  LLVMTypeRef type = type_like(k.f32, emit_memory_type(e, element));
  return LLVMBuildBitCast(e->b, bits, type, "");
}
