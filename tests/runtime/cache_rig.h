// cache_rig.h -- launches by contexts with a cache in a folder of their own.
//
// Defines static data, so that each test program has its own.
#ifndef TILE_TESTS_RUNTIME_CACHE_RIG_H
#define TILE_TESTS_RUNTIME_CACHE_RIG_H

#include "tile/tile.h"

#include "tests/runtime/programs.h"
#include "tests/tools/open_files.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], cache[80];
static int num_compiled, num_loaded, num_files;
static char files[64][256]; // of the cache

static inline int remove_one(const char *path, const struct stat *info,
                             int type, struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static inline int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test_cache_dir.XXXXXX");
  if (!mkdtemp(folder)) return 1;
  snprintf(cache, sizeof cache, "%s/cache", folder);
  num_compiled = num_loaded = 0;
  return 0;
}

static inline int tear_down(void **state) {
  (void)state;
  return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int note_file(const char *path, const struct stat *info, int type,
                            struct FTW *at) {
  (void)info, (void)at;
  if (type == FTW_F && num_files < 64)
    snprintf(files[num_files++], sizeof *files, "%s", path);
  return 0;
}

static inline int count_files(void) {
  num_files = 0;
  nftw(cache, note_file, 16, FTW_PHYS);
  return num_files;
}

static inline void count_lines(void *ctx, const char *line) {
  (void)ctx;
  num_compiled += !strncmp(line, "compiled ", 9);
  num_loaded += !strncmp(line, "loaded ", 7);
}

// -- A launch by a context of its own ----------------------------------------

typedef struct {
  TileSource source;
  const char *device; // NULL: the CPU
  const char *kernel; // NULL: the only one
  TileLaunch launch;
  TileArg args[4]; // behind two buffers of 64 floats
  bool read_only;
} Job;

static inline Job copy_job(void) {
  return (Job){.source = {.size = sizeof(TileSource),
                          .file = "copy.tile",
                          .text = copy_text},
               .launch = {.size = sizeof(TileLaunch), .num_args = 1},
               .args = {tile_int_arg(64)}};
}

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *x, *y;
} Rig;

static inline void open_rig(const Job *job, Rig *r, TileDiagnostics **why) {
  const TileContextOptions options = {.size = sizeof options,
                                      .log = count_lines,
                                      .cache_dir = cache,
                                      .cache_read_only = job->read_only};
  const char *device = job->device ? job->device : "cpu";
  *r = (Rig){NULL};
  assert_int_equal(tile_context_create(&options, &r->context), TILE_OK);
  assert_int_equal(tile_device_open(r->context, device, &r->device, why),
                   TILE_OK);
  if (tile_program_create(r->context, &job->source, &r->program, why))
    fail_msg("%s", tile_diagnostics_text(*why));
  assert_int_equal(tile_buffer_create(r->device, 256, &r->x), TILE_OK);
  assert_int_equal(tile_buffer_create(r->device, 256, &r->y), TILE_OK);
}

static inline void close_rig(const Rig *r) {
  tile_buffer_destroy(r->x);
  tile_buffer_destroy(r->y);
  tile_program_destroy(r->program);
  tile_device_destroy(r->device);
  tile_context_destroy(r->context);
}

static inline TileStatus launch_with(const Job *job, const Rig *r, float *y,
                                     TileDiagnostics **why) {
  float x[64];
  TileArg args[6] = {tile_buffer_arg(r->x, TILE_FP32),
                     tile_buffer_arg(r->y, TILE_FP32)};
  memcpy(args + 2, job->args, sizeof job->args);
  TileLaunch launch = job->launch;
  launch.grid[0] = 4;
  launch.args = args;
  launch.num_args += 2;
  for (int i = 0; i < 64; i++) x[i] = (float)(i + 1);
  TileStatus status =
      tile_program_kernel(r->program, job->kernel, &launch.kernel, why);
  if (!status) status = tile_buffer_write(r->x, 0, x, sizeof x);
  if (!status) status = tile_launch(r->device, &launch, why);
  if (!status) status = tile_device_sync(r->device, why);
  if (!status) status = tile_buffer_read(r->y, 0, y, sizeof x);
  return status;
}

static char said[4096]; // by the last launch

// y[0] of a launch by a new context, which stands for a new process, but takes
// less time.
static inline float run(const Job *job) {
  Rig r;
  float y[64];
  TileDiagnostics *why = NULL;
  open_rig(job, &r, &why);
  const TileStatus status = launch_with(job, &r, y, &why);
  snprintf(said, sizeof said, "%s", tile_diagnostics_text(why));
  if (status) fail_msg("status %d: %s", status, said);
  tile_diagnostics_destroy(why);
  close_rig(&r);
  return y[0];
}

// Was the kernel compiled, and not loaded?
static inline bool compiles(const Job *job) {
  const int before = num_compiled, loaded = num_loaded;
  run(job);
  assert_int_equal(num_compiled - before + num_loaded - loaded, 1);
  return num_compiled != before;
}

static inline void expect_child(pid_t child) {
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status)) fail_msg("signal %d", WTERMSIG(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(function)                                                         \
  cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
