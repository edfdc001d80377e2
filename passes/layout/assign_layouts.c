// assign_layouts.c -- a layout for every tile, for targets with threads.
//
// Memory accesses come first: tiles of a shape get the layout that coalesces
// the widest access of that shape.  Then, in program order, each op gets the
// layout of its operands.  If two operands disagree, one is converted, or, if
// it is cheap index arithmetic, computed again (passes/layout/place.h).
//
// Example: `store (addptr %p, %i), addf %x, %y` with %x loaded in the coalesced
// layout and %y from a reduction: the addf takes the layout of %x, %y is
// converted, and the addresses of the store are computed in that layout.
#include "ir/flip.h"
#include "ir/layout_access.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/layout/anchors.h"
#include "passes/layout/parts.h"
#include "passes/layout/place.h"
#include "passes/layout/wish.h"
#include "passes/pass.h"

#include <assert.h>

// -- Ops ---------------------------------------------------------------------

static void place_block(Placer *p, Block *block);

static void set_operand(Placer *p, Op *op, int index, const Layout *layout) {
  Value *value = op_operand(op, index);
  if (!type_is_tile(value->type)) return;
  const bool stored = op->kind == OP_store && index == 1;
  Value *placed = stored ? place_narrowest(p, value, layout)
                         : place_narrow(p, value, layout);
  assert(placed->type->layout == layout && "an operand lies otherwise"); // I2
  if (placed != value) op_set_operand(op, index, placed);
}

static const Layout *own_or_default(Placer *p, const Value *value) {
  return value->type->layout ? value->type->layout
                             : place_default(p, value->type);
}

// The layout for an op's operands and results: the wish for an elementwise op's
// result; else the layout of the first settled tile operand; else the default
// for the first tile; NULL without tiles.
static const Layout *common_layout(Placer *p, const Op *op) {
  const Value *first = NULL;
  const Layout *wish = op->num_results ? place_wish(p, op_result(op)) : NULL;
  if (wish && op_has(op, TRAIT_ELEMENTWISE)) return wish;
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

// Puts all tiles of the op into one layout.
static void place_alike(Placer *p, Op *op, const Layout *layout) {
  set_operands(p, op, layout);
  settle_results(p, op, layout);
}

// Leaves each operand as it is, and gives each result the default of its shape.
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

// Threads with copies of a tile store a part each, with the same width.
static const Layout *layout_shared_out(Placer *p, const Op *op,
                                       LayoutDim to_dim) {
  const Layout *layout = op_operand(op, 1)->type->layout;
  const Layout *suited = map_get(&p->accesses, op);
  const int last = layout->rank - 1;
  const int run = place_log2_run(p, op);
  const int own = layout_log2_contiguous(layout, last);
  if (!suited || (run && !layout_log2_contiguous(suited, last))) return layout;
  return layout_spread(&p->m->layouts, layout, run < own ? run : own, to_dim);
}

// Lanes that would hold the same results of a reduction, which are only stored,
// divide them: each combines the results that it stores.
static void share_out_results(Placer *p, const Op *op) {
  Value *value = op_operand(op, 1);
  const Op *reduce = value_def(value, OP_reduce);
  if (!reduce || reduce->num_results > 1 || value->uses->next) return;
  const Layout *to = layout_shared_out(p, op, LAYOUT_LANE);
  value->type = type_with_layout(&p->m->types, value->type, to);
}

static bool only_writes(const Op *op) {
  return op->kind == OP_store ||
         (op->kind == OP_atomic_rmw && !op_result(op)->uses);
}

// The layout in which a tile is stored without a conversion: threads with
// copies store a part each, and lanes without a part of a vector let others
// store runs.
static const Layout *layout_kept(Placer *p, const Op *op) {
  const Layout *layout = op_operand(op, 1)->type->layout;
  if (!only_writes(op)) return layout;
  if (layout->rank > 1) {
    share_out_results(p, op);
    return layout_shared_out(p, op, LAYOUT_WARP);
  }
  const Layout *spread = layout_spread(
      &p->m->layouts, layout, layout_log2_contiguous(layout, 0), LAYOUT_WARP);
  if (op->kind != OP_store) return spread;
  return layout_gather(&p->m->layouts, spread, place_log2_run(p, op));
}

// The layout in which a vector is loaded, if `wish` is the layout in which it
// is needed: lanes with copies load a part each, and get the others by
// shuffles, or, if a loop copies it ahead, from shared memory.
static const Layout *layout_loaded(Placer *p, const Layout *wish) {
  return layout_spread(&p->m->layouts, wish, layout_log2_contiguous(wish, 0),
                       LAYOUT_LANE);
}

static void place_access(Placer *p, Op *op) {
  const Type *type = op_operand(op, 0)->type;
  if (!type_is_tile(type)) return;
  const Layout *layout = map_get(&p->accesses, op);
  if (!layout) layout = place_default(p, type);
  const bool vector = op->kind == OP_load && type->rank == 1;
  const Layout *wish = vector ? place_wish(p, op_result(op)) : NULL;
  if (wish) layout = layout_loaded(p, wish);
  layout = place_keeps_value(p, op, layout) ? layout_kept(p, op)
                                            : parts_stored(p, op, layout);
  place_alike(p, op, layout);
}

static bool is_multiplied(const Value *value) {
  for (const Use *use = value->uses; use; use = use->next) {
    if (use->user->kind == OP_dot && use->index < 2) return true;
  }
  return false;
}

// A conversion to the layout that select_mma chose, or to the default.  Narrow
// operands are widened after it, since fragments of them would be read in small
// pieces.
static void place_conversion(Placer *p, Op *op) {
  Value *value = op_operand(op, 0), *result = op_result(op);
  const Layout *layout = result->type->layout;
  if (!layout) layout = own_or_default(p, value);
  Value *placed = is_multiplied(result) ? place_under(p, value, layout)
                                        : place_narrow(p, value, layout);
  value_replace_uses(result, placed);
  op_erase(op);
}

// The result gets the layout that follows from the operands, if there is one.
static void place_forward(Placer *p, Op *op) {
  const Layout *from = common_layout(p, op);
  const Layout *to = place_after(p, op, from);
  if (!to) {
    place_apart(p, op);
    return;
  }
  set_operands(p, op, from);
  settle_results(p, op, to);
}

// The operands get the layout that the result, with its default, needs.
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

// A gather that only exchanges positions along an axis keeps its operand's
// layout.
static void place_gather(Placer *p, Op *op) {
  int64_t distance;
  if (gather_flips(op, &distance)) {
    place_alike(p, op, own_or_default(p, op_operand(op, 0)));
  } else {
    place_apart(p, op);
  }
}

// A sorting network compares the nearest elements most often, so these should
// be in one thread.
static void place_minmax(Placer *p, Op *op) {
  const Value *x = op_operand(op, 0);
  const int axis = (int)op_int(op, ATTR_axis);
  const Layout *layout = own_or_default(p, x);
  const Layout *near = place_near(p, x->type, axis);
  const bool fits =
      place_log2_in_thread(layout, axis) >= place_log2_in_thread(near, axis);
  place_alike(p, op, fits ? layout : near);
}

// -- Control flow ------------------------------------------------------------

// The layout of a value that regions pass on, in all its places: its wish, or
// the default.
static const Layout *handed_on(Placer *p, const Value *value) {
  const Layout *wish = place_wish(p, value);
  return wish ? wish : place_default(p, value->type);
}

static void place_slot(Placer *p, Value *value, const Value *as) {
  if (is_settled(value)) return;
  settle(p, value, as->type->layout ? as->type->layout : handed_on(p, as));
}

// Converts the operands from `first` on to the layouts of the values in their
// slots.
static void feed(Placer *p, Op *op, int first, const Value *to, int count) {
  for (int i = 0; i < count; i++) {
    if (type_is_tile(to[i].type)) {
      set_operand(p, op, first + i, to[i].type->layout);
    }
  }
}

static void place_for(Placer *p, Op *op) {
  Block *body = op->regions[0];
  const int count = for_num_slots(op);
  for (int i = 0; i < count; i++) {
    place_slot(p, for_arg(op, i), for_arg(op, i));
    place_slot(p, &op->results[i], for_arg(op, i));
  }
  feed(p, op, FOR_INIT, op->results, count);
  place_block(p, body);
  feed(p, block_end(body), 0, op->results, count);
}

static void place_while(Placer *p, Op *op) {
  Block *test = op->regions[0], *body = op->regions[1];
  for (int i = 0; i < test->num_args; i++) {
    place_slot(p, &test->args[i], &test->args[i]);
  }
  for (int i = 0; i < op->num_results; i++) {
    place_slot(p, &op->results[i], &op->results[i]);
    place_slot(p, &body->args[i], &op->results[i]);
  }
  feed(p, op, 0, test->args, test->num_args);
  place_block(p, test);
  feed(p, block_end(test), 1, op->results, op->num_results);
  place_block(p, body);
  feed(p, block_end(body), 0, test->args, test->num_args);
}

static void place_if(Placer *p, Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    place_slot(p, &op->results[i], &op->results[i]);
  }
  for (int r = 0; r < op->num_regions; r++) {
    place_block(p, op->regions[r]);
    feed(p, block_end(op->regions[r]), 0, op->results, op->num_results);
  }
}

