// ahead.c -- the ops around a product: operands of the next trips are
// prefetched, and sums that no store needs are not computed. A left operand may
// be read where it is in memory, and words beyond the bounds not at all.
//
// At the edge of a matrix, a program's tile reaches beyond it. The store of the
// sums says which rows and columns are inside: by its window's bounds, or by
// comparisons in its mask. Blocks that lie outside are left as they are.
//
// For example, for a tile of 128 x 128 of which 6 rows are stored, one row of
// blocks is multiplied, of the sixteen that the tile has with AVX-512.
#include "codegen/host/product.h"

// -- Looking ahead -----------------------------------------------------------

static int64_t share(int64_t all, int64_t parts) {
  return parts < all ? all / parts : 1;
}

static int64_t line_of(const Type *tile) {
  return LINE_BYTES / (int64_t)emit_memory_bytes(tile->element);
}

// Prefetches the lines of `rows` rows from `first` on, each with `elements`
// elements from `column` on.
static void ask_for_lines(HostDot *d, const Op *load, LLVMValueRef first,
                          int64_t rows, LLVMValueRef column, int64_t elements) {
  Host *h = d->h;
  const Coord row = nest_loop(&d->nest, 0, rows, 1);
  const Coord at =
      nest_loop(&d->nest, 0, elements, line_of(op_result(load)->type));
  nest_seek(&d->nest, d->nest.depth);
  window_ask_ahead(h, load,
                   (LLVMValueRef[]){LLVMBuildAdd(h->b, first, row.at, ""),
                                    LLVMBuildAdd(h->b, column, at.at, "")});
  nest_close(&d->nest);
  nest_close(&d->nest);
  nest_seek(&d->nest, d->nest.depth);
}

// The rows of a block are shared out among its panels.
static void ask_for_left(HostDot *d, LLVMValueRef row, LLVMValueRef column) {
  Host *h = d->h;
  const int64_t width = d->vectors * d->lanes;
  const int64_t rows = share(d->rows, d->n / width);
  LLVMValueRef at = LLVMBuildUDiv(h->b, column, host_i64(h, width), "");
  at = LLVMBuildMul(h->b, at, host_i64(h, rows), "");
  at = LLVMBuildURem(h->b, at, host_i64(h, d->rows), "");
  at = LLVMBuildAdd(h->b, row, at, "");
  ask_for_lines(d, d->ahead[0], at, rows, host_i64(h, 0), d->full * d->step);
}

// The rows of a panel are shared out among the blocks.
static void ask_for_right(HostDot *d, LLVMValueRef row, LLVMValueRef column) {
  Host *h = d->h;
  const int64_t width = d->vectors * d->lanes;
  const int64_t rows = share(d->full * d->step, d->m / d->rows);
  LLVMValueRef at = LLVMBuildUDiv(h->b, row, host_i64(h, d->rows), "");
  at = LLVMBuildMul(h->b, at, host_i64(h, rows), "");
  ask_for_lines(d, d->ahead[1], at, rows, column, width);
}

// Opens code that runs unless `skip`. Returns the block behind it, for go_on().
static LLVMBasicBlockRef unless(HostDot *d, LLVMValueRef skip) {
  Host *h = d->h;
  LLVMBasicBlockRef some = host_block(h, "ask"), done = host_block(h, "asked");
  LLVMBuildCondBr(h->b, skip, done, some);
  LLVMPositionBuilderAtEnd(h->b, some);
  nest_moved(&d->nest, d->nest.depth);
  return done;
}

static void go_on(HostDot *d, LLVMBasicBlockRef done) {
  LLVMBuildBr(d->h->b, done);
  LLVMPositionBuilderAtEnd(d->h->b, done);
  nest_moved(&d->nest, d->nest.depth);
}

void product_ask_ahead(HostDot *d, LLVMValueRef row, LLVMValueRef column) {
  if (d->ahead[0] && !d->stays) ask_for_left(d, row, column);
  if (!d->ahead[1]) return;
  LLVMBasicBlockRef done = d->reuse ? unless(d, reuse_is_ready(d)) : NULL;
  ask_for_right(d, row, column);
  if (done) go_on(d, done);
}

