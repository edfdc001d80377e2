// schedule.c -- the loads of a loop that can be copied ahead with a gain.
//
// For example, each trip loads %t, a number; %x from addresses to which %t is
// added; %y; and %q.  A dot multiplies %x and %y, tiles of f16, and %q is added
// to the sum.  %y is copied ahead.  So is %x if %t is known to be even, so that
// two elements are adjacent and aligned, the 4 bytes of the smallest copy; then
// %t is loaded ahead, but not copied.  %q is no factor, and is loaded when it
// is needed.
#include "passes/pipeline/schedule.h"

#include "ir/runs.h"
#include "passes/analysis/walk.h"
#include "passes/pipeline/slice.h"

enum {
  LEAST_BYTES = 4, // that cp.async can move
  // Multiply-adds in 16 bits for which a warp needs about 200 cycles, the
  // latency of a copy.
  COVERING_MACS = 65536,
};

// -- Candidates --------------------------------------------------------------

typedef struct {
  Arena *arena;
  Map seen;
  Vec(const Value *) todo;
} Uses;

static void follow(Uses *uses, const Value *value) {
  if (map_get(&uses->seen, value)) return;
  map_put(&uses->seen, uses->arena, value, (void *)(uintptr_t)value);
  vec_push(uses->arena, &uses->todo, value);
}

// Does a product of the same trip use the value as a factor?  Initial sums of a
// dot are read once, into the registers to which the dot adds.
static bool feeds_dot(Arena *arena, const Value *value) {
  Uses uses = {.arena = arena};
  follow(&uses, value);
  while (uses.todo.count) {
    const Value *at = uses.todo.items[--uses.todo.count];
    for (const Use *use = at->uses; use; use = use->next) {
      if (use->user->kind == OP_load) continue; // in that load's slice
      if (use->user->kind == OP_dot) {
        if (use->index < 2) return true;
        continue;
      }
      for (int i = 0; i < use->user->num_results; i++) {
        follow(&uses, &use->user->results[i]);
      }
    }
  }
  return false;
}

static bool is_only_multiplied(const Value *value) {
  for (const Use *use = value->uses; use; use = use->next) {
    if (use->user->kind != OP_dot || use->index > 1) return false;
  }
  return true;
}

// Is each use a conversion, perhaps behind at most `transposes` transposes, for
// products alone?
static bool is_operand(const Value *value, int transposes) {
  for (const Use *use = value->uses; use; use = use->next) {
    const Op *user = use->user;
    if (user->kind == OP_convert_layout) {
      if (!is_only_multiplied(op_result(user))) return false;
    } else if (user->kind != OP_trans || !transposes ||
               !is_operand(op_result(user), transposes - 1)) {
      return false;
    }
  }
  return value->uses != NULL;
}

bool load_fills_zeros(const Op *load) {
  if (load_is_block(load)) return true;
  const Value *mask = op_group(load, 1), *other = op_group(load, 2);
  return !mask || !other || value_is_zero(other);
}

// Does the op load a tile that a buffer can hold?
static bool is_tile(const Op *load) {
  const Type *type = op_result(load)->type;
  return type_is_tile(type) && type->element->kind == TYPE_SCALAR &&
         type->layout && type_element_bits(type) >= 8;
}

static bool is_wide(const Op *load) {
  const Type *type = op_result(load)->type;
  if (!is_tile(load)) return false;
  int axis;
  const int run = op_log2_run(load, type->layout, true, &axis);
  return type_element_bits(type) / 8 << run >= LEAST_BYTES;
}

static bool is_wanted_block(const Schedule *s, Arena *arena, const Op *load,
                            bool asked) {
  if (s->stages == 1 || s->stages > MAX_BARRIERS || !is_tile(load))
    return false;
  return asked || feeds_dot(arena, op_result(load));
}

static bool is_wanted(const Schedule *s, Arena *arena, Op *load, bool asked) {
  if (load_is_block(load)) return is_wanted_block(s, arena, load, asked);
  if (load->kind != OP_load || !is_wide(load)) return false;
  const Value *result = op_result(load);
  if (s->stages == 1) {
    return is_operand(result, 1) && load_fills_zeros(load);
  }
  return asked || feeds_dot(arena, result);
}

