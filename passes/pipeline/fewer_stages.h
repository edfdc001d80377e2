// fewer_stages.h -- a default number of stages never makes a kernel fail.
//
// The shared memory of a kernel is known only when all buffers have addresses,
// long after its loops were pipelined with an estimated number of stages.  If
// that is too many, and was not requested by the program, the kernels are
// restored to the state before, `most_stages` is lowered by one, and the passes
// continue from there.
#ifndef TILE_PASSES_FEWER_STAGES_H
#define TILE_PASSES_FEWER_STAGES_H

#include "ir/op.h"
#include "ir/target.h"

// A copy of the module at some point of the pipeline, to return to.
typedef struct {
  DiagList diags;
  Vec(Block *) bodies; // one for each kernel
  Vec(int64_t) stages; // the largest of its loops
  Vec(int64_t) warps;
} KeptModule;

// Copies nothing if no loop of a kernel has a default number of stages.
void stages_keep(Module *m, KeptModule *out);
// Restores the module, with fewer stages for kernels that do not fit, and a
// remark.  False, with nothing changed, if that cannot help.
bool stages_lower(Module *m, const KeptModule *before, const Target *target);

// If fewer stages do not help, kernels are compiled without roles, since the
// rings of roles keep their memory throughout the loops; and then without
// tensor maps: a block that is stored by a map needs a whole buffer, while a
// tile that is stored by pointers is exchanged in parts.

// Copies the module before blocks run several programs, loops have roles, or
// descriptors have maps.
void module_keep(Module *m, KeptModule *out);
// Restores the module to the state in which each program has a block; false,
// with nothing changed, if each has one.
bool shared_blocks_drop(Module *m, const KeptModule *before,
                        const Target *target);
// Restores the module to the state before there were roles.  False, with
// nothing changed, if it has none.
bool roles_drop(Module *m, const KeptModule *before, const Target *target);
// Restores the module to the state before there were tensor maps; false
// likewise.
bool maps_drop(Module *m, const KeptModule *before, const Target *target);

#endif
