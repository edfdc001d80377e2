// operand.c -- from a dot's operand back to its loads.
//
// Elements are often loaded in fewer bits than they are multiplied in: so
// layouts are converted before elements are widened.  If only rearrangements
// are between the widening and the loads, the tile can be read from shared
// memory in any layout, after a loop has copied it.
//
// For example, the chain of the dot's operand 1 is %w, which widens, and %t:
//
//     %q = load %p : tile<32x64xi8>
//     %w = sitofp %q : tile<32x64xf16>
//     %t = trans %w : tile<64x32xf16>
//     %s = dot %x, %t, %sum
//
// So %q is converted, as bytes, to the layout whose transpose %t is to have.
#include "passes/layout/operand.h"

enum {
  MAX_DISTANCE = 64,
  MAX_AGAIN = 4, // ops that each warp computes again if it needs the operand
};

typedef enum { STATE_NONE, STATE_FREE, STATE_LOADED, STATE_OTHER } OperandState;

static bool is_load(const Op *op) {
  return op->kind == OP_load || op->kind == OP_load_desc;
}

static bool computes_apart(const Op *op) {
  switch (op->kind) {
  case OP_expand_dims:
  case OP_broadcast:
  case OP_trans:
  case OP_reshape:
  case OP_join: return true;
  default: return op_has(op, TRAIT_ELEMENTWISE) && op->num_results == 1;
  }
}

// -- The ops of an operand ---------------------------------------------------

static OperandState find_state(Operand *x, const Value *value, int distance);

// Operands that are loads or free keep the state; any other one changes it.
static OperandState state_of_operands(Operand *x, const Op *op, int distance) {
  OperandState found = STATE_FREE;
  for (int i = 0; i < op->num_operands; i++) {
    const Value *operand = op_operand(op, i);
    if (!type_is_tile(operand->type)) continue;
    const OperandState state = find_state(x, operand, distance - 1);
    if (state > found) found = state;
  }
  return found;
}

static OperandState compute_state(Operand *x, const Value *value,
                                  int distance) {
  const Op *op = value->def;
  if (!distance || value->type->layout) return STATE_OTHER;
  if (!op) return value->type->rank > 1 ? STATE_OTHER : STATE_FREE;
  if (op->block != x->dot->block) return STATE_FREE;
  if (is_load(op)) return STATE_LOADED;
  if (op->kind == OP_arange || op->kind == OP_constant) return STATE_FREE;
  if (op->kind == OP_splat) return STATE_FREE;
  return computes_apart(op) ? state_of_operands(x, op, distance) : STATE_OTHER;
}

// Recursion is MAX_DISTANCE deep at most.
static OperandState find_state(Operand *x, const Value *value, int distance) {
  const OperandState known = (OperandState)(intptr_t)map_get(&x->states, value);
  if (known) return known;
  const OperandState state = compute_state(x, value, distance);
  map_put(&x->states, x->placer.m->arena, value, (void *)(intptr_t)state);
  return state;
}

static bool is_loaded(const Operand *x, const Value *value) {
  return (OperandState)(intptr_t)map_get(&x->states, value) == STATE_LOADED;
}

// -- Layouts of these ops ----------------------------------------------------

static bool is_forward(const Op *op) {
  return op->kind == OP_trans || op->kind == OP_reshape || op->kind == OP_join;
}

static bool give_layout(Operand *x, Value *value, const Layout *layout);

static bool give_operands(Operand *x, Op *op, const Layout *layout) {
  Placer *p = &x->placer;
  const Layout *needed = place_operand(p, op, layout);
  if (!needed) return false;
  if (is_forward(op) && place_after(p, op, needed) != layout) return false;
  for (int i = 0; i < op->num_operands; i++) {
    Value *operand = op_operand(op, i);
    if (!type_is_tile(operand->type) || !is_loaded(x, operand)) continue;
    if (!give_layout(x, operand, needed)) return false;
  }
  return true;
}

