// plan_lives.c -- until when the memory of each tile is read.
//
// A virtual tile is computed where a user's loops run, maybe much later than it
// is defined, and reads its operands then.  So lives are found backwards: what
// a virtual tile reads lives as long as the tile itself.
//
// A tile with a buffer may be computed late as well: by the loops of the first
// op that reads it, if those visit each element once.  They fill the buffer on
// the way, which saves a pass over the tile.  Where no later op reads it, there
// is nothing to fill.
#include "codegen/host/nest.h"

#include <assert.h>

// One of several results may have a buffer where another has none.
static bool is_virtual(const Host *h, const Value *result) {
  return type_is_tile(result->type) && !host_place(h, result)->buffer;
}

// A value from outside of a loop is needed until the loop ends.
static int extend(const Host *h, int defined, int at) {
  for (size_t i = h->loops.count; i-- > 0;) {
    const OpPlace *loop = h->loops.items[i];
    if (defined < loop->begin && loop->begin <= at && at < loop->end) {
      at = loop->end;
    }
  }
  return at;
}

// Until when what makes a result of `user` reads its operands.
static int made_until(const Host *h, const Op *user, const Value *result) {
  const Place *place = host_place(h, result);
  if (is_virtual(h, result)) return place->last;
  return host_op(h, place->fill ? place->fill : user)->position;
}

static int used_until(const Host *h, const Op *user) {
  int last = user->num_results ? 0 : host_op(h, user)->position;
  for (int i = 0; i < user->num_results; i++) {
    const int until = made_until(h, user, &user->results[i]);
    if (until > last) last = until;
  }
  return last;
}

// An argument of a `for` is written where its loop begins and at the end of the
// body, and so is not needed between its last use there and the end.
static int defined_at(const Host *h, const Value *value) {
  const Op *loop = value->def ? NULL : value->block->parent;
  return loop && loop->kind == OP_for ? host_op(h, loop)->begin
                                      : host_place(h, value)->position;
}

static void find_last(Host *h, const Value *value) {
  Place *place = host_place(h, value);
  place->last = place->position;
  const int defined = defined_at(h, value);
  for (const Use *use = value->uses; use; use = use->next) {
    const int until = extend(h, defined, used_until(h, use->user));
    assert(until >= 0 && place->last >= place->position); // I3
    if (until > place->last) place->last = until;
  }
}

// -- Filling on the way ------------------------------------------------------

// The recursion that evaluates a value ends at values in buffers, but passes
// through those that fill theirs on the way.
enum { DEPTH_LIMIT = 128 };

// The number of loops between the one that computes a value and the one that
// evaluates it: 0 if its own users do.
static void find_depth(Host *h, const Value *value) {
  Place *place = host_place(h, value);
  for (const Use *use = value->uses; use; use = use->next) {
    for (int i = 0; i < use->user->num_results; i++) {
      const Value *result = &use->user->results[i];
      const Place *made = host_place(h, result);
      const bool is_below = is_virtual(h, result) || made->fill;
      if (is_below && made->depth >= place->depth) {
        place->depth = made->depth + 1;
      }
    }
  }
}

// The earlier of two ops, either of which may be unknown.
static const Op *earlier(const Host *h, const Op *a, const Op *b) {
  if (!a || !b) return a ? a : b;
  return host_op(h, b)->position < host_op(h, a)->position ? b : a;
}

// The op in whose loops a result of `user` is made; NULL: none.
static const Op *made_from(const Host *h, const Op *user, const Value *result) {
  const Place *place = host_place(h, result);
  if (is_virtual(h, result)) return place->first;
  return place->fill ? place->fill : user;
}

// The first op in whose loops a user computes with the value; NULL: none.
static const Op *used_from(const Host *h, const Op *user) {
  const Op *first = user->num_results ? NULL : user;
  for (int i = 0; i < user->num_results; i++) {
    first = earlier(h, first, made_from(h, user, &user->results[i]));
  }
  return first;
}

static void find_first(Host *h, const Value *value) {
  const Op *first = NULL;
  for (const Use *use = value->uses; use; use = use->next) {
    first = earlier(h, first, used_from(h, use->user));
  }
  host_place(h, value)->first = first;
}

// Is `leaf` read in the loops of `root` only at the element being visited?  An
// op is looked at once in a search, for values that are used twice, again and
// again, have exponentially many paths to them.
static bool visits_once(const Host *h, const Op *root, const Op *op,
                        const Value *leaf, bool same) {
  int *seen = &host_op(h, op)->seen[same];
  if (*seen == h->searches) return true;
  *seen = h->searches;
  const bool keeps =
      op_has(op, TRAIT_ELEMENTWISE) || op == root || op->kind == OP_hint;
  for (int i = 0; i < op->num_operands; i++) {
    const Value *operand = op_operand(op, i);
    if (!type_is_tile(operand->type)) continue;
    if (operand == leaf && !(same && keeps)) return false;
    const Place *place = host_place(h, operand);
    if (operand == leaf || (place->buffer && place->fill != root)) continue;
    if (!visits_once(h, root, operand->def, leaf, same && keeps)) return false;
  }
  return true;
}

