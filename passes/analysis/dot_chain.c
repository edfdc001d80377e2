// dot_chain.c -- dots that are connected by elementwise ops in one block.
//
// The search follows ops that keep each element in its place, and does not
// leave the block, so values that loops carry are not followed.
#include "passes/analysis/dot_chain.h"

enum { MAX_DISTANCE = 16, MAX_FAMILY = 256 };

static bool passes_on(const Op *op) {
  return op_has(op, TRAIT_ELEMENTWISE) || op->kind == OP_convert_layout;
}

// The visited values, in order, each once.
typedef struct {
  Arena *arena;
  Map seen;
  Vec(const Value *) values;
} ChainSearch;

static void meet(ChainSearch *s, const Value *value) {
  if (map_get(&s->seen, value)) return;
  map_put(&s->seen, s->arena, value, (void *)(uintptr_t)value);
  vec_push(s->arena, &s->values, value);
}

static void meet_operands(ChainSearch *s, const Op *op) {
  for (int i = 0; i < op->num_operands; i++) meet(s, op_operand(op, i));
}

// -- Dots that feed dots -----------------------------------------------------

// True at an end of the search; else the step adds the next values.
typedef bool ChainStep(ChainSearch *s, const Value *value, const Block *block);

// A step to the users.  The end: the left operand of a dot.
static bool step_to_users(ChainSearch *s, const Value *value,
                          const Block *block) {
  for (const Use *use = value->uses; use; use = use->next) {
    const Op *user = use->user;
    if (user->block != block) continue;
    if (user->kind == OP_dot && use->index == 0) return true;
    if (passes_on(user)) meet(s, op_result(user));
  }
  return false;
}

// A step to the operands.  The end: the result of a dot.
static bool step_to_operands(ChainSearch *s, const Value *value,
                             const Block *block) {
  const Op *op = value->def;
  if (!op || op->block != block) return false;
  if (op->kind == OP_dot) return true;
  if (passes_on(op)) meet_operands(s, op);
  return false;
}

// Is there an end within MAX_DISTANCE steps?
static bool leads(const Op *dot, const Value *from, ChainStep *step) {
  ChainSearch s = {.arena = op_function(dot)->module->arena};
  meet(&s, from);
  size_t at = 0;
  for (int distance = 0; distance < MAX_DISTANCE; distance++) {
    for (const size_t end = s.values.count; at < end; at++) {
      if (step(&s, s.values.items[at], dot->block)) return true;
    }
  }
  return false;
}

bool dot_feeds_dot(const Op *dot) {
  return leads(dot, op_result(dot), step_to_users);
}

bool dot_is_fed(const Op *dot) {
  return leads(dot, op_operand(dot, 0), step_to_operands);
}

// -- Families ----------------------------------------------------------------

typedef struct {
  ChainSearch search;
  const Block *block;
  DotFamily *out;
} FamilySearch;

static void add_made(FamilySearch *f, Op *dot) {
  ChainSearch *s = &f->search;
  if (map_get(&s->seen, dot)) return;
  map_put(&s->seen, s->arena, dot, dot);
  vec_push(s->arena, &f->out->made, dot);
  meet(s, op_operand(dot, 2));
  meet(s, op_result(dot));
}

static void look_at_users(FamilySearch *f, const Value *value) {
  ChainSearch *s = &f->search;
  for (const Use *use = value->uses; use; use = use->next) {
    Op *user = use->user;
    if (user->block != f->block) continue;
    if (user->kind == OP_dot) {
      if (use->index == 0) vec_push(s->arena, &f->out->fed, user);
      if (use->index == 2) add_made(f, user);
    } else if (passes_on(user)) {
      meet(s, op_result(user));
    }
  }
}

static void look_at_maker(FamilySearch *f, const Value *value) {
  Op *op = value->def;
  if (!op || op->block != f->block) return;
  if (op->kind == OP_dot) add_made(f, op);
  if (passes_on(op)) meet_operands(&f->search, op);
}

// Adds the loads from which the value is computed.
static void find_loads(FamilySearch *f, const Value *start) {
  ChainSearch s = {.arena = f->search.arena};
  meet(&s, start);
  for (size_t at = 0; at < s.values.count; at++) {
    Op *op = s.values.items[at]->def;
    if (!op || op->block != f->block) continue;
    if (op->kind == OP_load) vec_push(s.arena, &f->out->loads, op);
    if (passes_on(op)) meet_operands(&s, op);
    if (s.values.count > MAX_FAMILY) return;
  }
}

bool dot_family(Op *dot, DotFamily *out) {
  FamilySearch f = {.search = {.arena = op_function(dot)->module->arena},
                    .block = dot->block,
                    .out = out};
  *out = (DotFamily){0};
  add_made(&f, dot);
  for (size_t at = 0; at < f.search.values.count; at++) {
    const Value *value = f.search.values.items[at];
    if (!type_is_tile(value->type)) continue;
    look_at_users(&f, value);
    look_at_maker(&f, value);
    if (f.search.values.count > MAX_FAMILY) return false;
  }
  for (size_t i = 0; i < out->made.count; i++) {
    find_loads(&f, op_operand(out->made.items[i], 2));
  }
  return true;
}
