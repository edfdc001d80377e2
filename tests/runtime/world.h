// world.h -- a device with two programs and two buffers, for each test anew;
// the library's memory for them is freed in the end.
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include "tile/tile.h"

#include "tests/runtime/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *copy, *typed;
  TileBuffer *x, *y;
  _Atomic long num_blocks; // blocks that the library has
} World;

static inline void *world_alloc(void *ctx, size_t size) {
  World *w = ctx;
  void *block = malloc(size);
  w->num_blocks += block != NULL;
  return block;
}

static inline void world_free(void *ctx, void *block) {
  World *w = ctx;
  w->num_blocks--;
  free(block);
}

static inline int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  const TileContextOptions options = {
      .allocator = {world_alloc, world_free, w}};
  TileStatus status = tile_context_create(&options, &w->context);
  if (!status) status = tile_device_open(w->context, "cpu", &w->device, NULL);
  const TileSource sources[] = {{.file = "copy.tile", .text = copy_text},
                                {.file = "typed.tile", .text = typed_text}};
  if (!status)
    status = tile_program_create(w->context, &sources[0], &w->copy, NULL);
  if (!status)
    status = tile_program_create(w->context, &sources[1], &w->typed, NULL);
  if (!status) status = tile_buffer_create(w->device, 400, &w->x);
  if (!status) status = tile_buffer_create(w->device, 400, &w->y);
  *state = w;
  return (int)status;
}

static inline int tear_down(void **state) {
  World *w = *state;
  tile_buffer_destroy(w->x);
  tile_buffer_destroy(w->y);
  tile_device_destroy(w->device);
  tile_program_destroy(w->copy);
  tile_program_destroy(w->typed);
  tile_context_destroy(w->context);
  const bool leaks = w->num_blocks != 0;
  if (leaks) print_error("%ld blocks are left\n", w->num_blocks);
  free(w);
  return leaks;
}

static inline TileKernel *kernel_of(TileProgram *program, const char *name) {
  TileKernel *kernel = NULL;
  assert_int_equal(tile_program_kernel(program, name, &kernel, NULL), TILE_OK);
  return kernel;
}

// Launches; the status and the only message must be the given ones.
static inline void expect_launch(const World *w, const TileLaunch *launch,
                                 TileStatus wanted, const char *message) {
  TileDiagnostics *diagnostics = NULL;
  const TileStatus status = tile_launch(w->device, launch, &diagnostics);
  const char *text = tile_diagnostics_text(diagnostics);
  if (status != wanted || (message && !strstr(text, message)))
    fail_msg("status %d, not %d; '%s' against '%s'", status, wanted, text,
             message ? message : "");
  if (!status) assert_int_equal(tile_diagnostics_count(diagnostics), 0);
  tile_diagnostics_destroy(diagnostics);
}

static inline void expect_args(const World *w, TileKernel *kernel,
                               const TileArg *args, size_t num_args,
                               TileStatus wanted, const char *message) {
  const TileLaunch launch = {
      .kernel = kernel, .grid = {1}, .args = args, .num_args = num_args};
  expect_launch(w, &launch, wanted, message);
}

#define TEST(function)                                                         \
  cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
