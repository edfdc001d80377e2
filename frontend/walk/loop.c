// loop.c -- loops at run time: what they carry, and how they end.
//
// The body of a run-time loop is walked twice.  The trial walk builds into a
// block that is thrown away and finds the names whose value changes: they are
// carried.  What it learned of loops inside is kept in the plan, in the order
// in which they were met, and the second walk follows it; so each body is
// walked twice, however deep it is nested; in map_elementwise() a third time
// where it turns out that elements leave one by one.
#include "frontend/walk/loop.h"

#include "frontend/core/recover.h"
#include "frontend/core/tensor.h"
#include "frontend/errors.h"
#include "frontend/walk/element.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>

static const Object *gone_loop(Walk *w, const Object *was) {
  return object_gone(w->arena, "is assigned only inside a loop above", was,
                     NULL);
}

// -- Plans -------------------------------------------------------------------

static LoopPlan *next_plan(Walk *w, const Stmt *stmt) {
  if (w->next_plan >= w->plans->count) return NULL;
  LoopPlan *plan = w->plans->items[w->next_plan];
  if (plan->stmt != stmt) return NULL;
  w->next_plan++;
  return plan;
}

// Takes over what an earlier trial learned of the loop at this place: a nest of
// loops would otherwise learn it again for each loop around.
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

// `y` with numbers made run-time values where `x` has those.
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
  const Object *x = object_tensor(w->arena, iv, dtype_of(DTYPE_INT64));
  if (dtype_type(&w->m->types, loop->dtype) == type_element(loop->type))
    return object_tensor(w->arena, iv, loop->dtype);
  return tensor_cast(w, loop->stmt->loc, x, loop->dtype);
}

static void bind_counter(Walk *w, const Loop *loop, Value *iv) {
  const Object *x = counter(w, loop, iv);
  ((Object *)x)->as.tensor.is_counter = true; // new
  scope_set(&w->frame->scope, loop->target->name, x)->given =
      &loop->target->loc;
  if (!x->as.tensor.value->name) x->as.tensor.value->name = loop->target->name;
}

// At its end a body goes on with the next turn, as `continue` does.
bool walk_loop_body(Walk *w, const Loop *loop, Value *iv, Exits *out) {
  const size_t mark = w->frame->pending.count;
  const int failures = w->failures;
  const ScopeState begin = scope_save(&w->frame->scope);
  if (iv) bind_counter(w, loop, iv);
  w->frame->loops++;
  const Flow flow = walk_block(w, loop->body);
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

// An object like `x`, of any values.
static const Object *any_like(Walk *w, const Object *x) {
  const int n = object_num_values(x);
  Value **values = arena_array(w->arena, Value *, n + 1), **end = values;
  Value *const *cursor = values;
  object_values(x, &end);
  for (int i = 0; i < n; i++) values[i] = any_value(&w->b, values[i]->type);
  return object_with_values(w->arena, x, &cursor);
}

// Numbers that the loop changes have to be run-time values from the start, and
// so has what it leaves for each element.
static const Object *start_value(Walk *w, SrcLoc loc, const Object *x,
                                 const Object *after) {
  if (object_is_number(x)) x = to_tensor(w, loc, x);
  return x ? spread_as(w, loc, x, after) : NULL;
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

// The target is carried like any name that was an integer before the loop, for
// it keeps its last value; what was something else comes back.
static void forget_target(Walk *w, const Loop *loop, const ScopeState *before,
                          ScopeState *after) {
  if (!loop->target) return;
  const Binding *binding = scope_find(&w->frame->scope, loop->target->name);
  const size_t i = (size_t)(binding - w->frame->scope.items);
  const Object *x = state_get(before, i), *y = state_get(after, i);
  if (x && y && constant_is_integer(x)) return;
  if (x && y && object_same_type(element_of(w, x), element_of(w, y))) return;
  if (y) after->objects[i] = NULL;
}

static Value *unknown(Walk *w, const Type *type) {
  return block_create(w->function, 1, &type)->args;
}

// `values` has room for those of `x`.  Value.id says in which parting a value
// was met last.
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

// Gives each name values of its own: else `a` would seem unchanged by `a = b`
// in the body, as both have one Value, though it is the b of the last
// iteration.
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

// Condition and body; whether elements leave them one by one is found out.
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
  if (exits->always && exits->kinds == RETURNS) // what it sets, nobody sees
    scope_restore(&w->frame->scope, &tested);
  return holds;
}

// Walks condition and body into a block of their own; `start`: what the names
// held before.
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
  w->trial--;
  w->b = outer;
  return ok;
}

