// warp_specialize.c -- one thread copies the blocks of loops, others compute.
//
//     for ... { %x = load_desc %d offsets(%k); ... %x ... }
//
// becomes, with a ring of n buffers and barriers for each,
//
//     warp_specialize () {
//       for ... (%slot, %phase) {
//         mbarrier_wait %empty[%slot], %phase; mbarrier_expect %full[%slot]
//         copy_desc %d, %ring[%slot], %full[%slot] offsets(%k)
//       }
//     } () {
//       for ... (%slot, %phase) {
//         mbarrier_wait %full[%slot], %phase
//         ... load_shared %ring[%slot] ...
//         mbarrier_arrive %empty[%slot] buffers(%ring)
//       }
//     }
//
// Each role has a copy of the kernel, without the scalars at its top; ops that
// only the other role needs are erased, or unused. Position and phase continue
// from loop to loop.  For a product that runs on into the next trip, the slot
// of the trip before is released; the first trip then releases an extra one,
// for which no thread waits.
#include "ir/roles.h"
#include "ir/wgmma.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/role_loops.h"
#include "passes/pipeline/role_slice.h"

#include <assert.h>

// -- Two copies of the kernel ------------------------------------------------

// Scalars at the top are shared by both roles.  The thread that makes a map is
// the one whose copies use it.
static void find_shared(const Function *f, Map *kept) {
  for (Op *op = f->body->first; op; op = op->next)
    if (!op_makes_map(op) && role_shares_scalar(kept, op))
      map_put(kept, f->module->arena, op, op);
}

// Only the computing role has effects.
static void erase_root(Op *op, void *ctx) {
  (void)ctx;
  if (!op_is_root(op) || op_has(op, TRAIT_TERMINATOR)) return;
  assert(op_is_unused(op) && "a role needs what the other one does"); // I13
  op_erase(op);
}

// Fills `copied`, from values of the computing role to those of the copying
// one.
static Op *make_roles(Function *f, Map *copied) {
  Module *m = f->module;
  Map kept = {0};
  find_shared(f, &kept);
  Builder b = builder_before(m, block_end(f->body));
  Op *roles = build_op(&b, OP_warp_specialize, 0, NULL, NULL, 0, NULL);
  Block *compute = block_create(f, 0, NULL);
  ops_move_except(compute, f->body->first, roles, &kept);
  Builder end = builder_at_end(m, compute, f->loc);
  build_yield(&end, 0, NULL);
  op_set_region(roles, 0, block_clone(m, compute, copied));
  op_set_region(roles, 1, compute);
  block_walk(roles->regions[0], erase_root, NULL);
  return roles;
}

// -- Loops -------------------------------------------------------------------

typedef enum { COPIES, COMPUTES } Role;

// The position in a ring: its slot, and the phase of the slot's barriers.
typedef struct {
  Value *slot, *phase;
} Position;

// A ring of blocks that is passed from loop to loop.
typedef struct {
  Module *m;
  Op *roles;
  const Map *copied;
  const Schedule *s; // of the current loop
  Ring *rings;
  Value *full, *empty; // barriers, one for each slot
  int arrivals;        // number, from groups of warps
  int cluster;         // number of blocks that run the program
  Map alike;           // loads that read the same in all blocks
  Position at;         // in the loop
  Position left[2];    // after the loop before, for each role; or NULL
  Vec(Op *) copying;   // loops that have filled the ring
  Map awaited;         // maps before which copies to the ring are waited for
} RingPassing;

static Value *build_number(const RingPassing *p, Builder *b, int number) {
  return build_int(b, type_scalar(&p->m->types, ELEM_i32), number);
}

// The op with `count` more values, which become those in the region around its
// inner ops.
static Op *add_slots(Op *op, int count, Value **values) {
  if (op->kind == OP_if) return if_add(op, count, values);
  const bool loops = op->kind == OP_while;
  Op *added = loops ? while_add(op, count, values) : for_add(op, count, values);
  Block *body = added->regions[loops];
  for (int i = 0; i < count; i++)
    values[i] = &body->args[body->num_args - count + i];
  return added;
}

