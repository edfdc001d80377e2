// outline.c -- parts of a kernel become functions of their own.
//
// Nothing leads into a part but to its first block, and nothing leads out.
#include "codegen/host/outline.h"

typedef struct {
  Host *h;
  Vec(LLVMBasicBlockRef) blocks;
  Map inside;               // block to itself
  Vec(LLVMValueRef) inputs; // from outside
  Map numbers;              // input to its number, from 1
  LLVMValueRef function;
} Outline;

static void add_block(Outline *o, LLVMBasicBlockRef block) {
  if (map_get(&o->inside, block)) return;
  map_put(&o->inside, o->h->e->arena, block, block);
  vec_push(o->h->e->arena, &o->blocks, block);
}

static void find_blocks(Outline *o, LLVMBasicBlockRef first) {
  add_block(o, first);
  for (size_t i = 0; i < o->blocks.count; i++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(o->blocks.items[i]);
    const unsigned count = end ? LLVMGetNumSuccessors(end) : 0;
    for (unsigned k = 0; k < count; k++) add_block(o, LLVMGetSuccessor(end, k));
  }
}

static bool is_inside(const Outline *o, LLVMValueRef x) {
  return LLVMIsAInstruction(x) &&
         map_get(&o->inside, LLVMGetInstructionParent(x));
}

static void add_input(Outline *o, LLVMValueRef x) {
  const bool varies = LLVMIsAInstruction(x) || LLVMIsAArgument(x);
  if (!varies || is_inside(o, x) || map_get(&o->numbers, x)) return;
  vec_push(o->h->e->arena, &o->inputs, x);
  map_put(&o->numbers, o->h->e->arena, x, (void *)(uintptr_t)o->inputs.count);
}

static void replace_input(Outline *o, LLVMValueRef user, unsigned operand) {
  LLVMValueRef x = LLVMGetOperand(user, operand);
  const uintptr_t number = (uintptr_t)map_get(&o->numbers, x);
  if (!number) return;
  LLVMSetOperand(user, operand,
                 LLVMGetParam(o->function, (unsigned)number - 1));
}

typedef void OnOperand(Outline *o, LLVMValueRef user, unsigned operand);

static void find_input(Outline *o, LLVMValueRef user, unsigned operand) {
  add_input(o, LLVMGetOperand(user, operand));
}

static void for_each_operand(Outline *o, OnOperand *on_operand) {
  for (size_t i = 0; i < o->blocks.count; i++)
    for (LLVMValueRef x = LLVMGetFirstInstruction(o->blocks.items[i]); x;
         x = LLVMGetNextInstruction(x))
      for (int k = 0; k < LLVMGetNumOperands(x); k++)
        on_operand(o, x, (unsigned)k);
}

static void make_function(Outline *o, LLVMTypeRef result) {
  Emit *e = o->h->e;
  const size_t count = o->inputs.count;
  LLVMTypeRef *types = arena_array(e->arena, LLVMTypeRef, count);
  for (size_t i = 0; i < count; i++) types[i] = LLVMTypeOf(o->inputs.items[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, (unsigned)count, false);
  o->function = LLVMAddFunction(e->llvm.module, "part", type);
  emit_function_attributes(e, o->function);
  LLVMAddAttributeAtIndex(o->function, (unsigned)LLVMAttributeFunctionIndex,
                          emit_attribute(e, "noinline"));
  LLVMSetLinkage(o->function, LLVMInternalLinkage);
  LLVMSetUnnamedAddress(o->function, LLVMGlobalUnnamedAddr);
  LLVMSetFunctionCallConv(o->function, LLVMFastCallConv);
}

static void move_blocks(Outline *o) {
  for (size_t i = 0; i < o->blocks.count; i++) {
    LLVMRemoveBasicBlockFromParent(o->blocks.items[i]);
    LLVMAppendExistingBasicBlock(o->function, o->blocks.items[i]);
  }
}

static LLVMValueRef build_call(Outline *o) {
  LLVMBuilderRef b = o->h->b;
  LLVMValueRef call =
      LLVMBuildCall2(b, LLVMGlobalGetValueType(o->function), o->function,
                     o->inputs.items, (unsigned)o->inputs.count, "");
  LLVMSetInstructionCallConv(call, LLVMFastCallConv);
  return call;
}

// Returns the type of what the part ends with.
static LLVMTypeRef build_return(Host *h, LLVMBasicBlockRef last,
                                LLVMValueRef *const *results, int num_results) {
  LLVMTypeRef *types = arena_array(h->e->arena, LLVMTypeRef, num_results);
  for (int i = 0; i < num_results; i++) types[i] = LLVMTypeOf(*results[i]);
  LLVMTypeRef type = LLVMStructTypeInContext(h->e->llvm.context, types,
                                             (unsigned)num_results, false);
  LLVMPositionBuilderAtEnd(h->b, last);
  LLVMValueRef all = LLVMGetPoison(type);
  for (int i = 0; i < num_results; i++)
    all = LLVMBuildInsertValue(h->b, all, *results[i], (unsigned)i, "");
  LLVMBuildRet(h->b, all);
  return type;
}

void host_outline(Host *h, const Part *part, LLVMBasicBlockRef caller,
                  LLVMValueRef **results, int num_results) {
  Outline o = {.h = h};
  h->e->has_parts = true;
  LLVMTypeRef type = build_return(h, part->last, results, num_results);
  find_blocks(&o, part->first);
  for_each_operand(&o, find_input);
  make_function(&o, type);
  move_blocks(&o);
  for_each_operand(&o, replace_input);
  LLVMPositionBuilderAtEnd(h->b, caller);
  LLVMValueRef call = build_call(&o);
  for (int i = 0; i < num_results; i++)
    *results[i] = LLVMBuildExtractValue(h->b, call, (unsigned)i, "");
}
