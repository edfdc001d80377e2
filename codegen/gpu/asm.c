// asm.c -- the user's assembly, on GPUs.
//
// Each copy of it works on `pack` elements in adjacent registers of a thread.
// Elements below 32 bits are packed into words, as far as `pack` allows; if a
// thread has fewer elements, the last words are filled with 0.
#include "codegen/gpu/simt.h"

#include <string.h>

typedef struct {
  Simt *s;
  const Op *op;
  int pack;
  LLVMValueRef *args;
  LLVMTypeRef *results;
  int num_args, num_results;
  // For each argument and result: its type if it fills a word; else NULL.
  const Type **arg_elements, **result_elements;
} AsmCall;

static int bits_of(const Type *type) {
  const int bits = type_element_bits(type_element(type));
  return bits < 8 ? 8 : bits;
}

// Elements in a word of assembly.
static int per_word(const AsmCall *a, const Type *type) {
  const int fit = 32 / bits_of(type);
  return fit < 1 ? 1 : fit < a->pack ? fit : a->pack;
}

static const Type *lone_element(const AsmCall *a, const Type *type) {
  return per_word(a, type) == 1 ? type_element(type) : NULL;
}

static LLVMTypeRef word_type(const AsmCall *a, const Type *type) {
  const int n = per_word(a, type);
  if (n > 1) return int_type(a->s->e, n * bits_of(type));
  const Type *element = type_element(type);
  LLVMValueRef zero = LLVMConstNull(emit_compute_type(a->s->e, element));
  return LLVMTypeOf(convert_store(a->s->e, element, zero));
}

static LLVMValueRef element_at(const AsmCall *a, const Value *value, int r) {
  const Type *element = type_element(value->type);
  const bool none = r >= simt_count(value->type);
  LLVMValueRef x = none ? LLVMConstNull(emit_compute_type(a->s->e, element))
                        : simt_get(a->s, value)[r];
  return simt_to_memory(a->s, element, x);
}

// Elements first, first + 1, ... as one word, the first in the low bits.
static LLVMValueRef pack_word(const AsmCall *a, const Value *value, int first) {
  LLVMBuilderRef b = a->s->b;
  const int n = per_word(a, value->type), bits = bits_of(value->type);
  if (n == 1) return element_at(a, value, first);
  LLVMTypeRef type = word_type(a, value->type), small = int_type(a->s->e, bits);
  LLVMValueRef word = NULL;
  for (int i = 0; i < n; i++) {
    LLVMValueRef x = element_at(a, value, first + i);
    x = LLVMBuildZExt(b, LLVMBuildBitCast(b, x, small, ""), type, "");
    x = LLVMBuildShl(b, x, const_int(type, i * bits), "");
    word = word ? LLVMBuildOr(b, word, x, "") : x;
  }
  return word;
}

static void unpack_word(const AsmCall *a, const Type *type, LLVMValueRef word,
                        LLVMValueRef *out, int count) {
  LLVMBuilderRef b = a->s->b;
  const Type *element = type_element(type);
  const int n = per_word(a, type), bits = bits_of(type);
  LLVMValueRef zero = LLVMConstNull(emit_compute_type(a->s->e, element));
  LLVMTypeRef memory = LLVMTypeOf(convert_store(a->s->e, element, zero));
  for (int i = 0; i < n && i < count; i++) {
    LLVMValueRef x = word;
    if (n > 1) {
      x = LLVMBuildLShr(b, word, const_int(LLVMTypeOf(word), i * bits), "");
      x = LLVMBuildTrunc(b, x, int_type(a->s->e, bits), "");
      x = LLVMBuildBitCast(b, x, memory, "");
    }
    out[i] = simt_from_memory(a->s, element, x);
  }
}

static void pack_arguments(AsmCall *a, int first) {
  a->num_args = 0;
  for (int i = 0; i < a->op->num_operands; i++) {
    const Value *value = op_operand(a->op, i);
    const int n = per_word(a, value->type);
    for (int r = 0; r < a->pack; r += n) {
      a->arg_elements[a->num_args] = lone_element(a, value->type);
      a->args[a->num_args++] = pack_word(a, value, first + r);
    }
  }
}

