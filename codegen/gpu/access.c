// access.c -- one memory instruction: adjacent elements of a thread as words.
//
// Elements of any type are moved as 32-bit words, or as one word of less or of
// 64 bits; but f32 is moved as float, since a register that asm uses as an
// integer would be copied.  Without a mask, LLVM's load and store are used, for
// which it forms better addresses.  With a mask, an instruction with a
// predicate is used, so that there is no branch; if the mask is off, the
// registers keep the values of `other`.
//
// For example, four adjacent floats under a mask, with 1 as `other`, are a
// `mov` of 1 to four registers, and `@%p ld.global.v4.b32` to the same
// registers.
#include "codegen/gpu/simt.h"
#include "codegen/scalar/scalar.h"

#include <stdio.h>

enum { MAX_WORDS = 4 };

typedef struct {
  int count, bits; // of words
  int per_word;    // elements
  bool is_f32;
} Words;

static Words words_of(const SimtAccess *access) {
  const int elem_bits = 8 * (int)emit_memory_bytes(access->element);
  const int total = elem_bits << access->log2_width;
  const int word = elem_bits == 64 ? 64 : total < 32 ? total : 32;
  const Type *element = access->element;
  const bool is_f32 = element->kind == TYPE_SCALAR && element->elem == ELEM_f32;
  return (Words){total / word, word, word / elem_bits, is_f32};
}

static LLVMTypeRef word_type(Simt *s, const Words *words) {
  if (words->is_f32) return LLVMFloatTypeInContext(s->e->llvm.context);
  return int_type(s->e, words->bits);
}

// -- Elements to words and back ----------------------------------------------

static bool is_small_float(const Type *element) {
  return type_is_float(element) && type_element_bits(element) == 8;
}

LLVMValueRef simt_to_memory(Simt *s, const Type *element, LLVMValueRef x) {
  LLVMValueRef known =
      is_small_float(element) ? map_get(&s->loaded[element->elem], x) : NULL;
  return known ? known : convert_store(s->e, element, x);
}

LLVMValueRef simt_from_memory(Simt *s, const Type *element,
                              LLVMValueRef memory) {
  LLVMValueRef x = convert_load(s->e, element, memory);
  if (is_small_float(element) && LLVMIsAInstruction(x)) {
    map_put(&s->loaded[element->elem], s->e->arena, x, memory);
  }
  return x;
}

static LLVMValueRef to_bits(Simt *s, const Type *element, LLVMValueRef x) {
  LLVMValueRef memory = simt_to_memory(s, element, x);
  if (element->kind == TYPE_POINTER) {
    return LLVMBuildPtrToInt(s->b, memory, int_type(s->e, 64), "");
  }
  const int bits = 8 * (int)emit_memory_bytes(element);
  return LLVMBuildBitCast(s->b, memory, int_type(s->e, bits), "");
}

static LLVMValueRef from_bits(Simt *s, const Type *element, LLVMValueRef bits) {
  LLVMTypeRef type = emit_memory_type(s->e, element);
  if (element->kind == TYPE_POINTER) {
    return LLVMBuildIntToPtr(s->b, bits, type, "");
  }
  LLVMValueRef memory = LLVMBuildBitCast(s->b, bits, type, "");
  return simt_from_memory(s, element, memory);
}

static bool is_byte(const Type *element) {
  return element->kind == TYPE_SCALAR && element->elem != ELEM_i1 &&
         type_element_bits(element) == 8;
}

// Bitcasts between types of 8 bits do nothing.
bool simt_emit_bitcast(Simt *s, const Op *op) {
  const Value *operand = op_operand(op, 0), *result = op_result(op);
  const Type *from = type_element(operand->type);
  const Type *to = type_element(result->type);
  if (!is_byte(from) || !is_byte(to)) return simt_emit_elementwise(s, op);
  const int count = simt_count(result->type);
  LLVMValueRef const *x = simt_get(s, operand);
  LLVMValueRef *out = simt_new(s, count);
  for (int r = 0; r < count; r++) {
    out[r] = r && x[r] == x[r - 1]
                 ? out[r - 1]
                 : simt_from_memory(s, to, simt_to_memory(s, from, x[r]));
  }
  simt_set(s, result, out);
  return true;
}

