// registers.c -- setmaxnreg: warps of a CTA hand registers to each other.
//
// A CTA has as many registers as its warps started with.  A warp returns
// registers to the CTA's pool, and a warp that wants more waits until the pool
// has them; registers of a warp that has ended stay its own.  In a kernel
// without a number of registers at entry the instruction does nothing, as with
// ptxas.
#include "runtime/simulator/memory/lanes.h"

static uint32_t difference(const Warp *warp, const Inst *inst) {
  const uint32_t wanted = (uint32_t)inst->imm;
  return LANES * (inst->bool_op == WORD_INC ? wanted - warp->registers
                                            : warp->registers - wanted);
}

static bool take_more(Warp *warp, const Inst *inst) {
  const uint32_t more = difference(warp, inst);
  if (more > warp->cta->pool) return false;
  warp->cta->pool -= more;
  warp->registers = (uint32_t)inst->imm;
  return true;
}

static void serve(Warp *warp) {
  const Inst *insts = warp->cta->launch->code->insts;
  for (int i = 0; i < warp->num_groups; i++) {
    Group *group = &warp->groups[i];
    if (group->state != GROUP_AT_POOL || !take_more(warp, &insts[group->place]))
      continue;
    group->state = GROUP_READY;
    group->place++;
  }
}

static void give_back(Warp *warp, const Inst *inst) {
  Cta *cta = warp->cta;
  cta->pool += difference(warp, inst);
  warp->registers = (uint32_t)inst->imm;
  for (uint32_t i = 0; i < cta->num_warps; i++) serve(&cta->warps[i]);
}

static Step exec_setmaxnreg(Warp *warp, const Inst *inst, uint32_t mask) {
  const Step step = warp_assemble(warp, inst, mask);
  if (step != STEP_NEXT || !warp->registers) return step;
  const bool more = inst->bool_op == WORD_INC;
  const uint32_t wanted = (uint32_t)inst->imm;
  if (more ? wanted < warp->registers : wanted > warp->registers)
    return report(warp, inst, __builtin_ctz(mask), KIND_INVALID,
                  "the warp has %u registers a thread", warp->registers);
  if (!more) give_back(warp, inst);
  if (!more || take_more(warp, inst)) return STEP_NEXT;
  warp->groups[warp->running].state = GROUP_AT_POOL;
  return STEP_MOVED;
}

ExecFn pick_setmaxnreg(const Form *form, Inst *inst) {
  enum { LEAST = 24, MOST = 256 };
  const WordId op = WORD_OF(form, OP);
  const int64_t count = inst->imm;
  return WORD_OF(form, SYNC) && WORD_OF(form, ALIGNED) &&
                 (op == WORD_INC || op == WORD_DEC) &&
                 form->types[0] == TYPE_U32 && count >= LEAST &&
                 count <= MOST && count % REGISTER_UNIT == 0
             ? exec_setmaxnreg
             : NULL;
}
