// driver_api.h -- the functions of the Driver API that the tests call.
//
// Declared here, since no CUDA header need be installed.
#ifndef TILE_TESTS_DRIVER_API_H
#define TILE_TESTS_DRIVER_API_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

int cuInit(unsigned flags);
int cuGetErrorName(int error, const char **text);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuCtxCreate_v2(CUcontext *context, unsigned flags, int device);
int cuCtxDestroy_v2(CUcontext context);
int cuCtxSetCurrent(CUcontext context);
int cuCtxGetCurrent(CUcontext *context);
int cuCtxGetDevice(int *device);
int cuCtxPushCurrent_v2(CUcontext context);
int cuCtxPopCurrent_v2(CUcontext *context);
int cuCtxSynchronize(void);
int cuCtxSetLimit(int limit, size_t value);
int cuCtxGetLimit(size_t *value, int limit);
int cuMemAlloc_v2(CUdeviceptr *address, size_t size);
int cuMemFree_v2(CUdeviceptr address);
int cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size);
int cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size);
int cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size);
int cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t count);
int cuMemsetD32_v2(CUdeviceptr address, unsigned value, size_t count);
int cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width,
                       size_t height, unsigned each);
int cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned flags);
int cuMemHostAlloc(void **address, size_t size, unsigned flags);
int cuMemFreeHost(void *address);
int cuMemHostRegister_v2(void *address, size_t size, unsigned flags);
int cuMemHostUnregister(void *address);
int cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *address,
                                 unsigned flags);
int cuMemHostGetFlags(unsigned *flags, void *address);
int cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address);
int cuPointerGetAttributes(unsigned count, int *attributes, void **data,
                           CUdeviceptr address);
int cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size);
int cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                       int *options, void **values);
int cuModuleUnload(CUmodule module);
int cuModuleGetFunction(CUfunction *function, CUmodule module,
                        const char *name);
int cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule module,
                         const char *name);
int cuModuleGetFunctionCount(unsigned *count, CUmodule module);
int cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                               CUmodule module);
int cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                       size_t *size);
int cuFuncGetAttribute(int *value, int attribute, CUfunction function);
int cuFuncSetAttribute(CUfunction function, int attribute, int value);
int cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                   unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, CUstream stream,
                   void **params, void **extra);
int cuStreamCreate(CUstream *stream, unsigned flags);
int cuStreamDestroy_v2(CUstream stream);
int cuStreamSynchronize(CUstream stream);
int cuStreamQuery(CUstream stream);
int cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
int cuEventCreate(CUevent *event, unsigned flags);
int cuEventDestroy_v2(CUevent event);
int cuEventRecord(CUevent event, CUstream stream);
int cuEventQuery(CUevent event);
int cuEventSynchronize(CUevent event);
int cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *num_blocks,
                                                CUfunction function,
                                                int num_threads, size_t shared);
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address,
                           const uint64_t *dims, const uint64_t *strides,
                           const unsigned *box, const unsigned *steps,
                           int interleave, int swizzle, int promotion,
                           int fill);
int cuTensorMapEncodeIm2col(void *map, int type, unsigned rank, void *address,
                            const uint64_t *dims, const uint64_t *strides,
                            const int *lower, const int *upper,
                            unsigned channels, unsigned pixels,
                            const unsigned *steps, int interleave, int swizzle,
                            int promotion, int fill);
int cuTensorMapReplaceAddress(void *map, void *address);

#endif
