// math.h -- shared by the expansions of elementary functions.
//
// All of them work on float or double, scalars or vectors; only multiply-add,
// integer and comparison instructions are used, so that the same code serves
// every target.  tests/unit/codegen/test_codegen_math.c checks the bounds in
// math.def.
#ifndef TILE_CODEGEN_MATH_H
#define TILE_CODEGEN_MATH_H

#include "codegen/emit.h"

typedef struct {
  Emit *e;
  LLVMBuilderRef b;
  LLVMTypeRef type, ints; // of the value, and integers of its width
  bool wide;              // double
  int mantissa, bias;
} Math;

typedef struct {
  const double *items;
  int count;
} Poly;

#define POLY(name, ...) extern const Poly poly_##name;
#include "codegen/scalar/math_poly.def"

Math math_of(Emit *e, LLVMValueRef like);
LLVMValueRef math_const(Math *k, double value);
LLVMValueRef math_int(Math *k, int64_t value);
LLVMValueRef math_bits(Math *k, LLVMValueRef x);  // float to integer bits
LLVMValueRef math_float(Math *k, LLVMValueRef x); // and back
// x * y + z, fused if the target can.
LLVMValueRef math_fma(Math *k, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);
LLVMValueRef math_poly(Math *k, const Poly *narrow, const Poly *wide,
                       LLVMValueRef x);
LLVMValueRef math_abs(Math *k, LLVMValueRef x);
LLVMValueRef math_sign_of(Math *k, LLVMValueRef magnitude, LLVMValueRef sign);

LLVMValueRef math_exp(Math *k, LLVMValueRef x);
LLVMValueRef math_exp2(Math *k, LLVMValueRef x);
LLVMValueRef math_log(Math *k, LLVMValueRef x);
LLVMValueRef math_log2(Math *k, LLVMValueRef x);
LLVMValueRef math_tanh(Math *k, LLVMValueRef x);
LLVMValueRef math_erf(Math *k, LLVMValueRef x);
LLVMValueRef math_sin(Math *k, LLVMValueRef x);
LLVMValueRef math_cos(Math *k, LLVMValueRef x);

// erf of an f32: `near` if |x| < 1, else 1 - 2^power with x's sign.
typedef struct {
  LLVMValueRef is_near, near, power;
} Erf;
Erf math_erf_f32(Math *k, LLVMValueRef x);

// A function in the module, made once by `build` with the builder at its entry;
// its key is `name` and the type.
typedef void MathBuild(Emit *e, LLVMValueRef function);
LLVMValueRef math_call(Emit *e, const char *name, LLVMTypeRef type,
                       MathBuild *build, LLVMValueRef *args, int num_args);

#endif
