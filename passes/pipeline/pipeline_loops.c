// pipeline_loops.c -- loads of a loop become copies that run ahead of it.
//
//     for ... (%p) { %x = load %p; ... %x ... ; yield addptr %p, %s }
//
// becomes, with two trips ahead,
//
//     %ring = alloc_shared : memdesc<2x...>
//     trips 0 and 1: async_copy to %ring[trip], async_commit
//     for ... (%p, %slot, %ahead) {
//       async_wait {count = 1}
//       %x = load_shared %ring[%slot]; ...
//       async_copy %ahead, %ring[%slot]; async_commit
//       yield ..., next %slot, addptr %ahead, %s
//     }
//     async_wait {count = 0}; free_shared %ring
//
// A copy for a trip that does not exist is masked off.  The slice of an address
// is computed again for the trip of the copy, so it may contain pure ops, and
// loads, which get the same mask.
#include "passes/analysis/walk.h"
#include "passes/pass.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/schedule.h"
#include "passes/pipeline/trips.h"

#include <assert.h>
#include <string.h>

typedef struct {
  int num_ahead;  // number of slots that run ahead
  int *ahead;     // their indices, in increasing order
  Value **values; // their values in the next trip to be prepared
} AheadSlots;

typedef struct {
  Module *m;
  Op *loop;
  const Schedule *s;
  LoopTrips trips;
  Ring *rings;
  Value *full;         // barriers of blocks, one for each slot; or NULL
  int64_t block_bytes; // bytes of a trip
  int num_copies;      // other copies than blocks
  Value *slot;         // position in the ring
  Value *last;         // position of the trip before; NULL: not carried
  Value *phase;        // of the slot's barrier; NULL: barrier_await() finds it
  AheadSlots slots[MAX_LEVELS]; // for each level of the schedule
  Value ***waiting; // for each load that waits: its values, by trips ahead
  Vec(Value **) new_slots; // the last slots of the loop, by the kind of value
  Map now;                 // the body's values in the trip that is prepared
  Map copied_now;          // the same in the trip that is copied
  Value *copied;           // does that trip exist?
} Expansion;

static const Type *scalar(const Expansion *p, Elem elem) {
  return type_scalar(&p->m->types, elem);
}

// -- Copies of one trip ------------------------------------------------------

static Value *now(const Expansion *p, Value *value) {
  Value *renamed = value ? map_get(&p->now, value) : NULL;
  return renamed ? renamed : value;
}

static void repeat_load(Expansion *p, Builder *b, Op *load, Value *trip) {
  Value *ptr = now(p, op_operand(load, 0));
  Value *mask = trips_mask(&p->trips, b, ptr, now(p, op_group(load, 1)), trip);
  Builder at = *b;
  at.loc = load->loc;
  Op *op = build_load(&at, ptr, mask, now(p, op_group(load, 2)));
  op_copy_attrs(p->m, op, load);
  map_put(&p->now, p->m->arena, op_result(load), op_result(op));
}

static void copy_block(Expansion *p, Builder *b, const Ring *ring, Value *slot,
                       Value *trip) {
  Value *offsets[MAX_RANK];
  for (int i = 0; i < op_operand(ring->load, 0)->type->rank; i++) {
    offsets[i] = now(p, op_operand(ring->load, 1 + i));
  }
  Value *barrier = barriers_at(b, p->full, slot);
  ring_copy_block(b, ring, offsets, trip, slot, barrier);
}

static Value *copy_load(Expansion *p, Builder *b, const Ring *ring, Value *slot,
                        Value *trip) {
  Value *ptr = now(p, op_operand(ring->load, 0));
  Value *mask =
      trips_mask(&p->trips, b, ptr, now(p, op_group(ring->load, 1)), trip);
  return ring_copy(b, ring, ptr, mask, slot);
}

static bool has_one_buffer(const Expansion *p, const Op *load) {
  return map_get(&p->s->last_dot, load);
}

// Repeats the op, if it belongs to the level, for the trip of p->now.
static void repeat_op(Expansion *p, Builder *b, const SliceLevel *level, Op *op,
                      Value *trip) {
  if (!map_get(&level->slice, op)) return;
  if (op->kind == OP_load) {
    repeat_load(p, b, op, trip);
  } else {
    builder_insert(b, op_clone(p->m, op, &p->now));
  }
}

