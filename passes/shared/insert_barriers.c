// insert_barriers.c -- barriers where threads would meet in memory.
//
// The function is walked with what was touched since the last barrier, of
// shared memory by bytes, of global memory by addresses.  A loop starts with
// what is left at its end, too: walks are repeated until no loop learns more.
// Copies in flight land at a wait, which every thread does for its own: from
// there on they count as written by it.
//
// A thread that comes back to its own bytes or elements needs no barrier: of
// shared memory by layouts (passes/analysis/owners.h); of global memory in the
// same tile of different addresses, each held by one thread, or in tiles whose
// addresses are known (passes/analysis/places.h), which may also be apart.  A
// loop that moves such a tile writes no element in two trips, as far as is
// known.  What is copied ahead is written by nobody
// (passes/pipeline/schedule.c).
#include "ir/builder.h"
#include "ir/exchange.h"
#include "passes/analysis/address.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/places.h"
#include "passes/pass.h"
#include "passes/shared/barriers.h"
#include "passes/shared/touches.h"

#include <assert.h>

enum { OLDEST_DOT = 16 }; // of those in flight that are told apart

// An access to global memory.
typedef struct {
  const Value *base, *ptr; // NULL: unknown
  const AddressSum *place; // NULL: unknown
  bool write, atomic;
  Motion motion;  // by the loops since
  const Op *loop; // the one that moved it; NULL: several
} GlobalAccess;

typedef Vec(GlobalAccess) Accesses;

typedef struct {
  Touches pending;   // since the last barrier
  Touches flying;    // by copies
  Touches reading;   // by dots
  Accesses accesses; // since the last barrier
} State;

// The accesses of one op to its scratch.
typedef struct {
  Touch store, load;
} Exchange;

typedef struct {
  Arena *arena;
  bool matrix;   // can matrices be loaded?
  Map loops;     // Op to the State that its body starts with
  Map places;    // of pointers
  Map exchanges; // of ops
  State state;
  bool changed;
  OpList *missing; // NULL: not wanted yet
} Walk;

// -- Sets --------------------------------------------------------------------

static bool is_same(const GlobalAccess *a, const GlobalAccess *b) {
  return a->base == b->base && a->ptr == b->ptr && a->write == b->write &&
         a->atomic == b->atomic && a->motion == b->motion && a->loop == b->loop;
}

static bool add_access(Arena *arena, Accesses *set, GlobalAccess access) {
  for (size_t i = 0; i < set->count; i++) {
    if (is_same(&set->items[i], &access)) return false;
  }
  vec_push(arena, set, access);
  return true;
}

static bool merge(Arena *arena, State *state, const State *more) {
  bool grown = touches_add_all(arena, &state->pending, &more->pending);
  grown |= touches_add_all(arena, &state->flying, &more->flying);
  grown |= touches_add_all(arena, &state->reading, &more->reading);
  for (size_t i = 0; i < more->accesses.count; i++) {
    grown |= add_access(arena, &state->accesses, more->accesses.items[i]);
  }
  return grown;
}

static State copy_of(Arena *arena, const State *state) {
  State copy = {0};
  merge(arena, &copy, state);
  return copy;
}

// -- Global memory -----------------------------------------------------------

// Do several threads hold an element?
static bool is_replicated(const Value *ptr) {
  if (!type_is_tile(ptr->type)) return true;
  const Layout *layout = ptr->type->layout;
  const uint32_t registers = layout_dim_mask(layout, LAYOUT_REGISTER);
  return layout_free_bits(layout) & ~registers;
}

// Two accesses through one tile: is each address left to one thread?  Of
// several that hold an element one stores, and all load.
static bool keeps_threads(const GlobalAccess *a, const GlobalAccess *b) {
  const bool writes = a->write && b->write;
  switch (a->motion) {
  case MOTION_NONE: return writes || !is_replicated(b->ptr);
  case MOTION_APART: return true;
  case MOTION_STRIDE: return writes;
  case MOTION_ANY: break;
  }
  return false;
}

