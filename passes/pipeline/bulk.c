// bulk.c -- bulk copies to buffers, and the barriers that count them.
//
// One thread starts them.  Each phase of such a barrier has one arrival, of the
// thread that announces the number of bytes.
#include "passes/pipeline/pipeline.h"

#include "ir/tensor_box.h"

#include <assert.h>

// `other` may be NULL.
static Op *build_barrier_op(Builder *b, OpKind kind, Value *barrier,
                            Value *other) {
  Value *operands[] = {barrier, other};
  const int groups[] = {1, other != NULL};
  return build_op(b, kind, 1 + (other != NULL), operands, groups, 0, NULL);
}

// All threads meet behind the first barriers, the last ops at the top of
// the function: so no loop has to synchronize for that.
Value *barriers_create(Function *f, int count, int arrivals) {
  assert(count > 0 && arrivals > 0 && "nobody arrives"); // I14
  Module *m = f->module;
  if (f->body->first->kind != OP_mbarrier_alloc) {
    Builder behind = builder_before(m, f->body->first);
    build_op(&behind, OP_barrier, 0, NULL, NULL, 0, NULL);
  }
  Builder b = builder_before(m, f->body->first);
  const Type *type = type_mbarrier(&m->types);
  Op *op = build_op(&b, OP_mbarrier_alloc, 0, NULL, NULL, 1, &type);
  op_set_int(m, op, ATTR_count, arrivals);
  if (count > 1) op_set_int(m, op, ATTR_size, count);
  return op_result(op);
}

// No block may end while others may still signal its barriers.
static void meet(Function *f, int blocks) {
  Op *first = f->body->first, *end = block_end(f->body);
  while (first->kind != OP_barrier) first = first->next;
  if (op_attr(first, ATTR_cluster)) return;
  op_set_int(f->module, first, ATTR_cluster, blocks);
  Builder b = builder_before(f->module, end);
  Op *last = build_op(&b, OP_barrier, 0, NULL, NULL, 0, NULL);
  op_set_int(f->module, last, ATTR_cluster, blocks);
}

void barriers_share(Op *alloc, int blocks) {
  Function *f = op_function(alloc);
  assert(alloc->kind == OP_mbarrier_alloc && blocks > 1); // I14
  op_set_int(f->module, alloc, ATTR_cluster, blocks);
  meet(f, blocks);
}

Value *barriers_create_shared(Function *f, int count, int arrivals) {
  Value *barriers = barriers_create(f, count, arrivals);
  barriers_share(barriers->def, function_cluster(f));
  return barriers;
}

Value *barriers_at(Builder *b, Value *barriers, Value *slot) {
  assert(barriers->def->kind == OP_mbarrier_alloc);
  if (mbarrier_size(barriers->def) == 1) return barriers;
  return build_value(b, OP_mbarrier_index, 2, (Value *[]){barriers, slot},
                     barriers->type);
}

void barrier_expect(Builder *b, Value *barrier, Value *mask, int64_t bytes) {
  Op *op = build_barrier_op(b, OP_mbarrier_expect, barrier, mask);
  op_set_int(b->m, op, ATTR_count, bytes);
}

void barrier_await(Builder *b, Value *barrier, Value *phase) {
  const OpKind kind = phase ? OP_mbarrier_wait : OP_mbarrier_await;
  build_barrier_op(b, kind, barrier, phase);
}

void barrier_arrive(Builder *b, Value *barrier, int count, int num_rings,
                    const Ring *rings) {
  Value **operands = arena_array(b->m->arena, Value *, num_rings + 1);
  operands[0] = barrier;
  for (int i = 0; i < num_rings; i++) operands[1 + i] = rings[i].ring;
  const int groups[] = {1, num_rings, 0};
  Op *op =
      build_op(b, OP_mbarrier_arrive, 1 + num_rings, operands, groups, 0, NULL);
  if (count > 1) op_set_int(b->m, op, ATTR_count, count);
}

bool ring_is_shareable(const Ring *ring, int blocks) {
  LayoutTable *table = &op_function(ring->ring->def)->module->layouts;
  TensorBox box;
  return tensor_box_of(table, ring->slot, &box) &&
         tensor_box_share(ring->slot, blocks, &box);
}

Op *ring_copy_block(Builder *b, const Ring *ring, Value *const *offsets,
                    Value *mask, Value *slot, Value *barrier) {
  const int rank = op_operand(ring->load, 0)->type->rank;
  const int count = 3 + rank + (mask != NULL);
  Value *operands[MAX_RANK + 4];
  operands[0] = op_operand(ring->load, 0);
  operands[1] = build_view_index(b, ring->slot, ring->ring, slot);
  operands[2] = barrier;
  for (int i = 0; i < rank; i++) operands[3 + i] = offsets[i];
  operands[3 + rank] = mask;
  const int groups[] = {1, 1, 1, rank, mask != NULL, 0};
  Builder at = *b;
  at.loc = ring->loc;
  return build_op(&at, OP_copy_desc, count, operands, groups, 0, NULL);
}
