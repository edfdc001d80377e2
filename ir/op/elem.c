// elem.c -- the types of elements, from elems.def.
#include "ir/type.h"

const ElemInfo elem_info[ELEM_COUNT] = {
#define INT   false
#define FLOAT true
#define ELEM(name, bits, kind, exponent, mantissa)                             \
  [ELEM_##name] = {#name, bits, kind, exponent, mantissa},
#include "ir/op/elems.def"
#undef INT
#undef FLOAT
};
