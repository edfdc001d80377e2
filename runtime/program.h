// program.h -- programs and their kernels.
#ifndef TILE_RUNTIME_PROGRAM_H
#define TILE_RUNTIME_PROGRAM_H

#include "ir/base/base.h"
#include "runtime/compile/argument.h"
#include "runtime/context.h"

#include "tile/tune.h"

struct TileProgram {
  TileContext *context;
  SourceUnit *unit;
  // The requested kernels; new ones are added in front, under the unit's lock.
  _Atomic(TileKernel *) kernels;
  const char **names; // of everything that can be launched
  size_t num_names;
};

// tile_program_create(), but the names that the source defines only affect
// conditions of modules: a name may be a parameter of the kernel.
TileStatus program_create(const Report *report, TileContext *context,
                          const TileSource *source, TileProgram **out);

// Adds a line for `tilec pack`, about a variant that is ready, to the file that
// $TILE_RECORD names, if the variable is set.
void launch_record(const TileKernel *kernel, const Specialization *s);

// Finds the numbers of this launch: `out` gets an entry for each parameter,
// which is ABSENT or RUNTIME if the argument is no number; `num_warps` and
// `num_stages` get the kernel's own if the launch has 0.
TileStatus launch_numbers(TileDevice *device, const TileLaunch *launch,
                          Arena *arena, ArgSpec *out, int *num_warps,
                          int *num_stages, TileDiagnostics **diagnostics);

// Calls use(data, report, kernel, specialization of this launch), without
// compiling or starting anything.
typedef TileStatus UseSpecialization(void *data, const Report *report,
                                     TileKernel *kernel,
                                     const Specialization *specialization);
TileStatus launch_specialize(TileDevice *device, const TileLaunch *launch,
                             UseSpecialization *use, void *data,
                             TileDiagnostics **diagnostics);

// The tuning key of this launch, which equal launches share, and the best known
// configuration, as text in `arena`, or NULL.
TileStatus launch_tuned(TileDevice *device, const TileLaunch *launch,
                        Arena *arena, const char **key, const char **choice,
                        TileDiagnostics **diagnostics);

// Whether the best was written to the context's folder of tuned kernels.
bool tuning_is_kept(const TileTuning *tuning);

// Timed launches: with a GPU's own clock, else from the launch to the end of
// waiting for it.  The caller destroys `*out` after an error, too.
typedef struct {
  TileEvent *start, *end;
} LaunchTimer;
TileStatus launch_timer_create(TileDevice *device, LaunchTimer *out,
                               TileDiagnostics **diagnostics);
void launch_timer_destroy(LaunchTimer *timer);
TileStatus launch_timed(const LaunchTimer *timer, TileDevice *device,
                        const TileLaunch *launch, double *seconds,
                        TileDiagnostics **diagnostics);
// The number of launches, of `seconds` each, that take about a tenth of a
// second: from 5 to `most`.
size_t launch_rounds(double seconds, size_t most);

#endif
