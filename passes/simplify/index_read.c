// index_read.c -- tiles of indices, addresses or bounds as sums.
//
// A carried value that moves by the same distance in each trip is its initial
// value plus the distance times the number of trips so far.  A remainder, a
// minimum or a select equals its index where the index is in range: this
// condition becomes a bound.
//
// For example, p = a + (pid * 64 + i) % M * K + k, with i and k the positions
// along axes 0 and 1, to which each trip of `for j in range(0, K, 64)` adds 64,
// is the sum of 64 * pid * K, K * axis 0, axis 1 and j from `a` on.  The index
// has the bound M - 64 * pid - axis 0 > 0, beyond which it wraps.
#include "passes/simplify/index_sum.h"

#include "passes/analysis/walk.h"

#include <assert.h>

enum { MAX_LOOKS = 160, MAX_MOVES = 8 };

// Axis i of the examined value is axis axes[i] of the tile.
typedef struct {
  int axes[INDEX_MAX_AXES + 1];
} Axes;

IndexReader index_reader(const AxisAnalysis *analysis) {
  return (IndexReader){.analysis = analysis, .budget = MAX_LOOKS};
}

static bool read(IndexReader *r, Value *value, const Axes *axes, IndexSum *out);

static bool add_read(IndexReader *r, Value *value, const Axes *axes,
                     int64_t scale, IndexSum *out) {
  IndexSum sum = {0};
  return read(r, value, axes, &sum) && index_add_scaled(out, &sum, scale);
}

static bool add_constant(IndexSum *sum, int64_t value) {
  return index_add(sum, &(IndexTerm){.scale = value, .axis = NO_AXIS});
}

// -- Axes --------------------------------------------------------------------

static Axes below_expand(const Op *op, const Axes *axes) {
  Axes below = *axes;
  for (int i = (int)op_int(op, ATTR_axis); i < INDEX_MAX_AXES; i++)
    below.axes[i] = axes->axes[i + 1];
  return below;
}

static Axes below_trans(const Op *op, const Axes *axes) {
  const Attr *order = op_attr(op, ATTR_order);
  assert(order->as.ints.count <= INDEX_MAX_AXES); // I12
  Axes below = *axes;
  for (int i = 0; i < order->as.ints.count; i++)
    below.axes[order->as.ints.items[i]] = axes->axes[i];
  return below;
}

// The axes of the operand, for the axes of the op's result.
static Axes below(const Op *op, const Axes *axes) {
  if (op->kind == OP_expand_dims) return below_expand(op, axes);
  return op->kind == OP_trans ? below_trans(op, axes) : *axes;
}

// -- Bounds ------------------------------------------------------------------

// Has the sum exactly one axis, with the factor -1?
static bool is_bound(const IndexSum *left) {
  int count = 0;
  for (int i = 0; i < left->count; i++) {
    const IndexTerm *term = &left->terms[i];
    if (term->axis == NO_AXIS) continue;
    if (count++ || term->num_factors || term->scale != -1) return false;
  }
  return count == 1;
}

// Adds the bound x < y + more; a lower bound is always true, or none is added.
static bool add_bound(IndexReader *r, const IndexSum *x, const IndexSum *y,
                      int64_t more, bool wraps) {
  IndexBound bound = {.left = *y, .wraps = wraps};
  int64_t constant;
  if (!index_add_scaled(&bound.left, x, -1) ||
      !add_constant(&bound.left, more) || r->num_bounds == INDEX_MAX_BOUNDS)
    return false;
  if (index_is_constant(&bound.left, &constant)) return constant > 0;
  if (!is_bound(&bound.left)) {
    return add_constant(&bound.left, -1) &&
           index_is_nonnegative(r->analysis, &bound.left);
  }
  r->bounds[r->num_bounds++] = bound;
  return true;
}

static bool read_comparison(IndexReader *r, const Op *op, const Axes *axes) {
  IndexSum x = {0}, y = {0};
  if (!type_is_int(op_operand(op, 0)->type) ||
      !read(r, op_operand(op, 0), axes, &x) ||
      !read(r, op_operand(op, 1), axes, &y))
    return false;
  switch ((Predicate)op_int(op, ATTR_predicate)) {
  case PREDICATE_lt: return add_bound(r, &x, &y, 0, false);
  case PREDICATE_le: return add_bound(r, &x, &y, 1, false);
  case PREDICATE_gt: return add_bound(r, &y, &x, 0, false);
  case PREDICATE_ge: return add_bound(r, &y, &x, 1, false);
  default: return false;
  }
}

