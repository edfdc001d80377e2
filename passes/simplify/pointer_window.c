// pointer_window.c -- tiles of pointers that are windows into tensors.
//
// Terms of an axis's bound that only the program knows give the first position
// along the axis.  The remaining terms of the address belong to axes without
// bounds; to the base, if the launch knows them; or to one more dimension.
//
//     i = pid * 128 + arange(0, 128); j = k * 64 + arange(0, 64)
//     load(a + i[:, None] * stride + j[None, :], mask=i[:, None] < M)
//
// is a + 128 pid stride + stride * axis 0 + 64 k + axis 1, with the bound M -
// 128 pid - axis 0 > 0.  Axis 0 has the stride `stride`, the size M and, from
// the bound, the first position 128 pid, which removes 128 pid stride from the
// address.  Axis 1 has stride 1 and no end; its first position is the rest, 64
// k.
#include "passes/simplify/pointer_window.h"

#include "ir/tensor_box.h"
#include "passes/analysis/walk.h"

#include <assert.h>

enum {
  MAX_USES = 64,
  NEAR = 1024, // elements: positions this close are within 32 bits
};

// -- Worth it ----------------------------------------------------------------

static bool is_spread(const Value *value) {
  return value->def &&
         (value->def->kind == OP_splat || value->def->kind == OP_constant);
}

static bool feeds_dot(const Value *tile, int *budget) {
  for (const Use *use = tile->uses; use && (*budget)-- > 0; use = use->next) {
    const Op *op = use->user;
    if (op->kind == OP_dot) {
      if (use->index < 2) return true;
      continue;
    }
    const bool scales = op->num_operands == 2 &&
                        op_has(op, TRAIT_ELEMENTWISE) &&
                        is_spread(op_operand(op, !use->index));
    const bool converts =
        op->kind == OP_trans ||
        (op->num_operands == 1 && op_has(op, TRAIT_ELEMENTWISE));
    if ((scales || converts) && feeds_dot(op_result(op), budget)) return true;
  }
  return false;
}

bool tile_feeds_dot(const Value *tile) {
  int budget = MAX_USES;
  return feeds_dot(tile, &budget);
}

static bool has_plain_type(const Type *pointers) {
  if (!type_is_tile(pointers) || pointers->rank < 2 ||
      pointers->rank > INDEX_MAX_AXES)
    return false;
  for (int d = 0; d < pointers->rank; d++) {
    if (pointers->shape[d] < 2) return false;
  }
  const Type *element = pointers->element->element;
  return element->kind == TYPE_SCALAR && elem_info[element->elem].bits >= 8;
}

// Is the tile computed from the result of a dot?
static bool is_of_dot(const Value *tile, int *budget) {
  const Op *op = tile->def;
  if (!op || (*budget)-- <= 0) return false;
  if (op->kind == OP_dot) return true;
  if (op->kind == OP_for)
    return is_of_dot(region_yield(op, 0, tile->index), budget);
  bool found = false;
  for (int i = 0; op_is_pure(op) && i < op->num_operands && !found; i++)
    found = is_of_dot(op_operand(op, i), budget);
  return found;
}

// Can a bulk copy do the update?  A bulk copy has no result, and adds for one
// GPU only.
static bool is_plain_sum(const Op *op) {
  const int64_t kind = op_int(op, ATTR_kind);
  const Elem elem = op_operand(op, 1)->type->element->elem;
  return op_is_unused(op) && (kind == RMW_add || kind == RMW_fadd) &&
         elem != ELEM_f64 && op_int(op, ATTR_scope) != SCOPE_sys;
}

bool pointer_wants_map(const Op *access) {
  int budget = MAX_USES;
  if (access->kind != OP_load && access->kind != OP_store &&
      access->kind != OP_atomic_rmw)
    return false;
  if (!has_plain_type(op_operand(access, 0)->type)) return false;
  if (access->kind == OP_load)
    return !op_int(access, ATTR_volatile) && tile_feeds_dot(op_result(access));
  return (access->kind == OP_store || is_plain_sum(access)) &&
         is_of_dot(op_operand(access, 1), &budget);
}

