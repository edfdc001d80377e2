// for.c -- `for` loops over ranges, and over tuples.
//
// A loop at run time is a `for` of the IR.  If a `break` or `return` may leave
// it, it is a `while` that counts.
//
// For example, `for i in range(0, n): s += load(x + i)` becomes
//
//   %end = for %zero, %n, %one init(%s) : i32 (%i: i32, %sum: i32) { ... }
//
// With `if load(x + i) == 0: break` in it, it becomes a `while` that carries
// also %i and %goes_on.  At the end of a trip %goes_on becomes false if the
// break was reached, else whether n - i is more than 1, as unsigned numbers.
// `for i in static_range(2)` has no loop: its body is emitted twice.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/walk/element.h"
#include "frontend/walk/evaluate.h"
#include "frontend/walk/loop.h"

#include <assert.h>
#include <string.h>

// Requests to the compiler about a loop; a request that the loop does not make
// is not set.
typedef struct {
  AttrKey key;
  int64_t value;
} LoopOption;

enum { MAX_LOOP_OPTIONS = 4 };

typedef struct {
  const Object *bounds[3]; // start, end, step
  SrcLoc locs[3];
  LoopOption options[MAX_LOOP_OPTIONS];
  int num_options;
} Range;

// range(end), range(start, end), range(start, end, step).
static void range_bounds(Walk *w, const BuiltinCall *call, Range *out) {
  const bool two = !argument_absent(call, 1);
  const Object *zero = object_int(w->arena, 0), *one = object_int(w->arena, 1);
  *out = (Range){.num_options = 0};
  out->bounds[0] = two ? call->args[0] : zero;
  out->bounds[1] = two ? call->args[1] : call->args[0];
  out->bounds[2] = argument_absent(call, 2) ? one : call->args[2];
  out->locs[0] = call->locs[0];
  out->locs[1] = call->locs[two];
  out->locs[2] = call->locs[2];
}

static bool check_bound(Walk *w, SrcLoc loc, const Object *x) {
  const bool one = !object_is_tile(x) || is_element(w, x);
  const bool fits = object_is_tensor(x) && one && !object_is_window(x) &&
                    dtype_is_int(x->as.tensor.dtype);
  if (fits || constant_is_integer(x)) return true;
  diag_error(w->diags, loc, ERROR_loop_bound_not_integer, text_of(w, x));
  note_quotient(w, x);
  return false;
}

static bool check_step(Walk *w, const Range *range) {
  int64_t step;
  if (!object_constant_int(range->bounds[2], &step) || step) return true;
  return diag_error(w->diags, range->locs[2], ERROR_step_loop_not_0);
}

static bool range_dtype(Walk *w, const Range *range, Dtype *out) {
  if (!check_step(w, range)) return false;
  *out = dtype_of(DTYPE_INT1);
  for (int i = 0; i < 3; i++) {
    Dtype dtype;
    if (!check_bound(w, range->locs[i], range->bounds[i])) return false;
    if (!tensor_dtype(w, range->locs[i], range->bounds[i], &dtype))
      return false;
    *out = i ? dtype_promote_ints(*out, dtype) : dtype;
  }
  return true;
}

// When does a loop get the attribute of a parameter that is given?
typedef enum { SET_NEVER, SET_UNLESS_ZERO, SET_ALWAYS } WhenSet;

// The parameters of `range` behind its bounds.
static const struct {
  WhenSet when;
  AttrKey key;
  int64_t most;
} loop_options[] = {
    {SET_ALWAYS, ATTR_loop_stages, MAX_LOOP_COPIES},
    {SET_ALWAYS, ATTR_unroll, MAX_LOOP_COPIES},
    {SET_NEVER, 0, 1}, // disallow_acc_multi_buffer
    {SET_UNLESS_ZERO, ATTR_flatten, 1},
    {SET_ALWAYS, ATTR_warp_specialize, 1}, // False forbids it
    {SET_NEVER, 0, 1},                     // disable_licm
};

static bool range_options(Walk *w, const BuiltinCall *call, Range *out) {
  const int count = (int)(sizeof loop_options / sizeof *loop_options);
  for (int i = 0; i < count; i++) {
    const int64_t most = loop_options[i].most;
    int64_t value;
    if (argument_absent(call, i + 3)) continue;
    if (!argument_between(w, call, i + 3, 0, most, &value)) return false;
    const WhenSet when = loop_options[i].when;
    if (when == SET_NEVER || (when == SET_UNLESS_ZERO && !value)) continue;
    assert(out->num_options < MAX_LOOP_OPTIONS);
    out->options[out->num_options++] = (LoopOption){loop_options[i].key, value};
  }
  return true;
}

