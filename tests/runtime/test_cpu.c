// test_cpu -- TILE_CPU names the processor that the cpu device makes code for;
// code of all tiers gives the same results, and launches on that device do not
// depend on each other.
#include "tests/runtime/programs.h"
#include "tile/tile.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { NUM = 40 };

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileStatus status; // of opening it
  char why[200];
} World;

static World open_for(const char *cpu) {
  World w = {0};
  TileDiagnostics *diagnostics = NULL;
  setenv("TILE_CPU", cpu, 1);
  assert_int_equal(tile_context_create(NULL, &w.context), TILE_OK);
  w.status = tile_device_open(w.context, "cpu", &w.device, &diagnostics);
  if (w.status)
    strncpy(w.why, tile_diagnostics_text(diagnostics), sizeof w.why - 1);
  tile_diagnostics_destroy(diagnostics);
  unsetenv("TILE_CPU");
  return w;
}

static void close_world(World *w) {
  tile_device_destroy(w->device);
  tile_context_destroy(w->context);
}

// Opens the device, and sets the launch's kernel to the source's only one.
static TileProgram *open_kernel(World *w, const TileContextOptions *options,
                                const TileSource *source, TileLaunch *launch) {
  TileProgram *program;
  *w = (World){0};
  assert_int_equal(tile_context_create(options, &w->context), TILE_OK);
  assert_int_equal(tile_device_open(w->context, "cpu", &w->device, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_create(w->context, source, &program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(program, NULL, &launch->kernel, NULL),
                   TILE_OK);
  return program;
}

static void copies(const World *w) {
  const TileSource source = {.file = "copy.tile", .text = copy_text};
  TileProgram *program;
  TileKernel *kernel;
  float x[NUM], y[NUM] = {0};
  for (int i = 0; i < NUM; i++) x[i] = (float)i;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(program, NULL, &kernel, NULL), TILE_OK);
  const TileArg args[] = {tile_pointer_arg(x, TILE_FP32),
                          tile_pointer_arg(y, TILE_FP32), tile_int_arg(NUM)};
  const TileLaunch launch = {
      .kernel = kernel, .grid = {3}, .args = args, .num_args = 3};
  assert_int_equal(tile_launch(w->device, &launch, NULL), TILE_OK);
  for (int i = 0; i < NUM; i++) assert_true(y[i] == 2 * x[i]);
  tile_program_destroy(program);
}

// Each level that the machine has works; each other one is refused with a
// status.
static void test_levels(void **state) {
  (void)state;
  const char *const cpus[] = {
      "",          "native",    "x86-64",         "x86-64-v2",
      "x86-64-v3", "x86-64-v4", "sapphirerapids", "znver4"};
  int refused = 0;
  for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
    World w = open_for(cpus[i]);
    if (i < 2) assert_int_equal(w.status, TILE_OK);
    if (w.status == TILE_UNAVAILABLE) {
      assert_non_null(strstr(w.why, "this machine does not run"));
      refused++;
    } else if (w.status == TILE_OK) {
      copies(&w);
    }
    close_world(&w);
  }
  assert_true(refused >= 1); // no machine is two processors
}

static void test_unknown(void **state) {
  (void)state;
  World w = open_for("pdp-11");
  assert_int_equal(w.status, TILE_INVALID_ARGUMENT);
  assert_non_null(strstr(w.why, "TILE_CPU is 'pdp-11'"));
  close_world(&w);
}

// -- Tiers -------------------------------------------------------------------

static const char mixed_text[] =
    "@jit\n"
    "def mixed(a, b, c, n):\n"
    "    i = tl.program_id(0) * 64 + tl.arange(0, 64)\n"
    "    x = tl.load(a + i, mask=i < n, other=1)\n"
    "    y = tl.load(b + i, mask=i < n, other=2)\n"
    "    p = x * y\n"
    "    first = tl.load(a) * tl.load(b) + tl.load(a + 1)\n"
    "    s = tl.sum(tl.exp(x) * y) + first\n"
    "    r = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]\n"
    "    d = tl.sum(tl.dot(tl.load(a + r), tl.load(b + r)))\n"
    "    tl.store(c + i, p + x - (p * s - y * d), mask=i < n)\n";

enum { MIXED = 100, ROOM = 128 };

static void count_upgrade(void *ctx, const char *line) {
  if (strstr(line, " again ")) atomic_fetch_add((atomic_int *)ctx, 1);
}

typedef struct {
  const World *w;
  const TileLaunch *launch;
  int times;
  bool ok;
} Launcher;

