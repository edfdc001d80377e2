// specialize_index.c -- subscripts of tiles and tuples.
#include "frontend/builtins.h"
#include "frontend/errors.h"
#include "frontend/tensor.h"

#include <string.h>

static bool is_whole_slice(const Object *x) {
  if (x->kind != OBJECT_SLICE) return false;
  for (int i = 0; i < 3; i++) {
    if (x->as.slice[i] && x->as.slice[i]->kind != OBJECT_NONE) return false;
  }
  return true;
}

static const char *short_text(Walk *w, const Expr *expr) {
  Str text = str_in(w->arena);
  ast_unparse(expr, 60, &text);
  return str_text(&text);
}

// `p[i]`, as in C, is a load.
static const Object *bad_index(Walk *w, const Expr *expr, const Object *x,
                               const Object *index) {
  const SrcLoc loc = expr->subscript.index->loc;
  if (index->kind == OBJECT_SLICE) return walk_error(w, loc, ERROR_tile_slice);
  if (!x->as.tensor.dtype.is_pointer)
    return walk_error(w, loc, ERROR_tile_index, text_of(w, index));
  const ExprKind kind = expr->subscript.index->kind;
  const bool whole = kind == EXPR_NAME || kind == EXPR_INT || kind == EXPR_CALL;
  const char *load =
      arena_printf(w->arena, whole ? "tl.load(%s + %s)" : "tl.load(%s + (%s))",
                   short_text(w, expr->subscript.object),
                   short_text(w, expr->subscript.index));
  walk_error(w, expr->loc, ERROR_pointer_index, load);
  diag_fix(w->diags, expr->loc, load);
  return NULL;
}

// `x[:, None]`: None puts in a dimension of size 1, `:` keeps one.  A scalar
// has none to keep: there, as in Triton, `:` says nothing.
static const Object *index_tensor(Walk *w, const Expr *expr, const Object *x,
                                  const Object *index) {
  const bool many = index->kind == OBJECT_TUPLE;
  const int n = many ? index->as.tuple.count : 1;
  if (object_is_window(x))
    return walk_error(w, expr->loc, ERROR_cannot_indexed, text_of(w, x));
  const bool scalar = object_type(x)->rank == 0;
  int kept = 0;
  const Object *result = x;
  for (int i = 0; i < n; i++) {
    const Object *step = many ? index->as.tuple.items[i] : index;
    const bool expands = step->kind == OBJECT_NONE;
    kept += !scalar && is_whole_slice(step);
    if (!expands && !is_whole_slice(step)) return bad_index(w, expr, x, step);
    if (kept > object_type(x)->rank || object_type(result)->rank >= MAX_RANK)
      return walk_error(w, expr->loc, ERROR_too_many_indices, text_of(w, x));
    const int rank = object_type(result)->rank;
    if (expands) result = tensor_expand(w, result, i < rank ? i : rank);
  }
  return result;
}

// A part of a slice, a position counted from the end where negative.
static bool slice_bound(const Object *x, int64_t count, int64_t low,
                        int64_t high, int64_t *out) {
  if (!x || x->kind == OBJECT_NONE) return true;
  if (!object_constant_int(x, out)) return false;
  if (*out < 0) *out += count;
  *out = *out < low ? low : *out > high ? high : *out;
  return true;
}

// As in Python: with a negative step from the end, to before the beginning.
static const Object *slice_tuple(Walk *w, const Expr *expr, const Object *x,
                                 const Object *slice) {
  const int64_t count = x->as.tuple.count;
  const Object *const *parts = slice->as.slice;
  int64_t step = 1;
  const bool has_step = parts[2] && parts[2]->kind != OBJECT_NONE;
  if ((has_step && !object_constant_int(parts[2], &step)) || !step)
    return walk_error(w, expr->loc, ERROR_slice_tuple_not_supported);
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? count : count - 1;
  int64_t from = step > 0 ? low : high, to = step > 0 ? high : low;
  if (!slice_bound(parts[0], count, low, high, &from) ||
      !slice_bound(parts[1], count, low, high, &to))
    return walk_error(w, expr->loc, ERROR_slice_tuple_not_supported);
  const Object **items = arena_array(w->arena, const Object *, count + 1);
  int n = 0;
  while (step > 0 ? from < to : from > to) {
    items[n++] = x->as.tuple.items[from];
    if (__builtin_add_overflow(from, step, &from)) break;
  }
  return object_tuple(w->arena, items, n);
}

static const Object *index_tuple(Walk *w, const Expr *expr, const Object *x,
                                 const Object *index) {
  const int count = x->as.tuple.count;
  int64_t i;
  if (index->kind == OBJECT_SLICE) return slice_tuple(w, expr, x, index);
  if (!object_constant_int(index, &i))
    return walk_error(w, expr->loc, ERROR_tuple_index_not_constant,
                      text_of(w, index));
  if (i < -count || i >= count)
    return walk_error(w, expr->loc, ERROR_tuple_index_out_of_range,
                      (long long)i, count);
  return x->as.tuple.items[i < 0 ? i + count : i];
}

// `args["NAME"]`
static const Object *index_named(Walk *w, const Expr *expr, const Object *x,
                                 const Object *index) {
  const char *name = index->kind == OBJECT_STRING ? index->as.string.text : "";
  for (int i = 0; i < x->as.named.count; i++) {
    if (strcmp(x->as.named.names[i], name)) continue;
    if (x->as.named.items[i]) return x->as.named.items[i];
    return walk_error(w, expr->loc, ERROR_heuristic_value_unknown, name);
  }
  return walk_error(w, expr->loc, ERROR_heuristic_no_argument);
}

static const Object *index_dict(Walk *w, const Expr *expr, const Object *x,
                                const Object *index) {
  const Object *found = dict_find(w, x, index);
  if (found) return found;
  Str key = str_in(w->arena), keys = str_in(w->arena);
  object_print(index, true, &key);
  object_print(dict_keys(w, x), true, &keys);
  return walk_error(w, expr->loc, ERROR_no_such_key, str_text(&key),
                    str_text(&keys));
}

const Object *walk_subscript(Walk *w, const Expr *expr) {
  const Object *x = walk_expr(w, expr->subscript.object);
  const Object *index = x ? walk_expr(w, expr->subscript.index) : NULL;
  if (!index) return NULL;
  w->b.loc = expr->loc;
  if (x->kind == OBJECT_TUPLE) return index_tuple(w, expr, x, index);
  if (x->kind == OBJECT_DICT) return index_dict(w, expr, x, index);
  if (x->kind == OBJECT_NAMED) return index_named(w, expr, x, index);
  if (object_is_number(x)) x = to_tensor(w, expr->loc, x);
  if (x && object_is_tensor(x)) return index_tensor(w, expr, x, index);
  if (!x) return NULL;
  if (x->kind == OBJECT_FUNCTION) {
    const char *name = function_name(x->as.function);
    return walk_error(w, expr->loc, ERROR_launch_in_kernel, name, name);
  }
  if (x->kind == OBJECT_SYMBOL && x->as.symbol.name &&
      x->as.symbol.kind != SYMBOL_BUILTIN && x->as.symbol.kind != SYMBOL_MODULE)
    return walk_error(w, expr->loc, ERROR_host_indexed, x->as.symbol.name);
  return walk_error(w, expr->loc, ERROR_cannot_indexed, text_of(w, x));
}
