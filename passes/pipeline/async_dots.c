// async_dots.c -- dots by groups of four warps, with operands in shared memory.
//
//     %x = load_shared %slot : tile<64x128xf16, #b>
//     %d = dot %a, %x, %c
//
// becomes
//
//     %s, %t = async_dot %a, %slot, %c
//     %d = dot_wait token(%t) values(%s) {count = 0}
//
// if select_mma has distributed the result over such groups and a descriptor
// fits the operand's layout.  A tile in registers is stored to a buffer if it
// is B, or would be exchanged to be A.  Other dots stay.
#include "ir/exchange.h"
#include "ir/wgmma.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"
#include "passes/pipeline/pipeline.h"

#include <assert.h>

typedef struct {
  Module *m;
  const Target *target;
  int64_t shared_left; // in bytes
  Vec(Op *) others;    // loops whose products do not run on
} DotFinder;

// -- Operands ----------------------------------------------------------------

static bool is_copy(const Op *op) {
  return op->kind == OP_async_copy || op->kind == OP_copy_desc;
}

static bool writes_to(const Op *op, const Op *alloc) {
  const unsigned write = EFFECT_BIT(ACT_WRITE, EFFECT_SHARED);
  if (!(op_effects(op) & write)) return false;
  // A wait starts no write: the copies that it completes did.
  if (op->kind == OP_async_wait || op->kind == OP_mbarrier_await ||
      op->kind == OP_mbarrier_wait)
    return false;
  if (!is_copy(op) && op->kind != OP_store_shared) return true;
  return buffer_alloc(op_operand(op, 1)) == alloc;
}

// Is the buffer not written between the read and the dot?
static bool is_kept(const Op *read, const Op *dot) {
  const Op *alloc = buffer_alloc(op_operand(read, 0));
  if (read->block != dot->block) return false;
  for (const Op *op = read->next; op != dot; op = op->next) {
    if (writes_to(op, alloc)) return false;
  }
  return true;
}

static Value *buffer_read(const Op *read, const Op *dot, const WgmmaPlan *plan,
                          int index) {
  Value *view = op_operand(read, 0);
  SharedMatrix ignored;
  const bool fits = op_group_size(read, 1) == 0 && is_kept(read, dot) &&
                    shared_matrix(view->type->layout, plan, index, &ignored);
  return fits ? view : NULL;
}

// A buffer with the tile, stored before `at`, or outside of loops in which the
// tile does not change.  NULL: there is no room.
static Value *put_in_buffer(DotFinder *f, Value *x, Op *at,
                            const Layout *layout) {
  const Type *from = x->type;
  const int64_t bytes = from->num_elements * element_bytes(from->element);
  if (!layout || bytes > f->shared_left) return NULL;
  f->shared_left -= bytes;
  assert(f->shared_left >= 0 && "more than there is"); // I11
  const Type *type = type_memdesc(&f->m->types, 2, from->shape, from->element,
                                  layout, SPACE_SHARED);
  if (x->def && x->def->block != at->block) at = x->def->next;
  Builder b = builder_before(f->m, at);
  return build_value(&b, OP_alloc_shared, 1, &x, type);
}

// A thread reads four bytes of each of four rows of k, each as a word, and
// writes the transpose, again as four words.  Lanes are spread along both axes:
// so neither reads nor writes of a warp have bank conflicts.
static const Layout *turning_layout(DotFinder *f, const Op *dot,
                                    const Type *type) {
  enum { SIDE = 4, LANES_K = 4, LANES_N = 8 };
  const int num_warps = function_num_warps(op_function(dot));
  const int64_t most = type->shape[0] / (SIDE * LANES_K);
  const int warps_k = most < 1 ? 1 : most < num_warps ? (int)most : num_warps;
  const BlockedSpec spec = {.per_thread = {SIDE, SIDE},
                            .lanes = {LANES_K, LANES_N},
                            .warps = {warps_k, num_warps / warps_k},
                            .order = {1, 0}};
  return layout_blocked(&f->m->layouts, 2, type->shape, &spec);
}

// Bytes of B that run across are transposed into a second buffer, in which they
// run along k.
static Value *turn(DotFinder *f, const Op *read, Op *dot,
                   const WgmmaPlan *plan) {
  const Type *type = op_result(read)->type;
  const Layout *by = turning_layout(f, dot, type);
  const Layout *layout = wgmma_buffer(&f->m->layouts, plan, dot, 1, 0);
  if (element_bytes(type->element) != 1 || op_group_size(read, 1) || !by ||
      read->block != dot->block)
    return NULL;
  Builder b = builder_before(f->m, read->next);
  Value *view = op_operand(read, 0);
  Value *x = build_value(&b, OP_load_shared, 1, &view,
                         type_with_layout(&f->m->types, type, by));
  return put_in_buffer(f, x, dot, layout);
}

