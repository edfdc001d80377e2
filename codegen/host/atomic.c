// atomic.c -- atomic updates, one element after the other.
//
// Programs run on several threads, so these are real atomics.  Updates that
// hardware lacks (float max, narrow floats) are loops of compare-and-swap.
#include "codegen/host/nest.h"
#include "codegen/scalar/scalar.h"

static LLVMAtomicOrdering ordering(const Op *op) {
  switch ((Sem)op_int(op, ATTR_sem)) {
  case SEM_relaxed: return LLVMAtomicOrderingMonotonic;
  case SEM_acquire: return LLVMAtomicOrderingAcquire;
  case SEM_release: return LLVMAtomicOrderingRelease;
  case SEM_acq_rel: break;
  }
  return LLVMAtomicOrderingAcquireRelease;
}

static LLVMAtomicOrdering failure_ordering(LLVMAtomicOrdering success) {
  const bool acquires = success == LLVMAtomicOrderingAcquire ||
                        success == LLVMAtomicOrderingAcquireRelease;
  return acquires ? LLVMAtomicOrderingAcquire : LLVMAtomicOrderingMonotonic;
}

static LLVMTypeRef bits_type(Host *h, const Type *element) {
  return int_type(h->e, (int)emit_memory_bytes(element) * 8);
}

// `keeps`: the value is in the form of kept bits (host/bits.c).
static LLVMValueRef to_bits(Host *h, const Type *element, LLVMValueRef x,
                            bool keeps) {
  LLVMValueRef memory = host_to_memory(h, element, x, keeps);
  return LLVMBuildBitCast(h->b, memory, bits_type(h, element), "");
}

static LLVMValueRef from_bits(Host *h, const Type *element, LLVMValueRef x,
                              bool keeps) {
  LLVMValueRef memory =
      LLVMBuildBitCast(h->b, x, emit_memory_type(h->e, element), "");
  return host_from_memory(h, element, memory, keeps);
}

// Are an operand's bits, instead of its value, written or compared?
static bool takes_bits(const Op *op, int operand) {
  return host_writes_bits(op, operand) &&
         host_may_lose(op_operand(op, operand)->type);
}

static LLVMValueRef swap(Host *h, const Op *op, LLVMValueRef ptr,
                         LLVMValueRef expected, LLVMValueRef bits) {
  const LLVMAtomicOrdering order = ordering(op);
  return LLVMBuildAtomicCmpXchg(h->b, ptr, expected, bits, order,
                                failure_ordering(order), 0);
}

static LLVMValueRef updated(Host *h, Rmw kind, const Type *element,
                            LLVMValueRef old, LLVMValueRef value) {
  if (kind != RMW_fadd) {
    return scalar_extreme(h->e, kind == RMW_fmax, (LLVMValueRef[]){old, value});
  }
  LLVMValueRef sum = LLVMBuildFAdd(h->b, old, value, "");
  if (!elem_is_narrow(element->elem)) return sum;
  return convert_round(h->e, element->elem, sum, ROUNDING_rtne);
}

static LLVMValueRef update_loop(Host *h, const Op *op, const Type *element,
                                LLVMValueRef ptr, LLVMValueRef value) {
  LLVMTypeRef type = bits_type(h, element);
  LLVMValueRef first = LLVMBuildLoad2(h->b, type, ptr, "");
  LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
  LLVMSetAlignment(first, (unsigned)emit_memory_bytes(element));
  LLVMBasicBlockRef before = LLVMGetInsertBlock(h->b);
  LLVMBasicBlockRef again = host_block(h, "retry");
  LLVMBasicBlockRef done = host_block(h, "updated");
  LLVMBuildBr(h->b, again);
  LLVMPositionBuilderAtEnd(h->b, again);
  LLVMValueRef seen = LLVMBuildPhi(h->b, type, "");
  LLVMValueRef old = from_bits(h, element, seen, false);
  const bool keeps = host_keeps(h, op_result(op));
  LLVMValueRef result = keeps ? from_bits(h, element, seen, true) : old;
  LLVMValueRef next =
      updated(h, (Rmw)op_int(op, ATTR_kind), element, old, value);
  LLVMValueRef pair = swap(h, op, ptr, seen, to_bits(h, element, next, false));
  LLVMValueRef now = LLVMBuildExtractValue(h->b, pair, 0, "");
  LLVMValueRef ok = LLVMBuildExtractValue(h->b, pair, 1, "");
  LLVMBuildCondBr(h->b, ok, done, again);
  LLVMAddIncoming(seen, (LLVMValueRef[]){first, now},
                  (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(h->b)}, 2);
  LLVMPositionBuilderAtEnd(h->b, done);
  return result;
}

static LLVMAtomicRMWBinOp direct(Rmw kind) {
  switch (kind) {
  case RMW_add: return LLVMAtomicRMWBinOpAdd;
  case RMW_max: return LLVMAtomicRMWBinOpMax;
  case RMW_min: return LLVMAtomicRMWBinOpMin;
  case RMW_umax: return LLVMAtomicRMWBinOpUMax;
  case RMW_umin: return LLVMAtomicRMWBinOpUMin;
  case RMW_and: return LLVMAtomicRMWBinOpAnd;
  case RMW_or: return LLVMAtomicRMWBinOpOr;
  case RMW_xor: return LLVMAtomicRMWBinOpXor;
  default: return LLVMAtomicRMWBinOpXchg;
  }
}

