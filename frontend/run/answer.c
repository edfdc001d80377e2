// answer.c -- what kernels are told of a run of the program's modules.
#include "frontend/run/run.h"

#include "frontend/run/evaluate.h"

static const Code code = {
    .call = call_thing,
    .run_weakly = call_weakly,
    .generator_next = next_generated,
    .run_generator = generate_all,
    .builtin_row = builtin_row,
};

void run_program(Program *program, ProgramRun *out) {
  *out = (ProgramRun){
      .m = {.program = program, .code = &code, .arena = program->arena}};
  Machine *m = &out->m;
  diag_init_muted(&m->quiet, m->arena);
  m->constants = (ConstantContext){m->arena, &m->quiet, {0}};
  m->most_steps = MOST_STEPS;
  m->bytes = BYTES_OF_IMPORTS;
  out->main = run_module(m, program_main_file(program), "");
}

static ProgramRun *run_of(Program *program) {
  if (program->run) return program->run;
  ProgramRun *run = arena_new(program->arena, ProgramRun);
  run_program(program, run);
  program->run = run;
  return run;
}

static RunModule *module_of(const ProgramRun *run, const AstFile *file) {
  for (RunModule *module = run->m.modules; module; module = module->next)
    if (module->file == file) return module;
  return NULL;
}

// Functions of the main file, and of that which defines the name, may be called
// before the kernel is launched; those of others, when one of these does.
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
