// packed.c -- the CPU as a device for images, without a compiler.
#include "runtime/base/threads.h"
#include "runtime/device/host_grid.h"
#include "runtime/device/host_memory.h"
#include "runtime/device/image.h"
#include "runtime/errors.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct DeviceKernel {
  LoadedImage image;
  HostKernel kernel;
};

// A pool of one thread, and one of all threads, which is made when a grid has
// more than one program: starting threads takes longer than running a small
// program.
typedef struct {
  ThreadPool *single;
  _Atomic(ThreadPool *) all;
  pthread_mutex_t lock; // held while a pool is made
} Packed;

static bool packed_open(TileDevice *device, int index, Fault *fault) {
  (void)index;
  const Allocator *from = device->from;
  const int asked = device->settings->num_threads;
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  Packed *packed = from->alloc(from->ctx, sizeof *packed);
  if (!packed) return false;
  packed->single = thread_pool_create(from, 1);
  if (!packed->single) {
    from->free(from->ctx, packed);
    return false;
  }
  atomic_init(&packed->all, NULL);
  pthread_mutex_init(&packed->lock, NULL);
  device->state = packed;
  device->target = target_find("cpu");
  device->code = EMIT_OBJECT;
  device->num_processors = asked ? asked : threads_wanted();
  return true;
}

static void packed_close(TileDevice *device) {
  Packed *packed = device->state;
  thread_pool_destroy(atomic_load(&packed->all));
  thread_pool_destroy(packed->single);
  pthread_mutex_destroy(&packed->lock);
  device->from->free(device->from->ctx, packed);
}

// NULL without memory.
static ThreadPool *pool_for(TileDevice *device, const uint32_t *grid) {
  Packed *packed = device->state;
  if (device->num_processors == 1 || (uint64_t)grid[0] * grid[1] * grid[2] == 1)
    return packed->single;
  ThreadPool *pool = atomic_load_explicit(&packed->all, memory_order_acquire);
  if (pool) return pool;
  pthread_mutex_lock(&packed->lock);
  pool = atomic_load(&packed->all);
  if (!pool) pool = thread_pool_create(device->from, device->num_processors);
  atomic_store_explicit(&packed->all, pool, memory_order_release);
  pthread_mutex_unlock(&packed->lock);
  return pool;
}

static bool packed_sync(TileDevice *device, Fault *fault) {
  (void)device, (void)fault;
  return true;
}

// `code` is an Image.
static bool packed_load(TileDevice *device, const CompiledCode *code,
                        const KernelInfo *info, DeviceKernel **out,
                        Fault *fault) {
  const Allocator *from = device->from;
  Image image;
  memcpy(&image, code->data, sizeof image);
  DeviceKernel *kernel = from->alloc(from->ctx, sizeof *kernel);
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  if (!kernel) return false;
  void *address = image_load(&image, &kernel->image);
  if (!address) {
    const int error = errno;
    from->free(from->ctx, kernel);
    return fault_set(fault,
                     error == ENOMEM ? TILE_OUT_OF_MEMORY : TILE_DEVICE_ERROR,
                     ERROR_image_not_loaded, info->symbol, strerror(error));
  }
  kernel->kernel = host_kernel(info, address);
  kernel->kernel.stack_bytes = host_stack_bytes(image.bytes, image.text_size);
  *out = kernel;
  return true;
}

static void packed_unload(TileDevice *device, DeviceKernel *kernel) {
  image_unload(&kernel->image);
  device->from->free(device->from->ctx, kernel);
}

static bool packed_launch(TileDevice *device, const DeviceLaunch *launch,
                          Fault *fault) {
  ThreadPool *pool = pool_for(device, launch->grid);
  const HostRun run = {device, pool, &launch->kernel->kernel, launch, NULL};
  if (pool) return host_run(&run, fault);
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  return false;
}

const DeviceOps device_ops_packed = {
    .name = "cpu",
    .max_grid = {INT32_MAX, INT32_MAX, INT32_MAX},
    .open = packed_open,
    .close = packed_close,
    .sync = packed_sync,
    .alloc = host_alloc,
    .free = host_free,
    .write = host_write,
    .read = host_read,
    .load = packed_load,
    .unload = packed_unload,
    .launch = packed_launch,
    .streams = &host_streams,
};
