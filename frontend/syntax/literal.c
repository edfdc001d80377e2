// literal.c -- the values of numbers and strings.
//
// The lexer has checked the form of numbers.  The contents of strings are
// decoded here, so errors in them are reported only for kernels.
#include "frontend/errors.h"
#include "frontend/syntax/parser.h"
#include "ir/base/base.h"

#include <stdlib.h>
#include <string.h>

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

static int base_of(const char *text, size_t length) {
  if (length < 2 || text[0] != '0') return 10;
  switch (text[1] | 0x20) {
  case 'x': return 16;
  case 'o': return 8;
  case 'b': return 2;
  default: return 10;
  }
}

// A number of a kind that kernels lack: an error only where it is used.
static Expr *written(Parser *parser, ExprKind kind, TextSpan span) {
  Expr *expr = tree_expr(parser, kind, span);
  expr->name = parser_intern(parser, parser->source->text + span.begin,
                             span.end - span.begin);
  return expr;
}

Expr *tree_int(Parser *parser, TextSpan span) {
  Expr *expr = tree_expr(parser, EXPR_INT, span);
  const char *text = parser->source->text + span.begin;
  const size_t length = span.end - span.begin;
  const int base = base_of(text, length);
  Integer value = 0;
  for (size_t i = base == 10 ? 0 : 2; i < length; i++) {
    if (text[i] == '_') continue;
    const int digit = digit_value(text[i]);
    if (__builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, digit, &value)) {
      return written(parser, EXPR_BIG, span);
    }
  }
  expr->integer = value;
  return expr;
}

// With a larger exponent a number is infinity or zero, for any digits.
enum { MAX_EXPONENT = 100000000 };

static long parse_exponent(const char *text, const char *end) {
  const bool negative = text < end && *text == '-';
  long value = 0;
  for (; text < end; text++) {
    if (*text < '0' || *text > '9' || value > MAX_EXPONENT) continue;
    value = 10 * value + (*text - '0');
  }
  return negative ? -value : value;
}

// Converts the digits to an integer with an exponent, since the decimal point
// that strtod() expects depends on the locale.
static double parse_float(Arena *arena, const char *text, const char *end) {
  Str digits = str_in(arena);
  long fraction = 0;
  bool after_point = false;
  for (; text < end && (*text | 0x20) != 'e'; text++) {
    after_point |= *text == '.';
    if (*text < '0' || *text > '9') continue;
    str_add_char(&digits, *text);
    fraction += after_point;
  }
  const long exponent = text < end ? parse_exponent(text + 1, end) : 0;
  str_addf(&digits, "e%ld", exponent - fraction);
  return strtod(str_text(&digits), NULL);
}

Expr *tree_float(Parser *parser, TextSpan span) {
  Expr *expr = tree_expr(parser, EXPR_FLOAT, span);
  const char *text = parser->source->text;
  expr->number = parse_float(parser->arena, text + span.begin, text + span.end);
  return expr;
}

Expr *tree_imaginary(Parser *parser, TextSpan span) {
  return written(parser, EXPR_IMAGINARY, span);
}

// -- Strings -----------------------------------------------------------------

// Reads up to `max` digits of base 8 or 16; returns their number.
static uint32_t read_digits(const char *text, uint32_t left, uint32_t max,
                            int base, uint32_t *value) {
  uint32_t count = 0;
  *value = 0;
  while (count < max && count < left && digit_value(text[count]) < base) {
    *value = *value * (uint32_t)base + (uint32_t)digit_value(text[count++]);
  }
  return count;
}

static uint32_t bad_escape(Parser *parser, TextSpan piece, char c) {
  diag_error(parser->diags, span_loc(parser, piece), ERROR_bad_escape_string,
             c);
  return 1;
}

// Decodes `\xhh`, `\uhhhh`, `\Uhhhhhhhh`; returns the number of bytes read
// after the backslash.
static uint32_t decode_hex(Parser *parser, const char *at, uint32_t left,
                           bool is_bytes, TextSpan piece, Str *out) {
  const uint32_t wanted = *at == 'x' ? 2 : *at == 'u' ? 4 : 8;
  uint32_t code;
  if (read_digits(at + 1, left - 1, wanted, 16, &code) != wanted ||
      code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    return bad_escape(parser, piece, *at);
  }
  if (is_bytes) {
    str_add_char(out, (char)code);
  } else {
    add_character(out, code);
  }
  return 1 + wanted;
}

