// test_sim_driver.c -- answers of the driver to wrong calls: the codes of the
// manual, and never a crash.
#include "sim_kit.h"

int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetCount(int *count);
int cuMemsetD16_v2(CUdeviceptr address, unsigned short value, size_t count);

enum {
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  NO_BINARY = 209,
  INVALID_PTX = 218,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  LAUNCH_FAILED = 719,
};

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static void test_devices(void **state) {
  (void)state;
  int value;
  CUcontext context;
  assert_int_equal(cuInit(1), INVALID_VALUE);
  assert_int_equal(cuDeviceGet(&value, 1), INVALID_DEVICE);
  assert_int_equal(cuDeviceGet(NULL, 0), INVALID_VALUE);
  assert_int_equal(cuDeviceGetCount(NULL), INVALID_VALUE);
  assert_int_equal(cuDeviceGetAttribute(&value, 9999, 0), INVALID_VALUE);
  assert_int_equal(cuDeviceGetAttribute(NULL, 1, 0), INVALID_VALUE);
  assert_int_equal(cuDevicePrimaryCtxRetain(&context, 3), INVALID_DEVICE);
  assert_int_equal(cuDevicePrimaryCtxRetain(NULL, 0), INVALID_VALUE);
}

static void test_no_context(void **state) {
  (void)state;
  CUcontext context;
  CUdeviceptr address;
  CUmodule module;
  assert_int_equal(cuCtxPopCurrent_v2(&context), 0);
  assert_int_equal(cuMemAlloc_v2(&address, 4), INVALID_CONTEXT);
  assert_int_equal(cuCtxSynchronize(), INVALID_CONTEXT);
  assert_int_equal(cuModuleLoadDataEx(&module, HEAD, 0, NULL, NULL),
                   INVALID_CONTEXT);
  assert_int_equal(cuCtxPushCurrent_v2(context), 0);
}

static void test_memory(void **state) {
  (void)state;
  char bytes[128];
  CUdeviceptr p = kit_upload(NULL, 64);
  CUdeviceptr other;
  assert_int_equal(cuMemAlloc_v2(&other, 0), INVALID_VALUE);
  assert_int_equal(cuMemAlloc_v2(NULL, 4), INVALID_VALUE);
  assert_int_equal(cuMemAlloc_v2(&other, (size_t)1 << 50), OUT_OF_MEMORY);
  assert_int_equal(cuMemcpyHtoD_v2(p, bytes, 65), INVALID_VALUE);
  assert_int_equal(cuMemcpyHtoD_v2(p, NULL, 4), INVALID_VALUE);
  assert_int_equal(cuMemcpyDtoH_v2(bytes, p + 60, 8), INVALID_VALUE);
  assert_int_equal(cuMemsetD32_v2(p + 1, 0, 1), INVALID_VALUE);
  assert_int_equal(cuMemsetD16_v2(p + 1, 0, 1), INVALID_VALUE);
  assert_int_equal(cuMemsetD8_v2(p, 0, 65), INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(p + 4), INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(p), 0);
  assert_int_equal(cuMemFree_v2(p), INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(0), 0);
}

static void test_modules(void **state) {
  (void)state;
  CUmodule m;
  CUfunction f;
  int value;
  assert_int_equal(cuModuleLoadDataEx(&m, "no PTX", 0, NULL, NULL),
                   INVALID_PTX);
  assert_int_equal(cuModuleLoadDataEx(&m, "\177ELF\2\1\1", 0, NULL, NULL),
                   INVALID_IMAGE);
  assert_int_equal(
      cuModuleLoadDataEx(&m,
                         ".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".entry k() { ret; }",
                         0, NULL, NULL),
      NO_BINARY);
  assert_int_equal(cuModuleLoadDataEx(&m, NULL, 0, NULL, NULL), INVALID_VALUE);
  m = kit_load_text(HEAD ".entry k(.param .u32 x) { ret; }");
  assert_int_equal(cuModuleGetFunction(&f, m, "other"), NOT_FOUND);
  assert_int_equal(cuModuleGetFunction(&f, m, NULL), INVALID_VALUE);
  assert_int_equal(cuModuleGetFunction(&f, NULL, "k"), INVALID_HANDLE);
  assert_int_equal(cuModuleGetGlobal_v2(NULL, NULL, m, "g"), NOT_FOUND);
  assert_int_equal(cuModuleGetFunction(&f, m, "k"), 0);
  assert_int_equal(cuFuncGetAttribute(&value, 99, f), INVALID_VALUE);
  assert_int_equal(cuFuncGetAttribute(&value, 0, NULL), INVALID_HANDLE);
  assert_int_equal(cuFuncSetAttribute(f, 8, -1), INVALID_VALUE);
  assert_int_equal(cuFuncSetAttribute(f, 9, 50), 0);
  assert_int_equal(cuFuncSetAttribute(f, 4, 32), INVALID_VALUE);
  assert_int_equal(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, f, 32, 0),
                   INVALID_VALUE);
  assert_int_equal(cuModuleUnload(NULL), INVALID_HANDLE);
}

static int launch(CUfunction f, void **params, void **extra) {
  return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra);
}

