// specialize_loop.c -- loops: unrolled ones, `for` and `while`.
//
// The body of a run-time loop is walked twice.  The trial walk builds into a
// block that is thrown away and finds the names whose value changes: they are
// carried.  What it learned of loops inside is kept in the plan, in the order
// in which they were met, and the second walk follows it; so each body is
// walked twice, however deep it is nested.
#include "frontend/builtins.h"
#include "frontend/tensor.h"

#include <string.h>

static const Object gone_loop = {
    .kind = OBJECT_GONE, .as.reason = "is assigned only inside a loop above"};

// -- Plans -------------------------------------------------------------------

static LoopPlan *next_plan(Walk *w, const Stmt *stmt) {
  if (w->next_plan >= w->plans->count) return NULL;
  LoopPlan *plan = w->plans->items[w->next_plan];
  if (plan->stmt != stmt) return NULL;
  w->next_plan++;
  return plan;
}

static LoopPlan *add_plan(Walk *w, const Stmt *stmt) {
  LoopPlan *plan = arena_new(w->arena, LoopPlan);
  plan->stmt = stmt;
  if (w->next_plan == w->plans->count) {
    vec_push(w->arena, w->plans, plan);
    w->next_plan++;
  }
  return plan;
}

// -- The trial walk ----------------------------------------------------------

static void erase_ops(Block *block) {
  for (Op *op = block->last, *prev; op; op = prev) {
    prev = op->prev;
    op_erase(op);
  }
}

static bool walk_loop_body(Walk *w, LoopPlan *plan, const StmtList *body) {
  LoopPlans *plans = w->plans;
  const size_t next = w->next_plan;
  w->plans = &plan->inner;
  w->next_plan = 0;
  w->frame->loops++;
  const Flow flow = walk_block(w, body);
  w->frame->loops--;
  w->plans = plans;
  w->next_plan = next;
  return flow != FLOW_FAILED;
}

static bool changed_type(Walk *w, const Stmt *stmt, const char *name,
                         const Object *before, const Object *after) {
  diag_error(w->diags, stmt->loc,
             "'%s' is %s before this loop and becomes %s in it; a name that a "
             "loop changes keeps its type",
             name, text_of(w, before), text_of(w, after));
  const Op *def = object_is_tensor(after) ? after->as.tensor.value->def : NULL;
  if (def) diag_note(w->diags, def->loc, "this is its new value");
  return false;
}

// Numbers that the loop changes have to be run-time values from the start.
static bool demote_numbers(Walk *w, const Stmt *stmt, ScopeState *before,
                           const ScopeState *after, bool *again) {
  *again = false;
  for (size_t i = 0; i < before->count; i++) {
    const Object *x = before->objects[i], *y = state_get(after, i);
    if (!x || !y || !object_is_number(x) || object_equal(x, y)) continue;
    before->objects[i] = to_tensor(w, stmt->loc, x);
    if (!before->objects[i]) return false;
    *again = true;
  }
  return true;
}

static bool find_carried(Walk *w, const Stmt *stmt, LoopPlan *plan,
                         const ScopeState *before, const ScopeState *after) {
  plan->carried.count = 0;
  for (size_t i = 0; i < before->count; i++) {
    const Object *x = before->objects[i], *y = state_get(after, i);
    if (!x || x->kind == OBJECT_GONE || !y || object_equal(x, y)) continue;
    const char *name = w->frame->scope.items[i].name;
    if (!object_same_type(x, y)) return changed_type(w, stmt, name, x, y);
    vec_push(w->arena, &plan->carried, name);
  }
  return true;
}

typedef struct {
  const Stmt *stmt;
  const StmtList *body;
  const Expr *target; // NULL in a `while`
  Dtype dtype;        // of the target
  const Type *type;   // of the counter
} Loop;

static const Object *counter(Walk *w, const Loop *loop, Value *iv) {
  const Object *x = object_tensor(w->arena, iv, dtype_of(DTYPE_INT64));
  if (dtype_type(&w->m->types, loop->dtype) == loop->type)
    return object_tensor(w->arena, iv, loop->dtype);
  return tensor_cast(w, loop->stmt->loc, x, loop->dtype);
}

