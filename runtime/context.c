// context.c -- contexts, and calls of the API without one.
#include "runtime/context.h"

#include "runtime/base/base.h"
#include "runtime/base/threads.h"

#include <stdio.h>

const char *tile_status_text(TileStatus status) {
  static const char *const texts[] = {
#define STATUS(name, text) text,
#include "tile/status.def"
  };
  const size_t index = (size_t)status;
  return index < sizeof texts / sizeof *texts ? texts[index] : "no such status";
}

static TileStatus create_context(const TileContextOptions *options,
                                 TileContext **out) {
  const TileAllocator *asked = &options->allocator;
  if (!asked->alloc != !asked->free || options->num_threads < 0 ||
      options->num_threads > MAX_RUN_THREADS ||
      (unsigned)options->cpu_tier > TILE_TIER_AUTO)
    return TILE_INVALID_ARGUMENT;
  Allocator from = system_allocator;
  if (asked->alloc) from = (Allocator){asked->alloc, asked->free, asked->ctx};
  TileContext *context = from.alloc(from.ctx, sizeof *context);
  if (!context) return TILE_OUT_OF_MEMORY;
  *context =
      (TileContext){.from = from,
                    .log = options->log,
                    .log_ctx = options->log_ctx,
                    .settings = {options->print, options->print_ctx,
                                 options->num_threads, options->cpu_tier},
                    .cancel = {options->cancelled, options->cancelled_ctx},
                    .max_variants = options->max_variants};
  const LineLog log = {options->log, options->log_ctx};
  const DiskOptions disk = {options->cache_dir, options->cache_limit,
                            options->cache_read_only};
  if (!disk_open(&context->from, &disk, &context->disk) ||
      !tuned_open(&context->from, options->tuned, &context->tuned) ||
      !upgrades_init(&context->upgrades, &context->from, log)) {
    tuned_close(context->tuned);
    disk_close(context->disk);
    from.free(from.ctx, context);
    return TILE_OUT_OF_MEMORY;
  }
  pthread_mutex_init(&context->lock, NULL);
  pool_init(&context->variants);
  *out = context;
  return TILE_OK;
}

TileStatus tile_context_create(const TileContextOptions *options,
                               TileContext **out) {
  static const TileContextOptions defaults = {.log = NULL};
  const Report nobody = {&system_allocator, NULL, 0};
  TileContextOptions own;
  if (!out) return TILE_INVALID_ARGUMENT;
  if (!options) options = &defaults;
  const TileStatus status = sized_read(&nobody, &sized_options, options, &own);
  return status ? status : create_context(&own, out);
}

void tile_context_evict(TileContext *context, size_t keep) {
  if (context) pool_evict(&context->variants, keep);
}

void tile_context_destroy(TileContext *context) {
  if (!context) return;
  upgrades_end(&context->upgrades);
  pool_free(&context->variants);
  pthread_mutex_destroy(&context->lock);
  tuned_close(context->tuned);
  disk_close(context->disk);
  context->from.free(context->from.ctx, context);
}
