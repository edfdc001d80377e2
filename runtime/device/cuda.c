// cuda.c -- a GPU through the CUDA driver.
//
// Every call makes the device's primary context current and restores the
// caller's context afterwards.  Launches without a stream of the caller go to a
// stream of ours.
#include "runtime/device/cuda.h"

#include "runtime/device/gpu.h"
#include "runtime/errors.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// -- Opening -----------------------------------------------------------------

static bool choose_target(TileDevice *device, Gpu *gpu, Fault *fault) {
  int major = 0, minor = 0;
  if (!CALL(gpu, fault, cuDeviceGetAttribute, &major,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu->device) ||
      !CALL(gpu, fault, cuDeviceGetAttribute, &minor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu->device))
    return false;
  if (!gpu_believe_number(major > 0 && major < 1000, "the compute capability",
                          major, fault) ||
      !gpu_believe_number(minor >= 0 && minor < 10, "the compute capability",
                          minor, fault))
    return false;
  device->target = target_of_chip(10 * major + minor);
  if (device->target) {
    assert(device->target->is_gpu && device->code == EMIT_ASM); // I7
    gpu->has_pdl = target_can(device->target, CAP_CLUSTER);
    device->has_maps = target_can(device->target, CAP_TMA) &&
                       gpu->driver.api.cuTensorMapEncodeTiled;
    return !device->is_kept ||
           cuda_name_assembler(device, 10 * major + minor, fault);
  }
  return fault_set(fault, TILE_UNAVAILABLE, ERROR_gpu_too_old, device->name,
                   major, minor);
}

static bool describe_gpu(TileDevice *device, const Gpu *gpu, Fault *fault) {
  int *processors = &device->num_processors;
  if (!CALL(gpu, fault, cuDeviceGetName, device->summary,
            (int)sizeof device->summary, gpu->device))
    return false;
  device->summary[sizeof device->summary - 1] = '\0';
  return CALL(gpu, fault, cuDeviceGetAttribute, processors,
              CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu->device) &&
         gpu_believe_number(*processors > 0 && *processors < 1 << 16,
                            "the number of multiprocessors", *processors,
                            fault);
}

static bool find_gpu(TileDevice *device, Gpu *gpu, int index, Fault *fault) {
  int count = 0;
  const CUresult error = gpu->driver.api.cuInit(0);
  if (error == CUDA_ERROR_NO_DEVICE)
    return fault_set(fault, TILE_UNAVAILABLE, ERROR_no_gpu);
  if (!gpu_check(gpu, error, "cuInit", fault) ||
      !CALL(gpu, fault, cuDeviceGetCount, &count) ||
      !gpu_believe_number(count >= 0, "cuDeviceGetCount", count, fault))
    return false;
  if (index >= count)
    return fault_set(fault, TILE_UNAVAILABLE, ERROR_no_such_gpu, index, count);
  return CALL(gpu, fault, cuDeviceGet, &gpu->device, index) &&
         describe_gpu(device, gpu, fault) && choose_target(device, gpu, fault);
}

// If the call fails, a context that it stored is not released.
static bool retain_context(Gpu *gpu, Fault *fault) {
  CUcontext context = NULL;
  if (!CALL(gpu, fault, cuDevicePrimaryCtxRetain, &context, gpu->device))
    return false;
  gpu->context = context;
  return gpu_believe(context, "cuDevicePrimaryCtxRetain", "NULL", fault);
}

static bool make_stream(Gpu *gpu, Fault *fault) {
  CUstream stream = NULL;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok =
      CALL(gpu, fault, cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING) &&
      gpu_believe(stream, "cuStreamCreate", "NULL", fault);
  if (ok) gpu->stream = stream;
  return gpu_leave(gpu, ok, fault);
}

static bool start(TileDevice *device, Gpu *gpu, int index, Fault *fault) {
  return find_gpu(device, gpu, index, fault) && retain_context(gpu, fault) &&
         make_stream(gpu, fault);
}

static bool prepare(const TileDevice *device, Gpu *gpu, Fault *fault) {
  if (gpu->driver.is_simulator) {
    gpu->sim_threads = device->settings->num_threads;
    return true;
  }
  if (process_mark(&gpu->process)) return true;
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  return false;
}

