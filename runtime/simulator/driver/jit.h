// jit.h -- the options for loading PTX, and its logs.
#ifndef TILE_SIMULATOR_DRIVER_JIT_H
#define TILE_SIMULATOR_DRIVER_JIT_H

#include <stdio.h>

#include "runtime/simulator/driver/driver.h"

// A buffer of the program, and the place for the number of bytes used.
typedef struct JitLog {
  char *text;
  size_t size, used;
  void **used_out;
} JitLog;

typedef struct JitOptions {
  JitLog info, error;
  void **time_out;
  double started;
  unsigned max_registers; // 0: no limit
  bool verbose, has_target, has_threads;
} JitOptions;

// CUDA_ERROR_INVALID_VALUE if an option is unknown or has a wrong value.
CUresult jit_read(JitOptions *jit, unsigned count, const int *options,
                  void **values);
// Appends to a log, as far as there is room.
void jit_write(JitLog *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Limits the kernels' registers, and logs them if this is wanted.
void jit_apply(JitOptions *jit, const PtxProgram *program);
// Stores the lengths of the logs and the time in the program's array.
void jit_finish(const JitOptions *jit);

// Loads a module from the text, which may come from a file, and writes the
// logs.
CUresult module_load(Context *context, CUmodule *module, const char *image,
                     const char *path, JitOptions *jit);
// The text of a file, which the caller frees.
CUresult module_read(const char *path, char **text);

#endif
