// debug.c -- device_print, device_assert, counters, the clock and the
// processor's number on the host, as calls of hooks.
//
// The hooks are a machine parameter after the kernel's own.
#include "ir/assembly.h"
#include "ir/debug_text.h"

#include "codegen/errors.h"
#include "codegen/host/nest.h"

#include <string.h>

enum { MAX_SLOTS = 3 + MAX_RANK + 1 };

// A member of the HostHooks: a function or its context.
static LLVMValueRef load_hook(Host *h, int member) {
  LLVMTypeRef ptr = LLVMPointerTypeInContext(h->e->llvm.context, 0);
  LLVMValueRef slot = host_i64(h, h->f->body->num_args);
  LLVMValueRef at = LLVMBuildGEP2(h->b, int_type(h->e, 64),
                                  LLVMGetParam(h->function, 0), &slot, 1, "");
  LLVMValueRef hooks = LLVMBuildLoad2(h->b, ptr, at, "");
  LLVMValueRef index = host_i64(h, member);
  return LLVMBuildLoad2(h->b, ptr,
                        LLVMBuildGEP2(h->b, ptr, hooks, &index, 1, ""), "");
}

enum {
  HOOK_PRINT,
  HOOK_FAIL,
  HOOK_CONTEXT,
  HOOK_CLOCK,
  HOOK_WORKER,
  HOOK_COUNT,
  HOOK_READ
};

static LLVMValueRef call_hook_for(Host *h, int member, LLVMTypeRef result,
                                  LLVMValueRef *args, int count) {
  LLVMTypeRef types[4];
  LLVMValueRef function = load_hook(h, member);
  args[0] = load_hook(h, HOOK_CONTEXT);
  for (int i = 0; i < count; i++) types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, (unsigned)count, false);
  return LLVMBuildCall2(h->b, type, function, args, (unsigned)count, "");
}

static void call_hook(Host *h, int member, LLVMValueRef *args, int count) {
  call_hook_for(h, member, LLVMVoidTypeInContext(h->e->llvm.context), args,
                count);
}

// -- device_print ------------------------------------------------------------

static void put_slot(Host *h, LLVMValueRef slots, int number, LLVMValueRef x) {
  LLVMTypeRef i64 = int_type(h->e, 64), type = LLVMTypeOf(x);
  LLVMValueRef at = host_i64(h, number);
  at = LLVMBuildGEP2(h->b, i64, slots, &at, 1, "");
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
    x = LLVMBuildZExtOrBitCast(h->b, x, i64, "");
  LLVMBuildStore(h->b, x, at);
}

static int put_program(Host *h, LLVMValueRef slots) {
  LLVMTypeRef i32 = int_type(h->e, 32);
  for (int i = 0; i < 3; i++) {
    LLVMValueRef at = host_i64(h, i);
    at = LLVMBuildGEP2(h->b, i32, h->program, &at, 1, "");
    put_slot(h, slots, i, LLVMBuildLoad2(h->b, i32, at, ""));
  }
  return 3;
}

static void print_line(Host *h, const Op *op, int operand, LLVMValueRef slots) {
  LLVMValueRef args[] = {NULL, debug_format_text(h->e, op, operand), slots};
  call_hook(h, HOOK_PRINT, args, 3);
}

static bool print_operand(Host *h, const Op *op, int operand,
                          LLVMValueRef slots) {
  const Value *value = op_operand(op, operand);
  const Type *type = value->type;
  Nest nest = nest_begin(h, op);
  Index index = {.vec = -1, .lanes = 1};
  if (type_is_tile(type)) index = nest_over(&nest, type, -1, 1);
  LLVMValueRef x = eval(&nest, value, &index);
  if (!x) return false;
  nest_seek(&nest, nest.depth);
  int n = put_program(h, slots);
  for (int i = 0; type_is_tile(type) && i < type->rank; i++) {
    put_slot(h, slots, n++, index.at[i].at);
  }
  put_slot(h, slots, n, debug_value(h->e, op, operand, x));
  print_line(h, op, operand, slots);
  nest_end(&nest);
  return true;
}

bool host_emit_device_print(Host *h, const Op *op) {
  LLVMValueRef slots = host_spare(h, MAX_SLOTS * sizeof(uint64_t));
  for (int i = 0; i < op->num_operands; i++) {
    if (!print_operand(h, op, i, slots)) return false;
  }
  if (op->num_operands) return true;
  put_program(h, slots);
  print_line(h, op, 0, slots);
  return true;
}

// -- device_assert -----------------------------------------------------------

// Returns from the function if `fine` is false.
static void check(Nest *nest, const Op *op, LLVMValueRef fine,
                  LLVMValueRef element) {
  Host *h = nest->h;
  LLVMBasicBlockRef bad = host_block(h, "failed"), good = host_block(h, "fine");
  LLVMBuildCondBr(h->b, fine, good, bad);
  LLVMPositionBuilderAtEnd(h->b, bad);
  LLVMValueRef text = debug_text(h->e, debug_assert_text(h->e->arena, op));
  LLVMValueRef args[] = {NULL, text, h->program, element};
  call_hook(h, HOOK_FAIL, args, 4);
  LLVMBuildRetVoid(h->b);
  LLVMPositionBuilderAtEnd(h->b, good);
  nest_moved(nest, nest->depth);
}

bool host_emit_device_assert(Host *h, const Op *op) {
  const Value *condition = op_operand(op, 0), *mask = op_group(op, 1);
  const Type *type = condition->type;
  Nest nest = nest_begin(h, op);
  Index index = {.vec = -1, .lanes = 1};
  if (type_is_tile(type)) index = nest_over(&nest, type, -1, 1);
  LLVMValueRef fine = eval(&nest, condition, &index);
  LLVMValueRef on = mask && fine ? eval(&nest, mask, &index) : NULL;
  if (!fine || (mask && !on)) return false;
  nest_seek(&nest, nest.depth);
  if (on) fine = LLVMBuildOr(h->b, fine, LLVMBuildNot(h->b, on, ""), "");
  check(&nest, op, fine,
        type_is_tile(type) ? index_linear(&nest, &index, type)
                           : host_i64(h, 0));
  nest_end(&nest);
  return true;
}

// -- Counters ----------------------------------------------------------------

void debug_tell_counts(Host *h, const char *table, LLVMValueRef counters) {
  LLVMValueRef args[] = {NULL, debug_text(h->e, table), counters};
  call_hook(h, HOOK_COUNT, args, 3);
}

void debug_read_events(Host *h, LLVMValueRef counters) {
  LLVMValueRef args[] = {NULL, counters};
  call_hook(h, HOOK_READ, args, 2);
}

// -- Registers ---------------------------------------------------------------

// The frontend has replaced all other assembly by operations.
bool host_emit_inline_asm_effects(Host *h, const Op *op) {
  const char *text = op_attr(op, ATTR_assembly)->as.s;
  const bool is_clock = !strcmp(text, ASSEMBLY_CLOCK);
  if (!is_clock && strcmp(text, ASSEMBLY_PROCESSOR))
    return diag_error(h->e->diags, op->loc, ERROR_host_op,
                      op_info[op->kind].name, h->e->target->name);
  LLVMValueRef args[1];
  LLVMValueRef x = call_hook_for(h, is_clock ? HOOK_CLOCK : HOOK_WORKER,
                                 int_type(h->e, is_clock ? 64 : 32), args, 1);
  host_set(h, op_result(op), x);
  return true;
}
