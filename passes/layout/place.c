// place.c -- copies of values in other layouts.
//
// A copy is placed right behind the original, so that it dominates all uses of
// it.
//
// For example, `%i = arange 0 .. 64` counts the rows of one tile of addresses
// and the columns of another.  The op costs nothing, and place_under() makes
// two aranges of it, for four warps: register [[32]], lane [[0], [0], [1], [2],
// [4]], warp [[8], [16]] for the rows; register [[1], [2], [4]], lane [[8],
// [16], [32], [0], [0]], warp [[0], [0]] for the columns.  A load is settled,
// so that a loaded vector in place of %i gets a convert_layout for the second
// layout.
#include "passes/layout/place.h"

#include "ir/layout_access.h"

#include <assert.h>

enum { MAX_REPEATED = 64 }; // length of a chain of ops, also the recursion

typedef struct Version Version;
struct Version {
  Version *next;
  const Layout *layout;
  Value *value;
};

// Is the value the result of a reduction, or computed from one by elementwise
// ops?
static bool is_reduced(const Value *value) {
  const Op *op = value->def;
  while (op && op_has(op, TRAIT_ELEMENTWISE) && op->num_operands)
    op = op_operand(op, 0)->def;
  return op && op->kind == OP_reduce;
}

// Does a store in the value's layout fill sectors of memory at least half as
// well as in `layout`, or a quarter if lanes are adjacent?
static bool fills_as_well(const Placer *p, const Op *op, const Layout *layout) {
  enum { SECTOR_BITS = 256 };
  const AccessRun *run = map_get(&p->runs, op);
  const Type *type = op_operand(op, 1)->type;
  if (!run) return true;
  int limit = 0;
  while (type_element_bits(type->element) << limit < SECTOR_BITS) limit++;
  if (limit > run->log2_contiguous) limit = run->log2_contiguous;
  const int run_bits = run->log2_elements;
  const int own = layout_log2_filled(type->layout, run->axis, run_bits, limit);
  const int slack = own > run_bits ? 2 : 1;
  return own + slack >= layout_log2_filled(layout, run->axis, run_bits, limit);
}

bool place_keeps_value(const Placer *p, const Op *op, const Layout *layout) {
  if (op->kind == OP_load || op->kind == OP_async_copy) return false;
  const Type *type = op_operand(op, 1)->type;
  if (!type->layout) return false;
  const int bits = type_element_bits(type->element);
  return type->rank == 1 || op->kind != OP_store ||
         (layout_is_as_wide(type->layout, layout) &&
          fills_as_well(p, op, layout)) ||
         (is_reduced(op_operand(op, 1)) &&
          layout_fills_sectors(type->layout, layout, bits));
}

// -- Defaults ----------------------------------------------------------------

static const Type *shape_key(Placer *p, const Type *type) {
  const Type *i1 = type_scalar(&p->m->types, ELEM_i1);
  return type_tile(&p->m->types, type->rank, type->shape, i1, NULL);
}

void place_set_default(Placer *p, const Type *type, const Layout *layout) {
  map_put(&p->anchors, p->m->arena, shape_key(p, type), (void *)layout);
}

const Layout *place_default(Placer *p, const Type *type) {
  const Layout *layout = map_get(&p->anchors, shape_key(p, type));
  if (layout) return layout;
  int order[MAX_RANK];
  for (int i = 0; i < type->rank; i++) order[i] = type->rank - 1 - i;
  int vector = 4;
  const int64_t threads = (int64_t)p->num_lanes * p->num_warps;
  while (vector > 1 && vector * threads > type->num_elements) vector /= 2;
  layout = layout_coalesced(&p->m->layouts, type->rank, type->shape, order,
                            vector, p->num_lanes, p->num_warps);
  assert(layout && layout_num_elements(layout) == type->num_elements); // I1
  place_set_default(p, type, layout);
  return layout;
}

