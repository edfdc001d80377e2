// pack.c -- operands of products in the order in which they are read.
//
// The right one becomes panels as wide as a block, whose rows follow each
// other; the left one keeps its rows.  A word holds the elements along k that
// one instruction multiplies.  Bytes of the left one are 128 more than they
// are, for the instruction takes them for unsigned.
#include "codegen/host/product.h"

static LLVMTypeRef element_of_word(const HostDot *d, const HostMatrix *from) {
  Host *h = d->nest.h;
  if (d->unit == UNIT_FMA) return from->type;
  return int_type(h->e, d->unit == UNIT_PAIRS ? 16 : 8);
}

static LLVMValueRef read(Host *h, const HostMatrix *from, LLVMValueRef at,
                         int lanes) {
  LLVMValueRef address =
      LLVMBuildGEP2(h->b, from->type, from->base, &at, 1, "");
  LLVMValueRef x =
      LLVMBuildLoad2(h->b, vector_of(from->type, lanes), address, "");
  LLVMSetAlignment(x, 1);
  return x;
}

static void write(Host *h, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef at,
                  LLVMValueRef x) {
  LLVMValueRef address = LLVMBuildGEP2(h->b, type, base, &at, 1, "");
  LLVMSetAlignment(LLVMBuildStore(h->b, x, address), 1);
}

// The sum of coordinates times strides.
static LLVMValueRef place(Host *h, LLVMValueRef const *at,
                          int64_t const *strides, int num) {
  LLVMValueRef sum = host_i64(h, 0);
  for (int i = 0; i < num; i++) {
    LLVMValueRef by = LLVMBuildMul(h->b, at[i], host_i64(h, strides[i]), "");
    sum = LLVMBuildAdd(h->b, sum, by, "");
  }
  return sum;
}

static LLVMValueRef with_bias(Host *h, LLVMValueRef x, int64_t bits) {
  return LLVMBuildXor(h->b, x, const_int(LLVMTypeOf(x), bits), "");
}

// -- Loops that look for denormals -------------------------------------------

// Each loop carries the smallest of twice the bits of an element less one: the
// sign drops out, and zero is no small number.
typedef struct {
  HostDot *d;
  int carried[PACK_LOOPS];
  int depth;
  LLVMTypeRef bits;
} Pack;

static Pack begin(HostDot *d, const HostMatrix *from, int lanes) {
  d->nest = nest_begin(d->nest.h, d->op);
  nest_part(&d->nest, from->buffer->type, lanes);
  return (Pack){.d = d, .bits = vector_of(int_type(d->nest.h->e, 32), lanes)};
}

static LLVMValueRef loop(Pack *p, int64_t end, int64_t step) {
  Nest *nest = &p->d->nest;
  const Coord at = nest_loop(nest, 0, end, step);
  if (p->d->unit == UNIT_PAIRS) {
    LLVMValueRef none = LLVMConstAllOnes(p->bits);
    const int outer = p->depth ? p->carried[p->depth - 1] : -1;
    p->carried[p->depth++] =
        nest_carry(nest, outer < 0 ? none : nest_carried(nest, outer));
  }
  return at.at;
}

// Behind everything that the innermost loop does.
static void look_at(Pack *p, LLVMValueRef const *x, int num) {
  if (p->d->unit != UNIT_PAIRS) return;
  Nest *nest = &p->d->nest;
  Host *h = nest->h;
  const int inner = p->carried[p->depth - 1];
  LLVMValueRef least = nest_carried(nest, inner);
  for (int i = 0; i < num; i++) {
    LLVMValueRef bits = LLVMBuildBitCast(h->b, x[i], p->bits, "");
    bits = LLVMBuildShl(h->b, bits, const_int(p->bits, 1), "");
    bits = LLVMBuildSub(h->b, bits, const_int(p->bits, 1), "");
    LLVMValueRef less = LLVMBuildICmp(h->b, LLVMIntULT, bits, least, "");
    least = LLVMBuildSelect(h->b, less, bits, least, "");
  }
  nest_carry_next(nest, inner, least);
}

static void end(Pack *p) {
  HostDot *d = p->d;
  Nest *nest = &d->nest;
  Host *h = nest->h;
  LLVMValueRef least = NULL;
  while (p->depth) {
    nest_close(nest);
    least = nest_carried(nest, p->carried[--p->depth]);
    if (p->depth) nest_carry_next(nest, p->carried[p->depth - 1], least);
  }
  if (least) nest_result(nest, &least);
  nest_end(nest);
  if (!least) return;
  LLVMValueRef small =
      LLVMBuildICmp(h->b, LLVMIntULT, least, const_int(p->bits, 0xffffff), "");
  if (type_lanes(LLVMTypeOf(small))) {
    small = emit_intrinsic(h->e, "llvm.vector.reduce.or", 1, &small);
  }
  d->denormals =
      d->denormals ? LLVMBuildOr(h->b, d->denormals, small, "") : small;
}

// The bits of bf16 that are computed as f32.
static LLVMValueRef upper_half(Host *h, LLVMValueRef f32) {
  LLVMTypeRef i32 = type_like(LLVMTypeOf(f32), int_type(h->e, 32));
  LLVMValueRef bits = LLVMBuildBitCast(h->b, f32, i32, "");
  return LLVMBuildLShr(h->b, bits, const_int(i32, 16), "");
}

// -- Rows that lie along k ---------------------------------------------------

static LLVMValueRef narrow(const HostDot *d, LLVMValueRef x) {
  Host *h = d->nest.h;
  if (d->unit == UNIT_FMA) return x;
  if (d->unit == UNIT_QUADS) return with_bias(h, x, 0x80);
  LLVMTypeRef i16 = type_like(LLVMTypeOf(x), int_type(h->e, 16));
  return LLVMBuildTrunc(h->b, upper_half(h, x), i16, "");
}

