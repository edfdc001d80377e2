// configs.c -- the contents of the decorators @autotune and @heuristics.
//
// The expression of the list tells its form: a list, a sum, a comprehension;
// the values in it are evaluated like a module's.
#include "frontend/kernel/configs.h"

#include "frontend/core/builtins.h"
#include "frontend/host/host.h"
#include "frontend/language/language.h"
#include "frontend/module/module.h"
#include "frontend/python/python.h"
#include "frontend/value/value.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <string.h>

enum { MAX_CONFIGS = 10000, MAX_CONFIG_STEPS = 100000 };

static const Decorator *find_decorator(const AstFunction *function,
                                       const char *name) {
  for (int i = 0; i < function->num_decorators; i++) {
    const Decorator *d = &function->decorators[i];
    if (d->name && !strcmp(d->name, name)) return d;
  }
  return NULL;
}

const Expr *decorator_expression(const AstFunction *function,
                                 const char *decorator) {
  const Decorator *d = find_decorator(function, decorator);
  return d ? d->expr : NULL;
}

const Expr *autotune_argument(const AstFunction *function, const char *name) {
  static const char *const names[] = {
#define AUTOTUNE_OPTION(name) name,
#include "frontend/kernel/decorator_options.def"
  };
  const Decorator *d = find_decorator(function, "autotune");
  int position = 0;
  while (strcmp(names[position], name)) position++;
  return d ? decorator_option(d, name, position) : NULL;
}

const Expr *autotune_given(const AstFunction *function, const char *name) {
  const Expr *argument = autotune_argument(function, name);
  return argument && argument->kind != EXPR_NONE ? argument : NULL;
}

// -- Values ------------------------------------------------------------------

static const Object *quiet_value(Walk *w, const Expr *expr) {
  const Object *x = walk_expr_quietly(w, expr);
  return x && object_is_constant(x) && x->kind != OBJECT_SYMBOL ? x : NULL;
}

static const Object *quiet_value_at(Walk *w, AstFile *file, AstPlace place,
                                    const Expr *expr) {
  Frame frame = frame_at(w, file, place);
  w->frame = &frame;
  const Object *x = quiet_value(w, expr);
  w->frame = frame.caller;
  return x;
}

const Object *default_constant(Walk *w, const AstFunction *function,
                               const AstParam *param) {
  return quiet_value_at(w, function->file, function->place, param->value);
}

static void add_item(Walk *w, ConfigItems *items, const char *name, SrcLoc loc,
                     const Expr *value) {
  const ConfigItem item = {name, loc, value, quiet_value(w, value)};
  vec_push(w->arena, items, item);
}

static void read_dict(Walk *w, const Expr *dict, Config *out) {
  for (int i = 0; i < dict->dict.count; i++) {
    const DictItem *item = &dict->dict.items[i];
    if (item->key && item->key->kind == EXPR_STRING)
      add_item(w, &out->constants, item->key->string.text, item->key->loc,
               item->value);
    else
      out->computed = true;
  }
}

// The parameters in `dict(BLOCK=64)`.
static void read_dict_call(Walk *w, const Expr *call, Config *out) {
  const Expr *callee = call->call.callee;
  out->computed = callee->kind != EXPR_NAME || strcmp(callee->name, "dict");
  for (int i = 0; i < call->call.num_args && !out->computed; i++) {
    const CallArg *arg = &call->call.args[i];
    if (arg->kind == ARG_KEYWORD)
      add_item(w, &out->constants, arg->name, arg->loc, arg->value);
    else
      out->computed = true;
  }
}

// Is one of the arguments `*args` or `**options`?
static bool is_spread(const Expr *call) {
  for (int i = 0; i < call->call.num_args; i++) {
    const CallArgKind kind = call->call.args[i].kind;
    if (kind != ARG_POSITIONAL && kind != ARG_KEYWORD) return true;
  }
  return false;
}

static bool add_made(Walk *w, const Expr *expr, Configs *out);

// Adds the options in the call; options of any release are known.
static void add_options(Walk *w, const Expr *call, Config *out) {
  for (int i = 0; i < call->call.num_args; i++) {
    const CallArg *arg = &call->call.args[i];
    const char *name =
        arg->kind == ARG_POSITIONAL ? config_field(i) : arg->name;
    if (!name || !names_option(name) || !strcmp(name, "kwargs") ||
        !strcmp(name, "pre_hook"))
      continue;
    add_item(w, &out->options, name, arg->value->loc, arg->value);
  }
}

static void add_config(Walk *w, const Expr *call, Configs *out) {
  Config config = {.call = call};
  const Expr *kwargs = call_argument(call, "kwargs", 0);
  if (kwargs && kwargs->kind == EXPR_DICT)
    read_dict(w, kwargs, &config);
  else if (kwargs && kwargs->kind == EXPR_CALL)
    read_dict_call(w, kwargs, &config);
  else
    config.computed = true;
  add_options(w, call, &config);
  const Expr *hook = call_argument(call, "pre_hook", 5);
  if (hook && hook->kind != EXPR_NONE) {
    config.hook = hook;
    config.hook_value = walk_expr_hosted(w, hook);
  }
  config.computed |= is_spread(call);
  if (config.computed && add_made(w, call, out)) return;
  vec_push(w->arena, &out->configs, config);
}

