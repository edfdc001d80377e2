// rt_launch.c -- starting a kernel of a pack.
//
// A kernel is loaded by the first launch that wants it, under the device's
// lock; later ones find it without.
#include "runtime/errors.h"
#include "runtime/rt/rt.h"

#include <string.h>

static LoadedPack *find_loaded(const TilertDevice *device,
                               const TilertPack *pack) {
  LoadedPack *l = atomic_load_explicit(&device->loaded, memory_order_acquire);
  while (l && l->pack != pack) l = l->next;
  return l;
}

// With the lock held.
static LoadedPack *add_loaded(TilertDevice *device, const TilertPack *pack) {
  LoadedPack *l = find_loaded(device, pack);
  if (l) return l;
  const size_t count = (size_t)pack->pack.num_variants;
  l = device->from.alloc(device->from.ctx,
                         sizeof *l + count * sizeof *l->kernels);
  if (!l) return NULL;
  l->pack = pack;
  for (size_t i = 0; i < count; i++) atomic_init(&l->kernels[i], NULL);
  l->next = atomic_load(&device->loaded);
  atomic_store_explicit(&device->loaded, l, memory_order_release);
  return l;
}

// With the lock held.
static DeviceKernel *load(TilertDevice *device, LoadedPack *l,
                          const PackVariant *variant, Fault *fault) {
  _Atomic(DeviceKernel *) *slot = &l->kernels[variant->number];
  DeviceKernel *kernel = atomic_load(slot);
  if (kernel) return kernel;
  const CompiledCode code = {.data = variant->level
                                         ? (const char *)&variant->image
                                         : (const char *)variant->code.data,
                             .size = variant->code.size,
                             .kernels = &variant->info,
                             .num_kernels = 1};
  TileDevice *d = &device->device;
  if (!d->ops->load(d, &code, &variant->info, &kernel, fault)) return NULL;
  atomic_store_explicit(slot, kernel, memory_order_release);
  return kernel;
}

static DeviceKernel *obtain(TilertDevice *device, const TilertPack *pack,
                            const PackVariant *variant, Fault *fault) {
  LoadedPack *l = find_loaded(device, pack);
  DeviceKernel *kernel = NULL;
  if (l)
    kernel = atomic_load_explicit(&l->kernels[variant->number],
                                  memory_order_acquire);
  if (kernel) return kernel;
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  pthread_mutex_lock(&device->lock);
  l = add_loaded(device, pack);
  if (l) kernel = load(device, l, variant, fault);
  pthread_mutex_unlock(&device->lock);
  return kernel;
}

static TileStatus check_launch(const TilertDevice *device,
                               const TilertLaunch *from, TilertLaunch *out,
                               TilertError *error) {
  if (!device || !from)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null,
                   device ? "launch" : "device");
  if (!rt_sized(from, out, sizeof *out))
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_rt_too_new, "launch");
  const char *missing = !out->pack                    ? "launch->pack"
                        : !out->kernel                ? "launch->kernel"
                        : out->num_args && !out->args ? "launch->args"
                        : out->num_constants && !out->constants
                            ? "launch->constants"
                            : NULL;
  if (missing)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null, missing);
  return TILE_OK;
}

static TileStatus prepare(TilertDevice *device, const TilertLaunch *from,
                          TilertLaunch *launch, RtChoice *choice,
                          DeviceKernel **kernel, TilertError *error) {
  Fault fault;
  TileStatus status = check_launch(device, from, launch, error);
  if (!status) status = rt_choose(device, launch, choice, error);
  if (status) return status;
  *kernel = obtain(device, launch->pack, choice->variant, &fault);
  return *kernel ? TILE_OK : rt_fault(error, &fault);
}

TileStatus tilert_prepare(TilertDevice *device, const TilertLaunch *launch,
                          TilertError *error) {
  RtChoice choice;
  TilertLaunch known;
  DeviceKernel *kernel;
  return prepare(device, launch, &known, &choice, &kernel, error);
}

static TileStatus set_grid(const TileDevice *device, const TilertLaunch *launch,
                           uint32_t grid[3], TilertError *error) {
  uint64_t programs = 1;
  for (int i = 0; i < 3; i++) {
    grid[i] = i && !launch->grid[i] ? 1 : launch->grid[i];
    if (!grid[i] || grid[i] > device->ops->max_grid[i])
      return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_rt_grid, grid[i], i,
                     device->ops->max_grid[i]);
    if (programs > UINT64_MAX / 4 / grid[i])
      return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_grid_too_big);
    programs *= grid[i];
  }
  return TILE_OK;
}

TileStatus tilert_launch(TilertDevice *device, const TilertLaunch *launch,
                         TilertError *error) {
  RtChoice choice;
  TilertLaunch known;
  DeviceLaunch start = {.kernel = NULL};
  Fault fault = {.status = TILE_OK};
  TileStatus status =
      prepare(device, launch, &known, &choice, &start.kernel, error);
  if (!status) status = set_grid(&device->device, &known, start.grid, error);
  if (status) return status;
  start.info = &choice.variant->info;
  start.args = choice.args;
  start.stream = known.stream;
  start.launch_pdl = known.launch_pdl;
  if (device->device.ops->launch(&device->device, &start, &fault))
    return TILE_OK;
  return rt_fault(error, &fault);
}
