// tilec_compile.c -- `tilec FILE`: a kernel for each target asked for.
#include "runtime/tools/tilec.h"

#include "ir/text.h"

#include <string.h>

typedef struct {
  const char *stage;
  double seconds;
} Timing;

typedef struct {
  Tool *tool;
  const char *source_name;
  SourceUnit *unit;
  const AstFunction *kernel;
  ArgSpec *specs;
  Vec(Timing) timings;
  const char *first_output; // what -MD's rule is about
} Session;

// -- Kinds of output ---------------------------------------------------------

typedef struct {
  const char *name, *suffix;
  bool supported, is_text, needs_gpu, needs_cpu;
  CompileGoal goal;
  EmitKind kind;
} EmitInfo;

static const EmitInfo emit_table[] = {
    {"tokens", "tokens", true, true, false, false, COMPILE_TO_IR, EMIT_ASM},
    {"ast", "ast", true, true, false, false, COMPILE_TO_IR, EMIT_ASM},
    {"ir", "tir", true, true, false, false, COMPILE_TO_PASSES, EMIT_ASM},
    {"llvm", "ll", true, true, false, false, COMPILE_TO_CODE, EMIT_LLVM},
    {"asm", "s", true, true, false, false, COMPILE_TO_CODE, EMIT_ASM},
    {"ptx", "ptx", true, true, true, false, COMPILE_TO_CODE, EMIT_ASM},
    {"obj", "o", true, false, false, true, COMPILE_TO_CODE, EMIT_OBJECT},
    {"layout", "", false, true, false, false, COMPILE_TO_IR, EMIT_ASM},
    {"cubin", "", false, false, false, false, COMPILE_TO_IR, EMIT_ASM},
    {"header", "", false, true, false, false, COMPILE_TO_IR, EMIT_ASM},
};
enum { NUM_KINDS = sizeof emit_table / sizeof *emit_table };

static const EmitInfo *emit_find(const char *name) {
  for (int i = 0; i < NUM_KINDS; i++) {
    if (!strcmp(emit_table[i].name, name)) return &emit_table[i];
  }
  return NULL;
}

static const EmitInfo *emit_for(const Tool *tool, const Target *target) {
  const char *asked =
      tool->options.passes.stop_after ? "ir" : tool->options.emit;
  return emit_find(asked ? asked : target->is_gpu ? "ptx" : "obj");
}

static int check_emit(Tool *tool, const EmitInfo *emit, const Target *target) {
  if (!emit->supported)
    return tool_fail(tool, EXIT_SOURCE, "--emit=%s is not supported yet",
                     emit->name);
  if (emit->needs_gpu && !target->is_gpu)
    return tool_fail(tool, EXIT_USAGE,
                     "--emit=%s needs a GPU target such as --target=sm_80",
                     emit->name);
  if (emit->needs_cpu && target->is_gpu)
    return tool_fail(tool, EXIT_USAGE,
                     "--emit=%s is for --target=cpu; %s makes ptx", emit->name,
                     target->name);
  return EXIT_FINE;
}

// -- Where it goes -----------------------------------------------------------

static size_t stem_length(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(path, '.');
  return dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path)
                                                 : strlen(path);
}

// softmax.tile gives softmax.ptx here, softmax.sm_80.ptx among several targets.
static const char *default_output(const Session *s, const EmitInfo *emit,
                                  const Target *target) {
  const Tool *tool = s->tool;
  const char *slash = strrchr(s->source_name, '/');
  const char *name = slash ? slash + 1 : s->source_name;
  const bool several = tool->options.targets.count > 1;
  return arena_printf(&s->tool->arena, "%.*s%s%s.%s", (int)stem_length(name),
                      name, several ? "." : "", several ? target->name : "",
                      emit->suffix);
}

static const char *output_path(const Session *s, const EmitInfo *emit,
                               const Target *target) {
  const Options *options = &s->tool->options;
  const bool several = options->targets.count > 1;
  if (!options->output)
    return emit->is_text && !several ? "-" : default_output(s, emit, target);
  if (!several || !strcmp(options->output, "-")) return options->output;
  const size_t stem = stem_length(options->output);
  return arena_printf(&s->tool->arena, "%.*s.%s%s", (int)stem, options->output,
                      target->name, options->output + stem);
}

// -- Timings -----------------------------------------------------------------

static void note_time(void *ctx, const char *stage, double seconds) {
  Session *s = ctx;
  for (size_t i = 0; i < s->timings.count; i++) {
    if (strcmp(s->timings.items[i].stage, stage)) continue;
    s->timings.items[i].seconds += seconds;
    return;
  }
  const Timing timing = {arena_strdup(&s->tool->arena, stage), seconds};
  vec_push(&s->tool->arena, &s->timings, timing);
}

static void note_pass(void *ctx, const char *pass, double seconds) {
  Session *s = ctx;
  note_time(ctx, arena_printf(&s->tool->arena, "  pass %s", pass), seconds);
}

