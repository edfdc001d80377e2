// pair_programs.c -- neighbours that load the same blocks become a cluster.
//
// Two programs are *neighbours* if their numbers along x differ in the lowest
// bit alone.  The launch makes a cluster of them where it can.  A value at the
// top of the kernel has a *twin*: the same value in the neighbour, computed
// here.  If the trips of a ring's loops are the same in both, and blocks that
// they load, too, one of the two copies such a block for both:
//
//     mbarrier_wait %empty; mbarrier_expect %full
//     copy_desc %a, ..., %full offsets(%m, %k)
//     copy_desc %b, ..., %full offsets(%k, %n)
//
// becomes, with %twin = %n as the neighbour has it,
//
//     %same = has_neighbour && %n == %twin
//     mbarrier_wait %empty; mbarrier_expect %full
//     copy_desc %a, ..., %full offsets(%m, %k)
//     copy_desc %b, ..., %full offsets(%k, %n) same(%same) {copier = 0}
//
// If blocks run several programs (persist_programs), the two blocks of a
// cluster run neighbours in each round, by the numbers that these have.  Then
// the trips must be the same in all programs, since a ring's slots go on from
// program to program; values are compared anew for each program.
//
// A slot is empty when both have given it back.  Without a neighbour, or where
// the values differ, each program runs for itself, by the same code.  Programs
// with roles do not wait for one another (load_is_safe_within()), so they may
// wait here.
#include "ir/roles.h"
#include "passes/analysis/analysis.h"
#include "passes/pass.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/role_slice.h"

enum { NEIGHBOURS = 2 };

// How a value at the top differs between neighbours.
typedef enum {
  SAME,   // never
  MAYBE,  // seldom: it depends on quotients and comparisons of their numbers
  APART,  // mostly
  UNKNOWN // mostly, and there is no twin of it
} Likeness;

typedef struct {
  Module *m;
  Function *f;
  Op *roles;
  const Block *body; // of the loop over programs, in the copying role; or NULL
  Value *number;     // of the program, which that loop carries; or NULL
  Value *paired;     // has_neighbour
  // These are of values and ops at the top of the kernel and of that loop.
  Map likeness; // no entry: SAME
  Map needed;   // ops whose results need twins
  Map twins;    // no entry: the value itself
} Pairing;

typedef Vec(Op *) Ops;

// A ring that programs may fill together.
typedef struct {
  Op *empty;         // its barriers for empty slots
  Ops waits;         // the copying role's, one for each loop
  RoleTops trips;    // values that determine the trips of the loops
  Ops copies;        // of blocks that may be the same for both programs
  Vec(RoleTops) own; // the values on which each of these depends
} PairRing;

// -- Likeness ----------------------------------------------------------------

static Likeness likeness_of(const Pairing *p, const Value *value) {
  return (Likeness)(uintptr_t)map_get(&p->likeness, value);
}

static Likeness most_apart(const Pairing *p, const Op *op) {
  Likeness most = SAME;
  for (int i = 0; i < op->num_operands; i++) {
    const Likeness one = likeness_of(p, op_operand(op, i));
    if (one > most) most = one;
  }
  return most;
}

static Likeness find_likeness(const Pairing *p, const Op *op) {
  const Likeness most = most_apart(p, op);
  if (op->num_regions || op_makes_map(op)) return UNKNOWN;
  if (op->kind == OP_program_id) return op_int(op, ATTR_axis) ? SAME : APART;
  if (op->kind == OP_block_id) return APART;
  if (role_shares_load(op)) return most == SAME ? SAME : UNKNOWN;
  if (!op_is_pure(op) || op->kind == OP_inline_asm) return UNKNOWN;
  if (most != APART) return most;
  switch (op->kind) {
  case OP_divsi:
  case OP_divui:
  case OP_shrsi:
  case OP_shrui:
  case OP_cmpi: return MAYBE;
  default: return APART;
  }
}

static void set_likeness(Pairing *p, const Value *value, Likeness likeness) {
  if (likeness != SAME)
    map_put(&p->likeness, p->m->arena, value, (void *)(uintptr_t)likeness);
}

static void find_all_likeness(Pairing *p, const Op *first, const Op *end) {
  for (const Op *op = first; op != end; op = op->next) {
    const Likeness likeness = find_likeness(p, op);
    for (int i = 0; i < op->num_results; i++)
      set_likeness(p, &op->results[i], likeness);
  }
}

// May all of the values be the same in both programs, and can they be compared?
static bool may_agree(const Pairing *p, const RoleTops *tops) {
  for (size_t i = 0; i < tops->count; i++) {
    const Likeness likeness = likeness_of(p, tops->items[i]);
    if (likeness > MAYBE) return false;
    if (likeness == MAYBE && !type_is_int(tops->items[i]->type)) return false;
  }
  return true;
}

