// shape.c -- tiles: creation, conversion, and changes of shape.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"
#include "frontend/walk/element.h"

#include <assert.h>

static const Object *argument_tile(Walk *w, const BuiltinCall *c, int n) {
  const Object *x = argument_tensor(w, c, n);
  if (!x || object_is_tile(x)) return x;
  return walk_error(w, c->locs[n], ERROR_wants_tile, c->info->name,
                    text_of(w, x));
}

// -- Grid and creation -------------------------------------------------------

const Object *builtin_program_id(Walk *w, const BuiltinCall *c) {
  int64_t axis;
  if (!argument_int(w, c, 0, 0, &axis)) return NULL;
  if (axis < 0 || axis > 2)
    return walk_error(w, c->locs[0], ERROR_no_such_axis, (long long)axis);
  Value *id = c->info->data == OP_program_id
                  ? build_program_id(&w->b, (int)axis)
                  : build_num_programs(&w->b, (int)axis);
  return tensor_wrap(w, id, dtype_of(DTYPE_INT32));
}

// Suggests the next size that is a power of two.
static void note_next_size(Walk *w, SrcLoc loc, int64_t start, int64_t size) {
  int64_t next = 1;
  while (next < size && next <= MAX_TILE_ELEMENTS) next *= 2;
  if (next > size && next <= MAX_TILE_ELEMENTS && size > 0)
    diag_note(w->diags, loc, NOTE_next_size, (long long)next,
              (long long)(start + size - 1));
}

static const Object *wrong_size(Walk *w, const BuiltinCall *c, int64_t start,
                                int64_t size) {
  walk_error(w, c->loc, ERROR_arange_not_power_of_two, (long long)size);
  note_next_size(w, c->loc, start, size);
  return NULL;
}

static bool read_sizes(Walk *w, const BuiltinCall *c, int64_t *shape,
                       int *rank) {
  int i = 0;
  if (!argument_ints(w, c, 0, shape, rank)) return false;
  if (argument_is_shape(w, c, 0, shape, *rank)) return true;
  while (i < *rank && shape[i] > 0 && !(shape[i] & (shape[i] - 1))) i++;
  if (i < *rank) note_next_size(w, argument_item_loc(c, 0, i), 0, shape[i]);
  return false;
}

const Object *builtin_arange(Walk *w, const BuiltinCall *c) {
  int64_t start, end;
  if (!argument_int(w, c, 0, 0, &start) || !argument_int(w, c, 1, 0, &end))
    return NULL;
  if (start < 0 || end > INT32_MAX)
    return walk_error(w, c->loc, ERROR_arange_past_int32, (long long)start,
                      (long long)end);
  if (end <= start)
    return walk_error(w, c->loc, ERROR_arange_wants_end_above_start,
                      (long long)start, (long long)end);
  const int64_t size = end - start;
  if (size & (size - 1)) return wrong_size(w, c, start, size);
  if (!check_shape(w, c->loc, 1, &size)) return NULL;
  return tensor_wrap(w, build_arange(&w->b, start, end), dtype_of(DTYPE_INT32));
}

// Can the number become a scalar of that type?  A wide integer is truncated,
// but a negative one is no unsigned number.
static bool makes_scalar(const Object *x, Dtype dtype) {
  const Integer value = constant_integer(x), one = 1;
  if (dtype_is_float(dtype) || dtype.id == DTYPE_INT1) return true;
  if (x->kind == OBJECT_FLOAT) return x->as.number == 0;
  return dtype_is_signed(dtype) ? value >= -(one << 63) && value < one << 63
                                : value >= 0 && value < one << 64;
}

static const Object *no_pointers(Walk *w, const BuiltinCall *c, int n) {
  return walk_error(w, c->locs[n], ERROR_makes_no_pointers, c->info->name);
}

// The scalar that fills a tile of `dtype`.  A tile of pointers is filled by an
// address, not by a number.
static const Object *scalar_for(Walk *w, const BuiltinCall *c, const Object *x,
                                Dtype dtype) {
  if (object_is_number(x) && dtype.is_pointer) return no_pointers(w, c, 2);
  if (object_is_number(x)) {
    if (makes_scalar(x, dtype)) return tensor_constant(w, dtype, x);
    return walk_error(w, c->locs[1], ERROR_value_not_of_type, text_of(w, x),
                      dtype_text(w->arena, dtype));
  }
  x = argument_tensor(w, c, 1);
  if (x && !is_element(w, x)) x = scalar_of(w, c->locs[1], x);
  return x ? tensor_cast(w, c->locs[1], x, dtype) : NULL;
}

