// specialize_if.c -- run-time branches, joins, and early returns.
//
// A `return` in one branch of a run-time `if` makes the rest of the function
// the other branch: the `if` stays pending while that is walked.  Where only
// some paths of a branch return, the `if` yields an i1 "has returned" beside
// the values, and a second `if` on it stays pending.
#include "frontend/tensor.h"

#include <assert.h>

// -- Joining two branches ----------------------------------------------------

typedef struct {
  size_t index; // of the name in the scope
  const Object *model;
} JoinedName;

typedef struct {
  Walk *w;
  const Branch *branches;
  Vec(Value *) yields[2];
  Vec(JoinedName) names;
} Join;

static Value *null_window(Builder *b, const Type *type) {
  TypeTable *types = &b->m->types;
  const Type *i32 = type_scalar(types, ELEM_i32);
  const Type *i64 = type_scalar(types, ELEM_i64);
  const Type *pointer = type_pointer(types, type->element, SPACE_GLOBAL);
  Value *base = build_inttoptr(b, pointer, build_int(b, i64, 0));
  Value *sizes[MAX_RANK], *offsets[MAX_RANK];
  for (int i = 0; i < type->rank; i++) {
    sizes[i] = build_int(b, i64, 0);
    offsets[i] = build_int(b, i32, 0);
  }
  if (type->kind == TYPE_BLOCK_POINTER)
    return build_make_block_ptr(b, type, base, sizes, sizes, offsets, NULL);
  Value *operands[1 + 2 * MAX_RANK] = {base};
  for (int i = 0; i < 2 * type->rank; i++) operands[1 + i] = sizes[0];
  return op_result(build_op(b, OP_make_desc, 1 + 2 * type->rank, operands,
                            (int[]){1, type->rank, type->rank}, 1, &type));
}

// Some value of the type, for paths on which nobody looks at it.
static Value *placeholder(Builder *b, const Type *type) {
  if (type->kind == TYPE_BLOCK_POINTER || type->kind == TYPE_DESCRIPTOR)
    return null_window(b, type);
  if (type_is_float(type)) return build_float(b, type, 0);
  if (!type_is_pointer(type)) return build_int(b, type, 0);
  const Type *i64 = type_scalar(&b->m->types, ELEM_i64);
  const Type *wide = type_with_element(&b->m->types, type, i64);
  if (!type_is_tile(type)) wide = i64;
  return build_inttoptr(b, type, build_int(b, wide, 0));
}

static void add_pair(Join *join, Value *a, Value *b) {
  Value *pair[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    Builder at = join->w->b;
    at.block = join->branches[i].block;
    at.before = NULL;
    if (!pair[i]) pair[i] = placeholder(&at, pair[!i]->type);
    vec_push(join->w->arena, &join->yields[i], pair[i]);
  }
}

// One of them may be NULL: nothing, on that path.
static void add_objects(Join *join, const Object *a, const Object *b) {
  const int n = object_num_values(a ? a : b);
  Value **values[2] = {arena_array(join->w->arena, Value *, n + 1),
                       arena_array(join->w->arena, Value *, n + 1)};
  Value **cursors[2] = {values[0], values[1]};
  if (a) object_values(a, &cursors[0]);
  if (b) object_values(b, &cursors[1]);
  for (int i = 0; i < n; i++) add_pair(join, values[0][i], values[1][i]);
}

static bool defined_in(const Value *value, const Block *block) {
  return (value->def ? value->def->block : value->block) == block;
}

// Is every value of it visible outside of the block as it is?
static bool is_visible(Walk *w, const Object *x, const Block *block) {
  const int n = object_num_values(x);
  Value **values = arena_array(w->arena, Value *, n + 1), **cursor = values;
  object_values(x, &cursor);
  for (int i = 0; i < n; i++) {
    if (defined_in(values[i], block)) return false;
  }
  return true;
}

static const Object gone_branch = {
    .kind = OBJECT_GONE,
    .as.reason = "is assigned in only one branch of an 'if' above"};

static const Object *types_differ(Walk *w, const Object *a, const Object *b) {
  return object_gone(
      w->arena,
      arena_printf(w->arena, "has two types after an 'if' above: %s and %s",
                   text_of(w, a), text_of(w, b)));
}

static void add_name(Join *join, size_t i, const Object *a, const Object *b) {
  vec_push(join->w->arena, &join->names, ((JoinedName){i, a ? a : b}));
  add_objects(join, a, b);
}

// A number that a branch leaves behind, as the run-time value that it becomes.
static const Object *number_in(Join *join, int which, const Object *x) {
  Walk *w = join->w;
  const Builder outer = w->b;
  if (!object_is_number(x)) return x;
  w->b.block = join->branches[which].block;
  w->b.before = NULL;
  x = to_tensor(w, w->b.loc, x);
  w->b = outer;
  return x;
}

