// reduce.c -- reductions: in the thread, over lanes, over warps.
//
// The layout without the axis says which elements of the result a thread has,
// one a register.  First the thread combines its own values for each; lanes
// that differ only along the axis meet by butterfly shuffles; warps that do,
// through shared memory, from which every thread combines the warps' values
// itself, or half of them where another lane needs the same result.  Bits of
// the hardware that select copies never take part.  Where lanes share out the
// results, two that meet send each other the halves that they do not keep.
//
// Threads that end with the same result must have the same bits, so of two
// lanes that meet both take the lower one's values as the left operand, unless
// the region is the same either way.
#include "codegen/gpu/simt.h"

#include "ir/exchange.h"

typedef struct {
  Simt *s;
  const Op *op;
  int num_inputs, axis;
  bool sided;           // has the region a left and a right?
  const Layout *layout; // of the inputs
  const Layout *slice;  // of the results; NULL: they are scalars
  int num_groups;       // registers of a result
  LLVMValueRef **inputs;
  LLVMValueRef **partial; // by group: one value for each input
} Reduction;

// -- Bits --------------------------------------------------------------------

static uint32_t axis_mask(const Layout *layout, int axis) {
  int first = 0;
  for (int i = layout->rank - 1; i > axis; i--) first += layout->log2_shape[i];
  return ((UINT32_C(1) << layout->log2_shape[axis]) - 1) << first;
}

// The position in the result that an element's position belongs to.
static uint32_t drop_axis(const Layout *layout, int axis, uint32_t element) {
  const uint32_t mask = axis_mask(layout, axis);
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

// Combines items[0 .. count-1] in pairs, then pairs of pairs, into items[0].
static bool combine_all(Reduction *x, LLVMValueRef **items, int count) {
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
  linear_solve(&x->slice->map, registers, at, &group);
  return (int)group;
}

static LLVMValueRef *values_of(const Reduction *x, int reg) {
  LLVMValueRef *values = simt_new(x->s, x->num_inputs);
  for (int i = 0; i < x->num_inputs; i++) values[i] = x->inputs[i][reg];
  return values;
}

static bool combine_registers(Reduction *x) {
  Arena *arena = x->s->e->arena;
  const int count = layout_num_registers(x->layout);
  const int *first = simt_first_copies(x->s, x->layout);
  Vec(LLVMValueRef *) *members = arena_alloc(
      arena, (size_t)x->num_groups, sizeof *members, alignof(max_align_t));
  for (int r = 0; r < count; r++) {
    if (first && first[r] != r) continue;
    const int group = group_of(x, (uint32_t)r);
    vec_push(arena, &members[group], values_of(x, r));
  }
  for (int g = 0; g < x->num_groups; g++) {
    if (!combine_all(x, members[g].items, (int)members[g].count)) return false;
    x->partial[g] = members[g].items[0];
  }
  return true;
}

// -- Over lanes --------------------------------------------------------------

// acc becomes what the lower of two lanes has, and other what the upper has.
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

// Does a lane combine a product, which LLVM could fuse with the addition?  Its
// partner has that product rounded, so the two would end with other bits.
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

// acc = acc combined with what came from the lane that differs in `bit`.
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

static bool combine_with_lane(Reduction *x, LLVMValueRef *acc, int bit) {
  LLVMValueRef other[SIMT_MAX_INPUTS];
  for (int i = 0; i < x->num_inputs; i++) {
    other[i] = simt_shuffle_xor(x->s, acc[i], 1 << bit);
  }
  return combine_with(x, acc, other, bit);
}

// Two lanes that differ in `bit` share out the groups that differ in `reg`: the
// lower lane keeps the group without it, the upper lane the other one, and each
// combines its own with the one that its partner sends.
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

// Groups are combined as soon as both are there, so that few wait in registers.
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

// With fewer groups ptxas lets all loads in front of them wait in registers,
// twice as many as the kernel takes otherwise.
enum { LEAST_GROUPS = 64 };

// Do lanes alone reduce, into results that they share out, the lower lanes the
// groups that are closer?
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

// Combines halves, as far as lanes share out the results: these lanes leave
// `*lanes`, and x has the groups and the layout of the result.
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
  for (int i = 0; i < count; i++) { // neighbours first, if sides matter
    const int bit = x->sided ? i : count - 1 - i;
    if (!(lanes >> bit & 1)) continue;
    for (int g = 0; g < x->num_groups; g++) {
      if (!combine_with_lane(x, x->partial[g], bit)) return false;
    }
  }
  return true;
}