// The slice of the trip of p->now, and its copies as one group; if
// `into_rings`, without copies to single buffers.
static void copy_trip(Expansion *p, Builder *b, Value *slot, Value *trip,
                      bool into_rings) {
  const Schedule *s = p->s;
  const int count = (int)s->loads.count;
  Value **tokens = arena_array(p->m->arena, Value *, count);
  int n = 0, num_tokens = 0;
  if (p->full)
    barrier_expect(b, barriers_at(b, p->full, slot), trip, p->block_bytes);
  for (Op *op = p->loop->regions[0]->first; op; op = op->next) {
    repeat_op(p, b, &s->levels[0], op, trip);
    if (n == count || s->loads.items[n] != op) continue;
    const Ring *ring = &p->rings[n++];
    if (into_rings && has_one_buffer(p, op)) continue;
    if (load_is_block(op)) {
      copy_block(p, b, ring, slot, trip);
      continue;
    }
    tokens[num_tokens++] = copy_load(p, b, ring, slot, trip);
    if (s->apart) ring_commit(b, 1, &tokens[--num_tokens]);
  }
  assert(n == count && "a load of the schedule is not in the loop"); // I6
  if (num_tokens) ring_commit(b, num_tokens, tokens);
}

static void load_trip(Expansion *p, Builder *b, int level, Value *trip) {
  for (Op *op = p->loop->regions[0]->first; op; op = op->next) {
    repeat_op(p, b, &p->s->levels[level], op, trip);
  }
}

// -- The slots of the loop ---------------------------------------------------

// The arguments of the body that run ahead, in order.
static void find_ahead(Expansion *p) {
  Arena *arena = p->m->arena;
  const int count = for_num_slots(p->loop);
  for (int k = 0; k < p->s->num_levels; k++) {
    AheadSlots *slots = &p->slots[k];
    slots->ahead = arena_array(arena, int, count);
    slots->values = arena_array(arena, Value *, count);
    for (int i = 0; i < count; i++) {
      if (!map_get(&p->s->levels[k].carried, for_arg(p->loop, i))) continue;
      slots->values[slots->num_ahead] = for_init(p->loop, i);
      slots->ahead[slots->num_ahead++] = i;
    }
  }
}

static void find_waiting(Expansion *p) {
  const Schedule *s = p->s;
  Arena *arena = p->m->arena;
  p->waiting = arena_array(arena, Value **, s->waiting.count);
  for (size_t i = 0; i < s->waiting.count; i++) {
    const int ahead = schedule_ahead_of(s, s->waiting.items[i].level);
    p->waiting[i] = arena_array(arena, Value *, ahead + 1);
  }
}

// Sets p->now to the trip that is `trips` ahead, for the level.
static void set_now(Expansion *p, int level, Value *iv, int trips) {
  Arena *arena = p->m->arena;
  const AheadSlots *slots = &p->slots[level];
  assert(level < p->s->num_levels &&
         trips <= schedule_ahead_of(p->s, level)); // I2
  p->now = (Map){0};
  map_put(&p->now, arena, for_counter(p->loop), iv);
  for (int i = 0; i < slots->num_ahead; i++) {
    map_put(&p->now, arena, for_arg(p->loop, slots->ahead[i]),
            slots->values[i]);
  }
  for (size_t i = 0; i < p->s->waiting.count; i++) {
    const Waiting *w = &p->s->waiting.items[i];
    if (level < w->user || w->level <= level) continue;
    map_put(&p->now, arena, op_result(w->load), p->waiting[i][trips]);
  }
}

// The level has finished the trip of p->now.
static void go_on(Expansion *p, int level, int trips) {
  const AheadSlots *slots = &p->slots[level];
  for (int i = 0; i < slots->num_ahead; i++)
    slots->values[i] = now(p, region_yield(p->loop, 0, slots->ahead[i]));
  for (size_t i = 0; i < p->s->waiting.count; i++) {
    const Waiting *w = &p->s->waiting.items[i];
    if (w->level != level) continue;
    p->waiting[i][trips] = now(p, op_result(w->load));
  }
}