// The loop with `count` more carried values, as in the ops around it; `values`
// are their initial values, and become its arguments.
static Op *carry(Op *loop, int count, Value **values) {
  const bool nested = loop->block->parent->kind != OP_warp_specialize;
  if (nested) carry(loop->block->parent, count, values);
  Op *added = add_slots(loop, count, values);
  Op *end = block_end(added->block);
  const int first = added->num_results - count;
  for (int i = 0; i < count && nested; i++)
    op_set_operand(end, end->num_operands - count + i,
                   &added->results[first + i]);
  return added;
}

static void start(RingPassing *p, Op *load, Role role) {
  Op *loop = load->block->parent;
  Builder b = builder_before(p->m, p->roles);
  Value *values[] = {p->left[role].slot, p->left[role].phase};
  if (values[0]) {
    loop = for_add(loop, 2, values);
    for (int i = 0; i < 2; i++)
      values[i] = for_arg(loop, for_num_slots(loop) - 2 + i);
  } else {
    values[0] = build_number(p, &b, 0);
    values[1] = build_number(p, &b, role == COPIES);
    carry(loop, 2, values);
  }
  assert(values[1]->index == values[0]->index + 1); // I14
  p->at = (Position){values[0], values[1]};
}

// An enclosing loop yields `now` in place of the position that an earlier loop
// has left.
static void hand_on(const Value *left, Value *now) {
  const Op *end = block_end(now->def->block);
  for (const Use *use = left ? left->uses : NULL, *next; use; use = next) {
    next = use->next;
    if (use->user == end) op_set_operand(use->user, use->index, now);
  }
}

// Builds the slot and phase of the next trip.
static void finish(RingPassing *p, Role role) {
  const Position at = p->at;
  assert(at.slot->block == at.phase->block && "of two loops"); // I14
  Op *loop = at.slot->block->parent, *yield = block_end(loop->regions[0]);
  Builder b = builder_before(p->m, yield);
  Value *next = ring_next_slot(&b, at.slot, schedule_ring(p->s));
  op_set_operand(yield, at.slot->index - 1, next);
  op_set_operand(yield, at.phase->index - 1,
                 ring_next_phase(&b, at.phase, next));
  const Position now = {&loop->results[at.slot->index - 1],
                        &loop->results[at.phase->index - 1]};
  hand_on(p->left[role].slot, now.slot);
  hand_on(p->left[role].phase, now.phase);
  p->left[role] = now;
}

// -- Maps that the copying thread makes in a loop ----------------------------

// The value that comes into an op in the slot at which it passes on position
// or phase: `back` is 2 or 1.
static Value *coming_in(const Op *op, const Op *loop, int back) {
  if (op->kind != OP_if) return op_operand(op, op->num_operands - back);
  const Op *inner = loop;
  while (inner->block->parent != op) inner = inner->block->parent;
  const Op *end = block_end(op->regions[inner->block == op->regions[0]]);
  return op_operand(end, end->num_operands - back);
}

// Waits for all copies to the ring: slots below the next one have been filled
// in this round, the others in the one before, or never.
static void await_copies(const RingPassing *p, Op *before, Value *slot,
                         Value *phase) {
  Builder b = builder_before(p->m, before);
  const Type *i32 = type_scalar(&p->m->types, ELEM_i32);
  Value *one = build_int(&b, i32, 1);
  Value *other = build_xori(&b, i32, phase, one);
  for (int i = 0; i < schedule_ring(p->s); i++) {
    Value *at = build_int(&b, i32, i);
    Value *below = build_cmp(&b, OP_cmpi, PREDICATE_lt, at, slot);
    Value *parity = build_select(&b, i32, below, other, phase);
    barrier_await(&b, barriers_at(&b, p->full, at), parity);
  }
}

// Waits, in front of the map, until no copy to the ring is pending; the
// position is the one that enters the next op with a loop that fills the ring.
static void await_before(const RingPassing *p, Op *map) {
  for (size_t i = 0; i < p->copying.count; i++) {
    Op *loop = p->copying.items[i];
    const Op *at = op_ancestor_in(loop, map->block);
    if (!op_comes_before(map, at)) continue;
    await_copies(p, map, coming_in(at, loop, 2), coming_in(at, loop, 1));
    return;
  }
}

