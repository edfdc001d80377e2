// copy.c -- copies and fills.
//
// Both are done when the call returns, which is right for any order of streams.
#include <string.h>

#include "runtime/simulator/driver/driver.h"

static void *host(CUdeviceptr address) {
  return (void *)(uintptr_t)address;
}

static CUdeviceptr number_of(const void *address) {
  return (CUdeviceptr)(uintptr_t)address;
}

static bool may_touch(CUdeviceptr address, size_t size, bool of_device) {
  const Memory *memory = &sim_driver.device.memory;
  const bool is_device =
      memory_in_range(memory, address) || memory_holds(memory, address, 1);
  if (!is_device) return !of_device && address;
  return memory_holds(memory, address, size) &&
         memory_find(memory, address)->kind != MEMORY_HEAP;
}

bool copy_is_possible(CUdeviceptr to, CUdeviceptr from, size_t size, int ends) {
  return may_touch(to, size, ends & TO_DEVICE) &&
         may_touch(from, size, ends & FROM_DEVICE);
}

void copy_bytes(CUdeviceptr to, CUdeviceptr from, size_t size) {
  memmove(host(to), host(from), size);
  if (memory_holds(&sim_driver.device.memory, to, size))
    memory_copied(&sim_driver.device.memory, to, from, size);
}

static CUresult copy(const void *to, const void *from, size_t size, int ends) {
  if (!size) return CUDA_SUCCESS;
  if (!copy_is_possible(number_of(to), number_of(from), size, ends))
    return CUDA_ERROR_INVALID_VALUE;
  copy_bytes(number_of(to), number_of(from), size);
  return CUDA_SUCCESS;
}

static CUresult copy_now(void *to, const void *from, size_t size, int ends) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : copy(to, from, size, ends);
}

static CUresult copy_later(void *to, const void *from, size_t size, int ends,
                           CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  return error ? error : copy(to, from, size, ends);
}

CUresult locked_cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
  return copy_now(host(to), from, size, TO_DEVICE);
}

CUresult locked_cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
  return copy_now(to, host(from), size, FROM_DEVICE);
}

CUresult locked_cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return copy_now(host(to), host(from), size, TO_DEVICE | FROM_DEVICE);
}

CUresult locked_cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return copy_now(host(to), host(from), size, 0);
}

CUresult locked_cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                     size_t size, CUstream stream) {
  return copy_later(host(to), from, size, TO_DEVICE, stream);
}

CUresult locked_cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size,
                                     CUstream stream) {
  return copy_later(to, host(from), size, FROM_DEVICE, stream);
}

CUresult locked_cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                                     size_t size, CUstream stream) {
  return copy_later(host(to), host(from), size, TO_DEVICE | FROM_DEVICE,
                    stream);
}

CUresult locked_cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                              CUstream stream) {
  return copy_later(host(to), host(from), size, 0, stream);
}

// Both contexts are on the only device.
static CUresult check_peers(CUcontext to, CUcontext from) {
  const bool known = handle_find(&sim_driver.handles, HANDLE_CONTEXT, to) &&
                     handle_find(&sim_driver.handles, HANDLE_CONTEXT, from);
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult locked_cuMemcpyPeer(CUdeviceptr to, CUcontext to_context,
                             CUdeviceptr from, CUcontext from_context,
                             size_t size) {
  CUresult error = check_peers(to_context, from_context);
  if (error) return error;
  return copy(host(to), host(from), size, TO_DEVICE | FROM_DEVICE);
}

CUresult locked_cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context,
                                  CUdeviceptr from, CUcontext from_context,
                                  size_t size, CUstream stream) {
  Context *context;
  CUresult error = stream_check(stream, &context);
  if (!error) error = check_peers(to_context, from_context);
  if (error) return error;
  return copy(host(to), host(from), size, TO_DEVICE | FROM_DEVICE);
}

// -- Fills -------------------------------------------------------------------

bool fill_is_possible(CUdeviceptr address, size_t each, size_t count) {
  return address % each == 0 && count <= SIZE_MAX / each &&
         may_touch(address, count * each, true);
}

void fill_bytes(CUdeviceptr address, const void *value, size_t each,
                size_t count) {
  for (size_t i = 0; i < count; i++)
    memcpy((char *)host(address) + i * each, value, each);
  memory_written(&sim_driver.device.memory, address, count * each);
}

static CUresult fill(CUdeviceptr address, const void *value, size_t each,
                     size_t count) {
  if (!count) return CUDA_SUCCESS;
  if (!fill_is_possible(address, each, count)) return CUDA_ERROR_INVALID_VALUE;
  fill_bytes(address, value, each, count);
  return CUDA_SUCCESS;
}

static CUresult fill_now(CUdeviceptr address, const void *value, size_t each,
                         size_t count) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : fill(address, value, each, count);
}

static CUresult fill_later(CUdeviceptr address, const void *value, size_t each,
                           size_t count, CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  return error ? error : fill(address, value, each, count);
}

CUresult locked_cuMemsetD8_v2(CUdeviceptr address, unsigned char value,
                              size_t count) {
  return fill_now(address, &value, sizeof value, count);
}

CUresult locked_cuMemsetD16_v2(CUdeviceptr address, unsigned short value,
                               size_t count) {
  return fill_now(address, &value, sizeof value, count);
}

CUresult locked_cuMemsetD32_v2(CUdeviceptr address, unsigned value,
                               size_t count) {
  return fill_now(address, &value, sizeof value, count);
}

CUresult locked_cuMemsetD8Async(CUdeviceptr address, unsigned char value,
                                size_t count, CUstream stream) {
  return fill_later(address, &value, sizeof value, count, stream);
}

CUresult locked_cuMemsetD16Async(CUdeviceptr address, unsigned short value,
                                 size_t count, CUstream stream) {
  return fill_later(address, &value, sizeof value, count, stream);
}

CUresult locked_cuMemsetD32Async(CUdeviceptr address, unsigned value,
                                 size_t count, CUstream stream) {
  return fill_later(address, &value, sizeof value, count, stream);
}
