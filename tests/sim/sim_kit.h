// sim_kit.h -- the Driver API as the tests of the simulator call it.
#ifndef TILE_TESTS_SIM_KIT_H
#define TILE_TESTS_SIM_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/driver_api.h"

// Opens device 0 and makes its context current; closes it again.
void kit_open(void);
void kit_close(void);
// The same, before and after a group of tests.
int kit_setup(void **state);
int kit_teardown(void **state);
// Fails the test with the log where the PTX does not load.
CUmodule kit_load(const char *file_name); // of tests/sim/ptx
CUmodule kit_load_text(const char *ptx);
// A kernel around a body, for $TILE_SIM_CHIP or sm_80: parameters `out` (u64
// %out) and `in` (u64 %in), both loaded; registers %r<99>, %d<99> (b64),
// %f<99>, %g<99> (f64), %h<99> (b16), %p<99>, and the thread in %t.
CUmodule kit_load_body(const char *body);

typedef struct {
  unsigned grid[3], block[3], shared;
} KitShape;

// Launches and synchronises; the error of the synchronisation.
int kit_run(CUmodule module, const char *kernel, KitShape shape, void **params);

// Runs kernel `k` of the module in one CTA, its parameters `out` and `in` being
// buffers of out_size and in_size bytes; `in` NULL: a buffer of any contents.
// Without an error all of `out` is copied back.  Frees the module and the
// buffers.
int kit_map(CUmodule module, unsigned num_threads, const void *in,
            size_t in_size, void *out, size_t out_size);
// A new context, in place of one that a fault has ended; leaks of the old one
// are not in kit_reports().
void kit_reopen(void);

CUdeviceptr kit_upload(const void *data, size_t size);
void kit_download(void *to, CUdeviceptr from, size_t size);
uint32_t kit_random(uint32_t *state);

// Launches from here on are counted in that form, "text" or "json", until
// kit_counted(), which gives the counters, valid until its next call.
void kit_count(const char *form);
const char *kit_counted(void);

// The simulator's reports since the last call: the kinds, each followed by
// a space.  Valid until the next call.
const char *kit_reports(void);
// The same reports as they were written, which are kept.
const char *kit_report_text(void);
// Are these, of kit_reports(), one at least, and each of one of the kinds,
// which are words with spaces between?
bool kit_only_kinds(const char *found, const char *kinds);

#endif
