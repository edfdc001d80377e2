// visits.h -- accesses by others of a cluster to the memory of a CTA that ends.
//
// Shared memory is there until all threads of its CTA have returned.  Who is at
// it from elsewhere must be done before, and some thread of the CTA must know.
#ifndef TILE_SIMULATOR_VISITS_H
#define TILE_SIMULATOR_VISITS_H

#include "runtime/simulator/state/exec.h"

// All its threads have returned: reports accesses that may come later.
void visits_check(Cta *cta);

#endif
