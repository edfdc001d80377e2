// tensor_box.c -- the boxes of a tensor in shared memory.
//
// A box is stored row by row.  If a row has 32, 64 or 128 bytes, its chunks of
// 16 bytes may be exchanged, in the order that wgmma reads; a block with longer
// rows is several such boxes.
#include "ir/tensor_box.h"

#include <assert.h>

enum {
  WIDEST = 128, // bytes of a line
  NARROWEST = 32,
  LINES = 8,   // in a pattern of exchanged chunks
  ALIGN = 128, // of a box
  PATTERN = WIDEST * LINES,
};

static void order_of_rows(int rank, int *order) {
  for (int i = 0; i < rank; i++) order[i] = rank - 1 - i;
}

// The layout with lines of `swizzle` bytes; 0: with plain rows.
static const Layout *layout_of(LayoutTable *table, const Type *block,
                               int swizzle) {
  int order[MAX_RANK];
  order_of_rows(block->rank, order);
  return swizzle ? layout_tma(table, block->rank, block->shape, order, swizzle,
                              type_element_bits(block))
                 : layout_shared(table, block->rank, block->shape, order);
}

static int64_t row_bytes(const Type *block) {
  return block->shape[block->rank - 1] * type_element_bits(block) / 8;
}

// The buffers of a ring are adjacent: each must consist of whole patterns,
// which start at multiples of their size.
static bool fits(const Type *block, int swizzle) {
  const int64_t bytes = row_bytes(block);
  const int last = block->rank - 1;
  const int64_t rows = block->num_elements / block->shape[last];
  if (block->rank < 1 || block->rank > TENSOR_BOX_RANK || bytes < 16)
    return false;
  if (rows * bytes % ALIGN) return false;
  for (int i = 0; i < last; i++) {
    if (block->shape[i] > TENSOR_BOX_MOST) return false;
  }
  return swizzle ? rows % LINES == 0 && bytes >= swizzle
                 : block->shape[last] <= TENSOR_BOX_MOST;
}

static void fill(const Type *buffer, int swizzle, TensorBox *out) {
  const int last = buffer->rank - 1;
  *out = (TensorBox){.rank = buffer->rank,
                     .swizzle = swizzle,
                     .copies = 1,
                     .lines = 1,
                     .parts = 1};
  for (int i = 0; i <= last; i++) out->box[i] = (uint32_t)buffer->shape[i];
  if (!swizzle) return;
  out->copies = (int)(row_bytes(buffer) / swizzle);
  out->box[last] /= (uint32_t)out->copies;
}

bool tensor_box_of(LayoutTable *table, const Type *buffer, TensorBox *out) {
  for (int swizzle = WIDEST;; swizzle /= 2) {
    if (swizzle < NARROWEST) swizzle = 0;
    if (fits(buffer, swizzle) &&
        layout_of(table, buffer, swizzle) == buffer->layout) {
      fill(buffer, swizzle, out);
      return true;
    }
    if (!swizzle) return false;
  }
}

// A part must start at a pattern.
bool tensor_box_share(const Type *buffer, int parts, TensorBox *box) {
  const int last = box->rank - 1;
  box->parts = parts;
  box->along = last;
  if (box->copies % parts == 0) {
    box->copies /= parts;
    return true;
  }
  int along = 0;
  while (along < last && box->box[along] == 1) along++;
  const int64_t bytes = buffer->num_elements / box->copies / parts *
                        type_element_bits(buffer) / 8;
  box->along = along;
  if (along == last || box->box[along] % (uint32_t)parts) return false;
  box->box[along] /= (uint32_t)parts;
  return bytes % PATTERN == 0;
}

static bool is_same(const TensorBox *a, const TensorBox *b) {
  bool same = a->swizzle == b->swizzle && a->copies == b->copies &&
              a->parts == b->parts && (a->parts == 1 || a->along == b->along);
  for (int i = 0; i < a->rank; i++) same &= a->box[i] == b->box[i];
  return same;
}

// Adds the leading dimensions of 1 that buffers omit.
static void add_dimensions(int rank, TensorBox *box) {
  const int left = rank - box->rank;
  for (int i = rank - 1; i >= 0; i--)
    box->box[i] = i < left ? 1 : box->box[i - left];
  box->rank = rank;
  box->along += left;
}

static bool is_multiple(const Value *value, int64_t of) {
  int64_t constant;
  return value_constant_int(value, &constant) && constant % of == 0;
}

static bool can_join(const Op *make_desc, const TensorBox *box) {
  const int last = box->rank - 1;
  const int64_t line = box->box[last];
  const bool aligned = box->parts == 1 || box->along == last;
  bool can = aligned && box->copies > 1 && box->rank < TENSOR_BOX_RANK &&
             is_multiple(op_operand(make_desc, 1 + last), line);
  for (const Use *use = make_desc->results[0].uses; use; use = use->next) {
    const OpKind kind = use->user->kind;
    if (kind != OP_copy_desc && kind != OP_copy_to_desc) continue;
    const int first = op_group_start(use->user, kind == OP_copy_desc ? 3 : 2);
    can = can && is_multiple(op_operand(use->user, first + last), line);
  }
  return can;
}

bool tensor_box(const Op *make_desc, TensorBox *out) {
  assert(make_desc->kind == OP_make_desc); // I13
  const int rank = make_desc->results[0].type->rank;
  bool found = false;
  for (const Use *use = make_desc->results[0].uses; use; use = use->next) {
    const OpKind kind = use->user->kind;
    if (kind != OP_copy_desc && kind != OP_copy_to_desc) continue;
    LayoutTable *table = &op_function(make_desc)->module->layouts;
    TensorBox box;
    const Type *buffer = op_operand(use->user, 1)->type;
    const Attr *blocks = op_attr(use->user, ATTR_cluster);
    if (!tensor_box_of(table, buffer, &box)) return false;
    if (blocks && !tensor_box_share(buffer, (int)blocks->as.i, &box))
      return false;
    add_dimensions(rank, &box);
    if (found && !is_same(&box, out)) return false;
    *out = box;
    found = true;
  }
  if (!found || !can_join(make_desc, out)) return found;
  out->lines = out->copies;
  out->copies = 1;
  return true;
}

const Layout *tensor_box_layout(LayoutTable *table, const Type *block) {
  const int64_t bytes = row_bytes(block);
  const int swizzle = bytes > WIDEST ? WIDEST : (int)bytes;
  if (swizzle >= NARROWEST && fits(block, swizzle))
    return layout_of(table, block, swizzle);
  return fits(block, 0) ? layout_of(table, block, 0) : NULL;
}