// -- Launch values -----------------------------------------------------------

static const Block *top_of(const Op *op) {
  return op_function(op)->body;
}

static bool is_known(const IndexTerm *term, const Block *top) {
  for (int i = 0; i < term->num_factors; i++) {
    if (launch_steps(term->factors[i], top) >= TOO_MANY_STEPS) return false;
  }
  return true;
}

// The number of steps, at most, that the launch needs for a sum.
static int sum_steps(const IndexSum *sum, const Block *top) {
  int count = 1;
  for (int i = 0; i < sum->count; i++) {
    const IndexTerm *term = &sum->terms[i];
    count += 3;
    for (int k = 0; k < term->num_factors; k++)
      count += launch_steps(term->factors[k], top) + 2;
  }
  return count;
}

static bool is_computable(const IndexSum *sum, const Block *top) {
  return sum_steps(sum, top) < TOO_MANY_STEPS;
}

static IndexSum sum_of(const IndexTerm *term) {
  return (IndexSum){1, {*term}};
}

// -- Strides -----------------------------------------------------------------

static int64_t bytes_of(const Op *access) {
  const Type *pointers = op_operand(access, 0)->type;
  return elem_info[pointers->element->element->elem].bits / 8;
}

static bool is_one(const IndexTerm *stride) {
  return stride->scale == 1 && !stride->num_factors;
}

static bool fits_stride(const Op *access, const IndexTerm *stride) {
  const IndexSum sum = sum_of(stride);
  return stride->scale > 0 && is_known(stride, top_of(access)) &&
         is_computable(&sum, top_of(access)) &&
         (stride->num_factors ||
          stride->scale * bytes_of(access) % TENSOR_UNIT == 0);
}

// The axis of stride 1 becomes the map's last, the others keep their order.
static bool find_strides(const Op *access, const IndexSum *address,
                         PointerWindow *out) {
  int inner = -1, count = 0;
  for (int d = 0; d < out->rank; d++) {
    const IndexTerm *term = index_along(address, d);
    if (!term) return false;
    out->strides[d] = *term;
    out->strides[d].axis = NO_AXIS;
    if (is_one(term)) inner = d;
  }
  if (inner < 0) return false;
  for (int d = 0; d < out->rank; d++) {
    if (d == inner) continue;
    if (!fits_stride(access, &out->strides[d])) return false;
    out->order[count++] = d;
  }
  assert(count == out->rank - 1 && is_one(&out->strides[inner])); // I12
  out->order[count] = inner;
  return true;
}

// -- Places ------------------------------------------------------------------

static int axis_of(const IndexBound *bound) {
  for (int i = 0; i < bound->left.count; i++) {
    const IndexTerm *term = &bound->left.terms[i];
    if (term->axis != NO_AXIS) return term->axis;
  }
  return NO_AXIS;
}

static bool is_same(const IndexSum *x, const IndexSum *y) {
  IndexSum difference = *x;
  return index_add_scaled(&difference, y, -1) && !difference.count;
}

// The launch values in the bound are the size; the rest, negated, is the first
// position.
static bool add_bound(const Op *access, const IndexBound *bound,
                      PointerWindow *out) {
  const int axis = axis_of(bound);
  assert(axis != NO_AXIS && axis < out->rank && "of no axis"); // I12
  IndexSum size = {0}, place = {0};
  for (int i = 0; i < bound->left.count; i++) {
    IndexTerm term = bound->left.terms[i];
    if (term.axis != NO_AXIS) continue;
    const bool known = is_known(&term, top_of(access));
    if (!known) term.scale = -term.scale;
    if (!index_add(known ? &size : &place, &term)) return false;
  }
  if (out->ends[axis])
    return is_same(&size, &out->sizes[axis]) &&
           is_same(&place, &out->places[axis]);
  out->ends[axis] = true;
  out->sizes[axis] = size;
  out->places[axis] = place;
  return is_computable(&size, top_of(access));
}

