// output.c -- the middle end, and the output of LLVM.
//
// The pipeline is short and our own: SLP vectorisation alone took nine tenths
// of the default one, and our loops are vector loops already.
#include "codegen/llvm/output.h"

#include "codegen/errors.h"
#include "codegen/llvm/chains.h"
#include "codegen/llvm/fuse.h"
#include "codegen/llvm/halves.h"
#include "codegen/llvm/narrow.h"
#include "codegen/llvm/order.h"

#include <llvm-c/Analysis.h>
#include <string.h>

// Loops are emitted in their final form; the code generator does the rest, such
// as strength reduction.  Other passes take time for each loop, without a gain:
// instcombine, gvn, indvars, loop-reduce.
static const char host_passes[] = "function(early-cse<memssa>,instsimplify,"
                                  "loop-mssa(loop-rotate,licm),simplifycfg)";

static const char quick_passes[] = "function(early-cse,simplifycfg)";

static const char gpu_passes[] =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(licm),gvn,reassociate,"
    "instcombine<no-verify-fixpoint>,simplifycfg)";

bool output_verify(Emit *e) {
  char *text = NULL;
  const bool bad =
      LLVMVerifyModule(e->llvm.module, LLVMReturnStatusAction, &text);
  if (bad) diag_bug(e->diags, (SrcLoc){0}, "LLVM: %s", text);
  LLVMDisposeMessage(text);
  return !bad;
}

static bool merge_parts(Emit *e) {
  return !e->has_parts || llvm_run_passes(&e->llvm, "mergefunc", e->diags);
}

static const char *passes_of(const Emit *e) {
  if (e->target->is_gpu) return gpu_passes;
  return e->options.quick ? quick_passes : host_passes;
}

bool output_optimize(Emit *e) {
  if (!merge_parts(e)) return false;
  if (!e->target->is_gpu) fuse_sums(e);
  if (!llvm_run_passes(&e->llvm, passes_of(e), e->diags)) return false;
  if (e->target->is_gpu) {
    narrow_choices(e);
    take_halves_apart(e);
    cut_chains(e);
    order_by_need(e);
  } else if (!e->options.quick) {
    cut_addresses(e);
  }
  return true;
}

// LLVM does not parse assembly, and does not know the newest versions.
static void raise_version(Emit *e, char *text) {
  const int version = e->ptx_version;
  char *at = version ? strstr(text, ".version ") : NULL;
  if (!at) return;
  at += strlen(".version ");
  if ((at[0] - '0') * 10 + at[2] - '0' >= version) return;
  at[0] = (char)('0' + version / 10);
  at[2] = (char)('0' + version % 10);
}

// LLVM 19 has no attribute for clusters: adds their size to the text of each
// kernel, beside that of its blocks.
static const char *add_clusters(Emit *e, const char *text) {
  for (size_t i = 0; i < e->clusters.count; i++) {
    const EmitCluster *cluster = &e->clusters.items[i];
    const char *name =
        arena_printf(e->arena, ".visible .entry %s(", cluster->symbol);
    const char *at = strstr(text, name);
    if (at) at = strstr(at, ".reqntid");
    if (!at) continue;
    text = arena_printf(e->arena, "%.*s.reqnctapercluster %d, 1, 1\n%s",
                        (int)(at - text), text, cluster->num_blocks, at);
  }
  return text;
}

static void take(Emit *e, const char *data, size_t size, CompiledCode *out) {
  char *text = arena_strndup(e->arena, data, size);
  if (e->target->is_gpu) raise_version(e, text);
  out->data = add_clusters(e, text);
  out->size = e->clusters.count ? strlen(out->data) : size;
}

static bool write_ir(Emit *e, CompiledCode *out) {
  e->llvm.text = LLVMPrintModuleToString(e->llvm.module);
  take(e, e->llvm.text, strlen(e->llvm.text), out);
  return true;
}

bool output_write(Emit *e, EmitKind kind, CompiledCode *out) {
  if (kind == EMIT_LLVM) return write_ir(e, out);
  char *text = NULL;
  const bool bad = LLVMTargetMachineEmitToMemoryBuffer(
      e->llvm.machine, e->llvm.module,
      kind == EMIT_OBJECT ? LLVMObjectFile : LLVMAssemblyFile, &text,
      &e->llvm.buffer);
  e->llvm.text = text;
  if (!llvm_check(&e->llvm, e->diags)) return false;
  if (bad) {
    return diag_error(e->diags, (SrcLoc){0}, ERROR_llvm,
                      text ? text : "no output");
  }
  take(e, LLVMGetBufferStart(e->llvm.buffer), LLVMGetBufferSize(e->llvm.buffer),
       out);
  return true;
}
