// try.c -- exceptions: `raise`, `try`, `with`.
#include "frontend/run/evaluate.h"

#include <assert.h>
#include <string.h>

bool run_raise_statement(Machine *m, const Stmt *stmt) {
  if (!stmt->raise.error) {
    Thing *x = m->handled ? m->handled : &thing_unknown;
    return raise_thing(m, x) != NULL;
  }
  Thing *x = run_expr(m, stmt->raise.error);
  Things none = {0};
  if (x && x->kind == THING_CLASS) x = run_call(m, x, &none, NULL);
  if (x && stmt->raise.cause && !run_expr(m, stmt->raise.cause)) return false;
  if (!x) return false;
  if (x->kind == THING_INSTANCE || x->kind == THING_UNKNOWN)
    return raise_thing(m, x) != NULL;
  if (x->kind == THING_FOREIGN) return raise_thing(m, &thing_unknown) != NULL;
  return run_raise(m, "TypeError") != NULL;
}

// -- Handlers ----------------------------------------------------------------

// Is the exception an instance of the class, or of one in the tuple?
static Known matches(const Thing *error, const Thing *type) {
  if (type->kind == THING_TUPLE) {
    Known any = KNOWN_FALSE;
    for (int i = 0; i < type->as.tuple.count; i++) {
      const Known one = matches(error, type->as.tuple.items[i]);
      if (one == KNOWN_TRUE) return one;
      if (one == KNOWN_NOT) any = one;
    }
    return any;
  }
  if (type->kind == THING_CLASS && type->as.class.python &&
      !strcmp(type->as.class.python, "BaseException"))
    return KNOWN_TRUE;
  if (type->kind != THING_CLASS || error->kind != THING_INSTANCE)
    return KNOWN_NOT;
  return known_of(class_is_sub(error->as.instance.class, type));
}

static Thing *handler_type(Machine *m, const ExceptHandler *h) {
  return h->type ? run_expr(m, h->type) : exception_class(m, "BaseException");
}

// Gives each exception from `base` on to the first handler that matches.
static void send(Machine *m, const Stmt *stmt, size_t base) {
  const size_t count = m->leaves.count;
  for (int i = 0; i < stmt->try_.num_handlers; i++) {
    for (size_t k = base; k < count; k++) {
      if (m->leaves.items[k].kind != LEAVE_RAISE) continue;
      Thing *error = m->leaves.items[k].value;
      Thing *type = handler_type(m, &stmt->try_.handlers[i]);
      if (!type) run_lose(m);
      if (m->lost) return;
      const Known match = matches(error, type);
      if (match == KNOWN_TRUE) m->leaves.items[k].kind = LEAVE_HANDLER + i;
      if (match != KNOWN_NOT) continue;
      Leave copy = m->leaves.items[k]; // unknown match: later handlers get it,
                                       // too
      copy.kind = LEAVE_HANDLER + i;
      vec_push(m->arena, &m->leaves, copy);
    }
  }
}

// Unbinds the handler's name on the paths that have left the handler: the
// leaves from `base` on.
static void unbind_left(Machine *m, size_t base, const char *name) {
  NameCell *cell = run_cell(m, name);
  for (size_t i = base; i < m->leaves.count; i++)
    run_add_write(m, &m->leaves.items[i], &cell->owner, &cell->value, NULL);
}

static bool run_handler(Machine *m, const ExceptHandler *h, Thing *error) {
  Thing *const outer = m->handled;
  const size_t base = m->leaves.count;
  m->handled = error;
  if (h->name) run_bind(m, h->name, error);
  const bool alive = run_block(m, &h->body);
  assert(m->handled == error && "a handler within did not end"); // I1
  m->handled = outer;
  if (h->name) unbind_left(m, base, h->name);
  if (alive && h->name) run_bind(m, h->name, NULL);
  return alive;
}

static void run_handlers(Machine *m, const Stmt *stmt, size_t base) {
  for (int i = 0; i < stmt->try_.num_handlers && !m->lost; i++) {
    Thing *error = NULL;
    if (!run_merge(m, base, LEAVE_HANDLER + i, false, &error)) continue;
    if (run_handler(m, &stmt->try_.handlers[i], error))
      run_leave(m, LEAVE_FALL, NULL);
  }
}

// Marks the leaves from `base` on as pending; they are taken up one kind after
// the other.
static void suspend(Machine *m, size_t base) {
  assert(base <= m->leaves.count); // I2
  for (size_t i = base; i < m->leaves.count; i++)
    m->leaves.items[i].kind += LEAVE_PENDING;
  // A generator that is left at a `yield` here would run the block when it is
  // destroyed, at an unknown time.
  for (size_t i = base; i < m->leaves.count; i++)
    if (m->leaves.items[i].kind >= LEAVE_TAKER) run_lose(m);
}

