// test_tune.c -- tile_tune(): measured, refused and kept configurations, and
// later launches.
//
// Backs I1 of runtime/tuned.
#include "tests/runtime/world.h"

#include "tests/tools/open_files.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// The more LOOPS, the slower; with `tells` the kernel stores LOOPS.
static const char loops_text[] =
    "@triton.autotune(configs=[triton.Config({'LOOPS': n})\n"
    "                          for n in [600000, 1, 300000]], key=['n'])\n"
    "@triton.jit\n"
    "def loops(x, n, tells, LOOPS: tl.constexpr):\n"
    "    a = tl.load(x)\n"
    "    for i in range(LOOPS):\n"
    "        a = tl.where(a < 0, a * 1.5 + i, a)\n"
    "    if tells:\n"
    "        tl.store(x, LOOPS)\n"
    "    else:\n"
    "        tl.store(x, a)\n";

// The second is the quickest, and wrong; the third is refused.
static const char wrong_text[] =
    "@triton.autotune(configs=[triton.Config({'BLOCK': 16, 'ADD': 0}),\n"
    "                          triton.Config({'BLOCK': 16, 'ADD': 1}),\n"
    "                          triton.Config({'BLOCK': 3, 'ADD': 0})],\n"
    "                 key=[])\n"
    "@triton.jit\n"
    "def wrong(x, BLOCK: tl.constexpr, ADD: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(x + i, i + ADD)\n";

static const char sums_text[] =
    "@triton.autotune(configs=[triton.Config({'BLOCK': 16}),\n"
    "                          triton.Config({'BLOCK': 8})], key=[],\n"
    "                 reset_to_zero=['y'], restore_value=['x'])\n"
    "@triton.jit\n"
    "def sums(x, y, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(x + i, tl.load(x + i) + 1)\n"
    "    tl.store(y + i, tl.load(y + i) + tl.load(x + i))\n";

typedef struct {
  char folder[64];
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *x, *y;
} Tuned;

static void open_tuned(Tuned *t, const char *source) {
  static const float zeros[16];
  const TileContextOptions options = {.size = sizeof options,
                                      .tuned = t->folder};
  TileStatus status = tile_context_create(&options, &t->context);
  if (!status) status = tile_device_open(t->context, "cpu", &t->device, NULL);
  if (!status)
    status = tile_program_create(t->context, &(TileSource){.text = source},
                                 &t->program, NULL);
  if (!status) status = tile_buffer_create(t->device, 64, &t->x);
  if (!status) status = tile_buffer_create(t->device, 64, &t->y);
  if (!status) status = tile_buffer_write(t->x, 0, zeros, sizeof zeros);
  if (!status) status = tile_buffer_write(t->y, 0, zeros, sizeof zeros);
  assert_int_equal(status, TILE_OK);
}

static void close_tuned(Tuned *t) {
  tile_buffer_destroy(t->x);
  tile_buffer_destroy(t->y);
  tile_device_destroy(t->device);
  tile_program_destroy(t->program);
  tile_context_destroy(t->context);
}

