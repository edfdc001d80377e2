// device.c -- the only device, with the attributes of a chosen chip.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "runtime/simulator/driver/driver.h"

CUresult locked_cuDeviceGetCount(int *count) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult locked_cuDeviceGet(CUdevice *device, int ordinal) {
  const CUresult error = device_check(ordinal);
  if (error) return device ? error : CUDA_ERROR_INVALID_VALUE;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult locked_cuDeviceGetName(char *name, int length, CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  snprintf(name, (size_t)length, "%s", sim_driver.device.chip->product);
  return CUDA_SUCCESS;
}

CUresult locked_cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  *bytes = sim_driver.device.memory.limit;
  return CUDA_SUCCESS;
}

CUresult locked_cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  memset(uuid, 0x51, 16);
  return CUDA_SUCCESS;
}

// Attributes of present drivers; those that are not in the table are 0.
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

CUresult locked_cuDeviceGetAttribute(int *value, int attribute,
                                     CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!value || attribute < 1 || attribute > MOST_ATTRIBUTES)
    return CUDA_ERROR_INVALID_VALUE;
  *value = attribute_of(sim_driver.device.chip, attribute);
  return CUDA_SUCCESS;
}

CUresult locked_cuDeviceComputeCapability(int *major, int *minor,
                                          CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
  *major = sim_driver.device.chip->major;
  *minor = sim_driver.device.chip->minor;
  return CUDA_SUCCESS;
}

CUresult locked_cuDeviceGetUuid(unsigned char *uuid, CUdevice device) {
  return locked_cuDeviceGetUuid_v2(uuid, device);
}

// Domain, bus, device and function, as the attributes have them.
static const char bus_name[] = "0000:01:00.0";

CUresult locked_cuDeviceGetPCIBusId(char *name, int length, CUdevice device) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!name || length < (int)sizeof bus_name) return CUDA_ERROR_INVALID_VALUE;
  memcpy(name, bus_name, sizeof bus_name);
  return CUDA_SUCCESS;
}

CUresult locked_cuDeviceGetByPCIBusId(CUdevice *device, const char *name) {
  unsigned parts[4] = {0, 0, 0, 0};
  if (!device || !name) return CUDA_ERROR_INVALID_VALUE;
  const bool whole = sscanf(name, "%x:%x:%x.%x", &parts[0], &parts[1],
                            &parts[2], &parts[3]) >= 3;
  const bool brief = !whole && sscanf(name, "%x:%x", &parts[1], &parts[2]) == 2;
  if (!whole && !brief) return CUDA_ERROR_INVALID_VALUE;
  if (parts[0] || parts[1] != 1 || parts[2] || parts[3])
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

// There is no other device, and a device is not its own peer.
CUresult locked_cuDeviceCanAccessPeer(int *can, CUdevice device,
                                      CUdevice peer) {
  const CUresult error = device_check(device);
  if (error) return error;
  if (!can) return CUDA_ERROR_INVALID_VALUE;
  if (peer) return CUDA_ERROR_INVALID_DEVICE;
  *can = 0;
  return CUDA_SUCCESS;
}
