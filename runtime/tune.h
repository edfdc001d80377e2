// tune.h -- shared by the parts of tile_tune().
#ifndef TILE_RUNTIME_TUNE_H
#define TILE_RUNTIME_TUNE_H

#include "runtime/choose.h"

// A buffer among the arguments.
typedef struct {
  TileBuffer *buffer;
  TileDtype dtype;
  size_t offset;       // start of the argument
  const char *param;   // the name of its parameter
  bool reset, restore; // the actions before each launch
  bool is_read;        // `before` is valid
  void *before;        // the caller's bytes
  void *first;         // bytes after the first configuration
  void *now;           // bytes after another one
} TuneBuffer;

typedef Vec(TuneBuffer) TuneBuffers;

// Finds the buffers of the launch and reads them; call it under
// arena_protect(arena).  `tuning` says which buffers are reset.
TileStatus tune_buffers_read(const TileLaunch *launch, const Tuning *tuning,
                             Arena *arena, TuneBuffers *out);
// The entry of a buffer; NULL: it is no argument.
TuneBuffer *tune_buffers_find(const TuneBuffers *buffers,
                              const TileBuffer *buffer);
// Whether the launch gives a constant for the parameter of that name.
bool tune_is_constant(const TileLaunch *launch, const char *name);
// Prepares the buffers for a launch: some are restored to the caller's bytes,
// and some are zeroed from `offset` on.
TileStatus tune_buffers_prepare(const TuneBuffers *buffers,
                                TileDiagnostics **diagnostics);
// Restores all buffers that were saved.
TileStatus tune_buffers_restore(const TuneBuffers *buffers);
// Keeps the contents after a launch as `first`, or compares them with it:
// `*wrong` is the first buffer that differs, or NULL, and `*error` the
// difference.
TileStatus tune_buffers_keep(const TuneBuffers *buffers);
TileStatus tune_buffers_compare(const TuneBuffers *buffers, double tolerance,
                                const TuneBuffer **wrong, double *error);

// A configuration, and its launch.
typedef struct {
  TileTuneResult result;
  TileLaunch launch;
  double *times; // in the order of the launches, in the end sorted
  // Effects of hooks before and after a launch, for each parameter; NULL: none.
  const HookEffect *before, *after;
} Candidate;

typedef struct {
  TileDevice *device;
  TileLaunch launch; // for the caller
  TileTuneOptions options;
  Arena *arena; // of the result
  Alike alike;
  // The constants of the caller's launch, without those of a search space, and
  // marks of the parameters that only the choices give.
  const TileConstant *own_constants;
  size_t num_own_constants;
  bool *varies;
  const char **left_out; // reasons of prune_configs_by, for each configuration
  TuneBuffers buffers;
  bool has_told_hooks; // the warning about hooks was reported
  Candidate *candidates;
  size_t num_candidates, num_rounds;
  double since; // start of the first step
  size_t done, total;
  LaunchTimer timer;
} Tune;

// Evaluates the candidate's hooks; one that cannot be evaluated is a warning.
TileStatus tune_hooks_read(Tune *tune, Candidate *candidate,
                           TileDiagnostics **diagnostics);
// Fills the tensors of a launch as `effects` say, which has an entry for each
// parameter; memory that is no buffer is unchanged.  `effects` NULL: nothing to
// fill.
TileStatus tune_hooks_run(const Tune *tune, const TileLaunch *launch,
                          const HookEffect *effects,
                          TileDiagnostics **diagnostics);
// Prepares the buffers, launches a candidate once, and waits for it.
TileStatus tune_launch_once(Tune *tune, const Candidate *candidate,
                            double *seconds, TileDiagnostics **diagnostics);
// Asks the caller whether to go on.
bool tune_goes_on(Tune *tune, const Candidate *candidate);
// Launches all candidates that are MEASURED in turns.
TileStatus tune_measure(Tune *tune, TileDiagnostics **diagnostics);
// Writes the best to the context's folder, if it has one; a failure is a
// warning.  `*is_kept`: it was written.
TileStatus tune_keep(const Report *report, Tune *tune, const Candidate *best,
                     bool *is_kept);

#endif
