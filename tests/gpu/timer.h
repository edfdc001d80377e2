// timer.h -- times of launches by the GPU's own clock.
//
// Loads the driver that the device uses a second time, for the functions that
// only measuring needs.
#ifndef TILE_TESTS_GPU_TIMER_H
#define TILE_TESTS_GPU_TIMER_H

#include "runtime/device/cuda_api.h"

#include <stdbool.h>

typedef struct CUevent_st *CUevent;

typedef struct {
  CUresult (*retain)(CUcontext *context, CUdevice device);
  CUresult (*push)(CUcontext context);
  CUresult (*stream_create)(CUstream *stream, unsigned flags);
  CUresult (*stream_destroy)(CUstream stream);
  CUresult (*stream_sync)(CUstream stream);
  CUresult (*event_create)(CUevent *event, unsigned flags);
  CUresult (*event_destroy)(CUevent event);
  CUresult (*event_record)(CUevent event, CUstream stream);
  CUresult (*event_sync)(CUevent event);
  CUresult (*elapsed)(float *milliseconds, CUevent start, CUevent end);
  CUresult (*copy)(CUdeviceptr to, CUdeviceptr from, size_t size,
                   CUstream stream);
  CUresult (*set)(CUdeviceptr at, unsigned char byte, size_t size,
                  CUstream stream);
} TimerApi;

typedef struct {
  TimerApi api;
  CUevent start, end;
  CUstream stream; // the context of the timed launches
} Timer;

// For the device of that name, "cuda:0" or "sim".  False after saying why.
bool timer_open(Timer *timer, const char *device);
void timer_close(Timer *timer);
void timer_start(Timer *timer);
double timer_stop(Timer *timer); // seconds since; waits

#endif
