// tilec.c -- the compiler's command line.
//
// Everything runs under one arena_protect(), so that running out of memory ends
// any command with a message.
#include "runtime/tools/tilec.h"
#include "runtime/tools/errors.h"
#include "runtime/tools/parts/parts.h"

#include "runtime/base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// Flushes standard output: the disk may be full.
static int check_stdout(Tool *tool) {
  const bool fine = !fflush(stdout) && !ferror(stdout);
  return fine ? EXIT_FINE
              : tool_fail(tool, EXIT_FILES, ERROR_no_standard_output);
}

static void print_target_json(const Target *t) {
  printf("{\"name\": \"%s\", \"gpu\": %s", t->name,
         t->is_gpu ? "true" : "false");
  if (t->is_gpu) {
    const int ptx = t->ptx_version;
    printf(", \"compute_capability\": \"%d.%d\", \"ptx_version\": \"%d.%d\", "
           "\"shared_bytes_per_program\": %d, \"shared_bytes_per_sm\": %d, "
           "\"registers_per_sm\": %d, \"warps_per_sm\": %d, "
           "\"programs_per_sm\": %d",
           t->compute / 10, t->compute % 10, ptx / 10, ptx % 10,
           t->max_shared_block, t->max_shared_sm, t->registers_sm, t->warps_sm,
           t->blocks_sm);
  }
  printf("}\n");
}

static int print_targets(Tool *tool) {
  for (int i = 0; i < target_count; i++) {
    if (tool->options.print_targets == AS_JSON)
      print_target_json(&target_table[i]);
    else
      printf("%s\n", target_table[i].name);
  }
  return check_stdout(tool);
}

static int end_command(Tool *tool) {
  const int code = command_cache(tool);
  return code ? code : check_stdout(tool);
}

static void log_line(void *ctx, const char *line) {
  (void)ctx;
  fprintf(stderr, "tilec: %s\n", line);
}

// The context was made before the options were read.
static int open_cache(Tool *tool) {
  TileContext *context = tool->context;
  DiskOptions options = {.folder = tool->options.cache_dir};
  const int code = cache_size(tool, &options.limit);
  if (code) return code;
  if (tool->options.verbose) context->log = log_line;
  return disk_open(&context->from, &options, &context->disk)
             ? EXIT_FINE
             : tool_finish(tool, TILE_OUT_OF_MEMORY);
}

// Whether $TRITON_DEBUG is a word that Triton takes for true.
static bool environment_debugs(void) {
  static const char *const yes[] = {
#define YES(word) word,
#include "runtime/tools/words.def"
  };
  const char *text = getenv("TRITON_DEBUG");
  bool debugs = false;
  for (size_t i = 0; text && i < sizeof yes / sizeof *yes; i++)
    debugs |= !strcasecmp(text, yes[i]);
  return debugs;
}

// Evaluates expressions in -D values and in the signature.
static int compute_values(Tool *tool) {
  NameValues *defines = &tool->options.defines;
  const char **signature = &tool->options.signature, *why;
  for (size_t i = 0; i < defines->count; i++) {
    NameValue *pair = &defines->items[i];
    pair->value = items_compute(&tool->arena, pair->value, &why);
    if (!pair->value)
      return tool_fail(tool, EXIT_USAGE, ERROR_define_wrong, pair->name, why);
  }
  if (!*signature) return EXIT_FINE;
  *signature = items_compute(&tool->arena, *signature, &why);
  return *signature ? EXIT_FINE
                    : tool_fail(tool, EXIT_USAGE, ERROR_signature_wrong, why);
}

static int run_command(Tool *tool) {
  tool->options.debug = environment_debugs();
  int code = options_parse(tool);
  if (!code) code = compute_values(tool);
  if (code) return code;
  if (tool->options.help) {
    print_help(tool->options.command, stdout);
    return check_stdout(tool);
  }
  if (tool->options.version) {
    printf("tilec %s\n", tile_version());
    return check_stdout(tool);
  }
  if (tool->options.print_targets) return print_targets(tool);
  if (tool->options.command == CACHE) return end_command(tool);
  if ((code = open_cache(tool))) return code;
  tool->context->settings.tier = tool->options.tier;
  if (!tool_open_tuned(tool)) return tool_finish(tool, TILE_OUT_OF_MEMORY);
  switch (tool->options.command) {
  case RUN: return command_run(tool);
  case TUNE: return command_tune(tool);
  case BENCH: return command_bench(tool);
  case PACK: return command_pack(tool);
  default: return command_compile(tool);
  }
}

