// debug_text.c -- the formats of device_print, and a printf for them.
//
// The same format goes to vprintf on a GPU and to debug_format() elsewhere, so
// it has only conversions that both know: %u %i %llu %lli with a width, %0Nx
// %0Nllx, %f, %a and %p.
#include "ir/debug_text.h"

#include <stdio.h>
#include <string.h>

const char *debug_message(const Op *op) {
  const Attr *text = op_attr(op, ATTR_message);
  return text ? text->as.s : "";
}

bool debug_is_unsigned(const Op *op, int operand) {
  const Type *element = type_element(op_operand(op, operand)->type);
  return element->elem == ELEM_i1 ||
         (operand < 63 && op_int(op, ATTR_unsigned_values) >> operand & 1);
}

// -- Formats -----------------------------------------------------------------

static int num_digits(int64_t number) {
  int digits = 0;
  for (; number; number /= 10) digits++;
  return digits;
}

static void add_index(const Type *type, Str *out) {
  str_add(out, "idx (");
  const int rank = type_is_tile(type) ? type->rank : 0;
  for (int i = 0; i < rank; i++) {
    const int width = num_digits(type->shape[i] - 1);
    str_add(out, i ? ", %" : "%");
    if (width) str_addf(out, "%d", width);
    str_add_char(out, 'u');
  }
  str_add_char(out, ')');
}

static void add_message(const Op *op, Str *out) {
  for (const char *c = debug_message(op); *c; c++) {
    if (*c == '%') str_add_char(out, '%');
    str_add_char(out, *c);
  }
}

// "0x%08x", "%lli", "%u"
static void add_integer(const Op *op, int operand, Str *out) {
  const int bits = type_element_bits(op_operand(op, operand)->type);
  const bool hex = op_int(op, ATTR_hex) != 0;
  str_add(out, hex ? "0x%" : "%");
  if (hex) str_addf(out, "0%d", bits < 4 ? 1 : bits / 4);
  if (bits == 64) str_add(out, "ll");
  str_add_char(out, hex ? 'x' : debug_is_unsigned(op, operand) ? 'u' : 'i');
}

static void add_value(const Op *op, int operand, Str *out) {
  const Type *element = type_element(op_operand(op, operand)->type);
  if (element->kind == TYPE_POINTER)
    str_add(out, "%p");
  else if (type_is_float(element))
    str_add(out, op_int(op, ATTR_hex) ? "%a" : "%f");
  else
    add_integer(op, operand, out);
}

void debug_print_format(const Op *op, int operand, bool poison, Str *out) {
  const bool has_value = operand < op->num_operands;
  str_add(out, "pid (%u, %u, %u)");
  if (has_value) {
    str_add_char(out, ' ');
    add_index(op_operand(op, operand)->type, out);
  }
  add_message(op, out);
  if (op->num_operands > 1) str_addf(out, "(operand %d) ", operand);
  if (poison)
    str_add(out, "poison");
  else if (has_value)
    add_value(op, operand, out);
  str_add_char(out, '\n');
}

const char *debug_assert_text(Arena *arena, const Op *op) {
  const char *message = debug_message(op);
  Str out = str_in(arena);
  if (op->loc.line)
    str_addf(&out, "%s:%d: ", op->loc.file ? op->loc.file : "", op->loc.line);
  str_add(&out, "assertion failed");
  if (*message) str_addf(&out, ": %s", message);
  return str_text(&out);
}

// -- printf ------------------------------------------------------------------

typedef struct {
  char *out;
  size_t size, used;
} Sink;

static void put(Sink *sink, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++, sink->used++) {
    if (sink->used + 1 < sink->size) sink->out[sink->used] = text[i];
  }
}

// One conversion, from its percent sign to its letter.
static void convert(Sink *sink, const char *spec, size_t length,
                    uint64_t slot) {
  char text[400], format[16];
  const bool is_long = length > 3 && spec[length - 2] == 'l';
  snprintf(format, sizeof format, "%.*s", (int)length, spec);
  int written = 0;
  switch (spec[length - 1]) {
  case 'a':
  case 'f': {
    double x;
    memcpy(&x, &slot, sizeof x);
    written = snprintf(text, sizeof text, format[1] == 'a' ? "%a" : "%f", x);
    break;
  }
  case 'p':
    written = snprintf(text, sizeof text, "0x%llx", (unsigned long long)slot);
    break;
  default:
    written = is_long
                  ? snprintf(text, sizeof text, format, (long long)slot)
                  : snprintf(text, sizeof text, format, (int)(uint32_t)slot);
  }
  put(sink, text, (size_t)written);
}

size_t debug_format(char *out, size_t size, const char *format,
                    const uint64_t *slots) {
  Sink sink = {out, size, 0};
  while (*format) {
    const size_t plain = strcspn(format, "%");
    put(&sink, format, plain);
    format += plain;
    if (!*format) break;
    const size_t length = 2 + strspn(format + 1, "0123456789l");
    if (format[1] == '%')
      put(&sink, "%", 1);
    else
      convert(&sink, format, length, *slots++);
    format += length;
  }
  if (size) out[sink.used < size ? sink.used : size - 1] = '\0';
  return sink.used;
}
