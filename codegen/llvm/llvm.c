// llvm.c -- setting up LLVM, and its error messages.
//
// All LLVM objects of a compilation are fields of Llvm, so one cleanup frees
// them, in reverse order of creation, on every exit.  The handler runs inside
// LLVM's frames: it only copies into a fixed buffer.
#include "codegen/llvm.h"

#include "codegen/errors.h"

#include "codegen/codegen.h"

#include <assert.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Options of the process, as LLVM offers no other way: 32-bit pointers to
// shared memory of a GPU; for the host, neither a search for masks that would
// be faster in general registers nor an order of instructions after registers
// are chosen, which PTX never has.
static const char *const settings[] = {"tile", "-nvptx-short-ptr",
                                       "-disable-x86-domain-reassignment",
                                       "-disable-post-ra"};

enum { NUM_SETTINGS = sizeof settings / sizeof *settings };

static pthread_once_t targets_once = PTHREAD_ONCE_INIT;

static void init_targets(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMInitializeNativeAsmParser();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMParseCommandLineOptions(NUM_SETTINGS, settings, NULL);
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
  if (llvm->lines) LLVMDisposeDIBuilder(llvm->lines);
  if (llvm->module) LLVMDisposeModule(llvm->module);
  if (llvm->machine && llvm->failed)
    LLVMDisposeTargetMachine(llvm->machine);
  else if (llvm->machine)
    machines_give(llvm->config, llvm->machine);
  if (llvm->context) LLVMContextDispose(llvm->context);
  *llvm = (Llvm){0};
}

static int vector_bytes(const char *features) {
  if (strstr(features, "+avx512f") && strstr(features, "+avx512vl") &&
      strstr(features, "+avx512dq"))
    return 64;
  return strstr(features, "+avx2") ? 32 : 16;
}

static bool has_amx(const char *features) {
  return strstr(features, "+amx-tile") && strstr(features, "+amx-bf16") &&
         strstr(features, "+amx-int8");
}

static LLVMTargetMachineRef make_machine(const LlvmConfig *config,
                                         LLVMTargetRef target,
                                         const char *triple, const char *cpu,
                                         const char *features) {
  LLVMTargetMachineRef kept = machines_take(config);
  const bool quick = config->quick && !config->target->is_gpu;
  if (kept) return kept;
  return LLVMCreateTargetMachine(target, triple, cpu, features,
                                 quick ? LLVMCodeGenLevelNone
                                       : LLVMCodeGenLevelDefault,
                                 LLVMRelocPIC, LLVMCodeModelDefault);
}

typedef struct {
  const char *name;
  int level;
  int vector_bytes;
  bool has_half, has_words, has_amx;
} HostCpu;

static const HostCpu host_cpus[] = {
#define HOST_CPU(name, level, vector_bytes, has_half, has_words, has_amx)      \
  {name, level, vector_bytes, has_half, has_words, has_amx},
#include "codegen/llvm/host_cpus.def"
};
enum { NUM_HOST_CPUS = sizeof host_cpus / sizeof *host_cpus };

static const HostCpu *find_host_cpu(const char *name) {
#ifdef __x86_64__
  for (size_t i = 0; i < NUM_HOST_CPUS; i++) {
    if (!strcmp(host_cpus[i].name, name)) return &host_cpus[i];
  }
#endif
  (void)name;
  return NULL;
}

const char *codegen_host_cpu_names(void) {
#ifdef __x86_64__
  return "native"
#define HOST_CPU(name, ...) ", " name
#include "codegen/llvm/host_cpus.def"
      ;
#else
  return "native";
#endif
}

const char *codegen_level_name(int level) {
  for (size_t i = 0; i < NUM_HOST_CPUS; i++) {
    if (level && host_cpus[i].level == level) return host_cpus[i].name;
  }
  return NULL;
}

bool codegen_has_host_cpu(const char *name) {
  return find_host_cpu(name) != NULL;
}

bool codegen_runs_host_cpu(const char *name) {
  const HostCpu *cpu = find_host_cpu(name);
  if (!cpu) return false;
  if (cpu->level) return cpu->level <= target_own_level();
  char *own = LLVMGetHostCPUName();
  const bool same = !strcmp(own, cpu->name);
  LLVMDisposeMessage(own);
  return same;
}

bool codegen_has_amx(const char *host_cpu) {
  const HostCpu *cpu = host_cpu ? find_host_cpu(host_cpu) : NULL;
  if (host_cpu) return cpu && cpu->has_amx;
  char *features = LLVMGetHostCPUFeatures();
  const bool out = has_amx(features);
  LLVMDisposeMessage(features);
  return out;
}

void codegen_host_cpu(char *out, size_t size) {
  char *triple = LLVMGetDefaultTargetTriple();
  char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  snprintf(out, size, "%s %s %s", cpu, triple, features);
  LLVMDisposeMessage(features);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(triple);
}

void codegen_llvm_version(char *out, size_t size) {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  snprintf(out, size, "%u.%u.%u", major, minor, patch);
}

static LLVMTargetMachineRef own_machine(Llvm *llvm, LLVMTargetRef target,
                                        const char *triple,
                                        const LlvmConfig *config) {
  char *cpu = LLVMGetHostCPUName();
  char *features = LLVMGetHostCPUFeatures();
  llvm->vector_bytes = vector_bytes(features);
  const bool wide = llvm->vector_bytes == 64;
  const bool is_other = strncmp(triple, "x86", 3);
  llvm->has_half = is_other || strstr(features, "+f16c");
  llvm->has_fma = is_other || strstr(features, "+fma,");
  llvm->has_pairs = wide && strstr(features, "+avx512bf16");
  llvm->has_quads = wide && strstr(features, "+avx512vnni");
  llvm->has_amx = llvm->has_pairs && llvm->has_quads && has_amx(features);
  LLVMTargetMachineRef machine =
      make_machine(config, target, triple, cpu, features);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return machine;
}

