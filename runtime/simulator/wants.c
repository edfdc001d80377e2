// wants.c -- forms of instructions that older chips lack, by wants.def.
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/decode.h"

typedef struct {
  const char *opcode;
  TypeId type, unless;
  WordId word;
  int chip;
} Want;

static bool has_type(const Form *form, TypeId type) {
  return type != TYPE_NONE && memchr(form->types, (int)type, form->num_types);
}

static bool is_meant(const Want *want, const char *opcode, const Form *form) {
  if (strcmp(want->opcode, opcode) != 0) return false;
  if (want->type != TYPE_NONE && !has_type(form, want->type)) return false;
  if (has_type(form, want->unless)) return false;
  return want->word == WORD_NONE ||
         memchr(form->word, (int)want->word, NUM_ROLES);
}

int target_chip(const Program *program) {
  const char *target = program->ptx.target;
  return strncmp(target, "sm_", 3) ? 0 : (int)strtol(target + 3, NULL, 10);
}

bool target_has(Decoder *d, const char *opcode, const Form *form) {
  static const Want wants[] = {
#define WANTS(opcode, type, unless, word, chip)                                \
  {#opcode, TYPE_##type, TYPE_##unless, WORD_##word, chip},
#include "runtime/simulator/wants.def"
  };
  const int chip = target_chip(d->program);
  for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
    if (chip < wants[i].chip && is_meant(&wants[i], opcode, form))
      return fail_at(d, "this form of '%s' wants sm_%d, the module is for %s",
                     opcode, wants[i].chip, d->program->ptx.target);
  }
  return true;
}