static int64_t elements_at_once(const HostDot *d, int64_t size) {
  const int most = d->unit == UNIT_QUADS ? 4 * d->lanes : d->lanes;
  return size < most ? size : most;
}

static void pack_rows(HostDot *d, const HostMatrix *from, HostMatrix *to,
                      int64_t batches) {
  Host *h = d->nest.h;
  const int64_t size = d->k * d->step, full = d->full * d->step;
  const int64_t lanes = elements_at_once(d, size);
  Pack p = begin(d, from, (int)lanes);
  LLVMValueRef at[3];
  at[0] = loop(&p, batches, 1);
  at[1] = loop(&p, d->m, 1);
  at[2] = loop(&p, size, lanes);
  nest_seek(&d->nest, d->nest.depth);
  LLVMValueRef source =
      place(h, at, (int64_t[]){from->batch, from->row, from->column}, 3);
  LLVMValueRef x = read(h, from, source, (int)lanes);
  LLVMValueRef target = place(h, at, (int64_t[]){d->m * full, full, 1}, 3);
  if (d->first) {
    LLVMValueRef before =
        LLVMBuildMul(h->b, d->first, host_i64(h, d->step), "");
    target = LLVMBuildAdd(h->b, target, before, "");
  }
  write(h, element_of_word(d, from), to->base, target, narrow(d, x));
  look_at(&p, &x, 1);
  end(&p);
}

// -- Rows that lie across ----------------------------------------------------

static LLVMValueRef join(const HostDot *d, LLVMValueRef const *x,
                         bool is_left) {
  Host *h = d->nest.h;
  if (d->unit == UNIT_FMA) return x[0];
  LLVMTypeRef i32 = type_like(LLVMTypeOf(x[0]), int_type(h->e, 32));
  if (d->unit == UNIT_PAIRS) {
    LLVMValueRef high = LLVMBuildBitCast(h->b, x[1], i32, "");
    high = LLVMBuildAnd(h->b, high, const_int(i32, 0xffff0000), "");
    return LLVMBuildOr(h->b, high, upper_half(h, x[0]), "");
  }
  LLVMValueRef word = LLVMConstNull(i32);
  for (int i = 0; i < d->step; i++) {
    LLVMValueRef byte = LLVMBuildZExt(h->b, x[i], i32, "");
    byte = LLVMBuildShl(h->b, byte, const_int(i32, 8 * i), "");
    word = LLVMBuildOr(h->b, word, byte, "");
  }
  return is_left ? with_bias(h, word, 0x80808080) : word;
}

// The elements of a word, of `lanes` columns: at[] is batch, panel, word along
// k, column.
static void read_word(HostDot *d, const HostMatrix *from,
                      LLVMValueRef const *at, int64_t const *strides, int lanes,
                      LLVMValueRef *x) {
  Host *h = d->nest.h;
  LLVMValueRef base = place(h, at, strides, 4);
  for (int i = 0; i < d->step; i++) {
    LLVMValueRef row = host_i64(h, i * strides[2] / d->step);
    x[i] = read(h, from, LLVMBuildAdd(h->b, base, row, ""), lanes);
  }
}

// `size` columns in panels of `width`; `row` is the stride along k.
static void pack_columns(HostDot *d, const HostMatrix *from, HostMatrix *to,
                         int64_t batches, int64_t size, int64_t width,
                         int64_t row, bool is_left) {
  Host *h = d->nest.h;
  const int lanes = width < d->lanes ? (int)width : d->lanes;
  Pack p = begin(d, from, lanes);
  LLVMValueRef at[4], x[4];
  at[0] = loop(&p, batches, 1);
  at[1] = loop(&p, size / width, 1);
  at[2] = loop(&p, d->k, 1);
  at[3] = loop(&p, width, lanes);
  nest_seek(&d->nest, d->nest.depth);
  const int64_t strides[] = {from->batch, width, row * d->step, 1};
  read_word(d, from, at, strides, lanes, x);
  if (d->first) at[2] = LLVMBuildAdd(h->b, at[2], d->first, "");
  LLVMValueRef target =
      place(h, at, (int64_t[]){size * d->full, width * d->full, width, 1}, 4);
  write(h, to->type, to->base, target, join(d, x, is_left));
  look_at(&p, x, d->step);
  end(&p);
}

HostMatrix product_pack(HostDot *d, HostMatrix from, bool is_left) {
  Host *h = d->nest.h;
  const int64_t size = is_left ? d->m : d->n;
  const Type *type = op_result(d->op)->type;
  const int64_t batches = type->num_elements / (d->m * d->n);
  const bool by_rows = is_left && from.column == 1;
  HostMatrix to = {.buffer = from.buffer, .batch = size * d->full};
  to.type = d->unit == UNIT_FMA ? from.type : int_type(h->e, 32);
  const size_t bytes =
      d->unit == UNIT_FMA ? host_buffer_bytes(from.buffer->type->element) : 4;
  to.base = host_spare(h, bytes * (size_t)(batches * to.batch));
  if (by_rows) {
    to.row = d->full;
    to.column = 1;
    pack_rows(d, &from, &to, batches);
    return to;
  }
  const int64_t width = is_left ? size : d->vectors * d->lanes;
  to.row = is_left ? 1 : width;
  to.column = is_left ? width : 1;
  to.panel = d->full;
  pack_columns(d, &from, &to, batches, size, width,
               is_left ? from.column : from.row, is_left);
  return to;
}
