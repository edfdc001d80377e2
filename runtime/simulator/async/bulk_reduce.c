// bulk_reduce.c -- reductions by bulk copies, and their valid forms.
#include <string.h>

#include "runtime/simulator/async/bulk.h"
#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/number/atomic.h"
#include "runtime/simulator/watch/watch.h"

// Each element is an atomic operation.
void bulk_reduce_global(Warp *warp, const BulkCopy *copy, uint32_t at,
                        const Place *place, uint32_t size) {
  uint8_t bytes[RACE_PAGE_BYTES];
  const TypeId type = (TypeId)copy->type;
  const uint32_t each = type_table[type].bytes;
  if (copy->box)
    tensor_give(copy, at, bytes, size);
  else
    memcpy(bytes, copy->data + at, size);
  for (uint32_t i = 0; i < size; i += each) {
    const Place element = {place->host + i, place->space, place->offset + i,
                           place->cta};
    uint64_t value = 0;
    memcpy(&value, bytes + i, each);
    RacePage *page = shadow_enter(warp, copy->inst, copy->lane, &element, each,
                                  ACCESS_ATOMIC, NULL);
    if (!copy->written)
      atomic_apply((WordId)copy->inst->bool_op, type, copy->flushes,
                   element.host, value);
    shadow_exit(page);
  }
}

void bulk_reduce_own(Warp *warp, const BulkCopy *copy, uint32_t at,
                     uint32_t size) {
  const TypeId type = (TypeId)copy->type;
  const uint32_t each = type_table[type].bytes;
  (void)warp;
  for (uint32_t i = at; i < at + size; i += each) {
    uint64_t value = 0;
    memcpy(&value, copy->data + i, each);
    atomic_apply((WordId)copy->inst->bool_op, type, false,
                 copy->at->shared + copy->shared + i, value);
  }
}

// -- Forms -------------------------------------------------------------------

// Sums of f16 and bf16 must have .noftz, and no other reduction may.
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

bool bulk_may_reduce_shared(const Form *form) {
  const TypeId type = (TypeId)form->types[0];
  if (!WORD_OF(form, REDUCE) || WORD_OF(form, SPACE) != WORD_SHARED_CLUSTER ||
      WORD_OF(form, SPACE2) != WORD_SHARED_CTA)
    return false;
  switch (WORD_OF(form, OP)) {
  case WORD_ADD:
    return type == TYPE_U32 || type == TYPE_S32 || type == TYPE_U64;
  case WORD_MIN:
  case WORD_MAX: return type == TYPE_U32 || type == TYPE_S32;
  case WORD_INC:
  case WORD_DEC: return type == TYPE_U32;
  case WORD_AND:
  case WORD_OR:
  case WORD_XOR: return type == TYPE_B32;
  default: return false;
  }
}