static LLVMTargetMachineRef host_machine(Llvm *llvm, const LlvmConfig *config) {
  const char *name = config->host_cpu;
  const HostCpu *cpu = name ? find_host_cpu(name) : NULL;
  assert(!cpu == !name && "the caller knows the names"); // I3
  char *triple = LLVMGetDefaultTargetTriple();
  LLVMTargetRef target;
  LLVMTargetMachineRef machine = NULL;
  llvm->is_x86 = !strncmp(triple, "x86", 3);
  if (!LLVMGetTargetFromTriple(triple, &target, &llvm->text)) {
    machine = cpu ? make_machine(config, target, triple, cpu->name, "")
                  : own_machine(llvm, target, triple, config);
    if (cpu) llvm->vector_bytes = cpu->vector_bytes;
    if (cpu) llvm->has_half = llvm->has_fma = cpu->has_half;
    if (cpu) llvm->has_pairs = llvm->has_quads = cpu->has_words;
    if (cpu) llvm->has_amx = cpu->has_amx;
  }
  LLVMDisposeMessage(triple);
  return machine;
}

static LLVMTargetMachineRef gpu_machine(Llvm *llvm, const LlvmConfig *config) {
  const Target *gpu = config->target;
  const int version = config->ptx_version;
  const char *triple = "nvptx64-nvidia-cuda";
  llvm->has_half = true;
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &llvm->text)) return NULL;
  char features[16];
  snprintf(features, sizeof features, "+ptx%d",
           version ? version : gpu->ptx_version);
  return make_machine(config, target, triple, gpu->llvm_cpu, features);
}

// Takes ownership of the buffer in any case.
static bool read_module(Llvm *llvm, const char *seed) {
  LLVMMemoryBufferRef text =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(seed, strlen(seed), "tile");
  if (LLVMParseIRInContext(llvm->context, text, &llvm->module, &llvm->text))
    return false;
  llvm->lines = LLVMCreateDIBuilderDisallowUnresolved(llvm->module);
  return true;
}

static bool make_module(Llvm *llvm, const char *seed) {
  if (!seed)
    llvm->module = LLVMModuleCreateWithNameInContext("tile", llvm->context);
  else if (!read_module(llvm, seed))
    return false;
  llvm->builder = LLVMCreateBuilderInContext(llvm->context);
  char *triple = LLVMGetTargetMachineTriple(llvm->machine);
  LLVMSetTarget(llvm->module, triple);
  LLVMDisposeMessage(triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(llvm->machine);
  LLVMSetModuleDataLayout(llvm->module, layout);
  LLVMDisposeTargetData(layout);
  return true;
}

bool llvm_open(Llvm *llvm, const LlvmConfig *config, Arena *arena,
               DiagList *diags) {
  const Target *target = config->target;
  pthread_once(&targets_once, init_targets);
  *llvm = (Llvm){.config = config};
  if (!llvm_has_names(target, diags)) return false;
  llvm->cleanup = arena_defer(arena, dispose, llvm);
  llvm->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(llvm->context, on_diagnostic, llvm);
  llvm->machine =
      target->is_gpu ? gpu_machine(llvm, config) : host_machine(llvm, config);
  if (!llvm->machine) {
    return diag_error(diags, (SrcLoc){0}, ERROR_llvm_no_machine, target->name,
                      llvm->text ? llvm->text : "no reason");
  }
  return make_module(llvm, config->seed) ||
         diag_bug(diags, (SrcLoc){0}, "LLVM cannot read what we wrote: %s",
                  llvm->text ? llvm->text : "no reason");
}

void llvm_close(Llvm *llvm) {
  arena_cleanup_now(llvm->cleanup);
}

bool llvm_check(Llvm *llvm, DiagList *diags) {
  if (!llvm->failed) return true;
  return diag_error(diags, (SrcLoc){0}, ERROR_llvm, llvm->error);
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

unsigned llvm_attribute_kind(const char *name) {
  return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

void llvm_each_block(LLVMModuleRef module,
                     void (*visit)(LLVMBasicBlockRef block, void *ctx),
                     void *ctx) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
       f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
         block = LLVMGetNextBasicBlock(block))
      visit(block, ctx);
}

static LLVMValueRef declare_intrinsic(Llvm *llvm, const char *name,
                                      LLVMTypeRef const *types, int num_types,
                                      LLVMTypeRef *function_type) {
  LLVMTypeRef overload[4];
  for (int i = 0; i < num_types; i++) overload[i] = types[i];
  const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  assert(id && num_types <= 4 && "no such intrinsic"); // I2
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

LLVMValueRef llvm_call_of_bits(Llvm *llvm, const char *name, LLVMValueRef *args,
                               int num_args) {
  LLVMTypeRef type, params[4];
  declare_intrinsic(llvm, name, NULL, 0, &type);
  assert(num_args <= 4 && LLVMCountParamTypes(type) == (unsigned)num_args);
  LLVMGetParamTypes(type, params);
  for (int i = 0; i < num_args; i++) {
    args[i] = LLVMBuildBitCast(llvm->builder, args[i], params[i], "");
  }
  return llvm_call(llvm, name, NULL, 0, args, num_args);
}
