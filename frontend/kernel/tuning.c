// tuning.c -- the arguments of @autotune, for callers that measure
// configurations.
#include "frontend/kernel/parameters.h"
#include "frontend/module/program.h"

#include <string.h>

bool function_is_tuned(const AstFunction *function) {
  return decorator_expression(function, "autotune") != NULL;
}

static void put_items(const ConfigItems *items, Str *out) {
  for (size_t i = 0; i < items->count; i++) {
    const ConfigItem *item = &items->items[i];
    str_addf(out, "%s%s=", out->length ? ", " : "", item->name);
    if (item->value)
      object_print(item->value, true, out);
    else
      str_add(out, "?");
  }
}

static const char *config_text(Arena *arena, const Config *config) {
  Str text = str_in(arena);
  put_items(&config->constants, &text);
  put_items(&config->options, &text);
  return str_text(&text);
}

static void mark_param(const AstFunction *f, const Object *name, bool *marks) {
  for (int i = 0; name->kind == OBJECT_STRING && i < f->num_params; i++) {
    if (!strcmp(f->params[i].name, name->as.string.text)) marks[i] = true;
  }
}

// The parameters that a list, an argument of the decorator, names.
static const bool *named_params(Walk *w, const AstFunction *f,
                                const char *argument) {
  bool *marks = arena_array(w->arena, bool, f->num_params + 1);
  const Expr *written = autotune_argument(f, argument);
  const Object *list =
      written ? decorator_constant(w, f, "autotune", written) : NULL;
  if (!list || list->kind != OBJECT_TUPLE) return marks;
  for (int i = 0; i < list->as.tuple.count; i++)
    mark_param(f, list->as.tuple.items[i], marks);
  return marks;
}

// A hook replaces Triton's own, which resets and restores arguments.
static void read_tuning(Walk *w, const AstFunction *f, Tuning *out) {
  const Configs all = configs_of(w, f);
  const bool first = autotune_given(f, "pre_hook");
  const bool last = autotune_given(f, "post_hook");
  const bool *none = arena_array(w->arena, bool, f->num_params + 1);
  const char **texts =
      arena_array(w->arena, const char *, all.configs.count + 1);
  for (size_t i = 0; i < all.configs.count; i++)
    texts[i] = config_text(w->arena, &all.configs.items[i]);
  *out = (Tuning){
      .num_configs = (int)all.configs.count,
      .configs = texts,
      .key = named_params(w, f, "key"),
      .reset = first ? none : named_params(w, f, "reset_to_zero"),
      .restore = first || last ? none : named_params(w, f, "restore_value"),
      .has_hooks = first || last || configs_have_hook(&all),
  };
}

bool frontend_tuning(Program *program, const AstFunction *kernel,
                     const Target *target, Arena *arena, DiagList *diags,
                     Tuning *out) {
  const Specialization nothing = {.target = target};
  KernelWalk k;
  if (!kernel_walk(program, kernel, &nothing, arena, diags, &k)) return false;
  read_tuning(&k.walk, k.params.kernel, out);
  return true;
}
