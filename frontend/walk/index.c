// index.c -- subscripts of tiles, tuples and strings.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"
#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

static bool is_whole_slice(const Object *x) {
  if (x->kind != OBJECT_SLICE) return false;
  for (int i = 0; i < 3; i++) {
    if (x->as.slice[i] && x->as.slice[i]->kind != OBJECT_NONE) return false;
  }
  return true;
}

// Suggests a load for `p[i]`, an element of an array in C.
static const Object *bad_index(Walk *w, const Expr *expr, SrcLoc loc,
                               const Object *x, const Object *index) {
  if (!object_type(element_of(w, x))->rank && !x->as.tensor.dtype.is_pointer)
    return walk_error(w, loc, ERROR_number_indexed,
                      short_text(w, expr->subscript.object));
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
  fix_written(w, expr->loc, load);
  return NULL;
}

// `x[:, None]`: None adds a dimension of size 1, `:` keeps one.  In a release
// that does not count the `:`, surplus ones are ignored, but a None behind them
// is an error.
static const Object *index_tensor(Walk *w, const Expr *expr, const Object *x,
                                  const Object *index) {
  const bool many = index->kind == OBJECT_TUPLE;
  const int n = many ? index->as.tuple.count : 1;
  if (object_is_window(x))
    return walk_error(w, expr->loc, ERROR_cannot_indexed, text_of(w, x));
  const bool counted = rule_holds(w->program, RULE_indices_are_counted);
  const int rank = w->mapping ? 0 : object_type(x)->rank;
  int kept = 0;
  const Object *result = x;
  for (int i = 0; i < n; i++) {
    const Object *step = many ? index->as.tuple.items[i] : index;
    const bool expands = step->kind == OBJECT_NONE;
    kept += is_whole_slice(step);
    const SrcLoc loc = object_item_loc(index, i, expr->subscript.index->loc);
    if (!expands && !is_whole_slice(step))
      return bad_index(w, expr, loc, x, step);
    const int now = object_type(result)->rank;
    if ((kept > rank && (counted || (expands && rank))) ||
        (expands && now >= MAX_RANK))
      return walk_error(w, expr->loc, ERROR_too_many_indices, text_of(w, x));
    if (expands && w->mapping)
      return walk_error(w, loc, ERROR_map_tiles, "None");
    if (expands) result = tensor_expand(w, result, i < now ? i : now);
  }
  return result;
}

// -- Tuples and strings ------------------------------------------------------

typedef struct {
  int64_t from, to, step;
} IndexRange;

// A position in a slice; a negative one counts from the end.
static bool slice_part(Walk *w, SrcLoc loc, const Object *x, int64_t *out) {
  if (!x || x->kind == OBJECT_NONE || object_constant_int(x, out)) return true;
  return diag_error(w->diags, loc, ERROR_slice_not_constant, text_of(w, x));
}

// The locations of start, end and step of a slice; for an omitted part, or a
// slice that is a value, that of the whole index.
static void part_locs(const Expr *expr, SrcLoc out[3]) {
  const bool written = expr->kind == EXPR_SLICE;
  const Expr *parts[3] = {written ? expr->slice.lower : NULL,
                          written ? expr->slice.upper : NULL,
                          written ? expr->slice.step : NULL};
  for (int i = 0; i < 3; i++) out[i] = parts[i] ? parts[i]->loc : expr->loc;
}

