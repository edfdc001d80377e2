// tensor_model.c -- the effect of a copy of a tensor, element by element.
#include "tests/sim/tensor_model.h"

#include <assert.h>
#include <string.h>

size_t model_element_bytes(const TensorCase *c) {
  static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return bytes[c->type];
}

// Interleaved channels that are adjacent.
static size_t slice_bytes(const TensorCase *c) {
  return c->interleave == 1 ? 16 : c->interleave == 2 ? 32 : 0;
}

// From one step of a dimension to the next.
static size_t stride_of(const TensorCase *c, unsigned dim) {
  if (dim) return c->strides[dim - 1];
  return c->interleave ? slice_bytes(c) : model_element_bytes(c);
}

size_t model_tensor_bytes(const TensorCase *c) {
  size_t last = 0;
  for (unsigned i = 0; i < c->rank; i++)
    last += (c->dims[i] - 1) * stride_of(c, i);
  return last + (c->interleave ? slice_bytes(c) : model_element_bytes(c));
}

// Elements of the box along a dimension.
static size_t steps_in(const TensorCase *c, unsigned dim) {
  size_t count = 0;
  const unsigned step = dim || c->interleave ? c->steps[dim] : 1;
  for (unsigned i = 0; i < c->box[dim]; i += step) count++;
  return count;
}

// Elements of a row of the box, and the number of rows.
static size_t row_elements(const TensorCase *c) {
  if (c->interleave) return slice_bytes(c) / model_element_bytes(c);
  return c->channels ? c->channels : steps_in(c, 0);
}

static size_t num_rows(const TensorCase *c) {
  size_t rows = 1;
  if (c->channels) return c->pixels;
  for (unsigned i = c->interleave ? 0 : 1; i < c->rank; i++)
    rows *= steps_in(c, i);
  return rows;
}

size_t model_num_elements(const TensorCase *c) {
  return row_elements(c) * num_rows(c);
}

static size_t pitch_of(const TensorCase *c) {
  static const size_t spans[] = {0, 32, 64, 128};
  const size_t row = row_elements(c) * model_element_bytes(c);
  return row < spans[c->swizzle] ? spans[c->swizzle] : row;
}

size_t model_box_bytes(const TensorCase *c) {
  return model_num_elements(c) * model_element_bytes(c);
}

size_t model_box_room(const TensorCase *c) {
  return num_rows(c) * pitch_of(c);
}

// The manual's tables: which 16 bytes of the source are at each place of a
// line of 128, line by line.
static size_t swizzled(const TensorCase *c, size_t place) {
  static const char *const of_32[] = {"01234567", "10325476"};
  static const char *const of_64[] = {"01234567", "10325476", "23016745",
                                      "32107654"};
  static const char *const of_128[] = {"01234567", "10325476", "23016745",
                                       "32107654", "45670123", "54761032",
                                       "67452301", "76543210"};
  const size_t address = c->start + place, line = address / 128;
  const char *row = c->swizzle == 1   ? of_32[line % 2]
                    : c->swizzle == 2 ? of_64[line % 4]
                    : c->swizzle == 3 ? of_128[line % 8]
                                      : of_32[0];
  const char source = (char)('0' + address / 16 % 8);
  const size_t chunk = (size_t)(strchr(row, source) - row);
  return line * 128 + chunk * 16 + address % 16 - c->start;
}

// -- Pixels ------------------------------------------------------------------

// Finds the pixel `number` behind the one at the coordinates, among the pixels
// at which the filter's base can be, in order, of all images.
static void find_pixel(const TensorCase *c, size_t number, int at[MAX_DIMS]) {
  const unsigned last = c->rank - 1;
  int position[MAX_DIMS];
  size_t from_start = 0;
  bool has_begun = false;
  for (unsigned i = 1; i < last; i++) position[i] = c->lower[i - 1];
  position[last] = 0;
  for (;;) {
    bool is_start = true;
    for (unsigned i = 1; i <= last; i++)
      is_start = is_start && position[i] == c->at[i];
    has_begun = has_begun || is_start;
    if (has_begun && from_start++ == number) break;
    unsigned i = 1;
    for (; i < last; i++) {
      position[i] += (int)c->steps[i];
      if (position[i] < (int)c->dims[i] + c->upper[i - 1]) break;
      position[i] = c->lower[i - 1];
    }
    if (i == last) position[last]++;
    assert(position[last] < 10000 && "the start is no such pixel");
  }
  memcpy(at, position, sizeof position);
  for (unsigned i = 1; i < last; i++) at[i] += (int)c->offsets[i - 1];
}

// -- Elements ----------------------------------------------------------------

ModelPlace model_place(const TensorCase *c, size_t index) {
  const size_t bytes = model_element_bytes(c), each = row_elements(c);
  size_t row = index / each;
  const size_t column = index % each;
  int at[MAX_DIMS] = {0};
  if (c->channels) {
    find_pixel(c, row, at);
    at[0] = c->at[0] + (int)column;
  } else {
    for (unsigned i = c->interleave ? 0 : 1; i < c->rank; i++) {
      at[i] = c->at[i] + (int)(row % steps_in(c, i) * c->steps[i]);
      row /= steps_in(c, i);
    }
    if (!c->interleave) at[0] = c->at[0] + (int)column;
  }
  ModelPlace place = {.is_inside = true};
  for (unsigned i = 0; i < c->rank; i++) {
    place.is_inside =
        place.is_inside && at[i] >= 0 && (uint64_t)at[i] < c->dims[i];
    place.offset += (size_t)at[i] * stride_of(c, i);
  }
  if (c->interleave) place.offset += column * bytes;
  place.place = swizzled(c, index / each * pitch_of(c) + column * bytes);
  return place;
}

void model_load(const TensorCase *c, const uint8_t *tensor, uint8_t *box) {
  const size_t bytes = model_element_bytes(c);
  for (size_t i = 0; i < model_num_elements(c); i++) {
    const ModelPlace place = model_place(c, i);
    if (place.is_inside)
      memcpy(box + place.place, tensor + place.offset, bytes);
    else
      memset(box + place.place, 0, bytes);
  }
}

void model_store(const TensorCase *c, uint8_t *tensor, const uint8_t *box) {
  const size_t bytes = model_element_bytes(c);
  for (size_t i = 0; i < model_num_elements(c); i++) {
    const ModelPlace place = model_place(c, i);
    if (place.is_inside)
      memcpy(tensor + place.offset, box + place.place, bytes);
  }
}