static void bind_counter(Walk *w, const Loop *loop, Value *iv) {
  if (!loop->target) return;
  const Object *x = counter(w, loop, iv);
  scope_set(&w->frame->scope, loop->target->name, x);
  if (!x->as.tensor.value->name) x->as.tensor.value->name = loop->target->name;
}

// The target is carried like any name that was an integer before the loop, for
// it keeps its last value; what was something else comes back.
static void forget_target(Walk *w, const Loop *loop, const ScopeState *before,
                          ScopeState *after) {
  if (!loop->target) return;
  const Binding *binding = scope_find(&w->frame->scope, loop->target->name);
  const size_t i = (size_t)(binding - w->frame->scope.items);
  const Object *x = state_get(before, i), *y = state_get(after, i);
  if (x && y && (constant_is_integer(x) || object_same_type(x, y))) return;
  if (y) after->objects[i] = NULL;
}

static bool trial_walk(Walk *w, const Loop *loop, LoopPlan *plan,
                       ScopeState *before, bool *again) {
  const Builder outer = w->b;
  plan->inner = (LoopPlans){0};
  Block *scratch = block_create(w->function, loop->target != NULL, &loop->type);
  w->b.block = scratch;
  w->b.before = NULL;
  w->trial++;
  if (loop->target) bind_counter(w, loop, &scratch->args[0]);
  const bool ok = walk_loop_body(w, plan, loop->body);
  ScopeState after = scope_save(&w->frame->scope);
  w->trial--;
  w->b = outer;
  if (!ok) return false;
  forget_target(w, loop, before, &after);
  if (!demote_numbers(w, loop->stmt, before, &after, again)) return false;
  if (!*again && !find_carried(w, loop->stmt, plan, before, &after))
    return false;
  scope_restore(&w->frame->scope, before);
  erase_ops(scratch);
  return true;
}

// What this loop carries.  `before` may have numbers made run-time values.
static LoopPlan *plan_loop(Walk *w, const Loop *loop, ScopeState *before) {
  LoopPlan *plan = next_plan(w, loop->stmt);
  if (plan) return plan;
  plan = add_plan(w, loop->stmt);
  for (bool again = true; again;) {
    if (!trial_walk(w, loop, plan, before, &again)) return NULL;
  }
  return plan;
}

// -- Carried values ----------------------------------------------------------

typedef struct {
  LoopPlan *plan;
  const Object **objects; // before the loop, by carried name
  Value **values;         // of all of them
  int num_values;
} Carried;

static const Object *carried_object(Walk *w, const Carried *c, size_t i) {
  return scope_get(&w->frame->scope, c->plan->carried.items[i]);
}

static Value **collect(Walk *w, const Carried *c, int count) {
  Value **values = arena_array(w->arena, Value *, count + 1), **cursor = values;
  for (size_t i = 0; i < c->plan->carried.count; i++)
    object_values(carried_object(w, c, i), &cursor);
  return values;
}

// A plan made in a trial names numbers that are still constants here.
static bool start_carrying(Walk *w, const Stmt *stmt, LoopPlan *plan,
                           Carried *out) {
  const size_t n = plan->carried.count;
  *out = (Carried){.plan = plan,
                   .objects = arena_array(w->arena, const Object *, n + 1)};
  for (size_t i = 0; i < n; i++) {
    const char *name = plan->carried.items[i];
    const Object *x = scope_get(&w->frame->scope, name);
    if (object_is_number(x)) x = to_tensor(w, stmt->loc, x);
    if (!x) return false;
    scope_set(&w->frame->scope, name, x);
    out->objects[i] = x;
    out->num_values += object_num_values(x);
  }
  out->values = collect(w, out, out->num_values);
  return true;
}

static void bind_carried(Walk *w, const Carried *c, Value *first) {
  Value **values = arena_array(w->arena, Value *, c->num_values + 1);
  for (int i = 0; i < c->num_values; i++) values[i] = &first[i];
  Value *const *cursor = values;
  for (size_t i = 0; i < c->plan->carried.count; i++) {
    const char *name = c->plan->carried.items[i];
    const Object *x = object_with_values(w->arena, c->objects[i], &cursor);
    scope_set(&w->frame->scope, name, x);
    if (object_is_tensor(x) && !x->as.tensor.value->name)
      x->as.tensor.value->name = name;
  }
}

