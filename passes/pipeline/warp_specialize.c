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
// where each role has a copy of the kernel but for the scalars at its top: what
// only the other one needs is erased, or unused.  Position and phase go on from
// loop to loop.  A product that runs on into the next trip has the slot of the
// trip before given back; the first trip gives back one that nobody waits for.
#include "ir/exchange.h"
#include "ir/roles.h"
#include "ir/wgmma.h"
#include "passes/pass.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/role_slice.h"
#include "passes/pipeline/schedule.h"
#include "passes/pipeline/slice.h"

#include <assert.h>

typedef Vec(Schedule) Schedules;

typedef struct {
  Module *m;
  const Target *target;
  Function *f;
  int64_t most_sums; // that the program's own threads have room for
  Schedules loops;   // whose blocks one role copies
  bool asked;        // by the program
  bool fails;
} Finder;

// -- Which loops -------------------------------------------------------------

static bool is_asked(const Op *loop) {
  for (; loop; loop = loop->block->parent)
    if (loop->kind == OP_for && op_int(loop, ATTR_warp_specialize)) return true;
  return false;
}

// Each load a block that the other role finds by itself, at any time.
static bool can_copy(const Finder *x, const Schedule *s) {
  for (size_t i = 0; i < s->loads.count; i++) {
    const Op *load = s->loads.items[i];
    if (!load_is_block(load) || !value_has_map(op_operand(load, 0)))
      return false;
    if (!load_is_safe_within(load, x->f->body)) return false;
    if (!role_can_copy(x->m->arena, load)) return false;
  }
  return true;
}

static void look_for_loop(Op *op, void *ctx) {
  Finder *x = ctx;
  Schedule s;
  // These call functions of the driver, which meet at barriers of their own.
  x->fails |= op->kind == OP_device_print || op->kind == OP_device_assert;
  x->fails |= op_int(op, ATTR_volatile) != 0;
  if (op->kind == OP_dot)
    x->fails |= op_result(op)->type->num_elements > x->most_sums;
  if (op->kind != OP_for) return;
  const int most = schedule_most_stages(op);
  if (!most || !schedule_loop(op, x->target, most, &s)) return;
  if (s.stages == 1 || s.once || s.num_levels > 1) return;
  if (!can_copy(x, &s)) return;
  x->asked |= is_asked(op);
  vec_push(x->m->arena, &x->loops, s);
}

static void add_stored(Op *op, void *ctx) {
  int64_t *bytes = ctx;
  if (op->kind != OP_store_desc || !op_is_in_loop(op)) return;
  const Type *tile = op_operand(op, 1)->type;
  *bytes += tile->num_elements * element_bytes(tile->element);
}

// Rings of a loop in a loop are never free.
static bool have_room(const Finder *x) {
  int64_t bytes = 0;
  block_walk(x->f->body, add_stored, &bytes);
  for (size_t i = 0; i < x->loops.count; i++)
    bytes += schedule_bytes(&x->loops.items[i]) +
             BARRIER_BYTES * (schedule_ring(&x->loops.items[i]) + 1);
  return bytes <= x->target->max_shared_block;
}

static bool find_loops(Finder *x) {
  const Function *f = x->f;
  enum { OTHERS = 32 }; // registers
  RoleShare share;
  const int warps = function_num_warps(f);
  if (!role_share(x->target, warps, &share)) return false;
  x->most_sums = (share.own - OTHERS) * warps * x->target->warp_size;
  if (attrs_find(f->attrs, f->num_attrs, ATTR_maxnreg)) return false;
  block_walk(f->body, look_for_loop, x);
  return x->asked && !x->fails && have_room(x);
}

// -- Two copies of the kernel ------------------------------------------------

// Scalars at the top are for both.
static bool is_shared(const Map *kept, const Op *op) {
  if (op->num_regions || op->num_results != 1 || !op_is_pure(op)) return false;
  if (type_is_tile(op_result(op)->type)) return false;
  for (int i = 0; i < op->num_operands; i++) {
    const Op *def = op_operand(op, i)->def;
    if (def && !map_get(kept, def)) return false;
  }
  return true;
}

