// gpu.h -- calls of a GPU's driver, and checks of its results.
//
// NVIDIA's driver does not work in a child of fork(): a child never calls it,
// not even to release resources of the parent.
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
  ProcessMark process; // may call the driver; without a mark: any process
  bool has_pdl;        // programmatic dependent launches
  int sim_threads;     // number that the simulator should use; 0: its own
                       // choice
} Gpu;

struct DeviceKernel {
  CUmodule module;
  CUfunction function;
  int spill_bytes;     // -1: unknown
  uint32_t num_blocks; // of a persistent kernel, at once; 0: it is not one
};

// CALL(gpu, fault, cuX, args...): calls the driver's function; whether it
// succeeded.
#define CALL(gpu, fault, function, ...)                                        \
  gpu_check((gpu), (gpu)->driver.api.function(__VA_ARGS__), #function, (fault))

bool gpu_check(const Gpu *gpu, CUresult error, const char *call, Fault *fault);

// Checks a result: the driver may report success and store an impossible value.
bool gpu_believe(bool sane, const char *call, const char *answer, Fault *fault);
bool gpu_believe_number(bool sane, const char *call, int number, Fault *fault);

// Whether the running process is a child of the process that may call the
// driver.
bool gpu_is_forked(const Gpu *gpu);

// Bytes that spills of the kernel store and load, both together, from the text
// of the driver's verbose log; -1 if the log has no such number.
int jit_log_spills(const char *log, const char *kernel);

// Makes the device's context current; the other function restores the caller's.
bool gpu_enter(const Gpu *gpu, Fault *fault);
bool gpu_leave(const Gpu *gpu, bool ok, Fault *fault);

#endif
