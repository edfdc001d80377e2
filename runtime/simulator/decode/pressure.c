// pressure.c -- an estimate of the registers that a kernel needs.
//
// PTX has any number of registers, and only ptxas knows their number in machine
// code.  The estimate is the maximum number of simultaneously live registers,
// where each is live from its first mention to its last, and through every loop
// that it is live before.
#include <stdlib.h>

#include "runtime/simulator/decode/decode.h"

enum { LEAST = 16, MOST = 255, SPARE = 4 }; // for addresses and so on
// Code full of backward branches must not take too long.
enum { MOST_WORK = 1 << 26, MOST_DEPTH = 64 };

typedef struct {
  uint32_t start, end;
  int outer; // the loop around it; -1: none
} LoopSpan;

static int is_longer(const void *a, const void *b) {
  const LoopSpan *x = a, *y = b;
  const uint32_t first = x->end - x->start, second = y->end - y->start;
  if (first != second) return first < second ? 1 : -1;
  return (x->start > y->start) - (x->start < y->start);
}

static size_t find_loops(const Decoder *d, LoopSpan *loops) {
  size_t count = 0;
  for (uint32_t i = 0; i < d->num_insts; i++) {
    const Inst *inst = &d->insts[i];
    if (!inst->is_branch || inst->target > i) continue;
    if (loops) loops[count] = (LoopSpan){inst->target, i, -1};
    count++;
  }
  return count;
}

// The innermost loop at each place, by writing the longest first.
static int *place_loops(const Decoder *d, LoopSpan *loops, size_t count) {
  int *innermost = POOL_ARRAY(d->pool, int, d->num_insts + 1);
  for (size_t i = 0; i <= d->num_insts; i++) innermost[i] = -1;
  qsort(loops, count, sizeof *loops, is_longer);
  uint64_t work = 0;
  for (size_t i = 0; i < count && work < MOST_WORK; i++) {
    work += loops[i].end - loops[i].start + 1;
    loops[i].outer = innermost[loops[i].start];
    for (uint32_t at = loops[i].start; at <= loops[i].end; at++)
      innermost[at] = (int)i;
  }
  return innermost;
}

static uint32_t last_place(const PtxSymbol *symbol, const LoopSpan *loops,
                           const int *innermost) {
  uint32_t last = symbol->last_use;
  int depth = 0;
  for (int i = innermost[last]; i >= 0 && depth < MOST_DEPTH;
       i = loops[i].outer, depth++)
    if (loops[i].start > symbol->first_use && loops[i].end > last)
      last = loops[i].end;
  return last;
}

static int most_alive(const Decoder *d, const LoopSpan *loops,
                      const int *innermost) {
  int *change = POOL_ARRAY(d->pool, int, d->num_insts + 2);
  for (const PtxSymbol *s = d->registers; s; s = s->next_register) {
    const int words = s->size > 4 ? s->size / 4 : 1;
    change[s->first_use] += words;
    change[last_place(s, loops, innermost) + 1] -= words;
  }
  int alive = 0, most = 0;
  for (size_t i = 0; i <= d->num_insts; i++) {
    alive += change[i];
    if (alive > most) most = alive;
  }
  return most;
}

void note_use(Decoder *d, PtxSymbol *symbol) {
  const uint32_t place = (uint32_t)d->num_insts;
  if (symbol->kind != SYMBOL_REG || !symbol->size) return;
  if (!symbol->is_used) {
    symbol->is_used = true;
    symbol->first_use = place;
    symbol->next_register = d->registers;
    d->registers = symbol;
  }
  symbol->last_use = place;
}

int estimate_registers(const Decoder *d, int64_t limit) {
  const size_t count = find_loops(d, NULL);
  LoopSpan *loops = POOL_ARRAY(d->pool, LoopSpan, count + 1);
  find_loops(d, loops);
  const int *innermost = place_loops(d, loops, count);
  int needed = most_alive(d, loops, innermost) + SPARE;
  needed = (needed + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  if (needed < LEAST) needed = LEAST;
  const int most = limit > 0 && limit < MOST ? (int)limit : MOST;
  return needed < most ? needed : most;
}
