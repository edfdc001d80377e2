// chains.c -- splitting long chains of integer arithmetic.
//
// LLVM's passes for NVPTX compute the terms of each sum, so n sums with one
// more term each take quadratic time.  A frozen sum is one term, and needs no
// instruction.
//
// On the host, strength reduction does the same for each address in a loop:
// there, terms that enclosing loops have computed already are frozen, and so
// are counters.
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
  Map lengths; // number of links so far
} Chains;

static void cut(Emit *e, LLVMValueRef user, unsigned operand) {
  LLVMPositionBuilderBefore(e->b, user);
  LLVMValueRef x = LLVMGetOperand(user, operand);
  LLVMSetOperand(user, operand, LLVMBuildFreeze(e->b, x, ""));
}

// Returns the number of links up to this one.  A product stays with its sum, as
// both may be one instruction.
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

// Is `x` at a constant distance from its base, which an access can add?
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

// Loops are recognised by their phis and comparisons, which are not changed.
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

// -- Counters ----------------------------------------------------------------

static bool is_step(LLVMValueRef x, LLVMValueRef counter) {
  return LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == LLVMAdd &&
         LLVMGetOperand(x, 0) == counter &&
         LLVMIsConstant(LLVMGetOperand(x, 1));
}

// Returns the counter of the next trip, or NULL.
static LLVMValueRef step_of(LLVMValueRef phi) {
  if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind) return NULL;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef x = LLVMGetIncomingValue(phi, i);
    if (is_step(x, phi)) return x;
  }
  return NULL;
}

// The block's first instruction behind its phis, or NULL if a vector is among
// these.
static LLVMValueRef body_of(LLVMBasicBlockRef block) {
  LLVMValueRef x = LLVMGetFirstInstruction(block);
  for (; LLVMIsAPHINode(x); x = LLVMGetNextInstruction(x)) {
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind) return NULL;
  }
  return x;
}

static void hide_counter(Emit *e, LLVMValueRef phi, LLVMValueRef body) {
  LLVMValueRef step = step_of(phi);
  if (!step) return;
  Vec(LLVMValueRef) users = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    const bool stays = LLVMIsAPHINode(user) || LLVMIsAICmpInst(user);
    if (user != step && !stays) vec_push(e->arena, &users, user);
  }
  if (!users.count) return;
  LLVMPositionBuilderBefore(e->b, body);
  // LLVM moves a frozen phi out of the loop, but no frozen sum.
  LLVMValueRef none = LLVMConstNull(LLVMTypeOf(phi));
  LLVMValueRef sum = LLVMBuildAdd(e->b, phi, none, "");
  LLVMValueRef hidden = LLVMBuildFreeze(e->b, sum, "");
  for (size_t i = 0; i < users.count; i++) replace(users.items[i], phi, hidden);
}

// Strength reduction takes the addresses of a loop apart by its counter, if it
// knows it.  Its work pays in loops that carry vectors, such as those of
// products; in others, an access adds the counter to its address itself.
static void hide_counters(LLVMBasicBlockRef block, void *ctx) {
  LLVMValueRef body = body_of(block), x = LLVMGetFirstInstruction(block);
  for (; body && LLVMIsAPHINode(x); x = LLVMGetNextInstruction(x)) {
    hide_counter(ctx, x, body);
  }
}

void cut_addresses(Emit *e) {
  llvm_each_block(e->llvm.module, cut_addresses_of, e);
  llvm_each_block(e->llvm.module, hide_counters, e);
}
