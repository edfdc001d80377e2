// mma.c -- looking for a matrix instruction.
//
// An 8-bit float is exact in fp16, so that where there is no instruction for it
// the one for fp16 serves.
#include "ir/mma.h"

const Mma mma_table[] = {
#define MMA(m, n, k, elem, acc, types, capability)                             \
  {m, n, k, ELEM_##elem, ELEM_##acc, types, capability},
#include "ir/mma.def"
};
const int mma_count = sizeof mma_table / sizeof *mma_table;

static const Mma *find(const Target *target, Elem elem, Elem acc, int64_t k) {
  for (int i = 0; i < mma_count; i++) {
    const Mma *mma = &mma_table[i];
    if (mma->elem != elem || mma->acc != acc || mma->k > k) continue;
    if ((target->capabilities & mma->capability) == mma->capability) {
      return mma;
    }
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
  const Mma *mma = a->elem == b->elem ? find(target, a->elem, acc, k) : NULL;
  const bool is_f8 =
      elem_info[a->elem].is_float && elem_info[a->elem].bits == 8;
  if (!mma && is_f8) mma = find(target, ELEM_f16, acc, k);
  return (MmaPlan){mma, 1};
}
