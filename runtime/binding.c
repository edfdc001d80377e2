// binding.c -- bound launches, which can be started with other addresses.
//
// All decisions of a launch are made when it is bound: its variant, which is
// pinned, and the value of each machine parameter.
#include "runtime/launch.h"

#include "runtime/base/base.h"
#include "runtime/errors.h"

#include <assert.h>
#include <string.h>

enum { MAX_SLOTS = 64 };

// A machine parameter that is an address.
typedef struct {
  uint32_t slot;
  uint32_t align;
} AddressSlot;

struct TileBinding {
  TileDevice *device;
  TileKernel *kernel;
  Variant *variant;
  uint32_t grid[3];
  void *stream;
  bool launch_pdl;
  size_t num_slots, num_places;
  uint32_t num_fills;
  uint64_t *slots; // in the same block as the binding, as the rest
  AddressSlot *places;
  DeviceFill *fills;    // fills of the bound launch's tensors
  uint32_t *fill_slots; // slots with the addresses to fill
  // A binding for addresses without tensor maps; NULL: not needed.
  TileBinding *without_maps;
};

// -- Binding -----------------------------------------------------------------

typedef struct {
  uint32_t grid[3];
  TileBinding *binding; // NULL: the variant was evicted, or the tensors do not
                        // fit it
  TensorFit fit;
} LaunchBinding;

static uint32_t align_of(const BoundArg *argument, const BoundArg *leaf) {
  enum { OF_HINTS = 16 };
  if (argument->spec.kind == ARG_DESCRIPTOR || leaf->spec.divisibility)
    return OF_HINTS;
  const char *type = leaf->spec.text + 1; // behind the star
  return (uint32_t)tile_dtype_size(element_find(type, strlen(type)));
}

static void find_places(const Prepared *p, TileBinding *binding) {
  const KernelInfo *info = &p->variant->info;
  int leaf = 0;
  for (int i = 0; i < info->num_params; i++) {
    const KernelParam *param = &info->params[i];
    if (param->rule != PARAM_ARGUMENT) continue;
    leaf = kernel_param_value(info, i, leaf);
    if (!param->is_pointer) continue;
    const BoundArg *argument = &p->bound[param->index];
    assert(binding->num_places < binding->num_slots); // I9
    binding->places[binding->num_places++] = (AddressSlot){
        (uint32_t)i, align_of(argument, bound_leaf(argument, leaf))};
  }
}

// The machine parameter with the address of the kernel's parameter.
static uint32_t slot_of(const KernelInfo *info, int param) {
  int i = 0;
  while (i < info->num_params && (info->params[i].rule != PARAM_ARGUMENT ||
                                  info->params[i].index != param))
    i++;
  assert(i < info->num_params); // I9
  return (uint32_t)i;
}

static TileStatus find_fills(const Prepared *p, TileBinding *binding) {
  const LaunchFills *fills = p->fills;
  for (uint32_t i = 0; i < fills->count; i++)
    binding->fill_slots[i] = slot_of(&p->variant->info, fills->items[i].param);
  return hook_fills(p->report, p->launch, fills, binding->fills);
}

static TileBinding *make_binding(const Prepared *p, const LaunchBinding *made) {
  const Allocator *from = p->report->from;
  const size_t count = (size_t)p->variant->info.num_params;
  const uint32_t fills = p->fills->count;
  TileBinding *binding = from->alloc(
      from->ctx, sizeof *binding + count * sizeof(uint64_t) +
                     fills * sizeof(DeviceFill) + count * sizeof(AddressSlot) +
                     fills * sizeof(uint32_t));
  if (!binding) return NULL;
  *binding = (TileBinding){.device = p->device,
                           .kernel = p->launch->kernel,
                           .variant = p->variant,
                           .stream = p->launch->stream,
                           .launch_pdl = p->launch->launch_pdl,
                           .num_slots = count,
                           .num_fills = fills};
  memcpy(binding->grid, made->grid, sizeof binding->grid);
  binding->slots = (uint64_t *)(binding + 1);
  binding->fills = (DeviceFill *)(binding->slots + count);
  binding->places = (AddressSlot *)(binding->fills + fills);
  binding->fill_slots = (uint32_t *)(binding->places + count);
  launch_fill_slots(p, binding->slots);
  find_places(p, binding);
  return binding;
}

// Later starts have tensors at other addresses, of the same sizes.
static TensorFit find_fit(const Prepared *p, const TileBinding *binding) {
  const KernelInfo *info = &p->variant->info;
  if (!info->num_maps) return TENSORS_FIT;
  return maps_make(p->variant->made, p->device, info, binding->slots, NULL);
}

static TileStatus bind_prepared(const Prepared *p, void *data) {
  LaunchBinding *made = data;
  const Allocator *from = p->report->from;
  TileBinding *binding = make_binding(p, made);
  if (!binding) return TILE_OUT_OF_MEMORY;
  const TileStatus status = find_fills(p, binding);
  const TensorFit fit = status ? TENSORS_FIT : find_fit(p, binding);
  if (fit) made->fit = fit;
  if (!status && !fit && cache_pin(&p->launch->kernel->variants, p->variant))
    made->binding = binding;
  else
    from->free(from->ctx, binding);
  return status;
}

// Whether a start may be refused for an address that this variant's launches
// may have.
static bool may_be_refused(const TileBinding *binding) {
  bool may = false;
  for (size_t i = 0; i < binding->num_places; i++)
    may = may || binding->places[i].align < TENSOR_UNIT;
  return may && binding->variant->info.num_maps;
}

