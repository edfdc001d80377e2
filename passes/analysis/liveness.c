// liveness.c -- numbers of ops, and live ranges of buffers.
#include "passes/analysis/liveness.h"

#include "ir/exchange.h"

#include <assert.h>

typedef struct {
  Arena *arena;
  SharedLives *out;
  Map ends; // Op to its last number
  int count;
} OpNumbering;

Op *buffer_alloc(const Value *buffer) {
  while (buffer->def->kind != OP_alloc_shared) {
    assert(buffer->type->kind == TYPE_MEMDESC && "no view of a buffer"); // I2
    buffer = op_operand(buffer->def, 0);
  }
  return buffer->def;
}

int64_t buffer_bytes(const Type *type) {
  return type->num_elements * element_bytes(type->element);
}

static int end_of(const OpNumbering *n, const Op *op) {
  return (int)(intptr_t)map_get(&n->ends, op);
}

static int64_t bytes_of(const Op *op) {
  if (op->kind == OP_mbarrier_alloc) return BARRIER_BYTES * mbarrier_size(op);
  return op->kind == OP_alloc_shared ? buffer_bytes(op_result(op)->type)
                                     : op_scratch_bytes(op);
}

// Recursion is as deep as regions nest, which the parsers limit.
static void number_block(OpNumbering *n, const Block *block) {
  for (Op *op = block->first; op; op = op->next) {
    const int number = n->count++;
    const int64_t bytes = bytes_of(op);
    if (bytes) {
      const SharedLife life = {op, number, number, bytes, false};
      assert(!n->out->count ||
             n->out->items[n->out->count - 1].start < number); // I1
      vec_push(n->arena, n->out, life);
    }
    for (int r = 0; r < op->num_regions; r++) number_block(n, op->regions[r]);
    map_put(&n->ends, n->arena, op, (void *)(intptr_t)(n->count - 1));
  }
}

// The op of `block`, or of a role in it, that is `op` or contains it: roles are
// numbered one after the other, the computing role last.
static const Op *ancestor_in(const Op *op, const Block *block) {
  for (; op->block != block; op = op->block->parent) {
    const Op *parent = op->block->parent;
    if (parent->kind == OP_warp_specialize && parent->block == block) break;
  }
  return op;
}

typedef struct {
  int end;
  bool freed, copied, patterns;
} ValueUses;

static bool is_view(const Op *op) {
  return op->num_results == 1 && op_result(op)->type->kind == TYPE_MEMDESC;
}

static ValueUses uses_of(const OpNumbering *n, const Op *alloc) {
  ValueUses uses = {0};
  Vec(const Value *) views = {0};
  vec_push(n->arena, &views, op_result(alloc));
  while (views.count) {
    const Value *view = views.items[--views.count];
    for (const Use *use = view->uses; use; use = use->next) {
      const int end = end_of(n, ancestor_in(use->user, alloc->block));
      if (end > uses.end) uses.end = end;
      const OpKind kind = use->user->kind;
      uses.freed |= kind == OP_free_shared;
      uses.copied |= kind == OP_async_copy || kind == OP_copy_to_desc ||
                     kind == OP_copy_rows;
      uses.patterns |= kind == OP_async_dot || kind == OP_copy_desc ||
                       kind == OP_copy_to_desc;
      if (is_view(use->user)) vec_push(n->arena, &views, op_result(use->user));
    }
  }
  return uses;
}

void shared_lives(const Function *f, Arena *arena, SharedLives *out) {
  OpNumbering n = {arena, out, {0}, 0};
  number_block(&n, f->body);
  for (size_t i = 0; i < out->count; i++) {
    SharedLife *life = &out->items[i];
    if (life->op->kind == OP_mbarrier_alloc) life->end = n.count - 1;
    if (life->op->kind != OP_alloc_shared) continue;
    const ValueUses uses = uses_of(&n, life->op);
    const bool flies = uses.copied && !uses.freed;
    const int end = flies ? end_of(&n, block_end(life->op->block)) : uses.end;
    if (end > life->end) life->end = end;
    life->patterns = uses.patterns;
    assert(life->start <= life->end && life->end < n.count); // I1
  }
}
