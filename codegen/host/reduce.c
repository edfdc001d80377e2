// reduce.c -- reduce, the regions of reduce and scan, and histograms.
//
// The order of a reduction depends on shapes and vector widths only.  Along the
// dimension of the vectors, several vectors of partial results are kept and
// then combined as a tree; along another one, each lane is its own reduction.
//
// For example, a sum of 256 floats in vectors of 8: four vectors start with
// elements 0 to 31, a loop adds elements 32 to 255, then the four are added as
// (0 + 1) + (2 + 3), and their halves until one is left. The halves of as many
// short rows as a vector has lanes are added together: the halves of two rows
// fill one vector, so one addition serves both rows.
#include "codegen/host/nest.h"

#include "codegen/errors.h"

#include <assert.h>

enum {
  PARTIAL = 4,
  MOST_LANES = 16, // of 32 bits
  SHORT_ROW = 16,  // vectors, up to which several rows are combined together
  MANY_EACH = 16,  // elements a bin, from which on there are several tables
  TABLES = 4,
  LINE_WORDS = 16,
};

// -- The region --------------------------------------------------------------

static LLVMValueRef scalar_as(Host *h, const Value *value, bool bits) {
  return bits ? host_bits(h, value) : host_scalar(h, value);
}

// The op's value, in the form of its result.
static LLVMValueRef lower_region_op(Host *h, const Op *op, int lanes) {
  LLVMValueRef x[3];
  const Value *result = op_result(op);
  if (op->kind == OP_constant) {
    LLVMValueRef c = const_attr(h->e, result->type, op_attr(op, ATTR_value));
    return splat(h->e, host_own_form(h, result, c), lanes);
  }
  if (!op_has(op, TRAIT_ELEMENTWISE) || op->num_operands > 3) {
    diag_error(h->e->diags, op->loc, ERROR_host_combine, op_info[op->kind].name,
               h->e->target->name);
    return NULL;
  }
  for (int i = 0; i < op->num_operands; i++) {
    const bool bits = host_takes_bits(h, op, i);
    x[i] = splat(h->e, scalar_as(h, op_operand(op, i), bits), lanes);
  }
  return host_elementwise(h, op, x);
}

bool host_combines_bits(const Host *h, const Op *op, int i) {
  return host_keeps(h, &op->regions[0]->args[i]);
}

LLVMValueRef host_combined(Host *h, const Op *op, int i, LLVMValueRef x) {
  const Value *result = &op->results[i];
  return host_form(h, result->type, x, host_combines_bits(h, op, i),
                   host_keeps(h, result));
}

bool host_combine(Host *h, const Op *op, LLVMValueRef const *left,
                  LLVMValueRef const *right, LLVMValueRef *out) {
  const Block *body = op->regions[0];
  const int n = op->num_results;
  const int lanes = type_lanes(LLVMTypeOf(left[0]));
  assert(n <= HOST_MAX_INPUTS && body->num_args == 2 * n); // I8
  for (int i = 0; i < n; i++) {
    host_set_own(h, &body->args[i], left[i]);
    host_set_own(h, &body->args[n + i], right[i]);
  }
  for (const Op *o = body->first; o != body->last; o = o->next) {
    LLVMValueRef x = lower_region_op(h, o, lanes);
    if (!x) return false;
    host_set_own(h, op_result(o), x);
  }
  for (int i = 0; i < n; i++) {
    const bool bits = host_combines_bits(h, op, i);
    out[i] = splat(h->e, scalar_as(h, op_operand(body->last, i), bits), lanes);
  }
  return true;
}

bool host_check_inputs(Host *h, const Op *op) {
  if (op->num_operands <= HOST_MAX_INPUTS) return true;
  return diag_error(h->e->diags, op->loc, ERROR_host_many_tiles,
                    op_info[op->kind].name, HOST_MAX_INPUTS,
                    h->e->target->name);
}

// -- Reduce ------------------------------------------------------------------

typedef struct {
  Nest nest;
  const Op *op;
  const Type *tile; // of the inputs
  int axis, inputs, lanes;
  int partial;       // number of separate vectors or elements along the axis
  bool together;     // are the last vectors of `lanes` rows combined together?
  LLVMValueRef rows; // memory for these
  Coord first, row;  // the first of them, and one, counted from there
  Index index;
  LLVMValueRef values[PARTIAL][HOST_MAX_INPUTS];
} Reduce;

