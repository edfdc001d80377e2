// owners.h -- which thread touches which byte of shared memory.
#ifndef TILE_PASSES_OWNERS_H
#define TILE_PASSES_OWNERS_H

#include "ir/layout.h"

// The ways in which a tile meets a buffer.
typedef enum {
  TOUCH_LOAD,
  TOUCH_STORE, // of several warps that hold an element, one stores it
  TOUCH_COPY,  // asynchronously
} TouchKind;

// The thread that accesses each byte, if it is one alone: `thread` maps the
// bits of the byte's number, from the start of the buffer, to that thread's
// number.
typedef struct {
  bool known;
  LinearMap thread;
} Owners;

Owners owners_of(const Layout *tile, const Layout *buffer, int64_t elem_bytes,
                 TouchKind kind);
// Has each byte that both reach the same owner?  They start at one place.
bool owners_agree(const Owners *a, const Owners *b);

#endif
