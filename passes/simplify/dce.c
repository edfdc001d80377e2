// dce.c -- remove unused operations, and values that loops carry without use.
//
// First, all needed ops are marked, from ops with effects backwards through
// operands, carried values and enclosing ops; then ops without a mark are
// removed.  So a carried value that only feeds itself is removed, too.  A loop
// without effects is assumed to end.
#include "passes/pass.h"

#include "passes/analysis/walk.h"

#include <assert.h>

typedef struct {
  Arena *arena;
  Map needed; // ops that stay
  Vec(Value *) pending;
} Marker;

static void mark_value(Marker *k, Value *value) {
  if (value->id) return;
  value->id = 1;
  vec_push(k->arena, &k->pending, value);
}

static void mark_operands(Marker *k, const Op *op, int from, int to) {
  for (int i = from; i < to; i++) mark_value(k, op_operand(op, i));
}

// The number of operands, in front of those of slots, that control the regions.
static int num_controls(const Op *op) {
  switch (op->kind) {
  case OP_for: return FOR_INIT;
  case OP_if: return 1;
  case OP_reduce:
  case OP_scan:
  case OP_while: return 0;
  default: return op->num_operands;
  }
}

// Regions without slots pass on all of their values.
static bool has_slots(const Op *op) {
  return op->kind == OP_for || op->kind == OP_if || op->kind == OP_while ||
         op_combines(op);
}

static void mark_op(Marker *k, Op *op) {
  for (; op && !map_get(&k->needed, op); op = op->block->parent) {
    map_put(&k->needed, k->arena, op, op);
    mark_operands(k, op, 0, num_controls(op));
    for (int r = 0; r < op->num_regions; r++) {
      const Op *end = block_end(op->regions[r]);
      if (!has_slots(op)) mark_operands(k, end, 0, end->num_operands);
      if (end->kind == OP_condition) mark_operands(k, end, 0, 1);
    }
  }
}

static void mark_for_slot(Marker *k, Op *op, int slot) {
  mark_value(k, for_init(op, slot));
  mark_value(k, region_yield(op, 0, slot));
}

static void mark_combined(Marker *k, Op *op, int slot) {
  mark_value(k, op_operand(op, slot));
  mark_value(k, region_yield(op, 0, slot));
}

static void mark_while_entry(Marker *k, Op *op, int slot) {
  mark_value(k, op_operand(op, slot));
  mark_value(k, region_yield(op, 1, slot));
}

static void mark_sources_of_result(Marker *k, const Value *value) {
  Op *op = value->def;
  mark_op(k, op);
  if (op->kind == OP_for) mark_for_slot(k, op, value->index);
  if (op_combines(op)) mark_combined(k, op, value->index);
  if (op->kind == OP_while) mark_value(k, region_yield(op, 0, value->index));
  if (op->kind != OP_if) return;
  for (int r = 0; r < 2; r++) mark_value(k, region_yield(op, r, value->index));
}

static void mark_sources_of_arg(Marker *k, const Value *value) {
  Op *op = value->block->parent;
  if (!op) return; // a parameter
  mark_op(k, op);
  if (op->kind == OP_for && value->index) {
    mark_for_slot(k, op, value->index - 1);
  }
  if (op_combines(op)) mark_combined(k, op, value->index % op->num_results);
  if (op->kind != OP_while) return;
  if (value->block == op->regions[0]) {
    mark_while_entry(k, op, value->index);
  } else {
    mark_value(k, region_yield(op, 0, value->index));
  }
}

static void clear_marks(Op *op, void *ctx) {
  (void)ctx;
  for (int i = 0; i < op->num_results; i++) op->results[i].id = 0;
  for (int r = 0; r < op->num_regions; r++) {
    Block *region = op->regions[r];
    for (int i = 0; i < region->num_args; i++) region->args[i].id = 0;
  }
}

