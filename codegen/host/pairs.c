// pairs.c -- rows of bf16 as words of pairs, rounded; rows of words,
// transposed.
//
// The instruction that rounds two vectors of f32 to pairs takes denormals as 0.
// Denormals are rare, so each use of the instruction branches to integer
// arithmetic if there is one. The same test finds the denormals among the bf16,
// since only a denormal f32 is rounded to one.
//
// The transpose of rows that run along k is computed by rows, whose pairs are
// words already: for example, a row {1, 2, 3, 4} has the words {1, 2} and {3,
// 4}. Square blocks of words are transposed to panels.
#include "codegen/host/product.h"

enum { MAX_LANES = 64, FPCLASS_DENORMAL = 32 };

// -- Choices -----------------------------------------------------------------

bool pack_is_turned(const LanePack *p) {
  if (p->from.base || p->is_left) return false;
  const Op *op = p->value->def;
  return op->kind == OP_trans || product_lies_by_k(p->d, op);
}

static bool is_of_int(const Value *value) {
  const Op *op = value->def;
  return op && (op->kind == OP_sitofp || op->kind == OP_uitofp);
}

// Is the value rounded from f32 just before it is packed?
static bool is_rounded(const LanePack *p, const Value *value) {
  const Op *op = value->def;
  return op && op->kind == OP_truncf &&
         op_int(op, ATTR_rounding) == ROUNDING_rtne &&
         op_operand(op, 0)->type->elem == ELEM_f32 &&
         (value == p->value || !host_place(p->d->h, value)->buffer);
}

void pack_find_rows(LanePack *p) {
  const HostDot *d = p->d;
  Host *h = d->h;
  p->rows = p->value;
  p->search = d->unit == UNIT_PAIRS ? SEARCH_WORDS : SEARCH_NONE;
  if (d->unit != UNIT_PAIRS || p->from.base) return;
  if (!p->is_left && p->value->def->kind == OP_trans)
    p->rows = op_operand(p->value->def, 0);
  if (is_of_int(p->rows)) p->search = SEARCH_NONE;
  const bool along = pack_is_turned(p) || (p->is_left && d->k % d->lanes == 0);
  if (!along || h->e->options.quick || !is_rounded(p, p->rows)) return;
  p->rows = op_operand(p->rows->def, 0);
  p->search = SEARCH_ROUNDED;
}

// -- Pairs of a row ----------------------------------------------------------

// The upper half of each word of two vectors.
static LLVMValueRef upper_halves(LanePack *p, LLVMValueRef const *x) {
  Host *h = p->d->h;
  LLVMValueRef order[MAX_LANES], halves[2];
  const int num = 2 * p->d->lanes;
  LLVMTypeRef type = vector_of(int_type(h->e, 16), num);
  for (int i = 0; i < 2; i++)
    halves[i] = LLVMBuildBitCast(h->b, x[i], type, "");
  for (int i = 0; i < num; i++)
    order[i] = const_int(int_type(h->e, 32), 2 * i + 1);
  return LLVMBuildShuffleVector(h->b, halves[0], halves[1],
                                LLVMConstVector(order, (unsigned)num), "");
}

static LLVMValueRef has_denormal(Host *h, LLVMValueRef f32) {
  LLVMValueRef args[] = {f32, const_int(int_type(h->e, 32), FPCLASS_DENORMAL)};
  return llvm_call_of_bits(&h->e->llvm, "llvm.x86.avx512.fpclass.ps.512", args,
                           2);
}

static LLVMValueRef any_denormal(Host *h, LLVMValueRef const *x) {
  LLVMValueRef any =
      LLVMBuildOr(h->b, has_denormal(h, x[0]), has_denormal(h, x[1]), "");
  LLVMTypeRef mask = int_type(h->e, type_lanes(LLVMTypeOf(any)));
  return LLVMBuildICmp(h->b, LLVMIntNE, LLVMBuildBitCast(h->b, any, mask, ""),
                       const_int(mask, 0), "");
}

// Vectors with denormals, which the instruction that rounds pairs takes as 0,
// are rounded by integer arithmetic.
static LLVMValueRef round_pairs(LanePack *p, LLVMValueRef *x) {
  Host *h = p->d->h;
  Nest *nest = &p->d->nest;
  LLVMValueRef args[] = {x[1], x[0]}, y[2], pairs[2], any[2];
  pairs[0] = llvm_call_of_bits(
      &h->e->llvm, "llvm.x86.avx512bf16.cvtne2ps2bf16.512", args, 2);
  pairs[0] = LLVMBuildBitCast(h->b, pairs[0], p->bits, "");
  const int inner = p->carried[p->depth - 1];
  any[0] = nest_carried(nest, inner);
  any[1] = const_int(int_type(h->e, 1), 1);
  LLVMBasicBlockRef rare = host_block(h, "round"),
                    done = host_block(h, "pairs");
  LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(h->b), rare};
  LLVMBuildCondBr(h->b, any_denormal(h, x), rare, done);
  LLVMPositionBuilderAtEnd(h->b, rare);
  for (int i = 0; i < 2; i++)
    y[i] = convert_round(h->e, ELEM_bf16, x[i], ROUNDING_rtne);
  pairs[1] = upper_halves(p, y);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  LLVMValueRef out = LLVMBuildPhi(h->b, p->bits, "");
  LLVMAddIncoming(out, pairs, from, 2);
  LLVMValueRef found = LLVMBuildPhi(h->b, LLVMTypeOf(any[1]), "");
  LLVMAddIncoming(found, any, from, 2);
  nest_moved(nest, nest->depth);
  nest_carry_next(nest, inner, found);
  return out;
}

