// role_loops.c -- the loops whose blocks are copied by a separate thread.
//
// A loop has such a thread if the program requests it, or if groups of warps do
// its products with enough registers for their results beside those of the
// copying thread.
//
// For example, a program of 4 warps on sm_90 adds dots of blocks from
// descriptors to a sum of 128x128xf32.  Two programs with 4 more warps each fit
// on an SM if threads start with 128 registers.  Copying threads keep 24, so
// the others get 232, of which 200 are for tiles.  The sum takes 128 of them:
// the loop has a copying thread.  With a sum of 128x256xf32, which takes 256,
// no loop of the program has one.
#include "passes/pipeline/role_loops.h"

#include "ir/exchange.h"
#include "ir/roles.h"
#include "ir/wgmma.h"
#include "passes/analysis/analysis.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/role_slice.h"
#include "passes/pipeline/slice.h"

#include <assert.h>

// Registers beside tiles; those that a loop over programs needs on top.
enum { OTHERS = 32, OTHERS_AROUND = 16 };

typedef struct {
  Arena *arena;
  const Target *target;
  Function *f;
  int64_t most_sums;  // of an instruction
  int64_t most_words; // for which the program's own threads have room
  RoleLoops *loops;
  bool overlaps; // products overlap if possible
  bool spares;   // loops of two stages have a third buffer
  bool mixes;    // loops that also load rows of elements are included
  bool wanted;   // requested, or worth it
  bool fails;
} LoopFinder;

// The attribute warp_specialize of the loop, or of one around it; or NULL.
static const Attr *find_wish(const Op *loop) {
  const Attr *wish = NULL;
  for (; loop && !wish; loop = loop->block->parent)
    wish = op_attr(loop, ATTR_warp_specialize);
  return wish;
}

// Is each use a product of groups of warps, perhaps behind at most `steps`
// transposes and conversions?
static bool feeds_groups(const Value *x, const Target *target, int steps) {
  for (const Use *use = x->uses; use; use = use->next) {
    const Op *user = use->user;
    WgmmaPlan ignored;
    switch (user->kind) {
    case OP_dot:
      if (!wgmma_fits(target, user, &ignored)) return false;
      break;
    case OP_trans:
    case OP_convert_layout:
      if (!steps || !feeds_groups(op_result(user), target, steps - 1))
        return false;
      break;
    default: return false;
    }
  }
  return x->uses != NULL;
}

static bool comes_of_load(const Value *x) {
  while (x->def &&
         (x->def->kind == OP_convert_layout || x->def->kind == OP_trans))
    x = op_operand(x->def, 0);
  return x->def &&
         (x->def->kind == OP_load_desc || x->def->kind == OP_load_shared);
}

// The words of a thread that the loop holds at the same time, including
// operands in registers.
static int64_t words_of(Op *loop) {
  const LoopWords words = loop_words(loop);
  assert(words.sums <= words.all && "sums that are no words"); // I7
  int64_t most = 0;
  for (const Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_dot || comes_of_load(op_operand(op, 0))) continue;
    const int64_t held = registers_words(op_operand(op, 0)->type);
    if (held > most) most = held;
  }
  return words.all - words.sums + most;
}

// Do the loop's own warps only wait for loads and multiply, with enough room
// for their results?
static bool is_worth_it(const LoopFinder *x, const Schedule *s) {
  for (size_t i = 0; i < s->loads.count; i++)
    if (!feeds_groups(op_result(s->loads.items[i]), s->target, 2)) return false;
  return words_of(s->loop) <= x->most_words;
}

// Are there two products, the second of which depends on the first, and may run
// while the next trip computes (overlap_dots.c)?  There must be room for both
// sums and the operand, and one buffer more than those of two trips.
static bool may_overlap(const LoopFinder *x, const Schedule *s) {
  const Op *dots[2] = {NULL};
  Op *scale;
  int count = 0;
  if (s->runs_on || s->stages < 3 || s->at_start) return false;
  for (const Op *op = s->loop->regions[0]->first; op; op = op->next) {
    WgmmaPlan ignored;
    if (op->kind != OP_dot) continue;
    if (count == 2 || !wgmma_fits(s->target, op, &ignored)) return false;
    dots[count++] = op;
  }
  for (size_t i = 0; i < s->loads.count; i++)
    if (!feeds_groups(op_result(s->loads.items[i]), s->target, 2)) return false;
  if (count < 2 || !dot_feeds_dot(dots[0])) return false;
  if (dot_sum_slot(dots[1], op_result(dots[1]), s->loop, &scale) < 0)
    return false;
  const int64_t words = registers_words(op_result(dots[0])->type) +
                        registers_words(op_result(dots[1])->type) +
                        registers_words(op_operand(dots[1], 0)->type);
  return words <= x->most_words;
}

