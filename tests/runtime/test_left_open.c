// test_left_open.c -- no call leaves a file open or a thread running, whether
// it succeeds or fails.
#include "tests/runtime/world.h"

#include "tile/tune.h"
#include "tile/variant.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int num_entries(const char *folder) {
  DIR *dir = opendir(folder);
  int count = 0;
  assert_non_null(dir);
  while (readdir(dir)) count++;
  closedir(dir);
  return count;
}

typedef struct {
  char folder[64], file[96], cache[96], tuned[96];
  int files, threads;
  World blocks;
} Left;

static const char text[] =
    "@triton.autotune(configs=[triton.Config({'BLOCK': b}) for b in [4, 8]],\n"
    "                 key=['n'])\n"
    "@triton.jit\n"
    "def k(x, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(x + i, 7.0, mask=i < n)\n";

static void write_file(const char *path, const char *content) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(content, out);
  fclose(out);
}

// Nothing more is open than in the beginning.
static void check(const Left *l, const char *behind) {
  const int files = num_entries("/proc/self/fd");
  if (files != l->files)
    fail_msg("%d files more behind %s", files - l->files, behind);
}

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *x;
  TileArg args[2];
  TileLaunch launch;
} Session;

static TileContextOptions options_of(Left *l) {
  return (TileContextOptions){
      .size = sizeof(TileContextOptions),
      .allocator = {world_alloc, world_free, &l->blocks},
      .num_threads = 2,
      .cache_dir = l->cache,
      .tuned = l->tuned};
}

static void begin(Left *l, Session *s) {
  const TileContextOptions options = options_of(l);
  assert_int_equal(tile_context_create(&options, &s->context), TILE_OK);
  check(l, "a context");
  assert_int_equal(tile_program_load(s->context, l->file, &s->program, NULL),
                   TILE_OK);
  check(l, "a program");
  assert_int_equal(tile_device_open(s->context, "cpu", &s->device, NULL),
                   TILE_OK);
  assert_int_equal(tile_buffer_create(s->device, 64, &s->x), TILE_OK);
  s->args[0] = tile_buffer_arg(s->x, TILE_FP32);
  s->args[1] = tile_int_arg(16);
  s->launch = (TileLaunch){.kernel = kernel_of(s->program, NULL),
                           .grid = {4},
                           .args = s->args,
                           .num_args = 2};
}

static void end(Left *l, Session *s) {
  tile_buffer_destroy(s->x);
  tile_device_destroy(s->device);
  tile_program_destroy(s->program);
  tile_context_destroy(s->context);
  check(l, "a session");
  assert_int_equal(l->blocks.num_blocks, 0);
  assert_int_equal(num_entries("/proc/self/task"), l->threads);
}

static void launch(Left *l, Session *s, const char *behind) {
  float found[16] = {0};
  TileDiagnostics *d = NULL;
  if (tile_launch(s->device, &s->launch, &d) || tile_device_sync(s->device, &d))
    fail_msg("%s: %s", behind, tile_diagnostics_text(d));
  tile_diagnostics_destroy(d);
  assert_int_equal(tile_buffer_read(s->x, 0, found, sizeof found), TILE_OK);
  assert_true(found[15] == 7);
  check(l, behind);
}

static void each_file(const char *folder, void (*change)(const char *path)) {
  DIR *dir = opendir(folder);
  if (!dir) return;
  for (struct dirent *e; (e = readdir(dir));) {
    char path[4096];
    struct stat info;
    if (e->d_name[0] == '.') continue;
    assert_true(snprintf(path, sizeof path, "%s/%s", folder, e->d_name) <
                (int)sizeof path);
    if (!stat(path, &info) && S_ISDIR(info.st_mode)) each_file(path, change);
    change(path);
  }
  closedir(dir);
}

static void damage(const char *path) {
  struct stat info;
  if (stat(path, &info) || !S_ISREG(info.st_mode)) return;
  assert_int_equal(truncate(path, info.st_size / 2), 0);
}

static void delete_path(const char *path) {
  if (unlink(path)) rmdir(path);
}

// -- Kept code ---------------------------------------------------------------

static void kept_code_closes_its_files(void **state) {
  Left *l = *state;
  for (int i = 0; i < 3; i++) {
    Session s;
    begin(l, &s);
    launch(l, &s, i ? i > 1 ? "a broken entry" : "an entry" : "a new entry");
    s.args[1] = tile_int_arg(15 + i);
    s.launch.num_warps = 2;
    launch(l, &s, "another entry");
    end(l, &s);
    assert_true(num_entries(l->cache) > 2);
    if (i == 1) each_file(l->cache, damage);
  }
}

