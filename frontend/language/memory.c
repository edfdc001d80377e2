// memory.c -- loads, stores, atomics and block pointers.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"

#include <assert.h>
#include <string.h>

static const char *const load_caches[] = {
#define LOAD_CACHE_WORD(word, value) word,
#include "frontend/language/choices.def"
    NULL};
static const Cache load_cache[] = {
#define LOAD_CACHE_WORD(word, value) value,
#include "frontend/language/choices.def"
};
static const char *const store_caches[] = {
#define STORE_CACHE_WORD(word, value) word,
#include "frontend/language/choices.def"
    NULL};
static const Cache store_cache[] = {
#define STORE_CACHE_WORD(word, value) value,
#include "frontend/language/choices.def"
};
static const char *const evictions[] = {"", "evict_first", "evict_last", NULL};
static const char *const paddings[] = {"", "zero", "nan", NULL};

// The cache hints of a load or store.
typedef struct {
  int cache, eviction;
} Hints;

// No instruction has both hints, so one of them is dropped.
static void warn_of_dropped(Walk *w, const BuiltinCall *c, int dropped,
                            int beside) {
  if (w->trial) return;
  diag_warning(w->diags, c->locs[dropped], WARNING_hint_dropped,
               argument_name(w, c, dropped), argument_name(w, c, beside));
  diag_ranges(w->diags, c->locs[dropped], c->locs[beside], c->locs[dropped]);
}

static bool read_hints(Walk *w, const BuiltinCall *c, int first,
                       const char *const *caches, Hints *out) {
  if (!argument_word(w, c, first, caches, &out->cache) ||
      !argument_word(w, c, first + 1, evictions, &out->eviction))
    return false;
  if (out->cache && out->eviction) warn_of_dropped(w, c, first + 1, first);
  return true;
}

static void set_hints(Walk *w, Op *op, Hints hints, const Cache *caches) {
  if (hints.cache) op_set_int(w->m, op, ATTR_cache, caches[hints.cache]);
  if (hints.eviction) op_set_int(w->m, op, ATTR_eviction, hints.eviction);
}

static const Object *wants_pointer(Walk *w, const BuiltinCall *c,
                                   const Object *x) {
  if (object_is_descriptor(x))
    return walk_error(w, c->locs[0], ERROR_wants_descriptor_method,
                      c->info->name, text_of(w, x));
  walk_error(w, c->locs[0], ERROR_wants_pointer, c->info->name, text_of(w, x));
  note_exchanged(w, c, c->args[1]);
  return NULL;
}

static bool is_pointer(const Object *x) {
  return object_is_tensor(x) && x->as.tensor.dtype.is_pointer &&
         !object_is_window(x);
}

bool argument_pointer(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0];
  return is_pointer(p) || wants_pointer(w, c, p) != NULL;
}

// -- Operands ----------------------------------------------------------------

bool argument_mask(Walk *w, const BuiltinCall *c, int n, const Object **out) {
  *out = NULL;
  if (argument_absent(c, n)) return true;
  const Object *mask = argument_tensor(w, c, n);
  if (!mask) return false;
  if (!dtype_is(mask->as.tensor.dtype, DTYPE_INT1))
    return diag_error(w->diags, c->locs[n], ERROR_mask_not_int1,
                      text_of(w, mask));
  *out = mask;
  return true;
}

// A scalar pointer requires a scalar mask and a scalar value.
static bool check_scalars(Walk *w, const BuiltinCall *c, int n,
                          const Object *pointer, const Object *x) {
  if (!x || object_is_tile(pointer) || !object_is_tile(x)) return true;
  return diag_error(w->diags, c->locs[n], ERROR_scalar_pointer, c->info->name,
                    text_of(w, x));
}

static bool wrong_shape(Walk *w, const BuiltinCall *c, int n,
                        const Object *pointer, const Object *x) {
  const bool column = fits_as_column(object_type(x), object_type(pointer));
  diag_error(w->diags, c->locs[n], ERROR_mask_shape, argument_name(w, c, n),
             c->info->name, text_of(w, x), text_of(w, pointer),
             column ? column_advice : "");
  diag_ranges(w->diags, c->locs[n], c->locs[0], c->locs[n]);
  return false;
}

bool argument_spread(Walk *w, const BuiltinCall *c, int n,
                     const Object *pointer, const Object **x) {
  if (!*x) return true;
  if (!check_scalars(w, c, n, pointer, *x)) return false;
  const Type *type = object_type(pointer);
  const Object *y = *x, *p = pointer;
  if (!shapes_broadcast(type, object_type(y)))
    return wrong_shape(w, c, n, pointer, *x);
  if (!tensor_broadcast(w, c->locs[n], c->info->name, &p, &y)) return false;
  if (!type_same_shape(object_type(p), type))
    return wrong_shape(w, c, n, pointer, *x);
  *x = y;
  return true;
}

