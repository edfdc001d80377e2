// map.c -- linear probing over a power of two of slots, at most half full.
#include "ir/base/map.h"

#include <assert.h>
#include <string.h>

struct MapSlot {
  const void *key; // text or address; NULL when the slot is free
  size_t length;   // of the text; ADDRESS for an address
  uint64_t hash;
  void *value;
};

enum { MIN_CAPACITY = 16 };
#define ADDRESS ((size_t)-1)

// FNV-1a with a final mix: enough for names and small keys.
uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed) {
  const unsigned char *p = bytes;
  uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length; i++) {
    hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
  }
  return hash ^ (hash >> 29);
}

// A fast hash of one word.  The hash may differ between processes, so no output
// may depend on it.
static uint64_t add_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 32);
}

static uint64_t hash_text(const char *text, size_t length) {
  uint64_t hash = length, word = 0;
  for (; length >= sizeof word; length -= sizeof word, text += sizeof word) {
    memcpy(&word, text, sizeof word);
    hash = add_word(hash, word);
  }
  word = 0;
  if (length) memcpy(&word, text, length);
  return add_word(hash, word);
}

static bool matches(const MapSlot *slot, const void *key, size_t length,
                    uint64_t hash) {
  if (slot->hash != hash || slot->length != length) return false;
  if (length == ADDRESS) return slot->key == key;
  return !memcmp(slot->key, key, length);
}

static MapSlot *find(const Map *map, const void *key, size_t length,
                     uint64_t hash) {
  assert(map->capacity && !(map->capacity & (map->capacity - 1))); // I3
  size_t i = (size_t)hash & (map->capacity - 1);
  while (map->slots[i].key && !matches(&map->slots[i], key, length, hash)) {
    i = (i + 1) & (map->capacity - 1);
  }
  return &map->slots[i];
}

static void grow(Map *map, Arena *arena) {
  const Map old = *map;
  const size_t capacity = old.capacity ? 2 * old.capacity : MIN_CAPACITY;
  // If memory runs out, arena_array() does not return, and the map stays as it
  // is.
  map->slots = arena_array(arena, MapSlot, capacity);
  map->capacity = capacity;
  for (size_t i = 0; i < old.capacity; i++) {
    const MapSlot *slot = &old.slots[i];
    if (slot->key) *find(map, slot->key, slot->length, slot->hash) = *slot;
  }
}

static uint64_t hash_key(const void *key, size_t length) {
  return length == ADDRESS ? add_word(0, (uintptr_t)key)
                           : hash_text(key, length);
}

static MapSlot *place(Map *map, Arena *arena, const void *key, size_t length) {
  if (2 * (map->count + 1) > map->capacity) grow(map, arena);
  assert(2 * (map->count + 1) <= map->capacity && "no free slot"); // I3
  const uint64_t hash = hash_key(key, length);
  MapSlot *slot = find(map, key, length, hash);
  if (slot->key) return slot;
  map->count++;
  *slot = (MapSlot){.length = length, .hash = hash};
  return slot;
}

static void *lookup(const Map *map, const void *key, size_t length) {
  if (!map->count) return NULL;
  return find(map, key, length, hash_key(key, length))->value;
}

void map_put_text(Map *map, Arena *arena, const char *key, size_t length,
                  void *value) {
  MapSlot *slot = place(map, arena, key, length);
  if (!slot->key) slot->key = arena_strndup(arena, key, length);
  slot->value = value;
}

void *map_get_text(const Map *map, const char *key, size_t length) {
  return lookup(map, key, length);
}

void map_put(Map *map, Arena *arena, const void *key, void *value) {
  MapSlot *slot = place(map, arena, key, ADDRESS);
  slot->key = key;
  slot->value = value;
}

void *map_get(const Map *map, const void *key) {
  return lookup(map, key, ADDRESS);
}
