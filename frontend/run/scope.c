// scope.c -- the local names of a function, collected once from its tree.
//
// For example,
//
//     def f(a):
//       x = 1
//       for i in a: y = [j for j in range(i)]
//
// has the local names a, x, i and y; j is a name of the comprehension alone.
#include "frontend/module/module.h"
#include "frontend/run/evaluate.h"

#include <string.h>

typedef struct {
  Machine *m;
  FunctionNames *names;
  BoundNames *order; // gets the local names; or NULL
} Collector;

static void collect_block(Collector *c, const StmtList *block);

static void add(Collector *c, const char *name) {
  map_put(&c->names->locals, c->m->arena, name, (void *)name);
  if (c->order) vec_push(c->m->arena, c->order, name);
}

static void collect_expr(Collector *c, const Expr *e);

static void collect_list(Collector *c, const ExprList *list) {
  for (int i = 0; i < list->count; i++) collect_expr(c, list->items[i]);
}

static void collect_arguments(Collector *c, const Expr *e) {
  collect_expr(c, e->call.callee);
  for (int i = 0; i < e->call.num_args; i++)
    collect_expr(c, e->call.args[i].value);
}

static void collect_chain(Collector *c, const Expr *e) {
  collect_expr(c, e->chain.first);
  for (int i = 0; i < e->chain.num_links; i++)
    collect_expr(c, e->chain.links[i].operand);
}

static void collect_compare(Collector *c, const Expr *e) {
  collect_expr(c, e->compare.first);
  for (int i = 0; i < e->compare.num_links; i++)
    collect_expr(c, e->compare.links[i].operand);
}

static void collect_dict(Collector *c, const Expr *e) {
  for (int i = 0; i < e->dict.count; i++) {
    collect_expr(c, e->dict.items[i].key);
    collect_expr(c, e->dict.items[i].value);
  }
}

static void collect_fstring(Collector *c, const Expr *e) {
  for (int i = 0; i < e->fstring.num_parts; i++) {
    collect_expr(c, e->fstring.parts[i].value);
    collect_expr(c, e->fstring.parts[i].spec);
  }
}

static void collect_comprehension(Collector *c, const Expr *e) {
  collect_expr(c, e->comprehension.key);
  collect_expr(c, e->comprehension.value);
  for (int i = 0; i < e->comprehension.num_fors; i++) {
    collect_expr(c, e->comprehension.fors[i].iterable);
    collect_list(c, &e->comprehension.fors[i].conditions);
  }
}

static void collect_expr(Collector *c, const Expr *e) {
  if (!e) return;
  switch (e->kind) {
  case EXPR_NAMED:
    add(c, e->named.target->name);
    collect_expr(c, e->named.value);
    return;
  case EXPR_YIELD: c->names->yields = true; break;
  case EXPR_FSTRING: collect_fstring(c, e); return;
  case EXPR_TUPLE:
  case EXPR_LIST:
  case EXPR_SET:
  case EXPR_AND:
  case EXPR_OR: collect_list(c, &e->items); return;
  case EXPR_DICT: collect_dict(c, e); return;
  case EXPR_ATTRIBUTE: collect_expr(c, e->attribute.object); return;
  case EXPR_SUBSCRIPT:
    collect_expr(c, e->subscript.object);
    collect_expr(c, e->subscript.index);
    return;
  case EXPR_SLICE:
    collect_expr(c, e->slice.lower);
    collect_expr(c, e->slice.upper);
    collect_expr(c, e->slice.step);
    return;
  case EXPR_CALL: collect_arguments(c, e); return;
  case EXPR_UNARY: collect_expr(c, e->unary.operand); return;
  case EXPR_CHAIN: collect_chain(c, e); return;
  case EXPR_COMPARE: collect_compare(c, e); return;
  case EXPR_IF:
    collect_expr(c, e->conditional.condition);
    collect_expr(c, e->conditional.then);
    collect_expr(c, e->conditional.otherwise);
    return;
  case EXPR_COMPREHENSION: collect_comprehension(c, e); return;
  case EXPR_STARRED:
  case EXPR_AWAIT: break;
  default: return;
  }
  collect_expr(c, e->operand);
}

// The names that a target binds, and those of `:=` in its indices.
static void collect_target(Collector *c, const Expr *e) {
  switch (e->kind) {
  case EXPR_NAME: add(c, e->name); return;
  case EXPR_STARRED: collect_target(c, e->operand); return;
  case EXPR_TUPLE:
  case EXPR_LIST:
    for (int i = 0; i < e->items.count; i++)
      collect_target(c, e->items.items[i]);
    return;
  default: collect_expr(c, e); return;
  }
}

static void collect_import(Collector *c, const Stmt *stmt) {
  const AstFile *file = c->m->frame->module->file;
  const uint32_t token = stmt->unsupported.token;
  const bool imports = words_have(WORDS_IMPORTING, stmt->unsupported.keyword);
  if (!imports) c->names->opaque = true;
  if (!imports) return;
  const ImportedNames names = import_names(c->m->program, file, token);
  for (size_t i = 0; i < names.count; i++)
    if (names.items[i].name) add(c, names.items[i].name);
}

static void collect_scope(Collector *c, const Stmt *stmt) {
  Map *to = stmt->scope.is_global ? &c->names->globals : &c->names->nonlocals;
  for (int i = 0; i < stmt->scope.count; i++)
    map_put(to, c->m->arena, stmt->scope.names[i],
            (void *)stmt->scope.names[i]);
}

static void collect_if(Collector *c, const Stmt *stmt) {
  for (int i = 0; i < stmt->if_.num_branches; i++) {
    collect_expr(c, stmt->if_.branches[i].condition);
    collect_block(c, &stmt->if_.branches[i].body);
  }
  collect_block(c, &stmt->if_.otherwise);
}

