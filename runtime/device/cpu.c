// cpu.c -- the processor we run on: code through ORC, the grid over
// the thread pool.
//
// A launch returns when its grid is done, so there is nothing to wait for
// later and no buffer is ever in use behind the caller's back.
#include "ir/debug_text.h"

#include "runtime/context.h"
#include "runtime/device/host_code.h"
#include "runtime/device/host_memory.h"
#include "runtime/device/image.h"
#include "runtime/device/thread_pool.h"
#include "runtime/errors.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
  ThreadPool *pool;
  HostCode *code;
} Host;

struct DeviceKernel {
  LoadedImage image;  // or, of what no image holds,
  HostObject *object; // what LLVM has linked
  HostKernelFn *run;
  bool has_workspaces; // among its machine parameters
  bool has_hooks;
};

// The processor's name as Linux has it: the first "model name : …".
static void find_model(char *model, size_t size) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(model, size, "this processor");
  if (!file) return;
  while (fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon) continue;
    snprintf(model, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  fclose(file);
}

static void summarize(TileDevice *device) {
  char model[80];
  find_model(model, sizeof model);
  snprintf(device->summary, sizeof device->summary, "%s, %d thread%s", model,
           device->num_processors, device->num_processors == 1 ? "" : "s");
}

static bool host_open(TileDevice *device, int index, Fault *fault) {
  (void)index;
  const Allocator *from = device->from;
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  Host *host = from->alloc(from->ctx, sizeof *host);
  if (!host) return false;
  host->pool = thread_pool_create(from, device->context->num_threads);
  host->code = host_code_create(from, fault->text, sizeof fault->text);
  device->state = host;
  if (!host->pool || !host->code) {
    if (fault->text[0]) fault->status = TILE_INTERNAL;
    device->ops->close(device);
    return false;
  }
  device->target = target_find("cpu");
  device->code = EMIT_OBJECT;
  device->num_processors = thread_pool_size(host->pool);
  assert(!device->target->is_gpu && device->num_processors >= 1); // I7
  summarize(device);
  return true;
}

static void host_close(TileDevice *device) {
  Host *host = device->state;
  thread_pool_destroy(host->pool);
  host_code_destroy(host->code);
  device->from->free(device->from->ctx, host);
}

static bool host_sync(TileDevice *device, Fault *fault) {
  (void)device, (void)fault;
  return true;
}

// -- Kernels -----------------------------------------------------------------

static bool has_param(const KernelInfo *info, ParamRule rule) {
  for (int i = 0; i < info->num_params; i++) {
    if (info->params[i].rule == rule) return true;
  }
  return false;
}

typedef struct {
  const CompiledCode *code;
  const KernelInfo *info;
  Arena arena;
  LoadedImage loaded;
  void *address; // NULL: no image holds it
} Loading;

static void load_image(void *data) {
  Loading *l = data;
  Image image;
  if (image_make(&l->arena, l->code->data, l->code->size, l->info->symbol,
                 &image))
    l->address = image_load(&image, &l->loaded);
}

// An image takes a tenth of the time that LLVM's linker does.
static bool load_fast(const Allocator *from, const CompiledCode *code,
                      const KernelInfo *info, DeviceKernel *kernel,
                      void **address) {
  Loading loading = {.code = code, .info = info};
  arena_init(&loading.arena, from);
  const bool has_memory = arena_protect(&loading.arena, load_image, &loading);
  arena_free(&loading.arena);
  kernel->image = loading.loaded;
  *address = loading.address;
  return has_memory;
}

static bool load_code(const Host *host, const Allocator *from,
                      const CompiledCode *code, const KernelInfo *info,
                      DeviceKernel *kernel, Fault *fault) {
  void *address;
  if (!load_fast(from, code, info, kernel, &address)) return false;
  if (!address)
    kernel->object =
        host_code_add(host->code, code->data, code->size, info->symbol,
                      &address, fault->text, sizeof fault->text);
  memcpy(&kernel->run, &address, sizeof address);
  return kernel->image.at || kernel->object;
}

static bool host_load(TileDevice *device, const CompiledCode *code,
                      const KernelInfo *info, DeviceKernel **out,
                      Fault *fault) {
  const Host *host = device->state;
  const Allocator *from = device->from;
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  DeviceKernel *kernel = from->alloc(from->ctx, sizeof *kernel);
  if (!kernel) return false;
  *kernel = (DeviceKernel){.object = NULL};
  if (!load_code(host, from, code, info, kernel, fault)) {
    if (fault->text[0]) fault->status = TILE_INTERNAL;
    from->free(from->ctx, kernel);
    return false;
  }
  kernel->has_workspaces = has_param(info, PARAM_WORKSPACE);
  kernel->has_hooks = has_param(info, PARAM_HOOKS);
  *out = kernel;
  return true;
}

static void host_unload(TileDevice *device, DeviceKernel *kernel) {
  const Host *host = device->state;
  image_unload(&kernel->image);
  host_code_remove(host->code, kernel->object);
  device->from->free(device->from->ctx, kernel);
}

// -- Launching ---------------------------------------------------------------

