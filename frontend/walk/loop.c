// loop.c -- loops at run time: the values that they carry, and their ends.
#include "frontend/walk/loop.h"

#include "frontend/core/builtins.h"
#include "frontend/walk/element.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>

static const Object *gone_loop(Walk *w, const Object *was) {
  return object_gone(w->arena, "is assigned only inside a loop above", was,
                     NULL);
}

// -- Carried values ----------------------------------------------------------

const Object *any_like(Walk *w, const Object *x) {
  const int n = object_num_values(x);
  Value **values = arena_array(w->arena, Value *, n + 1), **end = values;
  Value *const *cursor = values;
  object_values(x, &end);
  for (int i = 0; i < n; i++) values[i] = any_value(&w->b, values[i]->type);
  return object_with_values(w->arena, x, &cursor);
}

const Object *start_value(Walk *w, SrcLoc loc, const Object *x,
                          const Object *after) {
  if (object_is_number(x)) x = to_tensor(w, loc, x);
  return x ? spread_as(w, loc, x, after) : NULL;
}

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
  assert(cursor - values == n + flags); // I4
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
  assert(!c->num_names || cursor[-1] == &first[c->num_names - 1]); // I4
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
  assert(cursor - others == c->num_values - c->num_names); // I4
  return carried_values(w, c, (int)(cursor - others), others);
}

Value *stop_of(const Carried *c, Value *first) {
  return &first[c->num_names + num_results(c->plan)];
}

// -- After the loop ----------------------------------------------------------

// The names after the loop: carried ones have the loop's results; names that
// the body assigned first are unbound.
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
  for (int i = 0; i < c->num_values; i++)
    assert(first[i].type == c->values[i]->type); // I4
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
  if (plan->endless) left.otherwise = &nothing; // the `else` never runs
  return walk_after_loop(w, &left, &exits);
}

Flow pretend_loop(Walk *w, const Loop *loop, const ScopeState *before,
                  const Carried *c) {
  const Type **types = arena_array(w->arena, const Type *, c->num_values + 1);
  for (int i = 0; i < c->num_values; i++) types[i] = c->values[i]->type;
  const Block *block = block_create(w->function, c->num_values, types);
  return leave_loop(w, loop, before, c, block->args);
}

// A path that has returned does not reach this point, so a loop that was left
// was left by `break`.
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
  if (!broke) return FLOW_NEXT; // the `else` always runs
  return walk_unless(w, loc, broke, loop->otherwise);
}
