// launch.c -- from a call to a grid that runs.
//
// A launch that finds its variant allocates nothing as long as its key and its
// parameters fit the space on the stack.
#include "runtime/base/clock.h"
#include "runtime/compile/argument.h"

#include "runtime/base/sized.h"
#include "runtime/base/threads.h"
#include "runtime/errors.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PARAMS = 64, KEY_BYTES = 1024, KEY_HEAD = 5 * sizeof(int) };

// Apart, since clearing it would cost more than most launches do.
typedef struct {
  BoundArg bound[MAX_PARAMS];
  ArgSpec items[MAX_PARAMS];
  unsigned char key[KEY_BYTES];
} CallSpace;

typedef struct {
  Report report;
  TileDevice *device;
  TileLaunch launch; // the caller's, as this library has it
  TileKernel *kernel;
  Variant *variant;
  Specialization specialization; // but for the arguments
  Arena scratch;                 // of what heuristics give
  CallSpace *space;
  // Point at that space, or at more from the allocator.
  BoundArg *bound;
  BoundItems items; // of tuples, behind `bound`
  unsigned char *key;
  size_t key_size;
} Call;

static void *take(const Call *call, void *space, size_t has, size_t size) {
  if (size <= has) return space;
  return call->report.from->alloc(call->report.from->ctx, size);
}

static void give(const Call *call, const void *space, void *block) {
  if (block && block != space)
    call->report.from->free(call->report.from->ctx, block);
}

// -- Checks ------------------------------------------------------------------

static TileStatus check_call(const Call *call) {
  const TileLaunch *launch = &call->launch;
  const char *missing = !launch->kernel                     ? "launch->kernel"
                        : launch->num_args && !launch->args ? "launch->args"
                        : launch->num_constants && !launch->constants
                            ? "launch->constants"
                            : NULL;
  if (missing)
    return report_error(&call->report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        missing);
  if (launch->kernel->program->context != call->device->context)
    return report_error(&call->report, TILE_INVALID_ARGUMENT,
                        ERROR_different_contexts);
  const int warps = launch->num_warps;
  if (warps < 0 || warps > 32 || (warps & (warps - 1)))
    return report_error(&call->report, TILE_INVALID_ARGUMENT,
                        ERROR_launch_num_warps, warps);
  if (launch->num_stages < 0 || launch->num_stages > 16)
    return report_error(&call->report, TILE_INVALID_ARGUMENT,
                        ERROR_launch_num_stages, launch->num_stages);
  return TILE_OK;
}

static TileStatus read_call(Call *call, const TileLaunch *launch) {
  if (!launch)
    return report_error(&call->report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        "launch");
  const TileStatus status =
      sized_read(&call->report, &sized_launch, launch, &call->launch);
  return status ? status : check_call(call);
}

static TileStatus check_grid(const Call *call, uint32_t *grid) {
  const DeviceOps *ops = call->device->ops;
  uint64_t programs = 1;
  for (int i = 0; i < 3; i++) {
    grid[i] = call->launch.grid[i];
    if (!grid[i] && i) grid[i] = 1;
    if (!grid[i] || grid[i] > ops->max_grid[i])
      return report_error(&call->report, TILE_INVALID_ARGUMENT, ERROR_grid_axis,
                          ops->max_grid[i], i, grid[i]);
    if (programs > UINT64_MAX / 4 / grid[i])
      return report_error(&call->report, TILE_INVALID_ARGUMENT,
                          ERROR_grid_too_big);
    programs *= grid[i];
  }
  return TILE_OK;
}

// -- The variant -------------------------------------------------------------

static TileStatus load_variant(const Call *call, const Compilation *compiled,
                               Variant *variant) {
  assert(compiled->code.num_kernels == 1 && "one kernel a variant"); // I3
  if (!variant_fill(&call->kernel->variants, variant,
                    &compiled->code.kernels[0]))
    return TILE_OUT_OF_MEMORY;
  Fault fault = {.status = TILE_OK};
  TileDevice *device = call->device;
  if (device->ops->load(device, &compiled->code, &variant->info,
                        &variant->loaded, &fault))
    return TILE_OK;
  return report_fault(&call->report, &fault);
}

static void log_variant(const Call *call, const Variant *variant) {
  const TileContext *context = call->device->context;
  char line[256];
  if (!context->log) return;
  snprintf(line, sizeof line, "compiled %s for %s in %.1f ms",
           call->kernel->name, call->device->name,
           variant->compile_seconds * 1e3);
  context->log(context->log_ctx, line);
}

typedef struct {
  const Report *report;
  const CompileRequest *request;
  Compilation *out;
  TileStatus status;
} Compiling;

static void compile_body(void *data) {
  Compiling *c = data;
  c->status = compile(c->report, c->request, c->out);
}

// Compilers go deeper than the stack of a caller may reach.
static TileStatus compile_apart(const Report *report,
                                const CompileRequest *request,
                                Compilation *out) {
  Compiling compiling = {report, request, out, TILE_OK};
  threads_call(ROOM_TO_COMPILE, compile_body, &compiling);
  return compiling.status;
}

