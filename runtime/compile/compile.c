// compile.c -- from source to code, one stage after the other.
//
// The frontend uses two arenas while it specializes: the unit's, which may get
// another file, and the compilation's.  Each arena is protected by setjmp().
// If the unit's arena runs out of memory, its longjmp() skips the protection of
// the other arena; see specialize().
#include "runtime/compile/compile.h"
#include "runtime/base/base.h"

#include "ir/verify.h"
#include "runtime/base/threads.h"
#include "runtime/errors.h"

#include <assert.h>
#include <string.h>

// -- Units -------------------------------------------------------------------

typedef struct {
  SourceUnit *unit;
  const TileSource *source;
  const Target *target;
  int error_limit;
} Parse;

static const FrontendDefine *defines_of(Arena *arena, const TileSource *from) {
  FrontendDefine *defines =
      arena_array(arena, FrontendDefine, from->num_defines + 1);
  for (size_t i = 0; i < from->num_defines; i++)
    defines[i] =
        (FrontendDefine){from->defines[i].name, from->defines[i].value};
  return defines;
}

static Bytes names_of(Arena *arena, const TileSource *from) {
  Str names = str_in(arena);
  for (size_t i = 0; i < from->num_defines; i++) {
    bytes_add_text(&names, from->defines[i].name);
    bytes_add_text(&names, from->defines[i].value);
  }
  return (Bytes){str_text(&names), names.length};
}

static Bytes paths_of(Arena *arena, const TileSource *from) {
  Str paths = str_in(arena);
  for (size_t i = 0; i < from->num_include_paths; i++)
    bytes_add_text(&paths, from->include_paths[i]);
  return (Bytes){str_text(&paths), paths.length};
}

static void describe_source(Parse *parse, const Source *source) {
  SourceUnit *unit = parse->unit;
  Arena *arena = &unit->arena;
  Digest *digest = arena_new(arena, Digest);
  *digest = digest_of(source->text, source->length);
  unit->inputs = (DiskInputs){
      .file = bytes_of_text(source->name),
      .text = {digest->bytes, sizeof digest->bytes},
      .include_paths = paths_of(arena, parse->source),
      .defines = names_of(arena, parse->source),
      .parsed_for = bytes_of_text(parse->target ? parse->target->name : NULL),
      .triton = parse->source->triton,
  };
}

static void parse_source(void *data) {
  Parse *parse = data;
  const TileSource *from = parse->source;
  SourceUnit *unit = parse->unit;
  const char *file = from->file ? from->file : "<source>";
  const size_t length = from->length ? from->length : strlen(from->text);
  diag_init(&unit->diags, &unit->arena);
  unit->diags.error_limit = parse->error_limit;
  Source *source =
      source_create(&unit->arena, arena_strdup(&unit->arena, file),
                    arena_strndup(&unit->arena, from->text, length), length);
  diag_add_source(&unit->diags, source);
  reads_init(&unit->reads, &unit->arena);
  describe_source(parse, source);
  const FrontendOptions options = {
      .include_paths = from->include_paths,
      .num_include_paths = (int)from->num_include_paths,
      .reader = reads_reader(&unit->reads),
      .keep_sound = true,
      .target = parse->target,
      .defines = defines_of(&unit->arena, from),
      .num_defines = (int)from->num_defines,
      .release = from->triton,
  };
  unit->program = frontend_parse(&unit->arena, &unit->diags, source, &options);
  if (unit->program) frontend_add_sources(unit->program, &unit->diags);
}

static TileStatus failure(const DiagList *diags) {
  if (diags->num_bugs) return TILE_INTERNAL;
  return diags->num_misuses ? TILE_INVALID_ARGUMENT : TILE_COMPILE_ERROR;
}

static TileStatus parse_unit(const Report *report, Parse *parse) {
  SourceUnit *unit = parse->unit;
  if (!arena_protect(&unit->arena, parse_source, parse))
    return TILE_OUT_OF_MEMORY;
  if (!report_list(report, &unit->diags)) return TILE_OUT_OF_MEMORY;
  return unit->program ? TILE_OK : failure(&unit->diags);
}

TileStatus unit_create(const Report *report, const TileSource *source,
                       const Target *target, SourceUnit **out) {
  const Allocator *from = report->from;
  SourceUnit *unit = from->alloc(from->ctx, sizeof *unit);
  if (!unit) return TILE_OUT_OF_MEMORY;
  *unit = (SourceUnit){.from = from};
  arena_init(&unit->arena, from);
  pthread_mutex_init(&unit->lock, NULL);
  Parse parse = {unit, source, target, report->error_limit};
  const TileStatus status = parse_unit(report, &parse);
  if (status) {
    unit_destroy(unit);
  } else {
    *out = unit;
  }
  return status;
}

