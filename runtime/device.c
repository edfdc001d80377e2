// device.c -- opening devices by name, and their buffers.
#include "runtime/device/device.h"

#include "runtime/compile/compile.h"
#include "runtime/context.h"
#include "runtime/dlpack.h"
#include "runtime/errors.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const DeviceOps *const device_table[] = {
#define DEVICE(name) &device_ops_##name,
#include "runtime/device/devices.def"
};
enum {
  NUM_KINDS = sizeof device_table / sizeof *device_table,
  MAX_TARGETS = 64,
};

TileStatus report_fault(const Report *report, const Fault *fault) {
  if (!fault->text[0]) return fault->status;
  return report_text(report, fault->status, fault->text, fault->format);
}

// -- Names -------------------------------------------------------------------

static TileStatus report_unknown(const Report *report, const char *name) {
  const char *names[NUM_KINDS];
  for (int i = 0; i < NUM_KINDS; i++) names[i] = device_table[i]->name;
  const char *near =
      !strncmp(name, "gpu", 3) ? "cuda" : diag_nearest(name, names, NUM_KINDS);
  if (near)
    return report_error(report, TILE_INVALID_ARGUMENT,
                        ERROR_unknown_device_near, name, near);
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_unknown_device,
                      name);
}

// -- Opening -----------------------------------------------------------------

static void name_device(TileDevice *device, const char *name, int index) {
  snprintf(device->name, sizeof device->name,
           device->ops->has_index ? "%s:%d" : "%s", name, index);
}

static TileStatus open_named(TileContext *context, const DeviceOps *ops,
                             const char *name, int index, TileDevice **out,
                             Fault *fault) {
  const Allocator *from = &context->from;
  TileDevice *device = from->alloc(from->ctx, sizeof *device);
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  if (!device) return TILE_OUT_OF_MEMORY;
  *device = (TileDevice){.context = context,
                         .settings = &context->settings,
                         .from = from,
                         .ops = ops,
                         .is_kept = context->disk,
                         .index = index};
  name_device(device, name, index);
  if (!ops->open(device, index, fault)) {
    from->free(from->ctx, device);
    return fault->status;
  }
  assert(!device->target || device->num_processors > 0); // I4
  pthread_mutex_lock(&context->lock);
  device->next = context->devices;
  context->devices = device;
  pthread_mutex_unlock(&context->lock);
  *out = device;
  return TILE_OK;
}

static TileStatus open_one(TileContext *context, const DeviceOps *ops,
                           int index, TileDevice **out, Fault *fault) {
  return open_named(context, ops, ops->name, index, out, fault);
}

// Opens a GPU if there is one that works, else the CPU.
static TileStatus open_best(TileContext *context, TileDevice **out,
                            Fault *fault) {
  const TileStatus status = open_one(context, &device_ops_cuda, 0, out, fault);
  if (status != TILE_UNAVAILABLE) return status;
  return open_one(context, &device_ops_cpu, 0, out, fault);
}

static TileStatus report_open(const Report *report, TileStatus status,
                              const Fault *fault) {
  return status ? report_fault(report, fault) : TILE_OK;
}

TileStatus tile_device_open(TileContext *context, const char *name,
                            TileDevice **out, TileDiagnostics **diagnostics) {
  if (!context) return report_null(diagnostics, "context");
  const Report report = report_to(context, diagnostics);
  if (!out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  if (!name) name = getenv("TILE_DEVICE");
  Fault fault = {.status = TILE_OK};
  if (!name || !*name)
    return report_open(&report, open_best(context, out, &fault), &fault);
  int index;
  const DeviceOps *ops =
      device_kind_find(device_table, NUM_KINDS, name, &index);
  if (!ops) return report_unknown(&report, name);
  return report_open(&report, open_one(context, ops, index, out, &fault),
                     &fault);
}

static TileStatus report_no_target(const Report *report, const char *name) {
  const char *names[MAX_TARGETS];
  int count = 0;
  for (; count < target_count && count < MAX_TARGETS; count++)
    names[count] = target_table[count].name;
  const char *near = diag_nearest(name, names, (size_t)count);
  if (near)
    return report_error(report, TILE_INVALID_ARGUMENT,
                        ERROR_unknown_target_near, name, near);
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_unknown_target,
                      name);
}

