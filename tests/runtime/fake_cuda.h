// fake_cuda.h -- the controls of the fake driver, found by dlsym.
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
  int fail_at; // number of the call from now that fails; -1: none
  int calls;   // so far
  int lie_at;  // number of the call that stores nonsense if `lies`
  bool lies;
  const char *info_log; // log of a module's compilation; NULL: no log
  bool info_unended;    // without its NUL
  int local_bytes;      // of each kernel
  bool is_full;         // failing calls fail for lack of memory
  int live;             // things made and not yet given back
  int running;          // launches that were not waited for
  int unloaded_early;   // modules, while one was
  int chip;             // compute capability
  int more_devices;     // than one
  int peer_copies, launches;
  int wide_fills;               // by 4 bytes
  const void *stream;           // of the last launch
  bool is_capturing, is_broken; // by a call that a capture forbids
  int version;                  // of the driver
  int links, cubins;            // links made, cubins loaded
  bool refuses_cubins;          // as those of another chip
  unsigned grid[3], block;
  unsigned shared;
  int workspace_zeroed;               // at the launch
  size_t bytes_async;                 // of the last allocation in a stream
  unsigned num_attributes, attribute; // of the launch; the first one's id
  bool has_numbers;                   // as parameters 3 to 5 of a launch
  unsigned numbers[3];                // these
  int maps;                           // tensor maps made
} FakeCuda;

extern FakeCuda fake_cuda;

// The controls of the driver in the file at `path`, which devices named `cuda`
// use from now on; NULL: it cannot be loaded.  It stays loaded, so that its
// counts outlive those devices.
static inline FakeCuda *fake_cuda_load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  setenv("TILE_LIBCUDA", path, 1);
  return library ? dlsym(library, "fake_cuda") : NULL;
}

#endif