// -- Over warps --------------------------------------------------------------
//
// Shared memory holds, for each input, a row of 2^log2_warps values for each
// element of the result.

typedef struct {
  int log2_warps;
  LinearMap places;    // the row of a register, lane and warp of the result
  LLVMValueRef row;    // of group 0
  uint32_t row_bits;   // that may be set in it
  LLVMValueRef warp;   // this one's place in a row
  LLVMValueRef writes; // does this thread write?  NULL: yes
  int partner;         // lane bit of who reads the other half; -1: nobody
  LLVMValueRef half;   // that this thread reads, by number
} Rows;

// Of two halves: a row of fewer values is read at once, and costs no registers.
enum { LEAST_SHARED = 2 };

static LinearMap warp_places(const Reduction *x, uint32_t warps) {
  const int first = layout_first_bit(x->layout, LAYOUT_WARP) -
                    layout_first_bit(x->layout, LAYOUT_LANE);
  LinearMap map = {.num_in = first + x->layout->num_bits[LAYOUT_WARP]};
  for (int i = first; i < map.num_in; i++) {
    if (!(warps >> (i - first) & 1)) continue;
    map.column[i] = UINT32_C(1) << map.num_out++;
  }
  return map;
}

// Lanes that hold the same results share the reading of a row.
static void find_partner(Reduction *x, uint32_t copies, Rows *rows) {
  const int num_lanes = x->layout->num_bits[LAYOUT_LANE];
  rows->partner = 0;
  while (rows->partner < num_lanes && !(copies >> rows->partner & 1)) {
    rows->partner++;
  }
  if (rows->partner == num_lanes || rows->log2_warps < LEAST_SHARED) {
    rows->partner = -1;
    return;
  }
  LinearMap map = {.num_in = num_lanes, .num_out = 1};
  map.column[rows->partner] = 1;
  uint32_t ignored;
  rows->half = simt_linear(x->s, &map, 0, &ignored);
}

// Rows are numbered by the threads that have them, and of one thread's by its
// registers: what lanes write side by side is in banks side by side.
static LinearMap row_places(const Layout *slice) {
  const int registers = slice->num_bits[LAYOUT_REGISTER];
  const LinearMap *map = &slice->map;
  const uint32_t copies = linear_free_bits(map);
  LinearMap numbers = {.num_in = map->num_in};
  for (int i = 0; i < map->num_in; i++) {
    const int bit = (i + registers) % map->num_in; // threads first
    if (copies >> bit & 1) continue;
    numbers.column[bit] = UINT32_C(1) << numbers.num_out++;
  }
  const LinearMap inverse = linear_inverse(map);
  const LinearMap first_copy = linear_compose(&inverse, map);
  return linear_compose(&numbers, &first_copy);
}

static Rows make_rows(Reduction *x, uint32_t warps) {
  Simt *s = x->s;
  const int lane_bits = x->layout->num_bits[LAYOUT_LANE];
  const LinearMap places = warp_places(x, warps);
  Rows rows = {.log2_warps = places.num_out, .row = simt_i32(s, 0)};
  uint32_t ignored;
  rows.warp = simt_linear(s, &places, 0, &ignored);
  const int warp_bits = x->layout->num_bits[LAYOUT_WARP];
  uint32_t copies = (UINT32_C(1) << (lane_bits + warp_bits)) - 1;
  if (x->slice) {
    const int first = x->slice->num_bits[LAYOUT_REGISTER];
    rows.places = row_places(x->slice);
    rows.row = simt_linear(s, &rows.places, first, &rows.row_bits);
    copies = simt_free_threads(x->slice);
  }
  rows.writes = simt_none_set(s, copies & ~(warps << lane_bits));
  find_partner(x, copies, &rows);
  return rows;
}

static SimtAccess access_for(const Reduction *x, int input) {
  const Type *element = op_operand(x->op, input)->type->element;
  return (SimtAccess){.element = element, .shared = true, .mode = ""};
}

static size_t bytes_of(const Reduction *x, int input) {
  return emit_memory_bytes(op_operand(x->op, input)->type->element);
}

