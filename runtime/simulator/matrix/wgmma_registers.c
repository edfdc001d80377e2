// wgmma_registers.c -- registers of products: those in flight, and those
// written without a wgmma.fence since.
//
// `flight` has some bits for each word of the warp's register file: registers
// of a product that the warp has not waited for are in flight.  A warp that
// writes registers that a product reads, or adds to, must execute a fence
// before the product; `ptxas` inserts a missing fence, and the simulator needs
// none.  `ptxas` inserts none, and the simulator reports nothing, if the fence
// may be moved behind the writes: those of A's registers with no product since
// the fence, and those of accumulators that are 0 in the product's block, or
// that the product does not add to.
#include "runtime/simulator/matrix/wgmma.h"
#include "runtime/simulator/state/report.h"

// UNFENCED: written since the last fence; UNFENCED_BEHIND: and behind a product
// since.
enum {
  FLIES_AS_SUM = 1,
  FLIES_AS_SOURCE = 2,
  UNFENCED = 4,
  UNFENCED_BEHIND = 8
};
enum { FLIES = FLIES_AS_SUM | FLIES_AS_SOURCE };

static uint8_t *state_of(const Warp *warp, const Inst *inst, int i) {
  return &warp->flight[inst->op[i] / 4];
}

static int num_held(const Inst *inst) {
  return inst->sub & WGMMA_A_HELD ? 4 : 0;
}

void wgmma_mark(Warp *warp, const Inst *inst) {
  const int sums = inst->num_dst;
  for (int i = 0; i < sums; i++) *state_of(warp, inst, i) |= FLIES_AS_SUM;
  for (int i = sums; i < sums + num_held(inst); i++)
    *state_of(warp, inst, i) |= FLIES_AS_SOURCE;
  warp->flies = warp->was_issued = true;
}

void wgmma_unmark(Warp *warp, const Inst *inst) {
  for (int i = 0; i < inst->num_dst + num_held(inst); i++)
    *state_of(warp, inst, i) &= (uint8_t)~FLIES;
}

static bool uses(const Warp *warp, const Inst *inst, RegisterUse use,
                 int states) {
  for (int i = 0; inst->uses && i < inst->num_ops; i++)
    if (inst->uses[i] == use && *state_of(warp, inst, i) & states) return true;
  return false;
}

bool wgmma_reads_sums(Warp *warp, const Inst *inst, uint32_t mask) {
  if (!uses(warp, inst, USE_READ, FLIES_AS_SUM)) return false;
  report(warp, inst, __builtin_ctz(mask), KIND_WGMMA_READ,
         "accumulators of wgmma are read before wgmma.wait_group");
  return true;
}

Step wgmma_write_registers(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int i = 0; warp->flight && inst->feeds && i < inst->num_ops; i++) {
    if (inst->uses[i] != USE_WRITTEN) continue;
    *state_of(warp, inst, i) |=
        warp->was_issued ? UNFENCED | UNFENCED_BEHIND : UNFENCED;
    warp->is_fenced = false;
  }
  const int lane = __builtin_ctz(mask);
  if (warp->flies && uses(warp, inst, USE_WRITTEN, FLIES_AS_SUM))
    return report(warp, inst, lane, KIND_WGMMA_WRITE,
                  "accumulators of wgmma are written before wgmma.wait_group");
  if (warp->flies && uses(warp, inst, USE_WRITTEN, FLIES_AS_SOURCE))
    return report(warp, inst, lane, KIND_WGMMA_SOURCE,
                  "a register that wgmma reads is written before "
                  "wgmma.wait_group");
  return STEP_NEXT;
}

// -- Products ----------------------------------------------------------------

static void check_fence(Warp *warp, const Inst *inst) {
  const int count = inst->num_dst + num_held(inst);
  if (warp->is_fenced) return;
  const int of_sums = inst->from_zero ? 0 : UNFENCED;
  // The fence that may be moved behind the zeros is in front of later products,
  // too.
  for (int i = 0; inst->from_zero && i < inst->num_dst; i++)
    *state_of(warp, inst, i) &= FLIES;
  for (int i = 0; i < count; i++) {
    const int told = i < inst->num_dst ? of_sums : UNFENCED_BEHIND;
    if (warp->was_fenced && !(*state_of(warp, inst, i) & told)) continue;
    report(warp, inst, 0, KIND_WGMMA_FENCE,
           warp->was_fenced
               ? "registers of wgmma were written after the last wgmma.fence"
               : "the first wgmma comes before any wgmma.fence");
    return;
  }
}

// Products may share accumulators, as they are added to in order.
void wgmma_check_registers(Warp *warp, const Inst *inst) {
  check_fence(warp, inst);
  if (!warp->flies) return;
  bool reads = false, writes = false;
  for (int i = 0; i < inst->num_dst; i++)
    writes |= *state_of(warp, inst, i) & FLIES_AS_SOURCE;
  for (int i = inst->num_dst; i < inst->num_ops; i++)
    reads |=
        inst->uses[i] == USE_READ && *state_of(warp, inst, i) & FLIES_AS_SUM;
  if (reads)
    report(warp, inst, 0, KIND_WGMMA_READ,
           "accumulators of wgmma are read before wgmma.wait_group");
  if (writes)
    report(warp, inst, 0, KIND_WGMMA_SOURCE,
           "a register that wgmma reads is written before wgmma.wait_group");
}

void wgmma_fence_registers(Warp *warp) {
  const uint32_t count = warp->cta->launch->code->file_size / 4 + 1;
  for (uint32_t i = 0; !warp->is_fenced && i < count; i++)
    warp->flight[i] &= FLIES;
  warp->is_fenced = warp->was_fenced = true;
  warp->was_issued = false;
}