// Copies by a map have ended before it is made again.
static void await_before_maps(RingPassing *p, Op *const *maps, int count) {
  vec_push(p->m->arena, &p->copying, p->at.slot->block->parent);
  for (int i = 0; i < count; i++) {
    if (!op_makes_map(maps[i]) || !op_is_in_loop(maps[i]) ||
        map_get(&p->awaited, maps[i]))
      continue;
    map_put(&p->awaited, p->m->arena, maps[i], maps[i]);
    await_before(p, maps[i]);
  }
}

// -- Blocks ------------------------------------------------------------------

static bool is_shared_block(const RingPassing *p, const Op *load,
                            const Ring *ring) {
  return map_get(&p->alike, load) && ring_is_shareable(ring, p->cluster);
}

// `from` is the computing role's copy of `load`.
static void copy_block(const RingPassing *p, Builder *b, const Ring *ring,
                       Op *load, const Op *from) {
  Ring other = *ring;
  Value *offsets[MAX_RANK];
  other.load = load;
  for (int i = 0; i < op_operand(load, 0)->type->rank; i++)
    offsets[i] = op_operand(load, 1 + i);
  Op *copy = ring_copy_block(b, &other, offsets, NULL, p->at.slot,
                             barriers_at(b, p->full, p->at.slot));
  if (is_shared_block(p, from, ring))
    op_set_int(p->m, copy, ATTR_cluster, p->cluster);
}

// Loads in the copying role become unused.
static void copy_blocks(RingPassing *p) {
  const Loads *loads = &p->s->loads;
  const int count = (int)loads->count;
  Op **maps = arena_array(p->m->arena, Op *, count);
  int64_t bytes;
  schedule_blocks(p->s, &bytes);
  for (int i = 0; i < count; i++) {
    const Value *load = map_get(p->copied, op_result(loads->items[i]));
    assert(load && load->def->kind == OP_load_desc); // I13
    maps[i] = op_operand(load->def, 0)->def;
    if (!i) start(p, load->def, COPIES);
    Builder b = builder_before(p->m, load->def);
    if (!i) {
      barrier_await(&b, barriers_at(&b, p->empty, p->at.slot), p->at.phase);
      barrier_expect(&b, barriers_at(&b, p->full, p->at.slot), NULL, bytes);
    }
    copy_block(p, &b, &p->rings[i], load->def, loads->items[i]);
  }
  await_before_maps(p, maps, count);
  finish(p, COPIES);
}

static void give_back(const RingPassing *p, Op *before, Value *slot) {
  Builder b = builder_before(p->m, before);
  barrier_arrive(&b, barriers_at(&b, p->empty, slot), p->arrivals,
                 (int)p->s->loads.count, p->rings);
}

// Each trip releases the slot of the trip before, whose product has completed;
// the slot of the last trip is released behind the loop, after a wait.
static void give_back_later(RingPassing *p, Op *loop) {
  Builder before = builder_before(p->m, loop);
  Value *none = build_number(p, &before, schedule_ring(p->s));
  const int last = for_num_slots(loop);
  loop = for_add(loop, 1, &none);
  p->at.slot = for_arg(loop, p->at.slot->index - 1);
  p->at.phase = for_arg(loop, p->at.phase->index - 1);
  op_set_operand(block_end(loop->regions[0]), last, p->at.slot);
  give_back(p, block_end(loop->regions[0]), for_arg(loop, last));
  give_back(p, loop->next, &loop->results[last]);
}

static void read_blocks(RingPassing *p) {
  const Loads *loads = &p->s->loads;
  start(p, loads->items[0], COMPUTES);
  Op *loop = p->at.slot->block->parent;
  Builder b = builder_before(p->m, loads->items[0]);
  barrier_await(&b, barriers_at(&b, p->full, p->at.slot), p->at.phase);
  for (size_t i = 0; i < loads->count; i++)
    ring_read(&b, &p->rings[i], p->at.slot, NULL);
  schedule_sink_reads(p->s, loop->regions[0]);
  for (size_t i = 0; i < loads->count; i++) op_erase(loads->items[i]);
  if (p->s->runs_on) {
    give_back_later(p, loop);
  } else {
    give_back(p, block_end(loop->regions[0]), p->at.slot);
  }
  finish(p, COMPUTES);
}

// -- Rings -------------------------------------------------------------------