static bool both_by_one_thread(const GlobalAccess *a, const GlobalAccess *b) {
  return a->ptr && b->ptr && a->write && b->write &&
         !type_is_tile(a->ptr->type) && !type_is_tile(b->ptr->type);
}

static bool accesses_clash(const GlobalAccess *a, const GlobalAccess *b) {
  if (!a->write && !b->write) return false;
  if (a->atomic && b->atomic) return false;
  if (a->base && b->base && a->base != b->base) return false;
  if (both_by_one_thread(a, b)) return false;
  if (a->motion == MOTION_NONE && (places_apart(a->place, b->place) ||
                                   places_by_one_thread(a->place, b->place)))
    return false;
  if (!a->ptr || a->ptr != b->ptr || !address_is_distinct(a->ptr)) return true;
  return !keeps_threads(a, b);
}

static bool clashes_with_any(const Accesses *set, const GlobalAccess *access) {
  for (size_t i = 0; i < set->count; i++) {
    if (accesses_clash(&set->items[i], access)) return true;
  }
  return false;
}

// A trip of another loop may undo what one did.
static void move_access(GlobalAccess *access, const Op *loop) {
  const Motion motion =
      loop->kind == OP_for ? address_motion(access->ptr, loop) : MOTION_STRIDE;
  if (motion == MOTION_NONE || access->loop == loop) return;
  const bool first = access->motion == MOTION_NONE;
  access->loop = first ? loop : NULL;
  if (!first && access->motion == MOTION_APART) access->motion = MOTION_STRIDE;
  if (motion > access->motion) access->motion = motion;
}

// Makes the accesses of a trip those of the trip before.
static void move_accesses(State *state, const Op *loop) {
  for (size_t i = 0; i < state->accesses.count; i++) {
    GlobalAccess *access = &state->accesses.items[i];
    const Value *ptr = access->ptr;
    if (!ptr || value_is_outside(ptr, loop->regions[0])) continue;
    move_access(access, loop);
  }
}

// -- Ops ---------------------------------------------------------------------

// The bytes that a view may be of: a slot of known number, or all slots.
static void find_bytes(const Value *view, Touch *out) {
  int64_t far = 0, bytes = buffer_bytes(view->type);
  for (; view->def->kind != OP_alloc_shared; view = op_operand(view->def, 0)) {
    int64_t slot;
    const Op *op = view->def;
    if (op->kind == OP_view_trans) continue;
    if (op->kind == OP_view_index &&
        value_constant_int(op_operand(op, 1), &slot)) {
      far += slot * buffer_bytes(view->type);
      continue;
    }
    far = 0;
    bytes = buffer_bytes(op_operand(op, 0)->type);
  }
  assert(far >= 0 && far + bytes <= buffer_bytes(view->type) &&
         "a slot beyond its buffer"); // I4
  out->start = op_int(view->def, ATTR_offset) + far;
  out->end = out->start + bytes;
}

// `tile` is what the bytes come from or go to.
static Touch touch_of(const Value *buffer, const Type *tile, TouchKind kind) {
  const Type *type = buffer->type;
  const int64_t bytes = element_bytes(type->element);
  Touch touch = {
      .slot = buffer_bytes(type),
      .write = kind != TOUCH_LOAD,
      .owners = owners_of(tile->layout, type->layout, bytes, kind),
  };
  find_bytes(buffer, &touch);
  return touch;
}

static void pass_barrier(Walk *w) {
  w->state.pending.count = 0;
  w->state.accesses.count = 0;
}

static void add_barrier(Walk *w, Op *op) {
  if (w->missing) vec_push(w->arena, w->missing, op);
  pass_barrier(w);
}

// A barrier in front of the op, if it needs one.
static void meet(Walk *w, Op *op, const Touch *touch) {
  if (touches_clash(&w->state.pending, touch)) add_barrier(w, op);
}

static void touch_buffer(Walk *w, Op *op, const Value *buffer, const Type *tile,
                         TouchKind kind) {
  const Touch touch = touch_of(buffer, tile, kind);
  meet(w, op, &touch);
  touches_add(w->arena, &w->state.pending, touch);
}