static TileStatus bind_one(const Report *report, TileDevice *device,
                           const TileLaunch *launch, LaunchBinding *made) {
  TileStatus status = TILE_OK;
  made->binding = NULL;
  while (!status && !made->binding)
    status =
        launch_prepare(report, device, launch, made->fit, bind_prepared, made);
  return status;
}

static TileStatus bind_inside(const Report *report, TileDevice *device,
                              const TileLaunch *launch, TileBinding **out) {
  LaunchBinding made = {.binding = NULL};
  TileStatus status = launch_check_grid(report, device, launch, made.grid);
  if (!status) status = bind_one(report, device, launch, &made);
  if (status) return status;
  TileBinding *binding = made.binding;
  if (may_be_refused(binding)) {
    made.fit = TENSORS_UNMAPPED;
    status = bind_one(report, device, launch, &made);
    binding->without_maps = made.binding;
    assert((status || made.binding->num_places == binding->num_places) &&
           "addresses of other parameters"); // I9
  }
  if (status)
    tile_binding_destroy(binding);
  else
    *out = binding;
  return status;
}

TileStatus tile_launch_bind(TileDevice *device, const TileLaunch *launch,
                            TileBinding **out, TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  TileLaunch own;
  if (!out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  TileStatus status = launch_read(&report, launch, &own);
  if (status) return status;
  if (!epoch_enter()) return TILE_OUT_OF_MEMORY;
  status = bind_inside(&report, device, &own, out);
  epoch_leave();
  return status;
}

void tile_binding_destroy(TileBinding *binding) {
  if (!binding) return;
  const Allocator *from = binding->device->from;
  tile_binding_destroy(binding->without_maps);
  cache_unpin(&binding->kernel->variants, binding->variant);
  from->free(from->ctx, binding);
}

size_t tile_binding_num_addresses(const TileBinding *binding) {
  return binding ? binding->num_places : 0;
}

// -- Starting ----------------------------------------------------------------

static TileStatus set_addresses(const Report *report,
                                const TileBinding *binding,
                                const void *const *addresses, uint64_t *slots) {
  for (size_t i = 0; i < binding->num_places; i++) {
    const AddressSlot place = binding->places[i];
    const uint64_t address = (uint64_t)(uintptr_t)addresses[i];
    assert(place.slot < binding->num_slots && place.align); // I9
    if (address & (place.align - 1))
      return report_error(report, TILE_INVALID_ARGUMENT, ERROR_binding_align, i,
                          (unsigned long long)address, place.align);
    slots[place.slot] = address;
  }
  return TILE_OK;
}

// A function of its own, since it needs much stack.
static TileStatus run_with_fills(const Report *report,
                                 const TileBinding *binding, Start *run,
                                 TensorFit *fit) {
  DeviceFill fills[MAX_LAUNCH_FILLS];
  for (uint32_t i = 0; i < binding->num_fills; i++) {
    fills[i] = binding->fills[i];
    fills[i].to = (void *)(uintptr_t)run->slots[binding->fill_slots[i]];
    fills[i].stream = run->stream;
  }
  run->fills = fills;
  run->num_fills = binding->num_fills;
  return launch_run(report, run, fit);
}

static TileStatus start_bound(const Report *report, const TileBinding *binding,
                              const void *const *addresses, void *stream);

static TileStatus start(const Report *report, const TileBinding *binding,
                        const void *const *addresses, void *stream,
                        uint64_t *slots) {
  memcpy(slots, binding->slots, binding->num_slots * sizeof *slots);
  TensorFit fit = TENSORS_FIT;
  TileStatus status =
      addresses ? set_addresses(report, binding, addresses, slots) : TILE_OK;
  Start run = {.device = binding->device,
               .variant = binding->variant,
               .slots = slots,
               .grid = binding->grid,
               .stream = stream ? stream : binding->stream,
               .launch_pdl = binding->launch_pdl};
  if (!status)
    status = binding->num_fills ? run_with_fills(report, binding, &run, &fit)
                                : launch_run(report, &run, &fit);
  if (!fit) return status;
  if (fit == TENSORS_UNMAPPED && binding->without_maps)
    return start_bound(report, binding->without_maps, addresses, stream);
  return report_error(report, TILE_UNSUPPORTED,
                      fit == TENSORS_OVERLAP ? ERROR_binding_overlap
                                             : ERROR_binding_tensor_map,
                      binding->kernel->name);
}

static TileStatus start_large(const Report *report, const TileBinding *binding,
                              const void *const *addresses, void *stream) {
  const Allocator *from = report->from;
  uint64_t *slots = from->alloc(from->ctx, binding->num_slots * sizeof *slots);
  if (!slots) return TILE_OUT_OF_MEMORY;
  const TileStatus status = start(report, binding, addresses, stream, slots);
  from->free(from->ctx, slots);
  return status;
}

static TileStatus start_bound(const Report *report, const TileBinding *binding,
                              const void *const *addresses, void *stream) {
  uint64_t slots[MAX_SLOTS];
  return binding->num_slots > MAX_SLOTS
             ? start_large(report, binding, addresses, stream)
             : start(report, binding, addresses, stream, slots);
}

TileStatus tile_binding_start(const TileBinding *binding,
                              const void *const *addresses,
                              size_t num_addresses, void *stream,
                              TileDiagnostics **diagnostics) {
  if (!binding) return report_null(diagnostics, "binding");
  const Report report = report_to(binding->device->context, diagnostics);
  if (num_addresses && num_addresses != binding->num_places)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_binding_addresses,
                        binding->num_places, num_addresses);
  if (num_addresses && !addresses)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        "addresses");
  return start_bound(&report, binding, num_addresses ? addresses : NULL,
                     stream);
}
