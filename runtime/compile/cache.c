// cache.c -- a small hash table; its lock is held for look-ups, not while a
// variant is built.
#include "runtime/compile/cache.h"

#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

void pool_init(VariantPool *pool) {
  *pool = (VariantPool){.caches = NULL};
  retired_init(&pool->retired);
  pthread_mutex_init(&pool->lock, NULL);
}

void pool_free(VariantPool *pool) {
  assert(!pool->caches && "a cache is left"); // I17
  retired_free(&pool->retired);
  pthread_mutex_destroy(&pool->lock);
}

void cache_init(VariantCache *cache, const Allocator *from, VariantPool *pool) {
  *cache = (VariantCache){.from = from, .pool = pool};
  known_init(&cache->known, from, &pool->retired);
  pthread_mutex_init(&cache->lock, NULL);
  pthread_cond_init(&cache->built, NULL);
  pthread_mutex_lock(&pool->lock);
  cache->next = pool->caches;
  pool->caches = cache;
  pthread_mutex_unlock(&pool->lock);
}

// -- Variants ----------------------------------------------------------------

static Variant *variant_create(const Allocator *from, uint64_t hash,
                               const void *key, size_t key_size) {
  Variant *variant = from->alloc(from->ctx, sizeof *variant + key_size);
  if (!variant) return NULL;
  *variant = (Variant){.hash = hash, .key_size = key_size};
  variant->key = memcpy(variant + 1, key, key_size);
  return variant;
}

static void variant_free(const Allocator *from, Variant *variant) {
  maps_destroy(from, variant->made);
  if (variant->steps) from->free(from->ctx, variant->steps);
  if (variant->maps) from->free(from->ctx, variant->maps);
  if (variant->params) from->free(from->ctx, variant->params);
  if (variant->symbol) from->free(from->ctx, variant->symbol);
  from->free(from->ctx, variant);
}

static void variant_unload(const Allocator *from, Variant *variant) {
  variant->device->ops->unload(variant->device, variant->loaded);
  upgrade_free(from, variant->upgrade, variant->device);
  variant_free(from, variant);
}

static bool fill_maps(const Allocator *from, Variant *variant,
                      const KernelInfo *info) {
  if (!info->num_maps) return true;
  const size_t size = (size_t)info->num_maps * sizeof *info->maps;
  const size_t steps_size = (size_t)info->num_steps * sizeof *info->steps;
  variant->maps = from->alloc(from->ctx, size);
  variant->steps = from->alloc(from->ctx, steps_size);
  variant->made = maps_create(from, info->num_maps);
  if (!variant->maps || !variant->steps || !variant->made) return false;
  variant->info.maps = memcpy(variant->maps, info->maps, size);
  variant->info.steps = memcpy(variant->steps, info->steps, steps_size);
  return true;
}

bool variant_fill(VariantCache *cache, Variant *variant,
                  const KernelInfo *info) {
  const Allocator *from = cache->from;
  const size_t size = (size_t)info->num_params * sizeof *info->params;
  const size_t length = strlen(info->symbol) + 1;
  variant->params = from->alloc(from->ctx, size ? size : 1);
  variant->symbol = from->alloc(from->ctx, length);
  if (!variant->params || !variant->symbol) return false;
  if (size) memcpy(variant->params, info->params, size);
  variant->info = *info;
  variant->info.params = variant->params;
  variant->info.symbol = memcpy(variant->symbol, info->symbol, length);
  return fill_maps(from, variant, info);
}

// -- Looking up --------------------------------------------------------------

static Variant **bucket_of(VariantCache *cache, uint64_t hash) {
  return &cache->buckets[hash % CACHE_BUCKETS];
}

// The caller holds the cache's lock.
static Variant *find(VariantCache *cache, const TileDevice *device,
                     uint64_t hash, const void *key, size_t key_size) {
  for (Variant *v = *bucket_of(cache, hash); v; v = v->next) {
    if (v->hash == hash && v->device == device && v->key_size == key_size &&
        !memcmp(v->key, key, key_size))
      return v;
  }
  return NULL;
}