static bool range_of(Walk *w, const BuiltinCall *call, Range *out) {
  range_bounds(w, call, out);
  return range_options(w, call, out);
}

static void set_options(Walk *w, Op *op, const Range *range) {
  for (int i = 0; i < range->num_options; i++)
    op_set_int(w->m, op, range->options[i].key, range->options[i].value);
}

// The bounds in the type of the counter, a signed type that holds all values of
// an unsigned one.
static bool bound_values(Walk *w, const Loop *loop, const Range *range,
                         Value *out[3]) {
  const Type *type = type_element(loop->type);
  const bool wide = dtype_type(&w->m->types, loop->dtype) != type;
  const Dtype dtype = wide ? dtype_of(DTYPE_INT64) : loop->dtype;
  for (int i = 0; i < 3; i++) {
    const Object *x = to_tensor(w, range->locs[i], range->bounds[i]);
    if (x) x = tensor_cast(w, range->locs[i], x, dtype);
    if (x && type_is_tile(loop->type))
      x = spread_as(w, range->locs[i], x, NULL);
    if (!x) return false;
    out[i] = x->as.tensor.value;
  }
  return true;
}

// Walks the body into `body`, whose arguments are `iv` and, from `carried` on,
// the values that the loop carries.  Returns these values at the end of the
// body, or NULL.
static Value **emit_body(Walk *w, const Loop *loop, Carried *c, Block *body,
                         Value *iv, Value *carried) {
  Exits exits;
  w->b = builder_at_end(w->m, body, loop->stmt->loc);
  bind_carried(w, c, carried);
  const OuterPlans plans = enter_plan(w, c->plan);
  const bool ok = walk_loop_body(w, loop, iv, &exits);
  leave_plan(w, plans);
  if (!ok) return NULL;
  w->b.loc = loop->stmt->loc;
  return values_after_body(w, loop->stmt, c, &exits);
}

static Flow emit_for(Walk *w, const Loop *loop, const Range *range,
                     const ScopeState *before, Carried *c) {
  Value *bounds[3];
  if (!bound_values(w, loop, range, bounds)) return FLOW_FAILED;
  const Builder outer = w->b;
  Op *op = build_for(&w->b, bounds[0], bounds[1], bounds[2], c->num_values,
                     c->values);
  set_options(w, op, range);
  Block *body = op->regions[0];
  Value **values = emit_body(w, loop, c, body, &body->args[0], body->args + 1);
  if (!values) return FLOW_FAILED;
  for (int i = 0; i < c->num_values; i++)
    assert(values[i]->type == c->values[i]->type); // I4
  build_yield(&w->b, c->num_values, values);
  w->b = outer;
  return leave_loop(w, loop, before, c, op->results);
}

// -- For loops that may be left ----------------------------------------------

static Value *compare_ints(Builder *b, Predicate predicate, Value *x,
                           Value *y) {
  return build_cmp(b, OP_cmpi, predicate, x, y);
}

// `up` if the step is positive, else `down`.
static Value *by_direction(Builder *b, Value *step, Value *up, Value *down) {
  int64_t known;
  Value *zero = build_int(b, step->type, 0);
  if (value_constant_int(step, &known)) return known > 0 ? up : down;
  Value *rises = compare_ints(b, PREDICATE_gt, step, zero);
  Value *falls = compare_ints(b, PREDICATE_lt, step, zero);
  Value *none = build_int(b, up->type, 0);
  return build_select(b, up->type, rises, up,
                      build_select(b, up->type, falls, down, none));
}

Value *build_range_contains(Builder *b, Value *iv, Value *const bounds[3]) {
  assert(iv->type == bounds[1]->type && iv->type == bounds[2]->type);
  return by_direction(b, bounds[2],
                      compare_ints(b, PREDICATE_lt, iv, bounds[1]),
                      compare_ints(b, PREDICATE_gt, iv, bounds[1]));
}

