// dot.c -- matrix products: blocks of accumulators in registers.
//
// The result's buffer is initialized with the accumulator, unless that can be
// computed in registers.  A block of it is loaded, or computed, all products
// along K are added, and it is stored again; B is read in
// vectors along N, A one word at a time, broadcast.  Eight rows by two vectors
// are enough independent sums to hide the latency of two multiply-add units,
// and fit in registers.
//
// For example, 16x32 by 32x16 in f32 with AVX2, which has half of the
// registers: a block is four rows by two vectors of 8.  Its loop over K loads
// two vectors of B and four elements of A, for eight multiply-adds; four blocks
// make the result.
#include "codegen/host/product.h"
#include "codegen/scalar/math.h"

// An operand's element, converted to the type of the sum.
static LLVMValueRef to_sum_type(HostDot *d, LLVMValueRef x) {
  Host *h = d->h;
  LLVMTypeRef type = type_like(LLVMTypeOf(x), d->c.type);
  if (type == LLVMTypeOf(x)) return x;
  if (!type_is_float(op_result(d->op)->type)) {
    return LLVMBuildIntCast2(h->b, x, type, 1, "");
  }
  return LLVMBuildFPCast(h->b, x, type, "");
}

static LLVMValueRef load(HostDot *d, const HostMatrix *x, LLVMValueRef at,
                         int lanes) {
  Host *h = d->h;
  LLVMValueRef out = LLVMBuildLoad2(h->b, vector_of(x->type, lanes), at, "");
  LLVMSetAlignment(out, 1);
  return out;
}

static LLVMValueRef multiply_elements(HostDot *d, LLVMValueRef a,
                                      LLVMValueRef b, LLVMValueRef sum) {
  Host *h = d->h;
  if (!type_is_float(op_result(d->op)->type)) {
    return LLVMBuildAdd(h->b, sum, LLVMBuildMul(h->b, a, b, ""), "");
  }
  if (h->e->options.no_fp_fusion) {
    return LLVMBuildFAdd(h->b, sum, LLVMBuildFMul(h->b, a, b, ""), "");
  }
  return emit_intrinsic(h->e, "llvm.fmuladd", 3, (LLVMValueRef[]){a, b, sum});
}

static LLVMValueRef multiply_add(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef sum) {
  LLVMValueRef args[] = {sum, a, b};
  Llvm *llvm = &d->h->e->llvm;
  switch (d->unit) {
  case UNIT_PAIRS:
    return llvm_call_of_bits(llvm, "llvm.x86.avx512bf16.dpbf16ps.512", args, 3);
  case UNIT_QUADS:
    return llvm_call_of_bits(llvm, "llvm.x86.avx512.vpdpbusd.512", args, 3);
  case UNIT_WIDE:
    a = llvm_call_of_bits(llvm, "llvm.x86.avx2.pmadd.wd", args + 1, 2);
    return LLVMBuildAdd(d->h->b, sum, a, "");
  default: return multiply_elements(d, a, b, sum);
  }
}

static LLVMValueRef factor(HostDot *d, LLVMValueRef x) {
  return d->unit == UNIT_FMA ? to_sum_type(d, x) : x;
}

// The address of row `i` of a block of the left operand; instead of rows that
// may not be read, the last one, for sums that nobody stores.
static LLVMValueRef left_row(HostDot *d, LLVMValueRef a, int i) {
  Host *h = d->h;
  LLVMValueRef at = host_i64(h, i);
  if (d->rows_left) {
    LLVMValueRef less = LLVMBuildICmp(h->b, LLVMIntSLT, d->rows_left, at, "");
    at = emit_select(h->e, less, d->rows_left, at);
  }
  return matrix_row(h, &d->a, a, at);
}

