// test_pack_parts -- libtilert: tuples, tensor descriptors, tensor maps and
// cubins of a pack.  Linked without a compiler.
//
// Backs I1 of runtime/rt.
#include "tests/runtime/fake_cuda.h"
#include "tests/runtime/pack_helpers.h"
#include "tile/tilert.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 20, STRIDE = 48, SIZE = ROWS * STRIDE };

static FakeCuda *fake;

typedef struct {
  TilertError error;
  TilertPack *pack;
  TilertDevice *device;
  TilertBuffer *x, *y;
} World;

static TileStatus open_world(World *w, const char *device,
                             const TilertOptions *options) {
  float x[SIZE];
  *w = (World){.pack = NULL};
  for (int i = 0; i < SIZE; i++) x[i] = (float)i;
  TileStatus status =
      tilert_pack_open(PARTS_PACK, options, &w->pack, &w->error);
  if (!status)
    status = tilert_device_open(device, options, &w->device, &w->error);
  if (!status)
    status = tilert_buffer_create(w->device, sizeof x, &w->x, &w->error);
  if (!status)
    status = tilert_buffer_create(w->device, sizeof x, &w->y, &w->error);
  if (!status) status = tilert_buffer_write(w->x, 0, x, sizeof x, &w->error);
  if (!status) status = tilert_buffer_write(w->y, 0, x, sizeof x, &w->error);
  return status;
}

static void close_world(World *w) {
  tilert_buffer_destroy(w->x);
  tilert_buffer_destroy(w->y);
  tilert_device_close(w->device);
  tilert_pack_close(w->pack);
}

static TileStatus launch(World *w, const char *kernel, uint32_t programs,
                         const TileArg *args, size_t num_args) {
  const TilertLaunch l = {.pack = w->pack,
                          .kernel = kernel,
                          .grid = {programs, programs},
                          .args = args,
                          .num_args = num_args};
  return tilert_launch(w->device, &l, &w->error);
}

// -- Tuples and descriptors --------------------------------------------------

typedef struct {
  TileTensorDescriptor d;
  TileArg inner[2], outer[2], args[3];
} Window;

static void make_window(const World *w, Window *v, int columns, TileArg more) {
  v->d = (TileTensorDescriptor){.address = tilert_buffer_address(w->x),
                                .dtype = TILE_FP32,
                                .rank = 2,
                                .shape = {7, columns},
                                .strides = {STRIDE, 1},
                                .block = {8, 16}};
  v->inner[0] = tile_float_arg(0.5);
  v->inner[1] = more;
  v->outer[0] = tile_int_arg(3);
  v->outer[1] = tile_tuple_arg(v->inner, 2);
  v->args[0] = tile_descriptor_arg(&v->d);
  v->args[1] = tile_tuple_arg(v->outer, 2);
  v->args[2] = tile_pointer_arg(tilert_buffer_address(w->y), TILE_FP32);
}

static void expect_window(World *w, const Window *v, double scale, double more,
                          double outside) {
  float y[8 * 16];
  if (launch(w, "window", 1, v->args, 3)) fail_msg("%s", w->error.text);
  assert_int_equal(tilert_buffer_read(w->y, 0, y, sizeof y, &w->error),
                   TILE_OK);
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 16; j++) {
      const bool is_inside = i < v->d.shape[0] && j < v->d.shape[1];
      const double x = is_inside ? i * STRIDE + j : outside;
      const double wanted = x * scale + 3 + more, found = y[i * 16 + j];
      if (isnan(wanted) ? !isnan(found) : found != wanted)
        fail_msg("(%d, %d): %g, not %g", i, j, found, wanted);
    }
  }
}

static void expect_missing(World *w, const Window *v, const char *said) {
  assert_int_equal(launch(w, "window", 1, v->args, 3), TILE_UNAVAILABLE);
  if (!strstr(w->error.text, said)) fail_msg("%s", w->error.text);
}

