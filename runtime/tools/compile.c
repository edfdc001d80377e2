// compile.c -- `tilec FILE`: compiles a kernel for each target.
#include "runtime/base/base.h"
#include "runtime/picture/layout_picture.h"
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec.h"

#include "ir/text.h"

#include <assert.h>
#include <string.h>

typedef struct {
  const char *stage;
  double seconds;
} StageTiming;

typedef struct {
  Tool *tool;
  const char *source_name;
  SourceUnit *unit;
  const AstFunction *kernel;
  ArgSpec *specs;
  Vec(StageTiming) timings;
  const char *first_output;  // the target of -MD's rule
  Vec(const char *) written; // files to remove if anything fails
} Session;

// -- Kinds of output ---------------------------------------------------------

// The form in which IR or code is written.
typedef enum { FORM_AS_IT_IS, FORM_CUBIN, FORM_LAYOUT } FileForm;

enum { TEXT = 1, GPU = 2, HOST = 4, MISSING = 8 };

typedef struct {
  const char *name, *suffix;
  unsigned flags;
  CompileGoal goal;
  EmitKind kind;
  FileForm form;
} EmitInfo;

static const EmitInfo emit_table[] = {
#define OUTPUT(name, suffix, flags, goal, kind, form)                          \
  {#name, suffix, flags, goal, kind, form},
#include "runtime/tools/outputs.def"
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
  if (!asked) asked = target->is_gpu ? "ptx" : "obj";
  const EmitInfo *emit = emit_find(asked);
  assert(emit && (asked == tool->options.emit ||
                  !(emit->flags & (target->is_gpu ? HOST : GPU)))); // I9
  return emit;
}

static int check_emit(Tool *tool, const EmitInfo *emit, const Target *target) {
  if (emit->flags & MISSING)
    return tool_fail(tool, EXIT_SOURCE, ERROR_emit_not_supported, emit->name);
  if ((emit->flags & GPU) && !target->is_gpu)
    return tool_fail(tool, EXIT_USAGE, ERROR_emit_wants_gpu, emit->name);
  if ((emit->flags & HOST) && target->is_gpu)
    return tool_fail(tool, EXIT_USAGE, ERROR_emit_wants_cpu, emit->name,
                     target->name);
  const int version = tool->options.ptx_version;
  if (version && version < target->ptx_version)
    return tool_fail(tool, EXIT_USAGE, ERROR_ptx_version_too_old, target->name,
                     target->ptx_version / 10, target->ptx_version % 10,
                     version / 10, version % 10);
  return EXIT_FINE;
}

// -- Output ------------------------------------------------------------------

// The default name: softmax.tile gives softmax.ptx, or softmax.sm_80.ptx if
// there are several targets.
static const char *default_output(const Session *s, const EmitInfo *emit,
                                  const Target *target) {
  const Tool *tool = s->tool;
  const char *slash = strrchr(s->source_name, '/');
  const char *name = slash ? slash + 1 : s->source_name;
  const bool several = tool->options.targets.count > 1;
  return arena_printf(&s->tool->arena, "%.*s%s%s.%s",
                      (int)tool_stem_length(name), name, several ? "." : "",
                      several ? target->name : "", emit->suffix);
}

static const char *output_path(const Session *s, const EmitInfo *emit,
                               const Target *target) {
  const Options *options = &s->tool->options;
  const bool several = options->targets.count > 1;
  if (!options->output)
    return (emit->flags & TEXT) && !several ? "-"
                                            : default_output(s, emit, target);
  if (!several || !strcmp(options->output, "-")) return options->output;
  const size_t stem = tool_stem_length(options->output);
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
  const StageTiming timing = {arena_strdup(&s->tool->arena, stage), seconds};
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
    const StageTiming *timing = &s->timings.items[i];
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
  FileForm form;
} Goal;

// NULL: this machine's.
static const char *host_cpu(const Options *o) {
  return o->host_cpu && strcmp(o->host_cpu, "native") ? o->host_cpu : NULL;
}

static TileStatus run_compile(Session *s, const Goal *goal, Compilation *out) {
  const Options *options = &s->tool->options;
  PassOptions passes = options->passes;
  passes.log = print_dump;
  passes.timed = note_pass;
  passes.timed_ctx = s;
  const CodegenOptions codegen = {.line_info = options->line_info,
                                  .host_cpu = host_cpu(options),
                                  .amx = host_cpu(options) != NULL,
                                  .quick = options->tier == TILE_TIER_QUICK,
                                  .ptx_version = options->ptx_version,
                                  .timed = note_codegen,
                                  .timed_ctx = s};
  const Specialization specialization =
      options_specialization(options, s->specs, goal->target);
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
  return tool_compile(s->tool, &request, out);
}

// The text or bytes of a compilation's output.
static Str result_text(Session *s, const Goal *goal, const Compilation *from) {
  Str text = str_in(&s->tool->arena);
  if (goal->goal == COMPILE_TO_CODE) {
    str_add_bytes(&text, from->code.data, from->code.size);
    return text;
  }
  Str ir = {.arena = from->module->arena};
  module_print(from->module, NULL, &ir);
  str_add(&text, goal->form == FORM_LAYOUT
                     ? pictures_of_ir(ir.arena, str_text(&ir))
                     : str_text(&ir));
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

static int print_resources(Tool *tool, const Goal *goal, GpuCode *code) {
  if (!goal->target->is_gpu)
    return host_print_resources(tool, goal->target, code->code);
  return goal->kind == EMIT_ASM ? gpu_print_resources(tool, code) : EXIT_FINE;
}

static int write_result(Session *s, const Goal *goal, Compilation *compilation,
                        const char *path) {
  Tool *tool = s->tool;
  Printing p = {s, goal, compilation, {0}};
  if (!arena_protect(&compilation->arena, print_body, &p))
    return tool_finish(tool, TILE_OUT_OF_MEMORY);
  GpuCode gpu = {goal->target, &compilation->code, str_text(&p.text),
                 p.text.length};
  int code = EXIT_FINE;
  if (tool->options.resource_usage && goal->goal == COMPILE_TO_CODE)
    code = print_resources(tool, goal, &gpu);
  if (!code && goal->form == FORM_CUBIN) code = gpu_assemble(tool, &gpu);
  if (!code) code = tool_write(tool, path, gpu.bytes, gpu.size);
  if (!code && strcmp(path, "-")) vec_push(&tool->arena, &s->written, path);
  return code;
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
    const Goal goal = {target, temps[i].goal, temps[i].kind, FORM_AS_IT_IS};
    code = compile_to(s, &goal,
                      arena_printf(&s->tool->arena, "%.*s.%s",
                                   (int)tool_stem_length(base), base,
                                   temps[i].suffix));
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
  assert(target == target_find(target->name)); // I9
  const EmitInfo *emit = emit_for(s->tool, target);
  const int refused = check_emit(s->tool, emit, target);
  if (refused) return refused;
  const char *path = output_path(s, emit, target);
  if (!s->first_output) s->first_output = path;
  if (options->verbose)
    fprintf(stderr, "tilec: %s for %s, as %s to %s\n", function_name(s->kernel),
            target->name, emit->name,
            strcmp(path, "-") ? path : "standard output");
  const Goal goal = {target, goal_of(options, emit), emit->kind, emit->form};
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

static int write_dependencies(Session *s) {
  const Program *program = s->unit->program;
  Texts files = {0};
  const char *output = s->first_output;
  if (!output || !strcmp(output, "-"))
    output = default_output(s, emit_find("obj"), target_find("cpu"));
  for (int i = 0; i < frontend_num_files(program); i++)
    vec_push(&s->tool->arena, &files, frontend_file(program, i));
  return tool_write_rule(s->tool, output, &files);
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

typedef struct {
  Session *s;
  Str text;
} Reflection;

static void module_body(void *data) {
  Reflection *r = data;
  frontend_print_module(r->s->unit->program, &r->text);
}

static int print_module(Session *s) {
  Tool *tool = s->tool;
  Reflection r = {s, str_in(&tool->arena)};
  if (!unit_protect(s->unit, module_body, &r))
    return tool_finish(tool, TILE_OUT_OF_MEMORY);
  const char *path = tool->options.output;
  return tool_write(tool, path ? path : "-", str_text(&r.text), r.text.length);
}

static void reflect_body(void *data) {
  Reflection *r = data;
  frontend_reflect(r->s->unit->program, r->s->kernel, &r->s->tool->arena,
                   &r->text);
}

// Prints the reflection of the requested kernel, or of all.
static int print_reflection(Session *s) {
  Tool *tool = s->tool;
  Reflection r = {s, str_in(&tool->arena)};
  if (tool->options.kernel) {
    const int code = tool_find_kernel(tool, s->unit, &s->kernel);
    if (code) return code;
  }
  if (!unit_protect(s->unit, reflect_body, &r))
    return tool_finish(tool, TILE_OUT_OF_MEMORY);
  const char *path = tool->options.output;
  return tool_write(tool, path ? path : "-", str_text(&r.text), r.text.length);
}

// A command that failed leaves no outputs behind.
static void remove_outputs(const Session *s) {
  for (size_t i = 0; i < s->written.count; i++)
    file_remove(s->written.items[i]);
}

static int compile_unit(Session *s) {
  Tool *tool = s->tool;
  const Options *options = &tool->options;
  if (options_emit(options, "ast")) return print_ast(s);
  if (options_emit(options, "module")) return print_module(s);
  if (options_emit(options, "reflect-json")) return print_reflection(s);
  int code = tool_find_kernel(tool, s->unit, &s->kernel);
  if (!code) code = tool_read_signature(tool, s->unit, s->kernel, &s->specs);
  if (!code) code = compile_targets(s);
  if (!code && options->dependencies) code = write_dependencies(s);
  if (code) remove_outputs(s);
  if (options->time_passes) print_timings(s);
  return code;
}

static void warn_of_other_targets(Tool *tool) {
  const Options *o = &tool->options;
  const char *const gpu = "GPU targets such as --target=sm_80";
  if (o->host_cpu && !options_have_target(o, false))
    tool_warn(tool, WARNING_option_of_other_target, "--cpu", "--target=cpu");
  if (o->tier != TILE_TIER_USUAL && !options_have_target(o, false))
    tool_warn(tool, WARNING_option_of_other_target, "--tier", "--target=cpu");
  if (options_have_target(o, true)) return;
  if (o->ptx_version)
    tool_warn(tool, WARNING_option_of_other_target, "--ptx-version", gpu);
  if (o->maxnreg)
    tool_warn(tool, WARNING_option_of_other_target, "--maxnreg", gpu);
  if (o->line_info)
    tool_warn(tool, WARNING_option_of_other_target, "-lineinfo", gpu);
}

// Whether the output is made before the passes.
static bool is_of_source(const char *emit) {
  return emit_find(emit)->goal == COMPILE_TO_IR;
}

static void warn_of_early_ends(Tool *tool) {
  const Options *o = &tool->options;
  const char *stop = o->passes.stop_after;
  const char *emit =
      o->emit ? arena_printf(&tool->arena, "--emit=%s", o->emit) : NULL;
  if (stop) stop = arena_printf(&tool->arena, "--stop-after=%s", stop);
  const bool of_source = emit && is_of_source(o->emit);
  if (stop && of_source)
    tool_warn(tool, WARNING_option_beside, stop, emit);
  else if (stop && emit && strcmp(o->emit, "ir") != 0)
    tool_warn(tool, WARNING_option_beside, emit, stop);
  const bool has_code = !emit || emit_find(o->emit)->goal == COMPILE_TO_CODE;
  if (o->resource_usage && (stop || !has_code))
    tool_warn(tool, WARNING_option_beside, "--resource-usage",
              stop && !of_source ? stop : emit);
}

int command_compile(Tool *tool) {
  TileSource source;
  warn_of_other_targets(tool);
  warn_of_early_ends(tool);
  int code = option_usual_cpu(tool);
  if (!code) code = tool_read_source(tool, &source);
  if (code) return code;
  tool->report.error_limit = tool->options.error_limit;
  if (options_emit(&tool->options, "tokens"))
    return print_tokens(tool, &source);
  Session s = {.tool = tool, .source_name = source.file};
  const double start = clock_seconds();
  const int parsed = tool_parse(tool, &source, &s.unit);
  note_time(&s, "parse", clock_seconds() - start);
  return parsed ? parsed : tool_exit_code(tool, compile_unit(&s));
}
