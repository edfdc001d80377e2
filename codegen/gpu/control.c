// control.c -- loops and branches: tiles as sets of phis.
//
// A loop tests after each trip whether another one fits between the induction
// variable and the bound, so that nothing overflows.
// For example, from 0 to 10 in steps of 4 another trip follows as long as the
// variable is below 10 - 4: after 0 and 4, not after 8.
#include "codegen/gpu/simt.h"
#include "codegen/llvm/output.h"

#include <assert.h>

static LLVMBasicBlockRef here(Simt *s) {
  return LLVMGetInsertBlock(s->b);
}

static void go_to(Simt *s, LLVMBasicBlockRef block) {
  s->is_fenced = false;
  LLVMPositionBuilderAtEnd(s->b, block);
}

static void add_incoming(LLVMValueRef phi, LLVMValueRef x,
                         LLVMBasicBlockRef from) {
  LLVMAddIncoming(phi, &x, &from, 1);
}

// -- Values through phis -----------------------------------------------------

static bool feeds_product(const Value *value) {
  for (const Use *use = value->uses; use; use = use->next)
    if (use->user->kind == OP_async_dot || use->user->kind == OP_dot)
      return true;
  return false;
}

// Floats of 8 and 16 bits that a product uses are in phis four or two to a
// word, the form that the product needs; each float alone would need a register
// of another type, from which ptxas may have to move the float in each trip.
static int log2_in_word(const Value *value) {
  const Type *element = type_element(value->type);
  const bool is_float = element->kind == TYPE_SCALAR && type_is_float(element);
  const int bits = is_float ? type_element_bits(element) : 0;
  const int log2 = bits == 8 ? 2 : bits == 16 ? 1 : 0;
  return simt_count(value->type) % (1 << log2) == 0 && feeds_product(value)
             ? log2
             : 0;
}

static int num_phis(const Value *value) {
  return simt_count(value->type) >> log2_in_word(value);
}

// Makes phis in the builder's block, which take_phis() makes the value's
// registers.
static LLVMValueRef *make_phis(Simt *s, const Value *value) {
  const int count = num_phis(value);
  LLVMValueRef *phis = simt_new(s, count);
  LLVMTypeRef of =
      log2_in_word(value) ? int_type(s->e, 32) : simt_type(s, value->type);
  for (int i = 0; i < count; i++) phis[i] = LLVMBuildPhi(s->b, of, "");
  return phis;
}

// The value gets the phis, converted behind all phis of the block.
static void take_phis(Simt *s, const Value *value, LLVMValueRef *phis) {
  const int log2 = log2_in_word(value);
  LLVMValueRef *out = log2 ? simt_new(s, simt_count(value->type)) : phis;
  for (int i = 0; log2 && i < num_phis(value); i++)
    simt_unpack(s, type_element(value->type), phis[i], out + (i << log2));
  simt_set(s, value, out);
}

static void go_before_end(Simt *s, LLVMBasicBlockRef block) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  if (end)
    LLVMPositionBuilderBefore(s->b, end);
  else
    LLVMPositionBuilderAtEnd(s->b, block);
}

// Adds incoming values `x`, registers of the value, from the block.
static void feed(Simt *s, LLVMValueRef const *phis, const Value *to,
                 LLVMValueRef const *x, LLVMBasicBlockRef block) {
  const Type *element = type_element(to->type);
  const int log2 = log2_in_word(to);
  LLVMBasicBlockRef home = here(s);
  if (log2) go_before_end(s, block);
  for (int i = 0; i < num_phis(to); i++) {
    add_incoming(phis[i], log2 ? simt_pack(s, element, x + (i << log2)) : x[i],
                 block);
  }
  LLVMPositionBuilderAtEnd(s->b, home);
}

static void feed_phis(Simt *s, LLVMValueRef const *phis, const Value *to,
                      const Value *from, LLVMBasicBlockRef block) {
  assert(to->type == from->type && "a slot of two types"); // I10
  feed(s, phis, to, simt_get(s, from), block);
}