static const LeaveKind ways[] = {LEAVE_FALL, LEAVE_BREAK, LEAVE_CONTINUE,
                                 LEAVE_RETURN, LEAVE_RAISE};
enum { NUM_WAYS = sizeof ways / sizeof *ways };

// Runs the block once for each way of leaving the statement.
static bool run_finally(Machine *m, const StmtList *block, size_t base) {
  suspend(m, base);
  for (int i = 0; i < NUM_WAYS && !m->lost; i++) {
    Thing *value = NULL;
    if (!run_merge(m, base, (int)ways[i] + LEAVE_PENDING, false, &value))
      continue;
    if (run_block(m, block)) run_leave(m, (int)ways[i], value);
  }
  return run_merge(m, base, LEAVE_FALL, false, NULL);
}

bool run_try(Machine *m, const Stmt *stmt) {
  const size_t base = m->leaves.count;
  const bool finally = stmt->try_.finally.count > 0;
  m->tries++;
  bool alive = run_block(m, &stmt->try_.body);
  if (!finally) m->tries--;
  send(m, stmt, base);
  // Exceptions of `else` do not reach the handlers.
  if (alive) alive = run_block(m, &stmt->try_.otherwise);
  if (alive) run_leave(m, LEAVE_FALL, NULL);
  run_handlers(m, stmt, base);
  if (!finally) return run_merge(m, base, LEAVE_FALL, false, NULL);
  m->tries--;
  return run_finally(m, &stmt->try_.finally, base);
}

// -- `with` ------------------------------------------------------------------

// Calls `__exit__` for an exception, which goes on unless the result is true.
static void exit_raising(Machine *m, Thing *exit, Thing *error) {
  bool alive = true;
  Things args = {0};
  vec_push(m->arena, &args,
           error->kind == THING_INSTANCE ? error->as.instance.class
                                         : &thing_unknown);
  vec_push(m->arena, &args, error);
  vec_push(m->arena, &args, &thing_unknown);
  Thing *answer = run_call(m, exit, &args, NULL);
  const Known swallows = answer ? run_truth(m, answer, &alive) : KNOWN_NOT;
  if (!answer || !alive) return;
  if (swallows != KNOWN_TRUE) run_leave(m, LEAVE_RAISE, error);
  if (swallows != KNOWN_FALSE) run_leave(m, LEAVE_FALL, NULL);
}

static bool run_items(Machine *m, const Stmt *stmt, int item);

static bool run_managed(Machine *m, const Stmt *stmt, int item, Thing *exit) {
  const size_t base = m->leaves.count;
  Things args = {0};
  for (int i = 0; i < 3; i++) vec_push(m->arena, &args, &thing_none);
  m->tries++;
  if (run_items(m, stmt, item + 1)) run_leave(m, LEAVE_FALL, NULL);
  m->tries--;
  suspend(m, base);
  for (int i = 0; i < NUM_WAYS && !m->lost; i++) {
    Thing *value = NULL;
    if (!run_merge(m, base, (int)ways[i] + LEAVE_PENDING, false, &value))
      continue;
    if (ways[i] == LEAVE_RAISE)
      exit_raising(m, exit, value);
    else if (run_call(m, exit, &args, NULL))
      run_leave(m, (int)ways[i], value);
  }
  return run_merge(m, base, LEAVE_FALL, false, NULL);
}

static bool run_items(Machine *m, const Stmt *stmt, int item) {
  if (item == stmt->with.num_items) return run_block(m, &stmt->with.body);
  Thing *manager = run_expr(m, stmt->with.items[item].context);
  Thing *enter = &thing_unknown, *exit = &thing_unknown;
  Things none = {0};
  if (!manager) return false;
  if (manager->kind == THING_INSTANCE &&
      !class_is_unknown(manager->as.instance.class)) {
    enter = special_method(m, manager, "__enter__");
    exit = special_method(m, manager, "__exit__");
    if (!enter || !exit) return run_raise(m, "TypeError") != NULL;
  } else {
    run_unknown(m, manager, NULL);
  }
  Thing *x = run_call(m, enter, &none, NULL);
  const Expr *target = stmt->with.items[item].target;
  if (!x || (target && !run_assign(m, target, x))) return false;
  return run_managed(m, stmt, item, exit);
}

bool run_with(Machine *m, const Stmt *stmt) {
  return run_items(m, stmt, 0);
}