typedef struct {
  HostKernelFn *run;
  const uint64_t *args;
  const uint32_t *grid;
  const TileContext *context;
  Fault *fault;
  HostHooks hooks;
  atomic_bool failed; // an assertion; the first to fail fills the fault
} GridRun;

static void print_line(void *ctx, const char *format, const uint64_t *slots) {
  const GridRun *run = ctx;
  char line[2048];
  if (!run->context->print) return;
  debug_format(line, sizeof line, format, slots);
  run->context->print(run->context->print_ctx, line);
}

static void note_failure(void *ctx, const char *text, const uint32_t *program,
                         uint64_t element) {
  GridRun *run = ctx;
  if (atomic_exchange(&run->failed, true)) return;
  fault_set(run->fault, TILE_DEVICE_ERROR, ERROR_device_assertion, text,
            program[0], program[1], program[2], (unsigned long long)element);
}

static uint64_t read_clock(void *ctx) {
  (void)ctx;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now); // as a GPU's counts
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint32_t worker_number(void *ctx) {
  (void)ctx;
  return (uint32_t)thread_pool_number();
}

static void run_programs(void *ctx, uint64_t begin, uint64_t end,
                         void *scratch) {
  const GridRun *run = ctx;
  const uint32_t *grid = run->grid;
  const uint64_t row = begin / grid[0];
  assert(begin < end && end <= (uint64_t)grid[0] * grid[1] * grid[2]); // I2
  uint32_t program[3] = {(uint32_t)(begin % grid[0]), (uint32_t)(row % grid[1]),
                         (uint32_t)(row / grid[1])};
  for (uint64_t i = begin; i < end && !atomic_load(&run->failed); i++) {
    assert(program[0] < grid[0] && program[1] < grid[1] &&
           program[2] < grid[2]); // I6
    run->run(run->args, program, grid, scratch);
    if (++program[0] < grid[0]) continue;
    program[0] = 0;
    if (++program[1] < grid[1]) continue;
    program[1] = 0;
    program[2]++;
  }
}

// Memory that the programs of one launch share, zeroed.
static bool add_workspaces(TileDevice *device, const DeviceLaunch *launch,
                           Fault *fault) {
  for (int i = 0; i < launch->info->num_params; i++) {
    const KernelParam *param = &launch->info->params[i];
    void *space;
    if (param->rule != PARAM_WORKSPACE) continue;
    if (!host_alloc(device, param->size, &space, fault)) return false;
    memset(space, 0, param->size);
    launch->args[i] = (uint64_t)(uintptr_t)space;
  }
  return true;
}

static void free_workspaces(TileDevice *device, const DeviceLaunch *launch) {
  for (int i = 0; i < launch->info->num_params; i++) {
    if (launch->info->params[i].rule == PARAM_WORKSPACE && launch->args[i])
      host_free(device, (void *)(uintptr_t)launch->args[i]);
  }
}

static void set_hooks(const DeviceLaunch *launch, const HostHooks *hooks) {
  for (int i = 0; i < launch->info->num_params; i++) {
    if (launch->info->params[i].rule == PARAM_HOOKS)
      launch->args[i] = (uint64_t)(uintptr_t)hooks;
  }
}

static bool run_grid(TileDevice *device, const DeviceLaunch *launch,
                     Fault *fault) {
  const Host *host = device->state;
  const uint32_t *grid = launch->grid;
  GridRun run = {
      .run = launch->kernel->run,
      .args = launch->args,
      .grid = grid,
      .context = device->context,
      .fault = fault,
      .hooks = {print_line, note_failure, &run, read_clock, worker_number}};
  if (launch->kernel->has_hooks) set_hooks(launch, &run.hooks);
  const uint64_t count = (uint64_t)grid[0] * grid[1] * grid[2];
  if (thread_pool_run(host->pool, count, launch->info->scratch_bytes,
                      run_programs, &run))
    return !atomic_load(&run.failed);
  return fault_set(fault, TILE_OUT_OF_MEMORY, ERROR_host_no_scratch,
                   launch->info->scratch_bytes);
}

static bool host_launch(TileDevice *device, const DeviceLaunch *launch,
                        Fault *fault) {
  if (launch->stream)
    return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_host_streams);
  if (!launch->kernel->has_workspaces) return run_grid(device, launch, fault);
  const bool ok =
      add_workspaces(device, launch, fault) && run_grid(device, launch, fault);
  free_workspaces(device, launch);
  return ok;
}

static bool host_describe(TileDevice *device, DeviceKernel *kernel,
                          const KernelInfo *info, TileKernelInfo *out,
                          Fault *fault) {
  (void)device, (void)kernel, (void)fault;
  out->scratch_bytes = info->scratch_bytes;
  return true;
}

const DeviceOps device_ops_cpu = {
    .name = "cpu",
    .max_grid = {INT32_MAX, INT32_MAX, INT32_MAX},
    .open = host_open,
    .close = host_close,
    .sync = host_sync,
    .alloc = host_alloc,
    .free = host_free,
    .write = host_write,
    .read = host_read,
    .load = host_load,
    .unload = host_unload,
    .launch = host_launch,
    .streams = &host_streams,
    .describe = host_describe,
};
