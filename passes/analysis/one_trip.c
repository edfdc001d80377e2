// one_trip.c -- loops without a second trip.
//
// Example: the block of a program on the diagonal is a loop from i * 64 to (i +
// 1) * 64 by 64.  Bounds are expanded into sums of values with factors, which
// wrap like the IR's integers: the difference here is 64, the step, so there is
// one trip.
#include "passes/analysis/walk.h"

#include <assert.h>

enum { MAX_TERMS = 8, MAX_OPS = 32 };

typedef struct {
  const Value *values[MAX_TERMS];
  uint64_t factors[MAX_TERMS], constant;
  int num_terms;
  int fuel; // number of ops that may still be visited
  bool ok;
} LinearSum;

static void add_term(LinearSum *s, const Value *value, uint64_t factor) {
  int i = 0;
  while (i < s->num_terms && s->values[i] != value) i++;
  if (i == MAX_TERMS) s->ok = false;
  if (i == MAX_TERMS) return;
  if (i == s->num_terms) s->factors[s->num_terms++] = 0;
  assert(i < s->num_terms && s->num_terms <= MAX_TERMS); // I6
  s->values[i] = value;
  s->factors[i] += factor;
}

// Recursion is MAX_OPS deep at most.
static void add(LinearSum *s, const Value *value, uint64_t factor) {
  int64_t constant;
  const Op *op = value->def;
  if (value_constant_int(value, &constant)) {
    s->constant += factor * (uint64_t)constant;
    return;
  }
  if (op && s->fuel-- > 0) {
    switch (op->kind) {
    case OP_hint: add(s, op_operand(op, 0), factor); return;
    case OP_addi:
    case OP_subi:
      add(s, op_operand(op, 0), factor);
      add(s, op_operand(op, 1), op->kind == OP_addi ? factor : 0 - factor);
      return;
    case OP_muli:
      if (!value_constant_int(op_operand(op, 1), &constant)) break;
      add(s, op_operand(op, 0), factor * (uint64_t)constant);
      return;
    default: break;
    }
  }
  add_term(s, value, factor);
}

// upper - lower, wrapped; false if it is unknown.
static bool find_distance(const Op *loop, uint64_t mask, uint64_t *out) {
  LinearSum sum = {.fuel = MAX_OPS, .ok = true};
  add(&sum, op_operand(loop, FOR_UPPER), 1);
  add(&sum, op_operand(loop, FOR_LOWER), (uint64_t)-1);
  for (int i = 0; i < sum.num_terms; i++) {
    if (sum.factors[i] & mask) return false;
  }
  *out = sum.constant;
  return sum.ok;
}

bool loop_runs_once(const Op *loop) {
  int64_t step;
  uint64_t distance;
  const int bits = type_element_bits(op_operand(loop, FOR_STEP)->type);
  const uint64_t mask = UINT64_MAX >> (64 - bits);
  if (!value_constant_int(op_operand(loop, FOR_STEP), &step)) return false;
  if (!step || !find_distance(loop, mask, &distance)) return false;
  return step > 0 ? (distance & mask) <= (uint64_t)step
                  : ((0 - distance) & mask) <= 0 - (uint64_t)step;
}

// Replaces the arguments of the body by their values in the first trip.
static void replace_args(const Op *loop) {
  value_replace_uses(for_counter(loop), op_operand(loop, FOR_LOWER));
  for (int i = 0; i < for_num_slots(loop); i++) {
    value_replace_uses(for_arg(loop, i), for_init(loop, i));
  }
}

void loop_to_if(Module *m, Op *loop) {
  int64_t step = 0;
  const int n = for_num_slots(loop);
  value_constant_int(op_operand(loop, FOR_STEP), &step);
  const Type **types = arena_array(m->arena, const Type *, n + 1);
  Value **init = arena_array(m->arena, Value *, n + 1);
  for (int i = 0; i < n; i++) {
    types[i] = loop->results[i].type;
    init[i] = for_init(loop, i);
  }
  Builder b = builder_before(m, loop);
  Value *runs =
      build_cmp(&b, OP_cmpi, step > 0 ? PREDICATE_lt : PREDICATE_gt,
                op_operand(loop, FOR_LOWER), op_operand(loop, FOR_UPPER));
  Op *branch = build_if(&b, runs, n, types);
  replace_args(loop);
  for (Op *op; (op = loop->regions[0]->first);) {
    op_unlink(op);
    op_append(branch->regions[0], op);
  }
  Builder otherwise = builder_at_end(m, branch->regions[1], loop->loc);
  build_yield(&otherwise, n, init);
  for (int i = 0; i < n; i++) {
    branch->results[i].name = loop->results[i].name;
    value_replace_uses(&loop->results[i], &branch->results[i]);
  }
  assert(!loop->regions[0]->first && "ops are left in the loop"); // I9
  op_erase(loop);
}