// -- Stores of sums ----------------------------------------------------------

// The only store of the sums, behind their loop; NULL: they are used otherwise.
static const Op *store_of(const HostDot *d) {
  const Op *loop = d->op->block->parent;
  const Use *use = op_result(d->op)->uses;
  const bool is_plain = op_result(d->op)->type->rank == 2;
  if (!is_plain || !loop || !use || loop->kind != OP_for) return NULL;
  if (use->next || use->user != block_end(d->op->block)) return NULL;
  const Value *sums = &loop->results[use->index];
  while ((use = value_only_use(sums))) {
    const Op *user = use->user;
    if (user->kind == OP_store_block || user->kind == OP_store)
      return use->index == 1 ? user : NULL;
    if (!op_has(user, TRAIT_ELEMENTWISE) || user->num_operands != 1) break;
    sums = op_result(user);
  }
  return NULL;
}

enum { MOST_EARLY = 16 };

// Ops behind the loop that are computed here, in front of it; each stands
// before the ops of its operands.
typedef struct {
  const HostDot *d;
  const Op *ops[MOST_EARLY];
  int num;
} Early;

static bool is_behind(const Early *k, const Value *value) {
  const Host *h = k->d->h;
  const Op *loop = k->d->op->block->parent;
  return host_place(h, value)->position >= host_op(h, loop)->position;
}

static bool is_index(const Op *op) {
  return op->kind == OP_arange || op->kind == OP_splat ||
         op->kind == OP_expand_dims || op->kind == OP_broadcast;
}

// Can the value be computed here?  A tile then has no buffer, and needs no
// code.
static bool ask_early(Early *k, const Value *value) {
  const Op *op = value->def;
  const bool is_tile = type_is_tile(value->type);
  if (!is_tile && !is_behind(k, value)) return true;
  if (!op || k->num == MOST_EARLY) return false;
  if (is_tile && host_place(k->d->h, value)->buffer) return false;
  k->ops[k->num++] = op;
  return op->kind == OP_constant || op_has(op, TRAIT_ELEMENTWISE) ||
         (is_tile && is_index(op));
}

// Adds the ops on which ops[from] and all ops behind it depend.
static bool ask_for_operands(Early *k, int from) {
  for (int i = from; i < k->num; i++) {
    for (int j = 0; j < k->ops[i]->num_operands; j++) {
      if (!ask_early(k, op_operand(k->ops[i], j))) return false;
    }
  }
  return true;
}

static bool lower_early(Early *k) {
  while (k->num) {
    const Op *op = k->ops[--k->num];
    if (op->num_results && type_is_tile(op_result(op)->type)) continue;
    if (!host_lower_op(k->d->h, op)) return false;
  }
  return true;
}

// Makes the window of a store here; false: it cannot be made.
static bool open_window(HostDot *d, const Op *store) {
  const Op *make = op_operand(store, 0)->def;
  if (!make || make->kind != OP_make_block_ptr) return false;
  Early k = {.d = d, .ops = {make}, .num = 1};
  return ask_for_operands(&k, 0) && lower_early(&k);
}

void product_ask_for_sums(HostDot *d, LLVMValueRef row, LLVMValueRef column) {
  const Op *store = d->packs ? store_of(d) : NULL;
  if (!store || store->kind != OP_store_block || !window_lies_along(store, 1) ||
      !open_window(d, store)) {
    return;
  }
  window_ask_for(d->h, store, (LLVMValueRef[]){row, column}, d->rows,
                 d->vectors * d->lanes);
}

// -- Edges -------------------------------------------------------------------

enum { MASK_DEPTH = 8 };

static bool is_equal_along(const Value *value, int dim, int64_t size) {
  int64_t step;
  return lane_step(value, dim, (int)size, &step) && !step;
}

