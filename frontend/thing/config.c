// config.c -- values of triton.Config.
//
// The values are objects of a class of Triton: the call gives their attributes,
// which may be set later.  Their methods are not followed.
#include "frontend/thing/objects.h"

#include <string.h>

// The attribute that says which parameters the call gave, a bit for each.
static const char given_name[] = "";
static const char class_name[] = "triton.Config";

static Thing *known_class(const Machine *m) {
  return map_get_text(&m->exceptions, class_name, strlen(class_name));
}

static Thing *config_class(Machine *m) {
  static const char *const methods[] = {"__eq__", "__hash__", "__str__"};
  Thing *x = known_class(m);
  if (x) return x;
  x = thing_new(m, THING_CLASS);
  x->owner.born = 0;
  x->as.class.name = "Config";
  x->as.class.python = class_name;
  x->as.class.names = table_new(m);
  x->as.class.names->owner.born = 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    table_cell(m, x->as.class.names, run_word(m, methods[i]))->value =
        &thing_unknown; // on every path
  map_put_text(&m->exceptions, m->arena, class_name, strlen(class_name), x);
  return x;
}

static void set(Machine *m, const Thing *config, const char *name,
                Thing *value) {
  cell_set(m, table_cell(m, config->as.instance.names, run_word(m, name)),
           value);
}

static Thing *get(Machine *m, const Thing *config, const char *name) {
  return cell_value(table_find(config->as.instance.names, run_word(m, name)));
}

static int parameter_of(Machine *m, const char *name, int position) {
  const char *(*const parameter)(int) = m->program->language->config_field;
  if (!name) return parameter(position) ? position : -1;
  for (int i = 0; parameter(i); i++)
    if (!strcmp(parameter(i), name)) return i;
  return -1;
}

static Thing *default_of(Machine *m, int parameter) {
  const int number = m->program->language->config_default(parameter);
  return number ? thing_int(m, number) : &thing_none;
}

Thing *config_call(Machine *m, const Things *args, ArgNames names) {
  const char *(*const parameter)(int) = m->program->language->config_field;
  Integer given = 0;
  Thing *x = thing_new(m, THING_INSTANCE);
  x->as.instance.class = config_class(m);
  x->as.instance.names = table_new(m);
  for (int i = 0; parameter(i); i++) set(m, x, parameter(i), default_of(m, i));
  for (size_t i = 0; i < args->count; i++) {
    const int n = parameter_of(m, names ? names[i] : NULL, (int)i);
    if (n < 0) return run_call_unseen(m, NULL, args);
    if (given >> n & 1) return run_raise(m, "TypeError"); // given twice
    given |= (Integer)1 << n;
    set(m, x, parameter(n), args->items[i]);
  }
  set(m, x, given_name, thing_int(m, given));
  return given & 1 ? x : run_raise(m, "TypeError");
}

static bool is_open(const Thing *config) {
  return config->owner.exposed || config->as.instance.names->owner.exposed ||
         class_is_unknown(config->as.instance.class);
}

const Object *config_object(Machine *m, const Thing *config) {
  const char *(*const parameter)(int) = m->program->language->config_field;
  Integer given;
  if (config->as.instance.class != known_class(m) || is_open(config) ||
      !thing_is_integer(get(m, config, given_name), &given))
    return NULL;
  Arguments all = {0};
  for (int i = 0; parameter(i); i++) {
    Thing *x = get(m, config, parameter(i));
    if (!x) return NULL;
    if (!(given >> i & 1) && thing_is_same(x, default_of(m, i))) continue;
    const Object *value =
        i || x->kind == THING_DICT ? thing_object(m, x, NULL) : NULL;
    const Argument argument = {.name = parameter(i), .value = value};
    if (!value) return NULL;
    vec_push(m->arena, &all, argument);
  }
  return m->program->language->config(run_walk(m), (SrcLoc){0}, &all);
}
