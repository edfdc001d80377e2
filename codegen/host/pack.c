// pack.c -- operands of products in the order in which they are read.
//
// The right operand becomes panels of a block's width, with consecutive rows;
// the left one keeps its rows.  A word holds the elements along k that one
// instruction multiplies. Bytes of the left operand are stored with 128 added,
// since the instruction reads them as unsigned.
//
// For example, a panel of two columns of bf16 has the rows {1, 2} and {3, 4}.
// Its words are {1, 3} and {2, 4}: one instruction multiplies both elements of
// a word by two adjacent elements of the left operand, which keep their order.
// The bytes -1 and 5 of a left operand become 127 and 133.
//
// A right operand that is the transpose of rows, or loaded by columns, is
// computed by rows, whose pairs are words already. Blocks of words are
// transposed.
#include "codegen/host/product.h"

#include <assert.h>

enum { MAX_LANES = 64 };

// -- Elements ----------------------------------------------------------------

// The sum of coordinates times strides.
LLVMValueRef pack_place(Host *h, Coord const *at, int64_t const *strides,
                        int num) {
  LLVMValueRef sum = host_i64(h, 0);
  for (int i = 0; i < num; i++) {
    LLVMValueRef by = LLVMBuildMul(h->b, at[i].at, host_i64(h, strides[i]), "");
    sum = LLVMBuildAdd(h->b, sum, by, "");
  }
  return sum;
}

static LLVMValueRef from_buffer(LanePack *p, Coord const *at, int lanes) {
  Host *h = p->d->h;
  const HostMatrix *from = &p->from;
  LLVMValueRef index =
      pack_place(h, at, (int64_t[]){from->batch, from->row, from->column}, 3);
  LLVMValueRef address =
      LLVMBuildGEP2(h->b, from->type, from->base, &index, 1, "");
  LLVMValueRef x =
      LLVMBuildLoad2(h->b, vector_of(from->type, lanes), address, "");
  LLVMSetAlignment(x, 1);
  return x;
}

static LLVMValueRef computed(LanePack *p, const Index *index) {
  Nest *nest = &p->d->nest;
  const Op *op = p->value->def;
  if (p->rows != p->value) return eval(nest, p->rows, index);
  switch (op->kind) {
  case OP_load: return load_at(nest, op, index);
  case OP_load_block:
  case OP_load_desc: return window_load_at(nest, op, index, p->inside);
  default: return eval_root(nest, p->value, index);
  }
}

// Adjacent elements of a row, or of a column of a buffer: at[] is batch, row,
// column.  NULL after a diagnostic.
LLVMValueRef pack_take(LanePack *p, Coord const *at, int lanes) {
  HostDot *d = p->d;
  if (p->from.base) return from_buffer(p, at, lanes);
  const int rank = p->rows->type->rank;
  const bool across = p->rows == p->value && pack_is_turned(p);
  Index index = {.vec = rank - 1 - across, .lanes = lanes};
  for (int i = 0; i < rank; i++) index.at[i] = at[i + 3 - rank];
  if (across) {
    index.at[rank - 2] = at[2];
    index.at[rank - 1] = at[1];
  }
  LLVMValueRef x = computed(p, &index);
  if (!x) return NULL;
  nest_seek(&d->nest, d->nest.depth);
  return splat(d->h->e, x, lanes);
}

static bool is_loaded(const LanePack *p) {
  return p->from.base || product_loads(p->value->def);
}

// The number of lanes in a vector along a row of `size`; it may be `factor`
// registers.
static int lanes_along(const LanePack *p, int64_t size, int factor) {
  const int lanes = p->d->lanes;
  const int most = size < lanes * factor ? (int)size : lanes * factor;
  const Op *op = p->from.base ? NULL : p->value->def;
  const int last = p->value->type->rank - 1;
  const bool apart = op && op->kind == OP_load && most > lanes &&
                     !lanes_are_neighbours(op, last, most);
  return apart || (most > lanes && !is_loaded(p)) ? lanes : most;
}

static LLVMValueRef with_bias(LanePack *p, LLVMValueRef x, int64_t bits) {
  LLVMValueRef bias = const_int(LLVMTypeOf(x), bits);
  return product_has_bias(p->d) ? LLVMBuildXor(p->d->h->b, x, bias, "") : x;
}

// The bits, as bf16, of values that are computed as f32.
static LLVMValueRef upper_half(Host *h, LLVMValueRef f32) {
  LLVMTypeRef i32 = type_like(LLVMTypeOf(f32), int_type(h->e, 32));
  LLVMValueRef bits = LLVMBuildBitCast(h->b, f32, i32, "");
  return LLVMBuildLShr(h->b, bits, const_int(i32, 16), "");
}