// Are all surely the same?
static bool agree_always(const Pairing *p, const RoleTops *tops) {
  for (size_t i = 0; i < tops->count; i++)
    if (likeness_of(p, tops->items[i]) != SAME) return false;
  return true;
}

// -- Rings -------------------------------------------------------------------

typedef struct {
  Arena *arena;
  Vec(PairRing) rings;
} RingSearch;

// Are they for full slots?  The copying role waits for these, too, before it
// makes a map again.
static bool are_full(const Value *barriers) {
  for (const Use *use = barriers->uses; use; use = use->next) {
    const Op *user = use->user;
    if (user->kind == OP_mbarrier_expect) return true;
    if (user->kind == OP_mbarrier_index && are_full(op_result(user)))
      return true;
  }
  return false;
}

static void add_wait(Op *op, void *ctx) {
  RingSearch *s = ctx;
  if (op->kind != OP_mbarrier_wait) return;
  Op *empty = (Op *)(uintptr_t)mbarrier_alloc_of(op_operand(op, 0));
  if (are_full(op_result(empty))) return;
  size_t i = 0;
  while (i < s->rings.count && s->rings.items[i].empty != empty) i++;
  if (i == s->rings.count)
    vec_push(s->arena, &s->rings, ((PairRing){.empty = empty}));
  vec_push(s->arena, &s->rings.items[i].waits, op);
}

static void add_copies(const Pairing *p, PairRing *ring, const Op *wait) {
  Arena *arena = p->m->arena;
  for (Op *op = wait->block->first; op; op = op->next) {
    RoleTops tops = {0};
    if (op->kind != OP_copy_desc || !role_copy_tops(arena, op, p->body, &tops))
      continue;
    if (!may_agree(p, &tops)) continue;
    vec_push(arena, &ring->copies, op);
    vec_push(arena, &ring->own, tops);
  }
}

static bool find_copies(const Pairing *p, PairRing *ring) {
  for (size_t i = 0; i < ring->waits.count; i++) {
    const Op *wait = ring->waits.items[i];
    if (!role_trip_tops(p->m->arena, wait, p->body, &ring->trips)) return false;
    add_copies(p, ring, wait);
  }
  if (!ring->copies.count) return false;
  return p->body ? agree_always(p, &ring->trips) : may_agree(p, &ring->trips);
}

// -- Twins -------------------------------------------------------------------

static void need(Pairing *p, const RoleTops *tops) {
  for (size_t i = 0; i < tops->count; i++) {
    const Op *op = tops->items[i]->def;
    if (op && likeness_of(p, tops->items[i]) != SAME)
      map_put(&p->needed, p->m->arena, op, (void *)(uintptr_t)op);
  }
}

// Adds the ops that compute operands of needed ones, which come before `end`.
static void need_operands(Pairing *p, const Op *last) {
  for (const Op *op = last; op; op = op->prev) {
    if (!map_get(&p->needed, op)) continue;
    for (int i = 0; i < op->num_operands; i++) {
      const Op *def = op_operand(op, i)->def;
      if (def && likeness_of(p, op_operand(op, i)) != SAME)
        map_put(&p->needed, p->m->arena, def, (void *)(uintptr_t)def);
    }
  }
}

// A number of a program, or of a block, differs in the lowest bit.
static void build_other(Pairing *p, Value *own, Op *before) {
  Builder b = builder_before(p->m, before);
  map_put(&p->twins, p->m->arena, own,
          build_xori(&b, own->type, own, build_int(&b, own->type, 1)));
}

static void build_twin(Pairing *p, Op *op, Op *before) {
  if (op->kind == OP_program_id || op->kind == OP_block_id)
    build_other(p, op_result(op), before);
  else
    op_insert_before(before, op_clone(p->m, op, &p->twins));
}

// `before`: the place of the twins; NULL: each twin is behind its value.
static void build_twins(Pairing *p, Op *first, const Op *end, Op *before) {
  for (Op *op = first, *next; op != end; op = next) {
    next = op->next;
    if (map_get(&p->needed, op)) build_twin(p, op, before ? before : next);
  }
}

static void build_all_twins(Pairing *p) {
  if (p->body) need_operands(p, p->body->last);
  need_operands(p, p->roles->prev);
  build_twins(p, p->f->body->first, p->roles, p->roles);
  if (!p->body) return;
  if (p->number) build_other(p, p->number, p->body->first);
  build_twins(p, p->body->first, NULL, NULL);
}

// -- Conditions --------------------------------------------------------------

// Builds the condition that `known` (NULL: true) holds and each value of `tops`
// equals its twin.
static Value *agree(const Pairing *p, Builder *b, Value *known,
                    const RoleTops *tops) {
  for (size_t i = 0; i < tops->count; i++) {
    Value *own = (Value *)(uintptr_t)tops->items[i];
    Value *twin = map_get(&p->twins, own);
    if (twin)
      known =
          build_both(b, known, build_cmp(b, OP_cmpi, PREDICATE_eq, own, twin));
  }
  return known;
}

