// tensor_maps.c -- the windows into tensors that become tensor maps, made by
// the launch.
//
// A descriptor that fits gets the number of its map and moves to the top of the
// kernel, and loads and stores use it.  A block pointer gets such a descriptor
// beside it, one for each choice of bounds and padding, and its loads and
// stores get the number.  A descriptor whose base differs by program gets one
// beside it, too, and its loads and stores become those of that descriptor; so
// do loads and stores of pointers that are a window.  A program makes the maps
// that only it can compute (made_maps.c).  All others are left for
// block_pointers.  Copies by a map bypass the caches of threads, so a kernel
// must not write a tensor that it reads by a map, and may not otherwise access
// one that it writes by a map; nor may atomics order those accesses with other
// programs.
//
// For example, `%b = make_block_ptr %a ...` and `%v = load_block %b {boundary =
// [0, 1]}` get `make_desc %a ... {map = 0}` in front of %b, and `map = 0` on
// the load.  The launch makes map 0, and block_pointers turns the load into
// load_desc.
#include "passes/simplify/tensor_maps.h"

#include "ir/launch_value.h"
#include "ir/tensor_box.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"
#include "passes/simplify/pointer_window.h"

#include <assert.h>

static const Type *window_of(const MapCandidate *c) {
  return op_result(c->op)->type;
}

static unsigned checked_by(const Op *access) {
  unsigned checked = 0;
  for (int d = 0; d < op_operand(access, 0)->type->rank; d++)
    checked |= (unsigned)op_checks_bound(access, d) << d;
  return checked;
}

// The candidate for a window with the checks of an access; -1: none yet.
static int find_candidate(const MapSearch *s, const Op *window,
                          const Op *access) {
  const unsigned checked = checked_by(access);
  const int64_t padding = op_int(access, ATTR_padding);
  for (int i = (int)s->candidates.count - 1; i >= 0; i--) {
    const MapCandidate *c = &s->candidates.items[i];
    if (c->op != window) continue;
    if (map_is_descriptor(c) ||
        (c->checked == checked && c->padding == padding))
      return i;
  }
  return -1;
}

// -- The accesses of a kernel ------------------------------------------------

static bool orders(const Op *op, Sem sem) {
  const Sem own = (Sem)op_int(op, ATTR_sem);
  return own == sem || own == SEM_acq_rel;
}

static void note_access(MapSearch *s, Op *op) {
  const unsigned effects = op_info[op->kind].effects;
  const unsigned global = EFFECT_BIT(ACT_READ, EFFECT_GLOBAL) |
                          EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  if (op->kind == OP_barrier)
    s->has_ordered_writes |= s->num_writers || op_is_in_loop(op);
  if (!(effects & global) || op->kind == OP_barrier) return;
  vec_push(s->m->arena, &s->accesses, ((NotedAccess){op, -1}));
  s->num_writers += (effects & EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL)) != 0;
  if (op_is_atomic(op))
    s->acquires |= orders(op, SEM_acquire) && !op_is_unused(op);
  s->acquires |= op_int(op, ATTR_volatile) != 0;
}

// `access` uses a block pointer, whose candidate has its checks; NULL: `op`
// makes a descriptor.
static int add_candidate(MapSearch *s, Op *op, const Op *access) {
  const MapCandidate c = {.op = op,
                          .root = address_root(op_result(op)),
                          .padding = op_int(access ? access : op, ATTR_padding),
                          .checked = access ? checked_by(access) : 0,
                          .fits = true};
  vec_push(s->m->arena, &s->candidates, c);
  return (int)s->candidates.count - 1;
}

static void look(Op *op, void *ctx) {
  MapSearch *s = ctx;
  note_access(s, op);
  if (op->kind == OP_advance) vec_push(s->m->arena, &s->moves, op);
  if (op->kind == OP_make_desc) add_candidate(s, op, NULL);
  const bool is_pointer = op->kind == OP_make_block_ptr ||
                          (op->kind == OP_make_desc && !map_is_whole(op));
  if (is_pointer && !s->axes) s->axes = axis_analyze(s->f, s->m->arena);
}

// The memory that an op accesses, `through` pointers that it has loaded, too.
static AddressRoot touched(const Op *op, bool through) {
  const Value *ptr = op->num_operands ? op_operand(op, 0) : NULL;
  switch (op->kind) {
  case OP_load_desc:
  case OP_store_desc: return address_root(ptr);
  case OP_load:
  case OP_store:
  case OP_atomic_rmw:
  case OP_atomic_cas:
  case OP_load_block:
  case OP_store_block:
    return through ? address_root(ptr)
                   : (AddressRoot){address_base(ptr), false};
  default: return (AddressRoot){NULL, false};
  }
}

// -- Loads and stores --------------------------------------------------------

static bool is_store(const Op *op) {
  return op->kind == OP_store || op->kind == OP_atomic_rmw ||
         op->kind == OP_store_desc || op->kind == OP_store_block;
}

static bool is_window_access(const Op *op) {
  return op->kind == OP_load_desc || op->kind == OP_load_block ||
         op->kind == OP_store_desc || op->kind == OP_store_block;
}