Symbol quiet_lookup(Walk *w, AstFile *file, AstPlace place, const Expr *name) {
  const Symbol absent = {.kind = SYMBOL_ABSENT};
  DiagList quiet;
  if (place.locals && scope_get(place.locals, name->name)) return absent;
  diag_init_muted(&quiet, w->arena);
  return symbol_unless_value(program_lookup_at(w->program, &quiet, file, place,
                                               name->name, name->loc));
}

// -- Lists -------------------------------------------------------------------

// Is the callee `Config`, `triton.Config`, or a name that an import gives to
// it?
static bool is_config(Walk *w, const Expr *call) {
  const Expr *callee = call->call.callee;
  if (callee->kind == EXPR_ATTRIBUTE)
    return !strcmp(callee->attribute.name, "Config");
  if (callee->kind != EXPR_NAME) return false;
  const Symbol symbol =
      quiet_lookup(w, w->frame->file, w->frame->place, callee);
  return !strcmp(callee->name, "Config") ||
         (symbol.kind == SYMBOL_BUILTIN &&
          !strcmp(symbol.name, "triton.Config"));
}

// Adds the configuration, or the list of configurations, that `expr` is; sets
// `computed` if its value is unknown.
static void add_configs(Walk *w, const Expr *expr, Configs *out);

// 1: true, 0: false, -1: unknown.
static int conditions_hold(Walk *w, const ExprList *conditions) {
  for (int i = 0; i < conditions->count; i++) {
    const Object *x = quiet_value(w, conditions->items[i]);
    if (!x) return -1;
    if (!constant_truth(x)) return 0;
  }
  return 1;
}

// The numbers of `range(...)`, or NULL.
static const Object *range_items(Walk *w, const Expr *call) {
  int64_t bounds[3] = {0, 0, 1};
  const int n = call->call.num_args;
  for (int i = 0; i < n && n <= 3; i++) {
    const Object *x = quiet_value(w, call->call.args[i].value);
    if (!x || !object_constant_int(x, &bounds[n == 1 ? 1 : i])) return NULL;
  }
  if (n < 1 || n > 3 || !bounds[2]) return NULL;
  return range_tuple(w, bounds, MAX_CONFIGS);
}

// The items that a comprehension iterates over, as a tuple, or NULL.
static const Object *iterated(Walk *w, const Expr *expr) {
  const Expr *callee = expr->kind == EXPR_CALL ? expr->call.callee : NULL;
  if (callee && callee->kind == EXPR_NAME && !strcmp(callee->name, "range"))
    return range_items(w, expr);
  const Object *x = quiet_value(w, expr);
  return x && x->kind == OBJECT_TUPLE ? x : NULL;
}

static void add_comprehension(Walk *w, const Expr *expr, int level,
                              Configs *out) {
  if (level == expr->comprehension.num_fors) {
    add_configs(w, expr->comprehension.value, out);
    return;
  }
  const ComprehensionFor *loop = &expr->comprehension.fors[level];
  const Object *over = iterated(w, loop->iterable);
  if (!over) out->computed = true;
  for (int i = 0; !out->computed && i < over->as.tuple.count; i++) {
    if (out->steps++ > MAX_CONFIG_STEPS) out->computed = true;
    const int keep = walk_assign(w, loop->target, over->as.tuple.items[i])
                         ? conditions_hold(w, &loop->conditions)
                         : -1;
    const int entered = keep < 0 ? 0 : walk_enter(w, expr->loc);
    if (!entered) {
      out->computed = true;
      return;
    }
    if (keep) add_comprehension(w, expr, level + 1, out);
    walk_leave(w, entered);
  }
}

// A comprehension has a scope of its own: its targets are not bound outside.
static void add_comprehended(Walk *w, const Expr *expr, Configs *out) {
  Frame frame = frame_at(w, w->frame->file, w->frame->place);
  scope_copy(&frame.scope, &w->frame->scope);
  w->frame = &frame;
  add_comprehension(w, expr, 0, out);
  w->frame = frame.caller;
}

// Adds the configurations of a list, as code of `file` at `place`.
static void add_configs_of(Walk *w, AstFile *file, AstPlace place,
                           const Expr *expr, Configs *out) {
  Frame frame = frame_at(w, file, place);
  w->frame = &frame;
  add_configs(w, expr, out);
  w->frame = frame.caller;
}

bool global_is_changed(Walk *w, const Symbol *symbol) {
  return symbol->global->is_patched ||
         !w->world->is_told(w->program, symbol->file, symbol->global->name,
                            TOLD_THING);
}

