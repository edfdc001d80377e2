// host_code.c -- ORC: each object in a JITDylib of its own.
//
// A dylib per object keeps equal symbols of different variants apart.  ORC has
// no way to remove a dylib, so an emptied one is reused for the next object.
#define _DEFAULT_SOURCE // syscall
#include "runtime/device/host_code.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// From asm/prctl.h, since Linux 5.16.
enum { REQUEST_STATE = 0x1023, TILE_DATA = 18 };

bool host_code_may_use_amx(void) {
#if defined(__x86_64__) && defined(SYS_arch_prctl)
  return !syscall(SYS_arch_prctl, REQUEST_STATE, TILE_DATA);
#else
  return false;
#endif
}

struct HostObject {
  HostObject *next; // in the list `emptied`
  LLVMOrcJITDylibRef dylib;
};

struct HostCode {
  const Allocator *from;
  LLVMOrcLLJITRef jit;
  pthread_mutex_t lock;
  HostObject *emptied;
  unsigned num_dylibs;
};

static void *allocate(const Allocator *from, size_t size, char *why) {
  void *block = from->alloc(from->ctx, size);
  *why = '\0';
  return block ? memset(block, 0, size) : NULL;
}

static bool check(LLVMErrorRef error, char *why, size_t why_size) {
  if (!error) return true;
  char *text = LLVMGetErrorMessage(error);
  snprintf(why, why_size, "%s", text);
  LLVMDisposeErrorMessage(text);
  return false;
}

static void initialize_target(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
}

HostCode *host_code_create(const Allocator *from, char *why, size_t why_size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize_target);
  HostCode *code = allocate(from, sizeof *code, why);
  if (!code) return NULL;
  if (!check(LLVMOrcCreateLLJIT(&code->jit, NULL), why, why_size)) {
    from->free(from->ctx, code);
    return NULL;
  }
  code->from = from;
  pthread_mutex_init(&code->lock, NULL);
  return code;
}

void host_code_destroy(HostCode *code) {
  if (!code) return;
  LLVMConsumeError(LLVMOrcDisposeLLJIT(code->jit));
  for (HostObject *object = code->emptied, *next; object; object = next) {
    next = object->next;
    code->from->free(code->from->ctx, object);
  }
  pthread_mutex_destroy(&code->lock);
  code->from->free(code->from->ctx, code);
}

// -- Dylibs ------------------------------------------------------------------

// Generated code may call memcpy and the like, which are symbols of the
// process.
static bool resolve_from_process(HostCode *code, LLVMOrcJITDylibRef dylib,
                                 char *why, size_t why_size) {
  LLVMOrcDefinitionGeneratorRef generator;
  const LLVMErrorRef error =
      LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
          &generator, LLVMOrcLLJITGetGlobalPrefix(code->jit), NULL, NULL);
  if (!check(error, why, why_size)) return false;
  LLVMOrcJITDylibAddGenerator(dylib, generator);
  return true;
}

// The caller holds the lock of `code`.
static HostObject *make_dylib(HostCode *code, char *why, size_t why_size) {
  HostObject *object = allocate(code->from, sizeof *object, why);
  if (!object) return NULL;
  char name[32];
  snprintf(name, sizeof name, "kernel.%u", code->num_dylibs++);
  object->dylib = LLVMOrcExecutionSessionCreateBareJITDylib(
      LLVMOrcLLJITGetExecutionSession(code->jit), name);
  if (resolve_from_process(code, object->dylib, why, why_size)) return object;
  code->from->free(code->from->ctx, object);
  return NULL;
}

static HostObject *take_dylib(HostCode *code, char *why, size_t why_size) {
  pthread_mutex_lock(&code->lock);
  HostObject *object = code->emptied;
  if (object) {
    code->emptied = object->next;
  } else {
    object = make_dylib(code, why, why_size);
  }
  pthread_mutex_unlock(&code->lock);
  return object;
}

void host_code_remove(HostCode *code, HostObject *object) {
  if (!object) return;
  // The dylib's generator stays for the next object.
  LLVMConsumeError(LLVMOrcJITDylibClear(object->dylib));
  pthread_mutex_lock(&code->lock);
  assert(object != code->emptied && object->dylib); // I8
  object->next = code->emptied;
  code->emptied = object;
  pthread_mutex_unlock(&code->lock);
}

// -- Looking up --------------------------------------------------------------

typedef struct {
  LLVMErrorRef error;
  void *address;
} FoundAddress;

static void keep_found(LLVMErrorRef error, LLVMOrcCSymbolMapPairs symbols,
                       size_t num_symbols, void *ctx) {
  FoundAddress *found = ctx;
  found->error = error;
  if (!error && num_symbols)
    found->address = (void *)(uintptr_t)symbols[0].Sym.Address;
}

// The session materialises on this thread, so the result is there on return.
static bool look_up(HostCode *code, LLVMOrcJITDylibRef dylib,
                    const char *symbol, void **address, char *why,
                    size_t why_size) {
  LLVMOrcExecutionSessionRef session =
      LLVMOrcLLJITGetExecutionSession(code->jit);
  LLVMOrcCJITDylibSearchOrderElement order = {
      dylib, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly};
  LLVMOrcCLookupSetElement wanted = {
      LLVMOrcLLJITMangleAndIntern(code->jit, symbol),
      LLVMOrcSymbolLookupFlagsRequiredSymbol};
  FoundAddress found = {NULL, NULL};
  LLVMOrcExecutionSessionLookup(session, LLVMOrcLookupKindStatic, &order, 1,
                                &wanted, 1, keep_found, &found);
  *address = found.address;
  if (!check(found.error, why, why_size)) return false;
  if (!found.address) snprintf(why, why_size, "'%s' has no address", symbol);
  return found.address != NULL;
}

HostObject *host_code_add(HostCode *code, const char *bytes, size_t size,
                          const char *symbol, void **address, char *why,
                          size_t why_size) {
  HostObject *object = take_dylib(code, why, why_size);
  if (!object) return NULL;
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, symbol);
  if (check(LLVMOrcLLJITAddObjectFile(code->jit, object->dylib, buffer), why,
            why_size) &&
      look_up(code, object->dylib, symbol, address, why, why_size))
    return object;
  host_code_remove(code, object);
  return NULL;
}

bool host_code_find(HostCode *code, HostObject *object, const char *symbol,
                    void **address, char *why, size_t why_size) {
  return look_up(code, object->dylib, symbol, address, why, why_size);
}
