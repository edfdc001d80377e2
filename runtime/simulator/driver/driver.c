// driver.c -- initialisation, the lock, and objects with their handles.
#include "runtime/simulator/driver/driver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/threads.h"
#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/state/report.h"

Driver sim_driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { DRIVER_VERSION = 13000 };

// -- Checks ------------------------------------------------------------------

CUresult device_check(CUdevice device) {
  return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult object_check(HandleKind kind, const void *handle, void *out) {
  DriverObject *found = handle_find(&sim_driver.handles, kind, handle);
  if (!found) return CUDA_ERROR_INVALID_HANDLE;
  memcpy(out, &found, sizeof found);
  return found->context ? found->context->sticky : CUDA_SUCCESS;
}

// NULL and two small numbers stand for streams of the current context.
CUresult stream_check(CUstream stream, Context **context) {
  enum { MOST_SPECIAL = 2 };
  if ((uintptr_t)stream <= MOST_SPECIAL) return context_check(context);
  Stream *found;
  const CUresult error = object_check(HANDLE_STREAM, stream, &found);
  if (!error) *context = found->object.context;
  return error;
}

CUresult take_error(Context *context) {
  const CUresult error = context->pending;
  context->pending = CUDA_SUCCESS;
  return error;
}

// -- Objects -----------------------------------------------------------------

void *object_create(HandleKind kind, size_t size, Context *context) {
  DriverObject *made = calloc(1, size);
  if (!made) return NULL;
  made->kind = kind;
  made->context = context;
  made->handle = handle_create(&sim_driver.handles, kind, made);
  if (made->handle) return made;
  free(made);
  return NULL;
}

void object_destroy(DriverObject *object) {
  assert(handle_find(&sim_driver.handles, object->kind, object->handle) ==
         object); // I3
  handle_destroy(&sim_driver.handles, object->handle);
  if (object->kind == HANDLE_MODULE) module_clear((DriverModule *)object);
  if (object->kind == HANDLE_LIBRARY) library_clear((Library *)object);
  if (object->kind == HANDLE_LINK) link_clear(object);
  if (object->kind == HANDLE_KERNEL) free(((Kernel *)object)->name);
  free(object);
}

static void report_leaks(const Context *context) {
  const Memory *memory = &sim_driver.device.memory;
  size_t count = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < memory->count; i++) {
    const Allocation *a = &memory->list[i];
    if (a->freed || a->kind == MEMORY_MODULE || a->kind == MEMORY_HEAP ||
        a->kind == MEMORY_REGISTERED || a->owner != context->number)
      continue;
    count++;
    bytes += a->size;
  }
  if (count)
    report_host(KIND_LEAK, "%zu allocation%s of %llu bytes", count,
                count > 1 ? "s" : "", (unsigned long long)bytes);
  if (context->heap.live)
    report_host(KIND_LEAK, "%llu bytes of malloc() in kernels",
                (unsigned long long)context->heap.live);
}

// Functions are destroyed with their modules.
void context_clear(Context *context) {
  static const HandleKind kinds[] = {HANDLE_MODULE, HANDLE_STREAM, HANDLE_EVENT,
                                     HANDLE_LINK};
  const Handles *handles = &sim_driver.handles;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    for (size_t i = 0; i < handles->count; i++) {
      DriverObject *object = handle_at(handles, kinds[k], i);
      if (object && object->context == context) object_destroy(object);
    }
  }
  if (!context->sticky) report_leaks(context);
  memory_free_all(&sim_driver.device.memory, context->number);
  mempool_recount();
  heap_close(&context->heap);
  context->workspace = 0;
  context->sticky = context->pending = CUDA_SUCCESS;
  context->is_alive = false;
}

// -- The library -------------------------------------------------------------

// When the library is unloaded, its memory is freed, unless a context still
// exists: then memory leaks are reported.
__attribute__((destructor)) static void unload(void) {
  bool is_held = false;
  for (size_t i = 0; i < sim_driver.handles.count; i++) {
    const Context *context = handle_at(&sim_driver.handles, HANDLE_CONTEXT, i);
    if (!context || !context->is_alive) continue;
    is_held = true;
    if (!context->sticky) report_leaks(context);
  }
  if (is_held || !sim_driver.is_open) return;
  memory_close(&sim_driver.device.memory);
  for (size_t i = 0; i < sim_driver.handles.count; i++) {
    MemoryPool *pool = handle_at(&sim_driver.handles, HANDLE_POOL, i);
    if (pool) object_destroy(&pool->object);
  }
  object_destroy(&sim_driver.primary->object);
  free(sim_driver.handles.slots);
  sim_driver.is_open = false;
}

static CUresult open_driver(void) {
  Settings settings;
  if (!settings_check() || !settings_read(&settings))
    return CUDA_ERROR_INVALID_VALUE;
  const Chip *chip = chip_find(settings.chip);
  if (!sim_driver.primary)
    sim_driver.primary = object_create(HANDLE_CONTEXT, sizeof(Context), NULL);
  Memory *memory = &sim_driver.device.memory;
  if (!sim_driver.primary ||
      !memory_open(memory, (uint64_t)chip->memory_gb << 30))
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (!mempool_open()) {
    memory_close(memory);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  sim_driver.primary->is_primary = true;
  sim_driver.device.part = *chip;
  if (settings.processors)
    sim_driver.device.part.processors = settings.processors;
  sim_driver.device.chip = &sim_driver.device.part;
  sim_driver.num_threads = threads_wanted();
  sim_driver.is_open = true;
  return CUDA_SUCCESS;
}

// The symbol by which a caller tells this library from NVIDIA's driver.
EXPORT const char tilesim_driver[] = "tilesim";

CUresult cuInit(unsigned flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&sim_driver.lock);
  const CUresult result = sim_driver.is_open ? CUDA_SUCCESS : open_driver();
  pthread_mutex_unlock(&sim_driver.lock);
  return result;
}

CUresult cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = DRIVER_VERSION;
  return CUDA_SUCCESS;
}
