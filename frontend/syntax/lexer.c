// lexer.c -- the actions of lexer.l: from a recognised text to a token.
//
// Every action appends to the token list.  Errors after which the rest of the
// file cannot be understood (strings, brackets) are reported here; all others
// become TOKEN_INVALID, which a parser reports.
#include "frontend/syntax/lexer.h"

#include "frontend/errors.h"
#include "ir/base/base.h"

#include <assert.h>

enum { TAB_WIDTH = 8 };

static char char_at(const Lexer *lexer, uint32_t offset) {
  return lexer->source->text[offset];
}

static SrcLoc loc_at(const Lexer *lexer, uint32_t begin, uint32_t end) {
  return (SrcLoc){lexer->source->name, (int)lexer->line,
                  (int)(begin - lexer->line_begin) + 1, (int)(end - begin)};
}

static const Token *last_token(const Lexer *lexer) {
  const TokenList *out = lexer->out;
  return out->tokens.count ? &out->tokens.items[out->tokens.count - 1] : NULL;
}

bool lexer_stopped(const Lexer *lexer) {
  return lexer->diags->num_errors - lexer->errors_at_start >=
         diag_limit(lexer->diags);
}

static Token make_token(const Lexer *lexer, int kind, Lexeme at) {
  assert(lexer->line_begin <= at.begin && at.begin <= at.end); // I7
  return (Token){.kind = (uint16_t)kind,
                 .begin = at.begin,
                 .end = at.end,
                 .line = lexer->line,
                 .column = at.begin - lexer->line_begin + 1};
}

void lexer_put(Lexer *lexer, int kind, Lexeme at) {
  const Token token = make_token(lexer, kind, at);
  vec_push(lexer->arena, &lexer->out->tokens, token);
}

void lexer_put_invalid(Lexer *lexer, TokenProblem problem, Lexeme at) {
  Token token = make_token(lexer, TOKEN_INVALID, at);
  token.problem = (uint16_t)problem;
  vec_push(lexer->arena, &lexer->out->tokens, token);
}

// Is the code punctuation or a blank that editors insert instead of ASCII?
// (There is no table of all letters: unusual names are harmless.)
static bool is_punctuation(uint32_t code) {
  return (code >= 0x80 && code < 0xaa) || code == 0xab || code == 0xac ||
         (code >= 0xad && code < 0xb5) || (code > 0xb6 && code < 0xba) ||
         (code > 0xba && code < 0xc0) || code == 0xd7 || code == 0xf7 ||
         (code >= 0x2000 && code < 0x2c00) ||
         (code >= 0x3000 && code < 0x3021 && code != 0x3005) ||
         (code >= 0xff00 && code < 0xff10) || code == 0xfeff;
}

void lexer_put_wide(Lexer *lexer, Lexeme at) {
  const char *text = lexer->source->text;
  for (uint32_t i = at.begin; i < at.end; i++) {
    if (!is_punctuation(utf8_next(text + i, at.end - i).code)) continue;
    if (i > at.begin) lexer_put(lexer, TOKEN_NAME, (Lexeme){at.begin, i});
    lexer_put_invalid(lexer, PROBLEM_CHARACTER, (Lexeme){i, at.end});
    return;
  }
  lexer_put(lexer, TOKEN_NAME, at);
}

// -- Lines and indentation ---------------------------------------------------

void lexer_next_line(Lexer *lexer, Lexeme at) {
  lexer->line++;
  lexer->line_begin = at.end;
}

// The end of a line as shown in messages: without the "\r" of "\r\n".
static uint32_t line_end(const Lexer *lexer, uint32_t at) {
  const bool returns = at > lexer->line_begin && char_at(lexer, at - 1) == '\r';
  return returns ? at - 1 : at;
}

static void put_newline(Lexer *lexer, Lexeme at) {
  const Token *last = last_token(lexer);
  at.begin = line_end(lexer, at.begin);
  if (!last || last->kind == TOKEN_NEWLINE || last->kind == TOKEN_INDENT ||
      last->kind == TOKEN_DEDENT) {
    return;
  }
  lexer_put(lexer, TOKEN_NEWLINE, at);
}

ScanState lexer_line_end(Lexer *lexer, Lexeme at) {
  const bool joined = lexer->fragment || lexer->brackets.count;
  if (!joined) put_newline(lexer, at);
  lexer_next_line(lexer, at);
  return joined ? SCAN_CODE : SCAN_LINE_START;
}