static void add_load(Schedule *out, Arena *arena, Op *load) {
  Slice slice = {.arena = arena, .loop = out->loop};
  if (!load_is_safe_ahead(load, out->loop)) return;
  if (out->stages > 1 && !slice_add(&slice, load)) return;
  vec_push(arena, &out->loads, load);
}

// Does the trip need the value for other ops than copies and loads ahead?
static bool is_needed(const Schedule *s, Arena *arena, const Op *load) {
  Uses uses = {.arena = arena};
  follow(&uses, op_result(load));
  while (uses.todo.count) {
    const Value *at = uses.todo.items[--uses.todo.count];
    for (const Use *use = at->uses; use; use = use->next) {
      if (schedule_copies(s, use->user)) continue;
      if (op_is_root(use->user)) return true;
      for (int i = 0; i < use->user->num_results; i++) {
        follow(&uses, &use->user->results[i]);
      }
    }
  }
  return false;
}

// A load whose value is used only for addresses of copies is made ahead, not
// copied.
static void drop_needless(Schedule *s, Arena *arena) {
  Loads kept = {0};
  for (size_t i = 0; i < s->loads.count; i++) {
    Op *load = s->loads.items[i];
    if (is_needed(s, arena, load)) vec_push(arena, &kept, load);
  }
  s->loads = kept;
}

// -- One buffer --------------------------------------------------------------

typedef struct {
  const Block *body;
  Op *first, *last;
  bool others; // the buffer is also read by other ops, or elsewhere
} LoadReaders;

// `steps`: the number of conversions and transposes allowed before a product.
static void add_readers(LoadReaders *r, const Value *x, int steps) {
  if (!x->uses) r->others = true;
  for (const Use *use = x->uses; use; use = use->next) {
    Op *user = use->user;
    const bool passes =
        user->kind == OP_trans || user->kind == OP_convert_layout;
    if (user->block != r->body || (passes ? !steps : user->kind != OP_dot)) {
      r->others = true;
    } else if (passes) {
      add_readers(r, op_result(user), steps - 1);
    } else {
      if (!r->first || op_comes_before(user, r->first)) r->first = user;
      if (!r->last || op_comes_before(r->last, user)) r->last = user;
    }
  }
}

// Elements of half the bits take half the time.
static int64_t macs_of(const Op *dot) {
  const Type *a = op_operand(dot, 0)->type;
  const int64_t macs =
      op_result(dot)->type->num_elements * a->shape[a->rank - 1];
  return macs * type_element_bits(a) / 16;
}

// The rest of the trip behind the last read must cover a copy's latency.  The
// operands of the first product keep two buffers, since loops of two products
// did not gain (docs/decisions/0011-one-buffer.md).
static Op *last_dot_of_one(const Schedule *s, const Op *load) {
  const Block *body = s->loop->regions[0];
  LoadReaders r = {.body = body};
  add_readers(&r, op_result(load), 2);
  if (r.others || !r.first) return NULL;
  bool is_first = true;
  for (const Op *op = body->first; op != r.first; op = op->next) {
    if (op->kind == OP_dot) is_first = false;
  }
  int64_t macs = 0;
  for (const Op *op = r.last->next; op; op = op->next) {
    if (op->kind == OP_dot) macs += macs_of(op);
  }
  const int64_t covering =
      COVERING_MACS * (int64_t)function_num_warps(op_function(load));
  return is_first || macs < covering ? NULL : r.last;
}

static void find_single_buffers(Schedule *s, Arena *arena) {
  if (s->stages != 3 || schedule_blocks(s, NULL)) return;
  for (size_t i = 0; i < s->loads.count; i++) {
    Op *load = s->loads.items[i], *last = last_dot_of_one(s, load);
    if (!last) continue;
    map_put(&s->last_dot, arena, load, last);
    s->at_start = true;
  }
}

