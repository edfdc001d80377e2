// time.c -- measures the time of a launch.
//
// Each measurement ends when the device has nothing left to do, so a launch
// that was in flight before is over when the first measurement starts.
#include "runtime/base/base.h"
#include "runtime/program.h"
#include "tile/tile.h"

#include <string.h>

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
  if (!status) spread_of(seconds, count);
  return status;
}

// -- By events ---------------------------------------------------------------

TileStatus launch_timer_create(TileDevice *device, LaunchTimer *out,
                               TileDiagnostics **diagnostics) {
  *out = (LaunchTimer){NULL, NULL};
  const TileStatus status = tile_event_create(device, &out->start, diagnostics);
  return status ? status : tile_event_create(device, &out->end, diagnostics);
}

void launch_timer_destroy(LaunchTimer *timer) {
  tile_event_destroy(timer->start);
  tile_event_destroy(timer->end);
}

// Whether to measure with the device's clock.  A GPU's clock leaves out the
// host's time of a launch; the simulator's events count instructions.
static bool has_clock(const TileDevice *device) {
  return !strncmp(tile_device_name(device), "cuda", 4);
}

TileStatus launch_timed(const LaunchTimer *timer, TileDevice *device,
                        const TileLaunch *launch, double *seconds,
                        TileDiagnostics **diagnostics) {
  const double start = clock_seconds();
  TileStatus status =
      tile_event_record(timer->start, launch->stream, diagnostics);
  if (!status) status = tile_launch(device, launch, diagnostics);
  if (!status)
    status = tile_event_record(timer->end, launch->stream, diagnostics);
  if (!status) status = tile_device_sync(device, diagnostics);
  *seconds = clock_seconds() - start;
  if (status || !has_clock(device)) return status;
  return tile_event_seconds(timer->start, timer->end, seconds, diagnostics);
}

size_t launch_rounds(double seconds, size_t most) {
  enum { LEAST = 5 };
  const double wanted = seconds > 0 ? 0.1 / seconds : (double)most;
  return wanted > (double)most ? most : wanted < LEAST ? LEAST : (size_t)wanted;
}
