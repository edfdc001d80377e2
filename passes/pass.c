// pass.c -- the table of passes, and running a list of them.
//
// The list is expanded and every name in it checked before any pass runs.
#include "passes/pass.h"

#include "ir/text.h"
#include "ir/verify.h"
#include "passes/errors.h"
#include "passes/facts.h"
#include "passes/pipeline/fewer_stages.h"
#include "passes/trial.h"

#include <assert.h>
#include <string.h>
#include <time.h>

enum { MAX_PIPELINE_DEPTH = 8 }; // pipelines within pipelines

const Pass pass_table[] = {
#define PASS(name, requires, provides, breaks, wants, summary)                 \
  {#name, pass_##name, requires, provides, breaks, wants, summary},
#include "passes/passes.def"
};
const int pass_count = sizeof pass_table / sizeof pass_table[0];

const Pipeline pipeline_table[] = {
#define PIPELINE(name, text, summary) {#name, text, summary},
#include "passes/pipelines.def"
};
const int pipeline_count = sizeof pipeline_table / sizeof pipeline_table[0];

static bool is_named(const char *name, const char *text, size_t length) {
  return strlen(name) == length && !memcmp(name, text, length);
}

const Pass *pass_find(const char *name, size_t length) {
  for (int i = 0; i < pass_count; i++) {
    if (is_named(pass_table[i].name, name, length)) return &pass_table[i];
  }
  return NULL;
}

static const Pipeline *pipeline_find(const char *name, size_t length) {
  for (int i = 0; i < pipeline_count; i++) {
    if (is_named(pipeline_table[i].name, name, length)) {
      return &pipeline_table[i];
    }
  }
  return NULL;
}

// -- Lists of passes ---------------------------------------------------------

typedef Vec(const Pass *) PassList;

static bool unknown_pass(DiagList *diags, const char *name, size_t length) {
  Str known = str_in(diags->arena);
  for (int i = 0; i < pass_count; i++) {
    str_addf(&known, "%s%s", i ? ", " : "", pass_table[i].name);
  }
  str_add(&known, "; pipelines: ");
  for (int i = 0; i < pipeline_count; i++) {
    str_addf(&known, "%s%s", i ? ", " : "", pipeline_table[i].name);
  }
  return diag_error(diags, (SrcLoc){0}, ERROR_unknown_pass, (int)length, name,
                    str_text(&known));
}

// The next item of a comma-separated list, without blanks around it.
static bool next_item(const char **text, const char **item, size_t *length) {
  const char *at = *text + strspn(*text, ", \t\n");
  *item = at;
  *length = strcspn(at, ", \t\n");
  *text = at + *length;
  return *length > 0;
}

static bool expand(DiagList *diags, const char *text, int depth,
                   PassList *list) {
  const char *item;
  size_t length;
  while (next_item(&text, &item, &length)) {
    const Pass *pass = pass_find(item, length);
    const Pipeline *nested = pass ? NULL : pipeline_find(item, length);
    if (pass) {
      vec_push(diags->arena, list, pass);
    } else if (!nested || depth >= MAX_PIPELINE_DEPTH) {
      return unknown_pass(diags, item, length);
    } else if (!expand(diags, nested->text, depth + 1, list)) {
      return false;
    }
  }
  return true;
}

static bool is_listed(const char *names, const char *name) {
  const char *item;
  size_t length;
  while (names && next_item(&names, &item, &length)) {
    if (is_named(name, item, length) || is_named("*", item, length)) {
      return true;
    }
  }
  return false;
}

// Are all of `names` names of passes?
static bool check_names(DiagList *diags, const char *names) {
  const char *item;
  size_t length;
  while (names && next_item(&names, &item, &length)) {
    if (is_named("*", item, length) || pass_find(item, length)) continue;
    return unknown_pass(diags, item, length);
  }
  return true;
}

static bool check_options(DiagList *diags, const PassOptions *options) {
  return check_names(diags, options->print_before) &&
         check_names(diags, options->print_after) &&
         check_names(diags, options->stop_after) &&
         check_names(diags, options->disable);
}

bool passes_check(DiagList *diags, const char *pipeline,
                  const PassOptions *options) {
  PassList list = {0};
  return expand(diags, pipeline, 0, &list) &&
         (!options || check_options(diags, options));
}

// -- Running -----------------------------------------------------------------

typedef struct {
  Module *m;
  const Target *target;
  const PassOptions *options;
  Trial *trial;      // of interp_each; else NULL
  const char *input; // text of the module before the pass, if needed
  unsigned holding;  // facts that passes have provided and none has broken
} PassRun;

// Is the IR verified after each pass?  Always in a debug build.
static bool checks_each(const PassRun *run) {
#ifdef NDEBUG
  return run->options->verify_each || run->trial;
#else
  (void)run;
  return true;
#endif
}

static const char *module_text(const Module *m) {
  Str text = str_in(m->arena);
  module_print(m, NULL, &text);
  return str_text(&text);
}

static void log_text(const PassRun *run, const char *what, const Pass *pass,
                     const char *text) {
  const PassOptions *options = run->options;
  if (!options->log) return;
  options->log(options->log_ctx, arena_printf(run->m->arena, "// %s %s\n%s\n",
                                              what, pass->name, text));
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *provider_of(unsigned facts) {
  for (int i = 0; i < pass_count; i++) {
    if (pass_table[i].provides & facts) return pass_table[i].name;
  }
  return "(no pass)";
}

static bool check_required(const PassRun *run, const Pass *pass) {
  const unsigned missing = facts_missing(run->m, pass->requires, run->target);
  if (!missing) return true;
  const unsigned first = missing & (~missing + 1);
  return diag_error(run->m->diags, (SrcLoc){0}, ERROR_pass_needs, pass->name,
                    fact_name((Fact)first), provider_of(first));
}

// A bug of the compiler: the log gets the input of the pass, so that it can
// become a test.
static bool fail(const PassRun *run, const Pass *pass, const char *why) {
  assert((run->input || (!run->options->verify_each && !run->trial)) &&
         "the input was not kept"); // I3
  if (run->input) log_text(run, "this input fails in", pass, run->input);
  return diag_bug(run->m->diags, (SrcLoc){0}, "after pass '%s' %s", pass->name,
                  why);
}

// Facts that earlier passes have provided must be true, unless this pass breaks
// them; tested only if the IR is verified after each pass.
static bool check_facts(PassRun *run, const Pass *pass) {
  run->holding = (run->holding & ~pass->breaks) | pass->provides;
  const unsigned facts = checks_each(run) ? run->holding : pass->provides;
  const unsigned missing = facts_missing(run->m, facts, run->target);
  if (!missing) return true;
  const char *what = fact_name((Fact)(missing & (~missing + 1)));
  return fail(run, pass,
              arena_printf(run->m->arena, "this does not hold: %s", what));
}

static bool check_result(PassRun *run, const Pass *pass) {
  if (!check_facts(run, pass)) return false;
  if (checks_each(run) && !module_verify(run->m)) {
    return fail(run, pass, "the IR is malformed");
  }
  const char *changed = run->trial ? trial_compare(run->trial) : NULL;
  return !changed || fail(run, pass, changed);
}

static bool run_pass(PassRun *run, const Pass *pass) {
  assert(pass >= pass_table && pass < pass_table + pass_count); // I1
  const PassOptions *options = run->options;
  if (!check_required(run, pass)) return false;
  const bool print = is_listed(options->print_before, pass->name);
  const bool keep = print || options->verify_each || run->trial;
  run->input = keep ? module_text(run->m) : NULL;
  if (print) log_text(run, "before", pass, run->input);
  const double start = seconds_now();
  if (!pass->run(run->m, run->target)) {
    assert(diag_failed(run->m->diags) &&
           "a pass failed and says not why"); // I2
    return false;
  }
  if (options->timed) {
    options->timed(options->timed_ctx, pass->name, seconds_now() - start);
  }
  if (is_listed(options->print_after, pass->name)) {
    log_text(run, "after", pass, module_text(run->m));
  }
  return check_result(run, pass);
}

static Trial *start_trial(const PassRun *run) {
  Trial *trial = trial_create(run->m, run->options->seed);
  const int untried = trial_num_untried(trial);
  if (untried) {
    diag_remark(run->m->diags, (SrcLoc){0}, REMARK_untried_kernels, untried);
  }
  return trial;
}

// The ways back, if shared memory does not suffice, in the order in which they
// are tried.
enum { WAY_PROGRAMS, WAY_STAGES, WAY_ROLES, WAY_MAPS, NUM_WAYS };
static const struct {
  bool (*pass)(Module *m, const Target *target);
  void (*keep)(Module *m, KeptModule *out);
  bool (*drop)(Module *m, const KeptModule *before, const Target *target);
  bool behind; // the run goes on behind the pass, which has no effect then
} ways_back[NUM_WAYS] = {
    [WAY_PROGRAMS] = {pass_persist_programs, module_keep, shared_blocks_drop,
                      true},
    [WAY_STAGES] = {pass_pipeline_loops, stages_keep, stages_lower, false},
    [WAY_ROLES] = {pass_warp_specialize, module_keep, roles_drop, true},
    [WAY_MAPS] = {pass_tensor_maps, module_keep, maps_drop, true},
};

// For each way: the index of its pass in the list, and the module in front of
// it.  An index of `none` says that the way is not open.
typedef struct {
  size_t at[NUM_WAYS], none;
  KeptModule before[NUM_WAYS];
} WaysBack;

// A way to a pass itself is kept once: its passes run again with fewer stages.
static void keep(PassRun *run, WaysBack *ways, const Pass *pass, size_t i) {
  for (int w = 0; w < NUM_WAYS; w++) {
    if (pass->run != ways_back[w].pass) continue;
    if (!ways_back[w].behind && i == ways->at[w]) continue;
    ways_back[w].keep(run->m, &ways->before[w]);
    ways->at[w] = i;
  }
}

// Can the way be taken after the pass?  Only the places of buffers show that
// fewer stages would fit.
static bool is_open(const WaysBack *ways, int way, const Pass *pass) {
  return ways->at[way] != ways->none &&
         (way != WAY_STAGES || pass->run == pass_alloc_shared);
}

// Goes back after pass `*i` failed for lack of shared memory.  A way behind a
// pass is taken once.  False if no way is left.
static bool go_back(PassRun *run, WaysBack *ways, const PassList *list,
                    size_t *i) {
  const Pass *pass = list->items[*i];
  if (pass->run != pass_alloc_shared && pass->run != pass_pipeline_loops)
    return false;
  for (int w = 0; w < NUM_WAYS; w++) {
    if (!is_open(ways, w, pass) ||
        !ways_back[w].drop(run->m, &ways->before[w], run->target))
      continue;
    assert(ways->at[w] < *i && "the way back is forward"); // I4
    *i = ways->at[w] + ways_back[w].behind;
    if (ways_back[w].behind) ways->at[w] = ways->at[WAY_STAGES] = ways->none;
    return true;
  }
  return false;
}

static bool run_list(PassRun *run, const PassList *list) {
  const PassOptions *options = run->options;
  WaysBack ways = {.none = list->count};
  for (int w = 0; w < NUM_WAYS; w++) ways.at[w] = ways.none;
  for (size_t i = 0; i < list->count;) {
    const Pass *pass = list->items[i];
    const bool disabled = is_listed(options->disable, pass->name);
    if (!disabled) keep(run, &ways, pass, i);
    if (disabled || run_pass(run, pass)) {
      if (!disabled && is_listed(options->stop_after, pass->name)) break;
      i++;
    } else if (!go_back(run, &ways, list, &i)) {
      return false;
    } else if (checks_each(run)) {
      run->holding &= ~facts_missing(run->m, ALL_FACTS, run->target);
    }
  }
  return true;
}

bool passes_run(Module *m, const Target *target, const char *pipeline,
                const PassOptions *options) {
  static const PassOptions defaults = {0};
  if (!options) options = &defaults;
  PassList list = {0};
  if (!expand(m->diags, pipeline, 0, &list)) return false;
  if (!check_options(m->diags, options)) return false;
  for (Function *f = m->functions; f && options->overlap; f = f->next)
    function_set_attr(f, (Attr){.key = ATTR_overlap, .as.i = true});
  PassRun run = {.m = m, .target = target, .options = options};
  if (options->interp_each) run.trial = start_trial(&run);
  return run_list(&run, &list);
}
