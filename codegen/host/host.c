// host.c -- a kernel as a host function, and its operations one by one.
//
// All data of a program come as arguments: there are no globals, and the only
// external functions called are memcpy and memset.
#include "codegen/errors.h"
#include "codegen/host/nest.h"

#include <string.h>

static HostEmitter *const emitters[OP_COUNT] = {
#define HOST_OP(name) [OP_##name] = host_emit_##name,
#include "codegen/host/host.def"
};

// -- Simple operations -------------------------------------------------------

static bool emit_tile(Host *h, const Op *op);

bool host_emit_constant(Host *h, const Op *op) {
  const Value *result = op_result(op);
  if (type_is_tile(result->type)) return emit_tile(h, op);
  host_set(h, result, const_attr(h->e, result->type, op_attr(op, ATTR_value)));
  return true;
}

static LLVMValueRef load_axis(Host *h, LLVMValueRef triple, const Op *op) {
  LLVMValueRef axis = host_i64(h, op_int(op, ATTR_axis));
  LLVMTypeRef i32 = int_type(h->e, 32);
  LLVMValueRef at = LLVMBuildGEP2(h->b, i32, triple, &axis, 1, "");
  return LLVMBuildLoad2(h->b, i32, at, "");
}

bool host_emit_program_id(Host *h, const Op *op) {
  host_set(h, op_result(op), load_axis(h, h->program, op));
  return true;
}

bool host_emit_num_programs(Host *h, const Op *op) {
  host_set(h, op_result(op), load_axis(h, h->grid, op));
  return true;
}

bool host_emit_assume(Host *h, const Op *op) {
  (void)h, (void)op;
  return true;
}

// One thread runs a program, so its accesses are ordered without a barrier.
bool host_emit_barrier(Host *h, const Op *op) {
  (void)h, (void)op;
  return true;
}

static bool emit_scalar(Host *h, const Op *op) {
  LLVMValueRef x[3];
  for (int i = 0; i < op->num_operands; i++) {
    const Value *operand = op_operand(op, i);
    x[i] = host_takes_bits(h, op, i) ? host_bits(h, operand)
                                     : host_scalar(h, operand);
  }
  LLVMValueRef out = host_elementwise(h, op, x);
  if (!out) return false;
  host_set_own(h, op_result(op), out);
  return true;
}

// -- Tiles -------------------------------------------------------------------

static bool emit_tile(Host *h, const Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    const Value *result = &op->results[i];
    const Placement *place = host_place(h, result);
    if (!place->buffer || place->fill) continue;
    if (!host_fill(h, op, result, result)) return false;
  }
  return true;
}

static bool emits_tiles(OpKind kind) {
  switch (kind) {
  case OP_arange:
  case OP_splat:
  case OP_broadcast:
  case OP_expand_dims:
  case OP_reshape:
  case OP_trans:
  case OP_split:
  case OP_gather:
  case OP_minmaxsi:
  case OP_convert_layout: return true;
  default: return false;
  }
}

bool host_lower_op(Host *h, const Op *op) {
  if (op->num_results == 1 && host_place(h, op_result(op))->packed) {
    return product_take(h, op);
  }
  if (emitters[op->kind]) return emitters[op->kind](h, op);
  const bool tile = op->num_results && type_is_tile(op->results[0].type);
  const bool known = op_has(op, TRAIT_ELEMENTWISE) || emits_tiles(op->kind) ||
                     op->kind == OP_hint;
  if (known) return tile ? emit_tile(h, op) : emit_scalar(h, op);
  if (op_has(op, TRAIT_TERMINATOR)) return true;
  return diag_error(h->e->diags, op->loc, ERROR_host_op, op_info[op->kind].name,
                    h->e->target->name);
}

bool host_lower_block(Host *h, const Block *block) {
  count_block(h, block);
  for (const Op *op = block->first; op; op = op->next) {
    const CountMark before = count_mark(h);
    if (!host_lower_op(h, op)) return false;
    count_op(h, op, before);
  }
  return true;
}

// -- The function ------------------------------------------------------------

static void add_attribute(Host *h, unsigned at, const char *name) {
  LLVMAddAttributeAtIndex(h->function, at, emit_attribute(h->e, name));
}