static void *launch_often(void *data) {
  Launcher *l = data;
  l->ok = true;
  for (int i = 0; i < l->times; i++)
    l->ok &= tile_launch(l->w->device, l->launch, NULL) == TILE_OK;
  return NULL;
}

// Launches from two threads at once, which store the same values.
static void launch_both(const World *w, const TileLaunch *launch, int times) {
  Launcher launchers[2] = {{w, launch, times, false},
                           {w, launch, times, false}};
  pthread_t other;
  assert_int_equal(pthread_create(&other, NULL, launch_often, &launchers[1]),
                   0);
  launch_often(&launchers[0]);
  pthread_join(other, NULL);
  assert_true(launchers[0].ok && launchers[1].ok);
}

// Runs a kernel on a device of that tier, until `upgrades` variants were
// compiled again.
static void mix(TileTier tier, int upgrades, const float *a, const float *b,
                float *c) {
  atomic_int seen = 0;
  const TileContextOptions options = {.size = sizeof options,
                                      .log = count_upgrade,
                                      .log_ctx = &seen,
                                      .num_threads = 1,
                                      .cpu_tier = tier};
  const TileSource source = {.file = "mixed.tile", .text = mixed_text};
  const TileArg args[] = {tile_pointer_arg((void *)(uintptr_t)a, TILE_FP32),
                          tile_pointer_arg((void *)(uintptr_t)b, TILE_FP32),
                          tile_pointer_arg(c, TILE_FP32), tile_int_arg(MIXED)};
  TileLaunch launch = {.grid = {2}, .args = args, .num_args = 4};
  World w;
  TileProgram *program = open_kernel(&w, &options, &source, &launch);
  assert_int_equal(tile_launch(w.device, &launch, NULL), TILE_OK);
  for (int i = 0; i < 1000000 && atomic_load(&seen) < upgrades; i++)
    launch_both(&w, &launch, 50);
  assert_int_equal(atomic_load(&seen), upgrades);
  memset(c, 0, MIXED * sizeof *c);
  launch_both(&w, &launch, 50); // the program may end while compiled again
  tile_program_destroy(program);
  close_world(&w);
}

// Code of all tiers gives the same bits, where sums of products are rounded at
// once, too.
static void test_tiers(void **state) {
  (void)state;
  float a[ROOM], b[ROOM], c[4][ROOM] = {{0}};
  for (int i = 0; i < ROOM; i++) {
    a[i] = (float)(i * 37 % 101) / 97.0F;
    b[i] = (float)(i * 53 % 89) / -83.0F;
  }
  mix(TILE_TIER_FULL, 0, a, b, c[0]);
  mix(TILE_TIER_QUICK, 0, a, b, c[1]);
  mix(TILE_TIER_AUTO, 0, a, b, c[2]);
  mix(TILE_TIER_AUTO, 1, a, b, c[3]);
  for (int i = 1; i < 4; i++) assert_memory_equal(c[0], c[i], sizeof c[0]);
}

