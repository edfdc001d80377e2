// tensor.c -- encodes tensor maps for the host.
#include <string.h>

#include "runtime/simulator/driver/driver.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/tensor/map.h"

// The fields of both kinds of maps.
typedef struct {
  int type;
  unsigned rank;
  const void *address;
  const uint64_t *dims, *strides;
  const unsigned *steps;
  int interleave, swizzle, promotion, fill;
} TensorMapFields;

static CUresult refuse(const char *call, const char *wrong) {
  report_host(KIND_TENSOR_MAP, "%s: %s", call, wrong);
  return CUDA_ERROR_INVALID_VALUE;
}

// Checks the fields of all maps; NULL: they are valid.
static const char *what_is_wrong(const TensorMapFields *t) {
  enum { MOST_PROMOTION = 3 };
  if (t->rank < 1 || t->rank > TENSOR_DIMS) return "tensorRank is not 1 to 5";
  if (tensor_type_of_host(t->type) < 0)
    return "there is no such tensorDataType, or not on sm_90";
  if (!t->dims || !t->steps || (!t->strides && t->rank > 1))
    return "an array is missing";
  return t->promotion < 0 || t->promotion > MOST_PROMOTION
             ? "there is no such l2Promotion"
             : NULL;
}

static TensorMap make_map(const TensorMapFields *t) {
  TensorMap map = {.address = (uint64_t)(uintptr_t)t->address,
                   .last_dim = (uint8_t)(t->rank - 1),
                   .type = (uint8_t)tensor_type_of_host(t->type),
                   .interleave =
                       (uint8_t)tensor_narrow((unsigned)t->interleave, 255),
                   .swizzle = (uint8_t)tensor_narrow((unsigned)t->swizzle, 255),
                   .fill = (uint8_t)tensor_narrow((unsigned)t->fill, 255)};
  for (unsigned i = 0; i < t->rank; i++) {
    map.dims[i] = t->dims[i];
    map.steps[i] = (uint8_t)tensor_narrow(t->steps[i], UINT8_MAX);
    if (i) map.strides[i - 1] = t->strides[i - 1];
  }
  return map;
}

static CUresult finish_map(void *out, const TensorMap *map, const char *call) {
  char wrong[160];
  if ((uintptr_t)out % TENSOR_MAP_ALIGN)
    return refuse(call, "tensorMap is at no multiple of 64");
  if (!tensor_map_check(map, wrong, sizeof wrong)) return refuse(call, wrong);
  memset(out, 0, TENSOR_MAP_BYTES);
  memcpy(out, map, sizeof *map);
  return CUDA_SUCCESS;
}

static CUresult enter(void) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  return sim_driver.device.chip->major < 9 ? CUDA_ERROR_NOT_SUPPORTED
                                           : CUDA_SUCCESS;
}

static CUresult encode_tiled(void *out, const TensorMapFields *t,
                             const unsigned *box) {
  const char *call = "cuTensorMapEncodeTiled";
  if (!out || !box) return refuse(call, "an array is missing");
  const char *wrong = what_is_wrong(t);
  if (wrong) return refuse(call, wrong);
  TensorMap map = make_map(t);
  for (unsigned i = 0; i < t->rank; i++)
    map.box[i] = tensor_narrow(box[i], UINT16_MAX);
  return finish_map(out, &map, call);
}

CUresult locked_cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
                                       void *address, const uint64_t *dims,
                                       const uint64_t *strides,
                                       const unsigned *box,
                                       const unsigned *steps, int interleave,
                                       int swizzle, int promotion, int fill) {
  const TensorMapFields tensor = {type,      rank,  address,    dims,
                                  strides,   steps, interleave, swizzle,
                                  promotion, fill};
  const CUresult error = enter();
  return error ? error : encode_tiled(map, &tensor, box);
}

typedef struct {
  const int *lower, *upper;
  unsigned channels, pixels;
} Pixels;

static bool is_corner(int value) {
  return value >= INT16_MIN && value <= INT16_MAX;
}

// Corners begin with W, as CUTLASS gives them.
static CUresult encode_im2col(void *out, const TensorMapFields *t,
                              const Pixels *p) {
  const char *call = "cuTensorMapEncodeIm2col";
  if (!out || !p->lower || !p->upper)
    return refuse(call, "an array is missing");
  const char *wrong = what_is_wrong(t);
  if (wrong) return refuse(call, wrong);
  TensorMap map = make_map(t);
  map.is_im2col = true;
  map.channels = tensor_narrow(p->channels, UINT16_MAX);
  map.pixels = tensor_narrow(p->pixels, UINT16_MAX);
  for (unsigned i = 1; i + 1 < t->rank; i++) {
    if (!is_corner(p->lower[i - 1]) || !is_corner(p->upper[i - 1]))
      return refuse(call, "a corner of more than 16 bits");
    map.lower[i - 1] = (int16_t)p->lower[i - 1];
    map.upper[i - 1] = (int16_t)p->upper[i - 1];
  }
  return finish_map(out, &map, call);
}

CUresult locked_cuTensorMapEncodeIm2col(void *map, int type, unsigned rank,
                                        void *address, const uint64_t *dims,
                                        const uint64_t *strides,
                                        const int *lower, const int *upper,
                                        unsigned channels, unsigned pixels,
                                        const unsigned *steps, int interleave,
                                        int swizzle, int promotion, int fill) {
  const TensorMapFields tensor = {type,      rank,  address,    dims,
                                  strides,   steps, interleave, swizzle,
                                  promotion, fill};
  const Pixels box = {lower, upper, channels, pixels};
  const CUresult error = enter();
  return error ? error : encode_im2col(map, &tensor, &box);
}

static CUresult replace_address(void *out, void *address) {
  const char *call = "cuTensorMapReplaceAddress";
  TensorMap map;
  if (!out) return refuse(call, "tensorMap is missing");
  memcpy(&map, out, sizeof map);
  map.address = (uint64_t)(uintptr_t)address;
  return finish_map(out, &map, call);
}

CUresult locked_cuTensorMapReplaceAddress(void *map, void *address) {
  const CUresult error = enter();
  return error ? error : replace_address(map, address);
}
