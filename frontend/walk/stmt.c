// stmt.c -- statements: live ones only, in order.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"
#include "frontend/walk/failed_assertion.h"

#include <assert.h>
#include <string.h>

static Flow fail(Walk *w, SrcLoc loc, const char *what) {
  diag_error_text(w->diags, loc, what);
  return FLOW_FAILED;
}

// -- Assignments -------------------------------------------------------------

// An assigned number becomes a run-time scalar; other constants stay constants.
static const Object *assigned(Walk *w, SrcLoc loc, const Object *x) {
  if (walk_is_constant(w)) return x;
  w->b.loc = loc;
  if (object_is_number(x)) return to_tensor(w, loc, x);
  if (x->kind != OBJECT_TUPLE) return x;
  if (x->as.tuple.class && x->as.tuple.class->is_aggregate) return x;
  const int n = x->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  bool changed = false;
  for (int i = 0; i < n; i++) {
    items[i] = assigned(w, loc, x->as.tuple.items[i]);
    if (!items[i]) return NULL;
    changed |= items[i] != x->as.tuple.items[i];
  }
  return changed ? object_with_items(w->arena, x, items) : x;
}

// `x: tl.constexpr` without a value: values that are assigned later stay
// constants.
static bool is_declared(const Walk *w, const Expr *target) {
  const Binding *binding = target->kind == EXPR_NAME
                               ? scope_find(&w->frame->scope, target->name)
                               : NULL;
  return binding && binding->is_constexpr;
}

static bool has_declared(const Walk *w, const Expr *target) {
  if (target->kind != EXPR_TUPLE) return is_declared(w, target);
  for (int i = 0; i < target->items.count; i++) {
    if (has_declared(w, target->items.items[i])) return true;
  }
  return false;
}

// The value for an assignment's target.  In a tuple of targets that contains a
// declared name, each item is converted for its own target.
static const Object *assigned_to(Walk *w, SrcLoc loc, const Expr *target,
                                 const Object *x) {
  if (!has_declared(w, target)) return assigned(w, loc, x);
  if (target->kind != EXPR_TUPLE || x->kind != OBJECT_TUPLE) return x;
  const int n = x->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) {
    items[i] =
        i < target->items.count
            ? assigned_to(w, loc, target->items.items[i], x->as.tuple.items[i])
            : x->as.tuple.items[i];
    if (!items[i]) return NULL;
  }
  return object_with_items(w->arena, x, items);
}

// `a, b = value`
static bool is_unpacked(const Stmt *stmt) {
  const Expr *target = stmt->assign.targets.items[0];
  return stmt->assign.targets.count == 1 &&
         (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST);
}

static Flow walk_assignment(Walk *w, const Stmt *stmt) {
  const Object *given = is_unpacked(stmt)
                            ? walk_gone_over(w, stmt->assign.value)
                            : walk_expr(w, stmt->assign.value);
  if (!given) return FLOW_FAILED;
  if (is_unpacked(stmt) && reads_shape(w, stmt->assign.value))
    return pointer_has_no_shape(w, stmt->assign.value), FLOW_FAILED;
  const SrcLoc loc = stmt->assign.value->loc;
  const Object *plain = assigned(w, loc, given);
  if (!plain) return FLOW_FAILED;
  for (int i = 0; i < stmt->assign.targets.count; i++) {
    const Expr *target = stmt->assign.targets.items[i];
    const Object *value =
        has_declared(w, target) ? assigned_to(w, loc, target, given) : plain;
    if (!value || !walk_assign(w, target, value)) return FLOW_FAILED;
  }
  return FLOW_NEXT;
}

// Does `+=` change the object, and so the value of its aliases, in place?
static bool changes_in_place(const Walk *w, const Object *x) {
  if (!walk_is_constant(w)) return false;
  return x->kind == OBJECT_DICT || object_is_set(x) ||
         (x->kind == OBJECT_TUPLE && x->as.tuple.written != '(');
}

