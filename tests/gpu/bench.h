// bench.h -- measurements on a GPU: cases, their buffers, their answers.
#ifndef TILE_TESTS_GPU_BENCH_H
#define TILE_TESTS_GPU_BENCH_H

#include "example.h"
#include "tests/gpu/timer.h"

#include <stdint.h>

enum { MAX_ARGS = 16, MAX_BUFFERS = 10, MAX_SETS = 8, MAX_STEPS = 3 };

// A size of the problem; the family defines the meaning of the numbers.
typedef struct {
  int64_t n[3];
  bool causal;
} Size;

// One way to launch a kernel: BLOCK constants, warps and stages.
typedef struct {
  int block[4];
  int warps, stages;
} Config;

typedef struct {
  TileDtype dtype;
  size_t count;
  bool is_output; // poisoned before the first launch, checked after the last
  bool is_zero;   // else random
} BufferSpec;

// A launch of one kernel; the args hold indices of buffers until they are
// bound.
typedef struct {
  const char *kernel;
  int buffers[MAX_BUFFERS], num_buffers; // the first arguments
  TileArg rest[MAX_ARGS];
  int num_rest;
  uint32_t grid[3];
} Step;

typedef struct {
  char name[80];
  double work;      // floating-point operations, or bytes
  const char *unit; // "TFLOP/s" or "GB/s"
  BufferSpec buffers[MAX_BUFFERS];
  int num_buffers;
  Step steps[MAX_STEPS];
  int num_steps;
  Config config;
} Problem;

typedef struct {
  const char *name;
  const Config *configs;
  int num_configs;
  void (*pose)(const Size *size, const Config *config, Problem *out);
  const Size *sizes, *small_sizes;
  int num_sizes, num_small_sizes;
} Family;

extern const Family families[];
extern const int num_families;

#endif
