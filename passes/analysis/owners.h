// owners.h -- the thread that accesses each byte of shared memory.
#ifndef TILE_PASSES_OWNERS_H
#define TILE_PASSES_OWNERS_H

#include "ir/layout.h"

// The ways in which a tile is moved to or from a buffer.
typedef enum {
  TOUCH_LOAD,
  TOUCH_STORE, // of several warps that hold an element, one stores it
  TOUCH_COPY,  // asynchronously
} TouchKind;

// The owner of each byte, if only one thread accesses it: `thread` maps the
// bits of the byte's number, from the start of the buffer, to the thread's
// number.
typedef struct {
  bool known;
  LinearMap thread;
} Owners;

Owners owners_of(const Layout *tile, const Layout *buffer, int64_t elem_bytes,
                 TouchKind kind);
// Do the two, which start at the same address, give each common byte to the
// same owner?
bool owners_agree(const Owners *a, const Owners *b);

#endif
