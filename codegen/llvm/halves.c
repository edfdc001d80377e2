// halves.c -- words of which both halves are used.
//
// LLVM represents the halves of a word as a truncation, and as a truncation of
// a shift.  For a word with both, they become the elements of a vector.
#include "codegen/llvm/halves.h"

enum { HALF = 16 };

typedef struct {
  Emit *e;
  LLVMTypeRef word, half;
} Halves;

static bool shifts_by_half(LLVMValueRef x) {
  if (!LLVMIsAInstruction(x) || LLVMGetInstructionOpcode(x) != LLVMLShr)
    return false;
  LLVMValueRef by = LLVMGetOperand(x, 1);
  return LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) == HALF;
}

// A user of `word` that is its lower half; or NULL.
static LLVMValueRef lower_half(const Halves *h, LLVMValueRef word) {
  for (LLVMUseRef use = LLVMGetFirstUse(word); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsATruncInst(user) && LLVMTypeOf(user) == h->half) return user;
  }
  return NULL;
}

static LLVMValueRef upper_half(const Halves *h, LLVMValueRef word) {
  for (LLVMUseRef use = LLVMGetFirstUse(word); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!shifts_by_half(user) || LLVMGetOperand(user, 0) != word) continue;
    LLVMValueRef half = lower_half(h, user);
    if (half) return half;
  }
  return NULL;
}

static void replace(LLVMValueRef old, LLVMValueRef by) {
  LLVMReplaceAllUsesWith(old, by);
  LLVMInstructionEraseFromParent(old);
}

static void take_apart(const Halves *h, LLVMValueRef word) {
  LLVMBuilderRef b = h->e->b;
  LLVMValueRef low = lower_half(h, word), high = upper_half(h, word);
  LLVMValueRef next = LLVMGetNextInstruction(word);
  if (!low || !high || LLVMIsAPHINode(next)) return;
  LLVMPositionBuilderBefore(b, next);
  LLVMValueRef pair = LLVMBuildBitCast(b, word, LLVMVectorType(h->half, 2), "");
  LLVMValueRef shift = LLVMGetOperand(high, 0);
  LLVMValueRef first =
      LLVMBuildExtractElement(b, pair, const_int(h->word, 0), "");
  LLVMValueRef second =
      LLVMBuildExtractElement(b, pair, const_int(h->word, 1), "");
  replace(low, first);
  replace(high, second);
  if (!LLVMGetFirstUse(shift)) LLVMInstructionEraseFromParent(shift);
}

static void take_block_apart(LLVMBasicBlockRef block, void *ctx) {
  const Halves *h = ctx;
  for (LLVMValueRef x = LLVMGetFirstInstruction(block); x;
       x = LLVMGetNextInstruction(x))
    if (LLVMTypeOf(x) == h->word) take_apart(h, x);
}

void take_halves_apart(Emit *e) {
  Halves h = {e, int_type(e, 2 * HALF), int_type(e, HALF)};
  llvm_each_block(e->llvm.module, take_block_apart, &h);
}
