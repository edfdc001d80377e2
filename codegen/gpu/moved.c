// moved.c -- addresses that a loop moves and that are not at regular distances,
// such as those of rows modulo their number.
//
// A moved address is a sum of indices.  The index that differs most between a
// thread's registers, if it has 32 bits, is added last, by one instruction for
// each address; the loop moves only the rest.  So an address needs one register
// through the loop, while LLVM would keep and move 64 bits of each.
#include "codegen/gpu/simt.h"

enum { MAX_TERMS = 4, INDEX_BITS = 32 };

// root + the sum of index[], in elements, the last one first.
typedef struct {
  LLVMValueRef root, index[MAX_TERMS];
  int count;
} Sum;

static Sum sum_of(LLVMValueRef address, LLVMTypeRef element) {
  Sum sum = {.root = address};
  while (sum.count < MAX_TERMS && LLVMIsAGetElementPtrInst(sum.root) &&
         LLVMGetGEPSourceElementType(sum.root) == element) {
    sum.index[sum.count++] = LLVMGetOperand(sum.root, 1);
    sum.root = LLVMGetOperand(sum.root, 0);
  }
  return sum;
}

static bool is_narrow(Simt *s, LLVMValueRef index) {
  return LLVMTypeOf(index) == int_type(s->e, INDEX_BITS);
}

// The number of different indices in that term; 0 if one is too wide or
// missing.
static int count_different(Simt *s, const Sum *sums, int count, int term) {
  int different = 0;
  for (int r = 0; r < count; r++) {
    if (term >= sums[r].count || !is_narrow(s, sums[r].index[term])) return 0;
    int same = 0;
    while (sums[same].index[term] != sums[r].index[term]) same++;
    different += same == r;
  }
  return different;
}

// The term in which the sums differ most; -1: they do not differ.
static int find_term(Simt *s, const Sum *sums, int count) {
  int best = -1;
  for (int term = 0, most = 1; term < MAX_TERMS; term++) {
    const int different = count_different(s, sums, count, term);
    if (different <= most) continue;
    most = different;
    best = term;
  }
  return best;
}

static bool same_but(const Sum *a, const Sum *b, int term) {
  if (a->root != b->root || a->count != b->count) return false;
  for (int i = 0; i < a->count; i++) {
    if (i != term && a->index[i] != b->index[i]) return false;
  }
  return true;
}

// The sum without that term, moved.
static LLVMValueRef base_of(Simt *s, const Sum *sum, int term,
                            LLVMTypeRef element, LLVMValueRef moved) {
  LLVMValueRef base = sum->root;
  for (int i = sum->count; i--;) {
    LLVMValueRef index = sum->index[i];
    if (i != term) base = LLVMBuildGEP2(s->b, element, base, &index, 1, "");
  }
  return LLVMBuildGEP2(s->b, element, base, &moved, 1, "");
}

static LLVMValueRef add_index(Simt *s, LLVMTypeRef element, LLVMValueRef base,
                              LLVMValueRef index, int64_t bytes) {
  if (LLVMIsAConstantInt(index)) {
    return LLVMBuildGEP2(s->b, element, base, &index, 1, "");
  }
  LLVMValueRef args[] = {index, base};
  const char *text =
      arena_printf(s->e->arena, "mad.wide.s32 $0, $1, %d, $2;", (int)bytes);
  return nvptx_asm(s, text, "=l,r,l", LLVMTypeOf(base), 2, args, false);
}

// Has `op` the form that the pass loop_offsets makes: a tile from before the
// loop, plus a distance?
static bool is_moved(const Op *op) {
  const Op *loop = op->block->parent;
  const Value *by = op_operand(op, 1);
  return loop && loop->kind == OP_for && value_def(by, OP_splat) &&
         value_is_outside(op_operand(op, 0), op->block);
}

LLVMValueRef *simt_moved(Simt *s, const Op *op) {
  const Type *pointee = type_element(op_result(op)->type)->element;
  LLVMTypeRef element = emit_memory_type(s->e, pointee);
  const int64_t bytes = (int64_t)emit_memory_bytes(pointee);
  const int count = simt_count(op_result(op)->type);
  if (!is_moved(op)) return NULL;
  LLVMValueRef const *from = simt_get(s, op_operand(op, 0));
  LLVMValueRef moved = simt_get(s, op_operand(op, 1))[0];
  Sum *sums = arena_array(s->e->arena, Sum, count);
  for (int r = 0; r < count; r++) sums[r] = sum_of(from[r], element);
  const int term = find_term(s, sums, count);
  if (term < 0) return NULL;
  LLVMValueRef *base = simt_new(s, count), *out = simt_new(s, count);
  for (int r = 0; r < count; r++) {
    int same = 0;
    while (!same_but(&sums[same], &sums[r], term)) same++;
    base[r] =
        same < r ? base[same] : base_of(s, &sums[r], term, element, moved);
    out[r] = add_index(s, element, base[r], sums[r].index[term], bytes);
  }
  return out;
}
