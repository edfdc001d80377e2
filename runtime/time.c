// time.c -- tile_launch_time(): how long a launch takes.
//
// Each time ends when the device has nothing left to do, so a launch that was
// in flight before is over when the first one starts.
#include "runtime/base/base.h"
#include "runtime/context.h"
#include "tile/tile.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static TileStatus launch_and_wait(TileDevice *device, const TileLaunch *launch,
                                  TileDiagnostics **diagnostics) {
  const TileStatus status = tile_launch(device, launch, diagnostics);
  return status ? status : tile_device_sync(device, diagnostics);
}

TileStatus tile_launch_time(TileDevice *device, const TileLaunch *launch,
                            double *seconds, size_t count,
                            TileDiagnostics **diagnostics) {
  if (count && !seconds) return report_null(diagnostics, "seconds");
  TileStatus status = launch_and_wait(device, launch, diagnostics);
  for (size_t i = 0; !status && i < count; i++) {
    const double start = clock_seconds();
    status = launch_and_wait(device, launch, diagnostics);
    seconds[i] = clock_seconds() - start;
  }
  if (!status && count) qsort(seconds, count, sizeof *seconds, by_value);
  return status;
}
