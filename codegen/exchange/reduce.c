// reduce.c -- reductions: in the thread, over lanes, over warps.
//
// The layout without the axis gives the elements of the result that a thread
// holds, one for each register.  First the thread combines its own values for
// each element.  Then the values of lanes that differ only along the axis are
// combined, by butterfly shuffles, and then those of warps, through shared
// memory: every thread combines the warps' values itself, or half of them if
// another lane needs the same result.  Bits of the hardware that select copies
// take no part.  If lanes divide the results, two partners send each other the
// halves that they do not keep.
//
// Threads with the same result must have the same bits.  So of two partners
// both take the lower lane's values as the left operand, unless the region is
// symmetric.
//
// For example, a sum of 256 floats by four warps: a thread adds its two; five
// shuffles, by 16, 8, 4, 2 and 1, give the sum of each warp; lane 0 of each
// stores it to shared memory.  Behind a barrier each thread loads two of the
// four sums, adds them, and gets the other two by a shuffle from the lane next
// to it.
#include "codegen/exchange/reduce.h"

#include "ir/exchange.h"
#include "ir/layout_access.h"

#include <assert.h>

// The position in the result for an element's position.
static uint32_t drop_axis(const Layout *layout, int axis, uint32_t element) {
  const uint32_t mask = layout_axis_mask(layout, axis);
  const uint32_t low = mask ? (mask & (~mask + 1)) - 1 : UINT32_MAX;
  const uint32_t high = ~(mask | low);
  return (element & high) >> layout->log2_shape[axis] | (element & low);
}

// -- The region --------------------------------------------------------------

bool simt_combine(Simt *s, const Op *op, LLVMValueRef const *left,
                  LLVMValueRef const *right, LLVMValueRef *out) {
  const Block *region = op->regions[0];
  const int n = op->num_operands;
  for (int i = 0; i < n; i++) {
    simt_set_scalar(s, &region->args[i], left[i]);
    simt_set_scalar(s, &region->args[n + i], right[i]);
  }
  if (!simt_emit_block(s, region)) return false;
  for (int i = 0; i < n; i++) {
    out[i] = simt_scalar(s, op_operand(block_end(region), i));
  }
  return true;
}

// acc = region(acc, x).
static bool combine(Reduction *x, LLVMValueRef *acc, LLVMValueRef const *more) {
  return simt_combine(x->s, x->op, acc, more, acc);
}

bool reduction_combine(Reduction *x, LLVMValueRef **items, int count) {
  assert(count >= 1 && "nothing to combine"); // I1
  for (; count > 1; count = (count + 1) / 2) {
    for (int i = 0; i < count / 2; i++) {
      if (!combine(x, items[2 * i], items[2 * i + 1])) return false;
      items[i] = items[2 * i];
    }
    if (count % 2) items[count / 2] = items[count - 1];
  }
  return true;
}

// -- In the thread -----------------------------------------------------------

// The register of the result for a register of the input.
static int group_of(const Reduction *x, uint32_t reg) {
  if (!x->slice) return 0;
  const uint32_t at =
      drop_axis(x->layout, x->axis, layout_apply(x->layout, reg));
  const uint32_t registers = layout_dim_mask(x->slice, LAYOUT_REGISTER);
  uint32_t group = 0;
  const bool found = linear_solve(&x->slice->map, registers, at, &group);
  assert(found && group < (uint32_t)x->num_groups && "no such result"); // I1
  (void)found;
  return (int)group;
}

static LLVMValueRef *values_of(const Reduction *x, int reg) {
  LLVMValueRef *values = simt_new(x->s, x->num_inputs);
  for (int i = 0; i < x->num_inputs; i++) values[i] = x->inputs[i][reg];
  return values;
}

// A group's partial results, each of `base`^n registers, the longest first;
// fewer than `base` of them have the same length.
enum { MAX_BASE = 3 };
typedef struct {
  LLVMValueRef *values[(MAX_BASE - 1) * LAYOUT_MAX_BITS + 1];
  int num_values;
  uint32_t count; // of registers
} Runs;

static bool combine_last(Reduction *x, Runs *runs, int count) {
  LLVMValueRef **values = runs->values + runs->num_values - count;
  for (int i = 1; i < count; i++)
    if (!combine(x, values[0], values[i])) return false;
  runs->num_values -= count - 1;
  return true;
}

// Runs of the same length are combined as soon as `base` of them exist: in
// pairs, and pairs of pairs, so that few values are live.
static bool add_register(Reduction *x, Runs *runs, LLVMValueRef *values,
                         int base) {
  runs->values[runs->num_values++] = values;
  for (uint32_t n = ++runs->count; n % (uint32_t)base == 0; n /= (uint32_t)base)
    if (!combine_last(x, runs, base)) return false;
  return true;
}

