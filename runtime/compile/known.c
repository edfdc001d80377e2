// known.c -- a hash table whose chains are read while they change.
//
// An entry is complete before it is linked into a chain.  A removed entry still
// points into the chain, so that a reader that is at the entry can go on; it is
// freed when all threads that may read it have left.
#include "runtime/compile/known.h"

#include <assert.h>
#include <string.h>

void known_init(KnownCalls *known, const Allocator *from,
                RetiredList *retired) {
  *known = (KnownCalls){.from = from, .retired = retired};
}

static _Atomic(KnownCall *) *bucket_of(KnownCalls *known, uint64_t hash) {
  return &known->buckets[hash % KNOWN_BUCKETS];
}

const KnownCall *known_find(const KnownCalls *known, const TileDevice *device,
                            uint64_t hash, const uint64_t *words,
                            uint32_t num_words) {
  const KnownCall *call = atomic_load(&known->buckets[hash % KNOWN_BUCKETS]);
  for (; call; call = atomic_load(&call->next)) {
    if (call->hash == hash && call->device == device &&
        call->num_words == num_words &&
        !memcmp(call->words, words, num_words * sizeof *words))
      return call;
  }
  return NULL;
}

// -- Changes -----------------------------------------------------------------

// Reads the allocator alone, since the kernel may be destroyed before its
// entries are freed.
static void free_call(const void *ctx, Retired *retired) {
  const Allocator *from = ctx;
  from->free(from->ctx, retired);
}

static void drop_one(KnownCalls *known, _Atomic(KnownCall *) *link) {
  KnownCall *call = atomic_load(link);
  atomic_store(link, atomic_load(&call->next));
  assert(known->count && "more entries than were added"); // I10
  known->count--;
  retired_add(known->retired, &call->retired);
}

void known_drop(KnownCalls *known, const Variant *variant,
                const TileDevice *device) {
  for (int i = 0; i < KNOWN_BUCKETS; i++) {
    for (_Atomic(KnownCall *) *link = &known->buckets[i]; atomic_load(link);) {
      KnownCall *call = atomic_load(link);
      if (call->variant == variant || call->device == device)
        drop_one(known, link);
      else
        link = &call->next;
    }
  }
}

static void drop_all(KnownCalls *known) {
  for (int i = 0; i < KNOWN_BUCKETS; i++) {
    while (atomic_load(&known->buckets[i])) drop_one(known, &known->buckets[i]);
  }
}

void known_free(KnownCalls *known) {
  for (int i = 0; i < KNOWN_BUCKETS; i++) {
    KnownCall *call = atomic_load(&known->buckets[i]);
    for (KnownCall *next; call; call = next) {
      next = atomic_load(&call->next);
      known->from->free(known->from->ctx, call);
    }
    atomic_store(&known->buckets[i], NULL);
  }
}

void known_look_at(KnownCalls *known, uint64_t parameters) {
  atomic_fetch_or(&known->looked_at, parameters);
  drop_all(known);
}

// Words, fills and sources lie in the same block, behind the entry.
static KnownCall *copy_call(const KnownCalls *known, const KnownCall *call) {
  const size_t words = call->num_words * sizeof *call->words;
  const size_t fills = call->fills.count * sizeof *call->fills.items;
  const size_t sources = call->num_slots * sizeof *call->sources;
  KnownCall *copy = known->from->alloc(known->from->ctx,
                                       sizeof *copy + words + fills + sources);
  if (!copy) return NULL;
  *copy = (KnownCall){.retired = {.free = free_call, .ctx = known->from},
                      .hash = call->hash,
                      .device = call->device,
                      .variant = call->variant,
                      .num_words = call->num_words,
                      .num_slots = call->num_slots,
                      .fills.count = call->fills.count};
  char *next = (char *)(copy + 1);
  copy->words = memcpy(next, call->words, words);
  next += words;
  if (fills) copy->fills.items = memcpy(next, call->fills.items, fills);
  next += fills;
  copy->sources = memcpy(next, call->sources, sources);
  return copy;
}

void known_add(KnownCalls *known, const KnownCall *call) {
  _Atomic(KnownCall *) *bucket = bucket_of(known, call->hash);
  if (known_find(known, call->device, call->hash, call->words, call->num_words))
    return; // another thread has added it
  if (known->count >= MAX_KNOWN_CALLS) drop_all(known);
  assert(known->count < MAX_KNOWN_CALLS && "they were not dropped"); // I10
  KnownCall *copy = copy_call(known, call);
  if (!copy) return;
  atomic_init(&copy->next, atomic_load(bucket));
  atomic_store(bucket, copy);
  known->count++;
}
