// bench_gpu -- kernels of the examples, timed on a GPU.
//
//   bench_gpu [--small] [--unchecked] [--persist=N] [FAMILY | device]
//   bench_gpu ... --serve                       as the commands on stdin say:
//       list | open FAMILY NUMBER | time COUNT | close
//
// One JSON object a line.  The device is $TILE_DEVICE.  `--small` takes sizes
// for the simulator, and compares the outputs with those of the cpu device;
// `--unchecked` is for a driver that runs nothing.  `--persist` is that of
// TileLaunch.
#define _DEFAULT_SOURCE // setenv
#include "tests/gpu/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  PATTERN = (1 << 20) + 7,   // random numbers, repeated in larger buffers
  ROTATED_BYTES = 160 << 20, // beyond any L2
  CHECKED = 1 << 18,         // elements of each output
  REPEATS = 21,
  MAX_SAMPLES = 1000,
};
static const double sample_seconds = 300e-6; // at least, by launching again

typedef struct {
  Example e;
  Timer *timer; // NULL: of the cpu device, not timed
  bool small, unchecked;
  int persist;
  const char *only; // this family
  TileBuffer *patterns[TILE_FP64 + 1];
} Machine;

// A problem with its buffers, ready to be launched.
typedef struct {
  Machine *machine;
  Problem problem;
  TileBuffer *buffers[MAX_SETS][MAX_BUFFERS];
  int num_sets, next_set, launches;
  TileKernelInfo info;
  double compile_seconds;
} Bench;

// -- Buffers -----------------------------------------------------------------

static CUdeviceptr address(const TileBuffer *buffer) {
  return (CUdeviceptr)(uintptr_t)tile_buffer_address(buffer);
}

static TileBuffer *pattern(Machine *m, TileDtype dtype) {
  if (m->patterns[dtype]) return m->patterns[dtype];
  float *values = example_normal(PATTERN, dtype, 5);
  m->patterns[dtype] = example_buffer(&m->e, dtype, values, PATTERN);
  free(values);
  return m->patterns[dtype];
}

static void copy(Machine *m, TileBuffer *to, size_t at, TileBuffer *from,
                 size_t start, size_t size) {
  if (m->timer)
    m->timer->api.copy(address(to) + at, address(from) + start, size,
                       m->timer->stream);
  else
    memcpy((char *)tile_buffer_address(to) + at,
           (char *)tile_buffer_address(from) + start, size);
}

// Buffer number `index` starts at its own place of the pattern.
static void repeat(Machine *m, const BufferSpec *spec, int index,
                   TileBuffer *to) {
  const size_t size = tile_buffer_size(to);
  TileBuffer *from = pattern(m, spec->dtype);
  const size_t period = tile_buffer_size(from);
  size_t start = (size_t)index * 99991 * tile_dtype_size(spec->dtype) % period;
  for (size_t at = 0, step; at < size; at += step, start = 0) {
    step = period - start < size - at ? period - start : size - at;
    copy(m, to, at, from, start, step);
  }
}

static void fill(Machine *m, const BufferSpec *spec, int index,
                 TileBuffer *to) {
  const size_t size = tile_buffer_size(to);
  const unsigned char byte = spec->is_zero ? 0 : 0xff;
  if (!spec->is_output && !spec->is_zero)
    repeat(m, spec, index, to);
  else if (m->timer)
    m->timer->api.set(address(to), byte, size, m->timer->stream);
  else
    memset(tile_buffer_address(to), byte, size);
}

static size_t problem_bytes(const Problem *p) {
  size_t bytes = 0;
  for (int i = 0; i < p->num_buffers; i++)
    bytes += p->buffers[i].count * tile_dtype_size(p->buffers[i].dtype);
  return bytes;
}

static void make_buffers(Bench *b) {
  const Problem *p = &b->problem;
  const size_t sets = 1 + ROTATED_BYTES / (problem_bytes(p) + 1);
  b->num_sets = b->machine->small ? 1 : sets < MAX_SETS ? (int)sets : MAX_SETS;
  for (int s = 0; s < b->num_sets; s++) {
    for (int i = 0; i < p->num_buffers; i++) {
      const BufferSpec *spec = &p->buffers[i];
      const size_t size = spec->count * tile_dtype_size(spec->dtype);
      example_check(
          &b->machine->e,
          tile_buffer_create(b->machine->e.device, size, &b->buffers[s][i]));
      fill(b->machine, spec, i, b->buffers[s][i]);
    }
  }
  if (b->machine->timer)
    b->machine->timer->api.stream_sync(b->machine->timer->stream);
}

static void free_buffers(Bench *b) {
  for (int s = 0; s < b->num_sets; s++) {
    for (int i = 0; i < b->problem.num_buffers; i++) {
      tile_buffer_destroy(b->buffers[s][i]);
    }
  }
  b->num_sets = 0;
}

