// rt_value.c -- an argument beside what a variant was compiled for.
//
// A variant takes whatever it is right for: an i64 takes a small integer, and
// one without a hint an address that has it.
#include "runtime/rt/rt_value.h"

#include "runtime/compile/compile.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name, *pointer_name;
  int size;
} DtypeInfo;

static const DtypeInfo infos[] = {
    [TILE_DTYPE_NONE] = {"none", "*none", 0},
#define DTYPE(dtype, name, size, elem) [TILE_##dtype] = {name, "*" name, size},
#define DTYPE_ALIAS(name, dtype)
#include "runtime/compile/elements.def"
};
enum { NUM_DTYPES = sizeof infos / sizeof *infos };

static const DtypeInfo *info_of(TileDtype dtype) {
  return &infos[(size_t)dtype < NUM_DTYPES ? dtype : TILE_DTYPE_NONE];
}

// -- Numbers -----------------------------------------------------------------

static bool is_integer(const TileArg *a) {
  return a->kind == TILE_ARG_INT || a->kind == TILE_ARG_BOOL ||
         a->kind == TILE_ARG_UINT;
}

// Does an integer of that type hold it?
static bool holds(TileDtype dtype, const TileArg *a) {
  const int bits = info_of(dtype)->size * 8;
  const bool is_unsigned = dtype >= TILE_UINT8 && dtype <= TILE_UINT64;
  if (a->kind == TILE_ARG_UINT && a->as.u > INT64_MAX)
    return dtype == TILE_UINT64;
  const int64_t value = a->as.i;
  if (dtype == TILE_BOOL) return value == 0 || value == 1;
  if (is_unsigned) return value >= 0 && (bits == 64 || !(value >> bits));
  return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) &&
                        value < INT64_C(1) << (bits - 1));
}

// Rounded to a float of these bits, to the nearest, ties to even.
static uint64_t narrow(double value, int exponent_bits, int fraction_bits) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint64_t sign = bits >> 63 << (exponent_bits + fraction_bits);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (int)(bits >> 52 & 0x7FF) - 1023 + bias;
  const uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 1024 + bias)
    return sign | top << fraction_bits |
           (fraction ? UINT64_C(1) << (fraction_bits - 1) : 0);
  fraction |= UINT64_C(1) << 52;
  const int shift = 52 - fraction_bits + (exponent < 1 ? 1 - exponent : 0);
  if (shift > 54) return sign;
  const uint64_t half = UINT64_C(1) << (shift - 1);
  const uint64_t odd = fraction >> shift & 1;
  uint64_t rounded = (fraction + half - 1 + odd) >> shift;
  if (exponent > 1) rounded += (uint64_t)(exponent - 1) << fraction_bits;
  return sign |
         (rounded < top << fraction_bits ? rounded : top << fraction_bits);
}

static uint64_t encode_float(TileDtype dtype, double value) {
  const float narrowed = (float)value;
  uint64_t bits = 0;
  switch (dtype) {
  case TILE_FP16: return narrow(value, 5, 10);
  case TILE_BF16: return narrow(value, 8, 7);
  case TILE_FP32: memcpy(&bits, &narrowed, sizeof narrowed); return bits;
  default: memcpy(&bits, &value, sizeof value); return bits;
  }
}

static double number_of(const TileArg *a) {
  return a->kind == TILE_ARG_FLOAT                         ? a->as.f
         : a->kind == TILE_ARG_UINT && a->as.u > INT64_MAX ? (double)a->as.u
                                                           : (double)a->as.i;
}

uint64_t rt_encode(const PackSpec *spec, const TileArg *a) {
  if (!a) return 0;
  if (spec->kind == PACK_POINTER) return (uint64_t)(uintptr_t)a->as.pointer;
  if (element_is_float(spec->dtype))
    return encode_float(spec->dtype, number_of(a));
  return a->as.u;
}

// -- Matching ----------------------------------------------------------------

// A known type is worth less than any known hint or constant.
enum { KNOWN = 2, USUAL_TYPE = 1 };

static int match_hint(const PackSpec *spec, uint64_t value) {
  if (!spec->divisibility) return 0;
  return value % (uint64_t)spec->divisibility ? NO_MATCH : KNOWN;
}

static int match_pointer(const PackSpec *spec, const TileArg *a) {
  if (a->kind != TILE_ARG_POINTER) return NO_MATCH;
  if (a->dtype && a->dtype != spec->dtype) return NO_MATCH;
  const uint64_t address = (uint64_t)(uintptr_t)a->as.pointer;
  if (address % (uint64_t)info_of(spec->dtype)->size) return NO_MATCH;
  return match_hint(spec, address);
}

static TileDtype usual_type(const PackParam *param, const TileArg *a) {
  if (a->dtype) return a->dtype;
  if (param->dtype && !param->is_pointer) return param->dtype;
  if (a->kind == TILE_ARG_FLOAT) return TILE_FP32;
  if (a->kind == TILE_ARG_BOOL) return TILE_BOOL;
  if (a->kind == TILE_ARG_UINT && a->as.u > INT64_MAX) return TILE_UINT64;
  return holds(TILE_INT32, a) ? TILE_INT32 : TILE_INT64;
}

