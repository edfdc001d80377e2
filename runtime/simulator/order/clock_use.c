// clock_use.c -- counts the memory of a launch's clocks.
//
// The count of bytes is a reference count, too: the release of the last byte
// frees it.
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/simulator/order/times.h"
#include "runtime/simulator/state/exec.h"

// Bytes that clocks may use in any launch, and the most CTAs that are marked as
// ended.
enum { FEW_BYTES = 256 << 10, MOST_NOTED = 1 << 24 };
// The bytes for a page of global memory, of which its accesses leave a part to
// clocks; and the part that clocks have in any case.
enum { OF_PAGE = 1856, LEAST_OF_PAGE = 64 };

struct ClockUse {
  atomic_size_t bytes, most;
  const FarUse *far;
  atomic_flag lock; // of `common`
  Clock *common;
  uint32_t num_noted;
  atomic_uint ended[]; // a bit for each CTA
};

ClockUse *clock_use_create(uint64_t num_ctas, const FarUse *far) {
  const uint32_t noted =
      num_ctas < MOST_NOTED ? (uint32_t)num_ctas : MOST_NOTED;
  ClockUse *use =
      calloc(1, sizeof *use + (noted / 32 + 1) * sizeof *use->ended);
  if (!use) return NULL;
  use->bytes = CLOCK_USE_ITSELF;
  use->most = FEW_BYTES;
  use->far = far;
  use->num_noted = noted;
  return use;
}

void clock_use_drop(ClockUse *use, size_t bytes) {
  if (use && atomic_fetch_sub(&use->bytes, bytes) == bytes) free(use);
}

void clock_use_finish(ClockUse *use) {
  if (!use) return;
  Clock *common = use->common;
  use->common = NULL;
  use->far = NULL;
  clock_drop(common);
  clock_use_drop(use, CLOCK_USE_ITSELF);
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

// -- The limit ---------------------------------------------------------------

static size_t load(const atomic_size_t *from) {
  return atomic_load_explicit(from, memory_order_relaxed);
}

static size_t limit_of(const ClockUse *use) {
  const size_t most = load(&use->most);
  if (!use->far) return most;
  const size_t pages = load(&use->far->pages), taken = load(&use->far->bytes);
  const size_t room = pages * OF_PAGE, least = pages * LEAST_OF_PAGE;
  return most + (room > taken + least ? room - taken : least);
}

bool clock_use_is_full(const ClockUse *use, ClockLevel level) {
  static const uint8_t eighths[] = {4, 6, 7}; // by level
  if (!use) return level < CLOCKS_COMMON;     // there is no common clock
  return load(&use->bytes) > limit_of(use) / 8 * eighths[level];
}

// The bytes of a block of malloc(), with its overhead.
static size_t with_overhead(size_t bytes) {
  enum { ADDS = 8, UNIT = 16 };
  return (bytes + ADDS + UNIT - 1) / UNIT * UNIT;
}

void *clock_alloc(ClockUse *use, size_t bytes) {
  const size_t taken = with_overhead(bytes);
  if (load(&use->bytes) + taken > limit_of(use)) return NULL;
  void *memory = malloc(bytes);
  if (memory)
    atomic_fetch_add_explicit(&use->bytes, taken, memory_order_relaxed);
  return memory;
}

void clock_free(ClockUse *use, void *memory, size_t bytes) {
  free(memory);
  clock_use_drop(use, with_overhead(bytes));
}

// -- The common clock --------------------------------------------------------

static void lock(ClockUse *use) {
  while (atomic_flag_test_and_set_explicit(&use->lock, memory_order_acquire))
    sched_yield();
}

static void unlock(ClockUse *use) {
  atomic_flag_clear_explicit(&use->lock, memory_order_release);
}

Clock *clock_use_common(ClockUse *use) {
  lock(use);
  Clock *common = clock_keep(use->common);
  unlock(use);
  return common;
}

void clock_use_leave(ClockUse *use, Clock *clock) {
  lock(use);
  Clock *before = use->common;
  use->common = clock_join(before, clock);
  unlock(use);
  clock_drop(before);
}