// -- Before, in and behind the loop ------------------------------------------

static void fill_trip(Expansion *p, Builder *b, int level, int trip) {
  Value *lower = op_operand(p->loop, FOR_LOWER), *there = p->trips.runs;
  set_now(p, level, trips_move(&p->trips, b, lower, trip), trip);
  if (trip) {
    Value *exists = trips_exist(&p->trips, b, lower, trip);
    there = build_andi(b, there->type, there, exists);
  }
  if (level) {
    load_trip(p, b, level, there);
  } else {
    copy_trip(p, b, build_int(b, scalar(p, ELEM_i32), trip), there, false);
  }
  go_on(p, level, trip);
}

// Copies the first trips, behind the loads whose values they need.
static void fill_rings(Expansion *p, Builder *b) {
  for (int level = p->s->num_levels; level-- > 0;) {
    const int ahead = schedule_ahead_of(p->s, level);
    for (int trip = 0; trip < ahead; trip++) fill_trip(p, b, level, trip);
  }
}

static void read_rings(Expansion *p, Builder *b) {
  for (size_t i = 0; i < p->s->loads.count; i++) {
    const Ring *ring = &p->rings[i];
    const bool one = has_one_buffer(p, ring->load);
    Value *from = one ? build_int(b, p->slot->type, 0) : p->slot;
    ring_read(b, ring, from, NULL);
  }
  schedule_sink_reads(p->s, p->loop->regions[0]);
}

static void erase_loads(const Schedule *s) {
  for (size_t i = 0; i < s->loads.count; i++) op_erase(s->loads.items[i]);
}

// Starts the copies to single buffers for the trip of p->now, each as a group
// behind the last read of its buffer.
static void copy_behind_reads(Expansion *p, Value *trip) {
  for (size_t i = 0; i < p->s->loads.count; i++) {
    const Ring *ring = &p->rings[i];
    const Op *last = map_get(&p->s->last_dot, ring->load);
    if (!last) continue;
    Builder b = builder_before(p->m, last->next);
    Value *slot = build_int(&b, scalar(p, ELEM_i32), 0);
    Value *copy = copy_load(p, &b, ring, slot, trip);
    ring_commit(&b, 1, &copy);
  }
}

static void prepare_later(Expansion *p, Builder *b, int level) {
  const int trips = schedule_ahead_of(p->s, level);
  const bool at_start = p->s->at_start, apart = p->s->apart;
  Value *iv = for_counter(p->loop);
  set_now(p, level, trips_move(&p->trips, b, iv, trips), trips);
  Value *trip = trips_exist(&p->trips, b, iv, trips);
  if (level) {
    load_trip(p, b, level, trip);
  } else {
    Value *slot = p->slot;
    if (at_start || p->s->runs_on)
      slot = p->last ? p->last : ring_last_slot(b, slot, schedule_ring(p->s));
    copy_trip(p, b, slot, trip, at_start || apart);
    if (!apart) copy_behind_reads(p, trip);
    p->copied_now = p->now;
    p->copied = trip;
  }
  go_on(p, level, trips);
}

// Adds, at the end of the body, the copies for a trip that is some trips ahead,
// and then the loads for later trips; returns the first of these ops.
static Op *copy_later(Expansion *p) {
  const Block *body = p->loop->regions[0];
  Op *last = block_end(body)->prev;
  Builder b = builder_before(p->m, block_end(body));
  for (int level = 0; level < p->s->num_levels; level++)
    prepare_later(p, &b, level);
  return last->next;
}

// Adds slots for the ring's position, values that run ahead, and values that
// wait.
static void find_new_slots(Expansion *p) {
  Arena *arena = p->m->arena;
  const Schedule *s = p->s;
  vec_push(arena, &p->new_slots, &p->slot);
  if (p->last) vec_push(arena, &p->new_slots, &p->last);
  if (p->phase) vec_push(arena, &p->new_slots, &p->phase);
  for (int k = 0; k < s->num_levels; k++) {
    for (int i = 0; i < p->slots[k].num_ahead; i++)
      vec_push(arena, &p->new_slots, &p->slots[k].values[i]);
  }
  for (size_t i = 0; i < s->waiting.count; i++) {
    const Waiting *w = &s->waiting.items[i];
    const int end = schedule_ahead_of(s, w->level);
    for (int k = schedule_ahead_of(s, w->user); k < end; k++)
      vec_push(arena, &p->new_slots, &p->waiting[i][k]);
  }
}

