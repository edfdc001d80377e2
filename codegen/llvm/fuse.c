// fuse.c -- products and sums that are rounded at once.
//
// LLVM's code generator would choose by blocks, by other uses of the product
// and by its level of optimization.  Here each sum of a product is rounded
// once, so that results do not depend on how code is made.
#include "codegen/llvm/fuse.h"

#include "ir/base/base.h"

static bool may_fuse(LLVMValueRef x, LLVMOpcode opcode) {
  return LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == opcode &&
         LLVMGetFastMathFlags(x) & LLVMFastMathAllowContract;
}

static LLVMValueRef negate(Emit *e, LLVMValueRef x, bool wanted) {
  return wanted ? LLVMBuildFNeg(e->b, x, "") : x;
}

// Replaces `sum` by product + other, either of them negated, as one fma.
static void fuse(Emit *e, LLVMValueRef sum, unsigned product, bool minus) {
  LLVMValueRef x = LLVMGetOperand(sum, product);
  LLVMValueRef other = LLVMGetOperand(sum, 1 - product);
  LLVMPositionBuilderBefore(e->b, sum);
  LLVMValueRef args[] = {negate(e, LLVMGetOperand(x, 0), minus && product),
                         LLVMGetOperand(x, 1),
                         negate(e, other, minus && !product)};
  LLVMReplaceAllUsesWith(sum, emit_intrinsic(e, "llvm.fma", 3, args));
  LLVMInstructionEraseFromParent(sum);
  if (!LLVMGetFirstUse(x)) LLVMInstructionEraseFromParent(x);
}

static void fuse_sum(Emit *e, LLVMValueRef sum) {
  for (unsigned i = 0; i < 2; i++) {
    if (!may_fuse(LLVMGetOperand(sum, i), LLVMFMul)) continue;
    fuse(e, sum, i, may_fuse(sum, LLVMFSub));
    return;
  }
}

typedef struct {
  Emit *e;
  Vec(LLVMValueRef) sums;
} Fusing;

static void collect(LLVMBasicBlockRef block, void *ctx) {
  Fusing *f = ctx;
  for (LLVMValueRef x = LLVMGetFirstInstruction(block); x;
       x = LLVMGetNextInstruction(x)) {
    if (may_fuse(x, LLVMFAdd) || may_fuse(x, LLVMFSub))
      vec_push(f->e->arena, &f->sums, x);
  }
}

static void forbid(LLVMBasicBlockRef block, void *ctx) {
  (void)ctx;
  for (LLVMValueRef x = LLVMGetFirstInstruction(block); x;
       x = LLVMGetNextInstruction(x)) {
    if (LLVMCanValueUseFastMathFlags(x))
      LLVMSetFastMathFlags(x, LLVMFastMathNone);
  }
}

void fuse_sums(Emit *e) {
  Fusing f = {.e = e};
  if (e->llvm.has_fma) llvm_each_block(e->llvm.module, collect, &f);
  for (size_t i = 0; i < f.sums.count; i++) fuse_sum(e, f.sums.items[i]);
  llvm_each_block(e->llvm.module, forbid, NULL);
}