TileStatus tile_target_open(TileContext *context, const char *target,
                            TileDevice **out, TileDiagnostics **diagnostics) {
  if (!context) return report_null(diagnostics, "context");
  const Report report = report_to(context, diagnostics);
  if (!target || !out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        target ? "out" : "target");
  if (!target_find(target)) return report_no_target(&report, target);
  Fault fault = {.status = TILE_OK};
  return report_open(
      &report, open_named(context, &device_ops_target, target, 0, out, &fault),
      &fault);
}

void tile_device_destroy(TileDevice *device) {
  if (!device) return;
  TileContext *context = device->context;
  upgrade_forget(&context->upgrades, NULL, device);
  pool_drop_device(&context->variants, device);
  pthread_mutex_lock(&context->lock);
  TileDevice **link = &context->devices;
  while (*link != device) link = &(*link)->next;
  *link = device->next;
  pthread_mutex_unlock(&context->lock);
  device->ops->close(device);
  device->from->free(device->from->ctx, device);
}

// -- Queries -----------------------------------------------------------------

const char *tile_device_name(const TileDevice *device) {
  return device ? device->name : "";
}

const char *tile_device_target(const TileDevice *device) {
  return device ? device->target->name : "";
}

const char *tile_device_summary(const TileDevice *device) {
  return device ? device->summary : "";
}

int tile_device_num_processors(const TileDevice *device) {
  return device ? device->num_processors : 0;
}

TileStatus tile_device_sync(TileDevice *device, TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  Fault fault = {.status = TILE_OK};
  if (device->ops->sync(device, &fault)) return TILE_OK;
  return report_fault(&report, &fault);
}

// -- Buffers -----------------------------------------------------------------

TileStatus tile_buffer_create(TileDevice *device, size_t size,
                              TileBuffer **out) {
  if (!device || !out) return TILE_INVALID_ARGUMENT;
  const Allocator *from = device->from;
  TileBuffer *buffer = from->alloc(from->ctx, sizeof *buffer);
  if (!buffer) return TILE_OUT_OF_MEMORY;
  *buffer = (TileBuffer){.device = device, .size = size};
  Fault fault;
  // An empty buffer has an address too, since kernels may get it.
  if (!device->ops->alloc(device, size ? size : 1, &buffer->address, &fault)) {
    from->free(from->ctx, buffer);
    return fault.status;
  }
  *out = buffer;
  return TILE_OK;
}

void tile_buffer_destroy(TileBuffer *buffer) {
  if (!buffer) return;
  const Allocator *from = buffer->device->from;
  if (buffer->owner)
    dlpack_release(buffer);
  else
    buffer->device->ops->free(buffer->device, buffer->address);
  from->free(from->ctx, buffer);
}

size_t tile_buffer_size(const TileBuffer *buffer) {
  return buffer ? buffer->size : 0;
}

void *tile_buffer_address(const TileBuffer *buffer) {
  return buffer ? buffer->address : NULL;
}

static bool in_range(const TileBuffer *buffer, size_t offset, size_t size) {
  return offset <= buffer->size && size <= buffer->size - offset;
}

TileStatus tile_buffer_write(TileBuffer *buffer, size_t offset,
                             const void *from, size_t size) {
  if (!buffer || (!from && size) || !in_range(buffer, offset, size))
    return TILE_INVALID_ARGUMENT;
  if (!size) return TILE_OK;
  Fault fault;
  char *to = (char *)buffer->address + offset;
  if (buffer->device->ops->write(buffer->device, to, from, size, &fault))
    return TILE_OK;
  return fault.status;
}

TileStatus tile_buffer_read(const TileBuffer *buffer, size_t offset, void *to,
                            size_t size) {
  if (!buffer || (!to && size) || !in_range(buffer, offset, size))
    return TILE_INVALID_ARGUMENT;
  if (!size) return TILE_OK;
  Fault fault;
  const char *from = (const char *)buffer->address + offset;
  if (buffer->device->ops->read(buffer->device, to, from, size, &fault))
    return TILE_OK;
  return fault.status;
}