static Op *add_slots(Expansion *p) {
  const size_t count = p->new_slots.count;
  Value **init = arena_array(p->m->arena, Value *, count);
  for (size_t i = 0; i < count; i++) init[i] = *p->new_slots.items[i];
  return for_add(p->loop, (int)count, init);
}

static int first_new_slot(const Expansion *p) {
  assert(for_num_slots(p->loop) >= (int)p->new_slots.count); // I7
  return for_num_slots(p->loop) - (int)p->new_slots.count;
}

static void take_slots(Expansion *p) {
  const int first = first_new_slot(p);
  for (size_t i = 0; i < p->new_slots.count; i++) {
    *p->new_slots.items[i] = for_arg(p->loop, first + (int)i);
  }
}

// In the next trip, a waiting value is one trip nearer to its use.
static void yield_slots(Expansion *p) {
  const int first = first_new_slot(p);
  for (size_t i = 0; i < p->s->waiting.count; i++) {
    const int ahead = schedule_ahead_of(p->s, p->s->waiting.items[i].level);
    Value **values = p->waiting[i];
    memmove(values, values + 1, (size_t)ahead * sizeof *values);
  }
  assert(block_end(p->loop->regions[0])->num_operands ==
         first + (int)p->new_slots.count); // I7
  for (size_t i = 0; i < p->new_slots.count; i++) {
    op_set_operand(block_end(p->loop->regions[0]), first + (int)i,
                   *p->new_slots.items[i]);
  }
}

// Adds one wait for all copies, or one in front of each first read.
static void wait_for_copies(Expansion *p, Builder *start) {
  if (!p->s->apart) {
    if (p->num_copies) ring_wait(start, p->rings, schedule_ahead(p->s) - 1);
    if (p->full)
      barrier_await(start, barriers_at(start, p->full, p->slot), p->phase);
    return;
  }
  for (size_t i = 0; i < p->s->loads.count; i++) {
    Builder b = builder_before(p->m, schedule_first_read(p->s, (int)i));
    ring_wait(&b, &p->rings[i], schedule_pending(p->s, (int)i));
  }
}

// Copies are made while loads still exist, as copies of other trips may repeat
// them.
static void rewrite_body(Expansion *p) {
  const Block *body = p->loop->regions[0];
  take_slots(p);
  Op *copies = copy_later(p), *yield = block_end(body);
  assert(copies->block == body && yield->kind == OP_yield); // I7
  Builder start = builder_before(p->m, body->first);
  wait_for_copies(p, &start);
  const Op *wait = start.before->prev;
  read_rings(p, &start);
  Op *place = p->s->at_start ? wait->next
              : p->s->apart  ? body->first
                             : schedule_behind_reads(copies);
  if (place != copies) ops_move_before(place, copies, yield);
  if (p->s->apart) {
    p->now = p->copied_now;
    copy_behind_reads(p, p->copied);
  }
  Builder end = builder_before(p->m, yield);
  if (p->last) p->last = p->slot;
  p->slot = ring_next_slot(&end, p->slot, schedule_ring(p->s));
  if (p->phase) p->phase = ring_next_phase(&end, p->phase, p->slot);
  yield_slots(p);
  erase_loads(p->s);
}

// Starts the copies of a loop without a second trip in front of it.
static void copy_once(Expansion *p) {
  Builder before = builder_before(p->m, p->loop);
  find_ahead(p);
  trips_prepare(&p->trips, &before);
  fill_rings(p, &before);
  if (p->num_copies) ring_wait(&before, p->rings, 0);
  p->slot = build_int(&before, scalar(p, ELEM_i32), 0);
  Builder start = builder_before(p->m, p->loop->regions[0]->first);
  if (p->full)
    barrier_await(&start, barriers_at(&start, p->full, p->slot), NULL);
  read_rings(p, &start);
  erase_loads(p->s);
}

