// wants.c -- forms of instructions that older chips lack, by wants.def, and
// older versions of PTX, by since.def.
#include <math.h>
#include <string.h>

#include "runtime/simulator/decode/decode.h"

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

int target_chip(const PtxProgram *program) {
  const char *suffix;
  return ptx_chip(program->ptx.target, &suffix);
}

int feature_chip(Feature feature) {
  static const int chips[] = {
#define FEATURE(name, chip) chip,
#include "runtime/simulator/decode/features.def"
  };
  return chips[feature];
}

bool target_offers(const PtxProgram *program, Feature feature) {
  return target_chip(program) >= feature_chip(feature);
}

// An arrival with a count, except with .noComplete.
static bool arrives_for_many(const char *opcode, const Form *form) {
  return strcmp(opcode, "mbarrier") == 0 && form->num_operands == 3 &&
         !WORD_OF(form, OP) &&
         (WORD_OF(form, MODE) == WORD_ARRIVE ||
          WORD_OF(form, MODE) == WORD_ARRIVE_DROP);
}

static bool flushes_bf16(const char *opcode, const Form *form) {
  return strcmp(opcode, "cvt") == 0 && WORD_OF(form, FTZ) &&
         form->types[1] == TYPE_BF16;
}

// Instructions that only sm_90a has, neither sm_90 nor later chips.
static bool is_of_own_chip(const char *opcode, const Form *form) {
  return strcmp(opcode, "setmaxnreg") == 0 || strcmp(opcode, "wgmma") == 0 ||
         (strcmp(opcode, "tensormap") == 0 &&
          WORD_OF(form, MODE) == WORD_REPLACE);
}

static bool has_suffix(const PtxProgram *program) {
  const char *target = program->ptx.target;
  return target[strlen(target) - 1] == 'a';
}

static int wanted_chip(const char *opcode, const Form *form, int chip) {
  static const Want wants[] = {
#define WANTS(opcode, type, unless, word, chip)                                \
  {#opcode, TYPE_##type, TYPE_##unless, WORD_##word, chip},
#include "runtime/simulator/decode/wants.def"
  };
  for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
    if (chip < wants[i].chip && is_meant(&wants[i], opcode, form))
      return wants[i].chip;
  const int counts = feature_chip(FEATURE_ARRIVAL_COUNTS);
  if (chip < counts && arrives_for_many(opcode, form)) return counts;
  const int flush = feature_chip(FEATURE_BF16_FTZ);
  return chip < flush && flushes_bf16(opcode, form) ? flush : 0;
}

// -- Versions of PTX ---------------------------------------------------------

typedef struct {
  const char *opcode;
  TypeId to, of;
  WordId word;
  int chips_before, version;
} Since;

static bool is_of(TypeId wanted, const Form *form, int index) {
  return wanted == TYPE_NONE ||
         (index < form->num_types && form->types[index] == wanted);
}

// Forms that have had the row's word from the first version, though other forms
// of the opcode got it later: .relaxed of transactions, .release of
// mbarrier_init and of fences for tensor maps.
static bool is_older(const Since *since, const char *opcode, const Form *form) {
  const WordId mode = WORD_OF(form, MODE);
  if (strcmp(opcode, "mbarrier") == 0)
    return since->word == WORD_RELAXED && (!mode || mode == WORD_COMPLETE_TX);
  if (strcmp(opcode, "fence") != 0) return false;
  return (since->word == WORD_RELEASE && mode == WORD_MBARRIER_INIT) ||
         (since->word != WORD_TENSORMAP_GENERIC && mode == WORD_PROXY &&
          WORD_OF(form, OP) == WORD_TENSORMAP_GENERIC);
}

static bool is_since(const Since *since, const char *opcode, const Form *form,
                     int chip) {
  const bool is_any = strcmp(since->opcode, "ANY") == 0;
  return (is_any || strcmp(since->opcode, opcode) == 0) &&
         (!since->chips_before || chip < since->chips_before) &&
         is_of(since->to, form, 0) && is_of(since->of, form, 1) &&
         (since->word == WORD_NONE ||
          memchr(form->word, (int)since->word, NUM_ROLES));
}

// A bulk copy to .shared::cta; for a store this is the source.
static bool fills_own_memory(const char *opcode, const Form *form) {
  return strcmp(opcode, "cp") == 0 && WORD_OF(form, MODE) == WORD_BULK &&
         WORD_OF(form, SPACE) == WORD_SHARED_CTA;
}

// A wgmma of signed and unsigned bytes.
static bool mixes_signs(const char *opcode, const Form *form) {
  return strcmp(opcode, "wgmma") == 0 && form->types[0] == TYPE_S32 &&
         form->types[1] != form->types[2];
}

// The version of PTX, times ten, of the latest of the form's words and types;
// the module's version if none is newer.
static int wanted_version(const char *opcode, const Form *form, int chip,
                          int version) {
  static const Since rows[] = {
#define SINCE(opcode, to, of, word, chips_before, version)                     \
  {#opcode, TYPE_##to, TYPE_##of, WORD_##word, chips_before, version},
#include "runtime/simulator/decode/since.def"
  };
  int latest = version;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].version > latest && is_since(&rows[i], opcode, form, chip) &&
        !is_older(&rows[i], opcode, form))
      latest = rows[i].version;
  if (fills_own_memory(opcode, form) && latest < 86) latest = 86;
  if (mixes_signs(opcode, form) && latest < 84) latest = 84;
  return latest;
}

bool target_has(Decoder *d, const char *opcode, const Form *form) {
  const int chip = target_chip(d->program);
  const int version = (int)lround(d->program->ptx.version * 10);
  const int wanted = wanted_chip(opcode, form, chip);
  if (is_of_own_chip(opcode, form) && !has_suffix(d->program))
    return fail_at(d, "'%s' wants sm_90a, the module is for %s", opcode,
                   d->program->ptx.target);
  if (wanted)
    return fail_at(d, "this form of '%s' wants sm_%d, the module is for %s",
                   opcode, wanted, d->program->ptx.target);
  const int since = wanted_version(opcode, form, chip, version);
  return version >= since ||
         fail_at(d, "this form of '%s' wants PTX %d.%d, the module is of %d.%d",
                 opcode, since / 10, since % 10, version / 10, version % 10);
}
