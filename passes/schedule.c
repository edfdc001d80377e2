// schedule.c -- the loads of a loop that are worth copying and can be.
#include "passes/schedule.h"

#include "ir/runs.h"
#include "passes/address.h"
#include "passes/one_trip.h"

#include <math.h>

enum {
  LEAST_BYTES = 4, // that cp.async moves
  MAX_SLICE = 256, // ops
  // Multiply-adds of 16 bits that a warp takes some 200 cycles for, or longer:
  // the latency of a copy.
  COVERING_MACS = 65536,
};

// -- What the loop writes ----------------------------------------------------

typedef struct {
  const Value *base; // of the load
  bool clashes;
} Writes;

// Pointers to different arguments of the kernel are taken to be apart.
static void look_for_write(Op *op, void *ctx) {
  Writes *w = ctx;
  const unsigned write = EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  if (!(op_info[op->kind].effects & write)) return;
  const bool updates = op->kind == OP_atomic_rmw || op->kind == OP_atomic_cas;
  const bool orders = updates && op_result(op)->uses;
  const bool stores = op->kind == OP_store || updates;
  const Value *base =
      stores && !orders ? address_base(op_operand(op, 0)) : NULL;
  w->clashes |= !base || !w->base || base == w->base;
}

// May the op, a load, read later than it is written in the loop?
static bool is_safe_ahead(const Op *load, const Op *loop) {
  if (op_int(load, ATTR_volatile)) return false;
  Writes w = {address_base(op_operand(load, 0)), false};
  block_walk(loop->regions[0], look_for_write, &w);
  return !w.clashes;
}

// -- Slices ------------------------------------------------------------------

typedef struct {
  Arena *arena;
  const Op *loop;
  Map seen; // Value or Op
  Vec(const Value *) todo;
  Vec(Op *) ops;
  Vec(const Value *) carried;
} Slice;

static void want(Slice *s, const Value *value) {
  if (value_is_outside(value, s->loop->regions[0])) return;
  if (map_get(&s->seen, value)) return;
  map_put(&s->seen, s->arena, value, (void *)(uintptr_t)value);
  vec_push(s->arena, &s->todo, value);
}

static void want_operands(Op *op, void *ctx) {
  for (int i = 0; i < op->num_operands; i++) want(ctx, op_operand(op, i));
}

// The op of the loop's body that is `op` or contains it.
static Op *in_body(const Slice *s, Op *op) {
  while (op->block != s->loop->regions[0]) op = op->block->parent;
  return op;
}

static bool can_repeat(const Op *op, const Op *loop) {
  if (op->kind == OP_dot) return false;
  if (op->kind == OP_load) return is_safe_ahead(op, loop);
  return op_is_pure(op);
}

static bool add_op(Slice *s, Op *op) {
  if (map_get(&s->seen, op)) return true;
  if (s->ops.count == MAX_SLICE || !can_repeat(op, s->loop)) return false;
  map_put(&s->seen, s->arena, op, op);
  vec_push(s->arena, &s->ops, op);
  want_operands(op, s);
  for (int r = 0; r < op->num_regions; r++) {
    block_walk(op->regions[r], want_operands, s);
  }
  return true;
}

static bool add_value(Slice *s, const Value *value) {
  if (value->def) return add_op(s, in_body(s, value->def));
  if (value->block != s->loop->regions[0]) return true; // of a nested region
  if (!value->index) return true;                       // the counter
  vec_push(s->arena, &s->carried, value);
  want(s, region_yield(s->loop, 0, value->index - 1));
  return true;
}

// What `load` needs: false if that cannot run ahead.
static bool find_slice(Slice *s, Op *load) {
  want_operands(load, s);
  while (s->todo.count) {
    if (!add_value(s, s->todo.items[--s->todo.count])) return false;
  }
  return true;
}

static void keep_slice(Schedule *out, const Slice *s) {
  for (size_t i = 0; i < s->ops.count; i++) {
    map_put(&out->slice, s->arena, s->ops.items[i], s->ops.items[i]);
  }
  for (size_t i = 0; i < s->carried.count; i++) {
    const Value *arg = s->carried.items[i];
    map_put(&out->carried, s->arena, arg, (void *)(uintptr_t)arg);
  }
}

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

