// map_access.c -- loads and stores of a block pointer through its map.
#include "passes/simplify/tensor_maps.h"

#include <assert.h>

int map_dimension(const Op *window, int d) {
  const int last = op_result(window)->type->rank - 1;
  assert(d >= 0 && d <= last && "no dimension of the window"); // I11
  int inner = last;
  for (int64_t stride; inner >= 0; inner--) {
    const Value *value = op_operand(window, op_group_start(window, 2) + inner);
    if (value_constant_int(value, &stride) && stride == 1) break;
  }
  if (inner < 0 || d == last) return inner;
  return d < inner ? d : d + 1;
}

const Type *map_tile(Module *m, const Op *window, const Type *element) {
  const Type *type = op_result(window)->type;
  int64_t shape[MAX_RANK];
  for (int d = 0; d < type->rank; d++)
    shape[d] = type->shape[map_dimension(window, d)];
  return type_tile(&m->types, type->rank, shape, element, NULL);
}

bool map_fits(const Op *window, const Op *descriptor) {
  const Type *type = op_result(window)->type;
  const Type *block = op_result(descriptor)->type;
  BaseSum sum;
  if (window->kind != OP_make_block_ptr || type->is_wide ||
      map_dimension(window, 0) < 0 || type->element != block->element ||
      !base_sum(window, &sum) || block->rank != sum.num_outer + type->rank)
    return false;
  for (int d = 0; d < block->rank; d++) {
    const int from = d - sum.num_outer;
    const int64_t size =
        from < 0 ? 1 : type->shape[map_dimension(window, from)];
    if (block->shape[d] != size) return false;
  }
  return true;
}

// A tile reordered from the window's order of dimensions to the map's, or back.
static Value *reorder(Builder *b, const Op *window, Value *x, bool to_map) {
  const int rank = x->type->rank;
  int64_t order[MAX_RANK], shape[MAX_RANK] = {0};
  bool changes = false;
  for (int d = 0; d < rank; d++) {
    const int from = map_dimension(window, d);
    order[to_map ? d : from] = to_map ? from : d;
    changes |= from != d;
  }
  for (int d = 0; d < rank; d++) shape[d] = x->type->shape[order[d]];
  if (!changes) return x;
  const Type *type =
      type_tile(&b->m->types, rank, shape, x->type->element, NULL);
  Value *value = build_trans(b, type, x);
  op_set_ints(b->m, value->def, ATTR_order, order, rank);
  return value;
}

// Adds the offsets along the map's dimensions, those of the base first; returns
// their number.
static int add_offsets(const MapAccess *access, Value **operands) {
  const int rank = op_result(access->window)->type->rank;
  BaseSum sum;
  int count = 0;
  const bool ok = base_sum(access->window, &sum);
  assert(ok && "a map of no such base"); // I6
  for (int i = 0; ok && i < sum.num_outer; i++)
    operands[count++] = sum.outer[i].at;
  for (int d = 0; d < rank; d++)
    operands[count++] = access->offsets[map_dimension(access->window, d)];
  return count;
}

void map_copy_hints(Module *m, Op *to, const Op *from) {
  op_copy_attr(m, to, from, ATTR_cache);
  op_copy_attr(m, to, from, ATTR_eviction);
}

Value *map_load(Builder *b, const MapAccess *access, const Op *load) {
  const Type *element = op_result(load)->type->element;
  const Type *type = map_tile(b->m, access->window, element);
  Value *operands[1 + MAX_RANK] = {op_result(access->descriptor)};
  const int rank = add_offsets(access, operands + 1);
  assert(rank == op_result(access->descriptor)->type->rank); // I11
  const int sizes[] = {1, rank};
  Op *op = build_op(b, OP_load_desc, 1 + rank, operands, sizes, 1, &type);
  map_copy_hints(b->m, op, load);
  return reorder(b, access->window, op_result(op), false);
}

Op *map_store(Builder *b, const MapAccess *access, Value *tile) {
  Value *operands[2 + MAX_RANK] = {op_result(access->descriptor)};
  operands[1] = reorder(b, access->window, tile, true);
  const int rank = add_offsets(access, operands + 2);
  assert(rank == op_result(access->descriptor)->type->rank); // I11
  const int sizes[] = {1, 1, rank};
  return build_op(b, OP_store_desc, 2 + rank, operands, sizes, 0, NULL);
}

void map_replace(Module *m, const Op *window, const Op *descriptor, Op *op) {
  Builder b = builder_before(m, op);
  Value *offsets[MAX_RANK];
  const MapAccess access = {window, descriptor, offsets};
  const bool is_load = op->kind == OP_load_desc;
  assert((is_load || op->kind == OP_store_desc) && "another access"); // I11
  for (int d = 0; d < op_result(window)->type->rank; d++)
    offsets[d] = op_operand(op, (is_load ? 1 : 2) + d);
  if (is_load)
    value_replace_uses(op_result(op), map_load(&b, &access, op));
  else
    op_copy_attr(m, map_store(&b, &access, op_operand(op, 1)), op, ATTR_kind);
  op_erase(op);
}
