// dot.c -- matrix products: blocks of accumulators in registers.
//
// The result's buffer starts as the accumulator.  A block of it is loaded, all
// of K runs over it, and it is stored again; B is read in vectors along N, A
// one element at a time, broadcast.  Eight rows by two vectors keep enough sums
// apart to hide the latency of two multiply-add units, and fit in registers.
#include "codegen/host/nest.h"

enum { MAX_ROWS = 8, MAX_VECTORS = 2 };

// An operand in memory, by element strides.
typedef struct {
  const Value *buffer;
  LLVMValueRef base;
  LLVMTypeRef type;
  int64_t batch, row, column;
} HostMatrix;

typedef struct {
  Nest nest;
  const Op *op;
  int64_t m, n, k;
  int rows, vectors, lanes;
  bool zero; // the accumulator is the constant 0
  HostMatrix a, b, c;
} HostDot;

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
                      .column = trans ? columns : 1};
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

static LLVMValueRef multiply_add(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef sum) {
  Host *h = d->nest.h;
  if (!type_is_float(op_result(d->op)->type)) {
    return LLVMBuildAdd(h->b, sum, LLVMBuildMul(h->b, a, b, ""), "");
  }
  if (h->e->options.no_fp_fusion) {
    return LLVMBuildFAdd(h->b, sum, LLVMBuildFMul(h->b, a, b, ""), "");
  }
  return emit_intrinsic(h->e, "llvm.fmuladd", 3, (LLVMValueRef[]){a, b, sum});
}

static void step(HostDot *d, LLVMValueRef a, LLVMValueRef b,
                 const int *carried) {
  LLVMValueRef columns[MAX_VECTORS];
  Host *h = d->nest.h;
  for (int j = 0; j < d->vectors; j++) {
    LLVMValueRef at = shift(h, &d->b, b, (int64_t)j * d->lanes);
    columns[j] = to_sum_type(d, load(d, &d->b, at, d->lanes));
  }
  for (int i = 0; i < d->rows; i++) {
    LLVMValueRef at = shift(h, &d->a, a, i * d->a.row);
    LLVMValueRef x =
        splat(h->e, to_sum_type(d, load(d, &d->a, at, 0)), d->lanes);
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

static void block(HostDot *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  Host *h = d->nest.h;
  const int sums = d->rows * d->vectors;
  LLVMTypeRef type = vector_of(d->c.type, d->lanes);
  LLVMValueRef start[MAX_ROWS * MAX_VECTORS];
  int carried[MAX_ROWS * MAX_VECTORS];
  for (int n = 0; n < sums; n++) {
    start[n] = d->zero ? LLVMConstNull(type) : load_sum(d, c, n);
  }
  const Coord k = nest_loop(&d->nest, 0, d->k, 1);
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
  b = offset_by(h, &d->b, b, n.at, 1);
  c = offset_by(h, &d->c, c, n.at, 1);
  const Coord m = nest_loop(&d->nest, 0, d->m, d->rows);
  nest_seek(&d->nest, d->nest.depth);
  a = offset_by(h, &d->a, a, m.at, d->a.row);
  c = offset_by(h, &d->c, c, m.at, d->c.row);
  block(d, a, b, c);
}

bool host_emit_dot(Host *h, const Op *op) {
  const Value *a = op_operand(op, 0), *result = op_result(op);
  const Type *type = result->type;
  HostDot d = {.op = op,
               .m = type->shape[type->rank - 2],
               .n = type->shape[type->rank - 1],
               .k = a->type->shape[a->type->rank - 1],
               .zero = value_is_zero(op_operand(op, 2)),
               .c = matrix(h, result)};
  d.a = operand(h, op, 0);
  d.b = operand(h, op, 1);
  if (!start_result(h, op, d.zero)) return false;
  const bool many = h->e->llvm.vector_bytes == 64; // registers, too
  d.lanes = host_lanes(h, type->element, d.n);
  d.vectors = at_most(d.n / d.lanes, MAX_VECTORS);
  d.rows = at_most(d.m, many ? MAX_ROWS : MAX_ROWS / 2);
  d.nest = nest_begin(h, op);
  nest_part(&d.nest, type, 1);
  const int64_t batches = type->num_elements / (d.m * d.n);
  const Coord batch = nest_loop(&d.nest, 0, batches, 1);
  nest_seek(&d.nest, d.nest.depth);
  blocks(&d, batch.at);
  nest_end(&d.nest);
  return true;
}
