// outline.c -- parts of a kernel become functions of their own.
//
// A part is entered only at its first block, and left only at its end.
#include "codegen/host/nest.h"

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

LLVMValueRef host_part_function(Host *h, LLVMTypeRef result,
                                LLVMTypeRef *params, int num_params) {
  Emit *e = h->e;
  LLVMTypeRef type =
      LLVMFunctionType(result, params, (unsigned)num_params, false);
  LLVMValueRef function = LLVMAddFunction(e->llvm.module, "part", type);
  emit_function_attributes(e, function);
  LLVMAddAttributeAtIndex(function, (unsigned)LLVMAttributeFunctionIndex,
                          emit_attribute(e, "noinline"));
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMSetUnnamedAddress(function, LLVMGlobalUnnamedAddr);
  LLVMSetFunctionCallConv(function, LLVMFastCallConv);
  return function;
}

static void make_function(Outline *o, LLVMTypeRef result) {
  const size_t count = o->inputs.count;
  LLVMTypeRef *types = arena_array(o->h->e->arena, LLVMTypeRef, count);
  for (size_t i = 0; i < count; i++) types[i] = LLVMTypeOf(o->inputs.items[i]);
  o->function = host_part_function(o->h, result, types, (int)count);
}

static void move_blocks(Outline *o) {
  for (size_t i = 0; i < o->blocks.count; i++) {
    LLVMRemoveBasicBlockFromParent(o->blocks.items[i]);
    LLVMAppendExistingBasicBlock(o->function, o->blocks.items[i]);
  }
}

LLVMValueRef host_part_call(Host *h, LLVMValueRef function, LLVMValueRef *args,
                            int num_args) {
  LLVMValueRef call = LLVMBuildCall2(h->b, LLVMGlobalGetValueType(function),
                                     function, args, (unsigned)num_args, "");
  LLVMSetInstructionCallConv(call, LLVMFastCallConv);
  return call;
}

// Ends the part with its results; returns their type.
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
  LLVMValueRef call =
      host_part_call(h, o.function, o.inputs.items, (int)o.inputs.count);
  vec_push(h->e->arena, &h->parts, ((Outlined){o.function, call}));
  for (int i = 0; i < num_results; i++)
    *results[i] = LLVMBuildExtractValue(h->b, call, (unsigned)i, "");
}
