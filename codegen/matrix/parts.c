// parts.c -- fp32 operands of a dot in two or three parts, for tf32x3 and
// others.
//
// Part 0 is the operand rounded to the instruction's type, part 1 the
// remainder, rounded.  Only products of two parts 0 tell whether a result is
// infinite or NaN: an infinity times part 1 of the other operand may have any
// sign, or is NaN if that part is 0; beyond the largest number, the sign is the
// part's.  So the other products have sums of their own, which start at 0 and
// count as 0 unless they are finite.
#include "codegen/matrix/dot.h"

#include <assert.h>
#include <math.h>

enum { FRACTION_BITS = 23, TF32_BITS = 10, BF16_BITS = 7 };

static int fraction_bits(Elem elem) {
  return elem == ELEM_f32 ? TF32_BITS : BF16_BITS;
}

static LLVMValueRef clear_low_bits(Simt *s, LLVMValueRef x, int count) {
  LLVMTypeRef i32 = int_type(s->e, SIMT_WORD_BITS);
  LLVMValueRef bits = LLVMBuildBitCast(s->b, x, i32, "");
  bits = LLVMBuildAnd(s->b, bits, simt_i32(s, -(1 << count)), "");
  return LLVMBuildBitCast(s->b, bits, LLVMTypeOf(x), "");
}

// Rounded to the nearest tf32, ties away from zero; the lower bits are
// undefined.
static LLVMValueRef round_tf32(Simt *s, LLVMValueRef x) {
  LLVMValueRef bits = nvptx_asm(s, "cvt.rna.tf32.f32 $0, $1;", "=r,f",
                                int_type(s->e, SIMT_WORD_BITS), 1, &x, false);
  return LLVMBuildBitCast(s->b, bits, LLVMTypeOf(x), "");
}

static LLVMValueRef round_to(Simt *s, Elem elem, LLVMValueRef x) {
  if (elem == ELEM_f32) return round_tf32(s, x);
  return convert_round(s->e, elem, x, ROUNDING_rtne);
}

static LLVMValueRef size_of(Simt *s, LLVMValueRef x) {
  return emit_intrinsic(s->e, "llvm.fabs", 1, &x);
}

// Is `x` infinite, or would rounding make it so?
static LLVMValueRef is_huge(Simt *s, Elem elem, LLVMValueRef x) {
  const double largest = ldexp(2 - ldexp(1, -fraction_bits(elem) - 1), 127);
  return LLVMBuildFCmp(s->b, LLVMRealOGE, size_of(s, x),
                       LLVMConstReal(LLVMTypeOf(x), largest), "");
}

// The remainder after rounding `x`; 0 for an infinity or NaN.
static LLVMValueRef rest_of(Simt *s, Elem elem, LLVMValueRef x,
                            LLVMValueRef rounded) {
  const int more = FRACTION_BITS - fraction_bits(elem);
  if (elem == ELEM_f32) rounded = clear_low_bits(s, rounded, more);
  LLVMValueRef less = LLVMBuildFSub(s->b, x, rounded, "");
  LLVMValueRef good = LLVMBuildFCmp(s->b, LLVMRealORD, less, less, "");
  return emit_select(s->e, good, less, LLVMConstNull(LLVMTypeOf(less)));
}

// The parts of a huge number are all truncated, so that their sum does not
// exceed it.  For a single part, the instruction itself truncates to tf32.
void parts_of(Simt *s, const MmaPlan *plan, LLVMValueRef x,
              LLVMValueRef *parts) {
  const Elem elem = plan->mma->elem;
  assert(plan->parts >= 1 && plan->parts <= MAX_PARTS); // I2
  parts[0] = x;
  if (plan->parts == 1) return;
  const int bits = fraction_bits(elem);
  const int kept = plan->parts * (bits + 1) - 1;
  LLVMValueRef huge = is_huge(s, elem, x);
  if (kept < FRACTION_BITS) {
    LLVMValueRef cut = clear_low_bits(s, x, FRACTION_BITS - kept);
    x = emit_select(s->e, huge, cut, x);
  }
  LLVMValueRef cut = clear_low_bits(s, x, FRACTION_BITS - bits);
  parts[0] = emit_select(s->e, huge, cut, round_to(s, elem, x));
  for (int i = 1; i < plan->parts; i++) {
    x = rest_of(s, elem, x, parts[i - 1]);
    parts[i] = round_to(s, elem, x);
  }
}

LLVMValueRef *parts_zeros(const Dot *d) {
  const int count = simt_count(op_result(d->op)->type);
  LLVMValueRef *zeros = simt_new(d->s, count);
  for (int r = 0; r < count; r++) {
    zeros[r] = LLVMConstNull(LLVMTypeOf(d->sums[r]));
  }
  return zeros;
}

void parts_add_small(Dot *d) {
  Simt *s = d->s;
  const int count = simt_count(op_result(d->op)->type);
  for (int r = 0; r < count; r++) {
    LLVMValueRef small = d->small[r];
    LLVMTypeRef type = LLVMTypeOf(small);
    LLVMValueRef finite =
        LLVMBuildFCmp(s->b, LLVMRealOLT, size_of(s, small),
                      LLVMConstReal(type, (double)INFINITY), "");
    small = emit_select(s->e, finite, small, LLVMConstNull(type));
    d->sums[r] = LLVMBuildFAdd(s->b, d->sums[r], small, "");
  }
}
