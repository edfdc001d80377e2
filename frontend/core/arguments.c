// arguments.c -- checks of the arguments of a handler.
#include "frontend/core/builtins.h"
#include "frontend/core/tensor.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "ir/base/base.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_optional(const BuiltinCall *c, int n) {
  const char *p = c->info->params;
  for (; n > 0 && *p; n--) p += strcspn(p, " ") + 1;
  return *p == '*' || p[strcspn(p, " ?")] == '?';
}

// None means an omitted argument, but only for an optional parameter.
static bool is_left_out(const BuiltinCall *c, int n) {
  return !c->args[n] || (argument_absent(c, n) && is_optional(c, n));
}

bool argument_absent(const BuiltinCall *c, int n) {
  return !c->args[n] || c->args[n]->kind == OBJECT_NONE;
}

// The value of a constant integer; a run-time scalar whose value is known
// counts as one.
bool object_constant_int(const Object *x, int64_t *out) {
  if (object_is_tensor(x))
    return !object_is_tile(x) && dtype_is_int(x->as.tensor.dtype) &&
           value_constant_int(x->as.tensor.value, out);
  if (!constant_is_integer(x)) return false;
  const Integer value = constant_integer(x);
  *out = (int64_t)value;
  return *out == value;
}

const char *argument_name(Walk *w, const BuiltinCall *c, int n) {
  const char *p = c->info->params;
  for (; n > 0 && *p; n--) p += strcspn(p, " ") + 1;
  p += *p == '*';
  return arena_strndup(w->arena, p, strcspn(p, " ?"));
}

bool argument_wrong(Walk *w, const BuiltinCall *c, int n, const char *wanted) {
  return diag_error(w->diags, c->locs[n], ERROR_wrong_argument,
                    argument_name(w, c, n), c->info->name, wanted,
                    text_of(w, c->args[n]));
}

// Reports an argument that should be a constant.
static bool wrong(Walk *w, const BuiltinCall *c, int n, const char *wanted) {
  argument_wrong(w, c, n, wanted);
  return note_run_time(w, c->args[n]);
}

bool argument_is_number(Walk *w, const BuiltinCall *c, int n) {
  const Object *x = c->args[n];
  if (!object_is_tensor(x) || !x->as.tensor.dtype.is_pointer) return true;
  return diag_error(w->diags, c->locs[n], ERROR_wants_numbers, c->info->name,
                    text_of(w, x));
}

bool argument_is_operand(Walk *w, const BuiltinCall *c, int n) {
  const Object *x = c->args[n];
  const bool tensor = object_is_tensor(x) && !object_is_window(x);
  return tensor || object_is_number(x) ||
         argument_wrong(w, c, n, "a number or a tile");
}

bool shapes_broadcast(const Type *a, const Type *b) {
  for (int i = 1; i <= a->rank && i <= b->rank; i++) {
    const int64_t n = a->shape[a->rank - i], m = b->shape[b->rank - i];
    if (n != m && n != 1 && m != 1) return false;
  }
  return true;
}

bool arguments_broadcast(Walk *w, const BuiltinCall *c, int count) {
  for (int i = 1; i < count; i++) {
    for (int j = 0; j < i; j++) {
      const Object *x = c->args[j], *y = c->args[i];
      const bool tiles = object_is_tile(x) && object_is_tile(y);
      if (tiles && !shapes_broadcast(object_type(x), object_type(y)))
        return tensor_broadcast(w, c->loc, c->info->name, &x, &y);
    }
  }
  return true;
}

bool argument_int(Walk *w, const BuiltinCall *c, int n, int64_t otherwise,
                  int64_t *out) {
  *out = otherwise;
  if (is_left_out(c, n)) return true;
  if (object_constant_int(c->args[n], out)) return true;
  return wrong(w, c, n, "a constant integer");
}

bool argument_bool(Walk *w, const BuiltinCall *c, int n, bool otherwise,
                   bool *out) {
  int64_t value = 0;
  *out = otherwise;
  if (is_left_out(c, n)) return true;
  if (!object_constant_int(c->args[n], &value))
    return wrong(w, c, n, "a constant bool");
  *out = value != 0;
  return true;
}

bool argument_axis(Walk *w, const BuiltinCall *c, int n, const Object *x,
                   int *out) {
  *out = -1;
  if (!object_is_tile(x))
    return diag_error(w->diags, c->locs[0], ERROR_wants_tile, c->info->name,
                      text_of(w, x));
  if (argument_absent(c, n)) return true;
  const int rank = object_type(x)->rank;
  int64_t axis;
  if (!argument_int(w, c, n, 0, &axis)) return false;
  if (axis < -rank || axis >= rank)
    return diag_error(w->diags, c->locs[n], ERROR_no_dimension, text_of(w, x),
                      (long long)axis);
  *out = (int)(axis < 0 ? axis + rank : axis);
  assert(0 <= *out && *out < rank); // I8
  return true;
}

