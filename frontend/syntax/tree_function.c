// tree_function.c -- functions and their parameters.
#include "frontend/errors.h"
#include "frontend/syntax/parser.h"

#include <string.h>

static const char *source_text(const Parser *parser, uint32_t begin,
                               uint32_t end) {
  return arena_strndup(parser->arena, parser->source->text + begin,
                       end - begin);
}

static bool ends_with_constexpr(const char *text) {
  static const char word[] = "constexpr";
  const size_t length = strlen(text), n = sizeof word - 1;
  if (length < n || strcmp(text + length - n, word) != 0) return false;
  return length == n || text[length - n - 1] == '.';
}

AstParam *tree_make_param(Parser *parser, ParamKind kind, const char *name,
                          TextSpan span, Expr *annotation,
                          TextSpan annotation_span, Expr *value) {
  AstParam *param = arena_new(parser->arena, AstParam);
  param->name = name;
  param->kind = kind;
  param->loc = span_loc(parser, span);
  param->annotation = annotation;
  param->value = value;
  if (!annotation) return param;
  param->annotation_text =
      annotation->kind == EXPR_STRING
          ? annotation->string.text
          : source_text(parser, annotation_span.begin, annotation_span.end);
  param->is_constexpr = ends_with_constexpr(param->annotation_text);
  return param;
}

static bool has_name(const ParamVec *params, const char *name) {
  for (size_t i = 0; i < params->count; i++) {
    if (params->items[i].name == name) return true;
  }
  return false;
}

static bool is_after(const ParamVec *params, ParamKind kind) {
  for (size_t i = 0; i < params->count; i++) {
    if (params->items[i].kind == kind) return true;
  }
  return false;
}

static void check_order(Parser *parser, const ParamVec *params,
                        const AstParam *param) {
  const AstParam *last =
      params->count ? &params->items[params->count - 1] : NULL;
  if (param->name && has_name(params, param->name)) {
    diag_error(parser->diags, param->loc, ERROR_parameter_twice, param->name);
  } else if (is_after(params, PARAM_DOUBLE_STAR)) {
    diag_error(parser->diags, param->loc, ERROR_parameter_after_double_star,
               last->name);
  } else if (param->kind == PARAM_NORMAL && !param->value && last &&
             last->kind == PARAM_NORMAL && last->value) {
    diag_error(parser->diags, param->loc, ERROR_parameter_without_default,
               param->name, last->name);
  }
}

// `/`: the parameters so far are positional-only.
static void close_positional(ParamVec *params) {
  for (size_t i = 0; i < params->count; i++) {
    params->items[i].kind = PARAM_POSITIONAL_ONLY;
  }
}

void tree_param(Parser *parser, ParamVec *params, const AstParam *param) {
  enum { MAX_PARAMS = 1024 };
  AstParam added = *param;
  if (parser->stopped) return;
  if (params->count >= MAX_PARAMS) {
    diag_error(parser->diags, param->loc, ERROR_too_many_parameters,
               MAX_PARAMS);
    parser->failed = parser->stopped = true;
    return;
  }
  if (param->kind == PARAM_POSITIONAL_ONLY) {
    close_positional(params);
    return;
  }
  if (param->kind == PARAM_NORMAL && is_after(params, PARAM_STAR)) {
    added.kind = PARAM_KEYWORD_ONLY;
  }
  check_order(parser, params, &added);
  vec_push(parser->arena, params, added);
}

// The parameters without the separator '*'.
ParamVec tree_finish_params(const ParamVec *params) {
  ParamVec kept = *params;
  kept.count = 0;
  for (size_t i = 0; i < params->count; i++) {
    if (params->items[i].name) kept.items[kept.count++] = params->items[i];
  }
  return kept;
}

static bool is_docstring(const Stmt *stmt) {
  return stmt->kind == STMT_EXPR && stmt->expr->kind == EXPR_STRING;
}

void tree_function(Parser *parser, const char *name, TextSpan name_span,
                   const ParamVec *params, Expr *returns, const StmtVec *body) {
  AstFunction *function = parser->function;
  if (!function->name) function->name = name;
  function->loc = span_loc(parser, name_span);
  function->returns = returns;
  function->body = (StmtList){body->items, (int)body->count};
  const ParamVec named = tree_finish_params(params);
  function->params = named.items;
  function->num_params = (int)named.count;
  function->returns_value = parser->returns_value;
  if (!body->count || !is_docstring(body->items[0])) return;
  function->body.items++;
  function->body.count--;
}
