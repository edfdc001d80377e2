// start.c -- starts the grid of a launch.
//
// A launch like an earlier one takes no lock and allocates nothing: its words
// lead to the variant.  New launches and wrong ones go through launch.c.  In
// both cases the thread is inside an epoch, so that the variant stays.
#include "runtime/launch.h"

#include "runtime/base/base.h"
#include "runtime/compile/argument.h"
#include "runtime/errors.h"

#include <assert.h>

enum { MAX_SLOTS = 64 };

TileStatus launch_read(const Report *report, const TileLaunch *launch,
                       TileLaunch *own) {
  if (launch) return sized_read(report, &sized_launch, launch, own);
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_is_null, "launch");
}

TileStatus launch_check_grid(const Report *report, const TileDevice *device,
                             const TileLaunch *launch, uint32_t *grid) {
  Fault fault;
  if (device_check_grid(device, launch->grid, grid, &fault)) return TILE_OK;
  return report_fault(report, &fault);
}

// -- Running -----------------------------------------------------------------

static bool run_fills(const Start *run, Fault *fault) {
  TileDevice *device = run->device;
  for (uint32_t i = 0; i < run->num_fills; i++)
    if (run->fills[i].count &&
        !device->ops->streams->fill(device, &run->fills[i], fault))
      return false;
  return true;
}

static TileStatus start_grid(const Report *report, const Start *run,
                             const TensorMapImage *maps) {
  TileDevice *device = run->device;
  const Variant *variant = run->variant;
  const VariantUpgrade *better =
      upgrade_note(&device->context->upgrades, variant->upgrade);
  const DeviceLaunch start = {
      .kernel = better ? better->loaded : variant->loaded,
      .info = better ? &better->info : &variant->info,
      .args = run->slots,
      .maps = maps,
      .grid = {run->grid[0], run->grid[1], run->grid[2]},
      .stream = run->stream,
      .launch_pdl = run->launch_pdl,
  };
  Fault fault;
  fault_clear(&fault);
  if (run_fills(run, &fault) && device->ops->launch(device, &start, &fault))
    return TILE_OK;
  return report_fault(report, &fault);
}

static TileStatus make_and_start(const Report *report, const Start *run,
                                 TensorMapImage *maps, TensorFit *fit) {
  const Variant *variant = run->variant;
  *fit =
      maps_make(variant->made, run->device, &variant->info, run->slots, maps);
  return *fit ? TILE_OK : start_grid(report, run, maps);
}

static TileStatus start_with_maps(const Report *report, const Start *run,
                                  TensorFit *fit) {
  TensorMapImage space[LAUNCH_MAX_MAPS];
  const size_t count = (size_t)run->variant->info.num_maps;
  if (count <= LAUNCH_MAX_MAPS) return make_and_start(report, run, space, fit);
  const Allocator *from = report->from;
  const size_t unit = TENSOR_MAP_ALIGNMENT;
  void *block = from->alloc(from->ctx, count * sizeof *space + unit);
  if (!block) return TILE_OUT_OF_MEMORY;
  const uintptr_t past = (uintptr_t)block & (unit - 1);
  const TileStatus status = make_and_start(
      report, run, (TensorMapImage *)((char *)block + (unit - past)), fit);
  from->free(from->ctx, block);
  return status;
}

TileStatus launch_run(const Report *report, const Start *run, TensorFit *fit) {
  variant_use(&run->device->context->variants, run->variant);
  *fit = TENSORS_FIT;
  return run->variant->info.num_maps ? start_with_maps(report, run, fit)
                                     : start_grid(report, run, NULL);
}

// A function of its own, since it needs much stack.
static TileStatus run_with_fills(const Report *report, const TileLaunch *launch,
                                 const LaunchFills *fills, Start *start,
                                 TensorFit *fit) {
  DeviceFill what[MAX_LAUNCH_FILLS];
  const TileStatus status = hook_fills(report, launch, fills, what);
  if (status) return status;
  start->fills = what;
  start->num_fills = fills->count;
  return launch_run(report, start, fit);
}

static TileStatus run_launch(const Report *report, const TileLaunch *launch,
                             const LaunchFills *fills, Start *start,
                             TensorFit *fit) {
  return fills->count ? run_with_fills(report, launch, fills, start, fit)
                      : launch_run(report, start, fit);
}

// -- Launches that are new ---------------------------------------------------

void launch_fill_slots(const Prepared *p, uint64_t *slots) {
  const KernelInfo *info = &p->variant->info;
  int leaf = 0; // leaves of one tuple are adjacent
  for (int i = 0; i < info->num_params; i++) {
    const KernelParam *param = &info->params[i];
    slots[i] = 0;
    if (param->rule != PARAM_ARGUMENT) continue;
    leaf = kernel_param_value(info, i, leaf);
    assert(param->index >= 0 &&
           (size_t)param->index < p->launch->kernel->num_params); // I1
    slots[i] = bound_leaf(&p->bound[param->index], leaf)->value;
  }
}

typedef struct {
  uint32_t grid[3];
  TensorFit fit; // not: another variant is needed
} Launching;

