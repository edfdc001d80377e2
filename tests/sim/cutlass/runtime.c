// runtime.c -- CUDA's runtime library by functions of the driver: calls from
// nvcc's code to register kernels, and from CUTLASS to launch them.
#include "runtime.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_KERNELS = 16 };

static CUmodule module;
static const void *stubs[MAX_KERNELS];
static const char *names[MAX_KERNELS];
static int num_kernels;

// -- Calls from compiled code ------------------------------------------------

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *name,
                            const char *device_name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *address,
                       const char *name, int ext, size_t size, int constant,
                       int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **args, size_t shared, cudaStream_t stream);

void **__cudaRegisterFatBinary(void *binary) {
  (void)binary;
  static void *handle;
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}
void __cudaUnregisterFatBinary(void **handle) {
  (void)handle;
}

char __cudaInitModule(void **handle) {
  (void)handle;
  return 0;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *name,
                            const char *device_name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp_size) {
  (void)handle, (void)name, (void)thread_limit, (void)tid, (void)bid;
  (void)block, (void)grid, (void)warp_size;
  if (num_kernels == MAX_KERNELS) abort();
  stubs[num_kernels] = stub;
  names[num_kernels++] = device_name;
}

void __cudaRegisterVar(void **handle, char *host, char *address,
                       const char *name, int ext, size_t size, int constant,
                       int global) {
  (void)handle, (void)host, (void)address, (void)name, (void)ext, (void)size;
  (void)constant, (void)global;
}

// Kernels are launched by cudaLaunchKernelExC() alone.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream) {
  (void)grid, (void)block, (void)shared, (void)stream;
  return 1;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream) {
  (void)grid, (void)block, (void)shared, (void)stream;
  return cudaErrorNotSupported;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
  (void)kernel, (void)stub;
  return cudaErrorNotSupported;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **args, size_t shared,
                               cudaStream_t stream) {
  (void)kernel, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
  return cudaErrorNotSupported;
}

// -- Calls from CUTLASS ------------------------------------------------------

static CUfunction function_of(const void *stub) {
  CUfunction function = NULL;
  for (int i = 0; i < num_kernels; i++)
    if (stubs[i] == stub) cuModuleGetFunction(&function, module, names[i]);
  return function;
}

cudaError_t cudaFuncSetAttribute(const void *stub, enum cudaFuncAttribute which,
                                 int value) {
  return (cudaError_t)cuFuncSetAttribute(function_of(stub),
                                         (CUfunction_attribute)which, value);
}

// The two structs have the same attributes, with the same numbers.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *stub, void **args) {
  const CUlaunchConfig launch = {.gridDimX = config->gridDim.x,
                                 .gridDimY = config->gridDim.y,
                                 .gridDimZ = config->gridDim.z,
                                 .blockDimX = config->blockDim.x,
                                 .blockDimY = config->blockDim.y,
                                 .blockDimZ = config->blockDim.z,
                                 .sharedMemBytes =
                                     (unsigned)config->dynamicSmemBytes,
                                 .hStream = config->stream,
                                 .attrs = (CUlaunchAttribute *)config->attrs,
                                 .numAttrs = config->numAttrs};
  return (cudaError_t)cuLaunchKernelEx(&launch, function_of(stub), args, NULL);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                            cudaStream_t stream) {
  (void)stream;
  return (cudaError_t)cuMemsetD8((CUdeviceptr)memory, (unsigned char)value,
                                 bytes);
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which,
                                   int device) {
  return (cudaError_t)cuDeviceGetAttribute(value, (CUdevice_attribute)which,
                                           device);
}

cudaError_t cudaGetLastError(void) {
  return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error) {
  const char *text = "";
  cuGetErrorString((CUresult)error, &text);
  return text;
}

// -- Calls from the test -----------------------------------------------------

static char *read_file(const char *name) {
  FILE *file = fopen(name, "r");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  const size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = calloc(1, size + 1);
  if (text) (void)!fread(text, 1, size, file);
  fclose(file);
  return text;
}

bool runtime_start(const char *ptx_file) {
  CUcontext context;
  char log[4000] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  char *text = read_file(ptx_file);
  if (!text) return false;
  const bool ok = !cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) &&
                  !cuCtxSetCurrent(context) &&
                  !cuModuleLoadDataEx(&module, text, 2, options, values);
  if (!ok) fprintf(stderr, "%s\n", log);
  free(text);
  return ok;
}

void *device_copy(const void *from, size_t bytes) {
  CUdeviceptr memory = 0;
  if (cuMemAlloc(&memory, bytes)) return NULL;
  if (from && cuMemcpyHtoD(memory, from, bytes)) return NULL;
  return (void *)memory;
}

bool device_read(void *to, const void *from, size_t bytes) {
  return !cuCtxSynchronize() && !cuMemcpyDtoH(to, (CUdeviceptr)from, bytes);
}

void device_free(void *memory) {
  cuMemFree((CUdeviceptr)memory);
}
