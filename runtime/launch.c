// launch.c -- finds or makes the variant of a new launch.
//
// If the variant exists, the launch allocates little: its key and its
// parameters mostly fit the space on the stack, and the entry by which start.c
// finds it next time is small.
#include "runtime/launch.h"
#include "runtime/base/base.h"

#include "runtime/compile/argument.h"

#include "runtime/choose.h"
#include "runtime/errors.h"
#include "runtime/obtain.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PARAMS = 64, KEY_BYTES = 1024, KEY_HEAD = 8 * sizeof(int) };

// A struct of its own, since clearing it would take longer than most launches.
typedef struct {
  BoundArg bound[MAX_PARAMS];
  ArgSpec items[MAX_PARAMS];
  unsigned char key[KEY_BYTES];
} CallSpace;

typedef struct {
  Report report;
  TileDevice *device;
  TileLaunch launch; // the caller's, in this library's version
  TileKernel *kernel;
  Variant *variant;
  Specialization specialization; // without the arguments
  TensorFit asked;               // the requested variant
  bool without_maps;             // asked for, or the device has none
  Arena scratch;                 // memory for heuristics and the tuner
  uint64_t looked_at;            // parameters that heuristics and hooks read
  LaunchFills fills;             // of the configuration's hook
  CallSpace *space;
  // Points to that space, or to larger memory from the allocator.
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
  const size_t ctas = launch->num_ctas;
  if (ctas > MAX_CLUSTER || (ctas && ctas & (ctas - 1)))
    return report_error(&call->report, TILE_INVALID_ARGUMENT,
                        ERROR_launch_num_ctas, MAX_CLUSTER, ctas);
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

static void log_variant(const Call *call, const Variant *variant,
                        const char *how) {
  const TileContext *context = call->device->context;
  char line[256];
  if (!context->log) return;
  const bool refused = call->without_maps && call->device->has_maps;
  snprintf(line, sizeof line, "%s %s for %s in %.2f ms%s", how,
           call->kernel->name, call->device->name,
           variant->compile_seconds * 1e3,
           call->asked == TENSORS_OVERLAP ? ", for tensors that share memory"
           : refused                      ? ", without tensor maps"
                                          : "");
  context->log(context->log_ctx, line);
}

static TileStatus obtain_variant(const Call *call,
                                 const CompileRequest *request,
                                 Variant *variant, bool *found) {
  Compilation compiled;
  TileStatus status = obtain_code(&call->report, call->device, request,
                                  call->kernel->asked, &compiled, found);
  if (!status) status = load_variant(call, &compiled, variant);
  if (!status && !*found && call->device->tier == TILE_TIER_AUTO)
    upgrade_prepare(&call->kernel->variants, variant, &compiled.arena,
                    compiled.module);
  compilation_free(&compiled);
  return status;
}

static TileStatus compile_variant(Call *call, ArgSpec *args, void *data) {
  Variant *variant = data;
  Specialization specialization = call->specialization;
  specialization.args = args;
  const CodegenOptions codegen = device_codegen(call->device);
  const PassOptions no_maps = {.disable = "tensor_maps",
                               .overlap = call->asked == TENSORS_OVERLAP};
  const CompileRequest request = {
      .unit = call->kernel->program->unit,
      .kernel = call->kernel->function,
      .specialization = &specialization,
      .goal = COMPILE_TO_CODE,
      .kind = call->device->code,
      .passes = call->without_maps ? &no_maps : NULL,
      .codegen = &codegen,
      .cancel = &call->device->context->cancel,
  };
  const double start = clock_seconds();
  bool found;
  const TileStatus status = obtain_variant(call, &request, variant, &found);
  variant->compile_seconds = clock_seconds() - start;
  if (status) return status;
  log_variant(call, variant, found ? "loaded" : "compiled");
  launch_record(call->kernel, &specialization);
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

// The number of a configuration stands in the key for all its options,
// `maxnreg` too.
static bool make_key(Call *call) {
  const Specialization *spec = &call->specialization;
  const int tensors = call->asked ? (int)call->asked : call->without_maps;
  const int head[] = {spec->num_warps, spec->num_stages,   spec->config,
                      spec->debug,     spec->no_fp_fusion, tensors,
                      spec->num_ctas,  spec->persist};
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

static void take_specs(Call *call, const ArgSpec *args) {
  const size_t count = call->kernel->num_params;
  for (size_t i = 0; i < count; i++) call->bound[i].spec = args[i];
}

static TileStatus guess(Call *call, ArgSpec *args, void *data) {
  bool reads[MAX_PARAMS] = {false};
  const size_t count = call->kernel->num_params;
  Specialization *spec = &call->specialization;
  (void)data;
  spec->args = args;
  const TileStatus status = compile_heuristics(
      &call->report, call->kernel->program->unit, call->kernel->function,
      &call->scratch, args, count <= MAX_PARAMS ? reads : NULL, spec);
  spec->args = NULL;
  if (!status) take_specs(call, args);
  for (size_t i = 0; i < count && i < MAX_PARAMS; i++)
    call->looked_at |= (uint64_t)reads[i] << i;
  return status;
}

static TileStatus run_hook(Call *call, ArgSpec *args, void *data) {
  Specialization *spec = &call->specialization;
  (void)data;
  spec->args = args;
  const TileStatus status =
      hook_apply(&call->report, &call->launch, spec, &call->scratch, args,
                 &call->looked_at, &call->fills);
  spec->args = NULL;
  if (!status) take_specs(call, args);
  return status;
}

// Adds the values that @heuristics computes from the values of this launch.
static TileStatus apply_heuristics(Call *call) {
  if (!call->kernel->has_heuristics) return TILE_OK;
  return with_specs(call, guess, NULL);
}

static TileStatus choose(Call *call, ArgSpec *args, void *data) {
  (void)data;
  const TileStatus status =
      choose_config(&call->report, call->device, call->kernel, &call->scratch,
                    args, &call->specialization, &call->looked_at);
  if (!status) take_specs(call, args);
  return status;
}

// Finds the configuration that an earlier tile_tune() found best.
static TileStatus find_config(Call *call) {
  int *config = &call->specialization.config;
  const bool asks = !*config;
  if (*config == TILE_CONFIG_FIRST) *config = 0;
  if (!asks || !call->device->context->tuned) return TILE_OK;
  return with_specs(call, choose, NULL);
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
  arena_init(&call->scratch, call->report.from);
  call->without_maps = call->asked || !call->device->has_maps;
  if (!make_room(call)) return TILE_OUT_OF_MEMORY;
  call->specialization =
      (Specialization){.num_warps = call->launch.num_warps,
                       .num_stages = call->launch.num_stages,
                       .num_ctas = (int)call->launch.num_ctas,
                       .config = call->launch.config,
                       .no_fp_fusion = call->launch.no_fp_fusion,
                       .debug = sign(call->launch.debug),
                       .persist = sign(call->launch.persist),
                       .target = call->device->target};
  TileStatus status = bind_arguments(&call->report, call->device, &call->launch,
                                     &call->items, call->bound);
  assert(call->items.used <= bound_num_items(&call->launch)); // I2
  return status ? status : find_config(call);
}

// Finds the value of the launch that each machine parameter gets.
static void find_sources(const Call *call, const CallKey *key,
                         int16_t *sources) {
  const KernelInfo *info = &call->variant->info;
  int leaf = 0;
  for (int i = 0; i < info->num_params; i++) {
    const KernelParam *param = &info->params[i];
    sources[i] = NO_VALUE;
    if (param->rule != PARAM_ARGUMENT) continue;
    leaf = kernel_param_value(info, i, leaf);
    const int source = key->first_value[param->index] + leaf;
    assert((uint32_t)source < key->num_values &&
           key->values[source] ==
               bound_leaf(&call->bound[param->index], leaf)->value); // I8
    sources[i] = (int16_t)source;
  }
}

// Adds the launch to the known ones, so that the next launch with the same
// words finds the variant by them.
static void remember(const Call *call) {
  CallKey key;
  int16_t sources[MAX_PARAMS];
  VariantCache *cache = &call->kernel->variants;
  const int count = call->variant->info.num_params;
  cache_look_at(cache, call->looked_at);
  if (count > MAX_PARAMS ||
      !call_key_make(call->device, &call->launch,
                     known_looked_at(&cache->known), &key))
    return;
  call_key_add_fit(&key, call->asked);
  find_sources(call, &key, sources);
  cache_learn(cache, &(KnownCall){.hash = key.hash,
                                  .device = call->device,
                                  .variant = call->variant,
                                  .num_words = key.num_words,
                                  .num_slots = (uint32_t)count,
                                  .words = key.words,
                                  .sources = sources,
                                  .fills = call->fills});
}

static TileStatus prepare(Call *call) {
  TileStatus status = check_call(call);
  if (!status) status = bind(call);
  if (!status) status = with_specs(call, run_hook, NULL);
  if (!status) status = apply_heuristics(call);
  if (!status) status = find_variant(call);
  if (!status) remember(call);
  return status;
}

static void finish(Call *call) {
  arena_free(&call->scratch);
  give(call, call->space->bound, call->bound);
  give(call, call->space->items, call->items.specs);
  give(call, call->space->key, call->key);
}

// -- Uses --------------------------------------------------------------------

static void shrink(TileContext *context) {
  VariantPool *pool = &context->variants;
  const size_t max = context->max_variants;
  if (max && atomic_load(&pool->count) > max)
    pool_evict(pool, max);
  else
    retired_sweep(&pool->retired);
}

TileStatus launch_prepare(const Report *report, TileDevice *device,
                          const TileLaunch *launch, TensorFit fit,
                          UsePrepared *use, void *data) {
  CallSpace space;
  Call call = {.report = *report,
               .device = device,
               .launch = *launch,
               .asked = fit,
               .space = &space};
  TileStatus status = prepare(&call);
  if (!status && use)
    status = use(&(Prepared){&call.report, device, &call.launch, call.variant,
                             call.bound, &call.fills},
                 data);
  finish(&call);
  shrink(device->context);
  return status;
}

typedef struct {
  UseSpecialization *use;
  void *data;
} Asking;

static TileStatus use_specialization(Call *call, ArgSpec *args, void *data) {
  const Asking *asking = data;
  Specialization specialization = call->specialization;
  specialization.args = args;
  return asking->use(asking->data, &call->report, call->kernel,
                     &specialization);
}

TileStatus launch_specialize(TileDevice *device, const TileLaunch *launch,
                             UseSpecialization *use, void *data,
                             TileDiagnostics **diagnostics) {
  CallSpace space;
  Call call = {.device = device, .space = &space};
  Asking asking = {use, data};
  call.report = report_to(device->context, diagnostics);
  TileStatus status = launch_read(&call.report, launch, &call.launch);
  if (!status) status = check_call(&call);
  if (!status) status = bind(&call);
  if (!status) status = apply_heuristics(&call);
  if (!status) status = with_specs(&call, use_specialization, &asking);
  finish(&call);
  return status;
}

typedef struct {
  Arena *arena;
  ArgSpec *out;
  int num_warps, num_stages;
} Numbers;

static TileStatus find_numbers(void *data, const Report *report,
                               TileKernel *kernel,
                               const Specialization *specialization) {
  Numbers *numbers = data;
  Specialization spec = *specialization;
  memcpy(numbers->out, spec.args, kernel->num_params * sizeof *spec.args);
  const TileStatus status =
      compile_values(report, kernel->program->unit, kernel->function,
                     numbers->arena, numbers->out, &spec);
  numbers->num_warps = spec.num_warps;
  numbers->num_stages = spec.num_stages;
  return status;
}

TileStatus launch_numbers(TileDevice *device, const TileLaunch *launch,
                          Arena *arena, ArgSpec *out, int *num_warps,
                          int *num_stages, TileDiagnostics **diagnostics) {
  Numbers numbers = {.arena = arena, .out = out};
  const TileStatus status =
      launch_specialize(device, launch, find_numbers, &numbers, diagnostics);
  *num_warps = numbers.num_warps;
  *num_stages = numbers.num_stages;
  return status;
}
