// assign_layouts.c -- a layout for every tile, for targets with threads.
//
// Accesses to memory decide: tiles of a shape get the layout that coalesces the
// widest access of that shape.  Then, in program order, each op takes over the
// layout of its operands; where two disagree one is converted, and cheap index
// arithmetic is computed again instead (passes/place.h).
#include "passes/axis_info.h"
#include "passes/pass.h"
#include "passes/place.h"
#include "passes/walk.h"

// -- Anchors -----------------------------------------------------------------

typedef struct {
  Placer *placer;
  const AxisAnalysis *analysis;
  Map widths; // Layout of an anchor, to its vector width
} Anchors;

// Dimensions by contiguity, the last first where they are equal.
static void access_order(const AxisInfo *info, int rank, int *order) {
  for (int i = 0; i < rank; i++) {
    const int d = rank - 1 - i;
    int at = i;
    for (; at > 0; at--) {
      if (info->contiguity[order[at - 1]] >= info->contiguity[d]) break;
      order[at] = order[at - 1];
    }
    order[at] = d;
  }
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// Elements that one instruction of up to 16 bytes may access.
static int64_t access_width(const Anchors *a, const AxisInfo *info, int d,
                            const Type *pointers) {
  const int bits = type_element_bits(type_element(pointers)->element);
  const int64_t bytes = bits < 8 ? 1 : bits / 8;
  const int64_t threads = (int64_t)a->placer->num_lanes * a->placer->num_warps;
  const int64_t share = pointers->num_elements / threads;
  int64_t width = least(16 / bytes, info->divisibility[d] / bytes);
  width = least(width, least(info->contiguity[d], info->constancy[d]));
  width = least(width, share);
  return width < 1 ? 1 : width;
}

static void visit_access(Op *op, void *ctx) {
  Anchors *a = ctx;
  AxisInfo info;
  int order[MAX_RANK];
  if (!axis_access(a->analysis, op, &info)) return;
  const Type *type = op_operand(op, 0)->type;
  if (!type_is_tile(type)) return;
  access_order(&info, type->rank, order);
  const int64_t width = access_width(a, &info, order[0], type);
  Placer *p = a->placer;
  const Layout *layout =
      layout_coalesced(&p->m->layouts, type->rank, type->shape, order,
                       (int)width, p->num_lanes, p->num_warps);
  const Type *shape = type_with_layout(&p->m->types, type, NULL);
  const int64_t best = (int64_t)(intptr_t)map_get(
      &a->widths, type_with_elem(&p->m->types, shape, ELEM_i1));
  if (!layout || width <= best) return;
  map_put(&a->widths, p->m->arena, type_with_elem(&p->m->types, shape, ELEM_i1),
          (void *)(intptr_t)width);
  place_set_default(p, type, layout);
}

// Where rows are reduced, vectors of that length mostly go back to the rows:
// loops carry them as the reduction leaves them.
static void visit_reduction(Op *op, void *ctx) {
  const Anchors *a = ctx;
  if (op->kind != OP_reduce || !type_is_tile(op_result(op)->type)) return;
  Placer *p = a->placer;
  const Layout *from = place_default(p, op_operand(op, 0)->type);
  const Layout *layout =
      layout_slice(&p->m->layouts, from, (int)op_int(op, ATTR_axis));
  if (layout) place_set_default(p, op_result(op)->type, layout);
}

// -- Ops ---------------------------------------------------------------------

static void place_block(Placer *p, Block *block);

static void set_operand(Placer *p, Op *op, int index, const Layout *layout) {
  Value *value = op_operand(op, index);
  if (!type_is_tile(value->type)) return;
  Value *placed = place_under(p, value, layout);
  if (placed != value) op_set_operand(op, index, placed);
}

static const Layout *own_or_default(Placer *p, const Value *value) {
  return value->type->layout ? value->type->layout
                             : place_default(p, value->type);
}

// The layout of the first settled tile operand; else the default of the first
// tile; NULL without tiles.
static const Layout *common_layout(Placer *p, const Op *op) {
  const Value *first = NULL;
  for (int i = 0; i < op->num_operands; i++) {
    const Value *value = op_operand(op, i);
    if (!type_is_tile(value->type)) continue;
    if (value->type->layout) return value->type->layout;
    if (!first) first = value;
  }
  return first ? place_default(p, first->type) : NULL;
}

static void settle_results(Placer *p, Op *op, const Layout *layout) {
  for (int i = 0; i < op->num_results; i++) {
    if (!is_settled(&op->results[i])) settle(p, &op->results[i], layout);
  }
}

static void set_operands(Placer *p, Op *op, const Layout *layout) {
  for (int i = 0; i < op->num_operands; i++) set_operand(p, op, i, layout);
}

// All tiles of the op under one layout.
static void place_alike(Placer *p, Op *op, const Layout *layout) {
  set_operands(p, op, layout);
  settle_results(p, op, layout);
}

// Each operand as it is, each result as is usual for its shape.
static void place_apart(Placer *p, Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    const Value *value = op_operand(op, i);
    if (type_is_tile(value->type)) {
      set_operand(p, op, i, own_or_default(p, value));
    }
  }
  for (int i = 0; i < op->num_results; i++) {
    Value *result = &op->results[i];
    if (!is_settled(result)) settle(p, result, place_default(p, result->type));
  }
}

