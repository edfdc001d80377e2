// insert_barriers.c -- barriers between conflicting accesses of threads.
//
// The function is walked with the set of accesses since the last barrier: bytes
// of shared memory, and addresses of global memory.  The body of a loop starts
// with the accesses at its end, too: walks are repeated until no loop's set
// grows.  A pending copy completes at a wait, which every thread does for its
// own copies: from there on it counts as a write of that thread.
//
// A thread that accesses its own bytes or elements again needs no barrier.  For
// shared memory this follows from layouts (passes/analysis/owners.h); for
// global memory, from one tile of different addresses that belong to one thread
// each, or from tiles with known addresses (passes/analysis/places.h), which
// may also be disjoint.  If a loop moves such a tile, its trips are assumed to
// write different elements.  Memory that is copied ahead is not written
// (passes/pipeline/schedule.c).
//
// Example: store_shared %x, %b, then load_shared %b in another layout: another
// thread's bytes are read, so a barrier is inserted in front of the load; with
// the same layout for both, none is.
#include "ir/builder.h"
#include "ir/exchange.h"
#include "ir/wgmma.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"
#include "passes/shared/accesses.h"
#include "passes/shared/barriers.h"
#include "passes/shared/touches.h"

#include <assert.h>

enum { OLDEST_DOT = 16 }; // pending dots that are distinguished

typedef struct {
  Touches pending;         // since the last barrier
  Touches flying;          // by pending copies
  Touches reading;         // by dots
  Touches sending;         // by copies to global memory
  Touches unfenced;        // written by threads since the last fence
  GlobalAccesses accesses; // since the last barrier
} State;

// The accesses of one op to its scratch.
typedef struct {
  SlotTouch store, load;
} Exchange;

typedef struct {
  Arena *arena;
  bool matrix;    // ldmatrix may be used
  bool one_group; // only one group of warps multiplies
  Map loops;      // Op to the State at the start of its body
  Map places;     // of pointers
  Map exchanges;  // of ops
  State state;
  bool changed;
  Missing *missing; // out; NULL in earlier walks
} BarrierWalk;

// -- Sets --------------------------------------------------------------------

static bool merge(Arena *arena, State *state, const State *more) {
  bool grown = touches_add_all(arena, &state->pending, &more->pending);
  grown |= touches_add_all(arena, &state->flying, &more->flying);
  grown |= touches_add_all(arena, &state->reading, &more->reading);
  grown |= touches_add_all(arena, &state->sending, &more->sending);
  grown |= touches_add_all(arena, &state->unfenced, &more->unfenced);
  for (size_t i = 0; i < more->accesses.count; i++) {
    grown |= accesses_add(arena, &state->accesses, more->accesses.items[i]);
  }
  return grown;
}

static State copy_of(Arena *arena, const State *state) {
  State copy = {0};
  merge(arena, &copy, state);
  return copy;
}

// Changes the accesses of a trip to their form as seen by the next trip.
static void move_accesses(State *state, const Op *loop) {
  for (size_t i = 0; i < state->accesses.count; i++) {
    GlobalAccess *access = &state->accesses.items[i];
    const Value *ptr = access->ptr;
    if (!ptr || value_is_outside(ptr, loop->regions[0])) continue;
    access_move(access, loop);
  }
}

// -- Ops ---------------------------------------------------------------------

static void pass_barrier(BarrierWalk *w) {
  w->state.pending.count = 0;
  w->state.accesses.count = 0;
}

static void add_barrier(BarrierWalk *w, Op *op) {
  if (w->missing) vec_push(w->arena, &w->missing->barriers, op);
  pass_barrier(w);
}

static void add_touch(BarrierWalk *w, SlotTouch touch) {
  touches_add(w->arena, &w->state.pending, touch);
  touch.owners.known = false;
  if (touch.write) touches_add(w->arena, &w->state.unfenced, touch);
}

// Adds a barrier in front of the op, if the access needs one.
static void meet(BarrierWalk *w, Op *op, const SlotTouch *touch) {
  if (touches_clash(&w->state.pending, touch)) add_barrier(w, op);
}

static void touch_buffer(BarrierWalk *w, Op *op, const Value *buffer,
                         const Type *tile, TouchKind kind) {
  const SlotTouch touch = touch_of(buffer, tile, kind);
  meet(w, op, &touch);
  add_touch(w, touch);
}

