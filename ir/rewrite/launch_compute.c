// launch_compute.c -- the result of steps: each computes the same as the fold
// of its op, so that a launch and a kernel agree.
//
// libtilert contains this file, too, so it uses nothing of the IR but
// launch_ops.def.
#include "ir/launch_value.h"

#include "ir/rewrite/fold_eval.h"

#include <assert.h>

static const struct {
  OpKind kind;
  int num_operands;
} ops[] = {
#define LAUNCH_OP(name, num_operands) {OP_##name, num_operands},
#include "ir/op/launch_ops.def"
};

static int64_t compute_step(const LaunchStep *step, const Number *x) {
  const OpKind kind = ops[step->op].kind;
  Number out = {0};
  if (kind == OP_select) return x[0].i ? x[1].i : x[2].i;
  const bool known = kind == OP_cmpi
                         ? eval_compare(step->predicate, step->from, x, &out)
                         : eval_int(kind, step->from, x, &out) ||
                               eval_resize(kind, step->from, step->to, x, &out);
  assert(known && "a step that nothing computes");
  (void)known;
  return out.i;
}

int64_t launch_value_compute(const LaunchStep *steps, int num_steps,
                             const uint64_t *args) {
  Number stack[LAUNCH_MAX_STEPS + 2] = {{0}};
  int top = 0;
  for (int i = 0; i < num_steps; i++) {
    const LaunchStep *step = &steps[i];
    int64_t value = step->value;
    if (step->kind == STEP_ARGUMENT) value = (int64_t)args[step->value];
    if (step->kind == STEP_OPERATION) {
      top -= ops[step->op].num_operands;
      value = compute_step(step, &stack[top]);
    }
    assert(top >= 0 && top < LAUNCH_MAX_STEPS); // I7
    stack[top++].i = value;
  }
  return top ? stack[top - 1].i : 0;
}

// -- Untrusted steps ---------------------------------------------------------

static bool is_int(Elem elem) {
  return (unsigned)elem < ELEM_COUNT && !elem_info[elem].is_float;
}

// The number of values that a step takes from the stack; -1: the step is
// invalid.
static int num_taken(const LaunchStep *step, int num_args) {
  switch (step->kind) {
  case STEP_CONSTANT: return 0;
  case STEP_ARGUMENT:
    return step->value >= 0 && step->value < num_args ? 0 : -1;
  case STEP_OPERATION:
    return (unsigned)step->op < NUM_LAUNCH_OPS && is_int(step->from) &&
                   is_int(step->to) &&
                   (unsigned)step->predicate <= PREDICATE_uge
               ? ops[step->op].num_operands
               : -1;
  }
  return -1;
}

bool launch_value_is_sound(const LaunchStep *steps, int num_steps,
                           int num_args) {
  int top = 0;
  for (int i = 0; i < num_steps; i++) {
    const int taken = num_taken(&steps[i], num_args);
    if (taken < 0 || taken > top) return false;
    top += 1 - taken;
    if (top > LAUNCH_MAX_STEPS) return false;
  }
  return top == 1;
}
