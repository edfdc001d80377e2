// bench_launch -- the time of a launch in the thread that makes it.
//
// bench_launch [LIBRARY]: one JSON object a line, {"name", "device", "threads",
// "ours", "peer", …}; nanoseconds a launch, medians and quartiles of batches,
// of an empty kernel with a grid of one.  LIBRARY is a CUDA driver that does
// nothing; raw launches call its cuLaunchKernelEx alone, by turns with ours.
// Several threads launch one kernel at the same time.
#define _GNU_SOURCE // mkdtemp
#include "runtime/device/cuda_api.h"
#include "tile/tile.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 201, BATCH = 1000, MAX_THREADS = 4, NUM_ARGS = 19 };

static const char source_text[] =
    "@triton.jit\n"
    "def none():\n"
    "    return\n"
    "\n"
    "@triton.jit\n"
    "def many(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, n5,\n"
    "         f0, f1, BLOCK: tl.constexpr):\n"
    "    return\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({'BLOCK': b}) for b in [4, 8]],\n"
    "                 key=['n0'])\n"
    "@triton.heuristics({'EVEN': lambda a: a['n0'] % a['BLOCK'] == 0})\n"
    "@triton.jit\n"
    "def tuned(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, "
    "n5,\n"
    "          f0, f1, BLOCK: tl.constexpr, EVEN: tl.constexpr):\n"
    "    return\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({'BLOCK': b}) for b in [4, 8]],\n"
    "                 key=['n0'])\n"
    "@triton.jit\n"
    "def kept(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, n5,\n"
    "         f0, f1, BLOCK: tl.constexpr):\n"
    "    return\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({}, pre_hook=lambda args: \n"
    "                                         args['a0'].zero_())], key=[])\n"
    "@triton.jit\n"
    "def hooked(a0):\n"
    "    return\n";

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *buffer;
  CudaApi *driver; // or NULL
} World;

// One way to launch, and its arguments.
typedef struct Way Way;
struct Way {
  const char *name, *kernel;
  size_t num_args;
  void (*launch)(Way *way);
  TileLaunch of;
  TileBinding *binding;
  TileArg args[NUM_ARGS];
  const void *addresses[NUM_ARGS];
  World *world;
  int round;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void check(TileStatus status, TileDiagnostics *why) {
  if (!status) return;
  fprintf(stderr, "%s\n%s", tile_status_text(status),
          tile_diagnostics_text(why));
  exit(1);
}

// -- Ways --------------------------------------------------------------------

static void launch_same(Way *way) {
  check(tile_launch(way->world->device, &way->of, NULL), NULL);
}

// Launches with other values, for which the same variant is right.
static void launch_others(Way *way) {
  const int round = ++way->round & 1023;
  for (int i = 11; i < 16; i++) way->args[i].as.i = 16 * round + 3;
  way->args[16].as.f = round * 0.1;
  launch_same(way);
}

static void start_bound(Way *way) {
  check(tile_binding_start(way->binding, NULL, 0, NULL, NULL), NULL);
}

static void start_elsewhere(Way *way) {
  const size_t count = tile_binding_num_addresses(way->binding);
  check(tile_binding_start(way->binding, way->addresses, count, NULL, NULL),
        NULL);
}

static const Way ways[] = {
    {.name = "no argument", .kernel = "none", .launch = launch_same},
    {.name = "19 arguments",
     .kernel = "many",
     .num_args = 19,
     .launch = launch_same},
    {.name = "19 arguments, other values",
     .kernel = "many",
     .num_args = 19,
     .launch = launch_others},
    {.name = "autotune and heuristics",
     .kernel = "tuned",
     .num_args = 18,
     .launch = launch_same},
    {.name = "autotune and heuristics, other values",
     .kernel = "tuned",
     .num_args = 18,
     .launch = launch_others},
    {.name = "tuned, by a key",
     .kernel = "kept",
     .num_args = 18,
     .launch = launch_others},
    {.name = "tuned, by a point of a search space",
     .kernel = "many",
     .num_args = 18,
     .launch = launch_others},
    {.name = "an argument that a hook clears",
     .kernel = "hooked",
     .num_args = 1,
     .launch = launch_same},
    {.name = "bound, no argument", .kernel = "none", .launch = start_bound},
    {.name = "bound, 19 arguments, other addresses",
     .kernel = "many",
     .num_args = 19,
     .launch = start_elsewhere},
};
enum { NUM_WAYS = sizeof ways / sizeof *ways };

static void set_arguments(Way *way) {
  TileBuffer *buffer = way->world->buffer;
  for (int i = 0; i < 10; i++) {
    way->args[i] = tile_buffer_arg(buffer, TILE_FP32);
    way->addresses[i] = tile_buffer_address(buffer);
  }
  for (int i = 10; i < 16; i++) way->args[i] = tile_int_arg(16 * i + 3);
  way->args[16] = way->args[17] = tile_float_arg(0.5);
  way->args[18] = tile_int_arg(64);
}

static void set_up(Way *way, World *world) {
  TileDiagnostics *why = NULL;
  way->world = world;
  set_arguments(way);
  way->of =
      (TileLaunch){.grid = {1}, .args = way->args, .num_args = way->num_args};
  check(tile_program_kernel(world->program, way->kernel, &way->of.kernel, &why),
        why);
  check(tile_launch_bind(world->device, &way->of, &way->binding, &why), why);
}

// -- Tuned before ------------------------------------------------------------

static void tune(World *world, const char *kernel,
                 const TileTuneChoice *choices, size_t num_choices) {
  static Way way;
  TileDiagnostics *why = NULL;
  TileTuning *tuning;
  way = (Way){.kernel = kernel, .world = world};
  set_arguments(&way);
  way.of = (TileLaunch){.grid = {1}, .args = way.args, .num_args = 18};
  check(tile_program_kernel(world->program, kernel, &way.of.kernel, &why), why);
  const TileTuneOptions options = {.size = sizeof options,
                                   .num_rounds = 3,
                                   .choices = choices,
                                   .num_choices = num_choices};
  check(tile_tune(world->device, &way.of, &options, &tuning, &why), why);
  tile_tuning_destroy(tuning);
}

static void tune_all(World *world) {
  const TileConstant blocks[] = {{"BLOCK", tile_int_arg(16)},
                                 {"BLOCK", tile_int_arg(32)}};
  const TileTuneChoice choices[] = {{"BLOCK=16", &blocks[0], 1, 0, 0},
                                    {"BLOCK=32", &blocks[1], 1, 0, 0}};
  tune(world, "kept", NULL, 0);
  tune(world, "many", choices, 2);
}

// -- Raw launches ------------------------------------------------------------

// Makes the structs of the call anew each time, as our launches do.
static void launch_raw(const Way *way) {
  static uint64_t slots[NUM_ARGS];
  void *params[NUM_ARGS];
  const CUlaunchConfig config = {.gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 128,
                                 .blockDimY = 1,
                                 .blockDimZ = 1};
  for (size_t i = 0; i < way->num_args; i++) params[i] = &slots[i];
  way->world->driver->cuLaunchKernelEx(&config, NULL, params, NULL);
}

static double time_raw(const Way *way) {
  if (!way->world->driver) return 0;
  const double start = now();
  for (int i = 0; i < BATCH; i++) launch_raw(way);
  return (now() - start) / BATCH;
}

// -- Measuring ---------------------------------------------------------------

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct {
  Way way;
  World *world;
  pthread_barrier_t *barrier;
  double ours[BATCHES], raw[BATCHES];
} Runner;

static void *run(void *data) {
  Runner *r = data;
  Way *way = &r->way;
  set_up(way, r->world);
  way->launch(way);
  for (int i = 0; i < BATCHES; i++) {
    r->raw[i] = time_raw(way);
    pthread_barrier_wait(r->barrier);
    const double start = now();
    for (int k = 0; k < BATCH; k++) way->launch(way);
    r->ours[i] = (now() - start) / BATCH;
  }
  tile_binding_destroy(way->binding);
  return NULL;
}

static void print(const Way *way, int threads, Runner *runners) {
  static double ours[MAX_THREADS * BATCHES];
  const size_t n = (size_t)threads * BATCHES;
  for (int i = 0; i < threads; i++)
    memcpy(ours + i * BATCHES, runners[i].ours, sizeof runners[i].ours);
  qsort(ours, n, sizeof *ours, by_value);
  qsort(runners->raw, BATCHES, sizeof *ours, by_value);
  printf("{\"name\": \"launch, %s\", \"device\": \"%s\", \"threads\": %d, "
         "\"ours\": %.4g, \"quartiles\": [%.4g, %.4g]",
         way->name, tile_device_name(runners->world->device), threads,
         1e-9 * ours[n / 2], 1e-9 * ours[n / 4], 1e-9 * ours[3 * n / 4]);
  if (runners->world->driver)
    printf(", \"peer_name\": \"cuLaunchKernelEx\", \"peer\": %.4g",
           1e-9 * runners->raw[BATCHES / 2]);
  printf("}\n");
  fflush(stdout);
}

static void measure(World *world, const Way *way, int threads) {
  static Runner runners[MAX_THREADS];
  pthread_t handles[MAX_THREADS];
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++) {
    runners[i] = (Runner){.way = *way, .world = world, .barrier = &barrier};
    pthread_create(&handles[i], NULL, run, &runners[i]);
  }
  for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
  pthread_barrier_destroy(&barrier);
  print(way, threads, runners);
}

