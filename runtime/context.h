// context.h -- the structs behind the objects of the C API.
//
// Locks, in the order in which they are taken: the context's, a unit's, the
// pool's, a cache's.
#ifndef TILE_RUNTIME_CONTEXT_H
#define TILE_RUNTIME_CONTEXT_H

#include "runtime/compile/compile.h"
#include "runtime/device/device.h"
#include "runtime/disk/disk.h"
#include "runtime/tuned/tuned.h"

#include <pthread.h>

struct TileContext {
  Allocator from;
  void (*log)(void *ctx, const char *line);
  void *log_ctx;
  DeviceSettings settings;
  Cancel cancel;        // polled while kernels are compiled
  size_t max_variants;  // 0: any number
  VariantPool variants; // of the context's programs
  UpgradeQueue upgrades;
  DiskCache *disk;      // NULL: none
  TunedStore *tuned;    // NULL: none
  pthread_mutex_t lock; // for the list below
  TileDevice *devices;
};

static inline Report report_to(const TileContext *context,
                               TileDiagnostics **out) {
  return (Report){&context->from, out, 0};
}
// Reports the text of a failed device call, and returns its status.
TileStatus report_fault(const Report *report, const Fault *fault);

#endif
