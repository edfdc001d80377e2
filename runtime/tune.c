// tune.c -- tile_tune(): finds the quickest configuration of a kernel.
#include "runtime/tune.h"

#include "runtime/base/base.h"
#include "runtime/errors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A configuration with more bytes of spills per thread is left out if another
// configuration has none.
enum { MANY_SPILLS = 256 };

struct TileTuning {
  Allocator from;
  Arena arena; // memory of all that follows
  TileTuneResult *results;
  size_t num_results;
  int best;
  const char *key;
  bool is_kept; // the best was written to a folder
};

// -- Numbers -----------------------------------------------------------------

static size_t find_param(const TileKernel *kernel, const char *name) {
  size_t i = 0;
  while (i < kernel->num_params && strcmp(kernel->params[i].name, name)) i++;
  return i;
}

typedef struct {
  TileDevice *device;
  const TileLaunch *launch;
  const char *name;
  TileDiagnostics **diagnostics;
} NumberQuery;

// `specs` has room for an entry for each parameter.
static TileStatus find_number(const Report *report, const NumberQuery *query,
                              Arena *arena, ArgSpec *specs, int64_t *out) {
  const TileKernel *kernel = query->launch->kernel;
  const char *name = query->name;
  int warps, stages;
  const TileStatus status =
      launch_numbers(query->device, query->launch, arena, specs, &warps,
                     &stages, query->diagnostics);
  if (status) return status;
  const size_t i = find_param(kernel, name);
  const bool is_int = i < kernel->num_params &&
                      (specs[i].kind == ARG_INT || specs[i].kind == ARG_BOOL);
  *out = is_int ? specs[i].i : !strcmp(name, "num_warps") ? warps : stages;
  if (is_int || !strcmp(name, "num_warps") || !strcmp(name, "num_stages"))
    return TILE_OK;
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_no_such_number,
                      kernel->name, name);
}

static TileStatus find_in_room(const Report *report, const NumberQuery *query,
                               int64_t *out) {
  const size_t count = query->launch->kernel->num_params;
  ArgSpec *specs =
      report->from->alloc(report->from->ctx, (count + 1) * sizeof *specs);
  if (!specs) return TILE_OUT_OF_MEMORY;
  Arena arena;
  arena_init(&arena, report->from);
  const TileStatus status = find_number(report, query, &arena, specs, out);
  arena_free(&arena);
  report->from->free(report->from->ctx, specs);
  return status;
}

TileStatus tile_launch_number(TileDevice *device, const TileLaunch *launch,
                              const char *name, int64_t *out,
                              TileDiagnostics **diagnostics) {
  const char *null = !device           ? "device"
                     : !launch         ? "launch"
                     : !launch->kernel ? "launch->kernel"
                     : !name           ? "name"
                     : !out            ? "out"
                                       : NULL;
  if (!device) return report_null(diagnostics, null);
  const Report report = report_to(device->context, diagnostics);
  if (null)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, null);
  const NumberQuery query = {device, launch, name, diagnostics};
  return find_in_room(&report, &query, out);
}

// -- Verdicts ----------------------------------------------------------------

__attribute__((format(printf, 4, 5))) static void
refuse(Tune *tune, Candidate *c, TileTuneVerdict verdict, const char *format,
       ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  c->result.verdict = verdict;
  c->result.why = arena_strdup(tune->arena, text);
}

// Leaves out a candidate with the first error of a list, which is destroyed.  A
// failure that every configuration would have ends the tuning.
static TileStatus refuse_failed(Tune *tune, Candidate *c, TileStatus status,
                                TileDiagnostics *why) {
  char text[400];
  const char *first = tile_status_text(status);
  for (size_t i = tile_diagnostics_count(why); i-- > 0;) {
    const TileDiagnostic each = tile_diagnostics_get(why, i);
    if (each.severity == TILE_SEVERITY_ERROR) first = each.text;
  }
  snprintf(text, sizeof text, "%s", first);
  tile_diagnostics_destroy(why); // before memory runs out
  if (status == TILE_OUT_OF_MEMORY || status == TILE_CANCELLED) return status;
  refuse(tune, c, TILE_TUNE_FAILED, "%s", text);
  return TILE_OK;
}

// -- Each once ---------------------------------------------------------------

static TileStatus find_grid(Tune *tune, Candidate *c,
                            TileDiagnostics **diagnostics) {
  const TileTuneOptions *options = &tune->options;
  if (!options->grid) return TILE_OK;
  return options->grid(options->grid_ctx, tune->device, &c->launch,
                       c->launch.grid, diagnostics);
}

