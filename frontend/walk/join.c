// join.c -- joining two branches.
//
// The `if` yields the values of names, the returned value, and, if paths leave
// the block in several ways, an i1 for each way.
//
// Example: `if c: x = 1`, `else: x = y` yields one value, and `x` is the result
// of the `if`; a name with equal numbers on both paths stays a constant.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/walk/element.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <string.h>

typedef struct {
  size_t index; // of the name in the scope
  const Object *model;
} JoinedName;

typedef struct {
  Walk *w;
  const Branch *branches;
  Value *condition;
  Vec(Value *) yields[2];
  Vec(JoinedName) names;
  bool failed; // an error was reported
} Join;

static Value *null_window(Builder *b, const Type *type) {
  TypeTable *types = &b->m->types;
  const Type *i64 = type_scalar(types, ELEM_i64);
  const Type *offset = type_of_offsets(types, type);
  const Type *pointer = type_pointer(types, type->element, SPACE_GLOBAL);
  Value *base = build_inttoptr(b, pointer, build_int(b, i64, 0));
  Value *sizes[MAX_RANK], *offsets[MAX_RANK];
  for (int i = 0; i < type->rank; i++) {
    sizes[i] = build_int(b, i64, 0);
    offsets[i] = build_int(b, offset, 0);
  }
  if (type->kind == TYPE_BLOCK_POINTER)
    return build_make_block_ptr(b, type, base, sizes, sizes, offsets, NULL);
  Value *operands[1 + 2 * MAX_RANK] = {base};
  for (int i = 0; i < 2 * type->rank; i++) operands[1 + i] = sizes[0];
  return op_result(build_op(b, OP_make_desc, 1 + 2 * type->rank, operands,
                            (int[]){1, type->rank, type->rank}, 1, &type));
}

Value *any_value(Builder *b, const Type *type) {
  if (type->kind == TYPE_BLOCK_POINTER || type->kind == TYPE_DESCRIPTOR)
    return null_window(b, type);
  if (type_is_float(type)) return build_float(b, type, 0);
  if (!type_is_pointer(type)) return build_int(b, type, 0);
  const Type *i64 = type_scalar(&b->m->types, ELEM_i64);
  const Type *wide = type_with_element(&b->m->types, type, i64);
  if (!type_is_tile(type)) wide = i64;
  return build_inttoptr(b, type, build_int(b, wide, 0));
}

// Splats a scalar to a tile, if the value of the other branch is a tile.
static void spread_pair(Join *join, Value *pair[2]) {
  for (int i = 0; pair[0] && pair[1] && i < 2; i++) {
    const Type *other = pair[!i]->type;
    if (type_is_tile(pair[i]->type) || !type_is_tile(other)) continue;
    Builder at = join->w->b;
    at.block = join->branches[i].block;
    at.before = NULL;
    pair[i] = build_splat(&at, other, pair[i]);
  }
}

static void add_pair(Join *join, Value *a, Value *b) {
  Value *pair[2] = {a, b};
  spread_pair(join, pair);
  for (int i = 0; i < 2; i++) {
    Builder at = join->w->b;
    at.block = join->branches[i].block;
    at.before = NULL;
    if (!pair[i]) pair[i] = any_value(&at, pair[!i]->type);
    assert(!pair[!i] || pair[i]->type == pair[!i]->type); // I8
    vec_push(join->w->arena, &join->yields[i], pair[i]);
  }
}

// Adds the values of `a` and `b`, the objects of the two branches, to the
// results.  One of the two may be NULL: that branch has no object.
static void add_objects(Join *join, const Object *a, const Object *b) {
  const int n = object_num_values(a ? a : b);
  Value **values[2] = {arena_array(join->w->arena, Value *, n + 1),
                       arena_array(join->w->arena, Value *, n + 1)};
  Value **cursors[2] = {values[0], values[1]};
  if (a) object_values(a, &cursors[0]);
  if (b) object_values(b, &cursors[1]);
  assert(!a || cursors[0] - values[0] == n); // I8
  assert(!b || cursors[1] - values[1] == n); // I8
  for (int i = 0; i < n; i++) add_pair(join, values[0][i], values[1][i]);
}

// Is every value in the object defined outside of the block?
static bool is_visible(Walk *w, const Object *x, const Block *block) {
  const int n = object_num_values(x);
  Value **values = arena_array(w->arena, Value *, n + 1), **cursor = values;
  object_values(x, &cursor);
  for (int i = 0; i < n; i++) {
    if (value_block(values[i]) == block) return false;
  }
  return true;
}

