// unparse.c -- an expression as text again, for messages.
//
// The text is close to the source: parentheses are kept, blanks are not.
// Printing stops once the text is longer than requested.
#include "frontend/syntax/ast.h"
#include "ir/base/base.h"
#include "ir/number.h"

typedef struct {
  Str *out;
  size_t limit; // stops at this length of `out`
} Printer;

static void put(const Printer *p, const Expr *expr);

static bool is_full(const Printer *p) {
  return p->out->length >= p->limit;
}

static void put_list(const Printer *p, const ExprList *list,
                     const char *between) {
  for (int i = 0; i < list->count && !is_full(p); i++) {
    if (i) str_add(p->out, between);
    put(p, list->items[i]);
  }
}

static void put_optional(const Printer *p, const char *before,
                         const Expr *expr) {
  if (!expr) return;
  str_add(p->out, before);
  put(p, expr);
}

static void put_quoted(const Printer *p, const char *text, size_t length) {
  str_add_char(p->out, '\'');
  for (size_t i = 0; i < length && !is_full(p); i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c == '\n') {
      str_add(p->out, "\\n");
    } else if (c < 0x20 || c == 0x7f) {
      str_addf(p->out, "\\x%02x", c);
    } else {
      if (c == '\'' || c == '\\') str_add_char(p->out, '\\');
      str_add_char(p->out, (char)c);
    }
  }
  str_add_char(p->out, '\'');
}

static void put_string(const Printer *p, const Expr *expr) {
  if (expr->string.is_bytes) str_add_char(p->out, 'b');
  put_quoted(p, expr->string.text, expr->string.length);
}

static void put_fstring(const Printer *p, const Expr *expr) {
  str_add(p->out, "f'");
  for (int i = 0; i < expr->fstring.num_parts && !is_full(p); i++) {
    const FStringPart *part = &expr->fstring.parts[i];
    if (part->value) {
      str_addf(p->out, "{%s", part->source);
      if (part->conversion) str_addf(p->out, "!%c", part->conversion);
      str_add(p->out, part->spec ? ":...}" : "}");
    } else {
      str_add_bytes(p->out, part->text, part->length);
    }
  }
  str_add_char(p->out, '\'');
}

static void put_tuple(const Printer *p, const Expr *expr) {
  str_add_char(p->out, '(');
  put_list(p, &expr->items, ", ");
  str_add(p->out, expr->items.count == 1 ? ",)" : ")");
}

static void put_enclosed(const Printer *p, const Expr *expr, char open,
                         char close) {
  str_add_char(p->out, open);
  put_list(p, &expr->items, ", ");
  str_add_char(p->out, close);
}

static void put_dict(const Printer *p, const Expr *expr) {
  str_add_char(p->out, '{');
  for (int i = 0; i < expr->dict.count && !is_full(p); i++) {
    const DictItem *item = &expr->dict.items[i];
    if (i) str_add(p->out, ", ");
    put_optional(p, "", item->key);
    put_optional(p, item->key ? ": " : "**", item->value);
  }
  str_add_char(p->out, '}');
}

static void put_index(const Printer *p, const Expr *index) {
  if (index->kind == EXPR_TUPLE && !index->parenthesized) {
    put_list(p, &index->items, ", ");
    if (index->items.count == 1) str_add_char(p->out, ',');
  } else {
    put(p, index);
  }
}

static void put_slice(const Printer *p, const Expr *expr) {
  put_optional(p, "", expr->slice.lower);
  str_add_char(p->out, ':');
  put_optional(p, "", expr->slice.upper);
  put_optional(p, ":", expr->slice.step);
}

static void put_call(const Printer *p, const Expr *expr) {
  static const char *const prefix[] = {"", "", "*", "**"};
  put(p, expr->call.callee);
  str_add_char(p->out, '(');
  for (int i = 0; i < expr->call.num_args && !is_full(p); i++) {
    const CallArg *arg = &expr->call.args[i];
    str_add(p->out, i ? ", " : "");
    str_add(p->out, prefix[arg->kind]);
    if (arg->name) str_addf(p->out, "%s=", arg->name);
    put(p, arg->value);
  }
  str_add_char(p->out, ')');
}

static void put_chain(const Printer *p, const Expr *expr) {
  put(p, expr->chain.first);
  for (int i = 0; i < expr->chain.num_links && !is_full(p); i++) {
    const ChainLink *link = &expr->chain.links[i];
    str_addf(p->out, " %s ", operator_text[link->op]);
    put(p, link->operand);
  }
}

static void put_compare(const Printer *p, const Expr *expr) {
  put(p, expr->compare.first);
  for (int i = 0; i < expr->compare.num_links && !is_full(p); i++) {
    const CompareLink *link = &expr->compare.links[i];
    str_addf(p->out, " %s ", compare_text[link->op]);
    put(p, link->operand);
  }
}

static void put_lambda(const Printer *p, const Expr *expr) {
  str_add(p->out, "lambda");
  for (int i = 0; i < expr->lambda.num_params && !is_full(p); i++) {
    const AstParam *param = &expr->lambda.params[i];
    str_addf(p->out, "%s%s%s", i ? ", " : " ", param_stars[param->kind],
             param->name);
    put_optional(p, "=", param->value);
  }
  put_optional(p, ": ", expr->lambda.body);
}

