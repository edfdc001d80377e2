// live_bytes.h -- counts the bytes that a program and its libraries have
// allocated, with the GNU C library.
#ifndef TILE_TESTS_LIVE_BYTES_H
#define TILE_TESTS_LIVE_BYTES_H

#include <stddef.h>

// Sanitizers have a malloc() of their own: with them nothing is counted.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LIVE_BYTES_COUNTS = 0 };
#else
enum { LIVE_BYTES_COUNTS = 1 };
#endif

// Begins a new peak at the bytes that are allocated now, and returns these.
size_t live_bytes_restart(void);
// The largest number of bytes that were allocated at the same time since then.
size_t live_bytes_peak(void);

#endif
