// number.c -- conversions to numbers, and methods of constant numbers.
#include "ir/number.h"
#include "frontend/core/builtins.h"
#include "frontend/errors.h"

#include <math.h>
#include <string.h>

// The text without spaces around it and underscores between its digits; NULL if
// it has an underscore elsewhere.
static const char *plain_number(Walk *w, const char *text) {
  text += strspn(text, " \t\n\r\v\f");
  Str out = str_in(w->arena);
  for (const char *p = text; *p; p++) {
    const bool between = p > text && p[-1] != '_' && p[1] && p[1] != '_';
    if (*p != '_') str_add_char(&out, *p);
    if (*p == '_' && !between) return NULL;
  }
  while (out.length && strchr(" \t\n\r\v\f", out.data[out.length - 1]))
    out.data[--out.length] = 0;
  return str_text(&out);
}

static const Object *no_number(Walk *w, const BuiltinCall *c) {
  return walk_error(w, c->locs[0], ERROR_text_no_number,
                    c->args[0]->as.string.text);
}

static const Object *parse_float(Walk *w, const BuiltinCall *c) {
  const char *text = plain_number(w, c->args[0]->as.string.text);
  double value;
  if (text && float_parse_python(text, &value))
    return object_float(w->arena, value);
  return no_number(w, c);
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = (char)(c | 0x20);
  return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
}

// The base of a number that begins with "0x", "0o" or "0b"; 0: no prefix.
static int prefix_base(const char *text) {
  if (text[0] != '0') return 0;
  const char letter = (char)(text[1] | 0x20);
  return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
}

static const Object *parse_integer(Walk *w, const BuiltinCall *c, int base) {
  const char *text = plain_number(w, c->args[0]->as.string.text);
  if (!text) return no_number(w, c);
  const bool negative = *text == '-';
  text += negative || *text == '+';
  const int prefix = prefix_base(text);
  if (prefix && (!base || prefix == base)) text += 2;
  if (!base) base = prefix ? prefix : 10;
  if (!*text) return no_number(w, c);
  Integer value = 0;
  for (; *text; text++) {
    const int digit = digit_of(*text);
    if (digit >= base) return no_number(w, c);
    if (__builtin_mul_overflow(value, (Integer)base, &value) ||
        __builtin_add_overflow(value, (Integer)digit, &value))
      return walk_error(w, c->locs[0], ERROR_integer_constant_too_big);
  }
  return object_int(w->arena, negative ? -value : value);
}

const Object *builtin_float(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (object_is_number(x)) return object_float(w->arena, constant_number(x));
  if (x->kind == OBJECT_STRING) return parse_float(w, c);
  if (object_is_tensor(x) && !object_is_window(x))
    return tensor_cast(w, c->loc, x, dtype_of(DTYPE_FP32));
  return walk_error(w, c->locs[0], ERROR_float_wants_number, text_of(w, x));
}

const Object *builtin_int(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  int64_t base = 10;
  if (c->args[1] && !argument_between(w, c, 1, 0, 36, &base)) return NULL;
  if (x->kind == OBJECT_STRING && base != 1)
    return parse_integer(w, c, (int)base);
  if (c->args[1])
    return walk_error(w, c->locs[1], ERROR_base_wants_text, text_of(w, x));
  if (constant_is_integer(x)) return object_int(w->arena, constant_integer(x));
  if (x->kind == OBJECT_FLOAT && fabs(x->as.number) < 0x1p100)
    return object_int(w->arena, (Integer)x->as.number);
  if (object_is_tensor(x) && dtype_is_int(x->as.tensor.dtype)) return x;
  if (object_is_tensor(x) && !object_is_window(x))
    return tensor_cast(w, c->loc, x, dtype_of(DTYPE_INT32));
  return walk_error(w, c->locs[0], ERROR_int_wants_number, text_of(w, x));
}

// -- Methods -----------------------------------------------------------------

// bit_length() and bit_count(), which ignore the sign.
const Object *builtin_bits(Walk *w, const BuiltinCall *c) {
  Integer value = constant_integer(c->args[0]);
  int length = 0, ones = 0;
  for (; value; value /= 2, length++) ones += value % 2 != 0;
  return object_int(w->arena, c->info->data == 'c' ? ones : length);
}

const Object *builtin_is_integer(Walk *w, const BuiltinCall *c) {
  (void)w;
  const double value = constant_number(c->args[0]);
  return object_bool(isfinite(value) && floor(value) == value);
}

const Object *builtin_conjugate(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  return constant_is_integer(x) ? object_int(w->arena, constant_integer(x)) : x;
}
