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

TypeId type_find(const char *spelling) {
  for (int i = 1; i < NUM_TYPES; i++) {
    if (strcmp(type_table[i].spelling, spelling) == 0) return (TypeId)i;
  }
  return TYPE_NONE;
}
