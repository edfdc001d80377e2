// plan.c -- the trial walk of a loop at run time, which finds the carried
// values.
//
// The body of a run-time loop is walked twice.  The trial walk builds into a
// block that is discarded, and finds the names whose values change: these are
// carried. The plan also keeps the plans of the loops in the body, in order,
// and the second walk follows them.  So each body is walked twice, however
// deeply it is nested; in map_elementwise() a third time, if elements turn out
// to leave it one by one.
//
//     a, b = 0, x           The trial finds that a and b change: they are
//     for i in range(n):    carried, a as a run-time 0.  c is first assigned in
//         c = b + i         the loop, so it has no value behind it.
//         a, b = b, c
#include "frontend/walk/loop.h"

#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/walk/element.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>

static LoopPlan *next_plan(Walk *w, const Stmt *stmt) {
  if (w->next_plan >= w->plans->count) return NULL;
  LoopPlan *plan = w->plans->items[w->next_plan];
  if (plan->stmt != stmt) return NULL;
  w->next_plan++;
  return plan;
}

// Reuses the plan of an earlier trial for the loop at this place: else each
// enclosing loop would walk the inner ones again.
static void take_hints(Walk *w, LoopPlan *plan) {
  if (!w->hints || w->next_plan >= w->hints->count) return;
  const LoopPlan *hint = w->hints->items[w->next_plan];
  if (hint->stmt != plan->stmt) return;
  plan->diverges = hint->diverges;
  plan->inner = hint->inner;
}

static LoopPlan *add_plan(Walk *w, const Stmt *stmt) {
  LoopPlan *plan = arena_new(w->arena, LoopPlan);
  plan->stmt = stmt;
  if (w->next_plan == w->plans->count) {
    take_hints(w, plan);
    vec_push(w->arena, w->plans, plan);
    w->next_plan++;
  }
  return plan;
}

OuterPlans enter_plan(Walk *w, LoopPlan *plan) {
  const OuterPlans outer = {w->plans, w->hints, w->next_plan};
  w->plans = &plan->inner;
  w->hints = &plan->last;
  w->next_plan = 0;
  return outer;
}

void leave_plan(Walk *w, OuterPlans outer) {
  assert(w->next_plan <= w->plans->count);
  w->plans = outer.plans;
  w->hints = outer.hints;
  w->next_plan = outer.next;
}

// -- The trial walk ----------------------------------------------------------

static void erase_ops(Block *block) {
  for (Op *op = block->last, *prev; op; op = prev) {
    prev = op->prev;
    op_erase(op);
  }
}

// `y`, with numbers converted to run-time values wherever `x` has run-time
// values.
static const Object *tensors_as(Walk *w, SrcLoc loc, const Object *x,
                                const Object *y) {
  if (object_is_tensor(x) && object_is_number(y)) return to_tensor(w, loc, y);
  if (x->kind != OBJECT_TUPLE || y->kind != OBJECT_TUPLE || x == y) return y;
  const int n = y->as.tuple.count;
  if (x->as.tuple.count != n) return y;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  bool same = true;
  for (int i = 0; i < n; i++) {
    const Object *item = y->as.tuple.items[i];
    items[i] = tensors_as(w, loc, x->as.tuple.items[i], item);
    if (!items[i]) return NULL;
    same = same && items[i] == item;
  }
  return same ? y : object_with_items(w->arena, y, items);
}

bool walk_as_begun(Walk *w, SrcLoc loc, const ScopeState *begin) {
  Locals *scope = &w->frame->scope;
  for (size_t i = 0; i < begin->count; i++) {
    const Object *x = begin->objects[i], *y = scope->items[i].object;
    if (!x || !y) continue;
    y = tensors_as(w, loc, x, y);
    scope->items[i].object = y ? spread_as(w, loc, y, x) : NULL;
    if (!scope->items[i].object) return false;
  }
  return true;
}

static const Object *counter(Walk *w, const Loop *loop, Value *iv) {
  if (dtype_type(&w->m->types, loop->dtype) == type_element(loop->type))
    return object_tensor(w->arena, iv, loop->dtype);
  const Object *x = object_tensor(w->arena, iv, dtype_of(DTYPE_INT64));
  return tensor_cast(w, loop->stmt->loc, x, loop->dtype);
}

