// dot.c -- matrix products: blocks of accumulators in registers.
//
// The result's buffer starts as the accumulator.  A block of it is loaded, all
// of K runs over it, and it is stored again; B is read in vectors along N, A
// one word at a time, broadcast.  Eight rows by two vectors keep enough sums
// apart to hide the latency of two multiply-add units, and fit in registers.
//
// Sums that a loop only adds to wait: operands of a few trips are packed one
// behind the other, and then multiplied at once, so that the block is loaded
// and stored less often.
#include "codegen/host/product.h"

#include <assert.h>

enum {
  DEEP_WORDS = 256, // along k: as much as the panels that fit in the L1 have
  MANY_ROWS = 32,   // over which copies of operands are worth it
  FEW_ROWS = 4,     // of a block that is seldom used
};

static LLVMTypeRef element_type(Host *h, const Type *element) {
  if (element->elem == ELEM_i1) return int_type(h->e, 8);
  return emit_compute_type(h->e, element);
}

static HostMatrix matrix(Host *h, const Value *value) {
  const bool trans = !host_place(h, value)->buffer;
  const Value *buffer = trans ? op_operand(value->def, 0) : value;
  const Type *type = buffer->type;
  const int64_t rows = type->shape[type->rank - 2];
  const int64_t columns = type->shape[type->rank - 1];
  return (HostMatrix){.buffer = buffer,
                      .base = host_buffer(h, buffer),
                      .type = element_type(h, type->element),
                      .batch = rows * columns,
                      .row = trans ? 1 : columns,
                      .column = trans ? columns : 1,
                      .panel = 1};
}

// Bits that are kept for a copy are no numbers: they are converted once, for
// each is read many times.
static HostMatrix operand(Host *h, const Op *op, int which) {
  HostMatrix out = matrix(h, op_operand(op, which));
  const Value *buffer = out.buffer;
  const Type *type = buffer->type;
  if (!host_keeps(h, buffer)) return out;
  out.base = host_spare(h, host_buffer_bytes(type->element) *
                               (size_t)type->num_elements);
  const int vec = inner_dim(type);
  const int lanes =
      vec < 0 ? 1 : host_lanes(h, type->element, type->shape[vec]);
  Nest nest = nest_begin(h, op);
  nest_part(&nest, type, lanes);
  const Index index = nest_over(&nest, type, vec, lanes);
  LLVMValueRef x = buffer_read(&nest, buffer, &index);
  x = host_form(h, type, x, true, false);
  memory_write(&nest, out.base, type, &index, x);
  nest_end(&nest);
  return out;
}

static LLVMValueRef offset_by(Host *h, const HostMatrix *x, LLVMValueRef base,
                              LLVMValueRef at, int64_t stride) {
  LLVMValueRef by = LLVMBuildMul(h->b, at, host_i64(h, stride), "");
  return LLVMBuildGEP2(h->b, x->type, base, &by, 1, "");
}

static LLVMValueRef shift(Host *h, const HostMatrix *x, LLVMValueRef base,
                          int64_t by) {
  LLVMValueRef at = host_i64(h, by);
  return LLVMBuildGEP2(h->b, x->type, base, &at, 1, "");
}

// An operand's element in the type of the sum.
static LLVMValueRef to_sum_type(HostDot *d, LLVMValueRef x) {
  Host *h = d->nest.h;
  LLVMTypeRef type = type_like(LLVMTypeOf(x), d->c.type);
  if (type == LLVMTypeOf(x)) return x;
  if (!type_is_float(op_result(d->op)->type)) {
    return LLVMBuildIntCast2(h->b, x, type, 1, "");
  }
  return LLVMBuildFPCast(h->b, x, type, "");
}

static LLVMValueRef load(HostDot *d, const HostMatrix *x, LLVMValueRef at,
                         int lanes) {
  Host *h = d->nest.h;
  LLVMValueRef out = LLVMBuildLoad2(h->b, vector_of(x->type, lanes), at, "");
  LLVMSetAlignment(out, 1);
  return out;
}