// Subtracts the contribution of the first positions from the address.
static bool take_places(const PointerWindow *w, IndexSum *address) {
  for (int d = 0; d < w->rank; d++) {
    IndexTerm back = w->strides[d];
    back.scale = -back.scale;
    for (int i = 0; i < w->places[d].count; i++) {
      if (!index_add_product(address, &w->places[d].terms[i], &back))
        return false;
    }
  }
  return true;
}

static bool add_to_axis(PointerWindow *w, int axis, const IndexTerm *term) {
  IndexTerm place;
  return !w->ends[axis] && index_divide(term, &w->strides[axis], &place) &&
         index_add(&w->places[axis], &place);
}

static bool add_to_axes(PointerWindow *w, const IndexTerm *term) {
  for (int i = 0; i < w->rank - 1; i++) {
    if (add_to_axis(w, w->order[i], term)) return true;
  }
  return false;
}

// Splits a term into its launch values and the rest.
static void part(const IndexTerm *term, const Block *top, IndexTerm *stride,
                 IndexTerm *place) {
  *stride = (IndexTerm){.scale = term->scale, .axis = NO_AXIS};
  *place = (IndexTerm){.scale = 1, .axis = NO_AXIS};
  for (int i = 0; i < term->num_factors; i++) {
    Value *factor = term->factors[i];
    IndexTerm *to = launch_steps(factor, top) < TOO_MANY_STEPS ? stride : place;
    to->factors[to->num_factors++] = factor;
  }
}

static bool is_same_term(const IndexTerm *x, const IndexTerm *y) {
  const IndexSum a = sum_of(x), b = sum_of(y);
  return is_same(&a, &b);
}

static bool add_outer(const Op *access, const IndexTerm *term,
                      PointerWindow *w) {
  IndexTerm stride, place;
  part(term, top_of(access), &stride, &place);
  if (!fits_stride(access, &stride)) return false;
  for (int i = 0; i < w->num_outer; i++) {
    if (is_same_term(&stride, &w->outer_strides[i]))
      return index_add(&w->outer_places[i], &place);
  }
  if (w->num_outer == BASE_MAX_OUTER) return false;
  assert(stride.num_factors + place.num_factors == term->num_factors); // I10
  w->outer_strides[w->num_outer] = stride;
  w->outer_places[w->num_outer++] = sum_of(&place);
  return true;
}

// Any number can be a position along the axis of stride 1.  One more dimension
// is better if a factor is a launch value, or if positions are far apart: a
// program may compute with 64 bits, while a position has 32.
static bool place_term(const Op *access, const IndexTerm *term,
                       PointerWindow *w) {
  const Block *top = top_of(access);
  IndexTerm stride, place;
  if (is_known(term, top)) return index_add(&w->known, term);
  if (add_to_axes(w, term)) return true;
  part(term, top, &stride, &place);
  const bool is_far = stride.num_factors || stride.scale > NEAR;
  if (!is_far && add_to_axis(w, w->order[w->rank - 1], term)) return true;
  return add_outer(access, term, w);
}

static bool find_places(const Op *access, IndexSum *address,
                        const IndexReader *reader, PointerWindow *out) {
  for (int i = 0; i < reader->num_bounds; i++) {
    if (!add_bound(access, &reader->bounds[i], out)) return false;
  }
  if (!take_places(out, address)) return false;
  for (int i = 0; i < address->count; i++) {
    const IndexTerm *term = &address->terms[i];
    if (term->axis == NO_AXIS && !place_term(access, term, out)) return false;
  }
  return true;
}

// -- All ---------------------------------------------------------------------

// A map reads nothing below 0, and its positions have 32 bits.
static bool fits_place(const AxisAnalysis *axes, const IndexSum *place) {
  if (!index_is_nonnegative(axes, place)) return false;
  for (int i = 0; i < place->count; i++) {
    const IndexTerm *term = &place->terms[i];
    for (int k = 0; k < term->num_factors; k++) {
      if (type_element_bits(term->factors[k]->type) > 32) return false;
    }
  }
  return true;
}