typedef struct {
  SourceUnit *unit;
  const TileSource *from;
  DiagList diags;
  bool ok;
} Naming;

static void define_names(void *data) {
  Naming *naming = data;
  const TileSource *from = naming->from;
  diag_init(&naming->diags, &naming->unit->arena);
  naming->ok = true;
  for (size_t i = 0; i < from->num_defines && naming->ok; i++) {
    const TileDefine *define = &from->defines[i];
    naming->ok = frontend_define(naming->unit->program, &naming->diags,
                                 define->name, define->value, true);
  }
}

TileStatus unit_define(const Report *report, SourceUnit *unit,
                       const TileSource *source) {
  Naming naming = {.unit = unit, .from = source};
  if (!unit_protect(unit, define_names, &naming) ||
      !report_list(report, &naming.diags))
    return TILE_OUT_OF_MEMORY;
  return naming.ok ? TILE_OK : TILE_INVALID_ARGUMENT;
}

// The name is a part of the key of kept code, since kept code is used without
// the frontend, which reports a name without a use.
void unit_spare(SourceUnit *unit, const char *name) {
  const Bytes before = unit->inputs.defines;
  Str names = str_in(&unit->arena);
  str_add_bytes(&names, before.data, before.size);
  bytes_add_text(&names, name);
  unit->inputs.defines = (Bytes){str_text(&names), names.length};
  frontend_spare(unit->program, name);
}

void unit_destroy(SourceUnit *unit) {
  if (!unit) return;
  arena_free(&unit->arena);
  pthread_mutex_destroy(&unit->lock);
  unit->from->free(unit->from->ctx, unit);
}

// If memory runs out in the middle of the frontend's work, its program is
// abandoned.
static bool protect(SourceUnit *unit, Arena *arena, void (*body)(void *data),
                    void *data) {
  const bool ok = arena_protect(arena, body, data);
  if (!ok && unit->program) frontend_abandon(unit->program);
  return ok;
}

bool unit_protect(SourceUnit *unit, void (*body)(void *data), void *data) {
  pthread_mutex_lock(&unit->lock);
  const bool ok = protect(unit, &unit->arena, body, data);
  pthread_mutex_unlock(&unit->lock);
  return ok;
}

typedef struct {
  SourceUnit *unit;
  Arena *arena;
  void (*body)(void *data);
  void *data;
  bool ok;
} Nested;

static void protect_nested(void *data) {
  Nested *nested = data;
  nested->ok = protect(nested->unit, nested->arena, nested->body, nested->data);
}

// If the unit's arena runs out of memory, its longjmp() skips the other arena's
// protection, so the previous protection is restored here.
bool unit_protect_with(SourceUnit *unit, Arena *arena, void (*body)(void *data),
                       void *data) {
  assert(arena != &unit->arena && "the unit's arena is protected anyway"); // I5
  Nested nested = {unit, arena, body, data, false};
  jmp_buf *const outer = arena->on_oom;
  const bool ok = unit_protect(unit, protect_nested, &nested);
  arena->on_oom = outer;
  return ok && nested.ok;
}

// -- Compilations ------------------------------------------------------------

typedef struct {
  const CompileRequest *request;
  Compilation *out;
  int error_limit;
  bool ok;
  double since;
} CompileWork;

static bool is_cancelled(Compilation *c) {
  const Cancel *cancel = c->cancel;
  if (!c->is_cancelled && cancel && cancel->asked)
    c->is_cancelled = cancel->asked(cancel->ctx);
  return c->is_cancelled;
}

// A cancelled compilation ends as if memory had run out.
static void *take_memory(void *ctx, size_t size) {
  Compilation *c = ctx;
  return is_cancelled(c) ? NULL : c->from->alloc(c->from->ctx, size);
}

static void give_memory(void *ctx, void *block) {
  const Compilation *c = ctx;
  c->from->free(c->from->ctx, block);
}

static void time_stage(CompileWork *work, const char *stage) {
  const double now = clock_seconds();
  if (is_cancelled(work->out)) arena_out_of_memory(&work->out->arena);
  const CompileRequest *request = work->request;
  if (request->timed)
    request->timed(request->timed_ctx, stage, now - work->since);
  work->since = now;
}

