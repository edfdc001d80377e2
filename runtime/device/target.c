// target.c -- a device that is a target alone: code is made for it, and it runs
// nothing.
#include "runtime/device/device.h"

#include "runtime/errors.h"

#include <stdio.h>

static bool refuse(const TileDevice *device, Fault *fault) {
  return fault_set(fault, TILE_UNSUPPORTED, ERROR_target_runs_nothing,
                   device->name);
}

// The name is that of the target.
static bool target_open(TileDevice *device, int index, Fault *fault) {
  (void)index, (void)fault;
  device->target = target_find(device->name);
  device->code = device->target->is_gpu ? EMIT_ASM : EMIT_OBJECT;
  device->num_processors = 1;
  snprintf(device->summary, sizeof device->summary, "a target, no device");
  return true;
}

static void target_close(TileDevice *device) {
  (void)device;
}

static bool target_sync(TileDevice *device, Fault *fault) {
  (void)device, (void)fault;
  return true;
}

static bool target_alloc(TileDevice *device, size_t size, void **address,
                         Fault *fault) {
  (void)size, (void)address;
  return refuse(device, fault);
}

// There are no buffers.
static void target_free(TileDevice *device, void *address) {
  (void)device, (void)address;
}

static bool target_write(TileDevice *device, void *to, const void *from,
                         size_t size, Fault *fault) {
  (void)to, (void)from, (void)size;
  return refuse(device, fault);
}

static bool target_read(TileDevice *device, void *to, const void *from,
                        size_t size, Fault *fault) {
  (void)to, (void)from, (void)size;
  return refuse(device, fault);
}

static bool target_load(TileDevice *device, const CompiledCode *code,
                        const KernelInfo *info, DeviceKernel **kernel,
                        Fault *fault) {
  (void)device, (void)code, (void)info, (void)fault;
  *kernel = NULL;
  return true;
}

static void target_unload(TileDevice *device, DeviceKernel *kernel) {
  (void)device, (void)kernel;
}

static bool target_launch(TileDevice *device, const DeviceLaunch *launch,
                          Fault *fault) {
  (void)launch;
  return refuse(device, fault);
}

static bool target_describe(TileDevice *device, DeviceKernel *kernel,
                            const KernelInfo *info, TileKernelInfo *out,
                            Fault *fault) {
  (void)device, (void)kernel, (void)fault;
  out->scratch_bytes = info->scratch_bytes;
  out->programs_per_processor = 0; // nobody knows
  return true;
}

const DeviceOps device_ops_target = {
    .name = "target",
    .max_grid = {INT32_MAX, INT32_MAX, INT32_MAX},
    .open = target_open,
    .close = target_close,
    .sync = target_sync,
    .alloc = target_alloc,
    .free = target_free,
    .write = target_write,
    .read = target_read,
    .load = target_load,
    .unload = target_unload,
    .launch = target_launch,
    .describe = target_describe,
};