static LLVMValueRef multiply_elements(HostDot *d, LLVMValueRef a,
                                      LLVMValueRef b, LLVMValueRef sum) {
  Host *h = d->nest.h;
  if (!type_is_float(op_result(d->op)->type)) {
    return LLVMBuildAdd(h->b, sum, LLVMBuildMul(h->b, a, b, ""), "");
  }
  if (h->e->options.no_fp_fusion) {
    return LLVMBuildFAdd(h->b, sum, LLVMBuildFMul(h->b, a, b, ""), "");
  }
  return emit_intrinsic(h->e, "llvm.fmuladd", 3, (LLVMValueRef[]){a, b, sum});
}

// One of the two bf16 that words hold.
static LLVMValueRef half(HostDot *d, LLVMValueRef words, bool high) {
  Host *h = d->nest.h;
  LLVMTypeRef type = LLVMTypeOf(words);
  LLVMValueRef bits =
      high ? LLVMBuildAnd(h->b, words, const_int(type, 0xffff0000), "")
           : LLVMBuildShl(h->b, words, const_int(type, 16), "");
  return LLVMBuildBitCast(h->b, bits, type_like(type, d->c.type), "");
}

static LLVMValueRef multiply_add(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef sum) {
  LLVMValueRef args[] = {sum, a, b};
  Llvm *llvm = &d->nest.h->e->llvm;
  switch (d->unit) {
  case UNIT_PAIRS:
    return llvm_call_of_bits(llvm, "llvm.x86.avx512bf16.dpbf16ps.512", args, 3);
  case UNIT_SPLIT:
    sum = multiply_elements(d, half(d, a, true), half(d, b, true), sum);
    return multiply_elements(d, half(d, a, false), half(d, b, false), sum);
  case UNIT_QUADS:
    return llvm_call_of_bits(llvm, "llvm.x86.avx512.vpdpbusd.512", args, 3);
  default: return multiply_elements(d, a, b, sum);
  }
}

static LLVMValueRef factor(HostDot *d, LLVMValueRef x) {
  return d->unit == UNIT_FMA ? to_sum_type(d, x) : x;
}

static void step(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                 const int *carried) {
  LLVMValueRef columns[MAX_VECTORS];
  Host *h = d->nest.h;
  for (int j = 0; j < d->vectors; j++) {
    LLVMValueRef at = shift(h, &d->b, b, (int64_t)j * d->lanes);
    columns[j] = factor(d, load(d, &d->b, at, d->lanes));
  }
  for (int i = 0; i < d->rows; i++) {
    LLVMValueRef at = shift(h, &d->a, a, i * d->a.row);
    LLVMValueRef x = splat(h->e, factor(d, load(d, &d->a, at, 0)), d->lanes);
    for (int j = 0; j < d->vectors; j++) {
      const int n = carried[i * d->vectors + j];
      LLVMValueRef sum = nest_carried(&d->nest, n);
      nest_carry_next(&d->nest, n, multiply_add(d, x, columns[j], sum));
    }
  }
}

static LLVMValueRef place(HostDot *d, LLVMValueRef c, int n) {
  const int64_t row = n / d->vectors, vector = n % d->vectors;
  return shift(d->nest.h, &d->c, c, row * d->c.row + vector * d->lanes);
}

static LLVMValueRef load_sum(HostDot *d, LLVMValueRef c, int n) {
  LLVMValueRef x = load(d, &d->c, place(d, c, n), d->lanes);
  const Value *result = d->c.buffer;
  Host *h = d->nest.h;
  return host_form(h, result->type, x, host_keeps(h, result), false);
}

static LLVMValueRef finish(HostDot *d, LLVMValueRef sum) {
  const Elem elem = op_result(d->op)->type->elem;
  if (!elem_is_narrow(elem)) return sum;
  return convert_round(d->nest.h->e, elem, sum, ROUNDING_rtne);
}

