// types.c -- the table of types.
#include <string.h>

#include "runtime/simulator/code/code.h"

const TypeInfo type_table[NUM_TYPES] = {
    {"", 0, CLASS_NONE},
#define TYPE(id, spelling, bytes, class) {spelling, bytes, CLASS_##class},
#include "runtime/simulator/code/types.def"
};

bool is_int_type(TypeId type) {
  const int class = type_table[type].class;
  return (class == CLASS_SIGNED || class == CLASS_UNSIGNED) &&
         type_table[type].bytes >= 2;
}

bool is_float_type(TypeId type) {
  return type_table[type].class == CLASS_FLOAT || type == TYPE_F16X2 ||
         type == TYPE_BF16X2;
}

TypeId type_find(const char *spelling) {
  for (int i = 1; i < NUM_TYPES; i++) {
    if (strcmp(type_table[i].spelling, spelling) == 0) return (TypeId)i;
  }
  return TYPE_NONE;
}
