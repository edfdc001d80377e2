// setting.c -- settings of a context.
#include "runtime/simulator/driver/driver.h"

// The context of the handle; NULL is the current one.
static CUresult named_check(CUcontext handle, Context **context) {
  if (!handle) return context_check(context);
  *context = handle_find(&sim_driver.handles, HANDLE_CONTEXT, handle);
  if (!*context) return CUDA_ERROR_INVALID_CONTEXT;
  return (*context)->is_alive ? (*context)->sticky
                              : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult locked_cuCtxSynchronize_v2(CUcontext handle) {
  Context *context;
  const CUresult error = named_check(handle, &context);
  return error ? error : take_error(context);
}

CUresult locked_cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
  enum { API_VERSION = 3020 };
  Context *context;
  const CUresult error = named_check(handle, &context);
  if (error) return error;
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = API_VERSION;
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxGetId(CUcontext handle, unsigned long long *number) {
  Context *context;
  const CUresult error = named_check(handle, &context);
  if (error) return error;
  if (!number) return CUDA_ERROR_INVALID_VALUE;
  *number = context->number;
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxGetFlags(unsigned *flags) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = context->flags;
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxSetFlags(unsigned flags) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!context_flags_are_right(flags)) return CUDA_ERROR_INVALID_VALUE;
  context->flags = flags;
  return CUDA_SUCCESS;
}

// -- Preferences, which change nothing here ----------------------------------

enum { MOST_CACHE_CONFIG = 3, MOST_SHARED_CONFIG = 2 };

CUresult locked_cuCtxGetCacheConfig(int *config) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = context->cache_config;
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxSetCacheConfig(int config) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (config < 0 || config > MOST_CACHE_CONFIG) return CUDA_ERROR_INVALID_VALUE;
  context->cache_config = config;
  return CUDA_SUCCESS;
}

// Banks always have four bytes.
CUresult locked_cuCtxGetSharedMemConfig(int *config) {
  enum { FOUR_BYTES = 1 };
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = FOUR_BYTES;
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxSetSharedMemConfig(int config) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  return config < 0 || config > MOST_SHARED_CONFIG ? CUDA_ERROR_INVALID_VALUE
                                                   : CUDA_SUCCESS;
}

CUresult locked_cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (least) *least = LEAST_PRIORITY;
  if (greatest) *greatest = GREATEST_PRIORITY;
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxResetPersistingL2Cache(void) {
  Context *context;
  return context_check(&context);
}

// -- Peers, of which there are none ------------------------------------------

static CUresult refuse_peer(CUcontext peer, CUresult answer) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  const bool known = handle_find(&sim_driver.handles, HANDLE_CONTEXT, peer);
  return known ? answer : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult locked_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  return refuse_peer(peer, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

CUresult locked_cuCtxDisablePeerAccess(CUcontext peer) {
  return refuse_peer(peer, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}
