// choose.h -- which configuration of @autotune a launch runs that leaves it to
// the library.
#ifndef TILE_RUNTIME_CHOOSE_H
#define TILE_RUNTIME_CHOOSE_H

#include "runtime/program.h"
#include "runtime/tuned/tuned.h"

// A launch as the tuner sees it: those with one name and key are alike.
typedef struct {
  Tuning tuning;
  TunedName name;
  const char *key;
} Alike;

// Describes a launch with these arguments; texts are in `arena`.
TileStatus choose_describe(const Report *report, const TileDevice *device,
                           const TileKernel *kernel, const ArgSpec *args,
                           Arena *arena, Alike *out);

// The configuration that was the best for such launches, else the first, and
// the bits of the parameters at whose values that looks.
TileStatus choose_config(const Report *report, const TileDevice *device,
                         const TileKernel *kernel, const ArgSpec *args,
                         int *config, uint64_t *looked_at);

#endif
