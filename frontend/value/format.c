// format.c -- Python's format specifications, as in f"{x:>8.3f}".
//
//   [[fill]align][sign][z][#][0][width][,][.precision][type]
#include "frontend/value/format.h"

#include "ir/base/base.h"
#include "ir/number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char fill[5]; // one character, in UTF-8
  char align;   // '<', '>', '^', '=', or 0
  char sign;    // '+', ' ', '-', or 0
  bool no_negative_zero, alternate;
  char comma;           // ',', '_', or 0
  bool filled, numeric; // `filled`: `fill` was written; `numeric`: a zero was
                        // written before the width
  int width, precision;
  char type; // 0: omitted
} FormatSpec;

enum { MAX_WIDTH = 1000, MAX_PRECISION = 100 };

// -- Reading -----------------------------------------------------------------

static bool is_align(char c) {
  return c && strchr("<>^=", c);
}

static const char *read_align(const char *at, FormatSpec *out) {
  const size_t n = character_size(at);
  if (n && is_align(at[n])) {
    memcpy(out->fill, at, n);
    out->fill[n] = 0;
    out->filled = true;
    at += n;
  }
  if (is_align(*at)) out->align = *at++;
  return at;
}

static const char *read_int(const char *at, int limit, int *out) {
  int value = 0;
  for (; *at >= '0' && *at <= '9'; at++) {
    if (value <= limit) value = value * 10 + (*at - '0');
  }
  *out = value;
  return at;
}

static const char *read_sign(const char *at, FormatSpec *out) {
  if (*at && strchr("+- ", *at)) out->sign = *at++;
  if (*at == 'z') out->no_negative_zero = *at++;
  if (*at == '#') out->alternate = *at++;
  if (*at != '0') return at;
  if (!out->filled) out->fill[0] = '0';
  out->numeric = true;
  return at + 1;
}

static bool read_format(const char *at, FormatSpec *out) {
  *out = (FormatSpec){.fill = " ", .precision = -1};
  at = read_sign(read_align(at, out), out);
  at = read_int(at, MAX_WIDTH, &out->width);
  if (*at == ',' || *at == '_') out->comma = *at++;
  if (*at == '.') {
    if (at[1] < '0' || at[1] > '9') return false;
    at = read_int(at + 1, MAX_PRECISION, &out->precision);
  }
  if (*at && strchr("bcdeEfFgGnosxX%", *at)) out->type = *at++;
  return !*at && out->width <= MAX_WIDTH && out->precision <= MAX_PRECISION;
}

// -- Writing -----------------------------------------------------------------

static size_t count(const char *text) {
  return count_characters(text, strlen(text));
}

static void fill(const FormatSpec *f, size_t times, Str *out) {
  while (times-- > 0) str_add(out, f->fill);
}

// `head` is a sign or a prefix; with '=' the fill goes behind it.
static void pad(const FormatSpec *f, char align, const char *head,
                const char *body, Str *out) {
  if (f->align) align = f->align;
  const size_t length = count(head) + count(body);
  const size_t width = (size_t)f->width;
  const size_t space = width > length ? width - length : 0;
  const size_t before = align == '<' ? 0 : align == '^' ? space / 2 : space;
  assert(is_align(align) && before <= space); // I10
  if (align == '=') str_add(out, head);
  fill(f, before, out);
  if (align != '=') str_add(out, head);
  str_add(out, body);
  fill(f, space - before, out);
}

static const char *sign_text(const FormatSpec *f, bool negative) {
  return negative ? "-" : f->sign == '+' ? "+" : f->sign == ' ' ? " " : "";
}

// Puts separators between groups of digits, up to the first other character.
// Zeros that fill the width behind `head` count as digits.
static const char *with_commas(const FormatSpec *f, const char *head,
                               const char *digits, size_t group, Arena *arena) {
  size_t n = strcspn(digits, group == 3 ? ".eE%" : ""), zeros = 0;
  if (!f->comma || strchr("nNiI", *digits)) return digits; // NaN, inf
  const bool fills =
      !strcmp(f->fill, "0") && (f->align ? f->align == '=' : f->numeric);
  const size_t others = strlen(head) + strlen(digits) - n;
  while (fills && others + n + (n - 1) / group < (size_t)f->width) n++, zeros++;
  assert(zeros <= n && (group == 3 || group == 4)); // I10
  Str out = str_in(arena);
  for (size_t i = 0; i < n; i++) {
    if (i && (n - i) % group == 0) str_add_char(&out, f->comma);
    str_add_char(&out, i < zeros ? '0' : digits[i - zeros]);
  }
  str_add(&out, digits + n - zeros);
  return str_text(&out);
}

static const char *digits_of(Integer value, int base, bool upper,
                             Arena *arena) {
  char text[140];
  char *p = text + sizeof text;
  *--p = 0;
  do {
    const int digit = (int)(value % base);
    const int size = digit < 0 ? -digit : digit;
    *--p = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[size];
    value /= base;
  } while (value);
  return arena_strdup(arena, p);
}