// Is there a further value behind `iv`?  The distance to the end, as an
// unsigned number, does not overflow, while `iv + step` might.
Value *build_range_has_next(Builder *b, Value *iv, Value *const bounds[3]) {
  const Type *type = iv->type;
  Value *step = bounds[2];
  assert(type == bounds[1]->type && type == step->type);
  Value *back = build_subi(b, type, build_int(b, type, 0), step);
  Value *up = build_subi(b, type, bounds[1], iv);
  Value *down = build_subi(b, type, iv, bounds[1]);
  return by_direction(b, step, compare_ints(b, PREDICATE_ugt, up, step),
                      compare_ints(b, PREDICATE_ugt, down, back));
}

// A `while` that also carries the counter, and whether the counter is in range.
static Op *build_counting(Walk *w, const Loop *loop, Value *const bounds[3],
                          const Carried *c) {
  const int n = c->num_values;
  Value **init = arena_array(w->arena, Value *, n + 2);
  const Type **types = arena_array(w->arena, const Type *, n + 2);
  for (int i = 0; i < n; i++) init[i] = c->values[i];
  init[n] = bounds[0];
  init[n + 1] = build_range_contains(&w->b, bounds[0], bounds);
  for (int i = 0; i < n + 2; i++) types[i] = init[i]->type;
  Op *op = build_while(&w->b, n + 2, init, n + 2, types);
  Value *args = op->regions[0]->args;
  Value **all = arena_array(w->arena, Value *, n + 2);
  for (int i = 0; i < n + 2; i++) all[i] = &args[i];
  Builder at = builder_at_end(w->m, op->regions[0], loop->stmt->loc);
  build_condition(&at, all[n + 1], n + 2, all);
  return op;
}

// The condition: the counter is in range, and the loop was not left.
static Value *goes_on(Builder *b, Value *next, Value *stop) {
  assert(next->type == stop->type);
  Value *no = build_int(b, stop->type, 0);
  return build_select(b, stop->type, stop, no, next);
}

static Flow emit_counting(Walk *w, const Loop *loop, const Range *range,
                          const ScopeState *before, Carried *c) {
  const int n = c->num_values;
  Value *bounds[3];
  if (!bound_values(w, loop, range, bounds)) return FLOW_FAILED;
  Op *op = build_counting(w, loop, bounds, c);
  const Builder outer = w->b;
  Block *body = op->regions[1];
  Value *iv = &body->args[n];
  Value **values = emit_body(w, loop, c, body, iv, body->args);
  if (!values) return FLOW_FAILED;
  Value **all = arena_array(w->arena, Value *, n + 2);
  for (int i = 0; i < n; i++) all[i] = values[i];
  Value *stop = all[stop_of(c, body->args) - body->args];
  all[n] = build_addi(&w->b, iv->type, iv, bounds[2]);
  all[n + 1] = goes_on(&w->b, build_range_has_next(&w->b, iv, bounds), stop);
  build_yield(&w->b, n + 2, all);
  w->b = outer;
  return leave_loop(w, loop, before, c, op->results);
}

// The range has errors; the body is still checked.
static Flow range_failed(Walk *w, const Loop *over) {
  Loop loop = *over;
  loop.dtype = dtype_of(DTYPE_INT32);
  loop.type = dtype_type(&w->m->types, loop.dtype);
  ScopeState before = scope_save(&w->frame->scope);
  if (!w->stopped) plan_loop(w, &loop, &before);
  return FLOW_FAILED;
}

// The type of the counter: a tile if a bound is one, in map_elementwise(), so
// that it differs between elements.  Unsigned bounds below 64 bits count in
// int64.
static const Type *counter_type(Walk *w, const Range *range, Dtype dtype) {
  TypeTable *types = &w->m->types;
  const bool narrow = !dtype_is_signed(dtype) && dtype_bits(dtype) < 64;
  const Type *type = dtype_type(types, narrow ? dtype_of(DTYPE_INT64) : dtype);
  for (int i = 0; i < 3; i++) {
    if (object_is_tile(range->bounds[i]))
      return type_with_element(types, w->mapping, type);
  }
  return type;
}

static Flow emit_each(Walk *w, const Loop *loop, const Range *range,
                      const ScopeState *before, const Carried *c) {
  Value *bounds[3];
  if (!bound_values(w, loop, range, bounds)) return FLOW_FAILED;
  return emit_divergent(w, loop, bounds, before, c);
}

