// emit.h -- the state of lowering a module to LLVM IR, shared by all targets.
//
// Every value of an element type has a *compute* form, for operations, and a
// *memory* form.  The two forms differ for i1 (memory: i8) and for f16, bf16
// and f8, whose compute form is the f32 of the same value: an operation is done
// in f32 and rounded to the format (codegen/scalar/narrow.c).  Pointers are
// `ptr`.  The host has a third form for values that are only copied
// (codegen/host/bits.c).
//
// The same emitters are used for scalars and vectors; all operands of an
// operation have the same length.
#ifndef TILE_CODEGEN_EMIT_H
#define TILE_CODEGEN_EMIT_H

#include "codegen/codegen.h"
#include "codegen/llvm.h"

// The debug location of the next instructions (lines.c).
typedef struct {
  LLVMMetadataRef program, scope; // the function; the part of it in `file`
  const char *home, *file;        // file of the function; of the last location
} Lines;

// A kernel whose programs run in clusters of num_blocks.
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
  int ptx_version; // needed by an instruction; 0: the target's is enough
  Llvm llvm;
  LlvmConfig config;          // of llvm
  LLVMBuilderRef b;           // llvm.builder
  int num_nests;              // nested loops of a host kernel so far
  int num_tiles;              // tiles computed so far, with or without loops
  bool has_parts;             // loops of the kernel are functions of their own
  Vec(LLVMValueRef) to_order; // functions, for order_by_need()
  Vec(EmitCluster) clusters;
  Lines lines;
} Emit;

// Adds the function to the LLVM module and describes it in `out`; each target
// has one of these. False after a diagnostic.
typedef bool EmitFunction(Emit *e, const Function *f, KernelInfo *out);
EmitFunction host_emit_function, gpu_emit_function;

// An attribute of LLVM without a value, or with the value 0: "nounwind".
LLVMAttributeRef emit_attribute(Emit *e, const char *name);
void emit_call_attribute(Emit *e, LLVMValueRef call, const char *name);
// Adds the attributes of every function that we define.
void emit_function_attributes(Emit *e, LLVMValueRef function);

// -- Types -------------------------------------------------------------------

// The types of a scalar or pointer `element` in the two forms.
LLVMTypeRef emit_compute_type(Emit *e, const Type *element);
LLVMTypeRef emit_memory_type(Emit *e, const Type *element);
size_t emit_memory_bytes(const Type *element);
// Is the type f16, bf16 or f8, which are computed as f32?
bool elem_is_narrow(Elem elem);
// Has the type signalling NaNs, which a conversion to f32 makes quiet?
bool elem_loses_bits(Elem elem);

// The type of `like` (a scalar, or a vector of n) with another element.
LLVMTypeRef type_like(LLVMTypeRef like, LLVMTypeRef element);
// Lanes of a vector; 0 for a scalar.
int type_lanes(LLVMTypeRef type);
LLVMTypeRef int_type(Emit *e, int bits);
// The address `bytes` behind `base`.
LLVMValueRef emit_byte_at(Emit *e, LLVMValueRef base, LLVMValueRef bytes);
LLVMTypeRef vector_of(LLVMTypeRef element, int lanes); // lanes 0: `element`

// -- Constants and vectors ---------------------------------------------------

LLVMValueRef const_int(LLVMTypeRef type, int64_t value);  // scalar or vector
LLVMValueRef const_float(LLVMTypeRef type, double value); // scalar or vector
LLVMValueRef const_attr(Emit *e, const Type *element, const Attr *value);
// The NaN that a conversion to this float type gives.
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
// The memory form of a narrow format as the low bits of an f32, and back.
// These bits are no number.
LLVMValueRef convert_to_bits(Emit *e, LLVMValueRef memory);
LLVMValueRef convert_from_bits(Emit *e, const Type *element, LLVMValueRef f32);
// The bits of the f32 for the format's NaN.
int64_t convert_nan(Elem elem);
// An f32 to the nearest value of a narrow format, still as f32; saturates as
// truncf does.
LLVMValueRef convert_round(Emit *e, Elem elem, LLVMValueRef f32,
                           Rounding rounding);
// convert_round() to f16, except that a NaN becomes the NaN of GPUs: a host's
// instruction would keep a part of its fraction.
LLVMValueRef convert_f16(Emit *e, LLVMValueRef f32, Rounding rounding);
// An f32 whose rounding to a narrow format equals that of the f64.
LLVMValueRef convert_to_odd(Emit *e, LLVMValueRef f64);
// An f64 rounded toward zero to f32.
LLVMValueRef convert_toward_zero(Emit *e, LLVMValueRef f64);
// A 64-bit integer to a narrow format, rounded once.
LLVMValueRef convert_wide_int(Emit *e, Elem elem, LLVMValueRef x,
                              bool is_signed);

// -- Printing and assertions (debug.c) ---------------------------------------

// A constant text in memory; its address is generic.
LLVMValueRef debug_text(Emit *e, const char *text);
// The format of a device_print, as debug_text() gives it.
LLVMValueRef debug_format_text(Emit *e, const Op *op, int operand);
// A value in compute form, converted for printf: i32, i64 or double.
LLVMValueRef debug_value(Emit *e, const Op *op, int operand, LLVMValueRef x);

// -- Operations (scalar.c, math.c) -------------------------------------------

// An elementwise op of operands in compute form; NULL after a diagnostic.
LLVMValueRef scalar_emit(Emit *e, const Op *op, LLVMValueRef const *operands);

// `x` is float or double, or a vector of them.
LLVMValueRef math_emit(Emit *e, OpKind kind, LLVMValueRef x);
// C's fmod.
LLVMValueRef math_remainder(Emit *e, LLVMValueRef x, LLVMValueRef y);

#endif