static Coord loop_over_words(HostDot *d) {
  return d->depth ? nest_loop_to(&d->nest, d->depth)
                  : nest_loop(&d->nest, 0, d->k, 1);
}

// UNIT_QUADS takes the left operand for 128 more than it is, so that a sum has
// 128 times that of its column too much.
static void find_bias(HostDot *d, LLVMValueRef b) {
  Host *h = d->nest.h;
  LLVMTypeRef type = vector_of(d->c.type, d->lanes);
  LLVMValueRef more = const_int(type, 0x80808080);
  const Coord k = loop_over_words(d);
  int carried[MAX_VECTORS];
  for (int j = 0; j < d->vectors; j++) {
    carried[j] = nest_carry(&d->nest, LLVMConstNull(type));
  }
  nest_seek(&d->nest, d->nest.depth);
  b = offset_by(h, &d->b, b, k.at, d->b.row);
  for (int j = 0; j < d->vectors; j++) {
    LLVMValueRef at = shift(h, &d->b, b, (int64_t)j * d->lanes);
    LLVMValueRef sum = nest_carried(&d->nest, carried[j]);
    LLVMValueRef x = load(d, &d->b, at, d->lanes);
    nest_carry_next(&d->nest, carried[j], multiply_add(d, more, x, sum));
  }
  nest_close(&d->nest);
  for (int j = 0; j < d->vectors; j++) {
    d->bias[j] = nest_carried(&d->nest, carried[j]);
  }
}

static void block(HostDot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  Host *h = d->nest.h;
  const int sums = d->rows * d->vectors;
  LLVMTypeRef type = vector_of(d->c.type, d->lanes);
  LLVMValueRef start[MAX_ROWS * MAX_VECTORS];
  int carried[MAX_ROWS * MAX_VECTORS];
  for (int n = 0; n < sums; n++) {
    start[n] = d->zero ? LLVMConstNull(type) : load_sum(d, c, n);
    LLVMValueRef bias = d->bias[n % d->vectors];
    if (bias) start[n] = LLVMBuildSub(h->b, start[n], bias, "");
  }
  const Coord k = loop_over_words(d);
  for (int n = 0; n < sums; n++) carried[n] = nest_carry(&d->nest, start[n]);
  nest_seek(&d->nest, d->nest.depth);
  step(d, offset_by(h, &d->a, a, k.at, d->a.column),
       offset_by(h, &d->b, b, k.at, d->b.row), carried);
  nest_close(&d->nest);
  nest_seek(&d->nest, d->nest.depth);
  for (int n = 0; n < sums; n++) {
    LLVMValueRef sum = finish(d, nest_carried(&d->nest, carried[n]));
    sum = host_own_form(h, d->c.buffer, sum);
    LLVMSetAlignment(LLVMBuildStore(h->b, sum, place(d, c, n)), 1);
  }
}

static int at_most(int64_t size, int most) {
  return size < most ? (int)size : most;
}

static bool start_result(Host *h, const Op *op, bool zero) {
  const Value *acc = op_operand(op, 2), *result = op_result(op);
  if (zero) return true;
  const bool there = host_place(h, acc)->buffer &&
                     plan_slot_of(h, acc) == plan_slot_of(h, result);
  return there || host_fill(h, op, acc, result);
}

static void blocks(HostDot *d, LLVMValueRef batch) {
  Host *h = d->nest.h;
  LLVMValueRef a = offset_by(h, &d->a, d->a.base, batch, d->a.batch);
  LLVMValueRef b = offset_by(h, &d->b, d->b.base, batch, d->b.batch);
  LLVMValueRef c = offset_by(h, &d->c, d->c.base, batch, d->c.batch);
  const Coord n = nest_loop(&d->nest, 0, d->n, d->vectors * d->lanes);
  nest_seek(&d->nest, d->nest.depth);
  b = offset_by(h, &d->b, b, n.at, d->b.panel);
  c = offset_by(h, &d->c, c, n.at, 1);
  if (d->unit == UNIT_QUADS) {
    find_bias(d, b);
    nest_seek(&d->nest, d->nest.depth);
  }
  const Coord m = nest_loop(&d->nest, 0, d->m, d->rows);
  nest_seek(&d->nest, d->nest.depth);
  a = offset_by(h, &d->a, a, m.at, d->a.row);
  c = offset_by(h, &d->c, c, m.at, d->c.row);
  block(d, a, b, c);
}

