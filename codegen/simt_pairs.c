// simt_pairs.c -- two f16 or bf16 of a word, computed together.
//
// Elements are computed in fp32 and rounded.  What the words for a dot are made
// of is often one step away from words already: then both halves of a word take
// one instruction.  The results are the same: fp32 has twice the digits of f16
// and two more, so that rounding twice changes no product.
#include "codegen/nvptx_math.h"
#include "codegen/simt.h"

enum { MAX_STEPS = 4 };

static LLVMTypeRef pair_type(Simt *s) {
  return LLVMVectorType(LLVMHalfTypeInContext(s->e->llvm.context), 2);
}

static LLVMValueRef both_halves(Simt *s, double x) {
  LLVMTypeRef half = LLVMHalfTypeInContext(s->e->llvm.context);
  LLVMValueRef one = LLVMConstReal(half, x);
  return LLVMConstVector((LLVMValueRef[]){one, one}, 2);
}

static bool is_op(LLVMValueRef x, LLVMOpcode opcode) {
  return LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == opcode;
}

// -- Bytes -------------------------------------------------------------------

static LLVMValueRef pair_of_bytes(Simt *s, LLVMValueRef even, LLVMValueRef low,
                                  LLVMValueRef odd, LLVMValueRef high) {
  LLVMValueRef bytes[] = {even, low, odd, high};
  LLVMValueRef word = simt_word_of_bytes(s, SIMT_WORD_BYTES, bytes);
  return LLVMBuildBitCast(s->b, word, pair_type(s), "");
}

// An fp8e5 is the upper byte of an f16.
static LLVMValueRef pair_of_f8e5(Simt *s, LLVMValueRef const *x) {
  LLVMValueRef low = map_get(&s->loaded[ELEM_f8e5], x[0]);
  LLVMValueRef high = map_get(&s->loaded[ELEM_f8e5], x[1]);
  if (!low || !high) return NULL;
  LLVMValueRef zero = LLVMConstNull(int_type(s->e, 8));
  return pair_of_bytes(s, zero, low, zero, high);
}

// Both bytes side by side: those of one half of a word are that half.
static LLVMValueRef half_word(Simt *s, LLVMValueRef low, LLVMValueRef high) {
  LLVMValueRef word, other, bytes[] = {low, high, low, high};
  int index, next;
  const bool known = simt_find_byte(s, low, &word, &index) &&
                     simt_find_byte(s, high, &other, &next);
  if (known && word == other && index % 2 == 0 && next == index + 1) {
    word = LLVMBuildLShr(s->b, word, simt_i32(s, 8 * index), "");
  } else {
    word = simt_word_of_bytes(s, SIMT_WORD_BYTES, bytes);
  }
  return LLVMBuildTrunc(s->b, word, int_type(s->e, 16), "");
}

static LLVMValueRef pair_of_f8e4nv(Simt *s, LLVMValueRef const *x) {
  LLVMValueRef low = map_get(&s->loaded[ELEM_f8e4nv], x[0]);
  LLVMValueRef high = map_get(&s->loaded[ELEM_f8e4nv], x[1]);
  if (!low || !high || !target_can(s->e->target, CAP_F8_CONVERT)) return NULL;
  LLVMValueRef word = nvptx_halves_of_f8e4nv(s->e, half_word(s, low, high));
  return LLVMBuildBitCast(s->b, word, pair_type(s), "");
}

static bool is_here(Simt *s, LLVMValueRef x) {
  return LLVMIsAInstruction(x) &&
         LLVMGetInstructionParent(x) == LLVMGetInsertBlock(s->b);
}

// Each byte with its first bit inverted.
static LLVMValueRef flip_signs(Simt *s, LLVMValueRef word) {
  LLVMValueRef flipped = map_get(&s->flipped, word);
  if (flipped && is_here(s, flipped)) return flipped;
  flipped = LLVMBuildXor(s->b, word, simt_i32(s, 0x80808080), "");
  map_put(&s->flipped, s->e->arena, word, flipped);
  return flipped;
}

// The byte that became an f16 by `cast`, in the word that it came in.
static bool find_cast(Simt *s, LLVMValueRef half, LLVMOpcode cast,
                      LLVMValueRef *word, int *index) {
  return is_op(half, cast) &&
         simt_find_byte(s, LLVMGetOperand(half, 0), word, index);
}

