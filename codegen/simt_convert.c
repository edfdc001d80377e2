// simt_convert.c -- fragments from one layout to another.
//
// Within a warp the plan of ir/layout_convert.h is carried out: a permutation
// of the registers by the thread's number, shuffles, and another permutation.
// Otherwise the tile goes through shared memory, in the layout that costs the
// fewest bank conflicts.
#include "codegen/simt.h"

#include "ir/layout_access.h"
#include "ir/layout_convert.h"

int *simt_first_copies(Simt *s, const Layout *layout) {
  if (!layout) return NULL;
  const uint32_t mask = layout_dim_mask(layout, LAYOUT_REGISTER);
  const uint32_t free = layout_free_bits(layout) & mask;
  if (!free) return NULL;
  const int n = layout_num_registers(layout);
  int *first = arena_array(s->e->arena, int, n);
  for (int r = 0; r < n; r++) {
    uint32_t same = (uint32_t)r;
    linear_solve(&layout->map, mask & ~free, layout_apply(layout, same), &same);
    first[r] = (int)same;
  }
  return first;
}

// -- Within a warp -----------------------------------------------------------

// The thread bits on which bit `bit` of the map's result depends.
static uint32_t row_of(const LinearMap *map, int first, int bit) {
  uint32_t row = 0;
  for (int i = first; i < map->num_in; i++) {
    row |= (map->column[i] >> bit & 1) << (i - first);
  }
  return row;
}

// x[i] = x[i ^ map(thread)], in place; 2^log2_count values.
static void permute(Simt *s, const LinearMap *map, int log2_count,
                    LLVMValueRef *x) {
  for (int bit = 0; bit < log2_count; bit++) {
    const uint32_t row = row_of(map, 0, bit);
    if (!row) continue;
    LLVMValueRef swap = simt_parity(s, row);
    for (int i = 0; i < 1 << log2_count; i++) {
      const int j = i | 1 << bit;
      if (i == j) continue;
      LLVMValueRef low = x[i], high = x[j];
      x[i] = emit_select(s->e, swap, high, low);
      x[j] = emit_select(s->e, swap, low, high);
    }
  }
}

// Does every thread read lanes that differ from its own by a constant?
static bool is_relative(const ConvertPlan *plan, int num_lanes) {
  for (int i = plan->log2_rounds; i < plan->lane.num_in; i++) {
    const int bit = i - plan->log2_rounds;
    const uint32_t own = bit < num_lanes ? UINT32_C(1) << bit : 0;
    if (plan->lane.column[i] != own) return false;
  }
  return true;
}

static void run_rounds(Simt *s, const ConvertPlan *plan, int num_lanes,
                       LLVMValueRef const *x, LLVMValueRef *y) {
  const bool relative = is_relative(plan, num_lanes);
  uint32_t bits = 0;
  LLVMValueRef lane =
      relative ? NULL : simt_linear(s, &plan->lane, plan->log2_rounds, &bits);
  for (uint32_t j = 0; j < UINT32_C(1) << plan->log2_rounds; j++) {
    LLVMValueRef sent = x[linear_apply(&plan->send, j)];
    const uint32_t flip = linear_apply(&plan->lane, j);
    if (!relative) {
      y[j] = simt_shuffle(s, sent, simt_xor(s, lane, bits, flip));
    } else {
      y[j] = flip ? simt_shuffle_xor(s, sent, (int)flip) : sent;
    }
  }
}

static void convert_in_warp(Simt *s, const ConvertPlan *plan,
                            const Layout *from, LLVMValueRef const *x,
                            const Layout *to, LLVMValueRef *out) {
  const int num_sent = from->num_bits[LAYOUT_REGISTER];
  LLVMValueRef *sent = simt_new(s, 1 << num_sent);
  LLVMValueRef *received = simt_new(s, 1 << plan->log2_rounds);
  for (int i = 0; i < 1 << num_sent; i++) sent[i] = x[i];
  permute(s, &plan->before, num_sent, sent);
  run_rounds(s, plan, from->num_bits[LAYOUT_LANE], sent, received);
  permute(s, &plan->after, plan->log2_rounds, received);
  for (int r = 0; r < layout_num_registers(to); r++) out[r] = received[r];
}

// -- Through shared memory ---------------------------------------------------

typedef struct {
  Simt *s;
  SharedAccess shared;
  SimtAccess access;
  Scratch scratch;
  LLVMValueRef base; // offset of register 0, in elements
  uint32_t base_bits;
  uint32_t *registers; // run after run
} Exchange;