static bool fits_places(const AxisAnalysis *axes, const PointerWindow *w) {
  for (int d = 0; d < w->rank; d++) {
    if (!fits_place(axes, &w->places[d])) return false;
  }
  for (int i = 0; i < w->num_outer; i++) {
    if (!fits_place(axes, &w->outer_places[i])) return false;
  }
  return true;
}

static bool fits_start(const Op *access, const PointerWindow *w) {
  const Block *top = top_of(access);
  return w->start &&
         launch_steps(w->start, top) + sum_steps(&w->known, top) + 3 <
             TOO_MANY_STEPS;
}

// Is the term surely a multiple of the alignment that the hardware needs?
static bool is_aligned(const AxisAnalysis *axes, const IndexTerm *term,
                       int64_t bytes) {
  int64_t divisor = bytes * (term->scale & -term->scale);
  for (int i = 0; i < term->num_factors && divisor < TENSOR_UNIT; i++)
    divisor *= axis_info(axes, term->factors[i])->divisibility[0];
  return divisor >= TENSOR_UNIT;
}

// Are start and strides of the window surely aligned?  A load may get a map
// even if this is unknown.  A store may not: if a launch must then do without
// all maps, its loads are slower, too.
static bool is_sure(const AxisAnalysis *axes, const Op *access,
                    const PointerWindow *w) {
  const int64_t bytes = bytes_of(access);
  if (access->kind == OP_load) return true;
  bool sure = axis_info(axes, w->start)->divisibility[0] >= TENSOR_UNIT;
  for (int i = 0; i < w->rank - 1; i++)
    sure &= is_aligned(axes, &w->strides[w->order[i]], bytes);
  for (int i = 0; i < w->num_outer; i++)
    sure &= is_aligned(axes, &w->outer_strides[i], bytes);
  for (int i = 0; i < w->known.count; i++)
    sure &= is_aligned(axes, &w->known.terms[i], bytes);
  return sure;
}

static bool sees_bounds(const AxisAnalysis *axes, Op *access,
                        const IndexReader *reader) {
  for (int i = 0; i < reader->num_bounds; i++) {
    const IndexBound *bound = &reader->bounds[i];
    if (bound->wraps && (access->kind != OP_load ||
                         !rows_are_stored(axes, op_result(access),
                                          axis_of(bound), &bound->left)))
      return false;
  }
  return true;
}

static const Type *map_block(Module *m, const PointerWindow *w,
                             const Op *access) {
  const Type *pointers = op_operand(access, 0)->type;
  int64_t shape[INDEX_MAX_AXES] = {0};
  for (int d = 0; d < w->rank; d++) shape[d] = pointers->shape[w->order[d]];
  return type_tile(&m->types, w->rank, shape, pointers->element->element, NULL);
}

static bool fits_box(Op *access, const PointerWindow *w) {
  Module *m = op_function(access)->module;
  return w->num_outer + w->rank <= TENSOR_BOX_RANK &&
         tensor_box_layout(&m->layouts, map_block(m, w, access)) != NULL;
}

bool pointer_window(const AxisAnalysis *axes, Op *access, PointerWindow *out) {
  IndexReader reader = index_reader(axes);
  IndexSum address;
  Value *mask = op_group(access, access->kind == OP_load ? 1 : 2);
  Value *other = access->kind == OP_load ? op_group(access, 2) : NULL;
  *out = (PointerWindow){.rank = op_operand(access, 0)->type->rank};
  if ((other && !value_is_zero(other)) ||
      !index_read(&reader, op_operand(access, 0), &address) ||
      (mask && !index_read_mask(&reader, mask)))
    return false;
  out->start = reader.start;
  return find_strides(access, &address, out) &&
         find_places(access, &address, &reader, out) &&
         fits_places(axes, out) && fits_start(access, out) &&
         fits_box(access, out) && is_sure(axes, access, out) &&
         sees_bounds(axes, access, &reader);
}