// Each access has a window of its own.
static int pointer_candidate(MapSearch *s, Op *access) {
  if (!pointer_wants_map(access)) return -1;
  PointerWindow *window = arena_new(s->m->arena, PointerWindow);
  if (!s->axes) s->axes = axis_analyze(s->f, s->m->arena);
  if (!pointer_window(s->axes, access, window)) return -1;
  const MapCandidate c = {.op = access,
                          .pointers = window,
                          .root = {address_base(op_operand(access, 0)), false},
                          .fits = true};
  vec_push(s->m->arena, &s->candidates, c);
  return (int)s->candidates.count - 1;
}

// -1: the window is unknown.
static int candidate_of(MapSearch *s, Op *access) {
  if (!is_window_access(access)) return pointer_candidate(s, access);
  Op *window = address_window(op_operand(access, 0));
  if (!window) return -1;
  const int found = find_candidate(s, window, access);
  return found < 0 ? add_candidate(s, window, access) : found;
}

static void join_accesses(MapSearch *s) {
  for (size_t i = 0; i < s->accesses.count; i++) {
    Op *access = s->accesses.items[i].op;
    const int which = candidate_of(s, access);
    if (which < 0) continue;
    MapCandidate *c = &s->candidates.items[which];
    assert((!c->pointers || c->op == access) && "another's window"); // I11
    s->accesses.items[i].candidate = which;
    c->fits &= op_int(access, ATTR_cache) != CACHE_cv;
    c->is_stored |= is_store(access);
    c->is_loaded |= !is_store(access);
  }
}

// Is a descriptor used by loads and stores only?
static bool has_plain_users(const MapCandidate *c) {
  if (!map_is_descriptor(c)) return true;
  for (const Use *use = op_result(c->op)->uses; use; use = use->next) {
    if (!is_window_access(use->user) || use->index) return false;
  }
  return true;
}

// -- Limits of the hardware --------------------------------------------------

static bool fits_block(Module *m, const MapCandidate *c) {
  const Type *type = window_of(c);
  const int64_t bytes = map_bytes(type);
  const bool is_nan = c->padding == PADDING_nan;
  if (bytes < 1 || type->is_wide || map_dimension(c->op, 0) < 0) return false;
  const int last = type->rank - 1;
  if (map_is_descriptor(c) && map_dimension(c->op, last) != last) return false;
  if (is_nan && (!type_is_float(type->element) || bytes < 2)) return false;
  const Type *tile = map_tile(m, c->op, type->element);
  return tensor_box_layout(&m->layouts, tile) != NULL;
}

// Do constant strides fit?  The launch checks the others.
static bool fits_strides(const MapCandidate *c) {
  const Type *type = window_of(c);
  const int first = op_group_start(c->op, 2);
  for (int d = 0; d < type->rank - 1; d++) {
    const Value *value = op_operand(c->op, first + map_dimension(c->op, d));
    int64_t stride;
    if (!value_constant_int(value, &stride)) continue;
    if (stride < 0 || stride * map_bytes(type) % TENSOR_UNIT) return false;
  }
  return true;
}

// An unchecked dimension has no bounds in the map either; but a map reads
// nothing before its start.
static bool starts_inside(const MapSearch *s, const MapCandidate *c) {
  const int rank = window_of(c)->rank;
  bool inside = true;
  for (int d = 0; d < rank && !map_is_descriptor(c); d++) {
    if (c->checked >> d & 1) continue;
    const Value *start = op_operand(c->op, op_group_start(c->op, 3) + d);
    inside &= axis_info(s->axes, start)->nonnegative;
    for (size_t i = 0; i < s->moves.count; i++) {
      const Op *move = s->moves.items[i];
      if (address_window(op_result(move)) != c->op) continue;
      inside &= axis_info(s->axes, op_operand(move, 1 + d))->nonnegative;
    }
  }
  return inside;
}

// -- Which -------------------------------------------------------------------

static bool fits_window(MapSearch *s, MapCandidate *c) {
  if (!has_plain_users(c) || !fits_block(s->m, c) || !fits_strides(c) ||
      !starts_inside(s, c))
    return false;
  c->is_made = !map_is_computable(s->axes, c->op);
  if (!c->is_made) return true;
  if (!s->axes) s->axes = axis_analyze(s->f, s->m->arena);
  if (!map_can_be_made(s->axes, c->op)) return false;
  const bool pays = map_pays(c->op);
  s->makes |= pays;
  return c->is_stored || pays;
}

static void check_candidates(MapSearch *s) {
  for (size_t i = 0; i < s->candidates.count; i++) {
    MapCandidate *c = &s->candidates.items[i];
    c->fits &= c->root.argument && (c->is_loaded || c->is_stored) &&
               (c->pointers || fits_window(s, c));
  }
}

// An atomic operation before which nothing is written releases nothing.
static bool tells(const MapSearch *s, const NotedAccess *access) {
  const Op *op = access->op;
  if (!op_is_atomic(op)) return false;
  const bool alone =
      access->candidate >= 0 && s->num_writers == 1 && !op_is_in_loop(op);
  return orders(op, SEM_release) && !alone;
}