static bool eval_inputs(Reduce *r, int level, LLVMValueRef *out) {
  for (int i = 0; i < r->inputs; i++) {
    out[i] = eval_as(&r->nest, op_operand(r->op, i), &r->index,
                     host_combines_bits(r->nest.h, r->op, i));
    if (!out[i]) return false;
  }
  nest_seek(&r->nest, level);
  for (int i = 0; i < r->inputs; i++) {
    out[i] = splat(r->nest.h->e, out[i], r->index.vec < 0 ? 0 : r->index.lanes);
  }
  return true;
}

static Coord shifted(Reduce *r, Coord base, int64_t by) {
  if (!by) return base;
  Host *h = r->nest.h;
  nest_seek(&r->nest, base.level);
  base.at = LLVMBuildAdd(h->b, base.at, host_i64(h, by), "");
  return base;
}

static bool accumulate(Reduce *r, int64_t step, int64_t stride) {
  Host *h = r->nest.h;
  const int64_t size = r->tile->shape[r->axis];
  int carried[PARTIAL][HOST_MAX_INPUTS];
  const Coord base = nest_loop(&r->nest, stride, size, stride);
  for (int p = 0; p < r->partial; p++) {
    for (int i = 0; i < r->inputs; i++) {
      carried[p][i] = nest_carry(&r->nest, r->values[p][i]);
    }
  }
  for (int p = 0; p < r->partial; p++) {
    LLVMValueRef next[HOST_MAX_INPUTS], so_far[HOST_MAX_INPUTS],
        out[HOST_MAX_INPUTS];
    r->index.at[r->axis] = shifted(r, base, p * step);
    r->index.offset = r->index.vec == r->axis ? p * step : 0;
    if (!eval_inputs(r, r->nest.depth, next)) return false;
    for (int i = 0; i < r->inputs; i++) {
      so_far[i] = nest_carried(&r->nest, carried[p][i]);
    }
    if (!host_combine(h, r->op, so_far, next, out)) return false;
    for (int i = 0; i < r->inputs; i++) {
      nest_carry_next(&r->nest, carried[p][i], out[i]);
    }
  }
  nest_close(&r->nest);
  for (int p = 0; p < r->partial; p++) {
    for (int i = 0; i < r->inputs; i++) {
      r->values[p][i] = nest_carried(&r->nest, carried[p][i]);
    }
  }
  return true;
}

// The first element of each partial result, then the loop over the rest.
static bool reduce_axis(Reduce *r) {
  const bool across = r->index.vec == r->axis;
  const int64_t step = across ? r->lanes : 1;
  const int64_t count = r->tile->shape[r->axis] / step;
  r->partial = count % PARTIAL == 0 ? PARTIAL : 1;
  for (int p = 0; p < r->partial; p++) {
    r->index.at[r->axis] = coord_in_part(&r->nest, p * step);
    r->index.offset = across ? p * step : 0;
    if (!eval_inputs(r, r->nest.depth, r->values[p])) return false;
  }
  assert(count > 0 && count % r->partial == 0); // I8
  const int64_t stride = step * r->partial;
  return stride >= r->tile->shape[r->axis] || accumulate(r, step, stride);
}

static bool combine_partial(Reduce *r) {
  for (int n = r->partial; n > 1; n /= 2) {
    for (int p = 0; p < n / 2; p++) {
      LLVMValueRef out[HOST_MAX_INPUTS];
      if (!host_combine(r->nest.h, r->op, r->values[2 * p],
                        r->values[2 * p + 1], out)) {
        return false;
      }
      for (int i = 0; i < r->inputs; i++) r->values[p][i] = out[i];
    }
  }
  return true;
}

static LLVMValueRef part(Host *h, LLVMValueRef x, int first, int count) {
  LLVMTypeRef i32 = int_type(h->e, 32);
  if (count == 1) return host_lane(h, x, first);
  assert(first + count <= type_lanes(LLVMTypeOf(x)) && count <= 64); // I8
  LLVMValueRef picks[64];
  for (int i = 0; i < count; i++) picks[i] = const_int(i32, first + i);
  return LLVMBuildShuffleVector(h->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                LLVMConstVector(picks, (unsigned)count), "");
}

