// ast_print.c -- the tree as text, for --emit=ast and tests.
//
// One statement a line, `kind@line:column` first; blocks are indented by two
// spaces. Expressions are prefix lists like (+ a b), which show the grouping
// without rules of precedence.
#include "frontend/syntax/ast_print.h"

static void put_line(Str *out, int depth, const char *kind, SrcLoc loc) {
  str_add_repeat(out, ' ', 2 * (size_t)depth);
  str_addf(out, "%s@%d:%d", kind, loc.line, loc.column);
}

static void put_block(Str *out, int depth, const char *title,
                      const StmtList *block);

static void put_assign(Str *out, const Stmt *stmt) {
  for (int i = 0; i < stmt->assign.targets.count; i++) {
    ast_print_optional(stmt->assign.targets.items[i], out);
    str_add(out, " =");
  }
  ast_print_optional(stmt->assign.value, out);
}

static void put_aug_assign(Str *out, const Stmt *stmt) {
  ast_print_optional(stmt->aug_assign.target, out);
  str_addf(out, " %s=", operator_text[stmt->aug_assign.op]);
  ast_print_optional(stmt->aug_assign.value, out);
}

static void put_ann_assign(Str *out, const Stmt *stmt) {
  ast_print_optional(stmt->ann_assign.target, out);
  str_add(out, " :");
  ast_print_optional(stmt->ann_assign.annotation, out);
  str_add(out, " =");
  ast_print_optional(stmt->ann_assign.value, out);
}

static void put_with(Str *out, const Stmt *stmt) {
  for (int i = 0; i < stmt->with.num_items; i++) {
    ast_print_optional(stmt->with.items[i].context, out);
    str_add(out, " as");
    ast_print_optional(stmt->with.items[i].target, out);
  }
}

// Prints the rest of the statement's line, after its kind.
static void put_head(Str *out, const Stmt *stmt) {
  switch (stmt->kind) {
  case STMT_EXPR: ast_print_optional(stmt->expr, out); break;
  case STMT_ASSIGN: put_assign(out, stmt); break;
  case STMT_AUG_ASSIGN: put_aug_assign(out, stmt); break;
  case STMT_ANN_ASSIGN: put_ann_assign(out, stmt); break;
  case STMT_RETURN: ast_print_optional(stmt->result, out); break;
  case STMT_FOR:
    ast_print_optional(stmt->for_.target, out);
    ast_print_optional(stmt->for_.iterable, out);
    break;
  case STMT_WHILE: ast_print_optional(stmt->while_.condition, out); break;
  case STMT_ASSERT:
    ast_print_optional(stmt->assert_.condition, out);
    ast_print_optional(stmt->assert_.message, out);
    break;
  case STMT_WITH: put_with(out, stmt); break;
  case STMT_UNSUPPORTED:
    str_addf(out, " '%s'", stmt->unsupported.keyword);
    break;
  case STMT_DEF: str_addf(out, " %s", stmt->def.function->name); break;
  case STMT_CLASS: str_addf(out, " %s", stmt->class_.name); break;
  case STMT_DEL: ast_print_optional(stmt->expr, out); break;
  case STMT_RAISE: ast_print_optional(stmt->raise.error, out); break;
  case STMT_TRY:
  case STMT_SCOPE:
  case STMT_IF:
  case STMT_PASS:
  case STMT_BREAK:
  case STMT_CONTINUE:
  case STMT_COUNT: break;
  }
}

static void put_if(Str *out, int depth, const Stmt *stmt) {
  for (int i = 0; i < stmt->if_.num_branches; i++) {
    const IfBranch *branch = &stmt->if_.branches[i];
    put_line(out, depth, i ? "elif" : "if", branch->loc);
    ast_print_optional(branch->condition, out);
    str_add_char(out, '\n');
    put_block(out, depth + 1, NULL, &branch->body);
  }
  put_block(out, depth, "else", &stmt->if_.otherwise);
}

static const char *const words[STMT_COUNT] = {
#define STMT(kind, text, word) word,
#include "frontend/syntax/ast.def"
};

static void put_stmt(Str *out, int depth, const Stmt *stmt) {
  if (stmt->kind == STMT_IF) {
    put_if(out, depth, stmt);
    return;
  }
  put_line(out, depth, words[stmt->kind], stmt->loc);
  put_head(out, stmt);
  str_add_char(out, '\n');
  switch (stmt->kind) {
  case STMT_FOR:
    put_block(out, depth + 1, NULL, &stmt->for_.body);
    put_block(out, depth, "else", &stmt->for_.otherwise);
    break;
  case STMT_WHILE:
    put_block(out, depth + 1, NULL, &stmt->while_.body);
    put_block(out, depth, "else", &stmt->while_.otherwise);
    break;
  case STMT_WITH: put_block(out, depth + 1, NULL, &stmt->with.body); break;
  default: break;
  }
}

// With a title, the block is one level deeper, and an empty block prints
// nothing.
static void put_block(Str *out, int depth, const char *title,
                      const StmtList *block) {
  if (title && !block->count) return;
  if (title) {
    str_add_repeat(out, ' ', 2 * (size_t)depth++);
    str_addf(out, "%s\n", title);
  }
  for (int i = 0; i < block->count; i++) put_stmt(out, depth, block->items[i]);
}

static void put_param(Str *out, const AstParam *param) {
  static const char *const kinds[PARAM_COUNT] = {
#define PARAM(kind, stars, word) word,
#include "frontend/syntax/ast.def"
  };
  str_addf(out, "  param %s%s", kinds[param->kind], param->name);
  if (param->annotation_text) str_addf(out, " : %s", param->annotation_text);
  if (param->value) {
    str_add(out, " =");
    ast_print_optional(param->value, out);
  }
  str_add_char(out, '\n');
}

void ast_print_function(const AstFunction *function, Str *out) {
  put_line(out, 0, "function", function->loc);
  str_addf(out, " %s\n", function->name);
  for (int i = 0; i < function->num_decorators; i++) {
    const Decorator *decorator = &function->decorators[i];
    str_addf(out, "  decorator %s", decorator->name);
    ast_print_optional(decorator->expr, out);
    str_add_char(out, '\n');
  }
  for (int i = 0; i < function->num_params; i++) {
    put_param(out, &function->params[i]);
  }
  put_block(out, 1, NULL, &function->body);
}
