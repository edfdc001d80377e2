// live_bytes.c -- counts the bytes that a program and its libraries have
// allocated, with the GNU C library.
//
// The malloc() and so on of this file come before those of the C library, which
// they call.  Symbols of a program are hidden here by default; these must be
// seen, or the simulator's library does not call them.
#include "tests/sim/live_bytes.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_size_t live, peak;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

enum { ADDS = 8 }; // bytes that malloc() takes for itself

#define SEEN __attribute__((visibility("default")))

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *before, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *memory);

static size_t bytes_of(void *memory) {
  return memory ? malloc_usable_size(memory) + ADDS : 0;
}

static void *added(void *memory) {
  const size_t now =
      atomic_fetch_add(&live, bytes_of(memory)) + bytes_of(memory);
  size_t most = peak;
  while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
    continue;
  return memory;
}

SEEN void *malloc(size_t bytes) {
  return added(__libc_malloc(bytes));
}

SEEN void *calloc(size_t count, size_t bytes) {
  return added(__libc_calloc(count, bytes));
}

SEEN void *aligned_alloc(size_t align, size_t bytes) {
  return added(__libc_memalign(align, bytes));
}

SEEN void *realloc(void *before, size_t bytes) {
  const size_t was = bytes_of(before);
  void *after = __libc_realloc(before, bytes);
  if (!after && bytes) return NULL;
  atomic_fetch_sub(&live, was);
  return added(after);
}

SEEN void free(void *memory) {
  atomic_fetch_sub(&live, bytes_of(memory));
  __libc_free(memory);
}

#endif

size_t live_bytes_restart(void) {
  peak = live;
  return live;
}

size_t live_bytes_peak(void) {
  return peak;
}