// The address of the scratch memory is odd if an earlier call has left its
// contents: see HostKernelFn.
static void take_scratch(Host *h) {
  LLVMTypeRef i64 = int_type(h->e, 64);
  LLVMValueRef bits = LLVMBuildPtrToInt(h->b, h->scratch, i64, "");
  h->again = LLVMBuildTrunc(h->b, bits, int_type(h->e, 1), "");
  LLVMValueRef by = LLVMBuildZExt(h->b, h->again, i64, "");
  by = LLVMBuildNeg(h->b, by, "");
  h->scratch = emit_byte_at(h->e, h->scratch, by);
}

static void make_function(Host *h, const char *symbol) {
  LLVMContextRef context = h->e->llvm.context;
  LLVMTypeRef ptr = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef params[] = {ptr, ptr, ptr, ptr};
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(context), params, 4, 0);
  h->function = LLVMAddFunction(h->e->llvm.module, symbol, type);
  emit_function_attributes(h->e, h->function);
  // No other code accesses the scratch memory, and the launch outlives the
  // rest.
  for (unsigned i = 1; i <= 4; i++) add_attribute(h, i, "noalias");
  for (unsigned i = 1; i <= 3; i++) add_attribute(h, i, "readonly");
  h->program = LLVMGetParam(h->function, 1);
  h->grid = LLVMGetParam(h->function, 2);
  h->scratch = LLVMGetParam(h->function, 3);
  LLVMPositionBuilderAtEnd(h->b, host_block(h, "entry"));
  if (h->reuses.count) take_scratch(h);
}

static bool load_argument(Host *h, int i) {
  const Value *arg = &h->f->body->args[i];
  if (arg->type->kind != TYPE_SCALAR && arg->type->kind != TYPE_POINTER) {
    return diag_error(h->e->diags, h->f->loc, ERROR_host_parameter,
                      type_text(arg->type, h->e->arena), h->e->target->name);
  }
  LLVMValueRef slot = host_i64(h, i);
  LLVMValueRef at = LLVMBuildGEP2(h->b, int_type(h->e, 64),
                                  LLVMGetParam(h->function, 0), &slot, 1, "");
  LLVMTypeRef type = emit_memory_type(h->e, arg->type);
  LLVMValueRef memory = LLVMBuildLoad2(h->b, type, at, "");
  host_set_own(h, arg,
               host_from_memory(h, arg->type, memory, host_keeps(h, arg)));
  return true;
}

// A kernel that prints, asserts, counts, or reads the clock or its processor
// has one more parameter.
static void add_hooks(Host *h, KernelInfo *out) {
  bool used = h->counts != NULL;
  for (size_t i = 0; i < h->order.count; i++) {
    const OpKind kind = h->order.items[i]->kind;
    used |= kind == OP_device_print || kind == OP_device_assert ||
            kind == OP_inline_asm_effects;
  }
  if (!used) return;
  const int n = out->num_params++;
  KernelParam *params = arena_array(h->e->arena, KernelParam, n + 1);
  for (int i = 0; i < n; i++) params[i] = out->params[i];
  params[n] = (KernelParam){
      .rule = PARAM_HOOKS, .size = sizeof(void *), .align = sizeof(void *)};
  out->params = params;
}

static bool takes_promises(const Host *h) {
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    if (op->kind == OP_hint && !hint_is_sure(op)) return true;
  }
  return false;
}

static void find_packed(Host *h) {
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    if (product_wants(h, op)) host_place(h, op_result(op))->packed = true;
  }
}

bool host_emit_function(Emit *e, const Function *f, KernelInfo *out) {
  Host *h = arena_new(e->arena, Host);
  *h = (Host){.e = e, .b = e->b, .f = f};
  count_prepare(h);
  if (!host_plan(h)) return false;
  reuse_find(h);
  find_packed(h);
  plan_offsets(h);
  h->promised = takes_promises(h);
  make_function(h, out->symbol);
  for (int i = 0; i < f->body->num_args; i++) {
    if (!load_argument(h, i)) return false;
  }
  count_begin(h);
  stream_begin(h);
  if (!host_lower_block(h, f->body)) return false;
  stream_end(h);
  count_end(h);
  LLVMBuildRetVoid(h->b);
  host_share_parts(h);
  out->scratch_bytes = h->scratch_bytes;
  out->keeps_scratch = h->reuses.count > 0;
  add_hooks(h, out);
  return true;
}
