// address.h -- facts about addresses of global memory.
//
// Two assumptions are made.  Pointers to different arguments of the kernel do
// not alias, unless the kernel has the attribute `overlap`; nor, for tensor
// maps, do pointers that are loaded from them.  The rows of a tensor do not
// overlap: an unknown stride is at least as long as the elements between its
// multiples.
#ifndef TILE_PASSES_ADDRESS_H
#define TILE_PASSES_ADDRESS_H

#include "ir/op.h"

// The argument of the kernel from which an address, a block pointer or a
// descriptor is computed; NULL: unknown, as all are if arguments may overlap.
const Value *address_base(const Value *ptr);

// A piece of memory: the memory to which an argument points, or, if
// `is_loaded`, the memory behind the pointers that are loaded from there.
typedef struct {
  const Value *argument; // NULL: unknown
  bool is_loaded;
} AddressRoot;

AddressRoot address_root(const Value *ptr);
bool roots_are_apart(AddressRoot x, AddressRoot y);

// The op that made a block pointer or a descriptor, before any advance; NULL:
// unknown.
Op *address_window(const Value *window);

// Are all addresses of the tile different?
bool address_is_distinct(const Value *ptr);

// The addresses of an op in a later trip of a `for`, compared with this trip's.
typedef enum {
  MOTION_NONE,   // the same addresses
  MOTION_APART,  // other addresses
  MOTION_STRIDE, // moved by an unknown distance
  MOTION_ANY,
} Motion;

Motion address_motion(const Value *ptr, const Op *loop);

#endif