bool argument_between(Walk *w, const BuiltinCall *c, int n, int64_t least,
                      int64_t most, int64_t *out) {
  assert(least <= most && "a range without a number"); // I7
  const Object *x = c->args[n];
  const bool is_known = object_constant_int(x, out);
  if (is_known && *out >= least && *out <= most) return true;
  const char *wanted =
      !least && most == 1
          ? "a constant bool"
          : arena_printf(w->arena,
                         "a constant integer from %" PRId64 " to %" PRId64,
                         least, most);
  return wrong(w, c, n, wanted);
}

static const char *list_words(Walk *w, const char *const *words, bool none) {
  Str out = str_in(w->arena);
  str_add(&out, "one of");
  for (int i = 1; words[i]; i++)
    str_addf(&out, "%s '%s'", i > 1 ? "," : "", words[i]);
  if (none) str_add(&out, ", ''");
  return str_text(&out);
}

// The word of `words` that means the same as `text` does in other languages and
// libraries; NULL if none is known.
static const char *usual_word(const char *const *words, const char *text) {
  size_t at = 0;
  for (const char *ours; (ours = usual_name_next(USUAL_WORD, text, &at));) {
    for (int k = 0; words[k]; k++)
      if (!strcmp(words[k], ours)) return words[k];
  }
  return NULL;
}

// Is `a` a word of its own, and not a misspelling of `b`?  Two short words, or
// two formats whose digits differ, are different words even if only one
// character differs.
static bool is_other(const char *a, const char *b) {
  enum { SHORT = 4 };
  bool digits = true, same = true;
  int length = 0;
  for (; *a && *b; a++, b++, length++) {
    const unsigned char x = (unsigned char)*a, y = (unsigned char)*b;
    same &= tolower(x) == tolower(y);
    digits &= x == y || (isdigit(x) && isdigit(y));
  }
  return !*a && !*b && !same && (digits || length <= SHORT);
}

// Suggests the word of `words` that is nearest to the argument.
static bool fix_word(Walk *w, SrcLoc loc, const char *const *words,
                     const Object *x) {
  size_t n = 1;
  while (words[n]) n++;
  const char *near = usual_word(words, x->as.string.text);
  const char *like = diag_nearest(x->as.string.text, words + 1, n - 1);
  if (!near && like && !is_other(like, x->as.string.text)) near = like;
  if (near) diag_fix(w->diags, loc, arena_printf(w->arena, "\"%s\"", near));
  return false;
}

// Is parameter `n` a hint for the caches, whose default is ''?
static bool is_hint(Walk *w, const BuiltinCall *c, int n) {
  const char *name = argument_name(w, c, n);
  return !strcmp(name, "eviction_policy") || !strcmp(name, "cache_modifier");
}

bool argument_word(Walk *w, const BuiltinCall *c, int n,
                   const char *const *words, int *out) {
  *out = 0;
  if (is_left_out(c, n)) return true;
  const Object *x = c->args[n];
  if (x->kind == OBJECT_STRING && !x->as.string.length) return true;
  for (int i = 1; words[i] && x->kind == OBJECT_STRING; i++) {
    if (strcmp(words[i], x->as.string.text)) continue;
    *out = i;
    return true;
  }
  wrong(w, c, n, list_words(w, words, is_hint(w, c, n)));
  return x->kind == OBJECT_STRING ? fix_word(w, c->locs[n], words, x) : false;
}

// Is the argument of a `*name` parameter one tuple with all items?
static bool is_rest_tuple(const BuiltinCall *c) {
  return c->num_rest == 1 && c->rest[0]->kind == OBJECT_TUPLE;
}

SrcLoc argument_item_loc(const BuiltinCall *c, int n, int i) {
  if (!c->args[n] && is_rest_tuple(c))
    return object_item_loc(c->rest[0], i, c->rest_locs[0]);
  if (!c->args[n]) return i < c->num_rest ? c->rest_locs[i] : c->locs[n];
  return object_item_loc(c->args[n], i, c->locs[n]);
}

// The items of the argument; a single value, stored in `one`, counts as one
// item.
static const Object *const *items_of(const BuiltinCall *c, int n,
                                     const Object **one, int *count) {
  const bool rest = !c->args[n];
  *count = c->num_rest;
  if (rest && !is_rest_tuple(c)) return c->rest;
  *one = rest ? c->rest[0] : c->args[n];
  const bool many = (*one)->kind == OBJECT_TUPLE;
  *count = many ? (*one)->as.tuple.count : 1;
  return many ? (*one)->as.tuple.items : one;
}