// 1024 + x has the bits of x < 1024 as its lowest; so has 1152 + x those of
// x + 128, which are the bits of a signed byte but for the first.
static LLVMValueRef pair_of_ints(Simt *s, LLVMValueRef const *halves,
                                 LLVMOpcode cast) {
  LLVMValueRef byte[2];
  const bool is_signed = cast == LLVMSIToFP;
  for (int i = 0; i < 2; i++) {
    LLVMValueRef word;
    int index;
    if (!find_cast(s, halves[i], cast, &word, &index)) return NULL;
    if (is_signed) word = flip_signs(s, word);
    byte[i] = simt_byte_of_word(s, word, index);
  }
  LLVMValueRef exponent = const_int(int_type(s->e, 8), 0x64);
  LLVMValueRef pair = pair_of_bytes(s, byte[0], exponent, byte[1], exponent);
  return LLVMBuildFSub(s->b, pair, both_halves(s, is_signed ? 1152 : 1024), "");
}

// -- Bytes as bf16 -----------------------------------------------------------

// 128 + x has the bits of x < 128 as its lowest.  Above them is the first bit
// of a signed byte; as the last one of an exponent it makes -256 of -128.
static LLVMValueRef bf16_of_bytes(Simt *s, LLVMValueRef const *x) {
  LLVMValueRef bytes[2 * 2];
  for (int i = 0; i < 2; i++) {
    LLVMValueRef single = nvptx_before_rounding(ELEM_bf16, x[i]), word;
    int index;
    if (!single || !find_cast(s, single, LLVMSIToFP, &word, &index)) {
      return NULL;
    }
    bytes[2 * i] = simt_byte_of_word(s, word, index);
    bytes[2 * i + 1] = LLVMConstNull(int_type(s->e, 8));
  }
  LLVMValueRef both = simt_word_of_bytes(s, SIMT_WORD_BYTES, bytes);
  LLVMValueRef low = nvptx_insert(s->e, both, 0x007f007f, 0x43004300);
  LLVMValueRef first = nvptx_insert(s->e, both, 0x00800080, 0xc300c300);
  return nvptx_add_bf16(s->e, low, first);
}

// -- Products ----------------------------------------------------------------

static LLVMValueRef pair_at(Simt *s, LLVMValueRef const *x, int steps);

static LLVMValueRef operand_pair(Simt *s, LLVMValueRef const *x, int steps) {
  LLVMValueRef pair = pair_at(s, x, steps);
  if (pair) return pair;
  LLVMValueRef halves[] = {nvptx_half_of(x[0]), nvptx_half_of(x[1])};
  return halves[0] && halves[1] ? nvptx_join_halves(s->e, halves) : NULL;
}

// Both halves are rounded products of what were f16, too.
static LLVMValueRef pair_of_products(Simt *s, LLVMValueRef const *halves,
                                     int steps) {
  LLVMValueRef single[2], operand[2][2], pair[2];
  for (int i = 0; i < 2; i++) {
    if (!is_op(halves[i], LLVMFPTrunc)) return NULL;
    single[i] = LLVMGetOperand(halves[i], 0);
    if (!is_op(single[i], LLVMFMul)) return NULL;
    operand[0][i] = LLVMGetOperand(single[i], 0);
    operand[1][i] = LLVMGetOperand(single[i], 1);
  }
  for (int i = 0; i < 2; i++) {
    pair[i] = operand_pair(s, operand[i], steps - 1);
    if (!pair[i]) return NULL;
  }
  return LLVMBuildFMul(s->b, pair[0], pair[1], "");
}

// Recursion is MAX_STEPS deep at most.
static LLVMValueRef pair_at(Simt *s, LLVMValueRef const *x, int steps) {
  if (!steps) return NULL;
  LLVMValueRef pair = pair_of_f8e5(s, x);
  if (!pair) pair = pair_of_f8e4nv(s, x);
  LLVMValueRef halves[] = {nvptx_half_of(x[0]), nvptx_half_of(x[1])};
  if (pair || !halves[0] || !halves[1]) return pair;
  pair = pair_of_ints(s, halves, LLVMSIToFP);
  if (!pair) pair = pair_of_ints(s, halves, LLVMUIToFP);
  return pair ? pair : pair_of_products(s, halves, steps);
}

LLVMValueRef simt_pair_at_once(Simt *s, Elem elem, LLVMValueRef const *x) {
  if (elem == ELEM_bf16) return bf16_of_bytes(s, x);
  if (elem != ELEM_f16) return NULL;
  LLVMValueRef pair = pair_at(s, x, MAX_STEPS);
  return pair ? LLVMBuildBitCast(s->b, pair, int_type(s->e, 32), "") : NULL;
}
