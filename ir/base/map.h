// map.h -- hash tables in an Arena: by text and by address.
//
// Open addressing.  Iteration order is never exposed, so output cannot depend
// on it.  Nothing is removed; a NULL value means "absent".
#ifndef TILE_IR_BASE_MAP_H
#define TILE_IR_BASE_MAP_H

#include "ir/base/arena.h"

#include <stdint.h>

typedef struct MapSlot MapSlot;

typedef struct {
  MapSlot *slots;
  size_t count, capacity;
} Map;

// Keys are copied into the arena.
void map_put_text(Map *map, Arena *arena, const char *key, size_t length,
                  void *value);
void *map_get_text(const Map *map, const char *key, size_t length);

void map_put(Map *map, Arena *arena, const void *key, void *value);
void *map_get(const Map *map, const void *key);

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed);

#endif
