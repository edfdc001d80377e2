// fake_cuda.c -- a CUDA driver whose only kernel `add` stores its second
// parameter, an int, where the first one points; others do nothing.  Any call
// can be made to fail, and everything that is made is counted.
#include "tests/runtime/fake_cuda.h"

#include "runtime/device/cuda_api.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define CUDA_CALL(name, symbol, params)                                        \
  EXPORT CUresult name params __asm__(symbol);
#define CUDA_CONSTANT(type, name, value)
#define CUDA_FIELD(type, field, offset, size)
#include "runtime/device/cuda_api.def"

EXPORT FakeCuda fake_cuda = {.fail_at = -1, .chip = 80, .local_bytes = 8};

enum { FAKE_ERROR = 719 };
static const char add = 0; // its address is the kernel's handle

static int fails(void) {
  return fake_cuda.calls++ == fake_cuda.fail_at;
}

// Does the next call of finish() store an impossible value?
static bool lies(void) {
  return fake_cuda.lies && fake_cuda.calls == fake_cuda.lie_at;
}

// The calls that the driver refuses while a stream is captured, and those that
// end the capture.
static bool refuses(void) {
  if (!fake_cuda.is_capturing) return false;
  fake_cuda.is_broken = true;
  return true;
}

// A call that makes an object (+1), releases one (-1) or does neither.
static CUresult finish(int live) {
  const int failed = fails();
  // A released object is gone, with any status.
  if (!failed || live < 0) fake_cuda.live += live;
  if (!failed) return CUDA_SUCCESS;
  return fake_cuda.is_full ? CUDA_ERROR_OUT_OF_MEMORY : FAKE_ERROR;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = error == FAKE_ERROR                 ? "CUDA_ERROR_FAKE"
          : error == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_FULL"
                                              : NULL;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == FAKE_ERROR ? "it was told to fail" : NULL;
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
  (void)flags;
  return finish(0);
}

CUresult cuDeviceGetCount(int *count) {
  *count = lies() ? INT_MIN : fake_cuda.more_devices + 1;
  return finish(0);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return finish(0);
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  (void)device;
  strncpy(name, "Fake GPU", (size_t)length);
  if (lies()) memset(name, 0xff, (size_t)length); // no end
  return finish(0);
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  (void)device;
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? fake_cuda.chip / 10
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
               ? fake_cuda.chip % 10
               : 7;
  if (lies()) *value = INT_MAX;
  return finish(0);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  (void)device;
  *context = lies() ? NULL : (CUcontext)&fake_cuda;
  return finish(*context ? 1 : 0);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  (void)device;
  return finish(-1);
}

CUresult cuCtxPushCurrent(CUcontext context) {
  (void)context;
  return finish(1);
}

CUresult cuCtxPopCurrent(CUcontext *context) {
  *context = lies() ? NULL : (CUcontext)&fake_cuda;
  return finish(-1);
}

CUresult cuCtxSynchronize(void) {
  if (refuses()) return FAKE_ERROR;
  fake_cuda.running = 0;
  return finish(0);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  (void)flags;
  *stream = lies() ? NULL : (CUstream)&fake_cuda;
  return finish(*stream ? 1 : 0);
}

CUresult cuStreamDestroy(CUstream stream) {
  (void)stream;
  return finish(-1);
}

CUresult cuStreamSynchronize(CUstream stream) {
  if (refuses()) return FAKE_ERROR;
  (void)stream;
  fake_cuda.running = 0;
  return finish(0);
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t size) {
  if (size == SIZE_MAX) return CUDA_ERROR_OUT_OF_MEMORY;
  if (refuses()) return FAKE_ERROR;
  const bool nothing = lies();
  const CUresult result = finish(nothing ? 0 : 1);
  *address = 0;
  if (result == CUDA_SUCCESS && !nothing)
    *address = (CUdeviceptr)(uintptr_t)malloc(size);
  return result;
}

