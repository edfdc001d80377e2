// element.c -- element types, from elements.def.
#include "runtime/element.h"

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
#include "runtime/elements.def"
};
enum { NUM_DTYPES = sizeof infos / sizeof *infos };

typedef struct {
  const char *name;
  TileDtype dtype;
} Spelling;

static const Spelling spellings[] = {
#define DTYPE(dtype, name, size, elem) {name, TILE_##dtype},
#define DTYPE_ALIAS(name, dtype)       {name, TILE_##dtype},
#include "runtime/elements.def"
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

bool element_is_float(TileDtype dtype) {
  return dtype >= TILE_FP8E5 && dtype <= TILE_FP64;
}

bool element_is_unsigned(TileDtype dtype) {
  return dtype >= TILE_UINT8 && dtype <= TILE_UINT64;
}

bool element_holds(TileDtype dtype, int64_t value) {
  const int bits = (int)tile_dtype_size(dtype) * 8;
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

// Quotes, spaces and module names say nothing about the type.
static void skip_noise(const char **text) {
  static const char *const noise[] = {"\"",  "'",     " ",         "const ",
                                      "tl.", "core.", "language.", "triton."};
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