static void collect_try(Collector *c, const Stmt *stmt) {
  collect_block(c, &stmt->try_.body);
  for (int i = 0; i < stmt->try_.num_handlers; i++) {
    const ExceptHandler *h = &stmt->try_.handlers[i];
    collect_expr(c, h->type);
    if (h->name) add(c, h->name);
    collect_block(c, &h->body);
  }
  collect_block(c, &stmt->try_.otherwise);
  collect_block(c, &stmt->try_.finally);
}

static void collect_with(Collector *c, const Stmt *stmt) {
  for (int i = 0; i < stmt->with.num_items; i++) {
    collect_expr(c, stmt->with.items[i].context);
    if (stmt->with.items[i].target)
      collect_target(c, stmt->with.items[i].target);
  }
  collect_block(c, &stmt->with.body);
}

static void collect_definition(Collector *c, const Stmt *stmt) {
  const bool def = stmt->kind == STMT_DEF;
  add(c, def ? stmt->def.function->name : stmt->class_.name);
  collect_list(c, def ? &stmt->def.decorators : &stmt->class_.decorators);
  for (int i = 0; def && i < stmt->def.function->num_params; i++)
    collect_expr(c, stmt->def.function->params[i].value);
  for (int i = 0; !def && i < stmt->class_.num_args; i++)
    collect_expr(c, stmt->class_.args[i].value);
}

static void collect_simple(Collector *c, const Stmt *stmt) {
  switch (stmt->kind) {
  case STMT_EXPR: collect_expr(c, stmt->expr); return;
  case STMT_DEL: collect_target(c, stmt->expr); return;
  case STMT_ASSIGN:
    for (int i = 0; i < stmt->assign.targets.count; i++)
      collect_target(c, stmt->assign.targets.items[i]);
    collect_expr(c, stmt->assign.value);
    return;
  case STMT_AUG_ASSIGN:
    collect_target(c, stmt->aug_assign.target);
    collect_expr(c, stmt->aug_assign.value);
    return;
  case STMT_ANN_ASSIGN:
    collect_target(c, stmt->ann_assign.target);
    collect_expr(c, stmt->ann_assign.value);
    return;
  case STMT_RETURN: collect_expr(c, stmt->result); return;
  case STMT_ASSERT:
    collect_expr(c, stmt->assert_.condition);
    collect_expr(c, stmt->assert_.message);
    return;
  case STMT_RAISE: collect_expr(c, stmt->raise.error); return;
  case STMT_SCOPE: collect_scope(c, stmt); return;
  case STMT_UNSUPPORTED: collect_import(c, stmt); return;
  default: return;
  }
}

static void collect_stmt(Collector *c, const Stmt *stmt) {
  switch (stmt->kind) {
  case STMT_IF: collect_if(c, stmt); return;
  case STMT_FOR:
    collect_target(c, stmt->for_.target);
    collect_expr(c, stmt->for_.iterable);
    collect_block(c, &stmt->for_.body);
    collect_block(c, &stmt->for_.otherwise);
    return;
  case STMT_WHILE:
    collect_expr(c, stmt->while_.condition);
    collect_block(c, &stmt->while_.body);
    collect_block(c, &stmt->while_.otherwise);
    return;
  case STMT_WITH: collect_with(c, stmt); return;
  case STMT_TRY: collect_try(c, stmt); return;
  case STMT_DEF:
  case STMT_CLASS: collect_definition(c, stmt); return;
  default: collect_simple(c, stmt); return;
  }
}

static void collect_block(Collector *c, const StmtList *block) {
  for (int i = 0; i < block->count; i++) collect_stmt(c, block->items[i]);
}

const FunctionNames *function_names(Machine *m, const AstFunction *function) {
  FunctionNames *names = map_get(&m->scopes, function);
  if (names) return names;
  names = arena_new(m->arena, FunctionNames);
  map_put(&m->scopes, m->arena, function, names);
  Collector c = {.m = m, .names = names};
  for (int i = 0; i < function->num_params; i++)
    add(&c, function->params[i].name);
  collect_block(&c, &function->body);
  return names;
}

BoundNames block_names(Machine *m, const StmtList *block) {
  FunctionNames names = {0};
  BoundNames order = {0};
  Collector c = {m, &names, &order};
  collect_block(&c, block);
  return order;
}

const FunctionNames *comprehension_names(Machine *m, const Expr *expr) {
  FunctionNames *names = map_get(&m->scopes, expr);
  if (names) return names;
  names = arena_new(m->arena, FunctionNames);
  map_put(&m->scopes, m->arena, expr, names);
  Collector c = {.m = m, .names = names};
  for (int i = 0; i < expr->comprehension.num_fors; i++)
    collect_target(&c, expr->comprehension.fors[i].target);
  return names;
}

const AstFunction *lambda_ast(Machine *m, const Expr *lambda) {
  AstFunction *function = map_get(&m->lambdas, lambda);
  if (function) return function;
  function = arena_new(m->arena, AstFunction);
  map_put(&m->lambdas, m->arena, lambda, function);
  Stmt *result = arena_new(m->arena, Stmt), **body;
  result->kind = STMT_RETURN;
  result->loc = lambda->loc;
  result->result = lambda->lambda.body;
  body = arena_array(m->arena, Stmt *, 1);
  body[0] = result;
  function->name = "<lambda>";
  function->loc = lambda->loc;
  function->params = lambda->lambda.params;
  function->num_params = lambda->lambda.num_params;
  function->body = (StmtList){body, 1};
  return function;
}
