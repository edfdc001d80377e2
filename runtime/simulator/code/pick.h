// pick.h -- finds the executor of a form.
#ifndef TILE_SIMULATOR_PICK_H
#define TILE_SIMULATOR_PICK_H

#include "runtime/simulator/code/code.h"

// One for each executor in instructions.def; NULL: there is no such form.  A
// pick function may store data for the executor in the instruction.
typedef ExecFn (*PickFn)(const Form *form, Inst *inst);

#define INSN(name, shape, num_types, roles, pick)                              \
  ExecFn pick_##pick(const Form *form, Inst *inst);
#include "runtime/simulator/code/instructions.def"

Step exec_refresh(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_vprintf(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_assertfail(struct Warp *warp, const Inst *inst, uint32_t mask);
// Calls of recursive functions, see frames.h.
Step exec_enter(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_leave(struct Warp *warp, const Inst *inst, uint32_t mask);
// op[0], of reg_size bytes: the frame's memory at op[1], and imm bytes further.
Step exec_frame_address(struct Warp *warp, const Inst *inst, uint32_t mask);
// malloc(size), __nv_aligned_device_malloc(size, alignment), free(address)
Step exec_malloc(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_aligned_malloc(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_free(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_nothing(struct Warp *warp, const Inst *inst, uint32_t mask);
// Whether all lanes of a warp must come to the instruction together.
bool is_aligned_barrier(const Inst *inst);
bool is_aligned_cluster_barrier(const Inst *inst);
// Whether the lanes of a member mask must come together.
bool has_members(const Inst *inst);
Step exec_exit(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_indexed_branch(struct Warp *warp, const Inst *inst, uint32_t mask);
// A call through a pointer: the predicates op[0], whether it is this function,
// and op[1], whether any function was found, for the pointers op[2].
Step exec_forget(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_is_function(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_no_function(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_mov32(struct Warp *warp, const Inst *inst, uint32_t mask);
Step exec_mov64(struct Warp *warp, const Inst *inst, uint32_t mask);

#endif
