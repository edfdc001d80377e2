// thread.c -- the number of a thread, barriers and shuffles.
//
// No other file reads tid.x, and none but roles.c uses bar, so that a group of
// threads can be less than the block.  Shuffles and barriers are convergent
// intrinsics: LLVM does not move them into a branch.
#include "codegen/gpu/simt.h"

#include <assert.h>

static LLVMValueRef call(Simt *s, const char *name, LLVMValueRef *args, int n) {
  LLVMTypeRef none[1] = {NULL};
  return llvm_call(&s->e->llvm, name, none, 0, args, n);
}

static void set_range(Simt *s, LLVMValueRef number, int64_t start,
                      int64_t end) {
  LLVMContextRef c = s->e->llvm.context;
  LLVMMetadataRef bounds[] = {
      LLVMValueAsMetadata(simt_i32(s, start)),
      LLVMValueAsMetadata(simt_i32(s, end)),
  };
  LLVMMetadataRef node = LLVMMDNodeInContext2(c, bounds, 2);
  const unsigned kind = LLVMGetMDKindIDInContext(c, "range", 5);
  LLVMSetMetadata(number, kind, LLVMMetadataAsValue(c, node));
}

LLVMValueRef simt_special(Simt *s, const char *name, int64_t start,
                          int64_t end) {
  const char *intrinsic =
      arena_printf(s->e->arena, "llvm.nvvm.read.ptx.sreg.%s", name);
  LLVMValueRef number = call(s, intrinsic, NULL, 0);
  assert(start < end && "no number is in the range"); // I4
  set_range(s, number, start, end);
  return simt_anew(s, number);
}

LLVMValueRef simt_thread(Simt *s) {
  const int count = s->group.launched * s->e->target->warp_size;
  return simt_special(s, "tid.x", 0, count);
}

LLVMValueRef simt_cluster_rank(Simt *s) {
  LLVMValueRef block = simt_special(s, "ctaid.x", 0, INT32_MAX);
  LLVMValueRef last = simt_i32(s, (INT64_C(1) << s->log2_cluster) - 1);
  return LLVMBuildAnd(s->b, block, last, "");
}

// The lanes of a single warp need only to be ordered, which takes no
// instruction if they are converged.
LLVMValueRef simt_barrier(Simt *s) {
  LLVMValueRef lanes = simt_i32(s, -1);
  return s->group.num_warps == 1 ? call(s, "llvm.nvvm.bar.warp.sync", &lanes, 1)
                                 : simt_barrier_outside(s);
}

void simt_barrier_of_cluster(Simt *s, bool orders) {
  s->is_fenced = false;
  const char *text = arena_printf(s->e->arena,
                                  "barrier.cluster.arrive.%s.aligned;\n\t"
                                  "barrier.cluster.wait.acquire.aligned;",
                                  orders ? "release" : "relaxed");
  nvptx_warp_asm(s, text, "~{memory}",
                 LLVMVoidTypeInContext(s->e->llvm.context), 0, NULL);
}

LLVMValueRef simt_barrier_outside(Simt *s) {
  s->is_fenced = false;
  if (!s->group.barrier) return llvm_barrier(&s->e->llvm);
  const char *text =
      arena_printf(s->e->arena, "bar.sync %d, %d;", s->group.barrier,
                   s->group.num_warps * s->e->target->warp_size);
  return nvptx_warp_asm(s, text, "~{memory}",
                        LLVMVoidTypeInContext(s->e->llvm.context), 0, NULL);
}

LLVMValueRef simt_join_bits(Simt *s, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef joined = LLVMBuildOr(s->b, x, y, "");
  if (LLVMIsAInstruction(joined)) LLVMSetIsDisjoint(joined, 1);
  return joined;
}

// -- Linear maps of the thread's number --------------------------------------

static bool is_single_bit(uint32_t column) {
  return column && !(column & (column - 1));
}

// The number of consecutive input bits from `bit` on whose columns are
// consecutive single bits.
static int run_length(const LinearMap *map, int bit) {
  if (!is_single_bit(map->column[bit])) return 1;
  int n = 1;
  while (bit + n < map->num_in &&
         map->column[bit + n] == map->column[bit] << n &&
         is_single_bit(map->column[bit + n])) {
    n++;
  }
  return n;
}

static int lowest_bit(uint32_t word) {
  int bit = 0;
  while (!(word >> bit & 1)) bit++;
  return bit;
}

// Bits from to from+count-1 of the thread's number, moved to bit `to`.
static LLVMValueRef move_bits(Simt *s, int from, int count, int to) {
  assert(count > 0 && from >= 0 && from + count < 32); // I4
  const uint32_t mask = ((UINT32_C(1) << count) - 1) << from;
  LLVMValueRef x =
      LLVMBuildAnd(s->b, simt_thread(s), simt_i32(s, (int64_t)mask), "");
  if (to > from) return LLVMBuildShl(s->b, x, simt_i32(s, to - from), "");
  if (to < from) return LLVMBuildLShr(s->b, x, simt_i32(s, from - to), "");
  return x;
}

// An input bit that sets several output bits.
static LLVMValueRef spread_bit(Simt *s, int bit, uint32_t column) {
  LLVMValueRef set = simt_parity(s, UINT32_C(1) << bit);
  return emit_select(s->e, set, simt_i32(s, (int64_t)column), simt_i32(s, 0));
}

