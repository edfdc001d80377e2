// live_bytes.h -- the most bytes that were allocated at a time.
#ifndef TILE_TESTS_LIVE_BYTES_H
#define TILE_TESTS_LIVE_BYTES_H

#include <stddef.h>

// The peak begins anew; the bytes that are allocated now.
size_t live_bytes_restart(void);
size_t live_bytes_peak(void);

#endif