static bool writes_between(const Host *h, int from, int to) {
  for (size_t i = 0; i < h->writes.count; i++) {
    if (h->writes.items[i] >= from && h->writes.items[i] <= to) return true;
  }
  return false;
}

static const Type *visited(const Op *root) {
  switch (root->kind) {
  case OP_reduce:
  case OP_histogram: return op_operand(root, 0)->type;
  case OP_store: return op_operand(root, 1)->type;
  default:
    return op_has(root, TRAIT_ELEMENTWISE) ? op_result(root)->type : NULL;
  }
}

// Is what a load gives needed to compute a value that has no buffer?
static bool comes_from(const Host *h, const Value *value, const Op *load) {
  const Op *op = value->def;
  if (op == load) return true;
  if (!op || !is_virtual(h, value)) return false;
  int *seen = &host_op(h, op)->seen[false];
  if (*seen == h->searches) return false;
  *seen = h->searches;
  for (int i = 0; i < op->num_operands; i++) {
    if (comes_from(h, op_operand(op, i), load)) return true;
  }
  return false;
}

// Loads that a store's loops make read from one run of memory while another is
// written; memory.c looks at each launch whether that would change what they
// read.  Then its mask is computed once more.
static bool store_may_load(Host *h, const Op *load, const Op *root) {
  if (root->kind != OP_store || !is_one_run(op_operand(load, 0)) ||
      !is_one_run(op_operand(root, 0))) {
    return false;
  }
  const Value *mask = op_group(root, 2);
  h->searches++;
  return !mask || !comes_from(h, mask, load);
}

// Is memory as the load finds it, until the root's loops read it?
static bool stays_unwritten(Host *h, const Op *load, const Op *root) {
  const int from = host_op(h, load)->position;
  const int to = host_op(h, root)->position;
  return !writes_between(h, from, store_may_load(h, load, root) ? to - 1 : to);
}

// Are the load's pointers neighbours along rows, as loops run?
static bool loads_rows(const Host *h, const Op *op) {
  const Type *tile = op_result(op)->type;
  const int vec = inner_dim(tile);
  if (vec < 0) return true;
  const int lanes = host_lanes(h, tile->element, tile->shape[vec]);
  int64_t step;
  return lanes_are_neighbours(op, vec, lanes) ||
         (lane_step(op_operand(op, 0), vec, lanes, &step) && step == 0);
}

static bool can_fill(Host *h, const Value *value, const Op *root) {
  const Op *op = value->def;
  const bool loads = op->kind == OP_load;
  if (!loads && !op_has(op, TRAIT_ELEMENTWISE)) return false;
  if (!root || root->block != op->block || root == op) return false;
  const Type *tile = visited(root);
  if (!tile || !type_is_tile(tile) || !type_same_shape(tile, value->type)) {
    return false;
  }
  if (loads && (!loads_rows(h, op) || op_int(op, ATTR_volatile))) return false;
  if (loads && !stays_unwritten(h, op, root)) return false;
  h->searches++;
  return visits_once(h, root, root, value, true);
}

static void find_fill(Host *h, const Value *value) {
  Place *place = host_place(h, value);
  find_first(h, value);
  find_depth(h, value);
  if (!place->buffer || place->depth > DEPTH_LIMIT) return;
  if (!can_fill(h, value, place->first)) return;
  place->fill = place->first;
  OpPlace *root = host_op(h, place->fill);
  place->position = root->position;
  if (place->fill->kind == OP_store && value->def->kind == OP_load) {
    vec_push(h->e->arena, &root->loads, value->def);
  }
  if (place->last <= place->position) place->buffer = false;
}

static void find_op(Host *h, const Op *op) {
  for (int r = 0; r < op->num_regions; r++) {
    for (int i = 0; i < op->regions[r]->num_args; i++) {
      find_last(h, &op->regions[r]->args[i]);
    }
  }
  for (int i = 0; i < op->num_results; i++) {
    find_last(h, &op->results[i]);
    if (type_is_tile(op->results[i].type)) find_fill(h, &op->results[i]);
    // Control flow writes its results until its end.
    Place *place = host_place(h, &op->results[i]);
    const int end = host_op(h, op)->end;
    if (op->num_regions && place->last < end) place->last = end;
  }
}

void plan_lives(Host *h) {
  for (size_t i = h->order.count; i-- > 0;) find_op(h, h->order.items[i]);
}