// Parts that use the scratch in turn have the same owners.
static Exchange *make_exchange(BarrierWalk *w, const Op *op, int64_t bytes) {
  LayoutCut cut;
  int64_t unit;
  Exchange *x = arena_new(w->arena, Exchange);
  const int64_t start = op_int(op, ATTR_offset);
  x->load = (SlotTouch){.start = start, .end = start + bytes, .slot = bytes};
  x->store = x->load;
  x->store.write = true;
  if (exchange_cut(op, w->matrix, &cut, &unit)) {
    x->store.owners = owners_of(cut.store, cut.through, unit, TOUCH_STORE);
    x->load.owners = owners_of(cut.load, cut.through, unit, TOUCH_LOAD);
  }
  map_put(&w->exchanges, w->arena, op, x);
  return x;
}

// The scratch is written, then there is a barrier inside the op, then it is
// read.
static void touch_scratch(BarrierWalk *w, Op *op, int64_t bytes) {
  const Exchange *x = map_get(&w->exchanges, op);
  if (!x) x = make_exchange(w, op, bytes);
  meet(w, op, &x->store);
  add_touch(w, x->store);
  pass_barrier(w);
  touches_add(w->arena, &w->state.pending, x->load);
}

static void land_copies(BarrierWalk *w, const Op *op) {
  const Touches *flying = &w->state.flying;
  for (size_t i = 0; i < flying->count; i++) add_touch(w, flying->items[i]);
  if (!op_int(op, ATTR_count)) w->state.flying.count = 0;
}

static void touch_others(BarrierWalk *w, Op *op) {
  const int64_t bytes = op_scratch_bytes(op);
  if (bytes) touch_scratch(w, op, bytes);
}

static const AddressSum *find_place(BarrierWalk *w, const Value *ptr) {
  AddressSum *place = map_get(&w->places, ptr);
  if (place) return place;
  place = place_of(w->arena, ptr);
  if (place) map_put(&w->places, w->arena, ptr, place);
  return place;
}

static GlobalAccess access_of(BarrierWalk *w, const Op *op) {
  GlobalAccess access = {.write = true};
  const bool plain =
      op->kind == OP_load || op->kind == OP_store || op->kind == OP_async_copy;
  if (!plain && !op_is_atomic(op)) return access;
  const unsigned write = EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  access.ptr = op_operand(op, 0);
  access.base = address_base(access.ptr);
  access.place = find_place(w, access.ptr);
  access.write = op_info[op->kind].effects & write;
  access.atomic = op_is_atomic(op);
  return access;
}

// A releasing update has a barrier before it, an acquiring one after it.
static bool has_barrier(const Op *op, Sem one_sided) {
  const Sem sem = (Sem)op_int(op, ATTR_sem);
  return op_is_atomic(op) && (sem == SEM_acq_rel || sem == one_sided);
}

// With very many accesses since a barrier, address sums are no longer compared,
// as each would be compared with all others.
static void touch_global(BarrierWalk *w, Op *op) {
  enum { MAX_PLACES = 256 };
  GlobalAccess access = access_of(w, op);
  const AddressSum *place = access.place;
  if (w->state.accesses.count >= MAX_PLACES) access.place = NULL;
  if (has_barrier(op, SEM_release)) pass_barrier(w);
  if (accesses_clash(&w->state.accesses, &access)) add_barrier(w, op);
  access.place = place;
  accesses_add(w->arena, &w->state.accesses, access);
}

// A barrier for the buffer is inserted in front of the read, too.
static void start_copy(BarrierWalk *w, Op *op) {
  const Value *buffer = op_operand(op, 1);
  const SlotTouch touch = touch_of(buffer, op_operand(op, 0)->type, TOUCH_COPY);
  meet(w, op, &touch);
  touch_global(w, op);
  touches_add(w->arena, &w->state.flying, touch);
}

// -- Bulk copies -------------------------------------------------------------

// Adds a fence and a barrier in front of the op, if its copy needs them: the
// threads that wrote execute the fence.  The operands of one group's products
// were read completely once the copying thread has waited for the products.
static void meet_copy(BarrierWalk *w, Op *op, const SlotTouch *touch) {
  const Touches *pending = &w->state.pending;
  const SlotTouch fenced = {touch->start, touch->end, touch->slot,
                            .write = true};
  if (touches_clash(&w->state.unfenced, &fenced)) {
    if (w->missing) vec_push(w->arena, &w->missing->fences, op);
    w->state.unfenced.count = 0;
  }
  for (size_t i = 0; i < pending->count; i++) {
    const Touches one = {.items = pending->items + i, .count = 1};
    if (pending->items[i].waited) continue;
    if (!touches_clash(&one, touch)) continue;
    add_barrier(w, op);
    return;
  }
}

