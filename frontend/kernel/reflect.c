// reflect.c -- a kernel's parameters and configurations, as JSON.
//
// {"computed": "its expression"} represents a value that only host code knows.
#include "frontend/host/guard.h"
#include "frontend/kernel/parameters.h"
#include "frontend/module/module.h"
#include "frontend/module/program.h"

#include <assert.h>
#include <math.h>

enum { MAX_EXPRESSION = 2000 };

static void put_member_computed(const Expr *expr, Str *out) {
  Str text = str_in(out->arena);
  if (expr) ast_unparse(expr, MAX_EXPRESSION, &text);
  str_add(out, "\"computed\": ");
  str_add_json(out, str_text(&text));
}

static void put_computed(const Expr *expr, Str *out) {
  str_add(out, "{");
  put_member_computed(expr, out);
  str_add(out, "}");
}

static void put_object(const Object *x, Str *out) {
  Str text = str_in(out->arena);
  switch (x->kind) {
  case OBJECT_NONE: str_add(out, "null"); return;
  case OBJECT_BOOL: str_add(out, x->as.truth ? "true" : "false"); return;
  case OBJECT_TUPLE:
    str_add(out, "[");
    for (int i = 0; i < x->as.tuple.count; i++) {
      if (i) str_add(out, ", ");
      put_object(x->as.tuple.items[i], out);
    }
    str_add(out, "]");
    return;
  default: break;
  }
  object_print(x, false, &text);
  const bool number = x->kind == OBJECT_INT ||
                      (x->kind == OBJECT_FLOAT && isfinite(x->as.number));
  if (number)
    str_add(out, str_text(&text));
  else
    str_add_json(out, str_text(&text));
}

static void put_value(const Object *x, const Expr *written, Str *out) {
  if (x)
    put_object(x, out);
  else
    put_computed(written, out);
}

// Writes the key `name` of a member; `more`: it is not the object's first.
static void put_key(const char *name, bool more, Str *out) {
  if (more) str_add(out, ", ");
  str_add_json(out, name);
  str_add(out, ": ");
}

// -- Parameters --------------------------------------------------------------

static void put_flag(const AstFunction *f, int i, const char *name, Str *out) {
  if (!jit_option_names(f, name, i)) return;
  put_key(name, true, out);
  str_add(out, "true");
}

static void put_param(Walk *w, const AstFunction *f, int i, Str *out) {
  const AstParam *param = &f->params[i];
  str_add(out, "      {");
  put_key("name", false, out);
  str_add_json(out, param->name);
  put_key("constexpr", true, out);
  str_add(out, param->is_constexpr ? "true" : "false");
  if (param->annotation_text && !param->is_constexpr) {
    put_key("annotation", true, out);
    str_add_json(out, param->annotation_text);
  }
  if (param->value) {
    put_key("default", true, out);
    put_value(default_constant(w, f, param), param->value, out);
  }
  put_flag(f, i, "do_not_specialize", out);
  put_flag(f, i, "do_not_specialize_on_alignment", out);
  str_add(out, i + 1 < f->num_params ? "},\n" : "}\n");
}

static void put_params(Walk *w, const AstFunction *f, Str *out) {
  str_add(out, "    \"parameters\": [\n");
  for (int i = 0; i < f->num_params; i++) put_param(w, f, i, out);
  str_add(out, "    ]");
}

// -- Decorators --------------------------------------------------------------

static void put_config(const Config *config, Str *out) {
  str_add(out, "      {\"constants\": {");
  for (size_t i = 0; i < config->constants.count; i++) {
    const ConfigItem *item = &config->constants.items[i];
    put_key(item->name, i > 0, out);
    put_value(item->value, item->written, out);
  }
  str_add(out, "}");
  if (config->computed) str_add(out, ", \"computed\": true");
  for (size_t i = 0; i < config->options.count; i++) {
    const ConfigItem *item = &config->options.items[i];
    put_key(item->name, true, out);
    put_value(item->value, item->written, out);
  }
  if (config->hook) {
    put_key("pre_hook", true, out);
    put_computed(config->hook, out);
  }
  str_add(out, "}");
}

