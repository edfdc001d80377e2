// pipeline_here.c -- copies that are waited for in the trip that starts them.
#include "passes/pipeline.h"

static bool comes_before(const Op *a, const Op *b) {
  for (const Op *op = a; op; op = op->next) {
    if (op == b) return true;
  }
  return false;
}

static Op *in_block(const Block *block, Op *op) {
  while (op->block != block) op = op->block->parent;
  return op;
}

// The first op of the body that uses x, or contains a use.
static void find_user(const Block *body, const Value *x, Op **first) {
  for (const Use *use = x->uses; use; use = use->next) {
    Op *user = in_block(body, use->user);
    if (!*first || comes_before(user, *first)) *first = user;
  }
}

static void find_user_of_all(const Block *body, const Value *x, Op **first) {
  for (const Use *use = x->uses; use; use = use->next) {
    find_user(body, op_result(use->user), first);
  }
}

// Schedules of one stage have loads that are only converted and transposed.
static Op *user_of(const Block *body, const Op *load) {
  Op *first = NULL;
  for (const Use *use = op_result(load)->uses; use; use = use->next) {
    const Value *x = op_result(use->user);
    if (use->user->kind == OP_trans) {
      find_user_of_all(body, x, &first);
    } else {
      find_user(body, x, &first);
    }
  }
  return first ? first : block_end(body);
}

void rings_copy_here(Module *m, Op *loop, const Ring *rings, int count) {
  const Block *body = loop->regions[0];
  Value **tokens = arena_array(m->arena, Value *, count);
  Builder before = builder_before(m, loop);
  Value *zero = build_int(&before, type_scalar(&m->types, ELEM_i32), 0);
  for (int i = 0, end; i < count; i = end) {
    Op *user = user_of(body, rings[i].load);
    for (end = i; end < count; end++) {
      Op *load = rings[end].load, *own = user_of(body, load);
      if (!comes_before(load, user)) break;
      if (comes_before(own, user)) user = own;
      Builder b = builder_before(m, load);
      tokens[end - i] = ring_copy(&b, &rings[end], op_operand(load, 0),
                                  op_group(load, 1), zero);
    }
    Builder b = builder_before(m, user);
    ring_commit(&b, end - i, tokens);
    ring_wait(&b, 0);
    for (int k = i; k < end; k++) ring_read(&b, &rings[k], zero, user);
  }
}
