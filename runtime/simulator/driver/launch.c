// launch.c -- launches.
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/driver/driver.h"
#include "runtime/simulator/machine/run.h"

// The limit of local memory of a thread, as in hardware; ptxas accepts a kernel
// with more.
enum { MOST_LOCAL = 512 * 1024 };

// The arguments from a buffer, given by pairs of a key and a value.  The buffer
// may be longer than the arguments, as a struct of them is.
static bool gather_buffer(const Code *code, void **extra, uint8_t *out) {
  enum { END = 0, BUFFER = 1, SIZE = 2, MOST_PADDING = 16 };
  const void *buffer = NULL;
  size_t size = 0;
  for (int i = 0; (uintptr_t)extra[i] != END; i += 2) {
    const uintptr_t key = (uintptr_t)extra[i];
    if (key > SIZE || !extra[i + 1]) return false;
    if (key == BUFFER) buffer = extra[i + 1];
    if (key == SIZE) size = *(const size_t *)extra[i + 1];
  }
  if (!buffer) return !code->param_size;
  if (size > code->param_size + MOST_PADDING) return false;
  memcpy(out, buffer, size < code->param_size ? size : code->param_size);
  return true;
}

// The arguments, given one by one, or as one buffer in `extra`.
static bool gather(const Code *code, void **params, void **extra,
                   uint8_t *out) {
  if (params && extra) return false;
  if (extra) return gather_buffer(code, extra, out);
  if (!params) return !code->param_size;
  for (int i = 0; i < code->num_params; i++) {
    if (!params[i]) return false;
    memcpy(out + code->params[i].offset, params[i], code->params[i].size);
  }
  return true;
}

static bool fits_kernel(const Code *code, const unsigned block[3]) {
  for (int i = 0; i < 3; i++) {
    if (code->required_threads[0] && block[i] != code->required_threads[i])
      return false;
  }
  return true;
}

enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_THREADS = 0x53494d };

// Launches of a stream always wait for one another, for any value of the
// attribute; most of the other accepted attributes are hints.
static bool takes_attribute(const Attribute *attribute) {
  enum {
    IGNORE = 0,
    ACCESS_POLICY_WINDOW = 1,
    COOPERATIVE = ATTRIBUTE_COOPERATIVE,
    SYNCHRONIZATION_POLICY = 3,
    CLUSTER_DIMENSION = 4, // see cluster.c
    CLUSTER_POLICY = 5,
    PROGRAMMATIC_STREAM_SERIALIZATION = 6,
    PRIORITY = 8,
    MEM_SYNC_DOMAIN_MAP = 9,
    MEM_SYNC_DOMAIN = 10,
    PREFERRED_SHARED_MEMORY_CARVEOUT = 14,
    THREADS = ATTRIBUTE_THREADS, // of the host; only in this driver
  };
  switch (attribute->id) {
  case CLUSTER_POLICY:
    return attribute->value.number >= 0 && attribute->value.number <= 2;
  case THREADS: return attribute->value.number > 0;
  case COOPERATIVE:
  case CLUSTER_DIMENSION:
  case IGNORE:
  case ACCESS_POLICY_WINDOW:
  case SYNCHRONIZATION_POLICY:
  case PROGRAMMATIC_STREAM_SERIALIZATION:
  case PRIORITY:
  case MEM_SYNC_DOMAIN_MAP:
  case MEM_SYNC_DOMAIN:
  case PREFERRED_SHARED_MEMORY_CARVEOUT: return true;
  default: return false;
  }
}

static bool takes_attributes(const LaunchConfig *config) {
  if (config->num_attributes && !config->attributes) return false;
  for (unsigned i = 0; i < config->num_attributes; i++) {
    if (!takes_attribute(&config->attributes[i])) return false;
  }
  return true;
}

