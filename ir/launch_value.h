// launch_value.h -- scalars that a launch can compute before the kernel runs.
//
// A launch value is arithmetic on the kernel's arguments and constants.  The
// arithmetic is written as steps in postfix order: a constant or an argument is
// pushed, an operation takes its operands from the top and leaves its result
// there.  Steps hold no pointers, so they may be kept in files.
#ifndef TILE_IR_LAUNCH_VALUE_H
#define TILE_IR_LAUNCH_VALUE_H

#include "ir/op.h"

typedef enum { STEP_CONSTANT, STEP_ARGUMENT, STEP_OPERATION } LaunchStepKind;

typedef enum {
#define LAUNCH_OP(name, num_operands) LAUNCH_##name,
#include "ir/op/launch_ops.def"
  NUM_LAUNCH_OPS
} LaunchOp;

typedef struct {
  LaunchStepKind kind;
  LaunchOp op;         // of an OPERATION
  Elem from, to;       // types of its first operand and its result
  Predicate predicate; // of a cmpi
  int64_t value;       // CONSTANT; ARGUMENT: its index in the function
} LaunchStep;

enum {
  LAUNCH_MAX_STEPS = 48, // of one value
  LAUNCH_MAX_MAPS = 16,  // of a kernel, made by the pass tensor_maps
};

// Writes the steps of a scalar, or of an address of global memory, as an i64.
// Returns their number; 0: the value is no launch value, or has too many steps.
int launch_value_steps(const Value *value, LaunchStep steps[LAUNCH_MAX_STEPS]);

bool launch_step_equal(const LaunchStep *a, const LaunchStep *b);

// `args` holds the low bits of each argument, as the kernel gets it.
int64_t launch_value_compute(const LaunchStep *steps, int num_steps,
                             const uint64_t *args);

// Are steps from an untrusted source valid: do they use at most `num_args`
// arguments, and leave one value?
bool launch_value_is_sound(const LaunchStep *steps, int num_steps,
                           int num_args);

#endif
