// wish.c -- the preferred layouts of values.
//
// A value gets a wish once, so that the worklist ends.
//
// For example, `%v`, 64 floats, is spread over the rows of the initial sum of a
// 64x64 dot: `%b = broadcast (expand_dims %v {axis = 0})`.  The sum wishes the
// layout of the dot's result; so does %b, and %v wishes that layout without the
// rows: register [[1], [16], [32]], lane [[2], [4], [0], [0], [0]], warp [[0],
// [8]] for four warps.  If the result is only rounded and stored, `truncf`
// wishes its layout, too, so that f16 are converted, not f32.
#include "passes/layout/wish.h"

#include "ir/layout_access.h"
#include "passes/analysis/walk.h"
#include "passes/layout/dot_layouts.h"

typedef struct {
  Placer *p;
  Vec(Value *) work;
  bool floats_only;
  bool reshapes; // the search goes backwards through reshapes
} Wishes;

static void wish(Wishes *w, Value *value, const Layout *layout) {
  const Type *type = value->type;
  if (!layout || !type_is_tile(type) || place_wish(w->p, value)) return;
  if (!layout_has_shape(layout, type->rank, type->shape)) return;
  if (w->floats_only && !type_is_float(type)) return;
  map_put(&w->p->wishes, w->p->m->arena, value, (void *)layout);
  vec_push(w->p->m->arena, &w->work, value);
}

static bool pop(Wishes *w, Value **value) {
  if (!w->work.count) return false;
  *value = w->work.items[--w->work.count];
  return true;
}

// -- Slots of structured ops -------------------------------------------------

// The argument and result of the slot of a loop or branch that `use` feeds.
static void wish_fed(Wishes *w, const Use *use, const Layout *layout) {
  Op *user = use->user, *parent = user->block->parent;
  const int i = use->index;
  switch (user->kind) {
  case OP_for:
    if (i < FOR_INIT) return;
    wish(w, for_arg(user, i - FOR_INIT), layout);
    wish(w, &user->results[i - FOR_INIT], layout);
    return;
  case OP_while: wish(w, &user->regions[0]->args[i], layout); return;
  case OP_condition:
    if (!i) return;
    wish(w, &parent->regions[1]->args[i - 1], layout);
    wish(w, &parent->results[i - 1], layout);
    return;
  case OP_yield:
    if (parent->kind == OP_for) wish(w, for_arg(parent, i), layout);
    if (parent->kind == OP_while) {
      wish(w, &parent->regions[0]->args[i], layout);
    } else if (i < parent->num_results) {
      wish(w, &parent->results[i], layout);
    }
    return;
  default: return;
  }
}

// -- Forward -----------------------------------------------------------------

static void wish_results(Wishes *w, Op *op, const Layout *layout) {
  for (int i = 0; i < op->num_results; i++) wish(w, &op->results[i], layout);
}

static void forward_use(Wishes *w, const Use *use, const Layout *layout) {
  LayoutTable *table = &w->p->m->layouts;
  Op *user = use->user;
  switch (user->kind) {
  case OP_reduce:
    wish_results(w, user,
                 layout_slice(table, layout, (int)op_int(user, ATTR_axis)));
    return;
  case OP_trans: wish_results(w, user, place_after(w->p, user, layout)); return;
  case OP_for:
  case OP_while:
  case OP_condition:
  case OP_yield: wish_fed(w, use, layout); return;
  default:
    if (op_has(user, TRAIT_ELEMENTWISE)) wish_results(w, user, layout);
  }
}

static void go_forward(Wishes *w) {
  Value *value;
  while (pop(w, &value)) {
    const Layout *layout = place_wish(w->p, value);
    for (const Use *use = value->uses; use; use = use->next) {
      forward_use(w, use, layout);
    }
  }
}

// -- Backward ----------------------------------------------------------------

static void backward_argument(Wishes *w, const Value *value,
                              const Layout *layout) {
  Op *op = value->block->parent;
  if (!op || op->kind != OP_for || !value->index) return;
  const int slot = value->index - 1;
  wish(w, for_init(op, slot), layout);
  wish(w, region_yield(op, 0, slot), layout);
  wish(w, &op->results[slot], layout);
}