// Adds the products of one word along k.
static void step(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                 LLVMValueRef *sums) {
  LLVMValueRef columns[MAX_VECTORS];
  Host *h = d->h;
  for (int j = 0; j < d->vectors; j++) {
    LLVMValueRef at = matrix_shift(h, &d->b, b, (int64_t)j * d->lanes);
    columns[j] = factor(d, load(d, &d->b, at, d->lanes));
  }
  for (int i = 0; i < d->rows; i++) {
    LLVMValueRef x = load(d, &d->a, left_row(d, a, i), 0);
    x = splat(h->e, factor(d, x), d->lanes);
    for (int j = 0; j < d->vectors; j++) {
      LLVMValueRef *sum = &sums[i * d->vectors + j];
      *sum = multiply_add(d, x, columns[j], *sum);
    }
  }
}

static LLVMValueRef place(HostDot *d, LLVMValueRef c, int n) {
  const int64_t row = n / d->vectors, vector = n % d->vectors;
  return matrix_shift(d->nest.h, &d->c, c, row * d->c.row + vector * d->lanes);
}

static Coord moved(HostDot *d, Coord at, int64_t by) {
  at.at = LLVMBuildAdd(d->h->b, at.at, host_i64(d->h, by), "");
  return (Coord){at.at, d->nest.depth};
}

// The accumulator at a block's place, computed.
static bool start_sums(HostDot *d, LLVMValueRef *sums) {
  const Value *acc = op_operand(d->op, 2);
  const int rank = acc->type->rank;
  Index at = {.vec = rank - 1, .lanes = d->lanes, .at[0] = d->at[0]};
  for (int i = 0; i < d->rows; i++) {
    nest_seek(&d->nest, d->nest.depth);
    at.at[rank - 2] = moved(d, d->at[1], i);
    for (int j = 0; j < d->vectors; j++) {
      nest_seek(&d->nest, d->nest.depth);
      at.at[rank - 1] = moved(d, d->at[2], j * d->lanes);
      LLVMValueRef x = eval_lanes(&d->nest, acc, &at, false);
      if (!x) return false;
      sums[i * d->vectors + j] = x;
    }
  }
  return true;
}

static LLVMValueRef load_sum(HostDot *d, LLVMValueRef c, int n) {
  LLVMValueRef x = load(d, &d->c, place(d, c, n), d->lanes);
  const Value *result = d->c.buffer;
  Host *h = d->h;
  return host_form(h, result->type, x, host_keeps(h, result), false);
}

static LLVMValueRef finish(HostDot *d, LLVMValueRef sum) {
  const Elem elem = op_result(d->op)->type->elem;
  if (!elem_is_narrow(elem)) return sum;
  return convert_round(d->h->e, elem, sum, ROUNDING_rtne);
}

static Coord loop_over_words(HostDot *d, int step) {
  return d->words ? nest_loop_to(&d->nest, d->words, step)
                  : nest_loop(&d->nest, 0, d->k, step);
}

// UNIT_QUADS reads the left operand as 128 more than it is, so each sum is too
// large by 128 times the sum of its column.
static void find_bias(HostDot *d, LLVMValueRef b) {
  Host *h = d->h;
  LLVMTypeRef type = vector_of(d->c.type, d->lanes);
  LLVMValueRef more = const_int(type, 0x80808080);
  const Coord k = loop_over_words(d, 1);
  int carried[MAX_VECTORS];
  for (int j = 0; j < d->vectors; j++) {
    carried[j] = nest_carry(&d->nest, LLVMConstNull(type));
  }
  nest_seek(&d->nest, d->nest.depth);
  b = matrix_offset(h, &d->b, b, k.at, d->b.row);
  for (int j = 0; j < d->vectors; j++) {
    LLVMValueRef at = matrix_shift(h, &d->b, b, (int64_t)j * d->lanes);
    LLVMValueRef sum = nest_carried(&d->nest, carried[j]);
    LLVMValueRef x = load(d, &d->b, at, d->lanes);
    nest_carry_next(&d->nest, carried[j], multiply_add(d, more, x, sum));
  }
  nest_close(&d->nest);
  for (int j = 0; j < d->vectors; j++) {
    d->bias[j] = nest_carried(&d->nest, carried[j]);
  }
}

