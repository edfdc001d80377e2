// program.c -- parsed sources and the kernels in them.
#include "runtime/program.h"

#include "runtime/base/base.h"
#include "runtime/base/threads.h"
#include "runtime/compile/compile.h"
#include "runtime/errors.h"

#include <assert.h>
#include <string.h>

// -- Kernels -----------------------------------------------------------------

static void plan_params(TileKernel *kernel, Arena *arena) {
  const int count = function_num_params(kernel->function);
  kernel->num_params = (size_t)count;
  kernel->params = arena_array(arena, KernelParamPlan, count + 1);
  for (int i = 0; i < count; i++) {
    const FunctionParam param = function_param(kernel->function, i);
    kernel->params[i] = (KernelParamPlan){
        .name = param.name,
        .is_constexpr = param.is_constexpr,
        .has_default = param.has_default,
        .folds_one = !param.do_not_specialize,
        .takes_hint =
            !param.do_not_specialize && !param.do_not_specialize_on_alignment,
        .annotation = annotation_parse(param.annotation),
    };
    map_put_text(&kernel->by_name, arena, param.name, strlen(param.name),
                 &kernel->params[i]);
  }
}

typedef struct {
  TileProgram *program;
  const char *name;
  DiagList diags;
  TileKernel *kernel;
} KernelSearch;

static TileKernel *kernel_of(TileProgram *program, const AstFunction *function,
                             const char *asked) {
  TileKernel *kernel = program->kernels;
  while (kernel && kernel->function != function) kernel = kernel->next;
  if (kernel) return kernel;
  Arena *arena = &program->unit->arena;
  kernel = arena_new(arena, TileKernel);
  kernel->program = program;
  kernel->unit = program->unit;
  kernel->disk = program->context->disk;
  kernel->function = function;
  kernel->name = function_name(function);
  kernel->asked = arena_strdup(arena, asked ? asked : "");
  kernel->has_heuristics = function_has_heuristics(function);
  kernel->is_tuned = function_is_tuned(function);
  plan_params(kernel, arena);
  cache_init(&kernel->variants, program->unit->from,
             &program->context->variants);
  kernel->next = program->kernels;
  atomic_store(&program->kernels, kernel);
  return kernel;
}

static void search_body(void *data) {
  KernelSearch *search = data;
  SourceUnit *unit = search->program->unit;
  diag_init(&search->diags, &unit->arena);
  frontend_add_sources(unit->program, &search->diags);
  const AstFunction *function =
      frontend_find_kernel(unit->program, &search->diags, search->name);
  if (function)
    search->kernel = kernel_of(search->program, function, search->name);
}