static TileStatus run_prepared(const Prepared *p, void *data) {
  Launching *l = data;
  const Allocator *from = p->report->from;
  uint64_t space[MAX_SLOTS], *slots = space;
  const int count = p->variant->info.num_params;
  if (count > MAX_SLOTS)
    slots = from->alloc(from->ctx, (size_t)count * sizeof *slots);
  if (!slots) return TILE_OUT_OF_MEMORY;
  launch_fill_slots(p, slots);
  Start start = {.device = p->device,
                 .variant = p->variant,
                 .slots = slots,
                 .grid = l->grid,
                 .stream = p->launch->stream,
                 .launch_pdl = p->launch->launch_pdl};
  const TileStatus status =
      run_launch(p->report, p->launch, p->fills, &start, &l->fit);
  if (slots != space) from->free(from->ctx, slots);
  return status;
}

// -- Launches that are known -------------------------------------------------

// NULL: the launch is new, or wrong.
static const KnownCall *find_known(const TileDevice *device,
                                   const TileLaunch *launch, CallKey *key) {
  const TileKernel *kernel = launch->kernel;
  if (!kernel || kernel->program->context != device->context ||
      (launch->num_args && !launch->args) ||
      (launch->num_constants && !launch->constants))
    return NULL;
  const KnownCalls *known = &kernel->variants.known;
  if (!call_key_make(device, launch, known_looked_at(known), key)) return NULL;
  return known_find(known, device, key->hash, key->words, key->num_words);
}

static TileStatus run_known_one(const Report *report, TileDevice *device,
                                const TileLaunch *launch,
                                const KnownCall *known, const CallKey *key,
                                Launching *l) {
  uint64_t slots[MAX_SLOTS];
  for (uint32_t i = 0; i < known->num_slots; i++) {
    const int16_t source = known->sources[i];
    slots[i] = source == NO_VALUE ? 0 : key->values[source];
  }
  Start start = {.device = device,
                 .variant = known->variant,
                 .slots = slots,
                 .grid = l->grid,
                 .stream = launch->stream,
                 .launch_pdl = launch->launch_pdl};
  return run_launch(report, launch, &known->fills, &start, &l->fit);
}

// A launch of another variant is known by words of its own.
static TileStatus run_known(const Report *report, TileDevice *device,
                            const TileLaunch *launch, const KnownCall *known,
                            CallKey *key, Launching *l) {
  const TileStatus status =
      run_known_one(report, device, launch, known, key, l);
  if (status || !l->fit) return status;
  call_key_add_fit(key, l->fit);
  known = known_find(&launch->kernel->variants.known, device, key->hash,
                     key->words, key->num_words);
  return known ? run_known_one(report, device, launch, known, key, l) : status;
}

// A function of its own, since it needs much stack.
static TileStatus launch_known(const Report *report, TileDevice *device,
                               const TileLaunch *launch, Launching *l,
                               bool *is_known) {
  CallKey key;
  const KnownCall *known = find_known(device, launch, &key);
  *is_known = known != NULL;
  return known ? run_known(report, device, launch, known, &key, l) : TILE_OK;
}

static TileStatus launch_inside(const Report *report, TileDevice *device,
                                const TileLaunch *launch) {
  Launching l;
  bool is_known;
  TileStatus status = launch_check_grid(report, device, launch, l.grid);
  if (status) return status;
  l.fit = TENSORS_FIT;
  status = launch_known(report, device, launch, &l, &is_known);
  if (!is_known)
    status =
        launch_prepare(report, device, launch, TENSORS_FIT, run_prepared, &l);
  if (status || !l.fit) return status;
  status = launch_prepare(report, device, launch, l.fit, run_prepared, &l);
  assert((status || !l.fit) && "a kernel without maps wants some"); // I10
  return status;
}

TileStatus tile_launch(TileDevice *device, const TileLaunch *launch,
                       TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  TileLaunch own;
  TileStatus status = launch_read(&report, launch, &own);
  if (status) return status;
  if (!epoch_enter()) return TILE_OUT_OF_MEMORY;
  status = launch_inside(&report, device, &own);
  epoch_leave();
  return status;
}

static TileStatus inside(const Report *report, TileDevice *device,
                         const TileLaunch *launch, UsePrepared *use,
                         void *data) {
  TileLaunch own;
  TileStatus status = launch_read(report, launch, &own);
  if (status) return status;
  if (!epoch_enter()) return TILE_OUT_OF_MEMORY;
  status = launch_prepare(report, device, &own, TENSORS_FIT, use, data);
  epoch_leave();
  return status;
}

TileStatus tile_kernel_prepare(TileDevice *device, const TileLaunch *launch,
                               TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  return inside(&report, device, launch, NULL, NULL);
}

static TileStatus describe(const Prepared *p, void *out) {
  const Variant *variant = p->variant;
  TileKernelInfo known = {
      .num_warps = variant->info.num_warps,
      .registers = -1,
      .local_bytes = -1,
      .spill_bytes = -1,
      .shared_bytes = variant->info.shared_bytes,
      .programs_per_processor = 1,
      .compile_seconds = variant->compile_seconds,
  };
  const VariantUpgrade *better = upgrade_done(variant->upgrade);
  Fault fault;
  fault_clear(&fault);
  if (!p->device->ops->describe(
          p->device, better ? better->loaded : variant->loaded,
          better ? &better->info : &variant->info, &known, &fault))
    return report_fault(p->report, &fault);
  sized_write(&sized_info, &known, out);
  return TILE_OK;
}

TileStatus tile_kernel_info(TileDevice *device, const TileLaunch *launch,
                            TileKernelInfo *out,
                            TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  if (!out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  const TileStatus status = sized_check(&report, &sized_info, out);
  return status ? status : inside(&report, device, launch, describe, out);
}
