// fewer_stages.h -- a default number of stages is never too many.
//
// How much shared memory a kernel takes is known when everything has its place,
// long after its loops were pipelined for as many stages as seemed to fit.
// Where those are too many, and the program did not ask for them, the kernels
// are again what they were before, with `most_stages` one less, and the passes
// go on from there.
#ifndef TILE_PASSES_FEWER_STAGES_H
#define TILE_PASSES_FEWER_STAGES_H

#include "ir/op.h"
#include "ir/target.h"

// A module as it was.
typedef struct {
  DiagList diags;
  Vec(Block *) bodies; // one a kernel
  Vec(int64_t) stages; // the most of its loops
} BeforeStages;

// Keeps nothing where no kernel's loops have a default number of stages.
void stages_keep(Module *m, BeforeStages *out);
// The module is as it was, for fewer stages of the kernels that do not fit, and
// a remark says so.  False, and nothing has changed, if that helps none.
bool stages_lower(Module *m, const BeforeStages *before, const Target *target);

// Where that does not help, kernels do without roles, whose rings are never
// free in a loop, and then without tensor maps: a block that is stored has a
// buffer, a tile of pointers goes through memory in parts.

// Before loops have roles, or descriptors get maps.
void module_keep(Module *m, BeforeStages *out);
// The module is as it was.  False, and nothing has changed, if it has no roles,
bool roles_drop(Module *m, const BeforeStages *before);
// or no maps.
bool maps_drop(Module *m, const BeforeStages *before);

#endif
