// answer.c -- values from a run of the program's modules, for kernels.
#include "frontend/run/run.h"

#include "frontend/module/module.h"
#include "frontend/run/evaluate.h"

#include <string.h>

static const CodeRunner code = {
    .call = call_thing,
    .run_weakly = call_weakly,
    .generator_next = next_generated,
    .run_generator = generate_all,
    .run_text = text_as_code,
    .builtin_row = builtin_row,
    .names_no_file = names_no_file,
};

ProgramRun *run_program(Program *program) {
  ProgramRun *run = arena_new(program->arena, ProgramRun);
  Machine *m = &run->m;
  m->program = program;
  m->code = &code;
  m->arena = program->arena;
  diag_init_muted(&m->quiet, m->arena);
  m->constants = (ConstantContext){m->arena, &m->quiet, {0}};
  m->most_steps = MOST_STEPS;
  m->bytes = BYTES_OF_IMPORTS;
  program->run = run; // set early, since a walk during the run may ask for it
  run->main = run_module(m, program_main_file(program), "");
  return run;
}

static ProgramRun *run_of(Program *program) {
  return program->run ? program->run : run_program(program);
}

static RunModule *module_of(const ProgramRun *run, const AstFile *file) {
  for (RunModule *module = run->m.modules; module; module = module->next)
    if (module->file == file) return module;
  return NULL;
}

// Before the kernel is launched, functions of the main file and of the file
// that defines the name may be called.  Functions of other files run only if
// these call them.
static void call_later(ProgramRun *run, const RunModule *module) {
  for (size_t i = 0; i < run->asked.count; i++)
    if (run->asked.items[i] == module) return;
  vec_push(run->m.arena, &run->asked, module);
  run_later(&run->m, run->main, module);
}

static bool is_settled(const RunModule *module) {
  return module && module->state == &module_ready && !module->running &&
         !module->is_unread;
}

Reached module_reach(Program *program, const AstFile *file, uint32_t token) {
  if (!program_main_file(program)->ok) return REACHED_UNKNOWN;
  ProgramRun *run = run_of(program);
  const bool ended = run->main && !program->num_given;
  const RunModule *module = ended ? module_of(run, file) : NULL;
  return module ? run_reach(module, token) : REACHED_UNKNOWN;
}

static Thing *value_in(ProgramRun *run, const RunModule *module,
                       const char *name) {
  return cell_value(table_find(module->names, run_word(&run->m, name)));
}

const Object *module_value(Program *program, const AstFile *file,
                           const char *name, const char *member) {
  if (program->num_given || !program_main_file(program)->ok) return NULL;
  ProgramRun *run = run_of(program);
  if (!run->main) return NULL; // the run has not ended
  Machine *m = &run->m;
  const RunModule *module = module_of(run, file);
  if (m->lost || run->main->failed || !is_settled(module)) return NULL;
  Thing *x = value_in(run, module, name);
  if (!x || (x->kind != THING_MODULE && !thing_object(m, x, NULL))) return NULL;
  call_later(run, module);
  x = m->lost ? NULL : value_in(run, module, name);
  if (!x || !member) return x ? thing_object(m, x, &run->objects) : NULL;
  if (x->kind != THING_MODULE || !is_settled(x->as.module)) return NULL;
  module = x->as.module;
  call_later(run, module);
  x = m->lost ? NULL : value_in(run, module, member);
  return x ? thing_object(m, x, &run->objects) : NULL;
}

// The cell of `name`, or of the first part of `Class.name`.
static const NameCell *cell_of(ProgramRun *run, const RunModule *module,
                               const char *name) {
  const char *word = arena_strndup(run->m.arena, name, strcspn(name, "."));
  return table_find(module->names, run_word(&run->m, word));
}

static bool is_bound_by_text(ProgramRun *run, const RunModule *module,
                             const char *name) {
  const NameCell *cell = cell_of(run, module, name);
  return run->main->opens_names || module->opens_names ||
         (cell && cell->untold);
}