static const char *text_beside(Walk *w, const Object *x, const Object *other) {
  return object_text_beside(w->arena, element_of(w, x), element_of(w, other));
}

static const Object *types_differ(Join *join, size_t at, const Object *a,
                                  const Object *b) {
  Walk *w = join->w;
  const bool of_loop = join->branches[1].is_otherwise;
  Object *gone = object_gone(
      w->arena,
      arena_printf(w->arena, "has two types after %s above: %s and %s",
                   of_loop ? "the 'else' of a loop" : "an 'if'",
                   text_beside(w, a, b), text_beside(w, b, a)),
      a, b);
  for (int i = 0; i < 2; i++)
    gone->as.gone.given[i] = state_given(&join->branches[i].state, at);
  return gone;
}

static const Object *assigned_in_one(Join *join, const Object *x) {
  const bool of_loop = join->branches[1].is_otherwise;
  return object_gone(join->w->arena,
                     of_loop
                         ? "is assigned only in the 'else' of a loop above"
                         : "is assigned in only one branch of an 'if' above",
                     x, NULL);
}

static void add_name(Join *join, size_t i, const Object *a, const Object *b) {
  vec_push(join->w->arena, &join->names, ((JoinedName){i, a ? a : b}));
  add_objects(join, a, b);
}

// A number at the end of a branch, as a run-time value.
static const Object *number_in(Join *join, int which, const Object *x) {
  Walk *w = join->w;
  const Builder outer = w->b;
  if (!object_is_number(x)) return x;
  w->b.block = join->branches[which].block;
  w->b.before = NULL;
  x = to_tensor(w, w->b.loc, x);
  w->b = outer;
  join->failed |= !x;
  return x;
}

// `x` of branch `which` as a tile, in map_elementwise(): if the condition is a
// tile, or `other`, the other branch's value, is one.
static const Object *spread_in(Join *join, int which, const Object *x,
                               const Object *other) {
  Walk *w = join->w;
  const bool chooses = type_is_tile(join->condition->type);
  const Builder outer = w->b;
  if (!x || !(chooses || other)) return x;
  w->b.block = join->branches[which].block;
  w->b.before = NULL;
  x = spread_as(w, w->b.loc, x, chooses ? NULL : other);
  w->b = outer;
  join->failed |= !x;
  return x;
}

static void join_alive(Join *join, size_t i, const Object *x, const Object *y) {
  Walk *w = join->w;
  const Object *a = spread_in(join, 0, number_in(join, 0, x), y);
  const Object *b = spread_in(join, 1, number_in(join, 1, y), x);
  if (a && b && object_same_type(a, b))
    add_name(join, i, a, b);
  else
    w->frame->scope.items[i].object = types_differ(join, i, x, y);
}

// Does the branch with these exits return on all paths?  Its bindings do not
// reach the join.
static bool returns_only(const Exits *exits) {
  return exits->always && exits->kinds == RETURNS;
}

// The later of two locations in one function, for a value that one of two
// branches or the code before them assigned.
static const SrcLoc *later(const SrcLoc *a, const SrcLoc *b) {
  if (!a || !b) return a ? a : b;
  const bool on_one_line = a->line == b->line;
  return (on_one_line ? a->column > b->column : a->line > b->line) ? a : b;
}

// Binds the name at index `i` of the scope to its value after both branches.
static void join_name(Join *join, size_t i) {
  Walk *w = join->w;
  const Branch *b = join->branches;
  Binding *binding = &w->frame->scope.items[i];
  const Object *x = state_get(&b[0].state, i), *y = state_get(&b[1].state, i);
  assert(i < w->frame->scope.count); // I6
  if (returns_only(&b[0].exits) || returns_only(&b[1].exits)) {
    const int alive = returns_only(&b[0].exits);
    const Object *only = alive ? y : x;
    binding->object = only;
    binding->given = state_given(&b[alive].state, i);
    if (!only || is_visible(w, only, b[alive].block)) return;
    add_name(join, i, alive ? NULL : only, alive ? only : NULL);
    return;
  }
  binding->given =
      later(state_given(&b[0].state, i), state_given(&b[1].state, i));
  if (!x && !y)
    binding->object = NULL;
  else if (x == &object_poison || y == &object_poison)
    binding->object = &object_poison;
  else if (!x || !y)
    binding->object = assigned_in_one(join, x ? x : y);
  else if (x->kind == OBJECT_GONE || object_equal(x, y))
    binding->object = x;
  else if (y->kind == OBJECT_GONE)
    binding->object = y;
  else
    join_alive(join, i, x, y);
}

