// layout_family.h -- layouts for tests, and their meaning by definition.
//
// `by_hand` follows the definition literally, one axis and one bit at a time,
// and shares no code with the layouts under test.
#ifndef TILE_TESTS_UNIT_LAYOUT_FAMILY_H
#define TILE_TESTS_UNIT_LAYOUT_FAMILY_H

#include "ir/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Arena arena;
  LayoutTable table;
  uint32_t seed;
} Family;

static inline void family_init(Family *f) {
  arena_init(&f->arena, &system_allocator);
  layout_table_init(&f->table, &f->arena);
  f->seed = 1;
}

static inline void family_free(Family *f) {
  arena_free(&f->arena);
}

// Runs body(family) in an arena that can run out of memory.
static inline void with_family(void (*body)(void *)) {
  Family f;
  family_init(&f);
  assert_true(arena_protect(&f.arena, body, &f));
  family_free(&f);
}

static inline uint32_t pick(Family *f, uint32_t below) {
  f->seed = f->seed * 1664525u + 1013904223u;
  return (f->seed >> 8) % below;
}

static inline const Layout *parsed(Family *f, const char *text) {
  const char *at = text, *error = NULL;
  const Layout *layout = layout_parse(&f->table, &at, &error);
  if (!layout) fail_msg("%s: %s at '%s'", text, error, at);
  assert_string_equal(at, "");
  return layout;
}

// A layout with random columns: usually neither injective nor surjective.
static inline const Layout *any_layout(Family *f, int rank, int max_log2,
                                       int max_bits, bool shared) {
  Layout key = {.shared = shared, .rank = rank};
  for (int i = 0; i < rank; i++) {
    key.log2_shape[i] = (int)pick(f, (uint32_t)max_log2 + 1);
    key.map.num_out += key.log2_shape[i];
  }
  for (int d = 0; d < LAYOUT_NUM_DIMS; d++) {
    if (shared != (d == LAYOUT_OFFSET)) continue;
    key.num_bits[d] = (int)pick(f, (uint32_t)max_bits + 1);
    for (int i = 0; i < key.num_bits[d]; i++) {
      uint32_t *column = &key.map.column[key.map.num_in++];
      *column = pick(f, 4) ? pick(f, 1u << key.map.num_out) : 0;
    }
  }
  return layout_get(&f->table, &key);
}

// A layout that holds every element exactly once.
static inline const Layout *any_bijection(Family *f, int rank, int max_log2,
                                          bool shared) {
  Layout key = {.shared = shared, .rank = rank};
  for (int i = 0; i < rank; i++) {
    key.log2_shape[i] = (int)pick(f, (uint32_t)max_log2 + 1);
    key.map.num_out += key.log2_shape[i];
  }
  Subspace seen = {0};
  while (key.map.num_in < key.map.num_out) {
    const uint32_t column = pick(f, 1u << key.map.num_out);
    if (!subspace_add(&seen, column)) continue;
    key.map.column[key.map.num_in++] = column;
  }
  int left = key.map.num_in;
  for (int d = 0; d < LAYOUT_BLOCK && !shared; d++) {
    key.num_bits[d] = (int)pick(f, (uint32_t)left + 1);
    left -= key.num_bits[d];
  }
  key.num_bits[shared ? LAYOUT_OFFSET : LAYOUT_BLOCK] = left;
  return layout_get(&f->table, &key);
}

// The coordinate along `axis` of the element at `word`.
static inline int64_t by_hand(const Layout *layout, uint32_t word, int axis) {
  int below = 0;
  for (int i = layout->rank - 1; i > axis; i--) below += layout->log2_shape[i];
  int64_t coordinate = 0;
  for (int i = 0; i < layout->map.num_in; i++) {
    if (!(word >> i & 1)) continue;
    coordinate ^=
        (layout->map.column[i] >> below) % (1u << layout->log2_shape[axis]);
  }
  return coordinate;
}

static inline uint32_t num_words(const Layout *layout) {
  return 1u << layout->map.num_in;
}

#endif
