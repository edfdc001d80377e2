// cuda_load.c -- dlopen, and one dlsym for each row of cuda_api.def.
#include "runtime/device/cuda_load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *symbol;
  size_t offset; // in CudaApi
  bool is_optional;
} ApiEntry;

static const ApiEntry entries[] = {
#define CUDA_CALL(name, symbol, params)                                        \
  {symbol, offsetof(CudaApi, name), false},
#define CUDA_OPTIONAL(name, symbol, params)                                    \
  {symbol, offsetof(CudaApi, name), true},
#define CUDA_CONSTANT(type, name, value)
#define CUDA_FIELD(type, field, offset, size)
#include "runtime/device/cuda_api.def"
};

static bool load_entries(CudaDriver *driver, const char *path, char *why,
                         size_t why_size) {
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *address = dlsym(driver->library, entries[i].symbol);
    if (!address && !entries[i].is_optional) {
      snprintf(why, why_size, "%s has no function '%s'; it is too old", path,
               entries[i].symbol);
      return false;
    }
    // ISO C has no conversion from an object pointer to a function pointer.
    memcpy((char *)&driver->api + entries[i].offset, &address, sizeof address);
  }
  return true;
}

bool cuda_load(CudaDriver *driver, const char *path, char *why,
               size_t why_size) {
  const bool is_driver = !path;
  if (!path) path = getenv("TILE_LIBCUDA");
  if (!path || !*path) path = "libcuda.so.1";
  *driver = (CudaDriver){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
  if (!driver->library) {
    const char *reason = dlerror();
    snprintf(why, why_size, "%s%s", is_driver ? "no CUDA driver: " : "",
             reason ? reason : path);
    return false;
  }
  driver->is_simulator = dlsym(driver->library, "tilesim_driver") != NULL;
  if (load_entries(driver, path, why, why_size)) return true;
  cuda_unload(driver);
  return false;
}

void cuda_unload(CudaDriver *driver) {
  if (driver->library) dlclose(driver->library);
  driver->library = NULL;
}
