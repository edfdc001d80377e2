// test_known.c -- launches like one before: no lock, no allocation, no more
// calls of the driver than a launch takes, and right results.
//
// The linker has the library call the functions of this file that count.
#include "tests/runtime/fake_cuda.h"
#include "tests/runtime/world.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// -- Counting ----------------------------------------------------------------

// By the thread that launches: those of the pool wait for work.
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

static void start_counting(void) {
  counted.locks = counted.allocations = 0;
}

static void expect_none(const char *what) {
  if (counted.locks || counted.allocations)
    fail_msg("%s: %d locks, %d allocations", what, counted.locks,
             counted.allocations);
}

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
    "@triton.jit\n"
    "def swap(t, d):\n"
    "    n, out = t\n"
    "    tl.store(out + tl.arange(0, 4), d.load([0]) + n)\n"
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
  TileArg args[19];
} Known;

static void open_known(Known *k, const char *device, const char *kernel) {
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

static void close_known(Known *k) {
  tile_buffer_destroy(k->buffer);
  tile_program_destroy(k->program);
  tile_device_destroy(k->device);
  tile_context_destroy(k->context);
}

static void launch(Known *k) {
  TileDiagnostics *why = NULL;
  if (tile_launch(k->device, &k->launch, &why))
    fail_msg("%s", tile_diagnostics_text(why));
}

static float result(Known *k) {
  float value;
  assert_int_equal(tile_buffer_read(k->buffer, 0, &value, sizeof value),
                   TILE_OK);
  return value;
}

static void expect_result(Known *k, double wanted) {
  launch(k);
  const float found = result(k);
  if (found != (float)wanted) fail_msg("%g, not %g", (double)found, wanted);
}

// -- Many arguments ----------------------------------------------------------

// None of them 1 or divided by 16.
static double set_many(Known *k, int round) {
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

static void test_many(void **state) {
  (void)state;
  Known k;
  open_known(&k, "cpu", "many");
  expect_result(&k, set_many(&k, 1));
  start_counting();
  for (int i = 2; i < 1000; i++) {
    const double wanted = set_many(&k, i);
    expect_result(&k, wanted);
  }
  expect_none("many arguments");
  close_known(&k);
}

static void test_constants(void **state) {
  (void)state;
  Known k;
  TileConstant constants[] = {{"BLOCK", tile_int_arg(7)},
                              {"n5", tile_int_arg(0)}};
  open_known(&k, "cpu", "many");
  set_many(&k, 1);
  k.args[15] = k.args[16], k.args[16] = k.args[17];
  k.launch.num_args = 17;
  k.launch.constants = constants;
  k.launch.num_constants = 2;
  const double sum = 19 + 35 * 2 + 51 * 3 + 67 * 4 + 83 * 5 + 0.25 - 2;
  for (int i = 0; i < 8; i++) {
    if (i == 4) start_counting();
    constants[0].value = tile_int_arg(7 + i % 2);
    constants[1].value = tile_int_arg(i % 4 / 2);
    expect_result(&k, sum + 7 + i % 2 + i % 4 / 2 * 6);
  }
  expect_none("constants");
  close_known(&k);
}

static void test_nothing(void **state) {
  (void)state;
  Known k;
  open_known(&k, "cpu", "none");
  launch(&k);
  start_counting();
  for (int i = 0; i < 100; i++) launch(&k);
  expect_none("no argument");
  close_known(&k);
}

// -- What heuristics see -----------------------------------------------------

static double set_tuned(Known *k, int config, int n, double s, int m) {
  k->args[1] = tile_int_arg(n);
  k->args[2] = tile_float_arg(s);
  k->args[3] = tile_int_arg(m);
  k->launch.num_args = 4;
  k->launch.config = config;
  const int block = config ? 8 : 4;
  return m * 10000 + (n % block ? 0 : 1000) + (n > 100 && s > 1 ? 100 : 0) +
         block;
}

// `s` matters for some `n` only, so it is found out later that it does.
static void test_heuristics(void **state) {
  (void)state;
  Known k;
  open_known(&k, "cpu", "tuned");
  for (int round = 0; round < 3; round++) {
    for (int n = 90; n < 120; n += 2) {
      for (int i = 0; i < 4; i++) {
        const double wanted = set_tuned(&k, i % 2, n, i < 2 ? 0.5 : 2.5, 3);
        expect_result(&k, wanted);
      }
    }
  }
  close_known(&k);
}

static void test_unseen_values(void **state) {
  (void)state;
  Known k;
  open_known(&k, "cpu", "tuned");
  for (int i = 0; i < 4; i++) {
    expect_result(&k, set_tuned(&k, i % 2, 104, 2, 3));
    expect_result(&k, set_tuned(&k, i % 2, 12, 2, 3));
  }
  start_counting();
  for (int m = 18; m < 32; m++) { // no heuristic looks at it
    expect_result(&k, set_tuned(&k, 0, 104, 2, m));
    expect_result(&k, set_tuned(&k, 1, 12, 2, m));
  }
  expect_none("values that no heuristic sees");
  close_known(&k);
}

// As many values as are kept, and more.
static void test_many_values(void **state) {
  (void)state;
  Known k;
  open_known(&k, "cpu", "tuned");
  for (int round = 0; round < 2; round++) {
    for (int n = 2; n < 1300; n++)
      expect_result(&k, set_tuned(&k, n % 2, n, 2, 3));
  }
  close_known(&k);
}

// -- Tuples and strings ------------------------------------------------------

static void test_parts(void **state) {
  (void)state;
  Known k;
  open_known(&k, "cpu", "parts");
  for (int i = 0; i < 24; i++) {
    TileArg pair[] = {tile_int_arg(20 + i), tile_float_arg(i * 0.5)};
    TileArg both[] = {tile_tuple_arg(pair, 2), tile_int_arg(i % 3)};
    TileArg name = tile_int_arg(0);
    char text[] = "thousand";
    name.kind = TILE_ARG_STRING;
    name.as.string = memcpy(text, i % 2 ? "hundred" : "anything", 8);
    k.args[1] = tile_tuple_arg(both, 2);
    k.args[2] = name;
    k.args[3] = tile_int_arg(200 + i);
    k.launch.num_args = 4;
    const double sum = 20 + i + i + i % 3 * 3 + 200 + i;
    expect_result(&k, i % 2 ? sum * 100 : sum);
  }
  close_known(&k);
}

// -- What is wrong is told each time -----------------------------------------

static void expect_wrong(Known *k, const char *said) {
  TileDiagnostics *why = NULL;
  assert_int_equal(tile_launch(k->device, &k->launch, &why),
                   TILE_INVALID_ARGUMENT);
  if (!strstr(tile_diagnostics_text(why), said))
    fail_msg("'%s' is not in %s", said, tile_diagnostics_text(why));
  tile_diagnostics_destroy(why);
}

static void test_wrong(void **state) {
  (void)state;
  Known k;
  TileDevice *other;
  TileBuffer *strange;
  open_known(&k, "cpu", "many");
  assert_int_equal(tile_device_open(k.context, "cpu", &other, NULL), TILE_OK);
  assert_int_equal(tile_buffer_create(other, 64, &strange), TILE_OK);
  const double wanted = set_many(&k, 1);
  expect_result(&k, wanted);
  k.args[0].as.buffer.offset = 65;
  expect_wrong(&k, "past the end");
  k.args[0].as.buffer.offset = 2;
  expect_wrong(&k, "do not divide");
  k.args[0].as.buffer.offset = 0;
  k.args[0].as.buffer.buffer = strange;
  expect_wrong(&k, "of another device");
  k.args[0].as.buffer.buffer = k.buffer;
  k.launch.grid[0] = 0;
  expect_wrong(&k, "grid");
  k.launch.grid[0] = 1;
  k.launch.num_warps = 3;
  expect_wrong(&k, "num_warps");
  k.launch.num_warps = 0;
  k.launch.num_args = 20;
  expect_wrong(&k, "arguments");
  k.launch.num_args = 19;
  expect_result(&k, wanted);
  tile_buffer_destroy(strange);
  tile_device_destroy(other);
  close_known(&k);
}

// -- Bindings ----------------------------------------------------------------

static void test_binding(void **state) {
  (void)state;
  Known k;
  TileBinding *binding = NULL;
  TileBuffer *second;
  const void *addresses[10];
  open_known(&k, "cpu", "many");
  assert_int_equal(tile_buffer_create(k.device, 64, &second), TILE_OK);
  const double wanted = set_many(&k, 1);
  assert_int_equal(tile_launch_bind(k.device, &k.launch, &binding, NULL),
                   TILE_OK);
  assert_int_equal(tile_binding_num_addresses(binding), 10);
  for (int i = 0; i < 10; i++) addresses[i] = tile_buffer_address(second);
  assert_int_equal(tile_binding_start(binding, NULL, 0, NULL, NULL), TILE_OK);
  assert_true(result(&k) == (float)wanted);
  start_counting();
  for (int i = 0; i < 100; i++)
    assert_int_equal(tile_binding_start(binding, addresses, 10, NULL, NULL),
                     TILE_OK);
  expect_none("a binding");
  float value = 0;
  assert_int_equal(tile_buffer_read(second, 0, &value, sizeof value), TILE_OK);
  assert_true(value == (float)wanted);
  tile_context_evict(k.context, 0); // it is pinned
  assert_int_equal(tile_binding_start(binding, addresses, 10, NULL, NULL),
                   TILE_OK);
  tile_binding_destroy(binding);
  tile_context_evict(k.context, 0);
  expect_result(&k, wanted);
  tile_buffer_destroy(second);
  close_known(&k);
}

static void expect_start(const TileBinding *binding,
                         const void *const *addresses, size_t count,
                         const char *said) {
  TileDiagnostics *why = NULL;
  assert_int_equal(tile_binding_start(binding, addresses, count, NULL, &why),
                   TILE_INVALID_ARGUMENT);
  if (!strstr(tile_diagnostics_text(why), said))
    fail_msg("'%s' is not in %s", said, tile_diagnostics_text(why));
  tile_diagnostics_destroy(why);
}

static void test_wrong_binding(void **state) {
  (void)state;
  Known k;
  TileBinding *binding = NULL;
  const void *addresses[10];
  open_known(&k, "cpu", "many");
  set_many(&k, 1);
  k.args[1].as.buffer.offset = 4; // aligned to its elements only
  assert_int_equal(tile_launch_bind(k.device, &k.launch, &binding, NULL),
                   TILE_OK);
  for (int i = 0; i < 10; i++) addresses[i] = tile_buffer_address(k.buffer);
  assert_int_equal(tile_binding_start(binding, addresses, 10, NULL, NULL),
                   TILE_OK);
  addresses[1] = (const char *)addresses[0] + 8;
  assert_int_equal(tile_binding_start(binding, addresses, 10, NULL, NULL),
                   TILE_OK);
  addresses[1] = (const char *)addresses[0] + 2;
  expect_start(binding, addresses, 10, "no multiple of 4");
  addresses[1] = addresses[0];
  addresses[2] = (const char *)addresses[0] + 8;
  expect_start(binding, addresses, 10, "no multiple of 16");
  expect_start(binding, addresses, 9, "has 10 addresses, found 9");
  expect_start(binding, NULL, 10, "'addresses' is NULL");
  expect_start(NULL, NULL, 10, "'binding' is NULL");
  tile_binding_destroy(binding);
  binding = NULL;
  k.launch.num_args = 4;
  assert_int_equal(tile_launch_bind(k.device, &k.launch, &binding, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_null(binding);
  tile_binding_destroy(NULL);
  assert_int_equal(tile_binding_num_addresses(NULL), 0);
  close_known(&k);
}

static void test_bound_parts(void **state) {
  (void)state;
  Known k;
  TileBinding *binding = NULL;
  open_known(&k, "cpu", "swap");
  TileArg pair[] = {tile_int_arg(3), k.args[0]};
  TileTensorDescriptor d = {.buffer = k.buffer,
                            .dtype = TILE_FP32,
                            .rank = 1,
                            .shape = {4},
                            .strides = {1},
                            .block = {4}};
  k.args[0] = tile_tuple_arg(pair, 2);
  k.args[1] = tile_descriptor_arg(&d);
  k.launch.num_args = 2;
  float values[8] = {1, 2, 3, 4};
  assert_int_equal(tile_buffer_write(k.buffer, 0, values, sizeof values),
                   TILE_OK);
  assert_int_equal(tile_launch_bind(k.device, &k.launch, &binding, NULL),
                   TILE_OK);
  assert_int_equal(tile_binding_num_addresses(binding), 2);
  const char *start = tile_buffer_address(k.buffer);
  const void *addresses[] = {start + 16, start};
  assert_int_equal(tile_binding_start(binding, addresses, 2, NULL, NULL),
                   TILE_OK);
  assert_int_equal(tile_buffer_read(k.buffer, 0, values, sizeof values),
                   TILE_OK);
  for (int i = 0; i < 4; i++) assert_true(values[4 + i] == (float)(i + 4));
  addresses[1] = start + 8; // a descriptor's are multiples of 16
  expect_start(binding, addresses, 2, "no multiple of 16");
  tile_binding_destroy(binding);
  close_known(&k);
}

// -- A driver ----------------------------------------------------------------

static void test_driver_calls(void **state) {
  (void)state;
  Known k;
  void *library = dlopen(FAKE_CUDA, RTLD_NOW);
  FakeCuda *fake = library ? dlsym(library, "fake_cuda") : NULL;
  assert_non_null(fake);
  setenv("TILE_LIBCUDA", FAKE_CUDA, 1);
  open_known(&k, "cuda", "many");
  set_many(&k, 1);
  launch(&k);
  start_counting();
  const int before = fake->calls;
  for (int i = 2; i < 102; i++) {
    set_many(&k, i);
    launch(&k);
  }
  expect_none("through a driver");
  // The context becomes current, the kernel is launched, the context goes.
  assert_int_equal(fake->calls - before, 300);
  close_known(&k);
  assert_int_equal(fake->live, 0);
  dlclose(library);
}

int main(void) {
  setenv("TILE_NUM_THREADS", "3", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many),          cmocka_unit_test(test_constants),
      cmocka_unit_test(test_nothing),       cmocka_unit_test(test_heuristics),
      cmocka_unit_test(test_unseen_values), cmocka_unit_test(test_many_values),
      cmocka_unit_test(test_parts),         cmocka_unit_test(test_wrong),
      cmocka_unit_test(test_driver_calls),  cmocka_unit_test(test_binding),
      cmocka_unit_test(test_wrong_binding), cmocka_unit_test(test_bound_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
