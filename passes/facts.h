// facts.h -- properties of a module that one pass establishes and another
// needs.
//
// They are found by looking at the IR, never remembered, so that IR text may
// enter the pipeline anywhere.
#ifndef TILE_PASSES_FACTS_H
#define TILE_PASSES_FACTS_H

#include "ir/op.h"
#include "ir/target.h"

typedef enum {
  FACT_LAYOUTS = 1 << 0,           // every tile in the module has a layout
  FACT_NO_BLOCK_POINTERS = 1 << 1, // nor descriptors without a tensor map
  FACT_SHARED = 1 << 2,            // buffers and scratch have their places
  FACT_BARRIERS = 1 << 3,   // no barrier is missing between uses of those
  FACT_MMA_CHOSEN = 1 << 4, // every dot of a GPU has the layout of its sums
  FACT_AXIS_NOTED = 1 << 5, // every access to memory says what is contiguous
  FACT_PIPELINED = 1 << 6,  // loads of loops that copies may bring are copies
} Fact;

enum { ALL_FACTS = 2 * FACT_PIPELINED - 1 };

// The facts of `facts` that do not hold.
unsigned facts_missing(const Module *m, unsigned facts, const Target *target);
const char *fact_name(Fact fact);

#endif