static void expect_fine(pid_t child) {
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A child of fork() has no thread that compiles again; it ends all the same, at
// any point of the parent's thread.
static void test_child(void **state) {
  (void)state;
  float x[ROOM] = {0}, y[ROOM];
  const TileContextOptions options = {
      .size = sizeof options, .num_threads = 1, .cpu_tier = TILE_TIER_AUTO};
  const TileSource source = {.file = "mixed.tile", .text = mixed_text};
  const TileArg args[] = {tile_pointer_arg(x, TILE_FP32),
                          tile_pointer_arg(x, TILE_FP32),
                          tile_pointer_arg(y, TILE_FP32), tile_int_arg(MIXED)};
  TileLaunch launch = {.grid = {2}, .args = args, .num_args = 4};
  World w;
  TileProgram *program = open_kernel(&w, &options, &source, &launch);
  Launcher launcher = {&w, &launch, 40, false};
  launch_often(&launcher);
  const pid_t child = fork();
  if (!child) alarm(60);
  launch_often(&launcher);
  tile_program_destroy(program);
  close_world(&w);
  if (!child) _exit(launcher.ok ? 0 : 1);
  expect_fine(child);
  assert_true(launcher.ok);
}

static const char forked_text[] =
    "@jit\n"
    "def forked(x, y, n, B: tl.constexpr):\n"
    "    i = tl.arange(0, B)\n"
    "    v = tl.load(x + i, mask=i < n, other=1)\n"
    "    w = tl.exp(v) + tl.sin(v) * tl.sum(v)\n"
    "    tl.store(y + i, w, mask=i < n)\n";

// Launches so often that a variant is compiled again.
static bool launch_blocks(const World *w, TileLaunch *launch, int64_t first,
                          int64_t last) {
  bool ok = true;
  for (int64_t size = first; size <= last && ok; size *= 2) {
    const TileConstant block = {"B", tile_int_arg(size)};
    Launcher launcher = {w, launch, 40, false};
    launch->constants = &block;
    launch->num_constants = 1;
    launch_often(&launcher);
    ok = launcher.ok;
  }
  return ok;
}

// A child compiles, in two threads, after a fork() while the parent's thread
// compiled again: LLVM's own lists must not lead to that thread's stack.
static void test_child_compiles(void **state) {
  (void)state;
  static float x[ROOM], y[ROOM];
  const TileContextOptions options = {
      .size = sizeof options, .num_threads = 1, .cpu_tier = TILE_TIER_AUTO};
  const TileSource source = {.file = "forked.tile", .text = forked_text};
  const TileArg args[] = {tile_pointer_arg(x, TILE_FP32),
                          tile_pointer_arg(y, TILE_FP32), tile_int_arg(MIXED)};
  for (int i = 0; i < 24; i++) {
    TileLaunch launch = {.grid = {1}, .args = args, .num_args = 3};
    World w;
    TileProgram *program = open_kernel(&w, &options, &source, &launch);
    assert_true(launch_blocks(&w, &launch, 128, 128));
    nanosleep(&(struct timespec){.tv_nsec = i * 500000}, NULL);
    const pid_t child = fork();
    if (!child) alarm(60);
    const bool ok = child || launch_blocks(&w, &launch, 1, 64);
    tile_program_destroy(program);
    close_world(&w);
    if (!child) _exit(ok ? 0 : 1);
    expect_fine(child);
  }
}

static void test_unknown_tier(void **state) {
  (void)state;
  const TileContextOptions beyond = {
      .size = sizeof beyond, .cpu_tier = (TileTier)(TILE_TIER_AUTO + 1)};
  TileContext *context;
  assert_int_equal(tile_context_create(&beyond, &context),
                   TILE_INVALID_ARGUMENT);
  setenv("TILE_CPU_TIER", "2", 1);
  World w = open_for("");
  unsetenv("TILE_CPU_TIER");
  assert_int_equal(w.status, TILE_INVALID_ARGUMENT);
  assert_non_null(strstr(w.why, "TILE_CPU_TIER is '2'"));
  close_world(&w);
}

// -- Two launches ------------------------------------------------------------

static const char product_text[] =
    "@jit\n"
    "def product(a, b, c):\n"
    "    i, k = tl.arange(0, 32), tl.arange(0, 16)\n"
    "    m = (tl.program_id(0) * 32 + i)[:, None]\n"
    "    sums = tl.zeros([32, 16], tl.float32)\n"
    "    for t in range(2):\n"
    "        x = tl.load(a + m * 32 + t * 16 + k[None, :])\n"
    "        y = tl.load(b + (t * 16 + k)[:, None] * 16 + k[None, :])\n"
    "        sums = tl.dot(x, y, sums)\n"
    "    tl.store(c + m * 16 + k[None, :], sums)\n";

// The programs of a launch leave packed columns for each other, but not for
// programs of the next launch, which may have another matrix.
static void test_leaves_nothing(void **state) {
  (void)state;
  enum { ROWS = 128, COLUMNS = 16, DEPTH = 32 };
  static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS];
  const TileContextOptions options = {.num_threads = 1};
  const TileSource source = {.file = "product.tile", .text = product_text};
  const TileArg args[] = {tile_pointer_arg(a, TILE_FP32),
                          tile_pointer_arg(b, TILE_FP32),
                          tile_pointer_arg(c, TILE_FP32)};
  TileLaunch launch = {.grid = {ROWS / 32}, .args = args, .num_args = 3};
  World w;
  TileProgram *program = open_kernel(&w, &options, &source, &launch);
  for (int i = 0; i < ROWS * DEPTH; i++) a[i] = 1;
  for (int n = 1; n < 4; n++) {
    for (int i = 0; i < DEPTH * COLUMNS; i++) b[i] = (float)n;
    assert_int_equal(tile_launch(w.device, &launch, NULL), TILE_OK);
    for (int i = 0; i < ROWS * COLUMNS; i++) assert_true(c[i] == DEPTH * n);
  }
  tile_program_destroy(program);
  close_world(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_tiers),
      cmocka_unit_test(test_child),
      cmocka_unit_test(test_child_compiles),
      cmocka_unit_test(test_unknown_tier),
      cmocka_unit_test(test_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
