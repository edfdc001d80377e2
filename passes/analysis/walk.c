// walk.c -- traversal, and structured ops with other slots.
#include "passes/analysis/walk.h"

#include <assert.h>

// Recursion is as deep as regions nest, which the parsers limit.
void block_walk(Block *block, void (*visit)(Op *op, void *ctx), void *ctx) {
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    const int num_regions = op->num_regions;
    Block **const regions = op->regions;
    visit(op, ctx);
    for (int r = 0; r < num_regions; r++) block_walk(regions[r], visit, ctx);
  }
}

bool op_is_root(const Op *op) {
  const unsigned unnoticed = EFFECTS_READ |
                             EFFECT_BIT(ACT_ALLOC, EFFECT_SHARED) |
                             EFFECT_BIT(ACT_ALLOC, EFFECT_BARRIER);
  if (op_has(op, TRAIT_KEEP | TRAIT_TERMINATOR)) return true;
  if (op_int(op, ATTR_volatile)) return true;
  return (op_info[op->kind].effects & ~unnoticed) != 0;
}

bool op_is_unused(const Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    if (op->results[i].uses) return false;
  }
  return true;
}

bool op_is_atomic(const Op *op) {
  return op->kind == OP_atomic_rmw || op->kind == OP_atomic_cas;
}

bool reduce_only_adds(const Op *reduce) {
  const Block *body = reduce->regions[0];
  const Op *sum = body->first;
  if (reduce->num_operands != 1 || sum->kind != OP_addf ||
      sum->next != block_end(body) ||
      region_yield(reduce, 0, 0) != op_result(sum))
    return false;
  const Value *x = op_operand(sum, 0), *y = op_operand(sum, 1);
  return x != y && x->block == body && y->block == body;
}

Op *op_ancestor_in(const Op *op, const Block *block) {
  while (op && op->block != block) op = op->block->parent;
  return (Op *)op;
}

bool op_comes_before(const Op *a, const Op *b) {
  for (const Op *op = a->next; op; op = op->next) {
    if (op == b) return true;
  }
  return false;
}

// -- Loops -------------------------------------------------------------------

static bool fits(int64_t value, Elem elem) {
  const int bits = elem_info[elem].bits;
  return bits >= 64 || (value >= -(INT64_C(1) << (bits - 1)) &&
                        value < INT64_C(1) << (bits - 1));
}

bool for_few_trips(const Op *op, int *trips) {
  int64_t lower, upper, step, next;
  if (!value_constant_int(op_operand(op, FOR_LOWER), &lower)) return false;
  if (!value_constant_int(op_operand(op, FOR_UPPER), &upper)) return false;
  if (!value_constant_int(op_operand(op, FOR_STEP), &step)) return false;
  *trips = 0;
  if (step > 0 ? lower >= upper : lower <= upper) return true;
  if (!step) return true;
  // The second value may not fit the type: unknown.
  if (__builtin_add_overflow(lower, step, &next)) return false;
  if (!fits(next, op_operand(op, FOR_LOWER)->type->elem)) return false;
  *trips = (step > 0 ? next >= upper : next <= upper) ? 1 : 2;
  return true;
}

// -- Slots -------------------------------------------------------------------

// The operands in `in` before `first`, and those that are kept.
static int pick(int first, int count, Value *const *in, const bool *keep,
                Value **out) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    if (i < first || keep[i - first]) out[n++] = in[i];
  }
  return n;
}

Value **op_copy_operands(const Op *op) {
  Arena *arena = op_function(op)->module->arena;
  Value **values = arena_array(arena, Value *, op->num_operands + 1);
  for (int i = 0; i < op->num_operands; i++) values[i] = op_operand(op, i);
  return values;
}

void terminator_keep(Block *block, const bool *keep) {
  Op *old = block_end(block);
  assert(op_has(old, TRAIT_TERMINATOR) && !old->next); // I3
  Value **operands = op_copy_operands(old);
  const int n = pick(old->kind == OP_condition, old->num_operands, operands,
                     keep, operands);
  Op *op = op_create(block->function->module, old->kind, old->loc, n, operands,
                     NULL, 0, NULL);
  op_insert_before(old, op);
  op_erase(old);
}

Op *op_replace(Op *old, int num_operands, Value *const *operands,
               int num_results, const Type *const *types) {
  Module *m = op_function(old)->module;
  Op *op = op_create(m, old->kind, old->loc, num_operands, operands, NULL,
                     num_results, types);
  op_copy_attrs(m, op, old);
  for (int i = 0; i < old->num_regions; i++) {
    op_set_region(op, i, old->regions[i]);
  }
  old->num_regions = 0;
  op_insert_before(old, op);
  return op;
}

static void hand_over(Value *from, Value *to) {
  to->name = from->name;
  if (from->uses) value_replace_uses(from, to);
}

// Replaces the op by one with fewer operands behind `first` and fewer results.
static Op *keep_slots(Op *old, int first, const bool *operands_kept,
                      const bool *results_kept) {
  Module *m = op_function(old)->module;
  const int count = old->num_results;
  const Type **types = arena_array(m->arena, const Type *, count + 1);
  int num_results = 0;
  for (int i = 0; i < count; i++) {
    if (results_kept[i]) types[num_results++] = old->results[i].type;
  }
  Value **operands = op_copy_operands(old);
  const int n =
      pick(first, old->num_operands, operands, operands_kept, operands);
  Op *op = op_replace(old, n, operands, num_results, types);
  for (int i = 0, at = 0; i < count; i++) {
    if (results_kept[i]) hand_over(&old->results[i], &op->results[at++]);
  }
  op_erase(old);
  return op;
}