// Compiles the candidate; its use of registers may already rule it out.
static TileStatus prepare(Tune *tune, Candidate *c, TileKernelInfo *info) {
  TileDiagnostics *why = NULL;
  *info = (TileKernelInfo){.size = sizeof *info};
  if (c->result.verdict != TILE_TUNE_MEASURED) return TILE_OK;
  TileStatus status = find_grid(tune, c, &why);
  if (!status) status = tile_kernel_info(tune->device, &c->launch, info, &why);
  if (status) return refuse_failed(tune, c, status, why);
  tile_diagnostics_destroy(why);
  if (info->programs_per_processor == 0)
    refuse(tune, c, TILE_TUNE_PRUNED, "no processor has room for a program");
  return TILE_OK;
}

static void prune_spills(Tune *tune, const TileKernelInfo *infos) {
  bool any_without = false;
  for (size_t i = 0; i < tune->num_candidates; i++)
    any_without |= tune->candidates[i].result.verdict == TILE_TUNE_MEASURED &&
                   infos[i].spill_bytes == 0;
  for (size_t i = 0; any_without && i < tune->num_candidates; i++) {
    Candidate *c = &tune->candidates[i];
    if (c->result.verdict == TILE_TUNE_MEASURED &&
        infos[i].spill_bytes > MANY_SPILLS)
      refuse(tune, c, TILE_TUNE_PRUNED, "a thread spills %d bytes",
             infos[i].spill_bytes);
  }
}

// Launches the candidate once, with the buffers restored; the results of the
// first candidate that works are the reference.
static TileStatus try_once(Tune *tune, Candidate *c, bool *has_first) {
  TileDiagnostics *why = NULL;
  const TuneBuffer *wrong = NULL;
  double error = 0;
  TileStatus status = tune_buffers_restore(&tune->buffers);
  if (!status) status = tune_launch_once(tune, c, &c->result.least, &why);
  if (!status)
    status = *has_first
                 ? tune_buffers_compare(&tune->buffers, tune->options.tolerance,
                                        &wrong, &error)
                 : tune_buffers_keep(&tune->buffers);
  if (!status) status = tune_hooks_run(tune, &c->launch, c->after, &why);
  if (status) return refuse_failed(tune, c, status, why);
  *has_first = true;
  tile_diagnostics_destroy(why);
  if (wrong)
    refuse(tune, c, TILE_TUNE_WRONG,
           "'%s' differs from that of the first by %.3g", wrong->param, error);
  return TILE_OK;
}

static bool find_any(const Tune *tune) {
  for (size_t i = 0; i < tune->num_candidates; i++) {
    if (tune->candidates[i].result.verdict == TILE_TUNE_MEASURED) return true;
  }
  return false;
}

static TileStatus step(Tune *tune, const Candidate *c, TileStatus status) {
  tune->done++;
  if (status) return status;
  return tune_goes_on(tune, c) ? TILE_OK : TILE_CANCELLED;
}

// A warning is reported once, though all candidates have the hook.
static TileStatus read_hooks(const Report *report, Tune *tune, Candidate *c) {
  TileDiagnostics *why = NULL;
  if (c->result.verdict != TILE_TUNE_MEASURED) return TILE_OK;
  const TileStatus status = tune_hooks_read(tune, c, &why);
  if (status) return refuse_failed(tune, c, status, why);
  const bool tells = why && !tune->has_told_hooks;
  const bool ok = !tells || report_list(report, &why->list);
  tune->has_told_hooks |= tells;
  tile_diagnostics_destroy(why);
  return ok ? TILE_OK : TILE_OUT_OF_MEMORY;
}

static TileStatus try_all(const Report *report, Tune *tune) {
  const size_t count = tune->num_candidates;
  TileKernelInfo *infos = arena_array(tune->arena, TileKernelInfo, count + 1);
  bool has_first = false;
  TileStatus status = TILE_OK;
  tune->total = 2 * count;
  tune->since = clock_seconds();
  for (size_t i = 0; !status && i < count; i++) {
    Candidate *c = &tune->candidates[i];
    status = read_hooks(report, tune, c);
    if (!status) status = prepare(tune, c, &infos[i]);
    status = step(tune, c, status);
  }
  if (status) return status;
  prune_spills(tune, infos);
  for (size_t i = 0; !status && i < count; i++) {
    Candidate *c = &tune->candidates[i];
    const bool works = c->result.verdict == TILE_TUNE_MEASURED;
    status = step(tune, c, works ? try_once(tune, c, &has_first) : TILE_OK);
  }
  return status;
}

