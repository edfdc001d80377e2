// interp.c -- runs a grid of programs over the code that interp/plan.c makes.
#include "ir/interp.h"

#include "ir/errors.h"
#include "ir/interp/run.h"
#include "ir/number.h"

static bool set_argument(Run *r, Slot *slot, InterpArg arg) {
  const Type *type = slot->type;
  if (type_is_pointer(type)) {
    slot->cells[0].i = (int64_t)(intptr_t)arg.as.p;
  } else if (type_is_float(type)) {
    slot->cells[0].f = float_round(arg.as.f, type->elem);
  } else if (type_is_int(type)) {
    slot->cells[0].i = int_wrap(arg.as.i, type->elem);
  } else {
    return diag_error(r->diags, r->f->loc, ERROR_argument_not_passed,
                      type_text(type, r->arena));
  }
  return true;
}

static bool set_arguments(Run *r) {
  for (size_t i = 0; i < r->params.count; i++) {
    if (!set_argument(r, r->params.items[i], r->launch->args[i])) return false;
  }
  return true;
}

// Frees shared memory and pending copies, so that a program does not see those
// of an earlier one.
static void forget_shared(Run *r) {
  for (size_t i = 0; i < r->buffers.count; i++) {
    r->buffers.items[i].live = false;
  }
  while (r->copies) {
    Copy *copy = r->copies;
    r->copies = copy->next;
    copy->next = r->free_copies;
    r->free_copies = copy;
  }
  r->groups = r->dots = 0;
  r->roles = (Roles){.pc = -1};
}

// The blocks of a cluster run one after the other: no block waits for another.
static bool run_program(Run *r) {
  const int blocks = function_cluster(r->f);
  for (r->rank = 0; r->rank < blocks; r->rank++) {
    forget_shared(r);
    if (!run_code(r, 0, (int)r->code.count)) return false;
  }
  return true;
}

static bool run_grid(Run *r) {
  const int64_t *grid = r->launch->grid;
  for (r->pid[2] = 0; r->pid[2] < grid[2]; r->pid[2]++) {
    for (r->pid[1] = 0; r->pid[1] < grid[1]; r->pid[1]++) {
      for (r->pid[0] = 0; r->pid[0] < grid[0]; r->pid[0]++) {
        if (!run_program(r)) return false;
      }
    }
  }
  return true;
}

bool interp_run(Arena *arena, const Function *f, const InterpLaunch *launch,
                DiagList *diags) {
  Run r = {.arena = arena,
           .diags = diags,
           .f = f,
           .launch = launch,
           .text = str_in(arena)};
  return plan_function(&r) && set_arguments(&r) && run_grid(&r);
}
