// address.h -- facts about addresses of global memory.
//
// Pointers to different arguments of the kernel are taken to be apart, and so
// are the rows of a tensor: a stride that is not known is taken to be at least
// as long as what lies between its multiples.
#ifndef TILE_PASSES_ADDRESS_H
#define TILE_PASSES_ADDRESS_H

#include "ir/op.h"

// The kernel's argument that an address, a block pointer or a descriptor is
// computed from; NULL: unknown.
const Value *address_base(const Value *ptr);

// The op that makes a block pointer or a descriptor, which may have been moved
// since; NULL: unknown.
Op *address_window(const Value *window);

// Are all addresses of the tile different?
bool address_is_distinct(const Value *ptr);

// The addresses of an op in a later trip of a `for`, compared with this trip's.
typedef enum {
  MOTION_NONE,   // the same ones
  MOTION_APART,  // others
  MOTION_STRIDE, // moved as a whole, who knows how far
  MOTION_ANY,
} Motion;

Motion address_motion(const Value *ptr, const Op *loop);

#endif
