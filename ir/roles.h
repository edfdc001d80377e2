// roles.h -- the warps of a program with roles, and their registers.
#ifndef TILE_IR_ROLES_H
#define TILE_IR_ROLES_H

#include "ir/op.h"
#include "ir/target.h"

// Warps that copy: only one thread does so, but registers are set for groups of
// four warps.
enum { COPYING_WARPS = 4, MAX_LAUNCH_WARPS = 32 };

// Registers of a thread: all threads start with the same number; copying
// threads then give some of theirs to the program's own.
typedef struct {
  int programs;     // that fit on an SM, by registers, at least
  int start;        // of each thread at the launch
  int copying, own; // of a thread of each role afterwards
} RoleShare;

// False if a program of `num_warps` warps has no roles.
bool role_share(const Target *target, int num_warps, RoleShare *out);

// The op with the roles of a function; NULL: each warp does all.
Op *function_roles(const Function *f);
// The number of warps that a launch starts for a program.
int function_launch_warps(const Function *f);

#endif
