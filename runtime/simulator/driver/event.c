// event.c -- events, and times between them.
#include "runtime/simulator/driver/driver.h"

enum { EVENT_BLOCKING = 1, EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4 };

// An event that other processes share must be without times.
static bool are_flags(unsigned flags) {
  const bool is_shared = flags & EVENT_INTERPROCESS;
  return flags <=
             (EVENT_BLOCKING | EVENT_DISABLE_TIMING | EVENT_INTERPROCESS) &&
         (!is_shared || flags & EVENT_DISABLE_TIMING);
}

CUresult locked_cuEventCreate(CUevent *event, unsigned flags) {
  Context *context;
  const CUresult error = context_check(&context);
  if (error) return error;
  if (!event || !are_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  Event *made = object_create(HANDLE_EVENT, sizeof *made, context);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  made->untimed = flags & EVENT_DISABLE_TIMING;
  *event = made->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuEventDestroy_v2(CUevent event) {
  Event *found;
  const CUresult error = object_check(HANDLE_EVENT, event, &found);
  if (!error) object_destroy(&found->object);
  return error;
}

// Event and stream must be of one context.
CUresult locked_cuEventRecord(CUevent event, CUstream stream) {
  Event *found;
  Context *context;
  CUresult error = object_check(HANDLE_EVENT, event, &found);
  if (!error) error = stream_check(stream, &context);
  if (error) return error;
  if (found->object.context != context) return CUDA_ERROR_INVALID_HANDLE;
  found->recorded = true;
  found->executed = sim_driver.executed;
  return CUDA_SUCCESS;
}

CUresult locked_cuEventRecordWithFlags(CUevent event, CUstream stream,
                                       unsigned flags) {
  enum { EXTERNAL = 1 };
  if (flags > EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
  return locked_cuEventRecord(event, stream);
}

CUresult locked_cuEventQuery(CUevent event) {
  return locked_cuEventSynchronize(event);
}

// An event that was never recorded is complete.
CUresult locked_cuEventSynchronize(CUevent event) {
  Event *found;
  const CUresult error = object_check(HANDLE_EVENT, event, &found);
  if (error || !found->recorded) return error;
  return take_error(found->object.context);
}

// A time that derives from counters: the instructions of all warps, one in each
// cycle and processor.  The time orders programs by work, not by speed.
CUresult locked_cuEventElapsedTime_v2(float *milliseconds, CUevent from,
                                      CUevent to) {
  Event *first, *last;
  CUresult error = object_check(HANDLE_EVENT, from, &first);
  if (!error) error = object_check(HANDLE_EVENT, to, &last);
  if (error) return error;
  if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
  if (first->object.context != last->object.context || first->untimed ||
      last->untimed || !first->recorded || !last->recorded)
    return CUDA_ERROR_INVALID_HANDLE;
  const Chip *chip = sim_driver.device.chip;
  const double cycles =
      ((double)last->executed - (double)first->executed) / chip->processors;
  *milliseconds = (float)(cycles / (1000.0 * chip->clock_mhz));
  return CUDA_SUCCESS;
}

CUresult locked_cuEventElapsedTime(float *milliseconds, CUevent from,
                                   CUevent to) {
  return locked_cuEventElapsedTime_v2(milliseconds, from, to);
}
