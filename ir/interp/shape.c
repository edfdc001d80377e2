// shape.c -- ops that move elements without computing on them.
//
// An op is one function on a plane of cells; the function is applied to the
// values and, if there is poison, to the marks.
#include "ir/interp/run.h"

#include <assert.h>

// `y` is the second operand's plane, or the first's again.
typedef void (*PlaneFn)(const InterpInst *in, Cell *out, const Cell *x,
                        const Cell *y);

static bool run_planes(Run *r, const InterpInst *in, PlaneFn move) {
  Slot *out = in->out[0], *x = in->in[0];
  Slot *y = in->in[in->op->num_operands - 1];
  move(in, out->cells, x->cells, y->cells);
  out->poisoned = false;
  if (x->poisoned || y->poisoned) {
    move(in, slot_marks(r, out), slot_marks(r, x), slot_marks(r, y));
    out->poisoned = true;
  }
  return true;
}

static void move_splat(const InterpInst *in, Cell *out, const Cell *x,
                       const Cell *y) {
  (void)y;
  cells_fill(out, in->out[0]->count, x[0]);
}

bool exec_splat(Run *r, const InterpInst *in) {
  return run_planes(r, in, move_splat);
}

static void move_same(const InterpInst *in, Cell *out, const Cell *x,
                      const Cell *y) {
  (void)y;
  cells_copy(out, x, in->out[0]->count);
}

bool exec_expand_dims(Run *r, const InterpInst *in) {
  return run_planes(r, in, move_same);
}

bool exec_reshape(Run *r, const InterpInst *in) {
  return run_planes(r, in, move_same);
}

bool exec_convert_layout(Run *r, const InterpInst *in) {
  return run_planes(r, in, move_same);
}

static void move_broadcast(const InterpInst *in, Cell *out, const Cell *x,
                           const Cell *y) {
  (void)y;
  const Type *from = in->in[0]->type, *to = in->out[0]->type;
  Box box = {.rank = to->rank, .shape = to->shape};
  row_major(from->rank, from->shape, box.strides);
  for (int i = 0; i < from->rank; i++) {
    if (from->shape[i] == 1) box.strides[i] = 0;
  }
  box_gather(&box, out, x);
}

bool exec_broadcast(Run *r, const InterpInst *in) {
  return run_planes(r, in, move_broadcast);
}

static void move_trans(const InterpInst *in, Cell *out, const Cell *x,
                       const Cell *y) {
  (void)y;
  const Type *from = in->in[0]->type, *to = in->out[0]->type;
  const int64_t *order = op_attr(in->op, ATTR_order)->as.ints.items;
  int64_t strides[MAX_RANK];
  row_major(from->rank, from->shape, strides);
  Box box = {.rank = to->rank, .shape = to->shape};
  for (int i = 0; i < to->rank; i++) box.strides[i] = strides[order[i]];
  box_gather(&box, out, x);
}

bool exec_trans(Run *r, const InterpInst *in) {
  return run_planes(r, in, move_trans);
}

static void move_join(const InterpInst *in, Cell *out, const Cell *x,
                      const Cell *y) {
  for (int64_t i = 0; i < in->in[0]->count; i++) {
    out[2 * i] = x[i];
    out[2 * i + 1] = y[i];
  }
}

bool exec_join(Run *r, const InterpInst *in) {
  return run_planes(r, in, move_join);
}

static void split_plane(Cell *x, Cell *y, const Cell *from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    x[i] = from[2 * i];
    y[i] = from[2 * i + 1];
  }
}

bool exec_split(Run *r, const InterpInst *in) {
  Slot *x = in->out[0], *y = in->out[1], *from = in->in[0];
  split_plane(x->cells, y->cells, from->cells, x->count);
  x->poisoned = y->poisoned = false;
  if (!from->poisoned) return true;
  split_plane(slot_marks(r, x), slot_marks(r, y), from->marks, x->count);
  x->poisoned = y->poisoned = true;
  return true;
}

static void move_cat(const InterpInst *in, Cell *out, const Cell *x,
                     const Cell *y) {
  const Type *a = in->in[0]->type, *b = in->in[1]->type;
  const int64_t axis = op_int(in->op, ATTR_axis);
  int64_t outer = 1;
  for (int i = 0; i < axis; i++) outer *= a->shape[i];
  const int64_t run_x = a->num_elements / outer,
                run_y = b->num_elements / outer;
  assert(a->num_elements + b->num_elements == in->out[0]->count); // I4
  for (int64_t i = 0; i < outer; i++) {
    cells_copy(out, x + i * run_x, run_x);
    cells_copy(out + run_x, y + i * run_y, run_y);
    out += run_x + run_y;
  }
}

bool exec_cat(Run *r, const InterpInst *in) {
  return run_planes(r, in, move_cat);
}

// Poison in the indices is reported elsewhere, so `y` is not used for the
// marks.
static void move_gather(const InterpInst *in, Cell *out, const Cell *x,
                        const Cell *y) {
  (void)y;
  const Type *from = in->in[0]->type, *to = in->out[0]->type;
  const Cell *index = in->in[1]->cells;
  const int64_t axis = op_int(in->op, ATTR_axis);
  const int64_t length = from->shape[axis], count = to->shape[axis];
  int64_t inner = 1;
  for (int i = (int)axis + 1; i < to->rank; i++) inner *= to->shape[i];
  for (int64_t i = 0; i < to->num_elements; i++) {
    const int64_t outer = i / (inner * count), at = index[i].i;
    const bool inside = at >= 0 && at < length;
    out[i] = inside ? x[(outer * length + at) * inner + i % inner] : (Cell){0};
  }
}

bool exec_gather(Run *r, const InterpInst *in) {
  if (!slot_defined(r, in, in->in[1], "an index")) return false;
  return run_planes(r, in, move_gather);
}
