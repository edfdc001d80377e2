// combination.c -- the combining region of a reduction or scan.
//
// A region computes on scalars and has no effects.  Branches become selects.
// For assertions, each value is accompanied by a number: that of an assertion
// that failed in a combination leading to the value, or 0.  Behind the op, an
// assertion for each of these numbers checks that no result has it.
#include "frontend/language/combination.h"

#include "frontend/core/builtins.h"
#include "frontend/walk/element.h"
#include "ir/debug_text.h"

#include <assert.h>

static void hoist(Op *op, const Block *region) {
  for (Op *inner = region->first, *next; inner != region->last; inner = next) {
    next = inner->next;
    op_unlink(inner);
    op_insert_before(op, inner);
  }
}

static void select_results(Walk *w, Op *op) {
  Builder b = builder_before(w->m, op);
  Value *condition = op_operand(op, 0);
  assert(op->kind == OP_if && op->num_regions == 2); // I4
  for (int i = 0; i < op->num_results; i++) {
    Value *x = op_operand(op->regions[0]->last, i);
    Value *y = op_operand(op->regions[1]->last, i);
    assert(x->type == y->type); // I4
    Value *result = build_select(&b, x->type, condition, x, y);
    value_replace_uses(&op->results[i], result);
  }
}

static bool asserts(const Block *block) {
  for (const Op *op = block->first; op; op = op->next) {
    if (op->kind == OP_device_assert) return true;
    for (int i = 0; i < op->num_regions; i++)
      if (asserts(op->regions[i])) return true;
  }
  return false;
}

// Can the op be executed although its branch is not taken, once its assertions
// have masks?
static bool is_harmless(const Op *op) {
  for (int i = 0; i < op->num_regions; i++) {
    const Block *region = op->regions[i];
    for (const Op *inner = region->first; inner != region->last;
         inner = inner->next)
      if (!is_harmless(inner)) return false;
  }
  return op->kind == OP_device_assert || op->kind == OP_if || op_is_pure(op);
}

static void guard_branches(Walk *w, Op *op) {
  Builder before = builder_before(w->m, op);
  Value *condition = op_operand(op, 0);
  if (asserts(op->regions[0])) guard_block(w, op->regions[0], condition);
  if (asserts(op->regions[1]))
    guard_block(w, op->regions[1], build_inverted(&before, condition));
}

// Replaces each `if` by its two branches and selects.
static void flatten_ifs(Walk *w, Block *block) {
  for (Op *op = block->first; op;) {
    if (op->kind != OP_if || !is_harmless(op)) {
      op = op->next;
      continue;
    }
    Op *before = op->prev;
    guard_branches(w, op);
    hoist(op, op->regions[0]);
    hoist(op, op->regions[1]);
    select_results(w, op);
    op_erase(op);
    op = before ? before->next : block->first;
  }
}

static bool is_used(const Op *op) {
  for (int i = 0; i < op->num_results; i++)
    if (op->results[i].uses) return true;
  return false;
}

// Erases ops without uses: those of expressions of which only the type was
// used, such as `(x + tl.zeros((1,), t)).dtype`.
static void erase_dead(Block *block) {
  for (Op *op = block->last->prev, *before; op; op = before) {
    before = op->prev;
    if (op_is_pure(op) && !is_used(op)) op_erase(op);
  }
}

// -- Assertions --------------------------------------------------------------

typedef Vec(Op *) Assertions;

static Assertions take_assertions(Walk *w, Block *block) {
  Assertions taken = {0};
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    if (op->kind != OP_device_assert) continue;
    op_unlink(op);
    vec_push(w->arena, &taken, op);
  }
  return taken;
}

static void move_region(Block *from, Block *to, int n) {
  assert(from->num_args == 2 * n && to->num_args == 2 * n + 2); // I4
  for (int i = 0; i < 2 * n; i++)
    value_replace_uses(&from->args[i], &to->args[i + (i >= n)]);
  for (Op *op = from->first, *next; op; op = next) {
    next = op->next;
    op_unlink(op);
    op_append(to, op);
  }
}

