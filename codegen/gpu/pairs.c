// pairs.c -- two f16 or bf16 of a word, computed together.
//
// Elements are computed in fp32 and rounded, except for sums and products:
// these are rounded once in their own format, and both elements of a word need
// one instruction, or one fma if a product is used by a sum only.  So words
// from memory stay words up to a store or a dot.
//
// For example, for tiles a and b of f16, `a * b + a` is, for each two elements,
// one fma.rn.f16x2 on words that ld.global.b32 has loaded and st.global.b32
// stores: no conversion, and two roundings become one.
#include "codegen/gpu/simt.h"
#include "codegen/scalar/scalar.h"

#include <math.h>

enum { MAX_OPERANDS = 3, MAX_DEPTH = 4, BF16_ONE = 0x3f80 };

static LLVMTypeRef pair_type(Simt *s) {
  return vector_of(LLVMHalfTypeInContext(s->e->llvm.context), 2);
}

static LLVMValueRef as_word(Simt *s, LLVMValueRef pair) {
  return pair ? LLVMBuildBitCast(s->b, pair, int_type(s->e, 32), "") : NULL;
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

// The two bytes as 16 bits. If they are the two bytes of one half of a word,
// the result is that half.
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

// The value in `known` that was computed from the word, if this block computed
// it; else NULL.
static LLVMValueRef find_here(Simt *s, const Map *known, LLVMValueRef word) {
  LLVMValueRef x = map_get(known, word);
  return x && is_here(s, x) ? x : NULL;
}

// Each byte with its first bit inverted.
static LLVMValueRef flip_signs(Simt *s, LLVMValueRef word) {
  LLVMValueRef flipped = find_here(s, &s->flipped, word);
  if (flipped) return flipped;
  flipped = LLVMBuildXor(s->b, word, simt_i32(s, 0x80808080), "");
  map_put(&s->flipped, s->e->arena, word, flipped);
  return flipped;
}

// The byte that `cast` converted to f16, in its original word.
static bool find_cast(Simt *s, LLVMValueRef half, LLVMOpcode cast,
                      LLVMValueRef *word, int *index) {
  return is_op(half, cast) &&
         simt_find_byte(s, LLVMGetOperand(half, 0), word, index);
}

// The low bits of 1024 + x are those of x < 1024; the low bits of 1152 + x are
// those of x + 128, which are a signed byte's with the first one inverted.
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
  LLVMValueRef offset = const_float(LLVMTypeOf(pair), is_signed ? 1152 : 1024);
  return LLVMBuildFSub(s->b, pair, offset, "");
}

// -- Bytes as bf16 -----------------------------------------------------------

// The constant with these bits; twice, if `like` is a word of two.
static LLVMValueRef bf16_bits(LLVMValueRef like, uint32_t bits) {
  LLVMTypeRef type = LLVMTypeOf(like);
  const bool two = LLVMGetIntTypeWidth(type) == 32;
  return LLVMConstInt(type, two ? bits << 16 | bits : bits, false);
}

// The byte that `cast` converted to bf16, in its original word.
static bool find_bf16_cast(Simt *s, LLVMValueRef x, LLVMOpcode cast,
                           LLVMValueRef *word, int *index) {
  LLVMValueRef single = nvptx_before_rounding(ELEM_bf16, x);
  return single && find_cast(s, single, cast, word, index);
}

// The bytes that `cast` converted to bf16, each with zeros above; `words`:
// their original words.
static LLVMValueRef spread_bytes(Simt *s, LLVMValueRef const *x,
                                 LLVMOpcode cast, LLVMValueRef *words,
                                 int *index) {
  LLVMValueRef bytes[2 * 2];
  for (int i = 0; i < 2; i++) {
    if (!find_bf16_cast(s, x[i], cast, &words[i], &index[i])) return NULL;
    bytes[2 * i] = simt_byte_of_word(s, words[i], index[i]);
    bytes[2 * i + 1] = LLVMConstNull(int_type(s->e, 8));
  }
  return simt_word_of_bytes(s, SIMT_WORD_BYTES, bytes);
}

