// divergent.c -- loops that elements leave one by one.
//
// In map_elementwise() such a loop runs while any element is active.  Each turn
// is an `if` on a mask of the active elements, and changes nothing for the
// others.  If the loop is within a branch, guard_block() makes only the
// elements that take the branch active at first.
//
// Example: `while i < x: i += 1` with x = [0, 3]: the mask is [0, 1] before the
// first turn, i is [0, 3] behind the loop.
#include "frontend/walk/element.h"
#include "frontend/walk/evaluate.h"
#include "frontend/walk/loop.h"

#include <assert.h>

// The loop carries the values of `carried`, then the counter of a `for`, and
// then the mask of active elements.
typedef struct {
  Walk *w;
  const Loop *loop;
  const Carried *carried;
  Value *const *bounds; // of a `for`, else NULL
  int num_values;
} Divergent;

static Value *for_each(Walk *w, Value *x) {
  return type_is_tile(x->type) ? x : build_splat(&w->b, w->mapping, x);
}

bool exits_diverge(const Exits *exits) {
  for (int kind = 0; kind < NUM_EXITS; kind++) {
    const Value *taken = exits->taken[kind];
    if (kind != EXIT_CONTINUE && taken && type_is_tile(taken->type))
      return true;
  }
  return false;
}

bool walk_divergent_turn(Walk *w, const Loop *loop, Value *iv, Value *active,
                         Exits *out) {
  const Builder outer = w->b;
  Branch branches[2] = {0}, joined;
  branches[1].state = scope_save(&w->frame->scope);
  branches[1].exits = exits_by(EXIT_CONTINUE, NULL);
  for (int i = 0; i < 2; i++)
    branches[i].block = block_create(w->function, 0, NULL);
  w->b.block = branches[0].block;
  w->b.before = NULL;
  const bool ok = walk_loop_body(w, loop, iv, &branches[0].exits);
  branches[0].state = scope_save(&w->frame->scope);
  w->b = outer;
  if (!ok || !join_branches(w, loop->stmt->loc, active, branches, &joined))
    return false;
  *out = joined.exits;
  return true;
}

// -- The condition -----------------------------------------------------------

static bool emit_condition(const Divergent *d, Block *block) {
  Walk *w = d->w;
  const Carried *c = d->carried;
  const SrcLoc loc = d->loop->stmt->loc;
  const int n = d->num_values - c->num_names;
  w->b = builder_at_end(w->m, block, loc);
  bind_carried(w, c, block->args);
  Value **others = arena_array(w->arena, Value *, n);
  for (int i = 0; i < n; i++) others[i] = &block->args[c->num_names + i];
  Value **active = &others[n - 1];
  bool endless;
  if (d->loop->condition)
    *active = active_condition(w, d->loop, *active, &endless);
  if (!*active) return false;
  w->b.loc = loc;
  Value *any;
  build_any(&w->b, *active, &any);
  build_condition(&w->b, any, d->num_values, carried_values(w, c, n, others));
  return true;
}

// -- A turn ------------------------------------------------------------------

// The mask after a turn: `active` without `left`, and, in a `for`, without the
// elements whose counter `iv` has reached the end.
static Value *stay_active(const Divergent *d, Value *active, Value *left,
                          Value *iv) {
  Builder *b = &d->w->b;
  const Type *type = active->type;
  assert(left->type == type); // I2
  active = build_andi(b, type, active, build_inverted(b, left));
  if (!iv) return active;
  Value *more = for_each(d->w, build_range_has_next(b, iv, d->bounds));
  return build_andi(b, type, active, more);
}

// The values that the loop carries besides those of names, after an iteration
// that began with `args`.  An element that returns in this iteration takes its
// result from `exits`; other elements keep their results.
static Value **others_after(const Divergent *d, const Exits *exits,
                            Value *args) {
  Walk *w = d->w;
  const int n = d->carried->num_values, last = d->num_values - 1;
  const int stop = (int)(stop_of(d->carried, args) - args);
  Value **all = arena_array(w->arena, Value *, d->num_values), **now = all;
  Value *returns = for_each(w, exit_taken(&w->b, exits, EXIT_RETURN));
  Value *breaks = for_each(w, exit_taken(&w->b, exits, EXIT_BREAK));
  Value *left = build_ori(&w->b, returns->type, returns, breaks);
  if (exits->result) object_values(exits->result, &now);
  assert(!exits->result || now - all == stop - d->carried->num_names); // I2
  now = all;
  for (int i = d->carried->num_names; i < stop; i++, now++)
    *now = build_select(&w->b, args[i].type, returns, *now, &args[i]);
  for (int i = stop; i < n; i++) // "stopped", and "stopped by returning"
    *now++ = build_ori(&w->b, left->type, &args[i], i > stop ? returns : left);
  Value *iv = d->bounds ? &args[n] : NULL;
  if (iv) *now++ = build_addi(&w->b, iv->type, iv, d->bounds[2]);
  assert(now - all == last - d->carried->num_names); // I4
  *now = stay_active(d, &args[last], left, iv);
  return all;
}

static bool emit_turn(const Divergent *d, Block *block) {
  Walk *w = d->w;
  const Carried *c = d->carried;
  const SrcLoc loc = d->loop->stmt->loc;
  Value *args = block->args, *active = &args[d->num_values - 1];
  Value *iv = d->bounds ? &args[c->num_values] : NULL;
  Exits exits;
  w->b = builder_at_end(w->m, block, loc);
  bind_carried(w, c, args);
  if (!walk_divergent_turn(w, d->loop, iv, active, &exits) ||
      !check_carried(w, d->loop->stmt, c))
    return false;
  w->b.loc = loc;
  Value **others = others_after(d, &exits, args);
  const int n = d->num_values - c->num_names;
  build_yield(&w->b, d->num_values, carried_values(w, c, n, others));
  return true;
}

// -- The loop ----------------------------------------------------------------

static Op *build_loop(const Divergent *d) {
  Walk *w = d->w;
  const int n = d->carried->num_values, all = d->num_values;
  Value *const *bounds = d->bounds;
  Value **init = arena_array(w->arena, Value *, all);
  const Type **types = arena_array(w->arena, const Type *, all);
  for (int i = 0; i < n; i++) init[i] = d->carried->values[i];
  if (bounds) init[n] = bounds[0];
  init[all - 1] =
      bounds ? for_each(w, build_range_contains(&w->b, bounds[0], bounds))
             : build_int(&w->b, w->mapping, 1);
  for (int i = 0; i < all; i++) types[i] = init[i]->type;
  Op *op = build_while(&w->b, all, init, all, types);
  vec_push(w->arena, &w->masked, ((MaskedLoop){op, op, all - 1, true}));
  return op;
}

Flow emit_divergent(Walk *w, const Loop *loop, Value *const *bounds,
                    const ScopeState *before, const Carried *c) {
  const Divergent d = {.w = w,
                       .loop = loop,
                       .carried = c,
                       .bounds = bounds,
                       .num_values = c->num_values + (bounds != NULL) + 1};
  Op *op = build_loop(&d);
  const Builder outer = w->b;
  const OuterPlans plans = enter_plan(w, c->plan);
  const bool ok =
      emit_condition(&d, op->regions[0]) && emit_turn(&d, op->regions[1]);
  leave_plan(w, plans);
  if (!ok) return FLOW_FAILED;
  w->b = outer;
  return leave_loop(w, loop, before, c, op->results);
}