static void specialize_body(void *data) {
  CompileWork *work = data;
  const CompileRequest *request = work->request;
  Program *program = request->unit->program;
  frontend_add_sources(program, &work->out->diags);
  work->ok = frontend_specialize(program, request->kernel,
                                 request->specialization, work->out->module);
}

static bool specialize(CompileWork *work) {
  Arena *arena = &work->out->arena;
  if (!unit_protect_with(work->request->unit, arena, specialize_body, work))
    arena_out_of_memory(arena);
  time_stage(work, "frontend");
  return work->ok && !diag_failed(&work->out->diags);
}

static bool verify(CompileWork *work) {
  if (module_verify(work->out->module)) return true;
  return diag_bug(&work->out->diags, (SrcLoc){0},
                  "the frontend made an operation that is not well formed");
}

static bool run_passes(CompileWork *work) {
  const CompileRequest *request = work->request;
  const Target *target = request->specialization->target;
  const bool ok = passes_run(work->out->module, target,
                             target->is_gpu ? "gpu" : "host", request->passes);
  time_stage(work, "passes");
  return ok;
}

static bool emit(CompileWork *work) {
  const CompileRequest *request = work->request;
  work->ok = codegen_emit(work->out->module, request->specialization->target,
                          request->kind, request->codegen, &work->out->code);
  time_stage(work, "codegen");
  return work->ok;
}

static void compile_body(void *data) {
  CompileWork *work = data;
  const CompileGoal goal = work->request->goal;
  work->since = clock_seconds();
  diag_init(&work->out->diags, &work->out->arena);
  work->out->diags.error_limit = work->error_limit;
  work->out->module = module_create(&work->out->arena, &work->out->diags);
  work->ok = specialize(work) && verify(work) &&
             (goal < COMPILE_TO_PASSES || run_passes(work)) &&
             (goal < COMPILE_TO_CODE || emit(work));
  assert(!work->ok || goal < COMPILE_TO_CODE ||
         work->out->code.num_kernels == 1); // I6
}

TileStatus compile(const Report *report, const CompileRequest *request,
                   Compilation *out) {
  CompileWork work = {
      .request = request, .out = out, .error_limit = report->error_limit};
  *out = (Compilation){.memory = {take_memory, give_memory, out},
                       .from = report->from,
                       .cancel = request->cancel};
  arena_init(&out->arena, &out->memory);
  if (!arena_protect(&out->arena, compile_body, &work))
    return out->is_cancelled
               ? report_error(report, TILE_CANCELLED, ERROR_compile_cancelled)
               : TILE_OUT_OF_MEMORY;
  if (!report_list(report, &out->diags)) return TILE_OUT_OF_MEMORY;
  if (work.ok && !diag_failed(&out->diags)) return TILE_OK;
  assert(diag_failed(&out->diags) ||
         frontend_is_broken(request->unit->program)); // I4
  return failure(&out->diags);
}

void compilation_free(Compilation *compilation) {
  arena_free(&compilation->arena);
}

// -- Questions about host code -----------------------------------------------

typedef struct HostQuery HostQuery;
struct HostQuery {
  bool (*ask)(HostQuery *q, Program *program); // false: `diags` has the reason
  SourceUnit *unit;
  const AstFunction *kernel;
  const Specialization *specialization;
  Arena *arena;  // of the answers
  bool is_quiet; // no warnings: the compilation repeats them
  DiagList diags;
  bool has_memory, ok;
  ValueSource source; // of requested values
  // The answers of all questions; each question sets its own.
  ArgSpec *args;
  bool *reads; // may be NULL
  int *num_warps, *num_stages;
  int *num_ctas; // of VALUES_OF_LAUNCH
  Tuning *tuning;
  const char **why;
  HookKind hook;
  HookAnswer *answer;
};

static void query_body(void *data) {
  HostQuery *query = data;
  Program *program = query->unit->program;
  diag_init(&query->diags, query->arena);
  frontend_add_sources(program, &query->diags);
  query->ok = query->ask(query, program);
}

static void protect_query(void *data) {
  HostQuery *query = data;
  query->has_memory =
      unit_protect_with(query->unit, query->arena, query_body, query);
}

static TileStatus run_query(const Report *report, HostQuery *query) {
  threads_call(ROOM_FOR_VALUES, protect_query, query);
  if (!query->has_memory) return TILE_OUT_OF_MEMORY;
  if (query->ok && query->is_quiet) return TILE_OK;
  if (!report_list(report, &query->diags)) return TILE_OUT_OF_MEMORY;
  return query->ok ? TILE_OK : failure(&query->diags);
}

// -- Values ------------------------------------------------------------------