static void put_configs(Walk *w, const AstFunction *f, Str *out) {
  const Configs all = configs_of(w, f);
  if (!all.tuned) return;
  str_add(out, ",\n    \"configurations\": ");
  if (all.computed) {
    put_computed(autotune_argument(f, "configs"), out);
    return;
  }
  str_add(out, "[\n");
  for (size_t i = 0; i < all.configs.count; i++) {
    put_config(&all.configs.items[i], out);
    str_add(out, i + 1 < all.configs.count ? ",\n" : "\n");
  }
  str_add(out, "    ]");
}

static const Expr *put_option(const AstFunction *f, const char *name,
                              Str *out) {
  const Expr *value = autotune_argument(f, name);
  // If the arguments of the decorator are unknown, `value` is the whole
  // decorator. Only `key` is certain to be among its arguments.
  const bool may_lack =
      strcmp(name, "key") && value == decorator_expression(f, "autotune");
  if (!value || may_lack) return NULL;
  str_addf(out, ",\n    \"%s\": ", name);
  return value;
}

static void put_autotune(Walk *w, const AstFunction *f, Str *out) {
  static const char *const lists[] = {"key", "reset_to_zero", "restore_value"};
  static const char *const code[] = {"prune_configs_by", "pre_hook",
                                     "post_hook"};
  put_configs(w, f, out);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const Expr *list = put_option(f, lists[i], out);
    const Object *x = list ? decorator_constant(w, f, "autotune", list) : NULL;
    const bool names = x && (x->kind == OBJECT_TUPLE || x->kind == OBJECT_NONE);
    if (list) put_value(names ? x : NULL, list, out);
  }
  for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
    const Expr *value = put_option(f, code[i], out);
    if (value) put_computed(value, out);
  }
}

static void put_heuristic(const Heuristic *h, Str *out) {
  if (!h->name) {
    put_member_computed(h->written, out);
    return;
  }
  put_key(h->name, false, out);
  if (!h->function) {
    put_computed(h->written, out);
    return;
  }
  if (!h->lambda) {
    str_add(out, "{\"function\": ");
    str_add_json(out, h->function->name);
    str_add(out, "}");
    return;
  }
  Str text = str_in(out->arena);
  ast_unparse(h->lambda->lambda.body, MAX_EXPRESSION, &text);
  str_add(out, "{\"argument\": ");
  str_add_json(out, h->lambda->lambda.params[0].name);
  str_add(out, ", \"expression\": ");
  str_add_json(out, str_text(&text));
  str_add(out, "}");
}

static void put_heuristics(Walk *w, const AstFunction *f, Str *out) {
  const Heuristics all = heuristics_of(w, f);
  if (!all.count) return;
  str_add(out, ",\n    \"heuristics\": {");
  for (size_t i = 0; i < all.count; i++) {
    str_add(out, i ? ",\n      " : "\n      ");
    put_heuristic(&all.items[i], out);
  }
  str_add(out, "\n    }");
}

// -- The whole object --------------------------------------------------------

static void put_kernel(Walk *w, const AstFunction *f, Str *out) {
  WalkScratch scratch;
  walk_make_scratch(w, f->file, &scratch);
  str_add(out, "  {\n    \"name\": ");
  str_add_json(out, f->name);
  str_add(out, ",\n    \"file\": ");
  str_add_json(out, f->loc.file ? f->loc.file : "");
  str_addf(out, ",\n    \"line\": %d,\n", f->loc.line);
  put_params(w, f, out);
  put_autotune(w, f, out);
  put_heuristics(w, f, out);
  str_add(out, "\n  }");
}

void frontend_reflect(Program *program, const AstFunction *kernel, Arena *arena,
                      Str *out) {
  assert(program_is_idle(program) && "a lookup was left");
  const Specialization nothing = {.target = program->target};
  DiagList quiet;
  diag_init_muted(&quiet, arena);
  Walk w = walk_of(program, module_create(arena, &quiet), &nothing);
  bool more = false;
  if (!kernel) functions_look_within(program);
  str_add(out, "{\"kernels\": [\n");
  for (int i = 0; i < frontend_num_functions(program); i++) {
    const AstFunction *f = frontend_function(program, i);
    if (kernel ? f != kernel : !f->ok || !function_is_kernel(f)) continue;
    // The function may belong to a class that a later one of the same name
    // hides.
    if (!kernel && !file_find_at(program->files.items[0], f->name, 0)) continue;
    if (more) str_add(out, ",\n");
    put_kernel(&w, f, out);
    more = true;
  }
  str_add(out, "\n]}\n");
}
