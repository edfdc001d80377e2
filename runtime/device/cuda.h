// cuda.h -- the CUDA device, with any driver library.
#ifndef TILE_RUNTIME_DEVICE_CUDA_H
#define TILE_RUNTIME_DEVICE_CUDA_H

#include "runtime/device/device.h"

// Opens GPU `index` of the driver in `library`; NULL: this machine's driver.
bool cuda_open_library(TileDevice *device, const char *library, int index,
                       Fault *fault);

#define CUDA_DEVICE_FUNCTIONS                                                  \
  .close = cuda_close, .sync = cuda_sync, .alloc = cuda_alloc,                 \
  .free = cuda_free, .write = cuda_write, .read = cuda_read,                   \
  .load = cuda_load_kernel, .unload = cuda_unload_kernel,                      \
  .make_map = cuda_make_map, .launch = cuda_launch, .streams = &cuda_streams

extern const StreamOps cuda_streams; // cuda_stream.c

void cuda_close(TileDevice *device);
bool cuda_sync(TileDevice *device, Fault *fault);
bool cuda_alloc(TileDevice *device, size_t size, void **address, Fault *fault);
void cuda_free(TileDevice *device, void *address);
bool cuda_write(TileDevice *device, void *to, const void *from, size_t size,
                Fault *fault);
bool cuda_read(TileDevice *device, void *to, const void *from, size_t size,
               Fault *fault);
bool cuda_load_kernel(TileDevice *device, const CompiledCode *code,
                      const KernelInfo *info, DeviceKernel **out, Fault *fault);
void cuda_unload_kernel(TileDevice *device, DeviceKernel *kernel);
bool cuda_make_map(TileDevice *device, const TensorMapInfo *info,
                   const TensorView *view, TensorMapImage *out, Fault *fault);
bool cuda_launch(TileDevice *device, const DeviceLaunch *launch, Fault *fault);
// Makes machine code, if the driver can.
bool cuda_assemble(TileDevice *device, const CompiledCode *code,
                   void (*take)(void *ctx, const void *data, size_t size),
                   void *ctx, Fault *fault);
// Sets device->assembler, for a GPU of that compute capability.
bool cuda_name_assembler(TileDevice *device, int chip, Fault *fault);
bool cuda_describe(TileDevice *device, DeviceKernel *kernel,
                   const KernelInfo *info, TileKernelInfo *out, Fault *fault);

#endif