// The threads that read the copied bytes have waited for the copy themselves.
static void start_bulk_copy(BarrierWalk *w, Op *op) {
  const SlotTouch touch = touch_of_bytes(op_operand(op, 1), true);
  meet_copy(w, op, &touch);
}

static void send_block(BarrierWalk *w, Op *op) {
  const SlotTouch touch = touch_of_bytes(op_operand(op, 1), false);
  meet_copy(w, op, &touch);
  touches_add(w->arena, &w->state.sending, touch);
}

static void end_sending(BarrierWalk *w) {
  Touches *sending = &w->state.sending;
  for (size_t i = 0; i < sending->count; i++) {
    SlotTouch touch = sending->items[i];
    touch.waited = true;
    touches_add(w->arena, &w->state.pending, touch);
  }
  sending->count = 0;
}

static SlotTouch touch_of_barriers(const Op *alloc, bool write) {
  const int64_t start = op_int(alloc, ATTR_offset);
  const int64_t bytes = BARRIER_BYTES * mbarrier_size(alloc);
  return (SlotTouch){start, start + bytes, bytes, .write = write};
}

// One thread initializes the barriers.
static void make_barriers(BarrierWalk *w, const Op *op) {
  touches_add(w->arena, &w->state.pending, touch_of_barriers(op, true));
}

static void use_barrier(BarrierWalk *w, Op *op) {
  const Op *alloc = mbarrier_alloc_of(op_operand(op, 0));
  const SlotTouch touch = touch_of_barriers(alloc, false);
  meet(w, op, &touch);
}

// One thread of each group releases the buffers that the group has read; for
// bytes that threads read individually, a barrier comes first.
static void give_back(BarrierWalk *w, Op *arrive) {
  const Touches *pending = &w->state.pending;
  for (int i = 1; i <= op_group_size(arrive, 1); i++) {
    const SlotTouch given = touch_of_bytes(op_operand(arrive, i), true);
    for (size_t k = 0; k < pending->count; k++) {
      const Touches one = {.items = pending->items + k, .count = 1};
      if (pending->items[k].groups || !touches_clash(&one, &given)) continue;
      add_barrier(w, arrive);
      return;
    }
  }
}

// -- Structure ---------------------------------------------------------------

static void walk_block(BarrierWalk *w, const Block *block);

// All threads synchronize before the roles start.  The copying thread takes
// part in no barrier.
static void walk_roles(BarrierWalk *w, Op *op) {
  if (w->state.pending.count) add_barrier(w, op);
  const State before = copy_of(w->arena, &w->state);
  walk_block(w, op->regions[0]);
  w->state = before;
  walk_block(w, op->regions[1]);
}

// The state at the start of a loop's body: `w->state`, merged with that of
// earlier walks.
static void enter_loop(BarrierWalk *w, const Op *loop) {
  State *start = map_get(&w->loops, loop);
  if (!start) {
    start = arena_new(w->arena, State);
    map_put(&w->loops, w->arena, loop, start);
  }
  merge(w->arena, start, &w->state);
  w->state = copy_of(w->arena, start);
}

static void end_trip(BarrierWalk *w, const Op *loop) {
  move_accesses(&w->state, loop);
  w->changed |= merge(w->arena, map_get(&w->loops, loop), &w->state);
}

static void walk_for(BarrierWalk *w, const Op *op) {
  const State before = copy_of(w->arena, &w->state);
  enter_loop(w, op);
  walk_block(w, op->regions[0]);
  end_trip(w, op);
  merge(w->arena, &w->state, &before); // the loop may have no trip
}

static void walk_while(BarrierWalk *w, const Op *op) {
  enter_loop(w, op);
  walk_block(w, op->regions[0]);
  const State leaving = copy_of(w->arena, &w->state);
  walk_block(w, op->regions[1]);
  end_trip(w, op);
  w->state = leaving;
}