// For each byte, the upper byte of a bf16: of -128 if the byte's first bit is
// not set, else of 0.
static LLVMValueRef offsets(Simt *s, LLVMValueRef word) {
  LLVMValueRef found = find_here(s, &s->offsets, word);
  if (found) return found;
  LLVMValueRef args[] = {word, word, simt_i32(s, 0xba98)}; // copies the first
                                                           // bits
  found = llvm_call(&s->e->llvm, "llvm.nvvm.prmt", NULL, 0, args, 3);
  found = nvptx_without(s->e, 0xc3c3c3c3, found);
  map_put(&s->offsets, s->e->arena, word, found);
  return found;
}

static LLVMValueRef spread_offsets(Simt *s, LLVMValueRef const *words,
                                   const int *index) {
  LLVMValueRef bytes[2 * 2];
  for (int i = 0; i < 2; i++) {
    bytes[2 * i] = LLVMConstNull(int_type(s->e, 8));
    bytes[2 * i + 1] = simt_byte_of_word(s, offsets(s, words[i]), index[i]);
  }
  return simt_word_of_bytes(s, SIMT_WORD_BYTES, bytes);
}

// The low bits of 128 + x are those of x < 128; the byte's first bit selects
// the number to be added.  For a signed byte, it turns -128 into -256, as the
// last bit of the exponent; for an unsigned one, inverted and copied eight
// times, it turns -128 into 0.
static LLVMValueRef bf16_of_bytes(Simt *s, LLVMValueRef const *x) {
  LLVMValueRef words[2], first;
  int index[2];
  LLVMValueRef both = spread_bytes(s, x, LLVMSIToFP, words, index);
  if (both) {
    first = nvptx_insert(s->e, both, 0x00800080, 0xc300c300);
  } else {
    both = spread_bytes(s, x, LLVMUIToFP, words, index);
    if (!both) return NULL;
    first = spread_offsets(s, words, index);
  }
  LLVMValueRef low = nvptx_insert(s->e, both, 0x007f007f, 0x43004300);
  return nvptx_fma_bf16(s->e, low, bf16_bits(low, BF16_ONE), first);
}

// -- Words -------------------------------------------------------------------

// The half of a word of two from which an element came, or to which it goes.
typedef struct {
  LLVMValueRef word;
  int index;
  Elem elem; // of the word
} Half;

void simt_note_pair(Simt *s, Elem elem, LLVMValueRef word,
                    LLVMValueRef const *x) {
  for (int i = 0; i < 2; i++) {
    if (!LLVMIsAInstruction(x[i])) continue;
    Half *half = arena_new(s->e->arena, Half);
    *half = (Half){word, i, elem};
    map_put(&s->halves, s->e->arena, x[i], half);
  }
}

static LLVMValueRef word_of_both(Simt *s, Elem elem, LLVMValueRef const *x) {
  const Half *low = map_get(&s->halves, x[0]);
  const Half *high = map_get(&s->halves, x[1]);
  const bool both = low && high && low->word == high->word;
  const bool fits = both && low->elem == elem;
  return fits && low->index == 0 && high->index == 1 ? low->word : NULL;
}

static LLVMValueRef word_of_halves(Simt *s, LLVMValueRef const *x) {
  LLVMValueRef pair = pair_of_f8e5(s, x);
  if (!pair) pair = pair_of_f8e4nv(s, x);
  LLVMValueRef halves[] = {nvptx_half_of(x[0]), nvptx_half_of(x[1])};
  if (pair || !halves[0] || !halves[1]) return as_word(s, pair);
  pair = pair_of_ints(s, halves, LLVMSIToFP);
  return as_word(s, pair ? pair : pair_of_ints(s, halves, LLVMUIToFP));
}