static Value *value_of(const Object *x) {
  return x ? x->as.tensor.value : NULL;
}

// -- Block pointers ----------------------------------------------------------

static bool read_boundary(Walk *w, const BuiltinCall *c, int n, int rank,
                          int64_t *out, int *count) {
  *count = 0;
  if (argument_absent(c, n)) return true;
  if (!argument_ints(w, c, n, out, count)) return false;
  bool seen[MAX_RANK] = {false};
  for (int i = 0; i < *count; i++) {
    const SrcLoc loc = argument_item_loc(c, n, i);
    if (out[i] < 0 || out[i] >= rank)
      return diag_error(w->diags, loc, ERROR_no_dimension,
                        text_of(w, c->args[0]), (long long)out[i]);
    if (seen[out[i]])
      return diag_error(w->diags, loc, ERROR_dimension_checked_twice,
                        (long long)out[i]);
    seen[out[i]] = true;
  }
  int sorted = 0;
  for (int i = 0; i < rank; i++) {
    if (seen[i]) out[sorted++] = i;
  }
  return true;
}

static bool no_mask(Walk *w, const BuiltinCall *c, int n, const char *what) {
  if (argument_absent(c, n)) return true;
  return diag_error(w->diags, c->locs[n], ERROR_block_pointer_mask, what);
}

static const Object *load_block(Walk *w, const BuiltinCall *c, Hints hints) {
  const Object *p = c->args[0];
  const Dtype dtype = memory_dtype(p->as.tensor.dtype);
  const Type *window = object_type(p);
  int64_t boundary[MAX_RANK];
  int count, padding;
  if (!no_mask(w, c, 1, "mask") || !no_mask(w, c, 2, "other") ||
      !read_boundary(w, c, 3, window->rank, boundary, &count) ||
      !argument_word(w, c, 4, paddings, &padding))
    return NULL;
  if (padding == 2 && !dtype_is_float(dtype))
    return walk_error(w, c->locs[4], ERROR_integers_no_nan_pad);
  const Type *type = tensor_type(w, dtype, window->rank, window->shape);
  Value *value = build_load_block(&w->b, type, p->as.tensor.value);
  if (count) op_set_ints(w->m, value->def, ATTR_boundary, boundary, count);
  if (padding == 2) op_set_int(w->m, value->def, ATTR_padding, PADDING_nan);
  set_hints(w, value->def, hints, load_cache);
  return object_tensor(w->arena, value, dtype);
}

static const Object *store_block(Walk *w, const BuiltinCall *c, Hints hints) {
  const Object *p = c->args[0];
  const Type *window = object_type(p);
  int64_t boundary[MAX_RANK];
  int count;
  const Object *x = argument_tensor(w, c, 1);
  if (!x || !no_mask(w, c, 2, "mask") ||
      !read_boundary(w, c, 3, window->rank, boundary, &count))
    return NULL;
  if (!object_is_tile(x))
    x = tensor_broadcast_to(w, c->locs[1], x, window->rank, window->shape);
  if (!type_same_shape(object_type(x), window))
    return walk_error(w, c->locs[1], ERROR_does_not_fit_into, text_of(w, x),
                      text_of(w, p));
  x = value_in_memory(w, c->locs[1], x, p->as.tensor.dtype);
  if (!x) return NULL;
  Value *operands[] = {p->as.tensor.value, x->as.tensor.value};
  Op *op = build_op(&w->b, OP_store_block, 2, operands, NULL, 0, NULL);
  if (count) op_set_ints(w->m, op, ATTR_boundary, boundary, count);
  set_hints(w, op, hints, store_cache);
  return &object_none;
}

// -- Pointers and tiles of them ----------------------------------------------

static bool no_boundary(Walk *w, const BuiltinCall *c, int n,
                        const char *what) {
  const Object *x = c->args[n];
  int64_t zero = 1;
  const bool empty = !x || x->kind == OBJECT_NONE ||
                     (object_constant_int(x, &zero) && !zero) ||
                     (x->kind == OBJECT_TUPLE && !x->as.tuple.count) ||
                     (x->kind == OBJECT_STRING && !x->as.string.length);
  if (empty) return true;
  return diag_error(w->diags, c->locs[n], ERROR_wants_block_pointer, what);
}

