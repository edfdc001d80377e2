// loop.c -- loops, executed turn by turn while it is known that a turn follows.
//
// Example: `for i in [1, 2]` runs its body twice; `while unknown()` runs it an
// unknown number of times (run_weak()) until the joined state stays the same.
#include "frontend/run/evaluate.h"

// Runs the body once; true: a path reaches the next turn.
static bool run_turn(Machine *m, const StmtList *body) {
  const size_t base = m->leaves.count;
  m->loops++;
  const bool alive = run_block(m, body);
  m->loops--;
  return run_merge(m, base, LEAVE_CONTINUE, alive, NULL);
}

static void rename_leaves(Machine *m, size_t base, int from, int to) {
  for (size_t i = base; i < m->leaves.count; i++)
    if (m->leaves.items[i].kind == from) m->leaves.items[i].kind = to;
}

// Ends the loop, after whose last turn the path is `alive`.  True: a path
// continues behind the loop.  A `break` in its `else` ends the loop around it.
static bool leave_loop(Machine *m, const StmtList *otherwise, bool alive,
                       size_t base) {
  const size_t own = m->leaves.count;
  if (alive) alive = run_block(m, otherwise);
  rename_leaves(m, own, LEAVE_BREAK, LEAVE_OUTER);
  alive = run_merge(m, base, LEAVE_BREAK, alive, NULL);
  rename_leaves(m, base, LEAVE_OUTER, LEAVE_BREAK);
  return alive;
}

static bool for_turn(Machine *m, void *data) {
  const Stmt *stmt = data;
  return run_assign(m, stmt->for_.target, &thing_unknown) &&
         run_turn(m, &stmt->for_.body);
}

static bool take_turn(Machine *m, void *data, Thing *item) {
  const Stmt *stmt = data;
  return run_assign(m, stmt->for_.target, item) &&
         run_turn(m, &stmt->for_.body);
}

// A loop over a generator function: the function's body runs, and at each
// `yield` the loop's body.
static bool run_over_function(Machine *m, const Stmt *stmt, Thing *iterator,
                              size_t base) {
  bool known;
  Taker taker = {take_turn, (void *)stmt, m->frame};
  const bool alive = run_generator(m, iterator, &taker, &known);
  if (known) return leave_loop(m, &stmt->for_.otherwise, alive, base);
  run_expose(m, iterator);
  run_unknown(m, NULL, NULL);
  run_weak(m, for_turn, (void *)stmt);
  return leave_loop(m, &stmt->for_.otherwise, !m->lost, base);
}

bool run_for(Machine *m, const Stmt *stmt) {
  const size_t base = m->leaves.count;
  Thing *over = run_expr(m, stmt->for_.iterable), *item;
  Thing *iterator = over ? run_iterator(m, over) : NULL;
  if (!iterator) return false;
  if (iterator->kind == THING_ITERATOR &&
      iterator->as.iterator.kind == ITERATES_FUNCTION)
    return run_over_function(m, stmt, iterator, base);
  for (;;) {
    const Next next = run_next(m, iterator, &item);
    if (next == NEXT_DEAD)
      return leave_loop(m, &stmt->for_.otherwise, false, base);
    if (next == NEXT_END) break;
    if (next == NEXT_UNKNOWN) {
      run_unknown(m, iterator, NULL);
      run_weak(m, for_turn, (void *)stmt);
      break;
    }
    if (!run_assign(m, stmt->for_.target, item) ||
        !run_turn(m, &stmt->for_.body))
      return leave_loop(m, &stmt->for_.otherwise, false, base);
  }
  return leave_loop(m, &stmt->for_.otherwise, !m->lost, base);
}

// A turn that may not happen; false: no path reaches its end.
static bool while_turn(Machine *m, void *data) {
  const Stmt *stmt = data;
  bool alive = true;
  Thing *x = run_expr(m, stmt->while_.condition);
  const Known truth = x ? run_truth(m, x, &alive) : KNOWN_NOT;
  if (!x || !alive || truth == KNOWN_FALSE) return false;
  return run_turn(m, &stmt->while_.body);
}

// Evaluates the condition a last time, when it is false or unknown.
static bool last_condition(Machine *m, const Stmt *stmt) {
  bool alive = true;
  Thing *x = run_expr(m, stmt->while_.condition);
  const Known truth = x ? run_truth(m, x, &alive) : KNOWN_NOT;
  return x && alive && truth != KNOWN_TRUE;
}

bool run_while(Machine *m, const Stmt *stmt) {
  const size_t base = m->leaves.count;
  for (;;) {
    bool alive = true;
    Thing *x = run_expr(m, stmt->while_.condition);
    const Known truth = x ? run_truth(m, x, &alive) : KNOWN_NOT;
    if (!x || !alive)
      return leave_loop(m, &stmt->while_.otherwise, false, base);
    if (truth == KNOWN_FALSE) break;
    if (truth == KNOWN_NOT) {
      // The condition is unknown: one path leaves the loop, the other runs the
      // body, and the condition again.
      const RunMark mark = run_mark(m);
      const size_t own = m->leaves.count;
      m->forks++;
      const bool on = run_turn(m, &stmt->while_.body);
      m->forks--;
      if (on) {
        run_weak(m, while_turn, (void *)stmt);
        if (last_condition(m, stmt)) run_leave(m, LEAVE_FALL, NULL);
      }
      run_undo(m, mark);
      run_merge(m, own, LEAVE_FALL, true, NULL);
      break;
    }
    if (!run_turn(m, &stmt->while_.body))
      return leave_loop(m, &stmt->while_.otherwise, false, base);
  }
  return leave_loop(m, &stmt->while_.otherwise, !m->lost, base);
}
