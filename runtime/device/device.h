// device.h -- what runs kernels: one table of functions per kind of device.
//
// Devices report a failure as a status and a sentence in a Fault, which needs
// no memory, so that they may fail under a lock.
#ifndef TILE_RUNTIME_DEVICE_H
#define TILE_RUNTIME_DEVICE_H

#include "codegen/codegen.h"
#include "runtime/base/diagnostics.h"
#include "tile/tile.h"

typedef struct {
  TileStatus status;
  char text[2048];
  const char *format; // of the text, of errors.def; NULL: none of them
} Fault;

static inline void fault_clear(Fault *fault) {
  fault->status = TILE_OK;
  fault->text[0] = '\0';
  fault->format = NULL;
}
// Fills the fault and returns false.
__attribute__((format(printf, 3, 4))) bool
fault_set(Fault *fault, TileStatus status, const char *format, ...);

// A kernel as one device has it; the device says what it is.
typedef struct DeviceKernel DeviceKernel;

typedef struct {
  DeviceKernel *kernel;
  const KernelInfo *info;
  uint64_t *args; // one slot per machine parameter; workspaces: 0, the device's
  uint32_t grid[3];
  void *stream;
  bool launch_pdl; // may start while the launch before it still runs
} DeviceLaunch;

// The functions that return bool fill the fault when they return false.
typedef struct {
  const char *name;
  const char *summary;
  bool has_index; // "cuda:1"
  uint32_t max_grid[3];
  bool (*open)(TileDevice *device, int index, Fault *fault);
  void (*close)(TileDevice *device);
  bool (*sync)(TileDevice *device, Fault *fault);
  bool (*alloc)(TileDevice *device, size_t size, void **address, Fault *fault);
  void (*free)(TileDevice *device, void *address);
  bool (*write)(TileDevice *device, void *to, const void *from, size_t size,
                Fault *fault);
  bool (*read)(TileDevice *device, void *to, const void *from, size_t size,
               Fault *fault);
  // Keeps nothing of `code`; `info` stays valid for the life of the kernel.
  bool (*load)(TileDevice *device, const CompiledCode *code,
               const KernelInfo *info, DeviceKernel **kernel, Fault *fault);
  void (*unload)(TileDevice *device, DeviceKernel *kernel);
  bool (*launch)(TileDevice *device, const DeviceLaunch *launch, Fault *fault);
  // Adds what only the device knows.
  bool (*describe)(TileDevice *device, DeviceKernel *kernel,
                   const KernelInfo *info, TileKernelInfo *out, Fault *fault);
} DeviceOps;

struct TileDevice {
  TileDevice *next; // in the list of the context
  TileContext *context;
  const Allocator *from;
  const DeviceOps *ops;
  const Target *target; // NULL: the device never compiles
  EmitKind code;        // what `load` takes
  bool line_info;       // does it want to know the lines of the source?
  int num_processors;
  char name[24], summary[128];
  void *state; // the kind's own
};

struct TileBuffer {
  TileDevice *device;
  size_t size;
  void *address;
};

#define DEVICE(name) extern const DeviceOps device_ops_##name;
#include "runtime/device/devices.def"

#endif