static void mark_root(Op *op, void *ctx) {
  if (op_is_root(op) && !op_has(op, TRAIT_TERMINATOR)) mark_op(ctx, op);
}

static void mark(Marker *k, Function *f) {
  for (int i = 0; i < f->body->num_args; i++) f->body->args[i].id = 0;
  block_walk(f->body, clear_marks, NULL);
  block_walk(f->body, mark_root, k);
  while (k->pending.count) {
    const Value *value = k->pending.items[--k->pending.count];
    assert(value->id == 1 && "a value waits without its mark"); // I3
    if (value->def) {
      mark_sources_of_result(k, value);
    } else {
      mark_sources_of_arg(k, value);
    }
  }
}

// -- Sweeping ----------------------------------------------------------------

static void sweep(Marker *k, Block *block);

// For each of `count` slots: is its result or argument marked?
static bool *marked(Marker *k, int count, const Value *results,
                    const Value *args, bool *all) {
  bool *keep = arena_array(k->arena, bool, count + 1);
  for (int i = 0; i < count; i++) {
    keep[i] = (results && results[i].id) || (args && args[i].id);
    *all &= keep[i];
  }
  return keep;
}

static void sweep_for(Marker *k, Op *op) {
  bool all = true;
  const bool *keep =
      marked(k, op->num_results, op->results, &op->regions[0]->args[1], &all);
  if (!all) terminator_keep(op->regions[0], keep);
  sweep(k, op->regions[0]);
  if (!all) for_keep(op, keep);
}

static void sweep_if(Marker *k, Op *op) {
  bool all = true;
  const bool *keep = marked(k, op->num_results, op->results, NULL, &all);
  for (int r = 0; r < 2; r++) {
    if (!all) terminator_keep(op->regions[r], keep);
    sweep(k, op->regions[r]);
  }
  if (!all) if_keep(op, keep);
}

static void sweep_while(Marker *k, Op *op) {
  bool all = true;
  const Block *body = op->regions[1];
  const bool *entry =
      marked(k, op->num_operands, NULL, op->regions[0]->args, &all);
  const bool *leave = marked(k, op->num_results, op->results, body->args, &all);
  if (!all) terminator_keep(op->regions[0], leave);
  if (!all) terminator_keep(op->regions[1], entry);
  for (int r = 0; r < 2; r++) sweep(k, op->regions[r]);
  if (!all) while_keep(op, entry, leave);
}

// A value that only its own combination reads is removed; others are combined
// as before.
static void sweep_combined(Marker *k, Op *op) {
  bool all = true;
  const int n = op->num_results;
  const Value *args = op->regions[0]->args;
  bool *keep = arena_array(k->arena, bool, n);
  for (int i = 0; i < n; i++) {
    keep[i] = op->results[i].id || args[i].id || args[n + i].id;
    all &= keep[i];
  }
  if (!all) terminator_keep(op->regions[0], keep);
  sweep(k, op->regions[0]);
  if (!all) combine_keep(op, keep);
}

static void sweep_op(Marker *k, Op *op) {
  switch (op->kind) {
  case OP_for: sweep_for(k, op); return;
  case OP_if: sweep_if(k, op); return;
  case OP_while: sweep_while(k, op); return;
  case OP_reduce:
  case OP_scan: sweep_combined(k, op); return;
  default:
    for (int r = 0; r < op->num_regions; r++) sweep(k, op->regions[r]);
  }
}

static void sweep(Marker *k, Block *block) {
  for (Op *op = block->last, *prev; op; op = prev) {
    prev = op->prev;
    if (op_has(op, TRAIT_TERMINATOR)) continue;
    if (map_get(&k->needed, op)) {
      sweep_op(k, op);
    } else {
      op_erase(op);
    }
  }
}

bool pass_dce(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) {
    Marker marker = {.arena = m->arena};
    mark(&marker, f);
    sweep(&marker, f->body);
  }
  return true;
}
