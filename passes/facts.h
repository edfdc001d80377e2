// facts.h -- properties of a module that one pass establishes and another
// needs.
//
// They are tested on the IR, never remembered, so that IR text may enter the
// pipeline anywhere.
#ifndef TILE_PASSES_FACTS_H
#define TILE_PASSES_FACTS_H

#include "ir/op.h"
#include "ir/target.h"

typedef enum {
  FACT_LAYOUTS = 1 << 0,           // every tile in the module has a layout
  FACT_NO_BLOCK_POINTERS = 1 << 1, // only descriptors with tensor maps, either
  FACT_SHARED = 1 << 2,            // buffers and scratch have addresses
  FACT_BARRIERS = 1 << 3,          // no barrier is missing between their uses
  FACT_MMA_CHOSEN = 1 << 4, // on a GPU, every dot has the layout of its sums
  FACT_AXIS_NOTED = 1 << 5, // every memory access has its contiguity
  FACT_PIPELINED = 1 << 6,  // loads of loops have become copies, where possible
} Fact;

enum { ALL_FACTS = 2 * FACT_PIPELINED - 1 };

// The facts among `facts` that are false.
unsigned facts_missing(const Module *m, unsigned facts, const Target *target);
const char *fact_name(Fact fact);

#endif
