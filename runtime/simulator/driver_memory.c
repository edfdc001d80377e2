// driver_memory.c -- memory, copies, streams and events.
//
// Everything is done when the call returns, which any stream order allows.
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/driver.h"

static void *host(CUdeviceptr address) {
  return (void *)(uintptr_t)address;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size);
EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  if (!current_context()) return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
  if (!size || !address) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *address = memory_alloc(&sim_driver.device.memory, size, 512,
                          driver_checks() & CHECK_GLOBAL);
  return driver_leave(*address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address);
EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  const CUresult error = driver_enter();
  if (error || !address) return driver_leave(error);
  return driver_leave(memory_free(&sim_driver.device.memory, address)
                          ? CUDA_SUCCESS
                          : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size,
                                CUstream stream);
EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size,
                                CUstream stream) {
  (void)stream;
  return cuMemAlloc_v2(address, size);
}

EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  (void)stream;
  return cuMemFree_v2(address);
}

EXPORT CUresult cuMemGetInfo_v2(size_t *available, size_t *total);
EXPORT CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  if (!available || !total) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = driver_enter();
  *total = sim_driver.device.memory.limit;
  *available = *total - sim_driver.device.memory.live;
  return driver_leave(error);
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *size,
                                        CUdeviceptr address);
EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *size,
                                        CUdeviceptr address) {
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  if (!memory_holds(&sim_driver.device.memory, address, 1))
    return driver_leave(CUDA_ERROR_NOT_FOUND);
  const Allocation *found = memory_find(&sim_driver.device.memory, address);
  if (start) *start = found->start;
  if (size) *size = found->size;
  return driver_leave(CUDA_SUCCESS);
}

// Host memory of the driver's is the host's.
EXPORT CUresult cuMemHostAlloc(void **address, size_t size, unsigned flags);
EXPORT CUresult cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  if (!address || !size) return CUDA_ERROR_INVALID_VALUE;
  (void)flags;
  *address = malloc(size);
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult cuMemAllocHost_v2(void **address, size_t size);
EXPORT CUresult cuMemAllocHost_v2(void **address, size_t size) {
  return cuMemHostAlloc(address, size, 0);
}

EXPORT CUresult cuMemFreeHost(void *address);
EXPORT CUresult cuMemFreeHost(void *address) {
  free(address);
  return CUDA_SUCCESS;
}

// -- Copies ------------------------------------------------------------------

// An address of the device must be in one allocation; other addresses are the
// host's.
static bool may_touch(CUdeviceptr address, size_t size) {
  const Memory *memory = &sim_driver.device.memory;
  const uint64_t base = (uint64_t)(uintptr_t)memory->base;
  if (address < base || address - base >= memory->reserved) return false;
  return memory_holds(memory, address, size);
}

static CUresult copy(void *to, const void *from, size_t size, bool to_device,
                     bool from_device) {
  const CUresult error = driver_enter();
  if (error || !size) return driver_leave(error);
  if (!to || !from) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  if ((to_device && !may_touch((CUdeviceptr)(uintptr_t)to, size)) ||
      (from_device && !may_touch((CUdeviceptr)(uintptr_t)from, size)))
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
  memmove(to, from, size);
  if (to_device)
    memory_copied(&sim_driver.device.memory, (uintptr_t)to, (uintptr_t)from,
                  size);
  return driver_leave(CUDA_SUCCESS);
}

static bool is_device(CUdeviceptr address) {
  const Memory *memory = &sim_driver.device.memory;
  const uint64_t base = (uint64_t)(uintptr_t)memory->base;
  return address >= base && address - base < memory->reserved;
}

#define COPY(name, to_type, from_type, to, from, to_device, from_device)       \
  EXPORT CUresult name##_v2(to_type t, from_type f, size_t size);              \
  EXPORT CUresult name##_v2(to_type t, from_type f, size_t size) {             \
    return copy(to, from, size, to_device, from_device);                       \
  }                                                                            \
  EXPORT CUresult name##Async_v2(to_type t, from_type f, size_t size,          \
                                 CUstream stream);                             \
  EXPORT CUresult name##Async_v2(to_type t, from_type f, size_t size,          \
                                 CUstream stream) {                            \
    (void)stream;                                                              \
    return copy(to, from, size, to_device, from_device);                       \
  }