// Can the loop go on with the ring of the loop before it?  It can if both load
// blocks of the same types.
static bool goes_on(const Schedule *before, const Schedule *s) {
  bool same = before->loop->block == s->loop->block &&
              before->loads.count == s->loads.count &&
              (before->runs_on == s->runs_on || s->once) &&
              schedule_ring(before) == schedule_ring(s);
  for (size_t i = 0; same && i < s->loads.count; i++)
    same = op_result(before->loads.items[i])->type ==
           op_result(s->loads.items[i])->type;
  return same;
}

// A single trip has no ring of its own, but its blocks can be copied ahead to
// that of the loop before it.  No product runs on behind the trip.
static bool take_ring(const RoleLoop *before, Schedule *s) {
  if (!before) return false;
  s->stages = before->schedule.stages;
  s->spare = schedule_ring(&before->schedule) == s->stages;
  s->runs_on = false;
  return goes_on(&before->schedule, s);
}

static bool is_copied(const Op *load) {
  return load_is_block(load) && value_has_map(op_operand(load, 0));
}

// Can the copying role compute the position of each block independently?
static bool can_copy(const LoopFinder *x, const Schedule *s) {
  for (size_t i = 0; i < s->loads.count; i++) {
    const Op *load = s->loads.items[i];
    // If each trip made a map, the next one would be made while copies by this
    // one are pending.
    if (!value_is_outside(op_operand(load, 0), s->loop->regions[0]))
      return false;
    if (!load_is_safe_within(load, x->f->body)) return false;
    if (!role_can_copy(x->arena, load)) return false;
  }
  return true;
}

// Do the sums of one instruction fit the registers with which a thread starts?
// ptxas compiles for those.
static bool sums_fit(const LoopFinder *x, const Op *dot) {
  WgmmaPlan plan;
  if (!wgmma_fits(x->target, dot, &plan)) return true;
  const int64_t bytes = element_bytes(op_result(dot)->type->element);
  const int64_t sums = WGMMA_ROWS * plan.columns * bytes / 4;
  return sums / (WGMMA_WARPS * x->target->warp_size) <= x->most_sums;
}

// If `mixes`, loads of rows or columns of elements are left to the computing
// role, which copies them ahead itself. False: other tiles would be left, too.
static bool keep_blocks(Schedule *s, Arena *arena, bool mixes) {
  const Loads all = s->loads;
  s->loads = (Loads){0};
  for (size_t i = 0; i < all.count; i++) {
    if (is_copied(all.items[i])) {
      vec_push(arena, &s->loads, all.items[i]);
    } else if (!mixes || op_result(all.items[i])->type->rank > 1) {
      return false;
    }
  }
  return s->loads.count != 0;
}

static void look_for_loop(Op *op, void *ctx) {
  LoopFinder *x = ctx;
  Schedule s;
  // Prints and assertions call functions of the driver, which use barriers of
  // their own.
  x->fails |= op->kind == OP_device_print || op->kind == OP_device_assert;
  x->fails |= op_int(op, ATTR_volatile) != 0;
  if (op->kind == OP_dot)
    x->fails |= registers_words(op_result(op)->type) > x->most_words ||
                !sums_fit(x, op);
  if (op->kind != OP_for) return;
  const Attr *wish = find_wish(op);
  if (wish && !wish->as.i) return;
  const int most = schedule_most_stages(op);
  if (!most || !schedule_loop(op, x->target, most, &s)) return;
  if (s.stages == 1 || s.num_levels > 1) return;
  if (!keep_blocks(&s, x->arena, x->mixes)) return;
  if (role_num_empty(&s) > MAX_BARRIERS) return;
  if (!can_copy(x, &s)) return;
  const RoleLoop *last =
      x->loops->count ? &x->loops->items[x->loops->count - 1] : NULL;
  if (s.once && !take_ring(last, &s)) return;
  x->wanted |= wish || is_worth_it(x, &s);
  s.runs_on |= x->overlaps && !s.once && may_overlap(x, &s);
  if (!s.once) s.spare = x->spares && s.stages == 2 && !s.runs_on;
  const bool again = last && goes_on(&last->schedule, &s);
  vec_push(x->arena, x->loops, ((RoleLoop){s, again}));
}

