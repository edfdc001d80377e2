// bulk_lanes.c -- equal stores by many lanes.
//
// In CUTLASS a whole warp stores each box: each lane makes a copy of the same
// bytes to the same place.  The simulator makes one copy for the first lane and
// one for all others, as long as no lane knows accesses that others do not
// know: a write by one lane that the other lanes do not know is still found, by
// the first copy or by the second.
#include <string.h>

#include "runtime/simulator/async/bulk.h"

static bool is_same_box(const CopiedBox *a, const CopiedBox *b) {
  if (!a || !b) return a == b;
  return !memcmp(&a->map, &b->map, sizeof a->map) &&
         !memcmp(a->start, b->start, sizeof a->start);
}

static bool is_same(const BulkCopy *a, const BulkCopy *b) {
  return a->inst == b->inst && a->at == b->at && a->shared == b->shared &&
         a->size == b->size && a->global == b->global &&
         is_same_box(a->box, b->box);
}

bool bulk_joins(Warp *warp, const BulkCopy *plan) {
  if (!plan->to_global || plan->reduces || warp->parted || warp->knowing ||
      warp->num_bulks < warp->num_bulks_before + 2)
    return false;
  BulkCopy *last = &warp->bulks[warp->num_bulks - 1];
  if (!is_same(last, plan) ||
      warp->bulk_groups[last->lane] != warp->bulk_groups[plan->lane])
    return false;
  last->lanes |= UINT32_C(1) << plan->lane;
  return true;
}

// Lanes that share a copy have had the same number of groups, so that the copy
// is in the same group of each.
void bulk_commit(const Warp *warp, BulkCopy *copy, uint32_t lanes) {
  lanes &= copy->lanes & ~copy->grouped;
  if (!lanes) return;
  copy->group = warp->bulk_groups[__builtin_ctz(lanes)];
  copy->grouped |= lanes;
}

uint32_t bulk_lanes_past(const Warp *warp, const BulkCopy *copy, uint32_t lanes,
                         int64_t but) {
  uint32_t past = 0;
  lanes &= copy->grouped;
  for (int i = 0; lanes && i < LANES; i++)
    if (in_mask(lanes, i) &&
        copy->group + (uint64_t)but <= warp->bulk_groups[i])
      past |= UINT32_C(1) << i;
  return past;
}
