// minmax.c -- the smaller and the greater of elements in pairs.
//
// Both elements are in a buffer.  If the lanes of a vector run along the axis,
// those of the partners are lanes of one vector, too, in another order: their
// positions differ by an XOR, whose low bits select the lane.
#include "codegen/host/nest.h"

#include "ir/linear.h"

static LLVMValueRef flip_lanes(Host *h, LLVMValueRef x, int lanes, int64_t by) {
  if (!by) return x;
  LLVMValueRef numbers = lane_numbers(h->e, 32, lanes);
  LLVMValueRef from = LLVMConstXor(numbers, const_int(LLVMTypeOf(numbers), by));
  return LLVMBuildShuffleVector(h->b, x, LLVMGetPoison(LLVMTypeOf(x)), from,
                                "");
}

// Is an odd number of the bits of `upper` set in the position?  An i1.
static LLVMValueRef is_upper(Host *h, LLVMValueRef at, int64_t upper) {
  LLVMValueRef bits = LLVMBuildAnd(h->b, at, host_i64(h, upper), "");
  LLVMValueRef count = emit_intrinsic(h->e, "llvm.ctpop", 1, &bits);
  return LLVMBuildTrunc(h->b, count, int_type(h->e, 1), "");
}

// The same for each lane of a vector that starts at `at`.
static LLVMValueRef are_upper(Host *h, LLVMValueRef at, int64_t upper,
                              int lanes) {
  LLVMTypeRef i1 = int_type(h->e, 1);
  LLVMValueRef *items = arena_array(h->e->arena, LLVMValueRef, (size_t)lanes);
  for (int i = 0; i < lanes; i++) {
    items[i] = const_int(i1, linear_parity((uint64_t)(i & upper)));
  }
  LLVMValueRef low = LLVMConstVector(items, (unsigned)lanes);
  const int64_t high = upper & -(int64_t)lanes;
  if (!high) return low;
  return LLVMBuildXor(h->b, low, splat(h->e, is_upper(h, at, high), lanes), "");
}

static LLVMValueRef extreme(Host *h, const char *name, LLVMValueRef x,
                            LLVMValueRef y) {
  return emit_intrinsic(h->e, name, 2, (LLVMValueRef[]){x, y});
}

LLVMValueRef minmax_at(Nest *nest, const Op *op, const Index *index) {
  Host *h = nest->h;
  const Value *source = op_operand(op, 0);
  const int axis = (int)op_int(op, ATTR_axis);
  const int64_t distance = op_int(op, ATTR_distance);
  const int64_t upper = op_int(op, ATTR_upper);
  const bool along = index->vec == axis;
  const int64_t within = along ? distance & (index->lanes - 1) : 0;
  nest_seek(nest, index_level(index, source->type));
  Index other = *index;
  other.at[axis].at = LLVMBuildXor(h->b, index->at[axis].at,
                                   host_i64(h, distance - within), "");
  LLVMValueRef x = buffer_read(nest, source, index);
  LLVMValueRef y = distance == within ? x : buffer_read(nest, source, &other);
  y = flip_lanes(h, y, index->lanes, within);
  LLVMValueRef least = extreme(h, "llvm.smin", x, y);
  LLVMValueRef most = extreme(h, "llvm.smax", x, y);
  LLVMValueRef odd = along
                         ? are_upper(h, index->at[axis].at, upper, index->lanes)
                         : is_upper(h, index->at[axis].at, upper);
  const bool reverse = op_int(op, ATTR_reverse);
  return emit_select(h->e, odd, reverse ? least : most, reverse ? most : least);
}
