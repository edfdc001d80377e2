// tune_hooks.c -- what hooks of @autotune do to the buffers of a launch.
#include "runtime/tune.h"

#include <string.h>

// -- What they do ------------------------------------------------------------

typedef struct {
  Tune *tune;
  Candidate *candidate;
} HooksQuery;

static void make_fills(void *data) {
  const HooksQuery *query = data;
  const size_t count = query->tune->launch.kernel->num_params + 1;
  Arena *arena = query->tune->arena;
  query->candidate->before = arena_array(arena, HookFill, count);
  query->candidate->after = arena_array(arena, HookFill, count);
}

static TileStatus ask_hooks(void *data, const Report *report,
                            TileKernel *kernel,
                            const Specialization *specialization) {
  HooksQuery *query = data;
  Arena *arena = query->tune->arena;
  if (!arena_protect(arena, make_fills, query)) return TILE_OUT_OF_MEMORY;
  return compile_hooks(report, kernel->program->unit, kernel->function,
                       specialization, arena, query->candidate->before,
                       query->candidate->after);
}

TileStatus tune_hooks_read(Tune *tune, Candidate *candidate,
                           TileDiagnostics **diagnostics) {
  HooksQuery query = {tune, candidate};
  if (!tune->alike.tuning.has_hooks) return TILE_OK;
  return launch_specialize(tune->device, &candidate->launch, ask_hooks, &query,
                           diagnostics);
}

// -- Doing it ----------------------------------------------------------------

static TileStatus fill(const Tune *tune, const TileArg *arg, TileDtype dtype,
                       double value, TileDiagnostics **diagnostics) {
  const TuneBuffer *b =
      tune_buffers_find(&tune->buffers, arg->as.buffer.buffer);
  if (!b) return TILE_OK;
  const size_t unit = tile_dtype_size(dtype), from = arg->as.buffer.offset;
  const size_t size = tile_buffer_size(b->buffer) - from;
  const uint64_t bits = element_of_number(dtype, value);
  if (!bits)
    return tile_buffer_fill(b->buffer, from, size, &bits, 1, NULL, diagnostics);
  for (size_t at = 0; at + unit <= size; at += unit)
    memcpy((char *)b->now + at, &bits, unit);
  return tile_buffer_write(b->buffer, from, b->now, size - size % unit);
}

TileStatus tune_hooks_run(const Tune *tune, const TileLaunch *launch,
                          const HookFill *fills,
                          TileDiagnostics **diagnostics) {
  const TileKernel *kernel = launch->kernel;
  TileStatus status = TILE_OK;
  size_t next = 0;
  if (!fills) return TILE_OK;
  for (size_t i = 0; !status && i < kernel->num_params; i++) {
    if (tune_is_constant(launch, kernel->params[i].name)) continue;
    if (next == launch->num_args) break;
    const TileArg *arg = &launch->args[next++];
    const TileDtype given = kernel->params[i].annotation.dtype;
    if (fills[i].set && arg->kind == TILE_ARG_BUFFER)
      status = fill(tune, arg, arg->dtype ? arg->dtype : given, fills[i].value,
                    diagnostics);
  }
  return status;
}
