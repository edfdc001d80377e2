// on_sim.c -- the PTX of a batch, run by the simulator and compared.
//
// Every case runs under each schedule.  A report is a failure even if the
// result is right, also race-same-value, which is no error to the simulator: no
// element may be stored twice.
#define _DEFAULT_SOURCE // setenv
#include "tests/conformance/run.h"

#include "tests/sim/driver_api.h"

#include <stdio.h>
#include <stdlib.h>

// Copies that end as late as they may, as early, and orders drawn from a seed.
static const char *const schedules[] = {"late", "early", "1", "2"};
enum {
  NUM_SCHEDULES = sizeof schedules / sizeof *schedules,
  MAX_PARAMS = 16,
  MAX_STATIC_SHARED = 48 * 1024,
};

typedef struct {
  Batch *batch;
  const CompiledCode *code;
  CUcontext context;
  CUmodule module;
} Simulator;

static bool fail(const char *what, int error) {
  const char *name = NULL;
  cuGetErrorName(error, &name);
  printf("FAIL %s: %s\n", what, name ? name : "unknown error");
  return false;
}

static bool load(Simulator *sim) {
  char log[1000] = "";
  int options[] = {5, 6}; // the log's buffer and its size
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  const int error =
      cuModuleLoadDataEx(&sim->module, sim->code->data, 2, options, values);
  if (error) fail(log, error);
  return !error;
}

static bool open_simulator(Simulator *sim) {
  return !cuInit(0) && !cuDevicePrimaryCtxRetain(&sim->context, 0) &&
         !cuCtxPushCurrent_v2(sim->context) && load(sim);
}

static void close_simulator(void) {
  CUcontext context;
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(0);
}

// -- A launch ----------------------------------------------------------------

typedef struct {
  CUdeviceptr memory[MAX_PARAMS], address[BUFFERS], workspaces[MAX_PARAMS];
  void *params[MAX_PARAMS];
  int32_t length;
} Launch;

// A buffer ends where its memory ends, as on the host, and its start has no
// alignment.
static bool upload(const Batch *b, const Case *c, Launch *launch, int i) {
  const size_t bytes = batch_bytes(c, i), size = (bytes + 15) / 16 * 16;
  if (cuMemAlloc_v2(&launch->memory[i], size)) return false;
  launch->address[i] = launch->memory[i] + size - bytes;
  return !cuMemcpyHtoD_v2(launch->address[i], batch_buffer(b->run, c, i),
                          bytes);
}

static bool set_param(const KernelParam *param, Launch *launch, int i) {
  CUdeviceptr *workspace = &launch->workspaces[i];
  if (param->rule == PARAM_WORKSPACE) {
    launch->params[i] = workspace;
    return !cuMemAlloc_v2(workspace, param->size) &&
           !cuMemsetD8_v2(*workspace, 0, param->size);
  }
  launch->params[i] = param->index < BUFFERS
                          ? (void *)&launch->address[param->index]
                          : (void *)&launch->length;
  return true;
}

static bool prepare(const Batch *b, const Case *c, const KernelInfo *info,
                    Launch *launch) {
  *launch = (Launch){.length = (int32_t)c->length};
  bool ok = info->num_params <= MAX_PARAMS;
  for (int i = 0; ok && i < BUFFERS; i++) ok = upload(b, c, launch, i);
  for (int i = 0; ok && i < info->num_params; i++)
    ok = set_param(&info->params[i], launch, i);
  return ok;
}

static void release(const Launch *launch) {
  for (int i = 0; i < MAX_PARAMS; i++) {
    if (launch->memory[i]) cuMemFree_v2(launch->memory[i]);
    if (launch->workspaces[i]) cuMemFree_v2(launch->workspaces[i]);
  }
}

static int start(const Simulator *sim, const KernelInfo *info, Launch *launch) {
  CUfunction function;
  const unsigned threads = (unsigned)info->num_warps * 32;
  const unsigned shared = (unsigned)info->shared_bytes;
  int error = cuModuleGetFunction(&function, sim->module, info->symbol);
  if (!error && shared > MAX_STATIC_SHARED)
    error = cuFuncSetAttribute(function, 8, (int)shared);
  if (!error)
    error = cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, shared, NULL,
                           launch->params, NULL);
  return error ? error : cuCtxSynchronize();
}

// -- Outputs -----------------------------------------------------------------

// A line a case to $TILE_TEST_OUTPUTS, by which two drivers can be compared.
static void note_output(const char *name, const char *bytes, size_t size) {
  const char *path = getenv("TILE_TEST_OUTPUTS");
  FILE *file = path ? fopen(path, "a") : NULL;
  uint64_t hash = UINT64_C(14695981039346656037);
  if (!file) return;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
  fprintf(file, "%016llx %s\n", (unsigned long long)hash, name);
  fclose(file);
}

// -- Cases -------------------------------------------------------------------

// The number of reports since the last call; prints them.
static bool was_reported(const Simulator *sim) {
  FILE *file = sim->batch->run->reports;
  char line[1024];
  bool found = false;
  for (; fgets(line, sizeof line, file); found = true) fputs(line, stdout);
  clearerr(file);
  return found;
}

static bool run_case(const Simulator *sim, int index, const char *schedule) {
  const Batch *b = sim->batch;
  const Case *c = &b->cases[index];
  const KernelInfo *info = &sim->code->kernels[index];
  const char *how = arena_printf(b->arena, ", schedule %s", schedule);
  const char *name =
      arena_printf(b->arena, "%s%s", case_name(b->arena, c), how);
  Launch launch;
  batch_fill(b->run, c);
  setenv("TILE_SIM_SCHEDULE", schedule, 1);
  const int error =
      prepare(b, c, info, &launch) ? start(sim, info, &launch) : 1;
  const int out = NUM_INPUTS;
  if (!error)
    cuMemcpyDtoH_v2(batch_buffer(b->run, c, out), launch.address[out],
                    batch_bytes(c, out));
  release(&launch);
  if (error) return fail(name, error);
  note_output(name, batch_buffer(b->run, c, out), batch_bytes(c, out));
  if (was_reported(sim)) {
    printf("FAIL %s: reports\n", name);
    return false;
  }
  return batch_check(b, index, how);
}

static bool run_schedules(const Simulator *sim, int index) {
  for (int i = 0; i < NUM_SCHEDULES; i++)
    if (!run_case(sim, index, schedules[i])) return false;
  return true;
}

// A kernel that faults takes the context with it.
static bool reopen(Simulator *sim) {
  close_simulator();
  return open_simulator(sim);
}

bool sim_run(Batch *b, const CompiledCode *code) {
  Simulator sim = {.batch = b, .code = code};
  bool ok = open_simulator(&sim);
  for (int i = 0; ok && i < b->count; i++) {
    const bool right = run_schedules(&sim, i);
    if (right)
      b->run->passed++;
    else
      b->run->failed++;
    if (!right) ok = reopen(&sim);
  }
  close_simulator();
  return ok;
}