// Is a flag, an i1, needed to tell how a path has left?
static bool is_flagged(const Exits *exits) {
  const bool one = (exits->kinds & (exits->kinds - 1)) == 0;
  return exits->kinds && !(exits->always && one);
}

Value *exit_taken(Builder *b, const Exits *exits, ExitKind kind) {
  if (exits->taken[kind]) return exits->taken[kind];
  const Type *i1 = type_scalar(&b->m->types, ELEM_i1);
  return build_int(b, i1, exits->always && exits->kinds == 1u << kind);
}

static void add_flag(Join *join, ExitKind kind) {
  Value *flags[2];
  for (int i = 0; i < 2; i++) {
    Builder at = join->w->b;
    at.block = join->branches[i].block;
    at.before = NULL;
    flags[i] = exit_taken(&at, &join->branches[i].exits, kind);
  }
  add_pair(join, flags[0], flags[1]);
}

// Equal as in Python: True is 1 is 1.0; but 0.0 and -0.0 differ.
static bool same_number(Walk *w, const Object *a, const Object *b) {
  if (!object_is_number(a) || !object_is_number(b)) return false;
  if (a->kind == OBJECT_FLOAT && b->kind == OBJECT_FLOAT)
    return object_equal(a, b);
  const ConstantContext c = constant_context(w, w->b.loc);
  return constant_compare(&c, COMPARE_EQ, a, b)->as.truth;
}

static bool agree(Join *join, const Object *pair[2]);

static bool agree_items(Join *join, const Object *pair[2]) {
  Arena *arena = join->w->arena;
  const int n = pair[0]->as.tuple.count;
  assert(pair[1]->as.tuple.count == n); // I8
  const Object **items[2] = {arena_array(arena, const Object *, n + 1),
                             arena_array(arena, const Object *, n + 1)};
  for (int i = 0; i < n; i++) {
    const Object *both[2] = {pair[0]->as.tuple.items[i],
                             pair[1]->as.tuple.items[i]};
    if (!agree(join, both)) return false;
    for (int k = 0; k < 2; k++) items[k][i] = both[k];
  }
  for (int k = 0; k < 2; k++)
    pair[k] = object_with_items(arena, pair[k], items[k]);
  return true;
}

static bool are_alike(const Object *a, const Object *b) {
  if (a->kind != OBJECT_TUPLE || b->kind != OBJECT_TUPLE) return false;
  const AstClass *class = a->as.tuple.class;
  return a->as.tuple.count == b->as.tuple.count && class == b->as.tuple.class &&
         !(class && class->is_aggregate);
}

// A number that both paths return stays a constant; other values become
// run-time values.
static bool agree(Join *join, const Object *pair[2]) {
  if (are_alike(pair[0], pair[1])) return agree_items(join, pair);
  if (same_number(join->w, pair[0], pair[1])) {
    pair[1] = pair[0];
    return true;
  }
  for (int i = 0; i < 2; i++) pair[i] = number_in(join, i, pair[i]);
  return pair[0] && pair[1];
}

static bool comes_after(SrcLoc a, SrcLoc b) {
  return a.line > b.line || (a.line == b.line && a.column > b.column);
}

// Reports two results of unlike types; the later `return` is at fault.
static bool results_differ(Join *join, SrcLoc loc,
                           const Object *const pair[2]) {
  Walk *w = join->w;
  const AstFunction *f = w->frame->function;
  const SrcLoc at[2] = {join->branches[0].exits.at, join->branches[1].exits.at};
  const int later = comes_after(at[1], at[0]);
  const char *text = text_beside(w, pair[later], pair[!later]);
  const char *other = text_beside(w, pair[!later], pair[later]);
  diag_error(w->diags, at[later].line ? at[later] : loc,
             ERROR_return_types_differ, text, f ? f->name : "", other);
  if (at[!later].line) diag_note(w->diags, at[!later], NOTE_returned, other);
  return false;
}

// Warns once for each function.  A kernel returns no result, so no path lacks
// one.
static void warn_of_end(Walk *w, const Exits *other) {
  const AstFunction *f = w->frame->function;
  if (w->trial || !f || !w->frame->caller) return;
  for (const Diag *d = w->diags->first; d; d = d->next) {
    const bool same = d->loc.file == f->loc.file && d->loc.line == f->loc.line;
    if (same && !strcmp(d->format, WARNING_may_end)) return;
  }
  diag_warning(w->diags, f->loc, WARNING_may_end, f->name);
  diag_note(w->diags, other->at, NOTE_returned, text_of(w, other->result));
}