const Layout *place_near(Placer *p, const Type *type, int axis) {
  int order[MAX_RANK] = {axis};
  for (int i = type->rank - 1, n = 1; i >= 0; i--) {
    if (i != axis) order[n++] = i;
  }
  const int64_t threads = (int64_t)p->num_lanes * p->num_warps;
  int run = 1;
  while (2 * run * threads <= type->num_elements &&
         2 * run <= type->shape[axis]) {
    run *= 2;
  }
  return layout_coalesced(&p->m->layouts, type->rank, type->shape, order, run,
                          p->num_lanes, p->num_warps);
}

int place_log2_in_thread(const Layout *layout, int axis) {
  const uint32_t registers = layout_dim_mask(layout, LAYOUT_REGISTER);
  int bits = 0;
  for (; bits < layout->log2_shape[axis]; bits++) {
    int64_t coords[MAX_RANK] = {0};
    uint32_t word;
    coords[axis] = INT64_C(1) << bits;
    const uint32_t at = layout_element(layout, coords);
    if (!linear_solve(&layout->map, registers, at, &word)) break;
  }
  return bits;
}

// -- Backwards through ops ---------------------------------------------------

static const Layout *before_broadcast(Placer *p, const Op *op,
                                      const Layout *layout) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  for (int d = 0; layout && d < to->rank; d++) {
    if (from->shape[d] == to->shape[d]) continue;
    layout = layout_shrink(&p->m->layouts, layout, d);
  }
  return layout;
}

static const Layout *before_trans(Placer *p, const Op *op,
                                  const Layout *layout) {
  const Attr *order = op_attr(op, ATTR_order);
  int inverse[MAX_RANK];
  for (int i = 0; i < order->as.ints.count; i++) {
    inverse[order->as.ints.items[i]] = i;
  }
  return layout_transpose(&p->m->layouts, layout, inverse);
}

const Layout *place_operand(Placer *p, const Op *op, const Layout *layout) {
  LayoutTable *table = &p->m->layouts;
  if (!op->num_operands) return layout;
  const Type *from = op_operand(op, 0)->type;
  switch (op->kind) {
  case OP_expand_dims:
    return layout_slice(table, layout, (int)op_int(op, ATTR_axis));
  case OP_broadcast: return before_broadcast(p, op, layout);
  case OP_trans: return before_trans(p, op, layout);
  case OP_reshape:
    return layout_reshape(table, layout, from->rank, from->shape);
  case OP_join: return layout_split(table, layout);
  default: return layout;
  }
}

// -- Forwards ----------------------------------------------------------------

const Layout *place_after(Placer *p, const Op *op, const Layout *layout) {
  LayoutTable *table = &p->m->layouts;
  const Type *to = op_result(op)->type;
  int order[MAX_RANK];
  const Attr *given = op_attr(op, ATTR_order);
  switch (op->kind) {
  case OP_expand_dims:
    return layout_expand(table, layout, (int)op_int(op, ATTR_axis));
  case OP_trans:
    for (int i = 0; i < to->rank; i++) {
      order[i] = (int)given->as.ints.items[i];
    }
    return layout_transpose(table, layout, order);
  case OP_reshape: return layout_reshape(table, layout, to->rank, to->shape);
  case OP_join: return layout_join(table, layout);
  default: return layout;
  }
}

// -- Free values -------------------------------------------------------------

static bool is_cheap(const Op *op) {
  switch (op->kind) {
  case OP_constant:
  case OP_arange:
  case OP_splat:
  case OP_expand_dims:
  case OP_broadcast:
  case OP_trans:
  case OP_reshape:
  case OP_hint: return true;
  default: return op_has(op, TRAIT_ELEMENTWISE);
  }
}

static bool spreads(const Op *op) {
  return op->kind == OP_expand_dims || op->kind == OP_broadcast;
}

