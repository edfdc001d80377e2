// plan_lives.c -- live ranges of the memory of tiles.
//
// A virtual tile is computed in a user's loops, perhaps much later than its
// definition, and reads its operands then.  So live ranges are computed
// backwards: the operands of a virtual tile live as long as the tile itself.
//
// A tile with a buffer may be computed late as well: by the loops of the first
// op that reads it, if those visit each element once.  These loops also fill
// the buffer, which saves a pass over the tile.  If no later op reads it, the
// buffer is not filled.
//
// For example, in `x = load(p); a = sum(x); b = x - a; c = sum(b * b); store(q,
// b / c)` the loop of the first sum loads x and fills its buffer; b is virtual,
// and computed in the loops of the second sum and of the store, so that the
// buffer of x lives to the end.
#include "codegen/host/nest.h"

#include <assert.h>

// One of several results may have a buffer while another has none.
static bool is_virtual(const Host *h, const Value *result) {
  return type_is_tile(result->type) && !host_place(h, result)->buffer;
}

// A value from outside of a loop is live to the end of the loop.
static int extend(const Host *h, int defined, int at) {
  for (size_t i = h->loops.count; i-- > 0;) {
    const OpPlace *loop = h->loops.items[i];
    if (defined < loop->begin && loop->begin <= at && at < loop->end) {
      at = loop->end;
    }
  }
  return at;
}

// The last position at which the computation of a result of `user` reads the
// operands.
static int made_until(const Host *h, const Op *user, const Value *result) {
  const Placement *place = host_place(h, result);
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

// An argument of a `for` is written before the loop and at the end of the body,
// so it is not live between its last use there and the end.
static int defined_at(const Host *h, const Value *value) {
  const Op *loop = value->def ? NULL : value->block->parent;
  return loop && loop->kind == OP_for ? host_op(h, loop)->begin
                                      : host_place(h, value)->position;
}

static void find_last(Host *h, const Value *value) {
  Placement *place = host_place(h, value);
  place->last = place->position;
  const int defined = defined_at(h, value);
  for (const Use *use = value->uses; use; use = use->next) {
    const int until = extend(h, defined, used_until(h, use->user));
    assert(until >= 0 && place->last >= place->position); // I3
    if (until > place->last) place->last = until;
  }
}

// -- Filling in the loops of a user ------------------------------------------

// The recursion that evaluates a value ends at values in buffers; it goes on to
// the operands of a value whose buffer is being filled.
enum { DEPTH_LIMIT = 128 };

// The number of ops between the one whose loops compute a value and the value:
// 0 if its own users do.
static void find_depth(Host *h, const Value *value) {
  Placement *place = host_place(h, value);
  for (const Use *use = value->uses; use; use = use->next) {
    for (int i = 0; i < use->user->num_results; i++) {
      const Value *result = &use->user->results[i];
      const Placement *made = host_place(h, result);
      const bool is_below = is_virtual(h, result) || made->fill;
      if (is_below && made->depth >= place->depth) {
        place->depth = made->depth + 1;
      }
    }
  }
}

// The earlier of two ops, either of which may be NULL.
static const Op *earlier(const Host *h, const Op *a, const Op *b) {
  if (!a || !b) return a ? a : b;
  return host_op(h, b)->position < host_op(h, a)->position ? b : a;
}

// The op in whose loops a result of `user` is computed; or NULL.
static const Op *made_from(const Host *h, const Op *user, const Value *result) {
  const Placement *place = host_place(h, result);
  if (is_virtual(h, result)) return place->first;
  return place->fill ? place->fill : user;
}

// The first op in whose loops a user of the value computes; or NULL.
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

// Do the loops of `root` read `leaf` only at the element being visited?  Each
// op is visited once in a search: with values that are used twice, repeatedly,
// there are exponentially many paths.
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
    const Placement *place = host_place(h, operand);
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

// Is the result of a load needed to compute a value in the root's loops?
static bool comes_from(const Host *h, const Op *root, const Value *value,
                       const Op *load) {
  const Op *op = value->def;
  if (op == load) return true;
  if (!op || !type_is_tile(value->type)) return false;
  const Placement *place = host_place(h, value);
  if (place->buffer && place->fill != root) return false;
  int *seen = &host_op(h, op)->seen[false];
  if (*seen == h->searches) return false;
  *seen = h->searches;
  for (int i = 0; i < op->num_operands; i++) {
    if (comes_from(h, root, op_operand(op, i), load)) return true;
  }
  return false;
}

// Loads in a store's loops read one run of memory while another is written;
// memory.c tests at each launch whether that would change the loaded values.
// If so, the mask is computed once more.
static bool store_may_load(Host *h, const Op *load, const Op *root) {
  if (root->kind != OP_store || h->writes.count > MANY_WRITES ||
      !is_one_run(op_operand(load, 0)) || !is_one_run(op_operand(root, 0))) {
    return false;
  }
  const Value *mask = op_group(root, 2);
  h->searches++;
  return !mask || !comes_from(h, root, mask, load);
}

// Is the memory that the load reads unchanged until the root's loops read it?
static bool stays_unwritten(Host *h, const Op *load, const Op *root) {
  const int from = host_op(h, load)->position;
  const int to = host_op(h, root)->position;
  return !writes_between(h, from, store_may_load(h, load, root) ? to - 1 : to);
}

// Are the load's pointers adjacent along rows?
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
  Placement *place = host_place(h, value);
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
    // Control flow writes its results up to its end.
    Placement *place = host_place(h, &op->results[i]);
    const int end = host_op(h, op)->end;
    if (op->num_regions && place->last < end) place->last = end;
  }
}

void plan_lives(Host *h) {
  for (size_t i = h->order.count; i-- > 0;) find_op(h, h->order.items[i]);
}
