// sort.c -- sorting networks, flips and histograms.
//
// A network works on integer keys (sort_key.h) in one dimension.  The lowest
// bits of an element's index there are its index along the tile's last
// dimension.
//
// Example: sort_runs() on [3, 1, 2, 0] sorts pairs to [1, 3, 0, 2], then merges
// them: 1 with 2 and 3 with 0 from the middle, [1, 0, 3, 2], then neighbours,
// [0, 1, 2, 3].
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"
#include "frontend/language/sort_key.h"

#include <assert.h>

static const Object *tile_argument(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  const bool fits = x && object_is_tile(x) && !x->as.tensor.dtype.is_pointer;
  if (!x || fits) return x;
  return walk_error(w, c->locs[0], ERROR_wants_tile_numbers, c->info->name,
                    text_of(w, x));
}

// Indices along `axis`, of a shape that broadcasts with tiles of that rank.
static const Object *positions(Walk *w, int64_t size, int axis, int rank) {
  assert(0 <= axis && axis < rank && rank <= MAX_RANK); // I8
  const Object *i = object_tensor(w->arena, build_arange(&w->b, 0, size),
                                  dtype_of(DTYPE_INT32));
  for (int d = 0; d < rank; d++) {
    if (d != axis) i = tensor_expand(w, i, d);
  }
  return i;
}

static const Object *with_int(Walk *w, OpKind kind, const Object *x,
                              int64_t value) {
  const Object *y = tensor_int(w, dtype_of(DTYPE_INT32), value);
  const Type *type = object_type(x);
  y = tensor_broadcast_to(w, w->b.loc, y, type->rank, type->shape);
  return tensor_op(w, kind, x->as.tensor.dtype, 2, (const Object *[]){x, y});
}

static const Object *spread_like(Walk *w, const Object *x, const Object *like) {
  const Type *type = object_type(like);
  return tensor_broadcast_to(w, w->b.loc, x, type->rank, type->shape);
}

// The dimension in argument `n`; omitted, the last.
static bool read_dim(Walk *w, const BuiltinCall *c, int n, const Object *x,
                     int *out) {
  const int rank = object_type(x)->rank;
  int64_t dim;
  *out = 0;
  if (!argument_int(w, c, n, rank - 1, &dim)) return false;
  if (dim < -rank || dim >= rank)
    return diag_error(w->diags, c->locs[n], ERROR_no_dimension, text_of(w, x),
                      (long long)dim);
  *out = (int)(dim < 0 ? dim + rank : dim);
  return true;
}

static bool check_last(Walk *w, const BuiltinCall *c, int n, const Object *x) {
  int dim;
  if (!read_dim(w, c, n, x, &dim)) return false;
  if (dim == object_type(x)->rank - 1) return true;
  return diag_error(w->diags, c->locs[n], ERROR_works_along_last_dimension_only,
                    c->info->name, object_type(x)->rank - 1, dim);
}

const Object *builtin_flip(Walk *w, const BuiltinCall *c) {
  const Object *x = tile_argument(w, c);
  int dim;
  if (!x || !read_dim(w, c, 1, x, &dim)) return NULL;
  const Type *type = object_type(x);
  const int64_t size = type->shape[dim];
  const Object *i = positions(w, size, dim, type->rank);
  const Object *back = with_int(w, OP_xori, i, size - 1);
  return tensor_gather(w, x, spread_like(w, back, x), dim);
}

// -- Sorting -----------------------------------------------------------------

// A sorting network: it sorts keys in increasing order, or decreasing if
// `descending`.
typedef struct {
  Walk *w;
  Value *keys;
  bool descending;
} Network;

static int64_t count_of(const Network *n) {
  return n->keys->type->num_elements;
}

static Value *in_shape(Walk *w, Value *x, int rank, const int64_t *shape) {
  TypeTable *types = &w->m->types;
  const Type *element = type_element(x->type);
  const Type *type = type_tile(types, rank, shape, element, NULL);
  assert(type->num_elements == x->type->num_elements); // I9
  return build_reshape(&w->b, type, x);
}

static Network network_of(Walk *w, const Object *x, bool descending) {
  Value *keys = sort_key(w, x);
  const int64_t count = keys->type->num_elements;
  return (Network){w, in_shape(w, keys, 1, &count), descending};
}

static const Object *numbers_of(const Network *n, Dtype dtype, int rank,
                                const int64_t *shape) {
  return sort_key_number(n->w, in_shape(n->w, n->keys, rank, shape), dtype);
}

// Sorts each pair of elements whose indices differ in the bits of `distance`:
// the greater key goes to the index with an odd number of the bits of `upper`.
static void exchange(Network *n, int64_t distance, int64_t upper) {
  Module *m = n->w->m;
  assert(n->keys->type->rank == 1);               // I9
  assert(0 < distance && distance < count_of(n)); // I9
  Value *out = build_minmaxsi(&n->w->b, n->keys->type, n->keys);
  op_set_int(m, out->def, ATTR_axis, 0);
  op_set_int(m, out->def, ATTR_distance, distance);
  op_set_int(m, out->def, ATTR_upper, upper);
  if (n->descending) op_set_int(m, out->def, ATTR_reverse, true);
  n->keys = out;
}