static int64_t depth_of(const Placer *p, const Value *value) {
  return value->def ? (int64_t)(intptr_t)map_get(&p->depths, value->def) : 0;
}

bool place_keep_free(Placer *p, Op *op) {
  if (!is_cheap(op) || op->num_results != 1) return false;
  int64_t depth = 1;
  for (int i = 0; i < op->num_operands; i++) {
    const Value *value = op_operand(op, i);
    if (!type_is_tile(value->type)) continue;
    if (is_settled(value) && !spreads(op)) return false;
    const int64_t below = depth_of(p, value);
    depth = below >= depth ? below + 1 : depth;
  }
  if (depth > MAX_REPEATED) return false;
  assert(!map_get(&p->depths, op) && "an op is left free twice"); // I3
  map_put(&p->depths, p->m->arena, op, (void *)(intptr_t)depth);
  return true;
}

static void insert_behind(const Value *value, Op *op) {
  op_insert_before(value->def ? value->def->next : value->block->first, op);
}

// The value of which `value` is a copy, or `value` itself.
static Value *origin_of(const Placer *p, Value *value) {
  Value *origin = map_get(&p->origins, value);
  return origin ? origin : value;
}

// Computes the op again, with its result in `layout`.
static Value *compute_again(Placer *p, Value *value, const Layout *layout) {
  const Op *old = value->def;
  const Layout *needed = place_operand(p, old, layout);
  if (!needed) return NULL;
  Value **operands = arena_array(p->m->arena, Value *, old->num_operands + 1);
  for (int i = 0; i < old->num_operands; i++) {
    Value *operand = op_operand(old, i);
    operands[i] = type_is_tile(operand->type)
                      ? place_under(p, origin_of(p, operand), needed)
                      : operand;
  }
  const Type *type = type_with_layout(&p->m->types, value->type, layout);
  Op *op = op_create(p->m, old->kind, old->loc, old->num_operands, operands,
                     old->group_sizes, 1, &type);
  op_copy_attrs(p->m, op, old);
  op_result(op)->name = value->name;
  insert_behind(value, op);
  return op_result(op);
}

static Value *convert(Placer *p, Value *value, const Layout *layout) {
  const Type *type = type_with_layout(&p->m->types, value->type, layout);
  const SrcLoc loc = value->def ? value->def->loc : value->block->function->loc;
  Op *op = op_create(p->m, OP_convert_layout, loc, 1, &value, NULL, 1, &type);
  insert_behind(value, op);
  return op_result(op);
}

static bool is_free(const Placer *p, const Value *value) {
  return !type_is_tile(value->type) || map_get(&p->origins, value);
}

// Does each thread hold only adjacent elements?
static bool is_in_runs(const Layout *layout) {
  const uint32_t registers = layout_dim_mask(layout, LAYOUT_REGISTER);
  return !(layout_free_bits(layout) & registers) &&
         layout->num_bits[LAYOUT_REGISTER] == layout_log2_contiguous(layout, 0);
}

// Is the vector loaded a second time in `layout`, instead of converted to it?
// It is, if it has fewer elements than the program has threads, since a load of
// runs is as fast as a load of one element by each thread, and if the addresses
// are free to compute.  Not in a loop, whose vectors are copied ahead.
static bool is_loaded_again(const Placer *p, const Value *value,
                            const Layout *layout) {
  const Op *op = value->def;
  if (!op || op->kind != OP_load || op_int(op, ATTR_volatile)) return false;
  const Type *type = value->type;
  const int64_t threads = (int64_t)p->num_lanes * p->num_warps;
  if (type->rank != 1 || type->num_elements >= threads) return false;
  if (!is_in_runs(layout) || op_is_in_loop(op)) return false;
  bool free = true;
  for (int i = 0; i < op->num_operands; i++) {
    free &= is_free(p, op_operand(op, i));
  }
  return free;
}

