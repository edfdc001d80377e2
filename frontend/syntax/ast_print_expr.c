// ast_print_expr.c -- expressions as prefix lists.
#include "frontend/syntax/ast_print.h"
#include "ir/number.h"

void ast_print_optional(const Expr *expr, Str *out) {
  str_add_char(out, ' ');
  if (expr) {
    ast_print_expr(expr, out);
  } else {
    str_add_char(out, '_');
  }
}

static void put_items(Str *out, const char *head, const ExprList *items) {
  str_addf(out, "(%s", head);
  for (int i = 0; i < items->count; i++)
    ast_print_optional(items->items[i], out);
  str_add_char(out, ')');
}

static void put_text(Str *out, const char *text, size_t length) {
  str_add_char(out, '"');
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c < 0x20 || c == 0x7f) {
      str_addf(out, "\\x%02x", c);
    } else {
      if (c == '"' || c == '\\') str_add_char(out, '\\');
      str_add_char(out, (char)c);
    }
  }
  str_add_char(out, '"');
}

static void put_part(Str *out, const FStringPart *part) {
  str_add_char(out, ' ');
  if (!part->value) {
    put_text(out, part->text, part->length);
    return;
  }
  str_add(out, part->debug ? "(field=" : "(field");
  ast_print_optional(part->value, out);
  if (part->conversion) str_addf(out, " !%c", part->conversion);
  if (part->spec) ast_print_optional(part->spec, out);
  str_add_char(out, ')');
}

static void put_fstring(Str *out, const Expr *expr) {
  str_add(out, "(fstring");
  for (int i = 0; i < expr->fstring.num_parts; i++) {
    put_part(out, &expr->fstring.parts[i]);
  }
  str_add_char(out, ')');
}

static void put_dict(Str *out, const Expr *expr) {
  str_add(out, "(dict");
  for (int i = 0; i < expr->dict.count; i++) {
    ast_print_optional(expr->dict.items[i].key, out); // `_` for a `**value`
    ast_print_optional(expr->dict.items[i].value, out);
  }
  str_add_char(out, ')');
}

static void put_call(Str *out, const Expr *expr) {
  static const char *const prefix[] = {"", "", "*", "**"};
  str_add(out, "(call");
  ast_print_optional(expr->call.callee, out);
  for (int i = 0; i < expr->call.num_args; i++) {
    const CallArg *arg = &expr->call.args[i];
    str_addf(out, " %s", prefix[arg->kind]);
    if (arg->name) str_addf(out, "%s=", arg->name);
    ast_print_expr(arg->value, out);
  }
  str_add_char(out, ')');
}

// Prints a single operator as (+ a b), several as (chain a + b - c).
static void put_chain(Str *out, const Expr *expr) {
  const ChainLink *links = expr->chain.links;
  const int count = expr->chain.num_links;
  str_addf(out, "(%s", count == 1 ? operator_text[links[0].op] : "chain");
  ast_print_optional(expr->chain.first, out);
  for (int i = 0; i < count; i++) {
    if (count > 1) str_addf(out, " %s", operator_text[links[i].op]);
    ast_print_optional(links[i].operand, out);
  }
  str_add_char(out, ')');
}

static void put_compare(Str *out, const Expr *expr) {
  const CompareLink *links = expr->compare.links;
  const int count = expr->compare.num_links;
  str_addf(out, "(%s", count == 1 ? compare_text[links[0].op] : "compare");
  ast_print_optional(expr->compare.first, out);
  for (int i = 0; i < count; i++) {
    if (count > 1) str_addf(out, " %s", compare_text[links[i].op]);
    ast_print_optional(links[i].operand, out);
  }
  str_add_char(out, ')');
}

static void put_lambda(Str *out, const Expr *expr) {
  str_add(out, "(lambda (");
  for (int i = 0; i < expr->lambda.num_params; i++) {
    const AstParam *param = &expr->lambda.params[i];
    str_addf(out, "%s%s%s", i ? " " : "", param_stars[param->kind],
             param->name);
    if (!param->value) continue;
    str_add_char(out, '=');
    ast_print_expr(param->value, out);
  }
  str_add_char(out, ')');
  ast_print_optional(expr->lambda.body, out);
  str_add_char(out, ')');
}

