// products.c -- which instructions write registers of products of wgmma.
#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/matrix/wgmma.h"

// The registers that the product adds to, and those that have its A.
static void note_product(const Inst *inst, bool *known) {
  const int held = inst->sub & WGMMA_A_HELD ? 4 : 0;
  for (int i = 0; i < inst->num_dst + held; i++) known[inst->op[i] / 4] = true;
}

static bool writes_any(const Inst *inst, const bool *known) {
  for (int i = 0; inst->uses && i < inst->num_ops; i++)
    if (inst->uses[i] == USE_WRITTEN && known[inst->op[i] / 4]) return true;
  return false;
}

void find_feeding(Decoder *d) {
  bool *known = NULL;
  for (size_t i = 0; i < d->num_insts; i++) {
    if (!d->insts[i].columns) continue;
    if (!known) known = POOL_ARRAY(d->pool, bool, d->code->file_size / 4 + 1);
    note_product(&d->insts[i], known);
  }
  for (size_t i = 0; known && i < d->num_insts; i++)
    d->insts[i].feeds = !d->insts[i].columns && writes_any(&d->insts[i], known);
}
