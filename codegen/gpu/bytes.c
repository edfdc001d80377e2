// bytes.c -- bytes of words, and words of bytes.
//
// For each byte, the word from which it came is remembered, so that a word of
// bytes takes them directly from those words: prmt selects any four bytes of
// two words.  A vector of bytes would go through memory.
#include "codegen/gpu/simt.h"

#include <assert.h>

typedef struct {
  LLVMValueRef word;
  int index;
} Byte;

LLVMValueRef simt_byte_of_word(Simt *s, LLVMValueRef word, int index) {
  assert(index >= 0 &&
         8 * index < (int)LLVMGetIntTypeWidth(LLVMTypeOf(word))); // I12
  LLVMValueRef x =
      LLVMBuildLShr(s->b, word, const_int(LLVMTypeOf(word), 8 * index), "");
  x = LLVMBuildTrunc(s->b, x, int_type(s->e, 8), "");
  Byte *byte = arena_new(s->e->arena, Byte);
  *byte = (Byte){word, index};
  if (LLVMIsAInstruction(x)) map_put(&s->bytes, s->e->arena, x, byte);
  return x;
}

static LLVMTypeRef word_type(Simt *s) {
  return int_type(s->e, 8 * SIMT_WORD_BYTES);
}

bool simt_find_byte(Simt *s, LLVMValueRef x, LLVMValueRef *word, int *index) {
  const Byte *known = map_get(&s->bytes, x);
  if (!known || LLVMTypeOf(known->word) != word_type(s)) return false;
  *word = known->word;
  *index = known->index;
  return true;
}

static Byte place_of(Simt *s, LLVMValueRef x) {
  LLVMTypeRef word = word_type(s);
  Byte known;
  if (simt_find_byte(s, x, &known.word, &known.index)) return known;
  if (LLVMIsATruncInst(x)) {
    LLVMValueRef wide = LLVMGetOperand(x, 0);
    if (LLVMTypeOf(wide) == word) return (Byte){wide, 0};
  }
  // With sign extension, a shift of the byte needs no mask.
  return (Byte){LLVMBuildSExt(s->b, x, word, ""), 0};
}

// -- By shifts ---------------------------------------------------------------

static LLVMValueRef shift_together(Simt *s, int count,
                                   LLVMValueRef const *bytes) {
  LLVMTypeRef type = int_type(s->e, 8 * count);
  LLVMValueRef word = LLVMConstNull(type);
  for (int i = 0; i < count; i++) {
    LLVMValueRef byte = LLVMBuildZExt(s->b, bytes[i], type, "");
    byte = LLVMBuildShl(s->b, byte, const_int(type, 8 * i), "");
    word = simt_join_bits(s, word, byte);
  }
  return word;
}

// -- By prmt -----------------------------------------------------------------

typedef struct {
  LLVMValueRef word[SIMT_WORD_BYTES]; // different ones
  int num_words;
  int which[SIMT_WORD_BYTES], index[SIMT_WORD_BYTES]; // of each byte
} Sources;

static Sources sources_of(Simt *s, LLVMValueRef const *bytes) {
  Sources from = {.num_words = 0};
  for (int i = 0; i < SIMT_WORD_BYTES; i++) {
    const Byte byte = place_of(s, bytes[i]);
    int w = 0;
    while (w < from.num_words && from.word[w] != byte.word) w++;
    if (w == from.num_words) from.word[from.num_words++] = byte.word;
    from.which[i] = w;
    from.index[i] = byte.index;
  }
  return from;
}

static LLVMValueRef permute(Simt *s, LLVMValueRef low, LLVMValueRef high,
                            uint32_t selector) {
  if (selector == 0x3210) return low;
  LLVMValueRef args[] = {low, high, simt_i32(s, selector)};
  return llvm_call(&s->e->llvm, "llvm.nvvm.prmt", NULL, 0, args, 3);
}

// The position of byte i for prmt when word `next` is added to the words before
// it.  From the second step on, these already have their bytes in place.
static int position(const Sources *from, int next, int i) {
  if (from->which[i] == next) {
    return from->index[i] + (next ? SIMT_WORD_BYTES : 0);
  }
  return from->which[i] < next && next == 1 ? from->index[i] : i;
}

static LLVMValueRef add_word(Simt *s, const Sources *from, LLVMValueRef low,
                             int next) {
  uint32_t selector = 0;
  for (int i = 0; i < SIMT_WORD_BYTES; i++) {
    selector |= (uint32_t)position(from, next, i) << 4 * i;
  }
  return permute(s, low, from->word[next], selector);
}

static LLVMValueRef pick_together(Simt *s, LLVMValueRef const *bytes) {
  const Sources from = sources_of(s, bytes);
  if (from.num_words == 1) return add_word(s, &from, from.word[0], 0);
  LLVMValueRef word = from.word[0];
  for (int i = 1; i < from.num_words; i++) word = add_word(s, &from, word, i);
  return word;
}

// -- Either ------------------------------------------------------------------

static bool are_constants(int count, LLVMValueRef const *x) {
  for (int i = 0; i < count; i++) {
    if (!LLVMIsConstant(x[i])) return false;
  }
  return true;
}

LLVMValueRef simt_word_of_bytes(Simt *s, int count, LLVMValueRef const *bytes) {
  if (count != SIMT_WORD_BYTES || are_constants(count, bytes)) {
    return shift_together(s, count, bytes);
  }
  return pick_together(s, bytes);
}
