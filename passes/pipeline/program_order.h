// program_order.h -- the better order for the programs of a launch.
#ifndef TILE_PASSES_PROGRAM_ORDER_H
#define TILE_PASSES_PROGRAM_ORDER_H

#include "ir/op.h"

enum { GRID_AXES = 3 };

typedef struct {
  bool is_sorted; // programs take different times
  int axis;       // of the number on which the time depends
  bool grows;     // the time grows with it
} ProgramOrder;

// False if it is not known how the time that a program takes depends on its
// number.
bool program_order_find(const Function *f, ProgramOrder *out);

#endif
