// if.c -- run-time branches, and early exits from them.
//
// If one branch of a run-time `if` returns, breaks or continues, the statements
// behind the `if` become its other branch: the `if` stays pending while they
// are walked. If only some paths of a branch leave, the `if` yields an i1 "has
// left" beside the values, and a second `if` on that stays pending.
//
// Example: `if c: return 1` and `return x` become one `if` that yields 1 or x.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>

// -- Pending ifs -------------------------------------------------------------

bool close_pending(Walk *w, size_t mark, Flow flow, Branch *out) {
  Frame *frame = w->frame;
  assert(mark <= frame->pending.count); // I1
  *out = (Branch){.block = w->b.block};
  if (flow == FLOW_LEFT) out->exits = frame->exits;
  out->state = scope_save(&frame->scope);
  while (frame->pending.count > mark) {
    const PendingIf *p = &frame->pending.items[--frame->pending.count];
    Branch branches[2];
    assert(out->block == p->blocks[!p->left]); // I1
    branches[p->left] = (Branch){
        .block = p->blocks[p->left], .state = p->state, .exits = p->exits};
    branches[!p->left] = *out;
    w->b.block = p->outer;
    if (!join_branches(w, p->loc, p->condition, branches, out)) return false;
    out->state = scope_save(&frame->scope);
  }
  return true;
}

static Flow push_pending(Walk *w, PendingIf pending) {
  assert(pending.exits.always && pending.exits.kinds); // I7
  if (w->frame->pending.count >= MAX_EARLY_RETURNS) {
    diag_error(w->diags, pending.loc, ERROR_too_many_early_returns_one);
    return FLOW_FAILED;
  }
  vec_push(w->arena, &w->frame->pending, pending);
  w->b.block = pending.blocks[!pending.left];
  return FLOW_NEXT;
}

// One branch was left: the walk continues in the other one.
static Flow go_on_in_other(Walk *w, SrcLoc loc, Value *condition,
                           const Branch branches[2]) {
  const int left = branches[0].exits.always ? 0 : 1;
  assert(branches[left].exits.always && !branches[!left].exits.kinds); // I7
  const PendingIf pending = {.loc = loc,
                             .condition = condition,
                             .outer = w->b.block,
                             .blocks = {branches[0].block, branches[1].block},
                             .left = left,
                             .exits = branches[left].exits,
                             .state = branches[left].state};
  scope_restore(&w->frame->scope, &branches[!left].state);
  return push_pending(w, pending);
}

// `x | y` for conditions; one may be a tile, in map_elementwise().
static Value *either(Walk *w, Value *x, Value *y) {
  if (type_is_tile(x->type) && !type_is_tile(y->type))
    y = build_splat(&w->b, x->type, y);
  if (type_is_tile(y->type) && !type_is_tile(x->type))
    x = build_splat(&w->b, y->type, x);
  return build_ori(&w->b, x->type, x, y);
}

static Value *any_taken(Walk *w, const Exits *exits) {
  Value *any = NULL;
  for (int kind = 0; kind < NUM_EXITS; kind++) {
    Value *taken = exits->taken[kind];
    if (!taken) continue;
    any = any ? either(w, any, taken) : taken;
  }
  return any;
}

Flow go_on_unless(Walk *w, SrcLoc loc, const Exits *exits) {
  PendingIf pending = {.loc = loc,
                       .condition = any_taken(w, exits),
                       .outer = w->b.block,
                       .blocks = {block_create(w->function, 0, NULL),
                                  block_create(w->function, 0, NULL)},
                       .exits = *exits,
                       .state = scope_save(&w->frame->scope)};
  pending.exits.always = true;
  return push_pending(w, pending);
}

const Object *walk_body(Walk *w, const StmtList *body) {
  const int failures = w->failures;
  assert(!w->frame->pending.count && "a body begins on one path"); // I3
  Flow flow = walk_block(w, body);
  if (w->failures != failures) return NULL;
  if (flow == FLOW_NEXT) w->frame->exits = exits_by(EXIT_RETURN, &object_none);
  Branch end;
  return close_pending(w, 0, FLOW_LEFT, &end) ? end.exits.result : NULL;
}

// -- The statement -----------------------------------------------------------

// The two branches of a run-time `if`.
typedef struct {
  SrcLoc loc;
  const StmtList *then, *otherwise;
  const Stmt *stmt; // if `otherwise` is NULL: the `if` from `branch` on
  int branch;
} Alternatives;

