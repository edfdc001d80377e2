// visits.h -- checks accesses by other CTAs of a cluster to the memory of a CTA
// that ends.
//
// Shared memory exists until all threads of its CTA have returned.  Accesses of
// other CTAs must be over before that, and a thread of the CTA must know it.
#ifndef TILE_SIMULATOR_VISITS_H
#define TILE_SIMULATOR_VISITS_H

#include "runtime/simulator/state/exec.h"

// Reports accesses that may come after all threads of the CTA have returned.
void visits_check(Cta *cta);

#endif