// Sorts bitonic runs of twice `step` elements; runs whose index has a bit of
// `turned` in the opposite direction.
static void merge(Network *n, int64_t step, int64_t turned) {
  for (; step; step /= 2) exchange(n, step, step | turned);
}

// Sorts runs of up to `size`.  Two sorted runs are merged from their middle:
// the first is compared with the second from its end.  So all runs are sorted
// in one direction, until the last merge, which sorts those with a bit of
// `turned` in the other.
static void sort_runs(Network *n, int64_t size, int64_t turned) {
  assert(size <= count_of(n) && (size & (size - 1)) == 0); // I9
  for (int64_t run = 2; run <= size; run *= 2) {
    const int64_t last = run == size ? turned : 0;
    exchange(n, run - 1, run / 2 | last);
    merge(n, run / 4, last);
  }
}

// Keeps the better half of each pair of runs of `k` elements, one rising and
// one falling: the result is a bitonic run.
static void halve(Network *n, int64_t k) {
  Walk *w = n->w;
  assert(0 < k && 2 * k <= count_of(n)); // I9
  const int64_t left = count_of(n) / 2, shape[] = {left / k, 2, k};
  Value *pairs = in_shape(w, n->keys, 3, shape);
  Op *op = build_reduce(&w->b, 1, 1, &pairs);
  Block *region = op->regions[0];
  Builder b = builder_at_end(w->m, region, w->b.loc);
  Value *x = &region->args[0], *y = &region->args[1];
  Value *best = n->descending ? build_maxsi(&b, x->type, x, y)
                              : build_minsi(&b, x->type, x, y);
  build_yield(&b, 1, &best);
  n->keys = in_shape(w, op_result(op), 1, &left);
}

static int64_t last_size(const Object *x) {
  const Type *type = object_type(x);
  return type->shape[type->rank - 1];
}

static const Object *sort(Walk *w, const Object *x, bool descending) {
  const Type *type = object_type(x);
  Network n = network_of(w, x, descending);
  sort_runs(&n, last_size(x), 0);
  return numbers_of(&n, x->as.tensor.dtype, type->rank, type->shape);
}

static bool sort_arguments(Walk *w, const BuiltinCall *c, const Object **x,
                           bool *descending) {
  *x = tile_argument(w, c);
  return *x && check_last(w, c, 1, *x) &&
         argument_bool(w, c, 2, false, descending);
}

const Object *builtin_sort(Walk *w, const BuiltinCall *c) {
  const Object *x;
  bool descending;
  return sort_arguments(w, c, &x, &descending) ? sort(w, x, descending) : NULL;
}

const Object *builtin_bitonic_merge(Walk *w, const BuiltinCall *c) {
  const Object *x;
  bool descending;
  if (!sort_arguments(w, c, &x, &descending)) return NULL;
  const Type *type = object_type(x);
  Network n = network_of(w, x, descending);
  merge(&n, last_size(x) / 2, 0);
  return numbers_of(&n, x->as.tensor.dtype, type->rank, type->shape);
}

// Converts as Triton does, whose topk is made of maxima.
static const Object *widen(Walk *w, SrcLoc loc, const Object *x) {
  const Dtype dtype = x->as.tensor.dtype;
  if (dtype_bits(dtype) >= 32) return x;
  const DtypeId wide = dtype_is_float(dtype) ? DTYPE_FP32 : DTYPE_INT32;
  return tensor_cast(w, loc, x, dtype_of(wide));
}

static OpKind extreme_op(Dtype dtype, bool greatest) {
  if (dtype_is_float(dtype)) return greatest ? OP_maximumf : OP_minf;
  if (dtype_is_signed(dtype)) return greatest ? OP_maxsi : OP_minsi;
  return greatest ? OP_maxui : OP_minui;
}

// The greatest or the least along the last dimension, whose size becomes 1.  A
// NaN counts as the greatest.
static const Object *best(Walk *w, const Object *x, bool greatest) {
  const int axis = object_type(x)->rank - 1;
  const Dtype dtype = x->as.tensor.dtype;
  Value *value = x->as.tensor.value;
  Op *op = build_reduce(&w->b, axis, 1, &value);
  Block *region = op->regions[0];
  Builder b = builder_at_end(w->m, region, w->b.loc);
  Value *both[] = {&region->args[0], &region->args[1]};
  Value *chosen = build_value(&b, extreme_op(dtype, greatest), 2, both,
                              region->args[0].type);
  build_yield(&b, 1, &chosen);
  x = object_tensor(w->arena, op_result(op), dtype);
  return tensor_expand(w, x, axis);
}