void pack_put(Host *h, LLVMValueRef base, LLVMTypeRef type, LLVMValueRef at,
              LLVMValueRef x) {
  LLVMValueRef address = LLVMBuildGEP2(h->b, type, base, &at, 1, "");
  LLVMSetAlignment(LLVMBuildStore(h->b, x, address), 1);
}

static void write(LanePack *p, LLVMTypeRef type, LLVMValueRef at,
                  LLVMValueRef x) {
  pack_put(p->d->h, p->to.base, type, at, x);
}

// -- Loops that search for denormals -----------------------------------------

void pack_begin(LanePack *p, int lanes, int halves) {
  HostDot *d = p->d;
  d->nest = nest_begin(d->h, p->from.base ? d->op : p->value->def);
  nest_part(&d->nest, p->value->type, lanes);
  p->depth = 0;
  p->bits = vector_of(int_type(d->h->e, 16), halves);
}

static LLVMValueRef no_denormals(const LanePack *p) {
  return p->search == SEARCH_WORDS ? LLVMConstAllOnes(p->bits)
                                   : const_int(int_type(p->d->h->e, 1), 0);
}

Coord pack_loop(LanePack *p, int64_t end, int64_t step) {
  Nest *nest = &p->d->nest;
  const Coord at = nest_loop(nest, 0, end, step);
  const int outer = p->depth ? p->carried[p->depth - 1] : -1;
  if (p->search != SEARCH_NONE) {
    LLVMValueRef init = outer < 0 ? no_denormals(p) : nest_carried(nest, outer);
    p->carried[p->depth] = nest_carry(nest, init);
  }
  p->depth++;
  return at;
}

// Closes the innermost loop.  Returns the value that it carried; NULL: none.
LLVMValueRef pack_close(LanePack *p) {
  Nest *nest = &p->d->nest;
  nest_close(nest);
  p->depth--;
  if (p->search == SEARCH_NONE) return NULL;
  LLVMValueRef out = nest_carried(nest, p->carried[p->depth]);
  if (p->depth) nest_carry_next(nest, p->carried[p->depth - 1], out);
  return out;
}

// The search is added at the end of the innermost loop.
void pack_look_at(LanePack *p, LLVMValueRef x) {
  if (p->search != SEARCH_WORDS) return;
  Nest *nest = &p->d->nest;
  Host *h = p->d->h;
  const int inner = p->carried[p->depth - 1];
  LLVMValueRef least = nest_carried(nest, inner);
  LLVMValueRef one = const_int(p->bits, 1);
  LLVMValueRef bits = LLVMBuildBitCast(h->b, x, p->bits, "");
  bits = LLVMBuildSub(h->b, LLVMBuildShl(h->b, bits, one, ""), one, "");
  LLVMValueRef less = LLVMBuildICmp(h->b, LLVMIntULT, bits, least, "");
  nest_carry_next(nest, inner, LLVMBuildSelect(h->b, less, bits, least, ""));
}

// Is an element denormal?  NULL: not searched.
LLVMValueRef pack_end(LanePack *p) {
  Nest *nest = &p->d->nest;
  Host *h = p->d->h;
  LLVMValueRef out = NULL;
  while (p->depth) out = pack_close(p);
  if (out) nest_result(nest, &out);
  nest_end(nest);
  if (!out || p->search == SEARCH_ROUNDED) return out;
  LLVMValueRef small =
      LLVMBuildICmp(h->b, LLVMIntULT, out, const_int(p->bits, 0xff), "");
  return type_lanes(p->bits)
             ? emit_intrinsic(h->e, "llvm.vector.reduce.or", 1, &small)
             : small;
}

// -- Rows along k ------------------------------------------------------------

LLVMTypeRef pack_element(const LanePack *p) {
  Host *h = p->d->h;
  if (p->d->unit == UNIT_FMA) return p->to.type;
  return int_type(h->e, p->d->unit == UNIT_QUADS ? 8 : 16);
}

LLVMValueRef pack_narrow(LanePack *p, LLVMValueRef x) {
  Host *h = p->d->h;
  if (p->d->unit == UNIT_FMA) return x;
  if (p->d->unit == UNIT_QUADS) return with_bias(p, x, 0x80);
  LLVMTypeRef i16 = type_like(LLVMTypeOf(x), int_type(h->e, 16));
  if (p->d->unit == UNIT_WIDE) return LLVMBuildSExt(h->b, x, i16, "");
  return LLVMBuildTrunc(h->b, upper_half(h, x), i16, "");
}