static LLVMValueRef **make_all_phis(Simt *s, const Value *values, int count) {
  LLVMValueRef **phis = arena_array(s->e->arena, LLVMValueRef *, count);
  for (int i = 0; i < count; i++) phis[i] = make_phis(s, &values[i]);
  return phis;
}

static void take_all_phis(Simt *s, const Value *values, int count,
                          LLVMValueRef **phis) {
  for (int i = 0; i < count; i++) take_phis(s, &values[i], phis[i]);
}

static bool check_carried(Simt *s, const Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    const TypeKind kind = op->results[i].type->kind;
    if (kind <= TYPE_TILE || kind == TYPE_TOKEN) continue;
    return simt_unsupported(
        s, op,
        arena_printf(s->e->arena, "carrying %s",
                     type_text(op->results[i].type, s->e->arena)));
  }
  return true;
}

// -- for ---------------------------------------------------------------------

typedef struct {
  LLVMValueRef lower, upper, step;
  LLVMValueRef up;   // is the step positive?
  LLVMValueRef last; // if `iv` has not reached it, another trip follows
} Bounds;

// upper - step; the least (`up`) or the largest number if that would wrap.
static LLVMValueRef before_bound(Simt *s, LLVMValueRef upper, LLVMValueRef step,
                                 bool up) {
  LLVMTypeRef type = LLVMTypeOf(upper);
  const unsigned bits = LLVMGetIntTypeWidth(type);
  const uint64_t least = UINT64_C(1) << (bits - 1);
  LLVMValueRef farthest = LLVMConstInt(type, up ? least : least - 1, false);
  LLVMValueRef args[] = {upper, LLVMBuildAdd(s->b, farthest, step, "")};
  const char *name = up ? "llvm.smax" : "llvm.smin";
  return LLVMBuildSub(s->b, emit_intrinsic(s->e, name, 2, args), step, "");
}

static Bounds bounds_of(Simt *s, const Op *op) {
  Bounds bounds = {.lower = simt_scalar(s, op_operand(op, FOR_LOWER)),
                   .upper = simt_scalar(s, op_operand(op, FOR_UPPER)),
                   .step = simt_scalar(s, op_operand(op, FOR_STEP))};
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(bounds.step));
  bounds.up = LLVMBuildICmp(s->b, LLVMIntSGT, bounds.step, zero, "");
  bounds.last = emit_select(s->e, bounds.up,
                            before_bound(s, bounds.upper, bounds.step, true),
                            before_bound(s, bounds.upper, bounds.step, false));
  return bounds;
}

static LLVMValueRef runs_at_all(Simt *s, const Bounds *x) {
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x->step));
  LLVMValueRef down = LLVMBuildICmp(s->b, LLVMIntSLT, x->step, zero, "");
  LLVMValueRef below = LLVMBuildICmp(s->b, LLVMIntSLT, x->lower, x->upper, "");
  LLVMValueRef above = LLVMBuildICmp(s->b, LLVMIntSGT, x->lower, x->upper, "");
  LLVMValueRef runs_down = LLVMBuildAnd(s->b, down, above, "");
  return emit_select(s->e, x->up, below, runs_down);
}

static LLVMValueRef runs_again(Simt *s, const Bounds *x, LLVMValueRef iv) {
  LLVMValueRef below = LLVMBuildICmp(s->b, LLVMIntSLT, iv, x->last, "");
  LLVMValueRef above = LLVMBuildICmp(s->b, LLVMIntSGT, iv, x->last, "");
  return emit_select(s->e, x->up, below, above);
}

// The registers of `init`, a loop's first addresses, behind an empty statement
// that hides their computation from LLVM.  If LLVM saw that the pointers are
// moved ahead in the same way as in each trip, it would carry the earlier
// addresses, too.  Without wgmma there are registers for both.
static const LLVMValueRef *start_of(Simt *s, const Value *init,
                                    LLVMBasicBlockRef before) {
  const int count = simt_count(init->type);
  const bool moves = type_is_tile(init->type) && type_is_pointer(init->type);
  if (!s->num_wgmma || !moves) return simt_get(s, init);
  LLVMBasicBlockRef body = here(s);
  LLVMPositionBuilderBefore(s->b, LLVMGetBasicBlockTerminator(before));
  LLVMValueRef *out = simt_new(s, count);
  for (int r = 0; r < count; r++) {
    LLVMValueRef x = simt_get(s, init)[r];
    out[r] =
        nvptx_asm(s, "mov.b64 $0, $1;", "=l,l", LLVMTypeOf(x), 1, &x, false);
  }
  LLVMPositionBuilderAtEnd(s->b, body);
  return out;
}

