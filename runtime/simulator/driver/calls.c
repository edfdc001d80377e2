// calls.c -- the exported functions that take the driver's lock.
#include "runtime/simulator/driver/driver.h"

static CUresult lock(void) {
  pthread_mutex_lock(&sim_driver.lock);
  return sim_driver.is_open ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static CUresult unlock(CUresult result) {
  pthread_mutex_unlock(&sim_driver.lock);
  return result;
}

#define CALL_SINCE(since, name, symbol, params)
#define LOCKED_SINCE(since, name, symbol, params, args)                        \
  CUresult symbol params {                                                     \
    const CUresult error = lock();                                             \
    return unlock(error ? error : locked_##symbol args);                       \
  }
#include "runtime/simulator/driver/calls.def"

CUresult stream_find(CUstream stream, CUresult *pending) {
  Context *context;
  CUresult error = lock();
  if (!error) error = stream_check(stream, &context);
  if (!error && pending) *pending = context->pending;
  return unlock(error);
}
