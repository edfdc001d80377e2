// roles.c -- two roles of a program: a warp that copies, and its own warps.
//
// The copying warps come last, so that the others have the same numbers as
// without roles.  The role's number is shuffled, which tells ptxas that it is
// uniform in a warp; each role is a separate branch up to the end.
#include "codegen/gpu/simt.h"

#include "ir/roles.h"
#include "ir/wgmma.h"

#include <assert.h>

static void set_registers(Simt *s, const char *how, int count) {
  const char *text = arena_printf(
      s->e->arena, "setmaxnreg.%s.sync.aligned.u32 %d;", how, count);
  nvptx_warp_asm(s, text, "~{memory}",
                 LLVMVoidTypeInContext(s->e->llvm.context), 0, NULL);
}

static LLVMValueRef warp_number(Simt *s) {
  const int log2_lanes = floor_log2(s->e->target->warp_size);
  LLVMValueRef warp =
      LLVMBuildLShr(s->b, simt_thread(s), simt_i32(s, log2_lanes), "");
  return simt_shuffle(s, warp, simt_i32(s, 0));
}

void simt_lanes_meet(Simt *s) {
  nvptx_warp_asm(s, "bar.warp.sync -1;", "~{memory}",
                 LLVMVoidTypeInContext(s->e->llvm.context), 0, NULL);
}

// The whole warp executes the role, while its elected lane copies: so counters
// of trips, slots and positions are uniform for ptxas, like the operands of
// copies.
static bool emit_copying(Simt *s, const Block *block, LLVMValueRef warp,
                         LLVMBasicBlockRef end) {
  LLVMBasicBlockRef first = simt_add_block(s, "copying.warp");
  LLVMValueRef is_first =
      LLVMBuildICmp(s->b, LLVMIntEQ, warp, simt_i32(s, s->group.num_warps), "");
  LLVMBuildCondBr(s->b, is_first, first, end);
  LLVMPositionBuilderAtEnd(s->b, first);
  LLVMValueRef first_thread = s->first_thread;
  s->first_thread = s->elected;
  s->is_copying = true;
  const bool ok = simt_emit_block(s, block);
  s->is_copying = false;
  s->first_thread = first_thread;
  if (ok) LLVMBuildBr(s->b, end);
  return ok;
}

// -- Turns -------------------------------------------------------------------

// Numbers of barriers: 0 is for all threads, 1 for a role.
enum { ROLE_BARRIER = 1, TURN_BARRIERS = 2, NUM_TURNS = 2 };

// At the barrier with the number of a group's turn, that group waits
// (`bar.sync`) and the other group arrives (`bar.arrive`).
static bool meet(Simt *s, const Op *op, const char *how, LLVMValueRef barrier) {
  if (!barrier)
    return simt_unsupported(s, op, "where no two groups have roles");
  const char *text =
      arena_printf(s->e->arena, "%s $0, %d;", how,
                   NUM_TURNS * WGMMA_WARPS * s->e->target->warp_size);
  assert(s->group.num_warps == NUM_TURNS * WGMMA_WARPS); // I14
  nvptx_warp_asm(s, text, "r,~{memory}",
                 LLVMVoidTypeInContext(s->e->llvm.context), 1, &barrier);
  return true;
}

bool simt_emit_turn_wait(Simt *s, const Op *op) {
  return meet(s, op, "bar.sync", s->own_turn);
}

bool simt_emit_turn_pass(Simt *s, const Op *op) {
  return meet(s, op, "bar.arrive", s->other_turn);
}

// Group 0 has the first turn: group 1 arrives at its barrier.
static void open_turns(Simt *s, const Op *roles) {
  LLVMValueRef first = simt_i32(s, TURN_BARRIERS);
  LLVMValueRef sum_of_both = simt_i32(s, 2 * TURN_BARRIERS + 1);
  s->own_turn = LLVMBuildAdd(s->b, s->warp_group, first, "");
  s->other_turn = LLVMBuildSub(s->b, sum_of_both, s->own_turn, "");
  LLVMBasicBlockRef passes = simt_add_block(s, "turns.open");
  LLVMBasicBlockRef behind = simt_add_block(s, "turns");
  LLVMValueRef is_last = LLVMBuildICmp(s->b, LLVMIntNE, s->own_turn, first, "");
  LLVMBuildCondBr(s->b, is_last, passes, behind);
  LLVMPositionBuilderAtEnd(s->b, passes);
  meet(s, roles, "bar.arrive", s->other_turn);
  LLVMBuildBr(s->b, behind);
  LLVMPositionBuilderAtEnd(s->b, behind);
}

// -- The op ------------------------------------------------------------------

static bool emit_own(Simt *s, const Op *op, LLVMBasicBlockRef end) {
  const bool are_two = s->group.num_warps == NUM_TURNS * WGMMA_WARPS;
  if (s->has_turns && s->warp_group && are_two) open_turns(s, op);
  s->group.barrier = ROLE_BARRIER;
  const bool ok = simt_emit_block(s, op->regions[1]);
  s->group.barrier = 0;
  if (ok) LLVMBuildBr(s->b, end);
  return ok;
}

bool simt_emit_warp_specialize(Simt *s, const Op *op) {
  RoleShare share;
  if (!role_share(s->e->target, s->group.num_warps, &share))
    return simt_unsupported(s, op, "of so many warps");
  LLVMBasicBlockRef copying = simt_add_block(s, "roles.copying");
  LLVMBasicBlockRef own = simt_add_block(s, "roles.own");
  LLVMBasicBlockRef end = simt_add_block(s, "roles.end");
  LLVMValueRef warp = warp_number(s), count = simt_i32(s, s->group.num_warps);
  LLVMValueRef copies = LLVMBuildICmp(s->b, LLVMIntUGE, warp, count, "");
  LLVMBuildCondBr(s->b, copies, copying, own);
  LLVMPositionBuilderAtEnd(s->b, copying);
  set_registers(s, "dec", share.copying);
  if (!emit_copying(s, op->regions[0], warp, end)) return false;
  LLVMPositionBuilderAtEnd(s->b, own);
  set_registers(s, "inc", share.own);
  if (!emit_own(s, op, end)) return false;
  LLVMPositionBuilderAtEnd(s->b, end);
  return true;
}