static Flow walk_if_from(Walk *w, const Stmt *stmt, int branch);

// An `elif` of a run-time `if` is nested one level deeper.
static Flow walk_rest(Walk *w, const Stmt *stmt, int branch) {
  if (branch == stmt->if_.num_branches)
    return walk_block(w, &stmt->if_.otherwise);
  const int level = walk_enter(w, stmt->if_.branches[branch].loc);
  if (!level) return FLOW_FAILED;
  const Flow flow = walk_if_from(w, stmt, branch);
  walk_leave(w, level);
  return flow;
}

static Flow walk_alternative(Walk *w, const Alternatives *a, int which) {
  if (!which) return walk_block(w, a->then);
  if (a->otherwise) return walk_block(w, a->otherwise);
  return walk_rest(w, a->stmt, a->branch);
}

static bool walk_branch(Walk *w, const Alternatives *a, int which,
                        Branch *out) {
  const size_t mark = w->frame->pending.count;
  const int failures = w->failures;
  Block *block = block_create(w->function, 0, NULL);
  w->b.block = block;
  const Flow flow = walk_alternative(w, a, which);
  const bool ok = flow != FLOW_FAILED && w->failures == failures;
  if (!ok || !close_pending(w, mark, flow, out)) return false;
  assert(out->block == block && "an 'if' ends where it began"); // I1
  out->is_otherwise = a->otherwise && which;
  return true;
}

static Flow walk_run_time_if(Walk *w, const Alternatives *a, Value *condition) {
  const Builder outer = w->b;
  const ScopeState before = scope_save(&w->frame->scope);
  Branch branches[2], joined;
  bool ok = true;
  for (int i = 0; i < 2 && !w->stopped; i++) {
    scope_restore(&w->frame->scope, &before);
    ok = walk_branch(w, a, i, &branches[i]) && ok;
  }
  if (!ok) return FLOW_FAILED;
  w->b = outer;
  const int left = branches[0].exits.always ? 0 : 1;
  if (branches[left].exits.always && !branches[!left].exits.kinds)
    return go_on_in_other(w, a->loc, condition, branches);
  if (!join_branches(w, a->loc, condition, branches, &joined))
    return FLOW_FAILED;
  if (!joined.exits.kinds) return FLOW_NEXT;
  if (!joined.exits.always) return go_on_unless(w, a->loc, &joined.exits);
  w->frame->exits = joined.exits;
  return FLOW_LEFT;
}

static Flow walk_if_on(Walk *w, const Stmt *stmt, int branch, const Object *x) {
  const Expr *test = stmt->if_.branches[branch].condition;
  const bool is_tile =
      object_is_tile(x) && (w->mapping || object_type(x)->num_elements > 1);
  if (is_tile && !w->mapping) {
    diag_error(w->diags, test->loc, ERROR_if_condition_is_tile, text_of(w, x));
    return FLOW_FAILED;
  }
  w->b.loc = test->loc;
  if (!is_tile) x = w->language->scalar(w, test->loc, x);
  if (x) x = tensor_truth(w, test->loc, x);
  const Alternatives a = {.loc = stmt->if_.branches[branch].loc,
                          .then = &stmt->if_.branches[branch].body,
                          .stmt = stmt,
                          .branch = branch + 1};
  return x ? walk_run_time_if(w, &a, x->as.tensor.value) : FLOW_FAILED;
}

// Conditions that are constant select a branch, without an `if` in the IR.
static Flow walk_if_from(Walk *w, const Stmt *stmt, int branch) {
  for (; branch < stmt->if_.num_branches; branch++) {
    const Object *x = walk_expr(w, stmt->if_.branches[branch].condition);
    const SrcLoc loc = stmt->if_.branches[branch].condition->loc;
    if (!x || !walk_decides(w, loc, x)) return FLOW_FAILED;
    if (object_is_tensor(x)) return walk_if_on(w, stmt, branch, x);
    if (constant_truth(x))
      return walk_block(w, &stmt->if_.branches[branch].body);
  }
  return walk_block(w, &stmt->if_.otherwise);
}

Flow walk_unless(Walk *w, SrcLoc loc, Value *condition, const StmtList *body) {
  static const StmtList nothing;
  const Alternatives a = {.loc = loc, .then = &nothing, .otherwise = body};
  return walk_run_time_if(w, &a, condition);
}

Flow walk_if(Walk *w, const Stmt *stmt) {
  return walk_if_from(w, stmt, 0);
}
