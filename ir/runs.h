// runs.h -- the number of neighbours that an access to global memory moves at
// once.
#ifndef TILE_IR_RUNS_H
#define TILE_IR_RUNS_H

#include "ir/op.h"

enum { RUN_MAX_BYTES = 16 }; // of one instruction

// log2 of the number of elements that an access by a tile of pointers may move
// at once, along the best axis: limited by the registers of the layout and by
// the attributes that the pass axis_info left on the op.
int op_log2_run(const Op *op, const Layout *layout, bool masked, int *axis);

#endif
