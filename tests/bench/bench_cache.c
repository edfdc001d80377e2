// bench_cache -- from tile_kernel_prepare() to code that is ready, where an
// earlier process has left it on disk.
//
// One JSON object a line: the median and the largest time over several
// processes, each of which parses the program and opens the device before.
// Each variant of fused-attention that ./demo runs; then one whose file imports
// ten others; then the program that ./demo runs, from its second process on.
#define _DEFAULT_SOURCE // mkdtemp, popen
#include "tile/tile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 50, DEMOS = 20, IMPORTS = 10 };

static TileDiagnostics *why;

static void must(TileStatus status) {
  if (status == TILE_OK) return;
  fprintf(stderr, "%s%s\n", tile_diagnostics_text(why),
          tile_status_text(status));
  exit(EXIT_FAILURE);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// -- A process ---------------------------------------------------------------

static float memory[64];

static double prepare(TileDevice *device, TileLaunch *launch) {
  const double start = now();
  must(tile_kernel_prepare(device, launch, &why));
  return now() - start;
}

static double prepare_attention(TileDevice *device, TileLaunch *launch,
                                bool causal) {
  TileArg args[11];
  for (int i = 0; i < 5; i++)
    args[i] = tile_pointer_arg(memory, i < 4 ? TILE_FP16 : TILE_FP32);
  args[5] = tile_float_arg(0.125), args[6] = tile_int_arg(1024);
  args[7] = args[8] = args[9] = tile_int_arg(64);
  args[10] = tile_bool_arg(causal);
  launch->args = args;
  launch->num_args = 11;
  return prepare(device, launch);
}

static double prepare_imports(TileDevice *device, TileLaunch *launch) {
  const TileArg args[] = {tile_pointer_arg(memory, TILE_FP32)};
  launch->args = args;
  launch->num_args = 1;
  return prepare(device, launch);
}

static int be_process(const char *file, const char *cache) {
  const TileContextOptions options = {.size = sizeof options,
                                      .cache_dir = cache};
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileLaunch launch = {.size = sizeof launch, .grid = {1}};
  must(tile_context_create(&options, &context));
  must(tile_device_open(context, "cpu", &device, &why));
  must(tile_program_load(context, file, &program, &why));
  must(tile_program_kernel(program, NULL, &launch.kernel, &why));
  if (!strcmp(tile_kernel_name(launch.kernel), "attention")) {
    const double first = prepare_attention(device, &launch, false);
    printf("%g %g\n", first, prepare_attention(device, &launch, true));
  } else {
    const double first = prepare_imports(device, &launch);
    printf("%g 0\n", first);
  }
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return EXIT_SUCCESS;
}

// -- Many of them ------------------------------------------------------------

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, double *seconds, int count) {
  qsort(seconds, (size_t)count, sizeof *seconds, by_value);
  printf("{\"name\": \"%s\", \"median\": %.6f, \"largest\": %.6f}\n", name,
         seconds[count / 2], seconds[count - 1]);
  fflush(stdout);
}

static void start_process(const char *self, const char *file, const char *cache,
                          double *first, double *both) {
  char command[1024];
  snprintf(command, sizeof command, "'%s' '%s' '%s'", self, file, cache);
  FILE *pipe = popen(command, "r");
  double second;
  if (!pipe || fscanf(pipe, "%lf %lf", first, &second) != 2 || pclose(pipe)) {
    fprintf(stderr, "'%s' fails\n", command);
    exit(EXIT_FAILURE);
  }
  *both = *first + second;
}

static void bench(const char *self, const char *file, const char *cache,
                  const char *name, const char *name_of_both) {
  double first[PROCESSES], both[PROCESSES], compiled;
  start_process(self, file, cache, &compiled, &compiled);
  for (int i = 0; i < PROCESSES; i++)
    start_process(self, file, cache, &first[i], &both[i]);
  print(name, first, PROCESSES);
  if (name_of_both) print(name_of_both, both, PROCESSES);
}

// Runs the program of ./demo; the time for both of its kernels.
static double run_demo(const char *folder) {
  char command[1024], path[128];
  double first, second;
  snprintf(path, sizeof path, "%s/ready", folder);
  snprintf(command, sizeof command,
           "TILE_DEVICE=cpu TILE_CACHE_DIR='%s/demo' DEMO_READY='%s' "
           "LD_PRELOAD='" READY "' '" DEMO "' >/dev/null",
           folder, path);
  const int failed = system(command);
  FILE *file = fopen(path, "r");
  if (failed || !file || fscanf(file, "%lf %lf", &first, &second) != 2) {
    fprintf(stderr, "'%s' fails\n", command);
    exit(EXIT_FAILURE);
  }
  fclose(file);
  remove(path);
  return first + second;
}

static void bench_demo(const char *folder) {
  double seconds[DEMOS];
  double compiled = run_demo(folder);
  print("./demo, first process: its kernels", &compiled, 1);
  for (int i = 0; i < DEMOS; i++) seconds[i] = run_demo(folder);
  print("./demo, later processes: its kernels", seconds, DEMOS);
}

static void write_imports(const char *folder, char *path, size_t size) {
  snprintf(path, size, "%s/main.tile", folder);
  FILE *main_file = fopen(path, "w");
  if (!main_file) exit(EXIT_FAILURE);
  for (int i = 0; i < IMPORTS; i++) {
    char part[160];
    snprintf(part, sizeof part, "%s/part%d.tile", folder, i);
    FILE *file = fopen(part, "w");
    if (!file) exit(EXIT_FAILURE);
    for (int line = 0; line < 200; line++)
      fprintf(file, "# a line of some length, as sources have them\n");
    fprintf(file, "@jit\ndef f%d(x):\n    return x + %d\n", i, i);
    fclose(file);
    fprintf(main_file, "from part%d import f%d\n", i, i);
  }
  fprintf(main_file, "@jit\ndef k(x):\n    v = tl.load(x)\n");
  for (int i = 0; i < IMPORTS; i++) fprintf(main_file, "    v = f%d(v)\n", i);
  fprintf(main_file, "    tl.store(x, v)\n");
  fclose(main_file);
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/bench_cache.XXXXXX", file[128], cache[128];
  if (argc == 3) return be_process(argv[1], argv[2]);
  if (!mkdtemp(folder)) return EXIT_FAILURE;
  snprintf(cache, sizeof cache, "%s/kept", folder);
  bench(argv[0], EXAMPLES_DIR "/fused-attention/fused-attention.tile", cache,
        "kept attention", "kept attention, both kernels of ./demo");
  write_imports(folder, file, sizeof file);
  bench(argv[0], file, cache, "kept kernel with ten imports", NULL);
  bench_demo(folder);
  char command[160];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command) ? EXIT_FAILURE : EXIT_SUCCESS;
}
