// gpu.c -- calls of a GPU's driver, and checks of its results.
#include "runtime/device/gpu.h"

#include "runtime/errors.h"

#include <stdio.h>

static bool fail(const Gpu *gpu, CUresult error, const char *call,
                 Fault *fault) {
  const char *name = NULL, *text = NULL;
  gpu->driver.api.cuGetErrorName(error, &name);
  gpu->driver.api.cuGetErrorString(error, &text);
  return fault_set(fault,
                   error == CUDA_ERROR_OUT_OF_MEMORY ? TILE_OUT_OF_MEMORY
                                                     : TILE_DEVICE_ERROR,
                   ERROR_driver_call, call, name ? name : "unknown error",
                   text ? text : "no description");
}

bool gpu_check(const Gpu *gpu, CUresult error, const char *call, Fault *fault) {
  return error == CUDA_SUCCESS || fail(gpu, error, call, fault);
}

bool gpu_believe(bool sane, const char *call, const char *answer,
                 Fault *fault) {
  return sane || fault_set(fault, TILE_DEVICE_ERROR, ERROR_driver_nonsense,
                           call, answer);
}

bool gpu_believe_number(bool sane, const char *call, int number, Fault *fault) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  return gpu_believe(sane, call, text, fault);
}

bool gpu_is_forked(const Gpu *gpu) {
  return gpu->process.owner && !process_is_same(&gpu->process);
}

bool gpu_enter(const Gpu *gpu, Fault *fault) {
  if (gpu_is_forked(gpu))
    return fault_set(fault, TILE_DEVICE_ERROR, ERROR_gpu_forked);
  return CALL(gpu, fault, cuCtxPushCurrent, gpu->context);
}

bool gpu_leave(const Gpu *gpu, bool ok, Fault *fault) {
  CUcontext ours;
  Fault ignored;
  return CALL(gpu, ok ? fault : &ignored, cuCtxPopCurrent, &ours) && ok;
}
