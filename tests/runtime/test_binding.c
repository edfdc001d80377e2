// test_binding.c -- launches that are kept: other addresses, no locks, and
// variants that stay.
#include "tests/runtime/known_world.h"

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
  tile_context_evict(k.context, 0); // the variant is pinned
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

int main(void) {
  setenv("TILE_NUM_THREADS", "3", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_binding),
      cmocka_unit_test(test_wrong_binding),
      cmocka_unit_test(test_bound_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