CUresult cuMemFree(CUdeviceptr address) {
  free((void *)(uintptr_t)address);
  return finish(-1);
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream) {
  (void)stream;
  const bool was = fake_cuda.is_capturing;
  fake_cuda.bytes_async = size;
  fake_cuda.is_capturing = false; // the call becomes a node of the graph
  const CUresult result = cuMemAlloc(address, size);
  fake_cuda.is_capturing = was;
  return result;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  (void)stream;
  return cuMemFree(address);
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char byte, size_t count,
                         CUstream stream) {
  (void)stream;
  memset((void *)(uintptr_t)address, byte, count);
  return finish(0);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size,
                           CUstream stream) {
  (void)stream;
  memcpy((void *)(uintptr_t)to, from, size);
  return finish(0);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size,
                           CUstream stream) {
  (void)stream;
  memcpy(to, (void *)(uintptr_t)from, size);
  return finish(0);
}

// Writes as much of the log as fits into `size` bytes.
static void write_info(char *log, size_t size) {
  if (fake_cuda.lies) memset(log, 0xff, size);
  if (!fake_cuda.info_log) return;
  const size_t length = strlen(fake_cuda.info_log) + !fake_cuda.info_unended;
  memcpy(log, fake_cuda.info_log, length < size ? length : size);
}

// Texts that are not PTX, and cubins of another chip.
static bool is_refused(const void *image) {
  if (!memcmp(image, "\177ELF", 4)) return fake_cuda.refuses_cubins;
  return strcmp(image, "cubin") && strcmp(image, "ptx") &&
         !strstr(image, ".version");
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned num_options, CUjit_option *options,
                            void **values) {
  if (refuses() || is_refused(image)) return FAKE_ERROR;
  *module = lies() ? NULL : (CUmodule)&fake_cuda;
  const CUresult result = finish(*module ? 1 : 0);
  for (unsigned i = 0; i < num_options; i++) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER && result)
      strcpy(values[i], "ptxas says no");
    if (options[i] == CU_JIT_INFO_LOG_BUFFER)
      write_info(values[i], (size_t)(uintptr_t)values[i + 1]);
  }
  fake_cuda.cubins += !memcmp(image, "\177ELF", 4) || !strcmp(image, "cubin");
  return result;
}

CUresult cuDriverGetVersion(int *version) {
  *version = fake_cuda.version;
  return finish(0);
}

CUresult cuLinkCreate(unsigned num_options, CUjit_option *options,
                      void **values, CUlinkState *state) {
  *state = lies() ? NULL : (CUlinkState)&fake_cuda;
  const CUresult result = finish(*state ? 1 : 0);
  (void)num_options, (void)options, (void)values;
  return result;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data,
                       size_t size, const char *name, unsigned num_options,
                       CUjit_option *options, void **values) {
  (void)state, (void)name, (void)num_options, (void)options, (void)values;
  const bool is_ptx = type == CU_JIT_INPUT_PTX && strstr(data, ".version") &&
                      strlen(data) + 1 == size;
  const CUresult result = finish(0);
  return is_ptx ? result : FAKE_ERROR;
}

CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *size) {
  static char code[] = "cubin";
  (void)state;
  *cubin = lies() ? NULL : code;
  *size = sizeof code;
  fake_cuda.links++;
  return finish(0);
}

CUresult cuLinkDestroy(CUlinkState state) {
  (void)state;
  return finish(-1);
}

