// driver.c -- initialisation, devices, contexts, errors.
#include "runtime/simulator/driver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Driver sim_driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
  CUcontext stack[MAX_CONTEXTS];
  int depth;
} contexts;

static const Chip chips[] = {
#define CHIP(name, ...) {#name, __VA_ARGS__},
#include "runtime/simulator/chips.def"
};

enum { DRIVER_VERSION = 13000 };

const Chip *chip_find(const char *name) {
  if (!name || !*name) name = "sm_80";
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
    if (strcmp(chips[i].name, name) == 0) return &chips[i];
  }
  return NULL;
}

CUresult driver_enter(void) {
  pthread_mutex_lock(&sim_driver.lock);
  if (!sim_driver.is_open) return CUDA_ERROR_NOT_INITIALIZED;
  return sim_driver.sticky;
}

CUresult driver_leave(CUresult result) {
  pthread_mutex_unlock(&sim_driver.lock);
  return result;
}

CUresult take_error(Driver *driver) {
  if (driver->sticky) return driver->sticky;
  const CUresult error = driver->pending;
  driver->pending = CUDA_SUCCESS;
  return error;
}

CUcontext current_context(void) {
  return contexts.depth ? contexts.stack[contexts.depth - 1] : NULL;
}

unsigned driver_checks(void) {
  const char *text = getenv("TILE_SIM_CHECKS");
  const unsigned usual = CHECK_SHARED | CHECK_RACES;
  if (!text) return usual;
  if (strcmp(text, "none") == 0) return 0;
  return strcmp(text, "all") == 0 ? usual | CHECK_GLOBAL : usual;
}

// -- Errors ------------------------------------------------------------------

typedef struct {
  CUresult number;
  const char *name, *text;
} ErrorInfo;

static const ErrorInfo errors[] = {
#define ERROR(name, number, text) {number, #name, text},
#include "runtime/simulator/errors.def"
};

static const ErrorInfo *find_error(CUresult number) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].number == number) return &errors[i];
  }
  return NULL;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **text);
EXPORT CUresult cuGetErrorName(CUresult error, const char **text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  const ErrorInfo *info = find_error(error);
  *text = info ? info->name : NULL;
  return info ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **text);
EXPORT CUresult cuGetErrorString(CUresult error, const char **text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  const ErrorInfo *info = find_error(error);
  *text = info ? info->text : NULL;
  return info ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// -- Devices -----------------------------------------------------------------

// When the library is unloaded, what it reserved goes too, unless somebody
// still holds the context: then what was never freed is told.
__attribute__((destructor)) static void unload(void) {
  Memory *memory = &sim_driver.device.memory;
  if (!sim_driver.primary.references)
    memory_close(memory);
  else if (!sim_driver.sticky)
    report_leaks(memory);
}

EXPORT CUresult cuInit(unsigned flags);
EXPORT CUresult cuInit(unsigned flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&sim_driver.lock);
  if (sim_driver.is_open) return driver_leave(CUDA_SUCCESS);
  const Chip *chip = chip_find(getenv("TILE_SIM_CHIP"));
  if (!chip) {
    fprintf(stderr, "tilesim: TILE_SIM_CHIP names no chip that it knows\n");
    return driver_leave(CUDA_ERROR_NO_DEVICE);
  }
  sim_driver.device.chip = chip;
  if (!memory_open(&sim_driver.device.memory, (uint64_t)chip->memory_gb << 30))
    return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
  sim_driver.is_open = true;
  return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuDriverGetVersion(int *version);
EXPORT CUresult cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = DRIVER_VERSION;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count);
EXPORT CUresult cuDeviceGetCount(int *count) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = sim_driver.is_open;
  return sim_driver.is_open ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static CUresult check_device(CUdevice device) {
  if (!sim_driver.is_open) return CUDA_ERROR_NOT_INITIALIZED;
  return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal);
EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return check_device(ordinal);
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device);
EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = check_device(device);
  if (error || length <= 0) return error ? error : CUDA_ERROR_INVALID_VALUE;
  snprintf(name, (size_t)length, "%s", sim_driver.device.chip->product);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = check_device(device);
  if (!error) *bytes = sim_driver.device.memory.limit;
  return error;
}

EXPORT CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device);
EXPORT CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device) {
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  memset(uuid, 0x51, 16);
  return check_device(device);
}

// That a driver of today knows; those not in the table are 0.
enum { MOST_ATTRIBUTES = 200 };

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute,
                                     CUdevice device);
EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute,
                                     CUdevice device) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = check_device(device);
  if (error) return error;
  const Chip *chip = sim_driver.device.chip;
  switch (attribute) {
#define ATTRIBUTE(number, amount)                                              \
  case number:                                                                 \
    *value = (amount);                                                         \
    return CUDA_SUCCESS;
#include "runtime/simulator/attributes.def"
  default: *value = 0;
  }
  return attribute < 1 || attribute > MOST_ATTRIBUTES ? CUDA_ERROR_INVALID_VALUE
                                                      : CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor,
                                          CUdevice device);
EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor,
                                          CUdevice device) {
  if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = check_device(device);
  if (error) return error;
  *major = sim_driver.device.chip->major;
  *minor = sim_driver.device.chip->minor;
  return CUDA_SUCCESS;
}

// -- Contexts ----------------------------------------------------------------

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  if (device) return driver_leave(CUDA_ERROR_INVALID_DEVICE);
  sim_driver.primary.is_primary = true;
  sim_driver.primary.references++;
  *context = &sim_driver.primary;
  return driver_leave(CUDA_SUCCESS);
}

static void release_context(void) {
  if (--sim_driver.primary.references == 0) driver_reset(&sim_driver);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  const CUresult error = driver_enter();
  if (error == CUDA_ERROR_NOT_INITIALIZED) return driver_leave(error);
  if (device || !sim_driver.primary.references)
    return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
  release_context();
  return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  const CUresult error = driver_enter();
  if (error == CUDA_ERROR_NOT_INITIALIZED) return driver_leave(error);
  if (device) return driver_leave(CUDA_ERROR_INVALID_DEVICE);
  driver_reset(&sim_driver);
  return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  (void)flags;
  return check_device(device);
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                           int *active);
EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                           int *active) {
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  *flags = 0;
  *active = sim_driver.primary.references > 0;
  return check_device(device);
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context);
EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (!sim_driver.is_open) return CUDA_ERROR_NOT_INITIALIZED;
  if (contexts.depth >= MAX_CONTEXTS || context != &sim_driver.primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  contexts.stack[contexts.depth++] = context;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context);
EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (!contexts.depth) return CUDA_ERROR_INVALID_CONTEXT;
  contexts.depth--;
  if (context) *context = contexts.stack[contexts.depth];
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context);
EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  if (!sim_driver.is_open) return CUDA_ERROR_NOT_INITIALIZED;
  if (contexts.depth) contexts.depth--;
  return context ? cuCtxPushCurrent_v2(context) : CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context);
EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current_context();
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device);
EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return current_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags,
                               CUdevice device);
EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags,
                               CUdevice device) {
  (void)flags;
  const CUresult error = cuDevicePrimaryCtxRetain(context, device);
  return error ? error : cuCtxPushCurrent_v2(*context);
}

EXPORT CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned flags,
                               CUdevice device);
EXPORT CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned flags,
                               CUdevice device) {
  if (params) return CUDA_ERROR_NOT_SUPPORTED;
  return cuCtxCreate_v2(context, flags, device);
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context);
EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  if (context != &sim_driver.primary) return CUDA_ERROR_INVALID_CONTEXT;
  if (current_context() == context) contexts.depth--;
  return cuDevicePrimaryCtxRelease_v2(0);
}

EXPORT CUresult cuCtxSynchronize(void) {
  const CUresult error = driver_enter();
  if (!error && !current_context())
    return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
  return driver_leave(error ? error : take_error(&sim_driver));
}
