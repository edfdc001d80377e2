// vec.c -- growth by doubling; old storage stays in the arena.
#include "ir/base/vec.h"

#include <string.h>

void *vec_grow(Arena *arena, void *items, size_t count, size_t *capacity,
               size_t size) {
  if (count < *capacity) return items;
  *capacity = *capacity ? 2 * *capacity : 8;
  void *larger = arena_alloc(arena, *capacity, size, alignof(max_align_t));
  return count ? memcpy(larger, items, count * size) : larger;
}
