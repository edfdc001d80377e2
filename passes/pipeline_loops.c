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
// A copy for a trip that the loop does not make has its mask off.  What the
// addresses are computed from is computed again for that trip, so it may be
// anything pure, and loads, which get that mask, too.
#include "passes/one_trip.h"
#include "passes/pass.h"
#include "passes/pipeline.h"
#include "passes/schedule.h"

// -- Does a trip exist? ------------------------------------------------------

typedef struct {
  Module *m;
  Op *loop;
  const Schedule *s;
  int64_t step;           // where it is constant,
  Value *wide_step;       // else it and the bound, in 64 bits
  Value *wide_upper, *up; // is the step positive?
  Value *before_upper;    // where it is: the last number but for
  Value *before_lower;
  Value *runs; // does the first trip exist?
  Ring *rings;
  int num_ahead; // slots that run ahead, and which
  int *ahead;
  Map now; // of the body's values: those for the trip that is copied
} Expansion;

static const Type *scalar(Expansion *p, Elem elem) {
  return type_scalar(&p->m->types, elem);
}

static Value *upper_of(const Expansion *p) {
  return op_operand(p->loop, FOR_UPPER);
}

static Value *widen(Expansion *p, Builder *b, Value *x) {
  const Type *i64 = scalar(p, ELEM_i64);
  return x->type == i64 ? x : build_extsi(b, i64, x);
}

// More than what `trips` trips take is left from `iv` on.
static Value *left_constant(Expansion *p, Builder *b, Value *iv, int trips) {
  const Type *type = iv->type;
  const bool up = p->step > 0;
  Value *left =
      build_subi(b, type, up ? upper_of(p) : iv, up ? iv : upper_of(p));
  const int64_t way = (up ? p->step : -p->step) * trips;
  return build_cmp(b, OP_cmpi, PREDICATE_ugt, left, build_int(b, type, way));
}

static Value *left_wide(Expansion *p, Builder *b, Value *iv, int trips) {
  const Type *i64 = scalar(p, ELEM_i64);
  Value *left = build_subi(b, i64, p->wide_upper, widen(p, b, iv));
  Value *way = build_muli(b, i64, p->wide_step, build_int(b, i64, trips));
  Value *more = build_cmp(b, OP_cmpi, PREDICATE_gt, left, way);
  Value *less = build_cmp(b, OP_cmpi, PREDICATE_lt, left, way);
  return build_select(b, scalar(p, ELEM_i1), p->up, more, less);
}

// A step before the bound, or as far the other way as numbers go.
static Value *before_bound(Expansion *p, Builder *b, bool up) {
  Value *upper = upper_of(p), *step = op_operand(p->loop, FOR_STEP);
  const Type *type = upper->type;
  const int64_t least = INT64_MIN >> (64 - type_element_bits(type));
  Value *farthest = build_int(b, type, up ? least : -(least + 1));
  Value *reachable = build_addi(b, type, farthest, step);
  Value *bound = up ? build_maxsi(b, type, upper, reachable)
                    : build_minsi(b, type, upper, reachable);
  return build_subi(b, type, bound, step);
}

// The next trip's, as the loop itself decides it.
static Value *left_next(Expansion *p, Builder *b, Value *iv) {
  Value *more = build_cmp(b, OP_cmpi, PREDICATE_lt, iv, p->before_upper);
  Value *less = build_cmp(b, OP_cmpi, PREDICATE_gt, iv, p->before_lower);
  return build_select(b, scalar(p, ELEM_i1), p->up, more, less);
}

// Of the trip that is `trips` after the one at `iv`, which exists.
static Value *exists(Expansion *p, Builder *b, Value *iv, int trips) {
  if (p->step) return left_constant(p, b, iv, trips);
  return trips == 1 ? left_next(p, b, iv) : left_wide(p, b, iv, trips);
}

static void prepare_wide(Expansion *p, Builder *b) {
  const Type *i64 = scalar(p, ELEM_i64);
  Value *step = widen(p, b, op_operand(p->loop, FOR_STEP));
  Value *zero = build_int(b, i64, 0);
  p->wide_step = step;
  p->wide_upper = widen(p, b, upper_of(p));
  p->up = build_cmp(b, OP_cmpi, PREDICATE_gt, step, zero);
  Value *some = build_cmp(b, OP_cmpi, PREDICATE_ne, step, zero);
  p->before_upper = before_bound(p, b, true);
  p->before_lower = before_bound(p, b, false);
  Value *first = left_wide(p, b, op_operand(p->loop, FOR_LOWER), 0);
  p->runs = build_andi(b, some->type, some, first);
}

