// host_grid.c -- runs a grid of a kernel on the CPU, over a thread pool.
#include "runtime/device/host_grid.h"

#include "ir/debug_text.h"

#include "runtime/base/threads.h"
#include "runtime/device/host_memory.h"
#include "runtime/errors.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static bool has_param(const KernelInfo *info, ParamRule rule) {
  for (int i = 0; i < info->num_params; i++) {
    if (info->params[i].rule == rule) return true;
  }
  return false;
}

HostKernel host_kernel(const KernelInfo *info, void *address) {
  HostKernel kernel = {.has_workspaces = has_param(info, PARAM_WORKSPACE),
                       .has_hooks = has_param(info, PARAM_HOOKS),
                       .keeps_scratch = info->keeps_scratch};
  memcpy(&kernel.run, &address, sizeof address);
  return kernel;
}

// -- Stacks ------------------------------------------------------------------

enum {
  FEW_BYTES = 8 << 10,    // every thread has them
  ROOM_BESIDE = 48 << 10, // for the pool, and for hooks
  MANY_BYTES = 1 << 24,   // no frame: other bytes that look like one
};

// The sum over all instructions `sub $imm32, %rsp`.  A function takes one at
// most, and constants that look like one only add to the sum.
size_t host_stack_bytes(const void *object, size_t size) {
  static const unsigned char code[] = {0x48, 0x81, 0xec};
  const unsigned char *bytes = object;
  size_t sum = 0;
  for (size_t i = 0; i + sizeof code + sizeof(uint32_t) <= size; i++) {
    if (bytes[i + 1] != 0x81 || memcmp(bytes + i, code, sizeof code)) continue;
    uint32_t frame;
    memcpy(&frame, bytes + i + sizeof code, sizeof frame);
    if (frame < MANY_BYTES && sum < MANY_BYTES) sum += frame;
  }
  return sum > FEW_BYTES ? sum : 0;
}

// -- Running -----------------------------------------------------------------

typedef struct {
  HostKernelFn *run;
  bool keeps_scratch;
  const uint64_t *args;
  const uint32_t *grid;
  const DeviceSettings *settings;
  Fault *fault;
  HostHooks hooks;
  const HostCounter *counter; // NULL: nothing is counted
  atomic_bool failed;         // an assertion; the first to fail fills the fault
} GridRun;

static void print_line(void *ctx, const char *format, const uint64_t *slots) {
  const GridRun *run = ctx;
  char line[2048];
  if (!run->settings->print) return;
  debug_format(line, sizeof line, format, slots);
  run->settings->print(run->settings->print_ctx, line);
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
  clock_gettime(CLOCK_REALTIME, &now); // the same clock as a GPU's globaltimer
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint32_t worker_number(void *ctx) {
  (void)ctx;
  return (uint32_t)thread_pool_number();
}

static void add_counts(void *ctx, const char *table, const uint64_t *counters) {
  const GridRun *run = ctx;
  if (run->counter) run->counter->add(run->counter->ctx, table, counters);
}

static void read_events(void *ctx, uint64_t *events) {
  const GridRun *run = ctx;
  if (run->counter) run->counter->read(run->counter->ctx, events);
}

static void run_programs(void *ctx, uint64_t begin, uint64_t end, void *scratch,
                         bool again) {
  const GridRun *run = ctx;
  const uint32_t *grid = run->grid;
  const uint64_t row = begin / grid[0];
  assert(begin < end && end <= (uint64_t)grid[0] * grid[1] * grid[2]); // I2
  uint32_t program[3] = {(uint32_t)(begin % grid[0]), (uint32_t)(row % grid[1]),
                         (uint32_t)(row / grid[1])};
  for (uint64_t i = begin; i < end && !atomic_load(&run->failed); i++) {
    assert(program[0] < grid[0] && program[1] < grid[1] &&
           program[2] < grid[2]); // I6
    const bool kept = run->keeps_scratch && (again || i > begin);
    run->run(run->args, program, grid, (char *)scratch + kept);
    if (++program[0] < grid[0]) continue;
    program[0] = 0;
    if (++program[1] < grid[1]) continue;
    program[1] = 0;
    program[2]++;
  }
}

// Allocates the zeroed memory that the programs of one launch share.
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

static bool run_grid(const HostRun *of, Fault *fault) {
  const DeviceLaunch *launch = of->launch;
  const uint32_t *grid = launch->grid;
  GridRun run = {.run = of->kernel->run,
                 .keeps_scratch = of->kernel->keeps_scratch,
                 .args = launch->args,
                 .grid = grid,
                 .settings = of->device->settings,
                 .fault = fault,
                 .hooks = {print_line, note_failure, &run, read_clock,
                           worker_number, add_counts, read_events},
                 .counter = of->counter};
  if (of->kernel->has_hooks) set_hooks(launch, &run.hooks);
  const uint64_t count = (uint64_t)grid[0] * grid[1] * grid[2];
  if (thread_pool_run(of->pool, count, launch->info->scratch_bytes,
                      run_programs, &run))
    return !atomic_load(&run.failed);
  return fault_set(fault, TILE_OUT_OF_MEMORY, ERROR_host_no_scratch,
                   launch->info->scratch_bytes);
}

static bool run_here(const HostRun *run, Fault *fault) {
  if (!run->kernel->has_workspaces) return run_grid(run, fault);
  const bool ok =
      add_workspaces(run->device, run->launch, fault) && run_grid(run, fault);
  free_workspaces(run->device, run->launch);
  return ok;
}

typedef struct {
  const HostRun *run;
  Fault *fault;
  bool ok;
} DeepRun;

static void run_deep(void *data) {
  DeepRun *deep = data;
  deep->ok = run_here(deep->run, deep->fault);
}

bool host_run(const HostRun *run, Fault *fault) {
  if (run->launch->stream)
    return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_host_streams);
  if (!run->kernel->stack_bytes) return run_here(run, fault);
  DeepRun deep = {run, fault, false};
  threads_call(run->kernel->stack_bytes + ROOM_BESIDE, run_deep, &deep);
  return deep.ok;
}
