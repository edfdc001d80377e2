// debug_text.c -- the formats of device_print, and a printf for them.
//
// The same format goes to vprintf on a GPU and to debug_format() elsewhere, so
// it contains only conversions that both support: %u %i %llu %lli with a width,
// %0Nx %0Nllx, %f, %a and %p.
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