// The type of an element; a tile's type is an error.
static bool read_element(Walk *w, const BuiltinCall *c, int n, Dtype *out) {
  const Object *x = c->args[n];
  if (x->kind == OBJECT_DTYPE && x->as.type.tile)
    return argument_wrong(w, c, n, "the type of an element");
  return argument_dtype(w, c, n, out);
}

const Object *builtin_full(Walk *w, const BuiltinCall *c) {
  int64_t shape[MAX_RANK];
  int rank;
  Dtype dtype;
  if (!read_sizes(w, c, shape, &rank) || !read_element(w, c, 2, &dtype))
    return NULL;
  const Object *x = scalar_for(w, c, c->args[1], dtype);
  if (x && is_element(w, x)) return shape_element(w, c, x, rank);
  return x ? tensor_broadcast_to(w, c->loc, x, rank, shape) : NULL;
}

// `n` is the argument with the type.
static const Object *zeros(Walk *w, const BuiltinCall *c, int n, Dtype dtype,
                           int rank, const int64_t *shape) {
  if (dtype.is_pointer) return no_pointers(w, c, n);
  const Object *zero = tensor_int(w, dtype, 0);
  if (dtype_is_float(dtype))
    zero = tensor_constant(w, dtype, object_float(w->arena, 0));
  return tensor_broadcast_to(w, c->loc, zero, rank, shape);
}

const Object *builtin_zeros(Walk *w, const BuiltinCall *c) {
  int64_t shape[MAX_RANK];
  int rank;
  Dtype dtype;
  if (!read_sizes(w, c, shape, &rank) || !read_element(w, c, 1, &dtype))
    return NULL;
  return zeros(w, c, 1, dtype, rank, shape);
}

const Object *builtin_zeros_like(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  if (!x) return NULL;
  const Type *type = object_type(x);
  return zeros(w, c, 0, x->as.tensor.dtype, type->rank, type->shape);
}

static const char *const roundings[] = {"", "rtne", "rtz", NULL};

const Object *builtin_cast(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  Dtype to;
  int rounding;
  bool bitcast;
  if (!x || !argument_dtype(w, c, 1, &to) ||
      !argument_word(w, c, 2, roundings, &rounding) ||
      !argument_bool(w, c, 3, false, &bitcast))
    return NULL;
  if (bitcast) return tensor_bitcast(w, c->loc, x, to);
  const Dtype from = x->as.tensor.dtype;
  if (dtype_equal(from, to)) return x;
  const bool narrows = dtype_is_float(from) && dtype_is_float(to) &&
                       dtype_bits(to) < dtype_bits(from);
  if (rounding && !narrows)
    return walk_error(w, c->locs[2], ERROR_rounding_not_narrowing,
                      dtype_text(w->arena, from), dtype_text(w->arena, to));
  return tensor_cast_rounding(w, c->loc, x, to,
                              rounding == 2 ? ROUNDING_rtz : ROUNDING_rtne);
}

const Object *builtin_to_tensor(Walk *w, const BuiltinCall *c) {
  return to_tensor(w, c->locs[0], c->args[0]);
}

// -- Broadcasting ------------------------------------------------------------

const Object *builtin_broadcast(Walk *w, const BuiltinCall *c) {
  const Object *both[2] = {argument_tensor(w, c, 0), argument_tensor(w, c, 1)};
  if (!both[0] || !both[1] ||
      !tensor_broadcast(w, c->loc, "broadcast", &both[0], &both[1]))
    return NULL;
  return object_tuple(w->arena, both, 2);
}

const Object *builtin_broadcast_to(Walk *w, const BuiltinCall *c) {
  int64_t shape[MAX_RANK];
  int rank;
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !argument_shape(w, c, 1, shape, &rank)) return NULL;
  if (is_element(w, x)) return shape_element(w, c, x, rank);
  return tensor_broadcast_to(w, c->loc, x, rank, shape);
}

static bool wrap_axis(Walk *w, SrcLoc loc, int64_t axis, int rank, int *out) {
  *out = 0;
  if (axis < -rank || axis >= rank)
    return diag_error(w->diags, loc, ERROR_there_no_dimension_2,
                      (long long)axis, rank);
  *out = (int)(axis < 0 ? axis + rank : axis);
  return true;
}