// The result of branch `which`.  If a path reaches the end of a function that
// returns a value on other paths, the result there is undefined: NULL, with a
// warning.
static const Object *result_in(Join *join, int which) {
  const Exits *exits = &join->branches[which].exits;
  const Exits *other = &join->branches[!which].exits;
  const bool at_end = exits->result == &object_none && !exits->at.line;
  if (!at_end || !other->result || other->result->kind == OBJECT_NONE)
    return spread_in(join, which, exits->result, other->result);
  warn_of_end(join->w, other);
  return NULL;
}

static bool add_result(Join *join, SrcLoc loc, Exits *exits) {
  const Object *pair[2];
  for (int i = 0; i < 2; i++) pair[i] = result_in(join, i);
  if (pair[0] && pair[1] && !agree(join, pair)) return false;
  const Object *a = pair[0], *b = pair[1];
  exits->result = a ? a : b;
  exits->at = join->branches[a ? 0 : 1].exits.at;
  if (!exits->result) return true;
  if (a && b && !object_same_type(a, b)) return results_differ(join, loc, pair);
  add_objects(join, a, b);
  return true;
}

static bool join_exits(Join *join, SrcLoc loc, Exits *out) {
  const Exits *a = &join->branches[0].exits, *b = &join->branches[1].exits;
  *out =
      (Exits){.kinds = a->kinds | b->kinds, .always = a->always && b->always};
  for (int kind = 0; is_flagged(out) && kind < NUM_EXITS; kind++) {
    if (out->kinds >> kind & 1) add_flag(join, (ExitKind)kind);
  }
  return add_result(join, loc, out);
}

static Op *emit_if(Join *join, SrcLoc loc, Value *condition) {
  Walk *w = join->w;
  const int n = (int)join->yields[0].count;
  assert(join->yields[1].count == (size_t)n); // I8
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

static void move_ops(Walk *w, Block *from) {
  for (Op *op = from->first, *next; op; op = next) {
    next = op->next;
    op_unlink(op);
    builder_insert(&w->b, op);
  }
}

// Both branches are computed, and a select takes one value for each element.
static Value **emit_selects(Join *join, SrcLoc loc) {
  Walk *w = join->w;
  const size_t n = join->yields[0].count;
  Value **results = arena_array(w->arena, Value *, n + 1);
  w->b.loc = loc;
  Value *masks[2] = {join->condition, build_inverted(&w->b, join->condition)};
  for (int i = 0; i < 2; i++) {
    guard_block(w, join->branches[i].block, masks[i]);
    move_ops(w, join->branches[i].block);
  }
  for (size_t i = 0; i < n; i++) {
    Value *x = join->yields[0].items[i], *y = join->yields[1].items[i];
    const Type *shape = type_with_element(&w->m->types, join->condition->type,
                                          type_element(x->type));
    if (!type_is_tile(x->type)) x = build_splat(&w->b, shape, x);
    if (!type_is_tile(y->type)) y = build_splat(&w->b, shape, y);
    results[i] = build_select(&w->b, x->type, join->condition, x, y);
  }
  return results;
}

static Value **emit_join(Join *join, SrcLoc loc) {
  if (type_is_tile(join->condition->type)) return emit_selects(join, loc);
  return results_of(join->w, emit_if(join, loc, join->condition));
}

// The flags and the result are the first results of the `if`.
static void take_exits(Walk *w, Exits *exits, Value *const **cursor) {
  for (int kind = 0; is_flagged(exits) && kind < NUM_EXITS; kind++) {
    if (exits->kinds >> kind & 1) exits->taken[kind] = *(*cursor)++;
  }
  if (exits->result)
    exits->result = object_with_values(w->arena, exits->result, cursor);
}

bool join_branches(Walk *w, SrcLoc loc, Value *condition,
                   const Branch branches[2], Branch *joined) {
  Join join = {.w = w, .branches = branches, .condition = condition};
  *joined = (Branch){.block = w->b.block};
  if (!join_exits(&join, loc, &joined->exits)) return false;
  const bool named = !returns_only(&joined->exits);
  for (size_t i = 0; named && i < w->frame->scope.count; i++)
    join_name(&join, i);
  if (join.failed) return false;
  Value *const *cursor = emit_join(&join, loc);
  take_exits(w, &joined->exits, &cursor);
  for (size_t i = 0; i < join.names.count; i++) {
    const JoinedName *name = &join.names.items[i];
    w->frame->scope.items[name->index].object =
        object_with_values(w->arena, name->model, &cursor);
  }
  return true;
}
