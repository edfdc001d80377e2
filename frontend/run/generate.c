// generate.c -- comprehensions, generator expressions and functions.
#include "frontend/run/evaluate.h"

#include <assert.h>

// The iterators of the clauses that were entered; constant once made.
typedef struct {
  Thing **iterators;
  int count;
} Clauses;

static Clauses *clauses_with(Machine *m, const Clauses *from, int count,
                             Thing *last) {
  assert(count >= 0 && count <= from->count + 1 && "a clause too far"); // I3
  Clauses *c = arena_new(m->arena, Clauses);
  c->iterators = arena_array(m->arena, Thing *, count + 1);
  for (int i = 0; i < count && i < from->count; i++)
    c->iterators[i] = from->iterators[i];
  if (last) c->iterators[count - 1] = last;
  c->count = count;
  return c;
}

// Are the clause's conditions true for the present value of its target?
static Known holds(Machine *m, const ComprehensionFor *clause, bool *alive) {
  for (int i = 0; i < clause->conditions.count; i++) {
    Thing *x = run_expr(m, clause->conditions.items[i]);
    const Known truth = x ? run_truth(m, x, alive) : KNOWN_NOT;
    if (!x) *alive = false;
    if (!*alive || truth != KNOWN_TRUE) return truth;
  }
  return KNOWN_TRUE;
}

static Thing *element(Machine *m, const Expr *e) {
  Thing *pair[2] = {NULL};
  if (e->comprehension.key) {
    pair[0] = run_expr(m, e->comprehension.key);
    if (!pair[0]) return NULL;
  }
  pair[1] = run_expr(m, e->comprehension.value);
  if (!pair[1] || !e->comprehension.key) return pair[1];
  return thing_tuple(m, pair, 2);
}

typedef struct {
  const Expr *expr;
  int level;
} Rest;

static bool run_rest(Machine *m, const Expr *e, int level);

static bool rest_turn(Machine *m, void *data) {
  const Rest *rest = data;
  const ComprehensionFor *clause = &rest->expr->comprehension.fors[rest->level];
  if (!run_assign(m, clause->target, &thing_unknown)) return false;
  return run_rest(m, rest->expr, rest->level);
}

// Runs the comprehension from the conditions of clause `level` on, with unknown
// values of the targets.
static bool run_rest(Machine *m, const Expr *e, int level) {
  bool alive = true;
  const ComprehensionFor *clause = &e->comprehension.fors[level];
  for (int i = 0; i < clause->conditions.count; i++)
    if (!run_expr(m, clause->conditions.items[i])) return false;
  if (level + 1 == e->comprehension.num_fors) {
    Thing *x = element(m, e);
    if (x) run_expose(m, x);
    return x != NULL;
  }
  Thing *x = run_expr(m, clause[1].iterable);
  if (!x) return false;
  run_unknown(m, x, NULL);
  Rest rest = {e, level + 1};
  run_weak(m, rest_turn, &rest);
  return alive;
}

// The generator's items become unknown: runs its clauses an unknown number of
// times.
static Next lose_generator(Machine *m, Thing *x) {
  Rest rest = {x->as.iterator.expr, 0};
  run_weak(m, rest_turn, &rest);
  return iterator_lose(m, x);
}

static Next generate(Machine *m, Thing *x, Thing **out) {
  const Expr *e = x->as.iterator.expr;
  const Clauses *c = x->as.iterator.at;
  while (c->count) {
    bool alive = true;
    const ComprehensionFor *clause = &e->comprehension.fors[c->count - 1];
    Thing *item;
    const Next next = run_next(m, c->iterators[c->count - 1], &item);
    if (next == NEXT_END) {
      c = clauses_with(m, c, c->count - 1, NULL);
      run_store(m, &x->owner, &x->as.iterator.at, (void *)c);
      continue;
    }
    if (next == NEXT_DEAD) return next;
    if (next == NEXT_UNKNOWN || clause->is_async) return lose_generator(m, x);
    if (!run_assign(m, clause->target, item)) return NEXT_DEAD;
    const Known truth = holds(m, clause, &alive);
    if (!alive) return NEXT_DEAD;
    if (truth == KNOWN_NOT) return lose_generator(m, x);
    if (truth == KNOWN_FALSE) continue;
    if (c->count == e->comprehension.num_fors)
      return (*out = element(m, e)) ? NEXT_ITEM : NEXT_DEAD;
    Thing *over = run_expr(m, clause[1].iterable);
    Thing *inner = over ? run_iterator(m, over) : NULL;
    if (!inner) return NEXT_DEAD;
    c = clauses_with(m, c, c->count + 1, inner);
    run_store(m, &x->owner, &x->as.iterator.at, (void *)c);
  }
  return NEXT_END;
}

