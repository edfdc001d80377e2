// licm.c -- move loop-invariant operations out of loops.
//
// Inner loops come first, so that ops that leave one may be moved further.  An
// op that the program might not have run moves only if that is harmless
// (SPECULATABLE); a load only if it surely runs and nothing in the loop has
// another effect than reads.
#include "passes/pass.h"

#include "passes/analysis/walk.h"

#include <assert.h>

// Is the value defined in a region of `op`, at any depth?
static bool is_inside(const Value *value, const Op *op) {
  const Block *block = value_block(value);
  while (block && block->parent != op) {
    block = block->parent ? block->parent->block : NULL;
  }
  return block != NULL;
}

typedef struct {
  const Block *region; // of the loop
  const Op *root;
  bool invariant, speculatable;
} Inspection;

static void inspect(Op *op, void *ctx) {
  Inspection *in = ctx;
  // A map is checked where it is made.
  in->speculatable &=
      op_has(op, TRAIT_SPECULATABLE | TRAIT_TERMINATOR) && !op_makes_map(op);
  for (int i = 0; i < op->num_operands; i++) {
    const Value *value = op_operand(op, i);
    in->invariant &=
        value_is_outside(value, in->region) || is_inside(value, in->root);
  }
}

static bool reads_only(const Op *op) {
  const unsigned effects = op_effects(op);
  return effects && !(effects & ~EFFECTS_READ) && !op_is_root(op);
}

static bool can_leave(Op *op, const Block *region, bool surely, bool quiet) {
  if (op_has(op, TRAIT_TERMINATOR)) return false;
  const bool movable =
      op_is_pure(op) || (surely && quiet && !op->num_regions && reads_only(op));
  if (!movable) return false;
  Inspection in = {region, op, true, true};
  inspect(op, &in);
  for (int r = 0; r < op->num_regions; r++) {
    block_walk(op->regions[r], inspect, &in);
  }
  return in.invariant && (surely || in.speculatable);
}

// Has the loop no effects but reads, so that loads may be reordered?
static bool is_quiet(const Op *loop) {
  return !(op_effects(loop) & ~EFFECTS_READ);
}

static void hoist(Op *loop, int r, bool surely) {
  const Block *region = loop->regions[r];
  const bool quiet = is_quiet(loop);
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    if (!can_leave(op, region, surely, quiet)) continue;
    op_unlink(op);
    assert(!op_has(op, TRAIT_TERMINATOR) && region->last != op); // I4
    op_insert_before(loop, op);
  }
}

// Recursion is as deep as regions nest, which the parsers limit.
static void visit_block(Block *block) {
  for (Op *op = block->first; op; op = op->next) {
    for (int r = 0; r < op->num_regions; r++) visit_block(op->regions[r]);
    int trips = 0;
    if (op->kind == OP_for) {
      hoist(op, 0, for_few_trips(op, &trips) && trips > 0);
    } else if (op->kind == OP_while) {
      hoist(op, 0, true);
      hoist(op, 1, false);
    }
  }
}

bool pass_licm(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) visit_block(f->body);
  return true;
}
