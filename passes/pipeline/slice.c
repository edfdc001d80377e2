// slice.c -- from a load of a loop backwards to the ops that it depends on.
#include "passes/pipeline/slice.h"

#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"

#include <assert.h>

enum { MAX_SLICE = 256 }; // in ops

// -- Writes of the loop ------------------------------------------------------

typedef struct {
  AddressRoot root; // of the load
  bool clashes;
} Writes;

static AddressRoot root_of(const Op *access) {
  const Value *ptr = op_operand(access, 0);
  return value_has_map(ptr) ? address_root(ptr)
                            : (AddressRoot){address_base(ptr), false};
}

// Pointers to different arguments of the kernel are assumed not to alias.
static void look_for_write(Op *op, void *ctx) {
  Writes *w = ctx;
  const unsigned write = EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  if (!(op_info[op->kind].effects & write)) return;
  const bool updates = op_is_atomic(op);
  const bool orders = updates && op_result(op)->uses;
  const bool stores =
      op->kind == OP_store || op->kind == OP_store_desc || updates;
  const AddressRoot none = {NULL, false};
  w->clashes |=
      !roots_are_apart(stores && !orders ? root_of(op) : none, w->root);
}

bool load_is_safe_within(const Op *load, Block *block) {
  if (op_int(load, ATTR_volatile)) return false;
  Writes w = {root_of(load), false};
  block_walk(block, look_for_write, &w);
  return !w.clashes;
}

bool load_is_safe_ahead(const Op *load, const Op *loop) {
  return load_is_safe_within(load, loop->regions[0]);
}

// -- Slices ------------------------------------------------------------------

static void want(Slice *s, const Value *value) {
  if (value_is_outside(value, s->loop->regions[0])) return;
  if (map_get(&s->seen, value)) return;
  map_put(&s->seen, s->arena, value, (void *)(uintptr_t)value);
  vec_push(s->arena, &s->todo, value);
}

static void want_operands(Op *op, void *ctx) {
  for (int i = 0; i < op->num_operands; i++) want(ctx, op_operand(op, i));
}

static bool can_repeat(const Op *op, const Op *loop) {
  if (op->kind == OP_dot) return false;
  if (op->kind == OP_load) return load_is_safe_ahead(op, loop);
  if (op_makes_map(op)) return false; // copies by the old map are pending
  return op_is_pure(op);
}

static bool ends_at(const Slice *s, const Op *op) {
  if (op->kind != OP_load) return false;
  if (s->least < 0) return true;
  return s->levels && (intptr_t)map_get(s->levels, op) > s->least;
}

static bool add_op(Slice *s, Op *op) {
  if (map_get(&s->seen, op)) return true;
  if (ends_at(s, op)) {
    map_put(&s->seen, s->arena, op, op);
    vec_push(s->arena, &s->ends, op);
    return true;
  }
  if (s->ops.count == MAX_SLICE || !can_repeat(op, s->loop)) return false;
  map_put(&s->seen, s->arena, op, op);
  assert(s->ops.count < MAX_SLICE && op->block == s->loop->regions[0]); // I10
  vec_push(s->arena, &s->ops, op);
  want_operands(op, s);
  for (int r = 0; r < op->num_regions; r++) {
    block_walk(op->regions[r], want_operands, s);
  }
  return true;
}

static bool add_value(Slice *s, const Value *value) {
  if (value->def)
    return add_op(s, op_ancestor_in(value->def, s->loop->regions[0]));
  if (value->block != s->loop->regions[0]) return true; // of a nested region
  if (!value->index) return true;                       // the counter
  vec_push(s->arena, &s->carried, value);
  want(s, region_yield(s->loop, 0, value->index - 1));
  return true;
}

bool slice_add(Slice *s, Op *load) {
  want_operands(load, s);
  while (s->todo.count) {
    if (!add_value(s, s->todo.items[--s->todo.count])) return false;
  }
  return true;
}
