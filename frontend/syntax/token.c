// token.c -- from a text to its tokens.
#include "frontend/syntax/token.h"

#include "frontend/errors.h"
#include "frontend/frontend.h"
#include "frontend/syntax/lexer.h"
#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

enum { MAX_SOURCE = 1 << 30 };

bool token_begins_definition(int kind) {
  return kind == TOKEN_DEF || kind == TOKEN_CLASS || kind == TOKEN_ASYNC;
}

SrcLoc token_loc(const Source *source, const Token *token) {
  const char *text = source->text + token->begin;
  size_t length = token->end - token->begin;
  const char *stop = length > 1 ? memchr(text + 1, '\n', length - 1) : NULL;
  if (stop) length = (size_t)(stop - text);
  while (length > 1 && text[length - 1] == '\r') length--;
  return (SrcLoc){source->name, (int)token->line, (int)token->column,
                  (int)length};
}

bool token_is(const Source *source, const Token *token, const char *text) {
  const size_t length = token->end - token->begin;
  const char *own = source->text + token->begin;
  return *own == *text && !strncmp(own, text, length) && !text[length];
}

static SrcLoc loc_of_offset(const Source *source, size_t offset) {
  SrcLoc loc = {source->name, 1, 1, 1};
  size_t line_begin = 0;
  for (size_t i = 0; i < offset; i++) {
    if (source->text[i] != '\n') continue;
    loc.line++;
    line_begin = i + 1;
  }
  loc.column = (int)(offset - line_begin) + 1;
  return loc;
}

// For a file that is no text: one error, instead of one for each byte.
static bool check_text(DiagList *diags, const Source *source) {
  const char *text = source->text;
  if (source->length > MAX_SOURCE) {
    return diag_error(diags, (SrcLoc){source->name, 0, 0, 0},
                      ERROR_file_larger_than_bytes, MAX_SOURCE);
  }
  for (size_t i = 0; i < source->length;) {
    if (text[i] && !(text[i] & 0x80)) { // ASCII, most of a file
      i++;
      continue;
    }
    const size_t length = utf8_next(text + i, source->length - i).length;
    if (!text[i]) {
      return diag_error(diags, loc_of_offset(source, i), ERROR_file_has_nul);
    }
    if (!length) {
      return diag_error(diags, loc_of_offset(source, i), ERROR_file_not_utf8,
                        (unsigned char)text[i]);
    }
    i += length;
  }
  return true;
}

static void scan_range(Lexer *lexer, uint32_t begin, uint32_t end) {
  assert(begin <= end && end <= lexer->source->length); // I7
  const size_t length = end - begin;
  char *copy = arena_array(lexer->arena, char, length + 2);
  if (length) memcpy(copy, lexer->source->text + begin, length);
  lexer->offset = begin;
  lexer_scan(lexer, copy, length + 2);
  lexer_end(lexer, end);
  assert(lexer->out->tokens.items[lexer->out->tokens.count - 1].kind ==
         TOKEN_END);             // I1
  assert(!lexer->indents.count); // I8
}

bool lex_source(Arena *arena, DiagList *diags, const Source *source,
                TokenList *out) {
  Lexer lexer = {.arena = arena,
                 .diags = diags,
                 .source = source,
                 .out = out,
                 .line = 1,
                 .errors_at_start = diags->num_errors};
  if (!check_text(diags, source)) {
    lexer_end(&lexer, 0);
    return false;
  }
  const bool marked =
      source->length >= 3 && !memcmp(source->text, "\xef\xbb\xbf", 3);
  scan_range(&lexer, marked ? 3 : 0, (uint32_t)source->length);
  return diags->num_errors == lexer.errors_at_start;
}

bool lex_fragment(Arena *arena, DiagList *diags, const Source *source,
                  FStringMark at, uint32_t end, TokenList *out) {
  Lexer lexer = {.arena = arena,
                 .diags = diags,
                 .source = source,
                 .out = out,
                 .line = at.line,
                 .line_begin = at.offset + 1 - at.column,
                 .errors_at_start = diags->num_errors,
                 .fragment = true};
  scan_range(&lexer, at.offset, end);
  return diags->num_errors == lexer.errors_at_start;
}

int token_nesting(int kind) {
  switch (kind) {
  case TOKEN_LPAREN:
  case TOKEN_LBRACKET:
  case TOKEN_LBRACE: return 1;
  case TOKEN_RPAREN:
  case TOKEN_RBRACKET:
  case TOKEN_RBRACE: return -1;
  default: return 0;
  }
}

// Has the kind a fixed spelling, which messages can show?
static bool is_spelled(int kind) {
  switch (kind) {
  case TOKEN_INVALID:
  case TOKEN_NAME:
  case TOKEN_INT:
  case TOKEN_FLOAT:
  case TOKEN_IMAGINARY:
  case TOKEN_STRING:
  case TOKEN_FSTRING: return true;
  default: return false;
  }
}

// Prints the text of a token; line ends in it (in a long string) as `\n`.
static void print_text(const char *text, size_t length, Str *out) {
  str_add_char(out, ' ');
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\n') {
      str_add(out, "\\n");
    } else if ((unsigned char)text[i] >= 0x20) {
      str_add_char(out, text[i]);
    }
  }
}

void frontend_print_tokens(Arena *arena, DiagList *diags, const Source *source,
                           Str *out) {
  TokenList list = {0};
  if (!diag_find_source(diags, source->name)) {
    diag_add_source(diags, source_create(diags->arena, source->name,
                                         source->text, source->length));
  }
  lex_source(arena, diags, source, &list);
  for (size_t i = 0; i < list.tokens.count; i++) {
    const Token *token = &list.tokens.items[i];
    str_addf(out, "%u:%u %s", token->line, token->column,
             token_kind_name(token->kind));
    if (is_spelled(token->kind)) {
      print_text(source->text + token->begin, token->end - token->begin, out);
    }
    str_add_char(out, '\n');
  }
}