// The phis of each slot; addresses in the body may be computed from them.
static LLVMValueRef **make_carried(Simt *s, const Op *op,
                                   LLVMBasicBlockRef before) {
  const int count = for_num_slots(op);
  LLVMValueRef **phis = make_all_phis(s, for_arg(op, 0), count);
  for (int i = 0; i < count; i++)
    feed(s, phis[i], for_arg(op, i), start_of(s, for_init(op, i), before),
         before);
  take_all_phis(s, for_arg(op, 0), count, phis);
  assert(op->regions[0]->num_args == 1 + for_num_slots(op)); // I10
  simt_relate_addresses(s, op);
  return phis;
}

static void make_results(Simt *s, const Op *op, LLVMBasicBlockRef before,
                         LLVMBasicBlockRef latch) {
  LLVMValueRef **phis = make_all_phis(s, op->results, op->num_results);
  for (int i = 0; i < for_num_slots(op); i++) {
    feed_phis(s, phis[i], &op->results[i], for_init(op, i), before);
    feed_phis(s, phis[i], &op->results[i], region_yield(op, 0, i), latch);
  }
  take_all_phis(s, op->results, op->num_results, phis);
}

// Is it the loop of a role over the programs of a block?
static bool runs_programs(const Simt *s, const Op *loop) {
  const Op *outer = loop->block->parent;
  return s->is_persistent && outer && outer->kind == OP_warp_specialize;
}

bool simt_emit_for(Simt *s, const Op *op) {
  if (!check_carried(s, op)) return false;
  const Block *region = op->regions[0];
  const Bounds bounds = bounds_of(s, op);
  LLVMBasicBlockRef before = here(s);
  LLVMBasicBlockRef body = simt_add_block(s, "for"),
                    end = simt_add_block(s, "end");
  LLVMBuildCondBr(s->b, runs_at_all(s, &bounds), body, end);

  go_to(s, body);
  LLVMValueRef iv = LLVMBuildPhi(s->b, LLVMTypeOf(bounds.lower), "");
  add_incoming(iv, bounds.lower, before);
  simt_set_scalar(s, for_counter(op), iv);
  LLVMValueRef **phis = make_carried(s, op, before), **kept = NULL;
  if (runs_programs(s, op) && !simt_begin_program(s, iv, &kept)) return false;
  if (!simt_emit_block(s, region)) return false;
  if (kept) simt_end_program(s, kept);

  lines_at(s->e, op->loc);
  LLVMBasicBlockRef latch = here(s);
  LLVMValueRef again = runs_again(s, &bounds, iv);
  add_incoming(iv, LLVMBuildAdd(s->b, iv, bounds.step, ""), latch);
  for (int i = 0; i < for_num_slots(op); i++) {
    feed_phis(s, phis[i], for_arg(op, i), region_yield(op, 0, i), latch);
  }
  LLVMBuildCondBr(s->b, again, body, end);
  go_to(s, end);
  make_results(s, op, before, latch);
  return true;
}

// -- while -------------------------------------------------------------------

static void pass_on(Simt *s, const Op *op) {
  const Op *condition = block_end(op->regions[0]);
  for (int i = 0; i < op->num_results; i++) {
    LLVMValueRef *x = simt_get(s, op_operand(condition, 1 + i));
    simt_set(s, &op->results[i], x);
    simt_set(s, &op->regions[1]->args[i], x);
  }
}