// A load can only acquire, and a store only release.
static LLVMValueRef set_order(LLVMValueRef access, const Op *op,
                              const Type *element, LLVMAtomicOrdering order) {
  const bool relaxed = op_int(op, ATTR_sem) == SEM_relaxed;
  LLVMSetOrdering(access, relaxed ? LLVMAtomicOrderingMonotonic : order);
  LLVMSetAlignment(access, (unsigned)emit_memory_bytes(element));
  return access;
}

static LLVMValueRef read_only(Host *h, const Op *op, const Type *element,
                              LLVMValueRef ptr) {
  LLVMValueRef old =
      set_order(LLVMBuildLoad2(h->b, bits_type(h, element), ptr, ""), op,
                element, LLVMAtomicOrderingAcquire);
  return from_bits(h, element, old, host_keeps(h, op_result(op)));
}

static LLVMValueRef write_only(Host *h, const Op *op, const Type *element,
                               LLVMValueRef ptr, LLVMValueRef value) {
  LLVMValueRef bits = to_bits(h, element, value, false);
  set_order(LLVMBuildStore(h->b, bits, ptr), op, element,
            LLVMAtomicOrderingRelease);
  return from_bits(h, element, LLVMConstNull(LLVMTypeOf(bits)),
                   host_keeps(h, op_result(op)));
}

static LLVMValueRef update(Host *h, const Op *op, const Type *element,
                           LLVMValueRef ptr, LLVMValueRef const *x) {
  const Rmw kind = (Rmw)op_int(op, ATTR_kind);
  if (kind == RMW_load) return read_only(h, op, element, ptr);
  if (kind == RMW_store) return write_only(h, op, element, ptr, x[0]);
  if (kind == RMW_fadd || kind == RMW_fmax || kind == RMW_fmin) {
    return update_loop(h, op, element, ptr, x[0]);
  }
  LLVMValueRef bits = to_bits(h, element, x[0], false);
  LLVMValueRef old =
      LLVMBuildAtomicRMW(h->b, direct(kind), ptr, bits, ordering(op), 0);
  return from_bits(h, element, old, host_keeps(h, op_result(op)));
}

static LLVMValueRef compare_and_swap(Host *h, const Op *op, const Type *element,
                                     LLVMValueRef ptr, LLVMValueRef const *x) {
  const bool keeps = takes_bits(op, 1);
  LLVMValueRef pair = swap(h, op, ptr, to_bits(h, element, x[0], keeps),
                           to_bits(h, element, x[1], keeps));
  return from_bits(h, element, LLVMBuildExtractValue(h->b, pair, 0, ""),
                   host_keeps(h, op_result(op)));
}

// Returns the old value, in the form of the result.
typedef LLVMValueRef Act(Host *h, const Op *op, const Type *element,
                         LLVMValueRef ptr, LLVMValueRef const *x);

// Executes the act if the mask is on; the result is 0 otherwise.
static LLVMValueRef act_masked(Host *h, const Op *op, const Type *element,
                               LLVMValueRef ptr, LLVMValueRef const *x,
                               LLVMValueRef mask, Act *act) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(h->b);
  LLVMBasicBlockRef on = host_block(h, "on"), off = host_block(h, "off");
  LLVMBuildCondBr(h->b, mask, on, off);
  LLVMPositionBuilderAtEnd(h->b, on);
  LLVMValueRef old = act(h, op, element, ptr, x);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(h->b);
  LLVMBuildBr(h->b, off);
  LLVMPositionBuilderAtEnd(h->b, off);
  LLVMValueRef out = LLVMBuildPhi(h->b, LLVMTypeOf(old), "");
  LLVMAddIncoming(out, (LLVMValueRef[]){LLVMConstNull(LLVMTypeOf(old)), old},
                  (LLVMBasicBlockRef[]){before, from}, 2);
  return out;
}

static bool each_element(Host *h, const Op *op, const Value *mask_value,
                         int num_values, Act *act) {
  const Value *result = op_result(op);
  const Type *element = type_element(result->type);
  Nest nest = nest_begin(h, op);
  Index index = {.vec = -1, .lanes = 1};
  if (type_is_tile(result->type)) {
    nest_part(&nest, result->type, 1);
    index = nest_over(&nest, result->type, -1, 1);
  }
  LLVMValueRef x[2], mask = NULL;
  LLVMValueRef ptr = eval(&nest, op_operand(op, 0), &index);
  for (int i = 0; i < num_values; i++) {
    const bool bits = takes_bits(op, 1 + i);
    x[i] = eval_as(&nest, op_operand(op, 1 + i), &index, bits);
    if (!x[i]) return false;
  }
  if (mask_value) mask = eval(&nest, mask_value, &index);
  if (!ptr || (mask_value && !mask)) return false;
  nest_seek(&nest, nest.depth);
  LLVMValueRef old = mask ? act_masked(h, op, element, ptr, x, mask, act)
                          : act(h, op, element, ptr, x);
  nest_moved(&nest, nest.depth);
  if (type_is_tile(result->type)) {
    buffer_write(&nest, result, &index, old);
  } else {
    host_set_own(h, result, old);
  }
  nest_end(&nest);
  return true;
}

bool host_emit_atomic_rmw(Host *h, const Op *op) {
  return each_element(h, op, op_group(op, 2), 1, update);
}

bool host_emit_atomic_cas(Host *h, const Op *op) {
  return each_element(h, op, NULL, 2, compare_and_swap);
}
