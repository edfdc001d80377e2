// host.c -- memory of the host that kernels access, and attributes of pointers.
//
// Memory of the host that is allocated here lies in the device's range, so that
// host and device have the same address for it.  Memory that a program
// registers keeps its address for both, too.
#include <string.h>

#include "runtime/simulator/driver/driver.h"

CUresult locked_cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  enum { PORTABLE = 1, DEVICE_MAP = 2, WRITE_COMBINED = 4 };
  Context *context;
  CUdeviceptr found = 0;
  CUresult error = context_check(&context);
  if (!error && (!address || flags > (PORTABLE | DEVICE_MAP | WRITE_COMBINED)))
    error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = context_alloc(context, size, MEMORY_HOST, &found);
  if (error) return error;
  memory_find(&sim_driver.device.memory, found)->flags = (uint8_t)flags;
  *address = (void *)(uintptr_t)found;
  return CUDA_SUCCESS;
}

CUresult locked_cuMemAllocHost_v2(void **address, size_t size) {
  return locked_cuMemHostAlloc(address, size, 0);
}

CUresult locked_cuMemFreeHost(void *address) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : context_release((uintptr_t)address, true);
}

CUresult locked_cuMemAllocManaged(CUdeviceptr *address, size_t size,
                                  unsigned flags) {
  enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };
  Context *context;
  CUresult error = context_check(&context);
  if (!error && (!address || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST)))
    error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = context_alloc(context, size, MEMORY_MANAGED, address);
  return error;
}

// -- Registering -------------------------------------------------------------

static CUresult enroll(const Context *context, void *address, size_t size,
                       unsigned flags) {
  enum { PORTABLE = 1, DEVICE_MAP = 2, IO_MEMORY = 4, READ_ONLY = 8 };
  Memory *memory = &sim_driver.device.memory;
  const uint64_t start = (uintptr_t)address;
  if (!address || !size || size > UINT64_MAX - start ||
      flags > (PORTABLE | DEVICE_MAP | IO_MEMORY | READ_ONLY))
    return CUDA_ERROR_INVALID_VALUE;
  if (flags & (IO_MEMORY | READ_ONLY)) return CUDA_ERROR_NOT_SUPPORTED;
  const Allocation *last = memory_find(memory, start + size - 1);
  if (memory_in_range(memory, start) ||
      (last && start < last->start + last->size && !last->freed))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (!memory_enroll(memory, start, size, context->number))
    return CUDA_ERROR_OUT_OF_MEMORY;
  memory_find(memory, start)->flags = (uint8_t)(flags | DEVICE_MAP);
  return CUDA_SUCCESS;
}

CUresult locked_cuMemHostRegister_v2(void *address, size_t size,
                                     unsigned flags) {
  Context *context;
  const CUresult error = context_check(&context);
  return error ? error : enroll(context, address, size, flags);
}

CUresult locked_cuMemHostUnregister(void *address) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  return memory_remove(&sim_driver.device.memory, (uintptr_t)address)
             ? CUDA_SUCCESS
             : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

// The allocation of host memory that contains the address.
static const Allocation *find_host(const void *address) {
  const Memory *memory = &sim_driver.device.memory;
  const uint64_t at = (uintptr_t)address;
  const Allocation *found =
      memory_holds(memory, at, 1) ? memory_find(memory, at) : NULL;
  const bool is_host =
      found && (found->kind == MEMORY_HOST || found->kind == MEMORY_REGISTERED);
  return is_host ? found : NULL;
}

CUresult locked_cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *address,
                                             unsigned flags) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!device || flags || !find_host(address)) return CUDA_ERROR_INVALID_VALUE;
  *device = (CUdeviceptr)(uintptr_t)address;
  return CUDA_SUCCESS;
}

CUresult locked_cuMemHostGetFlags(unsigned *flags, void *address) {
  Context *context;
  const CUresult error = context_check(&context);
  const Allocation *found = error ? NULL : find_host(address);
  if (error) return error;
  if (!flags || !found) return CUDA_ERROR_INVALID_VALUE;
  *flags = found->flags;
  return CUDA_SUCCESS;
}

// -- Kinds of pointers -------------------------------------------------------

enum { MEMORYTYPE_HOST = 1, MEMORYTYPE_DEVICE = 2 };

typedef struct {
  const Allocation *allocation;
  CUdeviceptr address;
} Pointer;

static uint64_t owner_of(const Allocation *allocation) {
  for (size_t i = 0; i < sim_driver.handles.count; i++) {
    const Context *context = handle_at(&sim_driver.handles, HANDLE_CONTEXT, i);
    if (context && context->number == allocation->owner)
      return (uintptr_t)context->object.handle;
  }
  return 0;
}

static uint64_t pool_handle(const Allocation *allocation) {
  const MemoryPool *pool = mempool_of(allocation->pool);
  return pool ? (uintptr_t)pool->object.handle : 0;
}

