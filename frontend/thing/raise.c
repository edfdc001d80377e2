// raise.c -- exceptions of Python.
#include "frontend/thing/objects.h"

#include <string.h>

// Exceptions of Python, with their bases.
static const struct {
  const char *name, *base;
} known[] = {
#define EXCEPTION(name, base) {name, base},
#include "frontend/thing/exceptions.def"
};

Thing *exception_class(Machine *m, const char *name) {
  const size_t length = strlen(name);
  Thing *x = map_get_text(&m->exceptions, name, length);
  for (size_t i = 0; !x && i < sizeof known / sizeof *known; i++) {
    if (strcmp(known[i].name, name) != 0) continue;
    x = thing_new(m, THING_CLASS);
    x->owner.born = 0;
    x->as.class.name = x->as.class.python = known[i].name;
    x->as.class.names = table_new(m);
    if (known[i].base) x->as.class.base = exception_class(m, known[i].base);
    map_put_text(&m->exceptions, m->arena, name, length, x);
  }
  return x;
}

Thing *raise_thing(Machine *m, Thing *error) {
  run_leave(m, LEAVE_RAISE, error);
  return NULL;
}

// The arguments of the exception, such as the text of a message, are unknown.
Thing *run_raise(Machine *m, const char *name) {
  if (m->lost) return NULL;
  Thing *x = thing_new(m, THING_INSTANCE);
  x->as.instance.class = exception_class(m, name);
  x->as.instance.names = table_new(m);
  cell_set(m, table_cell(m, x->as.instance.names, run_word(m, "args")),
           &thing_unknown);
  return raise_thing(m, x);
}
