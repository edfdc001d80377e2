// map_reads.c -- the reads of tensor maps by copies under way.
//
// A copy by a tensor map may read the map at any time until it is over.  Its
// values are those of its start; a change of the map in between races with it.
// Maps in parameters never change.
#include "runtime/simulator/async/bulk.h"
#include "runtime/simulator/watch/watch.h"

typedef RacePage *MapStep(Warp *warp, const BulkCopy *copy, const Place *place);

static RacePage *start(Warp *warp, const BulkCopy *copy, const Place *place) {
  return shadow_copy_marks(warp, copy->inst, copy->lane, place,
                           TENSOR_MAP_ALIGN);
}

static RacePage *end(Warp *warp, const BulkCopy *copy, const Place *place) {
  return shadow_copy_ends(warp, copy->inst, copy->lane, place, TENSOR_MAP_ALIGN,
                          copy->started);
}

// The map may be in two pages of the race checker.
static void each_half(Warp *warp, const BulkCopy *copy, MapStep *step) {
  for (uint32_t i = 0; i < TENSOR_MAP_BYTES; i += TENSOR_MAP_ALIGN) {
    Place place;
    if (memory_place_aligned(warp, copy->inst, copy->lane, SPACE_GENERIC,
                             copy->map + i, TENSOR_MAP_ALIGN, TENSOR_MAP_ALIGN,
                             ACCESS_READ, &place))
      shadow_exit(step(warp, copy, &place));
  }
}

void map_read_starts(Warp *warp, const BulkCopy *copy) {
  if (copy->map) each_half(warp, copy, start);
}

void map_read_ends(Warp *warp, BulkCopy *copy) {
  if (copy->map) each_half(warp, copy, end);
  copy->map = 0;
}