CUresult cuModuleUnload(CUmodule module) {
  if (refuses()) return FAKE_ERROR;
  (void)module;
  fake_cuda.unloaded_early += fake_cuda.running > 0;
  return finish(-1);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  (void)module;
  *function = strcmp(name, "add") ? (CUfunction)&fake_cuda : (CUfunction)&add;
  if (lies()) *function = NULL;
  return finish(0);
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  (void)function;
  *value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? 42 : fake_cuda.local_bytes;
  if (lies()) *value = INT_MIN;
  return finish(0);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  (void)function, (void)attribute, (void)value;
  return finish(0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *num_blocks,
                                                     CUfunction function,
                                                     int num_threads,
                                                     size_t shared_bytes) {
  (void)function, (void)num_threads, (void)shared_bytes;
  *num_blocks = lies() ? INT_MAX : 3;
  return finish(0);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **extra) {
  (void)extra;
  fake_cuda.grid[0] = config->gridDimX;
  fake_cuda.grid[1] = config->gridDimY;
  fake_cuda.grid[2] = config->gridDimZ;
  fake_cuda.block = config->blockDimX;
  fake_cuda.launches++;
  fake_cuda.running++;
  fake_cuda.stream = config->hStream;
  fake_cuda.shared = config->sharedMemBytes;
  fake_cuda.num_attributes = config->numAttrs;
  fake_cuda.attribute = config->numAttrs ? config->attrs->id : 0;
  const CUresult result = finish(0);
  if (result || function != (CUfunction)&add) return result;
  int *to, value, *workspace;
  memcpy(&to, params[0], sizeof to);
  memcpy(&value, params[1], sizeof value);
  memcpy(&workspace, params[2], sizeof workspace);
  *to = value;
  fake_cuda.workspace_zeroed = *workspace == 0;
  for (int i = 0; i < 3 && fake_cuda.has_numbers; i++)
    memcpy(&fake_cuda.numbers[i], params[3 + i], sizeof(unsigned));
  return CUDA_SUCCESS;
}

// Without tensor maps, for a driver from before them.
#ifndef FAKE_OLD
CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  (void)type, (void)rank, (void)address, (void)sizes, (void)strides, (void)box;
  (void)steps, (void)interleave, (void)swizzle, (void)promotion, (void)fill;
  memset(map, 0, sizeof *map);
  fake_cuda.maps++;
  return finish(0);
}
#endif

// -- Streams and events ------------------------------------------------------

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                           CUstream stream) {
  (void)stream;
  memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, size);
  return finish(0);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context,
                           CUdeviceptr from, CUcontext from_context,
                           size_t size, CUstream stream) {
  (void)to_context, (void)from_context;
  fake_cuda.peer_copies++;
  return cuMemcpyDtoDAsync(to, from, size, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr address, unsigned short value,
                          size_t count, CUstream stream) {
  (void)stream;
  for (size_t i = 0; i < count; i++)
    memcpy((char *)(uintptr_t)address + 2 * i, &value, sizeof value);
  return finish(0);
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count,
                          CUstream stream) {
  (void)stream;
  fake_cuda.wide_fills++;
  for (size_t i = 0; i < count; i++)
    memcpy((char *)(uintptr_t)address + 4 * i, &value, sizeof value);
  return finish(0);
}

CUresult cuMemsetD2D32Async(CUdeviceptr address, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream) {
  (void)stream;
  for (size_t i = 0; i < height; i++)
    for (size_t k = 0; k < width; k++)
      memcpy((char *)(uintptr_t)address + i * pitch + 4 * k, &value,
             sizeof value);
  return finish(0);
}

CUresult cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  (void)flags;
  const bool nothing = lies();
  const CUresult result = finish(nothing ? 0 : 1);
  *address = result == CUDA_SUCCESS && !nothing ? malloc(size) : NULL;
  return result;
}

CUresult cuMemFreeHost(void *address) {
  free(address);
  return finish(-1);
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  (void)flags;
  *event = lies() ? NULL : (CUevent)&fake_cuda;
  return finish(*event ? 1 : 0);
}

CUresult cuEventDestroy(CUevent event) {
  (void)event;
  return finish(-1);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  (void)event, (void)stream;
  return finish(0);
}

CUresult cuEventSynchronize(CUevent event) {
  if (refuses()) return FAKE_ERROR;
  (void)event;
  return finish(0);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  (void)stream, (void)event, (void)flags;
  return finish(0);
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  (void)start, (void)end;
  *milliseconds = 0.5F;
  return finish(0);
}
