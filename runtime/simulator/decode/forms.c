// forms.c -- an opcode and its modifiers, by instructions.def.
//
// Every word must fill a role of the row, and every type a place: a word that
// is left over is an error.
#include <stdio.h>
#include <string.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/ptx/parser.h"

typedef struct {
  const char *name, *shape;
  uint8_t num_types;
  uint64_t roles;
  PickFn pick;
} FormRow;

typedef struct {
  const char *spelling;
  uint64_t roles;
} FormWord;

// Takes the first free role that both the row and the word have.
static bool take_word(const FormRow *row, Form *form, const char *text) {
  static const FormWord words[NUM_WORDS] = {
      {"", 0},
#define WORD(id, spelling, roles) {spelling, roles},
#include "runtime/simulator/code/words.def"
  };
  for (int i = 1; i < NUM_WORDS; i++) {
    if (strcmp(words[i].spelling, text) != 0) continue;
    for (int role = 0; role < NUM_ROLES; role++) {
      if (!(row->roles & words[i].roles & UINT64_C(1) << role) ||
          form->word[role])
        continue;
      form->word[role] = (uint8_t)i;
      return true;
    }
  }
  return false;
}

// `m64n128k16`: the form has the columns, and the rest is a word.
static bool take_wide_shape(const FormRow *row, Form *form, const char *text) {
  unsigned columns, k;
  char spelled[32];
  if (!(row->roles & ROLE_PRODUCT) || form->columns ||
      sscanf(text, "m64n%3uk%3u", &columns, &k) != 2)
    return false;
  snprintf(spelled, sizeof spelled, "m64n%uk%u", columns, k);
  if (strcmp(spelled, text) != 0) return false;
  form->columns = (uint16_t)columns;
  snprintf(spelled, sizeof spelled, "m64k%u", k);
  return take_word(row, form, spelled);
}

static bool take_modifiers(Decoder *d, const FormRow *row, const PtxStmt *stmt,
                           Form *form) {
  for (const PtxWord *word = stmt->modifiers; word; word = word->next) {
    const TypeId type = type_find(word->text);
    if (type != TYPE_NONE && form->num_types < row->num_types)
      form->types[form->num_types++] = (uint8_t)type;
    else if (!take_wide_shape(row, form, word->text) &&
             !take_word(row, form, word->text))
      return fail_at(d, "'.%s' is not supported for '%s'", word->text,
                     stmt->name);
  }
  return form->num_types == row->num_types ||
         fail_at(d, "'%s' wants %d types", stmt->name, row->num_types);
}

static Space space_of(WordId word) {
  switch (word) {
  case WORD_GLOBAL:
  case WORD_CONST: return SPACE_GLOBAL;
  case WORD_SHARED:
  case WORD_SHARED_CTA:
  case WORD_SHARED_CLUSTER: return SPACE_SHARED;
  case WORD_LOCAL: return SPACE_LOCAL;
  case WORD_PARAM:
  case WORD_PARAM_ENTRY:
  case WORD_PARAM_FUNC: return SPACE_PARAM;
  default: return SPACE_GENERIC;
  }
}

static void note_words(const Form *form, Inst *inst) {
  inst->type = form->types[0];
  inst->type2 = form->types[1];
  inst->type3 = form->types[2];
  inst->round = form->word[ROLE_INDEX_ROUND];
  inst->ftz = WORD_OF(form, FTZ) == WORD_FTZ;
  inst->sat = WORD_OF(form, SAT) != WORD_NONE;
  inst->cmp = form->word[ROLE_INDEX_CMP];
  inst->bool_op = form->word[ROLE_INDEX_OP];
  inst->mode = form->word[ROLE_INDEX_MODE];
  inst->shape = form->word[ROLE_INDEX_SHAPE];
  inst->columns = form->columns;
  inst->trans = form->word[ROLE_INDEX_TRANS];
  inst->walk = form->word[ROLE_INDEX_WALK];
  inst->is_multicast = WORD_OF(form, MULTICAST) != WORD_NONE;
  inst->order = form->word[ROLE_INDEX_ORDER];
  inst->scope = form->word[ROLE_INDEX_SCOPE];
  inst->space = (uint8_t)space_of(WORD_OF(form, SPACE));
}

static bool is_barrier(const char *name) {
  return strcmp(name, "bar") == 0 || strcmp(name, "barrier") == 0;
}

static bool reads_special(const char *name, const Form *form) {
  if (strcmp(name, "mov") == 0) return true;
  if (strcmp(name, "cvt") != 0) return false;
  for (int i = 0; i < form->num_types; i++)
    if (type_table[form->types[i]].class > CLASS_SIGNED) return false;
  return true;
}

// Whether the instruction may have `_` for its result: it has a side effect, or
// another result.
static bool drops_result(const char *name, const Form *form) {
  if (opcode_is_in(OPCODES_DROP_RESULTS, name)) return true;
  const WordId mode = WORD_OF(form, MODE);
  if (strcmp(name, "match") == 0) return mode == WORD_ALL;
  return strcmp(name, "mbarrier") == 0 &&
         (mode == WORD_ARRIVE || mode == WORD_ARRIVE_DROP);
}