LLVMValueRef simt_pair_at_once(Simt *s, Elem elem, LLVMValueRef const *x) {
  LLVMValueRef word = word_of_both(s, elem, x);
  if (word) return word;
  if (elem == ELEM_bf16) word = bf16_of_bytes(s, x);
  if (elem == ELEM_f16) word = word_of_halves(s, x);
  return word ? word : nvptx_pack_rounded(s->e, elem, x);
}

// -- Arithmetic --------------------------------------------------------------

// An op and its operands: one of mulf, addf, subf and fma.
typedef struct {
  OpKind kind;
  const Type *element; // of the result
  const Value *x[MAX_OPERANDS];
  int count;
  int negated; // index of an operand; NONE
} PairedOp;

enum { NONE = -1 };

// The product, if its only use is a sum in the same trip.
static const Op *product_for_sum(const Value *x) {
  const Op *op = value_def(x, OP_mulf);
  if (!op || !x->uses || x->uses->next) return NULL;
  return x->uses->user->block == op->block ? op : NULL;
}

static bool is_sum(OpKind kind) {
  return kind == OP_addf || kind == OP_subf;
}

// A sum with a product among its operands becomes one fma with three others.
static PairedOp formula_of(const Simt *s, const Op *op) {
  PairedOp f = {.kind = op->kind,
                .element = type_element(op_result(op)->type),
                .count = op->num_operands,
                .negated = NONE};
  for (int i = 0; i < f.count; i++) f.x[i] = op_operand(op, i);
  if (!is_sum(op->kind) || s->e->options.no_fp_fusion) return f;
  for (int i = 0; i < 2; i++) {
    const Op *product = product_for_sum(op_operand(op, i));
    if (!product) continue;
    f.kind = OP_fma;
    f.count = 3;
    f.x[0] = op_operand(product, 0);
    f.x[1] = op_operand(product, 1);
    f.x[2] = op_operand(op, 1 - i);
    if (op->kind == OP_subf) f.negated = i ? 0 : 2;
    break;
  }
  return f;
}

// A product gets -0 added, which changes nothing; a sum is 1 times the first
// operand, plus the second.
static LLVMValueRef bf16_arithmetic(Simt *s, OpKind kind, LLVMValueRef *x) {
  LLVMValueRef minus_zero = bf16_bits(x[0], 0x8000);
  LLVMValueRef one = bf16_bits(x[0], BF16_ONE),
               less = bf16_bits(x[0], 0x8000 | BF16_ONE);
  switch (kind) {
  case OP_mulf: return nvptx_fma_bf16(s->e, x[0], x[1], minus_zero);
  case OP_addf: return nvptx_fma_bf16(s->e, x[0], one, x[1]);
  case OP_subf: return nvptx_fma_bf16(s->e, x[1], less, x[0]);
  default: return nvptx_fma_bf16(s->e, x[0], x[1], x[2]);
  }
}

static LLVMValueRef f16_arithmetic(Simt *s, OpKind kind, LLVMValueRef *x) {
  switch (kind) {
  case OP_mulf: return LLVMBuildFMul(s->b, x[0], x[1], "");
  case OP_addf: return LLVMBuildFAdd(s->b, x[0], x[1], "");
  case OP_subf: return LLVMBuildFSub(s->b, x[0], x[1], "");
  default: return emit_intrinsic(s->e, "llvm.fma", 3, x);
  }
}

static bool is_arithmetic(OpKind kind) {
  return is_sum(kind) || kind == OP_mulf || kind == OP_fma;
}

bool simt_takes_pairs(const Simt *s, const Op *op) {
  if (!is_arithmetic(op->kind)) return false;
  const Elem elem = op_result(op)->type->elem;
  return elem == ELEM_f16 ||
         (elem == ELEM_bf16 && target_can(s->e->target, CAP_MMA_BF16));
}

