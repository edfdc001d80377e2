// strength.c -- the strength of an access, from the words of its instruction.
#include "runtime/simulator/order/order.h"

static Reach reach_of(WordId scope, Reach otherwise) {
  switch (scope) {
  case WORD_NONE: return otherwise;
  case WORD_CTA:
  case WORD_CLUSTER: return REACH_CTA;
  default: return REACH_GPU;
  }
}

Strength strength_of(const Inst *inst, bool is_atomic) {
  const WordId order = (WordId)inst->order;
  if (!is_atomic && (order == WORD_NONE || order == WORD_WEAK))
    return (Strength){.reach = REACH_NONE};
  const bool both = order == WORD_ACQ_REL || order == WORD_SC;
  return (Strength){.reach = reach_of((WordId)inst->scope, REACH_GPU),
                    .acquires = both || order == WORD_ACQUIRE,
                    .releases = both || order == WORD_RELEASE};
}