static bool pack_rows(LanePack *p, LLVMValueRef *denormal) {
  HostDot *d = p->d;
  Host *h = d->h;
  const int64_t size = d->k * d->step, full = d->full * d->step;
  const bool rounds = p->search == SEARCH_ROUNDED;
  const int lanes = rounds ? 2 * d->lanes : lanes_along(p, size, d->step);
  pack_begin(p, lanes, lanes);
  Coord at[3];
  at[0] = pack_loop(p, d->batches, 1);
  at[1] = pack_loop(p, d->m, 1);
  at[2] = pack_loop(p, size, lanes);
  nest_seek(&d->nest, d->nest.depth);
  LLVMValueRef x = rounds ? pack_pairs(p, at) : pack_take(p, at, lanes);
  if (!x) return false;
  if (!rounds) x = pack_narrow(p, x);
  LLVMValueRef to = pack_place(h, at, (int64_t[]){d->m * full, full, 1}, 3);
  if (d->first) {
    LLVMValueRef before =
        LLVMBuildMul(h->b, d->first, host_i64(h, d->step), "");
    to = LLVMBuildAdd(h->b, to, before, "");
  }
  write(p, pack_element(p), to, x);
  pack_look_at(p, x);
  *denormal = pack_end(p);
  return true;
}

// -- Rows across k -----------------------------------------------------------

// The lanes of two vectors in turn, each pair as one lane of `bits`.
static LLVMValueRef interleave(Host *h, LLVMValueRef x, LLVMValueRef y,
                               int bits) {
  const int lanes = type_lanes(LLVMTypeOf(x));
  LLVMValueRef order[2 * MAX_LANES];
  assert(lanes > 0 && lanes <= MAX_LANES && "no vector");
  for (int i = 0; i < 2 * lanes; i++) {
    order[i] = const_int(int_type(h->e, 32), i / 2 + i % 2 * lanes);
  }
  LLVMValueRef mask = LLVMConstVector(order, (unsigned)(2 * lanes));
  LLVMValueRef both = LLVMBuildShuffleVector(h->b, x, y, mask, "");
  return LLVMBuildBitCast(h->b, both, vector_of(int_type(h->e, bits), lanes),
                          "");
}

static LLVMValueRef join(LanePack *p, LLVMValueRef const *x) {
  Host *h = p->d->h;
  if (p->d->unit == UNIT_FMA) return x[0];
  if (p->d->unit != UNIT_QUADS) {
    return interleave(h, pack_narrow(p, x[0]), pack_narrow(p, x[1]), 32);
  }
  LLVMValueRef word = interleave(h, interleave(h, x[0], x[1], 16),
                                 interleave(h, x[2], x[3], 16), 32);
  return p->is_left ? with_bias(p, word, 0x80808080) : word;
}

// a * scale + b, at the innermost level.
static Coord combine(LanePack *p, Coord a, int64_t scale, LLVMValueRef b) {
  Host *h = p->d->h;
  LLVMValueRef x = LLVMBuildMul(h->b, a.at, host_i64(h, scale), "");
  return (Coord){LLVMBuildAdd(h->b, x, b, ""), p->d->nest.depth};
}

// The elements of words: at[] is batch, panel, word along k, column.
static bool take_word(LanePack *p, Coord const *at, int64_t width, int lanes,
                      LLVMValueRef *x) {
  HostDot *d = p->d;
  for (int i = 0; i < d->step; i++) {
    const Coord k = combine(p, at[2], d->step, host_i64(d->h, i));
    const Coord column = combine(p, at[1], width, at[3].at);
    const Coord left[] = {at[0], column, k}, right[] = {at[0], k, column};
    x[i] = pack_take(p, p->is_left ? left : right, lanes);
    if (!x[i]) return false;
  }
  return true;
}

static bool pack_columns(LanePack *p, LLVMValueRef *denormal) {
  HostDot *d = p->d;
  Host *h = d->h;
  const int64_t size = p->is_left ? d->m : d->n;
  const int64_t width = p->is_left ? p->to.column : p->to.row;
  const int lanes = lanes_along(p, width, MAX_VECTORS);
  pack_begin(p, lanes, 2 * lanes);
  Coord at[4];
  LLVMValueRef x[4];
  at[0] = pack_loop(p, d->batches, 1);
  at[1] = pack_loop(p, size / width, 1);
  at[2] = pack_loop(p, d->k, 1);
  at[3] = pack_loop(p, width, lanes);
  nest_seek(&d->nest, d->nest.depth);
  if (!take_word(p, at, width, lanes, x)) return false;
  LLVMValueRef word = join(p, x);
  if (d->first) at[2] = combine(p, at[2], 1, d->first);
  const int64_t strides[] = {size * d->full, width * d->full, width, 1};
  write(p, p->to.type, pack_place(h, at, strides, 4), word);
  pack_look_at(p, word);
  *denormal = pack_end(p);
  return true;
}

// -- Either ------------------------------------------------------------------

// Waiting words are still read after other dots of the loop have run again, so
// their memory must not be shared with those.
static LLVMValueRef memory(HostDot *d, bool is_left, size_t bytes) {
  Host *h = d->h;
  if (!is_left && d->reuse) return reuse_memory(d);
  if (d->waits) return host_spare(h, bytes);
  Spare *out = &d->memory[!is_left];
  *out = host_borrow(h, bytes);
  return host_spare_address(h, *out);
}

