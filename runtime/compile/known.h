// known.h -- the launches whose variants are known, found without a lock.
//
// Threads look up between epoch_enter() and epoch_leave(); a thread that adds
// or drops entries holds the lock of the kernel's cache.  An entry never
// changes.
#ifndef TILE_RUNTIME_KNOWN_H
#define TILE_RUNTIME_KNOWN_H

#include "runtime/base/base.h"
#include "runtime/device/device.h"

#include <stdatomic.h>

enum { KNOWN_BUCKETS = 64, MAX_KNOWN_CALLS = 512, NO_VALUE = -1 };

// A fill by a hook, of the tensor of an argument.
typedef struct {
  uint64_t value;           // in the low bytes
  uint8_t each;             // 1, 2, 4 or 8 bytes
  uint16_t argument, param; // numbers among the launch's and the kernel's
} LaunchFill;

typedef struct {
  const LaunchFill *items;
  uint32_t count;
} LaunchFills;

typedef struct Variant Variant;
typedef struct KnownCall KnownCall;
struct KnownCall {
  Retired retired;
  _Atomic(KnownCall *) next;
  uint64_t hash;
  const TileDevice *device;
  Variant *variant;
  uint32_t num_words, num_slots;
  const uint64_t *words;
  // For each machine parameter, the number of the launch's value that it gets,
  // or NO_VALUE for a parameter that the device fills.
  const int16_t *sources;
  LaunchFills fills; // before each launch
};

typedef struct {
  const Allocator *from;
  RetiredList *retired;
  _Atomic uint64_t looked_at; // parameters whose values heuristics read
  _Atomic(KnownCall *) buckets[KNOWN_BUCKETS];
  size_t count;
} KnownCalls;

void known_init(KnownCalls *known, const Allocator *from, RetiredList *retired);
// Frees the table; no thread looks up any more.
void known_free(KnownCalls *known);

// The parameters whose values belong to a key.
static inline uint64_t known_looked_at(const KnownCalls *known) {
  return atomic_load(&known->looked_at);
}

// NULL: a launch with that key has to be bound.
const KnownCall *known_find(const KnownCalls *known, const TileDevice *device,
                            uint64_t hash, const uint64_t *words,
                            uint32_t num_words);

// From now on keys contain the values of those parameters, so all known
// launches are forgotten.
void known_look_at(KnownCalls *known, uint64_t parameters);

// Copies words, sources and fills.  If memory runs out, nothing is added.
void known_add(KnownCalls *known, const KnownCall *call);

// Forgets the launches of the variant, or those on the device.
void known_drop(KnownCalls *known, const Variant *variant,
                const TileDevice *device);

#endif
