// tensor_map.h -- the tensor maps of a launch.
//
// A variant caches the last few maps of each parameter by the tensors that they
// were made of, since most launches repeat.  Threads read the cache without a
// lock.
#ifndef TILE_RUNTIME_TENSOR_MAP_H
#define TILE_RUNTIME_TENSOR_MAP_H

#include "runtime/device/device.h"

enum { TENSOR_MAP_UNIT = 16 }; // bytes; divides bases and strides

// A cache of the maps of one kernel.
typedef struct MapCache MapCache;

// NULL without memory.
MapCache *maps_create(const Allocator *from, int num_maps);
void maps_destroy(const Allocator *from, MapCache *cache);

// The tensor of map number `map`; `args` has a slot for each machine parameter.
// False if the hardware takes no such tensor.
bool maps_view(const KernelInfo *info, int map, const uint64_t *args,
               TensorView *out);

// Makes all maps of a launch; `args` has a slot for each machine parameter.
// `out` NULL: the maps are only added to the cache.  False if the hardware or
// the driver rejects one of the tensors: the launch needs a variant without
// maps.
bool maps_make(MapCache *cache, TileDevice *device, const KernelInfo *info,
               const uint64_t *args, TensorMapImage *out);

#endif
