// emit.h -- the state of lowering a module to LLVM IR, shared by all targets.
//
// Every value of an element type has a *compute* form, in which operations
// work, and a *memory* form.  They differ for i1 (memory: i8) and for f16, bf16
// and f8, whose compute form is the f32 of the same value: an operation works
// in f32 and rounds to the format (codegen/scalar/narrow.c).  Pointers are
// `ptr`. The host has a third form for what is only copied
// (codegen/host/bits.c).
//
// The same emitters serve scalars and vectors: a value is either, and the
// operands of one operation agree.
#ifndef TILE_CODEGEN_EMIT_H
#define TILE_CODEGEN_EMIT_H

#include "codegen/codegen.h"
#include "codegen/llvm/llvm.h"

// The debug location of the instructions that are being made (lines.c).
typedef struct {
  LLVMMetadataRef program, scope; // the function; that, as far as in `file`
  const char *home, *file;        // of the function; of the last place
} Lines;

// A kernel whose programs run in clusters of so many blocks.
typedef struct {
  const char *symbol;
  int num_blocks;
} EmitCluster;

typedef struct {
  Module *m;
  Arena *arena;
  DiagList *diags;
  const Target *target;
  CodegenOptions options;
  int ptx_version; // that an instruction wants; 0: the target's is enough
  Llvm llvm;
  LLVMBuilderRef b; // llvm.builder
  int num_nests;    // loops around each other that a host kernel has so far
  int num_tiles;    // that it has computed so far, with loops or without
  bool has_parts;   // has a kernel functions of its own, for loops?
  Vec(LLVMValueRef) to_order; // functions, for order_by_need()
  Vec(EmitCluster) clusters;
  Lines lines;
} Emit;

// One per target: adds the function to the LLVM module and describes it.
// False after a diagnostic.
typedef bool EmitFunction(Emit *e, const Function *f, KernelInfo *out);
EmitFunction host_emit_function, gpu_emit_function;

// An attribute of LLVM without a value, or with the value 0: "nounwind".
LLVMAttributeRef emit_attribute(Emit *e, const char *name);
void emit_call_attribute(Emit *e, LLVMValueRef call, const char *name);
// The attributes of every function that we define.
void emit_function_attributes(Emit *e, LLVMValueRef function);

// -- Types -------------------------------------------------------------------

// `element` is a scalar or pointer type.
LLVMTypeRef emit_compute_type(Emit *e, const Type *element);
LLVMTypeRef emit_memory_type(Emit *e, const Type *element);
size_t emit_memory_bytes(const Type *element);
// f16, bf16, f8: floats that compute as f32.
bool elem_is_narrow(Elem elem);
// Has the type signalling NaNs, which a conversion to f32 makes quiet?
bool elem_loses_bits(Elem elem);

// The type of `like` (a scalar, or a vector of n) with another element.
LLVMTypeRef type_like(LLVMTypeRef like, LLVMTypeRef element);
// Lanes of a vector; 0 for a scalar.
int type_lanes(LLVMTypeRef type);
LLVMTypeRef int_type(Emit *e, int bits);
LLVMTypeRef vector_of(LLVMTypeRef element, int lanes); // 0: `element`

// -- Constants and vectors ---------------------------------------------------

LLVMValueRef const_int(LLVMTypeRef type, int64_t value);  // scalar or vector
LLVMValueRef const_float(LLVMTypeRef type, double value); // scalar or vector
LLVMValueRef const_attr(Emit *e, const Type *element, const Attr *value);
// The NaN that a conversion to this type of float makes.
LLVMValueRef const_nan(Emit *e, const Type *element);
LLVMValueRef splat(Emit *e, LLVMValueRef scalar, int lanes); // 0: itself
LLVMValueRef lane_numbers(Emit *e, int bits, int lanes);     // <0, 1, 2, ...>
LLVMValueRef emit_select(Emit *e, LLVMValueRef c, LLVMValueRef x,
                         LLVMValueRef y);

// A call of an intrinsic overloaded by the type of its first argument.
LLVMValueRef emit_intrinsic(Emit *e, const char *name, int num_args,
                            LLVMValueRef const *args);

// -- Conversions (narrow.c) --------------------------------------------------

LLVMValueRef convert_load(Emit *e, const Type *element, LLVMValueRef memory);
LLVMValueRef convert_store(Emit *e, const Type *element, LLVMValueRef value);
// The memory form of a narrow format as the low bits of an f32, and back.  It
// is no number to compute with.
LLVMValueRef convert_to_bits(Emit *e, LLVMValueRef memory);
LLVMValueRef convert_from_bits(Emit *e, const Type *element, LLVMValueRef f32);
// The bits of the f32 that stands for the format's NaN.
int64_t convert_nan(Elem elem);
// An f32 to the nearest value of a narrow format, still as f32; saturates as
// truncf does.
LLVMValueRef convert_round(Emit *e, Elem elem, LLVMValueRef f32,
                           Rounding rounding);
// The same to f16, of which a NaN is the one that GPUs make, where a host's
// instruction would keep a part of its fraction.
LLVMValueRef convert_f16(Emit *e, LLVMValueRef f32, Rounding rounding);
// The f32 from which rounding to a narrow format gives what rounding the f64
// would.
LLVMValueRef convert_to_odd(Emit *e, LLVMValueRef f64);
// An f64 to the f32 not beyond it.
LLVMValueRef convert_toward_zero(Emit *e, LLVMValueRef f64);
// A 64-bit integer to a narrow format, rounded once.
LLVMValueRef convert_wide_int(Emit *e, Elem elem, LLVMValueRef x,
                              bool is_signed);

// -- Printing and assertions (debug.c) ---------------------------------------

// A constant text in memory; its address is generic.
LLVMValueRef debug_text(Emit *e, const char *text);
// The format of a device_print, likewise.
LLVMValueRef debug_format_text(Emit *e, const Op *op, int operand);
// A value in compute form as printf takes it: i32, i64 or double.
LLVMValueRef debug_value(Emit *e, const Op *op, int operand, LLVMValueRef x);

// -- Operations (scalar.c, math.c) -------------------------------------------

// An elementwise op of operands in compute form; NULL after a diagnostic.
LLVMValueRef scalar_emit(Emit *e, const Op *op, LLVMValueRef const *operands);

// `x` is float or double, or a vector of them.
LLVMValueRef math_emit(Emit *e, OpKind kind, LLVMValueRef x);
// C's fmod.
LLVMValueRef math_remainder(Emit *e, LLVMValueRef x, LLVMValueRef y);

#endif