// The variant once it is ready; NULL if there is none.  The caller holds the
// cache's lock.
static Variant *find_ready(VariantCache *cache, const TileDevice *device,
                           uint64_t hash, const void *key, size_t key_size) {
  for (;;) {
    Variant *variant = find(cache, device, hash, key, key_size);
    if (!variant || variant->ready) return variant;
    pthread_cond_wait(&cache->built, &cache->lock);
  }
}

// The caller holds the cache's lock.
static void take_out(VariantCache *cache, Variant *variant) {
  Variant **link = bucket_of(cache, variant->hash);
  while (*link != variant) link = &(*link)->next;
  *link = variant->next;
}

// The caller holds the cache's lock, which is released while the variant is
// built.
static TileStatus build_in_place(VariantCache *cache, Variant *variant,
                                 VariantBuilder *build, void *ctx) {
  assert(!variant->ready && !variant->loaded && variant->device); // I1
  Variant **bucket = bucket_of(cache, variant->hash);
  variant->next = *bucket;
  *bucket = variant;
  pthread_mutex_unlock(&cache->lock);
  const TileStatus status = build(ctx, variant);
  pthread_mutex_lock(&cache->lock);
  variant->ready = status == TILE_OK;
  if (variant->ready) {
    variant->used = atomic_fetch_add(&cache->pool->turn, 1) + 1;
    atomic_fetch_add(&cache->pool->count, 1);
  }
  assert(!variant->ready || variant->info.symbol == variant->symbol); // I2
  if (!variant->ready) {
    take_out(cache, variant);
    variant_free(cache->from, variant);
  }
  pthread_cond_broadcast(&cache->built);
  return status;
}

TileStatus cache_get(VariantCache *cache, TileDevice *device, const void *key,
                     size_t key_size, VariantBuilder *build, void *ctx,
                     Variant **out) {
  const uint64_t hash = hash_bytes(key, key_size, 0);
  TileStatus status = TILE_OK;
  pthread_mutex_lock(&cache->lock);
  Variant *variant = find_ready(cache, device, hash, key, key_size);
  if (!variant) {
    variant = variant_create(cache->from, hash, key, key_size);
    if (!variant) {
      status = TILE_OUT_OF_MEMORY;
    } else {
      variant->device = device;
      status = build_in_place(cache, variant, build, ctx);
    }
  }
  pthread_mutex_unlock(&cache->lock);
  if (status == TILE_OK) *out = variant;
  return status;
}

// -- Known launches ----------------------------------------------------------

void cache_learn(VariantCache *cache, const KnownCall *call) {
  pthread_mutex_lock(&cache->lock);
  assert(call->variant->ready && call->variant->device == call->device); // I10
  if (!call->variant->is_gone) known_add(&cache->known, call);
  pthread_mutex_unlock(&cache->lock);
}

void cache_look_at(VariantCache *cache, uint64_t parameters) {
  if (!(parameters & ~known_looked_at(&cache->known))) return;
  pthread_mutex_lock(&cache->lock);
  known_look_at(&cache->known, parameters);
  pthread_mutex_unlock(&cache->lock);
}

void cache_forget(VariantCache *cache, const TileDevice *device) {
  pthread_mutex_lock(&cache->lock);
  known_drop(&cache->known, NULL, device);
  pthread_mutex_unlock(&cache->lock);
}

// -- Leaving -----------------------------------------------------------------

// Unloads the variants on `device`; all if it is NULL.
static void drop(VariantCache *cache, const TileDevice *device) {
  pthread_mutex_lock(&cache->lock);
  known_drop(&cache->known, NULL, device);
  for (int i = 0; i < CACHE_BUCKETS; i++) {
    for (Variant **link = &cache->buckets[i]; *link;) {
      Variant *variant = *link;
      if (device && variant->device != device) {
        link = &variant->next;
        continue;
      }
      *link = variant->next;
      atomic_fetch_sub(&cache->pool->count, 1);
      variant_unload(cache->from, variant);
    }
  }
  pthread_mutex_unlock(&cache->lock);
}