bool cuda_open_library(TileDevice *device, const char *library, int index,
                       Fault *fault) {
  Gpu *gpu = device->from->alloc(device->from->ctx, sizeof *gpu);
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  if (!gpu) return false;
  *gpu = (Gpu){.context = NULL};
  device->state = gpu;
  device->code = EMIT_ASM;
  fault->status = TILE_UNAVAILABLE;
  if (cuda_load(&gpu->driver, library, fault->text, sizeof fault->text) &&
      prepare(device, gpu, fault) && start(device, gpu, index, fault))
    return true;
  cuda_close(device);
  return false;
}

static void close_driver(Gpu *gpu) {
  const CudaApi *api = &gpu->driver.api;
  Fault ignored;
  const bool entered = gpu->stream && gpu_enter(gpu, &ignored);
  if (gpu->stream) api->cuStreamDestroy(gpu->stream);
  if (entered) gpu_leave(gpu, true, &ignored);
  if (gpu->context) api->cuDevicePrimaryCtxRelease(gpu->device);
  cuda_unload(&gpu->driver);
}

// Releases the context even if it cannot be made current: the driver may
// refuse, which does no harm.
void cuda_close(TileDevice *device) {
  Gpu *gpu = device->state;
  if (!gpu_is_forked(gpu)) close_driver(gpu);
  process_unmark(&gpu->process);
  device->from->free(device->from->ctx, gpu);
}

bool cuda_sync(TileDevice *device, Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok = gpu_check(gpu, gpu->driver.api.cuCtxSynchronize(),
                            "cuCtxSynchronize", fault);
  return gpu_leave(gpu, ok, fault);
}

// -- Kernels -----------------------------------------------------------------

enum { ERROR_BYTES = 1536, INFO_BYTES = 8192 };
enum { STATIC_SHARED_LIMIT = 48 * 1024 };
enum { MAX_BLOCKS = 1024 }; // per multiprocessor; no chip has as many

// The messages of the driver's compiler; the driver may forget the NUL.
typedef struct {
  char error[ERROR_BYTES], info[INFO_BYTES];
} JitLogs;

static bool compile_ptx(const Gpu *gpu, const char *ptx, CUmodule *module,
                        JitLogs *logs, Fault *fault) {
  CUjit_option options[] = {
      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_LOG_VERBOSE,
  };
  void *values[] = {
      logs->error,          (void *)(uintptr_t)sizeof logs->error,
      logs->info,           (void *)(uintptr_t)sizeof logs->info,
      (void *)(uintptr_t)1,
  };
  *logs->error = *logs->info = '\0';
  const bool ok = CALL(gpu, fault, cuModuleLoadDataEx, module, ptx,
                       sizeof options / sizeof *options, options, values);
  logs->error[sizeof logs->error - 1] = '\0';
  logs->info[sizeof logs->info - 1] = '\0';
  return ok;
}

// If the driver refuses a kernel, its messages go into the fault.
static bool load_module(const Gpu *gpu, const char *ptx, const char *symbol,
                        DeviceKernel *kernel, Fault *fault) {
  JitLogs logs;
  kernel->module = NULL;
  if (compile_ptx(gpu, ptx, &kernel->module, &logs, fault)) {
    kernel->spill_bytes = jit_log_spills(logs.info, symbol);
    return gpu_believe(kernel->module, "cuModuleLoadDataEx", "NULL", fault);
  }
  const size_t used = strlen(fault->text);
  if (*logs.error)
    snprintf(fault->text + used, sizeof fault->text - used, "\n%s", logs.error);
  return false;
}

static bool find_function(const Gpu *gpu, DeviceKernel *kernel,
                          const KernelInfo *info, Fault *fault) {
  kernel->function = NULL;
  if (!CALL(gpu, fault, cuModuleGetFunction, &kernel->function, kernel->module,
            info->symbol) ||
      !gpu_believe(kernel->function, "cuModuleGetFunction", "NULL", fault))
    return false;
  if (info->shared_bytes <= STATIC_SHARED_LIMIT) return true;
  return CALL(gpu, fault, cuFuncSetAttribute, kernel->function,
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              (int)info->shared_bytes);
}

