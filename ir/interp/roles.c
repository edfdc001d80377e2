// roles.c -- the two roles of a program, which take turns.
//
// A role is left only when it has to wait, and the results are the same for
// each order in which both can end.
#include "ir/interp/run.h"

enum { ENDED = -1 };

bool exec_warp_specialize(Run *r, const InterpInst *in) {
  r->roles = (Roles){.pc = in->body[1]};
  r->pc = in->body[0];
  return true;
}

bool roles_turn(Run *r, const InterpInst *in) {
  if (r->roles.pc == ENDED || r->roles.tried) return false;
  const int other = r->roles.pc;
  r->roles = (Roles){(int)(in - r->code.items), true};
  r->pc = other;
  return true;
}

void roles_arrive(Run *r) {
  r->roles.tried = false;
}

bool yield_role(Run *r, const InterpInst *head) {
  const int other = r->roles.pc;
  r->roles = (Roles){ENDED, false};
  r->pc = other == ENDED ? head->end : other;
  return true;
}