static bool combine_lanes(Reduce *r) {
  Host *h = r->nest.h;
  for (int n = r->lanes / 2; n >= 1; n /= 2) {
    LLVMValueRef low[HOST_MAX_INPUTS], high[HOST_MAX_INPUTS];
    for (int i = 0; i < r->inputs; i++) {
      low[i] = part(h, r->values[0][i], 0, n);
      high[i] = part(h, r->values[0][i], n, n);
    }
    if (!host_combine(h, r->op, low, high, r->values[0])) return false;
  }
  return true;
}

// -- Short rows --------------------------------------------------------------

// Rows of 32-bit lanes that run along the axis, of which there are enough.
static bool has_short_rows(const Reduce *r) {
  const Host *h = r->nest.h;
  const Type *tile = r->tile;
  const Type *element = op_operand(r->op, 0)->type->element;
  if (r->inputs > 1 || r->index.vec != r->axis || r->axis < 1) return false;
  return r->lanes * 4 == h->e->llvm.vector_bytes && !h->e->options.quick &&
         host_buffer_bytes(element) == 4 &&
         tile->shape[r->axis] <= SHORT_ROW * r->lanes &&
         tile->shape[r->axis - 1] % r->lanes == 0;
}

static LLVMValueRef row_address(Reduce *r, LLVMValueRef row) {
  Host *h = r->nest.h;
  LLVMValueRef at = LLVMBuildMul(h->b, row, host_i64(h, 4 * r->lanes), "");
  return LLVMBuildGEP2(h->b, int_type(h->e, 8), r->rows, &at, 1, "");
}

static void open_rows(Reduce *r) {
  Host *h = r->nest.h;
  r->first = r->index.at[r->axis - 1];
  r->row = nest_loop(&r->nest, 0, r->lanes, 1);
  nest_seek(&r->nest, r->nest.depth);
  r->index.at[r->axis - 1] =
      (Coord){LLVMBuildAdd(h->b, r->first.at, r->row.at, ""), r->nest.depth};
}

// The lower or upper halves of the rows in two vectors: `half` lanes each.
static LLVMValueRef halves(Reduce *r, LLVMValueRef x, LLVMValueRef y, int half,
                           bool upper) {
  LLVMTypeRef i32 = int_type(r->nest.h->e, 32);
  LLVMValueRef picks[MOST_LANES];
  assert(r->lanes <= MOST_LANES && "too many lanes");
  for (int i = 0; i < r->lanes; i++)
    picks[i] = const_int(i32, i / half * 2 * half + upper * half + i % half);
  return LLVMBuildShuffleVector(r->nest.h->b, x, y,
                                LLVMConstVector(picks, (unsigned)r->lanes), "");
}

// Closes the loop over rows. The value becomes a vector with a lane a row.
static bool close_rows(Reduce *r) {
  Host *h = r->nest.h;
  LLVMTypeRef type = LLVMTypeOf(r->values[0][0]);
  LLVMValueRef x[MOST_LANES];
  LLVMBuildStore(h->b, r->values[0][0], row_address(r, r->row.at));
  nest_close(&r->nest);
  nest_seek(&r->nest, r->nest.depth);
  for (int i = 0; i < r->lanes; i++)
    x[i] = LLVMBuildLoad2(h->b, type, row_address(r, host_i64(h, i)), "");
  for (int n = r->lanes / 2; n >= 1; n /= 2) {
    for (int i = 0; i < n; i++) {
      LLVMValueRef low = halves(r, x[2 * i], x[2 * i + 1], n, false);
      LLVMValueRef high = halves(r, x[2 * i], x[2 * i + 1], n, true);
      if (!host_combine(h, r->op, &low, &high, &x[i])) return false;
    }
  }
  r->values[0][0] = x[0];
  r->index.vec = r->axis - 1;
  r->index.at[r->axis - 1] = r->first;
  return true;
}

// Combines the lanes of a row, or of several rows.
static bool finish_rows(Reduce *r) {
  if (r->together) return close_rows(r);
  return r->index.vec != r->axis || combine_lanes(r);
}