static void put_comprehension(Str *out, const Expr *expr) {
  static const char *const kinds[] = {"list-of", "set-of", "dict-of",
                                      "generate"};
  str_addf(out, "(%s", kinds[expr->comprehension.kind]);
  if (expr->comprehension.key) ast_print_optional(expr->comprehension.key, out);
  ast_print_optional(expr->comprehension.value, out);
  for (int i = 0; i < expr->comprehension.num_fors; i++) {
    const ComprehensionFor *part = &expr->comprehension.fors[i];
    str_add(out, part->is_async ? " (async-for" : " (for");
    ast_print_optional(part->target, out);
    ast_print_optional(part->iterable, out);
    for (int k = 0; k < part->conditions.count; k++) {
      ast_print_optional(part->conditions.items[k], out);
    }
    str_add_char(out, ')');
  }
  str_add_char(out, ')');
}

static void put_three(Str *out, const char *head, const Expr *a, const Expr *b,
                      const Expr *c) {
  str_addf(out, "(%s", head);
  ast_print_optional(a, out);
  ast_print_optional(b, out);
  ast_print_optional(c, out);
  str_add_char(out, ')');
}

static void put_two(Str *out, const char *head, const Expr *a, const Expr *b) {
  str_addf(out, "(%s", head);
  ast_print_optional(a, out);
  ast_print_optional(b, out);
  str_add_char(out, ')');
}

static void put_one(Str *out, const char *head, const Expr *a) {
  str_addf(out, "(%s", head);
  ast_print_optional(a, out);
  str_add_char(out, ')');
}

static void put_attribute(Str *out, const Expr *expr) {
  ast_print_expr(expr->attribute.object, out);
  str_addf(out, ".%s", expr->attribute.name);
}

void ast_print_expr(const Expr *expr, Str *out) {
  switch (expr->kind) {
  case EXPR_NAME:
  case EXPR_BIG:
  case EXPR_IMAGINARY: str_add(out, expr->name); break;
  case EXPR_INT: integer_print(expr->integer, out); break;
  case EXPR_FLOAT: float_print_repr(expr->number, out); break;
  case EXPR_STRING:
    if (expr->string.is_bytes) str_add_char(out, 'b');
    put_text(out, expr->string.text, expr->string.length);
    break;
  case EXPR_FSTRING: put_fstring(out, expr); break;
  case EXPR_NONE: str_add(out, "None"); break;
  case EXPR_BOOL: str_add(out, expr->truth ? "True" : "False"); break;
  case EXPR_ELLIPSIS: str_add(out, "..."); break;
  case EXPR_TUPLE: put_items(out, "tuple", &expr->items); break;
  case EXPR_LIST: put_items(out, "list", &expr->items); break;
  case EXPR_SET: put_items(out, "set", &expr->items); break;
  case EXPR_DICT: put_dict(out, expr); break;
  case EXPR_ATTRIBUTE: put_attribute(out, expr); break;
  case EXPR_SUBSCRIPT:
    put_two(out, "at", expr->subscript.object, expr->subscript.index);
    break;
  case EXPR_SLICE:
    put_three(out, "slice", expr->slice.lower, expr->slice.upper,
              expr->slice.step);
    break;
  case EXPR_CALL: put_call(out, expr); break;
  case EXPR_UNARY:
    put_one(out, unary_text[expr->unary.op], expr->unary.operand);
    break;
  case EXPR_CHAIN: put_chain(out, expr); break;
  case EXPR_COMPARE: put_compare(out, expr); break;
  case EXPR_AND: put_items(out, "and", &expr->items); break;
  case EXPR_OR: put_items(out, "or", &expr->items); break;
  case EXPR_IF:
    put_three(out, "if", expr->conditional.condition, expr->conditional.then,
              expr->conditional.otherwise);
    break;
  case EXPR_LAMBDA: put_lambda(out, expr); break;
  case EXPR_COMPREHENSION: put_comprehension(out, expr); break;
  case EXPR_NAMED:
    put_two(out, ":=", expr->named.target, expr->named.value);
    break;
  case EXPR_STARRED: put_one(out, "*", expr->operand); break;
  case EXPR_AWAIT: put_one(out, "await", expr->operand); break;
  case EXPR_YIELD: put_one(out, "yield", expr->operand); break;
  case EXPR_COUNT: break;
  }
}