// Does the value reach a factor of a dot in the same trip?  Sums that a dot
// starts with are read once, in the registers they are added to.
static bool feeds_dot(Arena *arena, const Value *value) {
  Uses uses = {.arena = arena};
  follow(&uses, value);
  while (uses.todo.count) {
    const Value *at = uses.todo.items[--uses.todo.count];
    for (const Use *use = at->uses; use; use = use->next) {
      if (use->user->kind == OP_load) continue; // in the slice of that one
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

// Is each use of it a conversion, perhaps behind so many transposes, for the
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

static bool is_zero(const Value *x) {
  const Attr *value;
  if (!value_is_constant(x, &value)) return false;
  if (!type_is_float(x->type)) return !value->as.i;
  return value->as.f == 0 && !signbit(value->as.f);
}

bool load_fills_zeros(const Op *load) {
  const Value *mask = op_group(load, 1), *other = op_group(load, 2);
  return !mask || !other || is_zero(other);
}

// Is it a tile that buffers can hold?
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

static bool is_wanted(const Schedule *s, Arena *arena, Op *load, bool asked) {
  if (load->kind != OP_load || !is_wide(load)) return false;
  const Value *result = op_result(load);
  if (s->stages == 1) {
    return is_operand(result, 1) && load_fills_zeros(load);
  }
  return asked || feeds_dot(arena, result);
}

static void add_load(Schedule *out, Arena *arena, Op *load) {
  Slice slice = {.arena = arena, .loop = out->loop};
  if (!is_safe_ahead(load, out->loop)) return;
  if (out->stages > 1) {
    if (!find_slice(&slice, load)) return;
    keep_slice(out, &slice);
  }
  vec_push(arena, &out->loads, load);
}

// -- One buffer --------------------------------------------------------------

typedef struct {
  const Block *body;
  Op *first, *last;
  bool others; // it is read by something else, or elsewhere
} Readers;

// `steps`: so many conversions and transposes may come before a product.
static void add_readers(Readers *r, const Value *x, int steps) {
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

// Halves of the bits take half as long.
static int64_t macs_of(const Op *dot) {
  const Type *a = op_operand(dot, 0)->type;
  const int64_t macs =
      op_result(dot)->type->num_elements * a->shape[a->rank - 1];
  return macs * type_element_bits(a) / 16;
}

// Behind its last reading the trip has to cover a copy's latency.  What the
// first product reads keeps its two buffers, since loops of two products did
// not gain (docs/decisions/0011-one-buffer.md).
static Op *last_dot_of_one(const Schedule *s, const Op *load) {
  const Block *body = s->loop->regions[0];
  Readers r = {.body = body};
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
  if (s->stages != 3) return;
  for (size_t i = 0; i < s->loads.count; i++) {
    Op *load = s->loads.items[i], *last = last_dot_of_one(s, load);
    if (!last) continue;
    map_put(&s->last_dot, arena, load, last);
    s->at_start = true;
  }
}

// -- The loop ----------------------------------------------------------------

static bool has_loops(const Block *block) {
  for (const Op *op = block->first; op; op = op->next) {
    if (op->kind == OP_for || op->kind == OP_while) return true;
  }
  return false;
}

// Steps that are not constant are compared in 64 bits.
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
  Arena *arena = f->module->arena;
  for (Op *op = loop->regions[0]->first; op; op = op->next) {
    if (is_wanted(out, arena, op, own != NULL)) add_load(out, arena, op);
  }
  find_single_buffers(out, arena);
  if (out->stages > 2 && schedule_reads_wait(out)) out->at_start = true;
  return out->loads.count && target_can(target, CAP_CP_ASYNC);
}

bool schedule_stores(Op *loop, const Target *target, Schedule *out) {
  *out = (Schedule){.loop = loop, .target = target, .stages = 1};
  if (!target || !target->is_gpu || has_loops(loop->regions[0])) return false;
  Arena *arena = op_function(loop)->module->arena;
  for (Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_load || !is_tile(op)) continue;
    if (!is_operand(op_result(op), 1) || !load_fills_zeros(op)) continue;
    vec_push(arena, &out->loads, op);
  }
  return out->loads.count > 0;
}