// Writes the results, and ends the nest.
static void write_results(Reduce *r) {
  Host *h = r->nest.h;
  LLVMValueRef scalars[HOST_MAX_INPUTS];
  for (int i = 0; i < r->inputs; i++) {
    const Value *result = &r->op->results[i];
    LLVMValueRef x = host_combined(h, r->op, i, r->values[0][i]);
    if (!type_is_tile(result->type)) {
      scalars[i] = x;
      nest_result(&r->nest, &scalars[i]);
      continue;
    }
    Index at = {.vec = -1, .lanes = r->index.lanes};
    for (int d = 0, k = 0; d < r->tile->rank; d++) {
      if (d == r->axis) continue;
      if (d == r->index.vec) at.vec = k;
      at.at[k++] = r->index.at[d];
    }
    buffer_write(&r->nest, result, &at, x);
  }
  nest_end(&r->nest);
  for (int i = 0; i < r->inputs; i++) {
    const Value *result = &r->op->results[i];
    if (!type_is_tile(result->type)) host_set_own(h, result, scalars[i]);
  }
}

int host_combined_lanes(Host *h, const Op *op, int vec) {
  const Type *tile = op_operand(op, 0)->type;
  int lanes = vec < 0 ? 1 : (int)tile->shape[vec];
  for (int i = 0; i < op->num_operands && vec >= 0; i++) {
    const int most =
        host_lanes(h, op_operand(op, i)->type->element, tile->shape[vec]);
    if (most < lanes) lanes = most;
  }
  return lanes;
}

bool host_emit_reduce(Host *h, const Op *op) {
  if (!host_check_inputs(h, op)) return false;
  const Type *tile = op_operand(op, 0)->type;
  Reduce r = {.nest = nest_begin(h, op),
              .op = op,
              .tile = tile,
              .axis = (int)op_int(op, ATTR_axis),
              .inputs = op->num_operands};
  const int vec = inner_dim(tile);
  r.lanes = host_combined_lanes(h, op, vec);
  r.index = (Index){.vec = r.lanes > 1 ? vec : -1, .lanes = r.lanes};
  r.together = has_short_rows(&r);
  const size_t bytes = (size_t)(4 * r.lanes * r.lanes);
  const Spare memory = r.together ? host_borrow(h, bytes) : (Spare){0, 0};
  if (r.together) r.rows = host_spare_address(h, memory);
  nest_part(&r.nest, tile, r.lanes);
  for (int d = 0; d < tile->rank; d++) {
    if (d == r.axis) continue;
    const bool many = d == r.index.vec || (r.together && d == r.axis - 1);
    r.index.at[d] = nest_loop(&r.nest, 0, tile->shape[d], many ? r.lanes : 1);
  }
  if (r.together) open_rows(&r);
  if (!reduce_axis(&r)) return false;
  nest_seek(&r.nest, r.nest.depth);
  if (!combine_partial(&r) || !finish_rows(&r)) return false;
  write_results(&r);
  if (r.together) host_give_back(h, memory);
  return true;
}

// -- Histograms --------------------------------------------------------------

// Elements are computed as vectors, and counted one after the other, in private
// memory. An element outside all bins is counted in an extra one,
// without a branch. For many elements, neighbours are counted in different
// tables, so that no count waits for the one before.
typedef struct {
  Host *h;
  const Value *result;
  int64_t bins, size; // of a table, including the extra bin
  int num_tables;
  Spare tables;
} CountTables;

static LLVMValueRef word(const CountTables *k, LLVMValueRef base,
                         LLVMValueRef at) {
  return LLVMBuildGEP2(k->h->b, int_type(k->h->e, 32), base, &at, 1, "");
}

static LLVMValueRef table(const CountTables *k, int number) {
  return word(k, host_spare_address(k->h, k->tables),
              host_i64(k->h, number % k->num_tables * k->size));
}

