// values.c -- the memory and the lanes of values, constants of LLVM, and tiles
// into their buffers.
#include "codegen/host/nest.h"

#include <assert.h>

enum {
  MOST_LANES = 64, // of a vector
  MAX_DEPTH = 6,   // of ops that are searched for buffers
};

LLVMValueRef host_i64(Host *h, int64_t value) {
  return const_int(int_type(h->e, 64), value);
}

LLVMBasicBlockRef host_block(Host *h, const char *name) {
  return LLVMAppendBasicBlockInContext(h->e->llvm.context, h->function, name);
}

size_t host_buffer_bytes(const Type *element) {
  if (element->kind == TYPE_SCALAR && elem_is_narrow(element->elem)) return 4;
  return emit_memory_bytes(element);
}

LLVMValueRef host_buffer(Host *h, const Value *value) {
  const BufferSlot *slot = &h->slots.items[plan_slot_of(h, value)];
  assert(!host_place(h, value)->packed && "it has no buffer");
  assert(slot->bytes && slot->offset + slot->bytes <= h->scratch_bytes); // I1
  LLVMValueRef offset = host_i64(h, (int64_t)slot->offset);
  return emit_byte_at(h->e, h->scratch, offset);
}

static Spare take(Host *h, size_t bytes) {
  assert(h->scratch_bytes % 64 == 0 && "scratch is not aligned"); // I1
  const Spare out = {h->scratch_bytes, (bytes + 63) / 64 * 64};
  h->scratch_bytes += out.bytes;
  return out;
}

LLVMValueRef host_spare_address(Host *h, Spare spare) {
  LLVMValueRef offset = host_i64(h, (int64_t)spare.offset);
  return emit_byte_at(h->e, h->scratch, offset);
}

LLVMValueRef host_spare(Host *h, size_t bytes) {
  return host_spare_address(h, take(h, bytes));
}

Spare host_borrow(Host *h, size_t bytes) {
  for (size_t i = 0; i < h->unused.count; i++) {
    const Spare spare = h->unused.items[i];
    if (spare.bytes < bytes) continue;
    h->unused.items[i] = h->unused.items[--h->unused.count];
    return spare;
  }
  return take(h, bytes);
}

void host_give_back(Host *h, Spare spare) {
  vec_push(h->e->arena, &h->unused, spare);
}

LLVMValueRef host_scalar(Host *h, const Value *value) {
  LLVMValueRef llvm = host_place(h, value)->llvm;
  assert(llvm && "a scalar is used before its definition");
  return llvm;
}

int host_lanes(const Host *h, const Type *element, int64_t size) {
  const bool wide = type_element_bits(element) == 64;
  const int lanes = h->e->llvm.vector_bytes / (wide ? 8 : 4);
  return size < lanes ? (int)size : lanes;
}

static bool is_short(const Host *h, const Value *value, int bits, int depth) {
  const Op *op = value->def;
  const Type *type = value->type;
  if (!type_is_int(type) || type_element_bits(type) != bits) return false;
  if (!type_is_tile(type) || host_place(h, value)->buffer) return true;
  if (!op || depth > MAX_DEPTH) return false;
  if (op->kind == OP_constant || op->kind == OP_splat) return true;
  if (!op_has(op, TRAIT_ELEMENTWISE)) return false;
  for (int i = 0; i < op->num_operands; i++) {
    if (!is_short(h, op_operand(op, i), bits, depth + 1)) return false;
  }
  return true;
}

int host_short_lanes(const Host *h, const Value *value, int64_t size) {
  const int bits = type_element_bits(value->type);
  if ((bits != 8 && bits != 16) || !is_short(h, value, bits, 0))
    return host_lanes(h, value->type->element, size);
  const int lanes = 8 * h->e->llvm.vector_bytes / bits;
  return size < lanes ? (int)size : lanes;
}

LLVMValueRef host_lane(Host *h, LLVMValueRef vector, int number) {
  LLVMValueRef at = const_int(int_type(h->e, 32), number);
  return LLVMBuildExtractElement(h->b, vector, at, "");
}

// -- Tiles into their buffers ------------------------------------------------

static LLVMValueRef value_for(Nest *nest, const Value *from, const Value *to,
                              const Index *index) {
  if (from == to) return eval_root(nest, from, index);
  return eval_as(nest, from, index, host_keeps(nest->h, to));
}

typedef struct {
  int along, across; // buffers that are read by rows, and by columns
} RowReads;

// A buffer, or one under another shape.
static bool is_memory(const Host *h, const Value *value) {
  const Op *op = value->def;
  return host_place(h, value)->buffer ||
         (op && op->kind == OP_reshape &&
          host_place(h, op_operand(op, 0))->buffer);
}

static void find_reading(const Host *h, const Value *value, bool turned,
                         int depth, RowReads *out) {
  const Op *op = value->def;
  if (!type_is_tile(value->type) || depth > MAX_DEPTH) return;
  if (depth && is_memory(h, value)) {
    ++*(turned ? &out->across : &out->along);
    return;
  }
  const bool turns = op && op->kind == OP_trans && transpose_turns_last(op);
  if (!op || (!turns && !op_has(op, TRAIT_ELEMENTWISE))) return;
  for (int i = 0; i < op->num_operands; i++)
    find_reading(h, op_operand(op, i), turned != turns, depth + 1, out);
}