// Parts that go there one after the other have the same owners.
static Exchange *make_exchange(Walk *w, const Op *op, int64_t bytes) {
  LayoutCut cut;
  int64_t unit;
  Exchange *x = arena_new(w->arena, Exchange);
  const int64_t start = op_int(op, ATTR_offset);
  x->load = (Touch){.start = start, .end = start + bytes, .slot = bytes};
  x->store = x->load;
  x->store.write = true;
  if (exchange_cut(op, w->matrix, &cut, &unit)) {
    x->store.owners = owners_of(cut.store, cut.through, unit, TOUCH_STORE);
    x->load.owners = owners_of(cut.load, cut.through, unit, TOUCH_LOAD);
  }
  map_put(&w->exchanges, w->arena, op, x);
  return x;
}

// Written, a barrier inside, read.
static void touch_scratch(Walk *w, Op *op, int64_t bytes) {
  const Exchange *x = map_get(&w->exchanges, op);
  if (!x) x = make_exchange(w, op, bytes);
  meet(w, op, &x->store);
  pass_barrier(w);
  touches_add(w->arena, &w->state.pending, x->load);
}

static void land_copies(Walk *w, const Op *op) {
  touches_add_all(w->arena, &w->state.pending, &w->state.flying);
  if (!op_int(op, ATTR_count)) w->state.flying.count = 0;
}

static void touch_others(Walk *w, Op *op) {
  const int64_t bytes = op_scratch_bytes(op);
  if (bytes) touch_scratch(w, op, bytes);
}

static bool is_update(const Op *op) {
  return op->kind == OP_atomic_rmw || op->kind == OP_atomic_cas;
}

static const AddressSum *find_place(Walk *w, const Value *ptr) {
  AddressSum *place = map_get(&w->places, ptr);
  if (place) return place;
  place = place_of(w->arena, ptr);
  if (place) map_put(&w->places, w->arena, ptr, place);
  return place;
}

static GlobalAccess access_of(Walk *w, const Op *op) {
  GlobalAccess access = {.write = true};
  const bool plain =
      op->kind == OP_load || op->kind == OP_store || op->kind == OP_async_copy;
  if (!plain && !is_update(op)) return access;
  const unsigned write = EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  access.ptr = op_operand(op, 0);
  access.base = address_base(access.ptr);
  access.place = find_place(w, access.ptr);
  access.write = op_info[op->kind].effects & write;
  access.atomic = is_update(op);
  return access;
}

// An update that releases has a barrier before it, one that acquires after it.
static bool has_barrier(const Op *op, Sem one_sided) {
  const Sem sem = (Sem)op_int(op, ATTR_sem);
  return is_update(op) && (sem == SEM_acq_rel || sem == one_sided);
}

// With very many accesses since a barrier, address sums are no longer compared:
// each would be with all others.
static void touch_global(Walk *w, Op *op) {
  enum { MAX_PLACES = 256 };
  GlobalAccess access = access_of(w, op);
  const AddressSum *place = access.place;
  if (w->state.accesses.count >= MAX_PLACES) access.place = NULL;
  if (has_barrier(op, SEM_release)) pass_barrier(w);
  if (clashes_with_any(&w->state.accesses, &access)) add_barrier(w, op);
  access.place = place;
  add_access(w->arena, &w->state.accesses, access);
}

// A barrier that the buffer needs is in front of the reading, too.
static void start_copy(Walk *w, Op *op) {
  const Value *buffer = op_operand(op, 1);
  const Touch touch = touch_of(buffer, op_operand(op, 0)->type, TOUCH_COPY);
  meet(w, op, &touch);
  touch_global(w, op);
  touches_add(w->arena, &w->state.flying, touch);
}

// -- Structure ---------------------------------------------------------------

static void walk_block(Walk *w, const Block *block);

// The state at the start of a loop's body: `w->state`, merged with that of
// earlier walks.
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
  move_accesses(&w->state, loop);
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

