// options.c -- the effect of each option of tilec.
#include "ir/base/base.h"
#include "ir/op.h"
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// -- Values ------------------------------------------------------------------

static int refuse(Tool *tool, const char *option, const char *value,
                  const char *wanted) {
  return tool_fail(tool, EXIT_USAGE, ERROR_bad_value,
                   option_with_dashes(tool, option), wanted, value);
}

// Refuses an unknown name, and suggests the nearest one, or all.
static int refuse_name(Tool *tool, const char *option, const char *name,
                       const char *const *names, size_t count) {
  const char *near = diag_nearest(name, names, count);
  if (near)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_such_value_near, option, name,
                     near);
  Str all = str_in(&tool->arena);
  for (size_t i = 0; i < count; i++)
    str_addf(&all, "%s%s", i ? ", " : "", names[i]);
  return tool_fail(tool, EXIT_USAGE, ERROR_no_such_value, option, name,
                   str_text(&all));
}

static int read_int(Tool *tool, const char *option, const char *value, int min,
                    int max, int *out) {
  char *end;
  errno = 0;
  const long number = strtol(value, &end, 10);
  if (end == value || *end || errno || number < min || number > max)
    return tool_fail(tool, EXIT_USAGE, ERROR_bad_number, option, min, max,
                     value);
  *out = (int)number;
  return EXIT_FINE;
}

static int read_seed(Tool *tool, const char *value) {
  char *end;
  errno = 0;
  tool->options.seed = strtoull(value, &end, 0);
  if (end == value || *end || errno || *value == '-')
    return refuse(tool, "seed", value, "a number");
  return EXIT_FINE;
}

static int read_tolerance(Tool *tool, const char *value) {
  char *end;
  const double number = strtod(value, &end);
  if (end == value || *end || !(number >= 0))
    return refuse(tool, "tolerance", value, "a number that is not negative");
  tool->options.tolerance = number;
  return EXIT_FINE;
}

static int set_true(bool *flag) {
  *flag = true;
  return EXIT_FINE;
}

static int read_pair(Tool *tool, const char *option, const char *value,
                     NameValues *out) {
  const char *equals = strchr(value, '=');
  if (!equals || equals == value || !equals[1])
    return refuse(tool, option, value, "NAME=VALUE");
  const NameValue pair = {
      arena_strndup(&tool->arena, value, (size_t)(equals - value)), equals + 1};
  vec_push(&tool->arena, out, pair);
  return EXIT_FINE;
}

static int add_text(Tool *tool, const char *value, Texts *out) {
  vec_push(&tool->arena, out, value);
  return EXIT_FINE;
}

// Reads a value that each name may have only once.
static int read_only_pair(Tool *tool, const char *option, const char *value,
                          NameValues *out) {
  const int code = read_pair(tool, option, value, out);
  if (code) return code;
  const char *name = out->items[out->count - 1].name;
  for (size_t i = 0; i + 1 < out->count; i++) {
    if (!strcmp(out->items[i].name, name))
      return tool_fail(tool, EXIT_USAGE, ERROR_option_twice,
                       option_with_dashes(tool, option), name);
  }
  return EXIT_FINE;
}

static int read_warps(Tool *tool, const char *value) {
  for (int n = 1; n <= 32; n *= 2) {
    char text[12];
    snprintf(text, sizeof text, "%d", n);
    tool->options.num_warps = n;
    if (!strcmp(text, value)) return EXIT_FINE;
  }
  return refuse(tool, "num-warps", value, "1, 2, 4, 8, 16 or 32");
}

static int read_stages(Tool *tool, const char *given) {
  const char *value = strcmp(given, "0") ? given : "1"; // as in a Config
  return read_int(tool, "num-stages", value, 1, 16, &tool->options.num_stages);
}

static int read_ctas(Tool *tool, const char *value) {
  for (int n = 1; n <= MAX_CLUSTER; n *= 2) {
    tool->options.num_ctas = n;
    if (value[0] == '0' + n && !value[1]) return EXIT_FINE;
  }
  return refuse(tool, "num-ctas", value, "1, 2, 4 or 8");
}

static int refuse_target(Tool *tool, const char *name) {
  const char **names = arena_array(&tool->arena, const char *, target_count);
  for (int i = 0; i < target_count; i++) names[i] = target_table[i].name;
  return refuse_name(tool, "target", name, names, (size_t)target_count);
}