// The result for operands in memory form, or for words of two.
static LLVMValueRef compute(Simt *s, const PairedOp *f, LLVMValueRef *x) {
  const bool brain = f->element->elem == ELEM_bf16;
  if (f->negated != NONE) {
    LLVMValueRef *minus = &x[f->negated];
    *minus =
        brain ? nvptx_neg_bf16(s->e, *minus) : LLVMBuildFNeg(s->b, *minus, "");
  }
  return brain ? bf16_arithmetic(s, f->kind, x) : f16_arithmetic(s, f->kind, x);
}

// `x` are the operands of two results.  False if none is a word of two.
static bool compute_both(Simt *s, const PairedOp *f, LLVMValueRef x[][2],
                         LLVMValueRef *out) {
  const Elem elem = f->element->elem;
  bool any = false;
  for (int i = 0; i < f->count && !any; i++) {
    any = simt_pair_at_once(s, elem, x[i]) != NULL;
  }
  if (!any) return false;
  LLVMValueRef words[MAX_OPERANDS];
  for (int i = 0; i < f->count; i++) {
    words[i] = simt_pack(s, f->element, x[i]);
    if (elem == ELEM_f16) {
      words[i] = LLVMBuildBitCast(s->b, words[i], pair_type(s), "");
    }
  }
  LLVMValueRef both = as_word(s, compute(s, f, words));
  simt_unpack(s, f->element, both, out);
  return true;
}

static LLVMValueRef compute_one(Simt *s, const PairedOp *f, LLVMValueRef *x) {
  for (int i = 0; i < f->count; i++) {
    x[i] = convert_store(s->e, f->element, x[i]);
  }
  return convert_load(s->e, f->element, compute(s, f, x));
}

static void compute_at(Simt *s, const PairedOp *f, int low, int high,
                       LLVMValueRef *out) {
  LLVMValueRef x[MAX_OPERANDS][2], one[2][MAX_OPERANDS], both[2];
  for (int i = 0; i < f->count; i++) {
    const LLVMValueRef *from = simt_get(s, f->x[i]);
    const bool tile = type_is_tile(f->x[i]->type);
    one[0][i] = x[i][0] = from[tile ? low : 0];
    one[1][i] = x[i][1] = from[tile ? high : 0];
  }
  if (low != high && compute_both(s, f, x, both)) {
    out[low] = both[0];
    out[high] = both[1];
    return;
  }
  out[low] = compute_one(s, f, one[0]);
  if (low != high) out[high] = compute_one(s, f, one[1]);
}

bool simt_emit_pairs(Simt *s, const Op *op) {
  const int count = simt_count(op_result(op)->type);
  const int bits = simt_differing_bits(op) & (count - 1), step = bits & -bits;
  const PairedOp f = formula_of(s, op);
  LLVMValueRef *out = simt_new(s, count);
  for (int r = 0; r < count; r++) {
    if (r != (r & bits))
      out[r] = out[r & bits];
    else if (!(r & step))
      compute_at(s, &f, r, r | step, out);
  }
  simt_set(s, op_result(op), out);
  return true;
}

// -- Rounding to fp8e5 -------------------------------------------------------

// The magnitude of a number rounded to fp8e5, between 2^-16 and 57344, or NaN.
// fp8e5 keeps three digits.  c, the number times 2^21, has its last bit at the
// number's third digit, so that f32 rounds x - c there, to even, and c + (x -
// c) is the rounded number; below 2^-14, c is fixed, with the last bit 2^-16.
static LLVMValueRef size_as_f8e5(Simt *s, LLVMValueRef x, bool has_sign) {
  LLVMTypeRef single = LLVMTypeOf(x);
  if (has_sign) x = emit_intrinsic(s->e, "llvm.fabs", 1, &x);
  LLVMValueRef top[] = {x, const_float(single, 57344)};
  LLVMValueRef size = emit_intrinsic(s->e, "llvm.minimum", 2, top);
  LLVMValueRef bottom[] = {size, const_float(single, ldexp(1.5, -14))};
  LLVMValueRef large = emit_intrinsic(s->e, "llvm.maxnum", 2, bottom);
  LLVMValueRef less[] = {large, const_float(single, -ldexp(1, 21)), size};
  LLVMValueRef back[] = {large, const_float(single, ldexp(1, 21)),
                         emit_intrinsic(s->e, "llvm.fma", 3, less)};
  return emit_intrinsic(s->e, "llvm.fma", 3, back);
}