static void backward_result(Wishes *w, const Value *value,
                            const Layout *layout) {
  Op *op = value->def;
  const int slot = value->index;
  if (op->kind == OP_for) {
    wish(w, for_arg(op, slot), layout);
  } else if (op->kind == OP_if) {
    for (int r = 0; r < 2; r++) wish(w, region_yield(op, r, slot), layout);
  } else if (op->kind == OP_broadcast || op->kind == OP_expand_dims ||
             (op->kind == OP_reshape && w->reshapes)) {
    wish(w, op_operand(op, 0), place_operand(w->p, op, layout));
  } else if (op->kind == OP_convert_layout) {
    if (value->type->layout) wish(w, op_operand(op, 0), layout);
  } else if (op_has(op, TRAIT_ELEMENTWISE)) {
    for (int i = 0; i < op->num_operands; i++) {
      wish(w, op_operand(op, i), layout);
    }
  }
}

static void go_backward(Wishes *w) {
  Value *value;
  while (pop(w, &value)) {
    const Layout *layout = place_wish(w->p, value);
    value->def ? backward_result(w, value, layout)
               : backward_argument(w, value, layout);
  }
}

// -- Starting points ---------------------------------------------------------

static void start_at_dot(Op *op, void *ctx) {
  Wishes *w = ctx;
  if (op->kind != OP_convert_layout || op_result(op)->type->layout) return;
  wish(w, op_result(op), op_operand(op, 0)->type->layout);
}

// A vector that is combined with the result of a dot: best loaded in the layout
// in which it is needed.
static void start_at_meeting(Op *op, void *ctx) {
  Wishes *w = ctx;
  if (!op_has(op, TRAIT_ELEMENTWISE)) return;
  Value *result = op_result(op);
  if (place_wish(w->p, result)) vec_push(w->p->m->arena, &w->work, result);
}

// The initial sum of a dot gets the layout of the dot, too.
static void start_at_sums(Op *op, void *ctx) {
  Wishes *w = ctx;
  if (op->kind != OP_dot || !type_is_tile(op_result(op)->type)) return;
  wish(w, op_operand(op, 2), op_operand(op, 2)->type->layout);
}

// The tile from which a sorting network starts.
static void start_at_minmax(Op *op, void *ctx) {
  Wishes *w = ctx;
  if (op->kind != OP_minmaxsi) return;
  const Value *x = op_operand(op, 0);
  if (x->def && x->def->kind == OP_minmaxsi) return;
  wish(w, op_operand(op, 0),
       place_near(w->p, x->type, (int)op_int(op, ATTR_axis)));
}

// A tile that is combined with the result of a dot, or sorted, is loaded in the
// layout in which it is needed, if its accesses are as wide there and read no
// unused bytes.
static void keep_load(Op *op, void *ctx) {
  Wishes *w = ctx;
  if (op->kind != OP_load || op_result(op)->type->rank < 2) return;
  const Layout *wished = place_wish(w->p, op_result(op));
  const Layout *suited = map_get(&w->p->accesses, op);
  if (!wished || !suited || layout_free_bits(wished)) return;
  const int64_t run = INT64_C(1) << place_log2_run(w->p, op);
  const int bits = type_element_bits(op_result(op)->type->element);
  if (!dot_lanes_fill_sectors(run * bits / 8)) return;
  if (!layout_is_as_wide(wished, suited)) return;
  map_put(&w->p->accesses, w->p->m->arena, op, (void *)wished);
}

static void start_at_address(Op *op, void *ctx) {
  Wishes *w = ctx;
  const Layout *layout = map_get(&w->p->accesses, op);
  if (layout) wish(w, op_operand(op, 0), layout);
}

static void start_at_load(Op *op, void *ctx) {
  Wishes *w = ctx;
  if (op->kind != OP_load) return;
  wish(w, op_result(op), map_get(&w->p->accesses, op));
}

void wishes_collect(Placer *p, Function *f) {
  Wishes w = {.p = p};
  block_walk(f->body, start_at_dot, &w);
  go_forward(&w);
  w.floats_only = true;
  block_walk(f->body, start_at_meeting, &w);
  go_backward(&w);
  block_walk(f->body, start_at_sums, &w);
  go_backward(&w);
  w.floats_only = false;
  w.reshapes = true;
  block_walk(f->body, start_at_minmax, &w);
  go_backward(&w);
  w.reshapes = false;
  block_walk(f->body, keep_load, &w);
  block_walk(f->body, start_at_address, &w);
  go_backward(&w);
  block_walk(f->body, start_at_load, &w);
  go_forward(&w);
}
