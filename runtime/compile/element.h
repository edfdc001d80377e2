// element.h -- element types: their names, and annotations.
#ifndef TILE_RUNTIME_ELEMENT_H
#define TILE_RUNTIME_ELEMENT_H

#include "ir/type.h"
#include "tile/tile.h"

// TILE_DTYPE_NONE if there is no type of that name; aliases are names, too.
TileDtype element_find(const char *name, size_t length);
Elem element_ir(TileDtype dtype);
// A number as the bits of an element of a float type, and back.
uint64_t element_encode(TileDtype dtype, double value);
double element_decode(TileDtype dtype, uint64_t bits);
// The same for any type; integers are truncated towards zero, and a number
// outside of 64 bits is 0.
uint64_t element_of_number(TileDtype dtype, double value);
// "*fp32", a static string.
const char *element_pointer_name(TileDtype dtype);
static inline bool element_is_float(TileDtype dtype) {
  return dtype >= TILE_FP8E5 && dtype <= TILE_FP8E4B15;
}
bool element_is_unsigned(TileDtype dtype);
// Whether an integer of that type can hold `value`.
bool element_holds(TileDtype dtype, int64_t value);

typedef struct {
  TileDtype dtype; // NONE: the annotation fixes no type
  bool is_pointer;
} Annotation;

// Reads "tl.int64", "*fp16", "tl.pointer_type(tl.float32)", …
Annotation annotation_parse(const char *text);

#endif
