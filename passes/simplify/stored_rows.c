// stored_rows.c -- rows of a tile whose results no store writes.
//
// A row of a tile is followed to the rows of other tiles that depend on it,
// until a store that masks them off.
//
//     x = load(a + (i % M)[:, None] * stride + k[None, :])
//     y = dot(x, w)
//     store(c + i[:, None] * n + j[None, :], y, mask=i[:, None] < M)
//
// Rows of x past M affect the same rows of y, which the store masks off: so the
// load may read zeros there, as by a map, instead of rows that wrap around.
#include "passes/simplify/pointer_window.h"

#include "passes/analysis/walk.h"

#include <assert.h>

enum { MAX_ROWS = 96 };

// The rows of a value, along an axis.
typedef struct {
  Value *tile;
  int axis;
} TileRows;

typedef struct {
  const AxisAnalysis *axes;
  const IndexSum *left;
  int axis; // of `left`
  int count;
  TileRows rows[MAX_ROWS];
} RowSearch;

static bool add_rows(RowSearch *s, Value *tile, int axis) {
  assert(axis >= 0 && axis < tile->type->rank && "no axis of it"); // I13
  for (int i = 0; i < s->count; i++) {
    if (s->rows[i].tile == tile && s->rows[i].axis == axis) return true;
  }
  if (s->count == MAX_ROWS) return false;
  s->rows[s->count++] = (TileRows){tile, axis};
  return true;
}

// -- Stores ------------------------------------------------------------------

// Is every element with `more` above 0 one with `less` above 0, too?
static bool is_within(const IndexSum *less, const IndexSum *more) {
  IndexSum difference = {0};
  int64_t constant;
  for (int i = 0; i < less->count; i++) {
    if (less->terms[i].axis == NO_AXIS &&
        !index_add(&difference, &less->terms[i]))
      return false;
  }
  for (int i = 0; i < more->count; i++) {
    IndexTerm term = more->terms[i];
    term.scale = -term.scale;
    if (term.axis == NO_AXIS && !index_add(&difference, &term)) return false;
  }
  return index_is_constant(&difference, &constant) && constant <= 0;
}

// The stored value, or the operand of an atomic operation, is masked off
// outside of the bound; the result of an atomic operation does not depend on
// the row.
static bool leaves_out(const RowSearch *s, const Op *store, int axis) {
  IndexReader reader = index_reader(s->axes);
  Value *mask = op_group(store, 2);
  if (!mask || !index_read_mask(&reader, mask)) return false;
  for (int i = 0; i < reader.num_bounds; i++) {
    const IndexBound *bound = &reader.bounds[i];
    if (!bound->wraps && index_along(&bound->left, axis) &&
        is_within(&bound->left, s->left))
      return true;
  }
  return false;
}

// -- Other ops ---------------------------------------------------------------

static bool follow_carried(RowSearch *s, Op *loop, int slot, int axis) {
  return add_rows(s, for_arg(loop, slot), axis) &&
         add_rows(s, &loop->results[slot], axis);
}

// Rows that are carried to the next trip may be stored under the bound of that
// trip.
static bool follow_yield(RowSearch *s, const Use *use, int axis) {
  Op *parent = use->user->block->parent;
  if (parent->kind == OP_for)
    return index_is_outside(s->left, parent->regions[0]) &&
           follow_carried(s, parent, use->index, axis);
  return parent->kind == OP_if &&
         add_rows(s, &parent->results[use->index], axis);
}

// Rows of the first operand become rows of the result, columns of the second
// operand become its columns; positions along k are no rows.
static bool follow_dot(RowSearch *s, const Use *use, int axis) {
  Value *result = op_result(use->user);
  const int rank = result->type->rank;
  const int summed = use->index == 0 ? rank - 1 : rank - 2;
  return (use->index == 2 || axis != summed) && add_rows(s, result, axis);
}

static bool follow_trans(RowSearch *s, const Op *op, int axis) {
  const Attr *order = op_attr(op, ATTR_order);
  for (int i = 0; i < order->as.ints.count; i++) {
    if (order->as.ints.items[i] == axis) return add_rows(s, op_result(op), i);
  }
  return false;
}

static bool follow_reduce(RowSearch *s, Op *op, int axis) {
  const int reduced = (int)op_int(op, ATTR_axis);
  if (axis == reduced) return false;
  for (int i = 0; i < op->num_results; i++) {
    if (!add_rows(s, &op->results[i], axis - (axis > reduced))) return false;
  }
  return true;
}

static bool follow(RowSearch *s, const Use *use, int axis) {
  Op *op = use->user;
  switch (op->kind) {
  case OP_store:
  case OP_atomic_rmw: return use->index == 1 && leaves_out(s, op, axis);
  case OP_yield: return follow_yield(s, use, axis);
  case OP_for:
    return use->index >= FOR_INIT &&
           follow_carried(s, op, use->index - FOR_INIT, axis);
  case OP_dot: return follow_dot(s, use, axis);
  case OP_trans: return follow_trans(s, op, axis);
  case OP_reduce: return follow_reduce(s, op, axis);
  case OP_expand_dims:
    return add_rows(s, op_result(op), axis + (axis >= op_int(op, ATTR_axis)));
  case OP_broadcast:
  case OP_hint: return add_rows(s, op_result(op), axis);
  default:
    return op_has(op, TRAIT_ELEMENTWISE) && op_is_pure(op) &&
           add_rows(s, op_result(op), axis);
  }
}

bool rows_are_stored(const AxisAnalysis *axes, Value *tile, int axis,
                     const IndexSum *left) {
  RowSearch search = {.axes = axes, .left = left, .axis = axis};
  add_rows(&search, tile, axis);
  for (int i = 0; i < search.count; i++) {
    const TileRows rows = search.rows[i];
    for (const Use *use = rows.tile->uses; use; use = use->next) {
      if (!follow(&search, use, rows.axis)) return false;
    }
  }
  return true;
}
