// example.h -- the code around the kernel of each example: inputs, a table of
// results, and the device set-up.  Uses tile/tile.h alone, like the examples.
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "tile/tile.h"

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *programs[8];
  int num_programs;
  TileDiagnostics *diagnostics;
  int failures;
} Example;

// Opens the best device ($TILE_DEVICE overrides) and loads the program.  On
// failure the reasons are on stderr and the process ends with status 1.
void example_open(Example *e, const char *file);
// The same without the heading of the table.
void example_open_quietly(Example *e, const char *file);
// Loads one more program.
void example_load(Example *e, const char *file);
// The exit status: 0 if every row was ok.
int example_close(Example *e);
// The kernel of that name, of the first program that has one; never NULL.
TileKernel *example_kernel(Example *e, const char *name);

// Ends the process with the diagnostics unless `status` is TILE_OK.
void example_check(Example *e, TileStatus status);

// A device buffer of `count` elements: from `values` (rounded to the type), or
// filled with NaN patterns where `values` is NULL.  Never NULL.
TileBuffer *example_buffer(Example *e, TileDtype dtype, const float *values,
                           size_t count);
// The buffer's elements as floats; the caller frees them.
float *example_read(Example *e, TileBuffer *buffer, TileDtype dtype,
                    size_t count);
// `count` standard normal values, rounded to the type; the caller frees them.
float *example_normal(size_t count, TileDtype dtype, unsigned seed);
// Memory of `size` bytes, never NULL; the caller frees it.
void *example_alloc(size_t size);

// Launches once, then three times, and returns the median in seconds.
double example_time(Example *e, const TileLaunch *launch);
// The same for a grid of x by y programs of a kernel, by its name.
double example_launch(Example *e, const char *kernel, size_t x, size_t y,
                      const TileArg *args, size_t num_args,
                      const TileConstant *constants, size_t num_constants);

// One line of the table: the name of the case, its shape, seconds, operations
// (or bytes: "GB/s") per launch, the largest error against the reference and
// its limit.
typedef struct {
  const char *name, *shape, *unit; // unit: "GFLOP/s" or "GB/s"
  double seconds, work, error, tolerance;
} ExampleRow;
void example_row(Example *e, const ExampleRow *row);
// The row of a kernel that reads and writes a matrix of float once.
void example_matrix_row(Example *e, const char *name, double seconds,
                        size_t rows, size_t columns, double error,
                        double tolerance);

// max |got - want| / (1 + |want|); infinite if a NaN or an infinity stands
// where the reference has none.
double example_error(const float *got, const double *want, size_t count);

#endif
