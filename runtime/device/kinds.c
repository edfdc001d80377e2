// kinds.c -- shared by all kinds of devices: finding them by name, and faults.
#include "runtime/device/device.h"

#include "runtime/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INDEX = 1024 };

static bool parse_index(const char *digits, int *index) {
  char *end;
  const long value = strtol(digits, &end, 10);
  *index = (int)value;
  return *digits >= '0' && *digits <= '9' && !*end && value < MAX_INDEX;
}

const DeviceOps *device_kind_find(const DeviceOps *const *kinds, int num_kinds,
                                  const char *name, int *index) {
  const size_t length = strcspn(name, ":");
  *index = 0;
  for (int i = 0; i < num_kinds; i++) {
    const DeviceOps *ops = kinds[i];
    if (strlen(ops->name) != length || strncmp(ops->name, name, length))
      continue;
    if (!name[length]) return ops;
    return ops->has_index && parse_index(name + length + 1, index) ? ops : NULL;
  }
  return NULL;
}

bool device_check_grid(const TileDevice *device, const uint32_t asked[3],
                       uint32_t grid[3], Fault *fault) {
  const uint32_t *most = device->ops->max_grid;
  uint64_t programs = 1;
  for (int i = 0; i < 3; i++) {
    grid[i] = i && !asked[i] ? 1 : asked[i];
    if (!grid[i] || grid[i] > most[i])
      return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_grid_axis, most[i],
                       i, grid[i]);
    if (programs > UINT64_MAX / 4 / grid[i])
      return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_grid_too_big);
    programs *= grid[i];
  }
  return true;
}

bool fault_set(Fault *fault, TileStatus status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(fault->text, sizeof fault->text, format, args);
  va_end(args);
  fault->status = status;
  fault->format = format;
  return false;
}
