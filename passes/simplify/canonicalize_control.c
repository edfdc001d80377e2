// canonicalize_control.c -- control flow that is known at compile time.
//
// Regions are simplified before their owner.  Unused slots are left to dce,
// which also finds cycles.
#include "passes/simplify/canonicalize.h"

#include "passes/analysis/walk.h"

#include <assert.h>

static bool simplify_block(Block *block);

static void replace_result(Op *op, int index, Value *with) {
  Value *result = &op->results[index];
  if (!with->name && with->def) with->name = result->name;
  if (result->uses) value_replace_uses(result, with);
}

// Replaces `op` by the body of region `r`, whose arguments become `args`.  The
// values of its terminator, from `first` on, become the results.
static void inline_region(Op *op, int r, Value *const *args, int first) {
  Block *region = op->regions[r];
  for (int i = 0; i < region->num_args; i++) {
    if (region->args[i].uses) value_replace_uses(&region->args[i], args[i]);
  }
  block_inline_before(region, op);
  const Op *end = block_end(region);
  assert(end->num_operands == first + op->num_results &&
         region->first == end); // I7
  for (int i = 0; i < op->num_results; i++) {
    replace_result(op, i, op_operand(end, first + i));
  }
  op_erase(op);
}

// -- if ----------------------------------------------------------------------

static bool only_ends(const Block *block) {
  return block->first == block->last;
}

// The value of a result if both branches give the same: one value, or a
// constant, of which a copy is built in front; NULL: they differ.
static Value *same_both_ways(const Op *op, int index) {
  const Attr *a, *b;
  Value *yes = region_yield(op, 0, index), *no = region_yield(op, 1, index);
  if (yes == no) return yes;
  if (!value_is_constant(yes, &a) || !value_is_constant(no, &b)) return NULL;
  if (!attr_equal(a, b)) return NULL;
  Builder before = builder_before(op_function(op)->module, (Op *)op);
  Value *constant = build_value(&before, OP_constant, 0, NULL, yes->type);
  op_set_attr(before.m, constant->def, *a);
  return constant;
}

static bool merge_results(Op *op) {
  bool changed = false;
  for (int i = 0; i < op->num_results; i++) {
    if (!op->results[i].uses) continue;
    Value *same = same_both_ways(op, i);
    if (same) replace_result(op, i, same);
    changed |= same != NULL;
  }
  return changed;
}

static bool can_select(const Type *type) {
  return type->kind == TYPE_SCALAR || type->kind == TYPE_POINTER ||
         type->kind == TYPE_TILE;
}

// Replaces an `if` without other ops by a select for each result.
static bool to_selects(Op *op) {
  if (!only_ends(op->regions[0]) || !only_ends(op->regions[1])) return false;
  for (int i = 0; i < op->num_results; i++) {
    if (!can_select(op->results[i].type)) return false;
  }
  Builder b = builder_before(op_function(op)->module, op);
  for (int i = 0; i < op->num_results; i++) {
    if (!op->results[i].uses) continue;
    Value *value = build_select(&b, op->results[i].type, op_operand(op, 0),
                                region_yield(op, 0, i), region_yield(op, 1, i));
    replace_result(op, i, value);
  }
  op_erase(op);
  return true;
}

static bool simplify_if(Op *op) {
  int64_t condition;
  if (value_constant_int(op_operand(op, 0), &condition)) {
    inline_region(op, condition ? 0 : 1, NULL, 0);
    return true;
  }
  const bool merged = merge_results(op);
  return to_selects(op) || merged;
}

// -- for ---------------------------------------------------------------------

static Value **inits_of(const Op *op) {
  Arena *arena = op_function(op)->module->arena;
  Value **values = arena_array(arena, Value *, for_num_slots(op) + 1);
  values[0] = op_operand(op, FOR_LOWER); // the iv in the first trip
  for (int i = 0; i < for_num_slots(op); i++) values[1 + i] = for_init(op, i);
  return values;
}

static void skip_for(Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    replace_result(op, i, for_init(op, i));
  }
  op_erase(op);
}

