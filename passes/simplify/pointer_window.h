// pointer_window.h -- loads and stores by tiles of pointers that are windows.
//
// A window is an address and, along each axis, positions from a place of the
// program's own on, times a stride that the launch knows; where there are
// bounds they are the tensor's.
#ifndef TILE_PASSES_POINTER_WINDOW_H
#define TILE_PASSES_POINTER_WINDOW_H

#include "passes/simplify/index_sum.h"
#include "passes/simplify/tensor_maps.h"

// All sums have no axis; those of the map have launch values alone.
typedef struct {
  int rank;                  // of the tile
  int order[INDEX_MAX_AXES]; // the axis of the tile that a map's axis is; the
                             // last has stride 1
  Value *start;              // of the map, with
  IndexSum known;            // elements on
  bool ends[INDEX_MAX_AXES]; // axes of the tile that have bounds
  IndexSum sizes[INDEX_MAX_AXES];
  IndexTerm strides[INDEX_MAX_AXES];
  IndexSum places[INDEX_MAX_AXES]; // the first position, the program's
  int num_outer;                   // tensors beside each other
  IndexTerm outer_strides[BASE_MAX_OUTER];
  IndexSum outer_places[BASE_MAX_OUTER];
} PointerWindow;

// May a map pay for what a load or store does?
bool pointer_wants_map(const Op *access);

// False: it is no window, or of no tensor that a map may be of.
bool pointer_window(const AxisAnalysis *axes, Op *access, PointerWindow *out);

// A descriptor of the window's tensor, before an op of the top block.
Op *pointer_descriptor(Module *m, const PointerWindow *window, Op *access,
                       Op *before);
// Replaces the load or store.
void pointer_access(Module *m, const PointerWindow *window, Op *access,
                    Op *descriptor);

// -- What is seen of a tile (stored_rows.c) ----------------------------------

// Do the elements of a tile for which the bound does not hold along that axis
// end in none but such elements of others, which no store stores?
bool rows_are_stored(const AxisAnalysis *axes, Value *tile, int axis,
                     const IndexSum *left);

#endif
