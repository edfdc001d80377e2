// cursor.c -- tokens of a file, and how far a line, a block or a bracket goes.
#include "frontend/scan/cursor.h"

#include "frontend/module/module.h"
#include "frontend/module/program.h"
#include "ir/base/base.h"

#include <string.h>

const char *scan_text(const Scanner *s, uint32_t index, size_t *length) {
  const Token *token = scan_token(s, index);
  *length = token->end - token->begin;
  return s->file->source.text + token->begin;
}

SrcLoc scan_loc(const Scanner *s, uint32_t index) {
  return token_loc(&s->file->source, scan_token(s, index));
}

const char *scan_intern(const Scanner *s, const char *prefix, uint32_t index) {
  size_t length;
  const char *text = scan_text(s, index, &length);
  Str name = str_in(s->program->arena);
  str_add(&name, prefix);
  str_add_bytes(&name, text, length);
  return program_intern(s->program, str_text(&name));
}

bool scan_is_word(const Scanner *s, uint32_t index, const char *word) {
  return scan_kind(s, index) == TOKEN_NAME &&
         token_is(&s->file->source, scan_token(s, index), word);
}

bool scan_is_one_of(const Scanner *s, uint32_t index, const char *const *words,
                    size_t count) {
  size_t length;
  const char *text = scan_text(s, index, &length);
  return scan_kind(s, index) == TOKEN_NAME &&
         names_have_span(words, count, text, length);
}

bool scan_is_same_text(const Scanner *s, uint32_t a, uint32_t b) {
  size_t n, m;
  const char *x = scan_text(s, a, &n), *y = scan_text(s, b, &m);
  return n == m && !strncmp(x, y, n);
}

const char *scan_quoted_name(const Scanner *s, const char *prefix,
                             uint32_t token) {
  size_t length;
  const char *text = scan_text(s, token, &length);
  const bool plain = scan_kind(s, token) == TOKEN_STRING && length > 2 &&
                     (text[0] == '"' || text[0] == '\'') && text[1] != text[0];
  if (!plain) return NULL;
  return program_intern(s->program,
                        arena_printf(s->program->arena, "%s%.*s", prefix,
                                     (int)length - 2, text + 1));
}

bool scan_is_member(const Scanner *s, uint32_t token) {
  return token && scan_kind(s, token - 1) == TOKEN_DOT;
}

bool scan_assigns(int kind) {
  return kind == TOKEN_ASSIGN || scan_operator(kind) != OPERATOR_COUNT;
}

Operator scan_operator(int kind) {
  switch (kind) {
  case TOKEN_PLUS_ASSIGN: return OPERATOR_ADD;
  case TOKEN_MINUS_ASSIGN: return OPERATOR_SUB;
  case TOKEN_STAR_ASSIGN: return OPERATOR_MUL;
  case TOKEN_AT_ASSIGN: return OPERATOR_MATMUL;
  case TOKEN_SLASH_ASSIGN: return OPERATOR_DIV;
  case TOKEN_FLOORDIV_ASSIGN: return OPERATOR_FLOORDIV;
  case TOKEN_PERCENT_ASSIGN: return OPERATOR_MOD;
  case TOKEN_POWER_ASSIGN: return OPERATOR_POW;
  case TOKEN_SHL_ASSIGN: return OPERATOR_SHL;
  case TOKEN_SHR_ASSIGN: return OPERATOR_SHR;
  case TOKEN_AMPERSAND_ASSIGN: return OPERATOR_AND;
  case TOKEN_BAR_ASSIGN: return OPERATOR_OR;
  case TOKEN_CARET_ASSIGN: return OPERATOR_XOR;
  default: return OPERATOR_COUNT;
  }
}

bool scan_ends_statement(int kind) {
  return kind == TOKEN_NEWLINE || kind == TOKEN_INDENT ||
         kind == TOKEN_DEDENT || kind == TOKEN_SEMICOLON;
}

bool scan_begins_statement(int before) {
  return scan_ends_statement(before) || before == TOKEN_COLON;
}

bool scan_is_uncertain(const Scanner *s) {
  return s->scope.in_handler || s->scope.in_branch || s->scope.in_doubt ||
         s->scope.may_stop;
}

uint32_t scan_line_end(const Scanner *s, uint32_t index) {
  while (scan_kind(s, index) != TOKEN_NEWLINE &&
         scan_kind(s, index) != TOKEN_END)
    index++;
  return index;
}

uint32_t scan_statement_end(const Scanner *s, uint32_t index) {
  while (scan_kind(s, index) != TOKEN_NEWLINE &&
         scan_kind(s, index) != TOKEN_SEMICOLON &&
         scan_kind(s, index) != TOKEN_END)
    index++;
  return index;
}

uint32_t scan_after_line(const Scanner *s, uint32_t index) {
  index = scan_line_end(s, index);
  return scan_kind(s, index) == TOKEN_NEWLINE ? index + 1 : index;
}

uint32_t scan_after_block(const Scanner *s, uint32_t index) {
  index = scan_after_line(s, index);
  if (scan_kind(s, index) != TOKEN_INDENT) return index;
  int depth = 0;
  do {
    depth += scan_kind(s, index) == TOKEN_INDENT;
    depth -= scan_kind(s, index) == TOKEN_DEDENT;
    index++;
  } while (depth > 0 && scan_kind(s, index) != TOKEN_END);
  // A dedent to no outer level belongs to the block, whose reader reports it.
  return scan_kind(s, index) == TOKEN_INVALID ? index + 1 : index;
}

uint32_t scan_header_end(const Scanner *s, uint32_t index) {
  const uint32_t end = scan_line_end(s, index);
  int depth = 0, lambdas = 0;
  for (; index < end; index++) {
    const int kind = scan_kind(s, index);
    if (kind == TOKEN_COLON && !depth && !lambdas) return index;
    lambdas += kind == TOKEN_LAMBDA;
    lambdas -= kind == TOKEN_COLON && lambdas > 0;
    depth += token_nesting(kind);
  }
  return end;
}

uint32_t scan_callee_end(const Scanner *s, uint32_t token) {
  while (scan_kind(s, token + 1) == TOKEN_DOT &&
         scan_kind(s, token + 2) == TOKEN_NAME)
    token += 2;
  return token + 1;
}

uint32_t scan_after_trailer(const Scanner *s, uint32_t index, uint32_t end) {
  if (index < end && scan_kind(s, index) == TOKEN_DOT) return index + 2;
  if (index >= end || scan_kind(s, index) != TOKEN_LBRACKET) return index;
  int depth = 0;
  do depth += token_nesting(scan_kind(s, index++));
  while (depth > 0 && index < end);
  return index;
}

uint32_t scan_after_trailers(const Scanner *s, uint32_t index, uint32_t end) {
  uint32_t after;
  while ((after = scan_after_trailer(s, index, end)) > index) index = after;
  return index < end ? index : end;
}

uint32_t scan_opening(const Scanner *s, uint32_t close, uint32_t begin) {
  int depth = 0;
  for (uint32_t i = close; i > begin; i--) {
    depth -= token_nesting(scan_kind(s, i));
    if (!depth) return i;
  }
  return begin;
}

// After the bracket that closes the one at `open`.
uint32_t scan_after_brackets(const Scanner *s, uint32_t open) {
  int depth = 0, kind;
  uint32_t i = open;
  do {
    depth += token_nesting(scan_kind(s, i++));
    kind = scan_kind(s, i);
  } while (depth > 0 && kind != TOKEN_NEWLINE && kind != TOKEN_END);
  return i;
}
