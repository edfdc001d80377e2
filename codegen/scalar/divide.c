// divide.c -- integer division and remainder.
//
// A scalar is divided by 1 if the division is undefined, and a select gives the
// right result.  Vectors do not use LLVM's division: version 19 moves it above
// selects that differ from lane to lane, and then takes one lane that divides
// by zero for all.  Up to 32 bits they are divided as floats: with more digits
// than the dividend has, the rounded quotient of two integers is never on the
// wrong side of an integer.  64 bits are divided lane by lane.
#include "codegen/scalar/scalar.h"

typedef struct {
  Emit *e;
  LLVMTypeRef type;
  int bits;
  bool is_signed;
} Division;

static LLVMValueRef equals(Emit *e, LLVMValueRef x, int64_t value) {
  return LLVMBuildICmp(e->b, LLVMIntEQ, x, const_int(LLVMTypeOf(x), value), "");
}

// `ratio`, with the results of division by 0, and for signed numbers by -1,
// replaced.
static LLVMValueRef fix_quotient(const Division *d, LLVMValueRef x,
                                 LLVMValueRef y, LLVMValueRef ratio) {
  LLVMValueRef out = ratio;
  if (d->is_signed) {
    LLVMValueRef minus = LLVMBuildNeg(d->e->b, x, "");
    out = emit_select(d->e, equals(d->e, y, -1), minus, ratio);
  }
  return emit_select(d->e, equals(d->e, y, 0), LLVMConstAllOnes(d->type), out);
}

static LLVMValueRef safe_divisor(const Division *d, LLVMValueRef y) {
  LLVMValueRef bad = equals(d->e, y, 0);
  if (d->is_signed) {
    bad = LLVMBuildOr(d->e->b, bad, equals(d->e, y, -1), "");
  }
  return emit_select(d->e, bad, const_int(d->type, 1), y);
}

// x / y, or x if y is 0 or, signed, -1.
static LLVMValueRef divide_scalar(const Division *d, LLVMValueRef x,
                                  LLVMValueRef y) {
  const LLVMOpcode op = d->is_signed ? LLVMSDiv : LLVMUDiv;
  return LLVMBuildBinOp(d->e->b, op, x, safe_divisor(d, y), "");
}

static LLVMValueRef divide_as_floats(const Division *d, LLVMValueRef x,
                                     LLVMValueRef y) {
  LLVMContextRef context = d->e->llvm.context;
  LLVMTypeRef f = d->bits <= 16 ? LLVMFloatTypeInContext(context)
                                : LLVMDoubleTypeInContext(context);
  LLVMTypeRef type = type_like(d->type, f);
  const LLVMOpcode to = d->is_signed ? LLVMSIToFP : LLVMUIToFP;
  const LLVMOpcode from = d->is_signed ? LLVMFPToSI : LLVMFPToUI;
  LLVMValueRef a = LLVMBuildCast(d->e->b, to, x, type, "");
  LLVMValueRef b = LLVMBuildCast(d->e->b, to, safe_divisor(d, y), type, "");
  LLVMValueRef ratio = LLVMBuildFDiv(d->e->b, a, b, "");
  return LLVMBuildCast(d->e->b, from, ratio, d->type, "");
}

static LLVMValueRef divide_lanes(const Division *d, LLVMValueRef x,
                                 LLVMValueRef y) {
  Division one = *d;
  one.type = LLVMGetElementType(d->type);
  LLVMValueRef out = LLVMGetPoison(d->type);
  for (int i = 0; i < type_lanes(d->type); i++) {
    LLVMValueRef at = const_int(int_type(d->e, 32), i);
    LLVMValueRef ratio =
        divide_scalar(&one, LLVMBuildExtractElement(d->e->b, x, at, ""),
                      LLVMBuildExtractElement(d->e->b, y, at, ""));
    out = LLVMBuildInsertElement(d->e->b, out, ratio, at, "");
  }
  return out;
}

static Division division_of(Emit *e, const Op *op, LLVMValueRef x,
                            bool is_signed) {
  return (Division){e, LLVMTypeOf(x), type_element_bits(op_result(op)->type),
                    is_signed};
}

static LLVMValueRef divide(const Division *d, LLVMValueRef const *x) {
  if (!type_lanes(d->type)) return divide_scalar(d, x[0], x[1]);
  return d->bits <= 32 ? divide_as_floats(d, x[0], x[1])
                       : divide_lanes(d, x[0], x[1]);
}

static LLVMValueRef quotient(Emit *e, const Op *op, LLVMValueRef const *x,
                             bool is_signed) {
  const Division d = division_of(e, op, x[0], is_signed);
  return fix_quotient(&d, x[0], x[1], divide(&d, x));
}

// x minus the multiple of y; for y = -1, whose division is undefined, the
// multiple of 1; for y = 0, x.
static LLVMValueRef rest(Emit *e, const Op *op, LLVMValueRef const *x,
                         bool is_signed) {
  const Division d = division_of(e, op, x[0], is_signed);
  LLVMValueRef y = x[1];
  if (is_signed) y = emit_select(e, equals(e, y, -1), const_int(d.type, 1), y);
  LLVMValueRef multiple = LLVMBuildMul(e->b, divide(&d, x), y, "");
  return LLVMBuildSub(e->b, x[0], multiple, "");
}

LLVMValueRef scalar_divui(Emit *e, const Op *op, LLVMValueRef const *x) {
  return quotient(e, op, x, false);
}

LLVMValueRef scalar_divsi(Emit *e, const Op *op, LLVMValueRef const *x) {
  return quotient(e, op, x, true);
}

LLVMValueRef scalar_remui(Emit *e, const Op *op, LLVMValueRef const *x) {
  return rest(e, op, x, false);
}

LLVMValueRef scalar_remsi(Emit *e, const Op *op, LLVMValueRef const *x) {
  return rest(e, op, x, true);
}
