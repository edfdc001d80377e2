// sim.c -- the CUDA device over a simulated driver, libtilesim.so.
#include "runtime/device/cuda.h"

#include "runtime/errors.h"

static bool sim_open(TileDevice *device, int index, Fault *fault) {
  device->line_info = true; // its reports name source lines
  if (cuda_open_library(device, "libtilesim.so", index, fault)) return true;
  const Fault why = *fault;
  return why.status == TILE_UNAVAILABLE
             ? fault_set(fault, TILE_UNAVAILABLE, ERROR_no_simulator, why.text)
             : false;
}

// The simulator spills nothing, and the spills of a GPU are not known.
static bool sim_describe(TileDevice *device, DeviceKernel *kernel,
                         const KernelInfo *info, TileKernelInfo *out,
                         Fault *fault) {
  const bool ok = cuda_describe(device, kernel, info, out, fault);
  out->spill_bytes = -1;
  return ok;
}

const DeviceOps device_ops_sim = {
    .name = "sim",
    .max_grid = {INT32_MAX, 65535, 65535},
    .open = sim_open,
    CUDA_DEVICE_FUNCTIONS,
    .describe = sim_describe,
};