static void find_order(MapSearch *s) {
  for (size_t i = 0; i < s->accesses.count; i++)
    s->releases |= tells(s, &s->accesses.items[i]);
}

static bool stores_by_map(const MapSearch *s, const NotedAccess *access) {
  return is_store(access->op) && access->candidate >= 0 &&
         s->candidates.items[access->candidate].becomes;
}

// Different arguments are assumed not to alias, unless a barrier suggests
// otherwise.
static bool are_apart(const MapSearch *s, const MapCandidate *c, const Op *op) {
  const AddressRoot other = touched(op, c->is_made);
  return roots_are_apart(other, c->root) &&
         other.argument->index < MOST_APART && !s->has_ordered_writes;
}

static bool is_same_root(AddressRoot x, AddressRoot y) {
  return x.argument && x.argument == y.argument && x.is_loaded == y.is_loaded;
}

static bool conflicts(const MapSearch *s, const MapCandidate *c,
                      const NotedAccess *access) {
  if (are_apart(s, c, access->op)) return false;
  if (c->is_stored)
    return !stores_by_map(s, access) ||
           !is_same_root(touched(access->op, c->is_made), c->root);
  const unsigned write = EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  return (op_info[access->op->kind].effects & write) != 0;
}

static bool becomes_map(const MapSearch *s, const MapCandidate *c) {
  if (c->is_made && !s->makes) return false;
  if (!c->fits || (c->is_stored ? s->releases : s->acquires)) return false;
  for (size_t i = 0; i < s->accesses.count; i++) {
    if (conflicts(s, c, &s->accesses.items[i])) return false;
  }
  return true;
}

// Must the memory of the two be separate?  If both are copies by maps, the
// load's map asks for that.
static bool asks(const MapSearch *s, const MapCandidate *c, const Op *copy,
                 const NotedAccess *other) {
  const AddressRoot root = touched(other->op, false);
  const bool loads_by_map = other->candidate >= 0 && !is_store(other->op) &&
                            s->candidates.items[other->candidate].becomes;
  return root.argument && !root.is_loaded &&
         root.argument != c->root.argument &&
         !(is_store(copy) && loads_by_map) && map_may_pass(copy, other->op);
}

// The launch checks these assumptions, as far as it knows the tensors.
static void find_apart(MapSearch *s) {
  for (size_t i = 0; i < s->accesses.count; i++) {
    const NotedAccess *copy = &s->accesses.items[i];
    if (copy->candidate < 0) continue;
    MapCandidate *c = &s->candidates.items[copy->candidate];
    for (size_t k = 0; k < s->accesses.count && c->becomes && !c->is_made; k++)
      if (asks(s, c, copy->op, &s->accesses.items[k]))
        c->apart |= INT64_C(1)
                    << touched(s->accesses.items[k].op, false).argument->index;
  }
}

// -- Maps --------------------------------------------------------------------

// True if candidates were dropped; others may conflict with these.
static bool drop_candidates(MapSearch *s) {
  bool dropped = false;
  for (size_t i = 0; i < s->candidates.count; i++) {
    MapCandidate *c = &s->candidates.items[i];
    if (!c->becomes || becomes_map(s, c)) continue;
    c->becomes = false;
    dropped = true;
  }
  return dropped;
}

static int choose_maps(MapSearch *s) {
  int count = 0;
  for (size_t i = 0; i < s->candidates.count; i++)
    s->candidates.items[i].becomes = s->candidates.items[i].fits;
  while (drop_candidates(s)) continue;
  for (size_t i = 0; i < s->candidates.count; i++)
    count += s->candidates.items[i].becomes && !s->candidates.items[i].is_made;
  return count;
}

// If there are too many maps, those of pointers go first, then all: stores by a
// map and by pointers are not ordered.
static void number_maps(MapSearch *s) {
  MapList maps = {0};
  int count = choose_maps(s);
  for (size_t i = 0; i < s->candidates.count && count > LAUNCH_MAX_MAPS; i++)
    s->candidates.items[i].fits &= !s->candidates.items[i].pointers;
  if (count > LAUNCH_MAX_MAPS) count = choose_maps(s);
  find_apart(s);
  for (size_t i = 0; i < s->candidates.count && count <= LAUNCH_MAX_MAPS; i++)
    if (s->candidates.items[i].becomes) map_use_candidate(s, &maps, i);
  assert((int)maps.count <= count && "more maps than were chosen"); // I11
}

// On chips with TMA but without wgmma, loads of operands are no faster by TMA.
static bool has_maps(const Target *target) {
  return target && target_can(target, CAP_TMA) && target_can(target, CAP_WGMMA);
}

bool pass_tensor_maps(Module *m, const Target *target) {
  for (Function *f = m->functions; f && has_maps(target); f = f->next) {
    MapSearch search = {.m = m, .f = f};
    block_walk(f->body, look, &search);
    join_accesses(&search);
    check_candidates(&search);
    find_order(&search);
    number_maps(&search);
  }
  return true;
}
