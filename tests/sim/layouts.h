// layouts.h -- offsets of fields in the structs of layouts.def.
#ifndef TILE_TESTS_SIM_LAYOUTS_H
#define TILE_TESTS_SIM_LAYOUTS_H

#include <stddef.h>

typedef struct {
  const char *name;
  size_t size, offset; // of the struct, of the field in it
} Layout;

// The simulator's own layouts, `*count` of them.
const Layout *our_layouts(size_t *count);

#endif
