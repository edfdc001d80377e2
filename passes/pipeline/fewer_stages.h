// fewer_stages.h -- a default number of stages is never too many.
//
// The shared memory that a kernel takes is known when everything has its place,
// long after its loops were pipelined for as many stages as seemed to fit.  If
// those are too many, and the program did not ask for them, the kernels are
// again what they were before, with `most_stages` one less, and the passes go
// on from there.
#ifndef TILE_PASSES_FEWER_STAGES_H
#define TILE_PASSES_FEWER_STAGES_H

#include "ir/op.h"
#include "ir/target.h"

// A copy of the module at some place of the passes, to go back to.
typedef struct {
  DiagList diags;
  Vec(Block *) bodies; // one a kernel
  Vec(int64_t) stages; // the most of its loops
  Vec(int64_t) warps;
} KeptModule;

// Keeps nothing where no kernel's loops have a default number of stages.
void stages_keep(Module *m, KeptModule *out);
// Makes the module what it was, for fewer stages of the kernels that do not
// fit, and a remark says so.  False, and nothing has changed, if that helps
// none.
bool stages_lower(Module *m, const KeptModule *before, const Target *target);

// If that does not help, kernels do without roles, whose rings are never
// free in a loop, and then without tensor maps: a block that is stored has a
// buffer, a tile of pointers goes through memory in parts.

// Keeps the module before loops have roles, or descriptors get maps.
void module_keep(Module *m, KeptModule *out);
// Makes the module what it was before there were roles.  False, and nothing has
// changed, if it has none.
bool roles_drop(Module *m, const KeptModule *before);
// Makes the module what it was before there were tensor maps; false likewise.
bool maps_drop(Module *m, const KeptModule *before);

#endif