static bool is_set_elsewhere(const Thing *x, int depth, int *fuel);

static bool is_any_set_elsewhere(Thing *const *items, int count, int depth,
                                 int *fuel) {
  enum { MAX_DEPTH = 8 };
  if (items && count && depth == MAX_DEPTH) return true;
  for (int i = 0; items && i < count; i++)
    if (!(*fuel)-- || is_set_elsewhere(items[i], depth + 1, fuel)) return true;
  return false;
}

static bool is_attribute_set_elsewhere(const NameTable *names) {
  bool set = names->untold;
  for (size_t i = 0; i < names->cells.count && !set; i++)
    set = names->cells.items[i]->untold;
  return set;
}

// Has the code of another module changed the list, dictionary, set or instance,
// or one that it holds?  Yes, if it holds more things than `*fuel`.
static bool is_set_elsewhere(const Thing *x, int depth, int *fuel) {
  const Content *c;
  switch (x->kind) {
  case THING_LIST:
  case THING_DICT:
  case THING_SET:
    c = content_of(x);
    return x->as.holder.is_changed_elsewhere ||
           (c && is_any_set_elsewhere(c->items, c->count, depth, fuel));
  case THING_TUPLE:
    return is_any_set_elsewhere(x->as.tuple.items, x->as.tuple.count, depth,
                                fuel);
  case THING_INSTANCE: return is_attribute_set_elsewhere(x->as.instance.names);
  default: return false;
  }
}

// Has code of another module, or a text, set the member of the class?
static bool is_member_set(ProgramRun *run, const Thing *class, const char *name,
                          ToldAs as) {
  if (!class || class->kind != THING_CLASS) return false;
  const NameTable *names = class->as.class.names;
  const NameCell *cell =
      names ? table_find(names, run_word(&run->m, name)) : NULL;
  int fuel = 1 << 20;
  return (as != TOLD_CODE && names && names->untold) ||
         (cell && (cell->untold ||
                   (cell->value && is_set_elsewhere(cell->value, 0, &fuel))));
}

// Has code that ran bound the name from another file, or changed the value of
// the name there?
static bool is_changed_by_others(ProgramRun *run, const RunModule *module,
                                 const char *name, ToldAs as) {
  const NameCell *cell = cell_of(run, module, name);
  const char *dot = strchr(name, '.');
  int fuel = 1 << 20;
  if (as != TOLD_CODE && module->names->untold) return true;
  if (!cell) return false;
  return cell->untold ||
         (dot && is_member_set(run, cell->value, dot + 1, as)) ||
         (!dot && cell->value && is_set_elsewhere(cell->value, 0, &fuel));
}

static TextBinding worse(TextBinding a, TextBinding b) {
  return a > b ? a : b;
}

bool module_is_told(Program *program, const AstFile *file, const char *name,
                    ToldAs as) {
  const AstFile *main = program_main_file(program);
  const TextBinding how =
      as == TOLD_CODE ? TEXT_NEVER : worse(main->by_text, file->by_text);
  const bool otherwise = how != TEXT_ANY;
  if (as == TOLD_CODE && file == main) return true;
  if (!main->is_scanned && !program->run) return otherwise;
  ProgramRun *run = run_of(program);
  if (!run->main) return otherwise;
  if (run->m.lost) return otherwise && as == TOLD_CODE;
  const RunModule *module = module_of(run, file);
  const bool ends = !run->main->failed; // an exception: no kernel is launched
  if (ends && !is_settled(module) && file->by_text) return otherwise;
  if (!module) return true;
  if (ends && as == TOLD_LATER) call_later(run, module);
  if (run->m.lost) return otherwise;
  return !(how != TEXT_NEVER && is_bound_by_text(run, module, name)) &&
         !is_changed_by_others(run, module, name, as);
}
