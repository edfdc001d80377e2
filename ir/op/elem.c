// elem.c -- the element types, from elems.def, and integer types.
#include "ir/number.h"

const ElemInfo elem_info[ELEM_COUNT] = {
#define INT   false
#define FLOAT true
#define ELEM(name, bits, kind, exponent, mantissa)                             \
  [ELEM_##name] = {#name, bits, kind, exponent, mantissa},
#include "ir/op/elems.def"
#undef INT
#undef FLOAT
};

int64_t int_wrap(int64_t value, Elem elem) {
  const int bits = elem_info[elem].bits;
  if (bits == 1) return value & 1;
  const int unused = 64 - bits;
  return (int64_t)((uint64_t)value << unused) >> unused;
}

uint64_t int_unsigned(int64_t value, Elem elem) {
  const int bits = elem_info[elem].bits;
  return bits == 64 ? (uint64_t)value
                    : (uint64_t)value & ((UINT64_C(1) << bits) - 1);
}
