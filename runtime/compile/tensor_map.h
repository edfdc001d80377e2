// tensor_map.h -- the tensor maps of a launch.
//
// A variant keeps the last few of each, by what they were made of, since most
// launches repeat.  Threads look there without a lock.
#ifndef TILE_RUNTIME_TENSOR_MAP_H
#define TILE_RUNTIME_TENSOR_MAP_H

#include "runtime/device/device.h"

enum { TENSOR_MAP_UNIT = 16 }; // bytes that bases and strides are multiples of

// The tensors that the maps of one kernel were made of lately.
typedef struct MapCache MapCache;

// NULL without memory.
MapCache *maps_create(const Allocator *from, int num_maps);
void maps_destroy(const Allocator *from, MapCache *cache);

// The tensor of map number `map`; `args` has a slot for each machine parameter.
// False if the hardware takes no such tensor.
bool maps_view(const KernelInfo *info, int map, const uint64_t *args,
               TensorView *out);

// All maps of a launch, of which `args` has a slot for each machine parameter;
// `out` NULL: they are only kept.  False if the hardware or the driver does not
// take one of the tensors: the kernel must do without.
bool maps_make(MapCache *cache, TileDevice *device, const KernelInfo *info,
               const uint64_t *args, TensorMapImage *out);

#endif
