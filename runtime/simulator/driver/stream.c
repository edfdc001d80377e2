// stream.c -- streams.
//
// Work that a stream is given is done when the call returns, so that a stream
// is always idle.
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

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  Context *context;
  const CUresult error = context_enter(&context);
  return driver_leave(error ? error
                            : create_stream(context, stream, flags, priority));
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  Stream *found;
  const CUresult error = object_enter(HANDLE_STREAM, stream, &found);
  if (!error) object_destroy(&found->object);
  return driver_leave(error);
}

CUresult cuStreamSynchronize(CUstream stream) {
  Context *context;
  const CUresult error = stream_enter(stream, &context);
  return driver_leave(error ? error : take_error(context));
}

CUresult cuStreamQuery(CUstream stream) {
  return cuStreamSynchronize(stream);
}

// A stream may wait for an event of another context.
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  enum { EXTERNAL = 1 };
  Context *context;
  Event *found;
  CUresult error = stream_enter(stream, &context);
  if (!error) error = object_check(HANDLE_EVENT, event, &found);
  if (!error && flags > EXTERNAL) error = CUDA_ERROR_INVALID_VALUE;
  return driver_leave(error);
}

// -- What a stream is --------------------------------------------------------

// NULL for a special one.
static CUresult look(CUstream handle, Stream **stream, Context **context) {
  const CUresult error = stream_enter(handle, context);
  *stream = handle_find(&sim_driver.handles, HANDLE_STREAM, handle);
  return error;
}

CUresult cuStreamGetPriority(CUstream handle, int *priority) {
  Context *context;
  Stream *stream;
  const CUresult error = look(handle, &stream, &context);
  if (error) return driver_leave(error);
  if (!priority) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *priority = stream ? stream->priority : LEAST_PRIORITY;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuStreamGetFlags(CUstream handle, unsigned *flags) {
  Context *context;
  Stream *stream;
  const CUresult error = look(handle, &stream, &context);
  if (error) return driver_leave(error);
  if (!flags) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *flags = stream ? stream->flags : 0;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *out) {
  Context *context;
  const CUresult error = stream_enter(handle, &context);
  if (error) return driver_leave(error);
  if (!out) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *out = context->object.handle;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuStreamGetId(CUstream handle, unsigned long long *number) {
  Context *context;
  const CUresult error = stream_enter(handle, &context);
  if (error) return driver_leave(error);
  if (!number) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *number = (uintptr_t)handle;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice *device) {
  Context *context;
  const CUresult error = stream_enter(handle, &context);
  if (error) return driver_leave(error);
  if (!device) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *device = 0;
  return driver_leave(CUDA_SUCCESS);
}

// No stream is ever being captured.
CUresult cuStreamIsCapturing(CUstream handle, int *status) {
  Context *context;
  const CUresult error = stream_enter(handle, &context);
  if (error) return driver_leave(error);
  if (!status) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *status = 0;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuStreamBeginCapture_v2(CUstream handle, int mode) {
  Context *context;
  const CUresult error = stream_enter(handle, &context);
  (void)mode;
  return driver_leave(error ? error : CUDA_ERROR_NOT_SUPPORTED);
}

// A hint: whatever the stream, kernels and host have the same memory.
CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address,
                                size_t size, unsigned flags) {
  enum { SINGLE = 4 };
  Context *context;
  const Memory *memory = &sim_driver.device.memory;
  const CUresult error = stream_enter(handle, &context);
  if (error) return driver_leave(error);
  const bool is_right = (flags == 1 || flags == 2 || flags == SINGLE) &&
                        memory_holds(memory, address, size ? size : 1) &&
                        memory_find(memory, address)->kind == MEMORY_MANAGED;
  return driver_leave(is_right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

// -- Functions of the host ---------------------------------------------------

// They are called without the lock: they must not call the driver, but other
// threads may meanwhile.
CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *),
                          void *data) {
  Context *context;
  CUresult error = stream_enter(stream, &context);
  if (!error && !function) error = CUDA_ERROR_INVALID_VALUE;
  driver_leave(error);
  if (!error) function(data);
  return error;
}

// This one is told of errors, too.
CUresult cuStreamAddCallback(CUstream stream,
                             void (*function)(CUstream, CUresult, void *),
                             void *data, unsigned flags) {
  Context *context;
  CUresult error = stream_enter(stream, &context), status = CUDA_SUCCESS;
  if (!error && (!function || flags)) error = CUDA_ERROR_INVALID_VALUE;
  if (!error) status = context->pending;
  driver_leave(error);
  if (!error) function(stream, status, data);
  return error;
}