// The dimension of the vectors: the last but one if the elements that are read
// lie along it, else the last.
static int fill_dim(const Host *h, const Value *value) {
  const Type *tile = value->type;
  RowReads reading = {0, 0};
  if (tile->rank < 2 || !transpose_wanted(h, tile, tile->rank - 2))
    return inner_dim(tile);
  find_reading(h, value, false, 0, &reading);
  return reading.across && !reading.along ? tile->rank - 2 : inner_dim(tile);
}

bool host_fill(Host *h, const Op *root, const Value *from, const Value *to) {
  const Type *tile = to->type;
  if (from == to && transpose_buffer(h, from)) return true;
  const int vec = fill_dim(h, from);
  const int lanes =
      vec < 0 ? 1 : host_lanes(h, tile->element, tile->shape[vec]);
  Nest nest = nest_begin(h, root);
  nest_part(&nest, tile, lanes);
  const Index index = nest_over(&nest, tile, vec, lanes);
  LLVMValueRef x = value_for(&nest, from, to, &index);
  if (!x) return false;
  nest_seek(&nest, nest.depth);
  write_and_end(&nest, to, &index, x);
  return true;
}

// -- From two tiles ----------------------------------------------------------

// Writes `from` into the elements `index` maps to.
static bool fill_part(Host *h, const Op *op, int part, int axis,
                      int64_t shift) {
  const Value *from = op_operand(op, part), *to = op_result(op);
  const int vec = inner_dim(from->type);
  const int lanes =
      vec < 0 ? 1 : host_lanes(h, from->type->element, from->type->shape[vec]);
  Nest nest = nest_begin(h, op);
  nest_part(&nest, from->type, lanes);
  Index index = nest_over(&nest, from->type, vec, lanes);
  LLVMValueRef x = eval_as(&nest, from, &index, host_keeps(h, to));
  if (!x) return false;
  nest_seek(&nest, nest.depth);
  if (axis == from->type->rank) {
    index.at[axis] = coord_constant(h, shift);
  } else {
    index.at[axis].at =
        LLVMBuildAdd(h->b, index.at[axis].at, host_i64(h, shift), "");
  }
  buffer_write(&nest, to, &index, x);
  nest_end(&nest);
  return true;
}

// A vector of both, element by element in turn.
static LLVMValueRef in_turn(Host *h, LLVMValueRef x, LLVMValueRef y,
                            int lanes) {
  LLVMValueRef order[MOST_LANES];
  for (int i = 0; i < 2 * lanes; i++)
    order[i] = const_int(int_type(h->e, 32), i / 2 + i % 2 * lanes);
  return LLVMBuildShuffleVector(
      h->b, x, y, LLVMConstVector(order, (unsigned)(2 * lanes)), "");
}

// The result is a tile of twice as many columns, which vectors of both operands
// fill.
static bool join_rows(Host *h, const Op *op, int lanes) {
  const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  const Value *to = op_result(op);
  const Type *type = x->type;
  const int last = type->rank - 1;
  int64_t shape[MAX_RANK];
  for (int d = 0; d <= last; d++) shape[d] = type->shape[d] << (d == last);
  const Type *wide =
      type_tile(&h->e->m->types, type->rank, shape, type->element, NULL);
  Nest nest = nest_begin(h, op);
  nest_part(&nest, type, lanes);
  Index index = nest_over(&nest, type, last, lanes);
  LLVMValueRef a = eval_lanes(&nest, x, &index, host_keeps(h, to));
  LLVMValueRef b = a ? eval_lanes(&nest, y, &index, host_keeps(h, to)) : NULL;
  if (!b) return false;
  nest_seek(&nest, nest.depth);
  index.at[last].at = LLVMBuildMul(h->b, index.at[last].at, host_i64(h, 2), "");
  index.at[last].level = nest.depth;
  index.lanes = 2 * lanes;
  memory_write(&nest, host_buffer(h, to), wide, &index,
               in_turn(h, a, b, lanes));
  nest_end(&nest);
  return true;
}

static int lanes_to_join(const Host *h, const Op *op, int64_t row) {
  int lanes = MOST_LANES / 2;
  for (int i = 0; i < 2; i++) {
    const int most = host_short_lanes(h, op_operand(op, i), row);
    if (most < lanes) lanes = most;
  }
  return lanes;
}

bool host_emit_join(Host *h, const Op *op) {
  const Type *type = op_operand(op, 0)->type;
  const int axis = type->rank, last = axis - 1;
  const int lanes = axis ? lanes_to_join(h, op, type->shape[last]) : 1;
  if (lanes > 1) return join_rows(h, op, lanes);
  return fill_part(h, op, 0, axis, 0) && fill_part(h, op, 1, axis, 1);
}

bool host_emit_cat(Host *h, const Op *op) {
  const int axis = (int)op_int(op, ATTR_axis);
  const int64_t shift = op_operand(op, 0)->type->shape[axis];
  return fill_part(h, op, 0, axis, 0) && fill_part(h, op, 1, axis, shift);
}