// False if the value would have two layouts.  The recursion is at most
// MAX_DISTANCE deep.
static bool give_layout(Operand *x, Value *value, const Layout *layout) {
  Arena *arena = x->placer.m->arena;
  Op *op = value->def;
  if (is_load(op)) {
    vec_push(arena, &x->loads, ((OperandLoad){op, layout}));
    return true;
  }
  const Layout *known = map_get(&x->layouts, value);
  if (known) return known == layout;
  map_put(&x->layouts, arena, value, (void *)layout);
  if (!give_operands(x, op, layout)) return false;
  vec_push(arena, &x->chain, op);
  return true;
}

static bool is_used_inside(const Operand *x, const Op *op) {
  for (const Use *use = op_result(op)->uses; use; use = use->next) {
    if (use->user == x->dot && use->index == x->index) continue;
    const bool inside = use->user->num_results == 1 &&
                        map_get(&x->layouts, op_result(use->user));
    if (!inside) return false;
  }
  return true;
}

static int bits_of(const Value *value) {
  return type_element_bits(value->type->element);
}

// The loaded operand that is a full tile, and no vector broadcast to one.
static Value *main_operand(const Operand *x, const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    Value *operand = op_operand(op, i);
    if (!type_is_tile(operand->type) || !is_loaded(x, operand)) continue;
    if (operand->def->kind != OP_broadcast) return operand;
  }
  return NULL;
}

static Op *find_widening(const Operand *x, const Value *value) {
  int again = 0;
  while (value && !is_load(value->def)) {
    again += op_has(value->def, TRAIT_ELEMENTWISE);
    if (again > MAX_AGAIN) return NULL;
    const Value *from = main_operand(x, value->def);
    if (from && bits_of(from) < bits_of(value)) return value->def;
    value = from;
  }
  return NULL;
}

bool operand_trace(Operand *x, Module *m, Op *dot, int index,
                   const Layout *layout) {
  *x = (Operand){.placer = {.m = m}, .dot = dot, .index = index};
  Value *value = op_operand(dot, index);
  x->layout = layout;
  if (!layout || find_state(x, value, MAX_DISTANCE) != STATE_LOADED) {
    return false;
  }
  if (!give_layout(x, value, layout)) return false;
  for (size_t i = 0; i < x->chain.count; i++) {
    if (!is_used_inside(x, x->chain.items[i])) return false;
  }
  x->widening = find_widening(x, value);
  return true;
}

const Value *operand_source(const Operand *x) {
  return x->widening ? main_operand(x, x->widening)
                     : op_operand(x->dot, x->index);
}

// -- Given them --------------------------------------------------------------

static void settle_op(Operand *x, Op *op) {
  Module *m = x->placer.m;
  const Layout *layout = map_get(&x->layouts, op_result(op));
  const Layout *needed = place_operand(&x->placer, op, layout);
  Builder b = builder_before(m, op);
  for (int i = 0; i < op->num_operands; i++) {
    Value *operand = op_operand(op, i);
    if (!type_is_tile(operand->type) || operand->type->layout) continue;
    const Type *type = type_with_layout(&m->types, operand->type, needed);
    op_set_operand(op, i, build_convert_layout(&b, type, operand));
  }
  settle(&x->placer, op_result(op), layout);
}

// Are there only rearrangements between the loads and `value`?
static bool is_rearranged(const Operand *x, const Value *value) {
  const Op *op = value->def;
  if (is_load(op) || !is_loaded(x, value)) return true;
  if (op_has(op, TRAIT_ELEMENTWISE)) return false;
  for (int i = 0; i < op->num_operands; i++) {
    if (!is_rearranged(x, op_operand(op, i))) return false;
  }
  return true;
}

// Removes the layouts of `value` and the ops before it.
static void leave_open(Operand *x, const Value *value) {
  if (!map_get(&x->layouts, value)) return;
  map_put(&x->layouts, x->placer.m->arena, value, NULL);
  for (int i = 0; i < value->def->num_operands; i++) {
    leave_open(x, op_operand(value->def, i));
  }
}

void operand_settle(Operand *x) {
  if (!x->widening) return;
  const Value *source = operand_source(x);
  if (!is_rearranged(x, source)) leave_open(x, source);
  for (size_t i = 0; i < x->chain.count; i++) {
    Op *op = x->chain.items[i];
    if (map_get(&x->layouts, op_result(op))) settle_op(x, op);
  }
}