// Does `x < y` hold for the first elements of dimension `dim`, up to one, and
// depend on no other?
static bool is_bound(const Op *cmp, int dim) {
  const Type *tile = op_result(cmp)->type;
  const Attr *predicate = op_attr(cmp, ATTR_predicate);
  if ((Predicate)predicate->as.i != PREDICATE_lt) return false;
  for (int i = 0; i < tile->rank; i++) {
    const int64_t size = tile->shape[i];
    if (size == 1) continue;
    if (!is_equal_along(op_operand(cmp, 1), i, size)) return false;
    const Value *x = op_operand(cmp, 0);
    if (i == dim ? !grows_by_one(x, i, (int)size) : !is_equal_along(x, i, size))
      return false;
  }
  return true;
}

// A comparison that the mask needs and that is_bound().
static const Op *find_bound(const Value *mask, int dim, int depth) {
  const Op *op = mask->def;
  if (!op || depth > MASK_DEPTH || mask->type->shape[dim] == 1) return NULL;
  if (op->kind == OP_cmpi) return is_bound(op, dim) ? op : NULL;
  if (op->kind == OP_broadcast)
    return find_bound(op_operand(op, 0), dim, depth + 1);
  if (op->kind == OP_expand_dims) {
    const int axis = (int)op_int(op, ATTR_axis);
    return axis == dim
               ? NULL
               : find_bound(op_operand(op, 0), dim - (dim > axis), depth + 1);
  }
  if (op->kind != OP_andi) return NULL;
  const Op *left = find_bound(op_operand(op, 0), dim, depth + 1);
  return left ? left : find_bound(op_operand(op, 1), dim, depth + 1);
}

// The number of elements, up to `size`, for which the comparison holds: all of
// them, if the last one overflows.
static bool count_bound(HostDot *d, const Op *cmp, int64_t size,
                        LLVMValueRef *out) {
  Host *h = d->h;
  Early k = {.d = d, .ops = {cmp}, .num = 1};
  if (!ask_for_operands(&k, 0)) return true;
  if (!lower_early(&k)) return false;
  Nest nest = nest_begin(h, d->op);
  Index first = {.vec = -1, .lanes = 1};
  for (int i = 0; i < op_result(cmp)->type->rank; i++)
    first.at[i] = coord_constant(h, 0);
  LLVMValueRef x = eval(&nest, op_operand(cmp, 0), &first);
  LLVMValueRef y = x ? eval(&nest, op_operand(cmp, 1), &first) : NULL;
  if (!y) return false;
  const int bits = type_element_bits(op_operand(cmp, 0)->type);
  LLVMTypeRef i64 = int_type(h->e, 64);
  x = LLVMBuildSExt(h->b, x, i64, "");
  y = LLVMBuildSExt(h->b, y, i64, "");
  LLVMValueRef all = host_i64(h, size);
  LLVMValueRef last = host_i64(h, (int64_t)(UINT64_MAX >> (65 - bits)) - size);
  LLVMValueRef some = LLVMBuildICmp(h->b, LLVMIntSLT, x, y, "");
  LLVMValueRef wraps = LLVMBuildICmp(h->b, LLVMIntSGT, x, last, "");
  LLVMValueRef left = LLVMBuildSub(h->b, y, x, "");
  LLVMValueRef few = LLVMBuildICmp(h->b, LLVMIntULT, left, all, "");
  left = emit_select(h->e, few, left, all);
  left = emit_select(h->e, some, left, host_i64(h, 0));
  *out = emit_select(h->e, wraps, all, left);
  return true;
}

// Up to a multiple of `block`, at least one.
static LLVMValueRef round_up(Host *h, LLVMValueRef end, int64_t block) {
  LLVMValueRef none = host_i64(h, 0), one = host_i64(h, 1);
  LLVMValueRef is_none = LLVMBuildICmp(h->b, LLVMIntEQ, end, none, "");
  end = emit_select(h->e, is_none, one, end);
  end = LLVMBuildAdd(h->b, end, host_i64(h, block - 1), "");
  end = LLVMBuildUDiv(h->b, end, host_i64(h, block), "");
  return LLVMBuildMul(h->b, end, host_i64(h, block), "");
}

