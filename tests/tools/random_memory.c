// random_memory.c -- inputs for random kernels, and comparing their outputs.
//
// Half of the inputs are small numbers, which reach more code paths; the rest
// are random bits, and so sometimes NaNs, infinities and denormals.
#include "random_ir.h"

#include "ir/number.h"

#include <math.h>
#include <string.h>

uint64_t random_next(Random *r) { // splitmix64
  uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

int random_below(Random *r, int limit) {
  return (int)(random_next(r) % (uint64_t)limit);
}

static size_t elem_bytes(Elem elem) {
  return (size_t)elem_info[elem].bits / 8;
}

static uint64_t random_bits(Random *r, Elem elem) {
  if (random_below(r, 2)) return random_next(r);
  const int64_t value = random_below(r, 41) - 20;
  if (!elem_info[elem].is_float) return (uint64_t)value;
  return float_encode((double)value * 0.25, elem);
}

static void fill(Random *r, void *buffer, size_t bytes, Elem elem) {
  const size_t size = elem_bytes(elem);
  for (size_t at = 0; at < bytes; at += size) {
    const uint64_t bits = random_bits(r, elem);
    memcpy((char *)buffer + at, &bits, size);
  }
}

RandomMemory *random_memory(Arena *arena, uint64_t seed) {
  RandomMemory *m = arena_new(arena, RandomMemory);
  Random r = {seed ^ 0x5eed};
  for (int i = 0; i < RANDOM_POINTERS; i++) {
    const Elem elem = random_elem(i / 2);
    const bool is_output = i % 2;
    const size_t count = RANDOM_SLICE * (is_output ? RANDOM_GRID : 1);
    m->bytes[i] = count * elem_bytes(elem);
    m->buffers[i] = arena_alloc(arena, m->bytes[i], 1, 64);
    if (!is_output) fill(&r, m->buffers[i], m->bytes[i], elem);
    m->args[i].as.p = m->buffers[i];
    m->memory[i] = (InterpMemory){m->buffers[i], m->bytes[i]};
  }
  m->args[RANDOM_POINTERS].as.i = random_below(&r, 9) - 4;
  m->args[RANDOM_POINTERS + 1].as.f = random_below(&r, 9) * 0.5 - 2;
  return m;
}

bool random_run(Arena *arena, const Function *f, RandomMemory *memory,
                DiagList *diags) {
  const InterpLaunch launch = {.args = memory->args,
                               .memory = memory->memory,
                               .num_memory = RANDOM_POINTERS,
                               .grid = {RANDOM_GRID, 1, 1},
                               .max_steps = 10000000};
  return interp_run(arena, f, &launch, diags);
}

static uint64_t element(const RandomMemory *m, int buffer, size_t at,
                        Elem elem) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)m->buffers[buffer] + at, elem_bytes(elem));
  return bits;
}

static bool same(uint64_t a, uint64_t b, Elem elem) {
  if (a == b) return true;
  return elem_info[elem].is_float && isnan(float_decode(a, elem)) &&
         isnan(float_decode(b, elem));
}

const char *random_compare(Arena *arena, const RandomMemory *a,
                           const RandomMemory *b) {
  for (int i = 1; i < RANDOM_POINTERS; i += 2) {
    const Elem elem = random_elem(i / 2);
    for (size_t at = 0; at < a->bytes[i]; at += elem_bytes(elem)) {
      const uint64_t x = element(a, i, at, elem), y = element(b, i, at, elem);
      if (same(x, y, elem)) continue;
      return arena_printf(
          arena, "%s output %zu of program %zu: %#llx, then %#llx",
          elem_info[elem].name, at / elem_bytes(elem) % RANDOM_SLICE,
          at / elem_bytes(elem) / RANDOM_SLICE, (unsigned long long)x,
          (unsigned long long)y);
    }
  }
  return NULL;
}
