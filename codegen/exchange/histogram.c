// histogram.c -- histograms, counted in shared memory.
//
// There is one word for each bin.  The threads clear the words, each adds one
// for each of its elements, and each reads the bins of its results.  The chip
// combines the additions of a warp's lanes to one word.  If not all bins fit
// into memory, they are counted part by part.
#include "codegen/gpu/simt.h"

#include "ir/exchange.h"

#include <assert.h>

typedef struct {
  Simt *s;
  const Op *op;
  SharedTile bins;      // of one part
  const Layout *layout; // layout for clearing and reading them
  int64_t count;        // of the bins of a part
  LLVMValueRef owner;   // does this thread count? NULL: all do
} Histogram;

static bool clear(const Histogram *h) {
  const int count = layout_num_registers(h->layout);
  LLVMValueRef *zeros = simt_new(h->s, count);
  for (int r = 0; r < count; r++) zeros[r] = simt_i32(h->s, 0);
  return simt_shared_write(h->s, &h->bins, h->layout, NULL, zeros);
}

// Adds one to the bin of an element, if its number is `first` or greater.
static void count_one(const Histogram *h, LLVMValueRef x, int64_t first) {
  LLVMBuilderRef b = h->s->b;
  LLVMTypeRef type = LLVMTypeOf(x), i32 = int_type(h->s->e, 32);
  LLVMValueRef bin = LLVMBuildSub(b, x, const_int(type, first), "");
  LLVMValueRef end = const_int(type, h->count);
  LLVMValueRef on = LLVMBuildICmp(b, LLVMIntULT, bin, end, "");
  if (h->owner) on = LLVMBuildAnd(b, on, h->owner, "");
  bin = LLVMBuildIntCast2(b, bin, i32, false, "");
  LLVMValueRef offset = LLVMBuildShl(b, bin, simt_i32(h->s, 2), "");
  LLVMValueRef address = simt_shared_at(h->s, h->bins.base, offset);
  nvptx_asm(h->s, "@$0 red.relaxed.cta.shared.add.u32 [$1], 1;", "b,r",
            LLVMVoidTypeInContext(h->s->e->llvm.context), 2,
            (LLVMValueRef[]){on, address}, true);
}

static void count_all(const Histogram *h, int64_t first) {
  const Value *x = op_operand(h->op, 0);
  const int *copies = simt_first_copies(h->s, x->type->layout);
  for (int r = 0; r < simt_count(x->type); r++) {
    if (copies && copies[r] != r) continue;
    count_one(h, simt_get(h->s, x)[r], first);
  }
}

static bool count_part(Histogram *h, int64_t first, LLVMValueRef *out) {
  Simt *s = h->s;
  Scratch scratch;
  if (!scratch_open(s, h->op, h->count * SIMT_WORD_BYTES, &scratch))
    return false;
  h->bins.base = scratch_address(s, &scratch, simt_i32(s, 0));
  assert(h->count == layout_num_elements(h->layout)); // I6
  if (!clear(h)) return false;
  scratch_publish(s);
  count_all(h, first);
  scratch_publish(s);
  return simt_shared_read(s, &h->bins, h->layout, out);
}

// Copies a part's registers to their places among all registers.
static void place(const Histogram *h, uint32_t part_bits, int64_t first,
                  LLVMValueRef const *part, LLVMValueRef *out) {
  const Layout *layout = op_result(h->op)->type->layout;
  for (int r = 0, next = 0; r < layout_num_registers(layout); r++) {
    const uint32_t start = layout_apply(layout, (uint32_t)r & part_bits);
    if (start == first) out[r] = part[next++];
  }
}

bool simt_emit_histogram(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  LayoutTable *layouts = &s->e->m->layouts;
  uint32_t part_bits;
  Histogram h = {.s = s, .op = op, .layout = exchange_counted(op, &part_bits)};
  if (!h.layout) return simt_unsupported(s, op, "in so many parts");
  h.count = layout_num_elements(h.layout);
  h.bins =
      (SharedTile){.element = type->element,
                   .layout = layout_shared(layouts, 1, &h.count, &(int){0})};
  h.owner =
      simt_none_set(s, simt_free_threads(op_operand(op, 0)->type->layout));
  LLVMValueRef *part = simt_new(s, layout_num_registers(h.layout));
  LLVMValueRef *out = simt_new(s, simt_count(type));
  for (int64_t first = 0; first < type->num_elements; first += h.count) {
    if (!count_part(&h, first, part)) return false;
    place(&h, part_bits, first, part, out);
  }
  simt_set(s, op_result(op), out);
  return true;
}