static CountTables begin(Host *h, const Op *op) {
  CountTables k = {.h = h, .result = op_result(op)};
  k.bins = k.result->type->num_elements;
  k.size = (k.bins / LINE_WORDS + 1) * LINE_WORDS;
  const bool many = op_operand(op, 0)->type->num_elements >= MANY_EACH * k.bins;
  k.num_tables = many ? TABLES : 1;
  const size_t bytes = 4 * (size_t)(k.num_tables * k.size);
  k.tables = host_borrow(h, bytes);
  LLVMBuildMemSet(h->b, table(&k, 0), const_int(int_type(h->e, 8), 0),
                  host_i64(h, (int64_t)bytes), 64);
  return k;
}

static void count_one(const CountTables *k, int number, LLVMValueRef at) {
  Host *h = k->h;
  LLVMTypeRef i32 = int_type(h->e, 32);
  at = LLVMBuildZExtOrBitCast(h->b, at, int_type(h->e, 64), "");
  at = word(k, table(k, number), at);
  LLVMValueRef count = LLVMBuildLoad2(h->b, i32, at, "");
  count = LLVMBuildAdd(h->b, count, const_int(i32, 1), "");
  LLVMBuildStore(h->b, count, at);
}

// `x` may be a vector.
static void count_lanes(const CountTables *k, LLVMValueRef x) {
  Host *h = k->h;
  LLVMTypeRef type = LLVMTypeOf(x), i32 = int_type(h->e, 32);
  const int lanes = type_lanes(type);
  LLVMValueRef end = const_int(type, k->bins);
  LLVMValueRef inside = LLVMBuildICmp(h->b, LLVMIntULT, x, end, "");
  LLVMValueRef at = LLVMBuildIntCast2(h->b, x, type_like(type, i32), false, "");
  at = emit_select(h->e, inside, at, const_int(LLVMTypeOf(at), k->bins));
  if (!lanes) {
    count_one(k, 0, at);
    return;
  }
  // Two lanes go to a register at once: through memory, each load would wait
  // for the store of the whole vector.
  LLVMTypeRef i64 = int_type(h->e, 64);
  LLVMTypeRef pairs = LLVMVectorType(i64, (unsigned)lanes / 2);
  LLVMValueRef both = LLVMBuildBitCast(h->b, at, pairs, "");
  for (int i = 0; i < lanes; i += 2) {
    LLVMValueRef pair = host_lane(h, both, i / 2);
    LLVMValueRef first = LLVMBuildTrunc(h->b, pair, i32, "");
    count_one(k, i, first);
    count_one(k, i + 1, LLVMBuildLShr(h->b, pair, host_i64(h, 32), ""));
  }
}

static void add_up(const CountTables *k, const Op *op) {
  Host *h = k->h;
  const Type *tile = k->result->type;
  const int vec = inner_dim(tile);
  const int lanes = vec < 0 ? 1 : host_lanes(h, tile->element, k->bins);
  LLVMTypeRef type = vector_of(int_type(h->e, 32), vec < 0 ? 0 : lanes);
  Nest nest = nest_begin(h, op);
  nest_part(&nest, tile, lanes);
  const Index index = nest_over(&nest, tile, vec, lanes);
  LLVMValueRef sum = NULL, at = index_linear(&nest, &index, tile);
  nest_seek(&nest, nest.depth);
  for (int i = 0; i < k->num_tables; i++) {
    LLVMValueRef x = LLVMBuildLoad2(h->b, type, word(k, table(k, i), at), "");
    LLVMSetAlignment(x, 4);
    sum = sum ? LLVMBuildAdd(h->b, sum, x, "") : x;
  }
  buffer_write(&nest, k->result, &index, sum);
  nest_end(&nest);
  host_give_back(h, k->tables);
}

bool host_emit_histogram(Host *h, const Op *op) {
  const Value *x = op_operand(op, 0);
  const int vec = inner_dim(x->type);
  const int lanes =
      vec < 0 ? 1 : host_lanes(h, x->type->element, x->type->shape[vec]);
  const CountTables k = begin(h, op);
  Nest nest = nest_begin(h, op);
  nest_part(&nest, x->type, lanes);
  const Index index = nest_over(&nest, x->type, vec, lanes);
  LLVMValueRef value = eval_lanes(&nest, x, &index, false);
  if (!value) return false;
  nest_seek(&nest, nest.depth);
  count_lanes(&k, value);
  nest_end(&nest);
  add_up(&k, op);
  return true;
}
