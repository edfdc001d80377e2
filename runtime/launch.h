// launch.h -- from a launch to its variant.
#ifndef TILE_RUNTIME_LAUNCH_H
#define TILE_RUNTIME_LAUNCH_H

#include "runtime/compile/argument.h"

// The variant that a launch runs, while it is used.
typedef struct {
  const Report *report;
  TileDevice *device;
  const TileLaunch *launch;
  Variant *variant;
  const BoundArg *bound; // one for each parameter
  const LaunchFills *fills;
} Prepared;

typedef TileStatus UsePrepared(const Prepared *prepared, void *data);

// Binds the arguments, finds or compiles the variant, and has call_key_make()
// lead to it; then calls use(prepared, data), unless that is NULL.  `launch` is
// the library's own, and the thread inside an epoch: the variant stays until
// the thread leaves that.  `without_maps`: one that makes no tensor maps,
// though the device has them; call_key_without_maps() leads to it.
TileStatus launch_prepare(const Report *report, TileDevice *device,
                          const TileLaunch *launch, bool without_maps,
                          UsePrepared *use, void *data);

// The grid of the launch, of which axes that are 0 are 1.
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

// `refused`: nothing was started, since a tensor map cannot be made of one of
// the tensors; the kernel without them takes any.
TileStatus launch_run(const Report *report, const Start *start, bool *refused);

// A launch as the library has it.
TileStatus launch_read(const Report *report, const TileLaunch *launch,
                       TileLaunch *own);

#endif