static bool is_within(const RoleLoops *loops, const Op *op) {
  for (; op; op = op->block->parent)
    for (size_t i = 0; i < loops->count; i++)
      if (loops->items[i].schedule.loop == op) return true;
  return false;
}

// Bytes of tiles that loops store: in loops with roles, and behind these.
typedef struct {
  const RoleLoops *loops;
  int64_t within, behind;
} StoredBytes;

static void add_stored(Op *op, void *ctx) {
  StoredBytes *stored = ctx;
  if (op->kind != OP_store_desc || !op_is_in_loop(op)) return;
  const int64_t bytes = buffer_bytes(op_operand(op, 1)->type);
  if (is_within(stored->loops, op))
    stored->within += bytes;
  else
    stored->behind += bytes;
}

// The memory of loops with roles: of all rings, and the other memory that one
// of them uses.
typedef struct {
  int64_t rings, others;
} LoopBytes;

static LoopBytes bytes_of(const RoleLoops *loops) {
  LoopBytes bytes = {0, 0};
  for (size_t i = 0; i < loops->count; i++) {
    const Schedule *s = &loops->items[i].schedule;
    if (loops->items[i].goes_on) continue;
    const int64_t others = schedule_other_bytes(s);
    bytes.rings += schedule_ring_bytes(s) + BARRIER_BYTES * role_num_empty(s);
    if (others > bytes.others) bytes.others = others;
  }
  return bytes;
}

// The copying thread runs ahead from loop to loop: so all rings are live at the
// same time, and beside them the memory that one loop uses, or the tiles that
// are stored behind it.
static bool have_room(const LoopFinder *x) {
  const LoopBytes loops = bytes_of(x->loops);
  StoredBytes stored = {.loops = x->loops};
  block_walk(x->f->body, add_stored, &stored);
  const int64_t beside =
      stored.behind > loops.others ? stored.behind : loops.others;
  return loops.rings + stored.within + beside <= x->target->max_shared_block;
}

typedef struct {
  int64_t loaded, stored; // bytes of tiles outside of loops
} OutsideBytes;

static void add_outside(Op *op, void *ctx) {
  OutsideBytes *bytes = ctx;
  if (op_is_in_loop(op)) return;
  if (op->kind == OP_store_desc)
    bytes->stored += buffer_bytes(op_operand(op, 1)->type);
  if (load_is_block(op)) bytes->loaded += buffer_bytes(op_result(op)->type);
}

// The number of programs with roles that an SM runs at once, if each uses
// `bytes` of shared memory.
static int residency(const Function *f, const Target *target, int64_t bytes) {
  const Footprint program = {.num_warps = function_num_warps(f) + COPYING_WARPS,
                             .shared_bytes = (size_t)bytes};
  Limit ignored;
  return target_residency(target, &program, &ignored);
}

bool role_loops_may_go_on(const Function *f, const Target *target,
                          const RoleLoops *loops) {
  OutsideBytes outside = {0, 0};
  RoleShare share;
  if (!role_share(target, function_num_warps(f), &share)) return false;
  for (size_t i = 0; i < loops->count; i++) {
    const int64_t words = words_of(loops->items[i].schedule.loop);
    if (words > share.own - OTHERS - OTHERS_AROUND) return false;
  }
  block_walk(f->body, add_outside, &outside);
  const int64_t rings = bytes_of(loops).rings;
  const int64_t most =
      outside.stored > outside.loaded ? outside.stored : outside.loaded;
  const int now = residency(f, target, rings + outside.loaded);
  const int then = residency(f, target, rings + most);
  return then >= share.programs || then >= now;
}

static bool find_loops(LoopFinder *x) {
  x->loops->count = 0;
  x->wanted = x->fails = false;
  block_walk(x->f->body, look_for_loop, x);
  return x->wanted && !x->fails;
}

// The form of the rings with the most memory is tried first.
bool role_loops_find(Function *f, const Target *target, RoleLoops *out) {
  RoleShare share;
  if (!role_share(target, function_num_warps(f), &share)) return false;
  if (attrs_find(f->attrs, f->num_attrs, ATTR_maxnreg)) return false;
  LoopFinder x = {.arena = f->module->arena,
                  .target = target,
                  .f = f,
                  .most_sums = share.start - OTHERS,
                  .most_words = share.own - OTHERS,
                  .loops = out};
  for (unsigned without = 0; without < 8; without++) {
    x.overlaps = !(without & 1);
    x.spares = !(without & 2);
    x.mixes = !(without & 4);
    if (!find_loops(&x))
      without |= 3; // memory is not the problem
    else if (have_room(&x))
      return true;
  }
  return false;
}
