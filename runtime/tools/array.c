// array.c -- elements, and generated inputs.
#include "runtime/tools/array.h"

#include "ir/base/base.h"
#include "ir/number.h"
#include "runtime/compile/compile.h"
#include "runtime/tools/parts/parts.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Elements ----------------------------------------------------------------

void array_store(const NpyArray *array, uint64_t index, uint64_t bits) {
  const size_t size = tile_dtype_size(array->dtype);
  assert(index < array->count && size <= sizeof bits); // I1
  // Little-endian: the low bytes come first.
  memcpy((char *)(uintptr_t)array->data + index * size, &bits, size);
}

uint64_t array_bits(const NpyArray *array, uint64_t index) {
  const size_t size = tile_dtype_size(array->dtype);
  uint64_t bits = 0;
  assert(index < array->count && size <= sizeof bits); // I1
  memcpy(&bits, (const char *)array->data + index * size, size);
  return bits;
}

int64_t array_integer(const NpyArray *array, uint64_t index) {
  return int_wrap((int64_t)array_bits(array, index), element_ir(array->dtype));
}

double array_value(const NpyArray *array, uint64_t index) {
  const uint64_t bits = array_bits(array, index);
  if (element_is_float(array->dtype)) return element_decode(array->dtype, bits);
  if (element_is_unsigned(array->dtype)) return (double)bits;
  return (double)array_integer(array, index);
}

// -- Random numbers ----------------------------------------------------------

static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static double next_uniform(uint64_t *state) {
  return (double)(next_random(state) >> 11) * 0x1p-53;
}

static double next_normal(uint64_t *state) {
  const double radius = sqrt(-2 * log(1 - next_uniform(state)));
  return radius * cos(6.283185307179586 * next_uniform(state));
}

// -- Generators --------------------------------------------------------------

typedef enum {
#define GENERATOR(id, name) id,
#include "runtime/tools/words.def"
  NUM_KINDS
} ArrayKind;
static const char *const kind_names[NUM_KINDS] = {
#define GENERATOR(id, name) name,
#include "runtime/tools/words.def"
};

typedef struct {
  ArrayKind kind;
  double value;    // of FULL
  uint64_t bits;   // of FULL, if is_integer
  bool is_integer; // FULL has a 64-bit integer
  uint64_t random;
} Generator;

static double generate(Generator *from, TileDtype dtype, uint64_t index) {
  const bool is_float = element_is_float(dtype);
  switch (from->kind) {
  case RAND:
    if (is_float) return next_uniform(&from->random);
    return floor(next_uniform(&from->random) * (dtype == TILE_BOOL ? 2 : 100));
  case RANDN:
    if (is_float) return next_normal(&from->random);
    return rint(next_normal(&from->random));
  case ARANGE: return (double)index;
  case FULL: return from->value;
  default: return 0;
  }
}

static uint64_t generate_bits(Generator *from, TileDtype dtype,
                              uint64_t index) {
  if (from->kind == EMPTY) return poison_bits(dtype, POISON);
  if (from->is_integer && !element_is_float(dtype)) return from->bits;
  return element_of_number(dtype, generate(from, dtype, index));
}

static void fill(Generator *from, const NpyArray *out) {
  for (uint64_t i = 0; i < out->count; i++)
    array_store(out, i, generate_bits(from, out->dtype, i));
}

// -- Their notation ----------------------------------------------------------

static bool parse_kind(const char **text, Generator *out) {
  for (int i = 0; i < NUM_KINDS; i++) {
    const size_t length = strlen(kind_names[i]);
    if (strncmp(*text, kind_names[i], length)) continue;
    const char next = (*text)[length];
    if (next != (i == FULL ? '(' : ':')) continue;
    out->kind = (ArrayKind)i;
    *text += length;
    return true;
  }
  return false;
}

// Parses an integer, since a double would lose the last bits of 64.
static void parse_integer(const char *text, const char *end, Generator *out) {
  char *stop;
  errno = 0;
  out->bits = out->value < 0 ? (uint64_t)strtoll(text, &stop, 10)
                             : strtoull(text, &stop, 10);
  out->is_integer = stop == end && !errno;
}

// Parses `2**3`, behind the bracket; returns its end, or NULL.
static const char *parse_sum(const char *text, Generator *out) {
  Arithmetic a = {.at = text};
  const WideNumber value = arithmetic_sum(&a);
  out->value = value.is_float ? value.f : (double)value.i;
  out->is_integer = !value.is_float;
  out->bits = (uint64_t)value.i;
  return arithmetic_failed(&a) ? NULL : a.at + strspn(a.at, " ");
}

static bool parse_value(const char **text, Generator *out) {
  if (out->kind != FULL) return *(*text)++ == ':';
  const char *begin = *text + 1, *at;
  char *end;
  out->value = strtod(begin, &end);
  const bool is_literal = end != begin && *end == ')';
  if (is_literal) parse_integer(begin, end, out);
  at = is_literal ? end : parse_sum(begin, out);
  if (!at || at[0] != ')' || at[1] != ':') return false;
  *text = at + 2;
  return true;
}