static void prepare_steps(Expansion *p, Builder *b) {
  if (!value_constant_int(op_operand(p->loop, FOR_STEP), &p->step)) {
    prepare_wide(p, b);
    return;
  }
  p->runs = build_cmp(b, OP_cmpi, p->step > 0 ? PREDICATE_lt : PREDICATE_gt,
                      op_operand(p->loop, FOR_LOWER), upper_of(p));
}

// -- Copies of one trip ------------------------------------------------------

static Value *now(const Expansion *p, Value *value) {
  Value *renamed = value ? map_get(&p->now, value) : NULL;
  return renamed ? renamed : value;
}

// Both masks, with what the loop does not change taken last: the rest is the
// same for copies that differ in that alone.
static Value *both(Expansion *p, Builder *b, Value *mask, Value *all) {
  const Op *op = value_def(mask, OP_andi);
  for (int i = 0; op && i < 2; i++) {
    Value *fixed = op_operand(op, i);
    if (!value_is_outside(fixed, p->loop->regions[0])) continue;
    Value *rest = build_andi(b, all->type, op_operand(op, 1 - i), all);
    return build_andi(b, all->type, fixed, rest);
  }
  return build_andi(b, all->type, mask, all);
}

// `mask`, which may be NULL, where the trip exists.
static Value *mask_for(Expansion *p, Builder *b, const Value *ptr, Value *mask,
                       Value *trip) {
  const Type *i1 = scalar(p, ELEM_i1);
  if (!type_is_tile(ptr->type)) return mask ? both(p, b, mask, trip) : trip;
  const Type *type = type_with_element(&p->m->types, ptr->type, i1);
  Value *all = build_splat(b, type, trip);
  return mask ? both(p, b, mask, all) : all;
}

static void repeat_load(Expansion *p, Builder *b, Op *load, Value *trip) {
  Value *ptr = now(p, op_operand(load, 0));
  Value *mask = mask_for(p, b, ptr, now(p, op_group(load, 1)), trip);
  Builder at = *b;
  at.loc = load->loc;
  Op *op = build_load(&at, ptr, mask, now(p, op_group(load, 2)));
  op_copy_attrs(p->m, op, load);
  map_put(&p->now, p->m->arena, op_result(load), op_result(op));
}

static Value *copy_load(Expansion *p, Builder *b, const Ring *ring, Value *slot,
                        Value *trip) {
  Value *ptr = now(p, op_operand(ring->load, 0));
  Value *mask = mask_for(p, b, ptr, now(p, op_group(ring->load, 1)), trip);
  return ring_copy(b, ring, ptr, mask, slot);
}

static bool has_one_buffer(const Expansion *p, const Op *load) {
  return map_get(&p->s->last_dot, load);
}

// The slice of the trip that p->now is about, and its copies as one group;
// without those to only buffers if `into_rings`.
static void copy_trip(Expansion *p, Builder *b, Value *slot, Value *trip,
                      bool into_rings) {
  const Schedule *s = p->s;
  const int count = (int)s->loads.count;
  Value **tokens = arena_array(p->m->arena, Value *, count);
  int n = 0, num_tokens = 0;
  for (Op *op = p->loop->regions[0]->first; op; op = op->next) {
    if (map_get(&s->slice, op)) {
      if (op->kind == OP_load) {
        repeat_load(p, b, op, trip);
      } else {
        builder_insert(b, op_clone(p->m, op, &p->now));
      }
    }
    if (n == count || s->loads.items[n] != op) continue;
    const Ring *ring = &p->rings[n++];
    if (into_rings && has_one_buffer(p, op)) continue;
    tokens[num_tokens++] = copy_load(p, b, ring, slot, trip);
  }
  if (num_tokens) ring_commit(b, num_tokens, tokens);
}

// -- The slots of the loop ---------------------------------------------------

// The arguments of the body that run ahead, in order.
static void find_ahead(Expansion *p) {
  const int count = for_num_slots(p->loop);
  p->ahead = arena_array(p->m->arena, int, count);
  for (int i = 0; i < count; i++) {
    if (map_get(&p->s->carried, for_arg(p->loop, i))) {
      p->ahead[p->num_ahead++] = i;
    }
  }
}

// What the slots are in the trip after the one that p->now is about.
static void next_values(const Expansion *p, Value **out) {
  for (int i = 0; i < p->num_ahead; i++) {
    out[i] = now(p, region_yield(p->loop, 0, p->ahead[i]));
  }
}

static void set_now(Expansion *p, Value *iv, Value *const *values) {
  Arena *arena = p->m->arena;
  p->now = (Map){0};
  map_put(&p->now, arena, for_counter(p->loop), iv);
  for (int i = 0; i < p->num_ahead; i++) {
    map_put(&p->now, arena, for_arg(p->loop, p->ahead[i]), values[i]);
  }
}

