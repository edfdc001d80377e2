// error.c -- messages for syntax errors.
//
// The grammar tells which tokens are possible.  Inside an expression the list
// of these tokens is long, so the message names the most likely one.
#include "frontend/errors.h"
#include "frontend/syntax/parser.h"

#include "ir/base/base.h"

#include <string.h>

void report_too_deep(Parser *parser, TextSpan span, int limit) {
  parser->failed = true;
  if (parser->stopped) return;
  diag_error(parser->diags, span_loc(parser, span), ERROR_block_too_deep,
             limit);
  parser->stopped = true;
}

void report_indentation(Parser *parser, TextSpan span) {
  const Token *newline = parser_token(parser, span) - 1;
  if (newline->end == parser->recovered_at) return; // header had an error
  const Token *first = parser_token(parser, span) + 1;
  if (first->kind == TOKEN_INVALID && first->problem == PROBLEM_TABS) return;
  SrcLoc loc = span_loc(parser, span);
  loc.column += loc.span;
  loc.span = 0;
  diag_error(parser->diags, loc, ERROR_unexpected_indentation);
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

static bool report_logical(Parser *parser, const Token *token, SrcLoc loc);

static void report_invalid(Parser *parser, const Token *token, SrcLoc loc) {
  const char *text = parser->source->text + token->begin;
  switch ((TokenProblem)token->problem) {
  case PROBLEM_REPORTED: return;
  case PROBLEM_CHARACTER:
    if (report_logical(parser, token, loc)) return;
    loc.span = (int)utf8_next(text, token->end - token->begin).length;
    diag_error(parser->diags, loc, ERROR_character_no_meaning_here, loc.span,
               text);
    return;
  case PROBLEM_NUMBER:
    diag_error(parser->diags, loc, ERROR_literal_no_number,
               loc.span < 60 ? loc.span : 60, text);
    return;
  case PROBLEM_BACKSLASH:
    diag_error(parser->diags, loc,
               token->end < parser->source->length
                   ? ERROR_text_after_backslash
                   : ERROR_file_ends_after_backslash);
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
    if (kind == TOKEN_NEWLINE) return 0;
    if (depth == 0 && token_nesting(kind) > 0) return kind;
    depth -= token_nesting(kind);
  }
  return 0;
}

// The token that could end the construct around a complete expression.
static const char *missing_end(const Parser *parser, TextSpan span,
                               const char *const *expected, int count) {
  switch (enclosing(parser, span.token)) {
  case TOKEN_LPAREN: return "',' or ')'";
  case TOKEN_LBRACKET: return "',' or ']'";
  case TOKEN_LBRACE: return "',' or '}'";
  default: break;
  }
  if (names_have(expected, (size_t)count, "the end of the line")) {
    return "an operator or the end of the line";
  }
  if (names_have(expected, (size_t)count, "':'")) return "':'";
  if (names_have(expected, (size_t)count, "'else'")) return "'else'";
  return names_have(expected, (size_t)count, "'in'") ? "'in'" : NULL;
}

// The missing element, for a message; NULL if `expected` has too many kinds.
static const char *missing(const Parser *parser, TextSpan span,
                           const char *const *expected, int count) {
  if (count == 1) {
    const bool block = !strcmp(expected[0], "indentation");
    return block ? "an indented block" : expected[0];
  }
  if (names_have(expected, (size_t)count, "a name")) {
    return names_have(expected, (size_t)count, "'('") ? "an expression"
                                                      : "a name";
  }
  return missing_end(parser, span, expected, count);
}

// -- Syntax of other languages -----------------------------------------------

typedef struct {
  const char *wrong, *right;
} Habit;

static bool starts(const Parser *parser, size_t begin, const char *text) {
  const size_t length = strlen(text);
  return begin + length <= parser->source->length &&
         !memcmp(parser->source->text + begin, text, length);
}

static bool report_other(Parser *parser, SrcLoc loc, Habit habit) {
  diag_error(parser->diags, loc, ERROR_other_language, habit.wrong,
             habit.right);
  diag_fix(parser->diags, loc, habit.right);
  return true;
}

// Reports `&&` and `||`, whose second character is the token, and `!`, which is
// no token.
static bool report_logical(Parser *parser, const Token *token, SrcLoc loc) {
  static const Habit doubled[] = {{"&&", "and"}, {"||", "or"}};
  for (size_t i = 0; i < 2 && token->begin; i++) {
    if (!starts(parser, token->begin - 1, doubled[i].wrong)) continue;
    loc.column--;
    loc.span = 2;
    return report_other(parser, loc, doubled[i]);
  }
  loc.span = 1;
  if (!starts(parser, token->begin, "!")) return false;
  report_other(parser, loc, (Habit){"!", "not"});
  diag_fix(parser->diags, loc, "not ");
  return true;
}

// Reports `n++`.
static bool report_increment(Parser *parser, const Token *token) {
  static const Habit habits[] = {{"++", "+= 1"}, {"--", "-= 1"}};
  const bool at_end = token->kind == TOKEN_NEWLINE || token->kind == TOKEN_END;
  const Token *last = token - 1;
  for (size_t i = 0; at_end && i < 2 && last->begin; i++) {
    if (!starts(parser, last->begin - 1, habits[i].wrong)) continue;
    const SrcLoc loc = {parser->source->name, (int)last->line,
                        (int)last->column - 1, 2};
    return report_other(parser, loc, habits[i]);
  }
  return false;
}

static bool begins_line(const Token *token) {
  return token[-1].kind == TOKEN_NEWLINE || token[-1].kind == TOKEN_DEDENT ||
         token[-1].kind == TOKEN_INDENT;
}

// `else if`, `elseif`
static bool report_else_if(Parser *parser, const Token *token) {
  const bool two = token->kind == TOKEN_IF && token[-1].kind == TOKEN_ELSE;
  if (!two) return false;
  const SrcLoc loc = {parser->source->name, (int)token[-1].line,
                      (int)token[-1].column,
                      (int)(token->end - token[-1].begin)};
  return report_other(parser, loc, (Habit){"else if", "elif"});
}

// Reports a misspelt keyword: `whlie n > 0:` is a name, then another
// expression.
static bool report_keyword(Parser *parser, const Token *token) {
  static const char *const keywords[] = {
#define KEYWORD(word) word,
#define HABIT(wrong, right)
#include "frontend/syntax/spellings.def"
  };
  static const Habit habits[] = {
#define KEYWORD(word)
#define HABIT(wrong, right) {wrong, right},
#include "frontend/syntax/spellings.def"
  };
  const Token *last = token - 1;
  if (last->kind != TOKEN_NAME || !begins_line(last)) return false;
  const char *text = parser->source->text + last->begin;
  const int length = (int)(last->end - last->begin);
  const char *name = arena_strndup(parser->arena, text, (size_t)length);
  const char *near =
      diag_nearest(name, keywords, sizeof keywords / sizeof *keywords);
  for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
    if (!strcmp(habits[i].wrong, name)) near = habits[i].right;
  if (!near) return false;
  const SrcLoc loc = {parser->source->name, (int)last->line, (int)last->column,
                      length};
  diag_error(parser->diags, loc, ERROR_keyword_near, length, text, near);
  diag_fix(parser->diags, loc, near);
  return true;
}

static bool report_comment(Parser *parser, const Token *token, SrcLoc loc) {
  return starts(parser, token->begin, "//") && begins_line(token) &&
         report_other(parser, loc, (Habit){"//", "#"});
}

static bool report_habit(Parser *parser, const Token *token, uint32_t index,
                         SrcLoc loc) {
  if (index < 2) return false; // no room for the tokens before
  return report_logical(parser, token, loc) ||
         report_comment(parser, token, loc) ||
         report_increment(parser, token) || report_else_if(parser, token) ||
         report_keyword(parser, token);
}

// -- Keywords ----------------------------------------------------------------

static bool is_keyword(const Parser *parser, const Token *token) {
  switch (token->kind) {
  case TOKEN_NAME:
  case TOKEN_STRING:
  case TOKEN_FSTRING:
  case TOKEN_INVALID:
  case TOKEN_END: return false;
  default: break;
  }
  const char first = parser->source->text[token->begin];
  return token->begin < token->end && first >= 'a' && first <= 'z';
}

// Reports a keyword used as a name: `lambda = 3`, `f(import=3)`.
static bool report_keyword_as_name(Parser *parser, const Token *token,
                                   uint32_t index) {
  if (token->kind == TOKEN_ASSIGN && index) token--;
  if (!is_keyword(parser, token) || token[1].kind != TOKEN_ASSIGN) return false;
  const SrcLoc loc = token_loc(parser->source, token);
  const char *text = parser->source->text + token->begin;
  diag_error(parser->diags, loc, ERROR_keyword_no_name,
             arena_strndup(parser->arena, text, (size_t)loc.span));
  return true;
}

// -- All ---------------------------------------------------------------------

static bool is_clause(int kind) {
  return kind == TOKEN_ELSE || kind == TOKEN_ELIF || kind == TOKEN_EXCEPT ||
         kind == TOKEN_FINALLY;
}

// Is the token within a bracket that the lexer has found to be unclosed?
static bool is_in_unclosed(const Parser *parser, uint32_t index) {
  const Token *tokens = parser->list->tokens.items;
  if (!enclosing(parser, index)) return false;
  while (tokens[index].kind != TOKEN_NEWLINE && tokens[index].kind != TOKEN_END)
    if (tokens[index++].kind == TOKEN_INVALID &&
        tokens[index - 1].problem == PROBLEM_REPORTED)
      return true;
  return false;
}

static void report_assignment(Parser *parser, SrcLoc loc) {
  diag_error(parser->diags, loc, ERROR_assignment_in_expression);
  diag_fix(parser->diags, loc, "==");
}

static void report_missing(Parser *parser, SrcLoc loc, const char *wanted,
                           const Token *token, const char *found) {
  diag_error(parser->diags, loc, ERROR_expected_other, wanted, found);
  loc.span = 0;
  const bool at_end = token->kind == TOKEN_NEWLINE;
  if (at_end && !strcmp(wanted, "':'")) diag_fix(parser->diags, loc, ":");
}

static void report_found(Parser *parser, const Token *token, TextSpan span,
                         const char *const *expected, int count) {
  const SrcLoc loc = span_loc(parser, span);
  const char *found = describe(parser, token);
  const char *wanted = missing(parser, span, expected, count);
  if (report_keyword_as_name(parser, token, span.token)) {
    return;
  } else if (is_clause(token->kind) && span.token && begins_line(token)) {
    // If the header of an `if` had an error, its `else` is no second error.
    if (parser->recovered_at) return;
    diag_error(parser->diags, loc, ERROR_continues_nothing, found);
  } else if (is_in_unclosed(parser, span.token) ||
             report_habit(parser, token, span.token, loc)) {
    return;
  } else if (wanted && !strcmp(wanted, "an expression")) {
    diag_error(parser->diags, loc, ERROR_expected_expression, found);
  } else if (token->kind == TOKEN_ASSIGN) {
    report_assignment(parser, loc);
  } else if (wanted) {
    report_missing(parser, loc, wanted, token, found);
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
  if (parser->diags->num_errors - parser->errors_at_start >=
      diag_limit(parser->diags))
    parser->stopped = true;
}

// -- Statements that are not parsed ------------------------------------------

static bool lacks(Parser *parser, uint32_t index, const char *wanted) {
  const Token *token = &parser->list->tokens.items[index];
  const TextSpan span = {token->begin,  token->end, token->line,
                         token->column, index,      true};
  report_syntax_error(parser, span, &wanted, 1);
  return true;
}

bool report_header(Parser *parser, uint32_t index) {
  const Token *tokens = parser->list->tokens.items;
  if (tokens[index + 1].kind == TOKEN_ASSIGN)
    return lacks(parser, index, "a statement");
  if (tokens[index].kind == TOKEN_AT) {
    index = parser_skip_decorators(parser, index);
    if (!token_begins_definition(tokens[index].kind))
      return lacks(parser, index, "'def' or 'class' below a decorator");
  }
  const int what = tokens[index].kind;
  if (what != TOKEN_DEF && what != TOKEN_CLASS) return false;
  if (tokens[index + 1].kind != TOKEN_NAME)
    return lacks(parser, index + 1, "a name");
  const int next = tokens[index + 2].kind;
  if (next == TOKEN_LPAREN || next == TOKEN_LBRACKET) return false;
  if (what == TOKEN_DEF) return lacks(parser, index + 2, "'('");
  return next != TOKEN_COLON && lacks(parser, index + 2, "':'");
}
