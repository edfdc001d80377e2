// demo_ready -- prints how long a program of the examples waits for its
// kernels.
//
// Preloaded, it stands before libtile's tile_launch_time(), makes the launch's
// kernel ready in time of its own, and adds a line to the file $DEMO_READY:
// seconds.
#define _GNU_SOURCE // RTLD_NEXT
#include "tile/tile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef TileStatus LaunchTime(TileDevice *, const TileLaunch *, double *,
                              size_t, TileDiagnostics **);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void report(double seconds) {
  const char *path = getenv("DEMO_READY");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) abort();
  fprintf(file, "%.9f\n", seconds);
  fclose(file);
}

__attribute__((visibility("default"))) TileStatus
tile_launch_time(TileDevice *device, const TileLaunch *launch, double *seconds,
                 size_t count, TileDiagnostics **why) {
  void *address = dlsym(RTLD_NEXT, "tile_launch_time");
  LaunchTime *next;
  memcpy(&next, &address, sizeof next);
  const double start = now();
  const TileStatus status = tile_kernel_prepare(device, launch, why);
  report(now() - start);
  return status ? status : next(device, launch, seconds, count, why);
}