// -- Helpers of both commands ------------------------------------------------

static const TileDefine *copy_defines(Tool *tool) {
  const NameValues *given = &tool->options.defines;
  TileDefine *defines = arena_array(&tool->arena, TileDefine, given->count + 1);
  for (size_t i = 0; i < given->count; i++)
    defines[i] = (TileDefine){given->items[i].name, given->items[i].value};
  return defines;
}

int tool_read_source(Tool *tool, TileSource *out) {
  char why[512];
  const char *path = tool->options.file;
  const bool is_stdin = !strcmp(path, "-");
  const char *text = file_read(&tool->arena, is_stdin ? "/dev/stdin" : path,
                               &tool->source_length, why, sizeof why);
  if (!text) return tool_fail(tool, EXIT_FILES, "%s", why);
  tool->source_text = text;
  *out = (TileSource){
      .file = is_stdin ? "<stdin>" : path,
      .text = text,
      .length = tool->source_length,
      .include_paths = tool->options.include_paths.items,
      .num_include_paths = tool->options.include_paths.count,
      .defines = copy_defines(tool),
      .num_defines = tool->options.defines.count,
      .triton = tool->options.triton,
  };
  crash_prepare(tool);
  return EXIT_FINE;
}

// -- Parsing, and telling all that is wrong ----------------------------------

static int num_kernels(const Program *program) {
  int count = 0;
  for (int i = 0; i < frontend_num_functions(program); i++)
    count += function_is_kernel(frontend_function(program, i));
  return count;
}

// Whether the command line asks for the function, so that it would be compiled
// if the others had no errors.
static bool is_asked_for(const Options *options, const Program *program,
                         const AstFunction *function) {
  if (!function_is_sound(function)) return false;
  if (options->kernel)
    return frontend_find_function(program, options->kernel) == function;
  if (!function_is_kernel(function)) return false;
  return options->signature ? num_kernels(program) == 1
                            : kernel_is_typed(function);
}

static const Target *first_target(const Tool *tool) {
  const Texts *targets = &tool->options.targets;
  return target_find(targets->count ? targets->items[0] : "cpu");
}

static void check_kernel(Tool *tool, SourceUnit *unit,
                         const AstFunction *kernel) {
  ArgSpec *specs;
  if (tool_read_signature(tool, unit, kernel, &specs)) return;
  const Specialization specialization =
      options_specialization(&tool->options, specs, first_target(tool));
  const TileStatus status =
      kernel_check(&tool->report, unit, kernel, &specialization);
  if (tool->diagnostics) tool_finish(tool, status);
}

// Checks the functions without syntax errors, after those of the others were
// reported.
static void check_sound(Tool *tool, SourceUnit *unit) {
  const Program *program = unit->program;
  const Options *options = &tool->options;
  if (options_emit(options, "ast") || options_emit(options, "module") ||
      options_emit(options, "reflect-json"))
    return;
  tool->report.error_limit = diag_limit(&unit->diags) - unit->diags.num_errors;
  for (int i = 0; i < frontend_num_functions(program); i++) {
    const AstFunction *function = frontend_function(program, i);
    if (tool->report.error_limit > 0 &&
        is_asked_for(options, program, function))
      check_kernel(tool, unit, function);
  }
}

static void destroy_unit(void *data) {
  unit_destroy(data);
}

int tool_parse(Tool *tool, const TileSource *source, SourceUnit **out) {
  SourceUnit *unit = NULL;
  tool->report.error_limit = tool->options.error_limit;
  const TileStatus status =
      unit_create(&tool->report, source, first_target(tool), &unit);
  if (unit) arena_defer(&tool->arena, destroy_unit, unit);
  const bool broken = unit && frontend_is_broken(unit->program);
  const int code = tool_finish(tool, broken ? TILE_COMPILE_ERROR : status);
  if (broken) check_sound(tool, unit);
  *out = unit;
  return code;
}

