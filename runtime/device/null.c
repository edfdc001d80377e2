// null.c -- a device that accepts everything and runs nothing.
//
// The skeleton to copy for a new device.  The device compiles for the host, so
// that everything except running is exercised.
#include "runtime/device/host_memory.h"

#include <stdio.h>

static bool null_open(TileDevice *device, int index, Fault *fault) {
  (void)index, (void)fault;
  device->target = target_find("cpu");
  device->code = EMIT_OBJECT;
  device->num_processors = 1;
  snprintf(device->summary, sizeof device->summary, "runs nothing");
  return true;
}

static void null_close(TileDevice *device) {
  (void)device;
}

static bool null_sync(TileDevice *device, Fault *fault) {
  (void)device, (void)fault;
  return true;
}

static bool null_load(TileDevice *device, const CompiledCode *code,
                      const KernelInfo *info, DeviceKernel **kernel,
                      Fault *fault) {
  (void)device, (void)code, (void)info, (void)fault;
  *kernel = NULL;
  return true;
}

static void null_unload(TileDevice *device, DeviceKernel *kernel) {
  (void)device, (void)kernel;
}

static bool null_launch(TileDevice *device, const DeviceLaunch *launch,
                        Fault *fault) {
  (void)device, (void)launch, (void)fault;
  return true;
}

static bool null_describe(TileDevice *device, DeviceKernel *kernel,
                          const KernelInfo *info, TileKernelInfo *out,
                          Fault *fault) {
  (void)device, (void)kernel, (void)info, (void)out, (void)fault;
  return true;
}

const DeviceOps device_ops_null = {
    .name = "null",
    .max_grid = {INT32_MAX, INT32_MAX, INT32_MAX},
    .open = null_open,
    .close = null_close,
    .sync = null_sync,
    .alloc = host_alloc,
    .free = host_free,
    .write = host_write,
    .read = host_read,
    .load = null_load,
    .unload = null_unload,
    .launch = null_launch,
    .streams = &host_streams,
    .describe = null_describe,
};