// iv plus so many trips.
static Value *moved(Expansion *p, Builder *b, Value *iv, int trips) {
  if (!trips) return iv;
  const Type *type = iv->type;
  Value *way = p->step ? build_int(b, type, p->step * trips)
                       : build_muli(b, type, op_operand(p->loop, FOR_STEP),
                                    build_int(b, type, trips));
  return build_addi(b, type, iv, way);
}

// -- Before, in and behind the loop ------------------------------------------

// Copies the first trips; `values` are then those of the next one.
static void fill_rings(Expansion *p, Builder *b, Value **values) {
  Value *lower = op_operand(p->loop, FOR_LOWER);
  for (int i = 0; i < p->num_ahead; i++) {
    values[i] = for_init(p->loop, p->ahead[i]);
  }
  for (int trip = 0; trip < schedule_ahead(p->s); trip++) {
    set_now(p, moved(p, b, lower, trip), values);
    Value *there = p->runs;
    if (trip) {
      there = build_andi(b, there->type, there, exists(p, b, lower, trip));
    }
    copy_trip(p, b, build_int(b, scalar(p, ELEM_i32), trip), there, false);
    next_values(p, values);
  }
}

static Value *next_slot(Expansion *p, Builder *b, Value *slot) {
  const Type *i32 = scalar(p, ELEM_i32);
  const int count = schedule_ring(p->s);
  if (count == 1) return slot;
  Value *next = build_addi(b, i32, slot, build_int(b, i32, 1));
  if (!(count & (count - 1))) {
    return build_andi(b, i32, next, build_int(b, i32, count - 1));
  }
  Value *over =
      build_cmp(b, OP_cmpi, PREDICATE_eq, next, build_int(b, i32, count));
  return build_select(b, scalar(p, ELEM_i32), over, build_int(b, i32, 0), next);
}

// That of the trip before.
static Value *last_slot(Expansion *p, Builder *b, Value *slot) {
  const Type *i32 = scalar(p, ELEM_i32);
  const int count = schedule_ring(p->s);
  Value *end = build_int(b, i32, count - 1);
  if (!(count & (count - 1))) {
    return build_andi(b, i32, build_addi(b, i32, slot, end), end);
  }
  Value *zero = build_int(b, i32, 0);
  Value *first = build_cmp(b, OP_cmpi, PREDICATE_eq, slot, zero);
  Value *before = build_subi(b, i32, slot, build_int(b, i32, 1));
  return build_select(b, i32, first, end, before);
}

static bool holds_reads(const Op *op) {
  const unsigned reads = EFFECT_BIT(ACT_READ, EFFECT_SHARED);
  return op->kind == OP_dot || (op_effects(op) & reads);
}

// The first op before `end` that is behind everything that reads a buffer, and
// behind the dots: what is read for them need not wait in registers for the
// barrier.
static Op *behind_reads(Op *end) {
  Op *op = end;
  while (op->prev && !holds_reads(op->prev)) op = op->prev;
  return op->prev ? op : end;
}

static void move_before(Op *place, Op *first, const Op *end) {
  for (Op *op = first, *next; op != end; op = next) {
    next = op->next;
    op_unlink(op);
    op_insert_before(place, op);
  }
}

static void read_rings(Expansion *p, Builder *b, Value *slot) {
  for (size_t i = 0; i < p->s->loads.count; i++) {
    const Ring *ring = &p->rings[i];
    const bool one = has_one_buffer(p, ring->load);
    Value *from = one ? build_int(b, slot->type, 0) : slot;
    ring_read(b, ring, from, NULL);
  }
  schedule_sink_reads(p->s, p->loop->regions[0]);
}

static void erase_loads(const Schedule *s) {
  for (size_t i = 0; i < s->loads.count; i++) op_erase(s->loads.items[i]);
}

// Copies to only buffers for the trip that p->now is about, each as a group
// behind the last reading.
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

// Copies at the end of the body for the trip that is so many later; the first
// op of it.  `ahead` is then what runs ahead in the trip after it.
static Op *copy_later(Expansion *p, int trips, Value *slot, Value **ahead) {
  const Block *body = p->loop->regions[0];
  Op *last = block_end(body)->prev;
  Builder b = builder_before(p->m, block_end(body));
  Value *iv = for_counter(p->loop);
  set_now(p, moved(p, &b, iv, trips), ahead);
  Value *trip = exists(p, &b, iv, trips);
  const bool at_start = p->s->at_start;
  copy_trip(p, &b, at_start ? last_slot(p, &b, slot) : slot, trip, at_start);
  copy_behind_reads(p, trip);
  next_values(p, ahead);
  return last->next;
}