void run_generator_weakly(Machine *m, Thing *x) {
  RunFrame *const outer = m->frame;
  m->frame = x->as.iterator.frame;
  lose_generator(m, x);
  m->frame = outer;
}

Next next_generated(Machine *m, Thing *x, Thing **out) {
  RunFrame *const outer = m->frame;
  m->frame = x->as.iterator.frame;
  const Next next = generate(m, x, out);
  m->frame = outer;
  return next;
}

static Thing *generator_new(Machine *m, const Expr *e) {
  Thing *over = run_expr(m, e->comprehension.fors[0].iterable);
  Thing *first = over ? run_iterator(m, over) : NULL;
  if (!first) return NULL;
  Thing *x = iterator_new(m, ITERATES_GENERATOR, NULL, NULL, 0);
  RunFrame *frame = arena_new(m->arena, RunFrame);
  *frame = (RunFrame){.outer = m->frame,
                      .module = m->frame->module,
                      .names = table_new(m),
                      .scope = comprehension_names(m, e),
                      .is_comprehension = true,
                      .class = m->frame->class,
                      .self = m->frame->self};
  const Clauses none = {0};
  x->as.iterator.expr = e;
  x->as.iterator.frame = frame;
  run_store(m, &x->owner, &x->as.iterator.at, clauses_with(m, &none, 1, first));
  return x;
}

bool generate_all(Machine *m, Thing *x, Taker *taker, bool *known) {
  RunFrame *const outer = m->frame, *const frame = x->as.iterator.frame;
  const size_t base = m->leaves.count;
  const int loops = m->loops;
  *known = iterator_take_all(m, x);
  if (!*known) return false;
  frame->taker = taker;
  m->frame = frame;
  m->loops = 0;
  bool alive = run_block(m, &x->as.iterator.over->as.function.ast->body);
  alive = run_merge(m, base, LEAVE_RETURN, alive, NULL);
  assert(m->frame == frame && frame->taker == taker); // I1
  m->loops = loops;
  m->frame = outer;
  frame->taker = NULL;
  for (size_t i = base; i < m->leaves.count; i++)
    if (m->leaves.items[i].kind >= LEAVE_TAKER)
      m->leaves.items[i].kind -= LEAVE_TAKER;
  return alive;
}

static Thing *dict_of_pairs(Machine *m, const Things *pairs) {
  Thing *dict = thing_dict(m, NULL, NULL, 0);
  for (size_t i = 0; i < pairs->count; i++)
    if (!run_set_item(m, dict, pairs->items[i]->as.tuple.items[0],
                      pairs->items[i]->as.tuple.items[1]))
      return NULL;
  return dict;
}

Thing *run_comprehension(Machine *m, const Expr *e) {
  Things items = {0};
  bool alive = true;
  Thing *x = generator_new(m, e);
  if (!x || e->comprehension.kind == COMP_GENERATOR) return x;
  const bool known = e->comprehension.kind == COMP_SET
                         ? run_drain_any(m, x, &items, &alive)
                         : run_drain(m, x, &items, &alive);
  if (!known) return alive ? run_unknown(m, x, NULL) : NULL;
  if (e->comprehension.kind == COMP_SET) return run_set_of(m, &items);
  if (e->comprehension.kind == COMP_DICT) return dict_of_pairs(m, &items);
  return thing_list(m, items.items, (int)items.count);
}
