// element.c -- element types, from elements.def.
#include "runtime/compile/element.h"

#include "ir/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct {
  const char *name, *pointer_name;
  size_t size;
  Elem elem;
} ElementInfo;

static const ElementInfo infos[] = {
    [TILE_DTYPE_NONE] = {"none", "*none", 0, ELEM_COUNT},
#define DTYPE(dtype, name, size, elem)                                         \
  [TILE_##dtype] = {name, "*" name, size, ELEM_##elem},
#define DTYPE_ALIAS(name, dtype)
#include "runtime/compile/elements.def"
};
enum { NUM_DTYPES = sizeof infos / sizeof *infos };

typedef struct {
  const char *name;
  TileDtype dtype;
} Spelling;

static const Spelling spellings[] = {
#define DTYPE(dtype, name, size, elem) {name, TILE_##dtype},
#define DTYPE_ALIAS(name, dtype)       {name, TILE_##dtype},
#include "runtime/compile/elements.def"
};

static const ElementInfo *info_of(TileDtype dtype) {
  return &infos[(size_t)dtype < NUM_DTYPES ? dtype : TILE_DTYPE_NONE];
}

size_t tile_dtype_size(TileDtype dtype) {
  return info_of(dtype)->size;
}

const char *tile_dtype_name(TileDtype dtype) {
  return info_of(dtype)->name;
}

const char *element_pointer_name(TileDtype dtype) {
  return info_of(dtype)->pointer_name;
}

Elem element_ir(TileDtype dtype) {
  return info_of(dtype)->elem;
}

// Four bits of exponent, three of fraction, no infinity and no NaN: a value
// larger than 1.75 becomes 1.75, and a NaN the positive 1.75, as in kernels'
// conversions.
static uint64_t encode_e4b15(double value) {
  const double size = fabs(value) < 1.75 ? fabs(value) : 1.75;
  const bool negative = signbit(value) && !isnan(value);
  const int exponent = size < 0x1p-14 ? -14 : ilogb(size);
  const double units = floor(ldexp(size, 3 - exponent) + 0.5);
  const uint64_t code = (uint64_t)(8 * (exponent + 14)) + (uint64_t)units;
  assert(code < 1 << 7 && "the magnitude reaches into the sign"); // I8
  return code | (uint64_t)negative << 7;
}

static double decode_e4b15(uint64_t bits) {
  const int exponent = (int)(bits >> 3 & 15);
  const double units = (double)((bits & 7) + (exponent ? 8 : 0));
  const double size = ldexp(units, (exponent ? exponent : 1) - 18);
  return bits & 0x80 ? -size : size;
}

uint64_t element_encode(TileDtype dtype, double value) {
  assert(element_is_float(dtype) && "no float type"); // I8
  if (dtype == TILE_FP8E4B15) return encode_e4b15(value);
  return float_encode(value, element_ir(dtype));
}

uint64_t element_of_number(TileDtype dtype, double value) {
  if (element_is_float(dtype)) return element_encode(dtype, value);
  if (dtype == TILE_BOOL) return value != 0;
  if (element_is_unsigned(dtype) && value >= 0 && value < 0x1p64)
    return (uint64_t)value;
  return fabs(value) < 0x1p63 ? (uint64_t)(int64_t)value : 0;
}

double element_decode(TileDtype dtype, uint64_t bits) {
  if (dtype == TILE_FP8E4B15) return decode_e4b15(bits);
  return float_decode(bits, element_ir(dtype));
}

bool element_is_unsigned(TileDtype dtype) {
  return dtype >= TILE_UINT8 && dtype <= TILE_UINT64;
}

bool element_holds(TileDtype dtype, int64_t value) {
  const int bits = (int)tile_dtype_size(dtype) * 8;
  assert(bits >= 8 && bits <= 64 && "a type without a size"); // I8
  if (dtype == TILE_BOOL) return value == 0 || value == 1;
  if (element_is_unsigned(dtype))
    return value >= 0 && (bits == 64 || value >> bits == 0);
  return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) &&
                        value < INT64_C(1) << (bits - 1));
}

TileDtype element_find(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
    const char *spelling = spellings[i].name;
    if (strlen(spelling) == length && !memcmp(spelling, name, length))
      return spellings[i].dtype;
  }
  return TILE_DTYPE_NONE;
}

static bool skip(const char **text, const char *prefix) {
  const size_t length = strlen(prefix);
  if (strncmp(*text, prefix, length)) return false;
  *text += length;
  return true;
}

static void skip_noise(const char **text) {
  static const char *const noise[] = {
#define DTYPE(dtype, name, size, elem)
#define DTYPE_ALIAS(name, dtype)
#define NOISE(text) text,
#include "runtime/compile/elements.def"
  };
  for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
    if (skip(text, noise[i])) i = (size_t)-1;
  }
}

Annotation annotation_parse(const char *text) {
  Annotation result = {TILE_DTYPE_NONE, false};
  if (!text) return result;
  skip_noise(&text);
  result.is_pointer = skip(&text, "*") || skip(&text, "pointer_type(");
  if (result.is_pointer) skip(&text, "k");
  skip_noise(&text);
  result.dtype = element_find(text, strcspn(text, "\"' )"));
  return result;
}