static int read_targets(Tool *tool, const char *value) {
  for (const char *at = value;; at++) {
    const size_t length = strcspn(at, ",");
    const char *name = arena_strndup(&tool->arena, at, length);
    if (!*name) return refuse(tool, "target", value, "names between commas");
    if (!target_find(name)) return refuse_target(tool, name);
    vec_push(&tool->arena, &tool->options.targets, name);
    at += length;
    if (!*at) return EXIT_FINE;
  }
}

static int set_text(const char **out, const char *value) {
  *out = value;
  return EXIT_FINE;
}

static int read_cpu(Tool *tool, const char *value) {
  // PACK reads it as a list.
  if (tool->options.command == PACK)
    return set_text(&tool->options.host_cpu, value);
  tool->options.host_cpu = value;
  if (!strcmp(value, "native") || codegen_has_host_cpu(value)) return EXIT_FINE;
  return refuse(
      tool, "cpu", value,
      arena_printf(&tool->arena, "one of %s", codegen_host_cpu_names()));
}

static int read_tier(Tool *tool, const char *value) {
  TileTier *tier = &tool->options.tier;
  const bool launches = tool->options.command & LAUNCH;
  *tier = TILE_TIER_QUICK;
  if (!strcmp(value, "0")) return EXIT_FINE;
  *tier = TILE_TIER_FULL;
  if (!strcmp(value, "1")) return EXIT_FINE;
  *tier = TILE_TIER_AUTO;
  if (launches && !strcmp(value, "auto")) return EXIT_FINE;
  return refuse(tool, "tier", value, launches ? "0, 1 or auto" : "0 or 1");
}

// "8.3" is 83.
static int read_ptx_version(Tool *tool, const char *value) {
  int *version = &tool->options.ptx_version;
  for (*version = 0; *version <= CODEGEN_MAX_PTX; ++*version) {
    char text[16];
    snprintf(text, sizeof text, "%d.%d", *version / 10, *version % 10);
    if (*version >= 10 && !strcmp(text, value)) return EXIT_FINE;
  }
  return refuse(tool, "ptx-version", value, "a version such as 8.3, up to 8.5");
}

static int read_config(Tool *tool, const char *value) {
  Options *o = &tool->options;
  o->configs = value;
  if (o->command == BENCH) return EXIT_FINE;
  o->best = !strcmp(value, "best");
  if (o->best && o->command == COMPILE)
    return refuse(tool, "config", value, "a number: no launch tells which");
  return o->best ? EXIT_FINE
                 : read_int(tool, "config", value, 0, 1000000, &o->config);
}

static int read_triton(Tool *tool, const char *value) {
  tool->options.triton = frontend_find_release(value);
  if (tool->options.triton) return EXIT_FINE;
  return refuse(tool, "triton", value, frontend_releases(&tool->arena));
}

int options_wish(const char *value) {
  static const char *const words[] = {"never", "auto", "always"};
  for (int i = 0; i < 3; i++)
    if (!strcmp(value, words[i])) return i - 1;
  return INT_MIN;
}

static int read_persist(Tool *tool, const char *value) {
  tool->options.persist = options_wish(value);
  if (tool->options.persist >= -1) return EXIT_FINE;
  return refuse(tool, "persist", value, "auto, always or never");
}

static int read_color(Tool *tool, const char *value) {
  if (!strcmp(value, "auto")) return EXIT_FINE;
  tool->options.color = !strcmp(value, "always");
  if (tool->options.color || !strcmp(value, "never")) return EXIT_FINE;
  return refuse(tool, "color", value, "auto, always or never");
}

static int read_form(Tool *tool, const char *option, const char *value,
                     Telling *out) {
  const bool json = value && !strcmp(value, "json");
  *out = json ? AS_JSON : AS_TEXT;
  if (!value || json || !strcmp(value, "text")) return EXIT_FINE;
  return refuse(tool, option, value, "text or json");
}

static int read_format(Tool *tool, const char *value) {
  Telling form;
  const int code = read_form(tool, "diagnostics-format", value, &form);
  tool->options.json = form == AS_JSON;
  return code;
}

// "N", "json", or both.
static int read_time(Tool *tool, const char *value) {
  Options *options = &tool->options;
  options->num_timed = 20;
  options->time_json = value && !strcmp(value, "json");
  if (!value || options->time_json) return EXIT_FINE;
  const size_t length = strcspn(value, ",");
  options->time_json = !strcmp(value + length, ",json");
  if (options->time_json) value = arena_strndup(&tool->arena, value, length);
  return read_int(tool, "time", value, 1, 1000000, &options->num_timed);
}

