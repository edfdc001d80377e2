// launch.c -- starting a kernel of a pack.
//
// The first launch of a kernel loads it, under the device's lock; later
// launches find it without the lock.
#include "runtime/errors.h"
#include "runtime/rt/rt.h"

#include <assert.h>
#include <string.h>

// -- Loading -----------------------------------------------------------------

static LoadedPack *find_loaded(const TilertDevice *device,
                               const TilertPack *pack) {
  LoadedPack *l = atomic_load_explicit(&device->loaded, memory_order_acquire);
  while (l && l->pack != pack) l = l->next;
  return l;
}

// The caller holds the device's lock.
static LoadedPack *add_loaded(TilertDevice *device, const TilertPack *pack) {
  LoadedPack *l = find_loaded(device, pack);
  if (l) return l;
  const size_t count = (size_t)pack->pack.num_variants;
  l = device->from.alloc(device->from.ctx,
                         sizeof *l + count * sizeof *l->kernels);
  if (!l) return NULL;
  l->pack = pack;
  for (size_t i = 0; i < count; i++) {
    atomic_init(&l->kernels[i].kernel, NULL);
    l->kernels[i].maps = NULL;
  }
  l->next = atomic_load(&device->loaded);
  atomic_store_explicit(&device->loaded, l, memory_order_release);
  return l;
}

static DeviceKernel *load_code(TilertDevice *device, const PackVariant *variant,
                               const void *data, size_t size, Fault *fault) {
  const CompiledCode code = {
      .data = data, .size = size, .kernels = &variant->info, .num_kernels = 1};
  TileDevice *d = &device->device;
  DeviceKernel *kernel = NULL;
  d->ops->load(d, &code, &variant->info, &kernel, fault);
  return kernel;
}

// Loads the cubin. NULL: it is for another chip or a newer driver; the PTX is
// tried next. The cubin is copied, since a driver may want it aligned.
static DeviceKernel *load_cubin(TilertDevice *device,
                                const PackVariant *variant) {
  const Bytes cubin = variant->cubin;
  Fault ignored;
  if (!cubin.size) return NULL;
  void *copy = device->from.alloc(device->from.ctx, cubin.size);
  if (!copy) return NULL;
  memcpy(copy, cubin.data, cubin.size);
  DeviceKernel *kernel = load_code(device, variant, copy, cubin.size, &ignored);
  device->from.free(device->from.ctx, copy);
  return kernel;
}

static DeviceKernel *load_kernel(TilertDevice *device,
                                 const PackVariant *variant, Fault *fault) {
  if (variant->level)
    return load_code(device, variant, &variant->image, 0, fault);
  DeviceKernel *kernel = load_cubin(device, variant);
  if (kernel) return kernel;
  return load_code(device, variant, variant->code.data, variant->code.size,
                   fault);
}

// The caller holds the device's lock.
static bool load(TilertDevice *device, LoadedKernel *loaded,
                 const PackVariant *variant, Fault *fault) {
  const int num_maps = variant->info.num_maps;
  if (atomic_load(&loaded->kernel)) return true;
  if (num_maps && !loaded->maps)
    loaded->maps = maps_create(&device->from, num_maps);
  if (num_maps && !loaded->maps) return false;
  DeviceKernel *kernel = load_kernel(device, variant, fault);
  atomic_store_explicit(&loaded->kernel, kernel, memory_order_release);
  return kernel;
}

// NULL with a fault.
static const LoadedKernel *obtain(TilertDevice *device, const TilertPack *pack,
                                  const PackVariant *variant, Fault *fault) {
  assert(variant->number < pack->pack.num_variants); // I5
  LoadedPack *l = find_loaded(device, pack);
  if (l && atomic_load_explicit(&l->kernels[variant->number].kernel,
                                memory_order_acquire))
    return &l->kernels[variant->number];
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  pthread_mutex_lock(&device->lock);
  l = add_loaded(device, pack);
  const bool ok =
      l && load(device, &l->kernels[variant->number], variant, fault);
  pthread_mutex_unlock(&device->lock);
  return ok ? &l->kernels[variant->number] : NULL;
}

// -- Checks ------------------------------------------------------------------

static TileStatus check_launch(const TilertDevice *device,
                               const TilertLaunch *from, TilertLaunch *out,
                               TilertError *error) {
  if (!device || !from)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null,
                   device ? "launch" : "device");
  const TileStatus status = rt_read(error, &rt_sized_launch, from, out);
  if (status) return status;
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

static TileStatus prepare(TilertDevice *device, const TilertLaunch *launch,
                          TensorFit fit, RtChoice *choice,
                          const LoadedKernel **loaded, TilertError *error) {
  Fault fault;
  const TileStatus status = rt_choose(device, launch, fit, choice, error);
  if (status) return status;
  *loaded = obtain(device, launch->pack, choice->variant, &fault);
  return *loaded ? TILE_OK : rt_fault(error, &fault);
}

TileStatus tilert_prepare(TilertDevice *device, const TilertLaunch *launch,
                          TilertError *error) {
  RtChoice choice;
  TilertLaunch known;
  const LoadedKernel *loaded;
  const TileStatus status = check_launch(device, launch, &known, error);
  return status ? status
                : prepare(device, &known, TENSORS_FIT, &choice, &loaded, error);
}

// -- Starting ----------------------------------------------------------------

// Starts a variant for tensors of the given fit. If the tensors turn out to
// have another fit, `*fit` becomes that one, and nothing is started.
static TileStatus start(TilertDevice *device, const TilertLaunch *launch,
                        const uint32_t *grid, TensorFit *fit,
                        TilertError *error) {
  TensorMapImage maps[LAUNCH_MAX_MAPS];
  RtChoice choice;
  const LoadedKernel *loaded;
  Fault fault = {.status = TILE_OK};
  const TileStatus status =
      prepare(device, launch, *fit, &choice, &loaded, error);
  if (status) return status;
  const KernelInfo *info = &choice.variant->info;
  assert(!(*fit && info->num_maps) && "it was to have none"); // I6
  *fit = info->num_maps
             ? maps_make(loaded->maps, &device->device, info, choice.args, maps)
             : TENSORS_FIT;
  if (*fit) return TILE_OK;
  const DeviceLaunch run = {
      .kernel = atomic_load_explicit(&loaded->kernel, memory_order_acquire),
      .info = info,
      .args = choice.args,
      .maps = maps,
      .grid = {grid[0], grid[1], grid[2]},
      .stream = launch->stream,
      .launch_pdl = launch->launch_pdl};
  if (device->device.ops->launch(&device->device, &run, &fault)) return TILE_OK;
  return rt_fault(error, &fault);
}

TileStatus tilert_launch(TilertDevice *device, const TilertLaunch *launch,
                         TilertError *error) {
  TilertLaunch known;
  Fault fault;
  uint32_t grid[3];
  TensorFit fit = TENSORS_FIT;
  TileStatus status = check_launch(device, launch, &known, error);
  if (status) return status;
  if (!device_check_grid(&device->device, known.grid, grid, &fault))
    return rt_fault(error, &fault);
  status = start(device, &known, grid, &fit, error);
  if (!status && fit) status = start(device, &known, grid, &fit, error);
  return status;
}
