// launch_value.h -- scalars that a launch can compute before the kernel runs.
//
// A launch value is arithmetic on the kernel's arguments and constants.  It is
// written as steps in postfix order: a constant or an argument is pushed, an
// operation takes its operands from the top and leaves its result there.  Steps
// hold no pointers, so they may be kept in files.
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
  LaunchOp op;         // OPERATION
  Elem from, to;       // of its first operand and its result
  Predicate predicate; // of cmpi
  int64_t value;       // CONSTANT; ARGUMENT: its index in the function
} LaunchStep;

enum {
  LAUNCH_MAX_STEPS = 48, // of a value
  LAUNCH_MAX_MAPS = 16,  // of a kernel, as the pass tensor_maps makes them
};

// Writes the steps of a scalar or an address of global memory, an i64 here.
// Returns how many there are; 0: it is no such value, or has too many.
int launch_value_steps(const Value *value, LaunchStep steps[LAUNCH_MAX_STEPS]);

bool launch_step_equal(const LaunchStep *a, const LaunchStep *b);

// `args` holds the low bits of each argument, as the kernel gets it.
int64_t launch_value_compute(const LaunchStep *steps, int num_steps,
                             const uint64_t *args);

// Do steps that somebody else has written take `num_args` arguments at most,
// and leave one value?
bool launch_value_is_sound(const LaunchStep *steps, int num_steps,
                           int num_args);

#endif
