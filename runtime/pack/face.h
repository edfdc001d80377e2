// face.h -- the C parameters of a kernel's function.
#ifndef TILE_RUNTIME_PACK_FACE_H
#define TILE_RUNTIME_PACK_FACE_H

#include "runtime/pack/pack.h"

typedef enum {
  AS_NOTHING,     // the same in all variants: no parameter
  AS_POINTER,     // to one type
  AS_ANY_POINTER, // with its type
  AS_NUMBER,      // of one type
  AS_INTEGER,
  AS_FLOAT,
  AS_BOOL,
  AS_DESCRIPTOR, // its address
  AS_TUPLE,      // its items, each a parameter
  AS_ARGUMENT,   // a TileArg
} Passing;

// The C form of a parameter, or of an item of a tuple.
typedef struct Face Face;
struct Face {
  Passing passing;
  TileDtype dtype;
  bool may_be_none;
  const PackSpec *constant; // of NOTHING; NULL: the variant's own
  const char *name;         // of the C parameter; TUPLE: of the array of items
  Face *items;
  int num_items;
  const char *const *names; // of a named tuple's items
};

static inline bool face_is_float(TileDtype dtype) {
  return dtype >= TILE_FP8E5 && dtype <= TILE_FP8E4B15;
}

// One for each parameter of the kernel, with distinct names.
Face *pack_faces(Arena *arena, const PackKernel *kernel);

#endif
