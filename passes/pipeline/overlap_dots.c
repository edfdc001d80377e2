// overlap_dots.c -- a trip's second product runs while the next trip computes.
//
// In a role, with %last the slot of the trip before,
//
//     for ... (%acc, %slot, %last) {
//       mbarrier_wait %full[%slot]
//       %s = dot %q, %k[%slot]
//       %p = ... %s ...
//       %d = dot %p, %v[%slot], (mulf %acc, %f)
//       mbarrier_arrive %empty[%last]
//       yield %d, next %slot, %slot
//     }
//
// becomes, if there is a trip, the first one up to its second product, and
//
//     for ... (%acc, %slot, %last, %p) {
//       mbarrier_wait %full[%slot]
//       start %s = dot %q, %k[%slot]
//       start %d = dot %p, %v[%last], %acc
//       wait for %s
//       %next = ... %s ...
//       wait for %d, late
//       mbarrier_arrive %empty[%last]
//       yield (mulf %d, %f), next %slot, %slot, %next
//     }
//     %d = dot %p, %v[%last], %acc
//
// Each sum has the same terms in the same order.  The op that narrows %p stays
// behind the second wait, so that ptxas does not move that wait forward: until
// then, the registers hold the previous %p.
#include "ir/exchange.h"
#include "ir/wgmma.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/trips.h"

enum { MAX_NARROWING = 4, MAX_VIEWS = 4 };

typedef struct {
  Module *m;
  Op *loop;
  Op *first, *second; // products
  Op *scale;          // scale of the carried sum of the second; or NULL
  int sum, last;      // slots of the loop
} Overlap;

// -- The form of the loop ----------------------------------------------------

static bool is_waited_for(const Op *dot) {
  const Op *wait = dot->next;
  return wait->kind == OP_dot_wait && wait->num_results == 1 &&
         op_group(wait, 1) == &dot->results[0] &&
         value_only_use(&dot->results[0]) != NULL;
}

static Op *wait_of(const Op *dot) {
  return value_only_use(&dot->results[0])->user;
}

// Had the op only one use, by a product that reads the buffer itself?
static bool is_dead(const Op *op) {
  return op->kind == OP_load_shared && op_is_unused(op);
}

static bool find_dots(Overlap *x) {
  for (Op *op = x->loop->regions[0]->first; op; op = op->next) {
    if (op_has(op, TRAIT_TERMINATOR) || op->kind == OP_mbarrier_arrive ||
        op->kind == OP_dot_wait || op->kind == OP_mbarrier_wait)
      continue;
    if (op->kind != OP_async_dot) {
      if (is_dead(op)) continue;
      if (!op_is_pure(op) || op_scratch_bytes(op)) return false;
      continue;
    }
    if (x->second || !is_waited_for(op)) return false;
    *(x->first ? &x->second : &x->first) = op;
  }
  return x->second != NULL;
}

// The slot of the loop for an argument of its body; -1: it is no argument.
static int slot_of(const Op *loop, const Value *value) {
  for (int i = 0; i < for_num_slots(loop); i++) {
    if (for_arg(loop, i) == value) return i;
  }
  return -1;
}

int dot_sum_slot(const Op *dot, const Value *sum, const Op *loop, Op **scale) {
  const Use *yielded = value_only_use(sum);
  *scale = NULL;
  if (!yielded || yielded->user != block_end(loop->regions[0])) return -1;
  const Use *taken = value_only_use(for_arg(loop, yielded->index));
  if (taken && taken->user->kind == OP_mulf) {
    *scale = taken->user;
    taken = value_only_use(op_result(*scale));
  }
  const bool adds = taken && taken->user == dot && taken->index == 2;
  return adds ? yielded->index : -1;
}

static bool find_sum(Overlap *x) {
  x->sum =
      dot_sum_slot(x->second, op_result(x->second->next), x->loop, &x->scale);
  return x->sum >= 0;
}

