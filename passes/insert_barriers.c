// insert_barriers.c -- barriers where threads would meet in shared memory.
//
// The function is walked with what was touched since the last barrier.  A loop
// starts with what is left at its end, too: walks are repeated until no loop
// learns more.  Copies in flight land at a wait, which every thread does for
// its own: from there on they count as written by it.
#include "ir/builder.h"
#include "ir/exchange.h"
#include "passes/barriers.h"
#include "passes/liveness.h"
#include "passes/pass.h"

typedef struct {
  int64_t start, end;
  bool write;
} Touch;

typedef Vec(Touch) Touches;

typedef struct {
  Touches pending; // since the last barrier
  Touches flying;  // by copies
} State;

typedef struct {
  Arena *arena;
  Map loops; // Op to the State that its body starts with
  State state;
  bool changed;
  OpList *missing; // NULL: not wanted yet
} Walk;

// -- Sets --------------------------------------------------------------------

static bool covers(const Touch *a, const Touch *b) {
  return a->start <= b->start && b->end <= a->end && (a->write || !b->write);
}

// False if nothing is new.
static bool add(Arena *arena, Touches *set, Touch touch) {
  for (size_t i = 0; i < set->count; i++) {
    if (covers(&set->items[i], &touch)) return false;
  }
  vec_push(arena, set, touch);
  return true;
}

static bool add_all(Arena *arena, Touches *set, const Touches *more) {
  bool grown = false;
  for (size_t i = 0; i < more->count; i++) {
    grown |= add(arena, set, more->items[i]);
  }
  return grown;
}

static bool merge(Arena *arena, State *state, const State *more) {
  const bool pending = add_all(arena, &state->pending, &more->pending);
  return add_all(arena, &state->flying, &more->flying) || pending;
}

static State copy_of(Arena *arena, const State *state) {
  State copy = {0};
  merge(arena, &copy, state);
  return copy;
}

static bool clashes(const Touches *set, const Touch *touch) {
  for (size_t i = 0; i < set->count; i++) {
    const Touch *other = &set->items[i];
    if (!other->write && !touch->write) continue;
    if (other->start < touch->end && touch->start < other->end) return true;
  }
  return false;
}

// -- Ops ---------------------------------------------------------------------

static Touch whole_buffer(const Value *buffer, bool write) {
  const Op *alloc = buffer_alloc(buffer);
  const int64_t start = op_int(alloc, ATTR_offset);
  return (Touch){start, start + buffer_bytes(op_result(alloc)->type), write};
}

// A barrier in front of the op, if it needs one.
static void meet(Walk *w, Op *op, const Touch *touch) {
  if (!clashes(&w->state.pending, touch)) return;
  if (w->missing) vec_push(w->arena, w->missing, op);
  w->state.pending.count = 0;
}

static void touch_buffer(Walk *w, Op *op, const Value *buffer, bool write) {
  const Touch touch = whole_buffer(buffer, write);
  meet(w, op, &touch);
  add(w->arena, &w->state.pending, touch);
}

// Written, a barrier inside, read.
static void touch_scratch(Walk *w, Op *op, int64_t bytes) {
  const int64_t start = op_int(op, ATTR_offset);
  Touch touch = {start, start + bytes, true};
  meet(w, op, &touch);
  w->state.pending.count = 0;
  touch.write = false;
  add(w->arena, &w->state.pending, touch);
}

static void start_copy(Walk *w, Op *op) {
  const Touch touch = whole_buffer(op_operand(op, 1), true);
  meet(w, op, &touch);
  add(w->arena, &w->state.flying, touch);
}

static void land_copies(Walk *w, const Op *op) {
  add_all(w->arena, &w->state.pending, &w->state.flying);
  if (!op_int(op, ATTR_count)) w->state.flying.count = 0;
}

static void touch_others(Walk *w, Op *op) {
  const int64_t bytes = op_scratch_bytes(op);
  if (bytes) touch_scratch(w, op, bytes);
}

// -- Structure ---------------------------------------------------------------

static void walk_block(Walk *w, const Block *block);

// What a loop's body starts with: `state` and what earlier walks found.
static void enter_loop(Walk *w, const Op *loop) {
  State *start = map_get(&w->loops, loop);
  if (!start) {
    start = arena_new(w->arena, State);
    map_put(&w->loops, w->arena, loop, start);
  }
  merge(w->arena, start, &w->state);
  w->state = copy_of(w->arena, start);
}

static void end_trip(Walk *w, const Op *loop) {
  w->changed |= merge(w->arena, map_get(&w->loops, loop), &w->state);
}

static void walk_for(Walk *w, const Op *op) {
  const State before = copy_of(w->arena, &w->state);
  enter_loop(w, op);
  walk_block(w, op->regions[0]);
  end_trip(w, op);
  merge(w->arena, &w->state, &before); // there may be no trip
}

static void walk_while(Walk *w, const Op *op) {
  enter_loop(w, op);
  walk_block(w, op->regions[0]);
  const State leaving = copy_of(w->arena, &w->state);
  walk_block(w, op->regions[1]);
  end_trip(w, op);
  w->state = leaving;
}

static void walk_if(Walk *w, const Op *op) {
  const State before = copy_of(w->arena, &w->state);
  walk_block(w, op->regions[0]);
  const State after = w->state;
  w->state = before;
  walk_block(w, op->regions[1]);
  merge(w->arena, &w->state, &after);
}

static void walk_op(Walk *w, Op *op) {
  switch (op->kind) {
  case OP_for: walk_for(w, op); break;
  case OP_while: walk_while(w, op); break;
  case OP_if: walk_if(w, op); break;
  case OP_barrier: w->state.pending.count = 0; break;
  case OP_alloc_shared:
    if (op->num_operands) touch_buffer(w, op, op_result(op), true);
    break;
  case OP_load_shared: touch_buffer(w, op, op_operand(op, 0), false); break;
  case OP_store_shared: touch_buffer(w, op, op_operand(op, 1), true); break;
  case OP_async_copy: start_copy(w, op); break;
  case OP_async_wait: land_copies(w, op); break;
  default: touch_others(w, op);
  }
}

// Recursion is as deep as regions nest, which the parsers limit.
static void walk_block(Walk *w, const Block *block) {
  for (Op *op = block->first; op; op = op->next) walk_op(w, op);
}

static void walk_function(Walk *w, const Function *f) {
  w->state = (State){0};
  w->changed = false;
  walk_block(w, f->body);
}

void barriers_missing(const Function *f, Arena *arena, OpList *out) {
  Walk w = {.arena = arena};
  do {
    walk_function(&w, f);
  } while (w.changed);
  w.missing = out;
  walk_function(&w, f);
}

bool pass_insert_barriers(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) {
    OpList missing = {0};
    barriers_missing(f, m->arena, &missing);
    for (size_t i = 0; i < missing.count; i++) {
      Builder b = builder_before(m, missing.items[i]);
      build_op(&b, OP_barrier, 0, NULL, NULL, 0, NULL);
    }
  }
  return true;
}
