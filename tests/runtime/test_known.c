// test_known.c -- launches like earlier ones: no lock, no allocation, no more
// calls of the driver than the launch itself needs, and right results.
#include "tests/runtime/fake_cuda.h"
#include "tests/runtime/known_world.h"

// -- Many arguments ----------------------------------------------------------

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

// -- Values that heuristics see ----------------------------------------------

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

// A heuristic reads `s` only for some `n`, so that this is found out late.
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

// The launch gets as many different values as are kept, and then more.
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

// Each launch has a tensor of its own.
static void test_descriptors(void **state) {
  (void)state;
  Known k;
  float values[16] = {1, 2, 3, 4, 5, 6, 7, 8}, found[4];
  open_known(&k, "cpu", "swap");
  k.launch.num_args = 2;
  for (int i = 0; i < 4; i++) {
    TileArg pair[] = {tile_int_arg(3 + i),
                      tile_buffer_arg(k.buffer, TILE_FP32)};
    TileTensorDescriptor d = {.buffer = k.buffer,
                              .offset = 16 * (size_t)(i % 2),
                              .dtype = TILE_FP32,
                              .rank = 1,
                              .shape = {4 - i},
                              .strides = {1},
                              .block = {4}};
    pair[1].as.buffer.offset = 32;
    k.args[0] = tile_tuple_arg(pair, 2);
    k.args[1] = tile_descriptor_arg(&d);
    assert_int_equal(tile_buffer_write(k.buffer, 0, values, 64), TILE_OK);
    if (i == 1) start_counting();
    launch(&k);
    assert_int_equal(tile_buffer_read(k.buffer, 32, found, 16), TILE_OK);
    for (int j = 0; j < 4; j++)
      assert_true(found[j] ==
                  (float)(3 + i) + (j < 4 - i ? values[i % 2 * 4 + j] : 0));
  }
  expect_none("descriptors");
  close_known(&k);
}

// -- Errors are told each time -----------------------------------------------

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

// -- A driver ----------------------------------------------------------------

static void test_driver_calls(void **state) {
  (void)state;
  Known k;
  FakeCuda *fake = fake_cuda_load(FAKE_CUDA);
  assert_non_null(fake);
  fake->chip = 80;
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
}

// A kernel with tensor maps, of tensors whose rows are `stride` elements apart.
static FakeCuda *open_twice(Known *k, int stride) {
  FakeCuda *fake = fake_cuda_load(FAKE_CUDA);
  assert_non_null(fake);
  fake->chip = 90;
  open_known(k, "cuda", "twice");
  k->args[1] = k->args[0];
  k->args[2] = k->args[3] = tile_int_arg(29);
  k->args[4] = tile_int_arg(stride);
  k->launch.num_args = 5;
  return fake;
}

// Launches with tensor maps are remembered, too, and their maps are kept.
static void test_tensor_maps(void **state) {
  (void)state;
  Known k;
  FakeCuda *fake = open_twice(&k, 64);
  launch(&k);
  const int maps = fake->maps;
  assert_true(maps > 0);
  start_counting();
  for (int i = 0; i < 10; i++) launch(&k);
  expect_none("with tensor maps");
  assert_int_equal(fake->maps, maps);
  close_known(&k);
  assert_int_equal(fake->live, 0);
}

// A row of 30 elements is no multiple of 16 bytes, so no map can be made.
static void test_refused_maps(void **state) {
  (void)state;
  Known k;
  FakeCuda *fake = open_twice(&k, 30);
  launch(&k);
  start_counting();
  const int before = fake->calls, launches = fake->launches, maps = fake->maps;
  for (int i = 0; i < 10; i++) launch(&k);
  expect_none("without tensor maps");
  assert_int_equal(fake->launches - launches, 10);
  assert_int_equal(fake->calls - before, 30);
  assert_int_equal(fake->maps, maps);
  k.args[4] = tile_int_arg(60); // the same words, of which maps can be made
  launch(&k);
  assert_true(fake->maps > maps);
  close_known(&k);
  assert_int_equal(fake->live, 0);
}

static void test_hook(void **state) {
  (void)state;
  Known k;
  open_known(&k, "cpu", "hooked");
  k.launch.num_args = 1;
  expect_result(&k, 1);
  start_counting();
  for (int i = 0; i < 100; i++) launch(&k);
  expect_none("a launch with a hook");
  assert_true(result(&k) == 1);
  close_known(&k);
}

int main(void) {
  setenv("TILE_NUM_THREADS", "3", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hook),         cmocka_unit_test(test_many),
      cmocka_unit_test(test_constants),    cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_heuristics),   cmocka_unit_test(test_unseen_values),
      cmocka_unit_test(test_many_values),  cmocka_unit_test(test_parts),
      cmocka_unit_test(test_descriptors),  cmocka_unit_test(test_wrong),
      cmocka_unit_test(test_tensor_maps),  cmocka_unit_test(test_driver_calls),
      cmocka_unit_test(test_refused_maps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