// The same for rows of which the last ones are in lower blocks.
static LLVMValueRef round_up_rest(HostDot *d, LLVMValueRef end) {
  Host *h = d->h;
  LLVMValueRef first = host_i64(h, d->m - d->rest);
  LLVMValueRef more = LLVMBuildICmp(h->b, LLVMIntUGT, end, first, "");
  LLVMValueRef rest = LLVMBuildSub(h->b, end, first, "");
  rest = LLVMBuildAdd(h->b, round_up(h, rest, REST_ROWS), first, "");
  return emit_select(h->e, more, rest, d->end[0]);
}

static bool find_end(HostDot *d, const Op *store, int dim, LLVMValueRef *end) {
  if (store->kind != OP_store) {
    *end = window_end(d->h, store, dim);
    return true;
  }
  const Value *mask = op_group(store, 2);
  const Op *cmp = mask ? find_bound(mask, dim, 0) : NULL;
  return !cmp || count_bound(d, cmp, dim ? d->n : d->m, end);
}

bool product_find_edges(HostDot *d) {
  const Op *store = d->alone ? store_of(d) : NULL;
  if (!store || d->has_edges) return true;
  d->has_edges = true;
  if (store->kind == OP_store_block && !open_window(d, store)) return true;
  const int64_t blocks[] = {d->rows, d->vectors * d->lanes};
  for (int dim = 0; dim < 2; dim++) {
    LLVMValueRef end = NULL;
    if ((dim ? d->n : d->m) == blocks[dim]) continue;
    if (!find_end(d, store, dim, &end)) return false;
    if (end) d->end[dim] = round_up(d->h, end, blocks[dim]);
    if (!end || dim || !d->rest) continue;
    d->end[0] = round_up_rest(d, end);
    d->stored = end;
  }
  return true;
}

// -- Left operands that stay in place ----------------------------------------

// Is the memory that a trip loads from the same at the end of a later trip?
static bool is_steady(const Host *h, const Op *loop) {
  const OpPlace *place = host_op(h, loop);
  for (size_t i = 0; i < h->writes.count; i++) {
    const int at = h->writes.items[i];
    if (at >= place->position && at <= place->end) return false;
  }
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    const int at = host_op(h, op)->position;
    const bool is_inside = at >= place->position && at <= place->end;
    if (is_inside && op_int(op, ATTR_volatile)) return false;
  }
  return true;
}

static bool may_stay(const HostDot *d, const Op *load) {
  const Host *h = d->h;
  const Op *loop = d->op->block->parent;
  const Type *element = op_result(load)->type->element;
  return d->unit == UNIT_FMA && d->alone && !h->e->options.quick &&
         load->block == d->op->block && h->trips.loop == loop &&
         op_operand(load, 0)->block == load->block &&
         emit_memory_type(h->e, element) == d->c.type &&
         window_goes_along(load, d->k) && is_steady(h, loop);
}

// The window that an operand of this trip is loaded from, if its elements
// beyond the bound of dimension `dim` are 0; else NULL.
static const Op *window_of(const HostDot *d, int which) {
  const Op *load = op_operand(d->op, which)->def;
  const bool is_here = load && load->block == d->op->block &&
                       load->kind == OP_load_block &&
                       op_operand(load, 0)->block == load->block;
  return is_here && host_place(d->h, op_result(load))->packed &&
                 op_checks_bound(load, !which) &&
                 window_moves(load, !which, d->k * d->step) &&
                 op_int(load, ATTR_padding) != PADDING_nan
             ? load
             : NULL;
}

static LLVMValueRef lesser(Host *h, LLVMValueRef x, LLVMValueRef y, bool less) {
  LLVMValueRef is_less = LLVMBuildICmp(h->b, LLVMIntSLT, x, y, "");
  return less ? emit_select(h->e, is_less, x, y)
              : emit_select(h->e, is_less, y, x);
}

