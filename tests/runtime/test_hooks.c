// test_hooks.c -- the `pre_hook` of a configuration runs before each launch.
#define _XOPEN_SOURCE 700 // nftw, mkdtemp
#define NOT_COUNTED
#include "tests/runtime/known_world.h"

#include <ftw.h>
#include <stdio.h>

static const char hooks_text[] =
    "def zero(*names):\n"
    "    return lambda args: [args[name].zero_() for name in names\n"
    "                         if args[name] is not None]\n"
    "\n"
    "def even(args):\n"
    "    if args['n'] % 2 == 0:\n"
    "        args['x'].fill_(args['n'])\n"
    "\n"
    "def blocks(args):\n"
    "    args['d'].block_shape = [args['B']]\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({'ADD': 1}, pre_hook=zero('x')),\n"
    "                          triton.Config({'ADD': 2}),\n"
    "                          triton.Config({'ADD': 3}, pre_hook=even),\n"
    "                          triton.Config({'ADD': 4}, pre_hook=unknown)],\n"
    "                 key=['n'])\n"
    "@triton.jit\n"
    "def add(x, n, ADD: tl.constexpr):\n"
    "    i = tl.arange(0, 2)\n"
    "    tl.store(x + i, tl.load(x + i) + ADD)\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({'B': 4}, pre_hook=blocks),\n"
    "                          triton.Config({'B': 8}, pre_hook=blocks)],\n"
    "                 key=[])\n"
    "@triton.jit\n"
    "def one(x, d, B: tl.constexpr):\n"
    "    tl.store(x + tl.arange(0, B), d.load([0]) + B)\n"
    "\n"
    "@triton.autotune(configs=[\n"
    "    triton.Config({}, pre_hook=lambda args: args['x'].fill_(-3)),\n"
    "    triton.Config({}, pre_hook=lambda args: args['x'].fill_(0.5))],\n"
    "    key=[])\n"
    "@triton.jit\n"
    "def typed(x):\n"
    "    pass\n";

static void open_hooks(Known *k, const char *device, const char *kernel) {
  const TileSource source = {.text = hooks_text};
  open_known(k, device, "none");
  tile_program_destroy(k->program);
  assert_int_equal(tile_program_create(k->context, &source, &k->program, NULL),
                   TILE_OK);
  k->launch.kernel = kernel_of(k->program, kernel);
  k->launch.size = sizeof k->launch;
}

static void set(Known *k, float value) {
  assert_int_equal(tile_buffer_write_floats(k->buffer, 0, TILE_FP32,
                                            (float[]){value, value}, 2),
                   TILE_OK);
}

static void launch_add(Known *k, int config, int n, double wanted) {
  k->args[1] = tile_int_arg(n);
  k->launch.num_args = 2;
  k->launch.config = config;
  set(k, 10);
  for (int i = 0; i < 2; i++) { // the second is known
    if (i) set(k, 10);
    expect_result(k, wanted);
  }
}

static void expect_warning(Known *k, const char *said) {
  TileDiagnostics *why = NULL;
  assert_int_equal(tile_launch(k->device, &k->launch, &why), TILE_OK);
  if (!strstr(tile_diagnostics_text(why), said))
    fail_msg("'%s' is not in %s", said, tile_diagnostics_text(why));
  tile_diagnostics_destroy(why);
}

static void test_fills(const char *device) {
  Known k;
  open_hooks(&k, device, "add");
  launch_add(&k, 0, 5, 1);
  launch_add(&k, 1, 5, 12);
  launch_add(&k, 2, 6, 9);
  launch_add(&k, 2, 7, 13);
  launch_add(&k, 2, 8, 11);
  k.launch.no_hooks = true;
  launch_add(&k, 0, 5, 11);
  launch_add(&k, 3, 5, 14);
  k.launch.no_hooks = false;
  expect_warning(&k, "the 'pre_hook' of 'add' cannot be evaluated");
  close_known(&k);
}

static void test_known_hook(void **state) {
  (void)state;
  test_fills("cpu");
  test_fills("sim");
}

