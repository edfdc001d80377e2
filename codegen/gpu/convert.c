// convert.c -- fragments from one layout to another.
//
// Within a warp, the plan of ir/layout_convert.h is executed: a permutation of
// the registers by the thread's number, shuffles, and another permutation.
// Small elements that are sent together share words.  Otherwise the tile goes
// through shared memory, at once or in parts, in the layout with the fewest
// bank conflicts.
#include "codegen/gpu/simt.h"

#include "ir/exchange.h"
#include "ir/layout_convert.h"
#include "ir/layout_cut.h"

#include <assert.h>

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
    assert(same <= (uint32_t)r && !(same & free)); // I9
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

// x[i] = x[i ^ map(thread)], in place, for 2^log2_count values, some of them
// NULL outside of the map's image.  For example, if thread bits 0 and 1 are the
// bits of the result, and there are four values, thread 0 keeps {a, b, c, d},
// thread 1 gets {b, a, d, c}, thread 2 {c, d, a, b}, and thread 3 {d, c, b, a}:
// two selects of each pair for bit 0, and two for bit 1.
static void permute(Simt *s, const LinearMap *map, int log2_count,
                    LLVMValueRef *x) {
  for (int bit = 0; bit < log2_count; bit++) {
    const uint32_t row = row_of(map, 0, bit);
    if (!row) continue;
    LLVMValueRef swap = simt_parity(s, row);
    for (int i = 0; i < 1 << log2_count; i++) {
      const int j = i | 1 << bit;
      if (i == j || !x[i]) continue;
      LLVMValueRef low = x[i], high = x[j];
      x[i] = emit_select(s->e, swap, high, low);
      x[j] = emit_select(s->e, swap, low, high);
    }
  }
}

// Does every thread read from lanes at a constant XOR distance from its own?
static bool is_relative(const ConvertPlan *plan, int num_lanes) {
  for (int i = plan->log2_rounds; i < plan->lane.num_in; i++) {
    const int bit = i - plan->log2_rounds;
    const uint32_t own = bit < num_lanes ? UINT32_C(1) << bit : 0;
    if (plan->lane.column[i] != own) return false;
  }
  return true;
}

// Bits of register numbers whose values are parts of a word, and of rounds.
typedef struct {
  int log2_count;
  uint32_t sent[2], round[2]; // one bit each, for the lowest part first
} RegisterPacking;

static uint32_t packed_number(const uint32_t *bits, int log2_count, int part) {
  uint32_t number = 0;
  for (int i = 0; i < log2_count; i++) {
    if (part >> i & 1) number |= bits[i];
  }
  return number;
}

// Are the values of two rounds that differ in this bit alone sent to the same
// lane, from registers that differ in one bit alone?
static bool goes_along(const ConvertPlan *plan, int round) {
  const uint32_t sent = plan->send.column[round];
  if (plan->lane.column[round] || row_of(&plan->after, 0, round)) return false;
  if (!sent || sent & (sent - 1)) return false;
  for (int i = 0; i < plan->log2_rounds; i++) {
    if (i != round && plan->send.column[i] & sent) return false;
  }
  for (int i = 0; i < plan->before.num_in; i++) {
    if (plan->before.column[i] & sent) return false;
  }
  return true;
}

// Packs either whole words or nothing.
static RegisterPacking find_packing(const ConvertPlan *plan,
                                    const Type *element) {
  RegisterPacking packing = {0};
  const bool is_float = element->kind == TYPE_SCALAR && type_is_float(element);
  const int bits = is_float ? type_element_bits(element) : 32;
  const int wanted = bits == 8 ? 2 : bits == 16 ? 1 : 0;
  int found = 0;
  for (int i = 0; i < plan->log2_rounds && found < wanted; i++) {
    if (!goes_along(plan, i)) continue;
    packing.sent[found] = plan->send.column[i];
    packing.round[found++] = UINT32_C(1) << i;
  }
  packing.log2_count = found == wanted ? found : 0;
  return packing;
}

static void pack_sent(Simt *s, const Type *element,
                      const RegisterPacking *packing, int count,
                      LLVMValueRef const *x, LLVMValueRef *words) {
  const int n = packing->log2_count;
  const uint32_t all = packed_number(packing->sent, n, -1);
  for (int r = 0; r < count; r++) {
    LLVMValueRef parts[SIMT_WORD_BYTES];
    for (int i = 0; i < 1 << n && !(all & (uint32_t)r); i++) {
      parts[i] = x[(uint32_t)r | packed_number(packing->sent, n, i)];
    }
    words[r] = all & (uint32_t)r ? NULL
               : n               ? simt_pack(s, element, parts)
                                 : parts[0];
  }
}

