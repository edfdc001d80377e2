// types.c -- LLVM types and constants for ours.
#include "codegen/emit.h"

#include "ir/exchange.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool elem_is_narrow(Elem elem) {
  return elem_info[elem].is_float && elem_info[elem].bits < 32;
}

LLVMTypeRef int_type(Emit *e, int bits) {
  return LLVMIntTypeInContext(e->llvm.context, (unsigned)bits);
}

LLVMValueRef emit_byte_at(Emit *e, LLVMValueRef base, LLVMValueRef bytes) {
  return LLVMBuildGEP2(e->b, int_type(e, 8), base, &bytes, 1, "");
}

// bf16 is the upper half of an f32, and f8e4nv has one NaN only.
bool elem_loses_bits(Elem elem) {
  return elem_is_narrow(elem) && elem != ELEM_bf16 && elem != ELEM_f8e4nv;
}

static LLVMTypeRef pointer_type(Emit *e, const Type *type) {
  // NVPTX numbers shared memory 3; the host has none.
  const bool shared = e->target->is_gpu && type->space == SPACE_SHARED;
  const bool global = e->target->is_gpu && type->space == SPACE_GLOBAL;
  return LLVMPointerTypeInContext(e->llvm.context, shared ? 3 : global ? 1 : 0);
}

LLVMTypeRef emit_compute_type(Emit *e, const Type *element) {
  if (element->kind == TYPE_POINTER) return pointer_type(e, element);
  const ElemInfo *info = &elem_info[element->elem];
  if (!info->is_float) return int_type(e, info->bits);
  return info->bits == 64 ? LLVMDoubleTypeInContext(e->llvm.context)
                          : LLVMFloatTypeInContext(e->llvm.context);
}

LLVMTypeRef emit_memory_type(Emit *e, const Type *element) {
  if (element->kind == TYPE_POINTER) return pointer_type(e, element);
  if (element->elem == ELEM_i1) return int_type(e, 8);
  if (element->elem == ELEM_f16) return LLVMHalfTypeInContext(e->llvm.context);
  if (elem_is_narrow(element->elem)) {
    return int_type(e, elem_info[element->elem].bits);
  }
  return emit_compute_type(e, element);
}

size_t emit_memory_bytes(const Type *element) {
  return (size_t)element_bytes(element);
}

int type_lanes(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return 0;
  return (int)LLVMGetVectorSize(type);
}

LLVMTypeRef vector_of(LLVMTypeRef element, int lanes) {
  return lanes ? LLVMVectorType(element, (unsigned)lanes) : element;
}

LLVMTypeRef type_like(LLVMTypeRef like, LLVMTypeRef element) {
  return vector_of(element, type_lanes(like));
}

static LLVMTypeRef scalar_of(LLVMTypeRef type) {
  return type_lanes(type) ? LLVMGetElementType(type) : type;
}

static LLVMValueRef const_splat(LLVMTypeRef type, LLVMValueRef scalar) {
  const int lanes = type_lanes(type);
  if (!lanes) return scalar;
  LLVMValueRef items[64];
  assert(lanes <= 64 && "vector too long"); // I1
  for (int i = 0; i < lanes; i++) items[i] = scalar;
  return LLVMConstVector(items, (unsigned)lanes);
}

LLVMValueRef const_int(LLVMTypeRef type, int64_t value) {
  return const_splat(type, LLVMConstInt(scalar_of(type), (uint64_t)value, 1));
}

LLVMValueRef const_float(LLVMTypeRef type, double value) {
  return const_splat(type, LLVMConstReal(scalar_of(type), value));
}

LLVMValueRef const_attr(Emit *e, const Type *element, const Attr *value) {
  LLVMTypeRef type = emit_compute_type(e, element);
  if (element->kind == TYPE_POINTER) return LLVMConstNull(type);
  if (!elem_info[element->elem].is_float) return const_int(type, value->as.i);
  return isnan(value->as.f) ? const_nan(e, element)
                            : const_float(type, value->as.f);
}