bool argument_ints(Walk *w, const BuiltinCall *c, int n, int64_t *out,
                   int *count) {
  const Object *one;
  const Object *const *items = items_of(c, n, &one, count);
  const char *what = c->args[n]
                         ? arena_printf(w->arena, "'%s' of '%s'",
                                        argument_name(w, c, n), c->info->name)
                         : arena_printf(w->arena, "the %s of '%s'",
                                        argument_name(w, c, n), c->info->name);
  if (*count > MAX_RANK)
    return diag_error(w->diags, c->locs[n], ERROR_too_many_dimensions, what,
                      MAX_RANK, *count);
  for (int i = 0; i < *count; i++) {
    if (object_constant_int(items[i], &out[i])) continue;
    diag_error(w->diags, argument_item_loc(c, n, i),
               ERROR_not_constant_integers, what, text_of(w, items[i]));
    return note_run_time(w, items[i]);
  }
  return true;
}

// The index of the first entry that is no dimension, or is repeated; else
// `count`.
static int first_wrong(const int64_t *order, int count, int rank) {
  unsigned seen = 0;
  for (int i = 0; i < count; i++) {
    const bool in = order[i] >= 0 && order[i] < rank;
    if (!in || seen & 1u << order[i]) return i;
    seen |= 1u << order[i];
  }
  return count;
}

bool order_is_permutation(const int64_t *order, int count, int rank) {
  return count == rank && first_wrong(order, count, rank) == count;
}

SrcLoc argument_order_loc(const BuiltinCall *c, int n, const int64_t *order,
                          int count, int rank) {
  return count == rank
             ? argument_item_loc(c, n, first_wrong(order, count, rank))
             : c->locs[n];
}

bool argument_is_shape(Walk *w, const BuiltinCall *c, int n,
                       const int64_t *shape, int rank) {
  SrcLoc places[MAX_RANK];
  for (int i = 0; i < rank; i++) places[i] = argument_item_loc(c, n, i);
  return check_shape_at(w, c->locs[n], places, rank, shape);
}

bool argument_shape(Walk *w, const BuiltinCall *c, int n, int64_t *out,
                    int *count) {
  return argument_ints(w, c, n, out, count) &&
         argument_is_shape(w, c, n, out, *count);
}

// The type for `float`, Python's type of numbers.
static const char *dtype_of_python(const Object *x) {
  static const char *const names[][2] = {
      {"float", "tl.float32"}, {"int", "tl.int32"}, {"bool", "tl.int1"}};
  if (x->kind != OBJECT_BUILTIN || x->as.builtin.self) return NULL;
  return names_other(names, sizeof names / sizeof *names,
                     x->as.builtin.info->name);
}

// Suggests the type with the same name as `torch.float32`.
static bool fix_dtype(Walk *w, SrcLoc loc, const Object *x) {
  const char *name = x->kind == OBJECT_SYMBOL ? x->as.symbol->name : NULL;
  if (dtype_of_python(x)) diag_fix(w->diags, loc, dtype_of_python(x));
  const char *last = name ? strrchr(name, '.') : NULL;
  if (last && dtype_find_attribute(last + 1) != DTYPE_COUNT)
    diag_fix(w->diags, loc, arena_printf(w->arena, "tl.%s", last + 1));
  return false;
}

bool argument_dtype(Walk *w, const BuiltinCall *c, int n, Dtype *out) {
  const Object *x = c->args[n];
  if (x->kind == OBJECT_DTYPE) {
    *out = x->as.type.dtype;
  } else if (x->kind != OBJECT_STRING || !dtype_parse(x->as.string.text, out)) {
    wrong(w, c, n, "a type");
    return fix_dtype(w, c->locs[n], x);
  }
  if (dtype_info[out->id].supported) return true;
  return diag_error(w->diags, c->locs[n], ERROR_type_not_supported_yet,
                    dtype_info[out->id].name);
}

// Does the function accept fp8 as bare codes?  These functions only move
// values, or clear their signs.
static bool takes_codes(const char *name) {
  return words_have(WORDS_TAKE_FP8_CODES, name);
}

const Object *argument_tensor(Walk *w, const BuiltinCall *c, int n) {
  const Object *x = c->args[n];
  if (object_is_tensor(x) && dtype_is_code(x->as.tensor.dtype) &&
      !takes_codes(c->info->name))
    return walk_error(w, c->locs[n], ERROR_wants_decoded, c->info->name,
                      text_of(w, x));
  if (object_is_number(x)) return to_tensor(w, c->locs[n], x);
  if (object_is_tensor(x) && !object_is_window(x)) return x;
  wrong(w, c, n, "a run-time value");
  note_items(w, x);
  return NULL;
}