// -- Parts shared by the commands --------------------------------------------

bool options_emit(const Options *options, const char *kind) {
  return options->emit && !strcmp(options->emit, kind);
}

Specialization options_specialization(const Options *options,
                                      const ArgSpec *args,
                                      const Target *target) {
  return (Specialization){
      .args = args,
      .num_warps = options->num_warps,
      .num_stages = options->num_stages,
      .num_ctas = options->num_ctas,
      .config = options->config,
      .no_fp_fusion = options->no_fp_fusion,
      .maxnreg = options->maxnreg,
      .debug = options->debug,
      .persist = options->persist,
      .target = target,
  };
}

int tool_write(Tool *tool, const char *path, const void *bytes, size_t size) {
  char why[512];
  if (strcmp(path, "-")) {
    if (file_write(tool->outputs, path, bytes, size, why, sizeof why))
      return EXIT_FINE;
    return tool_fail(tool, EXIT_FILES, "%s", why);
  }
  if (fwrite(bytes, 1, size, stdout) == size && !fflush(stdout))
    return EXIT_FINE;
  return tool_fail(tool, EXIT_FILES, ERROR_no_standard_output);
}

int tool_check_writable(Tool *tool, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *folder =
      slash ? arena_strndup(&tool->arena, path, (size_t)(slash - path) + 1)
            : ".";
  struct stat info;
  if (!strcmp(path, "-")) return EXIT_FINE;
  const bool is_folder = !stat(path, &info) && S_ISDIR(info.st_mode);
  if (!is_folder && (!access(path, W_OK) || !access(folder, W_OK)))
    return EXIT_FINE;
  if (is_folder) errno = EISDIR;
  return tool_fail(tool, EXIT_FILES, ERROR_cannot_write, path, strerror(errno));
}

size_t tool_stem_length(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(path, '.');
  return dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path)
                                                 : strlen(path);
}

static void add_file_name(Str *out, const char *name) {
  for (; *name; name++) {
    if (strchr(" #\\", *name)) str_add_char(out, '\\');
    if (*name == '$') str_add_char(out, '$');
    str_add_char(out, *name);
  }
}

int tool_write_rule(Tool *tool, const char *output, const Texts *files) {
  const Options *options = &tool->options;
  const char *path = options->dependency_file;
  if (!path)
    path = arena_printf(&tool->arena, "%.*s.d", (int)tool_stem_length(output),
                        output);
  const char *target = options->dependency_target;
  Str rule = str_in(&tool->arena);
  add_file_name(&rule, target ? target : output);
  str_add_char(&rule, ':');
  for (size_t i = 0; i < files->count; i++) {
    str_add_char(&rule, ' ');
    add_file_name(&rule, files->items[i]);
  }
  str_add_char(&rule, '\n');
  return tool_write(tool, path, rule.data, rule.length);
}

typedef struct {
  Tool *tool;
  SourceUnit *unit;
  const AstFunction *kernel;
  DiagList diags;
} NamedSearch;

static void search_body(void *data) {
  NamedSearch *search = data;
  diag_init(&search->diags, &search->unit->arena);
  frontend_add_sources(search->unit->program, &search->diags);
  search->kernel = frontend_find_kernel(search->unit->program, &search->diags,
                                        search->tool->options.kernel);
}

int tool_find_kernel(Tool *tool, SourceUnit *unit, const AstFunction **out) {
  NamedSearch search = {.tool = tool, .unit = unit};
  if (!unit_protect(unit, search_body, &search))
    return tool_finish(tool, TILE_OUT_OF_MEMORY);
  report_list(&tool->report, &search.diags);
  *out = search.kernel;
  return search.kernel ? EXIT_FINE : tool_finish(tool, TILE_INVALID_ARGUMENT);
}

int kernel_find_param(const AstFunction *kernel, const char *name) {
  const int count = function_num_params(kernel);
  for (int i = 0; i < count; i++) {
    if (!strcmp(function_param(kernel, i).name, name)) return i;
  }
  return -1;
}