bool simt_emit_while(Simt *s, const Op *op) {
  if (!check_carried(s, op)) return false;
  const Block *test = op->regions[0], *body = op->regions[1];
  LLVMBasicBlockRef before = here(s), head = simt_add_block(s, "while");
  LLVMBasicBlockRef next = simt_add_block(s, "do"),
                    end = simt_add_block(s, "end");
  LLVMBuildBr(s->b, head);

  go_to(s, head);
  LLVMValueRef **phis = make_all_phis(s, test->args, test->num_args);
  for (int i = 0; i < test->num_args; i++)
    feed_phis(s, phis[i], &test->args[i], op_operand(op, i), before);
  take_all_phis(s, test->args, test->num_args, phis);
  if (!simt_emit_block(s, test)) return false;
  pass_on(s, op);
  LLVMBuildCondBr(s->b, simt_scalar(s, op_operand(block_end(test), 0)), next,
                  end);

  go_to(s, next);
  if (!simt_emit_block(s, body)) return false;
  for (int i = 0; i < test->num_args; i++) {
    feed_phis(s, phis[i], &test->args[i], op_operand(block_end(body), i),
              here(s));
  }
  LLVMBuildBr(s->b, head);
  go_to(s, end);
  return true;
}

// -- if ----------------------------------------------------------------------

static bool emit_branch(Simt *s, const Block *region, LLVMBasicBlockRef start,
                        LLVMBasicBlockRef join, LLVMBasicBlockRef *last) {
  go_to(s, start);
  if (!simt_emit_block(s, region)) return false;
  *last = here(s);
  LLVMBuildBr(s->b, join);
  return true;
}

static bool multiplies(const Block *block) {
  for (const Op *op = block->first; op; op = op->next) {
    if (op->kind == OP_async_dot) return true;
    for (int i = 0; i < op->num_regions; i++) {
      if (multiplies(op->regions[i])) return true;
    }
  }
  return false;
}

// Does the scalar depend on a load or a reduction?  The answer is yes, too, if
// more than `depth` ops, one after the other, compute it.
static bool is_found(const Value *x, int depth) {
  const Op *op = x->def;
  if (!op || op->num_regions || !op_is_pure(op))
    return op && (op->kind == OP_reduce || op->kind == OP_load);
  bool found = !depth;
  for (int i = 0; !found && i < op->num_operands; i++)
    found = is_found(op_operand(op, i), depth - 1);
  return found;
}

// The condition of a branch with products is shuffled if ptxas does not see
// that it is uniform: else ptxas would assume that the descriptors differ
// between lanes.
static LLVMValueRef branch_condition(Simt *s, const Op *op) {
  enum { MAX_DEPTH = 6 };
  LLVMValueRef x = simt_scalar(s, op_operand(op, 0));
  if ((!multiplies(op->regions[0]) && !multiplies(op->regions[1])) ||
      !is_found(op_operand(op, 0), MAX_DEPTH))
    return x;
  LLVMValueRef zero = simt_i32(s, 0),
               wide = LLVMBuildZExt(s->b, x, LLVMTypeOf(zero), "");
  return LLVMBuildICmp(s->b, LLVMIntNE, simt_shuffle(s, wide, zero), zero, "");
}

bool simt_emit_if(Simt *s, const Op *op) {
  if (!check_carried(s, op)) return false;
  LLVMBasicBlockRef yes = simt_add_block(s, "then"),
                    no = simt_add_block(s, "else");
  LLVMBasicBlockRef join = simt_add_block(s, "endif"), last[2];
  LLVMBuildCondBr(s->b, branch_condition(s, op), yes, no);
  if (!emit_branch(s, op->regions[0], yes, join, &last[0])) return false;
  if (!emit_branch(s, op->regions[1], no, join, &last[1])) return false;

  go_to(s, join);
  LLVMValueRef **phis = make_all_phis(s, op->results, op->num_results);
  for (int i = 0; i < op->num_results; i++) {
    for (int r = 0; r < 2; r++) {
      const Op *yield = block_end(op->regions[r]);
      feed_phis(s, phis[i], &op->results[i], op_operand(yield, i), last[r]);
    }
  }
  take_all_phis(s, op->results, op->num_results, phis);
  return true;
}
