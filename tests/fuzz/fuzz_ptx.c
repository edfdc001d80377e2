// fuzz_ptx.c -- any bytes as PTX, for the simulator's driver.
//
// The bytes are a module or an error.  Each kernel of a module runs in small,
// with a budget: it ends, or an error ends it.
#include "tests/sim/driver_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER_SIZE = 4096, MAX_PARAMS = 64, MAX_KERNELS = 4 };

static void must(int error) {
  if (error) abort();
}

static void renew_context(void) {
  CUcontext context;
  must(cuCtxPopCurrent_v2(&context));
  must(cuDevicePrimaryCtxRelease_v2(0));
  must(cuDevicePrimaryCtxRetain(&context, 0));
  must(cuCtxPushCurrent_v2(context));
}

static void open_device(void) {
  static CUcontext context;
  if (context) return;
  setenv("TILE_SIM_BUDGET", "2000", 0);
  setenv("TILE_SIM_REPORT", "/dev/null", 0);
  setenv("TILE_SIM_THREADS", "1", 0);
  must(cuInit(0));
  must(cuDevicePrimaryCtxRetain(&context, 0));
  must(cuCtxPushCurrent_v2(context));
}

static bool has_few_params(CUfunction function) {
  size_t offset, size;
  return cuFuncGetParamInfo(function, MAX_PARAMS, &offset, &size) != 0;
}

// Each parameter is addresses of the buffer, as many as it has room for.  A
// kernel that wants more threads is given them.
static void launch(CUfunction function, CUdeviceptr buffer) {
  enum { INVALID_VALUE = 1 };
  static const unsigned blocks[] = {64, 128};
  static CUdeviceptr addresses[BUFFER_SIZE];
  static void *params[MAX_PARAMS];
  for (int i = 0; i < BUFFER_SIZE; i++) addresses[i] = buffer;
  for (int i = 0; i < MAX_PARAMS; i++) params[i] = addresses;
  if (!has_few_params(function)) return;
  for (int i = 0; i < 2; i++) {
    const int error = cuLaunchKernel(function, 2, 1, 1, blocks[i], 1, 1, 0,
                                     NULL, params, NULL);
    if (error != INVALID_VALUE) break;
  }
}

// Whether the context is whole after it.
static bool run(CUmodule module) {
  CUfunction functions[MAX_KERNELS];
  CUdeviceptr buffer;
  unsigned count;
  must(cuModuleGetFunctionCount(&count, module));
  if (!count) return true;
  if (count > MAX_KERNELS) count = MAX_KERNELS;
  must(cuModuleEnumerateFunctions(functions, count, module));
  must(cuMemAlloc_v2(&buffer, BUFFER_SIZE));
  must(cuMemsetD32_v2(buffer, 0, BUFFER_SIZE / 4));
  for (unsigned i = 0; i < count; i++) {
    launch(functions[i], buffer);
    if (cuCtxSynchronize()) return false;
  }
  must(cuMemFree_v2(buffer));
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  open_device();
  char *text = malloc(size + 1);
  CUmodule module = NULL;
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  if (!cuModuleLoadDataEx(&module, text, 0, NULL, NULL)) {
    if (!run(module))
      renew_context();
    else
      must(cuModuleUnload(module));
  }
  free(text);
  return 0;
}