// Does the loop release the slot of the trip before, and no other?  The first
// trip then releases an extra barrier, for which no thread waits.
static bool find_last(Overlap *x) {
  const Block *body = x->loop->regions[0];
  const Op *view = ring_view(op_operand(x->second, 1));
  if (!view || view->block != body) return false;
  x->last = -1;
  for (const Op *op = body->first; op; op = op->next) {
    if (op->kind != OP_mbarrier_arrive) continue;
    const Op *at = value_def(op_operand(op, 0), OP_mbarrier_index);
    const int slot = at ? slot_of(x->loop, op_operand(at, 1)) : -1;
    if (slot < 0 || (x->last >= 0 && slot != x->last)) return false;
    if (!ring_is_last_slot(op_operand(at, 1), op_operand(view, 1),
                           (int)mbarrier_size(op_operand(at, 0)->def)))
      return false;
    x->last = slot;
  }
  return x->last >= 0 && slot_of(x->loop, op_operand(view, 1)) >= 0;
}

static bool find_overlap(Overlap *x) {
  if (!find_dots(x) || !find_sum(x) || !find_last(x)) return false;
  const Block *body = x->loop->regions[0];
  const Value *p = op_operand(x->second, 0);
  return type_is_tile(p->type) && !value_is_outside(p, body) &&
         value_is_outside(op_operand(x->first, 2), body) &&
         op_comes_before(x->first->next, x->second);
}

// -- The first trip ----------------------------------------------------------

// Builds the trip up to its second product, with the loop's initial values.
static void begin(const Overlap *x, Block *into, Map *map) {
  Arena *arena = x->m->arena;
  map_put(map, arena, for_counter(x->loop), op_operand(x->loop, FOR_LOWER));
  for (int i = 0; i < for_num_slots(x->loop); i++)
    map_put(map, arena, for_arg(x->loop, i), for_init(x->loop, i));
  for (const Op *op = x->loop->regions[0]->first; op; op = op->next) {
    if (op == x->second || op == x->second->next || is_dead(op) ||
        op->kind == OP_mbarrier_arrive || op_has(op, TRAIT_TERMINATOR))
      continue;
    op_append(into, op_clone(x->m, op, map));
  }
}

// -- The second operand ------------------------------------------------------

// The second operand of the second product, in another slot.
static Value *build_view(const Overlap *x, Builder *b, const Value *view,
                         Value *slot) {
  const Op *steps[MAX_VIEWS];
  int count = 0;
  for (const Op *op = view->def; count < MAX_VIEWS;
       op = op_operand(op, 0)->def) {
    steps[count++] = op;
    if (op->kind == OP_view_index) break;
  }
  Map map = {0};
  const Op *index = steps[count - 1];
  map_put(&map, x->m->arena, op_operand(index, 1), slot);
  while (count) builder_insert(b, op_clone(x->m, steps[--count], &map));
  return value_renamed(&map, (Value *)(uintptr_t)view);
}

static void move_before(Op *at, Op *op) {
  op_unlink(op);
  op_insert_before(at, op);
}

// Moves the op that rounds the tile in front of `at`.
static void sink_narrowing(const Block *body, Value *p, Op *at) {
  Op *steps[MAX_NARROWING];
  int count = 0;
  for (Op *op = p->def; op && op->block == body && count < MAX_NARROWING;
       op = op_operand(op, 0)->def) {
    if (op->kind != OP_truncf && op->kind != OP_convert_layout) break;
    if (!value_only_use(op_result(op))) break;
    steps[count++] = op;
  }
  while (count) move_before(at, steps[--count]);
}

static void overlap(Overlap *x, Value *start, Value **init, Value *p) {
  const int count = for_num_slots(x->loop);
  op_set_operand(x->loop, FOR_LOWER, start);
  for (int i = 0; i < count; i++)
    op_set_operand(x->loop, FOR_INIT + i, init[i]);
  x->loop = for_add(x->loop, 1, &p);
  Block *body = x->loop->regions[0];
  Op *end = block_end(body), *wait = x->second->next, *behind = wait->next;
  Value *made = op_operand(x->second, 0), *sum = for_arg(x->loop, x->sum);
  Op *first_wait = x->first->next;
  op_set_operand(end, count, made);
  move_before(behind, wait);
  move_before(first_wait, x->second);
  Builder b = builder_before(x->m, x->second);
  Value *view =
      build_view(x, &b, op_operand(x->second, 1), for_arg(x->loop, x->last));
  op_set_operand(x->second, 0, for_arg(x->loop, count));
  op_set_operand(x->second, 1, view);
  op_set_operand(x->second, 2, sum);
  op_set_int(x->m, first_wait, ATTR_count, 1);
  sink_narrowing(body, made, behind);
  if (!x->scale) return;
  move_before(behind, x->scale);
  for (int i = 0; i < 2; i++) {
    if (op_operand(x->scale, i) == sum)
      op_set_operand(x->scale, i, op_result(wait));
  }
  op_set_operand(end, x->sum, op_result(x->scale));
}

