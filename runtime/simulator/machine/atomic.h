// atomic.h -- atomic operations on the memory of the host.
#ifndef TILE_SIMULATOR_ATOMIC_H
#define TILE_SIMULATOR_ATOMIC_H

#include "runtime/simulator/memory/memory.h"

// Combines the value with the one of that type at the place, in one step;
// `flush`: subnormals of f32 count as zeros.
void atomic_apply(WordId op, TypeId type, bool flush, const Place *place,
                  uint64_t value);

#endif