static Value *make_version(Placer *p, Value *value, const Layout *layout) {
  if (is_settled(value) && is_loaded_again(p, value, layout)) {
    return compute_again(p, value, layout);
  }
  if (is_settled(value)) return convert(p, value, layout);
  Value *again = compute_again(p, value, layout);
  if (again) return again;
  // No layout of an operand gives `layout`: use the default and convert.
  Value *settled = place_under(p, value, place_default(p, value->type));
  return convert(p, settled, layout);
}

static void remember(Placer *p, Value *value, Value *copy) {
  Version *version = arena_new(p->m->arena, Version);
  version->value = copy;
  version->layout = copy->type->layout;
  version->next = map_get(&p->versions, value);
  map_put(&p->versions, p->m->arena, value, version);
}

// The recursion is at most MAX_REPEATED deep.
Value *place_under(Placer *p, Value *value, const Layout *layout) {
  if (value->type->layout == layout) return value;
  for (Version *v = map_get(&p->versions, value); v; v = v->next) {
    if (v->layout == layout) return v->value;
  }
  Value *copy = make_version(p, value, layout);
  assert(copy->type->layout == layout && "a copy under another layout"); // I2
  remember(p, value, copy);
  if (!is_settled(value)) map_put(&p->origins, p->m->arena, copy, value);
  return copy;
}

// Does the settled op widen its operands, except free ones?
static bool is_widened(const Placer *p, const Op *op) {
  const bool widens = op->kind == OP_extf || op->kind == OP_extsi ||
                      op->kind == OP_extui || op->kind == OP_addptr;
  if (!widens || !is_settled(op_result(op))) return false;
  const int bits = type_element_bits(op_result(op)->type);
  for (int i = 0; i < op->num_operands; i++) {
    const Value *operand = op_operand(op, i);
    if (is_free(p, operand)) continue;
    if (type_element_bits(operand->type) >= bits) return false;
  }
  return true;
}

Value *place_narrow(Placer *p, Value *value, const Layout *layout) {
  const bool again =
      value->def && value->type->layout != layout && is_widened(p, value->def);
  return again ? compute_again(p, value, layout)
               : place_under(p, value, layout);
}

// The index of the only operand that is not free, of an elementwise op with a
// single user; -1: none.
static int link_of(const Placer *p, const Value *value) {
  const Op *op = value->def;
  if (!op || !op_has(op, TRAIT_ELEMENTWISE) || op->num_results != 1) return -1;
  if (!value->uses || value->uses->next) return -1;
  int link = -1;
  for (int i = 0; i < op->num_operands; i++) {
    if (is_free(p, op_operand(op, i))) continue;
    if (link >= 0 || !is_settled(op_operand(op, i))) return -1;
    link = i;
  }
  return link;
}

// The number of ops between the narrowest value and this one.
static int links_to_narrowest(const Placer *p, const Value *value) {
  int best = 0, bits = type_element_bits(value->type->element);
  for (int n = 1, link; n <= MAX_REPEATED; n++) {
    if ((link = link_of(p, value)) < 0) break;
    value = op_operand(value->def, link);
    const int narrower = type_element_bits(value->type->element);
    if (narrower < bits) best = n, bits = narrower;
  }
  return best;
}

Value *place_narrowest(Placer *p, Value *value, const Layout *layout) {
  const bool moves = value->type->layout && value->type->layout != layout &&
                     !layout_free_bits(layout);
  const int links = moves ? links_to_narrowest(p, value) : 0;
  if (!links) return place_narrow(p, value, layout);
  Value *chain[MAX_REPEATED + 1] = {value};
  for (int i = 0; i < links; i++) {
    chain[i + 1] = op_operand(chain[i]->def, link_of(p, chain[i]));
  }
  place_under(p, chain[links], layout);
  Value *placed = NULL;
  for (int i = links; i--;) {
    placed = compute_again(p, chain[i], layout);
    remember(p, chain[i], placed);
  }
  return placed;
}
