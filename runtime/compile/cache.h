// cache.h -- the compiled variants of one kernel.
//
// The key of a variant is the specialization that the launch determines, as
// bytes.  Threads that need the same missing variant compile it once: the first
// builds it, and the others wait; if it fails, each of them tries itself.
#ifndef TILE_RUNTIME_CACHE_H
#define TILE_RUNTIME_CACHE_H

#include "runtime/base/base.h"
#include "runtime/compile/known.h"
#include "runtime/compile/tensor_map.h"

typedef struct VariantCache VariantCache;

// All variants of a context, and the caches that have them.
typedef struct {
  RetiredList retired;   // variants, and known launches
  _Atomic uint64_t turn; // grows with each variant
  _Atomic size_t count;
  pthread_mutex_t lock; // for the list; taken before a cache's
  VariantCache *caches;
} VariantPool;

void pool_init(VariantPool *pool);
// Frees the pool. All its caches are freed already.
void pool_free(VariantPool *pool);

typedef struct VariantUpgrade VariantUpgrade;

struct Variant {
  Retired retired; // for when it is evicted
  Variant *next;
  uint64_t hash;
  const void *key;
  size_t key_size;
  TileDevice *device;
  _Atomic uint64_t used; // the turn of its last launch
  int num_pins;          // while it is not 0, the variant stays; under the lock
  bool ready;            // false: some thread is building it
  bool is_gone;          // evicted; a thread that runs it may go on
  // Filled by the builder:
  KernelInfo info;
  KernelParam *params; // info.params points to them
  char *symbol;        // info.symbol points to it
  TensorMapInfo *maps; // info.maps points to them; NULL: none
  LaunchStep *steps;   // info.steps points to them
  MapCache *made;      // of the maps
  DeviceKernel *loaded;
  VariantUpgrade *upgrade; // if it may be compiled again; or NULL
  double compile_seconds;
};

enum { CACHE_BUCKETS = 64 };

struct VariantCache {
  const Allocator *from;
  VariantPool *pool;
  VariantCache *next; // in the list of the pool
  pthread_mutex_t lock;
  pthread_cond_t built; // a variant became ready, or went away
  Variant *buckets[CACHE_BUCKETS];
  KnownCalls known; // changed under the lock
};

void cache_init(VariantCache *cache, const Allocator *from, VariantPool *pool);
// Unloads every variant; no thread is inside a call that uses them.
void cache_free(VariantCache *cache);

// Compiles and loads a variant: fills it with variant_fill(), sets `loaded`.
typedef TileStatus VariantBuilder(void *ctx, Variant *variant);

// Finds the variant of a key, and builds it if it is missing.  The calling
// thread is inside an epoch; the variant stays until it leaves.
TileStatus cache_get(VariantCache *cache, TileDevice *device, const void *key,
                     size_t key_size, VariantBuilder *build, void *ctx,
                     Variant **out);

// From now on a launch with those words finds its variant without the lock,
// unless the variant has been evicted.
void cache_learn(VariantCache *cache, const KnownCall *call);
// From now on keys contain the values of those parameters.
void cache_look_at(VariantCache *cache, uint64_t parameters);

// Forgets the known launches on a device, so that they are bound again.
void cache_forget(VariantCache *cache, const TileDevice *device);

// Copies the parts of `info` that must outlive the compilation; false without
// memory.
bool variant_fill(VariantCache *cache, Variant *variant,
                  const KernelInfo *info);

// Notes a launch.  Threads that launch the same variant write to it only once a
// turn.
static inline void variant_use(const VariantPool *pool, Variant *variant) {
  const uint64_t turn = atomic_load_explicit(&pool->turn, memory_order_relaxed);
  if (atomic_load_explicit(&variant->used, memory_order_relaxed) != turn)
    atomic_store_explicit(&variant->used, turn, memory_order_relaxed);
}

// Keeps the variant until cache_unpin(); false: it is evicted already.
bool cache_pin(VariantCache *cache, Variant *variant);
void cache_unpin(VariantCache *cache, Variant *variant);

// Evicts the least recently launched variants of the pool until there are
// `keep`, but never a pinned one.  A kernel that a thread still runs is
// unloaded when the thread is through.
void pool_evict(VariantPool *pool, size_t keep);

// Unloads all variants of the pool on that device.
void pool_drop_device(VariantPool *pool, TileDevice *device);

// -- Quick code that is compiled again (upgrade.c) ---------------------------

// A thread of the context compiles the IR of quick code once more, with all
// optimizations. Launches take the better code once it is there; launches that
// run the quick code go on, since it stays loaded as long as its variant.
enum { HOT_LAUNCHES = 32 }; // launches before a variant is compiled again

struct VariantUpgrade {
  VariantUpgrade *next; // in the queue
  VariantCache *cache;  // has the variant
  Variant *variant;     // pinned while this is in the queue, or worked on
  _Atomic uint32_t launches;
  _Atomic bool is_done; // the fields below are filled, and stay
  DeviceKernel *loaded;
  KernelInfo info; // shares the variant's parameters
  char ir[];       // the module's text
};

// Receives a line of text for each variant that was compiled again.
typedef struct {
  void (*write)(void *ctx, const char *line); // NULL: no line is made
  void *ctx;
} LineLog;

// The variants of a context that wait for their second compilation, and the
// thread that compiles them.
typedef struct {
  const Allocator *from;
  LineLog log;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  ProcessMark process;
  bool runs, ends; // the thread; guarded by the lock, as the rest
  VariantUpgrade *first;
  const VariantUpgrade *current;
} UpgradeQueue;

// False if memory runs out.
bool upgrades_init(UpgradeQueue *queue, const Allocator *from, LineLog log);
// Ends the thread. All variants of the context are freed already.
void upgrades_end(UpgradeQueue *queue);

// Keeps the module for a second compilation of the variant, which was just
// compiled as quick code.  Without memory, the variant stays as it is.
void upgrade_prepare(VariantCache *cache, Variant *variant, Arena *arena,
                     const Module *module);
// Frees an upgrade, and unloads its better code.
void upgrade_free(const Allocator *from, VariantUpgrade *upgrade,
                  TileDevice *device);

// Puts the upgrade into the queue, unless its variant is evicted.
void upgrade_ask(UpgradeQueue *queue, VariantUpgrade *upgrade);
// Takes variants of that cache, and of that device, out of the queue, and waits
// for the one that is worked on; NULL: of any.
void upgrade_forget(UpgradeQueue *queue, const VariantCache *cache,
                    const TileDevice *device);

// The better code; NULL: there is none yet.
static inline const VariantUpgrade *upgrade_done(VariantUpgrade *upgrade) {
  const bool is_done =
      upgrade && atomic_load_explicit(&upgrade->is_done, memory_order_acquire);
  return is_done ? upgrade : NULL;
}

// The better code, as upgrade_done() gives it.  If there is none yet, counts a
// launch, and asks for the code once, after HOT_LAUNCHES.
static inline const VariantUpgrade *upgrade_note(UpgradeQueue *queue,
                                                 VariantUpgrade *upgrade) {
  if (!upgrade || upgrade_done(upgrade)) return upgrade;
  const uint32_t before =
      atomic_fetch_add_explicit(&upgrade->launches, 1, memory_order_relaxed);
  if (before == HOT_LAUNCHES) upgrade_ask(queue, upgrade);
  return NULL;
}

#endif