const Object *builtin_expand_dims(Walk *w, const BuiltinCall *c) {
  int64_t axes[MAX_RANK];
  int count, positions[MAX_RANK];
  bool at[MAX_RANK] = {false};
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !argument_ints(w, c, 1, axes, &count)) return NULL;
  const int rank = object_type(x)->rank + count;
  if (rank > MAX_RANK)
    return walk_error(w, c->loc, ERROR_tile_at_most_dimensions, MAX_RANK);
  for (int i = 0; i < count; i++) {
    const SrcLoc loc = argument_item_loc(c, 1, i);
    if (!wrap_axis(w, loc, axes[i], rank, &positions[i])) return NULL;
    if (at[positions[i]])
      return walk_error(w, loc, ERROR_dimension_expanded_twice, positions[i]);
    at[positions[i]] = true;
  }
  for (int i = 0; i < rank; i++) {
    if (at[i]) x = tensor_expand(w, x, i);
  }
  return x;
}

const Object *builtin_squeeze(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tile(w, c, 0);
  int64_t axis, shape[MAX_RANK];
  int at, n = 0;
  if (!x || !argument_int(w, c, 1, 0, &axis)) return NULL;
  const Type *type = object_type(x);
  if (!wrap_axis(w, c->locs[1], axis, type->rank, &at)) return NULL;
  if (type->shape[at] != 1)
    return walk_error(w, c->locs[1], ERROR_dimension_not_1, at, text_of(w, x));
  for (int i = 0; i < type->rank; i++) {
    if (i != at) shape[n++] = type->shape[i];
  }
  return n ? tensor_reshape(w, x, n, shape, false) : scalar_of(w, c->loc, x);
}

// -- Reshaping ---------------------------------------------------------------

// Explains -1: in other libraries, one size may be -1 and follows from the
// others.
static bool check_inferred(Walk *w, const BuiltinCall *c, const Object *x,
                           int rank, const int64_t *shape) {
  const int64_t total = object_type(x)->num_elements;
  int64_t others = 1;
  int at = -1;
  for (int i = 0; i < rank; i++) {
    if (shape[i] == -1 && at >= 0) return true;
    if (shape[i] == -1) at = i;
    if (shape[i] > 0 && shape[i] <= total) others *= shape[i];
    if (others > total) return true;
  }
  if (at < 0 || total % others) return true;
  return diag_error(w->diags, argument_item_loc(c, 1, at), ERROR_size_inferred,
                    at, shape_text(w->arena, rank, shape),
                    (long long)(total / others));
}

const Object *builtin_reshape(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  int64_t shape[MAX_RANK], count = 1;
  int rank;
  bool reorder;
  if (!x || !argument_ints(w, c, 1, shape, &rank) ||
      !argument_bool(w, c, 2, false, &reorder))
    return NULL;
  if (is_element(w, x)) return shape_element(w, c, x, rank);
  if (!check_inferred(w, c, x, rank, shape) ||
      !argument_is_shape(w, c, 1, shape, rank))
    return NULL;
  for (int i = 0; i < rank; i++) count *= shape[i];
  if (count != object_type(x)->num_elements)
    return walk_error(w, c->locs[1], ERROR_reshape_changes_size, text_of(w, x),
                      shape_text(w->arena, rank, shape),
                      (long long)object_type(x)->num_elements,
                      (long long)count);
  return rank ? tensor_reshape(w, x, rank, shape, reorder)
              : scalar_of(w, c->loc, x);
}

const Object *builtin_ravel(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  bool reorder;
  if (!x || !argument_bool(w, c, 1, false, &reorder)) return NULL;
  if (is_element(w, x)) return shape_element(w, c, x, 1);
  const int64_t size = object_type(x)->num_elements;
  return tensor_reshape(w, x, 1, &size, reorder);
}

const Object *builtin_item(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  return x ? scalar_of(w, c->loc, x) : NULL;
}

static const Object *permute(Walk *w, const Object *x, const int64_t *order) {
  const Type *type = object_type(x);
  int64_t shape[MAX_RANK];
  assert(order_is_permutation(order, type->rank, type->rank)); // I8
  for (int i = 0; i < type->rank; i++) shape[i] = type->shape[order[i]];
  const Dtype dtype = x->as.tensor.dtype;
  const Type *result = tensor_type(w, dtype, type->rank, shape);
  Value *value = build_trans(&w->b, result, x->as.tensor.value);
  op_set_ints(w->m, value->def, ATTR_order, order, type->rank);
  return tensor_wrap(w, value, dtype);
}

