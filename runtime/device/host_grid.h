// host_grid.h -- runs kernels on the CPU, however their code was loaded.
#ifndef TILE_RUNTIME_HOST_GRID_H
#define TILE_RUNTIME_HOST_GRID_H

#include "runtime/device/device.h"
#include "runtime/device/thread_pool.h"

typedef struct {
  HostKernelFn *run;
  bool has_workspaces; // among its machine parameters
  bool has_hooks;
  bool keeps_scratch;
} HostKernel;

// The kernel whose code begins at `address`.
HostKernel host_kernel(const KernelInfo *info, void *address);

// Gets the counters of each program, and reads the system's, on the program's
// thread; see HostHooks.
typedef struct {
  void (*add)(void *ctx, const char *table, const uint64_t *counters);
  void (*read)(void *ctx, uint64_t *events);
  void *ctx;
} HostCounter;

// Runs the grid of a launch, and returns when it is done.  `counter` may be
// NULL.
bool host_run(TileDevice *device, ThreadPool *pool, const HostKernel *kernel,
              const DeviceLaunch *launch, const HostCounter *counter,
              Fault *fault);

#endif
