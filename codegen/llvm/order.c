// order.c -- moves the operands of an instruction directly before it.
//
// Ops are emitted one after the other, each for all elements of a tile.  ptxas
// keeps each step of a long computation live for all elements, even if it must
// spill.  Here instructions with effects keep their order: in a long block,
// these, and values that are used elsewhere, stay in order, and their operands
// are moved to them.
#include "codegen/llvm/order.h"

#include "ir/base/base.h"

#include <string.h>

enum { LONG = 1280 }; // computing instructions of a block

static const LLVMAttributeIndex of_function =
    (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

typedef Vec(LLVMValueRef) LlvmValues;

typedef struct {
  Emit *e;
  LLVMBasicBlockRef block;
  Map placed;
  LlvmValues order, todo;
} Ordering;

// The attribute of the call itself or of the called function.
static LLVMAttributeRef attribute_of(LLVMValueRef call, const char *name) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  LLVMAttributeRef found = LLVMGetCallSiteEnumAttribute(
      call, of_function, llvm_attribute_kind(name));
  if (found || !LLVMIsAFunction(callee)) return found;
  return LLVMGetEnumAttributeAtIndex(callee, of_function,
                                     llvm_attribute_kind(name));
}

static bool is_pure_call(LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (attribute_of(call, "convergent")) return false;
  if (LLVMIsAInlineAsm(callee)) return !LLVMGetInlineAsmHasSideEffects(callee);
  LLVMAttributeRef memory = attribute_of(call, "memory");
  return memory && !LLVMGetEnumAttributeValue(memory);
}

static bool only_computes(LLVMValueRef x) {
  if (LLVMIsACallInst(x)) return is_pure_call(x);
  return LLVMIsABinaryOperator(x) || LLVMIsACastInst(x) || LLVMIsACmpInst(x) ||
         LLVMIsASelectInst(x) || LLVMIsAUnaryOperator(x) ||
         LLVMIsAExtractValueInst(x) || LLVMIsAInsertElementInst(x) ||
         LLVMIsAExtractElementInst(x) || LLVMIsAGetElementPtrInst(x) ||
         LLVMIsAFreezeInst(x) || LLVMIsAShuffleVectorInst(x);
}

static bool is_needed_here_alone(const Ordering *o, LLVMValueRef x) {
  LLVMUseRef use = LLVMGetFirstUse(x);
  bool alone = use != NULL;
  for (; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    alone &=
        !LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) == o->block;
  }
  return alone;
}

static bool is_open(const Ordering *o, LLVMValueRef x) {
  return LLVMIsAInstruction(x) && !LLVMIsAPHINode(x) &&
         LLVMGetInstructionParent(x) == o->block && !map_get(&o->placed, x);
}

// Places the last pending instruction when all its operands have a place.
static void place_last(Ordering *o) {
  LLVMValueRef x = o->todo.items[o->todo.count - 1];
  const size_t count = o->todo.count;
  for (int i = LLVMGetNumOperands(x) - 1; i >= 0; i--) {
    LLVMValueRef operand = LLVMGetOperand(x, (unsigned)i);
    if (is_open(o, operand)) vec_push(o->e->arena, &o->todo, operand);
  }
  if (o->todo.count > count) return;
  o->todo.count--;
  if (map_get(&o->placed, x)) return;
  map_put(&o->placed, o->e->arena, x, x);
  vec_push(o->e->arena, &o->order, x);
}

static void order_block(Ordering *o) {
  for (LLVMValueRef x = LLVMGetFirstInstruction(o->block); x;
       x = LLVMGetNextInstruction(x)) {
    if (LLVMIsAPHINode(x) || (only_computes(x) && is_needed_here_alone(o, x)))
      continue;
    vec_push(o->e->arena, &o->todo, x);
    while (o->todo.count) place_last(o);
  }
  LLVMPositionBuilderAtEnd(o->e->b, o->block);
  for (size_t i = 0; i < o->order.count; i++) {
    LLVMInstructionRemoveFromParent(o->order.items[i]);
    LLVMInsertIntoBuilder(o->e->b, o->order.items[i]);
  }
}

static bool is_long(LLVMBasicBlockRef block) {
  int count = 0;
  for (LLVMValueRef x = LLVMGetFirstInstruction(block); x;
       x = LLVMGetNextInstruction(x))
    count += only_computes(x);
  return count >= LONG;
}

void order_by_need(Emit *e) {
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  for (size_t i = 0; i < e->to_order.count; i++) {
    LLVMValueRef f = e->to_order.items[i];
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
         block = LLVMGetNextBasicBlock(block)) {
      Ordering o = {.e = e, .block = block};
      if (is_long(block)) order_block(&o);
    }
  }
}