// They are carried like those that had a value before, which nobody reads.
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

// -- Carried values ----------------------------------------------------------

static const Object *carried_object(Walk *w, const Carried *c, size_t i) {
  return scope_get(&w->frame->scope, c->plan->carried.items[i].name);
}

Value **carried_values(Walk *w, const Carried *c, int count,
                       Value *const *others) {
  Value **values = arena_array(w->arena, Value *, c->num_names + count + 1);
  Value **cursor = values;
  for (size_t i = 0; i < c->plan->carried.count; i++)
    object_values(carried_object(w, c, i), &cursor);
  assert(cursor - values == c->num_names); // I4
  for (int i = 0; i < count; i++) *cursor++ = others[i];
  return values;
}

static bool tells_returns(const LoopPlan *plan) {
  return plan->exits == (BREAKS | RETURNS);
}

static int num_results(const LoopPlan *plan) {
  return plan->result ? object_num_values(plan->result) : 0;
}

// Initial exits: any result, and 0 for "stopped" and "stopped by returning".
static void start_exits(Walk *w, Carried *c) {
  const LoopPlan *plan = c->plan;
  const int n = num_results(plan);
  Value **values = arena_array(w->arena, Value *, n + 2), **cursor = values;
  if (plan->result) object_values(any_like(w, plan->result), &cursor);
  const Type *i1 = type_scalar(&w->m->types, ELEM_i1);
  const Type *flag = plan->diverges ? w->mapping : i1;
  const int flags = plan->exits ? 1 + tells_returns(plan) : 0;
  for (int i = 0; i < flags; i++) *cursor++ = build_int(&w->b, flag, 0);
  c->values = carried_values(w, c, n + flags, values);
  c->num_values = c->num_names + n + flags;
}

bool start_carrying(Walk *w, const Stmt *stmt, LoopPlan *plan, Carried *out) {
  const size_t n = plan->carried.count;
  *out = (Carried){.plan = plan,
                   .objects = arena_array(w->arena, const Object *, n + 1)};
  for (size_t i = 0; i < n; i++) {
    const CarriedName *carried = &plan->carried.items[i];
    const Object *x = scope_get(&w->frame->scope, carried->name);
    x = x && x->kind != OBJECT_GONE
            ? start_value(w, stmt->loc, x, carried->model)
            : any_like(w, carried->model);
    if (!x) return false;
    scope_set(&w->frame->scope, carried->name, x);
    out->objects[i] = x;
    out->num_names += object_num_values(x);
  }
  start_exits(w, out);
  return true;
}

static Value **pointers_to(Walk *w, Value *first, int count) {
  Value **values = arena_array(w->arena, Value *, count + 1);
  for (int i = 0; i < count; i++) values[i] = &first[i];
  return values;
}

void bind_carried(Walk *w, const Carried *c, Value *first) {
  Value *const *cursor = pointers_to(w, first, c->num_names);
  for (size_t i = 0; i < c->plan->carried.count; i++) {
    const char *name = c->plan->carried.items[i].name;
    const Object *x = object_with_values(w->arena, c->objects[i], &cursor);
    scope_set(&w->frame->scope, name, x);
    if (object_is_tensor(x) && !x->as.tensor.value->name)
      x->as.tensor.value->name = name;
  }
}

bool check_carried(Walk *w, const Stmt *stmt, const Carried *c) {
  for (size_t i = 0; i < c->plan->carried.count; i++) {
    const Object *x = carried_object(w, c, i);
    if (!x || !object_same_type(x, c->objects[i]))
      return changed_type(w, stmt, c->plan->carried.items[i].name,
                          (Given){c->objects[i], NULL},
                          (Given){x ? x : gone_loop(w, NULL), NULL});
  }
  return true;
}

