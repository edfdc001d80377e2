// host_runner.h -- compiles a module for the host and runs its kernels.
//
// It calls the passes, code generation and the loader directly, without the
// API, so that any IR can be run.
#ifndef TILE_TESTS_HOST_RUNNER_H
#define TILE_TESTS_HOST_RUNNER_H

#include "codegen/codegen.h"

typedef struct HostCode HostCode;
typedef struct HostObject HostObject;

typedef struct {
  HostCode *code;
  HostObject *object;
  CompiledCode compiled;
  HostKernelFn **calls; // one for each kernel, in the module's order
  void *scratch;
} HostRunner;

// False after a diagnostic; the caller closes it in any case.  `options` may be
// NULL.
bool host_runner_open(HostRunner *runner, Module *m,
                      const CodegenOptions *options, DiagList *diags);
// Runs every program of the grid in order, with one 8-byte slot for each
// parameter.
void host_runner_run(const HostRunner *runner, int kernel, const uint64_t *args,
                     const int64_t *grid);
void host_runner_close(HostRunner *runner);

#endif
