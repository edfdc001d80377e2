// config_object.c -- triton.Config, as a value of host code.
//
// A tuple with names: functions and comprehensions may make configurations,
// and ask for what is in them, as in Python.  Options that a call leaves out
// have their defaults; which ones it gives is kept in a field without a name.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/kernel/configs.h"

#include <limits.h>
#include <string.h>

static const char class_name[] = "Config";

enum {
  KWARGS,
  NUM_WARPS,
  NUM_STAGES,
  NUM_CTAS,
  MAXNREG,
  PRE_HOOK,
  IR_OVERRIDE,
  GIVEN,
  NUM_FIELDS
};

static const char *const fields[] = {"kwargs",      "num_warps", "num_stages",
                                     "num_ctas",    "maxnreg",   "pre_hook",
                                     "ir_override", ""};

const char *config_field(int position) {
  return position < GIVEN ? fields[position] : NULL;
}

static const AstClass *config_class(Arena *arena) {
  AstClass *class = arena_new(arena, AstClass);
  class->name = class_name;
  class->num_fields = NUM_FIELDS;
  class->fields = arena_array(arena, AstField, NUM_FIELDS);
  for (int i = 0; i < NUM_FIELDS; i++) class->fields[i].name = fields[i];
  return class;
}

static bool is_config(const Object *x) {
  const AstClass *class = x->kind == OBJECT_TUPLE ? x->as.tuple.class : NULL;
  return class && class->name == class_name;
}

bool names_config(const Object *callee) {
  return callee->kind == OBJECT_SYMBOL &&
         callee->as.symbol->kind == SYMBOL_BUILTIN &&
         !strcmp(callee->as.symbol->name, "triton.Config");
}

static int field_of(const Argument *arg, int position) {
  if (!arg->name) return position;
  int i = 0;
  while (i < GIVEN && strcmp(fields[i], arg->name) != 0) i++;
  return i;
}

const Object *call_config(Walk *w, SrcLoc loc, const Arguments *args) {
  const Object *items[NUM_FIELDS] = {NULL,
                                     object_int(w->arena, 4),
                                     object_int(w->arena, 3),
                                     object_int(w->arena, 1),
                                     &object_none,
                                     &object_none,
                                     &object_none};
  int64_t given = 0;
  for (int i = 0; i < (int)args->count; i++) {
    const int field = field_of(&args->items[i], i);
    if (field >= GIVEN) continue;
    items[field] = args->items[i].value;
    given |= (int64_t)1 << field;
  }
  const Object *kwargs = items[KWARGS];
  if (!kwargs || kwargs->kind != OBJECT_DICT)
    return walk_error(w, loc, ERROR_double_star_wants_dict,
                      kwargs ? text_of(w, kwargs) : "nothing");
  object_freeze(kwargs);
  items[GIVEN] = object_int(w->arena, given);
  Object *config = arena_new(w->arena, Object);
  *config = *object_tuple(w->arena, items, NUM_FIELDS);
  config->as.tuple.class = config_class(w->arena);
  return config;
}

// -- As the decorator has them -----------------------------------------------

// The name of a function, as if it were written there.
static const Expr *hook_of(Walk *w, const Expr *written, const Object *x) {
  if (x->kind != OBJECT_SYMBOL || !x->as.symbol->name) return written;
  Expr *name = arena_new(w->arena, Expr);
  name->kind = EXPR_NAME;
  name->loc = written->loc;
  name->name = x->as.symbol->name;
  return name;
}

static bool add_one(Walk *w, const Expr *written, const Object *x,
                    Configs *out) {
  if (!is_config(x)) return false;
  const Object *const *items = x->as.tuple.items, *kwargs = items[KWARGS];
  Config config = {.call = NULL};
  for (int i = 0; i < kwargs->as.dict.count; i++) {
    const Object *key = kwargs->as.dict.keys[i];
    if (key->kind != OBJECT_STRING) return false;
    const ConfigItem item = {key->as.string.text, written->loc, written,
                             kwargs->as.dict.items[i]};
    vec_push(w->arena, &config.constants, item);
  }
  if (items[PRE_HOOK]->kind != OBJECT_NONE)
    config.hook = hook_of(w, written, items[PRE_HOOK]);
  for (int i = NUM_WARPS; i < GIVEN; i++) {
    if (i == PRE_HOOK || !(items[GIVEN]->as.integer >> i & 1)) continue;
    const ConfigItem item = {fields[i], written->loc, written, items[i]};
    vec_push(w->arena, &config.options, item);
  }
  vec_push(w->arena, &out->configs, config);
  return true;
}

bool add_config_objects(Walk *w, const Expr *written, const Object *x,
                        Configs *out) {
  if (x->kind != OBJECT_TUPLE || is_config(x))
    return add_one(w, written, x, out);
  for (int i = 0; i < x->as.tuple.count; i++) {
    if (!add_one(w, written, x->as.tuple.items[i], out)) return false;
  }
  return true;
}

// -- Look-ups ----------------------------------------------------------------

static const ConfigItem *find_item(const ConfigItems *items, const char *name) {
  for (size_t i = 0; i < items->count; i++) {
    if (!strcmp(items->items[i].name, name)) return &items->items[i];
  }
  return NULL;
}

const ConfigItem *config_item(const Config *config, const char *name) {
  return config ? find_item(&config->options, name) : NULL;
}

const ConfigItem *config_parameter(const Config *config, const char *name) {
  return config ? find_item(&config->constants, name) : NULL;
}

const Object *config_constant(const Config *config, const char *name) {
  const ConfigItem *item = config_parameter(config, name);
  return item ? item->value : NULL;
}

int config_option(const Config *config, const char *name, int otherwise) {
  const ConfigItem *item = config_item(config, name);
  const Object *x = item ? item->value : NULL;
  if (!x || x->kind != OBJECT_INT) return otherwise;
  const Integer value = x->as.integer;
  return value > INT_MIN && value < INT_MAX ? (int)value : otherwise;
}
