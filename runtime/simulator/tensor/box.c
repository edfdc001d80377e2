// box.c -- iterates over the box of a tensor, row by row.
//
// For example, a map has f32 at address 4096 in 6 rows of 10, 64 bytes apart,
// and boxes of 4 rows of 8.  The box at column 4, row 3 has four rows of 32
// bytes; 24 bytes of each of the first three are inside, from 4304, 4368 and
// 4432 on, and the last row has none.  The copy fills the rest, and counts all
// 128 bytes.
#include "runtime/simulator/tensor/box.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The first dimension along which rows are adjacent.
static int first_dim(const TensorMap *map) {
  return map->interleave ? 0 : 1;
}

static uint32_t count_of(const TensorMap *map, int dim) {
  return (map->box[dim] + map->steps[dim] - 1u) / map->steps[dim];
}

static uint64_t rows_of(const TensorMap *map) {
  uint64_t rows = 1;
  if (map->is_im2col) return map->pixels;
  for (int i = first_dim(map); i <= map->last_dim; i++)
    rows *= count_of(map, i);
  return rows;
}

// The offsets are those of the pixels' dimensions, W first.
void tensor_box_open(CopiedBox *box, const TensorMap *map,
                     const int32_t *coordinates, const uint16_t *offsets) {
  assert(map->last_dim < TENSOR_DIMS && "more dimensions than there are"); // I4
  *box = (CopiedBox){.map = *map, .num_rows = rows_of(map)};
  for (int i = 0; i <= map->last_dim; i++) box->start[i] = coordinates[i];
  for (int i = 1; offsets && i < map->last_dim; i++)
    box->offset[i] = offsets[i - 1];
  box->row_bytes = tensor_row_bytes(map);
  box->span = tensor_span(map);
  // A row that is shorter than the swizzle has a gap behind it.
  box->pitch = box->row_bytes < box->span ? box->span : box->row_bytes;
}

// A quiet NaN with all bits set except the sign.
uint8_t tensor_box_filler(const CopiedBox *box, uint32_t at) {
  const uint32_t bytes = tensor_element_bytes(&box->map);
  if (box->map.fill == FILL_ZERO) return 0;
  return at % bytes == bytes - 1 ? 0x7f : 0xff;
}

// -- Walking -----------------------------------------------------------------

void tensor_walk_start(const CopiedBox *box, TensorWalk *walk) {
  *walk = (TensorWalk){.row = 0};
  memcpy(walk->at, box->start, sizeof walk->at);
}

// The next pixel within the corners, then the next image.
static void next_pixel(const CopiedBox *box, TensorWalk *walk) {
  const TensorMap *map = &box->map;
  for (int i = 1; i < map->last_dim; i++) {
    walk->at[i] += map->steps[i];
    if (walk->at[i] <= (int64_t)map->dims[i] - 1 + map->upper[i - 1]) return;
    walk->at[i] = map->lower[i - 1];
  }
  walk->at[map->last_dim]++;
}

void tensor_walk_next(const CopiedBox *box, TensorWalk *walk) {
  const TensorMap *map = &box->map;
  walk->row++;
  assert(walk->row <= box->num_rows && "a walk past its end"); // I1
  if (map->is_im2col) {
    next_pixel(box, walk);
    return;
  }
  for (int i = first_dim(map); i <= map->last_dim; i++) {
    walk->at[i] += map->steps[i];
    if (++walk->count[i] < count_of(map, i)) return;
    walk->count[i] = 0;
    walk->at[i] = box->start[i];
  }
}

static uint64_t stride_of(const CopiedBox *box, int dim) {
  return dim ? box->map.strides[dim - 1] : box->row_bytes;
}

TensorRow tensor_walk_row(const CopiedBox *box, const TensorWalk *walk) {
  const TensorMap *map = &box->map;
  const int first = first_dim(map);
  TensorRow row = {.address = map->address};
  for (int i = first; i <= map->last_dim; i++) {
    const int64_t at = walk->at[i] + box->offset[i];
    if (at < 0 || (uint64_t)at >= map->dims[i]) return (TensorRow){0};
    row.address += (uint64_t)at * stride_of(box, i);
  }
  row.bytes = box->row_bytes;
  if (!first) return row;
  const int64_t size = tensor_element_bytes(map);
  const int64_t begin = walk->at[0], end = begin + row.bytes / size;
  const int64_t limit = (int64_t)map->dims[0];
  const int64_t low = begin < 0 ? 0 : begin, high = end < limit ? end : limit;
  if (low >= high) return (TensorRow){0};
  row.address += (uint64_t)(low * size);
  row.skip = (uint32_t)((low - begin) * size);
  row.bytes = (uint32_t)((high - low) * size);
  return row;
}

// -- Telling -----------------------------------------------------------------

typedef struct {
  char *out;
  size_t room, used;
} TextBuffer;

static void add(TextBuffer *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(TextBuffer *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length =
      vsnprintf(text->out + text->used, text->room - text->used, format, args);
  va_end(args);
  text->used += length > 0 ? (size_t)length : 0;
  if (text->used >= text->room) text->used = text->room - 1;
}

static void add_list(TextBuffer *text, const char *name, const int64_t *values,
                     int count) {
  add(text, "%s", name);
  for (int i = 0; i < count; i++)
    add(text, "%s%lld", i ? "," : " ", (long long)values[i]);
}

void tensor_box_describe(const CopiedBox *box, char *out, size_t room) {
  const TensorMap *map = &box->map;
  const int rank = map->last_dim + 1;
  int64_t dims[TENSOR_DIMS], strides[TENSOR_DIMS], sizes[TENSOR_DIMS];
  for (int i = 0; i < rank; i++) {
    dims[i] = (int64_t)map->dims[i];
    strides[i] = i ? (int64_t)map->strides[i - 1] : 0;
    sizes[i] = map->box[i];
  }
  const int64_t columns[] = {map->channels, map->pixels};
  TextBuffer text = {out, room, 0};
  add_list(&text, "coordinates", box->start, rank);
  add(&text, " of a map of %s at 0x%llx,", tensor_type(map->type)->name,
      (unsigned long long)map->address);
  add_list(&text, " dimensions", dims, rank);
  if (rank > 1) add_list(&text, ", strides", strides + 1, rank - 1);
  if (map->is_im2col)
    add_list(&text, ", channels and pixels", columns, 2);
  else
    add_list(&text, ", box", sizes, rank);
}
