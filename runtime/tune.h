// tune.h -- shared by the parts of tile_tune().
#ifndef TILE_RUNTIME_TUNE_H
#define TILE_RUNTIME_TUNE_H

#include "runtime/choose.h"

// A buffer among the arguments.
typedef struct {
  TileBuffer *buffer;
  TileDtype dtype;
  size_t offset;       // where the argument begins
  const char *param;   // the name of its parameter
  bool reset, restore; // before each launch
  bool is_read;        // `before` has what it held
  void *before;        // its bytes as the caller gave it
  void *first;         // after a launch of the first configuration
  void *now;           // after one of another
} TuneBuffer;

typedef Vec(TuneBuffer) TuneBuffers;

// Finds the buffers of the launch and reads them; call it under
// arena_protect(arena).
// `tuning` says which are reset.
TileStatus tune_buffers_read(const TileLaunch *launch, const Tuning *tuning,
                             Arena *arena, TuneBuffers *out);
// The entry of a buffer; NULL: no parameter has it.
TuneBuffer *tune_buffers_find(const TuneBuffers *buffers,
                              const TileBuffer *buffer);
// Does the launch give a constant for the parameter of that name?
bool tune_is_constant(const TileLaunch *launch, const char *name);
// Before each launch: those that are restored as they were given, those that
// are reset zeroed from `offset` on.
TileStatus tune_buffers_prepare(const TuneBuffers *buffers,
                                TileDiagnostics **diagnostics);
// All buffers that were read as they were given.
TileStatus tune_buffers_restore(const TuneBuffers *buffers);
// The contents that a launch left become `first`, or are compared with it:
// `*wrong` is the first buffer that differs, or NULL, and `*error` by how much.
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
  TileLaunch launch; // as the caller has it
  TileTuneOptions options;
  Arena *arena; // of the result
  Alike alike;
  // The constants that the caller's launch has itself, beside a search space,
  // and marks of the parameters that only the choices give.
  const TileConstant *own_constants;
  size_t num_own_constants;
  bool *varies;
  const char **left_out; // why prune_configs_by does, a configuration each
  TuneBuffers buffers;
  bool has_told_hooks; // that one cannot be evaluated
  Candidate *candidates;
  size_t num_candidates, num_rounds;
  double since; // the first step
  size_t done, total;
  LaunchTimer timer;
} Tune;

// Finds what its hooks do; one that cannot be evaluated is a warning.
TileStatus tune_hooks_read(Tune *tune, Candidate *candidate,
                           TileDiagnostics **diagnostics);
// Fills the tensors of a launch as `effects` say, an entry for each parameter;
// memory that is no buffer stays as it is.  `effects` NULL: there is nothing to
// do.
TileStatus tune_hooks_run(const Tune *tune, const TileLaunch *launch,
                          const HookEffect *effects,
                          TileDiagnostics **diagnostics);
// Launches a candidate once: its buffers prepared, and waited for.
TileStatus tune_launch_once(Tune *tune, const Candidate *candidate,
                            double *seconds, TileDiagnostics **diagnostics);
// Asks the caller whether to go on.
bool tune_goes_on(Tune *tune, const Candidate *candidate);
// Launches all that are MEASURED by turns.
TileStatus tune_measure(Tune *tune, TileDiagnostics **diagnostics);
// Keeps the best where the context has a folder for it; that it cannot be kept
// is a warning.  `*is_kept`: it was written.
TileStatus tune_keep(const Report *report, Tune *tune, const Candidate *best,
                     bool *is_kept);

#endif