static void note_codegen(void *ctx, const char *stage, double seconds) {
  Session *s = ctx;
  note_time(ctx, arena_printf(&s->tool->arena, "  codegen %s", stage), seconds);
}

static void print_timings(const Session *s) {
  double total = 0;
  for (size_t i = 0; i < s->timings.count; i++) {
    const Timing *timing = &s->timings.items[i];
    if (timing->stage[0] != ' ') total += timing->seconds;
    fprintf(stderr, "%10.3f ms  %s\n", timing->seconds * 1e3, timing->stage);
  }
  fprintf(stderr, "%10.3f ms  total\n", total * 1e3);
}

// -- Compiling ---------------------------------------------------------------

static void print_dump(void *ctx, const char *text) {
  (void)ctx;
  fputs(text, stderr);
}

typedef struct {
  const Target *target;
  CompileGoal goal;
  EmitKind kind;
} Goal;

static TileStatus run_compile(Session *s, const Goal *goal, Compilation *out) {
  const Options *options = &s->tool->options;
  PassOptions passes = options->passes;
  passes.log = print_dump;
  passes.timed = note_pass;
  passes.timed_ctx = s;
  const CodegenOptions codegen = {.timed = note_codegen, .timed_ctx = s};
  const Specialization specialization = {
      .args = s->specs,
      .num_warps = options->num_warps,
      .num_stages = options->num_stages,
      .target = goal->target,
  };
  const CompileRequest request = {
      .unit = s->unit,
      .kernel = s->kernel,
      .specialization = &specialization,
      .goal = goal->goal,
      .kind = goal->kind,
      .passes = &passes,
      .codegen = &codegen,
      .timed = note_time,
      .timed_ctx = s,
  };
  return compile(&s->tool->report, &request, out);
}

static void print_resources(const Goal *goal, const CompiledCode *code) {
  for (int i = 0; i < code->num_kernels; i++) {
    const KernelInfo *info = &code->kernels[i];
    fprintf(stderr,
            "%s for %s: %d warp%s, %zu bytes of shared memory, %zu bytes of "
            "scratch\n",
            info->symbol, goal->target->name, info->num_warps,
            info->num_warps == 1 ? "" : "s", info->shared_bytes,
            info->scratch_bytes);
  }
}

// The text or bytes that a compilation is written as.
static Str result_text(Session *s, const Goal *goal, const Compilation *from) {
  Str text = str_in(&s->tool->arena);
  if (goal->goal == COMPILE_TO_CODE) {
    str_add_bytes(&text, from->code.data, from->code.size);
    return text;
  }
  Str ir = {.arena = from->module->arena};
  module_print(from->module, NULL, &ir);
  str_add(&text, str_text(&ir));
  return text;
}

typedef struct {
  Session *s;
  const Goal *goal;
  Compilation *compilation;
  Str text;
} Printing;

static void print_body(void *data) {
  Printing *p = data;
  p->text = result_text(p->s, p->goal, p->compilation);
}

static int write_result(Session *s, const Goal *goal, Compilation *compilation,
                        const char *path) {
  Printing p = {s, goal, compilation, {0}};
  if (!arena_protect(&compilation->arena, print_body, &p))
    return tool_finish(s->tool, TILE_OUT_OF_MEMORY);
  if (s->tool->options.resource_usage && goal->goal == COMPILE_TO_CODE)
    print_resources(goal, &compilation->code);
  return tool_write(s->tool, path, str_text(&p.text), p.text.length);
}

static int compile_to(Session *s, const Goal *goal, const char *path) {
  Compilation compilation;
  const TileStatus status = run_compile(s, goal, &compilation);
  int code = tool_finish(s->tool, status);
  if (!code) code = write_result(s, goal, &compilation, path);
  compilation_free(&compilation);
  return code;
}

// -- Targets -----------------------------------------------------------------

static int save_temps(Session *s, const Target *target, const char *output) {
  static const struct {
    const char *suffix;
    CompileGoal goal;
    EmitKind kind;
  } temps[] = {
      {"frontend.tir", COMPILE_TO_IR, EMIT_ASM},
      {"tir", COMPILE_TO_PASSES, EMIT_ASM},
      {"ll", COMPILE_TO_CODE, EMIT_LLVM},
      {"s", COMPILE_TO_CODE, EMIT_ASM},
  };
  int code = EXIT_FINE;
  const char *base = strcmp(output, "-") ? output : "tilec-out";
  for (size_t i = 0; !code && i < sizeof temps / sizeof *temps; i++) {
    const Goal goal = {target, temps[i].goal, temps[i].kind};
    code =
        compile_to(s, &goal,
                   arena_printf(&s->tool->arena, "%.*s.%s",
                                (int)stem_length(base), base, temps[i].suffix));
  }
  return code;
}

