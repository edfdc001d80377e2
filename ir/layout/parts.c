// parts.c -- layouts under construction, and the table of finished ones.
#include "ir/layout/parts.h"

#include <assert.h>
#include <string.h>

int log2_exact(int64_t n) {
  if (n < 1 || (n & (n - 1))) return -1;
  return __builtin_ctzll((unsigned long long)n);
}

LayoutParts parts_of_shape(int rank, const int64_t *shape) {
  LayoutParts parts = {.rank = rank};
  parts.broken = rank < 0 || rank > LAYOUT_MAX_RANK;
  for (int i = 0; i < rank && !parts.broken; i++) {
    parts.log2_shape[i] = log2_exact(shape[i]);
    parts.broken = parts.log2_shape[i] < 0 ||
                   parts_first_bit(&parts, -1) > LAYOUT_MAX_BITS;
  }
  return parts;
}

LayoutParts parts_of_layout(const Layout *layout) {
  LayoutParts parts = {.shared = layout->shared, .rank = layout->rank};
  memcpy(parts.log2_shape, layout->log2_shape, sizeof parts.log2_shape);
  memcpy(parts.covered, layout->log2_shape, sizeof parts.covered);
  memcpy(parts.num, layout->num_bits, sizeof parts.num);
  const uint32_t *from = layout->map.column;
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    for (int i = 0; i < parts.num[dim]; i++) parts.column[dim][i] = *from++;
  }
  return parts;
}

int parts_first_bit(const LayoutParts *parts, int axis) {
  int first = 0;
  for (int i = axis + 1; i < parts->rank; i++) first += parts->log2_shape[i];
  return first;
}

int parts_left(const LayoutParts *parts, int axis) {
  assert(axis >= 0 && axis < parts->rank &&
         parts->covered[axis] <= parts->log2_shape[axis]); // I3
  return parts->log2_shape[axis] - parts->covered[axis];
}

void parts_add(LayoutParts *parts, LayoutDim dim, uint32_t column) {
  if (parts->num[dim] == LINEAR_MAX) parts->broken = true;
  if (!parts->broken) parts->column[dim][parts->num[dim]++] = column;
}

void parts_cover(LayoutParts *parts, LayoutDim dim, int axis, int count) {
  if (parts->broken) return;
  for (int i = 0; i < count; i++) {
    if (parts_left(parts, axis)) {
      const int bit = parts_first_bit(parts, axis) + parts->covered[axis]++;
      parts_add(parts, dim, UINT32_C(1) << bit);
    } else if (dim != LAYOUT_REGISTER) {
      parts_add(parts, dim, 0);
    }
  }
}

const Layout *layout_from_parts(LayoutTable *table, const LayoutParts *parts) {
  Layout key = {.shared = parts->shared, .rank = parts->rank};
  key.map.num_out = parts->broken ? 0 : parts_first_bit(parts, -1);
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    const int count = parts->num[dim];
    if (key.map.num_in + count > LAYOUT_MAX_BITS || parts->broken) return NULL;
    key.num_bits[dim] = count;
    memcpy(key.map.column + key.map.num_in, parts->column[dim],
           (size_t)count * sizeof *key.map.column);
    key.map.num_in += count;
  }
  if (key.map.num_out > LAYOUT_MAX_BITS) return NULL;
  memcpy(key.log2_shape, parts->log2_shape, sizeof key.log2_shape);
  return layout_get(table, &key);
}

bool order_is_valid(int rank, const int *order) {
  unsigned seen = 0;
  for (int i = 0; i < rank; i++) {
    if (order[i] < 0 || order[i] >= rank) return false;
    seen |= 1u << order[i];
  }
  return rank <= LAYOUT_MAX_RANK && seen == (1u << rank) - 1;
}

void layout_table_init(LayoutTable *table, Arena *arena) {
  *table = (LayoutTable){.arena = arena};
}

// The fields by which layouts differ, without padding bytes.
typedef struct {
  uint32_t word[2 + LAYOUT_MAX_RANK + LAYOUT_NUM_DIMS + LINEAR_MAX];
} LayoutKey;

static LayoutKey key_of(const Layout *layout) {
  LayoutKey key = {{layout->shared, (uint32_t)layout->rank}};
  uint32_t *to = key.word + 2;
  for (int i = 0; i < LAYOUT_MAX_RANK; i++) {
    *to++ = i < layout->rank ? (uint32_t)layout->log2_shape[i] : 0;
  }
  for (int i = 0; i < LAYOUT_NUM_DIMS; i++) {
    *to++ = (uint32_t)layout->num_bits[i];
  }
  memcpy(to, layout->map.column, sizeof layout->map.column);
  return key;
}

static int sum(const int *items, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) total += items[i];
  return total;
}

bool layout_is_consistent(const Layout *layout) {
  const LinearMap *map = &layout->map;
  for (int i = 0; i < LINEAR_MAX; i++) {
    const uint32_t limit = i < map->num_in ? UINT32_C(1) << map->num_out : 1;
    if (map->column[i] >= limit) return false;
  }
  const int others = layout->shared ? map->num_in : 0;
  return sum(layout->num_bits, LAYOUT_NUM_DIMS) == map->num_in &&
         sum(layout->log2_shape, layout->rank) == map->num_out &&
         layout->num_bits[LAYOUT_OFFSET] == others;
}

const Layout *layout_get(LayoutTable *table, const Layout *content) {
  assert(layout_is_consistent(content) && "counts and map disagree"); // I1
  const LayoutKey key = key_of(content);
  const char *bytes = (const char *)key.word;
  Layout *found = map_get_text(&table->layouts, bytes, sizeof key.word);
  if (found) return found;
  found = arena_new(table->arena, Layout);
  *found = *content;
  map_put_text(&table->layouts, table->arena, bytes, sizeof key.word, found);
  return found;
}
