// tensor_map.h -- the tensor maps of a launch.
//
// A variant caches the last few maps of each parameter by the tensors that they
// were made of, since most launches repeat.  Threads read the cache without a
// lock.
#ifndef TILE_RUNTIME_TENSOR_MAP_H
#define TILE_RUNTIME_TENSOR_MAP_H

#include "ir/tensor_box.h"
#include "runtime/device/device.h"

// Which kernel the tensors of a launch need.
typedef enum {
  TENSORS_FIT,      // one with tensor maps, if it has some
  TENSORS_UNMAPPED, // one without: the hardware or the driver rejects a map
  TENSORS_OVERLAP,  // one that takes no two arguments for separate memory
} TensorFit;

// A cache of the maps of one kernel.
typedef struct MapCache MapCache;

// NULL without memory.
MapCache *maps_create(const Allocator *from, int num_maps);
void maps_destroy(const Allocator *from, MapCache *cache);

// A number of the tensor of a map; `args` has a slot for each machine
// parameter.
int64_t maps_value(const KernelInfo *info, LaunchValue value,
                   const uint64_t *args);
// The tensor of map number `map`; `args` has a slot for each machine parameter.
// False if the hardware takes no such tensor.
bool maps_view(const KernelInfo *info, int map, const uint64_t *args,
               TensorView *out);

// Makes all maps of a launch, if its tensors fit; `args` has a slot for each
// machine parameter.  `out` NULL: the maps are only added to the cache.
TensorFit maps_make(MapCache *cache, TileDevice *device, const KernelInfo *info,
                    const uint64_t *args, TensorMapImage *out);

// -- Memory that is passed twice (overlap.c) ---------------------------------

// Do two tensors share memory although their maps ask for separate memory?
bool maps_overlap(const KernelInfo *info, const uint64_t *args);
// May a launch of that kernel have such tensors?
bool maps_ask_apart(const KernelInfo *info);

#endif
