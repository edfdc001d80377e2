// cpu.c -- the CPU as a device: code through ORC, the grid over the thread
// pool.
//
// A launch returns when its grid is done, so there is nothing to wait for
// later, and no buffer is in use after the call.
#include "runtime/counts/work.h"
#include "runtime/device/host_code.h"
#include "runtime/device/host_grid.h"
#include "runtime/device/host_memory.h"
#include "runtime/device/image.h"
#include "runtime/device/thread_pool.h"
#include "runtime/errors.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ThreadPool *pool;
  HostCode *code;
} HostDevice;

struct DeviceKernel {
  LoadedImage image;  // or, if no image can hold the code,
  HostObject *object; // linked by LLVM
  HostKernel kernel;
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

// Code is made for $TILE_CPU if it is set.
static bool find_host_cpu(TileDevice *device, Fault *fault) {
  const char *name = getenv("TILE_CPU");
  if (!name || !*name || !strcmp(name, "native")) return true;
  if (!codegen_has_host_cpu(name))
    return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_host_no_cpu, name,
                     codegen_host_cpu_names());
  if (!codegen_runs_host_cpu(name))
    return fault_set(fault, TILE_UNAVAILABLE, ERROR_host_cpu_above, name);
  snprintf(device->host_cpu, sizeof device->host_cpu, "%s", name);
  return true;
}

// Without the permission of the system, products use vectors.
static void find_amx(TileDevice *device) {
  const char *name = *device->host_cpu ? device->host_cpu : NULL;
  device->amx = codegen_has_amx(name) && host_code_may_use_amx();
}

static bool find_tier(TileDevice *device, Fault *fault) {
  static const char *const names[] = {[TILE_TIER_QUICK] = "0",
                                      [TILE_TIER_FULL] = "1",
                                      [TILE_TIER_AUTO] = "auto"};
  const char *name = getenv("TILE_CPU_TIER");
  device->tier = device->settings->tier;
  if (device->tier != TILE_TIER_USUAL) return true;
  device->tier = TILE_TIER_FULL;
  if (!name || !*name) return true;
  for (TileTier i = TILE_TIER_QUICK; i <= TILE_TIER_AUTO; i++) {
    device->tier = i;
    if (!strcmp(name, names[i])) return true;
  }
  return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_host_no_tier, name);
}

// Code counts its work if $TILE_CPU_STATS is set.  Quick code is not compiled
// again then, so that all launches run the same code.
static bool find_stats(TileDevice *device, Fault *fault) {
  const char *request = getenv(WORK_VARIABLE);
  if (!request || !*request) return true;
  if (!work_can_write(request))
    return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_host_stats, request);
  device->counts = true;
  if (device->tier == TILE_TIER_AUTO) device->tier = TILE_TIER_FULL;
  return true;
}

static bool host_open(TileDevice *device, int index, Fault *fault) {
  (void)index;
  const Allocator *from = device->from;
  if (!find_host_cpu(device, fault) || !find_tier(device, fault) ||
      !find_stats(device, fault))
    return false;
  find_amx(device);
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  HostDevice *host = from->alloc(from->ctx, sizeof *host);
  if (!host) return false;
  host->pool = thread_pool_create(from, device->settings->num_threads);
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
  HostDevice *host = device->state;
  thread_pool_destroy(host->pool);
  host_code_destroy(host->code);
  device->from->free(device->from->ctx, host);
}

static bool host_sync(TileDevice *device, Fault *fault) {
  (void)device, (void)fault;
  return true;
}

// -- Kernels -----------------------------------------------------------------

typedef struct {
  const CompiledCode *code;
  const KernelInfo *info;
  Arena arena;
  LoadedImage loaded;
  void *address; // NULL: no image can hold the code
} Loading;

static void load_image(void *data) {
  Loading *l = data;
  Image image;
  if (image_make(&l->arena, l->code->data, l->code->size, l->info->symbol,
                 &image))
    l->address = image_load(&image, &l->loaded);
}

// Loading an image takes a tenth of the time that LLVM's linker takes.
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

static bool load_code(const HostDevice *host, const Allocator *from,
                      const CompiledCode *code, const KernelInfo *info,
                      DeviceKernel *kernel, Fault *fault) {
  void *address;
  if (!load_fast(from, code, info, kernel, &address)) return false;
  if (!address)
    kernel->object =
        host_code_add(host->code, code->data, code->size, info->symbol,
                      &address, fault->text, sizeof fault->text);
  kernel->kernel = host_kernel(info, address);
  kernel->kernel.stack_bytes = host_stack_bytes(code->data, code->size);
  return kernel->image.at || kernel->object;
}

static bool host_load(TileDevice *device, const CompiledCode *code,
                      const KernelInfo *info, DeviceKernel **out,
                      Fault *fault) {
  const HostDevice *host = device->state;
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
  *out = kernel;
  return true;
}

static void host_unload(TileDevice *device, DeviceKernel *kernel) {
  const HostDevice *host = device->state;
  image_unload(&kernel->image);
  host_code_remove(host->code, kernel->object);
  device->from->free(device->from->ctx, kernel);
}

// -- Launching ---------------------------------------------------------------

_Static_assert((int)WORK_EVENTS == (int)HOST_EVENTS, "events of a loop");

static void add_counts(void *ctx, const char *table, const uint64_t *counters) {
  work_add(ctx, thread_pool_number(), table, counters);
}

static void read_events(void *ctx, uint64_t *events) {
  work_read(ctx, thread_pool_number(), events);
}

// Counts are written if the variable is still set: a program may count only
// some of its launches.
static bool launch_counted(TileDevice *device, const DeviceLaunch *launch,
                           Fault *fault) {
  const HostDevice *host = device->state;
  LaunchWork work;
  const HostCounter counter = {add_counts, read_events, &work};
  work_begin(&work, device->from, thread_pool_size(host->pool));
  const HostRun run = {device, host->pool, &launch->kernel->kernel, launch,
                       &counter};
  const bool ok = host_run(&run, fault);
  work_end(&work, getenv(WORK_VARIABLE), launch->grid);
  return ok;
}

static bool host_launch(TileDevice *device, const DeviceLaunch *launch,
                        Fault *fault) {
  const HostDevice *host = device->state;
  if (device->counts) return launch_counted(device, launch, fault);
  const HostRun run = {device, host->pool, &launch->kernel->kernel, launch,
                       NULL};
  return host_run(&run, fault);
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