static bool read_mask(IndexReader *r, Value *mask, const Axes *axes) {
  const Op *op = mask->def;
  int64_t constant;
  if (r->budget-- <= 0 || !op) return false;
  if (value_constant_int(mask, &constant)) return constant != 0;
  switch (op->kind) {
  case OP_andi:
    return read_mask(r, op_operand(op, 0), axes) &&
           read_mask(r, op_operand(op, 1), axes);
  case OP_broadcast:
  case OP_expand_dims:
  case OP_trans:
  case OP_hint: {
    const Axes inner = below(op, axes);
    return read_mask(r, op_operand(op, 0), &inner);
  }
  case OP_cmpi: return read_comparison(r, op, axes);
  default: return false;
  }
}

// -- Indices that wrap -------------------------------------------------------

static bool read_remainder(IndexReader *r, const Op *op, const Axes *axes,
                           IndexSum *out) {
  IndexSum by = {0};
  return read(r, op_operand(op, 0), axes, out) &&
         index_is_nonnegative(r->analysis, out) &&
         read(r, op_operand(op, 1), axes, &by) &&
         add_bound(r, out, &by, 0, true);
}

static bool has_axis(const IndexSum *sum) {
  for (int i = 0; i < sum->count; i++) {
    if (sum->terms[i].axis != NO_AXIS) return true;
  }
  return false;
}

static bool read_minimum(IndexReader *r, const Op *op, const Axes *axes,
                         IndexSum *out) {
  IndexSum x = {0}, y = {0};
  if (!read(r, op_operand(op, 0), axes, &x) ||
      !read(r, op_operand(op, 1), axes, &y))
    return false;
  *out = has_axis(&x) ? x : y;
  return add_bound(r, out, has_axis(&x) ? &y : &x, 1, true);
}

static bool read_choice(IndexReader *r, const Op *op, const Axes *axes,
                        IndexSum *out) {
  const int first = r->num_bounds;
  if (!type_is_tile(op_operand(op, 0)->type) ||
      !read_mask(r, op_operand(op, 0), axes))
    return false;
  for (int i = first; i < r->num_bounds; i++) r->bounds[i].wraps = true;
  return read(r, op_operand(op, 1), axes, out);
}

// -- Loops -------------------------------------------------------------------

// The distance by which a trip moves the carried value in `slot`.  Bounds of
// the distance are dropped: they would be those of earlier trips.
static bool read_move(IndexReader *r, const Op *loop, int slot,
                      const Axes *axes, IndexSum *out) {
  const Value *at = region_yield(loop, 0, slot);
  const int num_bounds = r->num_bounds;
  for (int i = 0; at != for_arg(loop, slot); i++) {
    const Op *op = at->def;
    if (i == MAX_MOVES || !op || op->block != loop->regions[0] ||
        (op->kind != OP_addptr && op->kind != OP_addi) ||
        !add_read(r, op_operand(op, 1), axes, 1, out))
      return false;
    at = op_operand(op, 0);
  }
  return r->num_bounds == num_bounds && !has_axis(out) &&
         index_is_outside(out, loop->regions[0]);
}

// Adds the contribution of one term of the distance in the trips before this
// one.
static bool add_trips(IndexReader *r, const Op *loop, const IndexTerm *move,
                      int64_t step, const Axes *axes, IndexSum *out) {
  IndexSum lower = {0};
  const IndexTerm counter = {.scale = 1,
                             .axis = NO_AXIS,
                             .num_factors = 1,
                             .factors = {for_counter(loop)}};
  IndexTerm each = *move;
  if (move->scale % step || !read(r, op_operand(loop, FOR_LOWER), axes, &lower))
    return false;
  each.scale /= step;
  bool ok = index_add_product(out, &counter, &each);
  each.scale = -each.scale;
  for (int i = 0; i < lower.count && ok; i++)
    ok = index_add_product(out, &lower.terms[i], &each);
  return ok;
}

static bool read_carried(IndexReader *r, const Value *value, const Axes *axes,
                         IndexSum *out) {
  const Op *loop = value->block->parent;
  IndexSum move = {0};
  int64_t step;
  if (!loop || loop->kind != OP_for || !value->index ||
      !value_constant_int(op_operand(loop, FOR_STEP), &step) || step <= 0 ||
      !read_move(r, loop, value->index - 1, axes, &move) ||
      !read(r, for_init(loop, value->index - 1), axes, out))
    return false;
  for (int i = 0; i < move.count; i++) {
    if (!add_trips(r, loop, &move.terms[i], step, axes, out)) return false;
  }
  return true;
}

