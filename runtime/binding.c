// binding.c -- launches that are kept, to start them with other addresses.
//
// All that a launch decides is decided when it is bound: its variant, which is
// pinned, and what each machine parameter gets.
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
  uint64_t *slots; // behind the binding, as are the places
  AddressSlot *places;
};

// -- Binding -----------------------------------------------------------------

typedef struct {
  uint32_t grid[3];
  TileBinding *binding; // NULL: the variant was gone, or takes no such tensors
  bool without_maps;
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

static TileBinding *make_binding(const Prepared *p, const LaunchBinding *made) {
  const Allocator *from = p->report->from;
  const size_t count = (size_t)p->variant->info.num_params;
  TileBinding *binding =
      from->alloc(from->ctx, sizeof *binding + count * sizeof(uint64_t) +
                                 count * sizeof(AddressSlot));
  if (!binding) return NULL;
  *binding = (TileBinding){.device = p->device,
                           .kernel = p->launch->kernel,
                           .variant = p->variant,
                           .stream = p->launch->stream,
                           .launch_pdl = p->launch->launch_pdl,
                           .num_slots = count};
  memcpy(binding->grid, made->grid, sizeof binding->grid);
  binding->slots = (uint64_t *)(binding + 1);
  binding->places = (AddressSlot *)(binding->slots + count);
  launch_fill_slots(p, binding->slots);
  find_places(p, binding);
  return binding;
}

// Tensors of other addresses, but of the same sizes, are asked for later.
static bool makes_maps(const Prepared *p, const TileBinding *binding) {
  const KernelInfo *info = &p->variant->info;
  return !info->num_maps ||
         maps_make(p->variant->made, p->device, info, binding->slots, NULL);
}

static TileStatus bind_prepared(const Prepared *p, void *data) {
  LaunchBinding *made = data;
  const Allocator *from = p->report->from;
  TileBinding *binding = make_binding(p, made);
  if (!binding) return TILE_OUT_OF_MEMORY;
  made->without_maps = !makes_maps(p, binding);
  if (!made->without_maps &&
      cache_pin(&p->launch->kernel->variants, p->variant))
    made->binding = binding;
  else
    from->free(from->ctx, binding);
  return TILE_OK;
}

static TileStatus bind_inside(const Report *report, TileDevice *device,
                              const TileLaunch *launch, TileBinding **out) {
  LaunchBinding made = {.binding = NULL};
  TileStatus status = launch_check_grid(report, device, launch, made.grid);
  while (!status && !made.binding)
    status = launch_prepare(report, device, launch, made.without_maps,
                            bind_prepared, &made);
  if (!status) *out = made.binding;
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

static TileStatus start(const Report *report, const TileBinding *binding,
                        const void *const *addresses, void *stream,
                        uint64_t *slots) {
  memcpy(slots, binding->slots, binding->num_slots * sizeof *slots);
  bool refused = false;
  TileStatus status =
      addresses ? set_addresses(report, binding, addresses, slots) : TILE_OK;
  if (!status)
    status = launch_run(
        report,
        &(Start){binding->device, binding->variant, slots, binding->grid,
                 stream ? stream : binding->stream, binding->launch_pdl},
        &refused);
  return refused ? report_error(report, TILE_UNSUPPORTED,
                                ERROR_binding_tensor_map, binding->kernel->name)
                 : status;
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

TileStatus tile_binding_start(const TileBinding *binding,
                              const void *const *addresses,
                              size_t num_addresses, void *stream,
                              TileDiagnostics **diagnostics) {
  if (!binding) return report_null(diagnostics, "binding");
  const Report report = report_to(binding->device->context, diagnostics);
  uint64_t slots[MAX_SLOTS];
  if (num_addresses && num_addresses != binding->num_places)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_binding_addresses,
                        binding->num_places, num_addresses);
  if (num_addresses && !addresses)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        "addresses");
  if (!num_addresses) addresses = NULL;
  return binding->num_slots > MAX_SLOTS
             ? start_large(&report, binding, addresses, stream)
             : start(&report, binding, addresses, stream, slots);
}
