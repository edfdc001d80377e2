// remote.h -- running stores and reductions that complete at an mbarrier.
#ifndef TILE_SIMULATOR_REMOTE_H
#define TILE_SIMULATOR_REMOTE_H

#include "runtime/simulator/watch/proxy.h"

// Ends the stores that complete at the mbarrier at that offset of the CTA, with
// a random schedule some of them later; or all stores that the CTA has started.
Step remote_finish_at(Cta *cta, uint32_t mbarrier);
Step remote_finish_all(Cta *cta);
void remote_reset(Warp *warp);   // forgets the warp's stores
void remote_destroy(Warp *warp); // and frees them

#endif