static void move_rest(Function *f, const Op *end, Block *into) {
  Map kept = {0};
  for (Op *op = f->body->first, *next; op != end; op = next) {
    next = op->next;
    if (is_shared(&kept, op)) {
      map_put(&kept, f->module->arena, op, op);
      continue;
    }
    op_unlink(op);
    op_append(into, op);
  }
}

// What is done but to compute is the other role's.
static void erase_root(Op *op, void *ctx) {
  (void)ctx;
  if (!op_is_root(op) || op_has(op, TRAIT_TERMINATOR)) return;
  assert(op_is_unused(op) && "a role needs what the other one does"); // I13
  op_erase(op);
}

// `copied`: of the values of the role that computes, those of the other.
static Op *make_roles(Function *f, Map *copied) {
  Module *m = f->module;
  Builder b = builder_before(m, block_end(f->body));
  Op *roles = build_op(&b, OP_warp_specialize, 0, NULL, NULL, 0, NULL);
  Block *compute = block_create(f, 0, NULL);
  move_rest(f, roles, compute);
  Builder end = builder_at_end(m, compute, f->loc);
  build_yield(&end, 0, NULL);
  op_set_region(roles, 0, block_clone(m, compute, copied));
  op_set_region(roles, 1, compute);
  block_walk(roles->regions[0], erase_root, NULL);
  return roles;
}

// -- Loops -------------------------------------------------------------------

// A loop whose blocks go through rings; where each role is.
typedef struct {
  Module *m;
  const Schedule *s;
  Ring *rings;
  Value *full, *empty; // barriers, one a slot
  int arrivals;        // of groups of warps
  Value *slot, *phase;
} Passing;

static Value *build_number(const Passing *p, Builder *b, int number) {
  return build_int(b, type_scalar(&p->m->types, ELEM_i32), number);
}

// The loop, which hands on `count` values, as the loops around it do; they
// start as `values`, which become its arguments.
static Op *carry(Op *loop, int count, Value **values) {
  Op *outer = loop->block->parent;
  const bool nested = outer->kind == OP_for;
  if (nested) outer = carry(outer, count, values);
  Op *added = for_add(loop, count, values);
  const int first = for_num_slots(added) - count;
  for (int i = 0; i < count; i++) {
    values[i] = for_arg(added, first + i);
    if (!nested) continue;
    const int slot = for_num_slots(outer) - count + i;
    op_set_operand(block_end(added->block), slot, &added->results[first + i]);
  }
  return added;
}

static void start(Passing *p, Op *roles, Op *load, int phase) {
  Builder b = builder_before(p->m, roles);
  Value *values[] = {build_number(p, &b, 0), build_number(p, &b, phase)};
  carry(load->block->parent, 2, values);
  p->slot = values[0];
  p->phase = values[1];
}

// The slot and the phase of the next trip.
static void go_on(const Passing *p) {
  Op *loop = p->slot->block->parent, *yield = block_end(loop->regions[0]);
  Builder b = builder_before(p->m, yield);
  Value *next = ring_next_slot(&b, p->slot, schedule_ring(p->s));
  op_set_operand(yield, p->slot->index - 1, next);
  op_set_operand(yield, p->phase->index - 1,
                 ring_next_phase(&b, p->phase, next));
}

static void copy_block(const Passing *p, Builder *b, const Ring *ring,
                       Op *load) {
  Ring other = *ring;
  Value *offsets[MAX_RANK];
  other.load = load;
  for (int i = 0; i < op_operand(load, 0)->type->rank; i++)
    offsets[i] = op_operand(load, 1 + i);
  ring_copy_block(b, &other, offsets, NULL, p->slot,
                  barriers_at(b, p->full, p->slot));
}

