// example.c -- inputs, timing and the table of results.
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void finish(Example *e, const char *why) {
  if (e->diagnostics) fputs(tile_diagnostics_text(e->diagnostics), stderr);
  if (why) fprintf(stderr, "error: %s\n", why);
  exit(EXIT_FAILURE);
}

void example_check(Example *e, TileStatus status) {
  if (status != TILE_OK) finish(e, tile_status_text(status));
}

void example_open_quietly(Example *e, const char *file) {
  memset(e, 0, sizeof *e);
  example_check(e, tile_context_create(NULL, &e->context));
  example_check(
      e, tile_device_open(e->context, NULL, &e->device, &e->diagnostics));
  example_load(e, file);
}

void example_open(Example *e, const char *file) {
  example_open_quietly(e, file);
  printf("device %s: %s\n", tile_device_name(e->device),
         tile_device_summary(e->device));
  printf("%-24s %-22s %10s %18s %12s\n", "kernel", "shape", "time", "rate",
         "max error");
}

void example_load(Example *e, const char *file) {
  TileProgram **program = &e->programs[e->num_programs++];
  example_check(e,
                tile_program_load(e->context, file, program, &e->diagnostics));
}

int example_close(Example *e) {
  for (int i = 0; i < e->num_programs; i++) {
    tile_program_destroy(e->programs[i]);
  }
  tile_device_destroy(e->device);
  tile_context_destroy(e->context);
  tile_diagnostics_destroy(e->diagnostics);
  return e->failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool has_kernel(const TileProgram *program, const char *name) {
  for (size_t i = 0; i < tile_program_num_kernels(program); i++) {
    if (!strcmp(tile_program_kernel_name(program, i), name)) return true;
  }
  return false;
}

TileKernel *example_kernel(Example *e, const char *name) {
  TileKernel *kernel = NULL;
  int i = 0;
  while (i + 1 < e->num_programs && !has_kernel(e->programs[i], name)) i++;
  example_check(
      e, tile_program_kernel(e->programs[i], name, &kernel, &e->diagnostics));
  return kernel;
}

void *example_alloc(size_t size) {
  void *block = malloc(size);
  if (!block) {
    fputs("error: out of memory\n", stderr);
    exit(EXIT_FAILURE);
  }
  return block;
}

// -- Element types -----------------------------------------------------------

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float bits_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// To nearest even; the examples' values are finite and below 65504.
static uint16_t half_of(float value) {
  const uint32_t bits = float_bits(value);
  const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  const float magnitude = fabsf(value);
  if (magnitude != magnitude) return 0x7e00;
  if (magnitude < 0x1p-14f) {
    return (uint16_t)(sign | (uint16_t)lrintf(magnitude * 0x1p24f));
  }
  const uint32_t rounded = (bits & 0x7fffffff) + 0xfff + (bits >> 13 & 1);
  return (uint16_t)(sign | ((rounded - (112u << 23)) >> 13));
}

static float half_value(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float fraction = (float)(half & 1023);
  float value =
      exponent ? ldexpf(1024 + fraction, exponent - 25) : ldexpf(fraction, -24);
  if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
  return half & 0x8000 ? -value : value;
}

static uint16_t bfloat_of(float value) {
  const uint32_t bits = float_bits(value);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void encode(void *to, TileDtype dtype, size_t i, float value) {
  if (dtype == TILE_FP16) {
    ((uint16_t *)to)[i] = half_of(value);
  } else if (dtype == TILE_BF16) {
    ((uint16_t *)to)[i] = bfloat_of(value);
  } else {
    ((float *)to)[i] = value;
  }
}

static float decode(const void *from, TileDtype dtype, size_t i) {
  if (dtype == TILE_FP16) return half_value(((const uint16_t *)from)[i]);
  if (dtype != TILE_BF16) return ((const float *)from)[i];
  return bits_float((uint32_t)((const uint16_t *)from)[i] << 16);
}

TileBuffer *example_buffer(Example *e, TileDtype dtype, const float *values,
                           size_t count) {
  const size_t size = count * tile_dtype_size(dtype);
  TileBuffer *buffer = NULL;
  example_check(e, tile_buffer_create(e->device, size, &buffer));
  void *bytes = memset(example_alloc(size), 0xff, size); // all NaNs
  for (size_t i = 0; values && i < count; i++) {
    encode(bytes, dtype, i, values[i]);
  }
  example_check(e, tile_buffer_write(buffer, 0, bytes, size));
  free(bytes);
  return buffer;
}

float *example_read(Example *e, TileBuffer *buffer, TileDtype dtype,
                    size_t count) {
  const size_t size = count * tile_dtype_size(dtype);
  void *bytes = example_alloc(size);
  example_check(e, tile_buffer_read(buffer, 0, bytes, size));
  float *values = example_alloc(count * sizeof *values);
  for (size_t i = 0; i < count; i++) values[i] = decode(bytes, dtype, i);
  free(bytes);
  return values;
}

// Uniform in (0, 1), by a 64-bit linear congruential generator (Knuth).
static double uniform(uint64_t *state) {
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(*state >> 12) + 0.5) * 0x1p-52;
}

float *example_normal(size_t count, TileDtype dtype, unsigned seed) {
  uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  float *values = example_alloc(count * sizeof *values);
  for (size_t i = 0; i < count; i++) {
    // Box and Muller's transform.
    const double radius = sqrt(-2 * log(uniform(&state)));
    const double angle = 6.283185307179586 * uniform(&state);
    uint32_t cell;
    encode(&cell, dtype, 0, (float)(radius * cos(angle)));
    values[i] = decode(&cell, dtype, 0);
  }
  return values;
}

// -- Timing and the table ----------------------------------------------------

double example_time(Example *e, const TileLaunch *launch) {
  double seconds[3];
  example_check(
      e, tile_launch_time(e->device, launch, seconds, 3, &e->diagnostics));
  return seconds[1];
}

double example_launch(Example *e, const char *kernel, size_t x, size_t y,
                      const TileArg *args, size_t num_args,
                      const TileConstant *constants, size_t num_constants) {
  return example_time(e, &(TileLaunch){.kernel = example_kernel(e, kernel),
                                       .grid = {(uint32_t)x, (uint32_t)y},
                                       .args = args,
                                       .num_args = num_args,
                                       .constants = constants,
                                       .num_constants = num_constants});
}

double example_error(const float *got, const double *want, size_t count) {
  double worst = 0;
  for (size_t i = 0; i < count; i++) {
    const double error = fabs(got[i] - want[i]) / (1 + fabs(want[i]));
    if (!(error <= worst)) worst = error == error ? error : INFINITY;
  }
  return worst;
}

void example_row(Example *e, const ExampleRow *row) {
  const bool ok = row->error <= row->tolerance;
  e->failures += !ok;
  printf("%-24s %-22s %7.2f ms %10.2f %-7s %12.2e  %s\n", row->name, row->shape,
         1e3 * row->seconds, 1e-9 * row->work / row->seconds, row->unit,
         row->error, ok ? "ok" : "WRONG");
  fflush(stdout);
}

void example_matrix_row(Example *e, const char *name, double seconds,
                        size_t rows, size_t columns, double error,
                        double tolerance) {
  char shape[48];
  snprintf(shape, sizeof shape, "%zu x %zu", rows, columns);
  example_row(
      e, &(ExampleRow){.name = name,
                       .shape = shape,
                       .unit = "GB/s",
                       .seconds = seconds,
                       .work = 2.0 * sizeof(float) * (double)(rows * columns),
                       .error = error,
                       .tolerance = tolerance});
}
