// change.c -- lists and dictionaries that change, in code that runs while
// compiling.
//
// An object may change only if the running function, or one that it calls, has
// made the object from an expression in brackets, and until the object is put
// into another one. In functions that a launch runs, small objects may change
// also after that.  So no object contains itself, an object that outlives the
// call is immutable, and a module's value never changes.
//
// Example: `x = []`, `x.append(1)`, `y = [x]`: the append is executed; an
// `x.append(2)` after the last line is an error.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/scan/scan.h"

#include <assert.h>
#include <string.h>

const Object *walk_own(Walk *w, const Object *x, char written) {
  Object *own = (Object *)x;
  if (!x || !walk_is_host(w)) return x;
  if (x->kind == OBJECT_TUPLE && !x->as.tuple.class)
    own->as.tuple.written = written;
  if (written != '(') own->owner = w->run;
  object_hold_items(x);
  return x;
}

void walk_be_lazy(Walk *w) {
  if (w->run) w->run = ++w->num_runs;
}

// In a module, other names may refer to the object, as lines are not run in
// order.
static bool may_change_inside(const Walk *w, const Object *x) {
  return w->is_launch && !w->num_finding && x->owner == -w->run;
}

static bool may_change(const Walk *w, const Object *x) {
  const bool list = x->kind == OBJECT_TUPLE && x->as.tuple.written == '[';
  return w->run && (x->owner == w->run || may_change_inside(w, x)) &&
         !x->num_loops && (list || x->kind == OBJECT_DICT || object_is_set(x));
}

// Containers of `x` have counted its earlier depth and size, so both must stay
// small.  Does `in`, an object to be put into `x`, fit, and not contain `x`?
static bool fits(const Object *x, const Object *in, int depth, int *left) {
  enum { MAX_DEPTH_INSIDE = 8 };
  const bool list = in->kind == OBJECT_TUPLE, dict = in->kind == OBJECT_DICT;
  const int count = list ? in->as.tuple.count : dict ? in->as.dict.count : 0;
  if (depth > MAX_DEPTH_INSIDE || --*left < 0) return false;
  for (int i = 0; i < count; i++) {
    const Object *item = list ? in->as.tuple.items[i] : in->as.dict.items[i];
    if (item == x || !fits(x, item, depth + 1, left)) return false;
  }
  return true;
}

static const Object *cannot_change(Walk *w, SrcLoc loc, const Object *x) {
  return walk_error(w, loc, ERROR_cannot_change, text_of(w, x));
}

// `x` becomes a copy of `to`, which has no other reference.
static bool become(Walk *w, SrcLoc loc, const Object *x, const Object *to) {
  if (!to) return false;
  enum { COPIED_IN_A_STEP = 64, MAX_SIZE_INSIDE = 1024 }; // objects
  Object *changed = (Object *)x;
  const Object before = *x;
  w->steps += (int)(to->size / COPIED_IN_A_STEP);
  object_hold_items(to);
  int left = MAX_SIZE_INSIDE;
  if (!may_change(w, x) || (before.owner < 0 && !fits(x, to, 0, &left)))
    return cannot_change(w, loc, x) != NULL;
  assert(to->kind == x->kind); // I6
  assert((before.owner == w->run || before.owner == -w->run) &&
         !x->num_loops); // I3
  *changed = *to;
  changed->owner = before.owner;
  if (x->kind == OBJECT_TUPLE) changed->as.tuple.written = '[';
  if (walk_limits(w, loc, x)) return true;
  *changed = before;
  return false;
}

// -- Lists -------------------------------------------------------------------

// `x` with the items [from, to) replaced by those of `by`.
static const Object *spliced(Walk *w, const Object *x, int from, int to,
                             const Object *const *by, int num_by) {
  const int n = x->as.tuple.count, rest = n - to;
  assert(0 <= from && from <= to && to <= n);
  const Object **items =
      arena_array(w->arena, const Object *, from + num_by + rest + 1);
  for (int i = 0; i < from; i++) items[i] = x->as.tuple.items[i];
  for (int i = 0; i < num_by; i++) items[from + i] = by[i];
  for (int i = 0; i < rest; i++)
    items[from + num_by + i] = x->as.tuple.items[to + i];
  return object_tuple(w->arena, items, from + num_by + rest);
}

static bool position(Walk *w, SrcLoc loc, const Object *x, const Object *index,
                     int *out) {
  const int count = x->as.tuple.count;
  int64_t i;
  if (!object_constant_int(index, &i))
    return diag_error(w->diags, loc, ERROR_index_not_constant, "tuple",
                      text_of(w, index));
  if (i < -count || i >= count)
    return diag_error(w->diags, loc, ERROR_index_out_of_range, (long long)i,
                      "tuple", (long long)count);
  *out = (int)(i < 0 ? i + count : i);
  return true;
}

