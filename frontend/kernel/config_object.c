// config_object.c -- values of triton.Config, converted to configurations.
#include "frontend/core/builtins.h"
#include "frontend/kernel/configs.h"
#include "frontend/python/python.h"

#include <limits.h>
#include <string.h>

// The name of the hook function as an expression, located at `written`; if the
// function has no name, `written`.
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
  if (!object_is_config(x)) return false;
  const Object *const *items = x->as.tuple.items,
                      *kwargs = items[CONFIG_KWARGS];
  Config config = {.call = NULL};
  for (int i = 0; i < kwargs->as.dict.count; i++) {
    const Object *key = kwargs->as.dict.keys[i];
    if (key->kind != OBJECT_STRING) return false;
    const ConfigItem item = {key->as.string.text, written->loc, written,
                             kwargs->as.dict.items[i]};
    vec_push(w->arena, &config.constants, item);
  }
  if (items[CONFIG_PRE_HOOK]->kind != OBJECT_NONE)
    config.hook = hook_of(w, written, items[CONFIG_PRE_HOOK]);
  if (config.hook) config.hook_value = items[CONFIG_PRE_HOOK];
  for (int i = CONFIG_NUM_WARPS; i < CONFIG_GIVEN; i++) {
    if (i == CONFIG_PRE_HOOK || !(items[CONFIG_GIVEN]->as.integer >> i & 1))
      continue;
    const ConfigItem item = {config_field(i), written->loc, written, items[i]};
    vec_push(w->arena, &config.options, item);
  }
  vec_push(w->arena, &out->configs, config);
  return true;
}

bool add_config_objects(Walk *w, const Expr *written, const Object *x,
                        Configs *out) {
  if (x->kind != OBJECT_TUPLE || object_is_config(x))
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
