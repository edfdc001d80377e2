// device.c -- devices, their buffers and streams.
#include "ir/target.h"
#include "runtime/errors.h"
#include "runtime/rt/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const DeviceOps *const kinds[] = {&device_ops_packed, &device_ops_cuda,
                                         &device_ops_sim};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

// -- Opening -----------------------------------------------------------------

// $TILE_CPU is the highest level of x86-64 whose code may run.
static bool find_level(TilertDevice *d, Fault *fault) {
  const char *name = getenv("TILE_CPU");
  const int own = target_own_level();
  char text[24] = "x86-64";
  d->level = own;
  if (!own || !name || !*name || !strcmp(name, "native")) return true;
  for (d->level = 1; strcmp(name, text); d->level++) {
    if (d->level == 4)
      return fault_set(fault, TILE_INVALID_ARGUMENT, ERROR_rt_no_cpu, name);
    snprintf(text, sizeof text, "x86-64-v%d", d->level + 1);
  }
  return d->level <= own ||
         fault_set(fault, TILE_UNAVAILABLE, ERROR_host_cpu_above, name);
}

static TileStatus open_kind(const DeviceOps *ops, int index,
                            const TilertOptions *options, TilertDevice **out,
                            Fault *fault) {
  const Allocator from = rt_allocator(options);
  TilertDevice *d = from.alloc(from.ctx, sizeof *d);
  *fault = (Fault){.status = TILE_OUT_OF_MEMORY};
  if (!d) return TILE_OUT_OF_MEMORY;
  *d = (TilertDevice){.from = from,
                      .settings = {.print = options->print,
                                   .print_ctx = options->print_ctx,
                                   .num_threads = options->num_threads}};
  d->device = (TileDevice){
      .settings = &d->settings, .from = &d->from, .ops = ops, .index = index};
  snprintf(d->device.name, sizeof d->device.name,
           ops->has_index ? "%s:%d" : "%s", ops->name, index);
  if ((ops == &device_ops_packed && !find_level(d, fault)) ||
      !ops->open(&d->device, index, fault)) {
    from.free(from.ctx, d);
    return fault->status;
  }
  pthread_mutex_init(&d->lock, NULL);
  *out = d;
  return TILE_OK;
}

// Opens a GPU if there is one that works, else the CPU.
static TileStatus open_best(const TilertOptions *options, TilertDevice **out,
                            Fault *fault) {
  const TileStatus status = open_kind(&device_ops_cuda, 0, options, out, fault);
  if (status != TILE_UNAVAILABLE) return status;
  return open_kind(&device_ops_packed, 0, options, out, fault);
}

TileStatus tilert_device_open(const char *name, const TilertOptions *options,
                              TilertDevice **out, TilertError *error) {
  TilertOptions known;
  Fault fault = {.status = TILE_OK};
  int index;
  if (!out) return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  TileStatus status = rt_read(error, &rt_sized_options, options, &known);
  if (status) return status;
  if (known.num_threads < 0 || known.num_threads > 1024)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_rt_threads,
                   known.num_threads);
  if (!name) name = getenv("TILE_DEVICE");
  if (!name || !*name) {
    status = open_best(&known, out, &fault);
    return status ? rt_fault(error, &fault) : TILE_OK;
  }
  const DeviceOps *ops = device_kind_find(kinds, NUM_KINDS, name, &index);
  if (!ops)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_rt_unknown_device, name);
  status = open_kind(ops, index, &known, out, &fault);
  return status ? rt_fault(error, &fault) : TILE_OK;
}

static void unload_all(TilertDevice *d) {
  for (LoadedPack *l = atomic_load(&d->loaded), *next; l; l = next) {
    next = l->next;
    for (int i = 0; i < l->pack->pack.num_variants; i++) {
      DeviceKernel *kernel = atomic_load(&l->kernels[i].kernel);
      if (kernel) d->device.ops->unload(&d->device, kernel);
      maps_destroy(&d->from, l->kernels[i].maps);
    }
    d->from.free(d->from.ctx, l);
  }
}

