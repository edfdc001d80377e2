// layout_cut.h -- a tile in parts that go through shared memory in turn.
//
// If one register bit alone holds a bit of an element's position, both in the
// stored and in the loaded layout, that bit separates two halves of the tile:
// every thread stores and loads half of its registers for each.
#ifndef TILE_IR_LAYOUT_CUT_H
#define TILE_IR_LAYOUT_CUT_H

#include "ir/layout_access.h"

typedef struct {
  int log2_parts;
  uint32_t position[LINEAR_MAX]; // bit i of a part's number to a position bit
  const Layout *store, *load;    // of one part, as a smaller tile
  const Layout *through;         // the cheapest layout between them
  int64_t cost;                  // of all parts, by layout_use_cost()
} LayoutCut;

// Cuts elements of `elem_bits` into 2^log2_parts parts, by the last registers
// of the loaded layout.  False if that number is not possible, or would
// split vectors.
bool layout_cut(LayoutTable *table, const SharedUse *store,
                const SharedUse *load, int elem_bits, int log2_parts,
                LayoutCut *out);
// `load` with warp bits and register bits exchanged until 2^log2_parts parts
// are possible, or as many as can be; runs and lanes are kept.
const Layout *layout_for_cut(LayoutTable *table, const Layout *store,
                             const Layout *load, int elem_bits, int log2_parts);
// The register of `whole`, the layout that was cut, for a register of a part.
uint32_t layout_cut_register(const LayoutCut *cut, const Layout *whole,
                             uint32_t part, uint32_t reg);

#endif
