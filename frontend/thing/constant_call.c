// constant_call.c -- functions of Python on constants, evaluated as by a walk.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/thing/objects.h"

#include <string.h>

struct ConstantCalls {
  Walk walk;
  WalkScratch scratch;
  Specialization none;
};

Walk *run_walk(Machine *m) {
  if (m->walk) return &m->walk->walk;
  m->walk = arena_new(m->arena, struct ConstantCalls);
  m->walk->none.target = m->program->target;
  m->walk->walk =
      walk_of(m->program, module_create(m->arena, &m->quiet), &m->walk->none);
  m->walk->walk.only_known = true;
  walk_make_scratch(&m->walk->walk, program_main_file(m->program),
                    &m->walk->scratch);
  return &m->walk->walk;
}

static const Builtin *find(const Walk *w, const char *name) {
  const Builtin *found =
      strchr(name, '.') ? w->language->find_host(name) : NULL;
  return found || strchr(name, '.') ? found : w->language->find_bare(name);
}

// Are the bytes of the text ASCII?  A walk does not count others as letters.
static bool is_ascii(const Object *x) {
  const bool text = x->kind == OBJECT_STRING;
  for (size_t i = 0; text && i < x->as.string.length; i++)
    if (x->as.string.text[i] & 0x80) return false;
  return true;
}

// A walk does not distinguish lists and tuples, so the function's name decides.
static Thing *result_of(Machine *m, const char *name, const Object *x) {
  const bool plain = x->kind == OBJECT_TUPLE && !x->as.tuple.written &&
                     !object_passes(x) && !x->as.tuple.class;
  if (!plain) return thing_of_object(m, x);
  const bool list =
      text_ends_with(name, "split") || text_ends_with(name, "splitlines");
  if (!list && !text_ends_with(name, "partition")) return NULL;
  return thing_of_object(
      m, object_written(
             object_tuple(m->arena, x->as.tuple.items, x->as.tuple.count),
             list ? '[' : '('));
}

Thing *call_constant(Machine *m, const char *name, Things *args,
                     ArgNames names) {
  Walk *w = run_walk(m);
  const Builtin *info = find(w, name);
  Arguments all = {0};
  const bool formats = !strcmp(name, "str.format");
  if (!formats && (!info || !info->run || !strcmp(name, "dict"))) return NULL;
  for (size_t i = 0; i < args->count; i++) {
    const Object *x = thing_object(m, args->items[i], NULL);
    if (!x || !is_ascii(x)) return NULL;
    const Argument argument = {.name = names ? names[i] : NULL, .value = x};
    if (!formats || i) vec_push(m->arena, &all, argument);
  }
  if (formats) {
    const Object *text = string_format(
        &m->constants, thing_object(m, args->items[0], NULL), &all);
    return text ? thing_constant(m, text) : NULL;
  }
  w->stopped = false;
  w->steps = w->depth = 0;
  const Object *x = w->language->call(w, object_builtin(m->arena, info, NULL),
                                      (SrcLoc){0}, &all);
  return x ? result_of(m, name, x) : NULL;
}
