// host_memory.h -- the buffers of devices whose memory is the host's.
#ifndef TILE_RUNTIME_HOST_MEMORY_H
#define TILE_RUNTIME_HOST_MEMORY_H

#include "runtime/device/device.h"

// `size` bytes aligned to 256, from the device's allocator.
bool host_alloc(TileDevice *device, size_t size, void **address, Fault *fault);
void host_free(TileDevice *device, void *address);
bool host_write(TileDevice *device, void *to, const void *from, size_t size,
                Fault *fault);
bool host_read(TileDevice *device, void *to, const void *from, size_t size,
               Fault *fault);

// The only stream is NULL: its operations are done when the call returns.
extern const StreamOps host_streams; // host_stream.c

#endif