static LLVMTypeRef result_type_of(AsmCall *a) {
  LLVMContextRef c = a->s->e->llvm.context;
  a->num_results = 0;
  for (int i = 0; i < a->op->num_results; i++) {
    const Type *type = a->op->results[i].type;
    for (int r = 0; r < a->pack; r += per_word(a, type)) {
      a->result_elements[a->num_results] = lone_element(a, type);
      a->results[a->num_results++] = word_type(a, type);
    }
  }
  if (!a->num_results) return LLVMVoidTypeInContext(c);
  if (a->num_results == 1) return a->results[0];
  return LLVMStructTypeInContext(c, a->results, (unsigned)a->num_results,
                                 false);
}

// LLVM ends the process if the text starts with a blank.
static const char *without_blanks(Arena *arena, const char *text) {
  Str out = str_in(arena);
  for (; *text; text++) {
    if (*text != ' ') str_add_char(&out, *text);
  }
  return str_text(&out);
}

static LLVMValueRef call_copy(AsmCall *a) {
  const char *text = op_attr(a->op, ATTR_assembly)->as.s;
  const char *constraints =
      without_blanks(a->s->e->arena, op_attr(a->op, ATTR_constraints)->as.s);
  const bool effects = a->op->kind == OP_inline_asm_effects;
  LLVMTypeRef *types =
      arena_array(a->s->e->arena, LLVMTypeRef, a->num_args + 1);
  for (int i = 0; i < a->num_args; i++) types[i] = LLVMTypeOf(a->args[i]);
  LLVMTypeRef type =
      LLVMFunctionType(result_type_of(a), types, (unsigned)a->num_args, false);
  LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints,
                                       strlen(constraints), effects, false,
                                       LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(a->s->b, type, code, a->args, (unsigned)a->num_args,
                        "");
}

static void take_results(AsmCall *a, LLVMValueRef call, LLVMValueRef **out,
                         int first, int count) {
  unsigned word = 0;
  for (int i = 0; i < a->op->num_results; i++) {
    const Type *type = a->op->results[i].type;
    for (int r = 0; r < a->pack; r += per_word(a, type), word++) {
      LLVMValueRef x = a->num_results > 1
                           ? LLVMBuildExtractValue(a->s->b, call, word, "")
                           : call;
      unpack_word(a, type, x, out[i] + first + r, count - first - r);
    }
  }
}

static bool check_asm(const AsmCall *a) {
  const SimtAsmWords words = {a->results,  a->num_results,     a->args,
                              a->num_args, a->result_elements, a->arg_elements};
  return simt_check_asm(a->s, a->op, &words);
}

static bool emit_asm(Simt *s, const Op *op) {
  AsmCall a = {.s = s, .op = op, .pack = (int)op_int(op, ATTR_pack)};
  const int args = a.pack * op->num_operands,
            results = a.pack * op->num_results;
  a.args = arena_array(s->e->arena, LLVMValueRef, args + 1);
  a.arg_elements = arena_array(s->e->arena, const Type *, args + 1);
  a.results = arena_array(s->e->arena, LLVMTypeRef, results + 1);
  a.result_elements = arena_array(s->e->arena, const Type *, results + 1);
  const Type *shape = op->num_results    ? op->results[0].type
                      : op->num_operands ? op_operand(op, 0)->type
                                         : NULL;
  const int count = shape ? simt_count(shape) : 1;
  LLVMValueRef **out =
      arena_array(s->e->arena, LLVMValueRef *, op->num_results + 1);
  for (int i = 0; i < op->num_results; i++) out[i] = simt_new(s, count);
  for (int first = 0; first < count; first += a.pack) {
    pack_arguments(&a, first);
    result_type_of(&a);
    if (!check_asm(&a)) return false;
    take_results(&a, call_copy(&a), out, first, count);
  }
  for (int i = 0; i < op->num_results; i++)
    simt_set(s, &op->results[i], out[i]);
  return true;
}

bool simt_emit_inline_asm(Simt *s, const Op *op) {
  return emit_asm(s, op);
}

bool simt_emit_inline_asm_effects(Simt *s, const Op *op) {
  return emit_asm(s, op);
}
