// cuda_stream.c -- memory of a GPU, and operations in the order of a stream.
//
// Each function makes the device's context current, as those of cuda.c do.
#include "runtime/device/cuda.h"

#include "runtime/device/gpu.h"
#include "runtime/errors.h"

#include <assert.h>

static CUdeviceptr number_of(const void *address) {
  return (CUdeviceptr)(uintptr_t)address;
}

static CUstream stream_or_own(const Gpu *gpu, void *stream) {
  return stream ? stream : gpu->stream;
}

// -- Memory ------------------------------------------------------------------

bool cuda_alloc(TileDevice *device, size_t size, void **address, Fault *fault) {
  const Gpu *gpu = device->state;
  CUdeviceptr start = 0;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = CALL(gpu, fault, cuMemAlloc, &start, size) &&
                  gpu_believe(start, "cuMemAlloc", "the address 0", fault);
  const bool left = gpu_leave(gpu, ok, fault);
  if (ok && !left) gpu->driver.api.cuMemFree(start);
  if (left) *address = (void *)(uintptr_t)start;
  return left;
}

void cuda_free(TileDevice *device, void *address) {
  const Gpu *gpu = device->state;
  Fault ignored;
  if (gpu_is_forked(gpu)) return;
  const bool entered = gpu_enter(gpu, &ignored);
  // Waits for launches that may still use the memory.
  gpu->driver.api.cuMemFree((CUdeviceptr)(uintptr_t)address);
  if (entered) gpu_leave(gpu, true, &ignored);
}

// Waits for all launches, including those on streams of the caller.
static bool settle(const Gpu *gpu, Fault *fault) {
  return gpu_check(gpu, gpu->driver.api.cuCtxSynchronize(), "cuCtxSynchronize",
                   fault);
}

bool cuda_write(TileDevice *device, void *to, const void *from, size_t size,
                Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = settle(gpu, fault) &&
                  CALL(gpu, fault, cuMemcpyHtoDAsync,
                       (CUdeviceptr)(uintptr_t)to, from, size, gpu->stream) &&
                  CALL(gpu, fault, cuStreamSynchronize, gpu->stream);
  return gpu_leave(gpu, ok, fault);
}

bool cuda_read(TileDevice *device, void *to, const void *from, size_t size,
               Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = settle(gpu, fault) &&
                  CALL(gpu, fault, cuMemcpyDtoHAsync, to,
                       (CUdeviceptr)(uintptr_t)from, size, gpu->stream) &&
                  CALL(gpu, fault, cuStreamSynchronize, gpu->stream);
  return gpu_leave(gpu, ok, fault);
}

// -- Streams -----------------------------------------------------------------

static bool create(TileDevice *device, void **out, Fault *fault) {
  const Gpu *gpu = device->state;
  CUstream stream = NULL;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok =
      CALL(gpu, fault, cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING) &&
      gpu_believe(stream, "cuStreamCreate", "NULL", fault);
  const bool left = gpu_leave(gpu, ok, fault);
  if (ok && !left) gpu->driver.api.cuStreamDestroy(stream);
  if (left) *out = stream;
  return left;
}

static void destroy(TileDevice *device, void *stream) {
  const Gpu *gpu = device->state;
  Fault ignored;
  if (gpu_is_forked(gpu)) return;
  const bool entered = gpu_enter(gpu, &ignored);
  gpu->driver.api.cuStreamDestroy(stream);
  if (entered) gpu_leave(gpu, true, &ignored);
}

static bool sync(TileDevice *device, void *stream, Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok =
      CALL(gpu, fault, cuStreamSynchronize, stream_or_own(gpu, stream));
  return gpu_leave(gpu, ok, fault);
}

// -- Copies and fills --------------------------------------------------------

static bool copy(const Gpu *gpu, const DeviceMove *m, Fault *fault) {
  const CUdeviceptr to = number_of(m->to), from = number_of(m->from);
  const CUstream stream = stream_or_own(gpu, m->stream);
  const Gpu *peer = m->peer ? m->peer->state : gpu;
  switch (m->kind) {
  case MOVE_TO_DEVICE:
    return CALL(gpu, fault, cuMemcpyHtoDAsync, to, m->from, m->size, stream);
  case MOVE_FROM_DEVICE:
    return CALL(gpu, fault, cuMemcpyDtoHAsync, m->to, from, m->size, stream);
  case MOVE_WITHIN:
    return CALL(gpu, fault, cuMemcpyDtoDAsync, to, from, m->size, stream);
  case MOVE_PEER:
    return CALL(gpu, fault, cuMemcpyPeerAsync, to, gpu->context, from,
                peer->context, m->size, stream);
  }
  return false;
}

static bool move(TileDevice *device, const DeviceMove *move, Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  return gpu_leave(gpu, copy(gpu, move, fault), fault);
}

