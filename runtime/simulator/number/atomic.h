// atomic.h -- atomic operations on the memory of the host.
#ifndef TILE_SIMULATOR_ATOMIC_H
#define TILE_SIMULATOR_ATOMIC_H

#include "runtime/simulator/code/code.h"

// Updates the element at `host` by b, and for cas by c, atomically; returns the
// old value.  `flush`: subnormals of f32 count as zeros.
uint64_t atomic_update(const Inst *inst, uint8_t *host, uint64_t b, uint64_t c,
                       bool flush, bool *changed);
// The same for an operation and a type without an instruction.
void atomic_apply(WordId op, TypeId type, bool flush, uint8_t *host,
                  uint64_t value);

#endif