static void walk_if(BarrierWalk *w, const Op *op) {
  const State before = copy_of(w->arena, &w->state);
  walk_block(w, op->regions[0]);
  const State after = w->state;
  w->state = before;
  walk_block(w, op->regions[1]);
  merge(w->arena, &w->state, &after);
}

// Each warp of a group reads for the whole group until the dot has completed:
// from there on the bytes count as read.  The operands of a dot that runs on
// are not written meanwhile (passes/pipeline/async_dots.c).
static void read_operands(BarrierWalk *w, Op *dot) {
  Touches *reading = &w->state.reading;
  for (size_t i = 0; i < reading->count; i++) {
    int *age = &reading->items[i].age;
    if (*age < OLDEST_DOT) ++*age;
  }
  for (int i = 0; i < 2; i++) {
    const Value *operand = op_operand(dot, i);
    if (operand->type->kind != TYPE_MEMDESC) continue;
    const SlotTouch touch = touch_of_bytes(operand, false);
    meet(w, dot, &touch);
    touches_add(w->arena, reading, touch);
  }
}

static void end_dots(BarrierWalk *w, const Op *wait) {
  Touches *reading = &w->state.reading;
  size_t left = 0;
  for (size_t i = 0; i < reading->count; i++) {
    SlotTouch touch = reading->items[i];
    if (touch.age < OLDEST_DOT && touch.age < op_int(wait, ATTR_count)) {
      reading->items[left++] = touch;
      continue;
    }
    assert(touch.age <= OLDEST_DOT && !touch.write); // I6
    touch.age = 0;
    touch.waited = w->one_group;
    touch.groups = true;
    touches_add(w->arena, &w->state.pending, touch);
  }
  reading->count = left;
}

static void walk_plain(BarrierWalk *w, Op *op) {
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
  case OP_async_fence: w->state.unfenced.count = 0; break;
  case OP_bulk_wait:
  case OP_bulk_wait_read: end_sending(w); break;
  case OP_mbarrier_alloc: make_barriers(w, op); break;
  case OP_mbarrier_arrive:
    give_back(w, op);
    use_barrier(w, op);
    break;
  case OP_mbarrier_expect:
  case OP_mbarrier_wait:
  case OP_mbarrier_await: use_barrier(w, op); break;
  default: touch_others(w, op);
  }
}

// The user's assembly accesses global memory if it has a pointer.
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

static void walk_op(BarrierWalk *w, Op *op) {
  switch (op->kind) {
  case OP_for: walk_for(w, op); return;
  case OP_while: walk_while(w, op); return;
  case OP_if: walk_if(w, op); return;
  case OP_warp_specialize: walk_roles(w, op); return;
  case OP_async_copy: start_copy(w, op); return;
  case OP_copy_desc: start_bulk_copy(w, op); return;
  case OP_copy_rows:
  case OP_copy_to_desc: send_block(w, op); return;
  default: break;
  }
  if (touches_global(op)) touch_global(w, op);
  walk_plain(w, op);
  if (has_barrier(op, SEM_acquire)) pass_barrier(w);
}

// Recursion is as deep as regions nest, which the parsers limit.
static void walk_block(BarrierWalk *w, const Block *block) {
  for (Op *op = block->first; op; op = op->next) walk_op(w, op);
}

static void walk_function(BarrierWalk *w, const Function *f) {
  w->state = (State){0};
  w->changed = false;
  walk_block(w, f->body);
}

void barriers_missing(const Function *f, const Target *target, Arena *arena,
                      Missing *out) {
  BarrierWalk w = {.arena = arena,
                   .matrix = target && target_can(target, CAP_LDMATRIX),
                   .one_group = function_num_warps(f) <= WGMMA_WARPS};
  do {
    walk_function(&w, f);
  } while (w.changed);
  w.missing = out;
  walk_function(&w, f);
  assert(!w.changed && "a loop has learned more in the last walk"); // I5
}

static void insert(Module *m, const MissingOps *list, OpKind kind) {
  for (size_t i = 0; i < list->count; i++) {
    Builder b = builder_before(m, list->items[i]);
    build_op(&b, kind, 0, NULL, NULL, 0, NULL);
  }
}

bool pass_insert_barriers(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    Missing missing = {0};
    barriers_missing(f, target, m->arena, &missing);
    insert(m, &missing.fences, OP_async_fence);
    insert(m, &missing.barriers, OP_barrier);
  }
  return true;
}