// The loads of the role that copies are left without a use.
static void copy_blocks(Passing *p, Op *roles, const Map *copied) {
  const Loads *loads = &p->s->loads;
  int64_t bytes;
  schedule_blocks(p->s, &bytes);
  for (size_t i = 0; i < loads->count; i++) {
    const Value *load = map_get(copied, op_result(loads->items[i]));
    if (!i) start(p, roles, load->def, 1);
    Builder b = builder_before(p->m, load->def);
    if (!i) {
      barrier_await(&b, barriers_at(&b, p->empty, p->slot), p->phase);
      barrier_expect(&b, barriers_at(&b, p->full, p->slot), NULL, bytes);
    }
    copy_block(p, &b, &p->rings[i], load->def);
  }
  go_on(p);
}

// The trip gives back its slot, or that of the one before, whose product has
// ended; that of the last trip behind the loop, where it is waited for.
static void give_back(Passing *p, Op *loop) {
  Module *m = p->m;
  const int count = (int)p->s->loads.count, ring = schedule_ring(p->s);
  Value *given = p->slot;
  if (p->s->runs_on) {
    Builder before = builder_before(m, loop);
    Value *none = build_number(p, &before, ring);
    const int last = for_num_slots(loop);
    loop = for_add(loop, 1, &none);
    given = for_arg(loop, last);
    p->slot = for_arg(loop, p->slot->index - 1);
    p->phase = for_arg(loop, p->phase->index - 1);
    op_set_operand(block_end(loop->regions[0]), last, p->slot);
  }
  Builder end = builder_before(m, block_end(loop->regions[0]));
  barrier_arrive(&end, barriers_at(&end, p->empty, given), p->arrivals, count,
                 p->rings);
  Builder behind = builder_before(m, loop->next);
  if (op_is_in_loop(loop) && p->s->runs_on) {
    Value *last = &loop->results[for_num_slots(loop) - 1];
    barrier_arrive(&behind, barriers_at(&behind, p->empty, last), p->arrivals,
                   count, p->rings);
  }
  if (op_is_in_loop(loop)) return;
  for (int i = 0; i < count; i++) ring_free(&behind, &p->rings[i]);
}

static void read_blocks(Passing *p, Op *roles) {
  const Loads *loads = &p->s->loads;
  start(p, roles, loads->items[0], 0);
  Op *loop = p->slot->block->parent;
  Builder b = builder_before(p->m, loads->items[0]);
  barrier_await(&b, barriers_at(&b, p->full, p->slot), p->phase);
  for (size_t i = 0; i < loads->count; i++)
    ring_read(&b, &p->rings[i], p->slot, NULL);
  schedule_sink_reads(p->s, loop->regions[0]);
  for (size_t i = 0; i < loads->count; i++) op_erase(loads->items[i]);
  give_back(p, loop);
  go_on(p);
}

static void pass_blocks(Module *m, const Schedule *s, Op *roles,
                        const Map *copied) {
  Function *f = op_function(roles);
  const int ring = schedule_ring(s), count = (int)s->loads.count;
  Passing p = {.m = m,
               .s = s,
               .rings = arena_array(m->arena, Ring, count),
               .arrivals = function_num_warps(f) / WGMMA_WARPS};
  p.full = barriers_create(f, ring, 1);
  p.empty = barriers_create(f, ring + s->runs_on, p.arrivals);
  Builder before = builder_before(m, roles);
  for (int i = 0; i < count; i++)
    p.rings[i] = ring_create(&before, s->loads.items[i], ring, s->target);
  copy_blocks(&p, roles, copied);
  read_blocks(&p, roles);
}

// -- All ---------------------------------------------------------------------

bool pass_warp_specialize(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    Finder x = {.m = m, .target = target, .f = f};
    if (!find_loops(&x)) continue;
    Map copied = {0};
    Op *roles = make_roles(f, &copied);
    for (size_t i = 0; i < x.loops.count; i++)
      pass_blocks(m, &x.loops.items[i], roles, &copied);
  }
  return true;
}