// Adds the configurations in the value of `expr`, whose form does not show
// them, for example a function call.
static bool add_made(Walk *w, const Expr *expr, Configs *out) {
  const size_t count = out->configs.count;
  const Object *x = walk_expr_hosted(w, expr);
  const bool ok = x && add_config_objects(w, expr, x, out) &&
                  out->configs.count <= MAX_CONFIGS;
  assert(count <= out->configs.count); // I5
  if (!ok) out->configs.count = count;
  return ok;
}

// Is the name bound by one line, so that it has one value?
static bool is_bound_once(const AstFile *file, const char *name) {
  const Definition *d = file_find(file, name);
  return d && !d->before;
}

// Adds the configurations in the list of that name, as a run of the modules
// leaves it.
static bool add_run(Walk *w, const Expr *name, Configs *out) {
  const size_t count = out->configs.count;
  AstFile *file = w->frame->file;
  if (name->kind != EXPR_NAME || w->frame->place.within) return false;
  const Symbol symbol = quiet_lookup(w, file, w->frame->place, name);
  if (symbol.kind != SYMBOL_GLOBAL || !is_bound_once(file, name->name) ||
      !is_bound_once(symbol.file, symbol.global->name))
    return false;
  const Object *x = w->world->run(w->program, file, name->name, NULL);
  const bool ok = x && add_config_objects(w, name, x, out) &&
                  out->configs.count <= MAX_CONFIGS;
  if (!ok) out->configs.count = count;
  return ok;
}

static void add_global(Walk *w, const Expr *name, Configs *out) {
  const Symbol symbol = quiet_lookup(w, w->frame->file, w->frame->place, name);
  const Expr *value =
      symbol.kind == SYMBOL_GLOBAL ? symbol.global->value : NULL;
  if (value && global_is_changed(w, &symbol)) {
    out->computed = !add_made(w, name, out);
    return;
  }
  if (value)
    add_configs_of(w, symbol.file, symbol.global->place, value, out);
  else
    out->computed = true;
}

static void add_chain(Walk *w, const Expr *expr, Configs *out) {
  add_configs(w, expr->chain.first, out);
  for (int i = 0; i < expr->chain.num_links; i++) {
    if (expr->chain.links[i].op != OPERATOR_ADD) out->computed = true;
    add_configs(w, expr->chain.links[i].operand, out);
  }
}

static void add_by_kind(Walk *w, const Expr *expr, Configs *out) {
  switch (expr->kind) {
  case EXPR_LIST:
  case EXPR_TUPLE:
    for (int i = 0; i < expr->items.count; i++)
      add_configs(w, expr->items.items[i], out);
    return;
  case EXPR_STARRED: add_configs(w, expr->operand, out); return;
  case EXPR_COMPREHENSION: add_comprehended(w, expr, out); return;
  case EXPR_NAME: add_global(w, expr, out); return;
  case EXPR_CHAIN: add_chain(w, expr, out); return;
  case EXPR_CALL:
    if (is_config(w, expr))
      add_config(w, expr, out);
    else
      out->computed = true;
    return;
  default: out->computed = true; return;
  }
}

typedef struct {
  const Expr *expr;
  Configs *out;
} ConfigAddition;

static const void *add_step(Walk *w, void *context) {
  const ConfigAddition *a = context;
  Configs *out = a->out;
  const size_t count = out->configs.count;
  const int level = walk_enter(w, a->expr->loc);
  if (!level) {
    out->computed = true;
    return NULL;
  }
  add_by_kind(w, a->expr, out);
  if (out->computed) {
    out->configs.count = count;
    out->computed = !add_made(w, a->expr, out) && !add_run(w, a->expr, out);
  }
  walk_leave(w, level);
  return NULL;
}

static void add_configs(Walk *w, const Expr *expr, Configs *out) {
  ConfigAddition addition = {expr, out};
  if (out->configs.count >= MAX_CONFIGS) out->computed = true;
  if (out->computed) return;
  walk_quietly(w, add_step, &addition);
  w->stopped = false;
}

const Object *decorator_constant(Walk *w, const AstFunction *function,
                                 const char *decorator, const Expr *argument) {
  const Decorator *d = find_decorator(function, decorator);
  return quiet_value_at(w, d->file, d->place, argument);
}

const Object *decorator_value(Walk *w, const AstFunction *function,
                              const char *decorator, const Expr *argument) {
  const Decorator *d = find_decorator(function, decorator);
  return walk_expr_at(w, d->file, d->place, argument);
}

Configs configs_of(Walk *w, const AstFunction *function) {
  Configs out = {0};
  const Decorator *d = find_decorator(function, "autotune");
  out.tuned = d != NULL;
  if (!d) return out;
  const Expr *configs = autotune_argument(function, "configs");
  if (configs && !file_changes_configs(w->program, function->file))
    add_configs_of(w, d->file, d->place, configs, &out);
  else
    out.computed = true;
  return out;
}

bool configs_have_hook(const Configs *all) {
  for (size_t i = 0; i < all->configs.count; i++)
    if (all->configs.items[i].hook) return true;
  return false;
}
