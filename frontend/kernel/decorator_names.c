// decorator_names.c -- warnings about names in decorators that have no meaning.
//
// Unknown options are no error: older releases and forks of Triton have others,
// and a decorator of another library may use them.
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/kernel/parameters.h"
#include "frontend/module/module.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"

#include <string.h>

typedef struct {
  const Parameters *p;
  const char *decorator; // name of the decorator that is checked
  const char **params;   // names of all parameters of the kernel
  Map told;              // names that were reported
} DecoratorCheck;

// -- Messages ----------------------------------------------------------------

// True at the first call for the name: it is reported once, even if many
// configurations have it.
static bool is_news(DecoratorCheck *c, const char *name) {
  const size_t length = strlen(name);
  if (map_get_text(&c->told, name, length)) return false;
  map_put_text(&c->told, c->p->w->arena, name, length, c);
  return true;
}

// Warns if no parameter and no option has the name; `near`: only if the name
// looks like a misspelt parameter.
static void check_parameter(DecoratorCheck *c, SrcLoc loc, const char *name,
                            bool near) {
  const Parameters *p = c->p;
  const size_t n = (size_t)p->kernel->num_params;
  if (names_have(c->params, n, name) || names_option(name)) return;
  const char *meant = diag_nearest(name, c->params, n);
  if ((near && !meant) || !is_news(c, name)) return;
  if (meant)
    diag_warning(p->w->diags, loc, WARNING_decorator_parameter_near,
                 c->decorator, name, p->kernel->name, meant);
  else
    diag_warning(p->w->diags, loc, WARNING_decorator_parameter, c->decorator,
                 name, p->kernel->name);
}

typedef struct {
  const char *callee;
  const char *const *names;
  size_t count;
} OptionNames;

static void check_option(DecoratorCheck *c, const OptionNames *of,
                         const CallArg *arg, bool near) {
  DiagList *diags = c->p->w->diags;
  if (names_have(of->names, of->count, arg->name) || names_option(arg->name))
    return;
  const char *meant = diag_nearest(arg->name, of->names, of->count);
  if ((near && !meant) || !is_news(c, arg->name)) return;
  if (!meant) {
    diag_warning(diags, arg->loc, WARNING_decorator_option, of->callee,
                 arg->name);
    return;
  }
  diag_warning(diags, arg->loc, WARNING_decorator_option_near, of->callee,
               arg->name, meant);
  SrcLoc name = arg->loc;
  name.span = (int)strlen(arg->name);
  diag_fix(diags, name, meant);
}

static void check_options(DecoratorCheck *c, const Expr *call,
                          const OptionNames *of, bool near) {
  for (int i = 0; i < call->call.num_args; i++) {
    const CallArg *arg = &call->call.args[i];
    if (arg->kind == ARG_KEYWORD) check_option(c, of, arg, near);
  }
}

// -- Decorators --------------------------------------------------------------

static void check_configs(DecoratorCheck *c) {
  static const char *const names[] = {
#define CONFIG_OPTION(name) name,
#include "frontend/kernel/decorator_options.def"
  };
  static const OptionNames of = {"Config", names, sizeof names / sizeof *names};
  const Configs *all = &c->p->configs;
  for (size_t i = 0; i < all->configs.count; i++) {
    const Config *config = &all->configs.items[i];
    for (size_t k = 0; k < config->constants.count; k++) {
      const ConfigItem *item = &config->constants.items[k];
      check_parameter(c, item->loc, item->name, false);
    }
    if (config->call) check_options(c, config->call, &of, false);
  }
}

// The items of a written list; empty for another expression.
static ExprList items_of(const Expr *list) {
  const bool known =
      list && (list->kind == EXPR_LIST || list->kind == EXPR_TUPLE);
  return known ? list->items : (ExprList){0};
}

static void check_list(DecoratorCheck *c, const Expr *list, bool near) {
  const ExprList items = items_of(list);
  for (int i = 0; i < items.count; i++) {
    const Expr *item = items.items[i];
    if (item->kind == EXPR_STRING)
      check_parameter(c, item->loc, item->string.text, near);
  }
}