static Indent measure(const Lexer *lexer, Lexeme blanks) {
  Indent indent = {0};
  for (uint32_t i = blanks.begin; i < blanks.end; i++) {
    switch (char_at(lexer, i)) {
    case ' ': indent.columns++, indent.narrow++; break;
    case '\t':
      indent.columns += TAB_WIDTH - indent.columns % TAB_WIDTH;
      indent.narrow++;
      break;
    case '\f': indent = (Indent){0}; break;
    default: break;
    }
  }
  return indent;
}

static Indent top_indent(const Lexer *lexer) {
  const size_t count = lexer->indents.count;
  return count ? lexer->indents.items[count - 1] : (Indent){0};
}

static void dedent(Lexer *lexer, uint32_t columns, Lexeme at) {
  while (top_indent(lexer).columns > columns) {
    lexer->indents.count--;
    lexer_put(lexer, TOKEN_DEDENT, at);
  }
}

void lexer_indent(Lexer *lexer, Lexeme blanks) {
  const Indent now = measure(lexer, blanks), before = top_indent(lexer);
  const Lexeme end = {blanks.end, blanks.end};
  assert(lexer->line_begin <= blanks.begin); // I7
  if (now.columns > before.columns) {
    vec_push(lexer->arena, &lexer->indents, now);
    lexer_put(lexer, TOKEN_INDENT, blanks);
    if (now.narrow <= before.narrow) {
      lexer_put_invalid(lexer, PROBLEM_TABS, blanks);
    }
    return;
  }
  dedent(lexer, now.columns, end);
  assert(top_indent(lexer).columns <= now.columns); // I8
  const Indent outer = top_indent(lexer);
  if (outer.columns != now.columns) {
    lexer_put_invalid(lexer, PROBLEM_DEDENT, blanks);
  } else if (outer.narrow != now.narrow) {
    lexer_put_invalid(lexer, PROBLEM_TABS, blanks);
  }
}

// -- Brackets ----------------------------------------------------------------

static SrcLoc bracket_loc(const Lexer *lexer, const OpenBracket *bracket) {
  return (SrcLoc){lexer->source->name, (int)bracket->line, (int)bracket->column,
                  1};
}

static void report_unclosed(Lexer *lexer) {
  assert(lexer->brackets.count > 0); // I8
  const OpenBracket *open = &lexer->brackets.items[lexer->brackets.count - 1];
  if (!open->hidden)
    diag_error(lexer->diags, bracket_loc(lexer, open),
               ERROR_bracket_never_closed, open->open);
  lexer->brackets.count = 0;
}

void lexer_open(Lexer *lexer, int kind, Lexeme at) {
  const OpenBracket open = {.open = char_at(lexer, at.begin),
                            .begin = at.begin,
                            .line = lexer->line,
                            .column = at.begin - lexer->line_begin + 1};
  vec_push(lexer->arena, &lexer->brackets, open);
  lexer_put(lexer, kind, at);
}

