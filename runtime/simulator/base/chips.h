// chips.h -- the chips that can be simulated.
#ifndef TILE_SIMULATOR_CHIPS_H
#define TILE_SIMULATOR_CHIPS_H

#include <stddef.h>
#include <stdint.h>

typedef struct Chip {
  const char *name, *product;
  int major, minor, processors, threads, blocks, shared_kb, shared_max_kb;
  int memory_gb, l2_mb, clock_mhz;
} Chip;

// Bytes of a CTA's shared memory that the driver keeps for itself.
static inline size_t chip_reserved(const Chip *chip) {
  return chip->major < 8 ? 0 : 1024;
}

// The granularity of a CTA's shared memory.
static inline uint32_t chip_shared_unit(const Chip *chip) {
  return chip->major < 8 ? 256 : 128;
}

// NULL: there is no chip of that name.  A NULL name is the default chip.
const Chip *chip_find(const char *name);

#endif