// The buffer of the operand; NULL: it is not in shared memory, and need not be.
static Value *find_buffer(DotFinder *f, Op *dot, const WgmmaPlan *plan,
                          int index) {
  Value *x = op_operand(dot, index);
  const Op *read = value_def(x, OP_load_shared);
  if (read) {
    Value *view = buffer_read(read, dot, plan, index);
    return view || !index ? view : turn(f, read, dot, plan);
  }
  Op *convert = value_def(x, OP_convert_layout);
  const bool moves = convert && op_scratch_bytes(convert);
  if (!moves && index == 0) return NULL;
  Value *from = convert ? op_operand(convert, 0) : x;
  const int longest = longest_axis(from->type->layout);
  const Layout *layout =
      wgmma_buffer(&f->m->layouts, plan, dot, index,
                   plan->wgmma->across || !index ? longest : 0);
  return put_in_buffer(f, from, convert ? convert : dot, layout);
}

// -- Dots --------------------------------------------------------------------

static Value *wait_for(DotFinder *f, Op *started) {
  Builder b = builder_before(f->m, started->next);
  Value *value = &started->results[0], *token = &started->results[1];
  Value *operands[] = {token, value};
  const int groups[] = {1, 1};
  Op *wait = build_op(&b, OP_dot_wait, 2, operands, groups, 1, &value->type);
  op_set_int(f->m, wait, ATTR_count, 0);
  return op_result(wait);
}

// A buffer that was freed behind the read is in use until the dot's wait.
static void free_behind(Value *view, Op *wait) {
  if (view->type->kind != TYPE_MEMDESC) return;
  for (const Use *use = op_result(buffer_alloc(view))->uses; use;
       use = use->next) {
    Op *user = use->user;
    if (user->kind != OP_free_shared || user->block != wait->block) continue;
    if (!op_comes_before(user, wait)) continue;
    op_unlink(user);
    op_insert_before(wait->next, user);
  }
}

static void replace(DotFinder *f, Op *dot, Value *a, Value *b) {
  Builder at = builder_before(f->m, dot);
  Value *operands[] = {a, b, op_operand(dot, 2)};
  const Type *types[] = {op_result(dot)->type, type_token(&f->m->types)};
  Op *started = build_op(&at, OP_async_dot, 3, operands, NULL, 2, types);
  op_copy_attrs(f->m, started, dot);
  Value *result = wait_for(f, started);
  result->name = op_result(dot)->name;
  value_replace_uses(op_result(dot), result);
  op_erase(dot);
  free_behind(a, result->def);
  free_behind(b, result->def);
}

static void visit(Op *dot, void *ctx) {
  DotFinder *f = ctx;
  WgmmaPlan plan;
  if (dot->kind != OP_dot || !wgmma_fits(f->target, dot, &plan)) return;
  Value *held = op_operand(dot, 0);
  LayoutTable *table = &f->m->layouts;
  if (held->type->layout != wgmma_operand(table, &plan, dot, 0)) return;
  Value *b = find_buffer(f, dot, &plan, 1);
  if (!b) return;
  Value *a = find_buffer(f, dot, &plan, 0);
  replace(f, dot, a ? a : held, b);
}

// -- Loops -------------------------------------------------------------------

// Is it certain that no copy writes the dot's operand before the next trip's
// dots have started?
static bool is_kept_for(const Op *copy, const Value *operand) {
  if (operand->type->kind != TYPE_MEMDESC) return true;
  const Value *to = op_operand(copy, 1);
  if (buffer_alloc(to) != buffer_alloc(operand)) return true;
  const Op *written = ring_view(to), *read = ring_view(operand);
  if (!written || !read) return false;
  const Type *ring = op_operand(read, 0)->type;
  return ring->shape[0] > 1 &&
         ring_is_last_slot(op_operand(written, 1), op_operand(read, 1),
                           (int)ring->shape[0]);
}

typedef struct {
  const Block *body;
  Vec(Op *) dots, waits; // in order, one wait for each dot
} Trip;

// Does the op release the slot of the trip before, in the ring of the dot's
// operand?  (The ring has one barrier more than slots: for the trip before the
// first.)  True also if the op releases no slot of the operand.
static bool is_kept_by(const Op *arrive, const Value *operand) {
  const Op *at = value_def(op_operand(arrive, 0), OP_mbarrier_index);
  const Op *read = ring_view(operand);
  if (operand->type->kind != TYPE_MEMDESC || !op_group_size(arrive, 1))
    return true;
  return at && read &&
         ring_is_last_slot(op_operand(at, 1), op_operand(read, 1),
                           (int)mbarrier_size(op_operand(at, 0)->def));
}

// Copies come after all dots, and write to slots that the trip before has read
// and that are released in this trip; there are no other writes.
static bool copies_fit(const Trip *t, const Op *op) {
  const bool gives = op->kind == OP_mbarrier_arrive;
  if (op->kind == OP_alloc_shared) return !op->num_operands;
  if (!is_copy(op) && !gives) return op->kind != OP_store_shared;
  if (op_comes_before(op, t->dots.items[t->dots.count - 1])) return false;
  for (size_t i = 0; i < t->dots.count; i++) {
    const Op *dot = t->dots.items[i];
    for (int k = 0; k < 2; k++) {
      const Value *x = op_operand(dot, k);
      if (gives ? !is_kept_by(op, x) : !is_kept_for(op, x)) return false;
    }
  }
  return true;
}

