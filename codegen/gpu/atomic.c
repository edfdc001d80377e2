// atomic.c -- atomic updates, as PTX assembly.
//
// LLVM's atomic instructions lose their ordering and scope on this target.  If
// several threads hold an element, one does the update; the others get the old
// value through shared memory.  A releasing update waits for earlier writes of
// the program's other threads; an acquiring one makes them wait.
//
// For example, for 64 counters and 128 threads, threads 0 to 63 execute `@%p
// atom.acq_rel.gpu.global.add.u32` between two barriers, and store the old
// values to shared memory, from which all threads load theirs.
#include "codegen/gpu/simt.h"
#include "codegen/scalar/scalar.h"

#include <math.h>

static const char *const rmw_ops[] = {
#define RMW(kind, text) [RMW_##kind] = text,
#include "codegen/gpu/rmw.def"
};

typedef struct {
  Simt *s;
  const Op *op;
  const Type *element;
  const Layout *layout; // NULL: a scalar
  int bits, count;
  const char *name; // "add.u32"
  LLVMValueRef owner;
  LLVMValueRef *out;
} Atomic;

// The value, converted for the instruction's register.
static LLVMValueRef to_operand(const Atomic *x, LLVMValueRef value) {
  LLVMValueRef memory = convert_store(x->s->e, x->element, value);
  return LLVMBuildBitCast(x->s->b, memory, int_type(x->s->e, x->bits), "");
}

static LLVMValueRef from_operand(const Atomic *x, LLVMValueRef bits) {
  LLVMTypeRef type = emit_memory_type(x->s->e, x->element);
  LLVMValueRef memory = LLVMBuildBitCast(x->s->b, bits, type, "");
  return convert_load(x->s->e, x->element, memory);
}

// The constraint letter and the type of a register for a value of x->bits; 8
// bits need a register of 16.
static char access_register(const Atomic *x, LLVMTypeRef *type) {
  *type = int_type(x->s->e, x->bits < 16 ? 16 : x->bits);
  return x->bits == 64 ? 'l' : x->bits == 32 ? 'r' : 'h';
}

// $0 is the old value, or 0 if the predicate is off; $1 the predicate, $2 the
// address.
static LLVMValueRef run_one(const Atomic *x, LLVMValueRef mask,
                            LLVMValueRef address, int num_values,
                            LLVMValueRef const *values) {
  Simt *s = x->s;
  LLVMTypeRef type;
  const char letter = access_register(x, &type);
  LLVMValueRef args[5] = {mask ? mask : const_int(int_type(s->e, 1), 1),
                          address};
  for (int i = 0; i < num_values; i++) args[2 + i] = values[i];
  args[2 + num_values] = const_int(type, 0);
  const char *text =
      arena_printf(s->e->arena, "@$1 atom.%s.%s.global.%s $0, [$2], $3%s;",
                   simt_word(x->op, ATTR_sem), simt_word(x->op, ATTR_scope),
                   x->name, num_values > 1 ? ", $4" : "");
  const char *values_text =
      num_values > 1 ? arena_printf(s->e->arena, "%c,%c", letter, letter)
                     : arena_printf(s->e->arena, "%c", letter);
  const char *constraints =
      arena_printf(s->e->arena, "=%c,b,l,%s,0", letter, values_text);
  return nvptx_asm(s, text, constraints, type, 3 + num_values, args, true);
}

// A load can only acquire, and a store only release.
static const char *half_sem(const Atomic *x, const char *whole) {
  const bool relaxed = op_int(x->op, ATTR_sem) == SEM_relaxed;
  return relaxed ? "relaxed" : whole;
}

static LLVMValueRef run_load(const Atomic *x, LLVMValueRef mask,
                             LLVMValueRef address) {
  Simt *s = x->s;
  LLVMTypeRef type;
  const char letter = access_register(x, &type);
  const char *text = arena_printf(
      s->e->arena, "@$1 ld.%s.%s.global.b%d $0, [$2];", half_sem(x, "acquire"),
      simt_word(x->op, ATTR_scope), x->bits);
  LLVMValueRef args[] = {mask, address, const_int(type, 0)};
  LLVMValueRef old =
      nvptx_asm(s, text, arena_printf(s->e->arena, "=%c,b,l,0", letter), type,
                3, args, true);
  return LLVMBuildTrunc(s->b, old, int_type(s->e, x->bits), "");
}

static LLVMValueRef run_store(const Atomic *x, LLVMValueRef mask,
                              LLVMValueRef address, LLVMValueRef bits) {
  Simt *s = x->s;
  LLVMTypeRef type;
  const char letter = access_register(x, &type);
  const char *text = arena_printf(
      s->e->arena, "@$0 st.%s.%s.global.b%d [$1], $2;", half_sem(x, "release"),
      simt_word(x->op, ATTR_scope), x->bits);
  LLVMValueRef args[] = {mask, address, LLVMBuildZExt(s->b, bits, type, "")};
  nvptx_asm(s, text, arena_printf(s->e->arena, "b,l,%c", letter),
            LLVMVoidTypeInContext(s->e->llvm.context), 3, args, true);
  return LLVMConstNull(int_type(s->e, x->bits));
}

