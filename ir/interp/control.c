// control.c -- loops and branches.
//
// The head of an op falls into its first region or jumps; the terminator of
// each region finds the head through `parent` and jumps in turn.
#include "ir/interp/run.h"

#include <assert.h>

static const InterpInst *owner(Run *r, const InterpInst *in) {
  assert(in->parent >= 0 && (size_t)in->parent < r->code.count); // I2
  return &r->code.items[in->parent];
}

// -- if ----------------------------------------------------------------------

bool exec_if(Run *r, const InterpInst *in) {
  if (!slot_defined(r, in, in->in[0], "the condition")) return false;
  r->pc = in->body[in->in[0]->cells[0].i ? 0 : 1];
  return true;
}

static bool yield_if(Run *r, const InterpInst *in, const InterpInst *head) {
  slots_move(r, head->op->num_results, head->out, in->in);
  r->pc = head->end;
  return true;
}

// -- for ---------------------------------------------------------------------

// Is there another round?  Decided without overflow: an i64 that would wrap is
// out of the range.
static bool next_round(const InterpInst *head, int64_t *iv, bool first) {
  const int64_t upper = head->in[1]->cells[0].i, step = head->in[2]->cells[0].i;
  if (step == 0) return false;
  if (!first && __builtin_add_overflow(*iv, step, iv)) return false;
  return step > 0 ? *iv < upper : *iv > upper;
}

static bool run_round(Run *r, const InterpInst *head, Slot *const *carried,
                      bool first) {
  const int count = head->op->num_results;
  int64_t iv = head->in[0]->cells[0].i;
  if (!first) iv = head->args[0][0]->cells[0].i;
  if (next_round(head, &iv, first)) {
    slots_move(r, count, head->args[0] + 1, carried);
    head->args[0][0]->cells[0].i = iv;
    r->pc = head->body[0];
  } else {
    slots_move(r, count, head->out, carried);
    r->pc = head->end;
  }
  return true;
}

bool exec_for(Run *r, const InterpInst *in) {
  for (int i = 0; i < FOR_INIT; i++) {
    if (!slot_defined(r, in, in->in[i], "a bound")) return false;
  }
  return run_round(r, in, in->in + FOR_INIT, true);
}

// -- while -------------------------------------------------------------------

bool exec_while(Run *r, const InterpInst *in) {
  slots_move(r, in->op->num_operands, in->args[0], in->in);
  r->pc = in->body[0];
  return true;
}

bool exec_condition(Run *r, const InterpInst *in) {
  const InterpInst *head = owner(r, in);
  if (!slot_defined(r, in, in->in[0], "the condition")) return false;
  const bool more = in->in[0]->cells[0].i != 0;
  slots_move(r, in->op->num_operands - 1, more ? head->args[1] : head->out,
             in->in + 1);
  r->pc = more ? head->body[1] : head->end;
  return true;
}

static bool yield_while(Run *r, const InterpInst *in, const InterpInst *head) {
  slots_move(r, in->op->num_operands, head->args[0], in->in);
  r->pc = head->body[0];
  return true;
}

// -- Terminators -------------------------------------------------------------

bool exec_yield(Run *r, const InterpInst *in) {
  const InterpInst *head = owner(r, in);
  switch (head->op->kind) {
  case OP_if: return yield_if(r, in, head);
  case OP_for: return run_round(r, head, in->in, false);
  case OP_while: return yield_while(r, in, head);
  case OP_warp_specialize: return yield_role(r, head);
  default: r->pc = head->end; return true; // see interp/reduce.c
  }
}

bool exec_return(Run *r, const InterpInst *in) {
  (void)in;
  r->pc = (int)r->code.count;
  return true;
}

bool exec_turn_wait(Run *r, const InterpInst *in) {
  (void)r;
  (void)in;
  return true; // one thread runs both groups
}

bool exec_turn_pass(Run *r, const InterpInst *in) {
  (void)r;
  (void)in;
  return true;
}

bool exec_barrier(Run *r, const InterpInst *in) {
  (void)r;
  (void)in;
  return true; // one thread runs the program
}