static bool update_in_place(Walk *w, const Stmt *stmt, const Object *x,
                            const Object *y) {
  const bool extends = stmt->aug_assign.op == OPERATOR_ADD &&
                       x->kind == OBJECT_TUPLE &&
                       stmt->aug_assign.target->kind == EXPR_NAME;
  if (extends) return walk_extend(w, stmt->loc, x, y);
  if (object_is_set(x) && y->kind == OBJECT_SET)
    return walk_update_set(w, stmt->loc, stmt->aug_assign.op, x, y);
  return diag_error(w->diags, stmt->loc, ERROR_cannot_change, text_of(w, x));
}

static Flow walk_augmented(Walk *w, const Stmt *stmt) {
  const Expr *target = stmt->aug_assign.target;
  const bool item = target->kind == EXPR_SUBSCRIPT && walk_is_constant(w);
  if (target->kind == EXPR_SUBSCRIPT && !item)
    return subscript_assigned(w, target) ? FLOW_NEXT : FLOW_FAILED;
  if (target->kind != EXPR_NAME && !item) {
    diag_error(w->diags, target->loc, ERROR_only_names_can_assigned_kernel,
               short_text(w, target));
    return FLOW_FAILED;
  }
  const Object *x = walk_expr(w, target);
  const Object *y = x ? walk_expr(w, stmt->aug_assign.value) : NULL;
  if (!y) return FLOW_FAILED;
  const SrcLoc loc = stmt->aug_assign.op_loc;
  if (changes_in_place(w, x))
    return update_in_place(w, stmt, x, y) ? FLOW_NEXT : FLOW_FAILED;
  x = binary_at(w, stmt->loc, loc, stmt->aug_assign.op, x, y);
  diag_ranges(w->diags, loc, target->loc, stmt->aug_assign.value->loc);
  if (x) x = assigned(w, stmt->loc, x);
  return x && walk_assign(w, target, x) ? FLOW_NEXT : FLOW_FAILED;
}

static bool ends_in_constexpr(const char *text, size_t length) {
  const char word[] = "constexpr";
  const size_t n = sizeof word - 1;
  return length >= n && !memcmp(text + length - n, word, n);
}

static bool is_constexpr(const Expr *annotation) {
  switch (annotation->kind) {
  case EXPR_NAME: return !strcmp(annotation->name, "constexpr");
  case EXPR_ATTRIBUTE: return !strcmp(annotation->attribute.name, "constexpr");
  case EXPR_STRING:
    return ends_in_constexpr(annotation->string.text,
                             annotation->string.length);
  default: return false;
  }
}

static void declare(Walk *w, const Stmt *stmt) {
  const Expr *target = stmt->ann_assign.target;
  if (target->kind != EXPR_NAME || !is_constexpr(stmt->ann_assign.annotation))
    return;
  Binding *binding = scope_find(&w->frame->scope, target->name);
  if (!binding) binding = scope_set(&w->frame->scope, target->name, NULL);
  binding->is_constexpr = true;
}

static Flow walk_annotated(Walk *w, const Stmt *stmt) {
  const Expr *target = stmt->ann_assign.target;
  if (!stmt->ann_assign.value) return declare(w, stmt), FLOW_NEXT;
  const Object *value = walk_expr(w, stmt->ann_assign.value);
  if (!value) return FLOW_FAILED;
  const SrcLoc loc = stmt->ann_assign.value->loc;
  if (!is_constexpr(stmt->ann_assign.annotation)) {
    value = assigned(w, loc, value);
    return value && walk_assign(w, target, value) ? FLOW_NEXT : FLOW_FAILED;
  }
  // The annotation does not make `value` constant: whether it is follows from
  // the value alone, as for parameters of helpers.
  return walk_assign(w, target, value) ? FLOW_NEXT : FLOW_FAILED;
}

// -- Other statements --------------------------------------------------------

// The value of a `return`.  NULL: its expression failed, which is counted, but
// the path ends all the same, and statements behind it are dead.
static const Object *returned(Walk *w, const Object *value) {
  if (!value) w->failures++;
  return value ? value : &object_poison;
}

