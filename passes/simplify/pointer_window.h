// pointer_window.h -- loads and stores by tiles of pointers that are windows.
//
// A window is an address and, along each axis, positions from a first one,
// which the program computes, times a stride that is a launch value; bounds, if
// there are any, are those of the tensor.
#ifndef TILE_PASSES_POINTER_WINDOW_H
#define TILE_PASSES_POINTER_WINDOW_H

#include "passes/simplify/index_sum.h"
#include "passes/simplify/tensor_maps.h"

// No sum contains an axis; those of the map contain launch values only.
typedef struct PointerWindow {
  int rank;                  // of the tile
  int order[INDEX_MAX_AXES]; // for each axis of the map, that of the tile; the
                             // last has stride 1
  Value *start;              // of the map, plus
  IndexSum known;            // in elements
  bool ends[INDEX_MAX_AXES]; // axes of the tile with bounds
  IndexSum sizes[INDEX_MAX_AXES];
  IndexTerm strides[INDEX_MAX_AXES];
  IndexSum places[INDEX_MAX_AXES]; // the first positions, computed by the
                                   // program
  int num_outer;                   // outer dimensions, over separate tensors
  IndexTerm outer_strides[BASE_MAX_OUTER];
  IndexSum outer_places[BASE_MAX_OUTER];
} PointerWindow;

// Is the tile an operand of a dot, perhaps after conversion, scaling or
// rearrangement?
bool tile_feeds_dot(const Value *tile);

// May a map be faster for this load or store?
bool pointer_wants_map(const Op *access);

// False: it is no window, or of no tensor that a map can describe.
bool pointer_window(const AxisAnalysis *axes, Op *access, PointerWindow *out);

// A descriptor of the window's tensor, before an op of the top block.
Op *pointer_descriptor(Module *m, const PointerWindow *window, Op *access,
                       Op *before);
// Replaces the load or store.
void pointer_access(Module *m, const PointerWindow *window, Op *access,
                    Op *descriptor);

// -- Uses of a tile's rows (stored_rows.c) -----------------------------------

// Are elements outside of the bound along that axis used only for elements that
// no store writes?
bool rows_are_stored(const AxisAnalysis *axes, Value *tile, int axis,
                     const IndexSum *left);

#endif
