// transfer.c -- streams, and copies and fills in their order.
#include "runtime/context.h"
#include "runtime/errors.h"

#include <string.h>

static TileStatus report_of(const Report *report, bool ok, const Fault *fault) {
  return ok ? TILE_OK : report_fault(report, fault);
}

// -- Streams -----------------------------------------------------------------

TileStatus tile_stream_create(TileDevice *device, void **out,
                              TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  if (!out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  Fault fault;
  fault_clear(&fault);
  return report_of(&report, device->ops->streams->create(device, out, &fault),
                   &fault);
}

void tile_stream_destroy(TileDevice *device, void *stream) {
  if (device && stream) device->ops->streams->destroy(device, stream);
}

TileStatus tile_stream_sync(TileDevice *device, void *stream,
                            TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  Fault fault;
  fault_clear(&fault);
  return report_of(&report, device->ops->streams->sync(device, stream, &fault),
                   &fault);
}

// -- Parts of buffers --------------------------------------------------------

static TileStatus check_part(const Report *report, const TileBuffer *buffer,
                             size_t offset, size_t size) {
  if (offset <= buffer->size && size <= buffer->size - offset) return TILE_OK;
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_transfer_range, size,
                      offset, buffer->size);
}

static void *at(const TileBuffer *buffer, size_t offset) {
  return (char *)buffer->address + offset;
}

static TileStatus move(const Report *report, TileDevice *device,
                       const DeviceMove *move) {
  Fault fault;
  fault_clear(&fault);
  if (!move->size) return TILE_OK;
  return report_of(report, device->ops->streams->move(device, move, &fault),
                   &fault);
}

// -- Copies between buffers --------------------------------------------------

typedef struct {
  const Report *report;
  const TileBuffer *to, *from;
  size_t to_offset, from_offset, size;
  void *stream;
} CopyCall;

static bool is_host(const TileDevice *device) {
  return !device->target || !device->target->is_gpu;
}

static bool overlaps(const CopyCall *c) {
  return c->to == c->from && c->size &&
         c->to_offset < c->from_offset + c->size &&
         c->from_offset < c->to_offset + c->size;
}

// Copies between devices of one kind, in the order of a stream.
static TileStatus copy_on_stream(const CopyCall *c) {
  TileDevice *device = c->to->device, *peer = c->from->device;
  const bool is_peer = device != peer;
  if (is_peer && !c->stream) {
    const TileStatus status = tile_device_sync(peer, c->report->out);
    if (status) return status;
  }
  return move(c->report, device,
              &(DeviceMove){.kind = is_peer ? MOVE_PEER : MOVE_WITHIN,
                            .to = at(c->to, c->to_offset),
                            .from = at(c->from, c->from_offset),
                            .size = c->size,
                            .peer = is_peer ? peer : NULL,
                            .stream = c->stream});
}

// Copies from or to memory of the host, after all launches.
static TileStatus copy_now(const CopyCall *c) {
  void *to = at(c->to, c->to_offset);
  const void *from = at(c->from, c->from_offset);
  TileDevice *gpu = is_host(c->to->device) ? c->from->device : c->to->device;
  Fault fault;
  fault_clear(&fault);
  if (c->stream)
    return report_error(c->report, TILE_INVALID_ARGUMENT, ERROR_host_streams);
  if (!c->size) return TILE_OK;
  const bool ok = gpu == c->to->device
                      ? gpu->ops->write(gpu, to, from, c->size, &fault)
                      : gpu->ops->read(gpu, to, from, c->size, &fault);
  return report_of(c->report, ok, &fault);
}