static bool ask_values(HostQuery *q, Program *program) {
  const int count = function_num_params(q->kernel);
  ParamValues values = {.args = arena_array(q->arena, ArgSpec, count + 1),
                        .reads = q->reads};
  if (!frontend_values(program, q->kernel, q->specialization, q->source,
                       q->arena, &q->diags, &values))
    return false;
  for (int i = 0; i < count; i++) {
    if (values.args[i].kind != ARG_ABSENT) q->args[i] = values.args[i];
  }
  *q->num_warps = values.num_warps;
  *q->num_stages = values.num_stages;
  if (values.num_ctas) *q->num_ctas = values.num_ctas;
  return true;
}

TileStatus compile_heuristics(const Report *report, SourceUnit *unit,
                              const AstFunction *kernel, Arena *arena,
                              ArgSpec *args, bool *reads,
                              Specialization *specialization) {
  HostQuery query = {.ask = ask_values,
                     .source = VALUES_OF_HEURISTICS,
                     .unit = unit,
                     .kernel = kernel,
                     .specialization = specialization,
                     .arena = arena,
                     .args = args,
                     .reads = reads,
                     .num_warps = &specialization->num_warps,
                     .num_stages = &specialization->num_stages,
                     .num_ctas = &specialization->num_ctas};
  return run_query(report, &query);
}

static TileStatus query_quietly(const Report *report, ValueSource source,
                                SourceUnit *unit, const AstFunction *kernel,
                                Arena *arena, ArgSpec *args, bool *reads,
                                Specialization *specialization) {
  HostQuery query = {.ask = ask_values,
                     .source = source,
                     .unit = unit,
                     .kernel = kernel,
                     .specialization = specialization,
                     .arena = arena,
                     .is_quiet = true,
                     .args = args,
                     .reads = reads,
                     .num_warps = &specialization->num_warps,
                     .num_stages = &specialization->num_stages,
                     .num_ctas = &specialization->num_ctas};
  return run_query(report, &query);
}

TileStatus compile_values(const Report *report, SourceUnit *unit,
                          const AstFunction *kernel, Arena *arena,
                          ArgSpec *args, Specialization *specialization) {
  return query_quietly(report, VALUES_OF_LAUNCH, unit, kernel, arena, args,
                       NULL, specialization);
}

TileStatus compile_defaults(const Report *report, SourceUnit *unit,
                            const AstFunction *kernel, Arena *arena,
                            ArgSpec *args, bool *others,
                            Specialization *specialization) {
  return query_quietly(report, VALUES_OF_DEFAULTS, unit, kernel, arena, args,
                       others, specialization);
}

// -- Configurations ----------------------------------------------------------

static bool ask_tuning(HostQuery *q, Program *program) {
  return frontend_tuning(program, q->kernel, q->specialization->target,
                         q->arena, &q->diags, q->tuning);
}

static bool ask_prune(HostQuery *q, Program *program) {
  return frontend_prune(program, q->kernel, q->specialization, q->arena,
                        &q->diags, q->why);
}

static bool ask_hook(HostQuery *q, Program *program) {
  const int count = function_num_params(q->kernel);
  q->answer->effects = arena_array(q->arena, HookEffect, count + 1);
  return frontend_hook(program, q->kernel, q->specialization, q->hook, q->arena,
                       &q->diags, q->answer);
}

TileStatus compile_prune(const Report *report, SourceUnit *unit,
                         const AstFunction *kernel,
                         const Specialization *specialization, Arena *arena,
                         const char **why) {
  HostQuery query = {.ask = ask_prune,
                     .unit = unit,
                     .kernel = kernel,
                     .specialization = specialization,
                     .arena = arena,
                     .why = why};
  return run_query(report, &query);
}

TileStatus compile_hook(const Report *report, SourceUnit *unit,
                        const AstFunction *kernel,
                        const Specialization *specialization, HookKind kind,
                        Arena *arena, HookAnswer *out) {
  HostQuery query = {.ask = ask_hook,
                     .unit = unit,
                     .kernel = kernel,
                     .specialization = specialization,
                     .arena = arena,
                     .hook = kind,
                     .answer = out};
  return run_query(report, &query);
}

TileStatus compile_tuning(const Report *report, SourceUnit *unit,
                          const AstFunction *kernel, const Target *target,
                          Arena *arena, Tuning *out) {
  const Specialization nothing = {.target = target};
  HostQuery query = {.ask = ask_tuning,
                     .unit = unit,
                     .kernel = kernel,
                     .specialization = &nothing,
                     .arena = arena,
                     .tuning = out};
  return run_query(report, &query);
}