// -- Launches ----------------------------------------------------------------

static TileLaunch bind(const Bench *b, const Step *step, int set,
                       TileArg *args) {
  const Problem *p = &b->problem;
  size_t n = 0;
  for (int i = 0; i < step->num_buffers; i++) {
    const int which = step->buffers[i];
    args[n++] =
        tile_buffer_arg(b->buffers[set][which], p->buffers[which].dtype);
  }
  for (int i = 0; i < step->num_rest; i++) args[n++] = step->rest[i];
  return (TileLaunch){
      .size = sizeof(TileLaunch),
      .persist = b->machine->persist,
      .kernel = example_kernel(&b->machine->e, step->kernel),
      .grid = {step->grid[0], step->grid[1], step->grid[2]},
      .args = args,
      .num_args = n,
      .num_warps = p->config.warps,
      .num_stages = p->config.stages,
      .stream = b->machine->timer ? b->machine->timer->stream : NULL,
  };
}

static void launch(Bench *b) {
  Example *e = &b->machine->e;
  const int set = b->next_set++ % b->num_sets;
  for (int i = 0; i < b->problem.num_steps; i++) {
    TileArg args[MAX_BUFFERS + MAX_ARGS];
    const TileLaunch step = bind(b, &b->problem.steps[i], set, args);
    example_check(e, tile_launch(e->device, &step, &e->diagnostics));
  }
}

static double time_sample(Bench *b, int launches) {
  timer_start(b->machine->timer);
  for (int i = 0; i < launches; i++) launch(b);
  return timer_stop(b->machine->timer) / launches;
}

// Does the target accept it?  A refusal is no error here.
static bool prepare(Bench *b) {
  Example *e = &b->machine->e;
  TileStatus status = TILE_OK;
  TileDiagnostics *why = NULL;
  b->compile_seconds = 0;
  for (int i = 0; !status && i < b->problem.num_steps; i++) {
    TileArg args[MAX_BUFFERS + MAX_ARGS];
    const TileLaunch step = bind(b, &b->problem.steps[i], 0, args);
    b->info.size = sizeof b->info;
    status = tile_kernel_info(e->device, &step, &b->info, &why);
    b->compile_seconds += b->info.compile_seconds;
  }
  tile_diagnostics_destroy(why);
  return status == TILE_OK;
}

static Problem pose(const Family *family, const Size *size, int config) {
  Problem p = {.config = family->configs[config]};
  family->pose(size, &p.config, &p);
  return p;
}

// The fastest configuration; of small problems the first that works.
static bool choose_config(Bench *b, const Family *family, const Size *size) {
  double best = INFINITY;
  int chosen = -1;
  for (int i = 0; i < family->num_configs; i++) {
    const int config = b->machine->small ? family->num_configs - 1 - i : i;
    b->problem = pose(family, size, config);
    if (!b->num_sets) make_buffers(b);
    if (!prepare(b)) continue;
    if (b->machine->small) return true;
    time_sample(b, 1);
    const double seconds = time_sample(b, 2);
    if (seconds < best) best = seconds, chosen = config;
  }
  if (chosen < 0) return false;
  b->problem = pose(family, size, chosen);
  return prepare(b);
}

static bool open_bench(Bench *b, Machine *m, const Family *family,
                       const Size *size) {
  *b = (Bench){.machine = m, .launches = 1};
  if (!choose_config(b, family, size)) {
    printf("{\"name\": \"%s\", \"error\": \"no configuration compiles\"}\n",
           b->problem.name);
    free_buffers(b);
    return false;
  }
  const double once = m->small ? 1 : time_sample(b, 1);
  b->launches =
      once < sample_seconds ? (int)(sample_seconds / (once + 1e-6)) + 1 : 1;
  return true;
}

// -- Answers -----------------------------------------------------------------

static size_t checked_count(const BufferSpec *spec) {
  return spec->count < CHECKED ? spec->count : CHECKED;
}

// Every element is written: no NaN is left.
static bool is_written(Bench *b) {
  const Problem *p = &b->problem;
  size_t wrong = 0;
  for (int i = 0; i < p->num_buffers; i++) {
    const BufferSpec *spec = &p->buffers[i];
    if (!spec->is_output) continue;
    float *values = example_read(&b->machine->e, b->buffers[0][i], spec->dtype,
                                 checked_count(spec));
    for (size_t k = 0; k < checked_count(spec); k++) {
      if (isnan(values[k])) wrong++;
    }
    free(values);
  }
  return !wrong;
}

