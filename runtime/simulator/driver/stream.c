// stream.c -- streams.
//
// All work in a stream is done when the call returns, so a stream is always
// idle.
#include "runtime/simulator/driver/driver.h"

static CUresult create_stream(Context *context, CUstream *stream,
                              unsigned flags, int priority) {
  if (!stream || flags > 1) return CUDA_ERROR_INVALID_VALUE;
  Stream *made = object_create(HANDLE_STREAM, sizeof *made, context);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  made->flags = flags;
  made->priority = priority > LEAST_PRIORITY      ? LEAST_PRIORITY
                   : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                  : priority;
  *stream = made->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                           int priority) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : create_stream(context, stream, flags, priority);
}

CUresult locked_cuStreamCreate(CUstream *stream, unsigned flags) {
  return locked_cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult locked_cuStreamDestroy_v2(CUstream stream) {
  Stream *found;
  const CUresult error = object_check(HANDLE_STREAM, stream, &found);
  if (!error) object_destroy(&found->object);
  return error;
}

CUresult locked_cuStreamSynchronize(CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  return error ? error : take_error(context);
}

CUresult locked_cuStreamQuery(CUstream stream) {
  return locked_cuStreamSynchronize(stream);
}

// A stream may wait for an event of another context.
CUresult locked_cuStreamWaitEvent(CUstream stream, CUevent event,
                                  unsigned flags) {
  enum { EXTERNAL = 1 };
  Context *context;
  Event *found;
  CUresult error = stream_check(stream, &context);
  if (!error) error = object_check(HANDLE_EVENT, event, &found);
  if (!error && flags > EXTERNAL) error = CUDA_ERROR_INVALID_VALUE;
  return error;
}

// -- Handles of streams ------------------------------------------------------

// `*stream` is NULL for a special stream.
static CUresult look(CUstream handle, Stream **stream, Context **context) {
  const CUresult error = stream_check(handle, context);
  *stream = handle_find(&sim_driver.handles, HANDLE_STREAM, handle);
  return error;
}

CUresult locked_cuStreamGetPriority(CUstream handle, int *priority) {
  Context *context;
  Stream *stream;
  const CUresult error = look(handle, &stream, &context);
  if (error) return error;
  if (!priority) return CUDA_ERROR_INVALID_VALUE;
  *priority = stream ? stream->priority : LEAST_PRIORITY;
  return CUDA_SUCCESS;
}

CUresult locked_cuStreamGetFlags(CUstream handle, unsigned *flags) {
  Context *context;
  Stream *stream;
  const CUresult error = look(handle, &stream, &context);
  if (error) return error;
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = stream ? stream->flags : 0;
  return CUDA_SUCCESS;
}

CUresult locked_cuStreamGetCtx(CUstream handle, CUcontext *out) {
  Context *context;
  const CUresult error = stream_check(handle, &context);
  if (error) return error;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = context->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuStreamGetId(CUstream handle, unsigned long long *number) {
  Context *context;
  const CUresult error = stream_check(handle, &context);
  if (error) return error;
  if (!number) return CUDA_ERROR_INVALID_VALUE;
  *number = (uintptr_t)handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuStreamGetDevice(CUstream handle, CUdevice *device) {
  Context *context;
  const CUresult error = stream_check(handle, &context);
  if (error) return error;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

// Streams are never captured.
CUresult locked_cuStreamIsCapturing(CUstream handle, int *status) {
  Context *context;
  const CUresult error = stream_check(handle, &context);
  if (error) return error;
  if (!status) return CUDA_ERROR_INVALID_VALUE;
  *status = 0;
  return CUDA_SUCCESS;
}

CUresult locked_cuStreamBeginCapture_v2(CUstream handle, int mode) {
  Context *context;
  const CUresult error = stream_check(handle, &context);
  (void)mode;
  return error ? error : CUDA_ERROR_NOT_SUPPORTED;
}

// A hint: kernels and host always see the same memory.
CUresult locked_cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address,
                                       size_t size, unsigned flags) {
  enum { SINGLE = 4 };
  Context *context;
  const Memory *memory = &sim_driver.device.memory;
  const CUresult error = stream_check(handle, &context);
  if (error) return error;
  const bool is_right = (flags == 1 || flags == 2 || flags == SINGLE) &&
                        memory_holds(memory, address, size ? size : 1) &&
                        memory_find(memory, address)->kind == MEMORY_MANAGED;
  return is_right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// -- Functions of the host ---------------------------------------------------

// The functions are called without the lock: they must not call the driver, but
// other threads may do so meanwhile.
CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *),
                          void *data) {
  CUresult error = stream_find(stream, NULL);
  if (!error && !function) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) function(data);
  return error;
}

// This callback gets errors, too.
CUresult cuStreamAddCallback(CUstream stream,
                             void (*function)(CUstream, CUresult, void *),
                             void *data, unsigned flags) {
  CUresult status = CUDA_SUCCESS;
  CUresult error = stream_find(stream, &status);
  if (!error && (!function || flags)) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) function(stream, status, data);
  return error;
}
