// roles.h -- the warps of a program with roles, and their registers.
#ifndef TILE_IR_ROLES_H
#define TILE_IR_ROLES_H

#include "ir/op.h"
#include "ir/target.h"

// Warps that copy, of which one thread does: registers go by groups of four.
enum { COPYING_WARPS = 4, MAX_LAUNCH_WARPS = 32 };

// Registers of a thread: all start with the same, those that copy give some to
// the program's own.
typedef struct {
  int programs;     // on an SM, at least: there are registers for so many
  int start;        // of each thread at the launch
  int copying, own; // of a thread of each role, then
} RoleShare;

// False if a program of so many warps has no roles.
bool role_share(const Target *target, int num_warps, RoleShare *out);

// The op of the function that has them; NULL: each warp does all.
Op *function_roles(const Function *f);
// The warps that a launch starts for a program.
int function_launch_warps(const Function *f);

#endif