static LLVMTypeRef parts_type(Simt *s, const Words *words) {
  LLVMTypeRef part = int_type(s->e, words->bits / words->per_word);
  return LLVMVectorType(part, (unsigned)words->per_word);
}

// Pairs of bytes, each made by one instruction; NULL if that is not possible,
// or the bytes exist already.
static LLVMValueRef pack_pairs(Simt *s, const Type *element, int count,
                               LLVMValueRef const *x) {
  if (!is_small_float(element) || count % 2) return NULL;
  for (int i = 0; i < count; i++) {
    if (map_get(&s->loaded[element->elem], x[i])) return NULL;
  }
  LLVMTypeRef i16 = int_type(s->e, 16);
  LLVMValueRef pairs = LLVMGetPoison(LLVMVectorType(i16, (unsigned)count / 2));
  for (int i = 0; i < count / 2; i++) {
    LLVMValueRef pair = nvptx_pack_f8(s->e, element->elem, x + 2 * i);
    if (!pair) return NULL;
    pairs = LLVMBuildInsertElement(s->b, pairs, pair, simt_i32(s, i), "");
  }
  return LLVMBuildBitCast(s->b, pairs, int_type(s->e, 8 * count), "");
}

static LLVMValueRef pack_bytes(Simt *s, const SimtAccess *access,
                               const Words *words, LLVMValueRef const *x) {
  LLVMValueRef pairs = pack_pairs(s, access->element, words->per_word, x);
  if (pairs) return pairs;
  LLVMValueRef bytes[SIMT_WORD_BYTES];
  for (int i = 0; i < words->per_word; i++) {
    bytes[i] = to_bits(s, access->element, x[i]);
  }
  return simt_word_of_bytes(s, words->per_word, bytes);
}

static void unpack_bytes(Simt *s, const SimtAccess *access, const Words *words,
                         LLVMValueRef word, LLVMValueRef *out) {
  LLVMTypeRef wide = int_type(s->e, 8 * SIMT_WORD_BYTES);
  word = LLVMBuildZExt(s->b, word, wide, "");
  for (int i = 0; i < words->per_word; i++) {
    out[i] = from_bits(s, access->element, simt_byte_of_word(s, word, i));
  }
}

static bool holds_bytes(const Words *words) {
  return words->bits == 8 * words->per_word;
}

static LLVMValueRef pack_word(Simt *s, const SimtAccess *access,
                              const Words *words, LLVMValueRef const *x) {
  if (words->is_f32) return x[0];
  if (words->per_word == 1) return to_bits(s, access->element, x[0]);
  if (holds_bytes(words)) return pack_bytes(s, access, words, x);
  const bool two = words->per_word == 2 && type_is_float(access->element);
  LLVMValueRef pair =
      two ? simt_pair_at_once(s, access->element->elem, x) : NULL;
  if (pair) return pair;
  LLVMValueRef parts = LLVMGetPoison(parts_type(s, words));
  for (int i = 0; i < words->per_word; i++) {
    parts = LLVMBuildInsertElement(
        s->b, parts, to_bits(s, access->element, x[i]), simt_i32(s, i), "");
  }
  return LLVMBuildBitCast(s->b, parts, word_type(s, words), "");
}

static void unpack_word(Simt *s, const SimtAccess *access, const Words *words,
                        LLVMValueRef word, LLVMValueRef *out) {
  if (words->is_f32) {
    out[0] = word;
    return;
  }
  if (words->per_word == 1) {
    out[0] = from_bits(s, access->element, word);
    return;
  }
  if (holds_bytes(words)) {
    unpack_bytes(s, access, words, word, out);
    return;
  }
  LLVMValueRef parts = LLVMBuildBitCast(s->b, word, parts_type(s, words), "");
  for (int i = 0; i < words->per_word; i++) {
    LLVMValueRef part =
        LLVMBuildExtractElement(s->b, parts, simt_i32(s, i), "");
    out[i] = from_bits(s, access->element, part);
  }
  if (type_is_float(access->element)) {
    simt_note_pair(s, access->element->elem, word, out);
  }
}

static Words word_of(const Type *element) {
  return (Words){1, 32, 4 / (int)emit_memory_bytes(element), false};
}

