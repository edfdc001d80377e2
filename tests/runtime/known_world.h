// known_world.h -- kernels that are launched often, and counts of locks and
// allocations.
//
// The linker redirects the library's calls to the counting functions of this
// file; a program that is not linked so defines NOT_COUNTED.
#ifndef TESTS_KNOWN_WORLD_H
#define TESTS_KNOWN_WORLD_H

#include "tests/runtime/world.h"

#include <pthread.h>

#ifndef NOT_COUNTED
// -- Counting ----------------------------------------------------------------

// Counted by thread: only the thread that launches, as those of the pool wait
// for work.
static _Thread_local struct { int locks, allocations; } counted;

int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock) {
  counted.locks++;
  return __real_pthread_mutex_lock(lock);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
  counted.allocations++;
  return __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
  counted.allocations++;
  return __real_calloc(count, size);
}

void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size) {
  counted.allocations++;
  return __real_realloc(block, size);
}

void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size) {
  counted.allocations++;
  return __real_aligned_alloc(align, size);
}

static inline void start_counting(void) {
  counted.locks = counted.allocations = 0;
}

static inline void expect_none(const char *what) {
  if (counted.locks || counted.allocations)
    fail_msg("%s: %d locks, %d allocations", what, counted.locks,
             counted.allocations);
}

#endif
// -- Kernels -----------------------------------------------------------------

static const char source_text[] =
    "@triton.jit\n"
    "def none():\n"
    "    return\n"
    "\n"
    "@triton.jit\n"
    "def many(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, n5,\n"
    "         f0, f1, BLOCK: tl.constexpr):\n"
    "    tl.store(a0, n0 + n1 * 2 + n2 * 3 + n3 * 4 + n4 * 5 + n5 * 6 + f0\n"
    "             + f1 * 2 + BLOCK)\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({'BLOCK': b}) for b in [4, 8]],\n"
    "                 key=['n'])\n"
    "@triton.heuristics({'EVEN': lambda a: a['n'] % a['BLOCK'] == 0,\n"
    "                    'BIG': lambda a: a['s'] > 1 if a['n'] > 100\n"
    "                                     else False})\n"
    "@triton.jit\n"
    "def tuned(out, n, s, m, BLOCK: tl.constexpr, EVEN: tl.constexpr,\n"
    "          BIG: tl.constexpr):\n"
    "    x = 1000 if EVEN else 0\n"
    "    x += 100 if BIG else 0\n"
    "    tl.store(out, m * 10000 + x + BLOCK)\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({}, pre_hook=lambda args:\n"
    "                                         args['x'].zero_())], key=[])\n"
    "@triton.jit\n"
    "def hooked(x):\n"
    "    tl.store(x, tl.load(x) + 1)\n"
    "\n"
    "@triton.jit\n"
    "def swap(t, d):\n"
    "    n, out = t\n"
    "    tl.store(out + tl.arange(0, 4), d.load([0]) + n)\n"
    "\n"
    "@triton.jit\n"
    "def twice(x, y, m, n, stride):\n"
    "    a = tl.make_tensor_descriptor(x, [m, n], [stride, 1], [8, 16])\n"
    "    b = tl.make_tensor_descriptor(y, [m, n], [stride, 1], [8, 16])\n"
    "    b.store([0, 0], a.load([0, 0]) * 2)\n"
    "\n"
    "@triton.jit\n"
    "def parts(out, t, NAME: tl.constexpr, u):\n"
    "    (a, b), c = t\n"
    "    scale = 100 if NAME == 'hundred' else 1\n"
    "    tl.store(out, (a + b * 2 + c * 3 + u) * scale)\n";

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *buffer;
  TileLaunch launch;
  TileArg args[20]; // one more than the kernels take
} Known;

static inline void open_known(Known *k, const char *device,
                              const char *kernel) {
  const TileSource source = {.text = source_text};
  *k = (Known){.launch = {.grid = {1}}};
  k->launch.args = k->args;
  assert_int_equal(tile_context_create(NULL, &k->context), TILE_OK);
  assert_int_equal(tile_device_open(k->context, device, &k->device, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_create(k->context, &source, &k->program, NULL),
                   TILE_OK);
  k->launch.kernel = kernel_of(k->program, kernel);
  assert_int_equal(tile_buffer_create(k->device, 64, &k->buffer), TILE_OK);
  k->args[0] = tile_buffer_arg(k->buffer, TILE_FP32);
}

static inline void close_known(Known *k) {
  tile_buffer_destroy(k->buffer);
  tile_program_destroy(k->program);
  tile_device_destroy(k->device);
  tile_context_destroy(k->context);
}

static inline void launch(Known *k) {
  TileDiagnostics *why = NULL;
  if (tile_launch(k->device, &k->launch, &why))
    fail_msg("%s", tile_diagnostics_text(why));
}

static inline float result(Known *k) {
  float value;
  assert_int_equal(tile_buffer_read(k->buffer, 0, &value, sizeof value),
                   TILE_OK);
  return value;
}

static inline void expect_result(Known *k, double wanted) {
  launch(k);
  const float found = result(k);
  if (found != (float)wanted) fail_msg("%g, not %g", (double)found, wanted);
}

// No argument is 1 or a multiple of 16.
static inline double set_many(Known *k, int round) {
  double sum = 64;
  k->launch.num_args = 19;
  for (int i = 1; i < 10; i++) k->args[i] = k->args[0];
  for (int i = 0; i < 6; i++) {
    const int value = 16 * (round + i) + 3;
    k->args[10 + i] = tile_int_arg(value);
    sum += value * (i + 1);
  }
  k->args[16] = tile_float_arg(round * 0.25);
  k->args[17] = tile_float_arg(-round);
  k->args[18] = tile_int_arg(64);
  return sum + round * 0.25 - 2 * round;
}

#endif
