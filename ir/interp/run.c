// run.c -- runs a range of the code, and reports where it stopped.
#include "ir/interp/run.h"

#include "ir/errors.h"

#include <assert.h>

bool run_stop(Run *r, const InterpInst *in) {
  diag_note(r->diags, in->op->loc, NOTE_in_program, (long long)r->pid[0],
            (long long)r->pid[1], (long long)r->pid[2],
            op_info[in->op->kind].name);
  return false;
}

static bool too_long(Run *r, const InterpInst *in) {
  diag_error(r->diags, in->op->loc, ERROR_gave_up,
             (unsigned long long)r->launch->max_steps);
  return run_stop(r, in);
}

bool run_code(Run *r, int start, int end) {
  const uint64_t limit = r->launch->max_steps;
  r->pc = start;
  while (r->pc != end) {
    assert(r->pc >= 0 && (size_t)r->pc < r->code.count); // I1
    const InterpInst *in = &r->code.items[r->pc++];
    if (r->steps++ >= limit && limit) return too_long(r, in);
    if (!in->exec(r, in)) return false;
  }
  return true;
}
