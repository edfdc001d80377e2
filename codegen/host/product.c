// product.c -- how a dot multiplies, and when.
//
// If a loop only adds to sums, the products wait: operands of a few trips are
// packed one behind the other, and then multiplied together, so that sums are
// loaded and stored less often. An operand that only the dot reads is packed
// where it is loaded or computed, and has no other buffer.
//
// For example, a loop over blocks of 32 elements along k multiplies the
// operands of 4 trips together in fp32, as 4 * 32 is DEEP_WORDS, and of 8 trips
// in bf16 where a word holds two elements.
#include "codegen/host/product.h"

#include <assert.h>

enum {
  DEEP_WORDS = 128, // along k: as long as panels in the L1 cache
  MANY_ROWS = 32,   // least rows with copied operands
  UNEVEN_ROWS = 6,  // of AVX2: 12 sums, where 8 do not hide all latency
  QUICK_WORDS = 4,  // for sums that stay in registers within a trip only
  // If a loop has at most so many words along k, a trip multiplies two of them:
  // a processor foresees the end of 32 trips better than that of 64.
  SHORT_WORDS = 64,
};

static LLVMTypeRef element_type(Host *h, const Type *element) {
  if (element->elem == ELEM_i1) return int_type(h->e, 8);
  return emit_compute_type(h->e, element);
}

LLVMValueRef matrix_offset(Host *h, const HostMatrix *x, LLVMValueRef base,
                           LLVMValueRef at, int64_t stride) {
  LLVMValueRef by = LLVMBuildMul(h->b, at, host_i64(h, stride), "");
  return LLVMBuildGEP2(h->b, x->type, base, &by, 1, "");
}

LLVMValueRef matrix_shift(Host *h, const HostMatrix *x, LLVMValueRef base,
                          int64_t by) {
  LLVMValueRef at = host_i64(h, by);
  return LLVMBuildGEP2(h->b, x->type, base, &at, 1, "");
}

LLVMValueRef matrix_row(Host *h, const HostMatrix *x, LLVMValueRef base,
                        LLVMValueRef at) {
  LLVMValueRef stride = x->row_at ? x->row_at : host_i64(h, x->row);
  LLVMValueRef by = LLVMBuildMul(h->b, at, stride, "");
  return LLVMBuildGEP2(h->b, x->type, base, &by, 1, "");
}

static HostMatrix matrix(Host *h, const Value *value) {
  const bool trans = !host_place(h, value)->buffer;
  const Value *buffer = trans ? op_operand(value->def, 0) : value;
  const Type *type = buffer->type;
  const int64_t rows = type->shape[type->rank - 2];
  const int64_t columns = type->shape[type->rank - 1];
  return (HostMatrix){.buffer = buffer,
                      .type = element_type(h, type->element),
                      .batch = rows * columns,
                      .row = trans ? 1 : columns,
                      .column = trans ? columns : 1,
                      .panel = 1};
}

