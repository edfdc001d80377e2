// device.c -- the one device, with the attributes of a chosen chip.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "runtime/simulator/driver/driver.h"

CUresult cuDeviceGetCount(int *count) {
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  if (!count) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *count = 1;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  const CUresult error = device_enter(ordinal);
  if (error) return driver_leave(device ? error : CUDA_ERROR_INVALID_VALUE);
  if (!device) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *device = ordinal;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  const CUresult error = device_enter(device);
  if (error) return driver_leave(error);
  if (!name || length <= 0) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  snprintf(name, (size_t)length, "%s", sim_driver.device.chip->product);
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  const CUresult error = device_enter(device);
  if (error) return driver_leave(error);
  if (!bytes) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *bytes = sim_driver.device.memory.limit;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device) {
  const CUresult error = device_enter(device);
  if (error) return driver_leave(error);
  if (!uuid) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  memset(uuid, 0x51, 16);
  return driver_leave(CUDA_SUCCESS);
}

// Attributes that a driver of today knows; those not in the table are 0.
enum { MOST_ATTRIBUTES = 200 };

static int attribute_of(const Chip *chip, int attribute) {
  int value = 0;
  switch (attribute) {
#define ATTRIBUTE(number, amount)                                              \
  case number:                                                                 \
    value = (amount);                                                          \
    break;
#include "runtime/simulator/driver/attributes.def"
  default: break;
  }
  return value;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  const CUresult error = device_enter(device);
  if (error) return driver_leave(error);
  if (!value || attribute < 1 || attribute > MOST_ATTRIBUTES)
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *value = attribute_of(sim_driver.device.chip, attribute);
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  const CUresult error = device_enter(device);
  if (error) return driver_leave(error);
  if (!major || !minor) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  *major = sim_driver.device.chip->major;
  *minor = sim_driver.device.chip->minor;
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetUuid(unsigned char *uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

// Domain, bus, device and function, as the attributes have them.
static const char bus_name[] = "0000:01:00.0";

CUresult cuDeviceGetPCIBusId(char *name, int length, CUdevice device) {
  const CUresult error = device_enter(device);
  if (error) return driver_leave(error);
  if (!name || length < (int)sizeof bus_name)
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
  memcpy(name, bus_name, sizeof bus_name);
  return driver_leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *name) {
  unsigned parts[4] = {0, 0, 0, 0};
  const CUresult error = driver_enter();
  if (error) return driver_leave(error);
  if (!device || !name) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  const bool whole = sscanf(name, "%x:%x:%x.%x", &parts[0], &parts[1],
                            &parts[2], &parts[3]) >= 3;
  const bool brief = !whole && sscanf(name, "%x:%x", &parts[1], &parts[2]) == 2;
  if (!whole && !brief) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  if (parts[0] || parts[1] != 1 || parts[2] || parts[3])
    return driver_leave(CUDA_ERROR_INVALID_DEVICE);
  *device = 0;
  return driver_leave(CUDA_SUCCESS);
}

// There is no other, and none is its own peer.
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  const CUresult error = device_enter(device);
  if (error) return driver_leave(error);
  if (!can) return driver_leave(CUDA_ERROR_INVALID_VALUE);
  if (peer) return driver_leave(CUDA_ERROR_INVALID_DEVICE);
  *can = 0;
  return driver_leave(CUDA_SUCCESS);
}