static void check_windows(const char *device) {
  World w;
  Window v;
  assert_int_equal(open_world(&w, device, NULL), TILE_OK);
  make_window(&w, &v, 13, tile_none_arg());
  expect_window(&w, &v, 0.5, 0, 0);
  make_window(&w, &v, 16, tile_int_arg(40)); // has a hint for the size
  expect_window(&w, &v, 0.5, 40, 0);
  make_window(&w, &v, 13, tile_int_arg(40));
  expect_missing(
      &w, &v,
      "d: tensordesc<fp32[8, 16]>, t: (3 as i32, (0.5 as fp32, 40 as i32))");
  assert_non_null(strstr(
      w.error.text, "d: tensordesc<fp32[8, 16]>:16, t: (i32, (fp32, i32))"));
  make_window(&w, &v, 13, tile_int_arg(100));
  v.inner[0] = tile_float_arg(2);
  v.d.pads_with_nan = true;
  expect_window(&w, &v, 2, 100, NAN);
  v.inner[0] = tile_float_arg(2.5);
  expect_missing(&w, &v,
                 "d: tensordesc<fp32[8, 16], nan>, t: (3 as i32, (2.5 as fp32, "
                 "100 as i32))");
  make_window(&w, &v, 13, tile_none_arg());
  v.outer[1] = tile_tuple_arg(v.inner, 1);
  expect_missing(&w, &v, "t: (3 as i32, (0.5 as fp32,))");
  make_window(&w, &v, 13, tile_none_arg());
  v.d.block[1] = 32;
  expect_missing(&w, &v, "tensordesc<fp32[8, 32]>");
  close_world(&w);
}

static void check_names(const char *device) {
  static const char *const names[] = {"size", "step"}, *other[] = {"size", "x"};
  World w;
  int64_t y;
  const TileArg items[] = {tile_int_arg(7), tile_int_arg(INT64_C(1) << 40)};
  assert_int_equal(open_world(&w, device, NULL), TILE_OK);
  TileArg args[] = {tile_named_tuple_arg(items, names, 2),
                    tile_pointer_arg(tilert_buffer_address(w.y), TILE_INT64)};
  assert_int_equal(launch(&w, "named", 1, args, 2), TILE_OK);
  assert_int_equal(tilert_buffer_read(w.y, 0, &y, sizeof y, &w.error), TILE_OK);
  assert_int_equal(y, 70 + (INT64_C(1) << 40));
  args[0].as.tuple.names = other;
  assert_int_equal(launch(&w, "named", 1, args, 2), TILE_UNAVAILABLE);
  assert_non_null(
      strstr(w.error.text, "t: (size=7 as i32, x=1099511627776 as i64)"));
  args[0].as.tuple.names = NULL;
  assert_int_equal(launch(&w, "named", 1, args, 2), TILE_UNAVAILABLE);
  assert_non_null(strstr(w.error.text, "t: (size=i32, step=i64)"));
  close_world(&w);
}

static void on_the_cpu(void **state) {
  (void)state;
  check_windows("cpu");
  check_names("cpu");
}

// Its code has tensor maps.
static void in_the_simulator(void **state) {
  (void)state;
  check_windows("sim");
  check_names("sim");
}

// -- Arguments that are wrong ------------------------------------------------

static void expect_wrong(World *w, const Window *v, const char *said) {
  assert_int_equal(launch(w, "window", 1, v->args, 3), TILE_INVALID_ARGUMENT);
  if (!strstr(w->error.text, said)) fail_msg("%s", w->error.text);
}