static void prepare(Exchange *x, const Layout *tile) {
  const LinearMap *offset = &x->shared.offset;
  const int num_bits = tile->num_bits[LAYOUT_REGISTER];
  x->base = simt_linear(x->s, offset, num_bits, &x->base_bits);
  x->registers = arena_array(x->s->e->arena, uint32_t, 1 << num_bits);
  x->access.log2_width = x->shared.log2_vector;
  access_vector_registers(&x->shared, x->registers);
}

static LLVMValueRef address_of(const Exchange *x, uint32_t reg) {
  const int64_t bytes = (int64_t)emit_memory_bytes(x->access.element);
  const uint32_t offset = linear_apply(&x->shared.offset, reg);
  LLVMValueRef at = simt_xor(x->s, x->base, x->base_bits, offset);
  at = LLVMBuildMul(x->s->b, at, simt_i32(x->s, bytes), "");
  return scratch_address(x->s, &x->scratch, at);
}

// `mask`: of the threads that write; NULL: all.
static void write_tile(Exchange *x, const Layout *tile, LLVMValueRef mask,
                       LLVMValueRef const *values) {
  prepare(x, tile);
  const int width = 1 << x->access.log2_width;
  const int *first = simt_first_copies(x->s, tile);
  for (int i = 0; i < layout_num_registers(tile); i += width) {
    const uint32_t *run = x->registers + i;
    if (first && first[run[0]] != (int)run[0]) continue;
    LLVMValueRef vector[16];
    for (int k = 0; k < width; k++) vector[k] = values[run[k]];
    simt_access_store(x->s, &x->access, address_of(x, run[0]), mask, vector);
  }
}

static void read_tile(Exchange *x, const Layout *tile, LLVMValueRef *out) {
  prepare(x, tile);
  const int width = 1 << x->access.log2_width;
  for (int i = 0; i < layout_num_registers(tile); i += width) {
    const uint32_t *run = x->registers + i;
    LLVMValueRef vector[16];
    simt_access_load(x->s, &x->access, address_of(x, run[0]), NULL, NULL,
                     vector);
    for (int k = 0; k < width; k++) out[run[k]] = vector[k];
  }
}

// Through shared memory; `mask` as in write_tile().
static bool exchange(Simt *s, const Op *op, const Type *element,
                     const Layout *from, LLVMValueRef mask,
                     LLVMValueRef const *x, const Layout *to,
                     LLVMValueRef *out) {
  const int64_t bytes = (int64_t)emit_memory_bytes(element);
  const int bits = 8 * (int)bytes;
  const SharedUse store = {from, false}, load = {to, false};
  const Layout *through =
      layout_best_shared(&s->e->m->layouts, &store, &load, bits);
  Exchange way = {.s = s,
                  .access = {.element = element, .shared = true, .mode = ""}};
  if (!through || !layout_access(from, through, bits, &way.shared)) {
    return simt_unsupported(s, op, "between these layouts");
  }
  const int64_t size = layout_num_elements(through) * bytes;
  if (!scratch_open(s, op, size, &way.scratch)) return false;
  write_tile(&way, from, mask, x);
  scratch_publish(s, &way.scratch);
  if (!layout_access(to, through, bits, &way.shared)) {
    return simt_unsupported(s, op, "between these layouts");
  }
  read_tile(&way, to, out);
  return true;
}

bool simt_share_copies(Simt *s, const Op *op, const Type *element,
                       const Layout *layout, LLVMValueRef *values) {
  LLVMValueRef owner = simt_none_set(s, simt_free_threads(layout));
  return !owner ||
         exchange(s, op, element, layout, owner, values, layout, values);
}

// -- Either ------------------------------------------------------------------

bool simt_convert(Simt *s, const Op *op, const Type *element,
                  const Layout *from, LLVMValueRef const *x, const Layout *to,
                  LLVMValueRef *out) {
  const ConvertPlan plan = layout_convert(from, to);
  switch (plan.kind) {
  case CONVERT_NOTHING:
  case CONVERT_REGISTERS:
  case CONVERT_SHUFFLE: convert_in_warp(s, &plan, from, x, to, out); break;
  case CONVERT_SHARED: return exchange(s, op, element, from, NULL, x, to, out);
  case CONVERT_CLUSTER:
  case CONVERT_IMPOSSIBLE:
    return simt_unsupported(s, op, "between these layouts");
  }
  return true;
}

bool simt_emit_convert_layout(Simt *s, const Op *op) {
  const Value *x = op_operand(op, 0);
  const Type *type = op_result(op)->type;
  LLVMValueRef *out = simt_new(s, simt_count(type));
  simt_set(s, op_result(op), out);
  return simt_convert(s, op, type->element, x->type->layout, simt_get(s, x),
                      type->layout, out);
}