static int64_t clamped(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

// A negative step runs from the end to before the beginning, as in Python.
static bool read_slice(Walk *w, const Expr *expr, const Object *slice,
                       int64_t count, IndexRange *out) {
  const Object *const *parts = slice->as.slice;
  SrcLoc locs[3];
  part_locs(expr, locs);
  out->step = 1;
  if (!slice_part(w, locs[2], parts[2], &out->step)) return false;
  if (!out->step) return diag_error_text(w->diags, locs[2], ERROR_slice_step_0);
  const int64_t low = out->step > 0 ? 0 : -1;
  const int64_t high = out->step > 0 ? count : count - 1;
  out->from = out->step > 0 ? low : high;
  out->to = out->step > 0 ? high : low;
  int64_t *const ends[] = {&out->from, &out->to};
  for (int i = 0; i < 2; i++) {
    if (!parts[i] || parts[i]->kind == OBJECT_NONE) continue;
    if (!slice_part(w, locs[i], parts[i], ends[i])) return false;
    const int64_t end = *ends[i] < 0 ? *ends[i] + count : *ends[i];
    *ends[i] = clamped(end, low, high);
  }
  return true;
}

// The next position of `range`; false at its end.
static bool next_position(IndexRange *range, int64_t *out) {
  *out = range->from;
  const bool is_in =
      range->step > 0 ? range->from < range->to : range->from > range->to;
  if (__builtin_add_overflow(range->from, range->step, &range->from))
    range->from = range->to;
  return is_in;
}

// The positions that `index` selects among the `count` items of `what`.
static bool read_index(Walk *w, const Expr *expr, const char *what,
                       int64_t count, const Object *index, IndexRange *out) {
  const SrcLoc loc = expr->loc;
  int64_t i;
  if (index->kind == OBJECT_SLICE)
    return read_slice(w, expr, index, count, out);
  if (!object_constant_int(index, &i))
    return diag_error(w->diags, loc, ERROR_index_not_constant, what,
                      text_of(w, index));
  if (i < -count || i >= count)
    return diag_error(w->diags, loc, ERROR_index_out_of_range, (long long)i,
                      what, (long long)count);
  const int64_t at = i < 0 ? i + count : i;
  *out = (IndexRange){at, at + 1, 1};
  return true;
}

static const Object *index_tuple(Walk *w, const Expr *expr, const Object *x,
                                 const Object *index) {
  const int count = x->as.tuple.count;
  if (!count && reads_shape(w, expr->subscript.object))
    return pointer_has_no_shape(w, expr->subscript.object);
  IndexRange range;
  int64_t i;
  if (!read_index(w, expr->subscript.index, "tuple", count, index, &range))
    return NULL;
  if (index->kind != OBJECT_SLICE) return x->as.tuple.items[range.from];
  const Object **items = arena_array(w->arena, const Object *, count + 1);
  int n = 0;
  while (next_position(&range, &i)) {
    assert(0 <= i && i < count && n < count);
    items[n++] = x->as.tuple.items[i];
  }
  return object_written(object_tuple(w->arena, items, n), x->as.tuple.written);
}

static const Object *index_string(Walk *w, const Expr *expr, const Object *x,
                                  const Object *index) {
  const char *text = x->as.string.text;
  const size_t length = x->as.string.length;
  const size_t count = count_characters(text, length);
  IndexRange range;
  int64_t i;
  if (!read_index(w, expr->subscript.index, "string", (int64_t)count, index,
                  &range))
    return NULL;
  if (index->kind != OBJECT_SLICE) {
    const char *at = text + characters_bytes(text, length, (size_t)range.from);
    const size_t n = character_size(at);
    return object_string(w->arena, arena_strndup(w->arena, at, n), n);
  }
  size_t *starts = arena_array(w->arena, size_t, count + 1);
  for (size_t n = 0; n < count; n++)
    starts[n + 1] =
        starts[n] + characters_bytes(text + starts[n], length - starts[n], 1);
  Str out = str_in(w->arena);
  while (next_position(&range, &i)) {
    assert(0 <= i && (size_t)i < count);
    str_add_bytes(&out, text + starts[i], starts[i + 1] - starts[i]);
  }
  return object_string(w->arena, str_text(&out), out.length);
}

static const Object *no_such_argument(Walk *w, SrcLoc loc, const Object *x,
                                      const Object *index) {
  Str key = str_in(w->arena);
  object_print(index, true, &key);
  const char *near =
      index->kind == OBJECT_STRING
          ? diag_nearest(index->as.string.text, x->as.named.names,
                         (size_t)x->as.named.count)
          : NULL;
  if (!near)
    return walk_error(w, loc, ERROR_heuristic_no_argument, str_text(&key));
  walk_error(w, loc, ERROR_heuristic_no_argument_near, str_text(&key), near);
  diag_fix(w->diags, loc, arena_printf(w->arena, "\"%s\"", near));
  return NULL;
}

// `args["NAME"]`
static const Object *index_named(Walk *w, const Expr *expr, const Object *x,
                                 const Object *index) {
  const char *name = index->kind == OBJECT_STRING ? index->as.string.text : "";
  for (int i = 0; i < x->as.named.count; i++) {
    if (strcmp(x->as.named.names[i], name)) continue;
    if (x->as.named.given && !x->as.named.given[i])
      return walk_error(w, expr->loc, ERROR_heuristic_not_given, name, name);
    const Object *item = object_named_item(x, i);
    if (item) return item;
    return walk_error(w, expr->loc, ERROR_heuristic_value_unknown, name);
  }
  return no_such_argument(w, expr->subscript.index->loc, x, index);
}

static const Object *index_dict(Walk *w, const Expr *expr, const Object *x,
                                const Object *index) {
  const Object *found = dict_find(w, x, index);
  if (found) return found;
  Str key = str_in(w->arena), keys = str_in(w->arena);
  object_print(index, true, &key);
  object_print(dict_keys(w, x), true, &keys);
  return walk_error(w, expr->subscript.index->loc, ERROR_no_such_key,
                    str_text(&key), str_text(&keys));
}

const Object *walk_subscript(Walk *w, const Expr *expr) {
  const Object *x = walk_expr(w, expr->subscript.object);
  const Object *index = x ? walk_expr(w, expr->subscript.index) : NULL;
  if (!index) return NULL;
  w->b.loc = expr->loc;
  const Object *method = NULL;
  if (object_is_aggregate(x) && !class_special(w, "__getitem__", x, &method))
    return NULL;
  if (method) {
    const SrcLoc loc = expr->subscript.index->loc;
    Argument at = {NULL, index, loc, loc};
    return call_method(w, method, expr->loc, &(Arguments){&at, 1, 1});
  }
  if (x->kind == OBJECT_TUPLE) return index_tuple(w, expr, x, index);
  if (x->kind == OBJECT_STRING) return index_string(w, expr, x, index);
  if (x->kind == OBJECT_DICT) return index_dict(w, expr, x, index);
  if (x->kind == OBJECT_NAMED) return index_named(w, expr, x, index);
  if (object_is_number(x)) x = to_tensor(w, expr->loc, x);
  if (x && object_is_tensor(x)) return index_tensor(w, expr, x, index);
  if (!x) return NULL;
  if (x->kind == OBJECT_FUNCTION) {
    const char *name = x->as.function->name;
    return walk_error(w, expr->loc, ERROR_launch_in_kernel, name, name);
  }
  if (x->kind == OBJECT_SYMBOL && x->as.symbol->name &&
      x->as.symbol->kind != SYMBOL_BUILTIN &&
      x->as.symbol->kind != SYMBOL_MODULE)
    return walk_error(w, expr->loc, ERROR_host_indexed, x->as.symbol->name);
  return walk_error(w, expr->loc, ERROR_cannot_indexed, text_of(w, x));
}