// -- Blocks with denormals ---------------------------------------------------

// One of the two bf16 in words.
static LLVMValueRef half(Emit *e, LLVMValueRef words, bool high) {
  LLVMTypeRef type = LLVMTypeOf(words);
  LLVMTypeRef f32 = LLVMFloatTypeInContext(e->llvm.context);
  LLVMValueRef bits =
      high ? LLVMBuildAnd(e->b, words, const_int(type, 0xffff0000), "")
           : LLVMBuildShl(e->b, words, const_int(type, 16), "");
  return LLVMBuildBitCast(e->b, bits, type_like(type, f32), "");
}

// A loop, built by hand, from 0 up to `end`, at least once.
typedef struct {
  LLVMValueRef at, end;
  LLVMBasicBlockRef before, body;
} Loop1;

static Loop1 open(Emit *e, LLVMValueRef function, LLVMValueRef end) {
  Loop1 loop = {.end = end, .before = LLVMGetInsertBlock(e->b)};
  loop.body = LLVMAppendBasicBlockInContext(e->llvm.context, function, "loop");
  LLVMBuildBr(e->b, loop.body);
  LLVMPositionBuilderAtEnd(e->b, loop.body);
  loop.at = LLVMBuildPhi(e->b, int_type(e, 64), "");
  return loop;
}

// The values that the loop carries, initially `init`, become `next`.
static void close(Emit *e, LLVMValueRef function, const Loop1 *loop,
                  LLVMValueRef const *phis, LLVMValueRef const *init,
                  LLVMValueRef const *next, int num) {
  LLVMValueRef one = const_int(int_type(e, 64), 1);
  LLVMValueRef start = const_int(int_type(e, 64), 0);
  LLVMValueRef after = LLVMBuildAdd(e->b, loop->at, one, "");
  LLVMValueRef more = LLVMBuildICmp(e->b, LLVMIntULT, after, loop->end, "");
  LLVMBasicBlockRef from[] = {loop->before, LLVMGetInsertBlock(e->b)};
  LLVMBasicBlockRef done =
      LLVMAppendBasicBlockInContext(e->llvm.context, function, "done");
  LLVMBuildCondBr(e->b, more, loop->body, done);
  LLVMAddIncoming(loop->at, (LLVMValueRef[]){start, after}, from, 2);
  for (int i = 0; i < num; i++) {
    LLVMAddIncoming(phis[i], (LLVMValueRef[]){init[i], next[i]}, from, 2);
  }
  LLVMPositionBuilderAtEnd(e->b, done);
}

enum { C, A, B, ROWS, WORDS, A_ROW, A_WORD, C_ROW, ZERO, NUM_SPLIT };

static LLVMValueRef element(Emit *e, LLVMTypeRef type, LLVMValueRef base,
                            LLVMValueRef at, LLVMValueRef stride) {
  LLVMValueRef by = LLVMBuildMul(e->b, at, stride, "");
  return LLVMBuildGEP2(e->b, type, base, &by, 1, "");
}

static LLVMValueRef word_vector(Emit *e, LLVMTypeRef type, LLVMValueRef at,
                                int number) {
  LLVMValueRef by = const_int(int_type(e, 64), number);
  LLVMValueRef x =
      LLVMBuildLoad2(e->b, type, LLVMBuildGEP2(e->b, type, at, &by, 1, ""), "");
  LLVMSetAlignment(x, 4);
  return x;
}

