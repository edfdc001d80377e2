// rt.h -- shared by the files of libtilert.
//
// Devices are those of libtile, except the CPU, whose code comes from images.
// A TilertDevice is a TileDevice with the few fields of a context that its
// functions read.
#ifndef TILE_RUNTIME_RT_H
#define TILE_RUNTIME_RT_H

#include "runtime/compile/compile.h"
#include "runtime/device/device.h"
#include "runtime/pack/pack.h"
#include "tile/tilert.h"

#include <stdatomic.h>

struct TilertPack {
  Allocator from;
  char *file;  // the pack's bytes, if read from a file
  Arena arena; // memory of `pack`
  Pack pack;
};

// A kernel on a device; NULL: not loaded yet.
typedef struct {
  _Atomic(DeviceKernel *) kernel;
  MapCache *maps; // of its tensor maps; NULL: it has none
} LoadedKernel;

// The kernels of a pack that a device has loaded, by the variants' numbers.
typedef struct LoadedPack LoadedPack;
struct LoadedPack {
  LoadedPack *next;
  const TilertPack *pack;
  LoadedKernel kernels[];
};

struct TilertDevice {
  Allocator from;
  DeviceSettings settings;
  TileDevice device;
  int level;                    // of x86-64, on the CPU
  pthread_mutex_t lock;         // held while loading
  _Atomic(LoadedPack *) loaded; // new packs are added in front
};

struct TilertBuffer {
  TilertDevice *device;
  size_t size;
  void *address;
};

// Writes the reason of a failure, and returns `status`.
__attribute__((format(printf, 3, 4))) TileStatus
rt_fail(TilertError *error, TileStatus status, const char *format, ...);
// The same for the fault of a device.
TileStatus rt_fault(TilertError *error, const Fault *fault);
Allocator rt_allocator(const TilertOptions *options);
extern const SizedStruct rt_sized_options, rt_sized_launch;
// Copies a struct of the caller's that begins with its size; NULL is all zeros.
TileStatus rt_read(TilertError *error, const SizedStruct *sized,
                   const void *from, void *to);

// The variant for a launch, and the values of its machine parameters, except
// those that the device fills.
typedef struct {
  const PackVariant *variant;
  uint64_t args[PACK_MAX_PARAMS];
} RtChoice;

// The variant is one for tensors of that fit.
TileStatus rt_choose(const TilertDevice *device, const TilertLaunch *launch,
                     TensorFit fit, RtChoice *out, TilertError *error);

#endif
