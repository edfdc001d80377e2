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

// The cell of `name`, or of the first part of `Class.name`.
static const NameCell *cell_of(ProgramRun *run, const RunModule *module,
                               const char *name) {
  const char *word = arena_strndup(run->m.arena, name, strcspn(name, "."));
  return table_find(module->names, run_word(&run->m, word));
}

// Does -D give a name of a module another value?
static bool is_redefined(ProgramRun *run) {
  const Program *program = run->m.program;
  for (const RunModule *m = run->m.modules; m; m = m->next)
    for (int i = 0; i < program->num_given; i++)
      if (cell_of(run, m, program->given[i].name)) return true;
  return false;
}

const Object *module_value(Program *program, const AstFile *file,
                           const char *name, const char *member) {
  if (!program_main_file(program)->ok) return NULL;
  ProgramRun *run = run_of(program);
  if (!run->main || is_redefined(run)) return NULL;
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

const Object *module_report(Program *program, const AstFile *file,
                            SrcLoc call) {
  if (!program_main_file(program)->ok) return NULL;
  ProgramRun *run = run_of(program);
  const bool ended = run->main && !run->m.lost && !program->num_given;
  return ended ? run_report(&run->m, file, call) : NULL;
}

static bool is_bound_by_text(ProgramRun *run, const RunModule *module,
                             const char *name) {
  const NameCell *cell = cell_of(run, module, name);
  return run->main->opens_names || module->opens_names ||
         (cell && cell->untold);
}

// A search for changes among the things that a thing holds.
typedef struct {
  const Machine *m;
  Map seen;
  int fuel, depth;
  bool is_local; // of a name of a function
} ChangeSearch;

static bool is_changed(ChangeSearch *s, Thing *x);

static bool is_any_changed(ChangeSearch *s, Thing *const *items, int count) {
  for (int i = 0; items && i < count; i++)
    if (items[i] && is_changed(s, items[i])) return true;
  return false;
}

static bool are_names_changed(ChangeSearch *s, const NameTable *names) {
  bool changed = names->untold;
  for (size_t i = 0; i < names->cells.count && !changed; i++) {
    const NameCell *cell = names->cells.items[i];
    changed = cell->untold || is_any_changed(s, &cell->value, 1);
  }
  return changed;
}

// The defaults of a function, and the names of the calls around it.
static bool is_function_changed(ChangeSearch *s, const Thing *x) {
  bool changed = is_any_changed(s, x->as.function.defaults,
                                x->as.function.ast->num_params);
  for (const RunFrame *f = x->as.function.around; f && f->outer && !changed;
       f = f->outer)
    changed = are_names_changed(s, f->names);
  return changed;
}

static bool is_part_changed(ChangeSearch *s, Thing *x) {
  const Content *c = x->as.holder.content;
  const bool escaped = x->owner.exposed && s->m->changes_unseen;
  switch (x->kind) {
  case THING_LIST:
  case THING_DICT:
  case THING_SET:
    return x->as.holder.is_changed || escaped ||
           (s->is_local && x->as.holder.is_changed_named) ||
           is_any_changed(s, c->items, c->count);
  case THING_UNKNOWN:
    return (s->m->changes_unseen && !s->is_local) ||
           is_any_changed(s, x->as.either, 2);
  case THING_MAYBE: return is_any_changed(s, x->as.either, 1);
  case THING_TUPLE:
    return is_any_changed(s, x->as.tuple.items, x->as.tuple.count);
  case THING_METHOD: return is_changed(s, x->as.method.function);
  case THING_FUNCTION: return is_function_changed(s, x);
  case THING_INSTANCE:
    return escaped || are_names_changed(s, x->as.instance.names);
  default: return false;
  }
}

// Has a statement below the one that made it, or the code of another module,
// changed the list, dictionary, set or instance, or one that it holds?  Yes, if
// it holds too many.
static bool is_changed(ChangeSearch *s, Thing *x) {
  enum { MAX_DEPTH = 100 };
  if (map_get(&s->seen, x)) return false;
  if (s->depth == MAX_DEPTH || !s->fuel--) return true;
  map_put(&s->seen, s->m->arena, x, x);
  s->depth++;
  const bool changed = is_part_changed(s, x);
  s->depth--;
  return changed;
}

static bool is_value_changed(const ProgramRun *run, const NameCell *cell,
                             bool is_local) {
  ChangeSearch search = {.m = &run->m, .fuel = 1 << 20, .is_local = is_local};
  return cell->untold || is_any_changed(&search, &cell->value, 1) ||
         is_any_changed(&search, cell->ever.items, (int)cell->ever.count);
}

// Has code of another module, or a text, set the member of the class?
static bool is_member_set(ProgramRun *run, const Thing *class, const char *name,
                          ToldAs as) {
  if (!class || class->kind != THING_CLASS) return false;
  const NameTable *names = class->as.class.names;
  const NameCell *cell =
      names ? table_find(names, run_word(&run->m, name)) : NULL;
  return (as != TOLD_CODE && names && names->untold) ||
         (cell && is_value_changed(run, cell, false));
}

// Has `name` changed in a call of the function that it is local to?
static bool is_local_changed(const ProgramRun *run, const Thing *function,
                             const char *name) {
  bool changed = false;
  for (size_t i = 0; i < run->m.functions.count && !changed; i++) {
    const RunFrame *f = run->m.functions.items[i]->as.function.around;
    for (; f && f->outer && !changed; f = f->outer) {
      const NameCell *cell = f->scope && f->scope == function->as.function.scope
                                 ? table_find(f->names, name)
                                 : NULL;
      changed = cell && is_value_changed(run, cell, true);
    }
  }
  return changed;
}

// `function.name`: has it changed in a call of a function of that name?
static bool is_changed_within(ProgramRun *run, const RunModule *module,
                              const char *path) {
  const char *dot = strrchr(path, '.'), *of = dot;
  while (of > path && of[-1] != '.') of--;
  const size_t length = (size_t)(dot - of);
  bool changed = false;
  for (size_t i = 0; i < run->m.functions.count && !changed; i++) {
    const Thing *x = run->m.functions.items[i];
    const char *name = x->as.function.ast->name;
    changed = x->as.function.around->module == module &&
              strlen(name) == length && !memcmp(name, of, length) &&
              is_local_changed(run, x, run_word(&run->m, dot + 1));
  }
  return changed;
}

// Has code that ran bound the name from another file, or changed the value of
// the name there?
static bool is_changed_by_others(ProgramRun *run, const RunModule *module,
                                 const char *name, ToldAs as) {
  const NameCell *cell = cell_of(run, module, name);
  const char *dot = strchr(name, '.');
  if (as != TOLD_CODE && module->names->untold) return true;
  if (!cell)
    return as == TOLD_THING && run->main->failed &&
           file_is_python(module->file);
  if (!dot)
    return as == TOLD_THING ? is_value_changed(run, cell, false) : cell->untold;
  return cell->untold || is_member_set(run, cell->value, dot + 1, as) ||
         is_changed_within(run, module, name);
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
  ProgramRun *run = run_of(program);
  if (!run->main) return otherwise;
  if (run->m.lost) return otherwise && as == TOLD_CODE;
  const RunModule *module = module_of(run, file);
  const bool ends = !run->main->failed; // an exception: no kernel is launched
  if (as == TOLD_THING && ends && !is_settled(module)) return false;
  if (ends && !is_settled(module) && file->by_text) return otherwise;
  if (!module) return true;
  if (ends && as != TOLD_CODE) call_later(run, module);
  if (run->m.lost) return otherwise;
  return !(how != TEXT_NEVER && is_bound_by_text(run, module, name)) &&
         !is_changed_by_others(run, module, name, as);
}
