// kernel_test.h -- published kernels, unchanged, against plain C references.
#ifndef TESTS_KERNELS_KERNEL_TEST_H
#define TESTS_KERNELS_KERNEL_TEST_H

#include "attention.h"
#include "example.h"

// Opens the device and a file of ../shared/kernels; ends with status 77 after
// "SKIP: …" where that folder is absent.
void kernel_open(Example *e, const char *name);

// Prints the comparison; the program fails at its end if the error was too
// large.
void kernel_report(Example *e, const char *what, double error,
                   double tolerance);

// A list of arguments under construction.
typedef struct {
  TileArg args[40];
  size_t num_args;
  TileConstant constants[16];
  size_t num_constants;
  int config; // of @autotune's
} Call;
void call_buffer(Call *call, TileBuffer *buffer, TileDtype dtype);
void call_int(Call *call, int64_t value);
void call_ints(Call *call, const int64_t *values, int count);
void call_float(Call *call, double value);
void call_constant(Call *call, const char *name, int64_t value);
// Launches once over x by y by z programs and waits.
void call_launch(Example *e, const Call *call, const char *kernel, size_t x,
                 size_t y, size_t z);
// The status of trying, and the diagnostics it gave, for the caller to destroy.
TileStatus call_try(Example *e, const Call *call, const char *kernel,
                    TileDiagnostics **diagnostics);

#endif
