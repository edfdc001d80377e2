// tune_keep.c -- keeps the best configuration for later launches.
#include "runtime/tune.h"

#include "runtime/errors.h"

typedef struct {
  Tune *tune;
  const Candidate *best;
  const ArgSpec *args;
  const char *text;
} PointNaming;

static void name_body(void *data) {
  PointNaming *naming = data;
  const Tune *tune = naming->tune;
  const TileTuneChoice *choice =
      &tune->options.choices[naming->best - tune->candidates];
  naming->text =
      choice_print(tune->arena, tune->launch.kernel, naming->args, tune->varies,
                   choice->num_warps, choice->num_stages);
}

static TileStatus name_best(void *data, const Report *report,
                            TileKernel *kernel,
                            const Specialization *specialization) {
  PointNaming *naming = data;
  (void)report;
  (void)kernel;
  naming->args = specialization->args;
  return arena_protect(naming->tune->arena, name_body, naming)
             ? TILE_OK
             : TILE_OUT_OF_MEMORY;
}

// Sets `*text` to the configuration in the notation of the file of tuned
// kernels; NULL if one of its values has no text.
static TileStatus find_text(Tune *tune, const Candidate *best,
                            const char **text, TileDiagnostics **diagnostics) {
  PointNaming naming = {tune, best, NULL, best->result.config};
  TileStatus status = TILE_OK;
  if (tune->options.num_choices)
    status = launch_specialize(tune->device, &best->launch, name_best, &naming,
                               diagnostics);
  *text = naming.text;
  return status;
}

TileStatus tune_keep(const Report *report, Tune *tune, const Candidate *best,
                     bool *is_kept) {
  char why[512];
  const char *text;
  TunedStore *store = tune->device->context->tuned;
  if (!store) return TILE_OK;
  const TileStatus status = find_text(tune, best, &text, report->out);
  if (status) return status;
  if (!text)
    return report_warning(report, WARNING_not_kept,
                          "one of its values cannot be written");
  const TunedEntry entry = {tune->alike.key, text, best->result.median,
                            tune->options.num_choices > 0};
  const TunedResult result =
      tuned_keep(store, &tune->alike.name, &entry, why, sizeof why);
  cache_forget(&tune->launch.kernel->variants, tune->device);
  *is_kept = result == TUNED_KEPT;
  if (result == TUNED_NO_MEMORY) return TILE_OUT_OF_MEMORY;
  return *is_kept ? TILE_OK : report_warning(report, WARNING_not_kept, why);
}
