// tensor_map.c -- the tensor maps of a launch: their tensors, and a cache of
// maps.
//
// A slot is a seqlock: while it is written, its number of writes is odd.  A
// reader copies the slot and then checks that the number has not changed; a
// writer that meets another writer leaves the slot to it.
#include "runtime/compile/tensor_map.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

// -- Tensors -----------------------------------------------------------------

static const int64_t most_size = TENSOR_NO_END;
static const int64_t strides_end = INT64_C(1) << 40;

int64_t maps_value(const KernelInfo *info, LaunchValue value,
                   const uint64_t *args) {
  assert(value.first >= 0 &&
         value.first + value.count <= info->num_steps); // I9
  return launch_value_compute(info->steps + value.first, value.count, args);
}

static bool find_stride(int64_t elements, int bytes, uint64_t *out) {
  if (elements < 0 || elements >= strides_end / bytes) return false;
  *out = (uint64_t)(elements * bytes);
  return *out % TENSOR_UNIT == 0;
}

bool maps_view(const KernelInfo *info, int map, const uint64_t *args,
               TensorView *out) {
  const TensorMapInfo *tensor = &info->maps[map];
  const int bytes = elem_info[tensor->elem].bits / 8;
  *out = (TensorView){.base = (uint64_t)maps_value(info, tensor->base, args)};
  if (!out->base || out->base % TENSOR_UNIT) return false;
  for (int i = 0; i < tensor->rank; i++) {
    const int64_t size = maps_value(info, tensor->shape[i], args);
    if (size < 1 || size > most_size) return false;
    out->shape[i] = (uint64_t)size;
  }
  for (int i = 0; i < tensor->rank - 1; i++) {
    const int64_t stride = maps_value(info, tensor->strides[i], args);
    if (!find_stride(stride, bytes, &out->strides[i])) return false;
  }
  return true;
}

// -- Maps that are kept ------------------------------------------------------

enum { WORD = 8, KEPT = 4 };
enum { KEY_WORDS = sizeof(TensorView) / WORD };
enum { MAP_WORDS = sizeof(TensorMapImage) / WORD };
_Static_assert(sizeof(TensorView) % WORD == 0, "all of it is words");

typedef struct {
  _Atomic uint64_t writes;
  _Atomic uint64_t key[KEY_WORDS], map[MAP_WORDS];
} KeptSlot;

typedef struct {
  _Atomic unsigned next; // slot to overwrite next
  KeptSlot slots[KEPT];
} Kept;

struct MapCache {
  int count;
  Kept kept[];
};

MapCache *maps_create(const Allocator *from, int num_maps) {
  const size_t size = sizeof(MapCache) + (size_t)num_maps * sizeof(Kept);
  MapCache *cache = from->alloc(from->ctx, size);
  if (!cache) return NULL;
  cache->count = num_maps;
  for (int i = 0; i < num_maps; i++) {
    Kept *kept = &cache->kept[i];
    atomic_init(&kept->next, 0);
    for (int k = 0; k < KEPT; k++) {
      KeptSlot *slot = &kept->slots[k];
      atomic_init(&slot->writes, 0);
      for (int w = 0; w < KEY_WORDS; w++) atomic_init(&slot->key[w], 0);
      for (int w = 0; w < MAP_WORDS; w++) atomic_init(&slot->map[w], 0);
    }
  }
  return cache;
}

void maps_destroy(const Allocator *from, MapCache *cache) {
  if (cache) from->free(from->ctx, cache);
}

// The words are read in order (acquire), and the number last.
static bool read_slot(const KeptSlot *slot, const uint64_t *key,
                      uint64_t *map) {
  const uint64_t writes =
      atomic_load_explicit(&slot->writes, memory_order_acquire);
  if (writes % 2) return false;
  for (int i = 0; i < KEY_WORDS; i++) {
    if (atomic_load_explicit(&slot->key[i], memory_order_acquire) != key[i])
      return false;
  }
  for (int i = 0; i < MAP_WORDS; i++)
    map[i] = atomic_load_explicit(&slot->map[i], memory_order_acquire);
  return atomic_load_explicit(&slot->writes, memory_order_relaxed) == writes;
}

static void write_slot(KeptSlot *slot, const uint64_t *key,
                       const uint64_t *map) {
  uint64_t writes = atomic_load_explicit(&slot->writes, memory_order_relaxed);
  if (writes % 2 ||
      !atomic_compare_exchange_strong(&slot->writes, &writes, writes + 1))
    return;
  for (int i = 0; i < KEY_WORDS; i++)
    atomic_store_explicit(&slot->key[i], key[i], memory_order_release);
  for (int i = 0; i < MAP_WORDS; i++)
    atomic_store_explicit(&slot->map[i], map[i], memory_order_release);
  atomic_store_explicit(&slot->writes, writes + 2, memory_order_release);
}

static bool find_kept(const Kept *kept, const uint64_t *key, uint64_t *map) {
  for (int i = 0; i < KEPT; i++) {
    if (read_slot(&kept->slots[i], key, map)) return true;
  }
  return false;
}

static bool make(Kept *kept, TileDevice *device, const TensorMapInfo *info,
                 const TensorView *view, TensorMapImage *out) {
  uint64_t key[KEY_WORDS], map[MAP_WORDS];
  Fault ignored;
  memcpy(key, view, sizeof key);
  if (find_kept(kept, key, map)) {
    memcpy(out, map, sizeof map);
    return true;
  }
  if (!device->ops->make_map(device, info, view, out, &ignored)) return false;
  memcpy(map, out, sizeof map);
  const unsigned next =
      atomic_fetch_add_explicit(&kept->next, 1, memory_order_relaxed);
  write_slot(&kept->slots[next % KEPT], key, map);
  return true;
}

TensorFit maps_make(MapCache *cache, TileDevice *device, const KernelInfo *info,
                    const uint64_t *args, TensorMapImage *out) {
  assert((!info->num_maps || device->has_maps) && "maps without need"); // I9
  if (maps_overlap(info, args)) return TENSORS_OVERLAP;
  for (int i = 0; i < info->num_maps; i++) {
    TensorView view;
    TensorMapImage own;
    if (!maps_view(info, i, args, &view) ||
        !make(&cache->kept[i], device, &info->maps[i], &view,
              out ? &out[i] : &own))
      return TENSORS_UNMAPPED;
  }
  return TENSORS_FIT;
}
