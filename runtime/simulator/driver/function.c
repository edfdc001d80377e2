// function.c -- the attributes of a kernel, and limits that may be set.
#include "runtime/simulator/driver/driver.h"

enum {
  FUNCTION_MAX_THREADS = 0,
  FUNCTION_SHARED = 1,
  FUNCTION_LOCAL = 3,
  FUNCTION_REGISTERS = 4,
  FUNCTION_PTX_VERSION = 5,
  FUNCTION_BINARY_VERSION = 6,
  FUNCTION_MAX_DYNAMIC_SHARED = 8,
  FUNCTION_CARVEOUT = 9,
  FUNCTION_CLUSTER_MUST_BE_SET = 10,
  FUNCTION_CLUSTER_WIDTH = 11,
  FUNCTION_CLUSTER_DEPTH = 13,
  FUNCTION_LARGE_CLUSTERS = 14,
  FUNCTION_CLUSTER_POLICY = 15,
  FUNCTION_LAST = 15,
};

static int attribute_of(const DriverFunction *function, int attribute) {
  const Code *code = function->code;
  const Chip *chip = sim_driver.device.chip;
  switch (attribute) {
  case FUNCTION_MAX_THREADS:
    return code->max_threads ? (int)code->max_threads : 1024;
  case FUNCTION_SHARED: return (int)code->shared_size;
  case FUNCTION_LOCAL: return (int)code->local_size;
  case FUNCTION_PTX_VERSION:
  case FUNCTION_BINARY_VERSION: return chip->major * 10 + chip->minor;
  case FUNCTION_MAX_DYNAMIC_SHARED: return function->max_dynamic_shared;
  case FUNCTION_REGISTERS: return code->registers;
  case FUNCTION_CLUSTER_MUST_BE_SET:
    return code->is_explicit && !code->cluster[0];
  case FUNCTION_CLUSTER_WIDTH:
  case FUNCTION_CLUSTER_WIDTH + 1:
  case FUNCTION_CLUSTER_DEPTH:
    return (int)function->cluster[attribute - FUNCTION_CLUSTER_WIDTH];
  case FUNCTION_LARGE_CLUSTERS: return function->takes_large_clusters;
  case FUNCTION_CLUSTER_POLICY: return function->cluster_policy;
  default: return 0;
  }
}

CUresult locked_cuFuncGetAttribute(int *value, int attribute,
                                   CUfunction function) {
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  if (!value || attribute < 0 || attribute > FUNCTION_LAST)
    return CUDA_ERROR_INVALID_VALUE;
  *value = attribute_of(found, attribute);
  return CUDA_SUCCESS;
}

// The cluster size is fixed if the kernel was compiled with one.
static CUresult set_cluster(DriverFunction *function, int attribute,
                            int value) {
  enum { MOST_POLICY = 2 };
  if (sim_driver.device.chip->major < 9 || value < 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == FUNCTION_CLUSTER_POLICY) {
    if (value > MOST_POLICY) return CUDA_ERROR_INVALID_VALUE;
    function->cluster_policy = value;
  } else if (attribute == FUNCTION_LARGE_CLUSTERS) {
    function->takes_large_clusters = value;
  } else {
    if (function->code->cluster[0]) return CUDA_ERROR_NOT_PERMITTED;
    function->cluster[attribute - FUNCTION_CLUSTER_WIDTH] = (unsigned)value;
  }
  return CUDA_SUCCESS;
}

static CUresult set_attribute(DriverFunction *function, int attribute,
                              int value) {
  if (attribute == FUNCTION_CARVEOUT) // a hint
    return value < -1 || value > 100 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  if (attribute >= FUNCTION_CLUSTER_WIDTH && attribute <= FUNCTION_LAST)
    return set_cluster(function, attribute, value);
  if (attribute != FUNCTION_MAX_DYNAMIC_SHARED) return CUDA_ERROR_INVALID_VALUE;
  const int most = sim_driver.device.chip->shared_max_kb * 1024;
  if (value < 0 || value > most - (int)function->code->shared_size)
    return CUDA_ERROR_INVALID_VALUE;
  function->max_dynamic_shared = value;
  return CUDA_SUCCESS;
}

CUresult locked_cuFuncSetAttribute(CUfunction function, int attribute,
                                   int value) {
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  return error ? error : set_attribute(found, attribute, value);
}

CUresult locked_cuFuncSetCacheConfig(CUfunction function, int config) {
  enum { MOST = 3 };
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  return config < 0 || config > MOST ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult locked_cuFuncSetSharedMemConfig(CUfunction function, int config) {
  return locked_cuFuncSetCacheConfig(function, config);
}

CUresult locked_cuFuncGetModule(CUmodule *module, CUfunction function) {
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  if (!module) return CUDA_ERROR_INVALID_VALUE;
  *module = found->module->object.handle;
  return CUDA_SUCCESS;
}

CUresult locked_cuFuncGetName(const char **name, CUfunction function) {
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  *name = found->code->name;
  return CUDA_SUCCESS;
}

CUresult locked_cuFuncGetParamInfo(CUfunction function, size_t index,
                                   size_t *offset, size_t *size) {
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  if (!offset || index >= (size_t)found->code->num_params)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = found->code->params[index].offset;
  if (size) *size = found->code->params[index].size;
  return CUDA_SUCCESS;
}

CUresult locked_cuFuncIsLoaded(int *state, CUfunction function) {
  enum { LOADED = 1 };
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  if (!state) return CUDA_ERROR_INVALID_VALUE;
  *state = LOADED;
  return CUDA_SUCCESS;
}

CUresult locked_cuFuncLoad(CUfunction function) {
  DriverFunction *found;
  return function_check(function, &found);
}