LLVMValueRef simt_pack(Simt *s, const Type *element, LLVMValueRef const *x) {
  const SimtAccess access = {.element = element};
  const Words words = word_of(element);
  return pack_word(s, &access, &words, x);
}

void simt_unpack(Simt *s, const Type *element, LLVMValueRef word,
                 LLVMValueRef *out) {
  const SimtAccess access = {.element = element};
  const Words words = word_of(element);
  unpack_word(s, &access, &words, word, out);
}

// -- Without a mask ----------------------------------------------------------

static bool is_plain(const SimtAccess *access, LLVMValueRef mask) {
  return !mask && !*access->mode;
}

static unsigned alignment(const Words *words) {
  return (unsigned)(words->count * words->bits / 8);
}

static void plain_load(Simt *s, const SimtAccess *access, const Words *words,
                       LLVMValueRef address, LLVMValueRef *word) {
  LLVMTypeRef one = word_type(s, words);
  LLVMTypeRef type =
      words->count == 1 ? one : LLVMVectorType(one, (unsigned)words->count);
  LLVMValueRef all = LLVMBuildLoad2(s->b, type, address, "");
  LLVMSetAlignment(all, alignment(words));
  LLVMSetVolatile(all, access->is_volatile);
  for (int i = 0; i < words->count; i++) {
    word[i] = words->count == 1
                  ? all
                  : LLVMBuildExtractElement(s->b, all, simt_i32(s, i), "");
  }
}

static void plain_store(Simt *s, const Words *words, LLVMValueRef address,
                        LLVMValueRef const *word) {
  LLVMValueRef all = word[0];
  if (words->count > 1) {
    LLVMTypeRef one = word_type(s, words);
    all = LLVMGetPoison(LLVMVectorType(one, (unsigned)words->count));
    for (int i = 0; i < words->count; i++) {
      all = LLVMBuildInsertElement(s->b, all, word[i], simt_i32(s, i), "");
    }
  }
  LLVMSetAlignment(LLVMBuildStore(s->b, all, address), alignment(words));
}

// -- Under a mask ------------------------------------------------------------

// A word of 8 bits is in a register of 32, as there are none of 8.
static int register_bits(const Words *words) {
  return words->bits == 8 ? 32 : words->bits;
}

static char constraint_of(const Words *words) {
  if (words->is_f32) return 'f';
  return words->bits == 64 ? 'l' : words->bits == 16 ? 'h' : 'r';
}

static LLVMTypeRef register_type(Simt *s, const Words *words) {
  if (words->is_f32) return word_type(s, words);
  return int_type(s->e, register_bits(words));
}

static LLVMValueRef to_register(Simt *s, const Words *words, LLVMValueRef x) {
  if (words->is_f32) return x;
  return LLVMBuildZExt(s->b, x, int_type(s->e, register_bits(words)), "");
}

// "$0, $1" from operand `first` on; in braces for a vector.
static void add_operands(Str *text, const Words *words, int first) {
  str_add(text, words->count > 1 ? "{" : "");
  for (int i = 0; i < words->count; i++) {
    str_addf(text, "%s$%d", i ? ", " : "", first + i);
  }
  str_add(text, words->count > 1 ? "}" : "");
}

// "@$p ld.global.cg.v4.b32 "
static void add_instruction(Str *text, const char *name,
                            const SimtAccess *access, const Words *words,
                            bool masked, int predicate) {
  if (masked) str_addf(text, "@$%d ", predicate);
  str_addf(text, "%s%s.%s%s", name, access->is_volatile ? ".volatile" : "",
           access->shared ? "shared" : "global", access->mode);
  if (words->count > 1) str_addf(text, ".v%d", words->count);
  str_addf(text, ".b%d ", words->bits);
}

static void add_constraints(Str *out, char letter, int count,
                            const char *prefix) {
  for (int i = 0; i < count; i++) {
    str_addf(out, "%s%s%c", out->length ? "," : "", prefix, letter);
  }
}

static LLVMTypeRef struct_of(Simt *s, LLVMTypeRef part, int count) {
  LLVMTypeRef parts[MAX_WORDS];
  for (int i = 0; i < count; i++) parts[i] = part;
  return LLVMStructTypeInContext(s->e->llvm.context, parts, (unsigned)count, 0);
}

