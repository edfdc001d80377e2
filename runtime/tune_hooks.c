// tune_hooks.c -- changes of the buffers of a launch by the hooks of @autotune.
#include "runtime/tune.h"

// -- Actions of hooks --------------------------------------------------------

typedef struct {
  Tune *tune;
  Candidate *candidate;
} HooksQuery;

// A launch runs the hook of its configuration; tuning only asks whether the
// hook can be evaluated.
static TileStatus ask_hooks(void *data, const Report *report,
                            TileKernel *kernel,
                            const Specialization *specialization) {
  const HooksQuery *query = data;
  HookAnswer answers[HOOK_AFTER + 1] = {{.any = false}};
  TileStatus status = TILE_OK;
  for (HookKind kind = HOOK_OF_CONFIG; !status && kind <= HOOK_AFTER; kind++)
    status =
        compile_hook(report, kernel->program->unit, kernel->function,
                     specialization, kind, query->tune->arena, &answers[kind]);
  query->candidate->before = answers[HOOK_BEFORE].effects;
  query->candidate->after = answers[HOOK_AFTER].effects;
  return status;
}

TileStatus tune_hooks_read(Tune *tune, Candidate *candidate,
                           TileDiagnostics **diagnostics) {
  HooksQuery query = {tune, candidate};
  if (!tune->alike.tuning.has_hooks || tune->launch.no_hooks) return TILE_OK;
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
  return tile_buffer_fill(b->buffer, from, bits ? size - size % unit : size,
                          &bits, bits ? unit : 1, NULL, diagnostics);
}

TileStatus tune_hooks_run(const Tune *tune, const TileLaunch *launch,
                          const HookEffect *effects,
                          TileDiagnostics **diagnostics) {
  const TileKernel *kernel = launch->kernel;
  TileStatus status = TILE_OK;
  size_t next = 0;
  if (!effects) return TILE_OK;
  for (size_t i = 0; !status && i < kernel->num_params; i++) {
    if (tune_is_constant(launch, kernel->params[i].name)) continue;
    if (next == launch->num_args) break;
    const TileArg *arg = &launch->args[next++];
    const TileDtype given = kernel->params[i].annotation.dtype;
    if (effects[i].fills && arg->kind == TILE_ARG_BUFFER)
      status = fill(tune, arg, arg->dtype ? arg->dtype : given,
                    effects[i].value, diagnostics);
  }
  return status;
}
