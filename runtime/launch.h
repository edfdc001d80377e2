// launch.h -- finds the variant of a launch.
#ifndef TILE_RUNTIME_LAUNCH_H
#define TILE_RUNTIME_LAUNCH_H

#include "runtime/program.h"

// The variant of a launch, during a call that uses it.
typedef struct {
  const Report *report;
  TileDevice *device;
  const TileLaunch *launch;
  Variant *variant;
  const BoundArg *bound; // one for each parameter
  const LaunchFills *fills;
} Prepared;

typedef TileStatus UsePrepared(const Prepared *prepared, void *data);

// Binds the arguments, finds or compiles the variant, and adds it to the known
// launches (call_key_make()); then calls use(prepared, data), unless that is
// NULL.  `launch` is the library's copy, and the thread is inside an epoch: the
// variant stays until the thread leaves it.  The variant is for tensors that
// fit so; its key is that of call_key_add_fit().
TileStatus launch_prepare(const Report *report, TileDevice *device,
                          const TileLaunch *launch, TensorFit fit,
                          UsePrepared *use, void *data);

// The grid of the launch, with 1 for axes that are 0.
TileStatus launch_check_grid(const Report *report, const TileDevice *device,
                             const TileLaunch *launch, uint32_t *grid);

// The value of each machine parameter; 0 for those that the device fills.
void launch_fill_slots(const Prepared *prepared, uint64_t *slots);

// The call that the device starts.
typedef struct {
  TileDevice *device;
  Variant *variant;
  uint64_t *slots; // the device fills some
  const uint32_t *grid;
  void *stream;
  bool launch_pdl;
  const DeviceFill *fills; // before it, on its stream
  uint32_t num_fills;
} Start;

// `fit`: unless the tensors fit, nothing was started.  Variants for other
// tensors accept any.
TileStatus launch_run(const Report *report, const Start *start, TensorFit *fit);

// Converts the caller's launch to this library's version of the struct.
TileStatus launch_read(const Report *report, const TileLaunch *launch,
                       TileLaunch *own);

#endif
