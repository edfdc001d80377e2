// memory.c -- memory of the device.
#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/driver/driver.h"

CUresult context_alloc(const Context *context, size_t size, MemoryKind kind,
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
  return driver_leave(context_alloc(context, size, MEMORY_DEVICE, address));
}

CUresult context_release(CUdeviceptr address, bool is_host) {
  Memory *memory = &sim_driver.device.memory;
  const Allocation *found = memory_find(memory, address);
  if (!found || found->start != address || found->freed ||
      found->kind == MEMORY_MODULE || found->kind == MEMORY_HEAP ||
      found->kind == MEMORY_REGISTERED ||
      (found->kind == MEMORY_HOST) != is_host)
    return CUDA_ERROR_INVALID_VALUE;
  mempool_freed(found);
  memory_free(memory, address);
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  Context *context;
  const CUresult error = context_enter(&context);
  if (error || !address) return driver_leave(error);
  return driver_leave(context_release(address, false));
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream) {
  Context *context;
  const CUresult error = stream_enter(stream, &context);
  if (error) return driver_leave(error);
  if (!address) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  return driver_leave(mempool_alloc(context, sim_driver.pool, size, address));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  Context *context;
  const CUresult error = stream_enter(stream, &context);
  if (error || !address) return driver_leave(error);
  return driver_leave(context_release(address, false));
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

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width,
                            size_t height, unsigned each) {
  enum { UNIT = 512 };
  Context *context;
  const CUresult error = context_enter(&context);
  if (error) return driver_leave(error);
  if (!address || !pitch || !width || !height || width > SIZE_MAX - UNIT ||
      (each != 4 && each != 8 && each != 16))
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
  const size_t row = (width + UNIT - 1) / UNIT * UNIT;
  if (height > SIZE_MAX / row) return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
  *pitch = row;
  return driver_leave(
      context_alloc(context, row * height, MEMORY_DEVICE, address));
}
