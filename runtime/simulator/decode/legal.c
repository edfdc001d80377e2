// legal.c -- combinations of words that an instruction must not have, by
// legal.def.
#include <string.h>

#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/ptx/parser.h"

typedef struct {
  const char *opcode;
  RoleIndex role; // NUM_ROLES: any
  uint64_t types;
} Takes;

typedef struct {
  const char *opcode;
  RoleIndex first, second;
  bool both; // both; else the first without the second
} Pair;

typedef struct {
  const char *opcode;
  RoleIndex role;
  uint8_t words[4]; // WordId
} Choice;

#define TYPE_BIT(id)   UINT64_C(1) << TYPE_##id
#define ROLE_INDEX_ANY NUM_ROLES
_Static_assert(NUM_TYPES <= 64, "a set of types is a word");

static bool has_word(const Form *form, RoleIndex role) {
  return role == ROLE_INDEX_ANY || form->word[role];
}

static bool types_fit(const char *opcode, const Form *form) {
  static const Takes rows[] = {
#define TAKES(opcode, role, types) {#opcode, ROLE_INDEX_##role, types},
#define EXCLUDES(opcode, first, second)
#define NEEDS(opcode, first, second)
#define ALLOWS(opcode, role, a, b, c, d)
#include "runtime/simulator/decode/legal.def"
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].opcode, opcode) == 0 && has_word(form, rows[i].role) &&
        !(rows[i].types >> form->types[0] & 1))
      return false;
  }
  return true;
}

static bool words_fit(const char *opcode, const Form *form) {
  static const Pair rows[] = {
#define TAKES(opcode, role, types)
#define EXCLUDES(opcode, first, second)                                        \
  {#opcode, ROLE_INDEX_##first, ROLE_INDEX_##second, true},
#define NEEDS(opcode, first, second)                                           \
  {#opcode, ROLE_INDEX_##first, ROLE_INDEX_##second, false},
#define ALLOWS(opcode, role, a, b, c, d)
#include "runtime/simulator/decode/legal.def"
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].opcode, opcode) == 0 && has_word(form, rows[i].first) &&
        has_word(form, rows[i].second) == rows[i].both)
      return false;
  }
  return true;
}

static bool words_allowed(const char *opcode, const Form *form) {
  static const Choice rows[] = {
#define TAKES(opcode, role, types)
#define EXCLUDES(opcode, first, second)
#define NEEDS(opcode, first, second)
#define ALLOWS(opcode, role, a, b, c, d)                                       \
  {#opcode, ROLE_INDEX_##role, {WORD_##a, WORD_##b, WORD_##c, WORD_##d}},
#include "runtime/simulator/decode/legal.def"
  };
  uint64_t limited = 0, allowed = 0; // sets of roles
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const uint8_t word = form->word[rows[i].role];
    if (!word || strcmp(rows[i].opcode, opcode) != 0) continue;
    limited |= UINT64_C(1) << rows[i].role;
    if (memchr(rows[i].words, word, sizeof rows[i].words))
      allowed |= UINT64_C(1) << rows[i].role;
  }
  return limited == allowed;
}

// Whether the instruction has a type for matrices only, and is no conversion.
static bool has_matrix_type(const char *opcode, const Form *form) {
  return memchr(form->types, TYPE_TF32, form->num_types) &&
         strcmp(opcode, "cvt") != 0 && !strstr(opcode, "mma");
}

// Other instructions access only the CTA's own shared memory.
static bool reaches_cluster(const char *opcode, const Form *form) {
  return memchr(form->word, WORD_SHARED_CLUSTER, NUM_ROLES) &&
         !opcode_is_in(OPCODES_REACH_CLUSTER, opcode);
}

bool form_is_legal(const char *opcode, const Form *form) {
  return types_fit(opcode, form) && words_fit(opcode, form) &&
         words_allowed(opcode, form) && !has_matrix_type(opcode, form) &&
         !reaches_cluster(opcode, form);
}