static CUresult check(const DriverFunction *function,
                      const LaunchConfig *config) {
  const Code *code = function->code;
  const uint64_t threads =
      (uint64_t)config->block[0] * config->block[1] * config->block[2];
  for (int i = 0; i < 3; i++) {
    if (!config->grid[i] || !config->block[i] || config->block[i] > 1024 ||
        (i && config->grid[i] > 65535))
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (config->grid[0] > 0x7fffffff || config->block[2] > 64 || threads > 1024 ||
      config->shared > (unsigned)function->max_dynamic_shared ||
      !fits_kernel(code, config->block) || !takes_attributes(config))
    return CUDA_ERROR_INVALID_VALUE;
  if (code->local_size > MOST_LOCAL ||
      (code->max_threads && threads > (uint64_t)code->max_threads))
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  unsigned size[3];
  return cluster_choose(function, config, size);
}

// -- Running -----------------------------------------------------------------

static const Attribute *find_attribute(const LaunchConfig *config, int id) {
  const Attribute *found = NULL;
  for (unsigned i = 0; i < config->num_attributes; i++) {
    if (config->attributes[i].id == id) found = &config->attributes[i];
  }
  return found;
}

static int choose_threads(const LaunchConfig *config,
                          const Settings *settings) {
  const Attribute *asked = find_attribute(config, ATTRIBUTE_THREADS);
  if (asked) return asked->value.number;
  return settings->threads ? settings->threads : sim_driver.num_threads;
}

static void apply(Launch *launch, const Settings *settings) {
  launch->budget = settings->budget;
  launch->checks = settings->checks;
  launch->cuts_sums = settings->cuts_sums;
  launch->stats = settings->stats;
  launch->seed = settings->seed;
  launch->early = settings->early;
}

static void prepare(Launch *launch, const DriverFunction *function,
                    const LaunchConfig *config) {
  const Code *code = function->code;
  launch->memory = &sim_driver.device.memory;
  launch->owner = function->object.context->number;
  launch->heap = &function->object.context->heap;
  launch->local_size = code->local_size;
  if (code->has_frames) {
    launch->stack_size =
        (uint32_t)function->object.context->limits[LIMIT_STACK];
    launch->local_size = code->frames_at + launch->stack_size;
  }
  launch->program = &function->module->program;
  launch->code = code;
  memcpy(launch->grid, config->grid, sizeof launch->grid);
  memcpy(launch->block, config->block, sizeof launch->block);
  launch->num_ctas =
      (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
  launch->dynamic_shared = config->shared;
  launch->shared_size =
      config->shared ? code->dynamic_base + config->shared : code->shared_size;
  if (launch->shared_size < code->shared_size)
    launch->shared_size = code->shared_size;
  launch->shared_unit = chip_shared_unit(sim_driver.device.chip);
  launch->num_processors = (uint32_t)sim_driver.device.chip->processors;
  const unsigned threads =
      config->block[0] * config->block[1] * config->block[2];
  const int blocks = blocks_per_processor(code, threads, config->shared);
  cluster_choose(function, config, launch->cluster);
  launch->is_clustered = cluster_is_explicit(function, config);
  launch->cluster_size =
      launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
  launch->num_clusters = launch->num_ctas / launch->cluster_size;
  launch->max_resident =
      clusters_at_once(launch->cluster_size, blocks > 0 ? blocks : 1);
  launch->stamp = ++sim_driver.launches;
}

// An error from a check is returned once; a fault of the kernel stays.
static void note_error(const Launch *launch, Context *context, int error) {
  if (!error) return;
  if (launch->stop)
    context->sticky = error;
  else
    context->pending = error;
}

static bool is_cooperative(const LaunchConfig *config) {
  const Attribute *asked = find_attribute(config, ATTRIBUTE_COOPERATIVE);
  return asked && asked->value.number;
}

// A cooperative launch: all its CTAs must be resident at once.  The CTAs
// synchronise by a few bytes, zeros at first, which begin with the number of
// CTAs.
static CUresult prepare_workspace(Launch *launch, Context *context) {
  const uint32_t bytes[2] = {sizeof bytes, 0};
  const MemoryRequest request = {
      .size = sizeof bytes, .owner = context->number, .kind = MEMORY_MODULE};
  if (launch->num_clusters > launch->max_resident)
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  if (!context->workspace)
    context->workspace = memory_alloc(&sim_driver.device.memory, &request);
  if (!context->workspace) return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy((void *)(uintptr_t)context->workspace, bytes, sizeof bytes);
  launch->workspace = context->workspace;
  return CUDA_SUCCESS;
}

static CUresult run(const DriverFunction *function, const LaunchConfig *config,
                    void **params, void **extra) {
  Settings settings;
  CUresult error = check(function, config);
  if (error) return error;
  if (!settings_read(&settings)) return CUDA_ERROR_INVALID_VALUE;
  Context *context = function->object.context;
  if (function->code->uses_heap &&
      !heap_prepare(&context->heap, &sim_driver.device.memory, context->number,
                    settings.checks & CHECK_GLOBAL))
    return CUDA_ERROR_OUT_OF_MEMORY;
  Launch launch = {.memory = NULL};
  prepare(&launch, function, config);
  apply(&launch, &settings);
  launch.num_threads = choose_threads(config, &settings);
  if (is_cooperative(config)) error = prepare_workspace(&launch, context);
  if (error) return error;
  launch.params = calloc(1, function->code->param_size + 16);
  if (!launch.params) return CUDA_ERROR_OUT_OF_MEMORY;
  const bool ok = gather(function->code, params, extra, launch.params);
  if (ok) note_error(&launch, context, launch_run(&launch));
  sim_driver.executed += launch.executed;
  free(launch.params);
  return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The function, the stream and the current context must belong together.
CUresult locked_cuLaunchKernelEx(const LaunchConfig *config, CUfunction handle,
                                 void **params, void **extra) {
  Context *context, *current;
  DriverFunction *function;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  CUresult error = context_check(&current);
  if (!error) error = function_check(handle, &function);
  if (!error) error = stream_check(config->stream, &context);
  if (error) return error;
  if (context != current || function->object.context != current)
    return CUDA_ERROR_INVALID_HANDLE;
  return run(function, config, params, extra);
}

CUresult locked_cuLaunchKernel(CUfunction function, unsigned grid_x,
                               unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y,
                               unsigned block_z, unsigned shared,
                               CUstream stream, void **params, void **extra) {
  const LaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                               .block = {block_x, block_y, block_z},
                               .shared = shared,
                               .stream = stream};
  return locked_cuLaunchKernelEx(&config, function, params, extra);
}

CUresult locked_cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                                          unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned shared,
                                          CUstream stream, void **params) {
  const Attribute attribute = {.id = ATTRIBUTE_COOPERATIVE,
                               .value = {.number = 1}};
  const LaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                               .block = {block_x, block_y, block_z},
                               .shared = shared,
                               .stream = stream,
                               .attributes = &attribute,
                               .num_attributes = 1};
  return locked_cuLaunchKernelEx(&config, function, params, NULL);
}
