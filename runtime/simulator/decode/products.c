// products.c -- products of wgmma: which instructions write their registers,
// and which sums start from 0.
#include <string.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/matrix/wgmma.h"

// Notes the registers that the product adds to, and those with its A.
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

// -- Sums from 0 -------------------------------------------------------------

// The blocks in which words of the register file are 0 for all lanes, by moves
// in that block, `now`; EVERY_BLOCK: a constant.
typedef struct Zeros {
  uint32_t *block;
  uint32_t now;
} Zeros;
#define EVERY_BLOCK UINT32_MAX

static bool is_zero(const Zeros *zeros, uint32_t offset) {
  const uint32_t block = zeros->block[offset / 4];
  return block == zeros->now || block == EVERY_BLOCK;
}

// Whether the instruction sets its first operand to 0, or false.
static bool leaves_zero(const Zeros *zeros, const Inst *inst) {
  if (inst->guard != NO_GUARD || !inst->stmt) return false;
  const char *name = inst->stmt->name;
  if (strcmp(name, "mov") == 0)
    return inst->num_ops == 2 && is_zero(zeros, inst->op[1]);
  return strcmp(name, "setp") == 0 && inst->cmp == WORD_NE &&
         inst->num_ops == 4 && is_zero(zeros, inst->op[2]) &&
         is_zero(zeros, inst->op[3]);
}

static void note_writes(Zeros *zeros, const Inst *inst) {
  const bool zero = leaves_zero(zeros, inst);
  for (int i = 0; i < inst->num_ops; i++)
    if (inst->uses[i] == USE_WRITTEN) zeros->block[inst->op[i] / 4] = 0;
  if (zero) zeros->block[inst->op[0] / 4] = zeros->now;
}

static bool starts_from_zero(const Zeros *zeros, const Inst *inst) {
  bool all = true;
  for (int i = 0; i < inst->num_dst; i++) all &= is_zero(zeros, inst->op[i]);
  return all ||
         (!inst->negated && is_zero(zeros, inst->op[wgmma_adds_at(inst)]));
}

static Zeros start_zeros(Decoder *d) {
  const Code *code = d->code;
  Zeros zeros = {POOL_ARRAY(d->pool, uint32_t, code->file_size / 4 + 1), 0};
  for (size_t i = 0; i < code->num_constants; i++)
    if (!code->constants[i].value)
      zeros.block[code->constants[i].offset / 4] = EVERY_BLOCK;
  return zeros;
}

void find_from_zero(Decoder *d) {
  Zeros zeros = {NULL, 0};
  for (size_t i = 0; i < d->num_insts && !zeros.block; i++)
    if (d->insts[i].columns) zeros = start_zeros(d);
  for (size_t i = 0; zeros.block && i < d->num_insts; i++) {
    Inst *inst = &d->insts[i];
    if (inst->leads || !inst->uses) zeros.now++;
    if (inst->columns) inst->from_zero = starts_from_zero(&zeros, inst);
    if (inst->uses) note_writes(&zeros, inst);
  }
}