// -- The result --------------------------------------------------------------

static int find_best(const Tune *tune) {
  int best = -1;
  for (size_t i = 0; i < tune->num_candidates; i++) {
    const TileTuneResult *r = &tune->candidates[i].result;
    if (r->verdict == TILE_TUNE_MEASURED &&
        (best < 0 || r->median < tune->candidates[best].result.median))
      best = (int)i;
  }
  return best;
}

static TileStatus no_best(const Report *report, const Tune *tune) {
  const TileTuneResult *first = &tune->candidates[0].result;
  return report_error(report, TILE_COMPILE_ERROR, ERROR_tune_none_works,
                      tune->launch.kernel->name, first->config, first->why);
}

static TileStatus take_results(const Report *report, Tune *tune,
                               TileTuning *out) {
  out->best = find_best(tune);
  out->num_results = tune->num_candidates;
  out->key = tune->alike.key;
  if (out->best < 0) return no_best(report, tune);
  out->results = arena_array(&out->arena, TileTuneResult, tune->num_candidates);
  for (size_t i = 0; i < tune->num_candidates; i++)
    out->results[i] = tune->candidates[i].result;
  return tune_keep(report, tune, &tune->candidates[out->best], &out->is_kept);
}

// -- All of it ---------------------------------------------------------------

static void make_configs(Tune *tune) {
  const Tuning *tuning = &tune->alike.tuning;
  for (size_t i = 0; i < tune->num_candidates; i++) {
    Candidate *c = &tune->candidates[i];
    c->result = (TileTuneResult){.config = tuning->configs[i], .why = ""};
    c->launch = tune->launch;
    c->launch.config = i ? (int)i : TILE_CONFIG_FIRST;
    if (tune->left_out[i])
      refuse(tune, c, TILE_TUNE_PRUNED, "%s", tune->left_out[i]);
  }
}

static void make_choice(Tune *tune, const TileTuneChoice *choice,
                        Candidate *c) {
  c->result = (TileTuneResult){
      .config = arena_strdup(tune->arena, choice->text ? choice->text : ""),
      .why = ""};
  c->launch = tune->launch;
  c->launch.constants = choice->constants;
  c->launch.num_constants = choice->num_constants;
  c->launch.config = TILE_CONFIG_FIRST;
  if (choice->num_warps) c->launch.num_warps = choice->num_warps;
  if (choice->num_stages) c->launch.num_stages = choice->num_stages;
}

static void make_candidates(Tune *tune) {
  const TileTuneOptions *options = &tune->options;
  tune->num_candidates = options->num_choices
                             ? options->num_choices
                             : (size_t)tune->alike.tuning.num_configs;
  tune->candidates =
      arena_array(tune->arena, Candidate, tune->num_candidates + 1);
  if (!options->num_choices) make_configs(tune);
  for (size_t i = 0; i < options->num_choices; i++)
    make_choice(tune, &options->choices[i], &tune->candidates[i]);
}

static bool has_constant(const TileConstant *all, size_t count,
                         const char *name) {
  size_t i = 0;
  while (i < count && strcmp(all[i].name, name)) i++;
  return i < count;
}

static void mark_varying(void *data) {
  Tune *tune = data;
  const TileKernel *kernel = tune->launch.kernel;
  tune->varies = arena_array(tune->arena, bool, kernel->num_params + 1);
  for (size_t i = 0; tune->options.num_choices && i < kernel->num_params; i++) {
    const char *name = kernel->params[i].name;
    tune->varies[i] =
        has_constant(tune->launch.constants, tune->launch.num_constants,
                     name) &&
        !has_constant(tune->own_constants, tune->num_own_constants, name);
  }
}

static void make_left_out(void *data) {
  Tune *tune = data;
  const int count = tune->alike.tuning.num_configs;
  tune->left_out = arena_array(tune->arena, const char *, count + 1);
}

static TileStatus prune(const Report *report, Tune *tune,
                        const TileKernel *kernel,
                        const Specialization *specialization) {
  if (!arena_protect(tune->arena, make_left_out, tune))
    return TILE_OUT_OF_MEMORY;
  return compile_prune(report, kernel->program->unit, kernel->function,
                       specialization, tune->arena, tune->left_out);
}

