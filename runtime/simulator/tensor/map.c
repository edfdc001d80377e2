// map.c -- the valid tensor maps.
//
// The rules are those of cuda.h for cuTensorMapEncodeTiled() and
// cuTensorMapEncodeIm2col(), for sm_90.  The address may be 0, as with drivers
// from CUDA 12.6 on: the kernel replaces it.
//
// For example, a map of f32 with rows of 10, 64 bytes apart, and a boxDim[0] of
// 8 is valid.  A boxDim[0] of 3 has 12 bytes, and is refused, as are rows 40
// bytes apart: both must be multiples of 16.  With a swizzle of 32 bytes, a
// boxDim[0] of 16, 64 bytes, is refused.
#include "runtime/simulator/tensor/map.h"

#include <stdio.h>

enum { UNIT = 16 }; // divides addresses, strides and rows
enum { MOST_BOX = 256, MOST_STEP = 8, MOST_PIXELS = 1024, LEAST_RANK = 3 };
static const uint64_t most_dim = UINT64_C(1) << 32;
static const uint64_t strides_end = UINT64_C(1) << 40;

static const TensorType types[] = {
#define TENSOR_TYPE(number, host, name, type, does)                            \
  [number] = {name, host, TYPE_##type, does},
#include "runtime/simulator/tensor/types.def"
};

enum { NUM_TENSOR_TYPES = sizeof types / sizeof *types };

const TensorType *tensor_type(uint8_t number) {
  return number < NUM_TENSOR_TYPES ? &types[number] : NULL;
}

int tensor_type_of_host(int host) {
  for (int i = 0; i < NUM_TENSOR_TYPES; i++)
    if (types[i].host == host) return i;
  return -1;
}

typedef struct {
  char *wrong;
  size_t room;
} MapCheck;

static bool refuse(const MapCheck *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const MapCheck *check, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(check->wrong, check->room, format, args);
  va_end(args);
  return false;
}

static bool within(const MapCheck *check, const char *name, int index,
                   uint64_t value, uint64_t most) {
  return (value && value <= most) ||
         refuse(check, "%s[%d] is %llu, not 1 to %llu", name, index,
                (unsigned long long)value, (unsigned long long)most);
}

static bool modes_fit(const MapCheck *check, const TensorMap *map) {
  if (map->interleave > INTERLEAVE_32B)
    return refuse(check, "interleave is %u", map->interleave);
  if (map->swizzle > SWIZZLE_128B)
    return refuse(check, "swizzle is %u", map->swizzle);
  if (map->is_im2col > 1) return refuse(check, "mode is %u", map->is_im2col);
  if (map->fill > FILL_NAN) return refuse(check, "oobFill is %u", map->fill);
  if (map->interleave == INTERLEAVE_32B && map->swizzle != SWIZZLE_32B)
    return refuse(check, "interleave 32B wants swizzle 32B");
  const uint8_t type = tensor_type(map->type)->type;
  return !map->fill || type_table[type].class == CLASS_FLOAT ||
         refuse(check, "oobFill is NaN, and elements are no floats");
}

static bool place_fits(const MapCheck *check, const TensorMap *map) {
  const uint32_t unit = map->interleave == INTERLEAVE_32B ? 2 * UNIT : UNIT;
  if (map->address % unit)
    return refuse(check, "globalAddress is 0x%llx, no multiple of %u",
                  (unsigned long long)map->address, unit);
  for (int i = 0; i <= map->last_dim; i++)
    if (!within(check, "globalDim", i, map->dims[i], most_dim)) return false;
  for (int i = 0; i < map->last_dim; i++) {
    const unsigned long long stride = map->strides[i];
    if (stride % unit || stride >= strides_end)
      return refuse(check,
                    "globalStrides[%d] is %llu, no multiple of %u below 2^40",
                    i, stride, unit);
  }
  return true;
}

// The first step counts only if channels are interleaved.
static bool steps_fit(const MapCheck *check, const TensorMap *map) {
  for (int i = map->interleave ? 0 : 1; i <= map->last_dim; i++)
    if (!within(check, "elementStrides", i, map->steps[i], MOST_STEP))
      return false;
  return true;
}

static bool box_fits(const MapCheck *check, const TensorMap *map) {
  for (int i = 0; i <= map->last_dim; i++)
    if (!within(check, "boxDim", i, map->box[i], MOST_BOX)) return false;
  return true;
}

static bool corners_fit(const MapCheck *check, const TensorMap *map) {
  const int count = map->last_dim - 1;
  const int bits = count == 1 ? 16 : count == 2 ? 8 : 5;
  const int least = -(1 << (bits - 1)), most = (1 << (bits - 1)) - 1;
  for (int i = 0; i < count; i++) {
    const int lower = map->lower[i], upper = map->upper[i];
    if (lower < least || lower > most || upper < least || upper > most)
      return refuse(check, "corners %d and %d in dimension %d, not %d to %d",
                    lower, upper, i + 1, least, most);
    if ((int64_t)map->dims[i + 1] - 1 + upper < lower)
      return refuse(check, "corners %d and %d leave nothing of dimension %d",
                    lower, upper, i + 1);
  }
  return true;
}

static bool pixels_fit(const MapCheck *check, const TensorMap *map) {
  if (map->last_dim + 1 < LEAST_RANK)
    return refuse(check, "tensorRank is %u; im2col wants 3 to 5",
                  map->last_dim + 1u);
  if (!map->channels || map->channels > MOST_BOX)
    return refuse(check, "channelsPerPixel is %u, not 1 to %d", map->channels,
                  MOST_BOX);
  if (!map->pixels || map->pixels > MOST_PIXELS)
    return refuse(check, "pixelsPerColumn is %u, not 1 to %d", map->pixels,
                  MOST_PIXELS);
  return corners_fit(check, map);
}

static bool row_fits(const MapCheck *check, const TensorMap *map) {
  if (map->interleave) return true;
  const uint32_t bytes = tensor_row_bytes(map), span = tensor_span(map);
  const char *name = map->is_im2col ? "channelsPerPixel" : "boxDim[0]";
  if (bytes % UNIT)
    return refuse(check, "%s has %u bytes, no multiple of %d", name, bytes,
                  UNIT);
  return !span || bytes <= span ||
         refuse(check, "%s has %u bytes, more than swizzle %uB", name, bytes,
                span);
}

bool tensor_map_check(const TensorMap *map, char *wrong, size_t room) {
  const MapCheck check = {wrong, room};
  if (map->last_dim >= TENSOR_DIMS)
    return refuse(&check, "tensorRank is %u, not 1 to %d", map->last_dim + 1u,
                  TENSOR_DIMS);
  if (!tensor_type(map->type))
    return refuse(&check, "tensorDataType is %u", map->type);
  if (map->interleave && map->last_dim + 1 < LEAST_RANK)
    return refuse(&check, "tensorRank is %u; interleave wants %d to %d",
                  map->last_dim + 1u, LEAST_RANK, TENSOR_DIMS);
  return modes_fit(&check, map) && place_fits(&check, map) &&
         (map->is_im2col ? pixels_fit(&check, map) : box_fits(&check, map)) &&
         steps_fit(&check, map) && row_fits(&check, map);
}
