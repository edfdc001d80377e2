// pool.c -- an arena: memory that is freed all at once, and strings in it.
//
// Chunks double in size, so a large module needs few calls of malloc.
#include "runtime/simulator/base/pool.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct PoolChunk {
  PoolChunk *next;
  size_t size, used;
};

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 * 1024, HEADER = 32 };
static const size_t largest_chunk = (size_t)4 << 20;

static PoolChunk *add_chunk(Pool *pool, size_t least) {
  size_t size = pool->chunks ? pool->chunks->size * 2 : FIRST_CHUNK;
  if (size > largest_chunk) size = largest_chunk;
  if (size < least) size = least;
  PoolChunk *chunk = calloc(1, size + HEADER);
  if (!chunk) longjmp(pool->out_of_memory, 1);
  chunk->size = size;
  chunk->next = pool->chunks;
  return pool->chunks = chunk;
}

void *pool_alloc(Pool *pool, size_t size) {
  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  PoolChunk *chunk = pool->chunks;
  if (!chunk || chunk->size - chunk->used < size) chunk = add_chunk(pool, size);
  void *result = (char *)chunk + HEADER + chunk->used;
  chunk->used += size;
  assert(chunk->used <= chunk->size && "more than the chunk has"); // I1
  return result;
}

void pool_free(Pool *pool) {
  for (PoolChunk *chunk = pool->chunks, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  pool->chunks = NULL;
}

char *pool_copy(Pool *pool, const char *text, size_t length) {
  char *copy = pool_alloc(pool, length + 1);
  memcpy(copy, text, length);
  return copy;
}

char *pool_print(Pool *pool, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = pool_alloc(pool, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

// -- Names -------------------------------------------------------------------

struct NameEntry {
  const char *name;
  void *value;
};

static size_t hash_name(const char *name) {
  uint64_t hash = 1469598103934665603u;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 1099511628211u;
  return (size_t)(hash ^ hash >> 29);
}

static struct NameEntry *slot_of(const NameMap *map, const char *name) {
  size_t i = hash_name(name) & (map->size - 1);
  while (map->entries[i].name && strcmp(map->entries[i].name, name) != 0)
    i = (i + 1) & (map->size - 1);
  return &map->entries[i];
}

void *name_map_find(const NameMap *map, const char *name) {
  return map->size ? slot_of(map, name)->value : NULL;
}

static void grow(NameMap *map) {
  NameMap bigger = {map->pool, NULL, map->size ? map->size * 2 : 64,
                    map->count};
  bigger.entries = POOL_ARRAY(map->pool, struct NameEntry, bigger.size);
  for (size_t i = 0; i < map->size; i++) {
    if (map->entries[i].name)
      *slot_of(&bigger, map->entries[i].name) = map->entries[i];
  }
  *map = bigger;
}

void name_map_add(NameMap *map, const char *name, void *value) {
  if (map->count * 2 >= map->size) grow(map);
  assert(map->count < map->size && "no free entry ends a search"); // I2
  struct NameEntry *entry = slot_of(map, name);
  if (entry->name) return;
  *entry = (struct NameEntry){name, value};
  map->count++;
}