static Flow run_time_for(Walk *w, const Loop *over, const BuiltinCall *call) {
  Loop loop = *over;
  Range range;
  if (!range_of(w, call, &range) || !range_dtype(w, &range, &loop.dtype))
    return range_failed(w, over);
  loop.type = counter_type(w, &range, loop.dtype);
  w->b.loc = loop.stmt->loc;
  ScopeState before = scope_save(&w->frame->scope);
  LoopPlan *plan = plan_loop(w, &loop, &before);
  Carried c;
  if (!plan || !start_carrying(w, loop.stmt, plan, &c)) return FLOW_FAILED;
  if (w->trial) return pretend_loop(w, &loop, &before, &c);
  if (plan->diverges) return emit_each(w, &loop, &range, &before, &c);
  return plan->exits ? emit_counting(w, &loop, &range, &before, &c)
                     : emit_for(w, &loop, &range, &before, &c);
}

// -- Unrolled loops ----------------------------------------------------------

static bool static_bounds(Walk *w, const Range *range, int64_t n[3]) {
  for (int i = 0; i < 3; i++) {
    if (object_constant_int(range->bounds[i], &n[i])) continue;
    diag_error(w->diags, range->locs[i], ERROR_static_range_wants_constants,
               text_of(w, range->bounds[i]));
    return note_run_time(w, range->bounds[i]);
  }
  return check_step(w, range);
}

static Flow static_for(Walk *w, const Loop *loop, const BuiltinCall *call) {
  Range range;
  int64_t n[3];
  if (!range_of(w, call, &range) || !static_bounds(w, &range, n))
    return FLOW_FAILED;
  return unroll_range(w, loop, n);
}

// -- The statement -----------------------------------------------------------

static void fix_into_call(Walk *w, const Expr *expr, const char *function) {
  Str text = str_in(w->arena);
  str_addf(&text, "%s(", function);
  ast_unparse(expr, 80, &text);
  str_add(&text, ")");
  fix_written(w, expr->loc, str_text(&text));
}

static bool is_count(const Object *x) {
  return object_is_tensor(x) && !object_is_tile(x) && !object_is_window(x) &&
         dtype_is_int(x->as.tensor.dtype);
}

static Flow walk_for_over(Walk *w, const Loop *loop, const Expr *over) {
  const Object *items = walk_gone_over(w, over);
  if (!items) return FLOW_FAILED;
  const Object *all = walk_iterable(w, items);
  if (all) {
    walk_loop_over(items, 1);
    const Flow flow = unroll_items(w, loop, all);
    walk_loop_over(items, -1);
    return flow;
  }
  diag_error(w->diags, over->loc, ERROR_loop_over_what, text_of(w, items));
  int64_t count;
  if (is_count(items) || object_constant_int(items, &count))
    fix_into_call(w, over, "range");
  return FLOW_FAILED;
}

static bool is_range(const Object *callee) {
  if (callee->kind != OBJECT_BUILTIN || callee->as.builtin.self) return false;
  const char *name = callee->as.builtin.info->name;
  return !strcmp(name, "range") || !strcmp(name, "static_range");
}

Flow walk_for(Walk *w, const Stmt *stmt) {
  const Expr *over = stmt->for_.iterable;
  const Loop loop = {.stmt = stmt,
                     .body = &stmt->for_.body,
                     .otherwise = &stmt->for_.otherwise,
                     .target = stmt->for_.target};
  if (over->kind != EXPR_CALL) return walk_for_over(w, &loop, over);
  const Object *callee = walk_expr(w, over->call.callee);
  if (!callee) return FLOW_FAILED;
  if (!is_range(callee)) return walk_for_over(w, &loop, over);
  if (stmt->for_.target->kind != EXPR_NAME) {
    diag_error(w->diags, stmt->for_.target->loc, ERROR_target_loop_one_name);
    return FLOW_FAILED;
  }
  const bool unrolls = !strcmp(callee->as.builtin.info->name, "static_range") ||
                       walk_is_constant(w);
  const WalkPoint start = recover_point(w);
  Arguments args = {0};
  BuiltinCall call;
  if (!walk_arguments_of(w, callee, over, &args) ||
      !w->language->bind(w, callee, over->loc, &args, &call)) {
    recover_to(w, &start);
    return unrolls ? FLOW_FAILED : range_failed(w, &loop);
  }
  return unrolls ? static_for(w, &loop, &call) : run_time_for(w, &loop, &call);
}