COPY(cuMemcpyHtoD, CUdeviceptr, const void *, host(t), f, true, false)
COPY(cuMemcpyDtoH, void *, CUdeviceptr, t, host(f), false, true)
COPY(cuMemcpyDtoD, CUdeviceptr, CUdeviceptr, host(t), host(f), true, true)

EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size);
EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return copy(host(to), host(from), size, is_device(to), is_device(from));
}

EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                              CUstream stream);
EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                              CUstream stream) {
  (void)stream;
  return cuMemcpy(to, from, size);
}

static CUresult fill(CUdeviceptr address, const void *value, size_t each,
                     size_t count) {
  const CUresult error = driver_enter();
  if (error || !count) return driver_leave(error);
  if (address % each || count > SIZE_MAX / each ||
      !may_touch(address, count * each))
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
  for (size_t i = 0; i < count; i++)
    memcpy((char *)host(address) + i * each, value, each);
  memory_written(&sim_driver.device.memory, address, count * each);
  return driver_leave(CUDA_SUCCESS);
}

#define FILL(name, type)                                                       \
  EXPORT CUresult name##_v2(CUdeviceptr address, type value, size_t count);    \
  EXPORT CUresult name##_v2(CUdeviceptr address, type value, size_t count) {   \
    return fill(address, &value, sizeof value, count);                         \
  }                                                                            \
  EXPORT CUresult name##Async(CUdeviceptr address, type value, size_t count,   \
                              CUstream stream);                                \
  EXPORT CUresult name##Async(CUdeviceptr address, type value, size_t count,   \
                              CUstream stream) {                               \
    (void)stream;                                                              \
    return fill(address, &value, sizeof value, count);                         \
  }

FILL(cuMemsetD8, unsigned char)
FILL(cuMemsetD16, unsigned short)
FILL(cuMemsetD32, unsigned)

// -- Streams -----------------------------------------------------------------

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags);
EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  if (!stream || flags > 1) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  if (!current_context()) return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
  CUstream made = calloc(1, sizeof *made);
  if (!made) return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
  made->flags = flags;
  *stream = made;
  return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                           int priority);
EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                           int priority) {
  (void)priority;
  return cuStreamCreate(stream, flags);
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream);
EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  free(stream);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamSynchronize(CUstream stream);
EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  (void)stream;
  const CUresult error = driver_enter();
  return driver_leave(error ? error : take_error(&sim_driver));
}

EXPORT CUresult cuStreamQuery(CUstream stream);
EXPORT CUresult cuStreamQuery(CUstream stream) {
  return cuStreamSynchronize(stream);
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event,
                                  unsigned flags);
EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event,
                                  unsigned flags) {
  (void)stream;
  (void)flags;
  return event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

// -- Events ------------------------------------------------------------------

enum { EVENT_DISABLE_TIMING = 2 };

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags);
EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags) {
  if (!event) return CUDA_ERROR_INVALID_VALUE;
  *event = calloc(1, sizeof **event);
  if (!*event) return CUDA_ERROR_OUT_OF_MEMORY;
  (*event)->untimed = flags & EVENT_DISABLE_TIMING;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy_v2(CUevent event);
EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  free(event);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream);
EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  (void)stream;
  const CUresult error = driver_enter();
  event->recorded = true;
  event->executed = sim_driver.executed;
  return driver_leave(error);
}

EXPORT CUresult cuEventQuery(CUevent event);
EXPORT CUresult cuEventQuery(CUevent event) {
  (void)event;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuEventSynchronize(CUevent event);
EXPORT CUresult cuEventSynchronize(CUevent event) {
  (void)event;
  return cuCtxSynchronize();
}

// A time that derives from counters: the instructions of all warps at one a
// cycle and processor.  It orders programs by work, not by speed.
EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from,
                                      CUevent to);
EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from,
                                      CUevent to) {
  if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
  if (!from || !to) return CUDA_ERROR_INVALID_HANDLE;
  if (from->untimed || to->untimed) return CUDA_ERROR_INVALID_HANDLE;
  if (!from->recorded || !to->recorded) return CUDA_ERROR_INVALID_HANDLE;
  const Chip *chip = sim_driver.device.chip;
  const double cycles =
      (double)(to->executed - from->executed) / chip->processors;
  *milliseconds = (float)(cycles / (1000.0 * chip->clock_mhz));
  return CUDA_SUCCESS;
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from,
                                   CUevent to);
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from,
                                   CUevent to) {
  return cuEventElapsedTime_v2(milliseconds, from, to);
}
