// stream.c -- stores that bypass the caches.
//
// A tensor that a launch writes and never reads is not fetched into the caches
// first, if the launch accesses more memory than they hold.  Each program
// computes this from the grid and its trips.  Stores that bypass the caches are
// not ordered with others, so the program ends with a fence; a kernel with
// atomics, which may tell other programs that a value was stored, has no such
// stores.
#include "codegen/host/nest.h"

enum { MUCH = 1 << 25 }; // bytes of a launch

// The argument from which addresses are computed; NULL: unknown.
static const Value *argument_of(const Host *h, const Value *pointers) {
  while (pointers->def) {
    switch (pointers->def->kind) {
    case OP_addptr:
    case OP_splat:
    case OP_broadcast:
    case OP_expand_dims:
    case OP_convert_layout:
    case OP_hint: pointers = op_operand(pointers->def, 0); break;
    default: return NULL;
    }
  }
  return pointers->block == h->f->body ? pointers : NULL;
}

static bool is_read(const Host *h, const Value *argument) {
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    if (op->kind != OP_load) continue;
    const Value *from = argument_of(h, op_operand(op, 0));
    if (!from || from == argument) return true;
  }
  return false;
}

// May the store go past the caches: does it write one run, of memory that no
// load reads?
static bool may_pass(const Host *h, const Op *store) {
  const Value *pointers = op_operand(store, 0);
  if (!is_one_run(pointers) || run_bytes(store) < LINE_BYTES) return false;
  const Value *argument = argument_of(h, pointers);
  return argument && !is_read(h, argument);
}

static bool forbids(const Op *op) {
  switch (op->kind) {
  case OP_load_block:
  case OP_load_desc:
  case OP_atomic_rmw:
  case OP_atomic_cas:
  case OP_device_assert:
  case OP_device_print:
  case OP_inline_asm_effects: return true;
  default: return false;
  }
}

static bool is_allowed(const Host *h) {
  for (size_t i = 0; i < h->order.count; i++) {
    if (forbids(h->order.items[i])) return false;
  }
  return h->e->llvm.is_x86 && h->writes.count <= MANY_WRITES;
}

// Bytes of the runs that a block's own loads and stores move once.
static int64_t bytes_of(const Host *h, const Block *block) {
  int64_t bytes = 0;
  for (const Op *op = block->first; op; op = op->next) {
    const bool counts =
        op->kind == OP_store
            ? may_pass(h, op)
            : op->kind == OP_load && is_one_run(op_operand(op, 0));
    if (counts) bytes += run_bytes(op);
  }
  return bytes;
}

// Does the grid move much, if each program moves `bytes` bytes `times` times?
static LLVMValueRef is_much(Host *h, int64_t bytes, LLVMValueRef times) {
  LLVMTypeRef i32 = int_type(h->e, 32), i64 = int_type(h->e, 64);
  LLVMValueRef total = LLVMBuildMul(h->b, host_i64(h, bytes), times, "");
  for (int axis = 0; axis < 3; axis++) {
    LLVMValueRef at = host_i64(h, axis);
    at = LLVMBuildGEP2(h->b, i32, h->grid, &at, 1, "");
    LLVMValueRef size = LLVMBuildLoad2(h->b, i32, at, "");
    size = LLVMBuildZExt(h->b, size, i64, "");
    total = LLVMBuildMul(h->b, total, size, "");
  }
  return LLVMBuildICmp(h->b, LLVMIntUGE, total, host_i64(h, MUCH), "");
}

void stream_begin(Host *h) {
  h->may_stream = !h->e->options.quick && is_allowed(h);
}

LLVMValueRef stream_past(Host *h, const Op *store) {
  const Op *loop = h->trips.loop;
  const Block *body = h->f->body;
  if (!h->may_stream || !may_pass(h, store)) return NULL;
  if (store->block == body) {
    if (!h->streams) h->streams = is_much(h, bytes_of(h, body), host_i64(h, 1));
    return h->streams;
  }
  if (!loop || store->block != loop->regions[0] || loop->block != body) {
    return NULL;
  }
  h->may_fence = true;
  LLVMValueRef times =
      LLVMBuildZExtOrBitCast(h->b, h->trips.count, int_type(h->e, 64), "");
  return is_much(h, bytes_of(h, store->block), times);
}

LLVMValueRef stream_from(Host *h, LLVMValueRef past, LLVMValueRef first) {
  LLVMValueRef rest =
      LLVMBuildAnd(h->b, first, host_i64(h, LINE_BYTES - 1), "");
  LLVMValueRef aligned =
      LLVMBuildICmp(h->b, LLVMIntEQ, rest, host_i64(h, 0), "");
  return LLVMBuildAnd(h->b, past, aligned, "");
}

static void fence(Host *h) {
  llvm_call(&h->e->llvm, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
}

void stream_end(Host *h) {
  if (h->may_fence) fence(h);
  if (h->may_fence || !h->streams) return;
  LLVMBasicBlockRef some = host_block(h, "fence"), done = host_block(h, "done");
  LLVMBuildCondBr(h->b, h->streams, some, done);
  LLVMPositionBuilderAtEnd(h->b, some);
  fence(h);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
}