// max |a - b| / (1 + |b|) of all outputs.
static double difference(Bench *a, Bench *b) {
  double worst = 0;
  const Problem *p = &a->problem;
  for (int i = 0; i < p->num_buffers; i++) {
    const BufferSpec *spec = &p->buffers[i];
    if (!spec->is_output) continue;
    const size_t n = checked_count(spec);
    float *x = example_read(&a->machine->e, a->buffers[0][i], spec->dtype, n);
    float *y = example_read(&b->machine->e, b->buffers[0][i], spec->dtype, n);
    double *want = example_alloc(n * sizeof *want);
    for (size_t k = 0; k < n; k++) want[k] = (double)y[k];
    worst = fmax(worst, example_error(x, want, n));
    free(x), free(y), free(want);
  }
  return worst;
}

// The same problem with the same numbers on the CPU.
static double error_of(Bench *b, Machine *cpu) {
  Bench other = {.machine = cpu, .problem = b->problem};
  other.problem.config.warps = other.problem.config.stages = 0;
  make_buffers(&other);
  launch(&other);
  const double error = difference(b, &other);
  free_buffers(&other);
  return error;
}

static double tolerance_of(const Problem *p) {
  for (int i = 0; i < p->num_buffers; i++) {
    if (p->buffers[i].dtype == TILE_FP16) return 1e-2;
  }
  return 1e-5;
}

// -- Telling -----------------------------------------------------------------

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static const char *way_of(const Machine *m) {
  return !m->persist      ? ""
         : m->persist > 0 ? ", several programs a block"
                          : ", a program a block";
}

static int measure(Bench *b, Machine *cpu, int count) {
  double seconds[MAX_SAMPLES];
  const Problem *p = &b->problem;
  const Config *c = &p->config;
  double error = 0;
  for (int i = 0; i < count; i++) seconds[i] = time_sample(b, b->launches);
  qsort(seconds, (size_t)count, sizeof *seconds, by_value);
  bool ok = b->machine->unchecked || is_written(b);
  if (b->machine->small && !b->machine->unchecked) error = error_of(b, cpu);
  ok = ok && error <= tolerance_of(p);
  const double median = seconds[count / 2];
  printf(
      "{\"name\": \"%s%s\", \"ours_ms\": %.6g, \"quartiles_ms\": [%.6g, %.6g]"
      ", \"rate\": %.4g, \"unit\": \"%s\", \"config\": \"%dx%dx%d, %d warps,"
      " %d stages\", \"registers\": %d, \"spill_bytes\": %d, "
      "\"local_bytes\": %d, "
      "\"shared\": %zu, \"compile_ms\": %.3g, \"samples\": %d, "
      "\"launches\": %d, \"error\": "
      "%.3g, \"ok\": %s}\n",
      p->name, way_of(b->machine), 1e3 * median, 1e3 * seconds[count / 4],
      1e3 * seconds[count * 3 / 4],
      (*p->unit == 'G' ? 1e-9 : 1e-12) * p->work / (median + 1e-9), p->unit,
      c->block[0], c->block[1], c->block[2], c->warps, c->stages,
      b->info.registers, b->info.spill_bytes, b->info.local_bytes,
      b->info.shared_bytes, 1e3 * b->compile_seconds, count, b->launches, error,
      ok ? "true" : "false");
  return !ok;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// The host's time for a launch that finds its variant.
static void tell_overhead(Machine *m) {
  enum { LAUNCHES = 2000 };
  static const Size one = {{1}, false};
  Bench b = {.machine = m};
  b.problem = pose(&families[0], &one, 0);
  make_buffers(&b);
  launch(&b);
  m->timer->api.stream_sync(m->timer->stream);
  const int count = m->small ? 20 : LAUNCHES;
  const double start = now();
  for (int i = 0; i < count; i++) launch(&b);
  const double seconds = (now() - start) / count;
  m->timer->api.stream_sync(m->timer->stream);
  printf("{\"name\": \"launch overhead\", \"ours_us\": %.4g, \"launches\": "
         "%d, \"ok\": true}\n",
         1e6 * seconds, count);
  free_buffers(&b);
}

// The speed of memory: bytes read and written by the driver's own copy.
static void tell_copy(Machine *m) {
  const size_t size = m->small ? 4096 : (size_t)1 << 30;
  TileBuffer *x, *y;
  double seconds[REPEATS];
  example_check(&m->e, tile_buffer_create(m->e.device, size, &x));
  example_check(&m->e, tile_buffer_create(m->e.device, size, &y));
  for (int i = -1; i < REPEATS; i++) {
    timer_start(m->timer);
    m->timer->api.copy(address(y), address(x), size, m->timer->stream);
    seconds[i < 0 ? 0 : i] = timer_stop(m->timer);
  }
  qsort(seconds, REPEATS, sizeof *seconds, by_value);
  printf("{\"name\": \"device copy\", \"ours_ms\": %.6g, \"rate\": %.4g, "
         "\"unit\": \"GB/s\", \"ok\": true}\n",
         1e3 * seconds[REPEATS / 2],
         2e-9 * (double)size / (seconds[REPEATS / 2] + 1e-9));
  tile_buffer_destroy(x);
  tile_buffer_destroy(y);
}

// -- All, or as told ---------------------------------------------------------

static const Size *size_of(const Machine *m, const Family *family, int index) {
  const int count = m->small ? family->num_small_sizes : family->num_sizes;
  const Size *sizes = m->small ? family->small_sizes : family->sizes;
  return index >= 0 && index < count ? &sizes[index] : NULL;
}

static int run_all(Machine *m, Machine *cpu) {
  int failures = 0;
  if (!m->only || !strcmp(m->only, "device")) {
    tell_copy(m);
    tell_overhead(m);
  }
  for (int f = 0; f < num_families; f++) {
    if (m->only && strcmp(m->only, families[f].name)) continue;
    for (int i = 0; size_of(m, &families[f], i); i++) {
      Bench b;
      const bool opened =
          open_bench(&b, m, &families[f], size_of(m, &families[f], i));
      failures += opened ? measure(&b, cpu, m->small ? 1 : REPEATS) : 1;
      if (opened) free_buffers(&b);
      fflush(stdout);
    }
  }
  return failures;
}

static void list(const Machine *m) {
  for (int f = 0; f < num_families; f++) {
    for (int i = 0; size_of(m, &families[f], i); i++) {
      const Size *s = size_of(m, &families[f], i);
      printf("{\"family\": \"%s\", \"number\": %d, \"name\": \"%s\", \"size\": "
             "[%lld, %lld, %lld], \"causal\": %s}\n",
             families[f].name, i, pose(&families[f], s, 0).name,
             (long long)s->n[0], (long long)s->n[1], (long long)s->n[2],
             s->causal ? "true" : "false");
    }
  }
  puts("{}");
}

static bool open_named(Bench *b, Machine *m, const char *family, int number) {
  for (int f = 0; f < num_families; f++) {
    const Size *size = size_of(m, &families[f], number);
    if (!strcmp(families[f].name, family) && size)
      return open_bench(b, m, &families[f], size);
  }
  puts("{\"error\": \"no such problem\"}");
  return false;
}

static int serve(Machine *m, Machine *cpu) {
  char line[128], family[64];
  Bench b = {.num_sets = 0};
  int number, failures = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "list", 4)) {
      list(m);
    } else if (sscanf(line, "open %63s %d", family, &number) == 2) {
      free_buffers(&b);
      if (open_named(&b, m, family, number)) puts("{\"ok\": true}");
    } else if (sscanf(line, "time %d", &number) == 1 && b.num_sets &&
               number > 0 && number <= MAX_SAMPLES) {
      failures += measure(&b, cpu, number);
    } else if (!strncmp(line, "close", 5)) {
      free_buffers(&b);
      puts("{\"ok\": true}");
    } else {
      puts("{\"error\": \"list, open FAMILY NUMBER, time COUNT or close\"}");
    }
    fflush(stdout);
  }
  free_buffers(&b);
  return failures;
}