static void fence(const Atomic *x, Sem one_sided) {
  const Sem sem = (Sem)op_int(x->op, ATTR_sem);
  if (sem != SEM_acq_rel && sem != one_sided) return;
  simt_barrier_outside(x->s);
}

// -- Results -----------------------------------------------------------------

static bool is_used(const Op *op) {
  return op->results[0].uses != NULL;
}

// Sends the result from thread 0 to all.
static bool share_scalar(Atomic *x) {
  Simt *s = x->s;
  const SimtAccess access = {.element = x->element, .shared = true, .mode = ""};
  Scratch scratch;
  if (!scratch_open(s, x->op, 16, &scratch)) return false;
  LLVMValueRef address = scratch_address(s, &scratch, simt_i32(s, 0));
  simt_access_store(s, &access, address, x->owner, x->out);
  scratch_publish(s);
  simt_access_load(s, &access, address, NULL, NULL, x->out);
  return true;
}

// Sends results to the threads with copies, which have 0 so far.
static bool share(Atomic *x) {
  if (!is_used(x->op) || !x->owner) return true;
  if (!x->layout) return share_scalar(x);
  return simt_share_copies(x->s, x->op, x->element, x->layout, x->out);
}

// -- Ops ---------------------------------------------------------------------

static Atomic atomic_of(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  Atomic x = {.s = s,
              .op = op,
              .element = type_element(type),
              .layout = type_is_tile(type) ? type->layout : NULL,
              .bits = type_element_bits(type),
              .count = simt_count(type)};
  const uint32_t copies = x.layout ? simt_free_threads(x.layout) : UINT32_MAX;
  x.owner = simt_none_set(s, copies);
  x.out = simt_new(s, x.count);
  return x;
}

static LLVMValueRef mask_at(const Atomic *x, const Value *mask, int r) {
  if (!mask) return x->owner;
  LLVMValueRef on = simt_get(x->s, mask)[r];
  return x->owner ? LLVMBuildAnd(x->s->b, on, x->owner, "") : on;
}

// The bits of a float are ordered like signed integers if the value is
// positive, and in reverse, like unsigned ones, if it is negative: one of two
// updates is enabled.  A NaN, which loses, becomes the infinity that changes
// nothing; a NaN in memory stays, or is replaced, according to its sign.
static LLVMValueRef run_extreme(const Atomic *x, LLVMValueRef mask,
                                LLVMValueRef address, LLVMValueRef value) {
  Simt *s = x->s;
  const bool max = op_int(x->op, ATTR_kind) == RMW_fmax;
  LLVMValueRef nan = LLVMBuildFCmp(s->b, LLVMRealUNO, value, value, "");
  LLVMValueRef idle =
      const_float(LLVMTypeOf(value), max ? -INFINITY : INFINITY);
  LLVMValueRef bits = to_operand(x, emit_select(s->e, nan, idle, value));
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(bits));
  LLVMValueRef below = LLVMBuildICmp(s->b, LLVMIntSLT, bits, zero, "");
  LLVMValueRef above = LLVMBuildNot(s->b, below, "");
  Atomic up = *x, down = *x;
  up.name = arena_printf(s->e->arena, "%s.s%d", max ? "max" : "min", x->bits);
  down.name = arena_printf(s->e->arena, "%s.u%d", max ? "min" : "max", x->bits);
  LLVMValueRef high =
      run_one(&up, mask ? LLVMBuildAnd(s->b, mask, above, "") : above, address,
              1, &bits);
  LLVMValueRef low =
      run_one(&down, mask ? LLVMBuildAnd(s->b, mask, below, "") : below,
              address, 1, &bits);
  return emit_select(s->e, below, low, high);
}

static bool is_extreme(const Op *op) {
  const Rmw kind = (Rmw)op_int(op, ATTR_kind);
  return op->kind == OP_atomic_rmw && (kind == RMW_fmax || kind == RMW_fmin);
}

static bool is_access(const Op *op) {
  const Rmw kind = (Rmw)op_int(op, ATTR_kind);
  return op->kind == OP_atomic_rmw && (kind == RMW_load || kind == RMW_store);
}

static bool is_bf16(const Type *element) {
  return element->elem == ELEM_bf16;
}

// Must the update be done by compare-and-swap, as the chip lacks it?
static bool is_swapped(const Atomic *x) {
  if (x->op->kind != OP_atomic_rmw || x->bits != 16) return false;
  return is_extreme(x->op) ||
         (is_bf16(x->element) && !target_can(x->s->e->target, CAP_ATOMIC_BF16));
}

