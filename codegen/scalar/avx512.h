// avx512.h -- instructions of AVX-512 for full vectors of f32 or f64.
#ifndef TILE_CODEGEN_AVX512_H
#define TILE_CODEGEN_AVX512_H

#include "codegen/emit.h"

// LLVM's names of the instructions for one type of vectors.
typedef struct {
  int lanes;
  const char *range, *fixup, *scale;
} Avx512;

// NULL: the type is no full vector, or the processor has no AVX-512.
const Avx512 *avx512_of(Emit *e, LLVMTypeRef type);

// The choices of avx512_range(), as the instruction encodes them.
typedef enum {
  RANGE_SMALLER_MAGNITUDE = 2,
  RANGE_LEAST = 4,
  RANGE_GREATEST = 5,
} RangeChoice;

// One of two numbers in each lane, with its own sign; -0 is less than 0.  A
// quiet NaN and a number give the number, a signalling NaN gives a quiet one.
LLVMValueRef avx512_range(Emit *e, const Avx512 *full, RangeChoice choice,
                          LLVMValueRef x, LLVMValueRef y);
// `x` with quiet NaNs for signalling ones.
LLVMValueRef avx512_quiet(Emit *e, const Avx512 *full, LLVMValueRef x);
// x by 2 to the power of floor(n), also with denormal results.
LLVMValueRef avx512_scale(Emit *e, const Avx512 *full, LLVMValueRef x,
                          LLVMValueRef n);

#endif
