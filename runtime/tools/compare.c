// compare.c -- compares results with expected values.
#include "runtime/tools/array.h"

#include "ir/base/base.h"
#include "runtime/compile/compile.h"

#include <assert.h>
#include <math.h>

// The distance of two values; NaN equals NaN, and an infinity itself.
static double distance(double found, double expected) {
  if (isnan(found) || isnan(expected))
    return isnan(found) && isnan(expected) ? 0 : HUGE_VAL;
  if (found == expected) return 0;
  const double error = fabs(found - expected) / (1 + fabs(expected));
  return isnan(error) ? HUGE_VAL : error;
}

// A 64-bit integer of either signedness.
typedef struct {
  bool negative;
  uint64_t size;
} SignedSize;

static SignedSize integer_at(const NpyArray *array, uint64_t index) {
  if (element_is_unsigned(array->dtype))
    return (SignedSize){false, array_bits(array, index)};
  const int64_t value = array_integer(array, index);
  return (SignedSize){value < 0,
                      value < 0 ? -(uint64_t)value : (uint64_t)value};
}

// The exact integer value of an element, even if it is stored as a float.
// Converting both to double would not be exact from 2^53 on.
static bool find_integer(const NpyArray *array, uint64_t index,
                         SignedSize *out) {
  if (!element_is_float(array->dtype)) {
    *out = integer_at(array, index);
    return true;
  }
  const double value = array_value(array, index), size = fabs(value);
  if (!(size < 0x1p64) || size != floor(size)) return false;
  *out = (SignedSize){value < 0, (uint64_t)size};
  return true;
}

// The difference; exact unless the signs differ, when it is large in any case.
static double integer_distance(SignedSize a, SignedSize b) {
  const double scale = 1 + (double)b.size;
  if (a.negative != b.negative)
    return ((double)a.size + (double)b.size) / scale;
  return (double)(a.size > b.size ? a.size - b.size : b.size - a.size) / scale;
}

static double error_at(const NpyArray *found, const NpyArray *expected,
                       uint64_t i) {
  SignedSize a, b;
  if (poison_is_certain(found->dtype) && poison_is_at(found, i))
    return HUGE_VAL;
  if (element_is_float(found->dtype) && element_is_float(expected->dtype))
    return distance(array_value(found, i), array_value(expected, i));
  if (find_integer(found, i, &a) && find_integer(expected, i, &b))
    return integer_distance(a, b);
  return distance(array_value(found, i), array_value(expected, i));
}

Comparison array_compare(const NpyArray *found, const NpyArray *expected,
                         double tolerance) {
  Comparison result = {0};
  assert(found->count == expected->count && "shapes were not compared"); // I4
  for (uint64_t i = 0; i < found->count; i++) {
    const double error = error_at(found, expected, i);
    if (error > result.error) {
      result.error = error;
      result.worst = i;
    }
    if (error <= tolerance) continue;
    result.num_wrong++;
    result.num_unwritten += poison_is_at(found, i);
  }
  assert(result.num_unwritten <= result.num_wrong); // I4
  return result;
}

// -- Reports -----------------------------------------------------------------

const char *array_value_text(Arena *arena, const NpyArray *array,
                             uint64_t index) {
  if (element_is_float(array->dtype))
    return arena_printf(arena, array->dtype == TILE_FP64 ? "%.17g" : "%.9g",
                        array_value(array, index));
  if (element_is_unsigned(array->dtype))
    return arena_printf(arena, "%llu",
                        (unsigned long long)array_bits(array, index));
  return arena_printf(arena, "%lld", (long long)array_integer(array, index));
}

enum { PER_ROW = 8 };

// The number of elements in the row from `index` on, to the end of the last
// dimension.
static uint64_t row_length(const NpyArray *array, uint64_t index) {
  const uint64_t size = array->rank ? array->shape[array->rank - 1] : 1;
  const uint64_t left = size - index % size;
  return left < PER_ROW ? left : PER_ROW;
}

void array_add_type(Str *out, const NpyArray *array) {
  str_addf(out, "%s[", tile_dtype_name(array->dtype));
  for (int i = 0; i < array->rank; i++)
    str_addf(out, i ? "x%llu" : "%llu", (unsigned long long)array->shape[i]);
  str_add_char(out, ']');
}

const char *array_text(Arena *arena, const char *name, const NpyArray *array,
                       uint64_t num_rows) {
  uint64_t i = 0;
  Str out = str_in(arena);
  str_addf(&out, "%s: ", name);
  array_add_type(&out, array);
  str_add_char(&out, '\n');
  for (uint64_t row = 0; row < num_rows && i < array->count; row++) {
    str_addf(&out, "  %s", array_index_text(arena, array, i));
    for (uint64_t end = i + row_length(array, i); i < end; i++)
      str_addf(&out, " %s", array_value_text(arena, array, i));
    str_add_char(&out, '\n');
  }
  if (i < array->count)
    str_addf(&out, "  ... %llu more\n", (unsigned long long)(array->count - i));
  return str_text(&out);
}

const char *array_index_text(Arena *arena, const NpyArray *array,
                             uint64_t index) {
  uint64_t places[NPY_MAX_RANK];
  for (int i = array->rank - 1; i >= 0; i--) {
    places[i] = index % array->shape[i];
    index /= array->shape[i];
  }
  assert(!index && "past the end of the array"); // I1
  Str text = str_in(arena);
  str_add_char(&text, '[');
  for (int i = 0; i < array->rank; i++) {
    str_addf(&text, i ? ", %llu" : "%llu", (unsigned long long)places[i]);
  }
  str_add_char(&text, ']');
  return str_text(&text);
}