static int match_number(const PackParam *param, const PackSpec *spec,
                        const TileArg *a) {
  const int usual = usual_type(param, a) == spec->dtype ? USUAL_TYPE : 0;
  if (a->dtype && !usual) return NO_MATCH;
  if (element_is_float(spec->dtype)) {
    const bool has_code = spec->dtype >= TILE_FP16 && spec->dtype <= TILE_FP64;
    return has_code && (is_integer(a) || a->kind == TILE_ARG_FLOAT) ? usual
                                                                    : NO_MATCH;
  }
  if (!is_integer(a) || !holds(spec->dtype, a)) return NO_MATCH;
  const int hint = match_hint(spec, a->as.u);
  return hint == NO_MATCH ? NO_MATCH : hint + usual;
}

static bool same_text(const PackSpec *spec, const TileArg *a) {
  switch (a->kind) {
  case TILE_ARG_STRING:
  case TILE_ARG_FUNCTION:
    return a->as.string && !strcmp(a->as.string, spec->text);
  case TILE_ARG_DTYPE: return !strcmp(info_of(a->dtype)->name, spec->text);
  case TILE_ARG_POINTER_DTYPE:
    return !strcmp(info_of(a->dtype)->pointer_name, spec->text);
  default: return false;
  }
}

static bool same_constant(const PackSpec *spec, const TileArg *a) {
  switch (spec->kind) {
  case PACK_NONE: return a->kind == TILE_ARG_NONE;
  case PACK_BOOL:
  case PACK_INT:
    return is_integer(a) && holds(TILE_INT64, a) && a->as.i == spec->i;
  case PACK_FLOAT:
    return (is_integer(a) || a->kind == TILE_ARG_FLOAT) &&
           number_of(a) == spec->f;
  default: return same_text(spec, a);
  }
}

int rt_match(const PackParam *param, const PackSpec *spec, const TileArg *a) {
  const bool is_given = a && a->kind != TILE_ARG_DEFAULT;
  const bool is_constant =
      spec->kind != PACK_POINTER && spec->kind != PACK_NUMBER;
  // A default of the kernel's own is no constant of the variant's.
  if (!is_given)
    return spec->kind == PACK_ABSENT || (is_constant && !param->has_default)
               ? 0
               : NO_MATCH;
  if (a->kind == TILE_ARG_CONSTANT) a = a->as.constant;
  if (!a || spec->kind == PACK_ABSENT) return NO_MATCH;
  if (spec->kind == PACK_POINTER) return match_pointer(spec, a);
  if (spec->kind == PACK_NUMBER) return match_number(param, spec, a);
  return same_constant(spec, a) ? KNOWN : NO_MATCH;
}

// -- Showing -----------------------------------------------------------------

void rt_show_spec(const PackSpec *spec, char *out, size_t size) {
  const DtypeInfo *info = info_of(spec->dtype);
  char hint[16] = "";
  if (spec->divisibility)
    snprintf(hint, sizeof hint, ":%d", spec->divisibility);
  switch (spec->kind) {
  case PACK_ABSENT: snprintf(out, size, "default"); return;
  case PACK_POINTER:
    snprintf(out, size, "%s%s", info->pointer_name, hint);
    return;
  case PACK_NUMBER: snprintf(out, size, "%s%s", info->name, hint); return;
  case PACK_NONE: snprintf(out, size, "None"); return;
  case PACK_BOOL: snprintf(out, size, spec->i ? "True" : "False"); return;
  case PACK_INT: snprintf(out, size, "%lld", (long long)spec->i); return;
  case PACK_FLOAT: snprintf(out, size, "%.9g", spec->f); return;
  case PACK_TEXT: snprintf(out, size, "%s", spec->text); return;
  }
}

// An address by what divides it, a number by its value.
void rt_show_argument(const TileArg *a, char *out, size_t size) {
  const char *name = a ? info_of(a->dtype)->name : "";
  if (a && a->kind == TILE_ARG_CONSTANT) a = a->as.constant;
  if (!a) {
    snprintf(out, size, "nothing");
    return;
  }
  switch (a->kind) {
  case TILE_ARG_POINTER:
    snprintf(out, size, "*%s%s", name,
             (uintptr_t)a->as.pointer % 16 ? "" : ":16");
    return;
  case TILE_ARG_INT:
  case TILE_ARG_BOOL: snprintf(out, size, "%lld", (long long)a->as.i); return;
  case TILE_ARG_UINT:
    snprintf(out, size, "%llu", (unsigned long long)a->as.u);
    return;
  case TILE_ARG_FLOAT: snprintf(out, size, "%.9g", a->as.f); return;
  case TILE_ARG_NONE: snprintf(out, size, "None"); return;
  case TILE_ARG_STRING:
  case TILE_ARG_FUNCTION:
    snprintf(out, size, "%s", a->as.string ? a->as.string : "NULL");
    return;
  case TILE_ARG_DTYPE: snprintf(out, size, "%s", name); return;
  case TILE_ARG_POINTER_DTYPE: snprintf(out, size, "*%s", name); return;
  case TILE_ARG_DEFAULT: snprintf(out, size, "nothing"); return;
  default: snprintf(out, size, "what no pack takes"); return;
  }
}
