// cluster.c -- the sizes of clusters, and the number that fits.
//
// A cluster is in one part of the chip, of MAX_CLUSTER multiprocessors, each of
// which may have as many of its CTAs as fit.
#include <string.h>

#include "runtime/simulator/driver/driver.h"

enum { ATTRIBUTE_CLUSTER = 4 };

static bool has_clusters(void) {
  return sim_driver.device.chip->major >= 9;
}

static unsigned product(const unsigned size[3]) {
  const uint64_t all = (uint64_t)size[0] * size[1];
  return all * size[2] > UINT32_MAX || all > UINT32_MAX
             ? UINT32_MAX
             : (unsigned)(all * size[2]);
}

// The cluster size that the launch asks for; NULL: none.
static const unsigned *find_asked(const LaunchConfig *config) {
  const unsigned *asked = NULL;
  for (unsigned i = 0; i < config->num_attributes; i++)
    if (config->attributes[i].id == ATTRIBUTE_CLUSTER)
      asked = config->attributes[i].value.cluster;
  return asked;
}

static bool is_any(const unsigned *size) {
  return size && (size[0] || size[1] || size[2]);
}

// The cluster size of the kernel, from its code or its attributes, or of the
// launch.
static CUresult choose(const DriverFunction *function,
                       const LaunchConfig *config, unsigned size[3]) {
  if (config->num_attributes && !config->attributes)
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned *asked = find_asked(config), *required = function->cluster;
  if (required[0]) {
    memcpy(size, required, 3 * sizeof *size);
    if (is_any(asked) && memcmp(asked, required, 3 * sizeof *size) != 0)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  } else if (is_any(asked)) {
    memcpy(size, asked, 3 * sizeof *size);
  } else {
    size[0] = size[1] = size[2] = 1;
    if (function->code->is_explicit) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  return CUDA_SUCCESS;
}

bool cluster_is_explicit(const DriverFunction *function,
                         const LaunchConfig *config) {
  return function->cluster[0] || is_any(find_asked(config));
}

static unsigned most_of(const DriverFunction *function) {
  const Code *code = function->code;
  const unsigned most =
      function->takes_large_clusters ? MAX_CLUSTER : PORTABLE_CLUSTER;
  if (!has_clusters()) return 1;
  return code->max_rank && code->max_rank < most ? (unsigned)code->max_rank
                                                 : most;
}

CUresult cluster_choose(const DriverFunction *function,
                        const LaunchConfig *config, unsigned size[3]) {
  const CUresult error = choose(function, config, size);
  if (error) return error;
  const unsigned count = product(size);
  if (!count || count > most_of(function))
    return has_clusters() ? CUDA_ERROR_INVALID_CLUSTER_SIZE
                          : CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < 3; i++)
    if (config->grid[i] % size[i]) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

uint32_t clusters_at_once(unsigned count, int blocks) {
  const unsigned processors = (unsigned)sim_driver.device.chip->processors;
  // A part of a chip, of fewer processors, runs a cluster, too.
  const unsigned clusters = processors < count ? 1 : processors / count;
  return blocks > 0 ? clusters * (unsigned)blocks : 0;
}

static bool has_blocks(const LaunchConfig *config) {
  enum { MOST = 1024 };
  for (int i = 0; i < 3; i++)
    if (!config->grid[i] || !config->block[i] || config->block[i] > MOST)
      return false;
  return product(config->block) <= MOST;
}

static int blocks_of(const DriverFunction *function,
                     const LaunchConfig *config) {
  return blocks_per_processor(
      function->code, config->block[0] * config->block[1] * config->block[2],
      config->shared);
}

CUresult locked_cuOccupancyMaxActiveClusters(int *num_clusters,
                                             CUfunction function,
                                             const LaunchConfig *config) {
  DriverFunction *found;
  unsigned size[3];
  CUresult error = function_check(function, &found);
  if (!error && (!num_clusters || !config || !has_blocks(config)))
    error = CUDA_ERROR_INVALID_VALUE;
  if (!error) error = cluster_choose(found, config, size);
  if (!error)
    *num_clusters =
        (int)clusters_at_once(product(size), blocks_of(found, config));
  return error;
}

CUresult locked_cuOccupancyMaxPotentialClusterSize(int *size,
                                                   CUfunction function,
                                                   const LaunchConfig *config) {
  DriverFunction *found;
  CUresult error = function_check(function, &found);
  if (!error && (!size || !config || !has_blocks(config)))
    error = CUDA_ERROR_INVALID_VALUE;
  if (!error && !blocks_of(found, config))
    error = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (!error) *size = (int)most_of(found);
  return error;
}
