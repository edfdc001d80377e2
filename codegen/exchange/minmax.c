// minmax.c -- the smaller and the greater of elements in pairs.
//
// A pair is in two registers of a thread, in two lanes, or in two warps.  Which
// of the two gets the max depends on the register, and on the parity of some
// bits of the thread's number.
#include "codegen/gpu/simt.h"

#include "ir/flip.h"

#include <assert.h>

typedef struct {
  Simt *s;
  const Op *op;
  const Type *element;
  uint32_t reg, lane;   // bits in which the partner differs
  uint32_t upper;       // registers with an odd number of these take the max
  bool reverse;         // true: the min instead
  LLVMValueRef flipped; // this thread gets the opposite; NULL: none does
  LLVMValueRef *x, *out;
} Pairs;

static bool takes_max(const Pairs *p, uint32_t reg) {
  return linear_parity(reg & p->upper) != p->reverse;
}

static LLVMValueRef extreme(Pairs *p, bool greatest, LLVMValueRef x,
                            LLVMValueRef y) {
  return emit_intrinsic(p->s->e, greatest ? "llvm.smax" : "llvm.smin", 2,
                        (LLVMValueRef[]){x, y});
}

// y < x, or the opposite if `flipped`.
static LLVMValueRef is_less(Pairs *p, LLVMValueRef y, LLVMValueRef x,
                            LLVMValueRef flipped) {
  Simt *s = p->s;
  const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(x));
  if (bits != 32 && bits != 64) {
    LLVMValueRef less = LLVMBuildICmp(s->b, LLVMIntSLT, y, x, "");
    return LLVMBuildXor(s->b, less, flipped, "");
  }
  LLVMValueRef args[] = {y, x, flipped};
  return nvptx_asm(s,
                   bits == 32 ? "setp.lt.xor.s32 $0, $1, $2, $3;"
                              : "setp.lt.xor.s64 $0, $1, $2, $3;",
                   bits == 32 ? "=b,r,r,b" : "=b,l,l,b", int_type(s->e, 1), 3,
                   args, false);
}

// -- In the thread -----------------------------------------------------------

static void order_registers(Pairs *p, uint32_t r) {
  Simt *s = p->s;
  assert(r < (r ^ p->reg) && "a pair is ordered twice"); // I5
  const uint32_t other = r ^ p->reg;
  LLVMValueRef x = p->x[r], y = p->x[other], least, most;
  if (p->flipped) {
    LLVMValueRef less = is_less(p, y, x, p->flipped);
    least = emit_select(s->e, less, y, x);
    most = emit_select(s->e, less, x, y);
  } else {
    least = extreme(p, false, x, y);
    most = extreme(p, true, x, y);
  }
  p->out[r] = takes_max(p, r) ? most : least;
  p->out[other] = takes_max(p, other) ? most : least;
}

static void order_in_thread(Pairs *p) {
  const uint32_t count = (uint32_t)simt_count(op_result(p->op)->type);
  for (uint32_t r = 0; r < count; r++) {
    if (r < (r ^ p->reg)) order_registers(p, r);
  }
}

// -- Between threads ---------------------------------------------------------

// `y` is the partner's value for each register of this thread.
static void order_with(Pairs *p, LLVMValueRef const *y) {
  Simt *s = p->s;
  LLVMValueRef sides[2] = {p->flipped, NULL};
  if (p->flipped) sides[1] = LLVMBuildNot(s->b, p->flipped, "");
  const uint32_t count = (uint32_t)simt_count(op_result(p->op)->type);
  for (uint32_t r = 0; r < count; r++) {
    const bool greatest = takes_max(p, r);
    if (!p->flipped) {
      p->out[r] = extreme(p, greatest, p->x[r], y[r]);
      continue;
    }
    LLVMValueRef less = is_less(p, y[r], p->x[r], sides[greatest]);
    p->out[r] = emit_select(s->e, less, y[r], p->x[r]);
  }
}