// The value for masked-off lanes, converted to the type in memory.
static bool other_of(Walk *w, const BuiltinCall *c, const Object *p,
                     const Object *mask, const Object **out) {
  *out = NULL;
  if (argument_absent(c, 2)) return true;
  if (!mask)
    return diag_error(w->diags, c->locs[2], ERROR_other_wants_mask_too);
  const Object *x = argument_tensor(w, c, 2);
  if (!x || !argument_spread(w, c, 2, p, &x)) return false;
  *out = tensor_cast(w, c->locs[2], x, memory_dtype(p->as.tensor.dtype));
  return *out != NULL;
}

// In map_elementwise() each element has an address: the mask of a branch keeps
// other elements from reading.
static const Object *each_address(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0];
  if (!w->mapping || object_is_tile(p)) return p;
  return tensor_broadcast_to(w, c->locs[0], p, w->mapping->rank,
                             w->mapping->shape);
}

static const Object *load_pointers(Walk *w, const BuiltinCall *c, Hints hints) {
  const Object *p = each_address(w, c), *mask, *other;
  bool is_volatile;
  if (!p || !no_boundary(w, c, 3, "boundary_check") ||
      !no_boundary(w, c, 4, "padding_option") ||
      !argument_mask(w, c, 1, &mask) ||
      !argument_bool(w, c, 7, false, &is_volatile))
    return NULL;
  if (!check_scalars(w, c, 1, p, mask)) return NULL;
  if (mask && !shapes_broadcast(object_type(p), object_type(mask)))
    return wrong_shape(w, c, 1, p, mask), NULL;
  if (mask && !tensor_broadcast(w, c->locs[1], "load", &p, &mask)) return NULL;
  if (!other_of(w, c, p, mask, &other)) return NULL;
  assert(!other || mask); // I6
  assert(!mask || type_same_shape(object_type(p), object_type(mask)) ||
         !object_type(p)->rank); // I6
  Op *op = build_load(&w->b, value_of(p), value_of(mask), value_of(other));
  set_hints(w, op, hints, load_cache);
  if (is_volatile) op_set_int(w->m, op, ATTR_volatile, 1);
  if (is_volatile && (hints.cache || hints.eviction))
    warn_of_dropped(w, c, hints.cache ? 5 : 6, 7);
  const Dtype dtype = memory_dtype(p->as.tensor.dtype);
  const Object *x = object_tensor(w->arena, op_result(op), dtype);
  return p->as.tensor.dtype.id == DTYPE_INT1 ? tensor_truth(w, c->loc, x) : x;
}

const Object *builtin_load(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0];
  Hints hints;
  const bool block = object_is_block_pointer(p);
  if (!block && !is_pointer(p)) return wants_pointer(w, c, p);
  if (!read_hints(w, c, 5, load_caches, &hints)) return NULL;
  return block ? load_block(w, c, hints) : load_pointers(w, c, hints);
}

static const Object *store_pointers(Walk *w, const BuiltinCall *c,
                                    Hints hints) {
  const Object *p = c->args[0], *mask;
  const Object *x = argument_tensor(w, c, 1);
  if (!x || !no_boundary(w, c, 3, "boundary_check") ||
      !argument_mask(w, c, 2, &mask) || !argument_spread(w, c, 1, p, &x) ||
      !argument_spread(w, c, 2, p, &mask))
    return NULL;
  x = value_in_memory(w, c->locs[1], x, p->as.tensor.dtype);
  if (!x) return NULL;
  Op *op = build_store(&w->b, value_of(p), value_of(x), value_of(mask));
  set_hints(w, op, hints, store_cache);
  return &object_none;
}

const Object *builtin_store(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0];
  Hints hints;
  const bool block = object_is_block_pointer(p);
  if (!block && !is_pointer(p)) return wants_pointer(w, c, p);
  if (p->as.tensor.dtype.is_const)
    return walk_error(w, c->locs[0], ERROR_cannot_store_through_const_pointer);
  if (!read_hints(w, c, 4, store_caches, &hints)) return NULL;
  return block ? store_block(w, c, hints) : store_pointers(w, c, hints);
}

// -- Making and moving block pointers ----------------------------------------

// A value that is too wide is an error, as in Triton, and not truncated.
static bool check_width(Walk *w, const BuiltinCall *c, int n, int i, DtypeId id,
                        const Object *value) {
  return dtype_bits(value->as.tensor.dtype) <= dtype_bits(dtype_of(id)) ||
         diag_error(w->diags, argument_item_loc(c, n, i), ERROR_offset_too_wide,
                    argument_name(w, c, n), c->info->name, text_of(w, value));
}

