// jit.h -- the options that a program loads PTX with, and the logs that
// it gets back.
#ifndef TILE_SIMULATOR_DRIVER_JIT_H
#define TILE_SIMULATOR_DRIVER_JIT_H

#include <stdio.h>

#include "runtime/simulator/driver/driver.h"

// A buffer of the program's, and where it wants the number of bytes used.
typedef struct JitLog {
  char *text;
  size_t size, used;
  void **used_out;
} JitLog;

typedef struct JitOptions {
  JitLog info, error;
  void **time_out;
  double started;
  unsigned max_registers; // 0: as many as it takes
  bool verbose, has_target, has_threads;
} JitOptions;

// CUDA_ERROR_INVALID_VALUE where an option is unknown or its value wrong.
CUresult jit_read(JitOptions *jit, unsigned count, const int *options,
                  void **values);
// Adds to a log as much as there is room for.
void jit_write(JitLog *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Limits the kernels' registers, and tells of them where that is asked for.
void jit_apply(JitOptions *jit, const Program *program);
// Gives the program the lengths of its logs and the time.
void jit_finish(const JitOptions *jit);

// Makes a module of the text, which may come from a file; fills in the logs.
CUresult module_load(Context *context, CUmodule *module, const char *image,
                     const char *path, JitOptions *jit);
// The text of a file, which the caller frees.
CUresult module_read(const char *path, char **text);

#endif
