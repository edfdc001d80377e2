// number_text.c -- numbers as decimal text and back.
//
// printf and strtod follow the locale, so its decimal point is replaced by '.'
// after printing, and inserted before reading.
#include "ir/number.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER = 400, MAX_DIGITS = 17 };

// The decimal point of the locale, as snprintf() writes it in 0.5.
static size_t decimal_point(char point[16]) {
  char text[32];
  const int length = snprintf(text, sizeof text, "%.1f", 0.5);
  const size_t size = (size_t)length - 2;
  memcpy(point, text + 1, size);
  return size;
}

void float_add_printed(const char *text, Str *out) {
  char point[16];
  const size_t size = decimal_point(point);
  const char *at = text;
  while (*at && strncmp(at, point, size)) at++;
  str_add_bytes(out, text, (size_t)(at - text));
  if (!*at) return;
  str_add_char(out, '.');
  str_add(out, at + size);
}

static bool is_again(const char *text, double value, Elem elem) {
  return float_round(strtod(text, NULL), elem) == value;
}

// Adds one unit in the last digit, away from zero; a text that ends with 9 is
// unchanged.
static void bump(char *text) {
  char *last = strchr(text, 'e') - 1;
  if (*last >= '0' && *last < '9') ++*last;
}

// Writes the necessary digits as "%e" does; returns their number.  Below a
// power of two, numbers are closer together than above: there the nearest text
// may read back as the neighbour, while a farther text does not.
static int shortest(double value, Elem elem, char text[64]) {
  for (int digits = 1;; digits++) {
    snprintf(text, 64, "%.*e", digits - 1, value);
    if (digits == MAX_DIGITS || is_again(text, value, elem)) return digits;
    if (elem != ELEM_f64) continue;
    bump(text);
    if (is_again(text, value, elem)) return digits;
  }
}

// Prints without an exponent if that is from `least` to `most`.
static void print_shortest(double value, Elem elem, int least, int most,
                           Str *out) {
  if (isnan(value) || isinf(value)) {
    str_add(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  char text[64];
  const int digits = shortest(value, elem, text);
  const int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
  const int decimals = digits - 1 - exponent;
  if (exponent >= least && exponent <= most)
    snprintf(text, sizeof text, "%.*f", decimals > 1 ? decimals : 1, value);
  float_add_printed(text, out);
}

void float_print(double value, Elem elem, Str *out) {
  print_shortest(value, elem, -5, 16, out);
}

void float_print_repr(double value, Str *out) {
  print_shortest(value, ELEM_f64, -4, 15, out);
}

void int_print(int64_t value, Elem elem, Str *out) {
  if (elem == ELEM_i1) {
    str_add(out, value ? "true" : "false");
  } else {
    str_addf(out, "%" PRId64, value);
  }
}

static bool is(const char *text, size_t length, const char *word) {
  return strlen(word) == length && !memcmp(text, word, length);
}

static size_t count_digits(const char *text, size_t length) {
  size_t n = 0;
  while (n < length && text[n] >= '0' && text[n] <= '9') n++;
  return n;
}

// digits [. digits] [e [+-] digits]
static bool is_decimal(const char *text, size_t length) {
  size_t at = count_digits(text, length);
  if (!at) return false;
  if (at < length && text[at] == '.') {
    at++;
    at += count_digits(text + at, length - at);
  }
  if (at == length) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  at++;
  if (at < length && (text[at] == '-' || text[at] == '+')) at++;
  const size_t digits = count_digits(text + at, length - at);
  return digits && at + digits == length;
}

static double to_double(const char *text, size_t length) {
  char copy[MAX_NUMBER + 16], point[16];
  assert(length <= MAX_NUMBER && "the text is longer than its copy"); // I6
  const size_t size = decimal_point(point);
  const char *dot = memchr(text, '.', length);
  const size_t head = dot ? (size_t)(dot - text) : length;
  size_t end = head;
  memcpy(copy, text, head);
  if (dot) {
    memcpy(copy + end, point, size);
    end += size;
    memcpy(copy + end, dot + 1, length - head - 1);
    end += length - head - 1;
  }
  copy[end] = '\0';
  return strtod(copy, NULL);
}

bool float_parse(const char *text, size_t length, Elem elem, double *out) {
  const bool negative = length && *text == '-';
  text += negative, length -= negative;
  double value;
  if (is(text, length, "inf")) {
    value = INFINITY;
  } else if (is(text, length, "nan")) {
    value = NAN;
  } else if (length <= MAX_NUMBER && is_decimal(text, length)) {
    value = to_double(text, length);
  } else {
    return false;
  }
  *out = float_round(negative ? -value : value, elem);
  return true;
}

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool float_parse_python(const char *text, double *out) {
  char plain[MAX_NUMBER + 1];
  size_t n = 0;
  while (is_blank(*text)) text++;
  const bool negative = *text == '-';
  text += negative || *text == '+';
  size_t length = strlen(text);
  while (length && is_blank(text[length - 1])) length--;
  if (length >= MAX_NUMBER || *text == '-') return false;
  if (*text == '.' && count_digits(text + 1, length - 1)) plain[n++] = '0';
  for (size_t i = 0; i < length; i++)
    plain[n++] = (char)(text[i] | (text[i] >= 'A' && text[i] <= 'Z') << 5);
  if (is(plain, n, "infinity")) n = strlen("inf");
  if (!float_parse(plain, n, ELEM_f64, out)) return false;
  if (negative) *out = -*out;
  return true;
}

bool int_parse(const char *text, size_t length, Elem elem, int64_t *out) {
  if (elem == ELEM_i1 &&
      (is(text, length, "true") || is(text, length, "false"))) {
    *out = *text == 't';
    return true;
  }
  const bool negative = length && *text == '-';
  text += negative, length -= negative;
  if (!length || count_digits(text, length) != length) return false;
  const int bits = elem_info[elem].bits;
  const uint64_t limit = negative     ? UINT64_C(1) << (bits - 1)
                         : bits == 64 ? INT64_MAX
                                      : (UINT64_C(1) << bits) - 1;
  uint64_t value = 0;
  for (size_t i = 0; i < length; i++) {
    const uint64_t digit = (uint64_t)(text[i] - '0');
    if (digit > limit || value > (limit - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = int_wrap((int64_t)(negative ? -value : value), elem);
  return true;
}
