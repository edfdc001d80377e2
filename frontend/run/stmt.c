// stmt.c -- statements of host code.
#include "frontend/run/evaluate.h"

#include <assert.h>
#include <string.h>

static bool run_assignment(Machine *m, const Stmt *stmt) {
  Thing *x = run_expr(m, stmt->assign.value);
  for (int i = 0; x && i < stmt->assign.targets.count; i++)
    if (!run_assign(m, stmt->assign.targets.items[i], x)) return false;
  return x != NULL;
}

// `target op= value`: the parts of the target are evaluated once.
static bool run_augmented(Machine *m, const Stmt *stmt) {
  const Expr *e = stmt->aug_assign.target;
  const bool member = e->kind == EXPR_ATTRIBUTE;
  const bool item = e->kind == EXPR_SUBSCRIPT;
  Thing *x = NULL, *index = NULL, *old;
  if (member) x = run_expr(m, e->attribute.object);
  if (item) x = run_expr(m, e->subscript.object);
  if (item && x) index = run_expr(m, e->subscript.index);
  if ((member || item) && (!x || (item && !index))) return false;
  old = member ? run_attribute(m, x, e->attribute.name)
        : item ? run_subscript(m, x, index)
               : run_expr(m, e);
  Thing *y = old ? run_expr(m, stmt->aug_assign.value) : NULL;
  Thing *result = y ? run_binary(m, stmt->aug_assign.op, old, y, true) : NULL;
  if (!result) return false;
  if (member) return run_set_attribute(m, x, e->attribute.name, result);
  return item ? run_set_item(m, x, index, result) : run_assign(m, e, result);
}

// -- Annotations -------------------------------------------------------------

static bool run_type(Machine *m, const Expr *e);

static bool run_types(Machine *m, const ExprList *types) {
  for (int i = 0; i < types->count; i++)
    if (!run_type(m, types->items[i])) return false;
  return true;
}

static bool run_union(Machine *m, const Expr *e) {
  bool alive = run_type(m, e->chain.first);
  for (int i = 0; alive && i < e->chain.num_links; i++)
    alive = run_type(m, e->chain.links[i].operand);
  return alive;
}

// `Optional[A]` and `A | B` have no effect on the types in them.
static bool run_type(Machine *m, const Expr *e) {
  Thing *x;
  switch (e->kind) {
  case EXPR_SUBSCRIPT:
    return run_type(m, e->subscript.object) && run_type(m, e->subscript.index);
  case EXPR_TUPLE:
  case EXPR_LIST: return run_types(m, &e->items);
  case EXPR_CHAIN: return run_union(m, e);
  case EXPR_NAME:
  case EXPR_ATTRIBUTE: return run_expr(m, e) != NULL;
  default:
    x = run_expr(m, e);
    if (x) run_expose(m, x); // `__annotations__` holds it
    return x != NULL;
  }
}

bool run_annotation(Machine *m, const Expr *annotation) {
  const RunModule *module = m->frame->module;
  return !annotation || module->annotates_later ||
         !file_is_python(module->file) || run_type(m, annotation);
}

// `NAME: type = value` in a class.
static void add_field(Machine *m, const char *name, Thing *value) {
  Things *fields = &m->frame->class->as.class.fields;
  vec_push(m->arena, fields, thing_text(m, name, strlen(name)));
  vec_push(m->arena, fields, value);
}

static bool run_annotated(Machine *m, const Stmt *stmt) {
  const Expr *target = stmt->ann_assign.target;
  const Expr *value = stmt->ann_assign.value;
  Thing *x = value ? run_expr(m, value) : NULL;
  if (value && !x) return false;
  if (m->frame->is_class && target->kind == EXPR_NAME)
    add_field(m, target->name, x);
  if (x && !run_assign(m, target, x)) return false;
  const bool in_function = m->frame->outer && !m->frame->is_class;
  return in_function || run_annotation(m, stmt->ann_assign.annotation);
}