static bool count_blocks(const Gpu *gpu, const DeviceKernel *kernel,
                         const KernelInfo *info, int *out, Fault *fault) {
  return CALL(gpu, fault, cuOccupancyMaxActiveBlocksPerMultiprocessor, out,
              kernel->function, info->num_warps * 32, info->shared_bytes) &&
         gpu_believe_number(*out >= 0 && *out <= MAX_BLOCKS,
                            "cuOccupancyMaxActiveBlocksPerMultiprocessor", *out,
                            fault);
}

// An even number, so that pairs are possible.
static bool count_persistent(const TileDevice *device, DeviceKernel *kernel,
                             const KernelInfo *info, Fault *fault) {
  int each = 0;
  kernel->num_blocks = 0;
  if (!kernel_is_persistent(info)) return true;
  if (!count_blocks(device->state, kernel, info, &each, fault)) return false;
  const uint32_t all = (uint32_t)(each * device->num_processors);
  kernel->num_blocks = (all + 1) / 2 * 2;
  return true;
}

static bool load_kernel(const TileDevice *device, const CompiledCode *code,
                        const KernelInfo *info, DeviceKernel *kernel,
                        Fault *fault) {
  const Gpu *gpu = device->state;
  if (!load_module(gpu, code->data, info->symbol, kernel, fault)) return false;
  if (find_function(gpu, kernel, info, fault) &&
      count_persistent(device, kernel, info, fault))
    return true;
  gpu->driver.api.cuModuleUnload(kernel->module);
  return false;
}

bool cuda_load_kernel(TileDevice *device, const CompiledCode *code,
                      const KernelInfo *info, DeviceKernel **out,
                      Fault *fault) {
  const Gpu *gpu = device->state;
  const Allocator *from = device->from;
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  DeviceKernel *kernel = from->alloc(from->ctx, sizeof *kernel);
  if (!kernel) return false;
  const bool entered = gpu_enter(gpu, fault);
  const bool loaded = entered && load_kernel(device, code, info, kernel, fault);
  const bool left = entered && gpu_leave(gpu, loaded, fault);
  if (left) *out = kernel;
  if (loaded && !left) gpu->driver.api.cuModuleUnload(kernel->module);
  if (!left) from->free(from->ctx, kernel);
  return left;
}

static void unload(const Gpu *gpu, const DeviceKernel *kernel) {
  Fault ignored;
  const bool entered = gpu_enter(gpu, &ignored);
  // A launch may still be running the kernel.
  gpu->driver.api.cuCtxSynchronize();
  gpu->driver.api.cuModuleUnload(kernel->module);
  if (entered) gpu_leave(gpu, true, &ignored);
}

void cuda_unload_kernel(TileDevice *device, DeviceKernel *kernel) {
  const Gpu *gpu = device->state;
  if (!gpu_is_forked(gpu)) unload(gpu, kernel);
  device->from->free(device->from->ctx, kernel);
}

// -- Launching ---------------------------------------------------------------

enum { MAX_PARAMS = 512 };

typedef struct {
  const DeviceLaunch *launch;
  CUstream stream;
  uint32_t grid[3]; // of blocks
  int num_workspaces;
  CUdeviceptr workspaces[MAX_PARAMS];
  void *params[MAX_PARAMS];
} GpuLaunch;

// The bytes of a parameter's memory; 0: it has none; SIZE_MAX: more
// than any device has.
static size_t workspace_bytes(const DeviceLaunch *launch, int index) {
  const KernelParam *param = &launch->info->params[index];
  const uint32_t *grid = launch->grid;
  if (param->rule == PARAM_WORKSPACE) return param->size;
  if (param->rule != PARAM_BLOCK_MEMORY) return 0;
  size_t bytes = param->size << launch->info->log2_cluster;
  for (int i = 0; i < 3; i++)
    if (__builtin_mul_overflow(bytes, grid[i], &bytes)) return SIZE_MAX;
  return bytes;
}

