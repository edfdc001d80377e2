// plan.c -- positions of operations, and which tiles get memory.
//
// Positions count ops in program order, including regions, in steps of two: one
// before an op, one behind its regions.  For example, the ops of
// "constant; for { load; yield }; store" have the positions 0, 4, 6, 10 and 16,
// and the loop goes from 6 to 14.
//
// The cost of a virtual tile is that of one element with all virtual tiles that
// it is computed from, so that recomputation is bounded, however often a value
// is used.
#include "codegen/host/host.h"

#include "codegen/errors.h"

#include <assert.h>

enum {
  COST_MANY_USES = 4, // a tile that costs more gets memory if it has two uses
  // For pointers and integers, in place of COST_MANY_USES and COST_INNER_LOOP:
  // from the ops that compute them, loads and stores find adjacent lanes.
  COST_ADDRESS = 24,
  COST_INNER_LOOP = 6, // used in a loop, but defined outside
  COST_ROW = 8,        // repeated along a dimension, element by element
  COST_LIMIT = 200,
  HEIGHT_LIMIT = 64,
};

bool reshape_is_view(const Op *op) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  int i = 0, j = 0;
  for (;;) {
    while (i < from->rank && from->shape[i] == 1) i++;
    while (j < to->rank && to->shape[j] == 1) j++;
    if (i == from->rank || j == to->rank) break;
    if (from->shape[i++] != to->shape[j++]) return false;
  }
  return i == from->rank && j == to->rank;
}

// -- Positions ---------------------------------------------------------------

typedef struct {
  Host *h;
  int position, num_values, depth;
} Numbering;

static void number_value(Numbering *n, Value *value) {
  value->id = n->num_values++;
}

static bool number_block(Numbering *n, const Block *block);

static void place_op(Numbering *n, const Op *op) {
  OpPlace *place = arena_new(n->h->e->arena, OpPlace);
  place->position = n->position;
  n->position += 2;
  map_put(&n->h->ops, n->h->e->arena, op, place);
  vec_push(n->h->e->arena, &n->h->order, op);
  if (op->num_regions == 0 &&
      (op_info[op->kind].effects & EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL))) {
    vec_push(n->h->e->arena, &n->h->writes, place->position);
  }
}

static bool number_op(Numbering *n, Op *op) {
  place_op(n, op);
  OpPlace *place = host_op(n->h, op);
  for (int i = 0; i < op->num_results; i++) number_value(n, &op->results[i]);
  place->begin = n->position;
  const bool loops = op->kind == OP_for || op->kind == OP_while;
  if (loops) vec_push(n->h->e->arena, &n->h->loops, place);
  for (int i = 0; i < op->num_regions; i++) {
    if (!number_block(n, op->regions[i])) return false;
  }
  place->end = n->position;
  assert(place->position < place->begin && place->begin <= place->end); // I2
  n->position += 2;
  return true;
}

static bool number_block(Numbering *n, const Block *block) {
  if (++n->depth > MAX_REGIONS) {
    return diag_error(n->h->e->diags, n->h->f->loc, ERROR_host_regions,
                      MAX_REGIONS);
  }
  for (int i = 0; i < block->num_args; i++) number_value(n, &block->args[i]);
  for (Op *op = block->first; op; op = op->next) {
    if (!number_op(n, op)) return false;
  }
  n->depth--;
  return true;
}

static void place_values(Host *h, const Block *block);

static void place_value(Host *h, Value *value, int position) {
  *host_place(h, value) =
      (Placement){.value = value, .position = position, .slot = -1};
}

static void place_op_values(Host *h, const Op *op) {
  const OpPlace *place = host_op(h, op);
  const bool combines = op->kind == OP_reduce || op->kind == OP_scan;
  // Loops and branches first write their results at the end of region 0.
  const int position = op->num_regions && !combines
                           ? host_op(h, op->regions[0]->last)->position
                           : place->position;
  for (int i = 0; i < op->num_results; i++) {
    place_value(h, &op->results[i], position);
  }
  for (int i = 0; i < op->num_regions; i++) place_values(h, op->regions[i]);
}

static int entry_position(Host *h, const Block *block) {
  if (!block->parent) return 0;
  const Block *first = block->parent->regions[0];
  const OpPlace *parent = host_op(h, block->parent);
  // The body of a while starts where its condition passes on the values.
  return block == first ? parent->position : host_op(h, first->last)->position;
}

static void place_values(Host *h, const Block *block) {
  for (int i = 0; i < block->num_args; i++) {
    place_value(h, &block->args[i], entry_position(h, block));
  }
  for (const Op *op = block->first; op; op = op->next) place_op_values(h, op);
}

bool plan_number(Host *h) {
  Numbering n = {.h = h};
  if (!number_block(&n, h->f->body)) return false;
  assert(!n.depth && n.num_values >= h->f->body->num_args); // I2
  h->places = arena_array(h->e->arena, Placement, n.num_values);
  place_values(h, h->f->body);
  return true;
}

// -- Tiles with memory -------------------------------------------------------

static bool always_buffer(OpKind kind) {
  switch (kind) {
  case OP_load:
  case OP_load_block:
  case OP_load_desc:
  case OP_atomic_rmw:
  case OP_atomic_cas:
  case OP_dot:
  case OP_reduce:
  case OP_scan:
  case OP_histogram:
  case OP_for:
  case OP_while:
  case OP_if:
  case OP_join:
  case OP_cat:
  case OP_minmaxsi: return true;
  default: return false;
  }
}