// Hopper compares three integers at a time.
static int best_base(const Reduction *x) {
  const OpKind kind = x->op->regions[0]->first->kind;
  const bool is_extreme = kind == OP_maxsi || kind == OP_minsi;
  return x->s->e->target && target_can(x->s->e->target, CAP_WGMMA) &&
                 is_extreme && op_combines_freely(x->op)
             ? 3
             : 2;
}

static bool combine_registers(Reduction *x) {
  Arena *arena = x->s->e->arena;
  const int count = layout_num_registers(x->layout);
  const int *first = simt_first_copies(x->s, x->layout);
  const int base = best_base(x);
  Runs *groups = arena_array(arena, Runs, x->num_groups);
  for (int r = 0; r < count; r++) {
    if (first && first[r] != r) continue;
    const int group = group_of(x, (uint32_t)r);
    if (!add_register(x, &groups[group], values_of(x, r), base)) return false;
  }
  for (int g = 0; g < x->num_groups; g++) {
    assert(groups[g].count > 0 && (int)groups[g].count <= count); // I1
    if (!combine_last(x, &groups[g], groups[g].num_values)) return false;
    x->partial[g] = groups[g].values[0];
  }
  return true;
}

// -- Over lanes --------------------------------------------------------------

// acc becomes the value of the lower lane of a pair, and other that of the
// upper.
static void put_in_order(const Reduction *x, LLVMValueRef *acc,
                         LLVMValueRef *other, int bit) {
  Simt *s = x->s;
  LLVMValueRef is_upper = simt_parity(s, UINT32_C(1) << bit);
  for (int i = 0; i < x->num_inputs; i++) {
    LLVMValueRef own = acc[i];
    acc[i] = emit_select(s->e, is_upper, other[i], own);
    other[i] = emit_select(s->e, is_upper, own, other[i]);
  }
}

// Is a value of this lane a product, which LLVM could fuse with the addition?
// The partner gets the product rounded, so the results would have different
// bits.
static bool has_product(const Reduction *x, LLVMValueRef const *acc) {
  for (int i = 0; i < x->num_inputs; i++) {
    LLVMValueRef value = acc[i];
    if (LLVMIsAUnaryOperator(value)) value = LLVMGetOperand(value, 0); // -x
    if (LLVMIsABinaryOperator(value) &&
        LLVMGetInstructionOpcode(value) == LLVMFMul)
      return true;
  }
  return false;
}

// Combines acc with the values from the lane that differs in `bit`.
static bool combine_with(Reduction *x, LLVMValueRef *acc, LLVMValueRef *other,
                         int bit) {
  Emit *e = x->s->e;
  const bool no_fp_fusion = e->options.no_fp_fusion;
  e->options.no_fp_fusion |= has_product(x, acc);
  if (x->sided) put_in_order(x, acc, other, bit);
  const bool ok = combine(x, acc, other);
  e->options.no_fp_fusion = no_fp_fusion;
  return ok;
}

bool reduction_meet_lane(Reduction *x, LLVMValueRef *acc, int bit) {
  LLVMValueRef other[SIMT_MAX_INPUTS];
  for (int i = 0; i < x->num_inputs; i++) {
    other[i] = simt_shuffle_xor(x->s, acc[i], 1 << bit);
  }
  return combine_with(x, acc, other, bit);
}

// Two lanes that differ in `bit` divide the groups that differ in `reg`: the
// lower lane keeps the group in which `reg` is 0, the upper lane the other
// group, and each lane combines its values of that group with its partner's.
static bool combine_half(Reduction *x, uint32_t group, int bit, uint32_t reg) {
  Simt *s = x->s;
  LLVMValueRef is_upper = simt_parity(s, UINT32_C(1) << bit);
  LLVMValueRef *low = x->partial[group], *high = x->partial[group | reg];
  LLVMValueRef other[SIMT_MAX_INPUTS];
  for (int i = 0; i < x->num_inputs; i++) {
    LLVMValueRef sent = emit_select(s->e, is_upper, low[i], high[i]);
    other[i] = simt_shuffle_xor(s, sent, 1 << bit);
    low[i] = emit_select(s->e, is_upper, high[i], low[i]);
  }
  return combine_with(x, low, other, bit);
}

// Groups are combined as soon as both exist, so that few are live.
static bool combine_halves(Reduction *x, const uint32_t *taken) {
  for (uint32_t g = 0; g < (uint32_t)x->num_groups; g++) {
    uint32_t group = g;
    for (int bit = 0; bit < x->layout->num_bits[LAYOUT_LANE]; bit++) {
      if (!taken[bit]) continue;
      if (!(g & taken[bit])) break;
      group &= ~taken[bit];
      if (!combine_half(x, group, bit, taken[bit])) return false;
    }
  }
  return true;
}

// With fewer groups, ptxas keeps the results of all loads before them live, in
// twice as many registers as needed.
enum { LEAST_GROUPS = 64 };