static TileStatus compile_variant(Call *call, ArgSpec *args, void *data) {
  Variant *variant = data;
  Specialization specialization = call->specialization;
  specialization.args = args;
  const CodegenOptions codegen = {.line_info = call->device->line_info};
  const CompileRequest request = {
      .unit = call->kernel->program->unit,
      .kernel = call->kernel->function,
      .specialization = &specialization,
      .goal = COMPILE_TO_CODE,
      .kind = call->device->code,
      .codegen = &codegen,
  };
  const double start = clock_seconds();
  Compilation compiled;
  TileStatus status = compile_apart(&call->report, &request, &compiled);
  if (!status) status = load_variant(call, &compiled, variant);
  compilation_free(&compiled);
  variant->compile_seconds = clock_seconds() - start;
  if (!status) log_variant(call, variant);
  return status;
}

// Calls use(call, specs of the arguments, data).
static TileStatus
with_specs(Call *call, TileStatus (*use)(Call *call, ArgSpec *args, void *data),
           void *data) {
  ArgSpec space[MAX_PARAMS];
  const size_t count = call->kernel->num_params;
  ArgSpec *args = take(call, space, sizeof space, count * sizeof *args);
  if (!args) return TILE_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) args[i] = call->bound[i].spec;
  const TileStatus status = use(call, args, data);
  give(call, space, args);
  return status;
}

static TileStatus build_variant(void *ctx, Variant *variant) {
  return with_specs(ctx, compile_variant, variant);
}

// Whatever a configuration says, `maxnreg` too, is in the key by its number.
static bool make_key(Call *call) {
  const Specialization *spec = &call->specialization;
  const int head[] = {spec->num_warps, spec->num_stages, spec->config,
                      spec->debug, spec->no_fp_fusion};
  _Static_assert(sizeof head == KEY_HEAD, "one for each");
  const size_t count = call->kernel->num_params;
  call->key = call->space->key;
  const size_t size =
      bound_key(call->bound, count, call->key + KEY_HEAD, KEY_BYTES - KEY_HEAD);
  call->key_size = size + KEY_HEAD;
  call->key = take(call, call->space->key, KEY_BYTES, call->key_size);
  if (!call->key) return false;
  if (call->key != call->space->key)
    bound_key(call->bound, count, call->key + KEY_HEAD, size);
  assert(call->key_size > KEY_HEAD || !count); // I3
  memcpy(call->key, head, sizeof head);
  return true;
}

static TileStatus find_variant(Call *call) {
  if (!make_key(call)) return TILE_OUT_OF_MEMORY;
  const TileStatus status =
      cache_get(&call->kernel->variants, call->device, call->key,
                call->key_size, build_variant, call, &call->variant);
  assert(status ||
         (call->variant->ready && call->variant->device == call->device)); // I6
  return status;
}

static TileStatus guess(Call *call, ArgSpec *args, void *data) {
  (void)data;
  Specialization *spec = &call->specialization;
  spec->args = args;
  const TileStatus status =
      compile_heuristics(&call->report, call->kernel->program->unit,
                         call->kernel->function, &call->scratch, args, spec);
  spec->args = NULL;
  for (size_t i = 0; i < call->kernel->num_params && !status; i++)
    call->bound[i].spec = args[i];
  return status;
}

// What @heuristics computes from the values of this launch.
static TileStatus apply_heuristics(Call *call) {
  if (!call->kernel->has_heuristics) return TILE_OK;
  arena_init(&call->scratch, call->report.from);
  return with_specs(call, guess, NULL);
}

static bool make_room(Call *call) {
  CallSpace *space = call->space;
  const size_t count = call->kernel->num_params;
  const size_t items = bound_num_items(&call->launch);
  call->bound = take(call, space->bound, sizeof space->bound,
                     (count + items) * sizeof *call->bound);
  call->items.specs = take(call, space->items, sizeof space->items,
                           items * sizeof *call->items.specs);
  if (!call->bound) return false;
  call->items.bound = call->bound + count;
  assert(call->items.bound - call->bound == (ptrdiff_t)count); // I2
  return call->items.specs != NULL;
}

static int sign(int x) {
  return (x > 0) - (x < 0);
}

static TileStatus bind(Call *call) {
  call->kernel = call->launch.kernel;
  if (!make_room(call)) return TILE_OUT_OF_MEMORY;
  call->specialization =
      (Specialization){.num_warps = call->launch.num_warps,
                       .num_stages = call->launch.num_stages,
                       .config = call->launch.config,
                       .no_fp_fusion = call->launch.no_fp_fusion,
                       .debug = sign(call->launch.debug),
                       .target = call->device->target};
  const TileStatus status = bind_arguments(
      &call->report, call->device, &call->launch, &call->items, call->bound);
  assert(call->items.used <= bound_num_items(&call->launch)); // I2
  return status ? status : apply_heuristics(call);
}

static TileStatus prepare(Call *call) {
  const TileStatus status = bind(call);
  return status ? status : find_variant(call);
}

static void finish(Call *call) {
  arena_free(&call->scratch);
  give(call, call->space->bound, call->bound);
  give(call, call->space->items, call->items.specs);
  give(call, call->space->key, call->key);
}