static int own_cost(const Op *op) {
  switch (op->kind) {
  case OP_constant:
  case OP_splat: return 0;
  case OP_divsi:
  case OP_divui:
  case OP_remsi:
  case OP_remui: return 8;
  case OP_divf:
  case OP_divf_rn:
  case OP_sqrt:
  case OP_sqrt_rn: return 5;
  case OP_exp:
  case OP_exp2:
  case OP_log:
  case OP_log2:
  case OP_sin:
  case OP_cos:
  case OP_tanh:
  case OP_erf:
  case OP_rsqrt:
  case OP_remf: return 16;
  default: return 1;
  }
}

bool plan_is_virtual(const Host *h, const Op *op) {
  return op->num_results > 0 && type_is_tile(op->results[0].type) &&
         !host_place(h, op_result(op))->buffer;
}

static void sum_costs(Host *h, const Op *op, Placement *place) {
  place->cost = own_cost(op);
  for (int i = 0; i < op->num_operands; i++) {
    const Placement *operand = host_place(h, op_operand(op, i));
    if (operand->buffer) continue;
    place->cost += operand->cost;
    if (operand->height >= place->height) place->height = operand->height + 1;
  }
}

// A dot reads its left operand element by element, so it may be transposed
// implicitly.
static bool is_left_of_dot(const Op *trans) {
  const Type *type = op_result(trans)->type;
  const int64_t *order = op_attr(trans, ATTR_order)->as.ints.items;
  for (int d = 0; d + 2 < type->rank; d++) {
    if (order[d] != d) return false;
  }
  const Use *use = op_result(trans)->uses;
  return use && !use->next && use->user->kind == OP_dot && use->index == 0;
}

// Does this user read the tile from memory?
static bool wants_buffer(const Use *use) {
  const Op *user = use->user, *def = use->value->def;
  switch (user->kind) {
  case OP_dot:
    return use->index == 1 ||
           (use->index == 0 &&
            !(def && def->kind == OP_trans && is_left_of_dot(def)));
  case OP_trans: return is_left_of_dot(user);
  case OP_gather: return use->index == 0;
  case OP_reshape: return !reshape_is_view(user);
  case OP_split:
  case OP_minmaxsi:
  case OP_yield:
  case OP_condition: return true;
  default: return false;
  }
}

static bool repeats_rows(const Op *user) {
  return user->kind == OP_broadcast || user->kind == OP_expand_dims ||
         user->kind == OP_trans;
}

// Rows that a dot may pack as they are computed (pack.c): each is read once.
static bool is_packed_by_rows(const Host *h, const Op *trans) {
  if (trans->kind != OP_trans || !h->e->llvm.has_pairs) return false;
  const Value *value = op_result(trans);
  const Use *use = value->uses;
  return value->type->elem == ELEM_bf16 && use && !use->next &&
         use->user->kind == OP_dot && use->index == 1;
}

static bool in_deeper_loop(const Host *h, const Placement *place,
                           const Op *user) {
  const int at = host_op(h, user)->position;
  for (size_t i = 0; i < h->loops.count; i++) {
    const OpPlace *loop = h->loops.items[i];
    if (place->position < loop->begin && loop->begin <= at && at < loop->end) {
      return true;
    }
  }
  return false;
}

static bool use_wants_buffer(const Host *h, const Placement *place,
                             const Use *use) {
  if (wants_buffer(use)) return true;
  const bool address = !type_is_float(place->value->type);
  const int enough = address ? COST_ADDRESS : COST_INNER_LOOP;
  if (place->cost > enough && in_deeper_loop(h, place, use->user)) return true;
  return place->cost > COST_ROW && repeats_rows(use->user) &&
         !is_packed_by_rows(h, use->user);
}

static bool chain_wants_buffer(const Host *h, const Placement *place) {
  const Value *value = place->value;
  if (place->cost > COST_LIMIT || place->height > HEIGHT_LIMIT) return true;
  const bool address = !type_is_float(value->type);
  const int enough = address ? COST_ADDRESS : COST_MANY_USES;
  if (value->uses && value->uses->next && place->cost > enough) return true;
  for (const Use *use = value->uses; use; use = use->next) {
    if (use_wants_buffer(h, place, use)) return true;
  }
  return false;
}

void plan_buffers(Host *h) {
  for (size_t i = 0; i < h->order.count; i++) {
    const Op *op = h->order.items[i];
    for (int r = 0; r < op->num_regions; r++) {
      for (int a = 0; a < op->regions[r]->num_args; a++) {
        Placement *arg = host_place(h, &op->regions[r]->args[a]);
        arg->buffer = type_is_tile(arg->value->type);
      }
    }
    for (int r = 0; r < op->num_results; r++) {
      Placement *place = host_place(h, &op->results[r]);
      if (!type_is_tile(place->value->type)) continue;
      sum_costs(h, op, place);
      place->buffer = always_buffer(op->kind) || chain_wants_buffer(h, place);
    }
  }
}

bool host_plan(Host *h) {
  if (!plan_number(h)) return false;
  plan_bits(h);
  plan_buffers(h);
  plan_lives(h);
  plan_slots(h);
  return true;
}