static void put_comprehension(const Printer *p, const Expr *expr) {
  static const char *const open[] = {"[", "{", "{", "("};
  static const char *const close[] = {"]", "}", "}", ")"};
  const CompKind kind = expr->comprehension.kind;
  str_add(p->out, open[kind]);
  put_optional(p, "", expr->comprehension.key);
  put_optional(p, kind == COMP_DICT ? ": " : "", expr->comprehension.value);
  for (int i = 0; i < expr->comprehension.num_fors && !is_full(p); i++) {
    const ComprehensionFor *part = &expr->comprehension.fors[i];
    put_optional(p, part->is_async ? " async for " : " for ", part->target);
    put_optional(p, " in ", part->iterable);
    if (part->conditions.count) str_add(p->out, " if ");
    put_list(p, &part->conditions, " if ");
  }
  str_add(p->out, close[kind]);
}

static void put_unary(const Printer *p, const Expr *expr) {
  str_add(p->out, unary_text[expr->unary.op]);
  put_optional(p, expr->unary.op == UNARY_NOT ? " " : "", expr->unary.operand);
}

static void put_conditional(const Printer *p, const Expr *expr) {
  put(p, expr->conditional.then);
  put_optional(p, " if ", expr->conditional.condition);
  put_optional(p, " else ", expr->conditional.otherwise);
}

void integer_print(Integer value, Str *out) {
  char digits[48];
  char *p = digits + sizeof digits;
  const bool negative = value < 0;
  *--p = 0;
  do {
    const int digit = (int)(value % 10);
    *--p = (char)('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  } while (value);
  if (negative) *--p = '-';
  str_add(out, p);
}

static void put_int(const Printer *p, const Expr *expr) {
  integer_print(expr->integer, p->out);
}

static void put_attribute(const Printer *p, const Expr *expr) {
  const Expr *object = expr->attribute.object;
  const bool bare = object->kind == EXPR_INT && !object->parenthesized;
  put(p, object);
  if (bare) str_add_char(p->out, ' '); // a dot would make a float of it
  str_addf(p->out, ".%s", expr->attribute.name);
}

static void put_bare(const Printer *p, const Expr *expr) {
  switch (expr->kind) {
  case EXPR_NAME:
  case EXPR_BIG:
  case EXPR_IMAGINARY: str_add(p->out, expr->name); break;
  case EXPR_INT: put_int(p, expr); break;
  case EXPR_FLOAT: float_print_repr(expr->number, p->out); break;
  case EXPR_STRING: put_string(p, expr); break;
  case EXPR_FSTRING: put_fstring(p, expr); break;
  case EXPR_NONE: str_add(p->out, "None"); break;
  case EXPR_BOOL: str_add(p->out, expr->truth ? "True" : "False"); break;
  case EXPR_ELLIPSIS: str_add(p->out, "..."); break;
  case EXPR_TUPLE: put_tuple(p, expr); break;
  case EXPR_LIST: put_enclosed(p, expr, '[', ']'); break;
  case EXPR_SET: put_enclosed(p, expr, '{', '}'); break;
  case EXPR_DICT: put_dict(p, expr); break;
  case EXPR_ATTRIBUTE: put_attribute(p, expr); break;
  case EXPR_SUBSCRIPT:
    put(p, expr->subscript.object);
    str_add_char(p->out, '[');
    put_index(p, expr->subscript.index);
    str_add_char(p->out, ']');
    break;
  case EXPR_SLICE: put_slice(p, expr); break;
  case EXPR_CALL: put_call(p, expr); break;
  case EXPR_UNARY: put_unary(p, expr); break;
  case EXPR_CHAIN: put_chain(p, expr); break;
  case EXPR_COMPARE: put_compare(p, expr); break;
  case EXPR_AND: put_list(p, &expr->items, " and "); break;
  case EXPR_OR: put_list(p, &expr->items, " or "); break;
  case EXPR_IF: put_conditional(p, expr); break;
  case EXPR_LAMBDA: put_lambda(p, expr); break;
  case EXPR_COMPREHENSION: put_comprehension(p, expr); break;
  case EXPR_NAMED:
    put(p, expr->named.target);
    put_optional(p, " := ", expr->named.value);
    break;
  case EXPR_STARRED: put_optional(p, "*", expr->operand); break;
  case EXPR_AWAIT: put_optional(p, "await ", expr->operand); break;
  case EXPR_YIELD:
    str_add(p->out, "yield");
    put_optional(p, " ", expr->operand);
    break;
  case EXPR_COUNT: break;
  }
}

// Does the expression print its own brackets?
static bool has_brackets(const Expr *expr) {
  return expr->kind == EXPR_TUPLE ||
         (expr->kind == EXPR_COMPREHENSION &&
          expr->comprehension.kind == COMP_GENERATOR);
}

static void put(const Printer *p, const Expr *expr) {
  if (is_full(p)) return;
  const bool parens = expr->parenthesized && !has_brackets(expr);
  if (parens) str_add_char(p->out, '(');
  put_bare(p, expr);
  if (parens) str_add_char(p->out, ')');
}

void ast_unparse(const Expr *expr, size_t limit, Str *out) {
  const size_t begin = out->length;
  const Printer printer = {out, begin + limit};
  put(&printer, expr);
  if (out->length <= begin + limit) return;
  out->length = begin + limit;
  while (out->length > begin && utf8_continues(out->data[out->length])) {
    out->length--; // not within a character
  }
  out->data[out->length] = '\0';
  str_add(out, "...");
}