LLVMValueRef simt_linear(Simt *s, const LinearMap *map, int first,
                         uint32_t *bits) {
  LLVMValueRef sum = simt_i32(s, 0);
  *bits = 0;
  for (int i = first, n; i < map->num_in; i += n) {
    const uint32_t column = map->column[i];
    n = run_length(map, i);
    if (!column) continue;
    uint32_t set = column;
    for (int k = 1; k < n; k++) set |= map->column[i + k];
    LLVMValueRef part = is_single_bit(column)
                            ? move_bits(s, i - first, n, lowest_bit(column))
                            : spread_bit(s, i - first, column);
    sum = *bits & set ? LLVMBuildXor(s->b, sum, part, "")
                      : simt_join_bits(s, sum, part);
    *bits |= set;
  }
  return sum;
}

LLVMValueRef simt_xor(Simt *s, LLVMValueRef x, uint32_t bits, uint32_t y) {
  if (!y) return x;
  LLVMValueRef constant = simt_i32(s, (int64_t)y);
  return bits & y ? LLVMBuildXor(s->b, x, constant, "")
                  : simt_join_bits(s, x, constant);
}

LLVMValueRef simt_parity(Simt *s, uint32_t mask) {
  LLVMValueRef zero = simt_i32(s, 0);
  LLVMValueRef x =
      LLVMBuildAnd(s->b, simt_thread(s), simt_i32(s, (int64_t)mask), "");
  if (mask & (mask - 1)) {
    LLVMValueRef count = emit_intrinsic(s->e, "llvm.ctpop", 1, &x);
    x = LLVMBuildAnd(s->b, count, simt_i32(s, 1), "");
  }
  return LLVMBuildICmp(s->b, LLVMIntNE, x, zero, "");
}

LLVMValueRef simt_none_set(Simt *s, uint32_t mask) {
  if (!mask) return NULL;
  LLVMValueRef x =
      LLVMBuildAnd(s->b, simt_thread(s), simt_i32(s, (int64_t)mask), "");
  return LLVMBuildICmp(s->b, LLVMIntEQ, x, simt_i32(s, 0), "");
}

// -- Shuffles ----------------------------------------------------------------

// A word of another type than integer stays in its register.
static LLVMValueRef shuffle_word(Simt *s, const char *mode, LLVMValueRef word,
                                 LLVMValueRef lane) {
  const bool is_f32 = LLVMGetTypeKind(LLVMTypeOf(word)) == LLVMFloatTypeKind;
  const char *name = arena_printf(s->e->arena, "llvm.nvvm.shfl.sync.%s.%s",
                                  mode, is_f32 ? "f32" : "i32");
  LLVMValueRef args[] = {simt_i32(s, -1), word, lane, simt_i32(s, 31)};
  return call(s, name, args, 4);
}

// Values of up to 32 bits are one word, others two.
static LLVMValueRef shuffle_bits(Simt *s, const char *mode, LLVMValueRef bits,
                                 LLVMValueRef lane) {
  LLVMTypeRef type = LLVMTypeOf(bits), i32 = int_type(s->e, 32);
  const unsigned width = LLVMGetIntTypeWidth(type);
  assert((width <= 32 || width == 64) && "no two words"); // I5
  if (width <= 32) {
    LLVMValueRef word = LLVMBuildZExt(s->b, bits, i32, "");
    word = shuffle_word(s, mode, word, lane);
    return LLVMBuildTrunc(s->b, word, type, "");
  }
  LLVMTypeRef pair = LLVMVectorType(i32, 2);
  LLVMValueRef words = LLVMBuildBitCast(s->b, bits, pair, "");
  for (int i = 0; i < 2; i++) {
    LLVMValueRef at = simt_i32(s, i);
    LLVMValueRef word = LLVMBuildExtractElement(s->b, words, at, "");
    word = shuffle_word(s, mode, word, lane);
    words = LLVMBuildInsertElement(s->b, words, word, at, "");
  }
  return LLVMBuildBitCast(s->b, words, type, "");
}

static LLVMValueRef shuffle(Simt *s, const char *mode, LLVMValueRef x,
                            LLVMValueRef lane) {
  LLVMTypeRef type = LLVMTypeOf(x), i64 = int_type(s->e, 64);
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind: {
    LLVMValueRef bits = LLVMBuildPtrToInt(s->b, x, i64, "");
    bits = shuffle_bits(s, mode, bits, lane);
    return LLVMBuildIntToPtr(s->b, bits, type, "");
  }
  case LLVMIntegerTypeKind: return shuffle_bits(s, mode, x, lane);
  case LLVMDoubleTypeKind: {
    LLVMValueRef bits = LLVMBuildBitCast(s->b, x, i64, "");
    bits = shuffle_bits(s, mode, bits, lane);
    return LLVMBuildBitCast(s->b, bits, type, "");
  }
  default: return shuffle_word(s, mode, x, lane);
  }
}

LLVMValueRef simt_shuffle_xor(Simt *s, LLVMValueRef x, int flip) {
  assert(flip >= 0 && flip < s->e->target->warp_size); // I5
  return shuffle(s, "bfly", x, simt_i32(s, flip));
}

LLVMValueRef simt_shuffle(Simt *s, LLVMValueRef x, LLVMValueRef lane) {
  return shuffle(s, "idx", x, lane);
}
