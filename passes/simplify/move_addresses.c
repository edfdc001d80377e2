// move_addresses.c -- addresses of a loop's copies are carried, and moved by an
// addition.
//
//     for ... (%at) { ... async_copy (splat (%base + %at * %stride)) + %tile
//                     yield %at + %step }
//
// computes an address in each trip by a 64-bit product.  Instead, the tile of
// addresses is carried, and moved by %step * %stride.  Indices are assumed not
// to wrap.  Constant strides are left to LLVM; copies that start before the
// products of a trip are not changed (docs/decisions/0017-moved-addresses.md).
#include "passes/analysis/walk.h"
#include "passes/pass.h"

#include <assert.h>

enum { MAX_DEPTH = 8 };

// A scalar that is `init` in the first trip and grows by `step` in each.
typedef struct {
  Value *init, *step;
} Linear;

typedef struct {
  Module *m;
  Op *loop;
  Builder before;
} LinearSearch;

static bool is_fixed(const LinearSearch *s, const Value *value) {
  return value_is_outside(value, s->loop->regions[0]);
}

static bool find_linear(LinearSearch *s, const Value *value, int depth,
                        Linear *out);

// A carried value to which a loop-invariant value is added.
static bool find_carried(LinearSearch *s, const Value *arg, Linear *out) {
  for (int i = 0; i < for_num_slots(s->loop); i++) {
    if (for_arg(s->loop, i) != arg) continue;
    const Op *sum = value_def(region_yield(s->loop, 0, i), OP_addi);
    for (int k = 0; sum && k < 2; k++) {
      Value *step = op_operand(sum, 1 - k);
      if (op_operand(sum, k) != arg || !is_fixed(s, step)) continue;
      *out = (Linear){for_init(s->loop, i), step};
      return true;
    }
  }
  return false;
}

static bool find_extended(LinearSearch *s, const Op *op, int depth,
                          Linear *out) {
  if (!find_linear(s, op_operand(op, 0), depth, out)) return false;
  const Type *type = op_result(op)->type;
  out->init = build_extsi(&s->before, type, out->init);
  out->step = build_extsi(&s->before, type, out->step);
  return true;
}

// A product with a loop-invariant value.
static bool find_product(LinearSearch *s, const Op *op, int depth,
                         Linear *out) {
  const Type *type = op_result(op)->type;
  for (int i = 0; i < 2; i++) {
    Value *by = op_operand(op, 1 - i);
    if (!is_fixed(s, by)) continue;
    if (!find_linear(s, op_operand(op, i), depth, out)) return false;
    out->init = build_muli(&s->before, type, out->init, by);
    out->step = build_muli(&s->before, type, out->step, by);
    return true;
  }
  return false;
}

// A loop-invariant address plus a distance.
static bool find_address(LinearSearch *s, const Op *op, int depth,
                         Linear *out) {
  Value *base = op_operand(op, 0);
  if (!is_fixed(s, base)) return false;
  if (!find_linear(s, op_operand(op, 1), depth, out)) return false;
  out->init = build_addptr(&s->before, base->type, base, out->init);
  return true;
}

static bool find_linear(LinearSearch *s, const Value *value, int depth,
                        Linear *out) {
  const Op *op = value->def;
  if (!op) return find_carried(s, value, out);
  if (!depth || op->block != s->loop->regions[0]) return false;
  switch (op->kind) {
  case OP_extsi: return find_extended(s, op, depth - 1, out);
  case OP_muli: return find_product(s, op, depth - 1, out);
  case OP_addptr: return find_address(s, op, depth - 1, out);
  default: return false;
  }
}

// The addresses of `copy` get a slot of their own.
static void carry(LinearSearch *s, Op *copy, const Linear *at) {
  const Op *sum = op_operand(copy, 0)->def;
  const Type *type = op_result(sum)->type;
  assert(at->init->type == type->element && "of another tile"); // I5
  Value *start = build_splat(&s->before, type, at->init);
  Value *init = build_addptr(&s->before, type, start, op_operand(sum, 1));
  const Type *steps = type_with_element(&s->m->types, type, at->step->type);
  Value *step = build_splat(&s->before, steps, at->step);
  s->loop = for_add(s->loop, 1, &init);
  s->before = builder_before(s->m, s->loop);
  Block *body = s->loop->regions[0];
  const int slot = for_num_slots(s->loop) - 1;
  Value *address = for_arg(s->loop, slot);
  Builder end = builder_before(s->m, block_end(body));
  op_set_operand(block_end(body), slot,
                 build_addptr(&end, type, address, step));
  assert(op_operand(copy, 0)->type == address->type && "another tile"); // I5
  op_set_operand(copy, 0, address);
}

// Is the step a product with a value that only the launch knows?
static bool has_stride(const Value *step) {
  const Op *product = value_def(step, OP_muli);
  const Attr *constant;
  return product && !value_is_constant(op_operand(product, 1), &constant);
}

static void visit_copy(LinearSearch *s, Op *copy) {
  const Op *sum = value_def(op_operand(copy, 0), OP_addptr);
  if (!sum || !is_fixed(s, op_operand(sum, 1))) return;
  const Op *splat = value_def(op_operand(sum, 0), OP_splat);
  if (!splat || is_fixed(s, op_result(splat))) return;
  Linear at;
  if (!find_linear(s, op_operand(splat, 0), MAX_DEPTH, &at)) return;
  if (has_stride(at.step)) carry(s, copy, &at);
}

static void visit_loop(Module *m, Op *loop) {
  LinearSearch s = {m, loop, builder_before(m, loop)};
  bool is_behind = false;
  for (Op *op = loop->regions[0]->first, *next; op; op = next) {
    next = op->next;
    if (op->kind == OP_dot) is_behind = true;
    if (op->kind == OP_async_copy && is_behind) visit_copy(&s, op);
  }
}

// Recursion is as deep as regions nest, which the parsers limit.
static void visit_block(Module *m, Block *block) {
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    for (int r = 0; r < op->num_regions; r++) visit_block(m, op->regions[r]);
    if (op->kind == OP_for) visit_loop(m, op);
  }
}

bool pass_move_addresses(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) visit_block(m, f->body);
  return true;
}
