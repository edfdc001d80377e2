// live_bytes.c -- bytes that are allocated, in a program for the GNU C library.
//
// Its own malloc() and so on come before the library's, which they call.
#include "tests/bench/live_bytes.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ADDS = 8 }; // that malloc() takes for itself

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *before, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *memory);

static atomic_size_t live, peak;

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

void *malloc(size_t bytes) {
  return added(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes) {
  return added(__libc_calloc(count, bytes));
}

void *aligned_alloc(size_t align, size_t bytes) {
  return added(__libc_memalign(align, bytes));
}

void *realloc(void *before, size_t bytes) {
  const size_t was = bytes_of(before);
  void *after = __libc_realloc(before, bytes);
  if (!after && bytes) return NULL;
  atomic_fetch_sub(&live, was);
  return added(after);
}

void free(void *memory) {
  atomic_fetch_sub(&live, bytes_of(memory));
  __libc_free(memory);
}

size_t live_bytes_restart(void) {
  peak = live;
  return live;
}

size_t live_bytes_peak(void) {
  return peak;
}