// The hook sees the new value; the launch does not use it.
static bool assign_argument(Walk *w, SrcLoc loc, const Object *x,
                            const Object *index, const Object *value) {
  Object *named = (Object *)x;
  if (index->kind != OBJECT_STRING || !object_is_constant(value))
    return diag_error(w->diags, loc, ERROR_subscript_assigned);
  *named = *object_named_with(w->arena, x, index->as.string.text, value);
  return true;
}

bool assign_item(Walk *w, SrcLoc loc, const Object *x, const Object *index,
                 const Object *value) {
  int at = 0;
  if (w->hook && x->kind == OBJECT_NAMED)
    return assign_argument(w, loc, x, index, value);
  if (!may_change(w, x) || x->kind == OBJECT_SET)
    return diag_error(w->diags, loc, ERROR_subscript_assigned);
  if (x->kind == OBJECT_DICT)
    return become(w, loc, x, dict_with(w, loc, x, index, value));
  return position(w, loc, x, index, &at) &&
         become(w, loc, x, spliced(w, x, at, at + 1, &value, 1));
}

bool walk_update_set(Walk *w, SrcLoc loc, Operator op, const Object *x,
                     const Object *y) {
  const Object *to = set_operation(w, op, x, y);
  return to ? become(w, loc, x, to) : cannot_change(w, loc, x) != NULL;
}

bool walk_extend(Walk *w, SrcLoc loc, const Object *x, const Object *by) {
  if (!(by = walk_iterable(w, by))) return cannot_change(w, loc, x) != NULL;
  const int n = x->as.tuple.count;
  return become(w, loc, x,
                spliced(w, x, n, n, by->as.tuple.items, by->as.tuple.count));
}

static const Object *none_if(bool ok) {
  return ok ? &object_none : NULL;
}

static const Object *append(Walk *w, SrcLoc loc, const Object *x, int count,
                            const Object *const *args) {
  const int n = x->as.tuple.count;
  return none_if(become(w, loc, x, spliced(w, x, n, n, args, count)));
}

static const Object *extend(Walk *w, SrcLoc loc, const Object *x, int count,
                            const Object *const *args) {
  (void)count;
  return none_if(walk_extend(w, loc, x, args[0]));
}

static const Object *insert(Walk *w, SrcLoc loc, const Object *x, int count,
                            const Object *const *args) {
  (void)count;
  const int n = x->as.tuple.count;
  int64_t at;
  if (!object_constant_int(args[0], &at))
    return none_if(diag_error(w->diags, loc, ERROR_index_not_constant, "tuple",
                              text_of(w, args[0])));
  if (at < 0) at = at + n < 0 ? 0 : at + n;
  const int i = at > n ? n : (int)at;
  return none_if(become(w, loc, x, spliced(w, x, i, i, &args[1], 1)));
}

static const Object *clear(Walk *w, SrcLoc loc, const Object *x, int count,
                           const Object *const *args) {
  const int n = x->as.tuple.count;
  return none_if(become(w, loc, x, spliced(w, x, 0, n, args, count)));
}

static const Object *pop(Walk *w, SrcLoc loc, const Object *x, int count,
                         const Object *const *args) {
  const Object *index = count ? args[0] : object_int(w->arena, -1);
  int at = 0;
  if (!position(w, loc, x, index, &at)) return NULL;
  const Object *item = x->as.tuple.items[at];
  return become(w, loc, x, spliced(w, x, at, at + 1, NULL, 0)) ? item : NULL;
}

static const Object *remove_value(Walk *w, SrcLoc loc, const Object *x,
                                  int count, const Object *const *args) {
  (void)count;
  const ConstantContext c = constant_context(w, loc);
  for (int i = 0; i < x->as.tuple.count; i++) {
    const Object *item = x->as.tuple.items[i];
    if (constant_compare(&c, COMPARE_EQ, item, args[0])->as.truth)
      return none_if(become(w, loc, x, spliced(w, x, i, i + 1, NULL, 0)));
  }
  return cannot_change(w, loc, x);
}

static const Object *reverse(Walk *w, SrcLoc loc, const Object *x, int count,
                             const Object *const *args) {
  (void)args;
  (void)count;
  const int n = x->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) items[i] = x->as.tuple.items[n - 1 - i];
  return none_if(become(w, loc, x, object_tuple(w->arena, items, n)));
}

