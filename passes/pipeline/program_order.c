// program_order.c -- the work of a program as a function of its number.
//
// Work is products of matrices in loops.  The bounds of these loops are taken
// for linear in the program's numbers along the axes: a value outside of loops
// has a slope along each axis, by how much it grows from one program to the
// next.
#include "passes/pipeline/program_order.h"

#include "passes/analysis/walk.h"

#include <math.h>

typedef struct {
  bool unknown;
  double by[GRID_AXES];
} Slope;

typedef struct {
  Module *m;
  Map slopes;  // of values outside of loops; no entry: 0
  Slope work;  // of a program
  double most; // of work by one loop for one program
} Slopes;

static bool is_outside_loops(const Block *block) {
  const Op *outer = block->parent;
  while (outer && outer->kind == OP_if) outer = outer->block->parent;
  return !outer;
}

static Slope slope_of(const Slopes *s, const Value *value) {
  const Slope *known = map_get(&s->slopes, value);
  const Block *block = value_block(value);
  if (!is_outside_loops(block)) return (Slope){.unknown = true};
  return known ? *known : (Slope){.unknown = false};
}

static bool is_zero(const Slope *x) {
  return !x->unknown && x->by[0] == 0 && x->by[1] == 0 && x->by[2] == 0;
}

// x * a + y * b
static Slope sum(Slope x, double a, Slope y, double b) {
  x.unknown |= y.unknown;
  for (int i = 0; i < GRID_AXES; i++) x.by[i] = x.by[i] * a + y.by[i] * b;
  return x;
}

// A factor or divisor that is a constant above 0; else 0.
static double constant_of(const Value *value) {
  int64_t number;
  return value_constant_int(value, &number) && number > 0 ? (double)number : 0;
}

static Slope scaled(Slope x, double factor) {
  return factor != 0 ? sum(x, factor, (Slope){.unknown = false}, 0)
                     : (Slope){.unknown = !is_zero(&x)};
}

static Slope product(const Slopes *s, const Op *op) {
  Value *const x = op_operand(op, 0), *const y = op_operand(op, 1);
  const double factor = constant_of(y);
  const Slope all = sum(slope_of(s, x), 1, slope_of(s, y), 1);
  if (is_zero(&all)) return all;
  return scaled(slope_of(s, x), factor);
}

static Slope quotient(const Slopes *s, const Op *op) {
  const double divisor = constant_of(op_operand(op, 1));
  const Slope y = slope_of(s, op_operand(op, 1));
  if (!is_zero(&y)) return (Slope){.unknown = true};
  return scaled(slope_of(s, op_operand(op, 0)), divisor != 0 ? 1 / divisor : 0);
}

// All operands are the same in all programs, or the result is unknown.
static Slope constant_only(const Slopes *s, const Op *op) {
  Slope all = {.unknown = false};
  for (int i = 0; i < op->num_operands; i++)
    all = sum(all, 1, slope_of(s, op_operand(op, i)), 1);
  return (Slope){.unknown = !is_zero(&all)};
}

static Slope find_slope(const Slopes *s, const Op *op) {
  Slope out = {.unknown = false};
  if (op->num_regions) return (Slope){.unknown = true};
  switch (op->kind) {
  case OP_program_id: out.by[op_int(op, ATTR_axis)] = 1; return out;
  case OP_addi:
    return sum(slope_of(s, op_operand(op, 0)), 1,
               slope_of(s, op_operand(op, 1)), 1);
  case OP_subi:
    return sum(slope_of(s, op_operand(op, 0)), 1,
               slope_of(s, op_operand(op, 1)), -1);
  // On one side of the place where both are equal, the slope is 0 or the other.
  case OP_minsi:
  case OP_maxsi:
    return sum(slope_of(s, op_operand(op, 0)), 0.5,
               slope_of(s, op_operand(op, 1)), 0.5);
  case OP_muli: return product(s, op);
  case OP_divsi:
  case OP_divui: return quotient(s, op);
  case OP_extsi:
  case OP_extui:
  case OP_trunci:
  case OP_hint: return slope_of(s, op_operand(op, 0));
  default: return constant_only(s, op);
  }
}

static void add_slope(Op *op, void *ctx) {
  Slopes *s = ctx;
  if (!is_outside_loops(op->block)) return;
  const Slope found = find_slope(s, op);
  if (is_zero(&found)) return;
  Slope *kept = arena_new(s->m->arena, Slope);
  *kept = found;
  for (int i = 0; i < op->num_results; i++)
    map_put(&s->slopes, s->m->arena, &op->results[i], kept);
}

// -- Work --------------------------------------------------------------------

// Multiplications of a trip.
static double work_of(const Block *body) {
  double all = 0;
  for (const Op *op = body->first; op; op = op->next) {
    if (op->kind != OP_dot) continue;
    const Type *x = op_operand(op, 0)->type, *sums = op_result(op)->type;
    all += (double)sums->num_elements * (double)x->shape[x->rank - 1];
  }
  return all;
}

static void add_loop(Op *op, void *ctx) {
  Slopes *s = ctx;
  if (op->kind != OP_for) return;
  const double work = work_of(op->regions[0]);
  if (work == 0) return;
  const double step = constant_of(op_operand(op, FOR_STEP));
  Slope trips = sum(slope_of(s, op_operand(op, FOR_UPPER)), 1,
                    slope_of(s, op_operand(op, FOR_LOWER)), -1);
  trips.unknown |= !is_zero(&trips) && step == 0;
  trips.unknown |= !is_outside_loops(op->block);
  s->work = sum(s->work, 1, trips, step != 0 ? work / step : 0);
  for (int i = 0; i < GRID_AXES && step != 0; i++)
    s->most = fmax(s->most, fabs(trips.by[i]) * work / step);
}

// Loops in which the work grows and others in which it shrinks may make up for
// each other; differences below an eighth do not count.
ProgramOrder program_order_find(const Function *f) {
  static const ProgramOrder unknown = {.is_known = false};
  Slopes s = {.m = f->module};
  ProgramOrder order = {.is_known = true};
  block_walk(f->body, add_slope, &s);
  block_walk(f->body, add_loop, &s);
  if (s.work.unknown) return unknown;
  for (int axis = 0; axis < GRID_AXES; axis++) {
    if (fabs(s.work.by[axis]) * 8 <= s.most) continue;
    if (order.is_sorted) return unknown;
    order = (ProgramOrder){true, true, axis, s.work.by[axis] > 0};
  }
  return order;
}
