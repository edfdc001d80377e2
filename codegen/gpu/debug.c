// debug.c -- device_print and device_assert on GPUs.
//
// The two functions that every driver provides are used: vprintf, whose values
// are consecutive in the thread's local memory, and __assertfail.  A kernel
// without such an op calls no function.
#include "ir/debug_text.h"
#include "ir/layout_access.h"

#include "codegen/gpu/simt.h"

enum { MAX_BYTES = 4 * (3 + MAX_RANK) + 4 + 8 };

// A call of a driver's function, which is declared at its first use.
static void call(Simt *s, const char *name, LLVMTypeRef result,
                 LLVMValueRef *args, int count) {
  LLVMTypeRef types[5];
  for (int i = 0; i < count; i++) types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, (unsigned)count, false);
  LLVMValueRef function = LLVMGetNamedFunction(s->e->llvm.module, name);
  if (!function) function = LLVMAddFunction(s->e->llvm.module, name, type);
  LLVMBuildCall2(s->b, type, function, args, (unsigned)count, "");
}

// Is the running thread the one that prints or checks its elements of the
// value?
static LLVMValueRef speaks(Simt *s, const Type *type) {
  if (type_is_tile(type))
    return simt_none_set(s, simt_free_threads(type->layout));
  const int threads = s->group.num_warps * s->e->target->warp_size;
  return simt_none_set(s, (uint32_t)threads - 1);
}

// -- device_print ------------------------------------------------------------

static LLVMValueRef list_memory(Simt *s) {
  if (s->print_list) return s->print_list;
  s->print_list =
      simt_variable(s, LLVMArrayType2(int_type(s->e, 8), MAX_BYTES));
  LLVMSetAlignment(s->print_list, 8);
  return s->print_list;
}

static void put(Simt *s, int *at, LLVMValueRef x) {
  const LLVMTypeRef type = LLVMTypeOf(x);
  const bool is_word = LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
                       LLVMGetIntTypeWidth(type) == 32;
  const int size = is_word ? 4 : 8;
  *at = (*at + size - 1) / size * size;
  LLVMValueRef offset = simt_i32(s, *at);
  LLVMValueRef address = emit_byte_at(s->e, list_memory(s), offset);
  LLVMSetAlignment(LLVMBuildStore(s->b, x, address), (unsigned)size);
  *at += size;
}

static int put_program(Simt *s) {
  static const char *const axes[] = {"ctaid.x", "ctaid.y", "ctaid.z"};
  int at = 0;
  for (int i = 0; i < 3; i++)
    put(s, &at, simt_special(s, axes[i], 0, INT32_MAX));
  return at;
}

static void print_line(Simt *s, LLVMValueRef format) {
  LLVMValueRef args[] = {format, list_memory(s)};
  call(s, "vprintf", int_type(s->e, 32), args, 2);
}

// The index along each dimension, from the row-major index.
static void put_index(Simt *s, const Layout *layout, LLVMValueRef element,
                      int *at) {
  for (int i = 0; i < layout->rank; i++) {
    const int shift = layout_axis_bit(layout, i);
    LLVMValueRef x = LLVMBuildLShr(s->b, element, simt_i32(s, shift), "");
    put(s, at,
        LLVMBuildAnd(s->b, x, simt_i32(s, layout_size(layout, i) - 1), ""));
  }
}

static void print_scalar(Simt *s, const Op *op, int operand,
                         LLVMValueRef format) {
  int at = put_program(s);
  LLVMValueRef x = simt_scalar(s, op_operand(op, operand));
  put(s, &at, debug_value(s->e, op, operand, x));
  print_line(s, format);
}

static void print_tile(Simt *s, const Op *op, int operand,
                       LLVMValueRef format) {
  const Layout *layout = op_operand(op, operand)->type->layout;
  LLVMValueRef const *x = simt_get(s, op_operand(op, operand));
  const int *first = simt_first_copies(s, layout);
  uint32_t bits;
  LLVMValueRef thread =
      simt_linear(s, &layout->map, layout->num_bits[LAYOUT_REGISTER], &bits);
  for (int r = 0; r < layout_num_registers(layout); r++) {
    if (first && first[r] != r) continue;
    int at = put_program(s);
    put_index(s, layout,
              simt_xor(s, thread, bits, layout_apply(layout, (uint32_t)r)),
              &at);
    put(s, &at, debug_value(s->e, op, operand, x[r]));
    print_line(s, format);
  }
}

static void print_operand(Simt *s, const Op *op, int operand) {
  const Type *type = op_operand(op, operand)->type;
  LLVMBasicBlockRef after = simt_begin_if(s, speaks(s, type));
  LLVMValueRef format = debug_format_text(s->e, op, operand);
  if (type_is_tile(type))
    print_tile(s, op, operand, format);
  else
    print_scalar(s, op, operand, format);
  simt_end_if(s, after);
}

bool simt_emit_device_print(Simt *s, const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    if (debug_is_printed(op_operand(op, i)->type)) print_operand(s, op, i);
  }
  if (op->num_operands) return true;
  LLVMBasicBlockRef after =
      simt_begin_if(s, speaks(s, type_scalar(&s->e->m->types, ELEM_i32)));
  put_program(s);
  print_line(s, debug_format_text(s->e, op, 0));
  simt_end_if(s, after);
  return true;
}

// -- device_assert -----------------------------------------------------------

// Does an element of the thread fail?
static LLVMValueRef fails(Simt *s, const Op *op) {
  const Value *condition = op_operand(op, 0), *mask = op_group(op, 1);
  const int count = simt_count(condition->type);
  LLVMValueRef bad = NULL;
  for (int r = 0; r < count; r++) {
    LLVMValueRef x = LLVMBuildNot(s->b, simt_get(s, condition)[r], "");
    if (mask) {
      const int k = type_is_tile(mask->type) ? r : 0;
      x = LLVMBuildAnd(s->b, x, simt_get(s, mask)[k], "");
    }
    bad = bad ? LLVMBuildOr(s->b, bad, x, "") : x;
  }
  return bad;
}

bool simt_emit_device_assert(Simt *s, const Op *op) {
  Emit *e = s->e;
  const char *message = debug_message(op);
  LLVMBasicBlockRef after = simt_begin_if(s, fails(s, op));
  LLVMValueRef args[] = {
      debug_text(e, *message ? message : "device_assert"),
      debug_text(e, op->loc.file ? op->loc.file : ""),
      simt_i32(s, op->loc.line),
      debug_text(e, s->f->name),
      const_int(int_type(e, 64), 1),
  };
  call(s, "__assertfail", LLVMVoidTypeInContext(e->llvm.context), args, 5);
  simt_end_if(s, after);
  return true;
}
