// program_order.h -- the better order for the programs of a launch.
#ifndef TILE_PASSES_PROGRAM_ORDER_H
#define TILE_PASSES_PROGRAM_ORDER_H

#include "ir/op.h"

enum { GRID_AXES = 3 };

typedef struct {
  bool is_known;  // how the time of a program depends on its number
  bool is_sorted; // programs take different times
  int axis;       // of the number on which the time depends
  bool grows;     // the time grows with it
} ProgramOrder;

ProgramOrder program_order_find(const Function *f);

#endif
