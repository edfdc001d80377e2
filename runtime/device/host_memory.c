// host_memory.c -- aligned blocks; the word in front of each holds the
// allocator's address.
#include "runtime/device/host_memory.h"

#include "runtime/errors.h"

#include <string.h>

enum { ALIGN = 256 };

bool host_alloc(TileDevice *device, size_t size, void **address, Fault *fault) {
  const size_t extra = ALIGN + sizeof(void *);
  void *block = size > SIZE_MAX - extra
                    ? NULL
                    : device->from->alloc(device->from->ctx, size + extra);
  if (!block)
    return fault_set(fault, TILE_OUT_OF_MEMORY, ERROR_host_no_memory, size);
  char *start = (char *)block + sizeof(void *);
  start += -(uintptr_t)start & (ALIGN - 1);
  memcpy(start - sizeof(void *), &block, sizeof block);
  *address = start;
  return true;
}

void host_free(TileDevice *device, void *address) {
  void *block;
  memcpy(&block, (char *)address - sizeof(void *), sizeof block);
  device->from->free(device->from->ctx, block);
}

bool host_write(TileDevice *device, void *to, const void *from, size_t size,
                Fault *fault) {
  (void)device, (void)fault;
  memcpy(to, from, size);
  return true;
}

bool host_read(TileDevice *device, void *to, const void *from, size_t size,
               Fault *fault) {
  return host_write(device, to, from, size, fault);
}
