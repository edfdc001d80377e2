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
// Whether `size` bytes of it can be read: all, or 16 bits as of old.
bool special_has_size(SpecialId id, uint32_t size);
// Whether it describes the system's shared memory, which has a place of its
// own.
bool special_is_reserved(SpecialId id);

struct Warp;
// Writes the register's 32 values of `size` bytes to its place in the register
// file.
void special_fill(struct Warp *warp, SpecialId id, uint32_t size,
                  uint32_t offset);
bool special_varies(SpecialId id); // clocks: read again at each use

#endif