// Instructions whose result may be d|p; others have one result.
static bool takes_pair(const char *name) {
  return opcode_is_in(OPCODES_PAIRS, name);
}

// elect must have a predicate for the elected lane; an arrival at a
// .shared::cluster mbarrier must not have a register for the state.
static bool drop_fits(const char *name, const Form *form,
                      const PtxOperand *result) {
  if (strcmp(name, "elect") == 0)
    return result->kind != OPERAND_PAIR || !is_sink(result->list->next);
  const WordId mode = WORD_OF(form, MODE);
  return strcmp(name, "mbarrier") != 0 ||
         WORD_OF(form, SPACE) != WORD_SHARED_CLUSTER ||
         (mode != WORD_ARRIVE && mode != WORD_ARRIVE_DROP) || is_sink(result);
}

static bool is_move(const char *name) {
  static const char *const names[] = {"mov", "ld", "st", "ldu", NULL};
  return ptx_is_one_of(name, names);
}

// May the instruction have a predicate under which the source is not read, as
// cp.async may?
static bool may_ignore_source(const char *name, const FormRow *row) {
  return strcmp(name, "cp") == 0 && strchr(row->shape, 'q');
}

static bool wants_wide(const Decoder *d, const char *name, const Form *form) {
  const WordId space = WORD_OF(form, SPACE);
  return target_offers(d->program, FEATURE_WIDE_ADDRESSES) &&
         opcode_is_in(OPCODES_WIDE_ADDRESSES, name) &&
         (space == WORD_NONE || space == WORD_GLOBAL) &&
         !WORD_OF(form, ASYNC) && !WORD_OF(form, TENSOR);
}

static bool try_row(Decoder *d, const FormRow *row, const PtxStmt *stmt) {
  Form form = {.num_types = 0};
  Inst inst = {.guard = NO_GUARD};
  if (!take_modifiers(d, row, stmt, &form)) return false;
  d->progress = PROGRESS_WORDS;
  note_words(&form, &inst);
  d->wants_wide = wants_wide(d, stmt->name, &form);
  d->takes_special = reads_special(stmt->name, &form);
  d->takes_sink = drops_result(stmt->name, &form);
  d->takes_address = strcmp(stmt->name, "mov") == 0 ||
                     strcmp(stmt->name, "cvta") == 0 ||
                     strcmp(stmt->name, "mapa") == 0;
  d->takes_element = is_move(stmt->name);
  if (!resolve_operands(d, row->shape, &form, stmt->operands, &inst))
    return false;
  if (inst.has_pair && !takes_pair(stmt->name))
    return fail_at(d, "'%s' has one result", stmt->name);
  if (!drop_fits(stmt->name, &form, stmt->operands))
    return fail_at(d, "'%s' wants another result", stmt->name);
  d->progress = PROGRESS_OPERANDS;
  form.num_operands = inst.given;
  inst.exec = form_is_legal(stmt->name, &form) ? row->pick(&form, &inst) : NULL;
  if (!inst.exec) return fail_at(d, "no such form of '%s'", stmt->name);
  d->progress = PROGRESS_FORM;
  if (!numbers_fit(d, row->pick, &form, stmt->operands)) return false;
  if (!target_has(d, stmt->name, &form)) return false;
  if (may_ignore_source(stmt->name, row) && d->program->ptx.version < 7.45)
    return fail_at(d, "this form of 'cp' wants PTX 7.5");
  // `bar` is aligned without .aligned.
  if (strcmp(stmt->name, "bar") == 0 || WORD_OF(&form, ALIGNED))
    inst.trans = is_barrier(stmt->name) ? true : inst.trans;
  Inst *place = add_inst(d, stmt);
  inst.guard = place->guard;
  inst.guard_not = place->guard_not;
  inst.line = place->line;
  inst.file = place->file;
  inst.source_line = place->source_line;
  inst.caller_file = place->caller_file;
  inst.caller_line = place->caller_line;
  inst.stmt = stmt;
  *place = inst;
  return true;
}

bool decode_form(Decoder *d, const PtxStmt *stmt) {
  static const FormRow rows[] = {
#define INSN(name, shape, num_types, roles, pick)                              \
  {#name, shape, num_types, roles, pick_##pick},
#include "runtime/simulator/code/instructions.def"
  };
  PtxError *const error = d->error;
  PtxError first = {""};
  bool known = false;
  uint8_t most = PROGRESS_NONE;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].name, stmt->name) != 0) continue;
    PtxError attempt = {""};
    d->error = &attempt;
    d->progress = PROGRESS_NONE;
    const size_t num_insts = d->num_insts;
    const bool ok = try_row(d, &rows[i], stmt);
    d->error = error;
    d->takes_special = false;
    d->takes_address = true;
    if (ok) return true;
    d->num_insts = num_insts;
    if (!known || d->progress > most) first = attempt;
    if (d->progress > most) most = d->progress;
    known = true;
  }
  if (!known && opcode_is_in(OPCODES_TEXTURES, stmt->name))
    return fail_at(d, "'%s': textures and surfaces are not simulated",
                   stmt->name);
  if (!known) return fail_at(d, "unknown instruction '%s'", stmt->name);
  if (!*error->text) *error = first;
  return false;
}