static void test_launches(void **state) {
  (void)state;
  CUfunction f;
  CUmodule m = kit_load_text(HEAD ".entry k(.param .u32 x) { ret; }");
  int x = 1;
  size_t size = sizeof x;
  void *params[] = {&x};
  void *extra[] = {(void *)1, &x, (void *)2, &size, NULL};
  assert_int_equal(cuModuleGetFunction(&f, m, "k"), 0);
  assert_int_equal(launch(NULL, params, NULL), INVALID_HANDLE);
  assert_int_equal(launch(f, NULL, NULL), INVALID_VALUE);
  assert_int_equal(launch(f, params, extra), INVALID_VALUE);
  assert_int_equal(launch(f, NULL, extra), 0);
  void *none[] = {NULL}, *unknown[] = {(void *)9, &x, NULL};
  void *no_buffer[] = {(void *)2, &size, NULL};
  assert_int_equal(launch(f, none, NULL), INVALID_VALUE);
  assert_int_equal(launch(f, NULL, unknown), INVALID_VALUE);
  assert_int_equal(launch(f, NULL, no_buffer), INVALID_VALUE);
  size = 100;
  assert_int_equal(launch(f, NULL, extra), INVALID_VALUE);
  assert_int_equal(launch(f, params, NULL), 0);
  assert_int_equal(cuCtxSynchronize(), 0);
}

// CUlaunchConfig and CUlaunchAttribute, as cuda.h lays them out.
typedef struct {
  int id, pad, value[16];
} LaunchAttribute;

typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  const LaunchAttribute *attributes;
  unsigned num_attributes;
} LaunchConfig;

int cuLaunchKernelEx(const LaunchConfig *config, CUfunction f, void **params,
                     void **extra);

static void test_launch_attributes(void **state) {
  (void)state;
  static const struct {
    LaunchAttribute attribute;
    int result;
  } rows[] = {
      {{0, 0, {0}}, 0},                   // ignored
      {{8, 0, {-1}}, 0},                  // priority
      {{6, 0, {1}}, 0},                   // programmatic serialization
      {{4, 0, {1, 1, 1}}, 0},             // a cluster of one
      {{4, 0, {2, 1, 1}}, INVALID_VALUE}, // of two
      {{2, 0, {0}}, 0},                   // not cooperative
      {{2, 0, {1}}, 0},                   // cooperative
      {{77, 0, {0}}, INVALID_VALUE},
  };
  CUfunction f;
  CUmodule m = kit_load_text(HEAD ".entry k(.param .u32 x) { ret; }");
  int x = 1;
  void *params[] = {&x};
  assert_int_equal(cuModuleGetFunction(&f, m, "k"), 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    LaunchConfig config = {.grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .attributes = &rows[i].attribute,
                           .num_attributes = 1};
    assert_int_equal(cuLaunchKernelEx(&config, f, params, NULL),
                     rows[i].result);
    config.attributes = NULL;
    assert_int_equal(cuLaunchKernelEx(&config, f, params, NULL), INVALID_VALUE);
  }
  cuModuleUnload(m);
}

static void test_events(void **state) {
  (void)state;
  CUevent a, b;
  CUstream stream;
  float time = -1;
  assert_int_equal(cuStreamCreate(NULL, 0), INVALID_VALUE);
  assert_int_equal(cuStreamCreate(&stream, 77), INVALID_VALUE);
  assert_int_equal(cuStreamDestroy_v2(NULL), INVALID_HANDLE);
  assert_int_equal(cuEventCreate(NULL, 0), INVALID_VALUE);
  assert_int_equal(cuEventRecord(NULL, NULL), INVALID_HANDLE);
  assert_int_equal(cuEventCreate(&a, 0) | cuEventCreate(&b, 0), 0);
  assert_int_equal(cuEventElapsedTime(&time, a, b), INVALID_HANDLE);
  assert_int_equal(cuEventRecord(a, NULL) | cuEventRecord(b, NULL), 0);
  assert_int_equal(cuEventElapsedTime(&time, a, b), 0);
  assert_true(time >= 0);
  assert_int_equal(cuEventDestroy_v2(a), 0);
  assert_int_equal(cuEventCreate(&a, 2) | cuEventRecord(a, NULL), 0);
  assert_int_equal(cuEventElapsedTime(&time, a, b), INVALID_HANDLE); // no time
  assert_int_equal(cuEventDestroy_v2(a) | cuEventDestroy_v2(b), 0);
}

// A fault stays until the context is destroyed.
static void test_fault(void **state) {
  (void)state;
  CUfunction f;
  CUdeviceptr address;
  assert_int_equal(
      cuModuleGetFunction(&f, kit_load_text(HEAD ".entry k() { trap; }"), "k"),
      0);
  assert_int_equal(launch(f, NULL, NULL), 0);
  assert_int_equal(cuCtxSynchronize(), LAUNCH_FAILED);
  assert_int_equal(cuMemAlloc_v2(&address, 4), LAUNCH_FAILED);
  assert_int_equal(cuCtxSynchronize(), LAUNCH_FAILED);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_devices),  cmocka_unit_test(test_no_context),
      cmocka_unit_test(test_memory),   cmocka_unit_test(test_modules),
      cmocka_unit_test(test_launches), cmocka_unit_test(test_launch_attributes),
      cmocka_unit_test(test_events),   cmocka_unit_test(test_fault),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