static void bind_counter(Walk *w, const Loop *loop, Value *iv) {
  const Object *x = counter(w, loop, iv);
  ((Object *)x)->as.tensor.is_counter = true; // the object is new
  scope_set(&w->frame->scope, loop->target->name, x)->given =
      &loop->target->loc;
  if (!x->as.tensor.value->name) x->as.tensor.value->name = loop->target->name;
}

// The end of the body continues with the next turn, like `continue`.
bool walk_loop_body(Walk *w, const Loop *loop, Value *iv, Exits *out) {
  const size_t mark = w->frame->pending.count;
  const int failures = w->failures;
  const ScopeState begin = scope_save(&w->frame->scope);
  if (iv) bind_counter(w, loop, iv);
  w->frame->loops++;
  const Flow flow = walk_block(w, loop->body);
  assert(w->frame->loops > 0); // I9
  w->frame->loops--;
  if (flow == FLOW_NEXT) w->frame->exits = exits_by(EXIT_CONTINUE, NULL);
  Branch end;
  if (w->failures != failures || !close_pending(w, mark, FLOW_LEFT, &end))
    return false;
  *out = end.exits;
  return walk_as_begun(w, loop->stmt->loc, &begin);
}

static Given given_in(const ScopeState *state, size_t i) {
  return (Given){state_get(state, i), state_given(state, i)};
}

static bool demote_numbers(Walk *w, const Loop *loop, ScopeState *before,
                           const ScopeState *after, bool *again) {
  *again = false;
  for (size_t i = 0; i < before->count; i++) {
    const Object *x = before->objects[i], *y = state_get(after, i);
    if (!x || !y || object_equal(x, y)) continue;
    before->objects[i] = start_value(w, loop->stmt->loc, x, y);
    if (!before->objects[i]) return false;
    *again |= before->objects[i] != x;
  }
  return true;
}

static bool find_carried(Walk *w, const Stmt *stmt, LoopPlan *plan,
                         const ScopeState *before, const ScopeState *after) {
  bool ok = true;
  plan->carried.count = 0;
  for (size_t i = 0; i < before->count; i++) {
    const Object *x = before->objects[i], *y = state_get(after, i);
    if (!x || object_is_lost(x) || !y || object_equal(x, y)) continue;
    const char *name = w->frame->scope.items[i].name;
    if (object_same_type(x, y))
      vec_push(w->arena, &plan->carried, ((CarriedName){name, x}));
    else
      ok = changed_type(w, stmt, name, given_in(before, i), given_in(after, i));
  }
  return ok;
}

// The loop carries its target if the target was an integer before, so that the
// target keeps its last value.  If the target had a value of another type, the
// loop does not carry it, and the target has its earlier value behind the loop.
static void forget_target(Walk *w, const Loop *loop, const ScopeState *before,
                          ScopeState *after) {
  if (!loop->target) return;
  const Binding *binding = scope_find(&w->frame->scope, loop->target->name);
  assert(binding && after->count <= w->frame->scope.count); // I9
  const size_t i = (size_t)(binding - w->frame->scope.items);
  const Object *x = state_get(before, i), *y = state_get(after, i);
  if (x && y && constant_is_integer(x)) return;
  if (x && y && object_same_type(element_of(w, x), element_of(w, y))) return;
  if (y) after->objects[i] = NULL;
}

static Value *unknown(Walk *w, const Type *type) {
  return block_create(w->function, 1, &type)->args;
}

// `x`, with a new Value in place of each one that another name has, too.
// Value.id is the number of the last part_names() that met the value.  `values`
// has room for the values of `x`.
static const Object *own_values(Walk *w, const Object *x, Value **values) {
  Value **end = values, *const *first = values;
  bool shared = false;
  object_values(x, &end);
  for (Value **at = values; at < end; at++) {
    const bool known = (*at)->id == w->num_partings;
    shared = shared || known;
    if (known) *at = unknown(w, (*at)->type);
    (*at)->id = w->num_partings;
  }
  return shared ? object_with_values(w->arena, x, &first) : x;
}

