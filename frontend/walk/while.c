// while.c -- `while` loops.
//
// The condition may assign names and call helpers.  After an exit by `break` or
// `return` it is not evaluated any more.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/walk/element.h"
#include "frontend/walk/evaluate.h"
#include "frontend/walk/loop.h"

// The name of the condition in messages about joined values.
static const char condition_name[] = "the condition";

// The condition as an i1, or as a tile in map_elementwise(); NULL after a
// diagnostic.
static Value *while_condition(Walk *w, const Expr *test, bool *endless) {
  const Object *x = walk_expr(w, test);
  if (x && !walk_decides(w, test->loc, x)) x = NULL;
  if (x && x->kind != OBJECT_TENSOR) x = object_bool(constant_truth(x));
  *endless = x == &object_true;
  if (x) x = to_tensor(w, test->loc, x);
  if (x && is_element(w, x)) {
    x = tensor_truth(w, test->loc, x);
    return x ? x->as.tensor.value : NULL;
  }
  if (x && object_is_tile(x) && object_type(x)->num_elements > 1) {
    diag_error(w->diags, test->loc, ERROR_while_condition_is_tile,
               text_of(w, x));
    return NULL;
  }
  if (x) x = w->language->scalar(w, test->loc, x);
  if (x) x = tensor_truth(w, test->loc, x);
  return x ? x->as.tensor.value : NULL;
}

// `stop ? False : condition`
static Value *guarded_condition(Walk *w, const Loop *loop, Value *stop,
                                bool *endless) {
  Locals *scope = &w->frame->scope;
  const Builder outer = w->b;
  const ScopeState before = scope_save(scope);
  Branch branches[2] = {0}, joined;
  for (int i = 0; i < 2; i++) {
    scope_restore(scope, &before);
    branches[i].block = block_create(w->function, 0, NULL);
    w->b.block = branches[i].block;
    Value *x = i ? while_condition(w, loop->condition, endless)
                 : build_int(&w->b, stop->type, 0);
    if (!x) return NULL;
    const Dtype int1 = dtype_of(DTYPE_INT1);
    scope_set(scope, condition_name, object_tensor(w->arena, x, int1));
    branches[i].state = scope_save(scope);
  }
  w->b = outer;
  if (!join_branches(w, loop->stmt->loc, stop, branches, &joined)) return NULL;
  const Object *x = scope_get(scope, condition_name);
  scope_set(scope, condition_name, NULL);
  return x->as.tensor.value;
}

Value *active_condition(Walk *w, const Loop *loop, Value *active,
                        bool *endless) {
  Value *stop = build_inverted(&w->b, active);
  return guarded_condition(w, loop, stop, endless);
}

// The names that only the condition assigns, or that were unbound before it.
static void find_first_bound(Walk *w, LoopPlan *plan, const ScopeState *start) {
  const Locals *scope = &w->frame->scope;
  plan->first_bound.count = 0;
  for (size_t i = 0; i < scope->count; i++) {
    const Object *x = scope->items[i].object, *was = state_get(start, i);
    if (x && (!was || object_is_lost(was)) && object_num_values(x))
      vec_push(w->arena, &plan->first_bound,
               ((CarriedName){scope->items[i].name, x}));
  }
}

// Names have the same types behind the condition in every turn.  In
// map_elementwise(), which of them are tiles is not known yet.
static bool keeps_types(Walk *w, const Loop *loop, const ScopeState *start) {
  const Locals *scope = &w->frame->scope;
  bool ok = true;
  for (size_t i = 0; i < start->count; i++) {
    const Object *x = start->objects[i], *y = scope->items[i].object;
    if (!x || object_is_lost(x) || !y || object_equal(x, y)) continue;
    if (!object_num_values(x) || object_same_type(x, y)) continue;
    ok = changed_type(w, loop->stmt, scope->items[i].name,
                      (Given){x, state_given(start, i)},
                      (Given){y, scope->items[i].given});
  }
  return ok;
}

Value *try_condition(Walk *w, const Loop *loop, LoopPlan *plan, Value *active,
                     const ScopeState *start) {
  Value *test = active ? active_condition(w, loop, active, &plan->endless)
                       : while_condition(w, loop->condition, &plan->endless);
  if (!test || !walk_as_begun(w, loop->stmt->loc, start)) return NULL;
  if (!w->mapping && !keeps_types(w, loop, start)) return NULL;
  find_first_bound(w, plan, start);
  return test;
}

static Value *loop_condition(Walk *w, const Loop *loop, const Carried *c,
                             Value *args) {
  bool endless;
  if (!c->plan->exits) return while_condition(w, loop->condition, &endless);
  return guarded_condition(w, loop, stop_of(c, args), &endless);
}

// Builds the first region.  Names that the condition assigns keep these values
// in the body.
static bool emit_condition(Walk *w, const Loop *loop, const Carried *c,
                           Block *block) {
  const int n = c->num_values, others = n - c->num_names;
  w->b = builder_at_end(w->m, block, loop->stmt->loc);
  bind_carried(w, c, block->args);
  const ScopeState begin = scope_save(&w->frame->scope);
  Value *condition = loop_condition(w, loop, c, block->args);
  if (!condition || !walk_as_begun(w, loop->stmt->loc, &begin) ||
      !check_carried(w, loop->stmt, c))
    return false;
  Value **rest = arena_array(w->arena, Value *, others + 1);
  for (int i = 0; i < others; i++) rest[i] = &block->args[c->num_names + i];
  w->b.loc = loop->stmt->loc;
  build_condition(&w->b, condition, n, carried_values(w, c, others, rest));
  return true;
}

static bool emit_body(Walk *w, const Loop *loop, const Carried *c,
                      Block *block) {
  Exits exits;
  w->b = builder_at_end(w->m, block, loop->stmt->loc);
  bind_carried(w, c, block->args);
  if (!walk_loop_body(w, loop, NULL, &exits)) return false;
  w->b.loc = loop->stmt->loc;
  Value **values = values_after_body(w, loop->stmt, c, &exits);
  if (values) build_yield(&w->b, c->num_values, values);
  return values != NULL;
}

static Flow emit_while(Walk *w, const Loop *loop, const ScopeState *before,
                       const Carried *c) {
  const int n = c->num_values;
  const Type **types = arena_array(w->arena, const Type *, n + 1);
  for (int i = 0; i < n; i++) types[i] = c->values[i]->type;
  Op *op = build_while(&w->b, n, c->values, n, types);
  const Builder outer = w->b;
  const OuterPlans plans = enter_plan(w, c->plan);
  const bool ok = emit_condition(w, loop, c, op->regions[0]) &&
                  emit_body(w, loop, c, op->regions[1]);
  leave_plan(w, plans);
  if (!ok) return FLOW_FAILED;
  w->b = outer;
  return leave_loop(w, loop, before, c, op->results);
}

Flow walk_while(Walk *w, const Stmt *stmt) {
  const Loop loop = {.stmt = stmt,
                     .body = &stmt->while_.body,
                     .otherwise = &stmt->while_.otherwise,
                     .condition = stmt->while_.condition};
  if (walk_is_constant(w)) return unroll_while(w, &loop);
  w->b.loc = stmt->loc;
  ScopeState before = scope_save(&w->frame->scope);
  LoopPlan *plan = plan_loop(w, &loop, &before);
  Carried c;
  if (!plan || !start_carrying(w, stmt, plan, &c)) return FLOW_FAILED;
  if (w->trial) return pretend_loop(w, &loop, &before, &c);
  return plan->diverges ? emit_divergent(w, &loop, NULL, &before, &c)
                        : emit_while(w, &loop, &before, &c);
}