// Operands with one buffer that are read first wait neither for the copy nor
// for the read of those that are read last.  Each operand is a group of copies,
// in the order of the loads.
static void find_copies_apart(Schedule *s, Arena *arena) {
  if (s->stages != 2 || s->asked == 2 || s->once) return;
  if (schedule_blocks(s, NULL)) return;
  Map lasts = {0};
  Op *before = NULL;
  bool differ = false;
  for (size_t i = 0; i < s->loads.count; i++) {
    Op *load = s->loads.items[i];
    LoadReaders r = {.body = s->loop->regions[0]};
    add_readers(&r, op_result(load), 2);
    if (r.others || !r.first || !load_fills_zeros(load)) return;
    if (!is_operand(op_result(load), 1)) return; // else read at the load
    if (before && op_comes_before(r.last, before)) return;
    differ |= before && r.last != before;
    before = r.last;
    map_put(&lasts, arena, load, before);
  }
  if (!differ) return;
  s->last_dot = lasts;
  s->apart = true;
}

// -- The loop ----------------------------------------------------------------

static bool has_loops(const Block *block) {
  for (const Op *op = block->first; op; op = op->next) {
    if (op->kind == OP_for || op->kind == OP_while) return true;
  }
  return false;
}

// A step that is not a constant has at most 32 bits: the counters of later
// trips are then compared in 64 bits, where they do not overflow.
static bool has_countable_step(const Op *loop, int stages) {
  int64_t step;
  const Value *value = op_operand(loop, FOR_STEP);
  const int bits = type_element_bits(value->type);
  if (!value_constant_int(value, &step)) return bits <= 32;
  const int64_t most = (INT64_C(1) << (bits - 2)) / stages;
  return step && step >= -most && step <= most;
}

static bool asks_for_stages(const Op *loop) {
  const Function *f = op_function(loop);
  return op_attr(loop, ATTR_loop_stages) ||
         attrs_find(f->attrs, f->num_attrs, ATTR_num_stages);
}

int schedule_most_stages(const Op *loop) {
  if (asks_for_stages(loop)) return MAX_LOOP_COPIES;
  const int64_t most =
      function_int(op_function(loop), ATTR_most_stages, DEFAULT_STAGES);
  return most < 0 ? 0 : most < DEFAULT_STAGES ? (int)most : DEFAULT_STAGES;
}

bool schedule_loop(Op *loop, const Target *target, int most, Schedule *out) {
  const Function *f = op_function(loop);
  const Attr *own = op_attr(loop, ATTR_loop_stages);
  const int64_t stages =
      own ? own->as.i : function_int(f, ATTR_num_stages, DEFAULT_STAGES);
  *out = (Schedule){
      .loop = loop, .target = target, .stages = stages > 1 ? (int)stages : 1};
  if (out->stages > most) out->stages = most;
  out->once = loop_runs_once(loop);
  if (out->once && out->stages > 2) out->stages = 2;
  out->explicit_stages = asks_for_stages(loop);
  if (!target || !target->is_gpu) return false;
  if (has_loops(loop->regions[0])) return false;
  if (!has_countable_step(loop, out->stages)) out->stages = 1;
  out->asked = out->stages;
  Arena *arena = f->module->arena;
  for (Op *op = loop->regions[0]->first; op; op = op->next) {
    if (is_wanted(out, arena, op, own != NULL)) add_load(out, arena, op);
  }
  if (out->stages > 1) drop_needless(out, arena);
  schedule_deal(out, arena);
  find_single_buffers(out, arena);
  find_copies_apart(out, arena);
  if (out->stages > 2 && schedule_reads_wait(out)) out->at_start = true;
  out->runs_on = schedule_may_run_on(out);
  if (out->runs_on && schedule_bytes(out) > target->max_shared_block)
    out->runs_on = false;
  return out->loads.count && target_can(target, CAP_CP_ASYNC);
}

bool schedule_stores(Op *loop, const Target *target, Schedule *out) {
  *out = (Schedule){.loop = loop, .target = target, .asked = 1, .stages = 1};
  if (!target || !target->is_gpu || has_loops(loop->regions[0])) return false;
  Arena *arena = op_function(loop)->module->arena;
  for (Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_load || !is_tile(op)) continue;
    if (!is_operand(op_result(op), 1) || !load_fills_zeros(op)) continue;
    vec_push(arena, &out->loads, op);
  }
  return out->loads.count > 0;
}