// Builds the condition that the trips, and at least one of the blocks, are the
// same in both programs.  Blocks that run several programs always run in step,
// since a slot that one of them fills for both must have been given back by
// both.
static Value *build_together(const Pairing *p, Builder *b,
                             const PairRing *ring) {
  if (p->body) return p->paired;
  Value *trips = agree(p, b, p->paired, &ring->trips);
  Value *any = NULL;
  for (size_t i = 0; i < ring->copies.count; i++) {
    Value *same = agree(p, b, NULL, &ring->own.items[i]);
    if (!same) return trips;
    any = any ? build_ori(b, any->type, any, same) : same;
  }
  return build_both(b, trips, any);
}

// Do both load the block?
static Value *build_same(const Pairing *p, Builder *b, Value *together,
                         const PairRing *ring, size_t i) {
  if (p->body) {
    Op *copy = ring->copies.items[i];
    Builder in = builder_before(p->m, op_ancestor_in(copy, p->body));
    return agree(p, &in, together, &ring->own.items[i]);
  }
  if (ring->copies.count == 1) return together;
  return agree(p, b, together, &ring->own.items[i]);
}

// -- Changes -----------------------------------------------------------------

static void share_arrivals(const Pairing *p, const Value *barriers,
                           Value *together) {
  for (const Use *use = barriers->uses, *next; use; use = next) {
    next = use->next;
    if (use->user->kind == OP_mbarrier_index)
      share_arrivals(p, op_result(use->user), together);
    else if (use->user->kind == OP_mbarrier_arrive)
      op_add_operand(p->m, use->user, 2, together);
  }
}

static void pair_ring(const Pairing *p, const PairRing *ring) {
  Builder b = builder_before(p->m, p->roles);
  Value *together = build_together(p, &b, ring);
  for (size_t i = 0; i < ring->copies.count; i++) {
    Op *copy = ring->copies.items[i];
    op_add_operand(p->m, copy, 5, build_same(p, &b, together, ring, i));
    op_set_int(p->m, copy, ATTR_copier, (int64_t)i % NEIGHBOURS);
  }
  share_arrivals(p, op_result(ring->empty), together);
  barriers_share(ring->empty, NEIGHBOURS);
}

// -- All ---------------------------------------------------------------------

// The body of the loop over programs in the role; NULL: a block runs one.
static const Block *find_body(const Function *f, const Block *role) {
  const Op *op = f->body->first;
  while (op && op->kind != OP_block_id) op = op->next;
  if (!op) return NULL;
  for (op = role->first; op && op->kind != OP_for;) op = op->next;
  return op ? op->regions[0] : NULL;
}

// The first program's number is that of the block.  NULL: the role needs no
// numbers.
static Value *find_number(const Block *body) {
  const Op *loop = body->parent;
  for (int slot = 0; slot < for_num_slots(loop); slot++)
    if (value_def(for_init(loop, slot), OP_block_id))
      return for_arg(loop, slot);
  return NULL;
}

// Values in the loop depend on the number of the program.
static void enter_body(Pairing *p) {
  p->number = find_number(p->body);
  if (p->number) set_likeness(p, p->number, APART);
  find_all_likeness(p, p->body->first, NULL);
}

static void pair_function(Module *m, Function *f, Op *roles) {
  Pairing p = {.m = m, .f = f, .roles = roles};
  RingSearch search = {.arena = m->arena};
  p.body = find_body(f, roles->regions[0]);
  find_all_likeness(&p, f->body->first, roles);
  if (p.body) enter_body(&p);
  block_walk(roles->regions[0], add_wait, &search);
  size_t count = 0;
  for (size_t i = 0; i < search.rings.count; i++) {
    PairRing ring = search.rings.items[i];
    if (find_copies(&p, &ring)) search.rings.items[count++] = ring;
  }
  for (size_t i = 0; i < count; i++) {
    const PairRing *ring = &search.rings.items[i];
    need(&p, &ring->trips);
    for (size_t k = 0; k < ring->own.count; k++) need(&p, &ring->own.items[k]);
  }
  build_all_twins(&p);
  if (!count) return;
  Builder b = builder_before(m, roles);
  p.paired = build_has_neighbour(&b);
  for (size_t i = 0; i < count; i++) pair_ring(&p, &search.rings.items[i]);
}

bool pass_pair_programs(Module *m, const Target *target) {
  (void)target; // only chips with clusters have roles
  for (Function *f = m->functions; f; f = f->next) {
    Op *roles = function_roles(f);
    if (roles && function_cluster(f) == 1) pair_function(m, f, roles);
  }
  return true;
}
