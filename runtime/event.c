// event.c -- points in the order of streams.
#include "runtime/context.h"
#include "runtime/errors.h"

#include <stdatomic.h>

struct TileEvent {
  TileDevice *device;
  DeviceEvent event;
  atomic_bool recorded; // at least once
};

static const StreamOps *ops_of(const TileEvent *event) {
  return event->device->ops->streams;
}

TileStatus tile_event_create(TileDevice *device, TileEvent **out,
                             TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  if (!out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  const Allocator *from = device->from;
  TileEvent *event = from->alloc(from->ctx, sizeof *event);
  if (!event) return TILE_OUT_OF_MEMORY;
  *event = (TileEvent){.device = device, .recorded = false};
  Fault fault;
  fault_clear(&fault);
  if (device->ops->streams->event_create(device, &event->event, &fault)) {
    *out = event;
    return TILE_OK;
  }
  from->free(from->ctx, event);
  return report_fault(&report, &fault);
}

void tile_event_destroy(TileEvent *event) {
  if (!event) return;
  const Allocator *from = event->device->from;
  ops_of(event)->event_destroy(event->device, &event->event);
  from->free(from->ctx, event);
}

TileStatus tile_event_record(TileEvent *event, void *stream,
                             TileDiagnostics **diagnostics) {
  if (!event) return report_null(diagnostics, "event");
  const Report report = report_to(event->device->context, diagnostics);
  Fault fault;
  fault_clear(&fault);
  if (!ops_of(event)->event_record(event->device, &event->event, stream,
                                   &fault))
    return report_fault(&report, &fault);
  atomic_store(&event->recorded, true);
  return TILE_OK;
}

TileStatus tile_event_sync(TileEvent *event, TileDiagnostics **diagnostics) {
  if (!event) return report_null(diagnostics, "event");
  const Report report = report_to(event->device->context, diagnostics);
  Fault fault;
  fault_clear(&fault);
  if (ops_of(event)->event_sync(event->device, &event->event, &fault))
    return TILE_OK;
  return report_fault(&report, &fault);
}

TileStatus tile_event_wait(TileEvent *event, TileDevice *device, void *stream,
                           TileDiagnostics **diagnostics) {
  if (!event || !device)
    return report_null(diagnostics, event ? "device" : "event");
  const Report report = report_to(device->context, diagnostics);
  Fault fault;
  fault_clear(&fault);
  if (device->ops != event->device->ops)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_event_kinds,
                        device->name, event->device->name);
  if (ops_of(event)->event_wait(device, &event->event, stream, &fault))
    return TILE_OK;
  return report_fault(&report, &fault);
}

TileStatus tile_event_seconds(const TileEvent *start, const TileEvent *end,
                              double *seconds, TileDiagnostics **diagnostics) {
  if (!start || !end || !seconds)
    return report_null(diagnostics, !start ? "start" : end ? "seconds" : "end");
  const Report report = report_to(start->device->context, diagnostics);
  Fault fault;
  fault_clear(&fault);
  if (start->device != end->device)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_event_devices,
                        start->device->name, end->device->name);
  const bool has_start = atomic_load(&start->recorded);
  if (!has_start || !atomic_load(&end->recorded))
    return report_error(&report, TILE_INVALID_ARGUMENT,
                        ERROR_event_not_recorded, has_start ? "end" : "start");
  if (ops_of(start)->event_seconds(start->device, &start->event, &end->event,
                                   seconds, &fault))
    return TILE_OK;
  return report_fault(&report, &fault);
}
