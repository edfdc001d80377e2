// partial_sums.c -- products of fp8 whose sums have few terms.
//
// wgmma keeps 13 fraction bits of a sum of fp8 products (wgmma_plan() says how
// many terms a program allows).  So each block of the result gets sums of its
// own, from zero, for `plan.terms` terms; threads add them to the result in
// fp32.  If there are registers, the instructions of the next part run
// meanwhile.
//
// For example, 64x128 by 128x64 with 32 terms and registers for two parts:
// start 0; start 1; wait for 0; add 0; start 2; wait for 1; add 1; ...
#include "codegen/matrix/product.h"

#include <assert.h>

enum { MOST = 2 }; // sets of registers

typedef struct {
  ProductPart part;
  LLVMValueRef *sums; // NULL: there is none
} Started;

typedef struct {
  const Product *p;
  LLVMValueRef *sums; // of all blocks
  int each;           // sums of a block
  Started turn[MOST]; // the latest part with each set of registers
} PartialSums;

// A part's sums are tied to those of the last part with the same registers:
// otherwise ptxas takes other ones, and runs out of them.
static void start(PartialSums *x, Started *of, ProductPart part) {
  const bool tied = of->sums != NULL;
  of->part = part;
  if (!tied) {
    of->sums = simt_new(x->p->s, x->each);
    for (int i = 0; i < x->each; i++) of->sums[i] = x->sums[i]; // their types
  }
  product_start(x->p, part, of->sums, tied ? SUMS_OVERWRITTEN : SUMS_NEW);
}

// Waits and adds in one statement: LLVM would move additions behind the
// products that follow, and copy the terms out of their way.
static void wait_and_add(const PartialSums *x, LLVMValueRef *sums,
                         LLVMValueRef *terms, int pending) {
  const int count = 2 * x->each;
  LLVMValueRef *both = simt_new(x->p->s, count);
  for (int i = 0; i < x->each; i++) {
    both[i] = sums[i];
    both[x->each + i] = terms[i];
  }
  WgmmaStatement text = statement_start(x->p->s, count, true, both, 0);
  str_addf(&text.text, "wgmma.wait_group.sync.aligned %d;", pending);
  for (int i = 0; i < x->each; i++)
    str_addf(&text.text, "\n\tadd.f32 $%d, $%d, $%d;", i, i, x->each + i);
  statement_run(x->p->s, &text, count, both);
  for (int i = 0; i < x->each; i++) {
    sums[i] = both[i];
    terms[i] = both[x->each + i];
  }
}

static void add(const PartialSums *x, const Started *last, int pending) {
  LLVMValueRef *sums = x->sums + (int)last->part.block * x->each;
  if (last->part.k || !x->p->from_zero) {
    wait_and_add(x, sums, last->sums, pending);
    return;
  }
  statement_wait(x->p->s, pending, x->each, last->sums);
  for (int i = 0; i < x->each; i++) sums[i] = last->sums[i];
}

void product_in_parts(const Product *p, ProductPart all, LLVMValueRef *sums) {
  PartialSums x = {.p = p, .sums = sums, .each = p->plan.columns / 2};
  const uint32_t terms = (uint32_t)p->plan.terms;
  const int turns = p->plan.num_partial;
  assert(terms && turns > 0 && turns <= MOST && !all.block && !all.k &&
         "a part, or a wrong number of sets of registers"); // I3
  int n = 0;
  for (uint32_t block = 0; block < all.num_blocks; block++) {
    for (uint32_t k = 0; k < all.end; k += terms, n++) {
      const uint32_t end = k + terms < all.end ? k + terms : all.end;
      start(&x, &x.turn[n % turns], (ProductPart){block, 1, k, end});
      if (n >= turns - 1) add(&x, &x.turn[(n + 1) % turns], turns - 1);
    }
  }
  if (turns > 1) add(&x, &x.turn[(n - 1) % turns], 0);
}