static int read_emit(Tool *tool, const char *value) {
  static const char *const kinds[] = {
#define OUTPUT(name, ...) #name,
#include "runtime/tools/outputs.def"
  };
  tool->options.emit = value;
  if (names_have(kinds, sizeof kinds / sizeof *kinds, value)) return EXIT_FINE;
  return refuse_name(tool, "emit", value, kinds, sizeof kinds / sizeof *kinds);
}

static int refuse_pass(Tool *tool, const char *option, const char *name,
                       const char *more) {
  const char **names = arena_array(&tool->arena, const char *, pass_count + 1);
  for (int i = 0; i < pass_count; i++) names[i] = pass_table[i].name;
  names[pass_count] = more;
  return refuse_name(tool, option, name, names,
                     (size_t)pass_count + (more != NULL));
}

// Names of passes between commas, or `more`, which may be NULL.
static int read_passes(Tool *tool, const char *option, const char *value,
                       const char *more, const char **out) {
  *out = value;
  if (more && !strcmp(value, more)) return EXIT_FINE;
  for (const char *at = value; *at;) {
    const size_t length = strcspn(at, ",");
    const char *name = arena_strndup(&tool->arena, at, length);
    if (!pass_find(name, length)) return refuse_pass(tool, option, name, more);
    at += length + (at[length] == ',');
  }
  return *value ? EXIT_FINE : refuse(tool, option, value, "names of passes");
}

static int read_pass(Tool *tool, const char *option, const char *value,
                     const char *more, const char **out) {
  if (strchr(value, ',')) return refuse(tool, option, value, "one pass");
  return read_passes(tool, option, value, more, out);
}

static int apply_to_passes(Tool *tool, int id, const char *value) {
  PassOptions *passes = &tool->options.passes;
  switch (id) {
  case OPTION_PRINT_BEFORE:
    return read_passes(tool, "print-before", value, "*", &passes->print_before);
  case OPTION_PRINT_AFTER:
    return read_passes(tool, "print-after", value, "*", &passes->print_after);
  case OPTION_STOP_AFTER:
    return read_pass(tool, "stop-after", value, "frontend",
                     &passes->stop_after);
  case OPTION_DISABLE_PASS:
    return read_passes(tool, "disable-pass", value, NULL, &passes->disable);
  case OPTION_VERIFY_EACH: return set_true(&passes->verify_each);
  default: return EXIT_USAGE;
  }
}

// Options of `tilec tune` and `tilec bench`.
static int apply_to_measuring(Tool *tool, int id, const char *value) {
  Options *o = &tool->options;
  switch (id) {
  case OPTION_ROUNDS:
    return read_int(tool, "rounds", value, 1, 1000000, &o->num_rounds);
  case OPTION_TRY: return read_only_pair(tool, "try", value, &o->tries);
  case OPTION_WHERE: return add_text(tool, value, &o->rules);
  case OPTION_MERGE: return add_text(tool, value, &o->merges);
  case OPTION_SWEEP: return read_only_pair(tool, "sweep", value, &o->sweeps);
  case OPTION_BYTES: return set_text(&o->bytes, value);
  case OPTION_FLOPS: return set_text(&o->flops, value);
  case OPTION_REPORT: return set_text(&o->report, value ? value : "");
  case OPTION_COUNT: return set_true(&o->counts);
  case OPTION_PEER: return read_only_pair(tool, "peer", value, &o->peers);
  case OPTION_COMPARE: return set_text(&o->compare, value);
  case OPTION_JSON: return set_text(&o->json_file, value);
  case OPTION_CSV: return set_text(&o->csv_file, value);
  case OPTION_PLOT: return set_text(&o->plot_file, value);
  case OPTION_TUNED: return set_text(&o->tuned, value);
  default: return apply_to_passes(tool, id, value);
  }
}

// Options of `tilec pack`.
static int apply_to_packs(Tool *tool, int id, const char *value) {
  Options *o = &tool->options;
  switch (id) {
  case OPTION_VARIANTS: return set_text(&o->variants, value);
  case OPTION_RECORD: return set_text(&o->record, value);
  case OPTION_HEADER: return set_text(&o->header, value);
  case OPTION_CUBIN: return set_true(&o->has_cubins);
  default: return apply_to_measuring(tool, id, value);
  }
}

bool options_have_target(const Options *options, bool is_gpu) {
  if (!options->targets.count) return !is_gpu;
  for (size_t i = 0; i < options->targets.count; i++)
    if (target_find(options->targets.items[i])->is_gpu == is_gpu) return true;
  return false;
}

