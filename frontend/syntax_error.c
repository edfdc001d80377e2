// syntax_error.c -- syntax errors in words.
//
// The grammar says which tokens it could have taken.  That list is long where
// an expression could go on, so the message names what a reader would miss.
#include "frontend/errors.h"
#include "frontend/parser.h"

#include "frontend/parser.tab.h"

#include <string.h>

enum { MAX_ERRORS = 20 };

void report_too_deep(Parser *parser, TextSpan span) {
  parser->failed = true;
  if (parser->stopped) return;
  diag_error(parser->diags, span_loc(parser, span), ERROR_block_too_deep,
             AST_MAX_DEPTH);
  parser->stopped = true;
}

void report_indentation(Parser *parser, TextSpan span) {
  const Token *newline = parser_token(parser, span) - 1;
  if (newline->end == parser->recovered_at) return; // below a broken header
  SrcLoc loc = span_loc(parser, span);
  loc.column += loc.span;
  loc.span = 0;
  diag_error(parser->diags, loc, ERROR_unexpected_indentation);
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
  case TOKEN_END: return parser->fstring_depth ? "the end of the field" : kind;
  default: return kind;
  }
}

static int character_length(char first) {
  const unsigned char c = (unsigned char)first;
  return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

static void report_invalid(Parser *parser, const Token *token, SrcLoc loc) {
  const char *text = parser->source->text + token->begin;
  switch ((TokenProblem)token->problem) {
  case PROBLEM_REPORTED: return;
  case PROBLEM_CHARACTER:
    loc.span = character_length(*text);
    diag_error(parser->diags, loc, ERROR_character_no_meaning_here, loc.span,
               text);
    return;
  case PROBLEM_NUMBER:
    diag_error(parser->diags, loc, ERROR_literal_no_number,
               loc.span < 60 ? loc.span : 60, text);
    return;
  case PROBLEM_BACKSLASH:
    diag_error(parser->diags, loc, ERROR_text_after_backslash);
    return;
  case PROBLEM_TABS:
    diag_error(parser->diags, loc, ERROR_tabs_spaces_mixed_inconsistently);
    return;
  case PROBLEM_DEDENT:
    diag_error(parser->diags, loc, ERROR_indentation_matches_nothing);
    return;
  }
}

// The bracket around the token at `index`, or 0.
static int enclosing(const Parser *parser, uint32_t index) {
  const Token *tokens = parser->list->tokens.items;
  for (int depth = 0; index-- > 0;) {
    const int kind = tokens[index].kind;
    depth +=
        kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_RBRACE;
    if (kind == TOKEN_NEWLINE) return 0;
    if (kind != TOKEN_LPAREN && kind != TOKEN_LBRACKET && kind != TOKEN_LBRACE)
      continue;
    if (depth-- == 0) return kind;
  }
  return 0;
}

// After a complete expression, what could have ended its surroundings.
static const char *missing_end(const Parser *parser, TextSpan span,
                               const char *const *expected, int count) {
  switch (enclosing(parser, span.token)) {
  case TOKEN_LPAREN: return "',' or ')'";
  case TOKEN_LBRACKET: return "',' or ']'";
  case TOKEN_LBRACE: return "',' or '}'";
  default: break;
  }
  if (is_expected(expected, count, "the end of the line")) {
    return "an operator or the end of the line";
  }
  if (is_expected(expected, count, "':'")) return "':'";
  if (is_expected(expected, count, "'else'")) return "'else'";
  return is_expected(expected, count, "'in'") ? "'in'" : NULL;
}

// What was missing, or NULL if the list of possibilities says nothing.
static const char *missing(const Parser *parser, TextSpan span,
                           const char *const *expected, int count) {
  if (count == 1) {
    const bool block = !strcmp(expected[0], "indentation");
    return block ? "an indented block" : expected[0];
  }
  if (is_expected(expected, count, "a name")) {
    return is_expected(expected, count, "'('") ? "an expression" : "a name";
  }
  return missing_end(parser, span, expected, count);
}

static bool is_clause(int kind) {
  return kind == TOKEN_ELSE || kind == TOKEN_ELIF || kind == TOKEN_EXCEPT ||
         kind == TOKEN_FINALLY;
}

static bool begins_line(const Token *token) {
  return token[-1].kind == TOKEN_NEWLINE || token[-1].kind == TOKEN_DEDENT ||
         token[-1].kind == TOKEN_INDENT;
}

static void report_found(Parser *parser, const Token *token, TextSpan span,
                         const char *const *expected, int count) {
  const SrcLoc loc = span_loc(parser, span);
  const char *found = describe(parser, token);
  const char *wanted = missing(parser, span, expected, count);
  if (is_clause(token->kind) && begins_line(token)) {
    // After a broken `if` its `else` is no news.
    if (parser->recovered_at) return;
    diag_error(parser->diags, loc, ERROR_continues_nothing, found);
  } else if (wanted && !strcmp(wanted, "an expression")) {
    diag_error(parser->diags, loc, ERROR_expected_expression, found);
  } else if (token->kind == TOKEN_ASSIGN) {
    diag_error(parser->diags, loc, ERROR_assignment_in_expression);
  } else if (wanted) {
    diag_error(parser->diags, loc, ERROR_expected_other, wanted, found);
  } else {
    diag_error(parser->diags, loc, ERROR_unexpected_token, found);
  }
}

void report_syntax_error(Parser *parser, TextSpan span,
                         const char *const *expected, int count) {
  parser->failed = true;
  if (parser->stopped) return;
  const Token *token = parser_token(parser, span);
  if (token->kind == TOKEN_INVALID) {
    report_invalid(parser, token, span_loc(parser, span));
  } else {
    report_found(parser, token, span, expected, count);
  }
  if (parser->diags->num_errors - parser->errors_at_start >= MAX_ERRORS) {
    parser->stopped = true;
  }
}
