// rt.h -- shared by the parts of libtilert.
//
// Devices are those of libtile, but for the CPU, whose code comes from images:
// a TileDevice and the little of a context that its functions look at.
#ifndef TILE_RUNTIME_RT_H
#define TILE_RUNTIME_RT_H

#include "runtime/compile/compile.h"
#include "runtime/context.h"
#include "runtime/pack/pack.h"
#include "tile/tilert.h"

#include <stdatomic.h>

struct TilertPack {
  Allocator from;
  char *file;  // its bytes, where it was read from one
  Arena arena; // of what `pack` has
  Pack pack;
};

// A kernel as a device has it; NULL: it was not wanted yet.
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
  TileContext context; // no more than the device's functions look at
  TileDevice device;
  int level;                    // of x86-64, on the CPU
  pthread_mutex_t lock;         // of whoever loads
  _Atomic(LoadedPack *) loaded; // grows in front
};

struct TilertBuffer {
  TilertDevice *device;
  size_t size;
  void *address;
};

// Writes why a call failed, and returns `status`.
__attribute__((format(printf, 3, 4))) TileStatus
rt_fail(TilertError *error, TileStatus status, const char *format, ...);
// The same for the fault of a device.
TileStatus rt_fault(TilertError *error, const Fault *fault);
Allocator rt_allocator(const TilertOptions *options);
extern const SizedStruct rt_sized_options, rt_sized_launch;
// Copies a struct of the caller's that begins with its size; NULL is all zeros.
TileStatus rt_read(TilertError *error, const SizedStruct *sized,
                   const void *from, void *to);

// The variant that a launch is to run, and what its machine parameters get,
// but for those that are the device's.
typedef struct {
  const PackVariant *variant;
  uint64_t args[PACK_MAX_PARAMS];
} RtChoice;

// `without_maps`: a variant that has no tensor maps.
TileStatus rt_choose(const TilertDevice *device, const TilertLaunch *launch,
                     bool without_maps, RtChoice *out, TilertError *error);

#endif