static void join_alive(Join *join, size_t i, const Object *x, const Object *y) {
  Walk *w = join->w;
  const Object *a = number_in(join, 0, x), *b = number_in(join, 1, y);
  if (a && b && object_same_type(a, b))
    add_name(join, i, a, b);
  else
    w->frame->scope.items[i].object = types_differ(w, x, y);
}

// What the name at `i` stands for after both branches.
static void join_name(Join *join, size_t i) {
  Walk *w = join->w;
  const Branch *b = join->branches;
  Binding *binding = &w->frame->scope.items[i];
  const Object *x = state_get(&b[0].state, i), *y = state_get(&b[1].state, i);
  if (b[0].returned || b[1].returned) {
    const int alive = b[0].returned;
    const Object *only = alive ? y : x;
    binding->object = only;
    if (!only || is_visible(w, only, b[alive].block)) return;
    add_name(join, i, alive ? NULL : only, alive ? only : NULL);
    return;
  }
  if (!x && !y)
    binding->object = NULL;
  else if (!x || !y)
    binding->object = &gone_branch;
  else if (x->kind == OBJECT_GONE || object_equal(x, y))
    binding->object = x;
  else if (y->kind == OBJECT_GONE)
    binding->object = y;
  else
    join_alive(join, i, x, y);
}

static void add_flag(Join *join) {
  Value *flags[2];
  const Type *i1 = type_scalar(&join->w->m->types, ELEM_i1);
  for (int i = 0; i < 2; i++) {
    const Branch *b = &join->branches[i];
    Builder at = join->w->b;
    at.block = b->block;
    at.before = NULL;
    flags[i] = b->flag ? b->flag : build_int(&at, i1, b->returned);
  }
  add_pair(join, flags[0], flags[1]);
}

static bool add_result(Join *join, SrcLoc loc, const Object **out) {
  const Object *a = join->branches[0].result, *b = join->branches[1].result;
  *out = a ? a : b;
  if (a && b && !object_same_type(a, b))
    return diag_error(join->w->diags, loc,
                      "this function returns %s on one path, %s on another",
                      text_of(join->w, a), text_of(join->w, b));
  add_objects(join, a, b);
  return true;
}

static Op *emit_if(Join *join, SrcLoc loc, Value *condition) {
  Walk *w = join->w;
  const int n = (int)join->yields[0].count;
  const Type **types = arena_array(w->arena, const Type *, n + 1);
  for (int i = 0; i < n; i++) types[i] = join->yields[0].items[i]->type;
  for (int i = 0; i < 2; i++) {
    Builder at = builder_at_end(w->m, join->branches[i].block, loc);
    build_yield(&at, n, join->yields[i].items);
  }
  w->b.loc = loc;
  Op *op = build_op(&w->b, OP_if, 1, &condition, NULL, n, types);
  op_set_region(op, 0, join->branches[0].block);
  op_set_region(op, 1, join->branches[1].block);
  return op;
}

static Value **results_of(Walk *w, Op *op) {
  Value **results = arena_array(w->arena, Value *, op->num_results + 1);
  for (int i = 0; i < op->num_results; i++) results[i] = &op->results[i];
  return results;
}

bool join_branches(Walk *w, SrcLoc loc, Value *condition,
                   const Branch branches[2], Branch *joined) {
  Join join = {.w = w, .branches = branches};
  const bool returned = branches[0].returned && branches[1].returned;
  const bool flagged = !returned && (branches[0].result || branches[1].result);
  *joined = (Branch){.block = w->b.block, .returned = returned};
  if (flagged) add_flag(&join);
  if ((flagged || returned) && !add_result(&join, loc, &joined->result))
    return false;
  for (size_t i = 0; !returned && i < w->frame->scope.count; i++)
    join_name(&join, i);
  Value *const *cursor = results_of(w, emit_if(&join, loc, condition));
  if (flagged) joined->flag = *cursor++;
  if (joined->result)
    joined->result = object_with_values(w->arena, joined->result, &cursor);
  for (size_t i = 0; i < join.names.count; i++) {
    const JoinedName *name = &join.names.items[i];
    w->frame->scope.items[name->index].object =
        object_with_values(w->arena, name->model, &cursor);
  }
  return true;
}

// -- Pending ifs -------------------------------------------------------------

// Makes the `if`s that have been pending since `mark`.  `out` is what the walk
// since then amounts to.
static bool close_pending(Walk *w, size_t mark, Flow flow, Branch *out) {
  Frame *frame = w->frame;
  *out = (Branch){.block = w->b.block, .returned = flow == FLOW_RETURN};
  if (out->returned) out->result = frame->result;
  out->state = scope_save(&frame->scope);
  while (frame->pending.count > mark) {
    const PendingIf *p = &frame->pending.items[--frame->pending.count];
    Branch branches[2];
    branches[p->returned] = (Branch){.block = p->blocks[p->returned],
                                     .state = p->before,
                                     .returned = true,
                                     .result = p->result};
    branches[!p->returned] = *out;
    w->b.block = p->outer;
    if (!join_branches(w, p->loc, p->condition, branches, out)) return false;
    out->state = scope_save(&frame->scope);
  }
  return true;
}

