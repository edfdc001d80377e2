// families.h -- arithmetic shared by several opcodes.
#ifndef TILE_SIMULATOR_FAMILIES_H
#define TILE_SIMULATOR_FAMILIES_H

#include "runtime/simulator/code/code.h"

typedef enum {
  FLOAT_ADD,
  FLOAT_SUB,
  FLOAT_MUL,
  FLOAT_FMA,
  FLOAT_MIN,
  FLOAT_MAX,
  FLOAT_NEG,
  FLOAT_ABS,
} FloatOp;

// Arithmetic on floats, packed or not, of form->types[0].
ExecFn pick_float(const Form *form, Inst *inst, FloatOp op);
ExecFn pick_int_div(TypeId type);
ExecFn pick_int_extreme(TypeId type, bool is_max, bool has_relu);

#endif