// -- Values ------------------------------------------------------------------

static bool read_product(IndexReader *r, const Op *op, const Axes *axes,
                         IndexSum *out) {
  IndexSum x = {0}, y = {0};
  if (!read(r, op_operand(op, 0), axes, &x) ||
      !read(r, op_operand(op, 1), axes, &y))
    return false;
  for (int i = 0; i < x.count; i++) {
    for (int k = 0; k < y.count; k++) {
      if (!index_add_product(out, &x.terms[i], &y.terms[k])) return false;
    }
  }
  return true;
}

static bool read_shift(IndexReader *r, const Op *op, const Axes *axes,
                       IndexSum *out) {
  int64_t by;
  return value_constant_int(op_operand(op, 1), &by) && by >= 0 && by < 31 &&
         add_read(r, op_operand(op, 0), axes, INT64_C(1) << by, out);
}

static bool read_positions(const Op *op, const Axes *axes, IndexSum *out) {
  const int64_t start = op_int(op, ATTR_start);
  const bool counts = op_int(op, ATTR_end) - start > 1;
  return add_constant(out, start) &&
         (!counts ||
          index_add(out, &(IndexTerm){.scale = 1, .axis = axes->axes[0]}));
}

static bool read_both(IndexReader *r, const Op *op, const Axes *axes,
                      int64_t second, IndexSum *out) {
  return read(r, op_operand(op, 0), axes, out) &&
         add_read(r, op_operand(op, 1), axes, second, out);
}

// For ops on tiles only: a scalar of this kind is a factor.
static bool read_wrapped(IndexReader *r, const Op *op, const Axes *axes,
                         IndexSum *out) {
  if (!type_is_tile(op_result(op)->type)) return false;
  switch (op->kind) {
  case OP_remsi:
  case OP_remui: return read_remainder(r, op, axes, out);
  case OP_minsi: return read_minimum(r, op, axes, out);
  case OP_select: return read_choice(r, op, axes, out);
  default: return false;
  }
}

static bool read_op(IndexReader *r, const Op *op, const Axes *axes,
                    IndexSum *out) {
  const Axes inner = below(op, axes);
  if (r->exact && op->kind == OP_extsi) return false;
  switch (op->kind) {
  case OP_splat:
  case OP_broadcast:
  case OP_expand_dims:
  case OP_trans:
  case OP_extsi:
  case OP_hint: return read(r, op_operand(op, 0), &inner, out);
  case OP_arange: return read_positions(op, axes, out);
  case OP_addi:
  case OP_addptr: return read_both(r, op, axes, 1, out);
  case OP_subi: return read_both(r, op, axes, -1, out);
  case OP_muli: return read_product(r, op, axes, out);
  case OP_shli: return read_shift(r, op, axes, out);
  default: return read_wrapped(r, op, axes, out);
  }
}

// A scalar of unknown form is a factor; an address becomes the start.
static bool read_leaf(IndexReader *r, Value *value, IndexSum *out) {
  if (type_is_tile(value->type)) return false;
  if (type_is_pointer(value->type)) {
    if (r->start) return false;
    r->start = value;
    return true;
  }
  return type_is_int(value->type) && !type_is_bool(value->type) &&
         index_add(out, &(IndexTerm){.scale = 1,
                                     .axis = NO_AXIS,
                                     .num_factors = 1,
                                     .factors = {value}});
}

// The budget bounds the recursion.  `out` must be empty.
static bool read(IndexReader *r, Value *value, const Axes *axes,
                 IndexSum *out) {
  int64_t constant;
  if (r->budget-- <= 0) return false;
  assert(!out->count && "it is read into an empty sum"); // I10
  if (value_constant_int(value, &constant)) return add_constant(out, constant);
  const int num_bounds = r->num_bounds;
  Value *start = r->start;
  const bool ok = value->def ? read_op(r, value->def, axes, out)
                             : read_carried(r, value, axes, out);
  if (ok) return true;
  r->num_bounds = num_bounds;
  r->start = start;
  *out = (IndexSum){0};
  return read_leaf(r, value, out);
}

static const Axes all_axes = {{0, 1, 2, 3, NO_AXIS}};

bool index_read(IndexReader *reader, Value *value, IndexSum *out) {
  *out = (IndexSum){0};
  return value->type->rank <= INDEX_MAX_AXES &&
         read(reader, value, &all_axes, out);
}

bool index_read_mask(IndexReader *reader, Value *mask) {
  return mask->type->rank <= INDEX_MAX_AXES &&
         read_mask(reader, mask, &all_axes);
}