// Adds the products of one row: for each vector, to the sums of both halves.
static void add_row(Emit *e, LLVMValueRef function, LLVMValueRef a,
                    LLVMValueRef *sums, int vectors) {
  LLVMValueRef param[NUM_SPLIT], phis[2 * MAX_VECTORS], next[2 * MAX_VECTORS];
  LLVMGetParams(function, param);
  const int lanes = e->llvm.vector_bytes / 4;
  LLVMTypeRef i32 = int_type(e, 32), words = vector_of(i32, lanes);
  LLVMValueRef width = const_int(int_type(e, 64), vectors * lanes);
  const Loop1 k = open(e, function, param[WORDS]);
  for (int i = 0; i < 2 * vectors; i++) {
    phis[i] = LLVMBuildPhi(e->b, LLVMTypeOf(sums[i]), "");
  }
  LLVMValueRef at = element(e, i32, a, k.at, param[A_WORD]);
  LLVMValueRef x = splat(e, LLVMBuildLoad2(e->b, i32, at, ""), lanes);
  LLVMValueRef b = element(e, i32, param[B], k.at, width);
  for (int i = 0; i < 2 * vectors; i++) {
    LLVMValueRef y = word_vector(e, words, b, i / 2);
    next[i] = emit_intrinsic(
        e, "llvm.fma", 3,
        (LLVMValueRef[]){half(e, x, i % 2), half(e, y, i % 2), phis[i]});
  }
  close(e, function, &k, phis, sums, next, 2 * vectors);
  for (int i = 0; i < 2 * vectors; i++) sums[i] = next[i];
}

static void build_split(Emit *e, LLVMValueRef function, int vectors) {
  LLVMValueRef param[NUM_SPLIT], sums[2 * MAX_VECTORS];
  LLVMGetParams(function, param);
  LLVMTypeRef f32 = LLVMFloatTypeInContext(e->llvm.context);
  LLVMTypeRef type = vector_of(f32, e->llvm.vector_bytes / 4);
  LLVMValueRef none = LLVMConstNull(type);
  const Loop1 row = open(e, function, param[ROWS]);
  LLVMValueRef c = element(e, f32, param[C], row.at, param[C_ROW]);
  for (int i = 0; i < 2 * vectors; i++) {
    sums[i] = i % 2 ? none
                    : LLVMBuildSelect(e->b, param[ZERO], none,
                                      word_vector(e, type, c, i / 2), "");
  }
  add_row(e, function, element(e, f32, param[A], row.at, param[A_ROW]), sums,
          vectors);
  for (int j = 0; j < vectors; j++) {
    LLVMValueRef by = const_int(int_type(e, 64), j);
    LLVMValueRef sum = LLVMBuildFAdd(e->b, sums[2 * j], sums[2 * j + 1], "");
    LLVMValueRef at = LLVMBuildGEP2(e->b, type, c, &by, 1, "");
    LLVMSetAlignment(LLVMBuildStore(e->b, sum, at), 4);
  }
  close(e, function, &row, NULL, NULL, NULL, 0);
  LLVMBuildRetVoid(e->b);
}

static void build_narrow(Emit *e, LLVMValueRef function) {
  build_split(e, function, 1);
}

static void build_wide(Emit *e, LLVMValueRef function) {
  build_split(e, function, MAX_VECTORS);
}

// A block by multiply-adds of the halves of words: a function of the module, as
// it is seldom called.
static void call_split(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                       LLVMValueRef c) {
  Host *h = d->h;
  LLVMContextRef context = h->e->llvm.context;
  LLVMTypeRef types[NUM_SPLIT];
  LLVMValueRef args[NUM_SPLIT] = {
      [C] = c,
      [A] = a,
      [B] = b,
      [ROWS] = host_i64(h, d->rows),
      [WORDS] = d->words ? d->words : host_i64(h, d->k),
      [A_ROW] = host_i64(h, d->a.row),
      [A_WORD] = host_i64(h, d->a.column),
      [C_ROW] = host_i64(h, d->c.row),
      [ZERO] = const_int(int_type(h->e, 1), d->zero)};
  for (int i = 0; i < NUM_SPLIT; i++) types[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(context), types, NUM_SPLIT, false);
  const bool wide = d->vectors == MAX_VECTORS;
  math_call(h->e, wide ? "denormals2" : "denormals1", type,
            wide ? build_wide : build_narrow, args, NUM_SPLIT);
}