static TileStatus copy(const CopyCall *c) {
  const TileDevice *to = c->to->device, *from = c->from->device;
  TileStatus status = check_part(c->report, c->to, c->to_offset, c->size);
  if (!status) status = check_part(c->report, c->from, c->from_offset, c->size);
  if (status) return status;
  if (overlaps(c))
    return report_error(c->report, TILE_INVALID_ARGUMENT,
                        ERROR_transfer_overlap);
  if (to->ops == from->ops) return copy_on_stream(c);
  if (is_host(to) || is_host(from)) return copy_now(c);
  return report_error(c->report, TILE_UNSUPPORTED, ERROR_transfer_kinds,
                      from->name, to->name);
}

TileStatus tile_buffer_copy(TileBuffer *to, size_t to_offset,
                            const TileBuffer *from, size_t from_offset,
                            size_t size, void *stream,
                            TileDiagnostics **diagnostics) {
  if (!to || !from) return report_null(diagnostics, to ? "from" : "to");
  const Report report = report_to(to->device->context, diagnostics);
  return copy(
      &(CopyCall){&report, to, from, to_offset, from_offset, size, stream});
}

// -- Fills -------------------------------------------------------------------

static TileStatus fill(const Report *report, TileDevice *device,
                       const DeviceFill *fill) {
  Fault fault;
  fault_clear(&fault);
  if (!fill->count) return TILE_OK;
  return report_of(report, device->ops->streams->fill(device, fill, &fault),
                   &fault);
}

TileStatus tile_buffer_fill(TileBuffer *buffer, size_t offset, size_t size,
                            const void *value, size_t value_size, void *stream,
                            TileDiagnostics **diagnostics) {
  if (!buffer || !value)
    return report_null(diagnostics, buffer ? "value" : "buffer");
  const Report report = report_to(buffer->device->context, diagnostics);
  const TileStatus status = check_part(&report, buffer, offset, size);
  if (status) return status;
  const bool is_size =
      value_size == 1 || value_size == 2 || value_size == 4 || value_size == 8;
  if (!is_size || offset % value_size || size % value_size)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_transfer_value,
                        value_size, size, offset);
  DeviceFill what = {.to = at(buffer, offset),
                     .count = size / value_size,
                     .each = value_size,
                     .stream = stream};
  memcpy(&what.value, value, value_size);
  return fill(&report, buffer->device, &what);
}

// -- Copies from and to the host ---------------------------------------------

static TileStatus move_part(const TileBuffer *buffer, size_t offset,
                            DeviceMove *what, TileDiagnostics **diagnostics) {
  const Report report = report_to(buffer->device->context, diagnostics);
  const TileStatus status = check_part(&report, buffer, offset, what->size);
  return status ? status : move(&report, buffer->device, what);
}

TileStatus tile_buffer_write_async(TileBuffer *buffer, size_t offset,
                                   const void *from, size_t size, void *stream,
                                   TileDiagnostics **diagnostics) {
  if (!buffer || (!from && size))
    return report_null(diagnostics, buffer ? "from" : "buffer");
  DeviceMove what = {.kind = MOVE_TO_DEVICE,
                     .to = at(buffer, offset),
                     .from = from,
                     .size = size,
                     .stream = stream};
  return move_part(buffer, offset, &what, diagnostics);
}

TileStatus tile_buffer_read_async(const TileBuffer *buffer, size_t offset,
                                  void *to, size_t size, void *stream,
                                  TileDiagnostics **diagnostics) {
  if (!buffer || (!to && size))
    return report_null(diagnostics, buffer ? "to" : "buffer");
  DeviceMove what = {.kind = MOVE_FROM_DEVICE,
                     .to = to,
                     .from = at(buffer, offset),
                     .size = size,
                     .stream = stream};
  return move_part(buffer, offset, &what, diagnostics);
}

TileStatus tile_host_alloc(TileDevice *device, size_t size, void **out,
                           TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  if (!out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  Fault fault;
  fault_clear(&fault);
  return report_of(
      &report, device->ops->streams->pin(device, size ? size : 1, out, &fault),
      &fault);
}

void tile_host_free(TileDevice *device, void *address) {
  if (device && address) device->ops->streams->unpin(device, address);
}