static bool check_permutation(Walk *w, const BuiltinCall *c, const Object *x,
                              const int64_t *order, int count) {
  const int rank = object_type(x)->rank;
  if (order_is_permutation(order, count, rank)) return true;
  return diag_error(w->diags, argument_order_loc(c, 1, order, count, rank),
                    ERROR_not_permutation_dimensions,
                    shape_text(w->arena, count, order), text_of(w, x),
                    rank - 1);
}

const Object *tensor_swap_last(Walk *w, const Object *x) {
  const int rank = object_type(x)->rank;
  assert(rank >= 2 && "there are no two dimensions to swap"); // I8
  int64_t order[MAX_RANK];
  for (int i = 0; i < rank; i++) order[i] = i;
  order[rank - 2] = rank - 1, order[rank - 1] = rank - 2;
  return permute(w, x, order);
}

// `trans` without dimensions exchanges the last two.
const Object *builtin_trans(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tile(w, c, 0);
  int64_t order[MAX_RANK];
  int count;
  if (!x || !argument_ints(w, c, 1, order, &count)) return NULL;
  const int rank = object_type(x)->rank;
  if (!count && !c->info->data) {
    if (rank < 2)
      return walk_error(w, c->loc, ERROR_trans_wants_two_dimensions,
                        text_of(w, x));
    return tensor_swap_last(w, x);
  }
  if (!check_permutation(w, c, x, order, count)) return NULL;
  return permute(w, x, order);
}

// -- Joining and splitting ---------------------------------------------------

// Are the types equal, or integers that differ only in signedness?  The result
// has the type of the first.
static bool same_bits(Dtype a, Dtype b) {
  const bool ints = dtype_is_int(a) && dtype_is_int(b);
  return dtype_equal(a, b) || (ints && dtype_bits(a) == dtype_bits(b));
}

static const Object *join(Walk *w, const BuiltinCall *c, const Object *x,
                          const Object *y) {
  if (!same_bits(x->as.tensor.dtype, y->as.tensor.dtype))
    return walk_error(w, c->loc, ERROR_wants_two_one_type, c->info->name,
                      text_of(w, x), text_of(w, y));
  if (!tensor_broadcast(w, c->loc, c->info->name, &x, &y)) return NULL;
  assert(type_same_shape(object_type(x), object_type(y))); // I8
  const bool scalars = !object_is_tile(x);
  if (scalars) x = tensor_expand(w, x, 0), y = tensor_expand(w, y, 0);
  const Type *type = object_type(x);
  int64_t shape[MAX_RANK + 1];
  for (int i = 0; i < type->rank; i++) shape[i] = type->shape[i];
  shape[type->rank] = 2;
  if (type->rank == MAX_RANK)
    return walk_error(w, c->loc, ERROR_tile_at_most_dimensions, MAX_RANK);
  if (!check_shape(w, c->loc, type->rank + 1, shape)) return NULL;
  const Dtype dtype = x->as.tensor.dtype;
  const Type *result = tensor_type(w, dtype, type->rank + 1, shape);
  const Object *both = tensor_wrap(
      w, build_join(&w->b, result, x->as.tensor.value, y->as.tensor.value),
      dtype);
  const int64_t two = 2;
  return scalars ? tensor_reshape(w, both, 1, &two, false) : both;
}

const Object *builtin_join(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0), *y = argument_tensor(w, c, 1);
  return x && y ? join(w, c, x, y) : NULL;
}

const Object *builtin_interleave(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0), *y = argument_tensor(w, c, 1);
  const bool scalars = x && y && !object_is_tile(x) && !object_is_tile(y);
  x = x && y ? join(w, c, x, y) : NULL;
  if (!x || scalars) return x;
  const Type *type = object_type(x);
  int64_t shape[MAX_RANK];
  for (int i = 0; i < type->rank; i++) shape[i] = type->shape[i];
  shape[type->rank - 2] *= 2;
  return tensor_reshape(w, x, type->rank - 1, shape, false);
}