// Removes carried values that every trip yields unchanged.
static bool drop_constant_slots(Op *op) {
  const int n = for_num_slots(op);
  bool *keep = arena_array(op_function(op)->module->arena, bool, n + 1);
  bool changed = false;
  for (int i = 0; i < n; i++) {
    Value *arg = for_arg(op, i), *next = region_yield(op, 0, i);
    keep[i] = next != arg && next != for_init(op, i);
    if (keep[i]) continue;
    if (arg->uses) value_replace_uses(arg, for_init(op, i));
    replace_result(op, i, for_init(op, i));
    changed = true;
  }
  if (!changed) return false;
  terminator_keep(op->regions[0], keep);
  for_keep(op, keep);
  return true;
}

static bool simplify_for(Op *op) {
  int trips;
  if (!for_few_trips(op, &trips) || trips > 1) return drop_constant_slots(op);
  if (trips) {
    inline_region(op, 0, inits_of(op), 0);
  } else {
    skip_for(op);
  }
  return true;
}

// -- while -------------------------------------------------------------------

// Values from outside that the condition passes to the body and to a result are
// used there directly.
static bool forward_outside(Op *op) {
  bool changed = false;
  for (int i = 0; i < op->num_results; i++) {
    Value *value = region_yield(op, 0, i), *arg = &op->regions[1]->args[i];
    if (!value_is_outside(value, op->regions[0])) continue;
    changed |= arg->uses || op->results[i].uses;
    if (arg->uses) value_replace_uses(arg, value);
    replace_result(op, i, value);
  }
  return changed;
}

// Removes values that enter the loop and are yielded unchanged.
static bool forward_constant_entries(Op *op) {
  bool changed = false;
  for (int i = 0; i < op->num_operands; i++) {
    Value *arg = &op->regions[0]->args[i], *next = region_yield(op, 1, i);
    if (next->block == op->regions[1]) {
      next = region_yield(op, 0, next->index);
    }
    if (next != arg && next != op_operand(op, i)) continue;
    if (!arg->uses) continue;
    value_replace_uses(arg, op_operand(op, i));
    changed = true;
  }
  return changed;
}

static bool simplify_while(Op *op) {
  int64_t condition;
  const Op *end = block_end(op->regions[0]);
  if (value_constant_int(op_operand(end, 0), &condition) && !condition) {
    inline_region(op, 0, op_copy_operands(op), 1);
    return true;
  }
  const bool changed = forward_constant_entries(op);
  return forward_outside(op) || changed;
}

// -- Combining ---------------------------------------------------------------

// Combining along an axis of size 1 gives the operand.  For a vector, the
// reduction stays, as it converts the element to a scalar.
static bool simplify_combining(Op *op) {
  bool changed = false;
  const Type *first = op_operand(op, 0)->type;
  if (first->shape[op_int(op, ATTR_axis)] != 1) return false;
  Builder b = builder_before(op_function(op)->module, op);
  for (int i = 0; i < op->num_results; i++) {
    Value *result = &op->results[i], *value = op_operand(op, i);
    const Type *type = result->type;
    if (!result->uses || !type_is_tile(type) || type->layout) continue;
    if (op->kind == OP_reduce) value = build_reshape(&b, type, value);
    replace_result(op, i, value);
    changed = true;
  }
  return changed;
}

// -- All ---------------------------------------------------------------------

static bool simplify_op(Op *op) {
  switch (op->kind) {
  case OP_if: return simplify_if(op);
  case OP_for: return simplify_for(op);
  case OP_while: return simplify_while(op);
  case OP_reduce:
  case OP_scan: return simplify_combining(op);
  default: return false;
  }
}

// Recursion is as deep as regions nest, which the parsers limit.
static bool simplify_block(Block *block) {
  bool changed = false;
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    for (int r = 0; r < op->num_regions; r++) {
      changed |= simplify_block(op->regions[r]);
    }
    changed |= simplify_op(op);
  }
  return changed;
}

bool canonicalize_control(Function *f) {
  return simplify_block(f->body);
}