static LLVMTypeRef word_type(const HostDot *d, const Type *element) {
  return d->unit == UNIT_FMA ? emit_compute_type(d->h->e, element)
                             : int_type(d->h->e, 32);
}

static size_t word_bytes(const HostDot *d, const Type *element) {
  return d->unit == UNIT_FMA ? host_buffer_bytes(element) : 4;
}

size_t product_panel_bytes(const HostDot *d) {
  const Type *element = op_operand(d->op, 1)->type->element;
  return word_bytes(d, element) * (size_t)(d->batches * d->n * d->full);
}

static HostMatrix layout(LanePack *p) {
  HostDot *d = p->d;
  const Type *element = p->value->type->element;
  const int64_t size = p->is_left ? d->m : d->n;
  const int64_t panel = d->vectors * d->lanes;
  HostMatrix to = {.buffer = p->value, .batch = size * d->full};
  to.type = word_type(d, element);
  to.base = memory(d, p->is_left,
                   word_bytes(d, element) * (size_t)(d->batches * to.batch));
  to.panel = d->full;
  if (!p->is_left) {
    to.row = panel;
    to.column = 1;
  } else if (p->from.base && p->from.column != 1) {
    to.row = 1;
    to.column = size;
  } else {
    to.row = d->full;
    to.column = 1;
  }
  return to;
}

static bool pack(LanePack *p, LLVMValueRef *denormal) {
  if (pack_is_turned(p)) return pack_turned(p, denormal);
  return p->is_left && p->to.column == 1 ? pack_rows(p, denormal)
                                         : pack_columns(p, denormal);
}

// A window inside of its bounds needs no masks.
static bool pack_window(LanePack *p, LLVMValueRef inside,
                        LLVMValueRef *denormal) {
  Host *h = p->d->h;
  LLVMBasicBlockRef all = host_block(h, "inside"), from[2];
  LLVMBasicBlockRef some = host_block(h, "edge");
  LLVMBasicBlockRef done = host_block(h, "packed");
  LLVMValueRef x[2];
  LLVMBuildCondBr(h->b, inside, all, some);
  for (int i = 0; i < 2; i++) {
    LLVMPositionBuilderAtEnd(h->b, i ? some : all);
    p->inside = !i;
    if (!pack(p, &x[i])) return false;
    from[i] = LLVMGetInsertBlock(h->b);
    LLVMBuildBr(h->b, done);
  }
  LLVMPositionBuilderAtEnd(h->b, done);
  *denormal = NULL;
  if (!x[0]) return true;
  *denormal = LLVMBuildPhi(h->b, int_type(h->e, 1), "");
  LLVMAddIncoming(*denormal, x, from, 2);
  return true;
}

// Opens code that runs unless `stays`.  Returns the block behind it.
static LLVMBasicBlockRef pack_unless(Host *h, LLVMValueRef stays) {
  LLVMBasicBlockRef some = host_block(h, "pack"), done = host_block(h, "stays");
  LLVMBuildCondBr(h->b, stays, done, some);
  LLVMPositionBuilderAtEnd(h->b, some);
  return done;
}

bool product_pack(HostDot *d, const Value *value, HostMatrix from, bool is_left,
                  LLVMValueRef *denormal) {
  Host *h = d->h;
  LanePack p = {.d = d, .value = value, .from = from, .is_left = is_left};
  pack_find_rows(&p);
  p.to = layout(&p);
  *(is_left ? &d->a : &d->b) = p.to;
  const Op *op = from.base ? NULL : value->def;
  const bool window =
      op && (op->kind == OP_load_block || op->kind == OP_load_desc);
  if (is_left && window && !product_find_stay(d, op)) return false;
  const bool stays = is_left && d->stays;
  LLVMValueRef inside = window && !stays ? window_is_inside(h, op) : NULL;
  const bool goes_on = window && value->type->rank == 2 &&
                       !pack_is_turned(&p) && window_advances(op) &&
                       op->block == d->op->block &&
                       op_operand(op, 0)->block == op->block;
  if (goes_on) d->ahead[!is_left] = op;
  const bool reuses = !is_left && d->reuse;
  p.inside = window && !stays;
  if (reuses) reuse_open(d);
  LLVMBasicBlockRef packed = stays ? pack_unless(h, d->stays) : NULL;
  if (!(inside ? pack_window(&p, inside, denormal) : pack(&p, denormal))) {
    return false;
  }
  if (reuses) *denormal = reuse_close(d, *denormal);
  if (packed) {
    LLVMBuildBr(h->b, packed);
    LLVMPositionBuilderAtEnd(h->b, packed);
    product_choose_left(d, op);
  }
  return true;
}
