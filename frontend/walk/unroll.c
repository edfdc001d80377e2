// unroll.c -- unrolled loops: static_range, tuples, and all loops in code that
// runs while compiling.
#include "frontend/errors.h"
#include "frontend/walk/evaluate.h"
#include "frontend/walk/loop.h"

#include <assert.h>

static bool has_pending(const Walk *w, size_t mark, unsigned kinds) {
  for (size_t i = mark; i < w->frame->pending.count; i++) {
    if (w->frame->pending.items[i].exits.kinds & kinds) return true;
  }
  return false;
}

static Exits without(Exits exits, ExitKind kind) {
  if (exits.kinds & 1u << kind) exits.always = false;
  exits.kinds &= ~(1u << kind);
  exits.taken[kind] = NULL;
  return exits;
}

// Joins the paths that continue with those at the end of the body.
static Flow end_turn(Walk *w, const Loop *loop, size_t mark, Flow flow) {
  if (flow == FLOW_NEXT && !has_pending(w, mark, CONTINUES)) return FLOW_NEXT;
  if (flow == FLOW_NEXT) w->frame->exits = exits_by(EXIT_CONTINUE, NULL);
  Branch end;
  if (flow == FLOW_FAILED || !close_pending(w, mark, FLOW_LEFT, &end))
    return FLOW_FAILED;
  const Exits exits = without(end.exits, EXIT_CONTINUE);
  if (!exits.kinds) return FLOW_NEXT;
  if (!exits.always) return go_on_unless(w, loop->stmt->loc, &exits);
  w->frame->exits = exits;
  return FLOW_LEFT;
}

static Flow unrolled_turn(Walk *w, const Loop *loop, const Object *item) {
  const size_t mark = w->frame->pending.count;
  const int failures = w->failures;
  if (item && !walk_assign(w, loop->target, item)) return FLOW_FAILED;
  w->frame->loops++;
  const Flow flow = walk_block(w, loop->body);
  assert(w->frame->loops > 0); // I9
  w->frame->loops--;
  if (w->failures != failures) return FLOW_FAILED;
  return end_turn(w, loop, mark, flow);
}

// Joins the paths that break with those that reach the loop's end.
static Flow end_unrolled(Walk *w, const Loop *loop, size_t mark, Flow flow) {
  if (flow == FLOW_NEXT && !has_pending(w, mark, BREAKS))
    return walk_block(w, loop->otherwise);
  if (flow == FLOW_NEXT) w->frame->exits = exits_by(EXIT_CONTINUE, NULL);
  Branch end;
  if (flow == FLOW_FAILED || !close_pending(w, mark, FLOW_LEFT, &end))
    return FLOW_FAILED;
  const Exits exits = without(end.exits, EXIT_CONTINUE);
  return walk_after_loop(w, loop, &exits);
}

Flow unroll_items(Walk *w, const Loop *loop, const Object *items) {
  const size_t mark = w->frame->pending.count;
  Flow flow = FLOW_NEXT;
  for (int i = 0; i < items->as.tuple.count && flow == FLOW_NEXT; i++)
    flow = unrolled_turn(w, loop, items->as.tuple.items[i]);
  return end_unrolled(w, loop, mark, flow);
}

Flow unroll_range(Walk *w, const Loop *loop, const int64_t n[3]) {
  const size_t mark = w->frame->pending.count;
  Flow flow = FLOW_NEXT;
  for (int64_t i = n[0]; n[2] > 0 ? i < n[1] : i > n[1];) {
    flow = unrolled_turn(w, loop, object_int(w->arena, i));
    if (flow != FLOW_NEXT || __builtin_add_overflow(i, n[2], &i)) break;
  }
  return end_unrolled(w, loop, mark, flow);
}

// 1: true, 0: false, -1: failed.
static int goes_on(Walk *w, const Loop *loop) {
  const Object *x = walk_expr(w, loop->condition);
  if (!x || !walk_decides(w, loop->condition->loc, x)) return -1;
  if (!object_is_tensor(x)) return constant_truth(x);
  walk_error(w, loop->condition->loc, ERROR_constant_while, text_of(w, x));
  return -1;
}

Flow unroll_while(Walk *w, const Loop *loop) {
  const size_t mark = w->frame->pending.count;
  Turns turns = {w->turns, loop->condition->loc, 0};
  Flow flow = FLOW_NEXT;
  int more = 1;
  w->turns = &turns;
  while (flow == FLOW_NEXT && (more = goes_on(w, loop)) > 0) {
    flow = unrolled_turn(w, loop, NULL);
    turns.count++;
  }
  assert(w->turns == &turns); // I9
  w->turns = turns.outer;
  if (more < 0) return FLOW_FAILED;
  return end_unrolled(w, loop, mark, flow);
}