static bool is_started_from(const Use *use) {
  return use && use->user->kind == OP_async_dot && use->index == 2;
}

// Is the sum used only by a dot, in this or the next trip?
static bool is_added_to(const Trip *t, const Value *sum) {
  const Use *use = value_only_use(sum);
  if (!use || use->user != block_end(t->body)) return is_started_from(use);
  return is_started_from(value_only_use(for_arg(t->body->parent, use->index)));
}

// Does the dot add to a carried sum, or to the sum of a dot before it, and is
// its own sum used in the same way?  Operand A must not be in registers, which
// would stay in use.
static bool is_link(const Trip *t, const Op *dot, const Op *wait) {
  const Value *from = op_operand(dot, 2);
  if (op_operand(dot, 0)->type->kind != TYPE_MEMDESC) return false;
  if (value_is_outside(from, t->body) || !value_only_use(from)) return false;
  if (from->def && from->def->kind != OP_dot_wait) return false;
  return is_added_to(t, op_result(wait));
}

static bool find_trip(Arena *arena, const Op *loop, Trip *t) {
  *t = (Trip){.body = loop->regions[0]};
  for (Op *op = t->body->first; op; op = op->next) {
    if (op->num_regions || op->kind == OP_dot) return false;
    if (op->kind == OP_async_dot) vec_push(arena, &t->dots, op);
    if (op->kind == OP_dot_wait) vec_push(arena, &t->waits, op);
  }
  if (!t->dots.count || t->dots.count != t->waits.count) return false;
  for (size_t i = 0; i < t->dots.count; i++) {
    if (!is_link(t, t->dots.items[i], t->waits.items[i])) return false;
  }
  for (const Op *op = t->body->first; op; op = op->next) {
    if (!copies_fit(t, op)) return false;
  }
  return true;
}

// The slot in which the sum is carried; or -1.
static int slot_of(const Trip *t, const Value *sum) {
  const Use *use = value_only_use(sum);
  return use->user == block_end(t->body) ? use->index : -1;
}

// Behind the loop, the carried sums are valid only after another wait.
static void wait_behind(Module *m, Op *loop, int slot) {
  Value *sum = &loop->results[slot];
  Builder b = builder_before(m, loop->next);
  const int groups[] = {0, 1};
  Op *wait = build_op(&b, OP_dot_wait, 1, &sum, groups, 1, &sum->type);
  op_set_int(m, wait, ATTR_count, 0);
  value_replace_uses(sum, op_result(wait));
  op_set_operand(wait, 0, sum);
}

// In each trip, the dots of the trip before are waited for after its own have
// started.
static void let_run_on(Module *m, Op *loop, Trip *t) {
  const int count = (int)t->dots.count;
  assert(t->dots.count == t->waits.count && count &&
         "a dot without a wait"); // I11
  for (int i = 0; i < count; i++) {
    Op *wait = t->waits.items[i];
    Value *started = &t->dots.items[i]->results[0];
    const int slot = slot_of(t, op_result(wait));
    value_replace_uses(op_result(wait), started);
    op_erase(wait);
    if (slot >= 0) wait_behind(m, loop, slot);
  }
  Builder b = builder_before(m, t->dots.items[count - 1]->next);
  const int none[] = {0, 0};
  Op *wait = build_op(&b, OP_dot_wait, 0, NULL, none, 0, NULL);
  op_set_int(m, wait, ATTR_count, count);
}

static void visit_loop(Op *loop, void *ctx) {
  DotFinder *f = ctx;
  Trip trip;
  if (loop->kind != OP_for) return;
  if (find_trip(f->m->arena, loop, &trip)) {
    let_run_on(f->m, loop, &trip);
  } else {
    vec_push(f->m->arena, &f->others, loop);
  }
}

// -- All ---------------------------------------------------------------------

static void take_room(Op *op, void *ctx) {
  DotFinder *f = ctx;
  if (op->kind == OP_alloc_shared)
    f->shared_left -= buffer_bytes(op_result(op)->type);
}

bool pass_async_dots(Module *m, const Target *target) {
  if (!target || !target_can(target, CAP_WGMMA)) return true;
  for (Function *f = m->functions; f; f = f->next) {
    DotFinder finder = {
        .m = m, .target = target, .shared_left = target->max_shared_block};
    if (!groups_multiply(f, target)) continue;
    block_walk(f->body, take_room, &finder);
    block_walk(f->body, visit, &finder);
    block_walk(f->body, visit_loop, &finder);
    for (size_t i = 0; i < finder.others.count; i++)
      dots_overlap(m, finder.others.items[i]);
  }
  return true;
}
