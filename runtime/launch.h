// launch.h -- from a launch to its variant.
#ifndef TILE_RUNTIME_LAUNCH_H
#define TILE_RUNTIME_LAUNCH_H

#include "runtime/compile/argument.h"

// What a launch runs, while it is used.
typedef struct {
  const Report *report;
  TileDevice *device;
  const TileLaunch *launch;
  Variant *variant;
  const BoundArg *bound; // one for each parameter
} Prepared;

typedef TileStatus UsePrepared(const Prepared *prepared, void *data);

// Binds the arguments, finds or compiles the variant, and has call_key_make()
// lead to it; then calls use(prepared, data), unless that is NULL.  `launch` is
// the library's own, and the thread inside an epoch: the variant stays until
// the thread leaves that.
TileStatus launch_prepare(const Report *report, TileDevice *device,
                          const TileLaunch *launch, UsePrepared *use,
                          void *data);

#endif