// Each step halves the number of runs and keeps the better half of the
// elements; runs of `k` are rising and falling in turn, until one is left.
static const Object *best_of(Walk *w, const Object *x, int64_t k,
                             bool descending) {
  const Type *type = object_type(x);
  const int64_t left = type->num_elements / last_size(x) * k;
  int64_t shape[MAX_RANK];
  for (int i = 0; i < type->rank; i++) shape[i] = type->shape[i];
  shape[type->rank - 1] = k;
  Network n = network_of(w, x, descending);
  sort_runs(&n, k, k);
  while (count_of(&n) > left) {
    halve(&n, k);
    merge(&n, k / 2, count_of(&n) > left ? k : 0);
  }
  assert(count_of(&n) == left); // I9
  return numbers_of(&n, x->as.tensor.dtype, type->rank, shape);
}

// The largest power of two below `k` if `k` is no power of two; 1 for a wrong
// `k` or more than one dimension.
static int64_t cut_off(Walk *w, const BuiltinCall *c, const Object *x,
                       int64_t k) {
  int64_t power = k < 1 && object_type(x)->rank > 1 ? 1 : k;
  while (power > 0 && (power & (power - 1))) power &= power - 1;
  if (power != k && !w->trial)
    diag_warning(w->diags, c->locs[1], WARNING_topk_cut_off, (long long)k,
                 (long long)power);
  return power;
}

// `topk`; also `sort_impl`, which by default sorts in increasing order and has
// `k` None for all elements.
const Object *builtin_topk(Walk *w, const BuiltinCall *c) {
  const Object *x = tile_argument(w, c);
  int64_t k;
  bool descending;
  if (!x || !argument_int(w, c, 1, 0, &k) || !check_last(w, c, 2, x) ||
      !argument_bool(w, c, 3, c->info->data, &descending))
    return NULL;
  const int64_t size = last_size(x);
  if (argument_absent(c, 1)) k = size;
  if (!rule_holds(w->program, RULE_topk_of_powers)) k = cut_off(w, c, x, k);
  if (k < 1 || k > size || (k & (k - 1)))
    return walk_error(w, c->locs[1], ERROR_topk_wants_power_two_up,
                      (long long)size, (long long)k);
  if (k == size) return sort(w, x, descending);
  if (k == 1) return best(w, widen(w, c->loc, x), descending);
  return widen(w, c->loc, best_of(w, x, k, descending));
}

// -- Histograms --------------------------------------------------------------

// Masked-off elements become -1, which, as an unsigned number, is no bin.
static const Object *masked(Walk *w, SrcLoc loc, const Object *x,
                            const Object *mask) {
  if (!mask) return x;
  const Object *none = tensor_int(w, x->as.tensor.dtype, -1);
  return tensor_select(w, loc, mask, x, none);
}

// A mask of the shape of `x`; NULL if it is omitted.
static bool read_mask(Walk *w, const BuiltinCall *c, const Object *x,
                      const Object **out) {
  if (!argument_mask(w, c, 2, out)) return false;
  if (!*out || !object_is_tile(*out)) return true;
  const Type *type = object_type(x), *mask = object_type(*out);
  if (mask->rank == 1 && shapes_broadcast(mask, type)) return true;
  return argument_wrong(w, c, 2,
                        arena_printf(w->arena, "a tile of the shape %s",
                                     shape_text(w->arena, 1, type->shape)));
}

const Object *builtin_histogram(Walk *w, const BuiltinCall *c) {
  const Object *x = tile_argument(w, c);
  const Object *mask;
  int64_t bins;
  if (!x || !argument_int(w, c, 1, 0, &bins)) return NULL;
  if (object_type(x)->rank != 1 || !dtype_is_int(x->as.tensor.dtype))
    return walk_error(w, c->locs[0],
                      ERROR_histogram_wants_integers_one_dimension,
                      text_of(w, x));
  if (dtype_bits(x->as.tensor.dtype) != 32 &&
      rule_holds(w->program, RULE_histogram_of_32_bits))
    return walk_error(w, c->locs[0], ERROR_histogram_wants_32_bits,
                      text_of(w, x));
  if (bins < 1 || (bins & (bins - 1)))
    return walk_error(w, c->locs[1], ERROR_histogram_bins, (long long)bins);
  if (!read_mask(w, c, x, &mask) || !check_shape(w, c->locs[1], 1, &bins))
    return NULL;
  const bool wide = dtype_bits(x->as.tensor.dtype) > 32;
  x = tensor_cast(w, c->loc, x, dtype_of(wide ? DTYPE_INT64 : DTYPE_INT32));
  if (!x || !(x = masked(w, c->loc, x, mask))) return NULL;
  const Dtype counts = dtype_of(DTYPE_INT32);
  Value *value = build_histogram(&w->b, tensor_type(w, counts, 1, &bins),
                                 x->as.tensor.value);
  return object_tensor(w->arena, value, counts);
}