static Ring *create_rings(const RingPassing *p, const Schedule *s) {
  const int count = (int)s->loads.count;
  Ring *rings = arena_array(p->m->arena, Ring, count);
  Builder before = builder_before(p->m, p->roles);
  for (int i = 0; i < count; i++)
    rings[i] =
        ring_create(&before, s->loads.items[i], schedule_ring(s), s->target);
  return rings;
}

// Can the rings of the loop before be used?
static bool keep_rings(RingPassing *p, const RoleLoop *loop) {
  const Schedule *s = &loop->schedule;
  if (!loop->goes_on) return false;
  assert(p->s && p->s->loads.count == s->loads.count); // I14
  Ring *rings = create_rings(p, s);
  bool same = true;
  for (size_t i = 0; i < s->loads.count; i++) {
    same &= rings[i].slot == p->rings[i].slot;
    op_erase(rings[i].ring->def);
    rings[i].ring = p->rings[i].ring;
  }
  if (same) p->rings = rings;
  return same;
}

// Are blocks of the loop, or of loops that continue its rings, copied to all
// blocks of the cluster?
static bool are_shared(const RingPassing *p, const RoleLoops *loops,
                       size_t at) {
  for (size_t i = at; i < loops->count; i++) {
    const Loads *loads = &loops->items[i].schedule.loads;
    if (i > at && !loops->items[i].goes_on) break;
    for (size_t k = 0; k < loads->count; k++)
      if (is_shared_block(p, loads->items[k], &p->rings[k])) return true;
  }
  return false;
}

// A slot to which other blocks copy is empty when each block has released it.
static void open_rings(RingPassing *p, const RoleLoops *loops, size_t at) {
  const Schedule *s = &loops->items[at].schedule;
  Function *f = op_function(p->roles);
  assert(p->arrivals > 0 && role_num_empty(s) >= schedule_ring(s)); // I14
  p->rings = create_rings(p, s);
  const bool shared = are_shared(p, loops, at);
  p->full = barriers_create(f, schedule_ring(s), 1);
  p->empty = shared ? barriers_create_shared(f, role_num_empty(s), p->arrivals)
                    : barriers_create(f, role_num_empty(s), p->arrivals);
  p->left[COPIES] = p->left[COMPUTES] = (Position){NULL, NULL};
  p->copying.count = 0;
  p->awaited = (Map){0};
}

// The rings of an inner loop live as long as the ops around it.
static void close_rings(const RingPassing *p) {
  assert(p->left[COPIES].slot->def != p->left[COMPUTES].slot->def &&
         "a role without a loop of its own"); // I14
  const Op *loop = p->left[COMPUTES].slot->def;
  if (loop->block->parent->kind != OP_warp_specialize) return;
  Builder behind = builder_before(p->m, loop->next);
  for (size_t i = 0; i < p->s->loads.count; i++)
    ring_free(&behind, &p->rings[i]);
}

static void pass_blocks(RingPassing *p, const RoleLoops *loops) {
  for (size_t i = 0; i < loops->count; i++) {
    const Schedule *s = &loops->items[i].schedule;
    const bool kept = keep_rings(p, &loops->items[i]);
    if (p->s && !kept) close_rings(p);
    if (!kept) open_rings(p, loops, i);
    p->s = s;
    copy_blocks(p);
    read_blocks(p);
  }
  close_rings(p);
}

// To be called before the roles are separated.
static void find_alike(RingPassing *p, const RoleLoops *loops) {
  for (size_t i = 0; i < loops->count && p->cluster > 1; i++) {
    const Loads *loads = &loops->items[i].schedule.loads;
    for (size_t k = 0; k < loads->count; k++) {
      Op *load = loads->items[k];
      if (role_copies_alike(p->m->arena, load))
        map_put(&p->alike, p->m->arena, load, load);
    }
  }
}

// -- All ---------------------------------------------------------------------

bool pass_warp_specialize(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    RoleLoops loops = {0};
    if (!role_loops_find(f, target, &loops)) continue;
    Map copied = {0};
    RingPassing p = {.m = m,
                     .copied = &copied,
                     .cluster = function_cluster(f),
                     .arrivals = function_num_warps(f) / WGMMA_WARPS};
    find_alike(&p, &loops);
    p.roles = make_roles(f, &copied);
    pass_blocks(&p, &loops);
  }
  return true;
}