static void unpack_received(Simt *s, const Type *element,
                            const RegisterPacking *packing, int count,
                            LLVMValueRef const *words, LLVMValueRef *out) {
  const int n = packing->log2_count;
  for (int r = 0; r < count; r++) {
    if (!words[r]) continue;
    LLVMValueRef parts[SIMT_WORD_BYTES] = {words[r]};
    if (n) simt_unpack(s, element, words[r], parts);
    for (int i = 0; i < 1 << n; i++) {
      out[(uint32_t)r | packed_number(packing->round, n, i)] = parts[i];
    }
  }
}

// Shuffles one word of elements at a time.
static void run_rounds(Simt *s, const ConvertPlan *plan, uint32_t packed,
                       int num_lanes, LLVMValueRef const *x, LLVMValueRef *y) {
  const bool relative = is_relative(plan, num_lanes);
  uint32_t bits = 0;
  LLVMValueRef lane =
      relative ? NULL : simt_linear(s, &plan->lane, plan->log2_rounds, &bits);
  for (uint32_t j = 0; j < UINT32_C(1) << plan->log2_rounds; j++) {
    y[j] = NULL;
    if (j & packed) continue;
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
                            const Type *element, const Layout *from,
                            LLVMValueRef const *x, const Layout *to,
                            LLVMValueRef *out) {
  const int num_sent = from->num_bits[LAYOUT_REGISTER];
  const int num_rounds = 1 << plan->log2_rounds;
  const RegisterPacking packing = plan->kind == CONVERT_SHUFFLE
                                      ? find_packing(plan, element)
                                      : (RegisterPacking){0};
  LLVMValueRef *sent = simt_new(s, 1 << num_sent);
  LLVMValueRef *words = simt_new(s, num_rounds);
  LLVMValueRef *received = simt_new(s, num_rounds);
  pack_sent(s, element, &packing, 1 << num_sent, x, sent);
  permute(s, &plan->before, num_sent, sent);
  run_rounds(s, plan, packed_number(packing.round, packing.log2_count, -1),
             from->num_bits[LAYOUT_LANE], sent, words);
  permute(s, &plan->after, plan->log2_rounds, words);
  unpack_received(s, element, &packing, num_rounds, words, received);
  assert(layout_num_registers(to) <= num_rounds &&
         plan->kind <= CONVERT_SHUFFLE); // I11
  for (int r = 0; r < layout_num_registers(to); r++) out[r] = received[r];
}

// -- Through shared memory ---------------------------------------------------

static bool can_load_matrices(const Simt *s) {
  return target_can(s->e->target, CAP_LDMATRIX);
}

// One part, or the whole tile.  `mask` as in simt_shared_write().
static bool exchange(Simt *s, const Op *op, const Type *element,
                     const Layout *from, LLVMValueRef mask,
                     LLVMValueRef const *x, const Layout *to,
                     LLVMValueRef *out) {
  const int64_t bytes = (int64_t)emit_memory_bytes(element);
  const SharedUse store = {from, false}, load = {to, can_load_matrices(s)};
  const Layout *through =
      layout_best_shared(&s->e->m->layouts, &store, &load, 8 * (int)bytes);
  if (!through) return simt_unsupported(s, op, "between these layouts");
  Scratch scratch;
  const int64_t size = layout_num_elements(through) * bytes;
  if (!scratch_open(s, op, size, &scratch)) return false;
  const SharedTile tile = {scratch_address(s, &scratch, simt_i32(s, 0)),
                           element, through};
  if (!simt_shared_write(s, &tile, from, mask, x)) {
    return simt_unsupported(s, op, "between these layouts");
  }
  scratch_publish(s);
  return simt_shared_read(s, &tile, to, out);
}

static bool exchange_parts(Simt *s, const Op *op, const Type *element,
                           const Layout *from, LLVMValueRef const *x,
                           const Layout *to, LLVMValueRef *out) {
  LayoutCut cut;
  const SharedUse store = {from, false}, load = {to, can_load_matrices(s)};
  const int bits = 8 * (int)emit_memory_bytes(element);
  if (!layout_cut(&s->e->m->layouts, &store, &load, bits,
                  exchange_log2_parts(op), &cut)) {
    return simt_unsupported(s, op, "in so many parts");
  }
  const int num_stored = layout_num_registers(cut.store);
  const int num_loaded = layout_num_registers(cut.load);
  LLVMValueRef *stored = simt_new(s, num_stored);
  LLVMValueRef *loaded = simt_new(s, num_loaded);
  for (uint32_t part = 0; part < UINT32_C(1) << cut.log2_parts; part++) {
    for (int r = 0; r < num_stored; r++) {
      stored[r] = x[layout_cut_register(&cut, from, part, (uint32_t)r)];
    }
    if (!exchange(s, op, element, cut.store, NULL, stored, cut.load, loaded)) {
      return false;
    }
    for (int r = 0; r < num_loaded; r++) {
      out[layout_cut_register(&cut, to, part, (uint32_t)r)] = loaded[r];
    }
  }
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
  case CONVERT_SHUFFLE:
    convert_in_warp(s, &plan, element, from, x, to, out);
    break;
  case CONVERT_SHARED: return exchange_parts(s, op, element, from, x, to, out);
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
