// here.c -- buffers that are filled in the trip that reads them.
//
// Copies fill such a buffer, and the same trip waits for them.  If copies are
// not possible, stores of the loaded values fill the buffer: several such loads
// share one barrier, while a conversion of each would need its own.
//
// A buffer lives from the copy to the read, so groups of copies, each read
// before the next one starts, can use the same memory.
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/schedule.h"

#include <assert.h>

// The first op of the body that uses x or contains a use.
static void find_user(const Block *body, const Value *x, Op **first) {
  for (const Use *use = x->uses; use; use = use->next) {
    Op *user = op_ancestor_in(use->user, body);
    if (!*first || op_comes_before(user, *first)) *first = user;
  }
}

static void find_user_of_all(const Block *body, const Value *x, Op **first) {
  for (const Use *use = x->uses; use; use = use->next) {
    find_user(body, op_result(use->user), first);
  }
}

// In a schedule of one stage, loads are only converted and transposed.
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

// The end of the group of loads from `first` on that are copied together: the
// loads before `*user`, the first op that needs a value of the group.
static int group_end(const Block *body, Op *const *loads, int first, int count,
                     Op **user) {
  int end = first;
  *user = user_of(body, loads[first]);
  for (; end < count && op_comes_before(loads[end], *user); end++) {
    Op *own = user_of(body, loads[end]);
    if (op_comes_before(own, *user)) *user = own;
  }
  assert(end > first && "a group without loads"); // I6
  return end;
}

int64_t rings_here_bytes(const Op *loop, Op *const *loads, int count) {
  const Block *body = loop->regions[0];
  int64_t most = 0;
  Op *user;
  for (int i = 0, end; i < count; i = end) {
    int64_t bytes = 0;
    end = group_end(body, loads, i, count, &user);
    for (int k = i; k < end; k++) bytes += ring_slot_bytes(loads[k]);
    if (bytes > most) most = bytes;
  }
  return most;
}

static void copy_group(Module *m, const Ring *rings, int count, Value *zero,
                       Op *user) {
  Value **tokens = arena_array(m->arena, Value *, count);
  for (int i = 0; i < count; i++) {
    Op *load = rings[i].load;
    Builder b = builder_before(m, load);
    tokens[i] =
        ring_copy(&b, &rings[i], op_operand(load, 0), op_group(load, 1), zero);
  }
  Builder b = builder_before(m, user);
  ring_commit(&b, count, tokens);
  ring_wait(&b, rings, 0);
  for (int i = 0; i < count; i++) ring_read(&b, &rings[i], zero, user);
  for (int i = 0; i < count; i++) ring_free(&b, &rings[i]);
}

// -- Stores ------------------------------------------------------------------

static void store_group(Module *m, const Ring *rings, int count, Value *zero,
                        Op *user) {
  Builder b = builder_before(m, user);
  for (int i = 0; i < count; i++) ring_read(&b, &rings[i], zero, user);
  for (int i = 0; i < count; i++) ring_free(&b, &rings[i]);
  for (int i = 0; i < count; i++) {
    Op *load = rings[i].load;
    Builder behind = builder_before(m, load->next);
    behind.loc = load->loc;
    Value *view = build_view_index(&behind, rings[i].slot, rings[i].ring, zero);
    Value *operands[] = {op_result(load), view};
    build_op(&behind, OP_store_shared, 2, operands, NULL, 0, NULL);
  }
}

// -- Groups ------------------------------------------------------------------

typedef void Stage(Module *m, const Ring *rings, int count, Value *zero,
                   Op *user);

// Creates a slot in front of each load of a group of at least `least`.
static void stage_groups(Module *m, Op *loop, Op *const *loads, int count,
                         const Target *target, int least, Stage *stage) {
  Ring *rings = arena_array(m->arena, Ring, count);
  Builder before = builder_before(m, loop);
  Value *zero = build_int(&before, type_scalar(&m->types, ELEM_i32), 0);
  Op *user;
  for (int i = 0, end; i < count; i = end) {
    end = group_end(loop->regions[0], loads, i, count, &user);
    if (end - i < least) continue;
    for (int k = i; k < end; k++) {
      Builder b = builder_before(m, loads[k]);
      rings[k] = ring_create(&b, loads[k], 1, target);
    }
    stage(m, rings + i, end - i, zero, user);
  }
}

void rings_copy_here(Module *m, Op *loop, Op *const *loads, int count,
                     const Target *target) {
  stage_groups(m, loop, loads, count, target, 1, copy_group);
}

static void store_here(Module *m, Op *loop, Op *const *loads, int count,
                       const Target *target) {
  stage_groups(m, loop, loads, count, target, 2, store_group);
}

void rings_store_loads(Module *m, Op *loop, const Target *target) {
  Schedule s;
  if (!schedule_stores(loop, target, &s) || !schedule_stores_fit(&s)) return;
  store_here(m, loop, s.loads.items, (int)s.loads.count, target);
}
