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
  size_t stack_bytes; // that its functions take; 0: few
} HostKernel;

// The kernel whose code begins at `address`.
HostKernel host_kernel(const KernelInfo *info, void *address);

// The bytes that the functions of an object for x86-64 take of the stack, at
// most, if they are many.
size_t host_stack_bytes(const void *object, size_t size);

// Gets the counters of each program, and reads the system's, on the program's
// thread; see HostHooks.
typedef struct {
  void (*add)(void *ctx, const char *table, const uint64_t *counters);
  void (*read)(void *ctx, uint64_t *events);
  void *ctx;
} HostCounter;

typedef struct {
  TileDevice *device;
  ThreadPool *pool;
  const HostKernel *kernel;
  const DeviceLaunch *launch;
  const HostCounter *counter; // NULL: nothing is counted
} HostRun;

// Runs the grid of the launch, and returns when it is done.
bool host_run(const HostRun *run, Fault *fault);

#endif