TileStatus tile_program_kernel(TileProgram *program, const char *name,
                               TileKernel **out,
                               TileDiagnostics **diagnostics) {
  if (!program) return report_null(diagnostics, "program");
  const Report report = report_to(program->context, diagnostics);
  if (!out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  KernelSearch search = {.program = program, .name = name};
  if (!unit_protect(program->unit, search_body, &search) ||
      !report_list(&report, &search.diags))
    return TILE_OUT_OF_MEMORY;
  if (!search.kernel) return TILE_INVALID_ARGUMENT;
  *out = search.kernel;
  return TILE_OK;
}

const char *tile_kernel_name(const TileKernel *kernel) {
  return kernel ? kernel->name : "";
}

size_t tile_kernel_num_params(const TileKernel *kernel) {
  return kernel ? kernel->num_params : 0;
}

const char *tile_kernel_param_name(const TileKernel *kernel, size_t index) {
  return index < tile_kernel_num_params(kernel) ? kernel->params[index].name
                                                : "";
}

bool tile_kernel_param_is_constexpr(const TileKernel *kernel, size_t index) {
  return index < tile_kernel_num_params(kernel) &&
         kernel->params[index].is_constexpr;
}

// -- Programs ----------------------------------------------------------------

static void list_names(void *data) {
  TileProgram *program = data;
  SourceUnit *unit = program->unit;
  const int count = frontend_num_functions(unit->program);
  program->names = arena_array(&unit->arena, const char *, count + 1);
  for (int i = 0; i < count; i++) {
    const AstFunction *function = frontend_function(unit->program, i);
    if (function_is_kernel(function))
      program->names[program->num_names++] = function_name(function);
  }
}

// After syntax errors, the other errors are reported, too.
static TileStatus read_program(const Report *report, TileProgram *program) {
  SourceUnit *unit = program->unit;
  if (!frontend_is_broken(unit->program))
    return unit_protect(unit, list_names, program) ? TILE_OK
                                                   : TILE_OUT_OF_MEMORY;
  return unit_check(report, unit) ? TILE_COMPILE_ERROR : TILE_OUT_OF_MEMORY;
}

static TileStatus open_program(const Report *report, TileContext *context,
                               const TileSource *source, TileProgram *program) {
  *program = (TileProgram){.context = context};
  TileStatus status = unit_create(report, source, NULL, &program->unit);
  if (status) return status;
  status = read_program(report, program);
  if (status) unit_destroy(program->unit);
  return status;
}

TileStatus program_create(const Report *report, TileContext *context,
                          const TileSource *source, TileProgram **out) {
  const Allocator *from = &context->from;
  TileProgram *program = from->alloc(from->ctx, sizeof *program);
  if (!program) return TILE_OUT_OF_MEMORY;
  const TileStatus status = open_program(report, context, source, program);
  if (status) {
    from->free(from->ctx, program);
  } else {
    *out = program;
  }
  return status;
}

typedef struct {
  const Report *report;
  TileContext *context;
  const TileSource *source;
  TileProgram *program;
  TileStatus status;
} Creation;

static void create_body(void *data) {
  Creation *c = data;
  c->status = program_create(c->report, c->context, c->source, &c->program);
  if (c->status) return;
  c->status = unit_define(c->report, c->program->unit, c->source);
  if (c->status) tile_program_destroy(c->program);
}

// Parses on a stack of its own, since the recursion may be too deep for the
// caller's.
static TileStatus create_program(const Report *report, TileContext *context,
                                 const TileSource *source, TileProgram **out) {
  Creation creation = {.report = report, .context = context, .source = source};
  threads_call(ROOM_TO_COMPILE, create_body, &creation);
  if (!creation.status) *out = creation.program;
  return creation.status;
}

static TileStatus check_source(const Report *report, const TileSource *source) {
  const char *null = NULL;
  if (source->num_defines && !source->defines) null = "source->defines";
  for (size_t i = 0; !null && i < source->num_defines; i++) {
    if (!source->defines[i].name) null = "source->defines[].name";
    if (!source->defines[i].value) null = "source->defines[].value";
  }
  if (source->num_include_paths && !source->include_paths)
    null = "source->include_paths";
  if (!source->text) null = "source->text";
  if (null)
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_is_null, null);
  if (!frontend_release_name(source->triton))
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_source_triton,
                        source->triton);
  return TILE_OK;
}

TileStatus tile_program_create(TileContext *context, const TileSource *source,
                               TileProgram **out,
                               TileDiagnostics **diagnostics) {
  if (!context) return report_null(diagnostics, "context");
  const Report report = report_to(context, diagnostics);
  if (!source || !out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        out ? "source" : "out");
  TileSource own;
  TileStatus status = sized_read(&report, &sized_source, source, &own);
  if (!status) status = check_source(&report, &own);
  return status ? status : create_program(&report, context, &own, out);
}

typedef struct {
  Arena arena;
  const char *path, *text;
  size_t length;
  char why[512];
} SourceReading;

static void read_body(void *data) {
  SourceReading *reading = data;
  reading->text = file_read(&reading->arena, reading->path, &reading->length,
                            reading->why, sizeof reading->why);
}

static TileStatus load_program(const Report *report, TileContext *context,
                               SourceReading *reading, TileProgram **out) {
  if (!arena_protect(&reading->arena, read_body, reading))
    return TILE_OUT_OF_MEMORY;
  if (!reading->text)
    return report_text(report, TILE_FILE_ERROR, reading->why, NULL);
  const TileSource source = {
      .file = reading->path, .text = reading->text, .length = reading->length};
  return create_program(report, context, &source, out);
}

TileStatus tile_program_load(TileContext *context, const char *path,
                             TileProgram **out, TileDiagnostics **diagnostics) {
  if (!context) return report_null(diagnostics, "context");
  const Report report = report_to(context, diagnostics);
  if (!path || !out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null,
                        path ? "out" : "path");
  SourceReading reading = {.path = path};
  arena_init(&reading.arena, &context->from);
  const TileStatus status = load_program(&report, context, &reading, out);
  arena_free(&reading.arena);
  return status;
}

void tile_program_destroy(TileProgram *program) {
  if (!program) return;
  TileContext *context = program->context;
  for (TileKernel *kernel = program->kernels; kernel; kernel = kernel->next) {
    assert(kernel->unit == program->unit && "of another program"); // I7
    upgrade_forget(&context->upgrades, &kernel->variants, NULL);
    cache_free(&kernel->variants);
  }
  unit_destroy(program->unit);
  context->from.free(context->from.ctx, program);
}

size_t tile_program_num_kernels(const TileProgram *program) {
  return program ? program->num_names : 0;
}

const char *tile_program_kernel_name(const TileProgram *program, size_t index) {
  return index < tile_program_num_kernels(program) ? program->names[index] : "";
}
