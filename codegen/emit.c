// emit.c -- from a module to machine code: the order of the stages.
#include "codegen/emit.h"
#include "codegen/errors.h"
#include "codegen/llvm/output.h"

#include <assert.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(const Emit *e, const char *stage, double *since) {
  const double time = now();
  if (e->options.timed) {
    e->options.timed(e->options.timed_ctx, stage, time - *since);
  }
  *since = time;
}

static int source_index(const Param *param, int position) {
  const Attr *attr = attrs_find(param->attrs, param->num_attrs, ATTR_argument);
  return attr ? (int)attr->as.i : position;
}

// The table of a kernel whose machine parameters are its arguments.
static const KernelParam *params_of(Emit *e, const Function *f) {
  const int n = f->body->num_args;
  KernelParam *params = arena_array(e->arena, KernelParam, n);
  for (int i = 0; i < n; i++) {
    const Type *type = f->body->args[i].type;
    params[i] = (KernelParam){
        .rule = PARAM_ARGUMENT,
        .index = source_index(&f->params[i], i),
        .elem = type->elem,
        .is_pointer = type->kind == TYPE_POINTER,
        .size = emit_memory_bytes(type),
        .align = emit_memory_bytes(type),
    };
  }
  return params;
}

static bool fits_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

// The symbol of a function.  Assemblers reject `Class.method` or `größe`, so
// all characters but letters, digits and `_` become `_`.
static const char *symbol_of(const Emit *e, const Function *f) {
  const char *prefix = e->target->is_gpu ? "" : HOST_SYMBOL_PREFIX;
  char *symbol = arena_printf(e->arena, "%s%s", prefix, f->name);
  for (char *c = symbol; *c; c++) {
    if (!fits_symbol(*c)) *c = '_';
  }
  return symbol;
}

static bool emit_function(Emit *e, const Function *f, KernelInfo *out) {
  const char *symbol = symbol_of(e, f);
  if (LLVMGetNamedFunction(e->llvm.module, symbol)) {
    return diag_error(e->diags, f->loc, ERROR_kernels_of_one_name, f->name);
  }
  *out = (KernelInfo){
      .symbol = symbol,
      .params = params_of(e, f),
      .num_params = f->body->num_args,
      .num_warps = 1,
  };
  e->num_nests = e->num_tiles = 0;
  const bool no_fp_fusion = e->options.no_fp_fusion;
  e->options.no_fp_fusion |= function_int(f, ATTR_no_fp_fusion, false) != 0;
  const bool ok = e->target->is_gpu ? gpu_emit_function(e, f, out)
                                    : host_emit_function(e, f, out);
  assert((!ok || out->num_params >= f->body->num_args) &&
         "an argument has no parameter"); // I1
  e->options.no_fp_fusion = no_fp_fusion;
  return ok;
}

static bool emit_functions(Emit *e, CompiledCode *out) {
  int n = 0;
  for (const Function *f = e->m->functions; f; f = f->next) n++;
  KernelInfo *kernels = arena_array(e->arena, KernelInfo, n);
  int i = 0;
  for (const Function *f = e->m->functions; f; f = f->next, i++) {
    if (!emit_function(e, f, &kernels[i])) return false;
    const char *symbol = kernels[i].symbol;
    LLVMValueRef code = LLVMGetNamedFunction(e->llvm.module, symbol);
    assert(code && LLVMCountBasicBlocks(code) > 0 && "it has no code"); // I2
    (void)code;
  }
  out->kernels = kernels;
  out->num_kernels = n;
  return true;
}

static bool run_stages(Emit *e, EmitKind kind, CompiledCode *out) {
  double since = now();
  e->config = (LlvmConfig){.target = e->target,
                           .host_cpu = e->options.host_cpu,
                           .ptx_version = e->options.ptx_version,
                           .quick = e->options.quick,
                           .machines = e->options.machines,
                           .seed = lines_seed(e)};
  if (!llvm_open(&e->llvm, &e->config, e->arena, e->diags)) return false;
  e->b = e->llvm.builder;
  const int errors = e->diags->num_errors;
  if (!emit_functions(e, out) || e->diags->num_errors > errors) return false;
  if (!output_verify(e)) return false;
  report(e, "emit", &since);
  if (!output_optimize(e)) return false;
  report(e, "optimize", &since);
  if (!output_write(e, kind, out)) return false;
  report(e, "codegen", &since);
  return true;
}

bool codegen_emit(Module *m, const Target *target, EmitKind kind,
                  const CodegenOptions *options, CompiledCode *out) {
  Emit *e = arena_new(m->arena, Emit);
  e->m = m;
  e->arena = m->arena;
  e->diags = m->diags;
  e->target = target;
  if (options) e->options = *options;
  CompiledCode code = {0};
  const bool ok = run_stages(e, kind, &code);
  if (e->llvm.cleanup) llvm_close(&e->llvm);
  assert((ok || diag_failed(m->diags)) && "it failed and says not why"); // I3
  if (ok) *out = code;
  return ok;
}