static bool run_branches(Machine *m, const Stmt *stmt, int branch) {
  bool alive = true;
  if (branch == stmt->if_.num_branches)
    return run_block(m, &stmt->if_.otherwise);
  const IfBranch *b = &stmt->if_.branches[branch];
  Thing *x = run_expr(m, b->condition);
  const Known truth = x ? run_truth(m, x, &alive) : KNOWN_NOT;
  if (!x || !alive) return false;
  if (truth == KNOWN_TRUE) return run_block(m, &b->body);
  if (truth == KNOWN_FALSE) return run_branches(m, stmt, branch + 1);
  const RunMark mark = run_mark(m);
  const size_t base = m->leaves.count;
  m->forks++;
  if (run_block(m, &b->body)) run_leave(m, LEAVE_FALL, NULL);
  run_undo(m, mark);
  alive = run_branches(m, stmt, branch + 1);
  assert(m->forks > 0 && base <= m->leaves.count); // I1
  m->forks--;
  return run_merge(m, base, LEAVE_FALL, alive, NULL);
}

static bool run_assertion(Machine *m, const Stmt *stmt) {
  bool alive = true;
  Thing *x = run_expr(m, stmt->assert_.condition);
  const Known truth = x ? run_truth(m, x, &alive) : KNOWN_NOT;
  if (!x || !alive) return false;
  if (truth == KNOWN_NOT) run_may_raise(m);
  if (truth != KNOWN_FALSE) return true;
  if (stmt->assert_.message && !run_expr(m, stmt->assert_.message))
    return false;
  return run_raise(m, "AssertionError") != NULL;
}

static bool run_definition(Machine *m, const Stmt *stmt) {
  Things decorators = {0};
  for (int i = 0; i < stmt->def.decorators.count; i++) {
    Thing *x = run_expr(m, stmt->def.decorators.items[i]);
    if (!x) return false;
    vec_push(m->arena, &decorators, x);
  }
  Thing *x = make_function(m, stmt->def.function);
  for (size_t i = decorators.count; x && i > 0; i--)
    x = run_call_one(m, decorators.items[i - 1], x);
  return x && run_bind(m, stmt->def.function->name, x);
}

static bool run_unsupported(Machine *m, const Stmt *stmt) {
  if (words_have(WORDS_IMPORTING, stmt->unsupported.keyword))
    return run_import(m, stmt);
  return run_opaque(m, stmt->unsupported.token, stmt->unsupported.end);
}

// `global` in the body of a class: its bindings go to the module.
static bool run_scope(Machine *m) {
  if (m->frame->is_class) run_lose(m);
  return !m->lost;
}

static bool run_stmt(Machine *m, const Stmt *stmt) {
  Thing *x;
  switch (stmt->kind) {
  case STMT_EXPR: return run_expr(m, stmt->expr) != NULL;
  case STMT_ASSIGN: return run_assignment(m, stmt);
  case STMT_AUG_ASSIGN: return run_augmented(m, stmt);
  case STMT_ANN_ASSIGN: return run_annotated(m, stmt);
  case STMT_RETURN:
    x = stmt->result ? run_expr(m, stmt->result) : &thing_none;
    return x && run_leave(m, LEAVE_RETURN, x);
  case STMT_IF: return run_branches(m, stmt, 0);
  case STMT_FOR: return run_for(m, stmt);
  case STMT_WHILE: return run_while(m, stmt);
  case STMT_PASS: return true;
  case STMT_BREAK: return run_leave(m, LEAVE_BREAK, NULL);
  case STMT_CONTINUE: return run_leave(m, LEAVE_CONTINUE, NULL);
  case STMT_ASSERT: return run_assertion(m, stmt);
  case STMT_WITH: return run_with(m, stmt);
  case STMT_DEF: return run_definition(m, stmt);
  case STMT_CLASS: return run_class(m, stmt);
  case STMT_TRY: return run_try(m, stmt);
  case STMT_RAISE: return run_raise_statement(m, stmt);
  case STMT_SCOPE: return run_scope(m);
  case STMT_DEL: return run_delete(m, stmt->expr);
  case STMT_UNSUPPORTED: return run_unsupported(m, stmt);
  case STMT_COUNT: break;
  }
  return true;
}

bool run_statement(Machine *m, const Stmt *stmt) {
  m->statement = m->clock;
  return run_step(m) && run_stmt(m, stmt) && !m->lost;
}

bool run_block(Machine *m, const StmtList *block) {
  for (int i = 0; i < block->count; i++) {
    run_note_reached(m, block->items[i]);
    if (!m->frame->scope) m->statement = m->clock;
    if (!run_step(m) || !run_stmt(m, block->items[i])) return false;
  }
  return !m->lost;
}
