// driver_memory.c -- memory of the device and of the host.
//
// The host's that a program asks for here lies where the device's does, so that
// both have one address for it.
#include "runtime/simulator/driver.h"
#include "runtime/simulator/settings.h"

static CUresult alloc(Context *context, size_t size, MemoryKind kind,
                      CUdeviceptr *address) {
  Settings settings;
  if (!size || !settings_read(&settings)) return CUDA_ERROR_INVALID_VALUE;
  const MemoryRequest request = {.size = size,
                                 .owner = context->number,
                                 .kind = kind,
                                 .track = kind == MEMORY_DEVICE &&
                                          settings.checks & CHECK_GLOBAL};
  const CUdeviceptr found = memory_alloc(&sim_driver.device.memory, &request);
  if (!found) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = found;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!address) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  return driver_leave(alloc(context, size, MEMORY_DEVICE, address));
}

// What a program may free: the start of living memory, not of a variable.
static CUresult release(CUdeviceptr address, bool is_host) {
  Memory *memory = &sim_driver.device.memory;
  const Allocation *found = memory_find(memory, address);
  if (!found || found->start != address || found->freed ||
      found->kind == MEMORY_MODULE || found->kind == MEMORY_HEAP ||
      (found->kind == MEMORY_HOST) != is_host)
    return CUDA_ERROR_INVALID_VALUE;
  memory_free(memory, address);
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error || !address) return driver_leave(error);
  return driver_leave(release(address, false));
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream) {
  Context *context;
  const CUresult error = stream_enter(stream, &context);
  if (error) return driver_leave(error);
  if (!address) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  return driver_leave(alloc(context, size, MEMORY_DEVICE, address));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  Context *context;
  const CUresult error = stream_enter(stream, &context);
  if (error || !address) return driver_leave(error);
  return driver_leave(release(address, false));
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!available || !total) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *total = sim_driver.device.memory.limit;
  *available = *total - sim_driver.device.memory.live;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *size,
                                 CUdeviceptr address) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!memory_holds(&sim_driver.device.memory, address, 1))
    return driver_leave(CUDA_ERROR_NOT_FOUND);
  const Allocation *found = memory_find(&sim_driver.device.memory, address);
  if (start) *start = found->start;
  if (size) *size = found->size;
  return driver_leave(CUDA_SUCCESS);
}

// -- Memory of the host ------------------------------------------------------

CUresult cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  enum { PORTABLE = 1, DEVICE_MAP = 2, WRITE_COMBINED = 4 };
  Context *context;
  CUdeviceptr found = 0;
  CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!address || flags > (PORTABLE | DEVICE_MAP | WRITE_COMBINED))
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
  error = alloc(context, size, MEMORY_HOST, &found);
  if (!error) *address = (void *)(uintptr_t)found;
  return driver_leave(error);
}

CUresult cuMemAllocHost_v2(void **address, size_t size) {
  return cuMemHostAlloc(address, size, 0);
}

CUresult cuMemFreeHost(void *address) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  return driver_leave(release((uintptr_t)address, true));
}
