// canonicalize.c -- fold and simplify until nothing changes.
//
// The result is one form for equal meanings: constants on the right, scalars
// splatted as late as possible, no control flow with a known branch.
#include "passes/simplify/canonicalize.h"

#include "passes/analysis/walk.h"
#include "passes/pass.h"

// Each round simplifies one level of nested control flow with a known branch.
enum { MAX_ROUNDS = 256 };

static bool all_are(const Value *value, int64_t expected) {
  int64_t actual;
  return value && value_constant_int(value, &actual) && actual == expected;
}

// Removes a store with a mask that is all false; removes a mask that is all
// true.
static void simplify_store(Op *op, void *ctx) {
  bool *changed = ctx;
  if (op->kind != OP_store) return;
  const Value *mask = op_group(op, 2);
  if (all_are(mask, 0)) {
    op_erase(op);
    *changed = true;
  } else if (all_are(mask, 1)) {
    Builder b = builder_before(op_function(op)->module, op);
    Op *plain = build_store(&b, op_operand(op, 0), op_operand(op, 1), NULL);
    op_copy_attrs(b.m, plain, op);
    op_erase(op);
    *changed = true;
  }
}

bool pass_canonicalize(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) {
    bool changed = true;
    for (int round = 0; changed && round < MAX_ROUNDS; round++) {
      function_rewrite(f, canonical_rewrites, canonical_rewrite_count, 0);
      changed = canonicalize_control(f);
      block_walk(f->body, simplify_store, &changed);
    }
  }
  return true;
}