static bool add_workspace(const Gpu *gpu, GpuLaunch *run, int index,
                          Fault *fault) {
  CUdeviceptr address = 0;
  const size_t size = workspace_bytes(run->launch, index);
  if (!CALL(gpu, fault, cuMemAllocAsync, &address, size, run->stream) ||
      !gpu_believe(address, "cuMemAllocAsync", "the address 0", fault))
    return false;
  run->params[index] = &run->workspaces[run->num_workspaces];
  run->workspaces[run->num_workspaces++] = address;
  return CALL(gpu, fault, cuMemsetD8Async, address, 0, size, run->stream);
}

// The values of parameters that are no memory of the launch.
static void set_params(GpuLaunch *run, bool *has_workspaces) {
  const KernelInfo *info = run->launch->info;
  uint64_t *args = run->launch->args;
  *has_workspaces = false;
  for (int i = 0; i < info->num_params; i++) {
    const KernelParam *param = &info->params[i];
    run->params[i] = &args[i];
    if (param->rule == PARAM_ARGUMENT) continue;
    if (param->rule == PARAM_TENSOR_MAP)
      run->params[i] = (void *)(uintptr_t)&run->launch->maps[param->index];
    else if (param->rule == PARAM_PROGRAMS)
      run->params[i] = (void *)(uintptr_t)&run->launch->grid[param->index];
    else
      *has_workspaces = true;
  }
}

static bool add_workspaces(const Gpu *gpu, GpuLaunch *run, Fault *fault) {
  for (int i = 0; i < run->launch->info->num_params; i++)
    if (workspace_bytes(run->launch, i) && !add_workspace(gpu, run, i, fault))
      return false;
  return true;
}

// Queues the frees on the stream, behind the kernel.
static void free_workspaces(const Gpu *gpu, const GpuLaunch *run) {
  for (int i = 0; i < run->num_workspaces; i++)
    gpu->driver.api.cuMemFreeAsync(run->workspaces[i], run->stream);
}

enum { MAX_ATTRIBUTES = 3 };

// Has each program a neighbour?  In a persistent kernel neighbours are adjacent
// by number, along all axes.
static bool may_pair(const DeviceLaunch *launch) {
  const uint32_t *grid = launch->grid;
  const bool even = grid[0] % 2 == 0;
  return launch->kernel->num_blocks
             ? even || grid[1] % 2 == 0 || grid[2] % 2 == 0
             : even;
}

static unsigned add_attributes(const Gpu *gpu, const DeviceLaunch *launch,
                               CUlaunchAttribute *out) {
  unsigned count = 0;
  if (launch->launch_pdl && gpu->has_pdl)
    out[count++] = (CUlaunchAttribute){
        .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        .value = {.programmaticStreamSerializationAllowed = 1}};
  if (launch->info->has_pairs && may_pair(launch))
    out[count++] =
        (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                            .value = {.clusterDim = {2, 1, 1}}};
  if (gpu->sim_threads)
    out[count++] =
        (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_SIM_THREADS,
                            .value = {.simThreads = gpu->sim_threads}};
  return count;
}

static bool check_grid(const DeviceLaunch *launch, Fault *fault) {
  const uint32_t most = (uint32_t)INT32_MAX >> launch->info->log2_cluster;
  return launch->grid[0] <= most ||
         fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_grid_axis, most, 0,
                   launch->grid[0]);
}

// Sets `*out` to the number of programs, which are numbered by 31 bits.
static bool count_programs(const uint32_t *grid, uint32_t *out, Fault *fault) {
  uint32_t all = grid[0];
  for (int i = 1; i < 3; i++) {
    const uint32_t most = INT32_MAX / all;
    if (grid[i] > most)
      return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_grid_axis, most, i,
                       grid[i]);
    all *= grid[i];
  }
  *out = all;
  return true;
}

// The blocks of a persistent kernel are along x, no more than run at once.
static bool find_grid(const DeviceLaunch *launch, uint32_t grid[3],
                      Fault *fault) {
  const uint32_t most = launch->kernel->num_blocks, *asked = launch->grid;
  uint32_t all = 0;
  if (!check_grid(launch, fault)) return false;
  memcpy(grid, asked, 3 * sizeof *grid);
  grid[0] <<= launch->info->log2_cluster;
  if (!most) return true;
  if (!count_programs(asked, &all, fault)) return false;
  grid[0] = all < most ? all : most;
  grid[1] = grid[2] = 1;
  return true;
}

