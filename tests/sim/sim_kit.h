// sim_kit.h -- the Driver API as the tests of the simulator call it.
#ifndef TILE_TESTS_SIM_KIT_H
#define TILE_TESTS_SIM_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;

int cuInit(unsigned flags);
int cuGetErrorName(int error, const char **text);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxPushCurrent_v2(CUcontext context);
int cuCtxPopCurrent_v2(CUcontext *context);
int cuCtxSynchronize(void);
int cuMemAlloc_v2(CUdeviceptr *address, size_t size);
int cuMemFree_v2(CUdeviceptr address);
int cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size);
int cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size);
int cuMemsetD32_v2(CUdeviceptr address, unsigned value, size_t count);
int cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                       int *options, void **values);
int cuModuleUnload(CUmodule module);
int cuModuleGetFunction(CUfunction *function, CUmodule module,
                        const char *name);
int cuFuncSetAttribute(CUfunction function, int attribute, int value);
int cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                   unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, void *stream,
                   void **params, void **extra);

// Opens device 0 and makes its context current; closes it again.
void kit_open(void);
void kit_close(void);
// Fails the test with the log where the PTX does not load.
CUmodule kit_load(const char *file_name); // of tests/sim/ptx
CUmodule kit_load_text(const char *ptx);
// A kernel around a body: parameters `out` (u64 %out) and `in` (u64 %in), both
// loaded; registers %r<99>, %d<99> (b64), %f<99>, %g<99> (f64), %h<99> (b16),
// %p<99>, and the thread in %t.
CUmodule kit_load_body(const char *body);

typedef struct {
  unsigned grid[3], block[3], shared;
} KitShape;

// Launches and synchronises; the error of the synchronisation.
int kit_run(CUmodule module, const char *kernel, KitShape shape, void **params);

CUdeviceptr kit_upload(const void *data, size_t size);
void kit_download(void *to, CUdeviceptr from, size_t size);
uint32_t kit_random(uint32_t *state);

// What the simulator reported since the last call: the kinds, each followed by
// a space.  Valid until the next call.
const char *kit_reports(void);

#endif
