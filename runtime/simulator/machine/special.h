// special.h -- special registers.
#ifndef TILE_SIMULATOR_SPECIAL_H
#define TILE_SIMULATOR_SPECIAL_H

#include "runtime/simulator/code/code.h"

typedef enum {
#define SPECIAL(id, spelling, type, chip) SPECIAL_##id,
#include "runtime/simulator/machine/special.def"
  NUM_SPECIALS
} SpecialId;

int special_find(const char *name); // -1: no such register
TypeId special_type(SpecialId id);
int special_chip(SpecialId id); // first chip with it
// Whether the register can be read as `size` bytes: its own size, or a smaller
// one that it had in earlier releases of PTX.
bool special_has_size(SpecialId id, uint32_t size);
// Whether the register describes the shared memory that the system reserves.
bool special_is_reserved(SpecialId id);

struct Warp;
// Writes the register's 32 values of `size` bytes to its place in the register
// file.
void special_fill(struct Warp *warp, SpecialId id, uint32_t size,
                  uint32_t offset);
bool special_varies(SpecialId id); // clocks: read again at each use

#endif