static void wrong_parts_are_told(void **state) {
  World w;
  Window v;
  TileArg deep[40];
  (void)state;
  assert_int_equal(open_world(&w, "cpu", NULL), TILE_OK);
  make_window(&w, &v, 13, tile_none_arg());
  v.args[0].as.descriptor = NULL;
  expect_wrong(&w, &v, "argument 'd' of kernel 'window' is a NULL descriptor");
  make_window(&w, &v, 13, tile_none_arg());
  v.d.rank = 6;
  expect_wrong(&w, &v, "'d' of kernel 'window'");
  make_window(&w, &v, 13, tile_none_arg());
  v.d.offset = 4;
  expect_wrong(&w, &v, "'d' of kernel 'window'");
  make_window(&w, &v, 13, tile_none_arg());
  v.d.strides[0] = 13;
  expect_wrong(&w, &v, "'d' of kernel 'window'");
  make_window(&w, &v, 13, tile_none_arg());
  v.d.size = 8;
  expect_wrong(&w, &v, "the size of the descriptor is none");
  make_window(&w, &v, 13, tile_none_arg());
  v.d.buffer = (TileBuffer *)&w;
  expect_wrong(&w, &v, "is a buffer of libtile's");
  make_window(&w, &v, 13, tile_none_arg());
  v.inner[1] = tile_constant_arg(NULL);
  expect_wrong(&w, &v, "'t' of kernel 'window' is a constant without a value");
  v.outer[1] = tile_tuple_arg(NULL, 2);
  expect_wrong(&w, &v,
               "'t' of kernel 'window' is a tuple whose items are NULL");
  for (int i = 0; i < 39; i++) deep[i] = tile_tuple_arg(&deep[i + 1], 1);
  deep[39] = tile_int_arg(0);
  v.args[1] = deep[0];
  expect_wrong(&w, &v, "'t' of kernel 'window' has tuples nested too deeply");
  close_world(&w);
}

// -- Tensor maps -------------------------------------------------------------

static TileStatus twice(World *w, int columns, int stride) {
  const TileArg args[] = {
      tile_pointer_arg(tilert_buffer_address(w->x), TILE_FP32),
      tile_pointer_arg(tilert_buffer_address(w->y), TILE_FP32),
      tile_int_arg(ROWS - 1), tile_int_arg(columns), tile_int_arg(stride)};
  return launch(w, "twice", 3, args, 5);
}

static void expect_twice(World *w, int columns, int stride) {
  float y[SIZE];
  if (twice(w, columns, stride)) fail_msg("%s", w->error.text);
  assert_int_equal(tilert_buffer_read(w->y, 0, y, sizeof y, &w->error),
                   TILE_OK);
  for (int i = 0; i < ROWS - 1; i++) {
    for (int j = 0; j < columns; j++) {
      const int at = i * stride + j;
      if (y[at] != 2 * (float)at) fail_msg("%d: %g", at, (double)y[at]);
    }
  }
}

static void any_tensor_is_read(void **state) {
  static const char *const devices[] = {"sim", "cpu"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    World w;
    assert_int_equal(open_world(&w, devices[i], NULL), TILE_OK);
    expect_twice(&w, 45, STRIDE);
    expect_twice(&w, 43, 44);
    expect_twice(&w, 41, 43); // no map can be made of its rows
    expect_twice(&w, 42, STRIDE);
    close_world(&w);
  }
}

// Rows that follow from those before, or are copied to other memory.
static void memory_may_be_passed_twice(void **state) {
  static const char *const devices[] = {"sim", "cpu"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    World w;
    float got[SIZE];
    assert_int_equal(open_world(&w, devices[i / 2], NULL), TILE_OK);
    float *x = tilert_buffer_address(w.x), *y = tilert_buffer_address(w.y);
    const bool overlaps = i % 2;
    const TileArg args[] = {
        tile_pointer_arg(x, TILE_FP32),
        tile_pointer_arg((overlaps ? x : y) + 4 * STRIDE, TILE_FP32),
        tile_int_arg(ROWS - 4), tile_int_arg(STRIDE)};
    if (launch(&w, "chain", 1, args, 4)) fail_msg("%s", w.error.text);
    assert_int_equal(
        tilert_buffer_read(overlaps ? w.x : w.y, 0, got, sizeof got, &w.error),
        TILE_OK);
    for (int at = 0; at < SIZE; at++) {
      const int row = at / STRIDE, column = at % STRIDE;
      const int steps = overlaps ? row / 4 : row > 3;
      const int from = column < 16 ? at - 4 * STRIDE * steps : at;
      const int times = column < 16 ? 1 << steps : 1;
      if (got[at] != (float)(times * from)) fail_msg("%d: %g", at, got[at]);
    }
    close_world(&w);
  }
}

