// limit.c -- the limits of a context.
#include "runtime/simulator/driver/driver.h"

static const size_t usual[NUM_LIMITS] = {
    [LIMIT_STACK] = 1024,      [LIMIT_PRINTF] = 1 << 20, [LIMIT_HEAP] = 8 << 20,
    [LIMIT_SYNC_DEPTH] = 2,    [LIMIT_LAUNCHES] = 2048,  [LIMIT_L2_FETCH] = 64,
    [LIMIT_L2_PERSISTING] = 0,
};

void limits_reset(Context *context) {
  for (int i = 0; i < NUM_LIMITS; i++) context->limits[i] = usual[i];
}

static bool is_known(int limit) {
  const int major = sim_driver.device.chip->major;
  return limit >= 0 && limit < NUM_LIMITS &&
         (limit != LIMIT_SYNC_DEPTH || major < 9) &&
         (limit != LIMIT_L2_PERSISTING || major >= 8);
}

// Clamps to the hardware's limits.
static size_t clamp(int limit, size_t value) {
  enum { MOST_STACK = 512 * 1024, STACK_UNIT = 16, MOST_FETCH = 128 };
  const size_t l2 = (size_t)sim_driver.device.chip->l2_mb << 20;
  switch (limit) {
  case LIMIT_STACK:
    value = value > MOST_STACK ? MOST_STACK : value;
    return (value + STACK_UNIT - 1) / STACK_UNIT * STACK_UNIT;
  case LIMIT_L2_FETCH: return value > MOST_FETCH ? MOST_FETCH : value;
  case LIMIT_L2_PERSISTING: return value > l2 ? l2 : value;
  default: return value;
  }
}

// The heap's size is fixed at its first use.
static CUresult set_limit(Context *context, int limit, size_t value) {
  if (!is_known(limit)) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  if (limit == LIMIT_HEAP) {
    if (context->heap.start) return CUDA_ERROR_INVALID_VALUE;
    if (value > sim_driver.device.memory.limit) return CUDA_ERROR_OUT_OF_MEMORY;
    context->heap.limit = value;
  }
  context->limits[limit] = clamp(limit, value);
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxSetLimit(int limit, size_t value) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : set_limit(context, limit, value);
}

CUresult locked_cuCtxGetLimit(size_t *value, int limit) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (!is_known(limit)) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = context->limits[limit];
  return CUDA_SUCCESS;
}
