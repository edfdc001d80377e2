// test_sim_queries.c -- queries of programs about devices, contexts, streams,
// modules and functions, and functions of the host in streams.
#include "sim_kit.h"

enum {
  INVALID_VALUE = 1,
  INVALID_DEVICE = 101,
  PEER_ACCESS_UNSUPPORTED = 217,
  PEER_ACCESS_NOT_ENABLED = 705,
};

int cuDeviceGetPCIBusId(char *name, int length, int device);
int cuDeviceGetByPCIBusId(int *device, const char *name);
int cuDeviceCanAccessPeer(int *can, int device, int peer);
int cuCtxGetFlags(unsigned *flags);
int cuCtxSetFlags(unsigned flags);
int cuCtxGetId(CUcontext context, unsigned long long *number);
int cuCtxGetApiVersion(CUcontext context, unsigned *version);
int cuCtxSynchronize_v2(CUcontext context);
int cuCtxGetCacheConfig(int *config);
int cuCtxSetCacheConfig(int config);
int cuCtxGetStreamPriorityRange(int *least, int *greatest);
int cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
int cuCtxDisablePeerAccess(CUcontext peer);
int cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
int cuStreamGetPriority(CUstream stream, int *priority);
int cuStreamGetFlags(CUstream stream, unsigned *flags);
int cuStreamGetCtx(CUstream stream, CUcontext *context);
int cuStreamIsCapturing(CUstream stream, int *status);
int cuStreamAddCallback(CUstream stream, void (*f)(CUstream, int, void *),
                        void *data, unsigned flags);
int cuLaunchHostFunc(CUstream stream, void (*f)(void *), void *data);
int cuModuleGetFunctionCount(unsigned *count, CUmodule module);
int cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                               CUmodule module);
int cuFuncGetModule(CUmodule *module, CUfunction function);
int cuFuncGetName(const char **name, CUfunction function);
int cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                       size_t *size);
int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function,
                                            int num_blocks, int num_threads);
int cuOccupancyMaxPotentialBlockSize(int *least_grid, int *num_threads,
                                     CUfunction function,
                                     size_t (*shared_for)(int), size_t shared,
                                     int limit);

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".entry first(.param .u8 a, .param .u64 b, .param .u32 c) { ret; }\n"
    ".entry second() .maxntid 96, 1, 1 { ret; }\n";

static void test_device(void **state) {
  (void)state;
  char name[20];
  int device = 9, can = 9;
  assert_int_equal(cuDeviceGetPCIBusId(name, sizeof name, 0), 0);
  assert_int_equal(cuDeviceGetByPCIBusId(&device, name), 0);
  assert_int_equal(device, 0);
  assert_int_equal(cuDeviceGetPCIBusId(name, 5, 0), INVALID_VALUE);
  assert_int_equal(cuDeviceGetByPCIBusId(&device, "0000:07:00.0"),
                   INVALID_DEVICE);
  assert_int_equal(cuDeviceGetByPCIBusId(&device, "bus"), INVALID_VALUE);
  assert_int_equal(cuDeviceCanAccessPeer(&can, 0, 0), 0);
  assert_int_equal(can, 0);
  assert_int_equal(cuDeviceCanAccessPeer(&can, 0, 1), INVALID_DEVICE);
}

static void test_context(void **state) {
  (void)state;
  enum { BLOCKING_SYNC = 4, WRONG = 3 };
  CUcontext mine;
  unsigned flags = 0, version = 0;
  unsigned long long number, other = 0;
  int config, least, greatest;
  assert_int_equal(cuCtxGetId(NULL, &other), 0);
  assert_int_equal(cuCtxCreate_v2(&mine, WRONG, 0), INVALID_VALUE);
  assert_int_equal(cuCtxCreate_v2(&mine, BLOCKING_SYNC, 0), 0);
  assert_int_equal(cuCtxGetFlags(&flags), 0);
  assert_int_equal(flags, BLOCKING_SYNC);
  assert_int_equal(cuCtxSetFlags(1), 0);
  assert_int_equal(cuCtxSetFlags(WRONG), INVALID_VALUE);
  assert_int_equal(cuCtxGetFlags(&flags), 0);
  assert_int_equal(flags, 1);
  assert_int_equal(cuCtxGetId(mine, &number), 0);
  assert_true(number != other);
  assert_int_equal(cuCtxGetApiVersion(mine, &version), 0);
  assert_int_equal(version, 3020);
  assert_int_equal(cuCtxSetCacheConfig(2), 0);
  assert_int_equal(cuCtxSetCacheConfig(4), INVALID_VALUE);
  assert_int_equal(cuCtxGetCacheConfig(&config), 0);
  assert_int_equal(config, 2);
  assert_int_equal(cuCtxGetStreamPriorityRange(&least, &greatest), 0);
  assert_true(least == 0 && greatest < 0);
  assert_int_equal(cuCtxGetStreamPriorityRange(NULL, NULL), 0);
  assert_int_equal(cuCtxEnablePeerAccess(mine, 0), PEER_ACCESS_UNSUPPORTED);
  assert_int_equal(cuCtxDisablePeerAccess(mine), PEER_ACCESS_NOT_ENABLED);
  assert_int_equal(cuCtxSynchronize_v2(mine), 0);
  assert_int_equal(cuCtxDestroy_v2(mine), 0);
}