const Object *builtin_split(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tile(w, c, 0);
  if (!x) return NULL;
  const Type *type = object_type(x);
  if (type->shape[type->rank - 1] != 2)
    return walk_error(w, c->locs[0], ERROR_split_wants_last_dimension_2,
                      text_of(w, x));
  const bool flat = type->rank == 1;
  const int64_t pair[2] = {1, 2};
  if (flat) x = tensor_reshape(w, x, 2, pair, false);
  type = object_type(x);
  const Dtype dtype = x->as.tensor.dtype;
  const Type *half = tensor_type(w, dtype, type->rank - 1, type->shape);
  assert(2 * half->num_elements == type->num_elements); // I8
  const Type *types[2] = {half, half};
  Op *op = build_op(&w->b, OP_split, 1, &(Value *){x->as.tensor.value}, NULL, 2,
                    types);
  const Object *both[2];
  for (int i = 0; i < 2; i++) {
    both[i] = tensor_wrap(w, &op->results[i], dtype);
    if (flat) both[i] = scalar_of(w, c->loc, both[i]);
  }
  return object_tuple(w->arena, both, 2);
}

const Object *builtin_cat(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tile(w, c, 0);
  const Object *y = x ? argument_tile(w, c, 1) : NULL;
  int64_t axis, shape[MAX_RANK];
  int at;
  if (!x || !y || !argument_int(w, c, 3, 0, &axis)) return NULL;
  const Type *type = object_type(x);
  if (!wrap_axis(w, c->locs[3], axis, type->rank, &at)) return NULL;
  if (object_type(x) != object_type(y) ||
      !same_bits(x->as.tensor.dtype, y->as.tensor.dtype))
    return walk_error(w, c->loc, ERROR_cat_wants_two_one_type, text_of(w, x),
                      text_of(w, y));
  for (int i = 0; i < type->rank; i++) shape[i] = type->shape[i];
  shape[at] *= 2;
  if (!check_shape(w, c->loc, type->rank, shape)) return NULL;
  const Dtype dtype = x->as.tensor.dtype;
  Value *both = build_cat(&w->b, tensor_type(w, dtype, type->rank, shape),
                          x->as.tensor.value, y->as.tensor.value);
  op_set_int(w->m, both->def, ATTR_axis, at);
  return tensor_wrap(w, both, dtype);
}

static bool check_gather(Walk *w, const BuiltinCall *c, const Object *x,
                         const Object *index, int axis) {
  const Type *type = object_type(x), *other = object_type(index);
  bool fits = type->rank == other->rank;
  for (int i = 0; fits && i < type->rank; i++)
    fits = i == axis || type->shape[i] == other->shape[i];
  if (!dtype_is_int(index->as.tensor.dtype))
    return diag_error(w->diags, c->locs[1], ERROR_wrong_argument, "index",
                      "gather", "integers", text_of(w, index));
  if (fits) return true;
  return diag_error(w->diags, c->loc, ERROR_gather_shapes, axis, text_of(w, x),
                    text_of(w, index));
}

const Object *tensor_gather(Walk *w, const Object *x, const Object *index,
                            int axis) {
  const Dtype dtype = x->as.tensor.dtype;
  const Type *shape = object_type(index);
  assert(shape->rank == object_type(x)->rank); // I8
  assert(0 <= axis && axis < shape->rank);     // I8
  const Type *type = tensor_type(w, dtype, shape->rank, shape->shape);
  Value *picked =
      build_gather(&w->b, type, x->as.tensor.value, index->as.tensor.value);
  op_set_int(w->m, picked->def, ATTR_axis, axis);
  return tensor_wrap(w, picked, dtype);
}

// The IR's index is signed: a narrow unsigned one is widened.
static const Object *signed_index(Walk *w, SrcLoc loc, const Object *index) {
  const Dtype dtype = index->as.tensor.dtype;
  if (dtype_is_signed(dtype) || dtype_bits(dtype) >= 32) return index;
  return tensor_cast(w, loc, index, dtype_of(DTYPE_INT32));
}

const Object *builtin_gather(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tile(w, c, 0), *index = argument_tile(w, c, 1);
  int64_t axis;
  int at;
  if (!x || !index || !argument_int(w, c, 2, 0, &axis) ||
      !wrap_axis(w, c->locs[2], axis, object_type(x)->rank, &at) ||
      !check_gather(w, c, x, index, at))
    return NULL;
  return tensor_gather(w, x, signed_index(w, c->loc, index), at);
}