static char simple_escape(char c) {
  static const char names[] = "\\'\"abfnrtv";
  static const char values[] = "\\'\"\a\b\f\n\r\t\v";
  const char *at = c ? strchr(names, c) : NULL;
  return at ? values[at - names] : '\0';
}

// Decodes the escape sequence behind a backslash; returns the number of bytes
// read.
static uint32_t decode_escape(Parser *parser, const char *at, uint32_t left,
                              bool is_bytes, TextSpan piece, Str *out) {
  const char c = *at, simple = simple_escape(c);
  if (simple) {
    str_add_char(out, simple);
    return 1;
  }
  if (c == '\n') return 1;
  if (c == '\r' && left > 1 && at[1] == '\n') return 2;
  if (c == 'x' || (!is_bytes && (c == 'u' || c == 'U'))) {
    return decode_hex(parser, at, left, is_bytes, piece, out);
  }
  if (c == 'N' && !is_bytes) return bad_escape(parser, piece, c);
  uint32_t code;
  const uint32_t digits = read_digits(at, left, 3, 8, &code);
  if (digits) {
    is_bytes ? str_add_char(out, (char)code) : add_character(out, code);
    return digits;
  }
  str_add_char(out, '\\'); // an unknown escape is kept, as in Python
  return 0;
}

void literal_decode(Parser *parser, uint32_t begin, uint32_t end, bool raw,
                    bool is_bytes, TextSpan piece, Str *out) {
  const char *text = parser->source->text;
  for (uint32_t i = begin; i < end;) {
    const char *at = text + i;
    if (*at == '\\' && !raw && i + 1 < end) {
      i += 1 + decode_escape(parser, at + 1, end - i - 1, is_bytes, piece, out);
    } else if (*at == '\r' && i + 1 < end && at[1] == '\n') {
      i++; // "\r\n" is one line end
    } else {
      uint32_t run = 1;
      while (i + run < end && at[run] != '\\' && at[run] != '\r') run++;
      str_add_bytes(out, at, run);
      i += run;
    }
  }
}

StringForm string_form(const char *text, uint32_t length) {
  const size_t prefix = strcspn(text, "'\"");
  const char *open = text + prefix;
  const bool triple =
      length - prefix >= 6 && open[1] == open[0] && open[2] == open[0];
  return (StringForm){
      .prefix = (uint32_t)prefix,
      .quotes = triple ? 3 : 1,
      .raw = memchr(text, 'r', prefix) || memchr(text, 'R', prefix),
      .is_bytes = memchr(text, 'b', prefix) || memchr(text, 'B', prefix)};
}

static void decode_piece(Parser *parser, TextSpan piece, bool *is_bytes,
                         Str *out) {
  const StringForm form =
      string_form(parser->source->text + piece.begin, piece.end - piece.begin);
  *is_bytes = form.is_bytes;
  literal_decode(parser, piece.begin + form.prefix + form.quotes,
                 piece.end - form.quotes, form.raw, form.is_bytes, piece, out);
}

static Expr *tree_plain_string(Parser *parser, TextSpan span,
                               const SpanVec *pieces) {
  Expr *expr = tree_expr(parser, EXPR_STRING, span);
  Str text = str_in(parser->arena);
  bool is_bytes, first_is_bytes = false;
  for (size_t i = 0; i < pieces->count; i++) {
    decode_piece(parser, pieces->items[i], &is_bytes, &text);
    if (!i) first_is_bytes = is_bytes;
    if (is_bytes == first_is_bytes) continue;
    diag_error(parser->diags, span_loc(parser, pieces->items[i]),
               ERROR_bytes_text_do_not_join);
    break;
  }
  expr->string.text = str_text(&text);
  expr->string.length = text.length;
  expr->string.is_bytes = first_is_bytes;
  return expr;
}

Expr *tree_string(Parser *parser, TextSpan span, const SpanVec *pieces) {
  for (size_t i = 0; i < pieces->count; i++) {
    const Token *token = parser_token(parser, pieces->items[i]);
    if (token->kind == TOKEN_FSTRING) {
      return tree_fstring(parser, span, pieces);
    }
  }
  return tree_plain_string(parser, span, pieces);
}