// Replaces `op` by a copy with one more input, of zeros.
static Op *with_numbers(Walk *w, Op *op) {
  const int n = op->num_results;
  Value **inputs = arena_array(w->arena, Value *, n + 1);
  for (int i = 0; i < n; i++) inputs[i] = op_operand(op, i);
  const Type *type = inputs[0]->type;
  const Type *numbers =
      tensor_type(w, dtype_of(DTYPE_INT32), type->rank, type->shape);
  inputs[n] = build_int(&w->b, numbers, 0);
  const int axis = (int)op_int(op, ATTR_axis);
  Op *wide = op->kind == OP_reduce
                 ? build_reduce(&w->b, axis, n + 1, inputs)
                 : build_scan(&w->b, axis, op_int(op, ATTR_reverse) != 0, n + 1,
                              inputs);
  move_region(op->regions[0], wide->regions[0], n);
  op_erase(op);
  return wide;
}

static Value *failure(Builder *b, const Op *assertion) {
  assert(assertion->kind == OP_device_assert); // I4
  enum { MASK = 1 };
  Value *mask = op_group(assertion, MASK);
  Value *fails = build_inverted(b, op_operand(assertion, 0));
  return mask ? build_andi(b, mask->type, mask, fails) : fails;
}

// The number of a failed assertion: `first`, or `second` if `first` is 0; if
// both are 0, the number of the first assertion that fails in this combination.
static Value *number_of(Builder *b, const Assertions *taken, Value *first,
                        Value *second) {
  const Type *type = first->type;
  Value *zero = build_int(b, type, 0), *number = zero;
  for (size_t i = taken->count; i-- > 0;)
    number = build_select(b, type, failure(b, taken->items[i]),
                          build_int(b, type, (int64_t)i + 1), number);
  Value *before[] = {second, first};
  for (int i = 0; i < 2; i++) {
    Value *failed = build_cmp(b, OP_cmpi, PREDICATE_ne, before[i], zero);
    number = build_select(b, type, failed, before[i], number);
  }
  return number;
}

static void yield_number(Walk *w, const Op *wide, const Assertions *taken) {
  Block *block = wide->regions[0];
  const int n = wide->num_results - 1;
  assert(block->num_args == 2 * n + 2); // I4
  Op *end = block->last;
  Builder b = builder_before(w->m, end);
  Value **values = arena_array(w->arena, Value *, n + 1);
  for (int i = 0; i < n; i++) values[i] = op_operand(end, i);
  values[n] = number_of(&b, taken, &block->args[n], &block->args[2 * n + 1]);
  build_yield(&b, n + 1, values);
  op_erase(end);
}

static void assert_behind(Walk *w, Value *number, const Assertions *taken) {
  const SrcLoc loc = w->b.loc;
  for (size_t i = 0; i < taken->count; i++) {
    const Op *op = taken->items[i];
    w->b.loc = op->loc;
    Value *holds = build_cmp(&w->b, OP_cmpi, PREDICATE_ne, number,
                             build_int(&w->b, number->type, (int64_t)i + 1));
    build_assert(w, object_tensor(w->arena, holds, dtype_of(DTYPE_INT1)), NULL,
                 debug_message(op));
  }
  w->b.loc = loc;
}

static Op *carry_assertions(Walk *w, Op *op) {
  Assertions taken = take_assertions(w, op->regions[0]);
  if (!taken.count) return op;
  Op *wide = with_numbers(w, op);
  yield_number(w, wide, &taken);
  assert_behind(w, &wide->results[wide->num_results - 1], &taken);
  for (size_t i = 0; i < taken.count; i++) op_erase(taken.items[i]);
  return wide;
}

Op *combination_finish(Walk *w, Op *op) {
  flatten_ifs(w, op->regions[0]);
  op = carry_assertions(w, op);
  assert(!asserts(op->regions[0])); // I4
  erase_dead(op->regions[0]);
  return op;
}
