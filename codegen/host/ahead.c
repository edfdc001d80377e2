// ahead.c -- the ops around a product: operands of the next trips are
// prefetched, and sums that no store needs are not computed.
//
// At the edge of a matrix, a program's tile reaches beyond it. The store of the
// sums says which rows and columns are inside: by its window's bounds, or by
// comparisons in its mask. Blocks that lie outside are left as they are.
//
// For example, for a tile of 128 x 128 of which 6 rows are stored, one row of
// blocks is multiplied, of the sixteen.
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
  if (d->ahead[0]) ask_for_left(d, row, column);
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
  if (!store) return true;
  if (store->kind == OP_store_block && !open_window(d, store)) return true;
  const int64_t blocks[] = {d->rows, d->vectors * d->lanes};
  for (int dim = 0; dim < 2; dim++) {
    LLVMValueRef end = NULL;
    if ((dim ? d->n : d->m) == blocks[dim]) continue;
    if (!find_end(d, store, dim, &end)) return false;
    if (end) d->end[dim] = round_up(d->h, end, blocks[dim]);
  }
  return true;
}
