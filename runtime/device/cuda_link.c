// cuda_link.c -- makes machine code of PTX, by the driver's linker.
//
// Some drivers and the simulator lack the linker; then kernels stay PTX.
#include "runtime/device/cuda.h"

#include "runtime/device/gpu.h"
#include "runtime/errors.h"

#include <stdio.h>
#include <string.h>

enum { ERROR_BYTES = 1536, MOST_BYTES = 1 << 30 };

static bool has_linker(const CudaApi *api) {
  return api->cuDriverGetVersion && api->cuLinkCreate && api->cuLinkAddData &&
         api->cuLinkComplete && api->cuLinkDestroy;
}

// The assembler's code fits this chip and drivers that are not older.
bool cuda_name_assembler(TileDevice *device, int chip, Fault *fault) {
  const Gpu *gpu = device->state;
  int version = 0;
  if (!device->ops->assemble || !has_linker(&gpu->driver.api)) return true;
  if (!CALL(gpu, fault, cuDriverGetVersion, &version)) return false;
  snprintf(device->assembler, sizeof device->assembler, "CUDA %d, sm_%d",
           version, chip);
  return true;
}

typedef struct {
  CUlinkState state;
  void *cubin;
  size_t size;
  char error[ERROR_BYTES]; // of the driver, until the state is destroyed
} Linking;

static bool link_ptx(const Gpu *gpu, const CompiledCode *code, Linking *l,
                     Fault *fault) {
  void *ptx = (void *)(uintptr_t)code->data;
  return CALL(gpu, fault, cuLinkAddData, l->state, CU_JIT_INPUT_PTX, ptx,
              code->size + 1, code->kernels[0].symbol, 0, NULL, NULL) &&
         CALL(gpu, fault, cuLinkComplete, l->state, &l->cubin, &l->size) &&
         gpu_believe(l->cubin && l->size && l->size < MOST_BYTES,
                     "cuLinkComplete", "no code", fault);
}

static bool start(const Gpu *gpu, Linking *l, Fault *fault) {
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {l->error, (void *)(uintptr_t)sizeof l->error};
  return CALL(gpu, fault, cuLinkCreate, sizeof options / sizeof *options,
              options, values, &l->state) &&
         gpu_believe(l->state, "cuLinkCreate", "NULL", fault);
}

static void add_log(Linking *l, Fault *fault) {
  const size_t used = strlen(fault->text);
  l->error[sizeof l->error - 1] = '\0';
  if (*l->error)
    snprintf(fault->text + used, sizeof fault->text - used, "\n%s", l->error);
}

static bool assemble(const Gpu *gpu, const CompiledCode *code,
                     void (*take)(void *ctx, const void *data, size_t size),
                     void *ctx, Fault *fault) {
  Linking linking = {.state = NULL};
  if (!start(gpu, &linking, fault)) return false;
  const bool ok = link_ptx(gpu, code, &linking, fault);
  if (ok) take(ctx, linking.cubin, linking.size);
  if (!ok) add_log(&linking, fault);
  gpu->driver.api.cuLinkDestroy(linking.state);
  return ok;
}

bool cuda_assemble(TileDevice *device, const CompiledCode *code,
                   void (*take)(void *ctx, const void *data, size_t size),
                   void *ctx, Fault *fault) {
  const Gpu *gpu = device->state;
  if (!has_linker(&gpu->driver.api))
    return fault_set(fault, TILE_UNAVAILABLE, ERROR_code_no_linker,
                     device->name);
  if (!gpu_enter(gpu, fault)) return false;
  return gpu_leave(gpu, assemble(gpu, code, take, ctx, fault), fault);
}
