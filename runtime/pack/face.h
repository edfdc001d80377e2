// face.h -- how the C function of a kernel takes each parameter.
#ifndef TILE_RUNTIME_PACK_FACE_H
#define TILE_RUNTIME_PACK_FACE_H

#include "runtime/pack/pack.h"

typedef enum {
  AS_NOTHING,     // the same in all variants
  AS_POINTER,     // of one type
  AS_ANY_POINTER, // its type is told, too
  AS_NUMBER,      // of one type
  AS_INTEGER,
  AS_FLOAT,
  AS_BOOL,
  AS_DESCRIPTOR, // by its address
  AS_TUPLE,      // by its items, each a parameter of its own
  AS_ARGUMENT,   // a TileArg
} Passing;

// The way in which a parameter is passed, or an item of a tuple.
typedef struct Face Face;
struct Face {
  Passing passing;
  TileDtype dtype;
  bool may_be_none;
  const PackSpec *constant; // of NOTHING; NULL: as the variant has it
  const char *name;         // of the C parameter; TUPLE: of the array of items
  Face *items;
  int num_items;
  const char *const *names; // of a named tuple's items
};

static inline bool face_is_float(TileDtype dtype) {
  return dtype >= TILE_FP8E5 && dtype <= TILE_FP8E4B15;
}

// One for each parameter of the kernel, with names that differ.
Face *pack_faces(Arena *arena, const PackKernel *kernel);

#endif
