// families.h -- arithmetic shared by several opcodes.
#ifndef TILE_SIMULATOR_FAMILIES_H
#define TILE_SIMULATOR_FAMILIES_H

#include "runtime/simulator/code/code.h"
#include "runtime/simulator/number/number.h"

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

static inline bool is_word(uint8_t type) { // an integer of 32 bits
  return type == TYPE_U32 || type == TYPE_S32;
}
// Arithmetic on floats, packed or not, of form->types[0].
ExecFn pick_float(const Form *form, Inst *inst, FloatOp op);
// An operand of the instruction; .ftz makes a denormal 0.
static inline float enter(const Inst *inst, float x) {
  return inst->ftz ? flush_float(x) : x;
}
ExecFn pick_int_div(TypeId type);
ExecFn pick_int_extreme(TypeId type, bool is_max, bool has_relu);

#endif
