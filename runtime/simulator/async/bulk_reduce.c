// bulk_reduce.c -- which reductions cp.reduce.async.bulk has.
#include "runtime/simulator/code/pick.h"

// Sums of small floats say that they keep subnormals, and nothing else does.
static bool may_reduce(const Form *form) {
  const TypeId type = (TypeId)form->types[0];
  const bool is_small = type == TYPE_F16 || type == TYPE_BF16;
  const bool keeps = WORD_OF(form, NOFTZ), adds = WORD_OF(form, OP) == WORD_ADD;
  if (keeps != (is_small && adds)) return false;
  switch (WORD_OF(form, OP)) {
  case WORD_ADD:
    return is_small || type == TYPE_F32 || type == TYPE_F64 ||
           type == TYPE_U32 || type == TYPE_S32 || type == TYPE_U64;
  case WORD_MIN:
  case WORD_MAX:
    return is_small || type == TYPE_U32 || type == TYPE_S32 ||
           type == TYPE_U64 || type == TYPE_S64;
  case WORD_INC:
  case WORD_DEC: return type == TYPE_U32;
  case WORD_AND:
  case WORD_OR:
  case WORD_XOR: return type == TYPE_B32 || type == TYPE_B64;
  default: return false;
  }
}

ExecFn pick_bulk_reduce(const Form *form, Inst *inst) {
  return WORD_OF(form, REDUCE) && may_reduce(form) ? pick_bulk_store(form, inst)
                                                   : NULL;
}