// The loop's last slots are the ring's position and what runs ahead.  Copies
// are made while loads are still loads, which another trip's may repeat.
static void rewrite_body(Expansion *p) {
  const Block *body = p->loop->regions[0];
  const int first = for_num_slots(p->loop) - p->num_ahead - 1;
  const int trips = schedule_ahead(p->s);
  Value *slot = for_arg(p->loop, first);
  Value **ahead = arena_array(p->m->arena, Value *, p->num_ahead);
  for (int i = 0; i < p->num_ahead; i++) {
    ahead[i] = for_arg(p->loop, first + 1 + i);
  }
  Op *copies = copy_later(p, trips, slot, ahead), *yield = block_end(body);
  Builder start = builder_before(p->m, body->first);
  ring_wait(&start, p->rings, trips - 1);
  const Op *wait = start.before->prev;
  read_rings(p, &start, slot);
  Op *place = p->s->at_start ? wait->next : behind_reads(copies);
  if (place != copies) move_before(place, copies, yield);
  Builder end = builder_before(p->m, yield);
  op_set_operand(yield, first, next_slot(p, &end, slot));
  for (int i = 0; i < p->num_ahead; i++) {
    op_set_operand(yield, first + 1 + i, ahead[i]);
  }
  erase_loads(p->s);
}

// Of a loop without a second trip, in front of it.
static void copy_once(Expansion *p) {
  Builder before = builder_before(p->m, p->loop);
  find_ahead(p);
  Value **values = arena_array(p->m->arena, Value *, p->num_ahead + 1);
  prepare_steps(p, &before);
  fill_rings(p, &before, values);
  ring_wait(&before, p->rings, 0);
  Value *slot = build_int(&before, scalar(p, ELEM_i32), 0);
  Builder start = builder_before(p->m, p->loop->regions[0]->first);
  read_rings(p, &start, slot);
  erase_loads(p->s);
}

static void copy_ahead(Expansion *p) {
  Builder before = builder_before(p->m, p->loop);
  find_ahead(p);
  Value **init = arena_array(p->m->arena, Value *, p->num_ahead + 1);
  prepare_steps(p, &before);
  fill_rings(p, &before, init + 1);
  init[0] = build_int(&before, scalar(p, ELEM_i32), 0);
  p->loop = for_add(p->loop, p->num_ahead + 1, init);
  rewrite_body(p);
  Builder behind = builder_before(p->m, p->loop->next);
  ring_wait(&behind, p->rings, 0);
}

// -- All ---------------------------------------------------------------------

static void store_loads(Module *m, Op *loop, const Target *target) {
  Schedule s;
  if (!schedule_stores(loop, target, &s) || !schedule_stores_fit(&s)) return;
  rings_store_here(m, loop, s.loads.items, (int)s.loads.count, target);
}

static bool pipeline_loop(Module *m, Op *loop, const Target *target) {
  Schedule schedule;
  const int most = schedule_most_stages(loop);
  if (!most) return true;
  if (!schedule_loop(loop, target, most, &schedule)) {
    schedule_tell_one_stage(&schedule);
    store_loads(m, loop, target);
    return true;
  }
  if (schedule_bytes(&schedule) > target->max_shared_block) {
    if (schedule.explicit_stages) return schedule_too_big(&schedule);
    if (!schedule_lower(&schedule)) return true;
  }
  const int count = (int)schedule.loads.count;
  if (schedule.stages == 1) {
    rings_copy_here(m, loop, schedule.loads.items, count, target);
    erase_loads(&schedule);
    return true;
  }
  Expansion p = {.m = m, .loop = loop, .s = &schedule};
  p.rings = arena_array(m->arena, Ring, count);
  Builder before = builder_before(m, loop);
  for (int i = 0; i < count; i++) {
    Op *load = schedule.loads.items[i];
    p.rings[i] =
        ring_create(&before, load, schedule_buffers(&schedule, load), target);
  }
  if (schedule.once) {
    copy_once(&p);
  } else {
    copy_ahead(&p);
  }
  Builder behind = builder_before(m, p.loop->next);
  if (p.loop->next->kind == OP_async_wait) {
    behind = builder_before(m, p.loop->next->next);
  }
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

static void visit_loop(Op *op, void *ctx) {
  if (op->kind == OP_for && loop_runs_once(op)) loop_to_if(ctx, op);
}

bool pass_pipeline_loops(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    if (!visit_block(m, f->body, target)) return false;
    if (target && target->is_gpu) block_walk(f->body, visit_loop, m);
  }
  return true;
}
