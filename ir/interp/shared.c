// shared.c -- buffers of shared memory and views of them.
//
// A buffer holds cells, not bytes: a view addresses elements by coordinates, so
// layouts do not matter here.  Bytes that were never written are poison.
#include "ir/interp/run.h"

#include "ir/errors.h"

#include <assert.h>

Buffer *view_buffer(Run *r, const InterpInst *in, const Cell *view) {
  assert((uint64_t)view[0].i < r->buffers.count && "no such buffer"); // I7
  Buffer *buffer = &r->buffers.items[view[0].i];
  if (buffer->live) return buffer;
  diag_error(r->diags, in->op->loc, ERROR_used_after_free);
  run_stop(r, in);
  return NULL;
}

Box view_box(const Type *type, const Cell *view) {
  Box box = {.rank = type->rank, .shape = type->shape, .base = view[1].i};
  for (int i = 0; i < type->rank; i++) box.strides[i] = view[2 + i].i;
  return box;
}

bool view_read(Run *r, const InterpInst *in, const Slot *view, Cell *cells,
               Cell *marks) {
  if (!slot_defined(r, in, view, "the buffer")) return false;
  const Buffer *buffer = view_buffer(r, in, view->cells);
  if (!buffer) return false;
  const Box box = view_box(view->type, view->cells);
  if (cells) box_gather(&box, cells, buffer->cells);
  if (marks) box_gather(&box, marks, buffer->marks);
  return true;
}

static bool any_mark(const Cell *marks, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (marks[i].i) return true;
  }
  return false;
}

// -- Life --------------------------------------------------------------------

bool exec_alloc_shared(Run *r, const InterpInst *in) {
  Slot *out = in->out[0], *x = inst_group(in, 0);
  Buffer *buffer = &r->buffers.items[in->object];
  int64_t strides[MAX_RANK];
  row_major(out->type->rank, out->type->shape, strides);
  out->cells[0].i = in->object;
  out->cells[1].i = 0;
  for (int i = 0; i < out->type->rank; i++) out->cells[2 + i].i = strides[i];
  buffer->live = true;
  if (!x) {
    cells_fill(buffer->marks, buffer->count, (Cell){.i = UNDEFINED});
  } else {
    cells_copy(buffer->cells, x->cells, buffer->count);
    cells_copy(buffer->marks, slot_marks(r, x), buffer->count);
  }
  return true;
}

bool exec_free_shared(Run *r, const InterpInst *in) {
  Buffer *buffer = view_buffer(r, in, in->in[0]->cells);
  if (!buffer) return false;
  buffer->live = false;
  return true;
}

// -- Views -------------------------------------------------------------------

static bool in_view(Run *r, const InterpInst *in, int64_t index, int64_t size,
                    int64_t limit) {
  if (index >= 0 && index <= limit - size) return true;
  diag_error(r->diags, in->op->loc, ERROR_index_out_of_bounds, (long long)index,
             (long long)limit);
  return run_stop(r, in);
}

bool exec_view_index(Run *r, const InterpInst *in) {
  const Slot *from = in->in[0], *index = in->in[1];
  Slot *out = in->out[0];
  if (!slot_defined(r, in, index, "the index")) return false;
  const int64_t at = index->cells[0].i;
  if (!in_view(r, in, at, 1, from->type->shape[0])) return false;
  out->cells[0] = from->cells[0];
  out->cells[1].i = from->cells[1].i + at * from->cells[2].i;
  cells_copy(out->cells + 2, from->cells + 3, out->type->rank);
  return true;
}

bool exec_view_slice(Run *r, const InterpInst *in) {
  const Slot *from = in->in[0];
  Slot *out = in->out[0];
  cells_copy(out->cells, from->cells, from->count);
  for (int i = 0; i < from->type->rank; i++) {
    const Slot *offset = in->in[1 + i];
    if (!slot_defined(r, in, offset, "an offset")) return false;
    const int64_t at = offset->cells[0].i;
    if (!in_view(r, in, at, out->type->shape[i], from->type->shape[i])) {
      return false;
    }
    out->cells[1].i += at * from->cells[2 + i].i;
  }
  return true;
}

bool exec_view_trans(Run *r, const InterpInst *in) {
  (void)r;
  const int64_t *order = op_attr(in->op, ATTR_order)->as.ints.items;
  const Slot *from = in->in[0];
  Slot *out = in->out[0];
  cells_copy(out->cells, from->cells, 2);
  for (int i = 0; i < out->type->rank; i++) {
    out->cells[2 + i] = from->cells[2 + order[i]];
  }
  return true;
}

// -- Access ------------------------------------------------------------------

bool exec_load_shared(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  Cell *marks = slot_marks(r, out);
  if (!view_read(r, in, in->in[0], out->cells, marks)) return false;
  out->poisoned = any_mark(marks, out->count);
  return true;
}

bool exec_store_shared(Run *r, const InterpInst *in) {
  Slot *value = in->in[0];
  const Slot *view = in->in[1];
  Buffer *buffer = view_buffer(r, in, view->cells);
  if (!buffer) return false;
  const Box box = view_box(view->type, view->cells);
  box_scatter(&box, buffer->cells, value->cells);
  box_scatter(&box, buffer->marks, slot_marks(r, value));
  return true;
}