static void keep_args(Block *block, int first, const bool *keep) {
  Arena *arena = block->function->module->arena;
  Value *args = arena_array(arena, Value, block->num_args);
  int n = 0;
  for (int i = 0; i < block->num_args; i++) {
    Value *old = &block->args[i];
    if (i >= first && !keep[i - first]) {
      assert(!old->uses && "leaving out an argument that is still used"); // I3
      continue;
    }
    args[n] = (Value){.type = old->type, .block = block, .index = n};
    hand_over(old, &args[n++]);
  }
  block->args = args;
  block->num_args = n;
}

Op *for_keep(Op *op, const bool *keep) {
  keep_args(op->regions[0], 1, keep);
  Op *kept = keep_slots(op, FOR_INIT, keep, keep);
  assert(block_end(kept->regions[0])->num_operands == kept->num_results &&
         "the terminator has other slots"); // I3
  return kept;
}

Op *if_keep(Op *op, const bool *keep) {
  Op *kept = keep_slots(op, 1, NULL, keep);
  assert(block_end(kept->regions[0])->num_operands == kept->num_results &&
         block_end(kept->regions[1])->num_operands == kept->num_results); // I3
  return kept;
}

Op *while_keep(Op *op, const bool *entry, const bool *exit) {
  keep_args(op->regions[0], 0, entry);
  keep_args(op->regions[1], 0, exit);
  Op *kept = keep_slots(op, 0, entry, exit);
  assert(block_end(kept->regions[0])->num_operands == 1 + kept->num_results &&
         block_end(kept->regions[1])->num_operands == kept->num_operands); // I3
  return kept;
}

Op *combine_keep(Op *op, const bool *keep) {
  const int n = op->num_results;
  bool *both = arena_array(op_function(op)->module->arena, bool, 2 * n);
  for (int i = 0; i < 2 * n; i++) both[i] = keep[i % n];
  keep_args(op->regions[0], 0, both);
  Op *kept = keep_slots(op, 0, keep, keep);
  assert(kept->regions[0]->num_args == 2 * kept->num_operands); // I3
  return kept;
}

// The operands of `op`, with `more` behind them.
static Value **with_more(const Op *op, int count, Value *const *more) {
  Arena *arena = op_function(op)->module->arena;
  const int old = op->num_operands;
  Value **values = arena_array(arena, Value *, old + count);
  for (int i = 0; i < old + count; i++) {
    values[i] = i < old ? op_operand(op, i) : more[i - old];
  }
  return values;
}

static Value **add_args(Block *block, int count, Value *const *init) {
  Arena *arena = block->function->module->arena;
  const int old = block->num_args;
  Value *args = arena_array(arena, Value, old + count);
  Value **added = arena_array(arena, Value *, count);
  for (int i = 0; i < old + count; i++) {
    const Type *type = i < old ? block->args[i].type : init[i - old]->type;
    args[i] = (Value){.type = type, .block = block, .index = i};
    if (i < old) hand_over(&block->args[i], &args[i]);
    if (i >= old) added[i - old] = &args[i];
  }
  block->args = args;
  block->num_args = old + count;
  return added;
}

static void extend_end(Block *block, int count, Value *const *more) {
  Op *end = block_end(block);
  Op *op = op_create(block->function->module, end->kind, end->loc,
                     end->num_operands + count, with_more(end, count, more),
                     NULL, 0, NULL);
  op_insert_before(end, op);
  op_erase(end);
}

// The op with results behind its own, and operands behind its own.
static Op *extend(Op *old, int num_operands, int count, Value *const *more) {
  Module *m = op_function(old)->module;
  const int n = old->num_results;
  const Type **types = arena_array(m->arena, const Type *, n + count);
  for (int i = 0; i < n + count; i++) {
    types[i] = i < n ? old->results[i].type : more[i - n]->type;
  }
  Op *op = op_replace(old, old->num_operands + num_operands,
                      with_more(old, num_operands, more), n + count, types);
  for (int i = 0; i < n; i++) hand_over(&old->results[i], &op->results[i]);
  op_erase(old);
  return op;
}

Op *for_add(Op *old, int count, Value *const *init) {
  Block *body = old->regions[0];
  assert(old->kind == OP_for && body->num_args == 1 + old->num_results); // I3
  extend_end(body, count, add_args(body, count, init));
  return extend(old, count, count, init);
}

Op *if_add(Op *old, int count, Value *const *values) {
  assert(old->kind == OP_if); // I3
  for (int i = 0; i < 2; i++) extend_end(old->regions[i], count, values);
  return extend(old, 0, count, values);
}

Op *while_add(Op *old, int count, Value *const *init) {
  assert(old->kind == OP_while); // I3
  for (int i = 0; i < 2; i++)
    extend_end(old->regions[i], count, add_args(old->regions[i], count, init));
  return extend(old, count, count, init);
}

void block_inline_before(Block *from, Op *at) {
  for (Op *op = from->first, *next; op != from->last; op = next) {
    next = op->next;
    op_unlink(op);
    op_insert_before(at, op);
  }
}

void ops_move_before(Op *at, Op *first, const Op *end) {
  for (Op *op = first, *next; op != end; op = next) {
    next = op->next;
    op_unlink(op);
    op_insert_before(at, op);
  }
}

void ops_move_except(Block *into, Op *first, const Op *end, const Map *kept) {
  for (Op *op = first, *next; op != end; op = next) {
    next = op->next;
    if (map_get(kept, op)) continue;
    op_unlink(op);
    op_append(into, op);
  }
}