// Blocks need few instructions, so each one counts.  A loop that is entered
// again continues with the phases that it has left.
static void start_slots(Expansion *p, Builder *b) {
  const Type *i32 = scalar(p, ELEM_i32);
  const int ring = schedule_ring(p->s);
  p->slot = build_int(b, i32, 0);
  if (!p->full) return;
  if (ring > 1 && (p->s->at_start || p->s->runs_on))
    p->last = build_int(b, i32, ring - 1);
  if (!op_is_in_loop(p->loop)) p->phase = build_int(b, i32, 0);
}

static void copy_ahead(Expansion *p) {
  Builder before = builder_before(p->m, p->loop);
  find_ahead(p);
  find_waiting(p);
  trips_prepare(&p->trips, &before);
  fill_rings(p, &before);
  start_slots(p, &before);
  find_new_slots(p);
  p->loop = p->trips.loop = add_slots(p);
  rewrite_body(p);
  Builder behind = builder_before(p->m, p->loop->next);
  if (p->num_copies) ring_wait(&behind, p->rings, 0);
}

static void create_rings(Expansion *p, const Target *target) {
  const Schedule *s = p->s;
  const int count = (int)s->loads.count;
  Builder before = builder_before(p->m, p->loop);
  const int blocks = schedule_blocks(s, &p->block_bytes);
  p->rings = arena_array(p->m->arena, Ring, count);
  p->num_copies = count - blocks;
  if (blocks)
    p->full = barriers_create(op_function(p->loop), schedule_ring(s), 1);
  for (int i = 0; i < count; i++) {
    Op *load = s->loads.items[i];
    p->rings[i] = ring_create(&before, load, schedule_buffers(s, load), target);
  }
}

// -- All ---------------------------------------------------------------------

static void visit_loop(Op *op, void *ctx) {
  if (op->kind == OP_for && loop_runs_once(op)) loop_to_if(ctx, op);
}

// Leaves the loop without copies.  If it has no second trip, it becomes part of
// the enclosing trip, whose loads may be copied then.
static bool leave_loop(Module *m, Op *loop, const Target *target) {
  if (target && target->is_gpu && op_is_in_loop(loop)) visit_loop(loop, m);
  return true;
}

static bool pipeline_loop(Module *m, Op *loop, const Target *target) {
  Schedule schedule;
  const int most = schedule_most_stages(loop);
  if (!most) return leave_loop(m, loop, target);
  if (!schedule_loop(loop, target, most, &schedule)) {
    schedule_tell_one_stage(&schedule);
    rings_store_loads(m, loop, target);
    return leave_loop(m, loop, target);
  }
  if (schedule_bytes(&schedule) > target->max_shared_block) {
    if (schedule.explicit_stages) return schedule_too_big(&schedule);
    if (!schedule_lower(&schedule)) return leave_loop(m, loop, target);
  }
  const int count = (int)schedule.loads.count;
  if (schedule.stages == 1) {
    rings_copy_here(m, loop, schedule.loads.items, count, target);
    erase_loads(&schedule);
    return true;
  }
  Expansion p = {
      .m = m, .loop = loop, .s = &schedule, .trips = {.m = m, .loop = loop}};
  create_rings(&p, target);
  if (schedule.once)
    copy_once(&p);
  else
    copy_ahead(&p);
  Op *next = p.loop->next;
  if (next->kind == OP_async_wait) next = next->next;
  Builder behind = builder_before(m, next);
  for (int i = 0; i < count; i++) ring_free(&behind, &p.rings[i]);
  return true;
}

// Recursion is as deep as regions nest, which the parsers limit.
static bool visit_block(Module *m, Block *block, const Target *target) {
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    for (int r = 0; r < op->num_regions; r++) {
      if (!visit_block(m, op->regions[r], target)) return false;
    }
    if (op->kind == OP_for && !pipeline_loop(m, op, target)) return false;
  }
  return true;
}

bool pass_pipeline_loops(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    if (!visit_block(m, f->body, target)) return false;
    if (target && target->is_gpu) block_walk(f->body, visit_loop, m);
  }
  return true;
}
