// decorator_option.c -- the options of decorators.
#include "frontend/module/decorator.h"

#include "frontend/scan/scan.h"

#include <string.h>

const Expr *call_argument(const Expr *call, const char *name, int position) {
  for (int i = 0; i < call->call.num_args; i++) {
    const CallArg *arg = &call->call.args[i];
    if (arg->kind == ARG_KEYWORD && !strcmp(arg->name, name)) return arg->value;
    if (arg->kind == ARG_POSITIONAL && i == position) return arg->value;
  }
  return NULL;
}

// -- Decorators that a function of the file makes ----------------------------

// May the function, or one within it, bind the name?
static bool binds(const Definition *maker, const char *name) {
  const AstFile *file = maker->file;
  const Token *tokens = file->list.tokens.items;
  bool header = false;
  for (uint32_t i = maker->begin; i < maker->end; i++) {
    const int kind = tokens[i].kind, before = tokens[i - (i > 0)].kind;
    if (kind == TOKEN_DEF || kind == TOKEN_LAMBDA || kind == TOKEN_FOR)
      header = true;
    if (kind == TOKEN_COLON || kind == TOKEN_IN) header = false;
    if (kind != TOKEN_NAME || !token_is(&file->source, &tokens[i], name))
      continue;
    const int after = tokens[i + 1].kind;
    const bool called = before == TOKEN_DOT || after == TOKEN_DOT ||
                        after == TOKEN_LPAREN || after == TOKEN_RPAREN;
    if (header || (after == TOKEN_COMMA ? before == TOKEN_NEWLINE : !called))
      return true;
  }
  return false;
}

static bool is_closed(const Decorator *d, const Expr *expr);

static bool are_closed(const Decorator *d, const ExprList *items) {
  int i = 0;
  while (i < items->count && is_closed(d, items->items[i])) i++;
  return i == items->count;
}

static bool is_closed_dict(const Decorator *d, const Expr *dict) {
  for (int i = 0; i < dict->dict.count; i++) {
    const DictItem *item = &dict->dict.items[i];
    if (!item->key || !is_closed(d, item->key) || !is_closed(d, item->value))
      return false;
  }
  return true;
}

static bool is_closed_call(const Decorator *d, const Expr *call) {
  int i = 0;
  while (i < call->call.num_args && is_closed(d, call->call.args[i].value)) i++;
  return i == call->call.num_args && is_closed(d, call->call.callee);
}

// Does the expression mean at the decorator the same as in the function?
static bool is_closed(const Decorator *d, const Expr *expr) {
  switch (expr->kind) {
  case EXPR_INT:
  case EXPR_FLOAT:
  case EXPR_STRING:
  case EXPR_BOOL:
  case EXPR_NONE: return true;
  case EXPR_LIST:
  case EXPR_TUPLE: return are_closed(d, &expr->items);
  case EXPR_DICT: return is_closed_dict(d, expr);
  case EXPR_CALL: return is_closed_call(d, expr);
  case EXPR_ATTRIBUTE: return is_closed(d, expr->attribute.object);
  case EXPR_NAME:
    return d->maker->file == d->file && !binds(d->maker, expr->name);
  default: return false;
  }
}

// Does the function, with those within it, consist of `def` and `return` alone,
// without branches or loops, and, if `assigns`, of assignments?
static bool is_straight(const Definition *maker, bool assigns) {
  const Token *tokens = maker->file->list.tokens.items;
  for (uint32_t i = maker->begin + 1; i < maker->end; i++) {
    const int kind = tokens[i].kind, after = tokens[i + 1].kind;
    if (kind == TOKEN_IF || kind == TOKEN_FOR || kind == TOKEN_WALRUS)
      return false;
    if (!scan_ends_statement(tokens[i - 1].kind) || scan_ends_statement(kind))
      continue;
    if (kind != TOKEN_DEF && kind != TOKEN_RETURN && kind != TOKEN_STRING &&
        (kind != TOKEN_NAME || after != TOKEN_ASSIGN || !assigns))
      return false;
  }
  return true;
}

static bool is_plain(const Expr *call) {
  int i = 0;
  while (i < call->call.num_args &&
         (call->call.args[i].kind == ARG_POSITIONAL ||
          call->call.args[i].kind == ARG_KEYWORD))
    i++;
  return i == call->call.num_args;
}

// The value of the maker's parameter `name`, from the call or the default; NULL
// if it is unknown.
static const Expr *given(const Decorator *d, const char *name) {
  const AstFunction *maker = d->maker->function;
  int i = 0;
  while (i < maker->num_params && strcmp(maker->params[i].name, name)) i++;
  if (i == maker->num_params || !is_straight(d->maker, false)) return NULL;
  const Expr *value = call_argument(d->expr, name, i);
  if (value) return value;
  value = maker->params[i].value;
  return value && is_closed(d, value) ? value : NULL;
}

// An option of a made decorator: `def ours(found): return
// triton.autotune(configs=found, key=["n"])`.  If its value is neither an
// argument nor known in the module, the result is the whole decorator.
static const Expr *made_option(const Decorator *d, const char *name,
                               int position) {
  const Expr *call = d->made;
  while (call && call->call.callee->kind == EXPR_CALL)
    call = call->call.callee; // `autotune(...)(function)`
  if (!call || !is_plain(call) || !is_straight(d->maker, true)) return d->expr;
  const Expr *value = call_argument(call, name, position);
  if (!value || is_closed(d, value)) return value;
  const bool passed = value->kind == EXPR_NAME && is_plain(d->expr);
  const Expr *argument = passed ? given(d, value->name) : NULL;
  return argument ? argument : d->expr;
}

const Expr *decorator_option(const Decorator *d, const char *name,
                             int position) {
  if (d->unknown) return d->expr;
  if (!d->expr || d->expr->kind != EXPR_CALL) return NULL;
  if (d->maker) return made_option(d, name, position);
  const int at = d->is_partial && position >= 0 ? position + 1 : position;
  const Expr *value = call_argument(d->expr, name, at);
  return value || is_plain(d->expr) ? value : d->expr; // unknown with
                                                       // `**options`
}
