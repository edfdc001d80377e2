// test_sim_scan.c -- nvcc's PTX for sums over blocks and grids, and for jumps.
#include "sim_kit.h"

enum { BLOCK = 256, BLOCKS = 20, COUNT = BLOCK * BLOCKS };

static CUmodule module;
static int in[COUNT], out[COUNT];

static int open_all(void **state) {
  (void)state;
  uint32_t seed = 11;
  kit_open();
  module = kit_load("scan.ptx");
  for (int i = 0; i < COUNT; i++)
    in[i] = (int)(kit_random(&seed) % 2001) - 1000;
  return 0;
}

static int close_all(void **state) {
  (void)state;
  cuModuleUnload(module);
  kit_close();
  return 0;
}

static CUdeviceptr zeros(size_t words) {
  CUdeviceptr address = kit_upload(NULL, words * 4);
  assert_int_equal(cuMemsetD32_v2(address, 0, words), 0);
  return address;
}

static void run(const char *kernel, unsigned blocks, void **params) {
  const KitShape shape = {{blocks}, {BLOCK}, 0};
  assert_int_equal(kit_run(module, kernel, shape, params), 0);
}

static void test_reduce(void **state) {
  (void)state;
  int n = COUNT - 13, total = 0, want = 0;
  CUdeviceptr from = kit_upload(in, sizeof in), to = zeros(1);
  void *params[] = {&from, &n, &to};
  run("reduce", 7, params);
  kit_download(&total, to, sizeof total);
  cuMemFree_v2(from);
  for (int i = 0; i < n; i++) want += in[i];
  assert_int_equal(total, want);
}

static void test_scan(void **state) {
  (void)state;
  CUdeviceptr from = kit_upload(in, sizeof in);
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  void *params[] = {&from, &to};
  run("scan", BLOCKS, params);
  kit_download(out, to, sizeof out);
  cuMemFree_v2(from);
  for (int i = 0, sum = 0; i < COUNT; i++) {
    sum = i % BLOCK ? sum + in[i] : in[i];
    assert_int_equal(out[i], sum);
  }
}

static void test_chained_scan(void **state) {
  (void)state;
  CUdeviceptr from = kit_upload(in, sizeof in);
  CUdeviceptr to = kit_upload(NULL, sizeof out), counter = zeros(1);
  CUdeviceptr sums = zeros(BLOCKS), ready = zeros(BLOCKS);
  void *params[] = {&from, &to, &counter, &sums, &ready};
  run("chained_scan", BLOCKS, params);
  kit_download(out, to, sizeof out);
  cuMemFree_v2(from);
  cuMemFree_v2(counter);
  cuMemFree_v2(sums);
  cuMemFree_v2(ready);
  for (int i = 0, sum = 0; i < COUNT; i++)
    assert_int_equal(out[i], sum += in[i]);
}

static int chosen(int x) {
  int y = 0;
  switch (x & 7) {
  case 0: return x * 3;
  case 1: return x - 7;
  case 2: return x ^ 0x55;
  case 3:
    for (int i = 0; i < x / 8; i++) y += i * i;
    return y;
  case 4: return -x;
  case 5: return x / 3;
  case 6: return x % 5;
  default:
    for (; x > 1; y++) x = x & 1 ? 3 * x + 1 : x / 2;
    return y;
  }
}

static void test_choose(void **state) {
  (void)state;
  static int few[BLOCK];
  for (int i = 0; i < BLOCK; i++) few[i] = (i * 37) % 509;
  CUdeviceptr from = kit_upload(few, sizeof few);
  CUdeviceptr to = kit_upload(NULL, sizeof few);
  void *params[] = {&from, &to};
  run("choose", 1, params);
  kit_download(out, to, sizeof few);
  cuMemFree_v2(from);
  for (int i = 0; i < BLOCK; i++) assert_int_equal(out[i], chosen(few[i]));
}

static void test_no_reports(void **state) {
  (void)state;
  assert_string_equal(kit_reports(), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reduce),       cmocka_unit_test(test_scan),
      cmocka_unit_test(test_chained_scan), cmocka_unit_test(test_choose),
      cmocka_unit_test(test_no_reports),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