// A method changes the list `x`, and gets as many arguments as its row allows.
static const Object *change_list(Walk *w, SrcLoc loc, const char *method,
                                 const Object *x, int count,
                                 const Object *const *args) {
  static const struct {
    const char *name;
    int least, most; // arguments
    const Object *(*change)(Walk *w, SrcLoc loc, const Object *x, int count,
                            const Object *const *args);
  } methods[] = {
      {"append", 1, 1, append},   {"extend", 1, 1, extend},
      {"insert", 2, 2, insert},   {"clear", 0, 0, clear},
      {"pop", 0, 1, pop},         {"remove", 1, 1, remove_value},
      {"reverse", 0, 0, reverse},
  };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (!strcmp(methods[i].name, method) && count >= methods[i].least &&
        count <= methods[i].most)
      return methods[i].change(w, loc, x, count, args);
  }
  return cannot_change(w, loc, x);
}

// -- Dictionaries ------------------------------------------------------------

static const Object *update(Walk *w, SrcLoc loc, const Object *x,
                            const Arguments *args) {
  Arguments all = {0};
  vec_push(w->arena, &all, ((Argument){NULL, x, loc, loc}));
  for (size_t i = 0; i < args->count; i++)
    vec_push(w->arena, &all, args->items[i]);
  return none_if(become(w, loc, x, call_dict(w, &all)));
}

static const Object *set_default(Walk *w, SrcLoc loc, const Object *x,
                                 const Object *key, const Object *value) {
  const Object *found = dict_find(w, x, key);
  if (found) return found;
  return become(w, loc, x, dict_with(w, loc, x, key, value)) ? value : NULL;
}

static const Object *change_dict(Walk *w, SrcLoc loc, const char *method,
                                 const Object *x, const Arguments *args) {
  if (!strcmp(method, "update")) return update(w, loc, x, args);
  if (strcmp(method, "setdefault") != 0 || !args->count || args->count > 2)
    return cannot_change(w, loc, x);
  const Object *value = args->count == 2 ? args->items[1].value : &object_none;
  return set_default(w, loc, x, args->items[0].value, value);
}

static const Object *change_set(Walk *w, SrcLoc loc, const char *method,
                                const Object *x, int count,
                                const Object *const *args) {
  const Object *to = set_changed(w, loc, method, x, count, args);
  return to ? none_if(become(w, loc, x, to)) : cannot_change(w, loc, x);
}

// -- Calls -------------------------------------------------------------------

bool is_changing_call(const Walk *w, const Expr *call) {
  const Expr *callee = call->call.callee;
  if (!walk_is_host(w) || callee->kind != EXPR_ATTRIBUTE) return false;
  const char *name = callee->attribute.name;
  return is_changing_method(name, strlen(name));
}

static bool are_positional(const Arguments *args) {
  for (size_t i = 0; i < args->count; i++) {
    if (args->items[i].name) return false;
  }
  return true;
}

bool object_is_collection(const Object *x) {
  return (x->kind == OBJECT_TUPLE && !x->as.tuple.class) ||
         x->kind == OBJECT_DICT || x->kind == OBJECT_SET;
}

// Does the method add its argument, and not the items of the argument?
static bool puts_in(const char *method) {
  return !strcmp(method, "append") || !strcmp(method, "insert") ||
         !strcmp(method, "setdefault");
}

const Object *change_by_call(Walk *w, SrcLoc loc, const char *method,
                             const Object *x, const Arguments *args) {
  if (puts_in(method) && !walk_keep_arguments(w, args)) return NULL;
  if (x->kind == OBJECT_DICT) return change_dict(w, loc, method, x, args);
  const bool list = x->kind == OBJECT_TUPLE && !x->as.tuple.class;
  if ((!list && !object_is_set(x)) || !are_positional(args))
    return cannot_change(w, loc, x);
  const int n = (int)args->count;
  const Object **values = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) values[i] = args->items[i].value;
  if (x->kind == OBJECT_SET) return change_set(w, loc, method, x, n, values);
  return change_list(w, loc, method, x, n, values);
}

// list() and tuple(): a new object with the same items.
const Object *builtin_sequence(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (!walk_is_host(w) && x->kind == OBJECT_STRING)
    x = string_characters(w, x);
  else
    x = walk_iterable(w, x);
  if (!x)
    return walk_error(w, c->locs[0], ERROR_wants_tuple, c->info->name,
                      text_of(w, c->args[0]));
  if (!walk_is_host(w) && x == c->args[0]) return x;
  const Object *copy =
      object_tuple(w->arena, x->as.tuple.items, x->as.tuple.count);
  return walk_own(w, copy, c->info->data == 'l' ? '[' : '(');
}