// -- Blocks ------------------------------------------------------------------

// Adds the products of all words to the sums.
static void add_words(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                      LLVMValueRef *sums) {
  Host *h = d->h;
  const int num = d->rows * d->vectors;
  int carried[MAX_ROWS * MAX_VECTORS];
  const Coord k = loop_over_words(d, d->at_once);
  for (int n = 0; n < num; n++) carried[n] = nest_carry(&d->nest, sums[n]);
  nest_seek(&d->nest, d->nest.depth);
  a = matrix_offset(h, &d->a, a, k.at, d->a.column);
  b = matrix_offset(h, &d->b, b, k.at, d->b.row);
  for (int n = 0; n < num; n++) sums[n] = nest_carried(&d->nest, carried[n]);
  for (int i = 0; i < d->at_once; i++) {
    step(d, matrix_shift(h, &d->a, a, i * d->a.column),
         matrix_shift(h, &d->b, b, i * d->b.row), sums);
  }
  for (int n = 0; n < num; n++) nest_carry_next(&d->nest, carried[n], sums[n]);
  nest_close(&d->nest);
  nest_seek(&d->nest, d->nest.depth);
  for (int n = 0; n < num; n++) sums[n] = nest_carried(&d->nest, carried[n]);
}

static bool block(HostDot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  Host *h = d->h;
  if (d->amx_words) {
    amx_block(d, a, b, c);
    return true;
  }
  const int num = d->rows * d->vectors;
  LLVMTypeRef type = vector_of(d->c.type, d->lanes);
  LLVMValueRef sums[MAX_ROWS * MAX_VECTORS];
  if (d->starts && !start_sums(d, sums)) return false;
  for (int n = 0; n < num && !d->starts; n++) {
    sums[n] = d->zero ? LLVMConstNull(type) : load_sum(d, c, n);
    LLVMValueRef bias = d->bias[n % d->vectors];
    if (bias) sums[n] = LLVMBuildSub(h->b, sums[n], bias, "");
  }
  add_words(d, a, b, sums);
  for (int n = 0; n < num; n++) {
    LLVMValueRef sum = host_own_form(h, d->c.buffer, finish(d, sums[n]));
    LLVMSetAlignment(LLVMBuildStore(h->b, sum, place(d, c, n)), 1);
  }
  return true;
}

static bool block_of_any(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                         LLVMValueRef c) {
  Host *h = d->h;
  if (!d->denormals) return block(d, a, b, c);
  LLVMBasicBlockRef some = host_block(h, "denormals");
  LLVMBasicBlockRef none = host_block(h, "normal");
  LLVMBasicBlockRef done = host_block(h, "multiplied");
  LLVMBuildCondBr(h->b, d->denormals, some, none);
  LLVMPositionBuilderAtEnd(h->b, some);
  call_split(d, a, b, c);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, none);
  nest_moved(&d->nest, d->nest.depth);
  if (!block(d, a, b, c)) return false;
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  nest_moved(&d->nest, d->nest.depth);
  return true;
}

// Prefetches operands of the next trip; in the last trip, the memory where the
// sums will be stored.
static void ask_ahead(HostDot *d, LLVMValueRef row, LLVMValueRef column) {
  Host *h = d->h;
  if (h->e->options.quick || (!d->ahead[0] && !d->ahead[1])) return;
  LLVMValueRef left = h->trips.left;
  LLVMBasicBlockRef more = host_block(h, "ahead"), last = host_block(h, "last"),
                    done = host_block(h, "asked");
  LLVMValueRef is_last =
      LLVMBuildICmp(h->b, LLVMIntEQ, left, const_int(LLVMTypeOf(left), 1), "");
  LLVMBuildCondBr(h->b, is_last, last, more);
  LLVMPositionBuilderAtEnd(h->b, last);
  nest_moved(&d->nest, d->nest.depth);
  product_ask_for_sums(d, row, column);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, more);
  nest_moved(&d->nest, d->nest.depth);
  product_ask_ahead(d, row, column);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  nest_moved(&d->nest, d->nest.depth);
}