// Names in the lists of @autotune must be parameters: later releases reject
// other names, earlier ones ignore them.
static void check_tuning(DecoratorCheck *c, const Expr *list) {
  const Parameters *p = c->p;
  const ExprList items = items_of(list);
  for (int i = 0; i < items.count; i++) {
    const Expr *item = items.items[i];
    if (item->kind != EXPR_STRING ||
        names_have(c->params, (size_t)p->kernel->num_params, item->string.text))
      continue;
    diag_error(p->w->diags, item->loc, ERROR_tuning_parameter,
               item->string.text, p->kernel->name);
  }
}

static void check_tuning_lists(DecoratorCheck *c) {
  static const char *const names[] = {"key", "reset_to_zero", "restore_value"};
  const bool strict = rule_holds(c->p->w->program, RULE_keys_are_parameters);
  for (int i = 0; i < 3; i++) {
    const Expr *list = autotune_argument(c->p->kernel, names[i]);
    if (strict)
      check_tuning(c, list);
    else
      check_list(c, list, false);
  }
}

static void check_autotune(DecoratorCheck *c, const Decorator *d) {
  static const char *const names[] = {
#define AUTOTUNE_OPTION(name) name,
#include "frontend/kernel/decorator_options.def"
  };
  static const OptionNames of = {"autotune", names,
                                 sizeof names / sizeof *names};
  check_configs(c);
  check_tuning_lists(c);
  if (!d->maker) check_options(c, d->expr, &of, true);
}

// Is `name` an option on which a heuristic has no effect?
static bool is_idle(const DecoratorCheck *c, const char *name) {
  return names_option(name) && strcmp(name, "num_warps") &&
         strcmp(name, "num_stages") &&
         !names_have(c->params, (size_t)c->p->kernel->num_params, name);
}

static void check_heuristics(DecoratorCheck *c) {
  const Heuristics *all = &c->p->heuristics;
  for (size_t i = 0; i < all->count; i++) {
    const Heuristic *h = &all->items[i];
    if (!h->name) continue;
    check_parameter(c, h->loc, h->name, false);
    if (is_idle(c, h->name) && is_news(c, h->name))
      diag_warning(c->p->w->diags, h->loc, WARNING_heuristic_idle, h->name);
  }
}

// A constexpr parameter is specialized in any case, so its name in the list has
// no effect.
static void check_specialized(DecoratorCheck *c, const Decorator *d,
                              const char *option) {
  const AstFunction *f = c->p->kernel;
  const Expr *list = decorator_option(d, option, -1);
  const ExprList items = items_of(list);
  check_list(c, list, true);
  for (int i = 0; i < items.count; i++) {
    const Expr *item = items.items[i];
    for (int k = 0; k < f->num_params; k++) {
      if (f->params[k].is_constexpr && jit_item_names(item, f, k))
        diag_warning(c->p->w->diags, item->loc, WARNING_constexpr_specialized,
                     option, f->params[k].name);
    }
  }
}

static void check_jit(DecoratorCheck *c, const Decorator *d) {
  static const char *const names[] = {
#define JIT_OPTION(name) name,
#include "frontend/kernel/decorator_options.def"
  };
  const OptionNames of = {d->name, names, sizeof names / sizeof *names};
  check_specialized(c, d, "do_not_specialize");
  check_specialized(c, d, "do_not_specialize_on_alignment");
  check_options(c, d->expr, &of, true);
}

static void check_decorator(const Parameters *p, const char **params,
                            const Decorator *d) {
  DecoratorCheck c = {.p = p, .decorator = d->name, .params = params};
  if (!d->name || !d->expr || d->expr->kind != EXPR_CALL) return;
  if (!strcmp(d->name, "autotune")) check_autotune(&c, d);
  if (!strcmp(d->name, "heuristics")) check_heuristics(&c);
  if (decorator_compiles(d->name)) check_jit(&c, d);
}

void decorators_check(const Parameters *p) {
  const AstFunction *f = p->kernel;
  const char **names =
      arena_array(p->w->arena, const char *, f->num_params + 1);
  for (int i = 0; i < f->num_params; i++) names[i] = f->params[i].name;
  for (int i = 0; i < f->num_decorators; i++)
    check_decorator(p, names, &f->decorators[i]);
}