static bool is_of_host(const Allocation *a) {
  return a->kind == MEMORY_HOST || a->kind == MEMORY_REGISTERED;
}

static uint64_t type_of(const Allocation *a) {
  return is_of_host(a) ? MEMORYTYPE_HOST : MEMORYTYPE_DEVICE;
}

static bool host_reaches(const Allocation *a) {
  return is_of_host(a) || a->kind == MEMORY_MANAGED;
}

// The number of bytes of the value; 0: the pointer has no such attribute.
static size_t attribute_of(const Pointer *p, int attribute, uint64_t *value) {
  const Allocation *a = p->allocation;
  switch (attribute) {
#define POINTER_ATTRIBUTE(number, bytes, has, amount)                          \
  case number:                                                                 \
    *value = (amount);                                                         \
    return (has) ? (bytes) : 0;
#include "runtime/simulator/driver/pointer_attributes.def"
  default: return 0;
  }
}

static CUresult get_attribute(void *data, int attribute, CUdeviceptr address) {
  const Memory *memory = &sim_driver.device.memory;
  uint64_t value = 0;
  if (!data || !memory_holds(memory, address, 1))
    return CUDA_ERROR_INVALID_VALUE;
  const Pointer pointer = {memory_find(memory, address), address};
  const size_t bytes = attribute_of(&pointer, attribute, &value);
  memcpy(data, &value, bytes);
  return bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult locked_cuPointerGetAttribute(void *data, int attribute,
                                      CUdeviceptr address) {
  return get_attribute(data, attribute, address);
}

// Attributes of an unknown pointer, and missing ones, are zeros.
static CUresult get_attributes(unsigned count, const int *attributes,
                               void **data, CUdeviceptr address) {
  static const Allocation none;
  if (!count || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; i++) {
    const Pointer nowhere = {&none, 0};
    uint64_t value = 0;
    if (!data[i]) return CUDA_ERROR_INVALID_VALUE;
    if (!get_attribute(data[i], attributes[i], address)) continue;
    const size_t bytes = attribute_of(&nowhere, attributes[i], &value);
    value = 0;
    memcpy(data[i], &value, bytes);
  }
  return CUDA_SUCCESS;
}

CUresult locked_cuPointerGetAttributes(unsigned count, int *attributes,
                                       void **data, CUdeviceptr address) {
  return get_attributes(count, attributes, data, address);
}

CUresult locked_cuPointerSetAttribute(const void *value, int attribute,
                                      CUdeviceptr address) {
  enum { SYNC_MEMOPS = 6 };
  return !value || attribute != SYNC_MEMOPS ||
                 !memory_holds(&sim_driver.device.memory, address, 1)
             ? CUDA_ERROR_INVALID_VALUE
             : CUDA_SUCCESS;
}

// -- Hints -------------------------------------------------------------------

static CUresult check_managed(CUdeviceptr address, size_t size) {
  const Memory *memory = &sim_driver.device.memory;
  return size && memory_holds(memory, address, size) &&
                 memory_find(memory, address)->kind == MEMORY_MANAGED
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

// Whether the location is a device, or the host: as a whole, one of its nodes,
// or this thread's node.
static bool is_location(Location where) {
  enum { TYPE_DEVICE = 1, TYPE_HOST = 2, TYPE_THIS_NODE = 4 };
  return where.type == TYPE_DEVICE
             ? !where.number
             : where.type >= TYPE_HOST && where.type <= TYPE_THIS_NODE;
}

CUresult locked_cuMemPrefetchAsync_v2(CUdeviceptr address, size_t size,
                                      Location where, unsigned flags,
                                      CUstream stream) {
  Context *context;
  const CUresult error = stream_check(stream, &context);
  if (error) return error;
  if (flags || !is_location(where)) return CUDA_ERROR_INVALID_VALUE;
  return check_managed(address, size);
}

CUresult locked_cuMemAdvise_v2(CUdeviceptr address, size_t size, int advice,
                               Location where) {
  (void)where; // some advice needs no location
  return locked_cuMemAdvise(address, size, advice, 0);
}

CUresult locked_cuMemPrefetchAsync(CUdeviceptr address, size_t size,
                                   CUdevice device, CUstream stream) {
  enum { CPU = -1 };
  Context *context;
  const CUresult error = stream_check(stream, &context);
  if (error) return error;
  if (device && device != CPU) return CUDA_ERROR_INVALID_DEVICE;
  return check_managed(address, size);
}

CUresult locked_cuMemAdvise(CUdeviceptr address, size_t size, int advice,
                            CUdevice device) {
  enum { LEAST = 1, MOST = 6 };
  Context *context;
  const CUresult error = context_check(&context);
  (void)device;
  if (error) return error;
  if (advice < LEAST || advice > MOST) return CUDA_ERROR_INVALID_VALUE;
  return check_managed(address, size);
}
