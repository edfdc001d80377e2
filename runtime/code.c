// code.c -- returns the code of a variant to the caller.
#include "runtime/compile/compile.h"
#include "runtime/program.h"

#include "ir/text.h"
#include "runtime/base/threads.h"
#include "runtime/errors.h"
#include "runtime/ptxas/ptxas.h"

#include <assert.h>
#include <string.h>

struct TileCode {
  Allocator from; // a copy: the context may be destroyed before the code
  size_t size;
  char *data;
  char *symbol;
};

const void *tile_code_data(const TileCode *code) {
  return code ? code->data : "";
}

size_t tile_code_size(const TileCode *code) {
  return code ? code->size : 0;
}

const char *tile_code_symbol(const TileCode *code) {
  return code ? code->symbol : "";
}

void tile_code_destroy(TileCode *code) {
  if (code) code->from.free(code->from.ctx, code);
}

// Copies the code and its symbol into one block.
static TileCode *copy_code(const Allocator *from, const char *data, size_t size,
                           const char *symbol) {
  const size_t length = strlen(symbol) + 1;
  TileCode *code = from->alloc(from->ctx, sizeof *code + size + 1 + length);
  if (!code) return NULL;
  char *bytes = (char *)(code + 1);
  *code = (TileCode){
      .from = *from, .size = size, .data = bytes, .symbol = bytes + size + 1};
  if (size) memcpy(bytes, data, size);
  bytes[size] = '\0';
  memcpy(code->symbol, symbol, length);
  return code;
}

// -- Forms -------------------------------------------------------------------

enum { GPU = 1, HOST = 2 };

typedef struct {
  const char *name;
  unsigned targets; // targets that have it
  CompileGoal goal;
  EmitKind kind;
} OutputForm;

static const OutputForm forms[] = {
#define CODE(id, ...) [TILE_CODE_##id] = {__VA_ARGS__},
#include "runtime/code_kinds.def"
};
enum { NUM_FORMS = sizeof forms / sizeof *forms };

static TileStatus check_form(const Report *report, const TileDevice *device,
                             TileCodeKind kind) {
  if ((unsigned)kind >= NUM_FORMS)
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_code_kind,
                        (int)kind);
  const OutputForm *form = &forms[kind];
  if (!(form->targets & (device->target->is_gpu ? GPU : HOST)))
    return report_error(report, TILE_INVALID_ARGUMENT, ERROR_code_of_target,
                        device->target->name, form->name);
  return TILE_OK;
}

// -- Making it ---------------------------------------------------------------

typedef struct {
  TileDevice *device;
  TileCodeKind kind;
  TileCode **out;
  const Report *report;
  const CompileRequest *request;
  Compilation compiled;
  Str text;    // of the IR
  Arena arena; // of ptxas
  TileStatus status;
} Making;

static void print_body(void *data) {
  Making *m = data;
  m->text = str_in(&m->compiled.arena);
  module_print(m->compiled.module, NULL, &m->text);
}

static void compile_body(void *data) {
  Making *m = data;
  m->status = compile(m->report, m->request, &m->compiled);
  if (!m->status && m->request->goal != COMPILE_TO_CODE &&
      !arena_protect(&m->compiled.arena, print_body, m))
    m->status = TILE_OUT_OF_MEMORY;
}

static TileStatus copy_out(Making *m, const char *data, size_t size,
                           const char *symbol) {
  TileCode *code = copy_code(m->report->from, data, size, symbol);
  if (!code) return TILE_OUT_OF_MEMORY;
  *m->out = code;
  return TILE_OK;
}

static void keep_cubin(void *ctx, const void *data, size_t size) {
  Making *m = ctx;
  m->status = copy_out(m, data, size, m->compiled.code.kernels[0].symbol);
}

static bool is_cancelled(void *ctx) {
  const Cancel *cancel = ctx;
  return cancel->asked && cancel->asked(cancel->ctx);
}