// The sign is added before the conversion to a half, whose NaN has none.
static LLVMValueRef single_as_f8e5(Simt *s, LLVMValueRef x, bool has_sign) {
  LLVMValueRef size = size_as_f8e5(s, x, has_sign);
  return has_sign ? nvptx_copy_sign(s->e, size, x) : size;
}

// The word of the two f16 that equal the numbers rounded to fp8e5.
static LLVMValueRef round_to_f8e5(Simt *s, LLVMValueRef const *x,
                                  bool has_sign) {
  LLVMValueRef first = single_as_f8e5(s, x[0], has_sign);
  LLVMValueRef args[] = {single_as_f8e5(s, x[1], has_sign), first};
  LLVMValueRef pair =
      llvm_call(&s->e->llvm, "llvm.nvvm.ff2f16x2.rn", NULL, 0, args, 2);
  return as_word(s, pair);
}

// Is no element negative, because the value is the result of an exponential or
// abs, or a select, a product or a sum of such values?
static bool has_no_sign(const Value *value, int depth) {
  const Op *op = value->def;
  if (!op || depth == 0) return false;
  switch (op->kind) {
  case OP_exp:
  case OP_exp2:
  case OP_absf: return true;
  case OP_convert_layout:
  case OP_extf:
  case OP_truncf: return has_no_sign(op_operand(op, 0), depth - 1);
  case OP_addf:
  case OP_mulf:
    return has_no_sign(op_operand(op, 0), depth - 1) &&
           has_no_sign(op_operand(op, 1), depth - 1);
  default: return false;
  }
}

bool simt_rounds_pairs(const Simt *s, const Op *op) {
  return op_result(op)->type->elem == ELEM_f8e5 &&
         type_element_bits(op_operand(op, 0)->type) <= 32 &&
         op_int(op, ATTR_rounding) == ROUNDING_rtne &&
         target_can(s->e->target, CAP_MMA_BF16) &&
         !target_can(s->e->target, CAP_F8_CONVERT);
}

// Widens the two f16 of the word, and notes that they are its halves, and that
// their upper bytes are fp8e5.
static void unpack_f8e5(Simt *s, LLVMValueRef word, LLVMValueRef *out) {
  LLVMTypeRef single = LLVMFloatTypeInContext(s->e->llvm.context);
  LLVMValueRef pair = LLVMBuildBitCast(s->b, word, pair_type(s), "");
  for (int i = 0; i < 2; i++) {
    LLVMValueRef half = LLVMBuildExtractElement(s->b, pair, simt_i32(s, i), "");
    out[i] = LLVMBuildFPExt(s->b, half, single, "");
    if (!LLVMIsAInstruction(out[i])) continue;
    map_put(&s->loaded[ELEM_f8e5], s->e->arena, out[i],
            simt_byte_of_word(s, word, 2 * i + 1));
  }
  simt_note_pair(s, ELEM_f16, word, out);
}

void simt_round_pairs(Simt *s, const Op *op) {
  const int count = simt_count(op_result(op)->type);
  const bool has_sign = !has_no_sign(op_operand(op, 0), MAX_DEPTH);
  LLVMValueRef const *x = simt_get(s, op_operand(op, 0));
  LLVMValueRef *out = simt_new(s, count);
  for (int r = 0; r < count; r += 2) {
    LLVMValueRef both[] = {x[r], x[r + (r + 1 < count)]}, rounded[2];
    unpack_f8e5(s, round_to_f8e5(s, both, has_sign), rounded);
    out[r] = rounded[0];
    if (r + 1 < count) out[r + 1] = rounded[1];
  }
  simt_set(s, op_result(op), out);
}
