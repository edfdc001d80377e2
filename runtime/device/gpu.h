// gpu.h -- a GPU's driver, its calls and what it answers.
//
// NVIDIA's driver does not work in a child of fork(): there nothing is asked of
// it, not even to give back what is the parent's.
#ifndef TILE_RUNTIME_GPU_H
#define TILE_RUNTIME_GPU_H

#include "runtime/base/base.h"
#include "runtime/device/cuda_load.h"
#include "runtime/device/device.h"

typedef struct {
  CudaDriver driver;
  CUdevice device;
  CUcontext context;
  CUstream stream;
  ProcessMark process; // that may call the driver; without a mark: any
  bool has_pdl;        // programmatic dependent launches
  int sim_threads;     // that the simulator is told to use; 0: it chooses
} Gpu;

struct DeviceKernel {
  CUmodule module;
  CUfunction function;
  int spill_bytes; // -1: unknown
};

// CALL(gpu, fault, cuX, args...): did the driver's function succeed?
#define CALL(gpu, fault, function, ...)                                        \
  gpu_check((gpu), (gpu)->driver.api.function(__VA_ARGS__), #function, (fault))

bool gpu_check(const Gpu *gpu, CUresult error, const char *call, Fault *fault);

// The driver may say that all is well and store what cannot be.
bool gpu_believe(bool sane, const char *call, const char *answer, Fault *fault);
bool gpu_believe_number(bool sane, const char *call, int number, Fault *fault);

// Is this a child of the process that may call the driver?
bool gpu_is_forked(const Gpu *gpu);

// Bytes that spills of the kernel store and load, both together, by the text
// of the driver's verbose log; -1 where it does not say so.
int jit_log_spills(const char *log, const char *kernel);

// Makes the device's context current, and the caller's again.
bool gpu_enter(const Gpu *gpu, Fault *fault);
bool gpu_leave(const Gpu *gpu, bool ok, Fault *fault);

#endif
