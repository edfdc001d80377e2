// context.c -- contexts, and the current contexts of a thread.
//
// The stack of a thread holds handles, so that a context which another thread
// has destroyed is noticed.
#include "runtime/simulator/driver/driver.h"

enum { MOST_CURRENT = 256 };

static _Thread_local struct {
  CUcontext stack[MOST_CURRENT];
  int depth;
} contexts;

static Context *find_context(CUcontext handle) {
  return handle_find(&sim_driver.handles, HANDLE_CONTEXT, handle);
}

static CUcontext current(void) {
  return contexts.depth ? contexts.stack[contexts.depth - 1] : NULL;
}

CUresult context_check(Context **context) {
  if (!contexts.depth) return CUDA_ERROR_INVALID_CONTEXT;
  *context = find_context(current());
  if (!*context || !(*context)->is_alive)
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return (*context)->sticky;
}

// The context of a handle, even if it has an error.
static CUresult named_context(CUcontext handle, Context **context) {
  *context = find_context(handle);
  if (!*context) return CUDA_ERROR_INVALID_CONTEXT;
  return (*context)->is_alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// -- The primary context -----------------------------------------------------

static void give_life(Context *context, unsigned flags) {
  context->number = ++sim_driver.num_contexts;
  context->flags = flags;
  context->is_alive = true;
  limits_reset(context);
  heap_open(&context->heap, context->limits[LIMIT_HEAP]);
}

CUresult locked_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  Context *primary = sim_driver.primary;
  if (!primary->is_alive) give_life(primary, primary->flags);
  primary->references++;
  *context = primary->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  const CUresult error = device_check(device);
  Context *primary = sim_driver.primary;
  if (error) return error;
  if (!primary->references) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary->references == 0 && primary->is_alive) context_clear(primary);
  return CUDA_SUCCESS;
}

// A reset keeps all references.
CUresult locked_cuDevicePrimaryCtxReset_v2(CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (sim_driver.primary->is_alive) context_clear(sim_driver.primary);
  return CUDA_SUCCESS;
}

// Flags say how to wait (one of four ways), whether to map host memory, to
// resize local memory, to dump cores, to synchronise copies.
bool context_flags_are_right(unsigned flags) {
  enum { SCHEDULING = 7, BLOCKING = 4, ALL = 0xff };
  const unsigned scheduling = flags & SCHEDULING;
  return flags <= ALL &&
         (scheduling <= BLOCKING && (scheduling & (scheduling - 1)) == 0);
}

CUresult locked_cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!context_flags_are_right(flags)) return CUDA_ERROR_INVALID_VALUE;
  sim_driver.primary->flags = flags;
  return CUDA_SUCCESS;
}

CUresult locked_cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                           int *active) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  *flags = sim_driver.primary->flags;
  *active = sim_driver.primary->is_alive;
  return CUDA_SUCCESS;
}

// -- Current contexts --------------------------------------------------------

CUresult locked_cuCtxPushCurrent_v2(CUcontext handle) {
  Context *context;
  const CUresult error = named_context(handle, &context);
  if (error) return error;
  if (contexts.depth >= MOST_CURRENT) return CUDA_ERROR_OUT_OF_MEMORY;
  contexts.stack[contexts.depth++] = handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxPopCurrent_v2(CUcontext *context) {
  if (!contexts.depth) return CUDA_ERROR_INVALID_CONTEXT;
  contexts.depth--;
  if (context) *context = contexts.stack[contexts.depth];
  return CUDA_SUCCESS;
}

// Replaces the top of the stack; NULL removes it.
CUresult locked_cuCtxSetCurrent(CUcontext handle) {
  Context *context;
  const CUresult error = handle ? named_context(handle, &context) : 0;
  if (error) return error;
  if (contexts.depth) contexts.depth--;
  return handle ? locked_cuCtxPushCurrent_v2(handle) : CUDA_SUCCESS;
}

CUresult locked_cuCtxGetCurrent(CUcontext *context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current();
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxGetDevice(CUdevice *device) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult locked_cuCtxSynchronize(void) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : take_error(context);
}

// -- Contexts of the program's own -------------------------------------------

static CUresult create(CUcontext *out, unsigned flags) {
  if (!out || !context_flags_are_right(flags)) return CUDA_ERROR_INVALID_VALUE;
  Context *context = object_create(HANDLE_CONTEXT, sizeof *context, NULL);
  if (!context) return CUDA_ERROR_OUT_OF_MEMORY;
  give_life(context, flags);
  const CUresult error = locked_cuCtxPushCurrent_v2(context->object.handle);
  if (error) {
    object_destroy(&context->object);
    return error;
  }
  *out = context->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuCtxCreate_v2(CUcontext *context, unsigned flags,
                               CUdevice device) {
  const CUresult error = device_check(device);
  return error ? error : create(context, flags);
}

CUresult locked_cuCtxCreate_v4(CUcontext *context, void *params, unsigned flags,
                               CUdevice device) {
  // CUctxCreateParams: affinities and their number, then graphics sharing.
  const struct {
    const void *affinities;
    int count;
    const void *graphics;
  } *wishes = params;
  if (wishes && (wishes->count || wishes->graphics))
    return CUDA_ERROR_NOT_SUPPORTED;
  return locked_cuCtxCreate_v2(context, flags, device);
}

CUresult locked_cuCtxDestroy_v2(CUcontext handle) {
  Context *context;
  const CUresult error = named_context(handle, &context);
  if (error || context->is_primary)
    return error ? error : CUDA_ERROR_INVALID_CONTEXT;
  if (current() == handle) contexts.depth--;
  context_clear(context);
  object_destroy(&context->object);
  return CUDA_SUCCESS;
}