// Rows that are multiplied by blocks of `d->rows`: `count`, or up to `end`.
typedef struct {
  int64_t first, count;
  LLVMValueRef end; // from `first`; NULL: all
} RowRange;

static Coord loop_to(HostDot *d, LLVMValueRef end, int64_t all, int64_t step) {
  return end ? nest_loop_to(&d->nest, end, step)
             : nest_loop(&d->nest, 0, all, step);
}

static bool blocks(HostDot *d, Coord batch, const RowRange *range) {
  Host *h = d->h;
  LLVMValueRef first = host_i64(h, range->first);
  LLVMValueRef a = matrix_offset(h, &d->a, d->a.base, batch.at, d->a.batch);
  LLVMValueRef b = matrix_offset(h, &d->b, d->b.base, batch.at, d->b.batch);
  LLVMValueRef c = matrix_offset(h, &d->c, d->c.base, batch.at, d->c.batch);
  a = matrix_row(h, &d->a, a, first);
  c = matrix_row(h, &d->c, c, first);
  const Coord n = loop_to(d, d->end[1], d->n, d->vectors * d->lanes);
  nest_seek(&d->nest, d->nest.depth);
  b = matrix_offset(h, &d->b, b, n.at, d->b.panel);
  c = matrix_offset(h, &d->c, c, n.at, 1);
  if (product_has_bias(d)) {
    find_bias(d, b);
    nest_seek(&d->nest, d->nest.depth);
  }
  const Coord m = loop_to(d, range->end, range->count, d->rows);
  nest_seek(&d->nest, d->nest.depth);
  a = matrix_row(h, &d->a, a, m.at);
  c = matrix_row(h, &d->c, c, m.at);
  const Coord row = {LLVMBuildAdd(h->b, m.at, first, ""), m.level};
  if (d->a.last) d->rows_left = LLVMBuildSub(h->b, d->a.last, row.at, "");
  if (!range->first) ask_ahead(d, m.at, n.at);
  d->at[0] = batch;
  d->at[1] = row;
  d->at[2] = n;
  return block_of_any(d, a, b, c);
}

static bool multiply(HostDot *d, const RowRange *range) {
  d->nest = nest_begin(d->h, d->op);
  nest_part(&d->nest, op_result(d->op)->type, 1);
  const Coord batch = nest_loop(&d->nest, 0, d->batches, 1);
  nest_seek(&d->nest, d->nest.depth);
  if (!blocks(d, batch, range)) return false;
  nest_end(&d->nest);
  return true;
}

// The last rows, by lower blocks.
static bool multiply_rest(HostDot *d, LLVMValueRef more) {
  Host *h = d->h;
  LLVMBasicBlockRef some = host_block(h, "rest"), done = host_block(h, "rows");
  RowRange range = {.first = d->m - d->rest, .count = d->rest};
  const int rows = d->rows;
  if (more) {
    LLVMValueRef first = host_i64(h, range.first);
    range.end = LLVMBuildSub(h->b, d->end[0], first, "");
    LLVMBuildCondBr(h->b, more, some, done);
  } else {
    LLVMBuildBr(h->b, some);
  }
  LLVMPositionBuilderAtEnd(h->b, some);
  d->rows = REST_ROWS;
  if (!multiply(d, &range)) return false;
  d->rows = rows;
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  return true;
}

bool product_multiply(HostDot *d) {
  Host *h = d->h;
  RowRange range = {.count = d->m - d->rest, .end = d->end[0]};
  LLVMValueRef all = host_i64(h, range.count), more = NULL;
  if (d->rest && range.end) {
    more = LLVMBuildICmp(h->b, LLVMIntUGT, range.end, all, "");
    range.end = emit_select(h->e, more, all, range.end);
  }
  return multiply(d, &range) && (!d->rest || multiply_rest(d, more));
}
