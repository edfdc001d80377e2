// debug_text.h -- the texts of device_print and device_assert, on every device.
//
// A line is a printf format and its values: the program's three ids, the
// element's index along each dimension, the element.  The format is Triton's:
//
//   pid (0, 1, 0) idx ( 3, 12) x: 1.500000
#ifndef TILE_IR_DEBUG_TEXT_H
#define TILE_IR_DEBUG_TEXT_H

#include "ir/op.h"

// Adds the format for elements of the operand (0 for a device_print without
// operands), with a newline at its end.  `poison`: prints that word instead of
// the element.
void debug_print_format(const Op *op, int operand, bool poison, Str *out);
// Does device_print print operands of the type?
static inline bool debug_is_printed(const Type *type) {
  return type->kind == TYPE_TILE || type->kind == TYPE_SCALAR ||
         type->kind == TYPE_POINTER;
}
// Is the operand of an unsigned integer type?
bool debug_is_unsigned(const Op *op, int operand);

// "softmax.tile:12: assertion failed: the message"
const char *debug_assert_text(Arena *arena, const Op *op);
const char *debug_message(const Op *op); // the message alone

// A printf for such formats: a slot holds an integer in its low bits, a double
// or an address.  Returns the length of the whole text, like snprintf.
size_t debug_format(char *out, size_t size, const char *format,
                    const uint64_t *slots);

#endif
