// clocks.c -- taint analysis: registers with values derived from a clock
// (%clock, %globaltimer).
//
// A tainted register is left out of the state hash by which stuck.c detects
// that a warp repeats a loop for ever, since it differs in each iteration of a
// loop that waits.  A register that depends on a clock only through a branch or
// a predicate is not tainted: a loop that counts how often a time has passed
// makes progress.
//
// For example, in
//
//     mov.u64 %rd1, %globaltimer;  add.s64 %rd2, %rd1, 5;
//     setp.gt.u64 %p1, %rd1, 9;    selp.u32 %r1, 1, 0, %p1;
//
// %rd1 and %rd2 are tainted; %p1 and %r1 are compared in each iteration.
#include <string.h>

#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/machine/special.h"

// Passes over the instructions; more are not worth their time.
enum { MOST_PASSES = 50 };

typedef struct Operands {
  const uint32_t *op;
  const uint8_t *uses; // RegisterUse of each
  int count;
  struct Operands *next;
} Operands;

const uint8_t *note_operands(Decoder *d, const uint32_t *op,
                             const uint8_t *uses, int count) {
  uint8_t *copy = POOL_ARRAY(d->pool, uint8_t, (size_t)count + 1);
  memcpy(copy, uses, (size_t)count);
  Operands *last = POOL_NEW(d->pool, Operands);
  *last = (Operands){op, copy, count, NULL};
  if (d->last_operands)
    d->last_operands->next = last;
  else
    d->operands = last;
  d->last_operands = last;
  return copy;
}

// A register's name is the index of its first word in the register file.
static uint32_t name_of(uint32_t offset) {
  return offset / 4;
}

static bool reads_any(const Operands *operands, const bool *clocked) {
  for (int i = 0; i < operands->count; i++)
    if (operands->uses[i] == USE_READ && clocked[name_of(operands->op[i])])
      return true;
  return false;
}

// Whether any result is newly tainted.
static bool mark_results(const Operands *operands, bool *clocked) {
  bool is_new = false;
  for (int i = 0; i < operands->count; i++) {
    if (operands->uses[i] != USE_WRITTEN) continue;
    is_new |= !clocked[name_of(operands->op[i])];
    clocked[name_of(operands->op[i])] = true;
  }
  return is_new;
}

static bool *find_clocked(const Decoder *d) {
  const Code *code = d->code;
  bool *clocked = POOL_ARRAY(d->pool, bool, code->file_size / 4 + 1);
  for (size_t i = 0; i < code->num_specials; i++)
    if (special_varies((SpecialId)code->specials[i].special))
      clocked[name_of(code->specials[i].offset)] = true;
  bool changed = true;
  for (int pass = 0; changed && pass < MOST_PASSES; pass++) {
    changed = false;
    for (const Operands *operands = d->operands; operands;
         operands = operands->next)
      if (reads_any(operands, clocked))
        changed |= mark_results(operands, clocked);
  }
  return clocked;
}

static bool reads_clock(const Code *code) {
  for (size_t i = 0; i < code->num_specials; i++)
    if (special_varies((SpecialId)code->specials[i].special)) return true;
  return false;
}

static uint32_t end_of(const SavedRegister *r) {
  return r->offset + (r->size ? r->size * LANES : 4);
}

void find_watched(Decoder *d) {
  Code *code = d->code;
  code->reads_clock = reads_clock(code);
  const bool *clocked = code->reads_clock ? find_clocked(d) : NULL;
  code->watched = POOL_ARRAY(d->pool, FilePart, d->num_registers + 1);
  FilePart *last = NULL;
  for (size_t i = 0; i < d->num_registers; i++) {
    const SavedRegister *r = &d->file_registers[i];
    if (clocked && clocked[name_of(r->offset)]) {
      last = NULL;
      continue;
    }
    if (!last) {
      last = &code->watched[code->num_watched++];
      last->start = r->offset;
    }
    last->end = end_of(r);
  }
}
