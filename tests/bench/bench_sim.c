// bench_sim -- the number of instructions of threads that the simulator
// retires.
//
// One host thread and its processor time, one JSON object a line: with all
// checks, and with none that cost time.  Kernels of one kind of instruction
// each; every loop has 32 of them, and its counter.  Then matrix products of
// nvcc's and tilec's, and attention, in seconds, each in a process of its own:
// the largest memory of the process, and the memory of checks for each byte of
// global memory and of the shared memory of a CTA, or of all CTAs of a cluster:
// the bytes that were allocated, and the growth of the process.
//
//   bench_sim [FILE.ptx KERNEL GRID-X GRID-Y THREADS SHARED PARAM...]
//
// measures a launch of that file alone, whose parameters are "b4096", a buffer
// of so many bytes, "i7" or "f0.5".
#define _DEFAULT_SOURCE // setenv
#include "tests/bench/workloads.h"
#include "tests/sim/driver_api.h"
#include "tests/sim/live_bytes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 256, REPEATS = 3, BYTES = 1 << 20, COPIES = 8 };

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 from, .param .u64 to) {\n"
    ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<3>; .reg .b64 %d;\n"
    ".reg .b32 %a, %b, %n, %t; .reg .b64 %g, %h;\n"
    ".shared .align 16 .b8 small[1024]; .shared .align 16 .b8 wide[4096];\n"
    "mov.u32 %t, %tid.x; mov.u32 %a, small; mad.lo.u32 %a, %t, 4, %a;\n"
    "mov.u32 %b, wide; mad.lo.u32 %b, %t, 16, %b; mul.wide.u32 %d, %t, 16;\n"
    "ld.param.u64 %g, [from]; add.u64 %g, %g, %d;\n"
    "ld.param.u64 %h, [to]; add.u64 %h, %h, %d;\n"
    "cvt.rn.f32.u32 %f1, %t; mov.f32 %f2, 0f3f800000; mov.f32 %f3, %f2;\n"
    "mov.f32 %f4, %f2; mov.f32 %f5, %f2; mov.u32 %r1, %t; mov.u32 %r2, 0;\n"
    "mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
    "setp.eq.u32 %p1, %t, 0; mov.u32 %n, 0;\n"
    "st.shared.b32 [%a], 0; st.shared.v4.b32 [%b], {%r2, %r2, %r2, %r2};\n"
    "bar.sync 0;\nL:\n";
static const char tail[] =
    "add.u32 %%n, %%n, 1; setp.lt.u32 %%p2, %%n, %u; @%%p2 bra L;\nret;\n}\n";

static void check(int error, const char *what) {
  if (!error) return;
  fprintf(stderr, "bench_sim: %s: error %d\n", what, error);
  exit(1);
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double peak_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

static CUfunction load_text(const char *text, const char *kernel,
                            CUmodule *module) {
  char log[1000] = "";
  int options[] = {5, 6}; // the log and its size
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  const int error = cuModuleLoadDataEx(module, text, 2, options, values);
  check(error, log);
  CUfunction function;
  check(cuModuleGetFunction(&function, *module, kernel), "cuModuleGetFunction");
  return function;
}

static CUfunction load(const Workload *w, CUmodule *module) {
  static char text[1 << 16];
  char *at = text + sprintf(text, "%s", head);
  for (int i = 0; i < COPIES; i++) at += sprintf(at, "%s", w->body);
  sprintf(at, tail, w->trips);
  return load_text(text, "k", module);
}

// Returns millions of instructions a second, the best of a few runs.
static double measure(CUfunction function, const Workload *w,
                      const char *checks) {
  CUdeviceptr from, to;
  double best = 1e9;
  setenv("TILE_SIM_CHECKS", checks, 1);
  check(cuMemAlloc_v2(&from, BYTES) | cuMemAlloc_v2(&to, BYTES), "memory");
  check(cuMemsetD32_v2(from, 0, BYTES / 4), "memory");
  void *params[] = {&from, &to};
  for (int i = 0; i < REPEATS; i++) {
    const double start = processor_time();
    check(
        cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL),
        w->name);
    check(cuCtxSynchronize(), w->name);
    const double seconds = processor_time() - start;
    if (seconds < best) best = seconds;
  }
  check(cuMemFree_v2(from) | cuMemFree_v2(to), "memory");
  return (4.0 * COPIES + 3) * w->trips * THREADS / best * 1e-6;
}

// -- Products ----------------------------------------------------------------

// c = a b, all SIZE by SIZE, of f16 in blocks of `block` by `block`.
typedef struct {
  const char *name, *file;
  unsigned block, threads, shared;
} Product;

enum { SIZE = 1024 };

static const Product products[] = {
    {"mma.sync, blocks of 64", "matmul.ptx", 64, 128,
     3 * (64 * 40 + 32 * 72) * 2},
    {"wgmma, blocks of 128", "wgmma.ptx", 128, 256, 3 * 256 * 64 * 2},
};

static const char *read_file(const char *path) {
  static char text[4 << 20];
  FILE *file = fopen(path, "r");
  check(!file, path);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static const char *read_ptx(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, TILE_SOURCE_DIR "/tests/sim/ptx/%s", name);
  return read_file(path);
}

// A launch with `shared` bytes of dynamic shared memory, which touches
// `touched` bytes of global memory, and of the shared memory of other CTAs of a
// cluster.
typedef struct {
  const char *name;
  unsigned grid[2], threads, shared;
  size_t touched;
} Shape;

// The largest number of bytes, in addition to those before.
static double live_since(size_t before) {
  return (double)live_bytes_peak() - (double)before;
}

// Returns the seconds of a launch, the best of a few.
static double time_launch(CUfunction function, const Shape *shape,
                          void **params, const char *checks) {
  double best = 1e9;
  setenv("TILE_SIM_CHECKS", checks, 1);
  check(cuFuncSetAttribute(function, 8, (int)shape->shared), "shared memory");
  for (int i = 0; i < REPEATS; i++) {
    const double start = processor_time();
    check(cuLaunchKernel(function, shape->grid[0], shape->grid[1], 1,
                         shape->threads, 1, 1, shape->shared, NULL, params,
                         NULL),
          shape->name);
    check(cuCtxSynchronize(), shape->name);
    const double seconds = processor_time() - start;
    if (seconds < best) best = seconds;
  }
  return best;
}

static void print_launch(CUfunction function, const Shape *shape,
                         void **params) {
  const size_t live = live_bytes_restart();
  const double unchecked = time_launch(function, shape, params, "none");
  const double before = peak_bytes(), live_before = live_since(live);
  const double checked = time_launch(function, shape, params, "usual");
  const double peak = peak_bytes();
  const double bytes = (double)(shape->touched + shape->shared);
  printf("{\"name\": \"simulator %s\", \"checked\": %.3f, "
         "\"unchecked\": %.3f, \"unit\": \"seconds\", \"peak_mb\": %.1f, "
         "\"shadow_per_byte\": %.2f, \"resident_per_byte\": %.2f}\n",
         shape->name, checked, unchecked, peak * 1e-6,
         (live_since(live) - live_before) / bytes, (peak - before) / bytes);
  fflush(stdout);
}

// A buffer of halves of about 1.
static CUdeviceptr buffer_of(size_t bytes) {
  CUdeviceptr at;
  check(cuMemAlloc_v2(&at, bytes), "memory");
  check(cuMemsetD32_v2(at, 0x3c003800, bytes / 4), "memory");
  return at;
}

static void measure_product(const Product *p) {
  CUmodule module;
  CUfunction function = load_text(read_ptx(p->file), "matmul", &module);
  CUdeviceptr a = buffer_of(2 * SIZE * SIZE), b = buffer_of(2 * SIZE * SIZE),
              c = buffer_of(4 * SIZE * SIZE);
  int n = SIZE, k = SIZE;
  void *params[] = {&a, &b, &c, &n, &k};
  char name[100];
  snprintf(name, sizeof name, "product of %d, %s", SIZE, p->name);
  const Shape shape = {name,
                       {SIZE / p->block, SIZE / p->block},
                       p->threads,
                       p->shared,
                       8 * SIZE * SIZE};
  print_launch(function, &shape, params);
  check(cuMemFree_v2(a) | cuMemFree_v2(b) | cuMemFree_v2(c), "memory");
  cuModuleUnload(module);
}

static void measure_mma(void) {
  measure_product(&products[0]);
}

static void measure_wgmma(void) {
  measure_product(&products[1]);
}

// The PTX that tilec makes of the example.
static const char *compile_example(void) {
  static char text[1 << 20];
  FILE *pipe =
      popen(TILEC " --cache-dir=off --target=sm_80 --emit=ptx -o -"
                  " --kernel=matmul --num-warps=4 --num-stages=3 --signature="
                  "'*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16,"
                  " i32:16, i32:16, i32:16, 128, 128, 64, 8' " TILE_SOURCE_DIR
                  "/examples/matmul/matmul.tile",
            "r");
  check(!pipe, "tilec");
  text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
  check(pclose(pipe), "tilec");
  return text;
}

// The product by mma.sync, for comparison with TMA and wgmma in the same
// blocks.
static void measure_tiles(void) {
  CUmodule module;
  CUfunction function = load_text(compile_example(), "matmul", &module);
  CUdeviceptr in = buffer_of(2 * SIZE * SIZE), out = buffer_of(4 * SIZE * SIZE);
  int n = SIZE;
  void *params[] = {&in, &in, &out, &n, &n, &n, &n, &n, &n};
  const Shape shape = {"product of 1024, mma.sync, blocks of 128",
                       {64, 1},
                       128,
                       64 << 10,
                       6 * SIZE * SIZE};
  print_launch(function, &shape, params);
  check(cuMemFree_v2(in) | cuMemFree_v2(out), "memory");
  cuModuleUnload(module);
}

// -- Warps with roles --------------------------------------------------------

typedef struct {
  _Alignas(64) uint8_t bytes[128];
} Map;

// A buffer of halves, in tiles of 64 columns that are swizzled.
static Map map_of(CUdeviceptr at, unsigned rows, unsigned columns,
                  unsigned tile) {
  enum { F16 = 6, SWIZZLE_128 = 3 };
  Map map;
  const uint64_t dims[] = {columns, rows}, strides[] = {2 * columns};
  const unsigned box[] = {64, tile}, steps[] = {1, 1};
  check(cuTensorMapEncodeTiled(&map, F16, 2, (void *)(uintptr_t)at, dims,
                               strides, box, steps, 0, SWIZZLE_128, 0, 0),
        "tensor map");
  return map;
}

enum { WIDTH = 128, TILE = 128, STAGE = 2 * TILE * 128 };

static void measure_roles(void) {
  CUmodule module;
  CUfunction product = load_text(read_ptx("pipeline.ptx"), "product", &module);
  CUdeviceptr in = buffer_of(2 * SIZE * SIZE), out = buffer_of(4 * SIZE * SIZE);
  Map a = map_of(in, SIZE, SIZE, TILE), b = a;
  int n = SIZE, k = SIZE;
  void *params[] = {&a, &b, &out, &n, &k};
  const Shape shape = {"product of 1024, TMA and wgmma",
                       {8, 8},
                       384,
                       4 * STAGE,
                       6 * SIZE * SIZE};
  print_launch(product, &shape, params);
  check(cuMemFree_v2(in) | cuMemFree_v2(out), "memory");
  cuModuleUnload(module);
}

static void measure_attention(void) {
  CUmodule module;
  CUfunction function =
      load_text(read_ptx("pipeline.ptx"), "attention", &module);
  CUdeviceptr in = buffer_of(2 * SIZE * WIDTH),
              out = buffer_of(4 * SIZE * WIDTH);
  Map rows = map_of(in, SIZE, WIDTH, TILE), keys = map_of(in, SIZE, WIDTH, 64);
  int n = SIZE;
  float scale = 0.1f;
  void *params[] = {&rows, &keys, &keys, &out, &n, &scale};
  const Shape shape = {"attention of 1024 rows of 128, one head",
                       {SIZE / TILE, 1},
                       384,
                       3 * STAGE,
                       6 * SIZE * WIDTH};
  print_launch(function, &shape, params);
  check(cuMemFree_v2(in) | cuMemFree_v2(out), "memory");
  cuModuleUnload(module);
}

// -- Shared memory read by all -----------------------------------------------

enum { SHARED_BYTES = 192 << 10, MOST_THREADS = 1024 };

// Each of 32 warps reads all shared memory, in words of `bytes` bytes.
static void measure_shared_of(unsigned bytes) {
  static char text[4096];
  const char *type = bytes == 1 ? "u8" : "u32";
  snprintf(text, sizeof text,
           ".version 8.5\n.target sm_90a\n.address_size 64\n"
           ".extern .shared .align 16 .b8 s[];\n.visible .entry k() {\n"
           ".reg .b32 %%r, %%a, %%b, %%e, %%t; .reg .pred %%p;\n"
           "mov.u32 %%t, %%tid.x; mov.u32 %%a, s; add.u32 %%e, %%a, %d;\n"
           "mad.lo.u32 %%b, %%t, %u, %%a; mov.u32 %%r, 0;\n"
           "L: st.shared.%s [%%b], %%r; add.u32 %%b, %%b, %u;\n"
           "setp.lt.u32 %%p, %%b, %%e; @%%p bra L; bar.sync 0;\n"
           "and.b32 %%t, %%t, 31; mad.lo.u32 %%b, %%t, %u, %%a;\n"
           "M: ld.shared.%s %%r, [%%b]; add.u32 %%b, %%b, %u;\n"
           "setp.lt.u32 %%p, %%b, %%e; @%%p bra M;\nret;\n}\n",
           SHARED_BYTES, bytes, type, bytes * MOST_THREADS, bytes, type,
           bytes * 32);
  CUmodule module;
  CUfunction function = load_text(text, "k", &module);
  char name[100];
  snprintf(name, sizeof name, "shared memory read by 32 warps, %s",
           bytes == 1 ? "bytes" : "words");
  const Shape shape = {name, {1, 1}, MOST_THREADS, SHARED_BYTES, 0};
  print_launch(function, &shape, NULL);
  cuModuleUnload(module);
}

static void measure_bytes(void) {
  measure_shared_of(1);
}

static void measure_words(void) {
  measure_shared_of(4);
}

// -- Lookups at random -------------------------------------------------------

static void measure_near(void) {
  CUmodule module;
  CUfunction function = load_text(read_ptx("lookups.ptx"), "near", &module);
  const Shape shape = {
      "shared memory, lookups at random", {1, 1}, MOST_THREADS, 64 << 10, 0};
  print_launch(function, &shape, NULL);
  cuModuleUnload(module);
}

static void measure_far(void) {
  CUmodule module;
  CUfunction function = load_text(read_ptx("lookups.ptx"), "far", &module);
  const Shape shape = {
      "global memory, lookups at random", {2048, 1}, 128, 0, 4 << 20};
  CUdeviceptr in = buffer_of(shape.touched);
  void *params[] = {&in};
  print_launch(function, &shape, params);
  check(cuMemFree_v2(in), "memory");
  cuModuleUnload(module);
}

// -- Launches whose checks need much memory ----------------------------------

static const Shape footprints[] = {
    {"exchange", {2, 1}, 256, 32 << 10, 32 << 10},
    {"gather", {512, 1}, 128, 16 << 10, 4 << 20},
    {"gather_small", {256, 1}, 128, 32 << 10, 4 << 20},
    {"counters", {64, 1}, 128, 0, 256 << 10},
    {"near_counters", {1, 1}, 256, 64 << 10, 0},
    {"locks", {64, 1}, 128, 0, 128 << 10},
    {"remote", {8, 1}, 256, 64 << 10, 7 * 64 << 10},
    {"sparse", {64, 1}, 256, 0, 16 << 20}};

static void measure_footprint(const Shape *shape) {
  CUmodule module;
  CUfunction function =
      load_text(read_ptx("footprints.ptx"), shape->name, &module);
  CUdeviceptr in = buffer_of(shape->touched + 4);
  void *params[] = {&in};
  print_launch(function, shape, params);
  check(cuMemFree_v2(in), "memory");
  cuModuleUnload(module);
}

// -- Given files -------------------------------------------------------------

enum { MOST_PARAMS = 64 };

typedef union {
  CUdeviceptr buffer;
  int number;
  float real;
} Param;

// "b4096": a buffer, "i7", "f0.5".
static Param param_of(const char *word) {
  switch (*word) {
  case 'b': return (Param){.buffer = buffer_of(strtoull(word + 1, NULL, 10))};
  case 'i': return (Param){.number = atoi(word + 1)};
  case 'f': return (Param){.real = strtof(word + 1, NULL)};
  default: check(1, word); return (Param){0};
  }
}

// FILE KERNEL GRID-X GRID-Y THREADS SHARED PARAM...
static void measure_given(int count, char **words) {
  Param values[MOST_PARAMS];
  void *params[MOST_PARAMS] = {NULL};
  size_t touched = 0;
  check(count < 6 || count - 6 > MOST_PARAMS, "wrong number of arguments");
  for (int i = 6; i < count; i++) {
    if (*words[i] == 'b') touched += strtoull(words[i] + 1, NULL, 10);
    values[i - 6] = param_of(words[i]);
    params[i - 6] = &values[i - 6];
  }
  CUmodule module;
  CUfunction function = load_text(read_file(words[0]), words[1], &module);
  const Shape shape = {words[1],
                       {(unsigned)atoi(words[2]), (unsigned)atoi(words[3])},
                       (unsigned)atoi(words[4]),
                       (unsigned)atoi(words[5]),
                       touched};
  print_launch(function, &shape, params);
  cuModuleUnload(module);
}

static void measure_workloads(void) {
  for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
    const Workload *w = &workloads[i];
    CUmodule module;
    CUfunction function = load(w, &module);
    printf("{\"name\": \"simulator %s\", \"checked\": %.1f, "
           "\"unchecked\": %.1f, \"unit\": \"million a second and core\"}\n",
           w->name, measure(function, w, "all"), measure(function, w, "none"));
    fflush(stdout);
    cuModuleUnload(module);
  }
}

