// classes.c -- classes: their bases, and their members.
#include "frontend/thing/objects.h"

bool class_is_unknown(const Thing *class) {
  for (const Thing *c = class; c; c = c->as.class.base)
    if (c->owner.exposed) return true;
  return false;
}

bool class_is_foreign(const Thing *class) {
  for (const Thing *c = class; c; c = c->as.class.base)
    if (c->as.class.python) return true;
  return false;
}

bool class_is_sub(const Thing *class, const Thing *base) {
  for (const Thing *c = class; c; c = c->as.class.base)
    if (c == base) return true;
  return false;
}

bool class_is_derived(const Thing *b, const Thing *a) {
  return a->kind == THING_INSTANCE && b->kind == THING_INSTANCE &&
         a->as.instance.class != b->as.instance.class &&
         class_is_sub(b->as.instance.class, a->as.instance.class);
}

// The member of the class or of the nearest base that has it; a MAYBE if it may
// be absent.
Thing *class_lookup(Machine *m, Thing *class, const char *name) {
  Thing *found = NULL;
  for (Thing *c = class; c; c = c->as.class.base) {
    Thing *x = cell_value(table_find(c->as.class.names, name));
    if (!x) continue;
    if (found)
      return thing_join(m, found, x)->kind == THING_MAYBE ? found
                                                          : &thing_unknown;
    if (x->kind != THING_MAYBE) return x;
    found = x;
  }
  return found;
}

Thing *special_method(Machine *m, Thing *x, const char *name) {
  Thing *f = class_lookup(m, x->as.instance.class, run_word(m, name));
  if (!f) return NULL;
  if (f->kind == THING_FUNCTION) return thing_method(m, f, x);
  run_expose(m, x);
  run_expose(m, f);
  return &thing_unknown;
}
