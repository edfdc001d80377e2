// program.h -- programs and their kernels, as the C API hands them out.
#ifndef TILE_RUNTIME_PROGRAM_H
#define TILE_RUNTIME_PROGRAM_H

#include "ir/base/base.h"
#include "runtime/compile/compile.h"
#include "runtime/context.h"

#include "tile/tune.h"

typedef struct {
  const char *name;
  bool is_constexpr, has_default;
  bool folds_one;  // an int that is 1 becomes a constant
  bool takes_hint; // 16 dividing the value is worth a variant
  Annotation annotation;
} KernelParamPlan;

// Lives in its unit's arena.
struct TileKernel {
  TileKernel *next; // in the list of the program
  TileProgram *program;
  const AstFunction *function;
  const char *name;
  const char *asked; // by which it was found; "": the only one
  KernelParamPlan *params;
  size_t num_params;
  Map by_name; // of parameters: where each is in `params`
  bool has_heuristics;
  bool is_tuned; // by @autotune
  // The target for which no configuration was found to have a hook; or NULL.
  _Atomic(const Target *) hookless;
  VariantCache variants;
};

struct TileProgram {
  TileProgram *next; // in the list of the context
  TileContext *context;
  SourceUnit *unit;
  // The kernels that were asked for; more come under the unit's lock, in front.
  _Atomic(TileKernel *) kernels;
  const char **names; // of everything that can be launched
  size_t num_names;
};

// tile_program_create() where conditions of modules alone are told what the
// source defines: a name may be a parameter of the kernel.
TileStatus program_create(const Report *report, TileContext *context,
                          const TileSource *source, TileProgram **out);

// Adds a variant that is ready to the file that $TILE_RECORD names, if there is
// one, as a line for `tilec pack`.
void launch_record(const TileKernel *kernel, const Specialization *s);

// Finds the numbers of this launch: `out` gets one entry per parameter, which
// is ABSENT or RUNTIME where the argument is no number; `num_warps` and
// `num_stages` get the kernel's own where the launch says 0.
TileStatus launch_numbers(TileDevice *device, const TileLaunch *launch,
                          Arena *arena, ArgSpec *out, int *num_warps,
                          int *num_stages, TileDiagnostics **diagnostics);

// Calls use(data, report, kernel, what it is specialized for): of this launch,
// with nothing compiled or started.
typedef TileStatus UseSpecialization(void *data, const Report *report,
                                     TileKernel *kernel,
                                     const Specialization *specialization);
TileStatus launch_specialize(TileDevice *device, const TileLaunch *launch,
                             UseSpecialization *use, void *data,
                             TileDiagnostics **diagnostics);

// The key that this launch shares with those that are tuned alike, and the
// configuration that is best for them, as text in `arena`, or NULL.
TileStatus launch_tuned(TileDevice *device, const TileLaunch *launch,
                        Arena *arena, const char **key, const char **choice,
                        TileDiagnostics **diagnostics);

// Was the best written to the context's folder of tuned kernels?
bool tuning_is_kept(const TileTuning *tuning);

// Launches that are timed: by a GPU's own clock, else from the launch to the
// end of waiting for it.  `*out` is to be destroyed after an error, too.
typedef struct {
  TileEvent *start, *end;
} LaunchTimer;
TileStatus launch_timer_create(TileDevice *device, LaunchTimer *out,
                               TileDiagnostics **diagnostics);
void launch_timer_destroy(LaunchTimer *timer);
TileStatus launch_timed(const LaunchTimer *timer, TileDevice *device,
                        const TileLaunch *launch, double *seconds,
                        TileDiagnostics **diagnostics);
// The number of launches, of so many seconds each, that take a tenth of a
// second, about: from 5 to `most`.
size_t launch_rounds(double seconds, size_t most);

#endif