static void reset(int fail_at, int chip) {
  *fake = (FakeCuda){.fail_at = fail_at, .chip = chip, .local_bytes = 8};
}

static void maps_are_made_once(void **state) {
  World w;
  (void)state;
  reset(-1, 90);
  assert_int_equal(open_world(&w, "cuda", NULL), TILE_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(twice(&w, 45, STRIDE), TILE_OK);
    assert_int_equal(fake->maps, 2);
  }
  assert_int_equal(twice(&w, 45, 47), TILE_OK);
  assert_int_equal(fake->maps, 2);
  assert_int_equal(fake->launches, 4);
  close_world(&w);
  assert_int_equal(fake->live, 0);
}

static void an_older_chip_has_no_maps(void **state) {
  World w;
  (void)state;
  reset(-1, 80);
  assert_int_equal(open_world(&w, "cuda", NULL), TILE_OK);
  assert_int_equal(twice(&w, 45, STRIDE), TILE_OK);
  assert_int_equal(fake->maps, 0);
  assert_int_equal(fake->launches, 1);
  close_world(&w);
}

// -- Cubins ------------------------------------------------------------------

// A driver that does not take one gets the PTX.
static void cubins_are_loaded(void **state) {
  (void)state;
  for (int refuses = 0; refuses < 2; refuses++) {
    World w;
    reset(-1, 90);
    fake->refuses_cubins = refuses;
    assert_int_equal(open_world(&w, "cuda", NULL), TILE_OK);
    assert_int_equal(twice(&w, 45, STRIDE), TILE_OK);
    assert_int_equal(twice(&w, 45, 47), TILE_OK);
    assert_int_equal(fake->launches, 2);
    assert_int_equal(fake->cubins, refuses ? 0 : 2);
    close_world(&w);
    assert_int_equal(fake->live, 0);
  }
}

// -- Threads -----------------------------------------------------------------

enum { NUM_THREADS = 4, MOST_ROUNDS = 100 };

typedef struct {
  const World *shared; // its device and pack
  int number, rounds;
  bool ok;
} Worker;

// Doubles its own rows, of a size that no other thread has.
static void *launch_often(void *data) {
  Worker *worker = data;
  World w = {.device = worker->shared->device,
             .pack = worker->shared->pack,
             .x = worker->shared->x};
  const int columns = 40 + worker->number;
  float y[SIZE];
  worker->ok = !tilert_buffer_create(w.device, sizeof y, &w.y, &w.error);
  for (int i = 0; worker->ok && i < worker->rounds; i++) {
    worker->ok = !twice(&w, columns - i % 2, i % 3 ? STRIDE : 45) &&
                 !tilert_buffer_read(w.y, 0, y, sizeof y, &w.error) &&
                 y[columns - 2] == 2 * (float)(columns - 2);
  }
  tilert_buffer_destroy(w.y);
  return NULL;
}

// Any of the threads may load the kernel and make the map.
static void launch_at_once(const char *device, int rounds) {
  World w;
  pthread_t threads[NUM_THREADS];
  Worker workers[NUM_THREADS];
  assert_int_equal(open_world(&w, device, NULL), TILE_OK);
  for (int i = 0; i < NUM_THREADS; i++) {
    workers[i] = (Worker){.shared = &w, .number = i, .rounds = rounds};
    assert_int_equal(
        pthread_create(&threads[i], NULL, launch_often, &workers[i]), 0);
  }
  for (int i = 0; i < NUM_THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_true(workers[i].ok);
  }
  close_world(&w);
}

static void threads_launch_at_once(void **state) {
  (void)state;
  launch_at_once("cpu", MOST_ROUNDS);
  launch_at_once("sim", 3);
}

// -- Failures ----------------------------------------------------------------

