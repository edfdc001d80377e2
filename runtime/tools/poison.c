// poison.c -- the bits of unwritten elements.
#include "runtime/tools/poison.h"

#include "runtime/compile/compile.h"

#include <assert.h>

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