// -- main --------------------------------------------------------------------

static void open_machine(Machine *m, Timer *timer) {
  for (int f = 0; f < num_families; f++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s.tile", EXAMPLES_DIR, families[f].name,
             families[f].name);
    f ? example_load(&m->e, path) : example_open_quietly(&m->e, path);
  }
  const char *device = tile_device_name(m->e.device);
  if (!timer) return;
  if (!strncmp(device, "cuda", 4) || !strcmp(device, "sim")) m->timer = timer;
  if (m->timer && timer_open(timer, device)) return;
  fprintf(stderr, "bench_gpu: %s is no GPU whose time can be taken\n", device);
  exit(EXIT_FAILURE);
}

static void close_machine(Machine *m) {
  for (int i = 0; i <= TILE_FP64; i++) tile_buffer_destroy(m->patterns[i]);
  if (m->timer) timer_close(m->timer);
  example_close(&m->e);
}

int main(int argc, char **argv) {
  Machine machine = {.timer = NULL}, cpu = {.small = true};
  Timer timer;
  bool serves = false;
  for (int i = 1; i < argc; i++) {
    machine.small |= !strcmp(argv[i], "--small");
    machine.unchecked |= !strcmp(argv[i], "--unchecked");
    serves |= !strcmp(argv[i], "--serve");
    if (!strncmp(argv[i], "--persist=", 10))
      machine.persist = atoi(argv[i] + 10);
    if (*argv[i] != '-') machine.only = argv[i];
  }
  open_machine(&machine, &timer);
  setenv("TILE_DEVICE", "cpu", 1);
  open_machine(&cpu, NULL);
  const int failures = serves ? serve(&machine, &cpu) : run_all(&machine, &cpu);
  close_machine(&cpu);
  close_machine(&machine);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
