// loop_counters.c -- a carried number that counts like the loop is replaced by
// the loop's counter.
//
//     for %i = %lo to %hi step %s carries %c from %lo - 8: ... yield %c + %s
//
// gets %i - 8 in place of %c, so that expressions of both become equal.  A
// carried value that is used behind the loop stays.
#include "passes/simplify/index_sum.h"

#include "passes/analysis/walk.h"
#include "passes/pass.h"

#include <assert.h>

// The difference x - y; false if it is no constant.
static bool find_distance(Value *x, Value *y, int64_t *out) {
  IndexReader reader = index_reader(NULL);
  reader.exact = true;
  IndexSum a, b;
  return index_read(&reader, x, &a) && index_read(&reader, y, &b) &&
         index_add_scaled(&a, &b, -1) && index_is_constant(&a, out);
}

// The counter plus `distance`, at the start of the body.
static Value *build_counter(Module *m, Op *loop, int64_t distance) {
  Value *counter = for_counter(loop);
  Builder b = builder_before(m, loop->regions[0]->first);
  if (!distance) return counter;
  return build_addi(&b, counter->type, counter,
                    build_int(&b, counter->type, distance));
}

static void replace_slot(Module *m, Op *loop, int slot) {
  Value *arg = for_arg(loop, slot), *step = op_operand(loop, FOR_STEP);
  const Op *next = region_yield(loop, 0, slot)->def;
  int64_t distance, by;
  if (!next || next->kind != OP_addi || op_operand(next, 0) != arg ||
      arg->type != for_counter(loop)->type || loop->results[slot].uses ||
      !value_constant_int(step, &by) ||
      !find_distance(op_operand(next, 1), step, &distance) || distance ||
      !find_distance(for_init(loop, slot), op_operand(loop, FOR_LOWER),
                     &distance))
    return;
  assert(op_result(next)->type == arg->type && "a slot of two types"); // I5
  // The yielded sum still uses the argument.
  value_replace_uses(op_result(next), build_counter(m, loop, distance + by));
  value_replace_uses(arg, build_counter(m, loop, distance));
}

static void look(Op *op, void *ctx) {
  for (int i = 0; op->kind == OP_for && i < for_num_slots(op); i++)
    replace_slot(ctx, op, i);
}

bool pass_loop_counters(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) block_walk(f->body, look, m);
  return true;
}
