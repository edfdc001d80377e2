// version.c -- differences between releases of LLVM.
//
// LLVM itself is queried: for the names that it knows and the number of an
// intrinsic's operands; releases are compared only where that is not possible.
#include "codegen/llvm.h"

#include "codegen/codegen.h"
#include "codegen/errors.h"

#include <stdio.h>
#include <string.h>

typedef enum { BOTH, CPU, X86, GPU } User;

typedef struct {
  User user;
  const char *kind, *name;
  const char *older; // NULL: never renamed
} KnownName;

static const KnownName known[] = {
#define INTRINSIC(user, name)      {user, "intrinsic", name, NULL},
#define RENAMED(user, name, older) {user, "intrinsic", name, older},
#define ATTRIBUTE(user, name)      {user, "attribute", name, NULL},
#include "codegen/llvm/intrinsics.def"
};

static unsigned find(const char *name) {
  return LLVMLookupIntrinsicID(name, strlen(name));
}

static bool uses(const Target *target, User user) {
#ifndef __x86_64__
  if (user == X86) return false;
#endif
  return user == BOTH || (user == GPU) == target->is_gpu;
}

static bool exists(const KnownName *x) {
  if (*x->kind == 'a')
    return LLVMGetEnumAttributeKindForName(x->name, strlen(x->name));
  return find(x->name) || (x->older && find(x->older));
}

bool llvm_has_names(const Target *target, DiagList *diags) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const KnownName *x = &known[i];
    if (!uses(target, x->user) || exists(x)) continue;
    char version[32];
    codegen_llvm_version(version, sizeof version);
    return diag_error(diags, (SrcLoc){0}, ERROR_llvm_no_name, version, x->kind,
                      x->name, target->name);
  }
  return true;
}

LLVMValueRef llvm_barrier(Llvm *llvm) {
  const char *name = "llvm.nvvm.barrier.cta.sync.aligned.all";
  if (!find(name))
    return llvm_call(llvm, "llvm.nvvm.barrier0", NULL, 0, NULL, 0);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(llvm->context);
  LLVMValueRef first = LLVMConstInt(i32, 0, 0); // number of the block's barrier
  return llvm_call(llvm, name, NULL, 0, &first, 1);
}

LLVMValueRef llvm_exp2_approx(Llvm *llvm, LLVMValueRef x) {
  const char *name = "llvm.nvvm.ex2.approx.ftz";
  LLVMTypeRef type = LLVMTypeOf(x);
  return find(name)
             ? llvm_call(llvm, name, &type, 1, &x, 1)
             : llvm_call(llvm, "llvm.nvvm.ex2.approx.ftz.f", NULL, 0, &x, 1);
}

// Calls an intrinsic of `num` operands; older releases have the alignment in
// addition, behind the address, operand `at`.
static LLVMValueRef call_aligned(Llvm *llvm, const char *name,
                                 LLVMTypeRef const types[2],
                                 LLVMValueRef const *operands, int num,
                                 int at) {
  LLVMTypeRef overload[] = {types[0], types[1]};
  LLVMTypeRef type =
      LLVMIntrinsicGetType(llvm->context, find(name), overload, 2);
  const int extra = (int)LLVMCountParamTypes(type) - num;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(llvm->context);
  LLVMValueRef args[4];
  for (int i = 0; i < num; i++) args[i <= at ? i : i + extra] = operands[i];
  if (extra) args[at + 1] = LLVMConstInt(i32, 1, 0);
  return llvm_call(llvm, name, types, 2, args, num + extra);
}

static bool is_vector(LLVMValueRef x) {
  return LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
}

LLVMValueRef llvm_masked_load(Llvm *llvm, LLVMTypeRef type, LLVMValueRef ptr,
                              LLVMValueRef mask) {
  LLVMTypeRef types[] = {type, LLVMTypeOf(ptr)};
  LLVMValueRef operands[] = {ptr, mask, LLVMConstNull(type)};
  const char *name = is_vector(ptr) ? "llvm.masked.gather" : "llvm.masked.load";
  return call_aligned(llvm, name, types, operands, 3, 0);
}

void llvm_masked_store(Llvm *llvm, LLVMValueRef x, LLVMValueRef ptr,
                       LLVMValueRef mask) {
  LLVMTypeRef types[] = {LLVMTypeOf(x), LLVMTypeOf(ptr)};
  LLVMValueRef operands[] = {x, ptr, mask};
  const char *name =
      is_vector(ptr) ? "llvm.masked.scatter" : "llvm.masked.store";
  call_aligned(llvm, name, types, operands, 3, 1);
}

static void annotate(Llvm *llvm, LLVMValueRef kernel, const char *key,
                     LLVMMetadataRef value) {
  LLVMContextRef c = llvm->context;
  LLVMMetadataRef parts[] = {LLVMValueAsMetadata(kernel),
                             LLVMMDStringInContext2(c, key, strlen(key)),
                             value};
  LLVMMetadataRef node = LLVMMDNodeInContext2(c, parts, 3);
  LLVMAddNamedMetadataOperand(llvm->module, "nvvm.annotations",
                              LLVMMetadataAsValue(c, node));
}

static LLVMMetadataRef number(Llvm *llvm, int value) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(llvm->context);
  return LLVMValueAsMetadata(LLVMConstInt(i32, (unsigned)value, 0));
}

static void add_attribute(Llvm *llvm, LLVMValueRef kernel, unsigned place,
                          const char *key, const char *value) {
  LLVMAddAttributeAtIndex(
      kernel, place,
      LLVMCreateStringAttribute(llvm->context, key, (unsigned)strlen(key),
                                value, (unsigned)strlen(value)));
}

// LLVM 21 and later read properties of a kernel from attributes, earlier ones
// from metadata; LLVM ignores most of the wrong form, but may crash on it.
static bool reads_attributes(void) {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  return major >= 21;
}

void llvm_limit_kernel(Llvm *llvm, LLVMValueRef kernel, KernelLimit limit,
                       int value) {
  static const struct {
    const char *metadata, *attribute;
  } names[] = {
      [LIMIT_THREADS] = {"reqntidx", "nvvm.reqntid"},
      [LIMIT_REGISTERS] = {"maxnreg", "nvvm.maxnreg"},
      [LIMIT_BLOCKS] = {"minctasm", "nvvm.minctasm"},
  };
  if (!reads_attributes()) {
    annotate(llvm, kernel, names[limit].metadata, number(llvm, value));
    return;
  }
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  add_attribute(llvm, kernel, (unsigned)LLVMAttributeFunctionIndex,
                names[limit].attribute, text);
}

void llvm_keep_constant(Llvm *llvm, Arena *arena, LLVMValueRef kernel,
                        int first, int num) {
  LLVMMetadataRef *places = arena_array(arena, LLVMMetadataRef, num);
  for (int i = 0; i < num; i++) {
    const int place = first + i + 1; // 0 is the result
    places[i] = number(llvm, place);
    if (!reads_attributes()) continue;
    add_attribute(llvm, kernel, (unsigned)place, "nvvm.grid_constant", "");
  }
  if (!num || reads_attributes()) return;
  annotate(llvm, kernel, "grid_constant",
           LLVMMDNodeInContext2(llvm->context, places, (size_t)num));
}