static bool end_body(Walk *w, const Stmt *stmt, const Carried *c) {
  for (size_t i = 0; i < c->plan->carried.count; i++) {
    const Object *x = carried_object(w, c, i);
    if (!x || !object_same_type(x, c->objects[i]))
      return changed_type(w, stmt, c->plan->carried.items[i], c->objects[i],
                          x ? x : &gone_loop);
  }
  Builder at = w->b;
  at.loc = stmt->loc;
  build_yield(&at, c->num_values, collect(w, c, c->num_values));
  return true;
}

// The names after the loop: carried ones have the loop's results, those first
// assigned in the body are gone.
static void leave_loop(Walk *w, const ScopeState *before, const Carried *c,
                       Value *results) {
  Locals *scope = &w->frame->scope;
  scope_restore(scope, before);
  for (size_t i = 0; i < scope->count; i++) {
    if (!scope->items[i].object) scope->items[i].object = &gone_loop;
  }
  bind_carried(w, c, results);
}

// In a trial only the types of what a loop leaves behind matter.
static Flow pretend(Walk *w, const ScopeState *before, const Carried *c) {
  const Type **types = arena_array(w->arena, const Type *, c->num_values + 1);
  for (int i = 0; i < c->num_values; i++) types[i] = c->values[i]->type;
  const Block *block = block_create(w->function, c->num_values, types);
  leave_loop(w, before, c, block->args);
  return FLOW_NEXT;
}

// -- For ---------------------------------------------------------------------

typedef struct {
  const Object *bounds[3]; // start, end, step
  SrcLoc locs[3];
  const BuiltinCall *call;
} Range;

// range(end), range(start, end), range(start, end, step).
static void range_bounds(Walk *w, const BuiltinCall *call, Range *out) {
  const bool two = !argument_absent(call, 1);
  const Object *zero = object_int(w->arena, 0), *one = object_int(w->arena, 1);
  *out = (Range){.call = call};
  out->bounds[0] = two ? call->args[0] : zero;
  out->bounds[1] = two ? call->args[1] : call->args[0];
  out->bounds[2] = argument_absent(call, 2) ? one : call->args[2];
  out->locs[0] = call->locs[0];
  out->locs[1] = call->locs[two];
  out->locs[2] = call->locs[2];
}

static bool check_bound(Walk *w, SrcLoc loc, const Object *x) {
  const bool fits = object_is_tensor(x) && !object_is_tile(x) &&
                    !object_is_window(x) && dtype_is_int(x->as.tensor.dtype);
  if (fits || constant_is_integer(x)) return true;
  return diag_error(w->diags, loc,
                    "bounds and step of a loop are integers, found %s",
                    text_of(w, x));
}