bool spec_is_type(const ArgSpec *spec) {
  if (spec->kind != ARG_TUPLE)
    return spec->kind == ARG_RUNTIME || spec->kind == ARG_DESCRIPTOR;
  bool has_type = false;
  for (int i = 0; i < spec->num_items; i++)
    has_type = has_type || spec_is_type(&spec->items[i]);
  return has_type;
}

bool spec_same_value(const ArgSpec *a, const ArgSpec *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case ARG_BOOL:
  case ARG_INT: return a->i == b->i;
  case ARG_FLOAT: return !memcmp(&a->f, &b->f, sizeof a->f);
  case ARG_STRING:
  case ARG_DTYPE:
  case ARG_FUNCTION: return !strcmp(a->text, b->text);
  default: return a->kind == ARG_NONE;
  }
}

typedef struct {
  Tool *tool;
  SourceUnit *unit;
  const AstFunction *kernel;
  DiagList diags;
  ArgSpec *specs;
  bool ok;
} SignatureReading;

// Sets the value of a parameter, or of a name in the file.
static bool define(SignatureReading *r, NameValue define) {
  Arena *arena = &r->tool->arena;
  const int index = kernel_find_param(r->kernel, define.name);
  if (index < 0)
    return frontend_define(r->unit->program, &r->diags, define.name,
                           define.value, false);
  const ArgSpec *given = &r->specs[index];
  if (given->kind != ARG_ABSENT && given->kind != ARG_DTYPE &&
      !spec_is_type(given))
    tool_warn(r->tool, WARNING_define_over_signature, define.name);
  return frontend_parse_value(arena, &r->diags,
                              arena_printf(arena, "<-D %s>", define.name),
                              define.value, &r->specs[index]);
}

static void read_body(void *data) {
  SignatureReading *r = data;
  const Options *options = &r->tool->options;
  r->ok = !options->signature ||
          frontend_parse_signature(&r->tool->arena, &r->diags, r->kernel,
                                   options->signature, r->specs);
  for (size_t i = 0; i < options->defines.count && r->ok; i++)
    r->ok = define(r, options->defines.items[i]);
  for (size_t i = 0; i < options->spares.count && r->ok; i++)
    unit_spare(r->unit, options->spares.items[i]);
}

int tool_read_signature(Tool *tool, SourceUnit *unit, const AstFunction *kernel,
                        ArgSpec **out) {
  SignatureReading r = {.tool = tool, .unit = unit, .kernel = kernel};
  diag_init(&r.diags, &tool->arena);
  frontend_add_sources(unit->program, &r.diags);
  r.specs = arena_array(&tool->arena, ArgSpec, function_num_params(kernel) + 1);
  if (!unit_protect_with(unit, &tool->arena, read_body, &r))
    return tool_finish(tool, TILE_OUT_OF_MEMORY);
  *out = r.specs;
  if (r.ok) return EXIT_FINE;
  report_list(&tool->report, &r.diags);
  return tool_finish(tool, TILE_INVALID_ARGUMENT);
}

// -- main --------------------------------------------------------------------

typedef struct {
  Tool *tool;
  int code;
} Main;

static void main_body(void *data) {
  Main *run = data;
  Tool *tool = run->tool;
  tool->outputs = arena_new(&tool->arena, ReplaceLists);
  tool->outputs->arena = &tool->arena;
  run->code = run_command(tool);
}

// Writes a line that a kernel prints.
static void print_line(void *ctx, const char *line) {
  (void)ctx;
  fputs(line, stdout);
}

static int run_tool(Tool *tool) {
  Main run = {tool, EXIT_SOURCE};
  const TileContextOptions options = {.print = print_line};
  if (tile_context_create(&options, &tool->context)) return EXIT_SOURCE;
  tool->report = report_to(tool->context, &tool->diagnostics);
  arena_init(&tool->arena, &system_allocator);
  if (!arena_protect(&tool->arena, main_body, &run)) {
    fputs("tilec: error: out of memory\n", stderr);
    run.code = tool->options.command & LAUNCH ? EXIT_DEVICE : EXIT_SOURCE;
  }
  tile_diagnostics_destroy(tool->diagnostics);
  arena_free(&tool->arena);
  tile_context_destroy(tool->context);
  return run.code;
}

int main(int argc, char **argv) {
  Tool tool = {.argc = argc, .argv = argv};
  return run_tool(&tool);
}
