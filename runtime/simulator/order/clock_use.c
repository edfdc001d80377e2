// clock_use.c -- counts the memory of a launch's clocks.
//
// The count of bytes is a reference count, too: the release of the last byte
// frees it.
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/simulator/order/times.h"

// Bytes that clocks may use in any launch, and the most CTAs that are marked as
// ended.
enum { FEW_BYTES = 1 << 20, MOST_NOTED = 1 << 24 };

struct ClockUse {
  atomic_size_t bytes, most;
  uint32_t num_noted;
  atomic_uint ended[]; // a bit for each CTA
};

ClockUse *clock_use_create(uint64_t num_ctas) {
  const uint32_t noted =
      num_ctas < MOST_NOTED ? (uint32_t)num_ctas : MOST_NOTED;
  ClockUse *use =
      calloc(1, sizeof *use + (noted / 32 + 1) * sizeof *use->ended);
  if (!use) return NULL;
  use->bytes = CLOCK_USE_ITSELF;
  use->most = FEW_BYTES;
  use->num_noted = noted;
  return use;
}

void clock_use_drop(ClockUse *use, size_t bytes) {
  if (use && atomic_fetch_sub(&use->bytes, bytes) == bytes) free(use);
}

void clock_use_allow(ClockUse *use, size_t bytes) {
  if (use) atomic_fetch_add_explicit(&use->most, bytes, memory_order_relaxed);
}

void clock_use_end(ClockUse *use, uint32_t cta) {
  if (use && cta < use->num_noted)
    use->ended[cta / 32] |= UINT32_C(1) << cta % 32;
}

bool clock_use_has_ended(const ClockUse *use, uint32_t cta) {
  if (!use || cta >= use->num_noted) return false;
  const unsigned bits =
      atomic_load_explicit(&use->ended[cta / 32], memory_order_relaxed);
  return bits >> cta % 32 & 1;
}

bool clock_use_is_full(const ClockUse *use, int times) {
  if (!use) return true;
  const size_t most =
      atomic_load_explicit(&use->most, memory_order_relaxed) * (size_t)times;
  return atomic_load_explicit(&use->bytes, memory_order_relaxed) > most;
}

void *clock_alloc(ClockUse *use, size_t bytes) {
  void *memory = malloc(bytes);
  if (memory)
    atomic_fetch_add_explicit(&use->bytes, bytes, memory_order_relaxed);
  return memory;
}

void clock_free(ClockUse *use, void *memory, size_t bytes) {
  free(memory);
  clock_use_drop(use, bytes);
}