bool argument_items(Walk *w, const BuiltinCall *c, int n, int rank,
                    const Object **out) {
  const Object *x = c->args[n];
  const bool many = x->kind == OBJECT_TUPLE;
  const int count = many ? x->as.tuple.count : 1;
  if (count != rank)
    return diag_error(w->diags, c->locs[n], ERROR_dimensions_wanted_here,
                      argument_name(w, c, n), c->info->name, rank, count);
  for (int i = 0; i < rank; i++) {
    const Object *item = many ? x->as.tuple.items[i] : x;
    const SrcLoc loc = argument_item_loc(c, n, i);
    const Object *value = to_tensor(w, loc, item);
    if (!value) return false;
    if (object_type(value)->rank || !dtype_is_int(value->as.tensor.dtype))
      return diag_error(w->diags, loc, ERROR_integer_wanted_dimension, i,
                        text_of(w, value));
    out[i] = value;
  }
  return true;
}

static Value *index_as(Walk *w, const BuiltinCall *c, int n, const Object *x,
                       DtypeId id) {
  assert(!object_type(x)->rank && dtype_is_int(x->as.tensor.dtype)); // I6
  return tensor_cast(w, c->locs[n], x, dtype_of(id))->as.tensor.value;
}

bool argument_indices(Walk *w, const BuiltinCall *c, int n, int rank,
                      DtypeId id, Value **out) {
  const Object *items[MAX_RANK];
  if (!argument_items(w, c, n, rank, items)) return false;
  for (int i = 0; i < rank; i++) {
    if (!check_width(w, c, n, i, id, items[i])) return false;
    out[i] = index_as(w, c, n, items[i], id);
  }
  return true;
}

// Offsets of a block pointer: in 32 bits if the arguments are, because one
// wider offset makes all block pointers of the kernel 64 bits wide
// (has_wide_offsets).
static bool argument_offsets(Walk *w, const BuiltinCall *c, int n, int rank,
                             Value **out) {
  const Object *items[MAX_RANK];
  if (!argument_items(w, c, n, rank, items)) return false;
  for (int i = 0; i < rank; i++) {
    const Dtype dtype = items[i]->as.tensor.dtype;
    const bool wide = dtype_bits(dtype) > 32 || dtype.id == DTYPE_UINT32;
    out[i] = index_as(w, c, n, items[i], wide ? DTYPE_INT64 : DTYPE_INT32);
    w->has_wide_offsets |= wide;
  }
  return true;
}

static bool check_rank(Walk *w, const BuiltinCall *c, int n, int rank) {
  return rank || diag_error(w->diags, c->locs[n], ERROR_wrong_argument,
                            argument_name(w, c, n), c->info->name,
                            "at least one size", text_of(w, c->args[n]));
}

static bool check_order(Walk *w, const BuiltinCall *c, int n,
                        const int64_t *order, int count, int rank) {
  if (order_is_permutation(order, count, rank)) return true;
  return diag_error(w->diags, argument_order_loc(c, n, order, count, rank),
                    ERROR_order_permutation_dimensions, rank,
                    shape_text(w->arena, count, order));
}

const Object *builtin_make_block_ptr(Walk *w, const BuiltinCall *c) {
  const Object *base = c->args[0];
  if (!is_pointer(base) || object_is_tile(base))
    return wants_pointer(w, c, base);
  int64_t block[MAX_RANK], order[MAX_RANK];
  int rank, num_order;
  Value *shape[MAX_RANK], *strides[MAX_RANK], *offsets[MAX_RANK];
  if (!argument_shape(w, c, 4, block, &rank) || !check_rank(w, c, 4, rank) ||
      !argument_ints(w, c, 5, order, &num_order) ||
      !check_order(w, c, 5, order, num_order, rank) ||
      !argument_indices(w, c, 1, rank, DTYPE_INT64, shape) ||
      !argument_indices(w, c, 2, rank, DTYPE_INT64, strides) ||
      !argument_offsets(w, c, 3, rank, offsets))
    return NULL;
  const Dtype dtype = memory_dtype(base->as.tensor.dtype);
  const Type *type = type_block_pointer(&w->m->types, rank, block,
                                        dtype_type(&w->m->types, dtype));
  Value *value = build_make_block_ptr(&w->b, type, value_of(base), shape,
                                      strides, offsets, order);
  Dtype pointed = base->as.tensor.dtype;
  pointed.is_pointer = false;
  return object_tensor(w->arena, value, pointed);
}

const Object *builtin_advance(Walk *w, const BuiltinCall *c) {
  const Object *p = c->args[0];
  Value *offsets[MAX_RANK];
  if (!object_is_block_pointer(p))
    return walk_error(w, c->locs[0], ERROR_advance_wants_block_pointer,
                      text_of(w, p));
  if (!argument_offsets(w, c, 1, object_type(p)->rank, offsets)) return NULL;
  Value *moved = build_advance(&w->b, value_of(p), offsets);
  return object_tensor(w->arena, moved, p->as.tensor.dtype);
}
