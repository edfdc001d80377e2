// host_stream.c -- the only stream of a device whose memory is the host's.
#include "runtime/device/host_memory.h"

#include "runtime/base/base.h"
#include "runtime/errors.h"

#include <assert.h>
#include <string.h>

static bool is_own(void *stream, Fault *fault) {
  return !stream || fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_host_streams);
}

static bool create(TileDevice *device, void **stream, Fault *fault) {
  (void)device, (void)fault;
  *stream = NULL;
  return true;
}

static void destroy(TileDevice *device, void *stream) {
  (void)device, (void)stream;
}

static bool sync(TileDevice *device, void *stream, Fault *fault) {
  (void)device;
  return is_own(stream, fault);
}

static bool move(TileDevice *device, const DeviceMove *move, Fault *fault) {
  (void)device;
  if (!is_own(move->stream, fault)) return false;
  memcpy(move->to, move->from, move->size);
  return true;
}

static bool fill(TileDevice *device, const DeviceFill *fill, Fault *fault) {
  (void)device;
  assert(fill->each && fill->each <= sizeof fill->value &&
         !(fill->each & (fill->each - 1))); // I11
  if (!is_own(fill->stream, fault)) return false;
  if (fill->each == 1) {
    memset(fill->to, (int)fill->value, fill->count);
    return true;
  }
  for (size_t i = 0; i < fill->count; i++)
    memcpy((char *)fill->to + i * fill->each, &fill->value, fill->each);
  return true;
}

// -- Events ------------------------------------------------------------------

static bool event_create(TileDevice *device, DeviceEvent *event, Fault *fault) {
  (void)device, (void)fault;
  *event = (DeviceEvent){.handle = NULL};
  return true;
}

static void event_destroy(TileDevice *device, DeviceEvent *event) {
  (void)device, (void)event;
}

static bool event_record(TileDevice *device, DeviceEvent *event, void *stream,
                         Fault *fault) {
  (void)device;
  if (!is_own(stream, fault)) return false;
  event->seconds = clock_seconds();
  return true;
}

static bool event_sync(TileDevice *device, DeviceEvent *event, Fault *fault) {
  (void)device, (void)event, (void)fault;
  return true;
}

static bool event_wait(TileDevice *device, DeviceEvent *event, void *stream,
                       Fault *fault) {
  (void)device, (void)event;
  return is_own(stream, fault);
}

static bool event_seconds(TileDevice *device, const DeviceEvent *start,
                          const DeviceEvent *end, double *seconds,
                          Fault *fault) {
  (void)device, (void)fault;
  *seconds = end->seconds - start->seconds;
  return true;
}

const StreamOps host_streams = {
    .create = create,
    .destroy = destroy,
    .sync = sync,
    .move = move,
    .fill = fill,
    .pin = host_alloc,
    .unpin = host_free,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_sync = event_sync,
    .event_wait = event_wait,
    .event_seconds = event_seconds,
};