static void begin(void) {
  CUcontext context;
  const size_t live = live_bytes_restart();
  setenv("TILE_SIM_THREADS", "1", 1);
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  check(cuInit(0) | cuDevicePrimaryCtxRetain(&context, 0) |
            cuCtxPushCurrent_v2(context),
        "no simulator");
  check(LIVE_BYTES_COUNTS && live_bytes_peak() == live, "bytes not counted");
}

// Measures `rows`, or a footprint, in a process of its own.
static void measure_apart(void (*rows)(void), const Shape *footprint) {
  const pid_t child = fork();
  int status = 1;
  if (child == 0) {
    begin();
    if (rows)
      rows();
    else
      measure_footprint(footprint);
    exit(cuDevicePrimaryCtxRelease_v2(0));
  }
  check(child < 0 || waitpid(child, &status, 0) < 0 || status, "a process");
}

int main(int argc, char **argv) {
  static void (*const rows[])(void) = {
      measure_workloads, measure_mma,       measure_wgmma, measure_tiles,
      measure_roles,     measure_attention, measure_bytes, measure_words,
      measure_near,      measure_far};
  if (argc > 1) {
    begin();
    measure_given(argc - 1, argv + 1);
    return cuDevicePrimaryCtxRelease_v2(0);
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    measure_apart(rows[i], NULL);
  for (size_t i = 0; i < sizeof footprints / sizeof *footprints; i++)
    measure_apart(NULL, &footprints[i]);
  return 0;
}