static CompileGoal goal_of(const Options *options, const EmitInfo *emit) {
  const char *stop = options->passes.stop_after;
  if (!stop) return emit->goal;
  return strcmp(stop, "frontend") ? COMPILE_TO_PASSES : COMPILE_TO_IR;
}

static int compile_target(Session *s, const Target *target) {
  const Options *options = &s->tool->options;
  const EmitInfo *emit = emit_for(s->tool, target);
  const int refused = check_emit(s->tool, emit, target);
  if (refused) return refused;
  const char *path = output_path(s, emit, target);
  if (!s->first_output) s->first_output = path;
  if (options->verbose)
    fprintf(stderr, "tilec: %s for %s, as %s to %s\n", function_name(s->kernel),
            target->name, emit->name,
            strcmp(path, "-") ? path : "standard output");
  const Goal goal = {target, goal_of(options, emit), emit->kind};
  const int code = compile_to(s, &goal, path);
  if (code || !options->save_temps) return code;
  return save_temps(s, target, path);
}

static int compile_targets(Session *s) {
  const Options *options = &s->tool->options;
  if (!options->targets.count) return compile_target(s, target_find("cpu"));
  int code = EXIT_FINE;
  for (size_t i = 0; !code && i < options->targets.count; i++) {
    code = compile_target(s, target_find(options->targets.items[i]));
  }
  return code;
}

// -- Dependencies ------------------------------------------------------------

static void add_name(Str *out, const char *name) {
  for (; *name; name++) {
    if (strchr(" #\\", *name)) str_add_char(out, '\\');
    if (*name == '$') str_add_char(out, '$');
    str_add_char(out, *name);
  }
}

static int write_dependencies(Session *s) {
  const Options *options = &s->tool->options;
  const char *output = s->first_output;
  if (!output || !strcmp(output, "-"))
    output = default_output(s, emit_find("obj"), target_find("cpu"));
  const char *path = options->dependency_file;
  if (!path)
    path = arena_printf(&s->tool->arena, "%.*s.d", (int)stem_length(output),
                        output);
  const char *target = options->dependency_target;
  Str rule = str_in(&s->tool->arena);
  add_name(&rule, target ? target : output);
  str_add_char(&rule, ':');
  for (int i = 0; i < frontend_num_files(s->unit->program); i++) {
    str_add_char(&rule, ' ');
    add_name(&rule, frontend_file(s->unit->program, i));
  }
  str_add_char(&rule, '\n');
  return tool_write(s->tool, path, rule.data, rule.length);
}

// -- The command -------------------------------------------------------------

static int print_tokens(Tool *tool, const TileSource *source) {
  DiagList diags;
  Str text = str_in(&tool->arena);
  diag_init(&diags, &tool->arena);
  diags.error_limit = tool->options.error_limit;
  Source *copy =
      source_create(&tool->arena, source->file, source->text, source->length);
  diag_add_source(&diags, copy);
  frontend_print_tokens(&tool->arena, &diags, copy, &text);
  report_list(&tool->report, &diags);
  const int code =
      tool_finish(tool, diag_failed(&diags) ? TILE_COMPILE_ERROR : TILE_OK);
  if (code) return code;
  const char *path = tool->options.output;
  return tool_write(tool, path ? path : "-", str_text(&text), text.length);
}

static int print_ast(Session *s) {
  Tool *tool = s->tool;
  Str text = str_in(&tool->arena);
  frontend_print_ast(s->unit->program, &text);
  const char *path = tool->options.output;
  return tool_write(tool, path ? path : "-", str_text(&text), text.length);
}

static int compile_unit(Session *s) {
  Tool *tool = s->tool;
  const Options *options = &tool->options;
  if (options->emit && !strcmp(options->emit, "ast")) return print_ast(s);
  int code = tool_find_kernel(tool, s->unit, &s->kernel);
  if (!code) code = tool_read_signature(tool, s->kernel, &s->specs);
  if (!code) code = compile_targets(s);
  if (!code && options->dependencies) code = write_dependencies(s);
  if (options->time_passes) print_timings(s);
  return code;
}

static void destroy_unit(void *data) {
  unit_destroy(data);
}

int command_compile(Tool *tool) {
  TileSource source;
  const int code = tool_read_source(tool, &source);
  if (code) return code;
  tool->report.error_limit = tool->options.error_limit;
  if (tool->options.emit && !strcmp(tool->options.emit, "tokens"))
    return print_tokens(tool, &source);
  Session s = {.tool = tool, .source_name = source.file};
  const double start = clock_seconds();
  const TileStatus status = unit_create(&tool->report, &source, &s.unit);
  note_time(&s, "parse", clock_seconds() - start);
  if (s.unit) arena_defer(&tool->arena, destroy_unit, s.unit);
  const int parsed = tool_finish(tool, status);
  return parsed ? parsed : tool_exit_code(tool, compile_unit(&s));
}