static Flow push_pending(Walk *w, PendingIf pending) {
  if (w->frame->pending.count >= MAX_EARLY_RETURNS) {
    diag_error(w->diags, pending.loc, "too many early returns in one function");
    return FLOW_FAILED;
  }
  vec_push(w->arena, &w->frame->pending, pending);
  w->b.block = pending.blocks[!pending.returned];
  return FLOW_NEXT;
}

// One branch has returned: the other one goes on.
static Flow go_on_in_other(Walk *w, SrcLoc loc, Value *condition,
                           const Branch branches[2]) {
  const int returned = branches[0].returned ? 0 : 1;
  const PendingIf pending = {.loc = loc,
                             .condition = condition,
                             .outer = w->b.block,
                             .blocks = {branches[0].block, branches[1].block},
                             .returned = returned,
                             .result = branches[returned].result,
                             .before = branches[!returned].state};
  scope_restore(&w->frame->scope, &branches[!returned].state);
  return push_pending(w, pending);
}

// Some paths have returned: `if flag: result, else: the rest`.
static Flow go_on_unless(Walk *w, SrcLoc loc, const Branch *joined) {
  const PendingIf pending = {.loc = loc,
                             .condition = joined->flag,
                             .outer = w->b.block,
                             .blocks = {block_create(w->function, 0, NULL),
                                        block_create(w->function, 0, NULL)},
                             .result = joined->result,
                             .before = scope_save(&w->frame->scope)};
  return push_pending(w, pending);
}

const Object *walk_body(Walk *w, const StmtList *body) {
  Flow flow = walk_block(w, body);
  if (flow == FLOW_FAILED) return NULL;
  if (flow == FLOW_NEXT) w->frame->result = &object_none;
  Branch end;
  return close_pending(w, 0, FLOW_RETURN, &end) ? end.result : NULL;
}

// -- The statement -----------------------------------------------------------

static Flow walk_if_from(Walk *w, const Stmt *stmt, int branch);

static Flow walk_rest(Walk *w, const Stmt *stmt, int branch) {
  if (branch < stmt->if_.num_branches) return walk_if_from(w, stmt, branch);
  return walk_block(w, &stmt->if_.otherwise);
}

static bool walk_branch(Walk *w, const Stmt *stmt, int branch, int which,
                        Branch *out) {
  const size_t mark = w->frame->pending.count;
  Block *block = block_create(w->function, 0, NULL);
  w->b.block = block;
  const Flow flow = which ? walk_rest(w, stmt, branch + 1)
                          : walk_block(w, &stmt->if_.branches[branch].body);
  if (flow == FLOW_FAILED || !close_pending(w, mark, flow, out)) return false;
  assert(out->block == block && "an 'if' ends where it began");
  return true;
}

static Flow walk_run_time_if(Walk *w, const Stmt *stmt, int branch,
                             Value *condition) {
  const SrcLoc loc = stmt->if_.branches[branch].loc;
  const Builder outer = w->b;
  const ScopeState before = scope_save(&w->frame->scope);
  Branch branches[2], joined;
  for (int i = 0; i < 2; i++) {
    scope_restore(&w->frame->scope, &before);
    if (!walk_branch(w, stmt, branch, i, &branches[i])) return FLOW_FAILED;
  }
  w->b = outer;
  const bool one = branches[0].returned != branches[1].returned;
  if (one && !branches[0].flag && !branches[1].flag)
    return go_on_in_other(w, loc, condition, branches);
  if (!join_branches(w, loc, condition, branches, &joined)) return FLOW_FAILED;
  if (joined.flag) return go_on_unless(w, loc, &joined);
  if (!joined.returned) return FLOW_NEXT;
  w->frame->result = joined.result;
  return FLOW_RETURN;
}

static Flow walk_if_from(Walk *w, const Stmt *stmt, int branch) {
  const Expr *test = stmt->if_.branches[branch].condition;
  const Object *x = walk_expr(w, test);
  if (!x) return FLOW_FAILED;
  if (!object_is_tensor(x)) {
    if (!constant_truth(x)) return walk_rest(w, stmt, branch + 1);
    return walk_block(w, &stmt->if_.branches[branch].body);
  }
  if (object_is_tile(x) && object_type(x)->num_elements > 1) {
    diag_error(w->diags, test->loc,
               "the condition of an 'if' is one value, found %s; use 'where'",
               text_of(w, x));
    return FLOW_FAILED;
  }
  w->b.loc = test->loc;
  x = scalar_of(w, test->loc, x);
  if (x) x = tensor_truth(w, test->loc, x);
  return x ? walk_run_time_if(w, stmt, branch, x->as.tensor.value)
           : FLOW_FAILED;
}

Flow walk_if(Walk *w, const Stmt *stmt) {
  return walk_if_from(w, stmt, 0);
}
