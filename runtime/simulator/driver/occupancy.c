// occupancy.c -- the number of CTAs that a multiprocessor holds.
//
// The numbers are those of NVIDIA's calculator, cuda_occupancy.h, from
// capability 7 on.
#include "runtime/simulator/driver/driver.h"

enum { MAX_THREADS = 1024 }; // of a CTA

static int round_up(int x, int unit) {
  return (x + unit - 1) / unit * unit;
}

static int by_registers(const Code *code, int warps, int most) {
  const int of_warp = round_up(code->registers, REGISTER_UNIT) * LANES;
  if (!of_warp) return most;
  if (of_warp * round_up(warps, SM_PARTS) > SM_REGISTERS) return 0;
  return SM_REGISTERS / SM_PARTS / of_warp * SM_PARTS / warps;
}

static int by_shared(const Chip *chip, size_t bytes, int most) {
  const size_t unit = chip_shared_unit(chip);
  if (bytes > (size_t)chip->shared_max_kb * 1024) return 0;
  const size_t own = (bytes + chip_reserved(chip) + unit - 1) / unit * unit;
  return own ? (int)((size_t)chip->shared_kb * 1024 / own) : most;
}

int blocks_per_processor(const Code *code, unsigned threads, size_t shared) {
  const Chip *chip = sim_driver.device.chip;
  const int warps = (int)((threads + LANES - 1) / LANES);
  const int limits[] = {
      warps ? chip->threads / LANES / warps : 0,
      by_registers(code, warps ? warps : 1, chip->blocks),
      by_shared(chip, code->shared_size + shared, chip->blocks)};
  int blocks = threads > MAX_THREADS ? 0 : chip->blocks;
  for (int i = 0; i < 3; i++) blocks = limits[i] < blocks ? limits[i] : blocks;
  return blocks;
}

CUresult locked_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *num_blocks,
                                                            CUfunction function,
                                                            int num_threads,
                                                            size_t shared) {
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  if (!num_blocks || num_threads < 1) return CUDA_ERROR_INVALID_VALUE;
  *num_blocks =
      blocks_per_processor(found->code, (unsigned)num_threads, shared);
  return CUDA_SUCCESS;
}

CUresult locked_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *num_blocks, CUfunction function, int num_threads, size_t shared,
    unsigned flags) {
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  return locked_cuOccupancyMaxActiveBlocksPerMultiprocessor(
      num_blocks, function, num_threads, shared);
}

// The most shared memory with which as many CTAs fit, by binary search.
static size_t most_shared(const Code *code, unsigned threads, int blocks) {
  size_t fits = 0, most = (size_t)sim_driver.device.chip->shared_max_kb * 1024;
  while (fits < most) {
    const size_t middle = fits + (most - fits + 1) / 2;
    if (blocks_per_processor(code, threads, middle) >= blocks)
      fits = middle;
    else
      most = middle - 1;
  }
  return fits;
}

CUresult locked_cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                        CUfunction function,
                                                        int num_blocks,
                                                        int num_threads) {
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  if (!bytes || num_blocks < 1 || num_threads < 1 ||
      blocks_per_processor(found->code, (unsigned)num_threads, 0) < num_blocks)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = most_shared(found->code, (unsigned)num_threads, num_blocks);
  return CUDA_SUCCESS;
}

// The largest block among those that keep most threads busy.
static void best_block(const Code *code, size_t (*shared_for)(int),
                       size_t shared, int limit, int *least_grid,
                       int *num_threads) {
  const int most = code->max_threads ? (int)code->max_threads : MAX_THREADS;
  int best = 0, busy = 0, blocks = 0;
  if (limit < 1 || limit > most) limit = most;
  for (int n = round_up(limit, LANES); n > 0; n -= LANES) {
    const int threads = n < limit ? n : limit;
    const size_t bytes = shared_for ? shared_for(threads) : shared;
    const int fit = blocks_per_processor(code, (unsigned)threads, bytes);
    if (fit * threads <= busy) continue;
    best = threads;
    blocks = fit;
    busy = fit * threads;
  }
  *num_threads = best;
  *least_grid = blocks * sim_driver.device.chip->processors;
}

CUresult locked_cuOccupancyMaxPotentialBlockSize(int *least_grid,
                                                 int *num_threads,
                                                 CUfunction function,
                                                 size_t (*shared_for)(int),
                                                 size_t shared, int limit) {
  DriverFunction *found;
  const CUresult error = function_check(function, &found);
  if (error) return error;
  if (!least_grid || !num_threads) return CUDA_ERROR_INVALID_VALUE;
  best_block(found->code, shared_for, shared, limit, least_grid, num_threads);
  return CUDA_SUCCESS;
}

CUresult locked_cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *least_grid, int *num_threads, CUfunction function,
    size_t (*shared_for)(int), size_t shared, int limit, unsigned flags) {
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  return locked_cuOccupancyMaxPotentialBlockSize(
      least_grid, num_threads, function, shared_for, shared, limit);
}
