// fuzz_ptx.c -- random bytes as PTX, for the simulator's driver.
//
// The bytes are a module or an error; the attributes of a module's kernels are
// read.
#include "tests/sim/driver_api.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_device(void) {
  static CUcontext context;
  if (context) return;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
      cuCtxPushCurrent_v2(context))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  open_device();
  char *text = malloc(size + 1);
  CUmodule module = NULL;
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  if (!cuModuleLoadDataEx(&module, text, 0, NULL, NULL) &&
      cuModuleUnload(module))
    abort();
  free(text);
  return 0;
}
