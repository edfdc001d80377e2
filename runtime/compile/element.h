// element.h -- element types: names, and what an annotation means.
#ifndef TILE_RUNTIME_ELEMENT_H
#define TILE_RUNTIME_ELEMENT_H

#include "ir/type.h"
#include "tile/tile.h"

// TILE_DTYPE_NONE if there is none of that name; aliases are understood.
TileDtype element_find(const char *name, size_t length);
Elem element_ir(TileDtype dtype);
// A number as the bits of an element of a float type, and back.
uint64_t element_encode(TileDtype dtype, double value);
double element_decode(TileDtype dtype, uint64_t bits);
// The same of any type; integers are cut towards zero, and a number that no 64
// bits hold is 0.
uint64_t element_of_number(TileDtype dtype, double value);
// "*fp32": static.
const char *element_pointer_name(TileDtype dtype);
static inline bool element_is_float(TileDtype dtype) {
  return dtype >= TILE_FP8E5 && dtype <= TILE_FP8E4B15;
}
bool element_is_unsigned(TileDtype dtype);
// Does an integer of that type hold `value`?
bool element_holds(TileDtype dtype, int64_t value);

typedef struct {
  TileDtype dtype; // NONE: the annotation fixes no type
  bool is_pointer;
} Annotation;

// Reads "tl.int64", "*fp16", "tl.pointer_type(tl.float32)", …
Annotation annotation_parse(const char *text);

#endif