static Coord add(LanePack *p, Coord at, LLVMValueRef by) {
  return (Coord){LLVMBuildAdd(p->d->h->b, at.at, by, ""), p->d->nest.depth};
}

// Two vectors of a row, as one of pairs: at[] is batch, row, column.
LLVMValueRef pack_pairs(LanePack *p, Coord const *at) {
  HostDot *d = p->d;
  LLVMValueRef x[2];
  nest_seek(&d->nest, d->nest.depth);
  for (int i = 0; i < 2; i++) {
    const Coord column = add(p, at[2], host_i64(d->h, i * d->lanes));
    x[i] = pack_take(p, (Coord[]){at[0], at[1], i ? column : at[2]}, d->lanes);
    if (!x[i]) return NULL;
  }
  if (p->search == SEARCH_ROUNDED) return round_pairs(p, x);
  LLVMValueRef out = upper_halves(p, x);
  pack_look_at(p, out);
  return out;
}

// -- Rows that are transposed ------------------------------------------------

// A vector of words of a row. Words of a load are in memory.
static LLVMValueRef take_words(LanePack *p, Coord const *at) {
  if (p->value->def->kind == OP_trans) return pack_pairs(p, at);
  LLVMValueRef x = pack_take(p, at, p->d->step * p->d->lanes);
  if (!x) return NULL;
  x = pack_narrow(p, x);
  pack_look_at(p, x);
  return x;
}

// Stores the words of as many rows as a vector has lanes, row by row.
static bool take_rows(LanePack *p, Coord const *at, LLVMValueRef words) {
  HostDot *d = p->d;
  Host *h = d->h;
  const Coord row = pack_loop(p, d->lanes, 1);
  nest_seek(&d->nest, d->nest.depth);
  const Coord n = add(p, row, at[1].at);
  const int64_t size = d->step * d->k;
  const Coord k = pack_loop(p, size, d->step * d->lanes);
  nest_seek(&d->nest, d->nest.depth);
  LLVMValueRef x = take_words(p, (Coord[]){at[0], n, k});
  if (!x) return false;
  LLVMValueRef to = pack_place(h, (Coord[]){row, k}, (int64_t[]){size, 1}, 2);
  pack_put(h, words, pack_element(p), to, x);
  pack_close(p);
  pack_close(p);
  return true;
}

// Transposes these words into their part of the panel.
static void turn_rows(LanePack *p, Coord const *at, LLVMValueRef words) {
  HostDot *d = p->d;
  Host *h = d->h;
  const int64_t width = p->to.row;
  LLVMValueRef size = host_i64(h, width);
  const Coord k = nest_loop(&d->nest, 0, d->k, d->lanes);
  nest_seek(&d->nest, d->nest.depth);
  const Coord to[] = {at[0],
                      {LLVMBuildUDiv(h->b, at[1].at, size, ""), 0},
                      d->first ? add(p, k, d->first) : k,
                      {LLVMBuildURem(h->b, at[1].at, size, ""), 0}};
  LLVMValueRef index = pack_place(
      h, to, (int64_t[]){d->n * d->full, width * d->full, width, 1}, 4);
  LLVMTypeRef i32 = int_type(h->e, 32);
  transpose_words(
      h, (LLVMValueRef[]){
             LLVMBuildGEP2(h->b, i32, p->to.base, &index, 1, ""),
             host_i64(h, 4 * width),
             LLVMBuildGEP2(h->b, i32, words, (LLVMValueRef[]){k.at}, 1, ""),
             host_i64(h, 4 * d->k)});
  nest_close(&d->nest);
}

bool pack_turned(LanePack *p, LLVMValueRef *denormal) {
  HostDot *d = p->d;
  const Spare spare = host_borrow(d->h, (size_t)(4 * d->lanes * d->k));
  LLVMValueRef words = host_spare_address(d->h, spare);
  pack_begin(p, d->step * d->lanes, 2 * d->lanes);
  Coord at[2];
  at[0] = pack_loop(p, d->batches, 1);
  at[1] = pack_loop(p, d->n, d->lanes);
  if (!take_rows(p, at, words)) return false;
  turn_rows(p, at, words);
  *denormal = pack_end(p);
  host_give_back(d->h, spare);
  return true;
}