// A constant stays constant, unless it is returned from a run-time loop.
static Flow walk_return(Walk *w, const Stmt *stmt) {
  const Object *value = &object_none;
  if (stmt->result) {
    const SrcLoc loc = stmt->result->loc;
    value = walk_gone_over(w, stmt->result);
    w->frame->returned = loc;
    if (value && w->frame->loops) value = assigned(w, loc, value);
  }
  w->frame->exits = exits_by(EXIT_RETURN, returned(w, value));
  w->frame->exits.at = stmt->result ? stmt->result->loc : stmt->loc;
  return FLOW_LEFT;
}

static bool has_return(const StmtList *stmts, int from);

static bool is_or_has_return(const Stmt *stmt) {
  switch (stmt->kind) {
  case STMT_RETURN: return true;
  case STMT_FOR: return has_return(&stmt->for_.body, 0);
  case STMT_WHILE: return has_return(&stmt->while_.body, 0);
  case STMT_WITH: return has_return(&stmt->with.body, 0);
  case STMT_IF: break;
  default: return false;
  }
  for (int i = 0; i < stmt->if_.num_branches; i++) {
    if (has_return(&stmt->if_.branches[i].body, 0)) return true;
  }
  return has_return(&stmt->if_.otherwise, 0);
}

static bool has_return(const StmtList *stmts, int from) {
  for (int i = from; i < stmts->count; i++) {
    if (is_or_has_return(stmts->items[i])) return true;
  }
  return false;
}

// Walks the statements behind the one at `i`, which a path has left.  In
// Triton, code behind an `if` is compiled even if the chosen branch returns: so
// a number is no constant there if another number might be returned.
static Flow leave_block(Walk *w, const StmtList *stmts, int i) {
  Exits *exits = &w->frame->exits;
  assert(!exits->result || exits->kinds & RETURNS); // I7
  if (stmts->items[i]->kind == STMT_RETURN || !exits->result ||
      !has_return(stmts, i + 1))
    return FLOW_LEFT;
  exits->result = returned(w, assigned(w, w->frame->returned, exits->result));
  return FLOW_LEFT;
}

static Flow walk_jump(Walk *w, const Stmt *stmt, ExitKind kind) {
  if (!w->frame->loops) {
    diag_error(w->diags, stmt->loc, ERROR_not_in_a_loop,
               stmt_kind_text[stmt->kind]);
    return FLOW_FAILED;
  }
  w->frame->exits = exits_by(kind, NULL);
  return FLOW_LEFT;
}

// Is the current statement inside a run-time condition or loop?
static bool may_be_skipped(const Walk *w) {
  return w->function && !w->runs_host && !walk_is_constant(w) &&
         w->b.block != w->function->body;
}

// The condition as an int1; NULL after an error, which is also reported for a
// false constant if the assertion is surely reached.
static const Object *asserted(Walk *w, const Expr *test,
                              const Object *condition, const char *why) {
  if (object_is_tensor(condition)) return tensor_truth(w, test->loc, condition);
  if (may_be_skipped(w)) return tensor_int(w, dtype_of(DTYPE_INT1), 0);
  diag_error(w->diags, test->loc, ERROR_assertion_failed, *why ? ": " : "",
             why);
  note_sides(w, test);
  return NULL;
}

static Flow walk_assert(Walk *w, const Stmt *stmt) {
  const Expr *test = stmt->assert_.condition;
  if (test->kind == EXPR_TUPLE && test->items.count)
    return fail(w, test->loc, ERROR_assert_of_tuple);
  const Object *condition = walk_expr(w, test);
  if (!condition || !walk_decides(w, test->loc, condition)) return FLOW_FAILED;
  if (!object_is_tensor(condition) && constant_truth(condition))
    return FLOW_NEXT;
  const Object *message = object_string(w->arena, "", 0);
  if (stmt->assert_.message) message = walk_expr(w, stmt->assert_.message);
  if (!message) return FLOW_FAILED;
  Str text = str_in(w->arena);
  object_print(message, false, &text);
  w->b.loc = stmt->loc;
  condition = asserted(w, test, condition, str_text(&text));
  if (!condition) return FLOW_FAILED;
  if (w->debugs)
    build_assert(w, condition, NULL,
                 text.length ? str_text(&text) : "assertion failed");
  return FLOW_NEXT;
}

