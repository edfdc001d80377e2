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

static bool is_bound_by_text(ProgramRun *run, const RunModule *module,
                             const char *name) {
  const char *word = arena_strndup(run->m.arena, name, strcspn(name, "."));
  const NameCell *cell = table_find(module->names, run_word(&run->m, word));
  return run->main->opens_names || module->opens_names ||
         (cell && cell->by_text);
}

// Has the code of another module changed the list, dictionary or set, or one
// that it holds?  Yes, if it holds more things than `*fuel`.
static bool is_changed_elsewhere(const Thing *x, int depth, int *fuel) {
  enum { MAX_DEPTH = 8 };
  const bool holds =
      x->kind == THING_LIST || x->kind == THING_DICT || x->kind == THING_SET;
  if (holds && x->as.holder.is_changed_elsewhere) return true;
  const Content *c = holds ? content_of(x) : NULL;
  const bool tuple = x->kind == THING_TUPLE;
  Thing *const *items = tuple ? x->as.tuple.items : c ? c->items : NULL;
  const int count = tuple ? x->as.tuple.count : c ? c->count : 0;
  if (items && count && depth == MAX_DEPTH) return true;
  for (int i = 0; items && i < count; i++)
    if (!(*fuel)-- || is_changed_elsewhere(items[i], depth + 1, fuel))
      return true;
  return false;
}

// Has code that ran bound the name from another file, or changed the value of
// the name there?
static bool is_changed_by_others(ProgramRun *run, const RunModule *module,
                                 const char *name) {
  const NameCell *cell = table_find(module->names, run_word(&run->m, name));
  int fuel = 1 << 20;
  return cell && (cell->by_text ||
                  (cell->value && is_changed_elsewhere(cell->value, 0, &fuel)));
}

static TextBinding worse(TextBinding a, TextBinding b) {
  return a > b ? a : b;
}

bool module_is_told(Program *program, const AstFile *file, const char *name) {
  const AstFile *main = program_main_file(program);
  const TextBinding how = worse(main->by_text, file->by_text);
  const bool large = program_is_large(program);
  if (how == TEXT_NEVER && !large) return true;
  const bool otherwise = how != TEXT_ANY;
  if (!main->is_scanned) return otherwise;
  ProgramRun *run = run_of(program);
  if (!run->main || run->m.lost) return otherwise;
  const RunModule *module = module_of(run, file);
  const bool ends = !run->main->failed; // else no kernel is launched
  if (ends && !is_settled(module) && file->by_text) return otherwise;
  if (!module) return true;
  if (ends) call_later(run, module);
  if (run->m.lost) return otherwise;
  return !(how != TEXT_NEVER && is_bound_by_text(run, module, name)) &&
         !(large && is_changed_by_others(run, module, name));
}
