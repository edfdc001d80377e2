// mma.h -- what the executors of matrix products share.
#ifndef TILE_SIMULATOR_MMA_H
#define TILE_SIMULATOR_MMA_H

#include "runtime/simulator/exec.h"

// Whether the whole warp is here; otherwise `*step` says what to do.
bool whole_warp(Warp *warp, const Inst *inst, uint32_t mask, Step *step);
// m8n8k4 of f16.
ExecFn pick_mma_quads(const Form *form, Inst *inst);

#endif
