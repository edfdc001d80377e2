// code.c -- calls of code by objects, through `Machine.code`, so that this room
// does not depend on how code is run.
#include "frontend/thing/objects.h"

Thing *run_call(Machine *m, Thing *callee, Things *args, ArgNames names) {
  return m->code->call(m, callee, args, names);
}

Thing *run_call_one(Machine *m, Thing *callee, Thing *argument) {
  Things args = {0};
  vec_push(m->arena, &args, argument);
  return run_call(m, callee, &args, NULL);
}

void run_weakly(Machine *m, Thing *code) {
  m->code->run_weakly(m, code);
}

void run_text(Machine *m, const char *text) {
  m->code->run_text(m, text);
}

Next generator_next(Machine *m, Thing *generator, Thing **item) {
  return m->code->generator_next(m, generator, item);
}

bool run_generator(Machine *m, Thing *generator, Taker *taker, bool *known) {
  return m->code->run_generator(m, generator, taker, known);
}

bool args_are_plain(const Things *args, ArgNames names, size_t least,
                    size_t most) {
  for (size_t i = 0; names && i < args->count; i++)
    if (names[i]) return false;
  return least <= args->count && args->count <= most;
}