static bool format_int(const FormatSpec *f, Integer value, Str *out) {
  const bool decimal = !f->type || f->type == 'd';
  if (f->no_negative_zero || (f->comma == ',' && !decimal)) return false;
  if (f->comma && f->type == 'n') return false;
  const int base = f->type == 'b'                     ? 2
                   : f->type == 'o'                   ? 8
                   : f->type == 'x' || f->type == 'X' ? 16
                                                      : 10;
  const char *digits = digits_of(value, base, f->type == 'X', out->arena);
  char head[5];
  snprintf(head, sizeof head, "%s", sign_text(f, value < 0));
  if (f->alternate && base != 10) {
    const size_t n = strlen(head);
    head[n] = '0', head[n + 1] = f->type, head[n + 2] = 0;
  }
  const char *body =
      with_commas(f, head, digits, base == 10 ? 3 : 4, out->arena);
  pad(f, f->numeric ? '=' : '>', head, body, out);
  return true;
}

// 'g' with at least one digit after the point uses an exponent if that digit
// would exceed the precision: 3e+00.
static bool print_short(const FormatSpec *f, double size, Str *out) {
  char text[512];
  const int precision = f->precision > 1 ? f->precision : 1;
  if (f->type || f->precision < 0 || !isfinite(size)) return false;
  snprintf(text, sizeof text, f->alternate ? "%#.*e" : "%.*e", precision - 1,
           size);
  char *exponent = strchr(text, 'e'), *end = exponent;
  if (strtol(exponent + 1, NULL, 10) + 1 != precision) return false;
  if (precision > 1 && !f->alternate) {
    while (end[-1] == '0') end--;
    if (end[-1] == '.') end--;
  }
  memmove(end, exponent, strlen(exponent) + 1);
  str_add(out, text);
  return true;
}

// Prints the number as repr() does; with '#', it has a point.
static void print_repr(const FormatSpec *f, double size, Str *out) {
  Str text = str_in(out->arena);
  float_print_repr(size, &text);
  const char *all = str_text(&text), *exponent = strchr(all, 'e');
  if (!f->alternate || !exponent || strchr(all, '.')) {
    str_add(out, all);
    return;
  }
  str_add_bytes(out, all, (size_t)(exponent - all));
  str_add_char(out, '.');
  str_add(out, exponent);
}

static bool format_float(const FormatSpec *f, double value, Str *out) {
  char text[512], printed[8];
  Str plain = str_in(out->arena);
  const char type = f->type == '%' ? 'f' : f->type == 'n' ? 'g' : f->type;
  const double size = fabs(value) * (f->type == '%' ? 100 : 1);
  if (!type && f->precision < 0) {
    print_repr(f, size, &plain);
  } else if (!print_short(f, size, &plain)) {
    snprintf(printed, sizeof printed, f->alternate ? "%%#.*%c" : "%%.*%c",
             type ? type : 'g');
    const int precision = f->precision < 0 ? 6 : f->precision;
    // Prints a number by a format of this file, which takes an int and a
    // double.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, printed, precision, size);
#pragma GCC diagnostic pop
    float_add_printed(text, &plain);
    if (!type && !strpbrk(text, ".ein")) str_add(&plain, ".0");
  }
  if (f->type == '%') str_add(&plain, "%");
  const char *body = str_text(&plain);
  const bool is_zero = strchr("eE%", body[strspn(body, "0.")]); // or its end
  const bool negative =
      signbit(value) && !isnan(value) && !(f->no_negative_zero && is_zero);
  const char *head = sign_text(f, negative);
  pad(f, f->numeric ? '=' : '>', head,
      with_commas(f, head, body, 3, out->arena), out);
  return !f->comma || f->type != 'n';
}

static bool for_numbers(const FormatSpec *f) {
  return f->sign || f->comma || f->alternate || f->no_negative_zero;
}

static bool format_text(const FormatSpec *f, const Object *x, Str *out) {
  Str text = str_in(out->arena);
  object_print(x, false, &text);
  const char *body = str_text(&text);
  const size_t end = f->precision < 0 ? text.length
                                      : characters_bytes(body, text.length,
                                                         (size_t)f->precision);
  if (f->align == '=' || for_numbers(f)) return false;
  pad(f, '<', "", arena_strndup(out->arena, body, end), out);
  return true;
}

// The character with that code; a sign or separators are not allowed.
static bool format_code(const FormatSpec *f, Integer code, Str *out) {
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < 0 || code > 0x10ffff || surrogate || !code) return false;
  if (for_numbers(f)) return false;
  Str text = str_in(out->arena);
  add_character(&text, (uint32_t)code);
  pad(f, f->numeric ? '=' : '>', "", str_text(&text), out);
  return true;
}

static bool is_float_type(char type) {
  return type && strchr("eEfFgG%", type);
}

bool format_object(const Object *x, const char *spec, Str *out) {
  FormatSpec f;
  if (!read_format(spec, &f)) return false;
  const bool has_none = x->kind == OBJECT_NONE || x->kind == OBJECT_DTYPE ||
                        x->kind == OBJECT_TUPLE;
  if (has_none && *spec) return false;
  const bool is_text = x->kind == OBJECT_STRING || !object_is_number(x) ||
                       (x->kind == OBJECT_BOOL && !*spec);
  if (is_text) return (!f.type || f.type == 's') && format_text(&f, x, out);
  if (x->kind == OBJECT_FLOAT || is_float_type(f.type)) {
    if (f.type && !is_float_type(f.type) && f.type != 'n') return false;
    return format_float(&f, constant_number(x), out);
  }
  if (f.precision >= 0 || f.type == 's') return false;
  if (f.type == 'c') return format_code(&f, constant_integer(x), out);
  return format_int(&f, constant_integer(x), out);
}