static char closer_of(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

// Closes the innermost bracket that matches `close`, and those within it.  If
// no bracket matches, closes the innermost one.
static void drop_to_match(Lexer *lexer, char close) {
  assert(lexer->brackets.count > 0); // I8
  size_t i = lexer->brackets.count;
  while (i-- > 0 && closer_of(lexer->brackets.items[i].open) != close) continue;
  lexer->brackets.count = i == SIZE_MAX ? lexer->brackets.count - 1 : i;
}

static void report_mismatch(Lexer *lexer, Lexeme at) {
  const char close = char_at(lexer, at.begin);
  const SrcLoc loc = loc_at(lexer, at.begin, at.end);
  // After one mismatch, others on the same line are not reported.
  if (lexer_stopped(lexer) || lexer->bad_line == lexer->line) return;
  lexer->bad_line = lexer->line;
  if (!lexer->brackets.count) {
    diag_error(lexer->diags, loc, ERROR_bracket_closes_nothing, close);
    return;
  }
  const OpenBracket *open = &lexer->brackets.items[lexer->brackets.count - 1];
  if (!open->hidden) {
    diag_error(lexer->diags, loc, ERROR_bracket_mismatch, closer_of(open->open),
               close);
    diag_note(lexer->diags, bracket_loc(lexer, open), NOTE_opened, open->open);
  }
  drop_to_match(lexer, close);
}

void lexer_close(Lexer *lexer, int kind, Lexeme at) {
  const size_t count = lexer->brackets.count;
  const char close = char_at(lexer, at.begin);
  if (count && closer_of(lexer->brackets.items[count - 1].open) == close) {
    lexer->brackets.count--;
    lexer_put(lexer, kind, at);
    return;
  }
  report_mismatch(lexer, at);
  lexer_put_invalid(lexer, PROBLEM_REPORTED, at);
}

static void end_brackets(Lexer *lexer, uint32_t begin) {
  const Lexeme nothing = {begin, begin};
  report_unclosed(lexer);
  lexer_put_invalid(lexer, PROBLEM_REPORTED, nothing);
  lexer_put(lexer, TOKEN_NEWLINE, nothing);
  lexer_indent(lexer, (Lexeme){lexer->line_begin, begin});
}

static bool is_decorator(const Token *token, uint32_t column) {
  return token->kind == TOKEN_AT && token->column == column &&
         token[-1].line != token->line;
}

// The index of the first decorator of a definition at `column`, within the
// innermost bracket; the number of tokens, if there are no decorators.
static size_t first_decorator(const Lexer *lexer, uint32_t column) {
  const Token *tokens = lexer->out->tokens.items;
  const uint32_t open = lexer->brackets.items[lexer->brackets.count - 1].begin;
  size_t first = lexer->out->tokens.count;
  for (size_t i = first; i-- > 1 && tokens[i].begin > open;) {
    if (is_decorator(&tokens[i], column)) first = i;
  }
  return first;
}

static void go_to_line(Lexer *lexer, const Token *token) {
  lexer->line = token->line;
  lexer->line_begin = token->begin - (token->column - 1);
}

// Closes the bracket before the decorators at token `first`, which were taken
// for a part of it.
static void end_before_decorators(Lexer *lexer, size_t first, Lexeme at) {
  const uint32_t line = lexer->line, line_begin = lexer->line_begin;
  const uint32_t column = at.begin - line_begin + 1;
  const size_t count = lexer->out->tokens.count - first;
  assert(count > 0 && lexer->brackets.count > 0); // I8
  Token *moved = arena_array(lexer->arena, Token, count);
  for (size_t i = 0; i < count; i++)
    moved[i] = lexer->out->tokens.items[first + i];
  lexer->out->tokens.count = first;
  go_to_line(lexer, moved);
  end_brackets(lexer, moved->begin);
  for (size_t i = 0; i < count; i++) {
    go_to_line(lexer, &moved[i]);
    if (i && is_decorator(&moved[i], column))
      put_newline(lexer, (Lexeme){moved[i].begin, moved[i].begin});
    vec_push(lexer->arena, &lexer->out->tokens, moved[i]);
  }
  lexer->line = line;
  lexer->line_begin = line_begin;
  lexer_put(lexer, TOKEN_NEWLINE, (Lexeme){at.begin, at.begin});
}

// A keyword at `at` is part of no expression: if a line begins with it, a
// bracket before it was not closed.
void lexer_put_keyword(Lexer *lexer, int kind, Lexeme at) {
  const Token *last = last_token(lexer);
  if (lexer->brackets.count && !lexer->fragment && last->line != lexer->line) {
    const size_t first =
        first_decorator(lexer, at.begin - lexer->line_begin + 1);
    if (first < lexer->out->tokens.count)
      end_before_decorators(lexer, first, at);
    else
      end_brackets(lexer, at.begin);
  }
  lexer_put(lexer, kind, at);
}

void lexer_end(Lexer *lexer, uint32_t end) {
  const uint32_t last = line_end(lexer, end);
  const Lexeme at = {last, last};
  if (lexer->frames.count) {
    const StringFrame *frame = &lexer->frames.items[0];
    const SrcLoc loc = {lexer->source->name, (int)frame->line,
                        (int)frame->column, frame->triple ? 3 : 1};
    diag_error(lexer->diags, loc, ERROR_string_never_closed);
    lexer_put_invalid(lexer, PROBLEM_REPORTED, at);
  } else if (lexer->brackets.count) {
    report_unclosed(lexer);
    lexer_put_invalid(lexer, PROBLEM_REPORTED, at);
  }
  if (!lexer->fragment) put_newline(lexer, at);
  dedent(lexer, 0, at);
  lexer_put(lexer, TOKEN_END, at);
}
