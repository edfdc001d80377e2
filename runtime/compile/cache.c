// cache.c -- a small hash table under a lock that is held to look, not to
// build.
#include "runtime/compile/cache.h"

#include "ir/base/map.h"
#include "runtime/context.h"
#include "runtime/program.h"

#include <assert.h>
#include <string.h>

void cache_init(VariantCache *cache, const Allocator *from,
                RetiredList *retired) {
  *cache = (VariantCache){.from = from};
  known_init(&cache->known, from, retired);
  pthread_mutex_init(&cache->lock, NULL);
  pthread_cond_init(&cache->built, NULL);
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
  if (variant->params) from->free(from->ctx, variant->params);
  if (variant->symbol) from->free(from->ctx, variant->symbol);
  from->free(from->ctx, variant);
}

static void variant_unload(const Allocator *from, Variant *variant) {
  variant->device->ops->unload(variant->device, variant->loaded);
  variant_free(from, variant);
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
  return true;
}

// -- Looking up --------------------------------------------------------------

static Variant **bucket_of(VariantCache *cache, uint64_t hash) {
  return &cache->buckets[hash % CACHE_BUCKETS];
}

// With the lock held.
static Variant *find(VariantCache *cache, const TileDevice *device,
                     uint64_t hash, const void *key, size_t key_size) {
  for (Variant *v = *bucket_of(cache, hash); v; v = v->next) {
    if (v->hash == hash && v->device == device && v->key_size == key_size &&
        !memcmp(v->key, key, key_size))
      return v;
  }
  return NULL;
}

// With the lock held: the variant once it is ready, NULL if there is none.
static Variant *find_ready(VariantCache *cache, const TileDevice *device,
                           uint64_t hash, const void *key, size_t key_size) {
  for (;;) {
    Variant *variant = find(cache, device, hash, key, key_size);
    if (!variant || variant->ready) return variant;
    pthread_cond_wait(&cache->built, &cache->lock);
  }
}

// With the lock held.
static void take_out(VariantCache *cache, Variant *variant) {
  Variant **link = bucket_of(cache, variant->hash);
  while (*link != variant) link = &(*link)->next;
  *link = variant->next;
}

// With the lock held, which it gives up while it builds.
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
  assert(call->variant->ready && call->variant->device == call->device); // I9
  if (!call->variant->is_gone) known_add(&cache->known, call);
  pthread_mutex_unlock(&cache->lock);
}

void cache_look_at(VariantCache *cache, uint64_t parameters) {
  if (!(parameters & ~known_looked_at(&cache->known))) return;
  pthread_mutex_lock(&cache->lock);
  known_look_at(&cache->known, parameters);
  pthread_mutex_unlock(&cache->lock);
}

// -- Leaving -----------------------------------------------------------------

// Unloads what is on `device`; all if that is NULL.
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
      variant_unload(cache->from, variant);
    }
  }
  pthread_mutex_unlock(&cache->lock);
}

void cache_free(VariantCache *cache) {
  known_free(&cache->known);
  drop(cache, NULL);
  pthread_cond_destroy(&cache->built);
  pthread_mutex_destroy(&cache->lock);
}

static void drop_from_program(TileProgram *program, const TileDevice *device) {
  pthread_mutex_lock(&program->unit->lock);
  for (TileKernel *kernel = program->kernels; kernel; kernel = kernel->next) {
    drop(&kernel->variants, device);
  }
  pthread_mutex_unlock(&program->unit->lock);
}

void cache_drop_device(TileContext *context, TileDevice *device) {
  pthread_mutex_lock(&context->lock);
  for (TileProgram *p = context->programs; p; p = p->next) {
    drop_from_program(p, device);
  }
  pthread_mutex_unlock(&context->lock);
}
