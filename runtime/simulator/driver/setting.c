// setting.c -- what a context is asked and told beside its work.
#include "runtime/simulator/driver/driver.h"

// The context that the handle names; NULL names the current one.
static CUresult named_enter(CUcontext handle, Context **context) {
  const CUresult error = driver_enter();
  if (error) return error;
  if (!handle) return context_check(context);
  *context = handle_find(&sim_driver.handles, HANDLE_CONTEXT, handle);
  if (!*context) return CUDA_ERROR_INVALID_CONTEXT;
  return (*context)->is_alive ? (*context)->sticky
                              : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  Context *context;
  const CUresult error = named_enter(handle, &context);
  return driver_leave(error ? error : take_error(context));
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
  enum { API_VERSION = 3020 };
  Context *context;
  const CUresult error = named_enter(handle, &context);
  if (error) return driver_leave(error);
  if (!version) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *version = API_VERSION;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *number) {
  Context *context;
  const CUresult error = named_enter(handle, &context);
  if (error) return driver_leave(error);
  if (!number) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *number = context->number;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuCtxGetFlags(unsigned *flags) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!flags) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *flags = context->flags;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuCtxSetFlags(unsigned flags) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!context_flags_are_right(flags))
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
  context->flags = flags;
  return driver_leave(CUDA_SUCCESS);
}

// -- Preferences, which change nothing here ----------------------------------

enum { MOST_CACHE_CONFIG = 3, MOST_SHARED_CONFIG = 2 };

CUresult cuCtxGetCacheConfig(int *config) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!config) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *config = context->cache_config;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuCtxSetCacheConfig(int config) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (config < 0 || config > MOST_CACHE_CONFIG)
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
  context->cache_config = config;
  return driver_leave(CUDA_SUCCESS);
}

// Banks have four bytes, whatever one sets.
CUresult cuCtxGetSharedMemConfig(int *config) {
  enum { FOUR_BYTES = 1 };
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!config) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *config = FOUR_BYTES;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuCtxSetSharedMemConfig(int config) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  return driver_leave(config < 0 || config > MOST_SHARED_CONFIG
                          ? CUDA_ERROR_INVALID_VALUE
                          : CUDA_SUCCESS);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (least) *least = LEAST_PRIORITY;
  if (greatest) *greatest = GREATEST_PRIORITY;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuCtxResetPersistingL2Cache(void) {
  Context *context;
  return driver_leave(context_enter(&context));
}

// -- Peers, of which there are none ------------------------------------------

static CUresult refuse_peer(CUcontext peer, CUresult answer) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  const bool known = handle_find(&sim_driver.handles, HANDLE_CONTEXT, peer);
  return driver_leave(known ? answer : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  return refuse_peer(peer, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return refuse_peer(peer, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}