// Gives each name its own Values.  Else `a` would seem unchanged by `a = b` in
// the body, if both had one Value, although `b` is that of the last iteration.
static void part_names(Walk *w) {
  const Locals *scope = &w->frame->scope;
  int most = 0;
  for (size_t i = 0; i < scope->count; i++) {
    const Object *x = scope->items[i].object;
    const int n = x ? object_num_values(x) : 0;
    most = n > most ? n : most;
  }
  Value **values = arena_array(w->arena, Value *, most + 1);
  w->num_partings++;
  for (size_t i = 0; i < scope->count; i++) {
    const Object **x = &scope->items[i].object;
    if (*x) *x = own_values(w, *x, values);
  }
}

// Walks condition and body; finds out whether elements leave them one by one.
static bool try_turn(Walk *w, const Loop *loop, LoopPlan *plan,
                     const ScopeState *start, Value *iv, Exits *exits) {
  const WalkPoint begin = recover_point(w);
  Value *active = plan->diverges ? unknown(w, w->mapping) : NULL, *test = NULL;
  if (loop->condition) test = try_condition(w, loop, plan, active, start);
  const bool holds = test || !loop->condition;
  if (!holds) recover_to(w, &begin);
  if (w->stopped) return false;
  const ScopeState tested = scope_save(&w->frame->scope);
  if (!(active ? walk_divergent_turn(w, loop, iv, active, exits)
               : walk_loop_body(w, loop, iv, exits)))
    return false;
  if (!active)
    plan->diverges = exits_diverge(exits) || (test && type_is_tile(test->type));
  if (exits->always && exits->kinds == RETURNS) // its assignments are never
                                                // read
    scope_restore(&w->frame->scope, &tested);
  return holds;
}

// Walks condition and body into a block of their own; `start`: the names'
// values before the loop.
static bool try_body(Walk *w, const Loop *loop, LoopPlan *plan, Block *scratch,
                     ScopeState *start, Exits *exits) {
  const Builder outer = w->b;
  w->b.block = scratch;
  w->b.before = NULL;
  w->trial++;
  part_names(w);
  *start = scope_save(&w->frame->scope);
  plan->last = plan->inner;
  plan->inner = (LoopPlans){0};
  const OuterPlans plans = enter_plan(w, plan);
  Value *iv = loop->target ? &scratch->args[0] : NULL;
  const bool ok = try_turn(w, loop, plan, start, iv, exits);
  leave_plan(w, plans);
  assert(w->trial > 0); // I5
  w->trial--;
  w->b = outer;
  return ok;
}

// Names that the condition assigns first are carried from any value, which is
// not read.
static void bind_first(Walk *w, const LoopPlan *plan, ScopeState *before) {
  for (size_t i = 0; i < plan->first_bound.count; i++) {
    const CarriedName *first = &plan->first_bound.items[i];
    scope_set(&w->frame->scope, first->name, any_like(w, first->model));
  }
  *before = scope_save(&w->frame->scope);
}

static bool trial_walk(Walk *w, const Loop *loop, LoopPlan *plan,
                       ScopeState *before, bool *again) {
  Exits exits;
  ScopeState start;
  Block *scratch = block_create(w->function, loop->target != NULL, &loop->type);
  const bool diverged = plan->diverges;
  if (!try_body(w, loop, plan, scratch, &start, &exits)) {
    poison_changed(w, &start, before);
    return false;
  }
  ScopeState after = scope_save(&w->frame->scope);
  plan->exits = exits.kinds & (BREAKS | RETURNS);
  plan->result = exits.result;
  plan->at = exits.at;
  forget_target(w, loop, before, &after);
  if (!demote_numbers(w, loop, before, &after, again)) return false;
  *again |= plan->diverges != diverged;
  if (!*again && !find_carried(w, loop->stmt, plan, &start, &after))
    return false;
  scope_restore(&w->frame->scope, before);
  erase_ops(scratch);
  if (plan->first_bound.count) {
    bind_first(w, plan, before);
    *again = true;
  }
  return true;
}

LoopPlan *plan_loop(Walk *w, const Loop *loop, ScopeState *before) {
  LoopPlan *plan = next_plan(w, loop->stmt);
  if (plan) return plan;
  plan = add_plan(w, loop->stmt);
  if (loop->target && type_is_tile(loop->type)) plan->diverges = true;
  for (bool again = true; again;) {
    if (!trial_walk(w, loop, plan, before, &again)) return NULL;
  }
  return plan;
}
