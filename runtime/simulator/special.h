// special.h -- special registers.
#ifndef TILE_SIMULATOR_SPECIAL_H
#define TILE_SIMULATOR_SPECIAL_H

#include "runtime/simulator/code.h"

typedef enum {
#define SPECIAL(id, spelling, type) SPECIAL_##id,
#include "runtime/simulator/special.def"
  NUM_SPECIALS
} SpecialId;

int special_find(const char *name); // -1 where there is none
TypeId special_type(SpecialId id);

struct Warp;
// Writes the register's 32 values to its place in the file.
void special_fill(struct Warp *warp, SpecialId id, uint32_t offset);
bool special_varies(SpecialId id); // clocks: read anew at each use

#endif