static void place_access(Placer *p, Op *op) {
  const Type *type = op_operand(op, 0)->type;
  if (!type_is_tile(type)) return;
  const Layout *layout = place_default(p, type);
  const Value *value = op->kind == OP_store ? op_operand(op, 1) : NULL;
  // A vector is rather stored as it lies than converted.
  if (value && type->rank == 1 && value->type->layout) {
    layout = value->type->layout;
  }
  place_alike(p, op, layout);
}

static const Layout *after(Placer *p, const Op *op, const Layout *layout) {
  LayoutTable *table = &p->m->layouts;
  const Type *to = op_result(op)->type;
  int order[MAX_RANK];
  const Attr *given = op_attr(op, ATTR_order);
  switch (op->kind) {
  case OP_expand_dims:
    return layout_expand(table, layout, (int)op_int(op, ATTR_axis));
  case OP_trans:
    for (int i = 0; i < to->rank; i++) {
      order[i] = (int)given->as.ints.items[i];
    }
    return layout_transpose(table, layout, order);
  case OP_reshape: return layout_reshape(table, layout, to->rank, to->shape);
  case OP_join: return layout_join(table, layout);
  default: return layout;
  }
}

// The operands decide, if the result can follow.
static void place_forward(Placer *p, Op *op) {
  const Layout *from = common_layout(p, op);
  const Layout *to = after(p, op, from);
  if (!to) {
    place_apart(p, op);
    return;
  }
  set_operands(p, op, from);
  settle_results(p, op, to);
}

// The result decides: it is usual for its shape.
static void place_backward(Placer *p, Op *op) {
  const Layout *to = place_default(p, op_result(op)->type);
  const Layout *from = place_operand(p, op, to);
  if (from) set_operands(p, op, from);
  settle_results(p, op, to);
}

static void place_split(Placer *p, Op *op) {
  LayoutTable *table = &p->m->layouts;
  const Layout *from = common_layout(p, op), *to = layout_split(table, from);
  if (!to) {
    to = place_default(p, op_result(op)->type);
    from = layout_join(table, to);
  }
  set_operands(p, op, from);
  settle_results(p, op, to);
}

static void place_reduce(Placer *p, Op *op) {
  const Layout *layout = common_layout(p, op);
  const int axis = (int)op_int(op, ATTR_axis);
  set_operands(p, op, layout);
  if (!type_is_tile(op_result(op)->type)) return;
  settle_results(p, op, layout_slice(&p->m->layouts, layout, axis));
}

// -- Control flow ------------------------------------------------------------

// What is handed on has the usual layout, everywhere the same one.
static void place_values(Placer *p, Value *values, int count) {
  for (int i = 0; i < count; i++) {
    if (!is_settled(&values[i])) {
      settle(p, &values[i], place_default(p, values[i].type));
    }
  }
}

static void place_defaults(Placer *p, Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    const Type *type = op_operand(op, i)->type;
    if (type_is_tile(type)) set_operand(p, op, i, place_default(p, type));
  }
}

static void place_structured(Placer *p, Op *op) {
  place_defaults(p, op);
  place_values(p, op->results, op->num_results);
  for (int r = 0; r < op->num_regions; r++) {
    Block *region = op->regions[r];
    place_values(p, region->args, region->num_args);
    place_block(p, region);
    place_defaults(p, block_end(region));
  }
}

static void place_op(Placer *p, Op *op) {
  if (place_keep_free(p, op)) return;
  switch (op->kind) {
  case OP_load:
  case OP_store:
  case OP_atomic_rmw:
  case OP_atomic_cas:
  case OP_async_copy: place_access(p, op); return;
  case OP_for:
  case OP_while:
  case OP_if: place_structured(p, op); return;
  case OP_reduce: place_reduce(p, op); return;
  case OP_expand_dims:
  case OP_trans:
  case OP_reshape:
  case OP_join: place_forward(p, op); return;
  case OP_split: place_split(p, op); return;
  case OP_broadcast: place_backward(p, op); return;
  case OP_scan:
  case OP_hint: place_alike(p, op, common_layout(p, op)); return;
  case OP_yield:
  case OP_condition: return; // with the op that they belong to
  default: break;
  }
  if (op_has(op, TRAIT_ELEMENTWISE)) {
    const Layout *layout = common_layout(p, op);
    if (layout) place_alike(p, op, layout);
  } else {
    place_apart(p, op);
  }
}

// Recursion is as deep as regions nest, which the parsers limit.
static void place_block(Placer *p, Block *block) {
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    place_op(p, op);
  }
}

// -- All ---------------------------------------------------------------------

static void erase_templates(Block *block) {
  for (Op *op = block->last, *prev; op; op = prev) {
    prev = op->prev;
    for (int r = 0; r < op->num_regions; r++) erase_templates(op->regions[r]);
    const bool free = op->num_results == 1 && !is_settled(op_result(op));
    if (free && op_is_unused(op)) op_erase(op);
  }
}

bool pass_assign_layouts(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    Placer placer = {.m = m, .num_lanes = target ? target->warp_size : 32};
    placer.num_warps = (int)function_int(f, ATTR_num_warps, 4);
    Anchors anchors = {&placer, axis_analyze(f, m->arena), {0}};
    block_walk(f->body, visit_access, &anchors);
    block_walk(f->body, visit_reduction, &anchors);
    place_block(&placer, f->body);
    erase_templates(f->body);
  }
  return true;
}