// Has the op layouts already, as in IR text?  Then its operands have them, too.
static bool is_placed(const Op *op) {
  if (op->kind == OP_convert_layout || op->kind == OP_dot) return false;
  return op->num_results && !op->num_regions &&
         type_is_tile(op_result(op)->type) && is_settled(op_result(op));
}

static void place_op(Placer *p, Op *op) {
  if (is_placed(op) || place_keep_free(p, op)) return;
  switch (op->kind) {
  case OP_load:
  case OP_store:
  case OP_atomic_rmw:
  case OP_atomic_cas:
  case OP_async_copy: place_access(p, op); return;
  case OP_convert_layout: place_conversion(p, op); return;
  case OP_for: place_for(p, op); return;
  case OP_while: place_while(p, op); return;
  case OP_if: place_if(p, op); return;
  case OP_reduce: place_reduce(p, op); return;
  case OP_expand_dims:
  case OP_trans:
  case OP_reshape:
  case OP_join: place_forward(p, op); return;
  case OP_split: place_split(p, op); return;
  case OP_gather: place_gather(p, op); return;
  case OP_minmaxsi: place_minmax(p, op); return;
  case OP_broadcast: place_backward(p, op); return;
  case OP_scan:
  case OP_inline_asm:
  case OP_inline_asm_effects:
  case OP_hint: place_alike(p, op, common_layout(p, op)); return;
  case OP_yield:
  case OP_condition: return; // handled with their owner
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
    anchors_collect(&placer, f);
    if (target) parts_collect(&placer, f, target->max_shared_block);
    anchors_of_reductions(&placer, f);
    wishes_collect(&placer, f);
    place_block(&placer, f->body);
    erase_templates(f->body);
  }
  return true;
}
