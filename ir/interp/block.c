// block.c -- block pointers and tensor descriptors.
//
// Both describe a strided tensor; element i of the block is element offset + i
// of the tensor.  Addresses, and the mask of elements inside, are computed into
// scratch planes; then the block is read or written as by pointers.
#include "ir/interp/run.h"

#include <math.h>

typedef struct {
  const Type *type; // the block
  int64_t base;
  const Cell *shape, *strides;
  int64_t offsets[MAX_RANK];
  bool checked[MAX_RANK]; // elements outside of this dimension are masked
} BlockWindow;

// -- Making and moving -------------------------------------------------------

static bool gather_scalars(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  for (int i = 0; i < in->op->num_operands; i++) {
    if (!slot_defined(r, in, in->in[i], "an operand")) return false;
    out->cells[i] = in->in[i]->cells[0];
  }
  return true;
}

bool exec_make_block_ptr(Run *r, const InterpInst *in) {
  return gather_scalars(r, in);
}

bool exec_make_desc(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  out->cells[out->count - 1].i = op_int(in->op, ATTR_padding);
  return gather_scalars(r, in);
}

bool exec_advance(Run *r, const InterpInst *in) {
  Slot *out = in->out[0];
  const int rank = out->type->rank;
  slot_copy(r, out, in->in[0]);
  for (int i = 0; i < rank; i++) {
    if (!slot_defined(r, in, in->in[1 + i], "an offset")) return false;
    Cell *offset = &out->cells[1 + 2 * rank + i];
    offset->u += in->in[1 + i]->cells[0].u;
    cells_wrap(offset, 1, out->type->is_wide ? ELEM_i64 : ELEM_i32);
  }
  return true;
}

// -- Addresses ---------------------------------------------------------------

static BlockWindow block_window(const InterpInst *in) {
  const Slot *ptr = in->in[0];
  const int rank = ptr->type->rank;
  BlockWindow w = {.type = ptr->type,
                   .base = ptr->cells[0].i,
                   .shape = ptr->cells + 1,
                   .strides = ptr->cells + 1 + rank};
  for (int i = 0; i < rank; i++) {
    w.offsets[i] = ptr->cells[1 + 2 * rank + i].i;
    w.checked[i] = op_checks_bound(in->op, i);
  }
  return w;
}

static bool desc_window(Run *r, const InterpInst *in, const Type *block,
                        const Slot *desc, Slot *const *offsets,
                        BlockWindow *w) {
  *w = (BlockWindow){.type = block,
                     .base = desc->cells[0].i,
                     .shape = desc->cells + 1,
                     .strides = desc->cells + 1 + block->rank};
  for (int i = 0; i < block->rank; i++) {
    if (!slot_defined(r, in, offsets[i], "an offset")) return false;
    w->offsets[i] = offsets[i]->cells[0].i;
    w->checked[i] = true;
  }
  return true;
}

// The address of one element; false if it is outside of a checked dimension.
static bool locate(const BlockWindow *w, int64_t element, Cell *address) {
  bool inside = true;
  uint64_t offset = 0;
  for (int d = w->type->rank - 1; d >= 0; d--) {
    const int64_t size = w->type->shape[d];
    const int64_t at =
        (int64_t)((uint64_t)w->offsets[d] + (uint64_t)(element % size));
    element /= size;
    offset += (uint64_t)at * w->strides[d].u;
    if (w->checked[d] && (at < 0 || at >= w->shape[d].i)) inside = false;
  }
  address->u = (uint64_t)w->base + offset * type_bytes(w->type->element);
  return inside;
}

// Computes all addresses and masks, into scratch planes 2 and 3.
static void locate_all(Run *r, const BlockWindow *w) {
  for (int64_t i = 0; i < w->type->num_elements; i++) {
    r->scratch[3][i].i = locate(w, i, &r->scratch[2][i]);
  }
}

// -- Reading and writing -----------------------------------------------------

static bool load_window(Run *r, const InterpInst *in, const BlockWindow *w,
                        Padding padding, Cell *out) {
  const Type *element = w->type->element;
  const int64_t count = w->type->num_elements;
  const Cell *inside = r->scratch[3];
  locate_all(r, w);
  if (!fetch_bits(r, in, count, r->scratch[2], inside, type_bytes(element),
                  out)) {
    return false;
  }
  cells_decode(out, count, element);
  if (padding == PADDING_zero || !type_is_float(element)) return true;
  const Cell nan = cell_nan(element->elem);
  for (int64_t i = 0; i < count; i++) {
    if (!inside[i].i) out[i] = nan;
  }
  return true;
}

static bool store_window(Run *r, const InterpInst *in, const BlockWindow *w,
                         const Slot *value) {
  const Type *element = w->type->element;
  const int64_t count = w->type->num_elements;
  locate_all(r, w);
  if (!lanes_defined(r, in, value, r->scratch[3], "the value")) return false;
  if (op_attr(in->op, ATTR_kind))
    return update_lanes(r, in, count, r->scratch[2], r->scratch[3], element,
                        value->cells, NULL);
  cells_copy(r->scratch[1], value->cells, count);
  cells_encode(r->scratch[1], count, element);
  return write_bits(r, in, count, r->scratch[2], r->scratch[3],
                    type_bytes(element), r->scratch[1]);
}

bool exec_load_block(Run *r, const InterpInst *in) {
  const BlockWindow w = block_window(in);
  const Padding padding = (Padding)op_int(in->op, ATTR_padding);
  return load_window(r, in, &w, padding, in->out[0]->cells);
}

bool exec_store_block(Run *r, const InterpInst *in) {
  const BlockWindow w = block_window(in);
  return store_window(r, in, &w, in->in[1]);
}

bool load_desc_block(Run *r, const InterpInst *in, const Type *block,
                     const Slot *desc, Slot *const *offsets, Cell *out) {
  BlockWindow w;
  if (!desc_window(r, in, block, desc, offsets, &w)) return false;
  const Padding padding = (Padding)desc->cells[desc->count - 1].i;
  return load_window(r, in, &w, padding, out);
}

bool exec_load_desc(Run *r, const InterpInst *in) {
  const Slot *desc = in->in[0];
  return load_desc_block(r, in, desc->type, desc, in->in + 1,
                         in->out[0]->cells);
}

bool store_desc_block(Run *r, const InterpInst *in, const Slot *desc,
                      Slot *const *offsets, const Slot *value) {
  BlockWindow w;
  return desc_window(r, in, desc->type, desc, offsets, &w) &&
         store_window(r, in, &w, value);
}

bool exec_store_desc(Run *r, const InterpInst *in) {
  return store_desc_block(r, in, in->in[0], in->in + 2, in->in[1]);
}