static bool check_step(Walk *w, const Range *range) {
  int64_t step;
  if (!object_constant_int(range->bounds[2], &step) || step) return true;
  return diag_error(w->diags, range->locs[2], "the step of a loop is not 0");
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

static void set_option(Walk *w, Op *op, AttrKey key, const Object *x) {
  int64_t value = 0;
  if (!x || x->kind == OBJECT_NONE || !object_constant_int(x, &value)) return;
  const bool flag = key == ATTR_flatten || key == ATTR_warp_specialize;
  if (flag && !value) return;
  op_set_int(w->m, op, key, value);
}

static void set_options(Walk *w, Op *op, const BuiltinCall *call) {
  if (strcmp(call->info->name, "range") || call->info->space == SPACE_PYTHON)
    return;
  set_option(w, op, ATTR_loop_stages, call->args[3]);
  set_option(w, op, ATTR_unroll, call->args[4]);
  set_option(w, op, ATTR_flatten, call->args[6]);
  set_option(w, op, ATTR_warp_specialize, call->args[7]);
}

// The loop counts in a signed type that holds all values of an unsigned one.
static bool bound_values(Walk *w, const Loop *loop, const Range *range,
                         Value *out[3]) {
  const bool wide = dtype_type(&w->m->types, loop->dtype) != loop->type;
  const Dtype dtype = wide ? dtype_of(DTYPE_INT64) : loop->dtype;
  for (int i = 0; i < 3; i++) {
    const Object *x = to_tensor(w, range->locs[i], range->bounds[i]);
    if (x) x = tensor_cast(w, range->locs[i], x, dtype);
    if (!x) return false;
    out[i] = x->as.tensor.value;
  }
  return true;
}

static Flow emit_for(Walk *w, const Loop *loop, const Range *range,
                     const ScopeState *before, Carried *c) {
  Value *bounds[3];
  if (!bound_values(w, loop, range, bounds)) return FLOW_FAILED;
  const Builder outer = w->b;
  Op *op = build_for(&w->b, bounds[0], bounds[1], bounds[2], c->num_values,
                     c->values);
  set_options(w, op, range->call);
  Block *body = op->regions[0];
  w->b = builder_at_end(w->m, body, loop->stmt->loc);
  bind_carried(w, c, body->args + 1);
  bind_counter(w, loop, &body->args[0]);
  if (!walk_loop_body(w, c->plan, loop->body)) return FLOW_FAILED;
  if (!end_body(w, loop->stmt, c)) return FLOW_FAILED;
  w->b = outer;
  leave_loop(w, before, c, op->results);
  return FLOW_NEXT;
}

static Flow run_time_for(Walk *w, const Stmt *stmt, const BuiltinCall *call) {
  Range range;
  range_bounds(w, call, &range);
  Loop loop = {
      .stmt = stmt, .body = &stmt->for_.body, .target = stmt->for_.target};
  if (!range_dtype(w, &range, &loop.dtype)) return FLOW_FAILED;
  const bool narrow =
      !dtype_is_signed(loop.dtype) && dtype_bits(loop.dtype) < 64;
  loop.type =
      dtype_type(&w->m->types, narrow ? dtype_of(DTYPE_INT64) : loop.dtype);
  w->b.loc = stmt->loc;
  ScopeState before = scope_save(&w->frame->scope);
  LoopPlan *plan = plan_loop(w, &loop, &before);
  Carried c;
  if (!plan || !start_carrying(w, stmt, plan, &c)) return FLOW_FAILED;
  if (w->trial) return pretend(w, &before, &c);
  return emit_for(w, &loop, &range, &before, &c);
}

// -- Unrolled loops ----------------------------------------------------------

static Flow unrolled_step(Walk *w, const Stmt *stmt, const Object *item) {
  if (!walk_assign(w, stmt->for_.target, item)) return FLOW_FAILED;
  return walk_block(w, &stmt->for_.body);
}

static Flow unroll_items(Walk *w, const Stmt *stmt, const Object *items) {
  for (int i = 0; i < items->as.tuple.count; i++) {
    const Flow flow = unrolled_step(w, stmt, items->as.tuple.items[i]);
    if (flow != FLOW_NEXT) return flow;
  }
  return FLOW_NEXT;
}

static Flow static_for(Walk *w, const Stmt *stmt, const BuiltinCall *call) {
  Range range;
  range_bounds(w, call, &range);
  int64_t n[3];
  for (int i = 0; i < 3; i++) {
    if (object_constant_int(range.bounds[i], &n[i])) continue;
    diag_error(w->diags, range.locs[i],
               "'static_range' wants constants, found %s",
               text_of(w, range.bounds[i]));
    return FLOW_FAILED;
  }
  if (!check_step(w, &range)) return FLOW_FAILED;
  for (int64_t i = n[0]; n[2] > 0 ? i < n[1] : i > n[1]; i += n[2]) {
    const Flow flow = unrolled_step(w, stmt, object_int(w->arena, i));
    if (flow != FLOW_NEXT) return flow;
    if (w->steps++ > MAX_STEPS) break; // an empty body is no way around it
  }
  return FLOW_NEXT;
}

static Flow unsupported(Walk *w, SrcLoc loc, const char *what) {
  diag_error(w->diags, loc, "%s", what);
  return FLOW_FAILED;
}

static Flow walk_for_over(Walk *w, const Stmt *stmt, const Expr *over) {
  const Object *items = walk_expr(w, over);
  if (!items) return FLOW_FAILED;
  if (items->kind == OBJECT_TUPLE) return unroll_items(w, stmt, items);
  return unsupported(w, over->loc,
                     "a loop goes over range(), tl.range(), tl.static_range() "
                     "or a tuple");
}

static bool is_range(const Object *callee) {
  if (callee->kind != OBJECT_BUILTIN || callee->as.builtin.self) return false;
  const char *name = callee->as.builtin.info->name;
  return !strcmp(name, "range") || !strcmp(name, "static_range");
}

Flow walk_for(Walk *w, const Stmt *stmt) {
  const Expr *over = stmt->for_.iterable;
  if (stmt->for_.otherwise.count)
    return unsupported(w, stmt->loc, "'else' of a loop is not supported");
  if (over->kind != EXPR_CALL) return walk_for_over(w, stmt, over);
  const Object *callee = walk_expr(w, over->call.callee);
  if (!callee) return FLOW_FAILED;
  if (!is_range(callee)) return walk_for_over(w, stmt, over);
  if (stmt->for_.target->kind != EXPR_NAME)
    return unsupported(w, stmt->for_.target->loc,
                       "the target of this loop is one name");
  Arguments args = {0};
  BuiltinCall call;
  if (!walk_arguments(w, over, &args) ||
      !builtin_bind(w, callee, over->loc, &args, &call))
    return FLOW_FAILED;
  const bool unrolls = !strcmp(call.info->name, "static_range");
  return unrolls ? static_for(w, stmt, &call) : run_time_for(w, stmt, &call);
}

// -- While -------------------------------------------------------------------

static Value *while_condition(Walk *w, const Expr *test) {
  const Object *x = walk_expr(w, test);
  if (x && x->kind != OBJECT_TENSOR) x = object_bool(constant_truth(x));
  if (x) x = to_tensor(w, test->loc, x);
  if (x && object_is_tile(x)) {
    diag_error(w->diags, test->loc,
               "the condition of a 'while' is one value, found %s",
               text_of(w, x));
    return NULL;
  }
  if (x) x = tensor_truth(w, test->loc, x);
  return x ? x->as.tensor.value : NULL;
}

static Value **pointers_to(Walk *w, Value *first, int count) {
  Value **values = arena_array(w->arena, Value *, count + 1);
  for (int i = 0; i < count; i++) values[i] = &first[i];
  return values;
}

static Flow emit_while(Walk *w, const Loop *loop, const ScopeState *before,
                       Carried *c) {
  const Stmt *stmt = loop->stmt;
  const int n = c->num_values;
  const Type **types = arena_array(w->arena, const Type *, n + 1);
  for (int i = 0; i < n; i++) types[i] = c->values[i]->type;
  const Builder outer = w->b;
  Op *op = build_while(&w->b, n, c->values, n, types);
  w->b = builder_at_end(w->m, op->regions[0], stmt->loc);
  bind_carried(w, c, op->regions[0]->args);
  Value *condition = while_condition(w, stmt->while_.condition);
  if (!condition) return FLOW_FAILED;
  build_condition(&w->b, condition, n, pointers_to(w, op->regions[0]->args, n));
  w->b = builder_at_end(w->m, op->regions[1], stmt->loc);
  bind_carried(w, c, op->regions[1]->args);
  if (!walk_loop_body(w, c->plan, loop->body)) return FLOW_FAILED;
  if (!end_body(w, stmt, c)) return FLOW_FAILED;
  w->b = outer;
  leave_loop(w, before, c, op->results);
  return FLOW_NEXT;
}

Flow walk_while(Walk *w, const Stmt *stmt) {
  if (stmt->while_.otherwise.count)
    return unsupported(w, stmt->loc, "'else' of a loop is not supported");
  const Loop loop = {.stmt = stmt, .body = &stmt->while_.body};
  w->b.loc = stmt->loc;
  ScopeState before = scope_save(&w->frame->scope);
  LoopPlan *plan = plan_loop(w, &loop, &before);
  Carried c;
  if (!plan || !start_carrying(w, stmt, plan, &c)) return FLOW_FAILED;
  return w->trial ? pretend(w, &before, &c) : emit_while(w, &loop, &before, &c);
}
