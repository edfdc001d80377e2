// narrow.c -- each half of a select between words becomes a select between
// halves, through chains of selects.
#include "codegen/llvm/narrow.h"

#include "ir/base/base.h"

#include <assert.h>

enum { HALF = 16 };

typedef struct {
  Emit *e;
  LLVMTypeRef word, half;
  Map done[2]; // lower and upper half of a select
} Narrow;

static LLVMValueRef narrow(Narrow *n, LLVMValueRef choice, bool upper);

static bool shifts_by_half(LLVMValueRef x, LLVMOpcode opcode) {
  if (!LLVMIsAInstruction(x) || LLVMGetInstructionOpcode(x) != opcode)
    return false;
  LLVMValueRef by = LLVMGetOperand(x, 1);
  return LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) == HALF;
}

// The half from which `word` was made; or NULL.
static LLVMValueRef part_of(const Narrow *n, LLVMValueRef word, bool upper) {
  if (upper) {
    if (!shifts_by_half(word, LLVMShl)) return NULL;
    word = LLVMGetOperand(word, 0);
  }
  if (!LLVMIsAZExtInst(word)) return NULL;
  LLVMValueRef part = LLVMGetOperand(word, 0);
  return LLVMTypeOf(part) == n->half ? part : NULL;
}

static LLVMValueRef narrow_arm(Narrow *n, LLVMValueRef choice, unsigned arm,
                               bool upper) {
  LLVMBuilderRef b = n->e->b;
  assert(arm == 1 || arm == 2); // I4: operand 0 is the condition
  LLVMValueRef word = LLVMGetOperand(choice, arm);
  if (LLVMIsASelectInst(word)) return narrow(n, word, upper);
  LLVMValueRef part = part_of(n, word, upper);
  if (part) return part;
  LLVMPositionBuilderBefore(b, choice);
  if (upper) word = LLVMBuildLShr(b, word, const_int(n->word, HALF), "");
  return LLVMBuildTrunc(b, word, n->half, "");
}

static LLVMValueRef narrow(Narrow *n, LLVMValueRef choice, bool upper) {
  LLVMValueRef half = map_get(&n->done[upper], choice);
  if (half) return half;
  LLVMValueRef yes = narrow_arm(n, choice, 1, upper);
  LLVMValueRef no = narrow_arm(n, choice, 2, upper);
  LLVMPositionBuilderBefore(n->e->b, choice);
  half = LLVMBuildSelect(n->e->b, LLVMGetOperand(choice, 0), yes, no, "");
  map_put(&n->done[upper], n->e->arena, choice, half);
  return half;
}

// The select of which `x` is a half, or NULL.
static LLVMValueRef chosen(const Narrow *n, LLVMValueRef x, bool *upper) {
  if (!LLVMIsATruncInst(x) || LLVMTypeOf(x) != n->half) return NULL;
  LLVMValueRef word = LLVMGetOperand(x, 0);
  *upper = shifts_by_half(word, LLVMLShr);
  if (*upper) word = LLVMGetOperand(word, 0);
  return LLVMIsASelectInst(word) && LLVMTypeOf(word) == n->word ? word : NULL;
}

static void narrow_block(LLVMBasicBlockRef block, void *ctx) {
  Narrow *n = ctx;
  LLVMValueRef next = NULL;
  for (LLVMValueRef x = LLVMGetFirstInstruction(block); x; x = next) {
    next = LLVMGetNextInstruction(x);
    bool upper = false;
    LLVMValueRef choice = chosen(n, x, &upper);
    if (!choice) continue;
    LLVMReplaceAllUsesWith(x, narrow(n, choice, upper));
    LLVMInstructionEraseFromParent(x);
  }
}

void narrow_choices(Emit *e) {
  Narrow n = {.e = e, .word = int_type(e, 2 * HALF), .half = int_type(e, HALF)};
  llvm_each_block(e->llvm.module, narrow_block, &n);
}
