// pool.c -- memory pools, from which streams allocate.
//
// A pool only counts its memory; freed memory is released at once.
#include <assert.h>
#include <string.h>

#include "runtime/simulator/driver/driver.h"

// CUmemPool_attribute; attributes before the first 64-bit one are ints.
enum {
  REUSE_FIRST = 1,
  REUSE_LAST = 3,
  RELEASE_THRESHOLD = 4,
  RESERVED_CURRENT = 5,
  RESERVED_HIGH = 6,
  USED_CURRENT = 7,
  USED_HIGH = 8,
};

static MemoryPool *make_pool(void) {
  MemoryPool *pool = object_create(HANDLE_POOL, sizeof *pool, NULL);
  if (!pool) return NULL;
  pool->number = ++sim_driver.num_pools;
  for (int i = REUSE_FIRST; i <= REUSE_LAST; i++) pool->attributes[i] = 1;
  return pool;
}

bool mempool_open(void) {
  if (!sim_driver.default_pool) sim_driver.default_pool = make_pool();
  sim_driver.pool = sim_driver.default_pool;
  return sim_driver.pool != NULL;
}

MemoryPool *mempool_of(uint32_t number) {
  if (!number) return NULL;
  if (number == sim_driver.default_pool->number) return sim_driver.default_pool;
  for (size_t i = 0; i < sim_driver.handles.count; i++) {
    MemoryPool *pool = handle_at(&sim_driver.handles, HANDLE_POOL, i);
    if (pool && pool->number == number) return pool;
  }
  return NULL;
}

void mempool_freed(const Allocation *allocation) {
  MemoryPool *pool = mempool_of(allocation->pool);
  assert((!pool || pool->used >= allocation->size) && "freed twice"); // I6
  if (pool) pool->used -= allocation->size;
}

void mempool_recount(void) {
  const Memory *memory = &sim_driver.device.memory;
  for (size_t i = 0; i < sim_driver.handles.count; i++) {
    MemoryPool *pool = handle_at(&sim_driver.handles, HANDLE_POOL, i);
    if (pool) pool->used = 0;
  }
  for (size_t i = 0; i < memory->count; i++) {
    MemoryPool *pool =
        memory->list[i].freed ? NULL : mempool_of(memory->list[i].pool);
    if (pool) pool->used += memory->list[i].size;
  }
}

CUresult mempool_alloc(const Context *context, MemoryPool *pool, size_t size,
                       CUdeviceptr *address) {
  const CUresult error = context_alloc(context, size, MEMORY_DEVICE, address);
  if (error) return error;
  memory_find(&sim_driver.device.memory, *address)->pool = pool->number;
  const uint64_t used = pool->used += size;
  for (int i = RESERVED_HIGH; i <= USED_HIGH; i += USED_HIGH - RESERVED_HIGH)
    if (used > pool->attributes[i]) pool->attributes[i] = used;
  return CUDA_SUCCESS;
}

// -- Pools of the device -----------------------------------------------------

CUresult locked_cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  *pool = sim_driver.default_pool->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  *pool = sim_driver.pool->object.handle;
  return CUDA_SUCCESS;
}

// An invalid handle is CUDA_ERROR_INVALID_VALUE, as for all calls on pools.
static CUresult pool_check(CUmemoryPool handle, MemoryPool **pool) {
  const CUresult error = object_check(HANDLE_POOL, handle, pool);
  return error == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : error;
}

CUresult locked_cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  MemoryPool *pool;
  CUresult error = pool_check(handle, &pool);
  if (device) error = CUDA_ERROR_INVALID_DEVICE;
  if (!error) sim_driver.pool = pool;
  return error;
}

// -- Pools that the program makes --------------------------------------------

CUresult locked_cuMemPoolCreate(CUmemoryPool *pool,
                                const PoolProperties *properties) {
  enum { PINNED = 1, ON_DEVICE = 1 };
  if (!pool || !properties || properties->kind != PINNED ||
      properties->where.type != ON_DEVICE || properties->where.number)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->handle_types) return CUDA_ERROR_NOT_SUPPORTED;
  const MemoryPool *made = make_pool();
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  *pool = made->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuMemPoolDestroy(CUmemoryPool handle) {
  MemoryPool *pool;
  CUresult error = pool_check(handle, &pool);
  if (!error && pool == sim_driver.default_pool)
    error = CUDA_ERROR_INVALID_VALUE;
  if (error) return error;
  if (pool == sim_driver.pool) sim_driver.pool = sim_driver.default_pool;
  object_destroy(&pool->object);
  return CUDA_SUCCESS;
}

CUresult locked_cuMemPoolTrimTo(CUmemoryPool handle, size_t size) {
  MemoryPool *pool;
  (void)size; // no memory is kept
  return pool_check(handle, &pool);
}

// High-water marks can only be reset to zero; current values cannot be set.
CUresult locked_cuMemPoolSetAttribute(CUmemoryPool handle, int attribute,
                                      void *value) {
  MemoryPool *pool;
  uint64_t number = 0;
  const CUresult error = pool_check(handle, &pool);
  if (error) return error;
  if (!value || attribute < REUSE_FIRST || attribute > USED_HIGH ||
      attribute == RESERVED_CURRENT || attribute == USED_CURRENT)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(&number, value, attribute <= REUSE_LAST ? 4 : 8);
  if (attribute > RELEASE_THRESHOLD && number) return CUDA_ERROR_INVALID_VALUE;
  pool->attributes[attribute] = number;
  return CUDA_SUCCESS;
}

CUresult locked_cuMemPoolGetAttribute(CUmemoryPool handle, int attribute,
                                      void *value) {
  MemoryPool *pool;
  const CUresult error = pool_check(handle, &pool);
  if (error) return error;
  if (!value || attribute < REUSE_FIRST || attribute > USED_HIGH)
    return CUDA_ERROR_INVALID_VALUE;
  const bool is_current =
      attribute == RESERVED_CURRENT || attribute == USED_CURRENT;
  const uint64_t number = is_current ? pool->used : pool->attributes[attribute];
  memcpy(value, &number, attribute <= REUSE_LAST ? 4 : 8);
  return CUDA_SUCCESS;
}

CUresult locked_cuMemPoolGetAccess(int *flags, CUmemoryPool handle,
                                   const Location *where) {
  enum { ON_DEVICE = 1, READ_AND_WRITE = 3 };
  MemoryPool *pool;
  const CUresult error = pool_check(handle, &pool);
  if (error) return error;
  if (!flags || !where || where->type != ON_DEVICE || where->number)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = READ_AND_WRITE;
  return CUDA_SUCCESS;
}

CUresult locked_cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size,
                                        CUmemoryPool handle, CUstream stream) {
  MemoryPool *pool;
  Context *context;
  CUresult error = stream_check(stream, &context);
  if (error) return error;
  pool = handle_find(&sim_driver.handles, HANDLE_POOL, handle);
  if (!pool || !address) return CUDA_ERROR_INVALID_VALUE;
  return mempool_alloc(context, pool, size, address);
}
