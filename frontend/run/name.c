// name.c -- lookup and binding of names.
#include "frontend/run/evaluate.h"

#include <string.h>

// The frame of the enclosing function that binds the name; NULL: it is a
// global.
static RunFrame *frame_with(RunFrame *frame, const char *name) {
  for (RunFrame *f = frame; f && f->outer; f = f->outer) {
    if (f->is_class || !f->scope) continue;
    if (map_get(&f->scope->globals, name)) return NULL;
    if (map_get(&f->scope->locals, name) &&
        !map_get(&f->scope->nonlocals, name))
      return f;
  }
  return NULL;
}

// The value of a name.  On the path on which a MAYBE is absent, the value is
// `otherwise`; without that, the path raises an exception.
static Thing *present(Machine *m, Thing *x, Thing *otherwise) {
  if (x->kind != THING_MAYBE) return x;
  if (otherwise) return thing_join(m, x->as.either[0], otherwise);
  run_may_raise(m);
  return x->as.either[0];
}

static Thing *module_name(Machine *m, RunModule *module, const char *name) {
  // An unknown star import is assumed to bind only few names.
  const bool is_way = module->has_star && words_have(WORDS_NAMING_ALL, name);
  if (is_way || !strcmp(name, "__builtins__")) {
    run_expose_modules(m);
    return run_unknown(m, NULL, NULL);
  }
  const NameCell *cell = table_find(module->names, name);
  Thing *x = cell_read(m, cell), *builtin = builtin_thing(m, name);
  if (x) return present(m, x, builtin);
  if (module->has_star || module->names->owner.exposed)
    return run_unknown(m, NULL, NULL);
  return builtin ? builtin : run_raise(m, "NameError");
}

Thing *run_name(Machine *m, const char *name) {
  RunFrame *frame = m->frame;
  if (name_is_private(name) && frame->class) return run_unknown(m, NULL, NULL);
  if (frame->is_class) {
    Thing *x = cell_value(table_find(frame->names, name));
    if (x && x->kind == THING_MAYBE) return run_unknown(m, x, NULL);
    if (x) return x;
  }
  const RunFrame *at = frame_with(frame, name);
  if (!at) return module_name(m, frame->module, name);
  Thing *x = cell_value(table_find(at->names, name));
  if (x) return present(m, x, NULL);
  return run_raise(m, at == frame ? "UnboundLocalError" : "NameError");
}

NameCell *run_cell(Machine *m, const char *name) {
  RunFrame *frame = m->frame;
  if (frame->is_class || !frame->outer)
    return table_cell(m, frame->names, name);
  const RunFrame *at = frame_with(frame, name);
  return table_cell(m, at ? at->names : frame->module->names, name);
}

bool run_bind(Machine *m, const char *name, Thing *value) {
  cell_set(m, run_cell(m, name), value);
  return true;
}

bool run_unbind(Machine *m, const char *name) {
  NameCell *cell = run_cell(m, name);
  const Thing *x = cell_value(cell);
  if (!x) return run_raise(m, "NameError") != NULL;
  if (x->kind == THING_MAYBE || x->kind == THING_UNKNOWN) run_may_raise(m);
  cell_set(m, cell, NULL);
  return true;
}