// Byte offset of the row for a group, behind `start`.
static LLVMValueRef row_offset(const Reduction *x, const Rows *rows, int group,
                               int input, int64_t start) {
  Simt *s = x->s;
  const uint32_t at =
      x->slice ? linear_apply(&rows->places, (uint32_t)group) : 0;
  LLVMValueRef row = simt_xor(s, rows->row, rows->row_bits, at);
  const int64_t size = (int64_t)bytes_of(x, input) << rows->log2_warps;
  LLVMValueRef offset = LLVMBuildMul(s->b, row, simt_i32(s, size), "");
  return LLVMBuildAdd(s->b, offset, simt_i32(s, start), "");
}

static void write_rows(const Reduction *x, const Rows *rows, int input,
                       const Scratch *scratch, int64_t start) {
  Simt *s = x->s;
  const SimtAccess access = access_for(x, input);
  const int64_t bytes = (int64_t)bytes_of(x, input);
  LLVMValueRef place = LLVMBuildMul(s->b, rows->warp, simt_i32(s, bytes), "");
  for (int g = 0; g < x->num_groups; g++) {
    LLVMValueRef row = row_offset(x, rows, g, input, start);
    LLVMValueRef at = LLVMBuildAdd(s->b, row, place, "");
    simt_access_store(s, &access, scratch_address(s, scratch, at), rows->writes,
                      &x->partial[g][input]);
  }
}

// How many values of a row a thread reads.
static int log2_read(const Rows *rows) {
  return rows->log2_warps - (rows->partner >= 0);
}

// The values of all warps for a group, or half of them, into
// items[warp][input].
static void read_row(const Reduction *x, const Rows *rows, int group, int input,
                     const Scratch *scratch, int64_t start,
                     LLVMValueRef **items) {
  Simt *s = x->s;
  SimtAccess access = access_for(x, input);
  const int bytes = (int)bytes_of(x, input);
  const int widest = floor_log2(16 / bytes);
  const int log2_count = log2_read(rows);
  access.log2_width = log2_count < widest ? log2_count : widest;
  const int width = 1 << access.log2_width;
  LLVMValueRef row = row_offset(x, rows, group, input, start);
  if (rows->partner >= 0) {
    LLVMValueRef size = simt_i32(s, (int64_t)bytes << log2_count);
    LLVMValueRef part = LLVMBuildMul(s->b, rows->half, size, "");
    row = LLVMBuildAdd(s->b, row, part, "");
  }
  for (int w = 0; w < 1 << log2_count; w += width) {
    LLVMValueRef values[16];
    LLVMValueRef at =
        LLVMBuildAdd(s->b, row, simt_i32(s, (int64_t)w * bytes), "");
    simt_access_load(s, &access, scratch_address(s, scratch, at), NULL, NULL,
                     values);
    for (int i = 0; i < width; i++) items[w + i][input] = values[i];
  }
}

static bool combine_rows(Reduction *x, const Rows *rows,
                         const Scratch *scratch) {
  LLVMValueRef *items[32];
  for (int g = 0; g < x->num_groups; g++) {
    for (int w = 0; w < 1 << log2_read(rows); w++) {
      items[w] = simt_new(x->s, x->num_inputs);
    }
    int64_t start = 0;
    for (int i = 0; i < x->num_inputs; i++) {
      read_row(x, rows, g, i, scratch, start, items);
      start += exchange_row_bytes(x->op, i);
    }
    if (!combine_all(x, items, 1 << log2_read(rows))) return false;
    x->partial[g] = items[0];
    if (rows->partner < 0) continue;
    if (!combine_with_lane(x, x->partial[g], rows->partner)) return false;
  }
  return true;
}

static bool combine_warps(Reduction *x) {
  const uint32_t warps = exchange_axis_bits(x->layout, x->axis, LAYOUT_WARP);
  if (!warps) return true;
  const Rows rows = make_rows(x, warps);
  int64_t size = 0;
  for (int i = 0; i < x->num_inputs; i++) {
    size += exchange_row_bytes(x->op, i);
  }
  Scratch scratch;
  if (!scratch_open(x->s, x->op, size, &scratch)) return false;
  size = 0;
  for (int i = 0; i < x->num_inputs; i++) {
    write_rows(x, &rows, i, &scratch, size);
    size += exchange_row_bytes(x->op, i);
  }
  scratch_publish(x->s);
  return combine_rows(x, &rows, &scratch);
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
  return combine_registers(&x) && combine_lanes(&x) && combine_warps(&x) &&
         set_results(&x);
}