static void leave_pool(VariantCache *cache) {
  VariantPool *pool = cache->pool;
  pthread_mutex_lock(&pool->lock);
  VariantCache **link = &pool->caches;
  while (*link != cache) {
    link = &(*link)->next;
    assert(*link); // I17
  }
  *link = cache->next;
  pthread_mutex_unlock(&pool->lock);
}

void cache_free(VariantCache *cache) {
  leave_pool(cache);
  known_free(&cache->known);
  drop(cache, NULL);
  pthread_cond_destroy(&cache->built);
  pthread_mutex_destroy(&cache->lock);
}

// Calls visit(cache, data) for each cache of the pool.
static void visit_caches(VariantPool *pool,
                         void (*visit)(VariantCache *cache, void *data),
                         void *data) {
  pthread_mutex_lock(&pool->lock);
  for (VariantCache *cache = pool->caches; cache; cache = cache->next)
    visit(cache, data);
  pthread_mutex_unlock(&pool->lock);
}

static void drop_device(VariantCache *cache, void *device) {
  drop(cache, device);
}

void pool_drop_device(VariantPool *pool, TileDevice *device) {
  visit_caches(pool, drop_device, device);
  retired_sweep_owner(&pool->retired, device);
}

// -- Eviction ----------------------------------------------------------------

bool cache_pin(VariantCache *cache, Variant *variant) {
  pthread_mutex_lock(&cache->lock);
  const bool stays = !variant->is_gone;
  if (stays) variant->num_pins++;
  pthread_mutex_unlock(&cache->lock);
  return stays;
}

void cache_unpin(VariantCache *cache, Variant *variant) {
  pthread_mutex_lock(&cache->lock);
  assert(variant->num_pins > 0 && !variant->is_gone); // I11
  variant->num_pins--;
  pthread_mutex_unlock(&cache->lock);
}

static void unload_retired(const void *ctx, Retired *retired) {
  variant_unload(ctx, (Variant *)retired);
}

// The caller holds the cache's lock.
static void retire(VariantCache *cache, Variant **link) {
  Variant *variant = *link;
  assert(variant->ready && !variant->num_pins && "in use"); // I11
  known_drop(&cache->known, variant, NULL);
  *link = variant->next;
  variant->is_gone = true;
  variant->retired = (Retired){
      .owner = variant->device, .free = unload_retired, .ctx = cache->from};
  atomic_fetch_sub(&cache->pool->count, 1);
  retired_add(&cache->pool->retired, &variant->retired);
}

typedef struct {
  size_t keep;
  uint64_t last_use; // last use of the variants to evict
  size_t num_gone;
} Leaving;

static bool may_go(const Variant *variant) {
  return variant->ready && !variant->num_pins;
}

static void find_oldest(VariantCache *cache, void *data) {
  Leaving *leaving = data;
  pthread_mutex_lock(&cache->lock);
  for (int i = 0; i < CACHE_BUCKETS; i++) {
    for (const Variant *v = cache->buckets[i]; v; v = v->next) {
      const uint64_t used = atomic_load(&v->used);
      if (may_go(v) && used < leaving->last_use) leaving->last_use = used;
    }
  }
  pthread_mutex_unlock(&cache->lock);
}

static void evict(VariantCache *cache, void *data) {
  Leaving *leaving = data;
  pthread_mutex_lock(&cache->lock);
  for (int i = 0; i < CACHE_BUCKETS; i++) {
    for (Variant **link = &cache->buckets[i]; *link;) {
      const Variant *v = *link;
      if (atomic_load(&cache->pool->count) > leaving->keep && may_go(v) &&
          atomic_load(&v->used) <= leaving->last_use) {
        retire(cache, link);
        leaving->num_gone++;
      } else {
        link = &(*link)->next;
      }
    }
  }
  pthread_mutex_unlock(&cache->lock);
}

void pool_evict(VariantPool *pool, size_t keep) {
  Leaving leaving = {.keep = keep, .num_gone = 1};
  while (leaving.num_gone && atomic_load(&pool->count) > keep) {
    leaving.num_gone = 0;
    leaving.last_use = UINT64_MAX;
    if (keep) visit_caches(pool, find_oldest, &leaving);
    visit_caches(pool, evict, &leaving);
  }
  retired_sweep(&pool->retired);
}
