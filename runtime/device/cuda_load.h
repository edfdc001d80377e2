// cuda_load.h -- finding the CUDA driver of this machine.
#ifndef TILE_RUNTIME_CUDA_LOAD_H
#define TILE_RUNTIME_CUDA_LOAD_H

#include "runtime/device/cuda_api.h"

#include <stdbool.h>

typedef struct {
  void *library;
  CudaApi api;
  // libtilesim.so, or a library in front of it: it works in a child of fork(),
  // and a launch may set its number of threads.
  bool is_simulator;
} CudaDriver;

// Loads `path`, or $TILE_LIBCUDA, or libcuda.so.1.  False with a sentence in
// `why` if the library cannot be loaded or lacks a function; for the latter two
// the sentence says that it is the machine's driver.
bool cuda_load(CudaDriver *driver, const char *path, char *why,
               size_t why_size);
void cuda_unload(CudaDriver *driver);

#endif