// One line for each option; long because there are many.
int option_apply(Tool *tool, int id, const char *value) {
  Options *o = &tool->options;
  switch (id) {
  case OPTION_KERNEL: return set_text(&o->kernel, value);
  case OPTION_SIGNATURE: return set_text(&o->signature, value);
  case OPTION_DEFINE: return read_only_pair(tool, o->name, value, &o->defines);
  case OPTION_NUM_WARPS: return read_warps(tool, value);
  case OPTION_NUM_STAGES: return read_stages(tool, value);
  case OPTION_NUM_CTAS: return read_ctas(tool, value);
  case OPTION_CONFIG: return read_config(tool, value);
  case OPTION_PERSIST: return read_persist(tool, value);
  case OPTION_TRITON: return read_triton(tool, value);
  case OPTION_NO_FP_FUSION: return set_true(&o->no_fp_fusion);
  case OPTION_NO_HOOKS: return set_true(&o->no_hooks);
  case OPTION_DEBUG: return set_true(&o->debug);
  case OPTION_INCLUDE: return add_text(tool, value, &o->include_paths);
  case OPTION_OUTPUT: return set_text(&o->output, value);
  case OPTION_EMIT: return read_emit(tool, value);
  case OPTION_TARGET: return read_targets(tool, value);
  case OPTION_CPU: return read_cpu(tool, value);
  case OPTION_TIER: return read_tier(tool, value);
  case OPTION_PTX_VERSION: return read_ptx_version(tool, value);
  case OPTION_MAXNREG:
    return read_int(tool, "maxnreg", value, 1, 1000000, &o->maxnreg);
  case OPTION_LINE_INFO: return set_true(&o->line_info);
  case OPTION_SAVE_TEMPS: return set_true(&o->save_temps);
  case OPTION_DEPENDENCIES: return set_true(&o->dependencies);
  case OPTION_DEPENDENCY_FILE: return set_text(&o->dependency_file, value);
  case OPTION_DEPENDENCY_TARGET: return set_text(&o->dependency_target, value);
  case OPTION_DEVICE: return set_text(&o->device, value);
  case OPTION_GRID: return set_text(&o->grid, value);
  case OPTION_ARG: return read_only_pair(tool, "arg", value, &o->args);
  case OPTION_LAUNCH_PDL: return set_true(&o->launch_pdl);
  case OPTION_SEED: return read_seed(tool, value);
  case OPTION_SAVE: return read_pair(tool, "save", value, &o->saves);
  case OPTION_PRINT: return add_text(tool, value, &o->prints);
  case OPTION_REFERENCE:
    return read_pair(tool, "reference", value, &o->references);
  case OPTION_TOLERANCE: return read_tolerance(tool, value);
  case OPTION_REQUIRE_WRITTEN: return set_true(&o->require_written);
  case OPTION_TIME: return read_time(tool, value);
  case OPTION_STATS: return read_form(tool, "stats", value, &o->stats);
  case OPTION_CACHE_DIR: return set_text(&o->cache_dir, value);
  case OPTION_CACHE_SIZE: return cache_read_size(tool, "--cache-size", value);
  case OPTION_FORMAT: return read_format(tool, value);
  case OPTION_COLOR: return read_color(tool, value);
  case OPTION_WERROR: return set_true(&o->werror);
  case OPTION_ERROR_LIMIT:
    return read_int(tool, "error-limit", value, 1, 1000000, &o->error_limit);
  case OPTION_VERBOSE: return set_true(&o->verbose);
  case OPTION_TIME_PASSES: return set_true(&o->time_passes);
  case OPTION_RESOURCES:
    return read_form(tool, "resource-usage", value, &o->resource_usage);
  case OPTION_PRINT_TARGETS:
    return read_form(tool, "print-targets", value, &o->print_targets);
  case OPTION_HELP: return set_true(&o->help);
  case OPTION_VERSION: return set_true(&o->version);
  default: return apply_to_packs(tool, id, value);
  }
}

int option_usual_cpu(Tool *tool) {
  const Options *o = &tool->options;
  const char *cpu = getenv("TILE_CPU"), *tier = getenv("TILE_CPU_TIER");
  if (!options_have_target(o, false)) return EXIT_FINE;
  int code = EXIT_FINE;
  if (!o->host_cpu && cpu && *cpu) code = option_apply(tool, OPTION_CPU, cpu);
  const bool asks = tier && *tier && strcmp(tier, "auto");
  if (!code && asks && o->tier == TILE_TIER_USUAL)
    code = option_apply(tool, OPTION_TIER, tier);
  return code;
}
