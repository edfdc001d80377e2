// cache.h -- the compiled variants of one kernel.
//
// A variant is found by its key: what the launch fixed before compiling, as
// bytes.  Threads that need the same missing variant compile it once: the
// first builds, the others wait, and try themselves if it failed.
#ifndef TILE_RUNTIME_CACHE_H
#define TILE_RUNTIME_CACHE_H

#include "runtime/compile/known.h"

struct Variant {
  Variant *next;
  uint64_t hash;
  const void *key;
  size_t key_size;
  TileDevice *device;
  bool ready;   // false: some thread is building it
  bool is_gone; // it is in no cache; who runs it may go on
  // Filled by the builder:
  KernelInfo info;
  KernelParam *params; // what info.params points to
  char *symbol;        // what info.symbol points to
  DeviceKernel *loaded;
  double compile_seconds;
};

enum { CACHE_BUCKETS = 64 };

typedef struct {
  const Allocator *from;
  pthread_mutex_t lock;
  pthread_cond_t built; // a variant became ready, or went away
  Variant *buckets[CACHE_BUCKETS];
  KnownCalls known; // changed under the lock
} VariantCache;

// What launches may still look at goes to `retired`.
void cache_init(VariantCache *cache, const Allocator *from,
                RetiredList *retired);
// Unloads every variant; no thread is inside a call that uses them.
void cache_free(VariantCache *cache);

// Compiles and loads a variant: fills it with variant_fill(), sets `loaded`.
typedef TileStatus VariantBuilder(void *ctx, Variant *variant);

// The variant of that key, built if need be.  It lives until its device or the
// cache goes.
TileStatus cache_get(VariantCache *cache, TileDevice *device, const void *key,
                     size_t key_size, VariantBuilder *build, void *ctx,
                     Variant **out);

// From now on a launch with those words finds its variant without the lock,
// unless that is gone again.
void cache_learn(VariantCache *cache, const KnownCall *call);
// Keys have the values of those parameters from now on.
void cache_look_at(VariantCache *cache, uint64_t parameters);

// Copies what must outlive the compilation; false without memory.
bool variant_fill(VariantCache *cache, Variant *variant,
                  const KernelInfo *info);

// Unloads what any kernel of the context has on that device.
void cache_drop_device(TileContext *context, TileDevice *device);

#endif
