// map_order.c -- copies by tensor maps that may be out of the program's order.
//
// A thread that copies runs ahead, and stores by a map run on behind.  If a
// copy and another access touched the same memory, and one of them wrote it,
// the program would get other values.  If one stands behind the other, without
// a loop around both, they keep their order: a loaded tile is there before its
// first use.
#include "passes/simplify/tensor_maps.h"

#include "passes/analysis/walk.h"

static bool writes(const Op *op) {
  return op_info[op->kind].effects & EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
}

static bool is_inside(const Op *op, const Op *outer) {
  const Op *at = op->block->parent;
  while (at && at != outer) at = at->block->parent;
  return at != NULL;
}

static bool share_loop(const Op *x, const Op *y) {
  for (const Op *at = x->block->parent; at; at = at->block->parent) {
    const bool is_loop = at->kind == OP_for || at->kind == OP_while;
    if (is_loop && is_inside(y, at)) return true;
  }
  return false;
}

// False, too, if they are in branches of one `if`.
static bool comes_before(const Op *x, const Op *y) {
  for (const Op *at = x; at; at = at->block->parent) {
    const Op *other = op_ancestor_in(y, at->block);
    if (other) return other != at && op_comes_before(at, other);
  }
  return false;
}

// Is the loaded tile waited for before the op?  The wait stands in front of its
// first use or, without one, right behind it; a transpose does not wait.
static bool ends_before(const Op *load, const Op *other) {
  const Op *at = op_ancestor_in(other, load->block);
  for (const Use *use = op_result(load)->uses; use && at; use = use->next) {
    const Op *user = op_ancestor_in(use->user, load->block);
    if (use->user->kind == OP_trans) continue;
    if (user == at || op_comes_before(user, at)) return true;
  }
  return !at;
}

bool map_may_pass(const Op *copy, const Op *other) {
  if (!writes(copy) && !writes(other)) return false;
  if (function_cluster(op_function(copy)) > 1 || share_loop(copy, other))
    return true;
  if (writes(copy)) return writes(other) || comes_before(copy, other);
  return comes_before(other, copy) || !ends_before(copy, other);
}
