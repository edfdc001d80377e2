// llvm.h -- one LLVM context, module and target machine, owned by an arena.
//
// LLVM reports errors of code generation to a handler and then carries on as if
// nothing had happened, so `failed` is asked after every step.
#ifndef TILE_CODEGEN_LLVM_H
#define TILE_CODEGEN_LLVM_H

#include "ir/base/diag.h"
#include "ir/target.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

typedef struct {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMDIBuilderRef lines;
  LLVMTargetMachineRef machine;
  LLVMMemoryBufferRef buffer;
  char *text;       // of LLVM's allocator
  int vector_bytes; // of the widest vector register of a host
  bool has_half;    // has it instructions that convert f16?
  bool failed;
  char error[512]; // what the handler was told first
  ArenaCleanup *cleanup;
} Llvm;

typedef struct {
  const Target *target;
  const char *host_cpu; // NULL: the machine's own
  int ptx_version;      // 0: the target's
  const char *seed; // LLVM IR of ours that the module starts from; NULL: empty
} LlvmConfig;

// Fills `llvm`, which the arena closes when it unwinds.  False after a
// diagnostic if LLVM does not know the target.
bool llvm_open(Llvm *llvm, const LlvmConfig *config, Arena *arena,
               DiagList *diags);
void llvm_close(Llvm *llvm);

// Turns an error that LLVM reported into a diagnostic, and false.
bool llvm_check(Llvm *llvm, DiagList *diags);

// Runs a textual pass pipeline with the target machine attached.
bool llvm_run_passes(Llvm *llvm, const char *passes, DiagList *diags);

// A call of an intrinsic, overloaded by `types`.
LLVMValueRef llvm_call(Llvm *llvm, const char *name, LLVMTypeRef const *types,
                       int num_types, LLVMValueRef *args, int num_args);

#endif