// Each warp of a group reads for all of it, until the dot has ended: from there
// on it counts as read.  Nothing is written meanwhile to what a dot reads that
// runs on (passes/pipeline/async_dots.c).
static void read_operands(Walk *w, Op *dot) {
  Touches *reading = &w->state.reading;
  for (size_t i = 0; i < reading->count; i++) {
    int *age = &reading->items[i].age;
    if (*age < OLDEST_DOT) ++*age;
  }
  for (int i = 0; i < 2; i++) {
    const Value *operand = op_operand(dot, i);
    if (operand->type->kind != TYPE_MEMDESC) continue;
    Touch touch = {.slot = buffer_bytes(operand->type)};
    find_bytes(operand, &touch);
    meet(w, dot, &touch);
    touches_add(w->arena, reading, touch);
  }
}

static void end_dots(Walk *w, const Op *wait) {
  Touches *reading = &w->state.reading;
  size_t left = 0;
  for (size_t i = 0; i < reading->count; i++) {
    Touch touch = reading->items[i];
    if (touch.age < OLDEST_DOT && touch.age < op_int(wait, ATTR_count)) {
      reading->items[left++] = touch;
      continue;
    }
    assert(touch.age <= OLDEST_DOT && !touch.write); // I6
    touch.age = 0;
    touches_add(w->arena, &w->state.pending, touch);
  }
  reading->count = left;
}

static void walk_plain(Walk *w, Op *op) {
  switch (op->kind) {
  case OP_barrier: pass_barrier(w); break;
  case OP_alloc_shared:
    if (op->num_operands) {
      touch_buffer(w, op, op_result(op), op_operand(op, 0)->type, TOUCH_STORE);
    }
    break;
  case OP_load_shared:
    touch_buffer(w, op, op_operand(op, 0), op_result(op)->type, TOUCH_LOAD);
    break;
  case OP_store_shared:
    touch_buffer(w, op, op_operand(op, 1), op_operand(op, 0)->type,
                 TOUCH_STORE);
    break;
  case OP_async_dot: read_operands(w, op); break;
  case OP_dot_wait: end_dots(w, op); break;
  case OP_async_wait: land_copies(w, op); break;
  default: touch_others(w, op);
  }
}

// Instructions of the user's own touch global memory if they have a pointer.
static bool touches_global(const Op *op) {
  const unsigned global = EFFECT_BIT(ACT_READ, EFFECT_GLOBAL) |
                          EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  if (!(op_info[op->kind].effects & global)) return false;
  if (op->kind != OP_inline_asm_effects) return op->kind != OP_barrier;
  for (int i = 0; i < op->num_operands; i++) {
    const Type *type = type_element(op_operand(op, i)->type);
    if (type->kind == TYPE_POINTER) return true;
  }
  return false;
}

static void walk_op(Walk *w, Op *op) {
  switch (op->kind) {
  case OP_for: walk_for(w, op); return;
  case OP_while: walk_while(w, op); return;
  case OP_if: walk_if(w, op); return;
  case OP_async_copy: start_copy(w, op); return;
  default: break;
  }
  if (touches_global(op)) touch_global(w, op);
  walk_plain(w, op);
  if (has_barrier(op, SEM_acquire)) pass_barrier(w);
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

void barriers_missing(const Function *f, const Target *target, Arena *arena,
                      OpList *out) {
  Walk w = {.arena = arena,
            .matrix = target && target_can(target, CAP_LDMATRIX)};
  do {
    walk_function(&w, f);
  } while (w.changed);
  w.missing = out;
  walk_function(&w, f);
  assert(!w.changed && "a loop has learned more in the last walk"); // I5
}

bool pass_insert_barriers(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    OpList missing = {0};
    barriers_missing(f, target, m->arena, &missing);
    for (size_t i = 0; i < missing.count; i++) {
      Builder b = builder_before(m, missing.items[i]);
      build_op(&b, OP_barrier, 0, NULL, NULL, 0, NULL);
    }
  }
  return true;
}
