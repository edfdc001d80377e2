// packed.c -- the processor we run on, for code that was compiled before: it
// comes from images, and no compiler is here.
#include "runtime/context.h"
#include "runtime/device/host_grid.h"
#include "runtime/device/host_memory.h"
#include "runtime/device/image.h"
#include "runtime/errors.h"

#include <string.h>

struct DeviceKernel {
  LoadedImage image;
  HostKernel kernel;
};

static bool packed_open(TileDevice *device, int index, Fault *fault) {
  (void)index;
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  ThreadPool *pool =
      thread_pool_create(device->from, device->context->num_threads);
  if (!pool) return false;
  device->state = pool;
  device->target = target_find("cpu");
  device->code = EMIT_OBJECT;
  device->num_processors = thread_pool_size(pool);
  return true;
}

static void packed_close(TileDevice *device) {
  thread_pool_destroy(device->state);
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
  void *address = kernel ? image_load(&image, &kernel->image) : NULL;
  if (!address) {
    if (kernel) from->free(from->ctx, kernel);
    return fault_set(fault, TILE_OUT_OF_MEMORY, ERROR_image_not_loaded,
                     info->symbol);
  }
  kernel->kernel = host_kernel(info, address);
  *out = kernel;
  return true;
}

static void packed_unload(TileDevice *device, DeviceKernel *kernel) {
  image_unload(&kernel->image);
  device->from->free(device->from->ctx, kernel);
}

static bool packed_launch(TileDevice *device, const DeviceLaunch *launch,
                          Fault *fault) {
  return host_run(device, device->state, &launch->kernel->kernel, launch,
                  fault);
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
