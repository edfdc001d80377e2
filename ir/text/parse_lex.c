// parse_lex.c -- tokens of the textual IR.
#include "ir/errors.h"
#include "ir/text/letters.h"
#include "ir/text/parser.h"

#include "ir/number.h"

#include <assert.h>
#include <string.h>

static void skip_comment(IrParser *p) {
  const char *end = memchr(p->at, '\n', (size_t)(p->end - p->at));
  p->at = end ? end : p->end;
}

static void skip_space(IrParser *p) {
  for (; p->at < p->end; p->at++) {
    if (p->end - p->at > 1 && p->at[0] == '/' && p->at[1] == '/') {
      skip_comment(p);
      if (p->at == p->end) return;
    }
    if (*p->at == '\n') {
      p->line++;
      p->line_start = p->at + 1;
    } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
      return;
    }
  }
}

SrcLoc parser_here(IrParser *p) {
  skip_space(p);
  const int column = (int)(p->at - p->line_start) + 1;
  return (SrcLoc){p->source->name, p->line, column, 1};
}

bool parser_at_end(IrParser *p) {
  skip_space(p);
  return p->at == p->end;
}

bool parser_at(IrParser *p, char c) {
  return !parser_at_end(p) && *p->at == c;
}

bool parser_accept(IrParser *p, char c) {
  if (!parser_at(p, c)) return false;
  p->at++;
  return true;
}

bool parser_expect(IrParser *p, char c) {
  const char what[] = {'\'', c, '\'', '\0'};
  return parser_accept(p, c) || parser_expected(p, what);
}

Word parser_peek_word(IrParser *p) {
  Word word = {.loc = parser_here(p)};
  word.text = p->at;
  const char *at = p->at;
  assert(p->at <= p->end && p->line_start <= p->at); // I3
  while (at < p->end && is_word_letter(*at)) at++;
  word.length = (size_t)(at - p->at);
  word.loc.span = (int)word.length;
  return word;
}

Word parser_word(IrParser *p) {
  const Word word = parser_peek_word(p);
  p->at += word.length;
  return word;
}

bool parser_expected(IrParser *p, const char *what) {
  DiagList *diags = p->m->diags;
  const Word word = parser_peek_word(p);
  if (word.length) {
    return diag_error(diags, word.loc, ERROR_expected_word, what,
                      word.length > 60 ? 60 : (int)word.length, word.text);
  }
  if (p->at == p->end) {
    return diag_error(diags, word.loc, ERROR_expected_not_end, what);
  }
  const unsigned char c = (unsigned char)*p->at;
  if (c < 0x20 || c == 0x7f) {
    return diag_error(diags, word.loc, ERROR_expected_not_byte, what, c);
  }
  return diag_error(diags, word.loc, ERROR_expected_not_character, what, c);
}

bool word_is(Word word, const char *text) {
  return strlen(text) == word.length && !memcmp(text, word.text, word.length);
}

bool parser_accept_word(IrParser *p, const char *text) {
  const Word word = parser_peek_word(p);
  if (!word_is(word, text)) return false;
  p->at += word.length;
  return true;
}

bool parser_accept_call(IrParser *p, const char *text) {
  const Word word = parser_peek_word(p);
  if (!word_is(word, text)) return false;
  if (p->end - p->at <= (ptrdiff_t)word.length) return false;
  if (p->at[word.length] != '(') return false;
  p->at += word.length + 1;
  return true;
}

static bool is_sign(const IrParser *p) {
  return p->at < p->end && (*p->at == '-' || *p->at == '+');
}

static void skip_letters(IrParser *p) {
  while (p->at < p->end && is_word_letter(*p->at)) p->at++;
}

Word parser_number(IrParser *p) {
  Word word = {.loc = parser_here(p)};
  word.text = p->at;
  if (is_sign(p)) p->at++;
  const bool digits = p->at < p->end && *p->at >= '0' && *p->at <= '9';
  skip_letters(p);
  const bool exponent = digits && (p->at[-1] == 'e' || p->at[-1] == 'E');
  if (exponent && is_sign(p)) {
    p->at++;
    skip_letters(p);
  }
  word.length = (size_t)(p->at - word.text);
  word.loc.span = (int)word.length;
  return word;
}

bool parser_int(IrParser *p, int64_t *out) {
  const char *const start = p->at;
  const Word word = parser_number(p);
  if (int_parse(word.text, word.length, ELEM_i64, out)) return true;
  p->at = start;
  return parser_expected(p, "an integer");
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// The byte for the escape sequence at p->at; 0 if it is invalid.
static char unescape(IrParser *p) {
  const ptrdiff_t left = p->end - p->at;
  const char c = left > 0 ? *p->at : '\0';
  if (c == 'x' && left > 2) {
    const int high = hex_digit(p->at[1]), low = hex_digit(p->at[2]);
    p->at += 3;
    return high < 0 || low < 0 ? '\0' : (char)(16 * high + low);
  }
  p->at += left > 0;
  if (c == 'n') return '\n';
  if (c == 't') return '\t';
  return c == '"' || c == '\\' ? c : '\0';
}

bool parser_string(IrParser *p, const char **out) {
  const SrcLoc loc = parser_here(p);
  if (!parser_accept(p, '"')) return parser_expected(p, "a string");
  Str text = str_in(p->m->arena);
  while (p->at < p->end && *p->at != '"') {
    char c = *p->at++;
    if (c == '\\') c = unescape(p);
    if (c == '\n' && p->at[-1] == '\n') break;
    if (!c) {
      return diag_error(p->m->diags, loc, ERROR_string_bad_character);
    }
    str_add_char(&text, c);
  }
  assert(p->at <= p->end && "an escape goes past the end"); // I3
  if (p->at == p->end || *p->at != '"') {
    return diag_error(p->m->diags, loc, ERROR_string_without_end);
  }
  p->at++;
  *out = str_text(&text);
  return true;
}

bool parser_name(IrParser *p, char sigil, Word *out) {
  const SrcLoc loc = parser_here(p);
  if (!parser_expect(p, sigil)) return false;
  *out = parser_word(p);
  if (!out->length) return parser_expected(p, "a name");
  out->loc = loc;
  out->loc.span = (int)out->length + 1;
  return true;
}