void tilert_device_close(TilertDevice *device) {
  if (!device) return;
  const Allocator from = device->from;
  unload_all(device);
  device->device.ops->close(&device->device);
  pthread_mutex_destroy(&device->lock);
  from.free(from.ctx, device);
}

const char *tilert_device_target(const TilertDevice *device) {
  return device ? device->device.target->name : "";
}

TileStatus tilert_device_sync(TilertDevice *device, TilertError *error) {
  Fault fault = {.status = TILE_OK};
  if (!device)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null, "device");
  if (device->device.ops->sync(&device->device, &fault)) return TILE_OK;
  return rt_fault(error, &fault);
}

// -- Buffers -----------------------------------------------------------------

TileStatus tilert_buffer_create(TilertDevice *device, size_t size,
                                TilertBuffer **out, TilertError *error) {
  Fault fault = {.status = TILE_OUT_OF_MEMORY};
  if (!device || !out)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null,
                   device ? "out" : "device");
  TilertBuffer *buffer = device->from.alloc(device->from.ctx, sizeof *buffer);
  if (!buffer) return rt_fault(error, &fault);
  *buffer = (TilertBuffer){.device = device, .size = size};
  if (!device->device.ops->alloc(&device->device, size ? size : 1,
                                 &buffer->address, &fault)) {
    device->from.free(device->from.ctx, buffer);
    return rt_fault(error, &fault);
  }
  *out = buffer;
  return TILE_OK;
}

void tilert_buffer_destroy(TilertBuffer *buffer) {
  if (!buffer) return;
  TilertDevice *device = buffer->device;
  device->device.ops->free(&device->device, buffer->address);
  device->from.free(device->from.ctx, buffer);
}

void *tilert_buffer_address(const TilertBuffer *buffer) {
  return buffer ? buffer->address : NULL;
}

static TileStatus check_range(const TilertBuffer *buffer, size_t offset,
                              const void *host, size_t size,
                              TilertError *error) {
  if (!buffer || (!host && size))
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null,
                   buffer ? "the host's memory" : "buffer");
  if (offset <= buffer->size && size <= buffer->size - offset) return TILE_OK;
  return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_rt_past_end, size, offset,
                 buffer->size);
}

TileStatus tilert_buffer_write(TilertBuffer *buffer, size_t offset,
                               const void *from, size_t size,
                               TilertError *error) {
  Fault fault = {.status = TILE_OK};
  const TileStatus status = check_range(buffer, offset, from, size, error);
  if (status || !size) return status;
  TileDevice *device = &buffer->device->device;
  char *to = (char *)buffer->address + offset;
  if (device->ops->write(device, to, from, size, &fault)) return TILE_OK;
  return rt_fault(error, &fault);
}

TileStatus tilert_buffer_read(const TilertBuffer *buffer, size_t offset,
                              void *to, size_t size, TilertError *error) {
  Fault fault = {.status = TILE_OK};
  const TileStatus status = check_range(buffer, offset, to, size, error);
  if (status || !size) return status;
  TileDevice *device = &buffer->device->device;
  const char *from = (const char *)buffer->address + offset;
  if (device->ops->read(device, to, from, size, &fault)) return TILE_OK;
  return rt_fault(error, &fault);
}

// -- Streams -----------------------------------------------------------------

TileStatus tilert_stream_create(TilertDevice *device, void **out,
                                TilertError *error) {
  Fault fault = {.status = TILE_OK};
  if (!device || !out)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null,
                   device ? "out" : "device");
  TileDevice *d = &device->device;
  if (d->ops->streams->create(d, out, &fault)) return TILE_OK;
  return rt_fault(error, &fault);
}

void tilert_stream_destroy(TilertDevice *device, void *stream) {
  if (device && stream)
    device->device.ops->streams->destroy(&device->device, stream);
}

TileStatus tilert_stream_sync(TilertDevice *device, void *stream,
                              TilertError *error) {
  Fault fault = {.status = TILE_OK};
  if (!device)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_is_null, "device");
  TileDevice *d = &device->device;
  if (d->ops->streams->sync(d, stream, &fault)) return TILE_OK;
  return rt_fault(error, &fault);
}