static bool parse_shape(const char *text, NpyArray *out) {
  out->rank = 0;
  out->count = 1;
  if (*text++ != '[') return false;
  if (*text == ']') return !text[1]; // a scalar
  for (;;) {
    const char *end;
    int64_t signed_size;
    if (out->rank == NPY_MAX_RANK ||
        !arithmetic_integer(text, &end, &signed_size) || signed_size < 0)
      return false;
    const uint64_t size = (uint64_t)signed_size;
    if (size && out->count > UINT64_MAX / 16 / size) return false;
    out->shape[out->rank++] = size;
    out->count *= size;
    text = end + 1;
    if (*end == ']') return !*text;
    if (*end != 'x' && *end != ',') return false;
  }
}

// Whether the value fits the type: full(2.5) is no integer, full(300) no int8.
static bool fits(const Generator *from, TileDtype dtype) {
  if (from->kind != FULL || element_is_float(dtype)) return true;
  const double value = from->value;
  if (value != floor(value)) return false;
  if (dtype == TILE_UINT64)
    return value >= 0 && (from->is_integer || value < 0x1p64);
  if (from->is_integer && value >= 0 && from->bits > INT64_MAX) return false;
  if (from->is_integer) return element_holds(dtype, (int64_t)from->bits);
  return fabs(value) <= 0x1p63 && value < 0x1p63 &&
         element_holds(dtype, (int64_t)value);
}

static bool parse(const char *text, Generator *from, NpyArray *out) {
  if (!parse_kind(&text, from) || !parse_value(&text, from)) return false;
  const size_t length = strcspn(text, "[");
  out->dtype = element_find(text, length);
  return out->dtype && fits(from, out->dtype) &&
         parse_shape(text + length, out);
}

bool array_is_generator(const char *text) {
  Generator ignored;
  return parse_kind(&text, &ignored) || array_like(text);
}

const char *array_like(const char *text) {
  Generator from;
  if (!strncmp(text, "like:", 5)) return text + 5;
  if (!parse_kind(&text, &from) || !parse_value(&text, &from)) return NULL;
  return strncmp(text, "like:", 5) ? NULL : text + 5;
}

const char *array_expand_like(Arena *arena, const char *text,
                              const NpyArray *like) {
  Str out = str_in(arena);
  const size_t before = (size_t)(array_like(text) - text) - strlen("like:");
  str_add(&out, before ? "" : "empty:");
  str_add_bytes(&out, text, before);
  array_add_type(&out, like);
  return str_text(&out);
}

bool array_is_empty(const char *text) {
  Generator from;
  return parse_kind(&text, &from) && from.kind == EMPTY;
}

bool array_generate(Arena *arena, const char *text, const char *name,
                    uint64_t seed, NpyArray *out, char *why, size_t why_size) {
  Generator from = {.random = hash_bytes(name, strlen(name), seed)};
  if (!parse(text, &from, out)) {
    snprintf(why, why_size,
             "'%s' makes no sense; write for example 'rand:fp32[64x128]'",
             text);
    return false;
  }
  out->data =
      arena_alloc(arena, (size_t)out->count, tile_dtype_size(out->dtype), 8);
  fill(&from, out);
  return true;
}

// -- Poison ------------------------------------------------------------------

// Signalling NaNs, which operations only make quiet; for 8-bit floats a NaN
// that conversions do not produce.  Integers are negative, so that loops up to
// one end at once.
uint64_t poison_bits(TileDtype dtype, PoisonKind kind) {
  const bool other = kind == OTHER_POISON;
  switch (dtype) {
  case TILE_FP8E5: return other ? 0xfd : 0x7d;
  case TILE_FP8E4NV: return other ? 0x7f : 0xff;
  case TILE_FP16: return other ? 0x7dad : 0x7dea;
  case TILE_BF16: return other ? 0x7f9e : 0x7fad;
  case TILE_FP32: return other ? 0x7f9eadbe : 0x7fadbea7;
  case TILE_FP64:
    return other ? UINT64_C(0x7ff29eadbeefbea7) : UINT64_C(0x7ff4deaddeadbea7);
  case TILE_BOOL: return !other;
  default:
    return (other ? UINT64_C(0x9696969696969696)
                  : UINT64_C(0xa5a5a5a5a5a5a5a5)) >>
           (64 - 8 * tile_dtype_size(dtype));
  }
}

bool poison_is_certain(TileDtype dtype) {
  return element_is_float(dtype) && tile_dtype_size(dtype) > 1;
}

bool poison_is_at(const NpyArray *array, uint64_t index) {
  return array_bits(array, index) == poison_bits(array->dtype, POISON);
}

Poisoned poison_find(const NpyArray *array, const NpyArray *again) {
  const uint64_t other = poison_bits(array->dtype, OTHER_POISON);
  Poisoned result = {0};
  assert(!again ||
         (again->count == array->count && again->dtype == array->dtype)); // I4
  for (uint64_t i = 0; i < array->count; i++) {
    if (!poison_is_at(array, i)) continue;
    if (again && array_bits(again, i) != other) continue;
    if (!result.count++) result.first = i;
  }
  return result;
}
