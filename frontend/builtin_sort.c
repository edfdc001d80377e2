// builtin_sort.c -- sorting networks, flips and histograms.
//
// A network compares each element with its partner at index ^ step, which a
// gather fetches; both of a pair take the same decision, so nothing gets lost
// where a NaN is unordered.
#include "frontend/builtins.h"
#include "frontend/errors.h"
#include "frontend/tensor.h"

static const Object *tile_argument(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  const bool fits = x && object_is_tile(x) && !x->as.tensor.dtype.is_pointer;
  if (!x || fits) return x;
  return walk_error(w, c->locs[0], ERROR_wants_tile_numbers, c->info->name,
                    text_of(w, x));
}

// Positions along `axis`, to be broadcast with tiles of that rank.
static const Object *positions(Walk *w, int64_t size, int axis, int rank) {
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

// The dimension that argument `n` says, the last if it says none.
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

typedef struct {
  const Object *index; // along the last dimension, in the tile's shape
  int64_t run, step;   // runs of that length become sorted
  bool descending;     // the first of them
} Stage;

// Where the bit is set in the index.
static const Object *has_bit(Walk *w, const Object *index, int64_t bit) {
  const Object *masked = with_int(w, OP_andi, index, bit);
  return tensor_truth(w, w->b.loc, masked);
}

static const Object *exchange(Walk *w, const Stage *s, const Object *x) {
  const SrcLoc l = w->b.loc;
  const int axis = object_type(x)->rank - 1;
  const Object *partner = with_int(w, OP_xori, s->index, s->step);
  const Object *y = tensor_gather(w, x, partner, axis);
  const Object *upper = has_bit(w, s->index, s->step);
  const Object *low = tensor_select(w, l, upper, y, x);
  const Object *high = tensor_select(w, l, upper, x, y);
  const Object *above = tensor_comparison(w, l, COMPARE_GT, low, high);
  const Object *below = tensor_comparison(w, l, COMPARE_LT, low, high);
  const Object *odd = has_bit(w, s->index, s->run);
  const Object *swap = s->descending ? tensor_select(w, l, odd, above, below)
                                     : tensor_select(w, l, odd, below, above);
  return tensor_select(w, l, swap, y, x);
}

// Runs of `run`, each half of which is sorted, and then ever longer ones.
static const Object *sort(Walk *w, const Object *x, int64_t run,
                          bool descending) {
  const Type *type = object_type(x);
  const int64_t size = type->shape[type->rank - 1];
  const Object *i = positions(w, size, type->rank - 1, type->rank);
  Stage s = {.index = spread_like(w, i, x), .descending = descending};
  for (s.run = run; s.run <= size; s.run *= 2) {
    for (s.step = s.run / 2; s.step; s.step /= 2) x = exchange(w, &s, x);
  }
  return x;
}

static const Object *sort_from(Walk *w, const BuiltinCall *c, bool merges) {
  const Object *x = tile_argument(w, c);
  bool descending;
  if (!x || !check_last(w, c, 1, x) ||
      !argument_bool(w, c, 2, false, &descending))
    return NULL;
  const Type *type = object_type(x);
  return sort(w, x, merges ? type->shape[type->rank - 1] : 2, descending);
}

const Object *builtin_sort(Walk *w, const BuiltinCall *c) {
  return sort_from(w, c, false);
}

const Object *builtin_bitonic_merge(Walk *w, const BuiltinCall *c) {
  return sort_from(w, c, true);
}

// As upstream, whose topk is made of maxima.
static const Object *widen(Walk *w, SrcLoc loc, const Object *x) {
  const Dtype dtype = x->as.tensor.dtype;
  if (dtype_bits(dtype) >= 32) return x;
  const DtypeId wide = dtype_is_float(dtype) ? DTYPE_FP32 : DTYPE_INT32;
  return tensor_cast(w, loc, x, dtype_of(wide));
}

// `topk`, and `sort_impl`, which ascends unless told; all where `k` is None.
const Object *builtin_topk(Walk *w, const BuiltinCall *c) {
  const Object *x = tile_argument(w, c);
  int64_t k, shape[MAX_RANK];
  bool descending;
  if (!x || !argument_int(w, c, 1, 0, &k) || !check_last(w, c, 2, x) ||
      !argument_bool(w, c, 3, c->info->data, &descending))
    return NULL;
  const Type *type = object_type(x);
  const int last = type->rank - 1;
  if (argument_absent(c, 1)) k = type->shape[last];
  for (int i = 0; i < type->rank; i++) shape[i] = type->shape[i];
  if (k < 1 || k > shape[last] || (k & (k - 1)))
    return walk_error(w, c->locs[1], ERROR_topk_wants_power_two_up,
                      (long long)shape[last], (long long)k);
  if (k == shape[last]) return sort(w, x, 2, descending);
  shape[last] = k;
  const Object *i = positions(w, k, last, type->rank);
  i = tensor_broadcast_to(w, c->loc, i, type->rank, shape);
  x = sort(w, x, 2, descending);
  x = x ? tensor_gather(w, x, i, last) : NULL;
  return x ? widen(w, c->loc, x) : NULL;
}

// -- Histograms --------------------------------------------------------------

// Elements times bins, as many as library.tile compares in a trip.
enum { MANY_COMPARED = 16384 };

static const Object *masked(Walk *w, const BuiltinCall *c, const Object *hits) {
  if (argument_absent(c, 2)) return hits;
  const Object *mask = argument_tensor(w, c, 2);
  if (!mask || !(mask = tensor_truth(w, c->locs[2], mask))) return NULL;
  if (object_is_tile(mask)) mask = tensor_expand(w, mask, 1);
  return binary(w, c->loc, OPERATOR_AND, hits, mask);
}

static bool check_mask(Walk *w, const BuiltinCall *c, const Object *x) {
  const Type *type = object_type(x);
  const Object *given;
  if (!argument_mask(w, c, 2, &given)) return false;
  if (argument_absent(c, 2) || !object_is_tile(c->args[2])) return true;
  const Type *mask = object_type(c->args[2]);
  if (mask->rank == 1 && shapes_broadcast(mask, type)) return true;
  return argument_wrong(w, c, 2,
                        arena_printf(w->arena, "a tile of the shape %s",
                                     shape_text(w->arena, 1, type->shape)));
}

// Compares each element with each bin and sums; where these are many, in a loop
// over the bins.
const Object *builtin_histogram(Walk *w, const BuiltinCall *c) {
  const Object *x = tile_argument(w, c);
  int64_t bins;
  if (!x || !argument_int(w, c, 1, 0, &bins)) return NULL;
  if (object_type(x)->rank != 1 || !dtype_is_int(x->as.tensor.dtype))
    return walk_error(w, c->locs[0],
                      ERROR_histogram_wants_integers_one_dimension,
                      text_of(w, x));
  if (bins < 1 || (bins & (bins - 1)))
    return walk_error(w, c->locs[1], ERROR_histogram_bins, (long long)bins);
  if (!check_mask(w, c, x)) return NULL;
  if (object_type(x)->num_elements > MANY_COMPARED / bins)
    return library_call(w, c, "_histogram_in_parts");
  const Object *i = positions(w, bins, 1, 2);
  const Object *hits =
      compare(w, c->loc, COMPARE_EQ, tensor_expand(w, x, 1), i);
  if (hits) hits = masked(w, c, hits);
  if (hits) hits = tensor_cast(w, c->loc, hits, dtype_of(DTYPE_INT32));
  if (!hits) return NULL;
  BuiltinCall sum = {.info = builtin_find("sum"), .loc = c->loc};
  sum.args[0] = hits;
  sum.args[1] = object_int(w->arena, 0);
  return builtin_sum(w, &sum);
}