static LLVMValueRef updated(const Atomic *x, LLVMValueRef old,
                            LLVMValueRef value) {
  Emit *e = x->s->e;
  const Rmw kind = (Rmw)op_int(x->op, ATTR_kind);
  if (kind != RMW_fadd)
    return scalar_extreme(e, kind == RMW_fmax, (LLVMValueRef[]){old, value});
  LLVMValueRef sum = LLVMBuildFAdd(x->s->b, old, value, "");
  return convert_round(e, x->element->elem, sum, ROUNDING_rtne);
}

// Writes the new value if memory still holds the value that it was computed
// from, and repeats until it does.  The first guess is 0, which is also the
// result of a masked-off thread.
static LLVMValueRef run_swaps(const Atomic *x, LLVMValueRef mask,
                              LLVMValueRef address, LLVMValueRef value) {
  Simt *s = x->s;
  Atomic swap = *x;
  swap.name = "cas.b16";
  LLVMBasicBlockRef from = LLVMGetInsertBlock(s->b);
  LLVMBasicBlockRef again = simt_add_block(s, "swap");
  LLVMBasicBlockRef done = simt_add_block(s, "swapped");
  LLVMBuildBr(s->b, again);
  LLVMPositionBuilderAtEnd(s->b, again);
  LLVMValueRef guess = LLVMBuildPhi(s->b, int_type(s->e, x->bits), "");
  LLVMValueRef next = updated(x, from_operand(x, guess), value);
  LLVMValueRef values[2] = {guess, to_operand(x, next)};
  LLVMValueRef old = run_one(&swap, mask, address, 2, values);
  LLVMValueRef changed = LLVMBuildICmp(s->b, LLVMIntNE, old, guess, "");
  LLVMValueRef guesses[2] = {LLVMConstNull(LLVMTypeOf(guess)), old};
  LLVMBasicBlockRef sources[2] = {from, LLVMGetInsertBlock(s->b)};
  LLVMAddIncoming(guess, guesses, sources, 2);
  LLVMBuildCondBr(s->b, changed, again, done);
  LLVMPositionBuilderAtEnd(s->b, done);
  return old;
}

// `num_values` operands of a register, behind the address.
static LLVMValueRef run_register(const Atomic *x, int r, LLVMValueRef mask,
                                 int num_values) {
  Simt *s = x->s;
  LLVMValueRef address = simt_get(s, op_operand(x->op, 0))[r], values[2];
  if (is_swapped(x) || is_extreme(x->op)) {
    LLVMValueRef value = simt_get(s, op_operand(x->op, 1))[r];
    return is_swapped(x) ? run_swaps(x, mask, address, value)
                         : run_extreme(x, mask, address, value);
  }
  for (int i = 0; i < num_values; i++) {
    values[i] = to_operand(x, simt_get(s, op_operand(x->op, 1 + i))[r]);
  }
  if (is_access(x->op)) {
    if (!mask) mask = const_int(int_type(s->e, 1), 1);
    return op_int(x->op, ATTR_kind) == RMW_load
               ? run_load(x, mask, address)
               : run_store(x, mask, address, values[0]);
  }
  return run_one(x, mask, address, num_values, values);
}

static bool run_all(Atomic *x, const Value *mask, int num_values) {
  Simt *s = x->s;
  const int *first = simt_first_copies(s, x->layout);
  fence(x, SEM_release);
  for (int r = 0; r < x->count; r++) {
    if (first && first[r] != r) continue;
    LLVMValueRef old = run_register(x, r, mask_at(x, mask, r), num_values);
    x->out[r] = from_operand(x, old);
  }
  for (int r = 0; first && r < x->count; r++) x->out[r] = x->out[first[r]];
  simt_set(s, op_result(x->op), x->out);
  if (!share(x)) return false;
  fence(x, SEM_acquire);
  return true;
}

// The suffix of an atomic addition: each format with additions in hardware has
// its own.
static const char *rmw_name(const Atomic *x, Rmw kind) {
  if (kind == RMW_fadd && x->bits == 16)
    return is_bf16(x->element) ? "add.noftz.bf16" : "add.noftz.f16";
  return arena_printf(x->s->e->arena, "%s%d", rmw_ops[kind], x->bits);
}

bool simt_emit_atomic_rmw(Simt *s, const Op *op) {
  const Rmw kind = (Rmw)op_int(op, ATTR_kind);
  Atomic x = atomic_of(s, op);
  if (!is_extreme(op) && !is_access(op)) x.name = rmw_name(&x, kind);
  return run_all(&x, op_group(op, 2), 1);
}

bool simt_emit_atomic_cas(Simt *s, const Op *op) {
  Atomic x = atomic_of(s, op);
  x.name = arena_printf(s->e->arena, "cas.b%d", x.bits);
  return run_all(&x, NULL, 2);
}
