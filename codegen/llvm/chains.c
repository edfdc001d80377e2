// chains.c -- long chains of integer arithmetic are taken apart.
//
// LLVM's passes for NVPTX ask of each sum which terms it has, so that n sums of
// one more term each cost the square of n.  A frozen sum is a term by itself,
// and no instruction.
//
// On the host strength reduction does so for each address in a loop: terms of
// the loops around it, which have computed them already.
#include "codegen/llvm/chains.h"

#include "ir/base/base.h"

enum { LONGEST = 32 };

static bool is_sum(LLVMValueRef x) {
  const LLVMOpcode opcode = LLVMGetInstructionOpcode(x);
  return opcode == LLVMAdd || opcode == LLVMSub;
}

static bool is_link(LLVMValueRef x) {
  const LLVMOpcode opcode = LLVMGetInstructionOpcode(x);
  return is_sum(x) || opcode == LLVMMul || opcode == LLVMShl;
}

typedef struct {
  Emit *e;
  Map lengths; // of the links so far
} Chains;

static void cut(Emit *e, LLVMValueRef user, unsigned operand) {
  LLVMPositionBuilderBefore(e->b, user);
  LLVMValueRef x = LLVMGetOperand(user, operand);
  LLVMSetOperand(user, operand, LLVMBuildFreeze(e->b, x, ""));
}

// Returns how many links lead to this one, itself counted.  A product is not
// kept from the sum that it may be one instruction with.
static uintptr_t follow(const Chains *c, LLVMValueRef link) {
  uintptr_t longest = 0;
  for (unsigned i = 0; i < 2; i++) {
    LLVMValueRef x = LLVMGetOperand(link, i);
    const uintptr_t length = (uintptr_t)map_get(&c->lengths, x);
    const bool long_sum = length >= LONGEST && is_sum(x);
    if (long_sum) cut(c->e, link, i);
    if (!long_sum && length > longest) longest = length;
  }
  return longest + 1;
}

static void cut_block(LLVMBasicBlockRef block, void *ctx) {
  Chains *c = ctx;
  for (LLVMValueRef x = LLVMGetFirstInstruction(block); x;
       x = LLVMGetNextInstruction(x)) {
    if (!is_link(x)) continue;
    map_put(&c->lengths, c->e->arena, x, (void *)follow(c, x));
  }
}

void cut_chains(Emit *e) {
  Chains c = {.e = e};
  llvm_each_block(e->llvm.module, cut_block, &c);
}

// -- Sums of other blocks ----------------------------------------------------

// At a constant distance from its base; an access has room for that.
static bool is_beside(LLVMValueRef x) {
  if (!LLVMIsAGetElementPtrInst(x)) return false;
  for (int i = 1; i < LLVMGetNumOperands(x); i++) {
    if (!LLVMIsConstant(LLVMGetOperand(x, (unsigned)i))) return false;
  }
  return true;
}

static bool is_address(LLVMValueRef x) {
  switch (LLVMGetInstructionOpcode(x)) {
  case LLVMGetElementPtr:
    return LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMPointerTypeKind &&
           !is_beside(x);
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMSExt:
  case LLVMZExt: return LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMIntegerTypeKind;
  default: return false;
  }
}

// Loops are known by their phis and comparisons, which stay as they are.
static bool may_cut(LLVMValueRef user, LLVMBasicBlockRef block) {
  const bool outside = LLVMGetInstructionParent(user) != block;
  return (outside || is_beside(user)) && !LLVMIsAPHINode(user) &&
         !LLVMIsAICmpInst(user);
}

static void replace(LLVMValueRef user, LLVMValueRef x, LLVMValueRef by) {
  for (int i = 0; i < LLVMGetNumOperands(user); i++) {
    const bool is_x = LLVMGetOperand(user, (unsigned)i) == x;
    if (is_x) LLVMSetOperand(user, (unsigned)i, by);
  }
}

static void cut_outside(Emit *e, LLVMValueRef x) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(x);
  Vec(LLVMValueRef) users = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(x); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (may_cut(user, block)) vec_push(e->arena, &users, user);
  }
  if (!users.count) return;
  LLVMPositionBuilderBefore(e->b, LLVMGetNextInstruction(x));
  LLVMValueRef frozen = LLVMBuildFreeze(e->b, x, "");
  for (size_t i = 0; i < users.count; i++) replace(users.items[i], x, frozen);
}

static void cut_addresses_of(LLVMBasicBlockRef block, void *ctx) {
  for (LLVMValueRef x = LLVMGetFirstInstruction(block); x;
       x = LLVMGetNextInstruction(x))
    if (is_address(x)) cut_outside(ctx, x);
}

void cut_addresses(Emit *e) {
  llvm_each_block(e->llvm.module, cut_addresses_of, e);
}
