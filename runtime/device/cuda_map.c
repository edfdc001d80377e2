// cuda_map.c -- makes tensor maps, by the CUDA driver.
#include "runtime/device/cuda.h"
#include "runtime/device/gpu.h"

#include <assert.h>
#include <string.h>

// If the hardware fills with NaN, the element type must be a float type; in all
// other cases only its size counts.
static CUtensorMapDataType type_of(Elem elem) {
  switch (elem) {
  case ELEM_f16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case ELEM_bf16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case ELEM_f32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  case ELEM_f64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  default: break;
  }
  switch (elem_info[elem].bits) {
  case 16: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case 32: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  case 64: return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  default: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

static CUtensorMapSwizzle swizzle_of(int bytes) {
  switch (bytes) {
  case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
  case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
  case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
  default: return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

// The driver has the innermost dimension first.
typedef struct {
  cuuint64_t sizes[TENSOR_MAX_RANK], strides[TENSOR_MAX_RANK];
  cuuint32_t box[TENSOR_MAX_RANK], steps[TENSOR_MAX_RANK];
} Dimensions;

static void turn(const TensorMapInfo *info, const TensorView *view,
                 Dimensions *out) {
  assert(info->rank > 0 && info->rank <= TENSOR_MAX_RANK); // I10
  for (int i = 0; i < info->rank; i++) {
    const int from = info->rank - 1 - i;
    out->sizes[i] = view->shape[from];
    out->box[i] = info->box[from];
    out->steps[i] = 1;
    if (from) out->strides[i] = view->strides[from - 1];
  }
}

static bool make(const Gpu *gpu, const TensorMapInfo *info,
                 const TensorView *view, CUtensorMap *map, Fault *fault) {
  Dimensions dims;
  turn(info, view, &dims);
  return CALL(gpu, fault, cuTensorMapEncodeTiled, map, type_of(info->elem),
              (cuuint32_t)info->rank, (void *)(uintptr_t)view->base, dims.sizes,
              dims.strides, dims.box, dims.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
              swizzle_of(info->swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
              info->fills_nan
                  ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                  : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

bool cuda_make_map(TileDevice *device, const TensorMapInfo *info,
                   const TensorView *view, TensorMapImage *out, Fault *fault) {
  const Gpu *gpu = device->state;
  CUtensorMap map;
  if (!gpu_enter(gpu, fault)) return false;
  const bool made = make(gpu, info, view, &map, fault);
  if (made) memcpy(out, &map, sizeof *out);
  return gpu_leave(gpu, made, fault);
}
