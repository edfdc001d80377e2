// target.c -- a device that is only a target: code is made for it, and it runs
// nothing.
#include "runtime/device/device.h"

#include "runtime/errors.h"

#include <stdio.h>

static bool refuse(const TileDevice *device, Fault *fault) {
  return fault_set(fault, TILE_UNSUPPORTED, ERROR_target_runs_nothing,
                   device->name);
}

// The device's name is that of the target.
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
  out->programs_per_processor = 0; // unknown
  return true;
}

// -- Streams -----------------------------------------------------------------

static bool refuse_create(TileDevice *device, void **stream, Fault *fault) {
  (void)stream;
  return refuse(device, fault);
}

// There are no streams, so none has anything to do.
static void stream_destroy(TileDevice *device, void *stream) {
  (void)device, (void)stream;
}

static bool stream_sync(TileDevice *device, void *stream, Fault *fault) {
  (void)stream;
  return target_sync(device, fault);
}

static bool refuse_move(TileDevice *device, const DeviceMove *move,
                        Fault *fault) {
  (void)move;
  return refuse(device, fault);
}

static bool refuse_fill(TileDevice *device, const DeviceFill *fill,
                        Fault *fault) {
  (void)fill;
  return refuse(device, fault);
}

static bool refuse_event(TileDevice *device, DeviceEvent *event, Fault *fault) {
  (void)event;
  return refuse(device, fault);
}

// There are no events that these functions could be called with.
static const StreamOps target_streams = {
    .create = refuse_create,
    .destroy = stream_destroy,
    .sync = stream_sync,
    .move = refuse_move,
    .fill = refuse_fill,
    .pin = target_alloc,
    .unpin = target_free,
    .event_create = refuse_event,
};

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
    .streams = &target_streams,
    .describe = target_describe,
};