// -- How it is done ----------------------------------------------------------

static bool are(const Op *op, Elem elem) {
  return op_operand(op, 0)->type->elem == elem &&
         op_operand(op, 1)->type->elem == elem;
}

static Unit choose_unit(const HostDot *d, int64_t k) {
  const Emit *e = d->nest.h->e;
  const Elem sum = op_result(d->op)->type->elem;
  if (d->lanes * 4 != e->llvm.vector_bytes) return UNIT_FMA;
  if (e->llvm.has_pairs && are(d->op, ELEM_bf16) && sum == ELEM_f32 &&
      k % 2 == 0 && !e->options.no_fp_fusion) {
    return UNIT_PAIRS;
  }
  return e->llvm.has_quads && are(d->op, ELEM_i8) && sum == ELEM_i32 &&
                 k % 4 == 0
             ? UNIT_QUADS
             : UNIT_FMA;
}

// Does nobody see the sums before the loop ends?
static bool may_wait(Host *h, const Op *op) {
  const Value *acc = op_operand(op, 2), *result = op_result(op);
  const Op *loop = op->block->parent;
  if (!loop || loop->kind != OP_for || h->trips.loop != loop) return false;
  if (elem_is_narrow(result->type->elem)) return false;
  if (acc->def || acc->block != op->block || acc->uses->next) return false;
  const Use *use = result->uses;
  return use && !use->next && use->user == block_end(op->block) &&
         for_arg(loop, use->index) == acc &&
         plan_slot_of(h, acc) == plan_slot_of(h, result);
}

static bool is_worth_waiting(const HostDot *d) {
  if (d->unit != UNIT_FMA) return true;
  const LLVMTypeRef sum = d->c.type;
  return d->m >= MANY_ROWS && d->a.type == sum && d->b.type == sum;
}

static LLVMValueRef widen(Host *h, LLVMValueRef x) {
  return LLVMBuildZExt(h->b, x, int_type(h->e, 64), "");
}

// Finds the place of this trip's operands.
static void find_trip(HostDot *d) {
  Host *h = d->nest.h;
  const int64_t trips = DEEP_WORDS / d->k;
  if (trips < 2 || !may_wait(h, d->op) || !is_worth_waiting(d)) return;
  LLVMValueRef at =
      widen(h, LLVMBuildSub(h->b, h->trips.count, h->trips.left, ""));
  at = LLVMBuildURem(h->b, at, host_i64(h, trips), "");
  d->first = LLVMBuildMul(h->b, at, host_i64(h, d->k), "");
  d->depth = LLVMBuildAdd(h->b, d->first, host_i64(h, d->k), "");
  d->full = trips * d->k;
}

// The block to which trips go on that only pack.
static LLVMBasicBlockRef wait(HostDot *d) {
  Host *h = d->nest.h;
  LLVMBasicBlockRef now = host_block(h, "multiply");
  LLVMBasicBlockRef later = host_block(h, "wait");
  assert(h->trips.loop == d->op->block->parent && "of another loop"); // I11
  LLVMValueRef left = h->trips.left;
  LLVMValueRef last =
      LLVMBuildICmp(h->b, LLVMIntEQ, left, const_int(LLVMTypeOf(left), 1), "");
  LLVMValueRef full =
      LLVMBuildICmp(h->b, LLVMIntEQ, d->depth, host_i64(h, d->full), "");
  LLVMBuildCondBr(h->b, LLVMBuildOr(h->b, last, full, ""), now, later);
  LLVMPositionBuilderAtEnd(h->b, now);
  return later;
}

