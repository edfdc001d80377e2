// symbol.c -- finding functions by name, and calls for profilers.
#include <string.h>

#include "runtime/simulator/driver/driver.h"

typedef void (*AnyFunction)(void);

typedef struct {
  const char *name;
  int since; // first version of CUDA whose programs mean this function
  AnyFunction function;
} DriverCall;

static const DriverCall symbols[] = {
#define CALL_SINCE(since, name, symbol, params)                                \
  {#name, since, (AnyFunction)symbol},
#include "runtime/simulator/driver/calls.def"
};

// The newest function for that version; `*exists`: there is one for some
// version.
static const DriverCall *find(const char *name, int version, bool *exists) {
  const DriverCall *found = NULL;
  *exists = false;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    if (strcmp(symbols[i].name, name) != 0) continue;
    *exists = true;
    if (symbols[i].since <= version) found = &symbols[i];
  }
  return found;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
                             uint64_t flags, int *status) {
  enum { FOUND, NOT_FOUND, TOO_NEW };
  enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };
  bool exists;
  if (!name || !function || flags > PER_THREAD_STREAM)
    return CUDA_ERROR_INVALID_VALUE;
  const DriverCall *found = find(name, version, &exists);
  *function = NULL;
  if (status) *status = found ? FOUND : exists ? TOO_NEW : NOT_FOUND;
  if (!found) return CUDA_ERROR_NOT_FOUND;
  // ISO C has no conversion from a function pointer to an object pointer.
  memcpy(function, &found->function, sizeof *function);
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *name, void **function, int version,
                          uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

// There is no profiler; the calls succeed.
CUresult locked_cuProfilerStart(void) {
  Context *context;
  return context_check(&context);
}

CUresult locked_cuProfilerStop(void) {
  return locked_cuProfilerStart();
}