// A map or a cubin that is refused, or a failing release, fails no launch.
static void each_driver_call_fails_once(void **state) {
  int calls = 1, worked = 0, launched = 0;
  (void)state;
  for (int at = -1; at < calls; at++) {
    World w;
    reset(at, 90);
    TileStatus status = open_world(&w, "cuda", NULL);
    if (!status) status = twice(&w, 45, STRIDE);
    if (at < 0) launched = fake->calls;
    if (status) assert_true(strlen(w.error.text) > 0);
    if (status) assert_true(at < launched);
    assert_true(status || fake->launches == 1);
    worked += !status && at >= 0 && at < launched;
    close_world(&w);
    assert_int_equal(fake->live, 0);
    if (at < 0) calls = fake->calls;
  }
  assert_true(worked > 2 && worked < 15);
}

static void each_allocation_fails_once(void **state) {
  int failures = 0;
  bool is_reached = true;
  (void)state;
  for (int at = 0; is_reached; at++) {
    World w;
    Meter meter = {.left = at};
    const TilertOptions options = {
        .allocator = {meter_alloc, meter_free, &meter}};
    reset(-1, 90);
    TileStatus status = open_world(&w, "cuda", &options);
    if (!status) status = twice(&w, 45, STRIDE);
    close_world(&w);
    assert_true(!status || status == TILE_OUT_OF_MEMORY);
    assert_int_equal(meter.taken, 0);
    assert_int_equal(fake->live, 0);
    failures += status != TILE_OK;
    is_reached = meter.left < 0;
  }
  assert_true(failures > 6);
}

// -- Packs that lie ----------------------------------------------------------

static void try_pack(const void *bytes, size_t size) {
  World w = {.pack = NULL};
  if (tilert_pack_read(bytes, size, NULL, &w.pack, &w.error)) return;
  assert_int_equal(tilert_device_open("cuda", NULL, &w.device, &w.error),
                   TILE_OK);
  assert_int_equal(tilert_buffer_create(w.device, 64, &w.x, &w.error), TILE_OK);
  assert_int_equal(tilert_buffer_create(w.device, 64, &w.y, &w.error), TILE_OK);
  if (twice(&w, 45, STRIDE)) assert_true(strlen(w.error.text) > 0);
  close_world(&w);
}

// Numbers of steps, maps and parameters are made huge, negative and off by one;
// of the code, which is not checked, only a few bytes are changed.
static void no_number_of_a_map_is_believed(void **state) {
  static const unsigned char values[] = {0x00, 0x01, 0x02, 0x7F, 0xFF};
  FILE *file = fopen(MAPS_PACK, "rb");
  static unsigned char bytes[100000];
  (void)state;
  assert_non_null(file);
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  assert_true(size < sizeof bytes);
  reset(-1, 90);
  try_pack(bytes, size);
  assert_int_equal(fake->maps, 2);
  size_t text = 0; // bytes of text in a row
  for (size_t i = sizeof(PackHead); i < size; i++) {
    const unsigned char old = bytes[i];
    text = old ? text + 1 : 0;
    if (text > 40 && i % 64) continue;
    for (size_t v = 0; v < sizeof values; v++) {
      bytes[i] = values[v];
      set_checksum(bytes, size);
      try_pack(bytes, size);
    }
    bytes[i] = old;
  }
  assert_int_equal(fake->live, 0);
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  fake = fake_cuda_load(FAKE_CUDA);
  if (!fake) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_the_cpu),
      cmocka_unit_test(in_the_simulator),
      cmocka_unit_test(wrong_parts_are_told),
      cmocka_unit_test(any_tensor_is_read),
      cmocka_unit_test(memory_may_be_passed_twice),
      cmocka_unit_test(maps_are_made_once),
      cmocka_unit_test(an_older_chip_has_no_maps),
      cmocka_unit_test(cubins_are_loaded),
      cmocka_unit_test(threads_launch_at_once),
      cmocka_unit_test(each_driver_call_fails_once),
      cmocka_unit_test(each_allocation_fails_once),
      cmocka_unit_test(no_number_of_a_map_is_believed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