static HostDot describe(Host *h, const Op *op) {
  const Value *a = op_operand(op, 0), *result = op_result(op);
  const Type *type = result->type;
  const int64_t k = a->type->shape[a->type->rank - 1];
  HostDot d = {.nest = nest_begin(h, op),
               .op = op,
               .m = type->shape[type->rank - 2],
               .n = type->shape[type->rank - 1],
               .zero = value_is_zero(op_operand(op, 2)),
               .c = matrix(h, result)};
  const bool many = h->e->llvm.vector_bytes == 64; // registers, too
  d.lanes = host_lanes(h, type->element, d.n);
  d.vectors = at_most(d.n / d.lanes, MAX_VECTORS);
  d.rows = at_most(d.m, many ? MAX_ROWS : MAX_ROWS / 2);
  d.unit = choose_unit(&d, k);
  d.step = d.unit == UNIT_PAIRS ? 2 : d.unit == UNIT_QUADS ? 4 : 1;
  d.full = d.k = k / d.step;
  d.a = operand(h, op, 0);
  d.b = operand(h, op, 1);
  return d;
}

static void multiply_by(HostDot *d, Unit unit, int rows) {
  const Type *type = op_result(d->op)->type;
  d->unit = unit;
  d->rows = rows;
  d->nest = nest_begin(d->nest.h, d->op);
  nest_part(&d->nest, type, 1);
  const int64_t batches = type->num_elements / (d->m * d->n);
  const Coord batch = nest_loop(&d->nest, 0, batches, 1);
  nest_seek(&d->nest, d->nest.depth);
  blocks(d, batch.at);
  nest_end(&d->nest);
}

// Looks at a trip and those that waited for it.
static LLVMValueRef any_denormals(HostDot *d) {
  Host *h = d->nest.h;
  if (!d->denormals || !d->depth) return d->denormals;
  LLVMTypeRef i8 = int_type(h->e, 8);
  LLVMValueRef memory = host_spare(h, 1), none = const_int(i8, 0);
  LLVMValueRef is_first =
      LLVMBuildICmp(h->b, LLVMIntEQ, d->first, host_i64(h, 0), "");
  LLVMValueRef before = LLVMBuildLoad2(h->b, i8, memory, "");
  LLVMValueRef any = LLVMBuildZExt(h->b, d->denormals, i8, "");
  any = LLVMBuildOr(h->b, emit_select(h->e, is_first, none, before), any, "");
  LLVMBuildStore(h->b, any, memory);
  return LLVMBuildICmp(h->b, LLVMIntNE, any, none, "");
}

static void multiply(HostDot *d) {
  Host *h = d->nest.h;
  if (!d->denormals) {
    multiply_by(d, d->unit, d->rows);
    return;
  }
  LLVMBasicBlockRef some = host_block(h, "denormals");
  LLVMBasicBlockRef none = host_block(h, "normal");
  LLVMBasicBlockRef done = host_block(h, "multiplied");
  LLVMBuildCondBr(h->b, d->denormals, some, none);
  LLVMPositionBuilderAtEnd(h->b, none);
  multiply_by(d, UNIT_PAIRS, d->rows);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, some);
  multiply_by(d, UNIT_SPLIT, at_most(d->m, FEW_ROWS));
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
}

bool host_emit_dot(Host *h, const Op *op) {
  HostDot d = describe(h, op);
  find_trip(&d);
  if (d.unit != UNIT_FMA || d.depth) {
    d.a = product_pack(&d, d.a, true);
    d.b = product_pack(&d, d.b, false);
    d.denormals = any_denormals(&d);
  }
  if (!start_result(h, op, d.zero)) return false;
  LLVMBasicBlockRef later = d.depth ? wait(&d) : NULL;
  multiply(&d);
  if (!later) return true;
  LLVMBuildBr(h->b, later);
  LLVMPositionBuilderAtEnd(h->b, later);
  return true;
}