static bool start_grid(const Gpu *gpu, GpuLaunch *run, Fault *fault) {
  const DeviceLaunch *launch = run->launch;
  const KernelInfo *info = launch->info;
  CUlaunchAttribute attributes[MAX_ATTRIBUTES];
  const CUlaunchConfig config = {
      .gridDimX = run->grid[0],
      .gridDimY = run->grid[1],
      .gridDimZ = run->grid[2],
      .blockDimX = (unsigned)info->num_warps * 32,
      .blockDimY = 1,
      .blockDimZ = 1,
      .sharedMemBytes = (unsigned)info->shared_bytes,
      .hStream = run->stream,
      .attrs = attributes,
      .numAttrs = add_attributes(gpu, launch, attributes),
  };
  return CALL(gpu, fault, cuLaunchKernelEx, &config, launch->kernel->function,
              run->params, NULL);
}

static bool run_kernel(const Gpu *gpu, const DeviceLaunch *launch,
                       Fault *fault) {
  GpuLaunch run;
  bool has_workspaces;
  run.launch = launch;
  run.stream = launch->stream ? launch->stream : gpu->stream;
  run.num_workspaces = 0;
  if (!find_grid(launch, run.grid, fault)) return false;
  set_params(&run, &has_workspaces);
  const bool ok = (!has_workspaces || add_workspaces(gpu, &run, fault)) &&
                  start_grid(gpu, &run, fault);
  free_workspaces(gpu, &run);
  return ok;
}

bool cuda_launch(TileDevice *device, const DeviceLaunch *launch, Fault *fault) {
  const Gpu *gpu = device->state;
  if (launch->info->num_params > MAX_PARAMS)
    return fault_set(fault, TILE_UNSUPPORTED, ERROR_gpu_too_many_parameters,
                     MAX_PARAMS, launch->info->num_params);
  if (!gpu_enter(gpu, fault)) return false;
  return gpu_leave(gpu, run_kernel(gpu, launch, fault), fault);
}

// -- Describing --------------------------------------------------------------

// Upper bounds for a thread on any chip.
enum { MAX_REGISTERS = TARGET_MAX_REGISTERS, MAX_LOCAL_BYTES = 512 * 1024 };

static bool read_attribute(const Gpu *gpu, const DeviceKernel *kernel,
                           CUfunction_attribute attribute, int most, int *out,
                           Fault *fault) {
  return CALL(gpu, fault, cuFuncGetAttribute, out, attribute,
              kernel->function) &&
         gpu_believe_number(*out >= 0 && *out <= most, "cuFuncGetAttribute",
                            *out, fault);
}

bool cuda_describe(TileDevice *device, DeviceKernel *kernel,
                   const KernelInfo *info, TileKernelInfo *out, Fault *fault) {
  const Gpu *gpu = device->state;
  if (!gpu_enter(gpu, fault)) return false;
  const bool ok =
      read_attribute(gpu, kernel, CU_FUNC_ATTRIBUTE_NUM_REGS, MAX_REGISTERS,
                     &out->registers, fault) &&
      read_attribute(gpu, kernel, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                     MAX_LOCAL_BYTES, &out->local_bytes, fault) &&
      count_blocks(gpu, kernel, info, &out->programs_per_processor, fault);
  // A driver that has cached the code of an earlier process does not compile
  // and logs nothing; spills would be in local memory, though.
  out->spill_bytes = ok && !out->local_bytes ? 0 : kernel->spill_bytes;
  return gpu_leave(gpu, ok, fault);
}

static bool cuda_open(TileDevice *device, int index, Fault *fault) {
  return cuda_open_library(device, NULL, index, fault);
}

const DeviceOps device_ops_cuda = {
    .name = "cuda",
    .has_index = true,
    .max_grid = {INT32_MAX, 65535, 65535},
    .open = cuda_open,
    CUDA_DEVICE_FUNCTIONS,
    .describe = cuda_describe,
    .assemble = cuda_assemble,
};
