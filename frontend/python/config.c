// config.c -- triton.Config, as a value of host code.
//
// A named tuple: functions and comprehensions may make configurations and read
// their fields, as in Python.  Options that a call omits have their defaults; a
// field without a name tells which ones the call gives.
#include "frontend/python/python.h"

#include "frontend/errors.h"

#include <assert.h>
#include <string.h>

static const char class_name[] = "Config";

static const char *const fields[] = {
#define CONFIG_FIELD(id, name, otherwise) name,
#include "frontend/python/fields.def"
    ""};

const char *config_field(int position) {
  return position < CONFIG_GIVEN ? fields[position] : NULL;
}

const Object *config_default(int position) {
  static const Object defaults[] = {
#define CONFIG_FIELD(id, name, otherwise)                                      \
  {.kind = OBJECT_INT, .as.integer = otherwise},
#include "frontend/python/fields.def"
  };
  assert(position < CONFIG_GIVEN && "a field of Python's class");
  return defaults[position].as.integer ? &defaults[position] : &object_none;
}

static const AstClass *config_class(Arena *arena) {
  AstClass *class = arena_new(arena, AstClass);
  class->name = class_name;
  class->num_fields = NUM_CONFIG_FIELDS;
  class->fields = arena_array(arena, AstField, NUM_CONFIG_FIELDS);
  for (int i = 0; i < NUM_CONFIG_FIELDS; i++) class->fields[i].name = fields[i];
  return class;
}

bool object_is_config(const Object *x) {
  const AstClass *class = x->kind == OBJECT_TUPLE ? x->as.tuple.class : NULL;
  return class && class->name == class_name;
}

static int field_of(const Argument *arg, int position) {
  if (!arg->name) return position;
  int i = 0;
  while (i < CONFIG_GIVEN && strcmp(fields[i], arg->name) != 0) i++;
  return i;
}

const Object *call_config(Walk *w, SrcLoc loc, const Arguments *args) {
  const Object *items[NUM_CONFIG_FIELDS] = {NULL};
  int64_t given = 0;
  for (int i = CONFIG_KWARGS + 1; i < CONFIG_GIVEN; i++)
    items[i] = config_default(i);
  for (int i = 0; i < (int)args->count; i++) {
    const int field = field_of(&args->items[i], i);
    if (field >= CONFIG_GIVEN) continue;
    items[field] = args->items[i].value;
    given |= (int64_t)1 << field;
  }
  const Object *kwargs = items[CONFIG_KWARGS];
  if (!kwargs || kwargs->kind != OBJECT_DICT)
    return walk_error(w, loc, ERROR_double_star_wants_dict,
                      kwargs ? text_of(w, kwargs) : "nothing");
  object_freeze(kwargs);
  items[CONFIG_GIVEN] = object_int(w->arena, given);
  assert(given >> CONFIG_GIVEN == 0 && "a field without a name"); // I2
  Object *config = arena_new(w->arena, Object);
  *config = *object_tuple(w->arena, items, NUM_CONFIG_FIELDS);
  config->as.tuple.class = config_class(w->arena);
  return config;
}