// Is the reduction over lanes only, into results that the lanes divide, with
// the lower lane bits for the closer groups?
static bool shares_out(const Reduction *x, uint32_t lanes, uint32_t *taken) {
  if (!x->slice || x->num_inputs > 1) return false;
  if (x->num_groups < LEAST_GROUPS) return false;
  if (exchange_axis_bits(x->layout, x->axis, LAYOUT_WARP)) return false;
  const Layout *to = op_result(x->op)->type->layout;
  LayoutTable *table = &x->s->e->m->layouts;
  if (!layout_taken_bits(table, x->slice, to, lanes, taken)) return false;
  uint32_t last = 0, missing = 0;
  for (int bit = 0; bit < x->layout->num_bits[LAYOUT_LANE]; bit++) {
    if (!(lanes >> bit & 1)) continue;
    missing |= !taken[bit];
    if (taken[bit] && (missing || taken[bit] < last)) return false;
    if (taken[bit]) last = taken[bit];
  }
  return true;
}

// Combines halves as far as lanes divide the results: these lanes are removed
// from `*lanes`, and x gets the groups and the layout of the result.
static bool share_out(Reduction *x, uint32_t *lanes) {
  uint32_t taken[LAYOUT_MAX_BITS] = {0}, gone = 0;
  if (!shares_out(x, *lanes, taken)) return true;
  if (!combine_halves(x, taken)) return false;
  for (int bit = 0; bit < x->layout->num_bits[LAYOUT_LANE]; bit++) {
    gone |= taken[bit];
    if (taken[bit]) *lanes &= ~(UINT32_C(1) << bit);
  }
  int count = 0;
  for (int g = 0; g < x->num_groups; g++) {
    if (!((uint32_t)g & gone)) x->partial[count++] = x->partial[g];
  }
  x->num_groups = count;
  x->slice = op_result(x->op)->type->layout;
  return true;
}

static bool combine_lanes(Reduction *x) {
  uint32_t lanes = exchange_axis_bits(x->layout, x->axis, LAYOUT_LANE);
  const int count = x->layout->num_bits[LAYOUT_LANE];
  if (!share_out(x, &lanes)) return false;
  for (int i = 0; i < count; i++) { // adjacent lanes first, if the order
                                    // matters
    const int bit = x->sided ? i : count - 1 - i;
    if (!(lanes >> bit & 1)) continue;
    for (int g = 0; g < x->num_groups; g++) {
      if (!reduction_meet_lane(x, x->partial[g], bit)) return false;
    }
  }
  return true;
}

// -- All together ------------------------------------------------------------

static bool read_inputs(Reduction *x, const Layout *layout) {
  Simt *s = x->s;
  x->layout = exchange_reduced(x->op);
  x->inputs = arena_array(s->e->arena, LLVMValueRef *, x->num_inputs);
  for (int i = 0; i < x->num_inputs; i++) {
    const Value *input = op_operand(x->op, i);
    x->inputs[i] = simt_get(s, input);
    if (x->layout == layout) continue;
    LLVMValueRef *out = simt_new(s, layout_num_registers(x->layout));
    if (!simt_convert(s, x->op, input->type->element, layout, x->inputs[i],
                      x->layout, out)) {
      return false;
    }
    x->inputs[i] = out;
  }
  return true;
}

static bool set_results(Reduction *x) {
  Simt *s = x->s;
  for (int i = 0; i < x->num_inputs; i++) {
    const Value *result = &x->op->results[i];
    LLVMValueRef *values = simt_new(s, x->num_groups);
    for (int g = 0; g < x->num_groups; g++) values[g] = x->partial[g][i];
    simt_set(s, result, values);
    if (!x->slice || result->type->layout == x->slice) continue;
    LLVMValueRef *out = simt_new(s, simt_count(result->type));
    if (!simt_convert(s, x->op, result->type->element, x->slice, values,
                      result->type->layout, out)) {
      return false;
    }
    simt_set(s, result, out);
  }
  return true;
}

bool simt_emit_reduce(Simt *s, const Op *op) {
  const Layout *layout = op_operand(op, 0)->type->layout;
  Reduction x = {.s = s,
                 .op = op,
                 .num_inputs = op->num_operands,
                 .axis = (int)op_int(op, ATTR_axis),
                 .sided = simt_has_sides(op),
                 .num_groups = 1};
  if (x.num_inputs > SIMT_MAX_INPUTS) {
    return simt_unsupported(s, op, "of so many tiles");
  }
  if (!read_inputs(&x, layout)) return false;
  if (layout->rank > 1) {
    x.slice = layout_slice(&s->e->m->layouts, x.layout, x.axis);
    x.num_groups = layout_num_registers(x.slice);
  }
  x.partial = arena_array(s->e->arena, LLVMValueRef *, x.num_groups);
  return combine_registers(&x) && combine_lanes(&x) &&
         reduction_meet_warps(&x) && set_results(&x);
}