static bool is_scope(const Object *x) {
  return x->kind == OBJECT_BUILTIN &&
         !strcmp(x->as.builtin.info->name, "profiler.language.scope");
}

// `with` around a scope of the profiler.
static Flow walk_with(Walk *w, const Stmt *stmt) {
  for (int i = 0; i < stmt->with.num_items; i++) {
    const Expr *context = stmt->with.items[i].context;
    const Expr *target = stmt->with.items[i].target;
    const bool is_call = context->kind == EXPR_CALL;
    const Object *x = walk_expr(w, is_call ? context->call.callee : context);
    if (!x) return FLOW_FAILED;
    if (!is_call || !is_scope(x)) {
      diag_error(w->diags, context->loc, ERROR_with_what, text_of(w, x));
      return FLOW_FAILED;
    }
    if (!walk_expr(w, context)) return FLOW_FAILED;
    if (target && !walk_assign(w, target, &object_none)) return FLOW_FAILED;
  }
  return walk_block(w, &stmt->with.body);
}

static Flow unsupported(Walk *w, const Stmt *stmt) {
  if (walk_nested(w, stmt) || w->world->import(w, stmt)) return FLOW_NEXT;
  const char *what = stmt->unsupported.keyword;
  if (words_have(WORDS_DEFINING, what))
    return fail(w, stmt->loc, ERROR_nested_function);
  if (words_have(WORDS_IMPORTING, what))
    return fail(w, stmt->loc, ERROR_import_in_kernel);
  if (!strcmp(what, "raise")) return fail(w, stmt->loc, ERROR_raise_reached);
  diag_error(w->diags, stmt->loc, ERROR_statement_not_supported, what);
  return FLOW_FAILED;
}

// An expression statement; `...` does nothing.
static Flow walk_expression(Walk *w, const Stmt *stmt) {
  if (stmt->expr->kind == EXPR_ELLIPSIS) return FLOW_NEXT;
  w->statement = stmt->expr;
  return walk_gone_over(w, stmt->expr) ? FLOW_NEXT : FLOW_FAILED;
}

static Flow walk_stmt(Walk *w, const Stmt *stmt) {
  switch (stmt->kind) {
  case STMT_EXPR: return walk_expression(w, stmt);
  case STMT_ASSIGN: return walk_assignment(w, stmt);
  case STMT_AUG_ASSIGN: return walk_augmented(w, stmt);
  case STMT_ANN_ASSIGN: return walk_annotated(w, stmt);
  case STMT_RETURN: return walk_return(w, stmt);
  case STMT_IF: return walk_if(w, stmt);
  case STMT_FOR: return walk_for(w, stmt);
  case STMT_WHILE: return walk_while(w, stmt);
  case STMT_BREAK: return walk_jump(w, stmt, EXIT_BREAK);
  case STMT_CONTINUE: return walk_jump(w, stmt, EXIT_CONTINUE);
  case STMT_PASS: return FLOW_NEXT;
  case STMT_ASSERT: return walk_assert(w, stmt);
  case STMT_WITH: return walk_with(w, stmt);
  default: return unsupported(w, stmt);
  }
}

static Flow walk_counted(Walk *w, const Stmt *stmt) {
  const int level = walk_count(w, stmt->loc) ? walk_enter(w, stmt->loc) : 0;
  if (!level) return FLOW_FAILED;
  const Flow flow = walk_stmt(w, stmt);
  assert(flow != FLOW_LEFT || w->frame->exits.always); // I7
  walk_leave(w, level);
  return flow;
}

// Statements behind a `return` or `break` are dead and are not walked.  A
// statement that fails is skipped; the result is FLOW_FAILED only if the whole
// walk ends.
Flow walk_block(Walk *w, const StmtList *stmts) {
  for (int i = 0; i < stmts->count; i++) {
    const WalkPoint point = recover_point(w);
    const Flow flow = walk_counted(w, stmts->items[i]);
    if (flow == FLOW_LEFT) return leave_block(w, stmts, i);
    if (!flow && !recover(w, &point, stmts->items[i])) return flow;
  }
  return FLOW_NEXT;
}
