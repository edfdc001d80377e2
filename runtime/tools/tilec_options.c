// tilec_options.c -- from argv to Options.
#include "ir/base/base.h"
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  FIRST_ID = 255,
#define OPTION(id, ...) OPTION_##id,
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
} OptionId;

#define NO  no_argument
#define YES required_argument
#define OPT optional_argument

static const struct option long_options[] = {
#define OPTION(id, name, argument, commands, shown, help)                      \
  {name, argument, NULL, OPTION_##id},
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
    {NULL, 0, NULL, 0},
};

enum { NUM_OPTIONS = sizeof long_options / sizeof *long_options - 1 };

static const Commands option_commands[] = {
#define OPTION(id, name, argument, commands, shown, help) commands,
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
};

// Words with one dash; those at the front take no value.
static const char *const words[] = {"-MD", "-Werror", "-lineinfo", "-MF",
                                    "-MT"};
enum { NUM_WORDS = sizeof words / sizeof *words, NUM_FLAGS = 3 };

// The option `name` as it is to be written.
static const char *with_dashes(Tool *tool, const char *name) {
  for (int i = 0; i < NUM_WORDS; i++)
    if (!strcmp(words[i] + 1, name)) return words[i];
  return arena_printf(&tool->arena, name[1] ? "--%s" : "-%s", name);
}

// -- Values ------------------------------------------------------------------

static int refuse(Tool *tool, const char *option, const char *value,
                  const char *wanted) {
  return tool_fail(tool, EXIT_USAGE, ERROR_bad_value, with_dashes(tool, option),
                   wanted, value);
}

// One of several names: the nearest, or all.
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

// For values of which a name has one.
static int read_only_pair(Tool *tool, const char *option, const char *value,
                          NameValues *out) {
  const int code = read_pair(tool, option, value, out);
  if (code) return code;
  const char *name = out->items[out->count - 1].name;
  for (size_t i = 0; i + 1 < out->count; i++) {
    if (!strcmp(out->items[i].name, name))
      return tool_fail(tool, EXIT_USAGE, ERROR_option_twice,
                       with_dashes(tool, option), name);
  }
  return EXIT_FINE;
}

static int read_warps(Tool *tool, const char *value) {
  static const char *const counts[] = {"1", "2", "4", "8", "16", "32"};
  for (int i = 0; i < 6; i++) {
    tool->options.num_warps = 1 << i;
    if (!strcmp(counts[i], value)) return EXIT_FINE;
  }
  return refuse(tool, "num-warps", value, "1, 2, 4, 8, 16 or 32");
}

static int read_stages(Tool *tool, const char *given) {
  const char *value = strcmp(given, "0") ? given : "1"; // as in a Config
  return read_int(tool, "num-stages", value, 1, 16, &tool->options.num_stages);
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
  // A list, which the command reads.
  if (tool->options.command == PACK)
    return set_text(&tool->options.host_cpu, value);
  const bool native = !strcmp(value, "native");
  tool->options.host_cpu = native ? NULL : value;
  if (native || codegen_has_host_cpu(value)) return EXIT_FINE;
  return refuse(tool, "cpu", value,
                "native or, on such a machine, x86-64, x86-64-v2, -v3 or -v4");
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

static int read_triton(Tool *tool, const char *value) {
  tool->options.triton = frontend_find_release(value);
  if (tool->options.triton) return EXIT_FINE;
  return refuse(tool, "triton", value, frontend_releases(&tool->arena));
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

// One line an option; long because there are many.
static int apply(Tool *tool, int id, const char *value) {
  Options *o = &tool->options;
  switch (id) {
  case OPTION_KERNEL: return set_text(&o->kernel, value);
  case OPTION_SIGNATURE: return set_text(&o->signature, value);
  case OPTION_DEFINE: return read_only_pair(tool, o->name, value, &o->defines);
  case OPTION_NUM_WARPS: return read_warps(tool, value);
  case OPTION_NUM_STAGES: return read_stages(tool, value);
  case OPTION_CONFIG:
    return read_int(tool, "config", value, 0, 1000000, &o->config);
  case OPTION_TRITON: return read_triton(tool, value);
  case OPTION_NO_FP_FUSION: return set_true(&o->no_fp_fusion);
  case OPTION_DEBUG: return set_true(&o->debug);
  case OPTION_INCLUDE: return add_text(tool, value, &o->include_paths);
  case OPTION_OUTPUT: return set_text(&o->output, value);
  case OPTION_EMIT: return read_emit(tool, value);
  case OPTION_TARGET: return read_targets(tool, value);
  case OPTION_CPU: return read_cpu(tool, value);
  case OPTION_PTX_VERSION: return read_ptx_version(tool, value);
  case OPTION_MAXNREG:
    return read_int(tool, "maxnreg", value, 1, 1000000, &o->maxnreg);
  case OPTION_LINE_INFO: return set_true(&o->line_info);
  case OPTION_VARIANTS: return set_text(&o->variants, value);
  case OPTION_HEADER: return set_text(&o->header, value);
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
  default: return apply_to_passes(tool, id, value);
  }
}

// -- argv --------------------------------------------------------------------

// getopt_long knows one dash for one letter: "-MD" becomes "--MD".
static char *with_two_dashes(Tool *tool, char *argument) {
  for (int i = 0; i < NUM_WORDS; i++) {
    const size_t length = strlen(words[i]);
    if (strncmp(argument, words[i], length)) continue;
    const char *rest = argument + length;
    if (*rest && i < NUM_FLAGS) continue; // these take no value
    return arena_printf(&tool->arena, *rest ? "-%s=%s" : "-%s%s", words[i],
                        rest);
  }
  return argument;
}

static bool is_long_option(const char *name) {
  for (int i = 0; i < NUM_OPTIONS; i++) {
    if (!strcmp(long_options[i].name, name)) return true;
  }
  return false;
}

// The option of this command that `name` is nearly, or NULL.
static const char *nearest_option(const Tool *tool, const char *name) {
  const char *names[NUM_OPTIONS];
  size_t count = 0;
  const unsigned command = tool->options.command;
  for (int i = 0; i < NUM_OPTIONS; i++) {
    if (option_commands[i] & command) names[count++] = long_options[i].name;
  }
  return diag_nearest(name, names, count);
}

// Of `-target=sm_80`, a dash was forgotten; `-x` is nothing.
static int unknown_option(Tool *tool, const char *argument) {
  const size_t dashes = argument[1] == '-' ? 2 : 1;
  const size_t length = strcspn(argument, "=");
  const char *shown = arena_strndup(&tool->arena, argument, length);
  const char *name = shown + dashes;
  if (dashes == 2 && argument[length] && is_long_option(name))
    return tool_fail(tool, EXIT_USAGE, ERROR_option_takes_no_value, shown);
  const char *near = nearest_option(tool, name);
  if (near)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_such_option_near, shown,
                     with_dashes(tool, near));
  return tool_fail(tool, EXIT_USAGE, ERROR_no_such_option, shown);
}

static int short_id(int c) {
  switch (c) {
  case 'o': return OPTION_OUTPUT;
  case 'D': return OPTION_DEFINE;
  case 'I': return OPTION_INCLUDE;
  case 'v': return OPTION_VERBOSE;
  case 'h': return OPTION_HELP;
  default: return c;
  }
}

static const char *owner_of(const Tool *tool, Commands commands) {
  if (commands == RUN) return "'tilec run'";
  if (commands == PACK) return "'tilec pack'";
  if (tool->options.command == RUN) return "'tilec', not 'tilec run'";
  return commands == BOTH ? "'tilec' and 'tilec run'" : "'tilec'";
}

static int take_option(Tool *tool, int c, const char *argument) {
  if (c == '?') return unknown_option(tool, argument);
  if (c == ':')
    return tool_fail(tool, EXIT_USAGE, ERROR_option_wants_value,
                     argument[1] == '-' ? with_dashes(tool, argument + 2)
                                        : argument);
  const int id = short_id(c);
  tool->options.name = argument[1] == '-' ? "define" : "D";
  const Commands allowed = option_commands[id - FIRST_ID - 1];
  if (allowed & tool->options.command) return apply(tool, id, optarg);
  return tool_fail(tool, EXIT_USAGE, ERROR_option_of_other_command, argument,
                   owner_of(tool, allowed));
}

static int take_file(Tool *tool, const char *file) {
  if (tool->options.command == PACK)
    vec_push(&tool->arena, &tool->options.files, file);
  else if (tool->options.file)
    return tool_fail(tool, EXIT_USAGE, ERROR_two_files, tool->options.file,
                     file);
  tool->options.file = file;
  return EXIT_FINE;
}

static int parse_all(Tool *tool, int argc, char **argv) {
  opterr = 0;
  int code = EXIT_FINE;
  while (code == EXIT_FINE) {
    const char *argument = argv[optind];
    const int c = getopt_long(argc, argv, "-:o:D:I:vh", long_options, NULL);
    if (c < 0) break;
    code = c == 1 ? take_file(tool, optarg) : take_option(tool, c, argument);
  }
  for (; code == EXIT_FINE && optind < argc; optind++)
    code = take_file(tool, argv[optind]); // after "--"
  return code;
}

static Commands command_of(const Tool *tool) {
  return tool->argc > 1 ? command_find(tool->argv[1]) : COMPILE;
}

static int check_file(Tool *tool) {
  const Options *options = &tool->options;
  const bool run = options->command == RUN, pack = options->command == PACK;
  if (!options->file && options->command == CACHE)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_command_of_cache);
  const char *word = run ? " run" : pack ? " pack" : "";
  if (!options->file)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_file,
                     *word ? word + 1 : "compile", word);
  if (pack && !options->variants)
    return tool_fail(tool, EXIT_USAGE, ERROR_pack_wants_variants);
  if (run && !options->grid) return tool_fail(tool, EXIT_USAGE, ERROR_no_grid);
  return EXIT_FINE;
}

int options_parse(Tool *tool) {
  Options *options = &tool->options;
  options->color = tool_wants_color();
  options->tolerance = 1e-5;
  options->cache_dir = "";
  options->command = command_of(tool);
  const int skipped = options->command != COMPILE, argc = tool->argc - skipped;
  char **argv = arena_array(&tool->arena, char *, argc + 1);
  for (int i = 0; i < argc; i++) {
    argv[i] = with_two_dashes(tool, tool->argv[i + skipped]);
    // Errors of the options before it are told so, too.
    options->json |= !strcmp(argv[i], "--diagnostics-format=json");
  }
  int code = options->command == COMPILE && argc > 1
                 ? command_check_file(tool, argv[1])
                 : EXIT_FINE;
  if (!code) code = parse_all(tool, argc, argv);
  const bool is_all =
      options->help || options->version || options->print_targets;
  return code || is_all ? code : check_file(tool);
}
