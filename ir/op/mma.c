// mma.c -- search for a matrix instruction.
//
// An 8-bit float is exact in fp16, so the instruction for fp16 is used if there
// is none for the 8-bit type.
#include "ir/mma.h"

const Mma mma_table[] = {
#define MMA(m, n, k, a, b, acc, types, capability, ptx)                        \
  {m, n, k, ELEM_##a, ELEM_##b, ELEM_##acc, types, capability, ptx},
#include "ir/op/mma.def"
};
const int mma_count = sizeof mma_table / sizeof *mma_table;

static const Mma *find_pair(const Target *target, Elem a, Elem b, Elem acc,
                            int64_t k) {
  for (int i = 0; i < mma_count; i++) {
    const Mma *mma = &mma_table[i];
    if (mma->elem != a || mma->elem_b != b || mma->acc != acc || mma->k > k)
      continue;
    if ((target->capabilities & mma->capability) == mma->capability) {
      return mma;
    }
  }
  return NULL;
}

static const Mma *find(const Target *target, Elem elem, Elem acc, int64_t k) {
  return find_pair(target, elem, elem, acc, k);
}

const Mma *mma_turned(const Mma *mma) {
  if (mma->elem == mma->elem_b) return mma;
  for (int i = 0; i < mma_count; i++) {
    const Mma *other = &mma_table[i];
    if (other->elem == mma->elem_b && other->elem_b == mma->elem &&
        other->acc == mma->acc && other->k == mma->k)
      return other;
  }
  return NULL;
}

static MmaPlan plan_f32(const Target *target, Precision precision, int64_t k) {
  switch (precision) {
  case PRECISION_tf32: return (MmaPlan){find(target, ELEM_f32, ELEM_f32, k), 1};
  case PRECISION_tf32x3:
    return (MmaPlan){find(target, ELEM_f32, ELEM_f32, k), 2};
  case PRECISION_bf16x3:
    return (MmaPlan){find(target, ELEM_bf16, ELEM_f32, k), 2};
  case PRECISION_bf16x6:
    return (MmaPlan){find(target, ELEM_bf16, ELEM_f32, k), 3};
  default: return (MmaPlan){NULL, 1};
  }
}

MmaPlan mma_plan(const Target *target, const Op *dot) {
  const Type *a = op_operand(dot, 0)->type, *b = op_operand(dot, 1)->type;
  const Elem acc = op_operand(dot, 2)->type->elem;
  const int64_t k = a->shape[a->rank - 1];
  if (a->elem == ELEM_f32) {
    return plan_f32(target, (Precision)op_int(dot, ATTR_precision), k);
  }
  const Mma *mma = find_pair(target, a->elem, b->elem, acc, k);
  const bool is_f8 =
      elem_info[a->elem].is_float && elem_info[a->elem].bits == 8;
  if (!mma && is_f8) mma = find(target, ELEM_f16, acc, k);
  return (MmaPlan){mma, 1};
}
