// syntax_error.c -- syntax errors in words.
//
// The grammar says which tokens it could have taken.  That list is long where
// an expression could go on, so the message names what a reader would miss.
#include "frontend/parser.h"

#include "frontend/parser.tab.h"

#include <string.h>

enum { MAX_ERRORS = 20 };

void report_too_deep(Parser *parser, TextSpan span) {
  parser->failed = true;
  if (parser->stopped) return;
  diag_error(parser->diags, span_loc(parser, span),
             "this nests more than %d deep", AST_MAX_DEPTH);
  parser->stopped = true;
}

void report_indentation(Parser *parser, TextSpan span) {
  const Token *newline = parser_token(parser, span) - 1;
  if (newline->end == parser->recovered_at) return; // below a broken header
  SrcLoc loc = span_loc(parser, span);
  loc.column += loc.span;
  loc.span = 0;
  diag_error(parser->diags, loc,
             "unexpected indentation: no block begins here");
}

static bool is_expected(const char *const *expected, int count,
                        const char *name) {
  for (int i = 0; i < count; i++) {
    if (!strcmp(expected[i], name)) return true;
  }
  return false;
}

static const char *describe(Parser *parser, const Token *token) {
  const char *text = parser->source->text + token->begin;
  const int length = (int)(token->end - token->begin);
  const char *kind = token_kind_name(token->kind);
  switch (token->kind) {
  case TOKEN_NAME:
    return arena_printf(parser->arena, "the name '%.*s'",
                        length < 60 ? length : 60, text);
  case TOKEN_INT:
  case TOKEN_FLOAT:
    return arena_printf(parser->arena, "the number %.*s",
                        length < 60 ? length : 60, text);
  case TOKEN_INDENT: return "an indented block";
  default: return kind;
  }
}

static void report_invalid(Parser *parser, const Token *token, SrcLoc loc) {
  const char *text = parser->source->text + token->begin;
  switch ((TokenProblem)token->problem) {
  case PROBLEM_REPORTED: return;
  case PROBLEM_CHARACTER:
    diag_error(parser->diags, loc, "the character '%c' has no meaning here",
               *text);
    return;
  case PROBLEM_NUMBER:
    diag_error(parser->diags, loc, "'%.*s' is no number",
               loc.span < 60 ? loc.span : 60, text);
    return;
  case PROBLEM_BACKSLASH:
    diag_error(parser->diags, loc, "something follows '\\' on its line");
    return;
  case PROBLEM_TABS:
    diag_error(parser->diags, loc, "tabs and spaces are mixed inconsistently");
    return;
  case PROBLEM_DEDENT:
    diag_error(parser->diags, loc,
               "this indentation matches no block around it");
    return;
  }
}

// What was missing, or NULL if the list of possibilities says nothing.
static const char *missing(const char *const *expected, int count, int found) {
  if (count == 1) return expected[0];
  if (is_expected(expected, count, "indentation")) return "an indented block";
  if (is_expected(expected, count, "a name") &&
      is_expected(expected, count, "'('")) {
    return "an expression";
  }
  if (found == TOKEN_NEWLINE && is_expected(expected, count, "':'")) {
    return "':'";
  }
  if (is_expected(expected, count, "')'")) return "',' or ')'";
  if (is_expected(expected, count, "']'")) return "',' or ']'";
  if (is_expected(expected, count, "'}'")) return "',' or '}'";
  if (is_expected(expected, count, "a name")) return "a name";
  if (is_expected(expected, count, "'else'") && count < 30 &&
      !is_expected(expected, count, "the end of the line")) {
    return "'else'";
  }
  return NULL;
}

static void report_found(Parser *parser, const Token *token, SrcLoc loc,
                         const char *const *expected, int count) {
  const char *found = describe(parser, token);
  const char *wanted = missing(expected, count, token->kind);
  if (token->kind == TOKEN_ASSIGN) {
    diag_error(parser->diags, loc,
               "'=' is not allowed here; '==' compares, ':=' assigns within "
               "an expression");
  } else if (wanted) {
    diag_error(parser->diags, loc, "expected %s, found %s", wanted, found);
  } else {
    diag_error(parser->diags, loc, "unexpected %s", found);
  }
}

void report_syntax_error(Parser *parser, TextSpan span,
                         const char *const *expected, int count) {
  parser->failed = true;
  if (parser->stopped) return;
  const Token *token = parser_token(parser, span);
  const SrcLoc loc = span_loc(parser, span);
  if (token->kind == TOKEN_INVALID) {
    report_invalid(parser, token, loc);
  } else {
    report_found(parser, token, loc, expected, count);
  }
  if (parser->diags->num_errors - parser->errors_at_start >= MAX_ERRORS) {
    parser->stopped = true;
  }
}