// A buffer that keeps its elements as bits of the narrow format is converted
// once, since a product reads each element many times.
static HostMatrix operand(Host *h, const Op *op, int which) {
  HostMatrix out = matrix(h, op_operand(op, which));
  const Value *buffer = out.buffer;
  const Type *type = buffer->type;
  if (!host_keeps(h, buffer)) {
    out.base = host_buffer(h, buffer);
    return out;
  }
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

// Is the accumulator computed where its blocks are, such as sums of earlier
// trips by a factor?
static bool is_computed_by_blocks(const HostDot *d) {
  const Host *h = d->h;
  const Value *acc = op_operand(d->op, 2);
  if (d->zero || d->waits || d->amx_words || h->e->options.quick) return false;
  return d->lanes > 1 && acc->type->rank <= 3 && acc->type->elem == ELEM_f32 &&
         acc->def && op_has(acc->def, TRAIT_ELEMENTWISE) &&
         !host_place(h, acc)->buffer;
}

static bool fill_result(HostDot *d) {
  return host_fill(d->h, d->op, op_operand(d->op, 2), op_result(d->op));
}

// Denormals of words are multiplied by a function that adds to memory.
static bool fill_if_denormal(HostDot *d) {
  Host *h = d->h;
  if (!d->denormals) return true;
  LLVMBasicBlockRef some = host_block(h, "fill"),
                    done = host_block(h, "filled");
  LLVMBuildCondBr(h->b, d->denormals, some, done);
  LLVMPositionBuilderAtEnd(h->b, some);
  if (!fill_result(d)) return false;
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
  return true;
}

static bool start_result(HostDot *d) {
  Host *h = d->h;
  const Value *acc = op_operand(d->op, 2), *result = op_result(d->op);
  if (d->zero) return true;
  d->starts = is_computed_by_blocks(d);
  if (d->starts) return fill_if_denormal(d);
  const bool there = host_place(h, acc)->buffer &&
                     plan_slot_of(h, acc) == plan_slot_of(h, result);
  return there || fill_result(d);
}

static bool are(const Op *op, Elem elem) {
  return op_operand(op, 0)->type->elem == elem &&
         op_operand(op, 1)->type->elem == elem;
}

static Unit choose_unit(const HostDot *d, int64_t k) {
  const Emit *e = d->h->e;
  const Elem sum = op_result(d->op)->type->elem;
  if (d->lanes * 4 != e->llvm.vector_bytes) return UNIT_FMA;
  if (e->llvm.has_pairs && are(d->op, ELEM_bf16) && sum == ELEM_f32 &&
      k % 2 == 0 && !e->options.no_fp_fusion) {
    return UNIT_PAIRS;
  }
  if (!are(d->op, ELEM_i8) || sum != ELEM_i32) return UNIT_FMA;
  if (e->llvm.has_quads && k % 4 == 0) return UNIT_QUADS;
  return e->llvm.vector_bytes == 32 && k % 2 == 0 ? UNIT_WIDE : UNIT_FMA;
}

// Are the sums unused before the loop ends?
static bool may_wait(Host *h, const Op *op) {
  const Value *acc = op_operand(op, 2), *result = op_result(op);
  const Op *loop = op->block->parent;
  if (!loop || loop->kind != OP_for) return false;
  if (elem_is_narrow(result->type->elem)) return false;
  if (acc->def || acc->block != op->block || acc->uses->next) return false;
  const Use *use = result->uses;
  return use && !use->next && use->user == block_end(op->block) &&
         for_arg(loop, use->index) == acc &&
         plan_slot_of(h, acc) == plan_slot_of(h, result);
}

static bool is_worth_packing(const HostDot *d) {
  if (d->unit != UNIT_FMA) return true;
  for (int i = 0; i < 2; i++) {
    const Type *type = op_operand(d->op, i)->type;
    if (element_type(d->h, type->element) != d->c.type) return false;
  }
  return d->m >= MANY_ROWS;
}

static LLVMValueRef widen(Host *h, LLVMValueRef x) {
  return LLVMBuildZExt(h->b, x, int_type(h->e, 64), "");
}

// Finds the place of this trip's operands.  A left one that is packed before
// the loop has none.
static void find_trip(HostDot *d) {
  Host *h = d->h;
  const bool is_inside = h->trips.loop == d->op->block->parent;
  if (!d->waits && (!d->reuse || !is_inside)) return;
  if (d->first || d->trip) return;
  assert(is_inside && "of another loop"); // I11
  d->trip = widen(h, LLVMBuildSub(h->b, h->trips.count, h->trips.left, ""));
  if (!d->waits) return;
  LLVMValueRef at =
      LLVMBuildURem(h->b, d->trip, host_i64(h, d->full / d->k), "");
  d->first = LLVMBuildMul(h->b, at, host_i64(h, d->k), "");
  d->depth = LLVMBuildAdd(h->b, d->first, host_i64(h, d->k), "");
}

// The block to which a trip branches if it only packs.
static LLVMBasicBlockRef wait(HostDot *d) {
  Host *h = d->h;
  LLVMBasicBlockRef now = host_block(h, "multiply");
  LLVMBasicBlockRef later = host_block(h, "wait");
  LLVMValueRef left = h->trips.left;
  LLVMValueRef last =
      LLVMBuildICmp(h->b, LLVMIntEQ, left, const_int(LLVMTypeOf(left), 1), "");
  LLVMValueRef full =
      LLVMBuildICmp(h->b, LLVMIntEQ, d->depth, host_i64(h, d->full), "");
  LLVMBuildCondBr(h->b, LLVMBuildOr(h->b, last, full, ""), now, later);
  LLVMPositionBuilderAtEnd(h->b, now);
  return later;
}

static int words_at_once(const HostDot *d) {
  if (d->h->e->options.quick) return d->k % QUICK_WORDS ? 1 : QUICK_WORDS;
  const bool many = d->h->e->llvm.vector_bytes == 64;
  return many && d->full <= SHORT_WORDS && d->k % 2 == 0 ? 2 : 1;
}

static void describe(HostDot *d, Host *h, const Op *op) {
  const Value *a = op_operand(op, 0), *result = op_result(op);
  const Type *type = result->type;
  const int64_t k = a->type->shape[a->type->rank - 1];
  *d = (HostDot){.h = h,
                 .op = op,
                 .m = type->shape[type->rank - 2],
                 .n = type->shape[type->rank - 1],
                 .zero = value_is_zero(op_operand(op, 2)),
                 .c = matrix(h, result)};
  const bool many = h->e->llvm.vector_bytes == 64; // registers, too
  d->batches = type->num_elements / (d->m * d->n);
  d->lanes = host_lanes(h, type->element, d->n);
  d->vectors = int_at_most(d->n / d->lanes, MAX_VECTORS);
  d->rows = int_at_most(d->m, many ? MAX_ROWS : REST_ROWS);
  d->unit = choose_unit(d, k);
  d->step = d->unit == UNIT_QUADS ? 4 : d->unit == UNIT_FMA ? 1 : 2;
  d->full = d->k = k / d->step;
  d->amx_words = amx_suits(h, d) ? amx_words(d) : 0;
  if (d->amx_words) d->rows = amx_rows(d);
  const int64_t trips = DEEP_WORDS / d->k;
  d->alone = may_wait(h, op);
  const bool uneven = h->e->llvm.vector_bytes == 32 && d->m >= MANY_ROWS;
  if (uneven && d->alone && !h->e->options.quick) {
    d->rows = UNEVEN_ROWS;
    d->rest = d->m % UNEVEN_ROWS == REST_ROWS ? REST_ROWS : 2 * REST_ROWS;
  }
  const bool may = d->alone && is_worth_packing(d);
  d->packs = d->unit != UNIT_FMA || may;
  d->waits = trips > 1 && may;
  if (d->waits) d->full = trips * d->k;
  d->at_once = words_at_once(d);
}

HostDot *product_of(Host *h, const Op *dot) {
  HostDot *d = map_get(&h->products, dot);
  if (d) return d;
  d = arena_new(h->e->arena, HostDot);
  describe(d, h, dot);
  map_put(&h->products, h->e->arena, dot, d);
  return d;
}

// -- Operands that are packed at their source --------------------------------

static bool is_computed(const Op *op) {
  return product_loads(op) || op_has(op, TRAIT_ELEMENTWISE);
}

// Does a load find its elements along a dimension adjacent in memory?
static bool lies_along(const Op *op, int dim, int lanes) {
  if (op->kind == OP_load) return lanes_are_neighbours(op, dim, lanes);
  return !product_loads(op) || window_lies_along(op, dim);
}

// Is a right operand made of whole blocks of words that a transpose turns?
static bool has_blocks(const HostDot *d) {
  return d->lanes * 4 == d->h->e->llvm.vector_bytes && d->k % d->lanes == 0 &&
         d->n % d->lanes == 0;
}

bool product_lies_by_k(const HostDot *d, const Op *load) {
  const Type *tile = op_result(load)->type;
  const int last = tile->rank - 1, lanes = d->step * d->lanes;
  if (!product_loads(load) || last < 1 || !has_blocks(d)) return false;
  if (d->unit == UNIT_QUADS || host_buffer_bytes(tile->element) != 4)
    return false;
  return !lies_along(load, last, d->lanes) && lies_along(load, last - 1, lanes);
}

// Is it the transpose of rows along k?
static bool is_turned(Host *h, const Op *op, const HostDot *d) {
  return transpose_turns_last(op) && d->unit == UNIT_PAIRS && has_blocks(d) &&
         !host_keeps(h, op_operand(op, 0));
}

// Do both dots, in loops behind the operand, read the same words on the left?
static bool reads_alike(Host *h, const Op *op, const Use *x, const Use *y) {
  if (y->user->kind != OP_dot || x->index || y->index) return false;
  const HostDot *a = product_of(h, x->user), *b = product_of(h, y->user);
  const bool outside = op->block != a->op->block && op->block != b->op->block;
  return outside && a->unit != UNIT_FMA && a->unit == b->unit &&
         !a->amx_words == !b->amx_words && !a->waits && !b->waits;
}

// The first use of an op's only result, if only a dot reads it, or dots that
// can share the packed operand.
static const Use *only_factor(Host *h, const Op *op) {
  const Use *use = op->num_results == 1 ? op_result(op)->uses : NULL;
  if (!use || use->user->kind != OP_dot || use->index > 1) return NULL;
  for (const Use *other = use->next; other; other = other->next) {
    if (!reads_alike(h, op, use, other)) return NULL;
  }
  return use;
}

static bool may_pack(Host *h, const Op *op, const Use *use) {
  const HostDot *d = product_of(h, use->user);
  const Value *value = op_result(op);
  if (!is_computed(op) && op->kind != OP_trans) return false;
  if (value->type->rank > 3 || host_keeps(h, value) ||
      host_place(h, value)->fill) {
    return false;
  }
  if (d->waits && op->block != use->user->block) return false;
  if (op->kind == OP_trans) return use->index == 1 && is_turned(h, op, d);
  const int last = value->type->rank - 1;
  if (lies_along(op, last, int_at_most(value->type->shape[last], d->lanes)))
    return true;
  return use->index == 1 && product_lies_by_k(d, op);
}

bool product_may_pack(Host *h, const Op *load) {
  const Use *use = only_factor(h, load);
  if (!use) return false;
  const HostDot *d = product_of(h, use->user);
  return (d->packs || is_worth_packing(d)) && may_pack(h, load, use);
}

bool product_wants(Host *h, const Op *op) {
  const Use *use = only_factor(h, op);
  return use && product_of(h, use->user)->packs && may_pack(h, op, use);
}

// Adds the test whether a packed operand has a denormal; NULL: it has none.
static void add_denormal(HostDot *d, LLVMValueRef any) {
  if (!any) return;
  d->denormals =
      d->denormals ? LLVMBuildOr(d->h->b, d->denormals, any, "") : any;
}

bool product_take(Host *h, const Op *op) {
  const Use *use = only_factor(h, op);
  HostDot *d = product_of(h, use->user);
  find_trip(d);
  LLVMValueRef denormal;
  if (!product_pack(d, op_result(op), (HostMatrix){0}, use->index == 0,
                    &denormal)) {
    return false;
  }
  add_denormal(d, denormal);
  while ((use = use->next)) {
    HostDot *other = product_of(h, use->user);
    other->a = d->a;
    add_denormal(other, denormal);
  }
  return true;
}

// Tests this trip's operands, and those that waited.
static LLVMValueRef any_denormals(HostDot *d) {
  Host *h = d->h;
  if (!d->denormals || !d->waits) return d->denormals;
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

// Finds the operands that do not exist yet. Rows of single elements that do not
// wait are read in place.
static bool find_operands(HostDot *d) {
  for (int i = 0; i < 2; i++) {
    const bool packs = d->packs && (i || d->waits || d->unit != UNIT_FMA);
    HostMatrix *to = i ? &d->b : &d->a;
    if (to->base) continue;
    const HostMatrix from = operand(d->h, d->op, i);
    if (!packs) *to = from;
    LLVMValueRef denormal = NULL;
    if (packs && !product_pack(d, op_operand(d->op, i), from, !i, &denormal))
      return false;
    add_denormal(d, denormal);
  }
  return true;
}

// Gives back the memory that no later trip or run of the dot reads.
static void give_back(HostDot *d) {
  for (int i = 0; i < 2; i++) {
    const Op *op = op_operand(d->op, i)->def;
    const bool here = op && op->block == d->op->block;
    if (here && d->memory[i].bytes) host_give_back(d->h, d->memory[i]);
  }
}

bool host_emit_dot(Host *h, const Op *op) {
  HostDot *d = product_of(h, op);
  find_trip(d);
  if (!find_operands(d)) return false;
  d->denormals = any_denormals(d);
  d->c.base = host_buffer(h, d->c.buffer);
  if (!start_result(d)) return false;
  LLVMBasicBlockRef later = d->waits ? wait(d) : NULL;
  if (!product_find_edges(d)) return false;
  product_find_words(d);
  if (!product_multiply(d)) return false;
  product_add_zero(d);
  give_back(d);
  if (!later) return true;
  LLVMBuildBr(h->b, later);
  LLVMPositionBuilderAtEnd(h->b, later);
  return true;
}