// A NaN converted to f16 has the upper bits of its fraction, and f8e5 those of
// f16: all are set, as in the NaN of a GPU, also for bf16.
int64_t convert_nan(Elem elem) {
  switch (elem) {
  case ELEM_f8e5:
  case ELEM_f16: return 0x7fffe000;
  case ELEM_bf16: return 0x7fff0000;
  default: return 0x7fc00000;
  }
}

LLVMValueRef const_nan(Emit *e, const Type *element) {
  LLVMTypeRef type = emit_compute_type(e, element);
  if (element->elem != ELEM_f8e5) return const_float(type, NAN);
  LLVMValueRef bits = const_int(int_type(e, 32), convert_nan(ELEM_f8e5));
  return const_splat(type, LLVMConstBitCast(bits, scalar_of(type)));
}

LLVMValueRef splat(Emit *e, LLVMValueRef scalar, int lanes) {
  if (!lanes || type_lanes(LLVMTypeOf(scalar))) return scalar;
  LLVMTypeRef type = vector_of(LLVMTypeOf(scalar), lanes);
  if (LLVMIsConstant(scalar)) return const_splat(type, scalar);
  LLVMValueRef poison = LLVMGetPoison(type);
  LLVMValueRef zero = const_int(int_type(e, 32), 0);
  LLVMValueRef one = LLVMBuildInsertElement(e->b, poison, scalar, zero, "");
  LLVMValueRef mask = const_int(vector_of(int_type(e, 32), lanes), 0);
  return LLVMBuildShuffleVector(e->b, one, poison, mask, "");
}

LLVMValueRef lane_numbers(Emit *e, int bits, int lanes) {
  LLVMTypeRef type = int_type(e, bits);
  if (!lanes) return const_int(type, 0);
  LLVMValueRef items[64];
  assert(lanes <= 64 && "vector too long"); // I1
  for (int i = 0; i < lanes; i++) items[i] = const_int(type, i);
  return LLVMConstVector(items, (unsigned)lanes);
}

LLVMValueRef emit_select(Emit *e, LLVMValueRef c, LLVMValueRef x,
                         LLVMValueRef y) {
  return LLVMBuildSelect(e->b, c, x, y, "");
}

LLVMValueRef emit_intrinsic(Emit *e, const char *name, int num_args,
                            LLVMValueRef const *args) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  LLVMValueRef copy[4];
  assert(num_args > 0 && num_args <= 4 && "too many arguments"); // I2
  for (int i = 0; i < num_args; i++) copy[i] = args[i];
  return llvm_call(&e->llvm, name, &type, 1, copy, num_args);
}

LLVMAttributeRef emit_attribute(Emit *e, const char *name) {
  const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  return LLVMCreateEnumAttribute(e->llvm.context, kind, 0);
}

void emit_call_attribute(Emit *e, LLVMValueRef call, const char *name) {
  LLVMAddCallSiteAttribute(call, (unsigned)LLVMAttributeFunctionIndex,
                           emit_attribute(e, name));
}

// Quick code keeps vectors on the stack, where those that are not aligned take
// twice the time.
static void align_stack(Emit *e, LLVMValueRef function) {
  const char *name = "alignstack";
  const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(
      function, (unsigned)LLVMAttributeFunctionIndex,
      LLVMCreateEnumAttribute(e->llvm.context, kind,
                              (unsigned)e->llvm.vector_bytes));
}

void emit_function_attributes(Emit *e, LLVMValueRef function) {
  const unsigned own = (unsigned)LLVMAttributeFunctionIndex;
  LLVMAddAttributeAtIndex(function, own, emit_attribute(e, "nounwind"));
  if (e->target->is_gpu) return;
  const char *key = "prefer-vector-width";
  const char *value = e->llvm.vector_bytes == 64 ? "512" : "256";
  LLVMAddAttributeAtIndex(
      function, own,
      LLVMCreateStringAttribute(e->llvm.context, key, (unsigned)strlen(key),
                                value, (unsigned)strlen(value)));
  if (e->options.quick) align_stack(e, function);
}