static void note(void *data) {
  ++*(int *)data;
}

static void note_status(CUstream stream, int status, void *data) {
  (void)stream;
  *(int *)data = 100 + status;
}

static void test_streams(void **state) {
  (void)state;
  CUstream stream;
  CUcontext context, current;
  unsigned flags;
  int priority, status = 9, calls = 0;
  assert_int_equal(cuStreamCreateWithPriority(&stream, 1, -99), 0);
  assert_int_equal(cuStreamGetPriority(stream, &priority), 0);
  assert_int_equal(priority, -5); // the greatest
  assert_int_equal(cuStreamGetFlags(stream, &flags), 0);
  assert_int_equal(flags, 1);
  assert_int_equal(cuStreamGetFlags(NULL, &flags), 0);
  assert_int_equal(flags, 0);
  assert_int_equal(cuStreamGetCtx(stream, &context), 0);
  assert_int_equal(cuCtxGetCurrent(&current), 0);
  assert_ptr_equal(context, current);
  assert_int_equal(cuStreamIsCapturing(stream, &status), 0);
  assert_int_equal(status, 0);
  assert_int_equal(cuLaunchHostFunc(stream, note, &calls), 0);
  assert_int_equal(cuLaunchHostFunc(NULL, note, &calls), 0);
  assert_int_equal(calls, 2);
  assert_int_equal(cuLaunchHostFunc(stream, NULL, &calls), INVALID_VALUE);
  assert_int_equal(cuStreamAddCallback(stream, note_status, &calls, 0), 0);
  assert_int_equal(calls, 100);
  assert_int_equal(cuStreamAddCallback(stream, note_status, &calls, 1),
                   INVALID_VALUE);
  assert_int_equal(cuStreamDestroy_v2(stream), 0);
}

static void test_functions(void **state) {
  (void)state;
  CUmodule module = kit_load_text(ptx), of;
  CUfunction all[4], first;
  unsigned count = 0;
  const char *name;
  size_t offset, size;
  assert_int_equal(cuModuleGetFunctionCount(&count, module), 0);
  assert_int_equal(count, 2);
  assert_int_equal(cuModuleEnumerateFunctions(all, 4, module), 0);
  assert_int_equal(cuModuleGetFunction(&first, module, "first"), 0);
  int found = 0;
  for (int i = 0; i < 2; i++) found += all[i] == first;
  assert_int_equal(found, 1);
  assert_int_equal(cuFuncGetModule(&of, first), 0);
  assert_ptr_equal(of, module);
  assert_int_equal(cuFuncGetName(&name, first), 0);
  assert_string_equal(name, "first");
  static const size_t wanted[3][2] = {{0, 1}, {8, 8}, {16, 4}};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(cuFuncGetParamInfo(first, i, &offset, &size), 0);
    assert_int_equal(offset, wanted[i][0]);
    assert_int_equal(size, wanted[i][1]);
  }
  assert_int_equal(cuFuncGetParamInfo(first, 3, &offset, &size), INVALID_VALUE);
  cuModuleUnload(module);
}

static size_t eighth(int threads) {
  return (size_t)threads * 128;
}

// Limits of sm_80: 164 KB of shared memory a multiprocessor, 1 KB of each block
// the driver's; 2048 threads; 108 multiprocessors.
static void test_occupancy(void **state) {
  (void)state;
  CUmodule module = kit_load_text(ptx);
  CUfunction first, second;
  size_t bytes = 0;
  int grid = 0, threads = 0;
  assert_int_equal(cuModuleGetFunction(&first, module, "first"), 0);
  assert_int_equal(cuModuleGetFunction(&second, module, "second"), 0);
  assert_int_equal(
      cuOccupancyAvailableDynamicSMemPerBlock(&bytes, first, 1, 128), 0);
  assert_int_equal(bytes, 163 * 1024);
  assert_int_equal(
      cuOccupancyAvailableDynamicSMemPerBlock(&bytes, first, 4, 128), 0);
  assert_int_equal(bytes, 40 * 1024);
  assert_int_equal(
      cuOccupancyAvailableDynamicSMemPerBlock(&bytes, first, 17, 128),
      INVALID_VALUE);
  assert_int_equal(
      cuOccupancyMaxPotentialBlockSize(&grid, &threads, first, NULL, 0, 0), 0);
  assert_true(threads == 1024 && grid == 2 * 108);
  assert_int_equal(
      cuOccupancyMaxPotentialBlockSize(&grid, &threads, second, NULL, 0, 0), 0);
  assert_true(threads == 64 && grid == 32 * 108); // 96 would leave some idle
  // With 128 bytes a thread, only one block of 1,024 threads fits, and so fewer
  // threads in all.
  assert_int_equal(
      cuOccupancyMaxPotentialBlockSize(&grid, &threads, first, eighth, 0, 0),
      0);
  assert_true(threads * (grid / 108) * 128 <= 164 * 1024);
  assert_true(threads * (grid / 108) >= 1024);
  cuModuleUnload(module);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_device),    cmocka_unit_test(test_context),
      cmocka_unit_test(test_streams),   cmocka_unit_test(test_functions),
      cmocka_unit_test(test_occupancy),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
