// visits.h -- accesses by others of a cluster to the memory of a CTA that ends.
//
// Shared memory is there until all threads of its CTA have returned.  Accesses
// of other CTAs must be over before, and some thread of the CTA must know.
#ifndef TILE_SIMULATOR_VISITS_H
#define TILE_SIMULATOR_VISITS_H

#include "runtime/simulator/state/exec.h"

// Reports accesses that may come after all threads of the CTA have returned.
void visits_check(Cta *cta);

#endif