static int make_folder(void **state) {
  static Tuned t;
  strcpy(t.folder, "test_tune.XXXXXX");
  *state = &t;
  return mkdtemp(t.folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  const Tuned *t = *state;
  DIR *folder = opendir(t->folder);
  char path[400];
  for (const struct dirent *e; (e = readdir(folder));) {
    snprintf(path, sizeof path, "%s/%s", t->folder, e->d_name);
    unlink(path);
  }
  closedir(folder);
  return rmdir(t->folder);
}

typedef struct {
  TileArg args[3];
  TileLaunch launch;
} Loops;

static void make_loops(const Tuned *t, int n, bool tells, Loops *out) {
  out->args[0] = tile_buffer_arg(t->x, TILE_FP32);
  out->args[1] = tile_int_arg(n);
  out->args[2] = tile_bool_arg(tells);
  out->launch = (TileLaunch){.kernel = kernel_of(t->program, "loops"),
                             .grid = {1},
                             .args = out->args,
                             .num_args = 3};
}

static float loops_of(const Tuned *t, int n, int config) {
  Loops l;
  float told;
  make_loops(t, n, true, &l);
  l.launch.config = config;
  assert_int_equal(tile_launch(t->device, &l.launch, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(t->x, 0, &told, sizeof told), TILE_OK);
  return told;
}

static TileTuning *tune(const Tuned *t, const TileLaunch *launch,
                        const TileTuneOptions *options) {
  TileTuning *tuning = NULL;
  TileDiagnostics *why = NULL;
  if (tile_tune(t->device, launch, options, &tuning, &why))
    fail_msg("%s", tile_diagnostics_text(why));
  tile_diagnostics_destroy(why);
  return tuning;
}

static void tune_loops(const Tuned *t, int n) {
  Loops l;
  make_loops(t, n, false, &l);
  TileTuning *tuning = tune(t, &l.launch, &(TileTuneOptions){.num_rounds = 9});
  assert_int_equal(tile_tuning_num_results(tuning), 3);
  assert_int_equal(tile_tuning_best(tuning), 1);
  const TileTuneResult best = tile_tuning_result(tuning, 1);
  assert_string_equal(best.config, "LOOPS=1");
  assert_int_equal(best.verdict, TILE_TUNE_MEASURED);
  assert_int_equal(best.num_times, 9);
  assert_true(best.least <= best.median && best.median <= best.most);
  assert_int_equal(tile_tuning_result(tuning, 0).verdict, TILE_TUNE_SLOW);
  tile_tuning_destroy(tuning);
}

// -- Tests -------------------------------------------------------------------

// The best configuration runs for the tuned values of `key`, at once in this
// process.
static void the_best_is_run(void **state) {
  Tuned *t = *state;
  open_tuned(t, loops_text);
  assert_int_equal((int)loops_of(t, 7, 0), 600000);
  tune_loops(t, 7);
  assert_int_equal((int)loops_of(t, 7, 0), 1);
  assert_int_equal((int)loops_of(t, 8, 0), 600000);
  assert_int_equal((int)loops_of(t, 7, 0), 1); // known by now
  assert_int_equal((int)loops_of(t, 7, TILE_CONFIG_FIRST), 600000);
  assert_int_equal((int)loops_of(t, 7, 2), 300000);
  close_tuned(t);
}

static int64_t number_of(const Tuned *t, int n, const char *name) {
  Loops l;
  int64_t out;
  make_loops(t, n, false, &l);
  assert_int_equal(tile_launch_number(t->device, &l.launch, name, &out, NULL),
                   TILE_OK);
  return out;
}

static void another_context_finds_it(void **state) {
  Tuned *t = *state;
  open_tuned(t, loops_text);
  tune_loops(t, 7);
  close_tuned(t);
  open_tuned(t, loops_text);
  assert_int_equal((int)loops_of(t, 7, 0), 1);
  assert_int_equal(number_of(t, 7, "LOOPS"), 1);
  assert_int_equal(number_of(t, 8, "LOOPS"), 600000);
  assert_int_equal(number_of(t, 8, "n"), 8);
  assert_int_equal(number_of(t, 8, "num_warps"), 4);
  close_tuned(t);
}

static void another_source_does_not(void **state) {
  Tuned *t = *state;
  char changed[sizeof loops_text + 2];
  open_tuned(t, loops_text);
  tune_loops(t, 7);
  close_tuned(t);
  snprintf(changed, sizeof changed, "%s\n", loops_text);
  open_tuned(t, changed);
  assert_int_equal((int)loops_of(t, 7, 0), 600000);
  close_tuned(t);
}

// The only file of the folder.
static void file_of(const Tuned *t, char *path, size_t size) {
  DIR *folder = opendir(t->folder);
  for (const struct dirent *e; (e = readdir(folder));) {
    if (*e->d_name != '.') snprintf(path, size, "%s/%s", t->folder, e->d_name);
  }
  closedir(folder);
}

// A broken file may name another configuration, or none, but never one that the
// kernel lacks.
static void a_broken_file_is_harmless(void **state) {
  Tuned *t = *state;
  char path[400], text[2000];
  open_tuned(t, loops_text);
  tune_loops(t, 7);
  close_tuned(t);
  file_of(t, path, sizeof path);
  FILE *file = fopen(path, "r+");
  const size_t size = fread(text, 1, sizeof text, file);
  assert_true(size > 100 && size < sizeof text);
  for (size_t i = 0; i < size; i++) {
    const char flipped = (char)(text[i] ^ 1);
    fseek(file, (long)i, SEEK_SET);
    fwrite(&flipped, 1, 1, file);
    fflush(file);
    open_tuned(t, loops_text);
    const int64_t loops = number_of(t, 7, "LOOPS");
    assert_true(loops == 1 || loops == 600000);
    close_tuned(t);
    fseek(file, (long)i, SEEK_SET);
    fwrite(&text[i], 1, 1, file);
  }
  fclose(file);
  for (size_t i = 0; i < size; i += 7) {
    assert_int_equal(truncate(path, (off_t)(size - 1 - i)), 0);
    open_tuned(t, loops_text);
    assert_int_equal(number_of(t, 7, "LOOPS"), i ? 600000 : 1);
    close_tuned(t);
  }
}

static TileStatus grid_of(void *ctx, TileDevice *device,
                          const TileLaunch *launch, uint32_t grid[3],
                          TileDiagnostics **diagnostics) {
  int64_t block = 0;
  (void)ctx;
  const TileStatus status =
      tile_launch_number(device, launch, "BLOCK", &block, diagnostics);
  if (!status) grid[0] = (uint32_t)(16 / block);
  return status;
}

static void wrong_results_are_refused(void **state) {
  Tuned *t = *state;
  open_tuned(t, wrong_text);
  const TileArg args[] = {tile_buffer_arg(t->x, TILE_INT32)};
  const TileLaunch launch = {.kernel = kernel_of(t->program, "wrong"),
                             .grid = {1},
                             .args = args,
                             .num_args = 1};
  TileTuning *tuning = tune(t, &launch, NULL);
  assert_int_equal(tile_tuning_best(tuning), 0);
  assert_int_equal(tile_tuning_result(tuning, 1).verdict, TILE_TUNE_WRONG);
  assert_non_null(strstr(tile_tuning_result(tuning, 1).why, "'x' differs"));
  assert_int_equal(tile_tuning_result(tuning, 2).verdict, TILE_TUNE_FAILED);
  assert_non_null(strstr(tile_tuning_result(tuning, 2).why, "power of two"));
  assert_string_equal(tile_tuning_key(tuning), "*i32");
  tile_tuning_destroy(tuning);
  close_tuned(t);
}

static void buffers_are_as_they_were(void **state) {
  Tuned *t = *state;
  int32_t x[16], y[16], found[16];
  for (int i = 0; i < 16; i++) {
    x[i] = i;
    y[i] = 100 + i;
  }
  open_tuned(t, sums_text);
  assert_int_equal(tile_buffer_write(t->x, 0, x, sizeof x), TILE_OK);
  assert_int_equal(tile_buffer_write(t->y, 0, y, sizeof y), TILE_OK);
  const TileArg args[] = {tile_buffer_arg(t->x, TILE_INT32),
                          tile_buffer_arg(t->y, TILE_INT32)};
  const TileLaunch launch = {.kernel = kernel_of(t->program, "sums"),
                             .grid = {1},
                             .args = args,
                             .num_args = 2};
  TileTuning *tuning =
      tune(t, &launch, &(TileTuneOptions){.grid = grid_of, .num_rounds = 5});
  for (size_t i = 0; i < 2; i++) // right: either may be the quicker one
    assert_true(tile_tuning_result(tuning, i).verdict <= TILE_TUNE_SLOW);
  assert_int_equal(tile_buffer_read(t->x, 0, found, sizeof found), TILE_OK);
  assert_memory_equal(found, x, sizeof x);
  assert_int_equal(tile_buffer_read(t->y, 0, found, sizeof found), TILE_OK);
  assert_memory_equal(found, y, sizeof y);
  tile_tuning_destroy(tuning);
  close_tuned(t);
}

// Prepares a launch, and counts the warnings about the folder.
static int warnings_of(const Tuned *t, int n) {
  Loops l;
  TileDiagnostics *why = NULL;
  make_loops(t, n, false, &l);
  assert_int_equal(tile_kernel_prepare(t->device, &l.launch, &why), TILE_OK);
  const bool warns = strstr(tile_diagnostics_text(why), "is not used");
  tile_diagnostics_destroy(why);
  return warns;
}

static void others_folders_are_not_used(void **state) {
  Tuned *t = *state;
  Loops l;
  TileTuning *tuning = NULL;
  TileDiagnostics *why = NULL;
  assert_int_equal(chmod(t->folder, 0777), 0);
  open_tuned(t, loops_text);
  make_loops(t, 7, false, &l);
  const TileTuneOptions options = {.num_rounds = 9};
  assert_int_equal(tile_tune(t->device, &l.launch, &options, &tuning, &why),
                   TILE_OK);
  assert_non_null(
      strstr(tile_diagnostics_text(why), "other users may write in it"));
  tile_diagnostics_destroy(why);
  tile_tuning_destroy(tuning);
  assert_int_equal(number_of(t, 7, "LOOPS"), 1); // this process knows it
  close_tuned(t);
  open_tuned(t, loops_text);
  assert_int_equal(warnings_of(t, 7), 1);
  assert_int_equal(warnings_of(t, 8), 0); // once a context
  assert_int_equal(number_of(t, 7, "LOOPS"), 600000);
  close_tuned(t);
}

static bool stop_at_two(void *ctx, const TileTuneProgress *progress) {
  size_t *calls = ctx;
  assert_true(progress->done <= progress->total);
  return ++*calls < 2;
}

static void it_may_be_stopped(void **state) {
  Tuned *t = *state;
  Loops l;
  size_t calls = 0;
  TileTuning *tuning = NULL;
  open_tuned(t, loops_text);
  make_loops(t, 7, false, &l);
  const TileTuneOptions options = {.progress = stop_at_two,
                                   .progress_ctx = &calls};
  assert_int_equal(tile_tune(t->device, &l.launch, &options, &tuning, NULL),
                   TILE_CANCELLED);
  assert_null(tuning);
  assert_int_equal(calls, 2);
  close_tuned(t);
}

static void what_has_no_configurations(void **state) {
  Tuned *t = *state;
  TileTuning *tuning = NULL;
  TileDiagnostics *why = NULL;
  open_tuned(t, copy_text);
  const TileArg args[] = {tile_buffer_arg(t->x, TILE_FP32),
                          tile_buffer_arg(t->y, TILE_FP32), tile_int_arg(16)};
  const TileLaunch launch = {.kernel = kernel_of(t->program, "copy"),
                             .grid = {1},
                             .args = args,
                             .num_args = 3};
  assert_int_equal(tile_tune(t->device, &launch, NULL, &tuning, &why),
                   TILE_INVALID_ARGUMENT);
  assert_non_null(strstr(tile_diagnostics_text(why), "no @autotune"));
  tile_diagnostics_destroy(why);
  assert_int_equal(tile_tune(NULL, &launch, NULL, &tuning, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_tune(t->device, NULL, NULL, &tuning, NULL),
                   TILE_INVALID_ARGUMENT);
  tile_tuning_destroy(NULL);
  close_tuned(t);
}

static int64_t number_in(const Tuned *t, const TileLaunch *launch,
                         const char *name) {
  int64_t number = -1;
  assert_int_equal(tile_launch_number(t->device, launch, name, &number, NULL),
                   TILE_OK);
  return number;
}

// A kernel without @autotune, by a list of the caller's, whose best is kept.
static void choices_are_the_callers(void **state) {
  Tuned *t = *state;
  open_tuned(t, copy_text);
  const TileArg args[] = {tile_buffer_arg(t->x, TILE_FP32),
                          tile_buffer_arg(t->y, TILE_FP32), tile_int_arg(16)};
  const TileLaunch launch = {.kernel = kernel_of(t->program, "copy"),
                             .grid = {1},
                             .args = args,
                             .num_args = 3};
  const TileConstant blocks[] = {{"BLOCK", tile_int_arg(16)},
                                 {"BLOCK", tile_int_arg(3)},
                                 {"BLOCK", tile_int_arg(8)}};
  const TileTuneChoice choices[] = {{"BLOCK=16", &blocks[0], 1, 0, 0},
                                    {"BLOCK=3", &blocks[1], 1, 0, 0},
                                    {"BLOCK=8", &blocks[2], 1, 8, 0}};
  const TileTuneOptions options = {.size = sizeof options,
                                   .grid = grid_of,
                                   .num_rounds = 5,
                                   .choices = choices,
                                   .num_choices = 3};
  TileTuning *tuning = tune(t, &launch, &options);
  assert_int_equal(tile_tuning_num_results(tuning), 3);
  assert_true(tile_tuning_result(tuning, 0).verdict <= TILE_TUNE_SLOW);
  assert_int_equal(tile_tuning_result(tuning, 1).verdict, TILE_TUNE_FAILED);
  assert_true(tile_tuning_result(tuning, 2).verdict <= TILE_TUNE_SLOW);
  assert_string_equal(tile_tuning_result(tuning, 2).config, "BLOCK=8");
  const bool is_last = tile_tuning_best(tuning) == 2;
  tile_tuning_destroy(tuning);
  assert_int_equal(number_in(t, &launch, "BLOCK"), is_last ? 8 : 16);
  if (is_last) assert_int_equal(number_in(t, &launch, "num_warps"), 8);
  TileLaunch first = launch; // a default exists
  first.config = TILE_CONFIG_FIRST;
  assert_int_equal(number_in(t, &first, "BLOCK"), 16);
  first.config = 0;
  first.num_warps = 2; // the last choice has 8
  assert_int_equal(number_in(t, &first, "BLOCK"), 16);
  close_tuned(t);
}

#define TUNE_TEST(function)                                                    \
  cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      TUNE_TEST(the_best_is_run),
      TUNE_TEST(another_context_finds_it),
      TUNE_TEST(another_source_does_not),
      TUNE_TEST(a_broken_file_is_harmless),
      TUNE_TEST(wrong_results_are_refused),
      TUNE_TEST(buffers_are_as_they_were),
      TUNE_TEST(others_folders_are_not_used),
      TUNE_TEST(choices_are_the_callers),
      TUNE_TEST(it_may_be_stopped),
      TUNE_TEST(what_has_no_configurations),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