static void expect_refused(Known *k, const char *said) {
  TileDiagnostics *why = NULL;
  TileBinding *binding = NULL;
  assert_int_equal(tile_kernel_prepare(k->device, &k->launch, NULL), TILE_OK);
  for (int i = 0; i < 2; i++) {
    const TileStatus status =
        i ? tile_launch_bind(k->device, &k->launch, &binding, &why)
          : tile_launch(k->device, &k->launch, &why);
    assert_int_equal(status, TILE_INVALID_ARGUMENT);
    if (!strstr(tile_diagnostics_text(why), said))
      fail_msg("'%s' is not in %s", said, tile_diagnostics_text(why));
    tile_diagnostics_destroy(why);
    why = NULL;
  }
  assert_null(binding);
}

// The size of a tensor at an address is not known.
static void test_no_size(void **state) {
  (void)state;
  Known k;
  const char *said = "'pre_hook' of this configuration of 'add' fills 'x'";
  open_hooks(&k, "cpu", "add");
  const TileArg whole = k.args[0];
  for (int known = 0; known < 2; known++) {
    k.args[0] = tile_pointer_arg(tile_buffer_address(k.buffer), TILE_FP32);
    k.args[1] = tile_int_arg(5);
    k.launch.num_args = 2;
    k.launch.config = 0;
    expect_refused(&k, said);
    k.args[0] = whole;
    k.args[0].as.buffer.offset = 16;
    expect_refused(&k, said);
    k.args[0] = whole;
    launch_add(&k, 0, 5, 1);
  }
  k.args[0] = tile_pointer_arg(tile_buffer_address(k.buffer), TILE_FP32);
  k.launch.no_hooks = true;
  launch_add(&k, 0, 5, 11);
  close_known(&k);
}

static void test_bound_hook(void **state) {
  const char *const devices[] = {"cpu", "sim"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    Known k;
    TileBinding *binding = NULL;
    TileBuffer *second;
    open_hooks(&k, devices[i], "add");
    assert_int_equal(tile_buffer_create(k.device, 64, &second), TILE_OK);
    k.args[1] = tile_int_arg(5);
    k.launch.num_args = 2;
    assert_int_equal(tile_launch_bind(k.device, &k.launch, &binding, NULL),
                     TILE_OK);
    set(&k, 10);
    assert_int_equal(tile_binding_start(binding, NULL, 0, NULL, NULL), TILE_OK);
    assert_true(result(&k) == 1);
    const void *address = tile_buffer_address(second);
    float values[16];
    set(&k, 10);
    for (int n = 0; n < 3; n++)
      assert_int_equal(tile_binding_start(binding, &address, 1, NULL, NULL),
                       TILE_OK);
    assert_int_equal(tile_buffer_read(second, 0, values, sizeof values),
                     TILE_OK);
    assert_true(values[0] == 1 && values[1] == 1);
    for (int n = 2; n < 16; n++) assert_true(values[n] == 0);
    assert_true(result(&k) == 10);
    tile_binding_destroy(binding);
    tile_buffer_destroy(second);
    close_known(&k);
  }
}