// Builds the second product of the last trip; returns its sum.
static Value *finish(const Overlap *x, Builder *b) {
  const int p = for_num_slots(x->loop) - 1;
  Map map = {0};
  Value *operands[] = {&x->loop->results[p], NULL, &x->loop->results[x->sum]};
  operands[1] =
      build_view(x, b, op_operand(x->second, 1), &x->loop->results[x->last]);
  for (int i = 0; i < 3; i++)
    map_put(&map, x->m->arena, op_operand(x->second, i), operands[i]);
  const Op *wait = wait_of(x->second);
  builder_insert(b, op_clone(x->m, x->second, &map));
  builder_insert(b, op_clone(x->m, wait, &map));
  return value_renamed(&map, op_result(wait));
}

// -- Turns -------------------------------------------------------------------

// Two groups of warps start products in turns, so that one computes while the
// products of the other run.  Turns pay if a trip's products take about as long
// as its other computations: from 64 columns of 16 bits, or 128 of 8 bits, to
// twice as many.
static bool take_turns(const Overlap *x) {
  enum { FEW_BITS = 1024, MOST_BITS = 2048, NUM_GROUPS = 2 };
  const Type *sum = x->second->results[0].type;
  const Type *values = op_operand(x->second, 1)->type;
  const int64_t bits = sum->shape[1] * type_element_bits(values);
  return bits >= FEW_BITS && bits <= MOST_BITS &&
         function_num_warps(op_function(x->loop)) == NUM_GROUPS * WGMMA_WARPS;
}

static void build_turns(const Overlap *x) {
  Builder wait = builder_before(x->m, x->first);
  build_op(&wait, OP_turn_wait, 0, NULL, NULL, 0, NULL);
  Builder pass = builder_before(x->m, x->second->next);
  build_op(&pass, OP_turn_pass, 0, NULL, NULL, 0, NULL);
}

// -- All ---------------------------------------------------------------------

// Builds the loop, with the first trip in front and the last sum behind it.
static void split(Overlap *x, LoopTrips *t, Block *then, Value **results) {
  const int count = for_num_slots(x->loop);
  Value **init = arena_array(x->m->arena, Value *, count);
  Map map = {0};
  begin(x, then, &map);
  Builder b = builder_at_end(x->m, then, x->loop->loc);
  Value *lower = op_operand(x->loop, FOR_LOWER);
  Value *more = trips_exist(t, &b, lower, 1);
  Value *start =
      build_select(&b, lower->type, more, trips_move(t, &b, lower, 1),
                   op_operand(x->loop, FOR_UPPER));
  for (int i = 0; i < count; i++)
    init[i] = value_renamed(&map, region_yield(x->loop, 0, i));
  init[x->sum] = value_renamed(&map, op_operand(x->second, 2));
  op_unlink(x->loop);
  op_append(then, x->loop);
  overlap(x, start, init, value_renamed(&map, op_operand(x->second, 0)));
  if (take_turns(x)) build_turns(x);
  for (int i = 0; i < count; i++) results[i] = &x->loop->results[i];
  results[x->sum] = finish(x, &b);
  op_set_int(x->m, wait_of(x->second), ATTR_late, true);
}

void dots_overlap(Module *m, Op *loop) {
  Overlap x = {.m = m, .loop = loop};
  if (loop->kind != OP_for || !find_overlap(&x)) return;
  const int count = for_num_slots(loop);
  const Type **types = arena_array(m->arena, const Type *, count);
  Value **values = arena_array(m->arena, Value *, count);
  for (int i = 0; i < count; i++) {
    types[i] = loop->results[i].type;
    values[i] = for_init(loop, i);
  }
  Builder b = builder_before(m, loop);
  LoopTrips trips = {.m = m, .loop = loop};
  trips_prepare(&trips, &b);
  Op *branch = build_if(&b, trips.runs, count, types);
  for (int i = 0; i < count; i++)
    value_replace_uses(&loop->results[i], &branch->results[i]);
  Builder none = builder_at_end(m, branch->regions[1], loop->loc);
  build_yield(&none, count, values);
  split(&x, &trips, branch->regions[0], values);
  Builder end = builder_at_end(m, branch->regions[0], loop->loc);
  build_yield(&end, count, values);
}