Value **values_after_body(Walk *w, const Stmt *stmt, const Carried *c,
                          const Exits *exits) {
  const LoopPlan *plan = c->plan;
  const int n = num_results(plan);
  if (!check_carried(w, stmt, c)) return NULL;
  Value **others = arena_array(w->arena, Value *, n + 2), **cursor = others;
  if (exits->result) object_values(exits->result, &cursor);
  if (plan->exits) {
    Value *returns = exit_taken(&w->b, exits, EXIT_RETURN);
    Value *breaks = exit_taken(&w->b, exits, EXIT_BREAK);
    *cursor++ = build_ori(&w->b, returns->type, returns, breaks);
    if (tells_returns(plan)) *cursor++ = returns;
  }
  return carried_values(w, c, (int)(cursor - others), others);
}

Value *stop_of(const Carried *c, Value *first) {
  return &first[c->num_names + num_results(c->plan)];
}

// -- Behind the loop ---------------------------------------------------------

// The names after the loop: carried ones have the loop's results, those first
// assigned in the body are gone.
static void bind_after(Walk *w, const ScopeState *before, const Carried *c,
                       Value *first) {
  Locals *scope = &w->frame->scope;
  for (size_t i = 0; i < scope->count; i++) {
    Binding *binding = &scope->items[i];
    const Object *x = state_get(before, i);
    binding->object = x ? x : gone_loop(w, binding->object);
    binding->given = state_given(before, i);
  }
  bind_carried(w, c, first);
}

Flow leave_loop(Walk *w, const Loop *loop, const ScopeState *before,
                const Carried *c, Value *first) {
  const LoopPlan *plan = c->plan;
  const int n = num_results(plan);
  bind_after(w, before, c, first);
  Exits exits = {.kinds = plan->exits,
                 .always = plan->endless && plan->exits == RETURNS,
                 .at = plan->at};
  if (plan->exits & BREAKS) exits.taken[EXIT_BREAK] = stop_of(c, first);
  if (plan->exits & RETURNS) {
    exits.taken[EXIT_RETURN] = stop_of(c, first) + tells_returns(plan);
    Value *const *cursor = pointers_to(w, first + c->num_names, n);
    exits.result = object_with_values(w->arena, plan->result, &cursor);
  }
  const StmtList nothing = {0};
  Loop left = *loop;
  if (plan->endless) left.otherwise = &nothing; // its condition never fails
  return walk_after_loop(w, &left, &exits);
}

Flow pretend_loop(Walk *w, const Loop *loop, const ScopeState *before,
                  const Carried *c) {
  const Type **types = arena_array(w->arena, const Type *, c->num_values + 1);
  for (int i = 0; i < c->num_values; i++) types[i] = c->values[i]->type;
  const Block *block = block_create(w->function, c->num_values, types);
  return leave_loop(w, loop, before, c, block->args);
}

// A path that has returned does not come here, so that a loop that was left
// broke.
Flow walk_after_loop(Walk *w, const Loop *loop, const Exits *exits) {
  const SrcLoc loc = loop->stmt->loc;
  if (exits->always && exits->kinds == RETURNS) {
    w->frame->exits = *exits;
    return FLOW_LEFT;
  }
  if (exits->kinds & RETURNS) {
    Exits returns = {
        .kinds = RETURNS, .result = exits->result, .at = exits->at};
    returns.taken[EXIT_RETURN] = exits->taken[EXIT_RETURN];
    if (!go_on_unless(w, loc, &returns)) return FLOW_FAILED;
  }
  if (!loop->otherwise->count) return FLOW_NEXT;
  if (!(exits->kinds & BREAKS)) return walk_block(w, loop->otherwise);
  Value *broke = exits->taken[EXIT_BREAK];
  if (!broke) return FLOW_NEXT; // always
  return walk_unless(w, loc, broke, loop->otherwise);
}
