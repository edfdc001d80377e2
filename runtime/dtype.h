// dtype.h -- element types: names, and what an annotation means.
#ifndef TILE_RUNTIME_DTYPE_H
#define TILE_RUNTIME_DTYPE_H

#include "ir/type.h"
#include "tile/tile.h"

// TILE_DTYPE_NONE if there is none of that name; aliases are understood.
TileDtype dtype_find(const char *name, size_t length);
Elem dtype_elem(TileDtype dtype);
// "*fp32": static.
const char *dtype_pointer_name(TileDtype dtype);
bool dtype_is_float(TileDtype dtype);
bool dtype_is_unsigned(TileDtype dtype);
// Does an integer of that type hold `value`?
bool dtype_holds(TileDtype dtype, int64_t value);

typedef struct {
  TileDtype dtype; // NONE: the annotation fixes no type
  bool is_pointer;
} Annotation;

// Reads "tl.int64", "*fp16", "tl.pointer_type(tl.float32)", …
Annotation annotation_parse(const char *text);

#endif
