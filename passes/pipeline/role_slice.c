// role_slice.c -- from a load backwards to the scalars that it depends on,
// through the loops and branches that carry them.
#include "passes/pipeline/role_slice.h"

#include "passes/analysis/walk.h"
#include "passes/pipeline/slice.h"

#include <assert.h>

typedef struct {
  Arena *arena;
  Map seen;
  Vec(const Value *) todo;
  bool asks_rank;    // uses the block's number in its cluster
  RoleTops *tops;    // where the search ends; NULL: nowhere
  const Block *body; // whose values end the search, too; or NULL
} SliceSearch;

static void want(SliceSearch *s, const Value *value) {
  if (map_get(&s->seen, value)) return;
  map_put(&s->seen, s->arena, value, (void *)(uintptr_t)value);
  vec_push(s->arena, &s->todo, value);
}

static void want_operands(SliceSearch *s, const Op *op, int count) {
  for (int i = 0; i < count; i++) want(s, op_operand(op, i));
}

static void want_condition(SliceSearch *s, const Op *loop) {
  want(s, op_operand(block_end(loop->regions[0]), 0));
}

// Adds the loops and branches around the op, which both roles go through alike.
static bool want_place(SliceSearch *s, const Op *op) {
  for (; op->block->parent && op->block != s->body; op = op->block->parent) {
    const Op *outer = op->block->parent;
    switch (outer->kind) {
    case OP_warp_specialize: return true;
    case OP_for: want_operands(s, outer, FOR_INIT); break;
    case OP_if: want(s, op_operand(outer, 0)); break;
    case OP_while:
      if (op->block == outer->regions[0]) return false;
      want_condition(s, outer);
      break;
    default: return false;
    }
  }
  return true;
}

static void want_slot(SliceSearch *s, const Op *loop, int slot) {
  assert(slot >= 0 && slot < for_num_slots(loop)); // I10
  want(s, for_init(loop, slot));
  want(s, region_yield(loop, 0, slot));
}

// Do both roles load the same scalar?
static bool can_repeat(const Op *op) {
  return op->kind == OP_load && !type_is_tile(op_result(op)->type) &&
         load_is_safe_within(op, op_function(op)->body);
}

bool role_shares_load(const Op *op) {
  return op->block == op_function(op)->body && can_repeat(op);
}

bool role_shares_scalar(const Map *kept, const Op *op) {
  if (op->num_regions || op->num_results != 1) return false;
  if (!op_is_pure(op) && !role_shares_load(op)) return false;
  if (type_is_tile(op_result(op)->type)) return false;
  for (int i = 0; i < op->num_operands; i++) {
    const Op *def = op_operand(op, i)->def;
    if (def && !map_get(kept, def)) return false;
  }
  return true;
}

// An argument of one of the regions of a `while`.
static void want_passed(SliceSearch *s, const Op *loop, const Value *arg) {
  const bool is_body = arg->block == loop->regions[1];
  want(s, region_yield(loop, !is_body, arg->index));
  if (!is_body) want(s, op_operand(loop, arg->index));
}

// Assembly may read its program's number, or its clock, from a register.
static bool depends_on_program(const Op *op) {
  return op->kind == OP_program_id || op->kind == OP_inline_asm;
}

static bool add_result(SliceSearch *s, const Value *value) {
  const Op *op = value->def;
  s->asks_rank |= op->kind == OP_cluster_rank;
  if (s->tops && depends_on_program(op)) return false;
  switch (op->kind) {
  case OP_for:
    want_operands(s, op, FOR_INIT);
    want_slot(s, op, value->index);
    return true;
  case OP_while:
    want_condition(s, op);
    want(s, region_yield(op, 0, value->index));
    return true;
  case OP_if:
    want(s, op_operand(op, 0));
    for (int r = 0; r < 2; r++) want(s, region_yield(op, r, value->index));
    return true;
  default:
    want_operands(s, op, op->num_operands);
    return !op->num_regions && (op_is_pure(op) || can_repeat(op));
  }
}

static bool is_top(const SliceSearch *s, const Value *value) {
  const Block *block = value_block(value);
  return !block->parent || block == s->body;
}

static bool add_value(SliceSearch *s, const Value *value) {
  if (type_is_tile(value->type)) return false;
  if (s->tops && is_top(s, value)) {
    vec_push(s->arena, s->tops, value);
    return true;
  }
  if (value->def) return add_result(s, value);
  const Op *owner = value->block->parent;
  if (!owner) return true; // a parameter
  if (owner->kind == OP_while) want_passed(s, owner, value);
  if (owner->kind == OP_while) return true;
  if (owner->kind != OP_for) return false;
  if (value->index) want_slot(s, owner, value->index - 1);
  return true;
}

static bool search(SliceSearch *s, const Op *place) {
  if (!want_place(s, place)) return false;
  while (s->todo.count) {
    if (!add_value(s, s->todo.items[--s->todo.count])) return false;
  }
  return true;
}

bool role_can_copy(Arena *arena, const Op *load) {
  SliceSearch s = {.arena = arena};
  want_operands(&s, load, load->num_operands);
  return search(&s, load);
}

bool role_copies_alike(Arena *arena, const Op *load) {
  SliceSearch s = {.arena = arena};
  want_operands(&s, load, load->num_operands);
  return search(&s, load) && !s.asks_rank;
}

bool role_copy_tops(Arena *arena, const Op *copy, const Block *body,
                    RoleTops *out) {
  SliceSearch s = {.arena = arena, .tops = out, .body = body};
  const int first = op_group_start(copy, 3);
  want(&s, op_operand(copy, 0));
  for (int i = 0; i < op_group_size(copy, 3); i++)
    want(&s, op_operand(copy, first + i));
  return search(&s, copy);
}

bool role_trip_tops(Arena *arena, const Op *op, const Block *body,
                    RoleTops *out) {
  SliceSearch s = {.arena = arena, .tops = out, .body = body};
  return search(&s, op);
}