// Removes the cache on disk: by now the context knows each of these launches.
static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  char file[600];
  for (const struct dirent *each; folder && (each = readdir(folder));) {
    snprintf(file, sizeof file, "%s/%s", path, each->d_name);
    if (*each->d_name != '.') unlink(file);
  }
  if (folder) closedir(folder);
  rmdir(path);
}

static void bench(const char *device, CudaApi *driver) {
  const TileSource source = {.text = source_text};
  TileDiagnostics *why = NULL;
  World w = {.driver = driver};
  char folder[] = "/tmp/bench-tuned-XXXXXX";
  if (!mkdtemp(folder)) exit(1);
  const TileContextOptions options = {.size = sizeof options, .tuned = folder};
  check(tile_context_create(&options, &w.context), NULL);
  check(tile_device_open(w.context, device, &w.device, &why), why);
  check(tile_program_create(w.context, &source, &w.program, &why), why);
  check(tile_buffer_create(w.device, 4096, &w.buffer), NULL);
  tune_all(&w);
  remove_folder(folder);
  for (int threads = 1; threads <= MAX_THREADS; threads *= 2) {
    for (int i = 0; i < NUM_WAYS; i++) measure(&w, &ways[i], threads);
  }
  tile_buffer_destroy(w.buffer);
  tile_program_destroy(w.program);
  tile_device_destroy(w.device);
  tile_context_destroy(w.context);
}

int main(int argc, char **argv) {
  CudaApi driver = {0};
  bench("cpu", NULL);
  if (argc < 2) return 0;
  void *library = dlopen(argv[1], RTLD_NOW);
  void *launch = library ? dlsym(library, "cuLaunchKernelEx") : NULL;
  if (!launch) return 1;
  memcpy(&driver.cuLaunchKernelEx, &launch, sizeof launch);
  setenv("TILE_LIBCUDA", argv[1], 1);
  bench("cuda", &driver);
  dlclose(library);
  return 0;
}
