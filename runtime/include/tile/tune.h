// tune.h -- which configuration of a kernel is the quickest: a part of tile.h,
// which includes it.
#ifndef TILE_TUNE_H
#define TILE_TUNE_H

#include "tile/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// The number that a parameter has in this launch, from an argument, a
// configuration, a heuristic or a default; "num_warps" and "num_stages", too.
// A caller can compute its grid from it.  Nothing is compiled.
// TILE_INVALID_ARGUMENT: no parameter of that name has a number.
TILE_API TILE_MUST_CHECK TileStatus tile_launch_number(
    TileDevice *device, const TileLaunch *launch, const char *name,
    int64_t *out, TileDiagnostics **diagnostics);

typedef struct {
  size_t done, total; // steps
  double seconds_left;
  const char *what; // the configuration, as text; valid during the call
} TileTuneProgress;

// A point of a search space.
typedef struct {
  const char *text;              // for results: "BLOCK=64, num_warps=4"
  const TileConstant *constants; // in place of those of the launch
  size_t num_constants;          // the same parameters in all choices
  int num_warps, num_stages;     // 0: as the launch says
} TileTuneChoice;

typedef struct {
  size_t size; // sizeof(TileTuneOptions), or 0
  // Computes the grid for the configuration `launch->config`.  NULL: all
  // configurations have the grid of the launch.
  TileStatus (*grid)(void *ctx, TileDevice *device, const TileLaunch *launch,
                     uint32_t grid[3], TileDiagnostics **diagnostics);
  void *grid_ctx;
  // Measured launches of each configuration, which take turns; 0: about a tenth
  // of a second for each.
  size_t num_rounds;
  // The largest |a - b| / (1 + |b|) that is accepted, for a float in the
  // buffers that is b after a launch of the first configuration, and a after a
  // launch of another; integers must be equal. 0: a bound for sums in another
  // order, 1e-3 for fp32.
  double tolerance;
  // Called between launches; false: stop, as TILE_CANCELLED.  May be NULL.
  bool (*progress)(void *ctx, const TileTuneProgress *progress);
  void *progress_ctx;
  // If given, these choices are tried instead of the configurations of
  // @autotune; the first configuration gives the values that a choice lacks.
  // The best choice is kept, too, for launches with the same constants as
  // `launch` and without those of the choices.
  const TileTuneChoice *choices;
  size_t num_choices;
} TileTuneOptions;

typedef enum {
  TILE_TUNE_MEASURED,
  TILE_TUNE_SLOW,   // no more measured, since it takes twice the best's time
  TILE_TUNE_PRUNED, // not launched: it does not fit, or spills too much
  TILE_TUNE_FAILED, // it was not compiled, or its launch failed
  TILE_TUNE_WRONG,  // its results are not those of the first
} TileTuneVerdict;

typedef struct {
  const char *config; // as text: "BLOCK=64, num_warps=4"
  TileTuneVerdict verdict;
  const char *why; // the reason if it was not measured, else ""
  // Seconds of a launch, where it was measured: MEASURED, SLOW.
  double median, least, most;
  size_t num_times, num_outliers; // past one and a half times the median
} TileTuneResult;

typedef struct TileTuning TileTuning;

// Tries each configuration of the kernel's @autotune with these arguments.  The
// results of each are compared with those of the first; then the configurations
// are launched in turns and timed, and the one with the least median is the
// best.  The buffers of the arguments keep their contents.  Buffers that
// `reset_to_zero` names are zeroed before each launch, and those of
// `restore_value` are restored.  `prune_configs_by` and hooks, which may fill
// tensors, are evaluated; a failure to do so is a warning.  Memory behind
// addresses that are no buffers is neither read nor restored.
//
// If the context has a folder of tuned kernels (TileContextOptions.tuned), the
// best is kept there. It is used by launches of `config` 0 whose parameters
// that `key` names have the same values, and whose pointers have the same
// types. A kernel without @autotune has no `key`: its launches must have
// constants of the same values.
//
// `*out` belongs to the caller.  TILE_INVALID_ARGUMENT if the kernel has no
// configurations; the error of the first one if none works.  `options` may be
// NULL.
TILE_API TILE_MUST_CHECK TileStatus tile_tune(TileDevice *device,
                                              const TileLaunch *launch,
                                              const TileTuneOptions *options,
                                              TileTuning **out,
                                              TileDiagnostics **diagnostics);
TILE_API void tile_tuning_destroy(TileTuning *tuning);

// A result for each configuration, in their order; its texts are valid until
// the tuning is destroyed.
TILE_API size_t tile_tuning_num_results(const TileTuning *tuning);
TILE_API TileTuneResult tile_tuning_result(const TileTuning *tuning,
                                           size_t index);
// The index of the best among the results.
TILE_API int tile_tuning_best(const TileTuning *tuning);
// The values and types of the launches that use the best configuration,
// "n=1000, *fp32, *fp32"; valid until the tuning is destroyed.
TILE_API const char *tile_tuning_key(const TileTuning *tuning);

#ifdef __cplusplus
}
#endif
#endif