// -- Running -----------------------------------------------------------------

static void fill_slots(const Call *call, uint64_t *slots) {
  const KernelInfo *info = &call->variant->info;
  int leaf = 0; // machine parameters of one tuple follow one another
  for (int i = 0; i < info->num_params; i++) {
    const KernelParam *param = &info->params[i];
    slots[i] = 0;
    if (param->rule != PARAM_ARGUMENT) continue;
    const bool same = i && param->index == info->params[i - 1].index;
    leaf = same ? leaf + 1 : 0;
    assert(param->index >= 0 &&
           (size_t)param->index < call->kernel->num_params); // I1
    slots[i] = bound_slot(&call->bound[param->index], leaf);
  }
}

static TileStatus run(const Call *call, uint64_t *slots,
                      const uint32_t grid[3]) {
  fill_slots(call, slots);
  const DeviceLaunch launch = {
      .kernel = call->variant->loaded,
      .info = &call->variant->info,
      .args = slots,
      .grid = {grid[0], grid[1], grid[2]},
      .stream = call->launch.stream,
      .launch_pdl = call->launch.launch_pdl,
  };
  Fault fault = {.status = TILE_OK};
  if (call->device->ops->launch(call->device, &launch, &fault)) return TILE_OK;
  return report_fault(&call->report, &fault);
}

static TileStatus launch_variant(const Call *call, const uint32_t grid[3]) {
  uint64_t space[MAX_PARAMS];
  const size_t count = (size_t)call->variant->info.num_params;
  uint64_t *slots = take(call, space, sizeof space, count * sizeof *slots);
  if (!slots) return TILE_OUT_OF_MEMORY;
  const TileStatus status = run(call, slots, grid);
  give(call, space, slots);
  return status;
}

TileStatus tile_launch(TileDevice *device, const TileLaunch *launch,
                       TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  CallSpace space;
  Call call = {.device = device, .space = &space};
  call.report = report_to(device->context, diagnostics);
  uint32_t grid[3];
  TileStatus status = read_call(&call, launch);
  if (!status) status = check_grid(&call, grid);
  if (!status) status = prepare(&call);
  if (!status) status = launch_variant(&call, grid);
  finish(&call);
  return status;
}

TileStatus tile_kernel_prepare(TileDevice *device, const TileLaunch *launch,
                               TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  CallSpace space;
  Call call = {.device = device, .space = &space};
  call.report = report_to(device->context, diagnostics);
  TileStatus status = read_call(&call, launch);
  if (!status) status = prepare(&call);
  finish(&call);
  return status;
}

static TileStatus describe(const Call *call, TileKernelInfo *out) {
  const Variant *variant = call->variant;
  TileKernelInfo known = {
      .num_warps = variant->info.num_warps,
      .registers = -1,
      .local_bytes = -1,
      .spill_bytes = -1,
      .shared_bytes = variant->info.shared_bytes,
      .programs_per_processor = 1,
      .compile_seconds = variant->compile_seconds,
  };
  Fault fault = {.status = TILE_OK};
  if (!call->device->ops->describe(call->device, variant->loaded,
                                   &variant->info, &known, &fault))
    return report_fault(&call->report, &fault);
  sized_write(&sized_info, &known, out);
  return TILE_OK;
}

TileStatus tile_kernel_info(TileDevice *device, const TileLaunch *launch,
                            TileKernelInfo *out,
                            TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  CallSpace space;
  Call call = {.device = device, .space = &space};
  call.report = report_to(device->context, diagnostics);
  TileStatus status = out ? sized_check(&call.report, &sized_info, out)
                          : report_error(&call.report, TILE_INVALID_ARGUMENT,
                                         ERROR_is_null, "out");
  if (!status) status = read_call(&call, launch);
  if (!status) status = prepare(&call);
  if (!status) status = describe(&call, out);
  finish(&call);
  return status;
}

typedef struct {
  Arena *arena;
  ArgSpec *out;
} Numbers;

static TileStatus find_numbers(Call *call, ArgSpec *args, void *data) {
  const Numbers *numbers = data;
  Specialization *spec = &call->specialization;
  const size_t count = call->kernel->num_params;
  memcpy(numbers->out, args, count * sizeof *args);
  spec->args = args;
  return compile_numbers(&call->report, call->kernel->program->unit,
                         call->kernel->function, numbers->arena, numbers->out,
                         spec);
}

TileStatus launch_numbers(TileDevice *device, const TileLaunch *launch,
                          Arena *arena, ArgSpec *out, int *num_warps,
                          int *num_stages, TileDiagnostics **diagnostics) {
  CallSpace space;
  Call call = {.device = device, .space = &space};
  Numbers numbers = {arena, out};
  call.report = report_to(device->context, diagnostics);
  TileStatus status = read_call(&call, launch);
  if (!status) status = bind(&call);
  if (!status) status = with_specs(&call, find_numbers, &numbers);
  *num_warps = call.specialization.num_warps;
  *num_stages = call.specialization.num_stages;
  finish(&call);
  return status;
}
