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

CUresult locked_cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  return context_alloc(context, size, MEMORY_DEVICE, address);
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

CUresult locked_cuMemFree_v2(CUdeviceptr address) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error || !address) return error;
  return context_release(address, false);
}

CUresult locked_cuMemAllocAsync(CUdeviceptr *address, size_t size,
                                CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  if (error) return error;
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  return mempool_alloc(context, sim_driver.pool, size, address);
}

CUresult locked_cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  if (error || !address) return error;
  return context_release(address, false);
}

CUresult locked_cuMemGetInfo_v2(size_t *available, size_t *total) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!available || !total) return CUDA_ERROR_INVALID_VALUE;
  *total = sim_driver.device.memory.limit;
  *available = *total - sim_driver.device.memory.live;
  return CUDA_SUCCESS;
}

CUresult locked_cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *size,
                                        CUdeviceptr address) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!memory_holds(&sim_driver.device.memory, address, 1))
    return CUDA_ERROR_NOT_FOUND;
  const Allocation *found = memory_find(&sim_driver.device.memory, address);
  if (start) *start = found->start;
  if (size) *size = found->size;
  return CUDA_SUCCESS;
}

CUresult locked_cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch,
                                   size_t width, size_t height, unsigned each) {
  enum { UNIT = 512 };
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!address || !pitch || !width || !height || width > SIZE_MAX - UNIT ||
      (each != 4 && each != 8 && each != 16))
    return CUDA_ERROR_INVALID_VALUE;
  const size_t row = (width + UNIT - 1) / UNIT * UNIT;
  if (height > SIZE_MAX / row) return CUDA_ERROR_OUT_OF_MEMORY;
  *pitch = row;
  return context_alloc(context, row * height, MEMORY_DEVICE, address);
}
