// llvm.h -- one LLVM context, module and target machine, owned by an arena.
//
// LLVM reports errors of code generation to a handler and then continues, so
// `failed` is tested after every step.
#ifndef TILE_CODEGEN_LLVM_H
#define TILE_CODEGEN_LLVM_H

#include "codegen/codegen.h"
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
  char *text;       // owned by LLVM's allocator
  int vector_bytes; // of the widest vector register of a host
  bool is_x86;      // the target is an x86 host
  bool has_half;    // instructions convert f16
  bool has_fma;     // instructions multiply and add at once
  bool has_pairs;   // it multiplies and adds pairs of bf16, in its widest
                    // vectors
  bool has_quads;   // the same for quads of int8
  bool has_amx;     // it multiplies tiles of both
  bool failed;
  char error[512]; // the first message to the handler
  const struct LlvmConfig *config;
  ArenaCleanup *cleanup;
} Llvm;

typedef struct LlvmConfig {
  const Target *target;
  const char *host_cpu;      // NULL: this machine's
  int ptx_version;           // 0: the target's
  bool quick;                // little optimization in the code generator
  CodegenMachines *machines; // NULL: none are kept
  const char *seed; // LLVM IR from which the module starts; NULL: empty
} LlvmConfig;

// Fills `llvm`; the arena closes it when it unwinds.  False after a diagnostic
// if LLVM does not know the target.
// The caller keeps `config` until the end.
bool llvm_open(Llvm *llvm, const LlvmConfig *config, Arena *arena,
               DiagList *diags);
void llvm_close(Llvm *llvm);

// A machine of config->machines for that configuration, which the caller owns
// then (machines.c).  NULL: none.
LLVMTargetMachineRef machines_take(const LlvmConfig *config);
// Gives a machine to config->machines, or disposes of it if there is no room.
void machines_give(const LlvmConfig *config, LLVMTargetMachineRef machine);

// Turns an error that LLVM reported into a diagnostic; then returns false.
bool llvm_check(Llvm *llvm, DiagList *diags);

// Runs a textual pass pipeline with the target machine attached.
bool llvm_run_passes(Llvm *llvm, const char *passes, DiagList *diags);

// Visits the blocks of all functions, in order.
void llvm_each_block(LLVMModuleRef module,
                     void (*visit)(LLVMBasicBlockRef block, void *ctx),
                     void *ctx);

// The number of LLVM's attribute of that name.
unsigned llvm_attribute_kind(const char *name);

// A call of an intrinsic, overloaded by `types`.
LLVMValueRef llvm_call(Llvm *llvm, const char *name, LLVMTypeRef const *types,
                       int num_types, LLVMValueRef *args, int num_args);

// A call of an intrinsic without overloads; an argument of another type than
// the parameter is converted by its bits.
LLVMValueRef llvm_call_of_bits(Llvm *llvm, const char *name, LLVMValueRef *args,
                               int num_args);

// The functions below hide differences between releases of LLVM (version.c).

// Has this LLVM every intrinsic and attribute that code for `target` uses?
// False after a diagnostic that names a missing one.
bool llvm_has_names(const Target *target, DiagList *diags);

// Waits for all threads of the block.
LLVMValueRef llvm_barrier(Llvm *llvm);

// 2 to the power of an f32, by the GPU's instruction, which flushes denormals.
LLVMValueRef llvm_exp2_approx(Llvm *llvm, LLVMValueRef x);

// Vectors of which the lanes in `mask` are read or written, with any alignment:
// `ptr` is the address of the first lane, or a vector with one address for each
// lane.  A lane that is not read is 0.
LLVMValueRef llvm_masked_load(Llvm *llvm, LLVMTypeRef type, LLVMValueRef ptr,
                              LLVMValueRef mask);
void llvm_masked_store(Llvm *llvm, LLVMValueRef x, LLVMValueRef ptr,
                       LLVMValueRef mask);

typedef enum {
  LIMIT_THREADS,   // of a block, exactly
  LIMIT_REGISTERS, // of a thread, at most
  LIMIT_BLOCKS,    // on a multiprocessor, at least
} KernelLimit;

void llvm_limit_kernel(Llvm *llvm, LLVMValueRef kernel, KernelLimit limit,
                       int value);

// Marks the parameters from `first` on as not written by the kernel.
void llvm_keep_constant(Llvm *llvm, Arena *arena, LLVMValueRef kernel,
                        int first, int num);

#endif
