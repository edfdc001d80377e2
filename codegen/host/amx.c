// amx.c -- blocks of sums in the registers of AMX.
//
// A register holds 16 rows of 64 bytes. One instruction multiplies 16 rows of
// the left operand by 16 columns of a panel, up to 16 words along k, and adds
// the products to 16 x 16 sums. Four registers of sums share two of each
// operand, so each is loaded once for two instructions; these are all eight
// that there are. LLVM allocates them.
//
// For example, a block of 32 x 32 sums of bf16, 64 along k, takes two trips of
// its loop, with four loads and four products each. Why and where not:
// docs/decisions/0055-amx.md.
#include "codegen/host/product.h"

enum { SIDE = 16, MOST = 2 }; // rows of a register; registers along a dimension

// The part of a matrix that one register holds.
typedef struct {
  LLVMValueRef base;
  int64_t stride;  // from row to row
  int rows, words; // of 4 bytes
} AmxPart;

bool amx_suits(const Host *h, const HostDot *d) {
  const Emit *e = h->e;
  const Op *left = op_operand(d->op, 0)->def;
  const bool turned = left && left->kind == OP_trans;
  return e->options.amx && e->llvm.has_amx && d->unit != UNIT_FMA && !turned &&
         d->m >= SIDE && d->lanes == SIDE;
}

int amx_rows(const HostDot *d) {
  return d->m < MOST * SIDE ? SIDE : MOST * SIDE;
}

int amx_words(const HostDot *d) {
  return d->k < SIDE ? (int)d->k : SIDE;
}

static LLVMValueRef half_word(HostDot *d, int64_t x) {
  return const_int(int_type(d->h->e, 16), x);
}

static LLVMValueRef call(HostDot *d, const char *name, LLVMValueRef *args,
                         int num) {
  return llvm_call(&d->h->e->llvm, name, NULL, 0, args, num);
}

// The arguments that describe the memory: rows, bytes of a row, address,
// stride.
static void describe(HostDot *d, const AmxPart *p, LLVMValueRef *args) {
  args[0] = half_word(d, p->rows);
  args[1] = half_word(d, 4 * p->words);
  args[2] = p->base;
  args[3] = host_i64(d->h, 4 * p->stride);
}

static LLVMValueRef load(HostDot *d, const AmxPart *p) {
  LLVMValueRef args[4];
  describe(d, p, args);
  return call(d, "llvm.x86.tileloadd64.internal", args, 4);
}

static void store(HostDot *d, const AmxPart *p, LLVMValueRef x) {
  LLVMValueRef args[5];
  describe(d, p, args);
  args[4] = x;
  call(d, "llvm.x86.tilestored64.internal", args, 5);
}

static LLVMValueRef zero(HostDot *d) {
  LLVMValueRef args[] = {half_word(d, SIDE), half_word(d, 4 * SIDE)};
  return call(d, "llvm.x86.tilezero.internal", args, 2);
}

// Part `n` of the block of sums.
static AmxPart part_of_sums(HostDot *d, LLVMValueRef c, int n) {
  const int64_t row = n / d->vectors * SIDE, column = n % d->vectors * SIDE;
  LLVMValueRef base = matrix_shift(d->h, &d->c, c, row * d->c.row + column);
  return (AmxPart){base, d->c.row, SIDE, SIDE};
}

static LLVMValueRef multiply(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                             LLVMValueRef sum) {
  LLVMValueRef args[] = {half_word(d, SIDE),
                         half_word(d, 4 * SIDE),
                         half_word(d, 4 * d->amx_words),
                         sum,
                         a,
                         b};
  return call(d,
              d->unit == UNIT_PAIRS ? "llvm.x86.tdpbf16ps.internal"
                                    : "llvm.x86.tdpbssd.internal",
              args, 6);
}

// Adds the products of `amx_words` words along k.
static void step(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                 LLVMValueRef *sums) {
  LLVMValueRef right[MOST];
  for (int j = 0; j < d->vectors; j++) {
    LLVMValueRef at = matrix_shift(d->h, &d->b, b, (int64_t)j * SIDE);
    right[j] = load(d, &(AmxPart){at, d->b.row, d->amx_words, SIDE});
  }
  for (int i = 0; i < d->rows / SIDE; i++) {
    LLVMValueRef at = matrix_shift(d->h, &d->a, a, i * SIDE * d->a.row);
    LLVMValueRef left = load(d, &(AmxPart){at, d->a.row, SIDE, d->amx_words});
    for (int j = 0; j < d->vectors; j++) {
      LLVMValueRef *sum = &sums[i * d->vectors + j];
      *sum = multiply(d, left, right[j], *sum);
    }
  }
}

void amx_block(HostDot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  Host *h = d->h;
  const int num = d->rows / SIDE * d->vectors;
  LLVMValueRef sums[MOST * MOST];
  int carried[MOST * MOST];
  for (int n = 0; n < num; n++) {
    const AmxPart part = part_of_sums(d, c, n);
    sums[n] = d->zero ? zero(d) : load(d, &part);
  }
  const Coord k = d->depth ? nest_loop_to(&d->nest, d->depth, d->amx_words)
                           : nest_loop(&d->nest, 0, d->k, d->amx_words);
  for (int n = 0; n < num; n++) carried[n] = nest_carry(&d->nest, sums[n]);
  nest_seek(&d->nest, d->nest.depth);
  a = matrix_offset(h, &d->a, a, k.at, d->a.column);
  b = matrix_offset(h, &d->b, b, k.at, d->b.row);
  for (int n = 0; n < num; n++) sums[n] = nest_carried(&d->nest, carried[n]);
  step(d, a, b, sums);
  for (int n = 0; n < num; n++) nest_carry_next(&d->nest, carried[n], sums[n]);
  nest_close(&d->nest);
  nest_seek(&d->nest, d->nest.depth);
  for (int n = 0; n < num; n++) {
    const AmxPart part = part_of_sums(d, c, n);
    store(d, &part, nest_carried(&d->nest, carried[n]));
  }
}
