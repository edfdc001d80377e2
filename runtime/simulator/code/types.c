// types.c -- the table of types.
#include <string.h>

#include "runtime/simulator/code/code.h"

bool is_of_textures(const char *name) {
  static const char *const names[] = {
      "tex", "tld4",    "txq",    "suld",    "sust",      "sured",
      "suq", "istypep", "texref", "surfref", "samplerref"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

const TypeInfo type_table[NUM_TYPES] = {
    {"", 0, CLASS_NONE},
#define TYPE(id, spelling, bytes, class) {spelling, bytes, CLASS_##class},
#include "runtime/simulator/code/types.def"
};

bool is_int_type(TypeId type) {
  const int class = type_table[type].class, bytes = type_table[type].bytes;
  return (class == CLASS_SIGNED || class == CLASS_UNSIGNED) && bytes >= 2 &&
         bytes <= 8;
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