static TileStatus run_ptxas(Making *m, const char *ptxas) {
  TileContext *context = m->device->context;
  const CompiledCode *code = &m->compiled.code;
  const PtxasInput input = {.ptx = code->data,
                            .size = code->size,
                            .arch = m->device->target->name,
                            .line_info = m->request->codegen->line_info,
                            .cancelled = is_cancelled,
                            .cancelled_ctx = &context->cancel};
  PtxasOutput output;
  switch (ptxas_run(&m->arena, ptxas, &input, &output)) {
  case PTXAS_FINE:
    return copy_out(m, output.cubin, output.size, code->kernels[0].symbol);
  case PTXAS_CANCELLED:
    return report_error(m->report, TILE_CANCELLED, ERROR_compile_cancelled);
  case PTXAS_REFUSED:
    return report_error(m->report, TILE_DEVICE_ERROR, ERROR_ptxas_refuses,
                        ptxas, output.log);
  case PTXAS_FAILED: break;
  }
  return report_error(m->report, TILE_DEVICE_ERROR, ERROR_ptxas_fails, ptxas,
                      output.log);
}

static void ptxas_body(void *data) {
  Making *m = data;
  const char *ptxas = ptxas_find(&m->arena), *named = ptxas_named();
  if (ptxas) {
    m->status = run_ptxas(m, ptxas);
  } else if (named) {
    m->status =
        report_error(m->report, TILE_UNAVAILABLE, ERROR_no_ptxas_there, named);
  } else {
    m->status = report_error(m->report, TILE_UNAVAILABLE, ERROR_no_ptxas);
  }
}

static TileStatus assemble_by_ptxas(Making *m) {
  arena_init(&m->arena, m->report->from);
  if (!arena_protect(&m->arena, ptxas_body, m)) m->status = TILE_OUT_OF_MEMORY;
  arena_free(&m->arena);
  return m->status;
}

// Makes machine code by the device's driver if it can, else by ptxas.
static TileStatus assemble(Making *m) {
  Fault fault = {.status = TILE_OK};
  TileDevice *device = m->device;
  if (!device->ops->assemble) return assemble_by_ptxas(m);
  if (device->ops->assemble(device, &m->compiled.code, keep_cubin, m, &fault))
    return m->status;
  return fault.status == TILE_UNAVAILABLE ? assemble_by_ptxas(m)
                                          : report_fault(m->report, &fault);
}

static TileStatus finish(Making *m, const char *name) {
  const CompiledCode *code = &m->compiled.code;
  if (m->kind == TILE_CODE_CUBIN) return assemble(m);
  if (m->kind == TILE_CODE_IR)
    return copy_out(m, str_text(&m->text), m->text.length, name);
  return copy_out(m, code->data, code->size, code->kernels[0].symbol);
}

static TileStatus obtain(Making *m, const Keeping *keeping) {
  const bool is_code = m->request->goal == COMPILE_TO_CODE;
  bool found = false;
  if (is_code) m->status = kept_find(m->report, keeping, &m->compiled, &found);
  if (m->status || found) return m->status;
  threads_call(ROOM_TO_COMPILE, compile_body, m);
  if (!m->status && is_code) kept_put(keeping, &m->compiled);
  return m->status;
}

static TileStatus make_code(void *data, const Report *report,
                            TileKernel *kernel,
                            const Specialization *specialization) {
  Making *m = data;
  const OutputForm *form = &forms[m->kind];
  assert(form->targets & (m->device->target->is_gpu ? GPU : HOST)); // I13
  const CodegenOptions codegen = device_codegen(m->device);
  const CompileRequest request = {.unit = kernel->program->unit,
                                  .kernel = kernel->function,
                                  .specialization = specialization,
                                  .goal = form->goal,
                                  .kind = form->kind,
                                  .codegen = &codegen,
                                  .cancel = &m->device->context->cancel};
  const Keeping keeping = {m->device->context->disk, &request, kernel->asked,
                           NULL};
  m->report = report;
  m->request = &request;
  TileStatus status = obtain(m, &keeping);
  if (!status) status = finish(m, kernel->name);
  compilation_free(&m->compiled);
  return status;
}

TileStatus tile_kernel_code(TileDevice *device, const TileLaunch *launch,
                            TileCodeKind kind, TileCode **out,
                            TileDiagnostics **diagnostics) {
  if (!device) return report_null(diagnostics, "device");
  const Report report = report_to(device->context, diagnostics);
  if (!out)
    return report_error(&report, TILE_INVALID_ARGUMENT, ERROR_is_null, "out");
  const TileStatus status = check_form(&report, device, kind);
  if (status) return status;
  Making making = {.device = device, .kind = kind, .out = out};
  return launch_specialize(device, launch, make_code, &making, diagnostics);
}
