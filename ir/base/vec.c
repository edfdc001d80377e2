// vec.c -- growth by doubling; the old storage stays in the arena.
//
// Most arrays have few items, so the first allocation is small.
#include "ir/base/vec.h"

#include <assert.h>
#include <string.h>

enum { FIRST_BYTES = 64, FIRST_ITEMS = 2 };

static size_t first_capacity(size_t size) {
  const size_t fit = FIRST_BYTES / size;
  return fit > FIRST_ITEMS ? fit : FIRST_ITEMS;
}

void *vec_grow(Arena *arena, void *items, size_t count, size_t *capacity,
               size_t size) {
  assert(count <= *capacity && "more items than room"); // I5
  if (count < *capacity) return items;
  const size_t more = *capacity ? 2 * *capacity : first_capacity(size);
  // If memory runs out, arena_alloc() does not return, and the list stays as it
  // is.
  void *larger = arena_alloc(arena, more, size, alignof(max_align_t));
  *capacity = more;
  return count ? memcpy(larger, items, count * size) : larger;
}
