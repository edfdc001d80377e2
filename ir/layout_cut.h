// layout_cut.h -- a tile in parts that go through shared memory in turn.
//
// A bit of an element's position that one register bit alone holds, in the
// layout that is stored and in the one that is loaded, separates two halves of
// the tile: every thread stores and loads half of its registers for each.
#ifndef TILE_IR_LAYOUT_CUT_H
#define TILE_IR_LAYOUT_CUT_H

#include "ir/layout_access.h"

typedef struct {
  int log2_parts;
  uint32_t position[LINEAR_MAX]; // bit i of a part's number: a bit of positions
  const Layout *store, *load;    // of one part, as a smaller tile
  const Layout *through;         // the cheapest layout between them
  int64_t cost;                  // of all parts, as layout_use_cost()
} LayoutCut;

// 2^log2_parts parts of elements of `elem_bits`: the loaded layout's last
// registers apart.
// False if there are not so many, or vectors would be torn.
bool layout_cut(LayoutTable *table, const SharedUse *store,
                const SharedUse *load, int elem_bits, int log2_parts,
                LayoutCut *out);
// `load` with bits of warps and of registers swapped until 2^log2_parts parts
// could be cut, or as many as there can be: runs and lanes stay as they are.
const Layout *layout_for_cut(LayoutTable *table, const Layout *store,
                             const Layout *load, int elem_bits, int log2_parts);
// The register of `whole`, the layout that was cut, for one of a part.
uint32_t layout_cut_register(const LayoutCut *cut, const Layout *whole,
                             uint32_t part, uint32_t reg);

#endif