// Operands: the words read, the mask, if there is one, the address, and the
// words for the case that the mask is off.
static void masked_load(Simt *s, const SimtAccess *access, const Words *words,
                        LLVMValueRef address, LLVMValueRef mask,
                        LLVMValueRef *word) {
  const int n = words->count;
  LLVMValueRef args[MAX_WORDS + 2];
  int num_args = 0;
  Str text = str_in(s->e->arena), constraints = str_in(s->e->arena);
  add_instruction(&text, "ld", access, words, mask != NULL, n);
  add_operands(&text, words, 0);
  int64_t offset;
  address = simt_split_address(s, address, &offset);
  str_addf(&text, ", [$%d%s];", n + (mask != NULL), simt_plus(s, offset));
  add_constraints(&constraints, constraint_of(words), n, "=");
  if (mask) args[num_args++] = mask;
  args[num_args++] = address;
  add_constraints(&constraints, 'b', mask != NULL, "");
  add_constraints(&constraints, access->shared ? 'r' : 'l', 1, "");
  for (int i = 0; mask && i < n; i++) {
    args[num_args++] = to_register(s, words, word[i]);
    str_addf(&constraints, ",%d", i);
  }
  LLVMTypeRef type = register_type(s, words);
  LLVMValueRef all =
      nvptx_asm(s, str_text(&text), str_text(&constraints),
                n > 1 ? struct_of(s, type, n) : type, num_args, args, true);
  for (int i = 0; i < n; i++) {
    word[i] = n > 1 ? LLVMBuildExtractValue(s->b, all, (unsigned)i, "") : all;
    if (!words->is_f32)
      word[i] = LLVMBuildTrunc(s->b, word[i], word_type(s, words), "");
  }
}

// Operands: the mask, if there is one, the address, the words.
static void masked_store(Simt *s, const SimtAccess *access, const Words *words,
                         LLVMValueRef address, LLVMValueRef mask,
                         LLVMValueRef const *word) {
  LLVMValueRef args[MAX_WORDS + 2];
  int num_args = 0;
  Str text = str_in(s->e->arena), constraints = str_in(s->e->arena);
  add_instruction(&text, "st", access, words, mask != NULL, 0);
  if (mask) args[num_args++] = mask;
  int64_t offset;
  address = simt_split_address(s, address, &offset);
  str_addf(&text, "[$%d%s], ", num_args, simt_plus(s, offset));
  args[num_args++] = address;
  add_operands(&text, words, num_args);
  str_add_char(&text, ';');
  add_constraints(&constraints, 'b', mask != NULL, "");
  add_constraints(&constraints, access->shared ? 'r' : 'l', 1, "");
  for (int i = 0; i < words->count; i++) {
    args[num_args++] = to_register(s, words, word[i]);
  }
  add_constraints(&constraints, constraint_of(words), words->count, "");
  nvptx_asm(s, str_text(&text), str_text(&constraints),
            LLVMVoidTypeInContext(s->e->llvm.context), num_args, args, true);
}

// -- Either ------------------------------------------------------------------

void simt_access_load(Simt *s, const SimtAccess *access, LLVMValueRef address,
                      LLVMValueRef mask, LLVMValueRef const *other,
                      LLVMValueRef *out) {
  const Words words = words_of(access);
  LLVMValueRef word[MAX_WORDS];
  for (int i = 0; mask && i < words.count; i++) {
    word[i] = other ? pack_word(s, access, &words, other + i * words.per_word)
                    : LLVMConstNull(word_type(s, &words));
  }
  if (is_plain(access, mask)) {
    plain_load(s, access, &words, address, word);
  } else {
    masked_load(s, access, &words, address, mask, word);
  }
  for (int i = 0; i < words.count; i++) {
    unpack_word(s, access, &words, word[i], out + i * words.per_word);
  }
}

void simt_access_store(Simt *s, const SimtAccess *access, LLVMValueRef address,
                       LLVMValueRef mask, LLVMValueRef const *values) {
  const Words words = words_of(access);
  LLVMValueRef word[MAX_WORDS] = {NULL};
  for (int i = 0; i < words.count; i++) {
    word[i] = pack_word(s, access, &words, values + i * words.per_word);
  }
  if (is_plain(access, mask)) {
    plain_store(s, &words, address, word);
  } else {
    masked_store(s, access, &words, address, mask, word);
  }
}