static void order_in_warp(Pairs *p) {
  const uint32_t count = (uint32_t)simt_count(op_result(p->op)->type);
  LLVMValueRef *y = simt_new(p->s, (int)count);
  for (uint32_t r = 0; r < count; r++) {
    y[r] = simt_shuffle_xor(p->s, p->x[r ^ p->reg], (int)p->lane);
  }
  order_with(p, y);
}

// -- Between warps -----------------------------------------------------------

// In a turn each thread has a place in a row, for as many adjacent values as an
// access moves.
typedef struct {
  SimtAccess access;
  LLVMValueRef own, other; // byte offsets in the row
  int64_t bytes;
  int width; // elements
} ExchangeRow;

static ExchangeRow row_of(Pairs *p, uint32_t thread_flip) {
  enum { WIDEST = 16 };
  Simt *s = p->s;
  const int bytes = (int)emit_memory_bytes(p->element);
  const int count = simt_count(op_result(p->op)->type);
  int log2 = floor_log2(WIDEST / bytes);
  while (1 << log2 > count) log2--;
  const int size = bytes << log2;
  LLVMValueRef thread = simt_thread(s), scale = simt_i32(s, size);
  LLVMValueRef other =
      LLVMBuildXor(s->b, thread, simt_i32(s, (int64_t)thread_flip), "");
  return (ExchangeRow){.access = {.element = p->element,
                                  .log2_width = log2,
                                  .shared = true,
                                  .mode = ""},
                       .own = LLVMBuildMul(s->b, thread, scale, ""),
                       .other = LLVMBuildMul(s->b, other, scale, ""),
                       .bytes = (int64_t)size * s->group.num_warps *
                                s->e->target->warp_size,
                       .width = 1 << log2};
}

static bool order_in_block(Pairs *p, uint32_t thread_flip) {
  Simt *s = p->s;
  const int count = simt_count(op_result(p->op)->type);
  const ExchangeRow row = row_of(p, thread_flip);
  LLVMValueRef *y = simt_new(s, count), *got = simt_new(s, count);
  for (int r = 0; r < count; r += row.width) {
    Scratch scratch;
    if (!scratch_open(s, p->op, row.bytes, &scratch)) return false;
    simt_access_store(s, &row.access, scratch_address(s, &scratch, row.own),
                      NULL, p->x + r);
    scratch_publish(s);
    simt_access_load(s, &row.access, scratch_address(s, &scratch, row.other),
                     NULL, NULL, got + r);
  }
  for (int r = 0; r < count; r++) y[r] = got[(uint32_t)r ^ p->reg];
  order_with(p, y);
  return true;
}

// -- All ---------------------------------------------------------------------

bool simt_emit_minmaxsi(Simt *s, const Op *op) {
  const Value *x = op_operand(op, 0), *result = op_result(op);
  const Layout *layout = x->type->layout;
  const int registers = layout->num_bits[LAYOUT_REGISTER];
  const uint32_t flip = minmax_flip(op), upper = minmax_upper(op);
  Pairs p = {.s = s,
             .op = op,
             .element = type_element(x->type),
             .reg = layout_unpack(layout, LAYOUT_REGISTER, flip),
             .lane = layout_unpack(layout, LAYOUT_LANE, flip),
             .upper = layout_unpack(layout, LAYOUT_REGISTER, upper),
             .reverse = op_int(op, ATTR_reverse),
             .x = simt_get(s, x),
             .out = simt_new(s, simt_count(x->type))};
  if (upper >> registers) p.flipped = simt_parity(s, upper >> registers);
  if (layout_unpack(layout, LAYOUT_WARP, flip)) {
    if (!order_in_block(&p, flip >> registers)) return false;
  } else if (p.lane) {
    order_in_warp(&p);
  } else {
    order_in_thread(&p);
  }
  simt_set(s, result, p.out);
  return true;
}
