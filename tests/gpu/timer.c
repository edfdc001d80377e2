// timer.c -- events of the CUDA driver.
//
// The driver's library stays loaded until the process ends.
#include "tests/gpu/timer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *library_of(const char *device) {
  const char *named = getenv("TILE_LIBCUDA");
  if (!strcmp(device, "sim")) return "libtilesim.so";
  return named && *named ? named : "libcuda.so.1";
}

static const struct {
  const char *symbol;
  size_t offset;
} entries[] = {
    {"cuDevicePrimaryCtxRetain", offsetof(TimerApi, retain)},
    {"cuCtxPushCurrent_v2", offsetof(TimerApi, push)},
    {"cuStreamCreate", offsetof(TimerApi, stream_create)},
    {"cuStreamDestroy_v2", offsetof(TimerApi, stream_destroy)},
    {"cuStreamSynchronize", offsetof(TimerApi, stream_sync)},
    {"cuEventCreate", offsetof(TimerApi, event_create)},
    {"cuEventDestroy_v2", offsetof(TimerApi, event_destroy)},
    {"cuEventRecord", offsetof(TimerApi, event_record)},
    {"cuEventSynchronize", offsetof(TimerApi, event_sync)},
    {"cuEventElapsedTime", offsetof(TimerApi, elapsed)},
    {"cuMemcpyDtoDAsync_v2", offsetof(TimerApi, copy)},
    {"cuMemsetD8Async", offsetof(TimerApi, set)},
};

static bool load(TimerApi *api, const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), false;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *address = dlsym(library, entries[i].symbol);
    if (!address) {
      fprintf(stderr, "%s has no %s\n", path, entries[i].symbol);
      return false;
    }
    memcpy((char *)api + entries[i].offset, &address, sizeof address);
  }
  return true;
}

bool timer_open(Timer *timer, const char *device) {
  CUcontext context;
  const char *colon = strchr(device, ':');
  const TimerApi *api = &timer->api;
  if (!load(&timer->api, library_of(device))) return false;
  return !api->retain(&context, colon ? atoi(colon + 1) : 0) &&
         !api->push(context) &&
         !api->stream_create(&timer->stream, CU_STREAM_NON_BLOCKING) &&
         !api->event_create(&timer->start, 0) &&
         !api->event_create(&timer->end, 0);
}

void timer_close(Timer *timer) {
  timer->api.event_destroy(timer->end);
  timer->api.event_destroy(timer->start);
  timer->api.stream_destroy(timer->stream);
}

void timer_start(Timer *timer) {
  timer->api.event_record(timer->start, timer->stream);
}

double timer_stop(Timer *timer) {
  float milliseconds = 0;
  timer->api.event_record(timer->end, timer->stream);
  timer->api.event_sync(timer->end);
  timer->api.elapsed(&milliseconds, timer->start, timer->end);
  return 1e-3 * (double)milliseconds;
}