void product_find_most(HostDot *d) {
  Host *h = d->h;
  if (d->most || !d->waits || d->amx_words || h->e->options.quick) return;
  LLVMValueRef left[2], step = host_i64(h, d->step);
  for (int i = 0; i < 2; i++) {
    const Op *load = window_of(d, i);
    if (!load || !d->first) return;
    left[i] = LLVMBuildAdd(h->b, window_left(h, load, !i),
                           LLVMBuildMul(h->b, d->first, step, ""), "");
  }
  LLVMValueRef most = lesser(h, left[0], left[1], false);
  most = LLVMBuildAdd(h->b, most, host_i64(h, d->step - 1), "");
  most = LLVMBuildSDiv(h->b, most, step, "");
  d->most = lesser(h, most, host_i64(h, 1), false);
}

void product_find_words(HostDot *d) {
  product_find_most(d);
  d->words = d->most ? lesser(d->h, d->most, d->depth, true) : d->depth;
}

void product_add_zero(HostDot *d) {
  Host *h = d->h;
  const Value *result = d->c.buffer;
  if (!d->most || !type_is_float(result->type)) return;
  LLVMBasicBlockRef some = host_block(h, "few"), done = host_block(h, "all");
  LLVMValueRef is_less = LLVMBuildICmp(h->b, LLVMIntSLT, d->most, d->depth, "");
  LLVMBuildCondBr(h->b, is_less, some, done);
  LLVMPositionBuilderAtEnd(h->b, some);
  Nest nest = nest_begin(h, d->op);
  nest_part(&nest, result->type, d->lanes);
  const Index index =
      nest_over(&nest, result->type, result->type->rank - 1, d->lanes);
  LLVMValueRef x = buffer_read(&nest, result, &index);
  x = LLVMBuildFAdd(h->b, x, LLVMConstNull(LLVMTypeOf(x)), "");
  buffer_write(&nest, result, &index, x);
  nest_end(&nest);
  LLVMBuildBr(h->b, done);
  LLVMPositionBuilderAtEnd(h->b, done);
}

// The words of the trips that are multiplied together.
static LLVMValueRef words_of_group(HostDot *d, LLVMValueRef first) {
  Host *h = d->h;
  LLVMValueRef left =
      LLVMBuildZExt(h->b, h->trips.left, int_type(h->e, 64), "");
  left = LLVMBuildMul(h->b, left, host_i64(h, d->k), "");
  left = LLVMBuildAdd(h->b, left, first, "");
  left = lesser(h, left, host_i64(h, d->full), true);
  product_find_most(d);
  return d->most ? lesser(h, left, d->most, true) : left;
}

// Uneven blocks end beyond the rows inside more often than not: they read the
// last row again, if the sums of the rows beyond are not stored.
static bool clips_rows(const HostDot *d, const Op *load) {
  return d->stored && op_checks_bound(load, 0);
}

bool product_find_stay(HostDot *d, const Op *load) {
  Host *h = d->h;
  if (!may_stay(d, load)) return true;
  if (!product_find_edges(d)) return false;
  LLVMValueRef none = host_i64(h, 0), first = d->first ? d->first : none;
  LLVMValueRef from[] = {none, LLVMBuildNeg(h->b, first, "")};
  LLVMValueRef rows = d->end[0] ? d->end[0] : host_i64(h, d->m);
  if (clips_rows(d, load)) rows = lesser(h, d->stored, host_i64(h, 1), false);
  LLVMValueRef size[] = {rows, words_of_group(d, first)};
  d->stays = window_has(h, load, from, size);
  return true;
}

void product_choose_left(HostDot *d, const Op *load) {
  Host *h = d->h;
  LLVMValueRef none = host_i64(h, 0), first = d->first ? d->first : none;
  LLVMValueRef from[] = {none, LLVMBuildNeg(h->b, first, "")};
  LLVMValueRef at = window_address(h, load, from);
  d->a.base = emit_select(h->e, d->stays, at, d->a.base);
  d->a.row_at = emit_select(h->e, d->stays, window_stride(h, load, 0),
                            host_i64(h, d->a.row));
  if (!clips_rows(d, load)) return;
  LLVMValueRef all = host_i64(h, d->m);
  LLVMValueRef rows = lesser(h, window_left(h, load, 0), all, true);
  rows = emit_select(h->e, d->stays, rows, all);
  d->a.last = LLVMBuildSub(h->b, rows, host_i64(h, 1), "");
}