static TileStatus describe(void *data, const Report *report, TileKernel *kernel,
                           const Specialization *specialization) {
  Tune *tune = data;
  const bool has_choices = tune->options.num_choices > 0;
  if (!kernel->is_tuned && !has_choices)
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_tune_no_autotune,
                        kernel->name);
  if (!arena_protect(tune->arena, mark_varying, tune))
    return TILE_OUT_OF_MEMORY;
  const TileStatus status =
      choose_describe(report, tune->device, kernel, specialization->args,
                      tune->varies, tune->arena, &tune->alike);
  if (status || has_choices) return status;
  if (tune->alike.tuning.num_configs)
    return prune(report, tune, kernel, specialization);
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_tune_no_configs,
                      kernel->name);
}

typedef struct {
  const Report *report;
  Tune *tune;
  TileTuning *out;
  TileStatus status;
} TuneWork;

static void work_body(void *data) {
  TuneWork *work = data;
  Tune *tune = work->tune;
  TileDiagnostics **diagnostics = work->report->out;
  make_candidates(tune);
  TileStatus status = tune_buffers_read(&tune->launch, &tune->alike.tuning,
                                        tune->arena, &tune->buffers);
  if (!status) status = try_all(work->report, tune);
  if (!status && find_any(tune)) status = tune_measure(tune, diagnostics);
  if (!status) status = take_results(work->report, tune, work->out);
  work->status = status;
}

// In any case, the buffers are restored at the end.
static TileStatus work_protected(TuneWork *work) {
  const bool ok = arena_protect(work->tune->arena, work_body, work);
  const TileStatus restored = tune_buffers_restore(&work->tune->buffers);
  if (!ok) return TILE_OUT_OF_MEMORY;
  return work->status ? work->status : restored;
}

static TileStatus run_tune(const Report *report, Tune *tune, TileTuning *out) {
  TileDiagnostics **diagnostics = report->out;
  TuneWork work = {report, tune, out, TILE_OK};
  TileLaunch first = tune->launch;
  first.config = TILE_CONFIG_FIRST;
  tune->arena = &out->arena;
  TileStatus status =
      launch_specialize(tune->device, &first, describe, tune, diagnostics);
  if (!status)
    status = launch_timer_create(tune->device, &tune->timer, diagnostics);
  if (!status) status = work_protected(&work);
  launch_timer_destroy(&tune->timer);
  return status;
}

static TileStatus create(const Report *report, Tune *tune, TileTuning **out) {
  TileTuning *tuning = report->from->alloc(report->from->ctx, sizeof *tuning);
  if (!tuning) return TILE_OUT_OF_MEMORY;
  *tuning = (TileTuning){.from = *report->from};
  arena_init(&tuning->arena, &tuning->from);
  const TileStatus status = run_tune(report, tune, tuning);
  if (status)
    tile_tuning_destroy(tuning);
  else
    *out = tuning;
  return status;
}

// All choices have the same constants; their names are taken from the first.
static TileStatus take_choices(const Report *report, Tune *tune) {
  const TileTuneChoice *first = tune->options.choices;
  if (!first)
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        "options->choices");
  tune->own_constants = tune->launch.constants;
  tune->num_own_constants = tune->launch.num_constants;
  tune->launch.constants = first->constants;
  tune->launch.num_constants = first->num_constants;
  return TILE_OK;
}

TileStatus tile_tune(TileDevice *device, const TileLaunch *launch,
                     const TileTuneOptions *options, TileTuning **out,
                     TileDiagnostics **diagnostics) {
  static const TileTuneOptions defaults = {.size = sizeof defaults};
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  if (!launch || !out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        out ? "launch" : "out");
  Tune tune = {.device = device};
  TileStatus status = sized_read(&report, &sized_launch, launch, &tune.launch);
  if (!status)
    status = sized_read(&report, &sized_tune_options,
                        options ? options : &defaults, &tune.options);
  if (!status && tune.options.num_choices)
    status = take_choices(&report, &tune);
  return status ? status : create(&report, &tune, out);
}

void tile_tuning_destroy(TileTuning *tuning) {
  if (!tuning) return;
  const Allocator from = tuning->from;
  arena_free(&tuning->arena);
  from.free(from.ctx, tuning);
}

size_t tile_tuning_num_results(const TileTuning *tuning) {
  return tuning ? tuning->num_results : 0;
}

TileTuneResult tile_tuning_result(const TileTuning *tuning, size_t index) {
  if (index < tile_tuning_num_results(tuning)) return tuning->results[index];
  return (TileTuneResult){.config = "", .why = ""};
}

int tile_tuning_best(const TileTuning *tuning) {
  return tuning ? tuning->best : 0;
}

const char *tile_tuning_key(const TileTuning *tuning) {
  return tuning ? tuning->key : "";
}

bool tuning_is_kept(const TileTuning *tuning) {
  return tuning->is_kept;
}