static void tuned_files_are_closed(void **state) {
  Left *l = *state;
  for (int i = 0; i < 3; i++) {
    Session s;
    TileTuning *tuning;
    TileTuneOptions options = {.num_rounds = 1};
    begin(l, &s);
    launch(l, &s, "a look for the best");
    assert_int_equal(tile_tune(s.device, &s.launch, &options, &tuning, NULL),
                     TILE_OK);
    tile_tuning_destroy(tuning);
    check(l, "a tuning");
    end(l, &s);
    assert_true(num_entries(l->tuned) > 2);
    if (i == 1) each_file(l->tuned, damage);
  }
}

// -- Failures ----------------------------------------------------------------

static void failures_close_their_files(void **state) {
  Left *l = *state;
  Session s;
  TileProgram *none;
  TileDevice *device;
  begin(l, &s);
  assert_int_equal(tile_program_load(s.context, "/nowhere", &none, NULL),
                   TILE_FILE_ERROR);
  check(l, "a file that is not there");
  assert_int_not_equal(tile_program_load(s.context, l->folder, &none, NULL),
                       TILE_OK);
  check(l, "a folder");
  write_file(l->cache, "def k(:\n    import nothing\n");
  assert_int_equal(tile_program_load(s.context, l->cache, &none, NULL),
                   TILE_COMPILE_ERROR);
  check(l, "a file with errors");
  launch(l, &s, "a cache that is a file");
  unlink(l->cache);
  setenv("TILE_LIBCUDA", "/nowhere/libcuda.so", 1);
  assert_int_equal(tile_device_open(s.context, "cuda", &device, NULL),
                   TILE_UNAVAILABLE);
  assert_int_equal(tile_device_open(s.context, "sim", &device, NULL),
                   TILE_UNAVAILABLE);
  unsetenv("TILE_LIBCUDA");
  check(l, "drivers that are not there");
  end(l, &s);
}

// Machine code by ptxas, or a status that says why there is none.
static void code_closes_its_files(void **state) {
  Left *l = *state;
  Session s;
  begin(l, &s);
  for (TileCodeKind kind = TILE_CODE_IR; kind <= TILE_CODE_CUBIN; kind++) {
    TileDevice *target;
    TileCode *code = NULL;
    TileArg args[] = {tile_pointer_arg(NULL, TILE_FP32), tile_int_arg(16)};
    TileLaunch of = s.launch;
    of.args = args;
    assert_int_equal(tile_target_open(s.context, "sm_80", &target, NULL),
                     TILE_OK);
    for (int i = 0; i < 2; i++) {
      if (i) setenv("TILE_PTXAS", "/nowhere/ptxas", 1);
      if (!tile_kernel_code(target, &of, kind, &code, NULL))
        tile_code_destroy(code);
      check(l, "code");
    }
    unsetenv("TILE_PTXAS");
    tile_device_destroy(target);
  }
  end(l, &s);
}

// -- Around each test --------------------------------------------------------

static int open_left(void **state) {
  Left *l = calloc(1, sizeof *l);
  snprintf(l->folder, sizeof l->folder, "/tmp/left-XXXXXX");
  if (!l || !mkdtemp(l->folder)) return 1;
  snprintf(l->file, sizeof l->file, "%s/k.py", l->folder);
  snprintf(l->cache, sizeof l->cache, "%s/cache", l->folder);
  snprintf(l->tuned, sizeof l->tuned, "%s/tuned", l->folder);
  write_file(l->file, text);
  l->files = num_entries("/proc/self/fd");
  l->threads = num_entries("/proc/self/task");
  *state = l;
  return 0;
}

static int close_left(void **state) {
  Left *l = *state;
  each_file(l->folder, delete_path);
  const int lost = rmdir(l->folder);
  free(l);
  return lost;
}

#define WITH_FOLDER(function)                                                  \
  cmocka_unit_test_setup_teardown(function, open_left, close_left)

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_FOLDER(kept_code_closes_its_files),
      WITH_FOLDER(tuned_files_are_closed),
      WITH_FOLDER(failures_close_their_files),
      WITH_FOLDER(code_closes_its_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
