// llvm.c -- setting up LLVM, and what it says when something goes wrong.
//
// Everything of LLVM that a compilation owns is a field of Llvm, so one cleanup
// frees it, in reverse order of creation, whatever the way out.  The handler
// runs inside LLVM's frames: it only copies into a fixed buffer.
#include "codegen/llvm.h"

#include <assert.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

static once_flag targets_once = ONCE_FLAG_INIT;

static void init_targets(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMInitializeNativeAsmParser();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  // Pointers to shared memory of 32 bits: an option of the process, since LLVM
  // has no other way to ask for it.
  const char *const options[] = {"tile", "-nvptx-short-ptr"};
  LLVMParseCommandLineOptions(2, options, NULL);
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
  Llvm *llvm = data;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || llvm->failed) return;
  llvm->failed = true;
  char *text = LLVMGetDiagInfoDescription(info);
  snprintf(llvm->error, sizeof llvm->error, "%s", text);
  LLVMDisposeMessage(text);
}

static void dispose(void *data) {
  Llvm *llvm = data;
  if (llvm->text) LLVMDisposeMessage(llvm->text);
  if (llvm->buffer) LLVMDisposeMemoryBuffer(llvm->buffer);
  if (llvm->builder) LLVMDisposeBuilder(llvm->builder);
  if (llvm->module) LLVMDisposeModule(llvm->module);
  if (llvm->machine) LLVMDisposeTargetMachine(llvm->machine);
  if (llvm->context) LLVMContextDispose(llvm->context);
  *llvm = (Llvm){0};
}

static int vector_bytes(const char *features) {
  if (strstr(features, "+avx512f") && strstr(features, "+avx512vl")) return 64;
  return strstr(features, "+avx2") ? 32 : 16;
}

static LLVMTargetMachineRef make_machine(LLVMTargetRef target,
                                         const char *triple, const char *cpu,
                                         const char *features) {
  return LLVMCreateTargetMachine(target, triple, cpu, features,
                                 LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                 LLVMCodeModelDefault);
}

static LLVMTargetMachineRef host_machine(Llvm *llvm) {
  char *triple = LLVMGetDefaultTargetTriple();
  char *cpu = LLVMGetHostCPUName();
  char *features = LLVMGetHostCPUFeatures();
  LLVMTargetRef target;
  LLVMTargetMachineRef machine = NULL;
  if (!LLVMGetTargetFromTriple(triple, &target, &llvm->text)) {
    machine = make_machine(target, triple, cpu, features);
    llvm->vector_bytes = vector_bytes(features);
  }
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return machine;
}

static LLVMTargetMachineRef gpu_machine(Llvm *llvm, const Target *gpu) {
  const char *triple = "nvptx64-nvidia-cuda";
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &llvm->text)) return NULL;
  return make_machine(target, triple, gpu->llvm_cpu, gpu->llvm_features);
}

static void make_module(Llvm *llvm) {
  llvm->module = LLVMModuleCreateWithNameInContext("tile", llvm->context);
  llvm->builder = LLVMCreateBuilderInContext(llvm->context);
  char *triple = LLVMGetTargetMachineTriple(llvm->machine);
  LLVMSetTarget(llvm->module, triple);
  LLVMDisposeMessage(triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(llvm->machine);
  LLVMSetModuleDataLayout(llvm->module, layout);
  LLVMDisposeTargetData(layout);
}

bool llvm_open(Llvm *llvm, const Target *target, Arena *arena,
               DiagList *diags) {
  call_once(&targets_once, init_targets);
  *llvm = (Llvm){0};
  llvm->cleanup = arena_defer(arena, dispose, llvm);
  llvm->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(llvm->context, on_diagnostic, llvm);
  llvm->machine =
      target->is_gpu ? gpu_machine(llvm, target) : host_machine(llvm);
  if (!llvm->machine) {
    return diag_error(diags, (SrcLoc){0}, "LLVM cannot compile for %s: %s",
                      target->name, llvm->text ? llvm->text : "no reason");
  }
  make_module(llvm);
  return true;
}

void llvm_close(Llvm *llvm) {
  arena_cleanup_now(llvm->cleanup);
}

bool llvm_check(Llvm *llvm, DiagList *diags) {
  if (!llvm->failed) return true;
  return diag_error(diags, (SrcLoc){0}, "LLVM: %s", llvm->error);
}

bool llvm_run_passes(Llvm *llvm, const char *passes, DiagList *diags) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(llvm->module, passes, llvm->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error && !llvm->failed) {
    llvm->failed = true;
    char *text = LLVMGetErrorMessage(error);
    snprintf(llvm->error, sizeof llvm->error, "%s", text);
    LLVMDisposeErrorMessage(text);
  } else if (error) {
    LLVMConsumeError(error);
  }
  return llvm_check(llvm, diags);
}

static LLVMValueRef declare_intrinsic(Llvm *llvm, const char *name,
                                      LLVMTypeRef const *types, int num_types,
                                      LLVMTypeRef *function_type) {
  LLVMTypeRef overload[4];
  for (int i = 0; i < num_types; i++) overload[i] = types[i];
  const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  assert(id && "no such intrinsic");
  *function_type =
      LLVMIntrinsicGetType(llvm->context, id, overload, (size_t)num_types);
  return LLVMGetIntrinsicDeclaration(llvm->module, id, overload,
                                     (size_t)num_types);
}

LLVMValueRef llvm_call(Llvm *llvm, const char *name, LLVMTypeRef const *types,
                       int num_types, LLVMValueRef *args, int num_args) {
  LLVMTypeRef type;
  LLVMValueRef f = declare_intrinsic(llvm, name, types, num_types, &type);
  return LLVMBuildCall2(llvm->builder, type, f, args, (unsigned)num_args, "");
}