static void test_blocks(void **state) {
  const char *const devices[] = {"cpu", "sim"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    Known k;
    TileBuffer *from;
    const float values[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    float found[16];
    open_hooks(&k, devices[i % 2], "one");
    assert_int_equal(tile_buffer_create(k.device, 64, &from), TILE_OK);
    assert_int_equal(tile_buffer_write(from, 0, values, 64), TILE_OK);
    assert_int_equal(tile_buffer_write(k.buffer, 0, values, 64), TILE_OK);
    const TileTensorDescriptor d = {.buffer = from,
                                    .dtype = TILE_FP32,
                                    .rank = 1,
                                    .shape = {16},
                                    .strides = {1},
                                    .block = {1}};
    k.args[1] = tile_descriptor_arg(&d);
    k.launch.num_args = 2;
    k.launch.config = i / 2;
    const int block = i / 2 ? 8 : 4;
    for (int n = 0; n < 2; n++) launch(&k);
    assert_int_equal(tile_buffer_read(k.buffer, 0, found, 64), TILE_OK);
    for (int n = 0; n < 16; n++)
      assert_true(found[n] ==
                  (n < block ? values[n] + (float)block : values[n]));
    tile_buffer_destroy(from);
    close_known(&k);
  }
}

// Integers are cut towards zero, as torch fills a tensor.
static void test_types(void **state) {
  static const struct {
    TileDtype dtype;
    int config;
    uint64_t wanted;
  } rows[] = {
      {TILE_INT8, 0, 0xfd},
      {TILE_INT16, 0, 0xfffd},
      {TILE_INT32, 0, 0xfffffffd},
      {TILE_INT64, 0, UINT64_C(0xfffffffffffffffd)},
      {TILE_INT64, 1, 0},
      {TILE_FP16, 1, 0x3800},
      {TILE_BF16, 0, 0xc040},
      {TILE_FP32, 0, 0xc0400000},
      {TILE_FP64, 0, UINT64_C(0xc008000000000000)},
      {TILE_FP64, 1, UINT64_C(0x3fe0000000000000)},
  };
  const char *const devices[] = {"cpu", "sim"};
  (void)state;
  for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
    Known k;
    unsigned char found[64];
    const size_t row = i / 2, size = tile_dtype_size(rows[row].dtype);
    open_hooks(&k, devices[i % 2], "typed");
    k.args[0] = tile_buffer_arg(k.buffer, rows[row].dtype);
    k.launch.num_args = 1;
    k.launch.config = rows[row].config;
    launch(&k);
    assert_int_equal(tile_buffer_read(k.buffer, 0, found, 64), TILE_OK);
    for (size_t at = 0; at < 64; at += size)
      assert_memory_equal(found + at, &rows[row].wanted, size);
    close_known(&k);
  }
}

// -- Kernels without hooks, on disk ------------------------------------------

static char folder[64];

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static void write_configs(const char *text) {
  char path[96];
  snprintf(path, sizeof path, "%s/configs.py", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// The result in a new process, which has the cache's files alone.
static float launch_anew(void) {
  const char *const paths[] = {folder};
  const TileSource source = {.size = sizeof source,
                             .text =
                                 "from configs import configs\n"
                                 "@triton.autotune(configs=configs, key=[])\n"
                                 "@triton.jit\n"
                                 "def add(x):\n"
                                 "    tl.store(x, tl.load(x) + 1)\n",
                             .include_paths = paths,
                             .num_include_paths = 1};
  char cache[80];
  snprintf(cache, sizeof cache, "%s/cache", folder);
  const TileContextOptions options = {.size = sizeof options,
                                      .cache_dir = cache};
  Known k = {.launch = {.size = sizeof k.launch, .grid = {1}, .num_args = 1}};
  assert_int_equal(tile_context_create(&options, &k.context), TILE_OK);
  assert_int_equal(tile_device_open(k.context, "cpu", &k.device, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_create(k.context, &source, &k.program, NULL),
                   TILE_OK);
  k.launch.kernel = kernel_of(k.program, "add");
  k.launch.args = k.args;
  assert_int_equal(tile_buffer_create(k.device, 64, &k.buffer), TILE_OK);
  k.args[0] = tile_buffer_arg(k.buffer, TILE_FP32);
  set(&k, 10);
  launch(&k);
  const float found = result(&k);
  close_known(&k);
  return found;
}

static void test_kept(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test_hooks.XXXXXX");
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < 2; i++) {
    write_configs("import triton\nconfigs = [triton.Config({})]\n");
    for (int n = 0; n < 3; n++) assert_true(launch_anew() == 11);
    write_configs("import triton\n"
                  "def hook(args):\n"
                  "    args['x'].zero_()\n"
                  "configs = [triton.Config({}, pre_hook=hook)]\n");
    for (int n = 0; n < 3; n++) assert_true(launch_anew() == 1);
  }
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void) {
  setenv("TILE_NUM_THREADS", "3", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_hook), cmocka_unit_test(test_no_size),
      cmocka_unit_test(test_bound_hook), cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_types),      cmocka_unit_test(test_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
