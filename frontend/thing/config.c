// config.c -- values of triton.Config and triton.testing.Benchmark.
//
// The values are objects of classes of Triton: the call gives their attributes,
// which may be set later.  Their methods are not followed.
#include "frontend/thing/objects.h"

#include <string.h>

// The attribute that says which parameters the call gave, a bit for each.
static const char given_name[] = "";

const HostClass *host_class(const Machine *m, const char *name) {
  const HostClass *class = m->program->language->classes;
  while (class->name && strcmp(class->name, name) != 0) class ++;
  return class->name ? class : NULL;
}

static Thing *known_class(const Machine *m, const HostClass *class) {
  return map_get_text(&m->exceptions, class->name, strlen(class->name));
}

static Thing *class_of(Machine *m, const HostClass *class) {
  static const char *const methods[] = {"__eq__", "__hash__", "__str__"};
  Thing *x = known_class(m, class);
  if (x) return x;
  x = thing_new(m, THING_CLASS);
  x->owner.born = 0;
  x->as.class.name = strrchr(class->name, '.') + 1;
  x->as.class.python = class->name;
  x->as.class.names = table_new(m);
  x->as.class.names->owner.born = 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    table_cell(m, x->as.class.names, run_word(m, methods[i]))->value =
        &thing_unknown; // on every path
  map_put_text(&m->exceptions, m->arena, class->name, strlen(class->name), x);
  return x;
}

static void set(Machine *m, const Thing *x, const char *name, Thing *value) {
  cell_set(m, table_cell(m, x->as.instance.names, run_word(m, name)), value);
}

static Thing *get(Machine *m, const Thing *x, const char *name) {
  return cell_value(table_find(x->as.instance.names, run_word(m, name)));
}

static int parameter_of(const HostClass *class, const char *name,
                        int position) {
  if (!name) return class->field(position) ? position : -1;
  for (int i = 0; class->field(i); i++)
    if (!strcmp(class->field(i), name)) return i;
  return -1;
}

static Thing *default_of(Machine *m, const HostClass *class, int parameter) {
  return thing_constant(m, class->otherwise(parameter));
}

Thing *host_class_call(Machine *m, const HostClass *class, const Things *args,
                       ArgNames names) {
  const Integer required = ((Integer)1 << class->num_required) - 1;
  Integer given = 0;
  Thing *x = thing_new(m, THING_INSTANCE);
  x->as.instance.class = class_of(m, class);
  x->as.instance.names = table_new(m);
  for (int i = 0; class->field(i); i++)
    set(m, x, class->field(i), default_of(m, class, i));
  for (size_t i = 0; i < args->count; i++) {
    const int n = parameter_of(class, names ? names[i] : NULL, (int)i);
    if (n < 0) return run_call_unseen(m, NULL, args);
    if (given >> n & 1) return run_raise(m, "TypeError"); // given twice
    given |= (Integer)1 << n;
    set(m, x, class->field(n), args->items[i]);
  }
  set(m, x, given_name, thing_int(m, given));
  return (given & required) == required ? x : run_raise(m, "TypeError");
}

static bool is_open(const Thing *x) {
  return x->owner.exposed || x->as.instance.names->owner.exposed ||
         class_is_unknown(x->as.instance.class);
}

static const HostClass *class_of_instance(const Machine *m, const Thing *x) {
  const HostClass *class = m->program->language->classes;
  while (class->name && x->as.instance.class != known_class(m, class)) class ++;
  return class->name ? class : NULL;
}

// The attribute as a walk has it; a range: its numbers.
static const Object *attribute_object(Machine *m, Thing *x) {
  Things items = {0};
  bool alive = true;
  if (x->kind != THING_RANGE) return thing_object(m, x, NULL);
  if (!run_drain(m, x, &items, &alive)) return NULL;
  return thing_object(m, thing_tuple(m, items.items, (int)items.count), NULL);
}

// Does the class take the object there?  The first argument of a triton.Config
// is a dictionary.
static bool takes(const HostClass *class, int parameter, const Object *x) {
  return x && (parameter || strcmp(class->name, "triton.Config") != 0 ||
               x->kind == OBJECT_DICT);
}

const Object *host_class_object(Machine *m, const Thing *x) {
  const HostClass *class = class_of_instance(m, x);
  Integer given;
  if (!class || is_open(x) || !thing_is_integer(get(m, x, given_name), &given))
    return NULL;
  Arguments all = {0};
  for (int i = 0; class->field(i); i++) {
    Thing *part = get(m, x, class->field(i));
    if (!part) return NULL;
    if (!(given >> i & 1) && thing_is_same(part, default_of(m, class, i)))
      continue;
    const Argument argument = {.name = class->field(i),
                               .value = attribute_object(m, part)};
    if (!takes(class, i, argument.value)) return NULL;
    vec_push(m->arena, &all, argument);
  }
  return class->make(run_walk(m), (SrcLoc){0}, &all);
}
