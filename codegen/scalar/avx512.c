// avx512.c -- calls of AVX-512's intrinsics: all lanes, rounded as usual.
#include "codegen/scalar/avx512.h"

#include <string.h>

static const Avx512 of_f32 = {
    .lanes = 16,
    .range = "llvm.x86.avx512.mask.range.ps.512",
    .fixup = "llvm.x86.avx512.mask.fixupimm.ps.512",
    .scale = "llvm.x86.avx512.mask.scalef.ps.512",
};
static const Avx512 of_f64 = {
    .lanes = 8,
    .range = "llvm.x86.avx512.mask.range.pd.512",
    .fixup = "llvm.x86.avx512.mask.fixupimm.pd.512",
    .scale = "llvm.x86.avx512.mask.scalef.pd.512",
};

const Avx512 *avx512_of(Emit *e, LLVMTypeRef type) {
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->llvm.context);
  const Avx512 *full = type == type_like(type, f64) ? &of_f64 : &of_f32;
  const bool is_full = type_lanes(type) == full->lanes;
  return is_full && e->llvm.vector_bytes == 64 ? full : NULL;
}

// `args` has room for two more behind `num`.
static LLVMValueRef call(Emit *e, const Avx512 *full, const char *name,
                         LLVMValueRef *args, int num) {
  enum { ROUND_AS_USUAL = 4 };
  args[num] = const_int(int_type(e, full->lanes), -1);
  args[num + 1] = const_int(int_type(e, 32), ROUND_AS_USUAL);
  return llvm_call(&e->llvm, name, NULL, 0, args, num + 2);
}

LLVMValueRef avx512_range(Emit *e, const Avx512 *full, RangeChoice choice,
                          LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef args[6] = {x, y, const_int(int_type(e, 32), choice), x};
  return call(e, full, full->range, args, 4);
}

static bool is_range(const Avx512 *full, LLVMValueRef x) {
  LLVMValueRef callee = LLVMIsACallInst(x) ? LLVMGetCalledValue(x) : NULL;
  size_t size;
  return callee && LLVMIsAFunction(callee) &&
         !strcmp(LLVMGetValueName2(callee, &size), full->range);
}

// A table gives an action for each class of numbers: only signalling NaNs, the
// second class, have one.  Products and sums may be signalling NaNs, too:
// LLVM replaces those with 1 or 0 by the other operand.
LLVMValueRef avx512_quiet(Emit *e, const Avx512 *full, LLVMValueRef x) {
  enum { MAKE_QUIET = 2, CLASS_BITS = 4 };
  if (is_range(full, x)) return x;
  LLVMTypeRef ints = vector_of(int_type(e, 512 / full->lanes), full->lanes);
  LLVMValueRef args[6] = {x, x, const_int(ints, MAKE_QUIET << CLASS_BITS),
                          const_int(int_type(e, 32), 0)};
  return call(e, full, full->fixup, args, 4);
}

LLVMValueRef avx512_scale(Emit *e, const Avx512 *full, LLVMValueRef x,
                          LLVMValueRef n) {
  LLVMValueRef args[5] = {x, n, x};
  return call(e, full, full->scale, args, 3);
}
