// bulk_reach.c -- bulk copies between CTAs of a cluster.
#include <string.h>

#include "runtime/simulator/async/bulk.h"
#include "runtime/simulator/state/report.h"

enum { ALIGN = 16 };

bool bulk_may_tell(const Warp *warp, BulkCopy *plan, const Place *mbarrier) {
  plan->mbarrier = (uint32_t)mbarrier->offset;
  if (mbarrier->cta == plan->at) return true;
  report(
      warp, plan->inst, plan->lane, KIND_INVALID,
      "a copy to shared memory of one CTA that tells an mbarrier of another");
  return false;
}

// Starts a copy for each CTA in the mask, at the same places of each.
Step bulk_multicast(Warp *warp, const BulkCopy *plan, uint32_t mask) {
  const uint32_t size = cluster_size(warp->cta);
  if (!mask || mask >> size)
    return report(warp, plan->inst, plan->lane, KIND_INVALID,
                  "a multicast to CTAs 0x%x of a cluster of %u", mask, size);
  for (uint32_t rank = 0; rank < size; rank++) {
    BulkCopy copy = *plan;
    if (!(mask >> rank & 1)) continue;
    copy.at = cluster_at(warp->cta, rank);
    copy.at->is_visited = copy.at->is_visited || copy.at != warp->cta;
    if (copy.at->is_done &&
        report(warp, plan->inst, plan->lane, KIND_PEER_EXITED,
               "a multicast to CTA %u of the cluster, which has returned",
               rank) == STEP_FAULT)
      return STEP_FAULT;
    if (copy.at != warp->cta && !mbarrier_may_tell(warp, plan->inst, plan->lane,
                                                   copy.at, copy.mbarrier))
      return STEP_FAULT;
    if (bulk_start(warp, &copy) != STEP_NEXT) return STEP_FAULT;
  }
  return STEP_NEXT;
}

bool bulk_find_own(Warp *warp, BulkCopy *plan) {
  Place place;
  if (!memory_place_aligned(warp, plan->inst, plan->lane, SPACE_SHARED,
                            lane_address(warp, plan->inst->op + 3, plan->lane),
                            plan->size, ALIGN, ACCESS_READ, &place))
    return false;
  plan->source = (uint32_t)place.offset;
  if (place.cta == warp->cta) return true;
  report(warp, plan->inst, plan->lane, KIND_INVALID,
         "a copy from the memory of rank %u, not from one's own",
         place.cta->rank);
  return false;
}

void bulk_take_own(const Warp *warp, const BulkCopy *copy) {
  memcpy(copy->data, warp->cta->shared + copy->source, copy->size);
}
