// pressure.c -- the registers for the tiles of a kernel: at the same time, and
// in all.
//
// An estimate from the order of the ops: tiles of floats, and loaded values,
// from their definition to their last use.  Addresses and indices are ignored,
// since most of them are at constant distances from a few.  Values are numbered
// in the order of the walk.
#include "codegen/gpu/simt.h"

typedef struct {
  int *first, *last; // of the definition and the last use
  int *words;        // of a thread's elements
  int *at_once;      // the part that is live at the same time
  int num_seen, now;
} Lives;

bool simt_takes_registers(const Value *value) {
  if (!type_is_tile(value->type) || type_is_pointer(value->type)) return false;
  const Op *op = value->def;
  if (!op) return type_is_float(value->type);
  switch (op->kind) {
  case OP_load: return true;
  case OP_constant:
  case OP_splat:
  case OP_broadcast:
  case OP_expand_dims: return false;
  default: return type_is_float(value->type);
  }
}

// Is the value used by a reduction alone, which combines each element as soon
// as it is computed?
static bool is_reduced(const Value *value) {
  const Use *use = value->uses;
  while (use && !use->next) {
    const Op *op = use->user;
    if (!value->def || op->block != value->def->block) return false;
    if (op->kind == OP_reduce) return true;
    if (!op_has(op, TRAIT_ELEMENTWISE) || op->num_results != 1) return false;
    use = op_result(op)->uses;
  }
  return false;
}

static void begin(Lives *l, const Value *value) {
  l->first[value->id] = l->last[value->id] = l->now;
  if (!simt_takes_registers(value)) return;
  const int bits = type_element_bits(value->type) * simt_count(value->type);
  l->words[value->id] = (bits + SIMT_WORD_BITS - 1) / SIMT_WORD_BITS;
  if (!is_reduced(value)) l->at_once[value->id] = l->words[value->id];
}

// Values from outside that a region uses are live to its end, as there may be
// another trip.
static void extend(Lives *l, int num_before, int start) {
  for (int id = 0; id < num_before; id++) {
    if (l->last[id] > start) l->last[id] = l->now;
  }
}

// Recursion is as deep as regions nest, which the parsers limit.
static void walk(Lives *l, const Block *block) {
  l->num_seen += block->num_args;
  for (int i = 0; i < block->num_args; i++) begin(l, &block->args[i]);
  for (const Op *op = block->first; op; op = op->next) {
    const int start = ++l->now, num_before = l->num_seen;
    for (int i = 0; i < op->num_operands; i++) {
      l->last[op_operand(op, i)->id] = l->now;
    }
    l->num_seen += op->num_results;
    for (int r = 0; r < op->num_regions; r++) walk(l, op->regions[r]);
    if (op->num_regions) extend(l, num_before, start);
    for (int i = 0; i < op->num_results; i++) begin(l, &op->results[i]);
  }
}

Pressure simt_pressure(const Simt *s) {
  Arena *arena = s->e->arena;
  Lives l = {.first = arena_array(arena, int, s->num_values + 1),
             .last = arena_array(arena, int, s->num_values + 1),
             .words = arena_array(arena, int, s->num_values + 1),
             .at_once = arena_array(arena, int, s->num_values + 1)};
  walk(&l, s->f->body);
  int *change = arena_array(arena, int, l.now + 2);
  for (int id = 0; id < s->num_values; id++) {
    change[l.first[id]] += l.at_once[id];
    change[l.last[id]] -= l.at_once[id];
  }
  int live = 0;
  Pressure pressure = {0};
  for (int i = 0; i <= l.now; i++) {
    live += change[i];
    if (live > pressure.most) pressure.most = live;
  }
  for (int id = 0; id < s->num_values; id++) pressure.all += l.words[id];
  return pressure;
}
