// desk.h -- for each test a new folder with a cache on disk, and entries with
// arbitrary contents.
#ifndef TESTS_DESK_H
#define TESTS_DESK_H

#include "runtime/disk/disk.h"
#include "runtime/disk/folder.h"
#include "runtime/disk/sweep.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
  char folder[64], cache[80];
  Arena arena;
  FileReads reads;
  DiskCache *disk;
} Desk;

static inline void open_disk(Desk *d, uint64_t limit, bool read_only) {
  const DiskOptions options = {d->cache, limit, read_only};
  disk_close(d->disk);
  assert_true(disk_open(&system_allocator, &options, &d->disk));
  assert_non_null(d->disk);
}

static inline int set_up(void **state) {
  Desk *d = calloc(1, sizeof *d);
  strcpy(d->folder, "/tmp/test_disk.XXXXXX");
  if (!mkdtemp(d->folder)) return 1;
  snprintf(d->cache, sizeof d->cache, "%s/cache", d->folder);
  arena_init(&d->arena, &system_allocator);
  reads_init(&d->reads, &d->arena);
  open_disk(d, 0, false);
  *state = d;
  return 0;
}

static inline int remove_one(const char *path, const struct stat *info,
                             int type, struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static inline int tear_down(void **state) {
  Desk *d = *state;
  disk_close(d->disk);
  arena_free(&d->arena);
  nftw(d->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(d);
  return 0;
}

// -- Entries -----------------------------------------------------------------

static inline DiskInputs some_inputs(const Desk *d) {
  DiskInputs inputs = {.file = bytes_of_text("a.tile"), .num_warps = 4};
  disk_describe(d->disk, true, &inputs);
  return inputs;
}

static inline Bytes some_key(Desk *d) {
  const DiskInputs inputs = some_inputs(d);
  return inputs_key(&inputs, &d->arena);
}

static const char some_code[] = "code\0with a NUL";

static inline Bytes file_of(Desk *d, Bytes key) {
  static const KernelParam params[] = {
      {PARAM_ARGUMENT, 1, ELEM_f32, true, 8, 8},
      {PARAM_WORKSPACE, -1, ELEM_i8, false, 1 << 20, 128}};
  static const LaunchStep steps[] = {
      {.kind = STEP_ARGUMENT, .value = 1},
      {STEP_OPERATION, LAUNCH_cmpi, ELEM_i32, ELEM_i1, PREDICATE_ult, -7}};
  static const TensorMapInfo maps[] = {{.elem = ELEM_f16,
                                        .rank = 2,
                                        .box = {64, 32},
                                        .swizzle = 128,
                                        .fills_nan = true,
                                        .apart = 5,
                                        .base = {0, 1},
                                        .shape = {{1, 1}, {0, 2}},
                                        .strides = {{0, 2}, {1, 0}}}};
  static const KernelInfo info = {.symbol = "kernel_k",
                                  .params = params,
                                  .num_params = 2,
                                  .maps = maps,
                                  .num_maps = 1,
                                  .steps = steps,
                                  .num_steps = 2,
                                  .overlaps = true,
                                  .num_warps = 8,
                                  .log2_cluster = 2,
                                  .has_pairs = true,
                                  .shared_bytes = 4096,
                                  .scratch_bytes = 192,
                                  .keeps_scratch = true};
  DiagList diags;
  diag_init(&diags, &d->arena);
  diag_add_source(&diags, source_create(&d->arena, "a.tile", "one\ntwo\n", 8));
  diag_warning(&diags, (SrcLoc){"a.tile", 2, 1, 3}, "%s", "odd");
  diag_fix(&diags, (SrcLoc){"a.tile", 2, 1, 3}, "2");
  const Entry entry = {.key = key,
                       .diags = &diags,
                       .code = {some_code, sizeof some_code, &info, 1}};
  return entry_write(&entry, &d->reads, &d->arena);
}

static inline void keep(Desk *d, Bytes key) {
  assert_true(disk_keep(d->disk, key, file_of(d, key), &d->arena));
}

static inline bool is_found(Desk *d, Bytes key) {
  Entry entry;
  return disk_find(d->disk, key, &d->reads, &d->arena, &entry);
}

// -- Files -------------------------------------------------------------------

static inline const char *write_file(Desk *d, const char *name,
                                     const char *text) {
  const char *path = arena_printf(&d->arena, "%s/%s", d->folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return path;
}

static inline size_t count_files(Desk *d) {
  FolderState state;
  DiskFiles files = {0};
  const int folder = folder_open(d->cache, &state);
  if (folder < 0) return 0;
  sweep_list(folder, &d->arena, &files);
  close(folder);
  return files.count;
}

#define TEST(function)                                                         \
  cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