// Fills each half of the values as a column of a 2-D fill; the driver has no
// fill of 8 bytes.
static bool set_wide(const Gpu *gpu, const DeviceFill *f, CUdeviceptr to,
                     CUstream stream, Fault *fault) {
  enum { HALF = sizeof(unsigned), WHOLE = 2 * HALF };
  return CALL(gpu, fault, cuMemsetD2D32Async, to, WHOLE, (unsigned)f->value, 1,
              f->count, stream) &&
         CALL(gpu, fault, cuMemsetD2D32Async, to + HALF, WHOLE,
              (unsigned)(f->value >> 32), 1, f->count, stream);
}

static bool set(const Gpu *gpu, const DeviceFill *f, Fault *fault) {
  const CUdeviceptr to = number_of(f->to);
  const CUstream stream = stream_or_own(gpu, f->stream);
  switch (f->each) {
  case 1:
    return CALL(gpu, fault, cuMemsetD8Async, to, (unsigned char)f->value,
                f->count, stream);
  case 2:
    return CALL(gpu, fault, cuMemsetD16Async, to, (unsigned short)f->value,
                f->count, stream);
  case 4:
    return CALL(gpu, fault, cuMemsetD32Async, to, (unsigned)f->value, f->count,
                stream);
  default:
    assert(f->each == 8); // I11
    return set_wide(gpu, f, to, stream, fault);
  }
}

static bool fill(TileDevice *device, const DeviceFill *fill, Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  return gpu_leave(gpu, set(gpu, fill, fault), fault);
}

// -- Memory of the host ------------------------------------------------------

static bool pin(TileDevice *device, size_t size, void **out, Fault *fault) {
  const Gpu *gpu = device->state;
  void *address = NULL;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = CALL(gpu, fault, cuMemHostAlloc, &address, size,
                       CU_MEMHOSTALLOC_PORTABLE) &&
                  gpu_believe(address, "cuMemHostAlloc", "NULL", fault);
  const bool left = gpu_leave(gpu, ok, fault);
  if (ok && !left) gpu->driver.api.cuMemFreeHost(address);
  if (left) *out = address;
  return left;
}

static void unpin(TileDevice *device, void *address) {
  const Gpu *gpu = device->state;
  Fault ignored;
  if (gpu_is_forked(gpu)) return;
  const bool entered = gpu_enter(gpu, &ignored);
  gpu->driver.api.cuMemFreeHost(address);
  if (entered) gpu_leave(gpu, true, &ignored);
}

// -- Events ------------------------------------------------------------------

static bool event_create(TileDevice *device, DeviceEvent *out, Fault *fault) {
  const Gpu *gpu = device->state;
  CUevent event = NULL;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = CALL(gpu, fault, cuEventCreate, &event, 0) &&
                  gpu_believe(event, "cuEventCreate", "NULL", fault);
  const bool left = gpu_leave(gpu, ok, fault);
  if (ok && !left) gpu->driver.api.cuEventDestroy(event);
  if (left) *out = (DeviceEvent){.handle = event};
  return left;
}

static void event_destroy(TileDevice *device, DeviceEvent *event) {
  const Gpu *gpu = device->state;
  Fault ignored;
  if (gpu_is_forked(gpu)) return;
  const bool entered = gpu_enter(gpu, &ignored);
  gpu->driver.api.cuEventDestroy(event->handle);
  if (entered) gpu_leave(gpu, true, &ignored);
}

static bool event_record(TileDevice *device, DeviceEvent *event, void *stream,
                         Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = CALL(gpu, fault, cuEventRecord, event->handle,
                       stream_or_own(gpu, stream));
  return gpu_leave(gpu, ok, fault);
}

static bool event_sync(TileDevice *device, DeviceEvent *event, Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = CALL(gpu, fault, cuEventSynchronize, event->handle);
  return gpu_leave(gpu, ok, fault);
}

static bool event_wait(TileDevice *device, DeviceEvent *event, void *stream,
                       Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = CALL(gpu, fault, cuStreamWaitEvent,
                       stream_or_own(gpu, stream), event->handle, 0);
  return gpu_leave(gpu, ok, fault);
}

static bool event_seconds(TileDevice *device, const DeviceEvent *start,
                          const DeviceEvent *end, double *seconds,
                          Fault *fault) {
  const Gpu *gpu = device->state;
  float milliseconds = 0;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = CALL(gpu, fault, cuEventElapsedTime, &milliseconds,
                       start->handle, end->handle);
  *seconds = (double)milliseconds * 1e-3;
  return gpu_leave(gpu, ok, fault);
}

const StreamOps cuda_streams = {
    .create = create,
    .destroy = destroy,
    .sync = sync,
    .move = move,
    .fill = fill,
    .pin = pin,
    .unpin = unpin,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_sync = event_sync,
    .event_wait = event_wait,
    .event_seconds = event_seconds,
};
