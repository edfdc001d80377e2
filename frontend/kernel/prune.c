// prune.c -- the configurations that `prune_configs_by` of @autotune keeps.
//
// Its functions are host code.  Like heuristics, they are evaluated, with the
// configurations and the known arguments.  If that fails, all configurations
// are kept, with a warning.
#include "frontend/errors.h"
#include "frontend/kernel/parameters.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"
#include "ir/base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  Walk *w;
  const AstFunction *kernel;
  const Expr *written; // the dictionary
  Heuristics fields;   // entries of the dictionary
  const Object *given; // the launch's arguments, a NAMED
  Objects configs;     // all configurations
  const char **why;    // reason for removing each; NULL: kept
  const char *failure; // reason why a function failed; or NULL
} Prune;

// -- Configurations ----------------------------------------------------------

static bool add_options(Walk *w, const Config *config, SrcLoc loc,
                        Arguments *out) {
  for (size_t i = 0; i < config->options.count; i++) {
    const ConfigItem *item = &config->options.items[i];
    if (!item->value) return false;
    vec_push(w->arena, out, ((Argument){item->name, item->value, loc, loc}));
  }
  return true;
}

// The object of triton.Config; NULL: only host code knows a part of it.
static const Object *config_value(Walk *w, const Config *config, SrcLoc loc) {
  DictEntries entries = {0};
  Arguments args = {0};
  for (size_t i = 0; i < config->constants.count; i++) {
    const ConfigItem *item = &config->constants.items[i];
    const Object *name =
        object_string(w->arena, item->name, strlen(item->name));
    if (!item->value || !dict_put(w, &entries, loc, name, item->value))
      return NULL;
  }
  const Object *kwargs = dict_of(w, &entries);
  if (!kwargs) return NULL;
  vec_push(w->arena, &args, ((Argument){NULL, kwargs, loc, loc}));
  return add_options(w, config, loc, &args) ? call_config(w, loc, &args) : NULL;
}

static bool find_configs(Prune *p, const Configs *all) {
  for (size_t i = 0; i < all->configs.count; i++) {
    const Object *config =
        config_value(p->w, &all->configs.items[i], p->written->loc);
    if (!config) return false;
    vec_push(p->w->arena, &p->configs, config);
  }
  return true;
}

static bool is_same_dict(Walk *w, const Object *a, const Object *b) {
  if (a->as.dict.count != b->as.dict.count) return false;
  for (int i = 0; i < a->as.dict.count; i++) {
    const Object *x = dict_find(w, b, a->as.dict.keys[i]);
    if (!x || !object_equal(a->as.dict.items[i], x)) return false;
  }
  return true;
}

// Equal configurations count as one, also if a function made a new object.
static bool is_same_config(Walk *w, const Object *a, const Object *b) {
  const Object *const *x = a->as.tuple.items, *const *y = b->as.tuple.items;
  if (a == b) return true;
  for (int i = CONFIG_KWARGS + 1; i < CONFIG_GIVEN; i++)
    if (i != CONFIG_PRE_HOOK && !object_equal(x[i], y[i])) return false;
  return is_same_dict(w, x[CONFIG_KWARGS], y[CONFIG_KWARGS]);
}

// -- Calls -------------------------------------------------------------------

// Can `x` be passed by its name?  `**options` accepts values that a dictionary
// may hold.
static bool takes(const AstFunction *f, size_t num_positional, const char *name,
                  const Object *x) {
  for (int i = 0; i < f->num_params; i++) {
    const AstParam *param = &f->params[i];
    if (param->kind == PARAM_DOUBLE_STAR) return object_is_constant(x);
    if (!strcmp(param->name, name)) return (size_t)i >= num_positional;
  }
  return false;
}

static void add_by_name(const Prune *p, const AstFunction *f,
                        size_t num_positional, const char *name,
                        const Object *x, Arguments *args) {
  const SrcLoc loc = p->written->loc;
  for (size_t i = num_positional; i < args->count; i++)
    if (!strcmp(args->items[i].name, name)) return;
  if (x && takes(f, num_positional, name, x))
    vec_push(p->w->arena, args, ((Argument){name, x, loc, loc}));
}

// The result of the function; NULL: it failed, and `failure` is the reason.
static const Object *call(Prune *p, const Heuristic *h, Arguments *args) {
  const Object *named = p->given;
  size_t num_positional = 0;
  while (num_positional < args->count && !args->items[num_positional].name)
    num_positional++;
  for (int i = 0; i < named->as.named.count; i++)
    add_by_name(p, h->function, num_positional, named->as.named.names[i],
                named->as.named.items[i], args);
  return launch_call(p->w, h->function, p->written->loc, args, &p->failure);
}

static const Heuristic *find_field(const Prune *p, const char *name) {
  for (size_t i = 0; i < p->fields.count; i++) {
    const Heuristic *h = &p->fields.items[i];
    if (h->name && !strcmp(h->name, name)) return h;
  }
  return NULL;
}

// The function under that key; false: there is none, or it is unknown.
static bool find_function(Prune *p, const char *name, const Heuristic **out) {
  *out = find_field(p, name);
  if (!*out || ((*out)->value && (*out)->value->kind == OBJECT_NONE))
    return false;
  if (!(*out)->function) p->failure = "host code computes it";
  return !p->failure;
}

// -- early_config_prune ------------------------------------------------------

static bool has_config(Walk *w, const Object *list, const Object *config) {
  for (int i = 0; i < list->as.tuple.count; i++) {
    const Object *x = list->as.tuple.items[i];
    if (object_is_config(x) && is_same_config(w, x, config)) return true;
  }
  return false;
}

// Are all items of the list configurations of the kernel?
static bool are_ours(const Prune *p, const Object *list) {
  for (int i = 0; i < list->as.tuple.count; i++) {
    const Object *x = list->as.tuple.items[i];
    bool found = false;
    for (size_t k = 0; !found && k < p->configs.count; k++)
      found =
          object_is_config(x) && is_same_config(p->w, p->configs.items[k], x);
    if (!found) return false;
  }
  return true;
}

static size_t count_left(const Prune *p) {
  size_t count = 0;
  for (size_t i = 0; i < p->configs.count; i++) count += !p->why[i];
  return count;
}

static bool prune_early(Prune *p) {
  const Heuristic *h;
  Walk *w = p->w;
  const SrcLoc loc = p->written->loc;
  if (!find_function(p, "early_config_prune", &h)) return true;
  Arguments args = {0};
  const Object *all = object_written(
      object_tuple(w->arena, p->configs.items, (int)p->configs.count), '[');
  vec_push(w->arena, &args, ((Argument){NULL, all, loc, loc}));
  vec_push(w->arena, &args, ((Argument){NULL, p->given, loc, loc}));
  const Object *left = call(p, h, &args);
  if (left) left = walk_iterable(w, left);
  if (!left) {
    if (!p->failure) p->failure = "it gives no list";
    return true;
  }
  if (!are_ours(p, left)) {
    p->failure = "it gives a configuration that is none of those";
    return true;
  }
  for (size_t i = 0; i < p->configs.count; i++)
    if (!has_config(w, left, p->configs.items[i]))
      p->why[i] = "early_config_prune leaves it out";
  return count_left(p) ||
         diag_error(w->diags, loc, ERROR_prune_left_none, p->kernel->name);
}

// -- perf_model --------------------------------------------------------------

typedef struct {
  double estimate;
  size_t index;
} Estimate;

// Orders configurations by their estimated time; equal ones keep their order.
static int by_estimate(const void *a, const void *b) {
  const Estimate *x = a, *y = b;
  if (x->estimate < y->estimate) return -1;
  if (x->estimate > y->estimate) return 1;
  return x->index > y->index ? 1 : -1;
}

static bool is_real(const Object *x, double *out) {
  int64_t whole;
  if (x->kind == OBJECT_FLOAT) {
    *out = x->as.number;
    return true;
  }
  if (!object_constant_int(x, &whole)) return false;
  *out = (double)whole;
  return true;
}

// Calls the function with the arguments and all items of the configuration, by
// name.
static bool estimate(Prune *p, const Heuristic *h, size_t index,
                     Estimate *out) {
  static const char *const options[] = {"num_warps", "num_ctas", "num_stages"};
  static const int fields[] = {CONFIG_NUM_WARPS, CONFIG_NUM_CTAS,
                               CONFIG_NUM_STAGES};
  const Object *const *items = p->configs.items[index]->as.tuple.items;
  const Object *kwargs = items[CONFIG_KWARGS];
  Arguments args = {0};
  for (int i = 0; i < kwargs->as.dict.count; i++)
    add_by_name(p, h->function, 0, kwargs->as.dict.keys[i]->as.string.text,
                kwargs->as.dict.items[i], &args);
  for (int i = 0; i < 3; i++)
    add_by_name(p, h->function, 0, options[i], items[fields[i]], &args);
  out->index = index;
  const Object *x = call(p, h, &args);
  if (x && !is_real(x, &out->estimate))
    p->failure = "it gives no number";
  else if (x && isnan(out->estimate))
    p->failure = "it gives NaN, which has no order";
  return !p->failure;
}

// The number of the `count` configurations that `top_k` keeps: a fraction, at
// least one, or a number.
static bool read_top(Prune *p, size_t count, size_t *out) {
  const Heuristic *h = find_field(p, "top_k");
  const Object *x = h ? h->value : NULL;
  int64_t whole = 0;
  *out = count;
  if (!h) return true;
  if (!x) return p->failure = "host code computes top_k", false;
  if (x->kind == OBJECT_FLOAT && x->as.number > 0 && x->as.number <= 1) {
    const size_t part = (size_t)((double)count * x->as.number);
    *out = part ? part : 1;
    return true;
  }
  if (!object_constant_int(x, &whole) || whole < 1)
    return diag_error(p->w->diags, h->loc, ERROR_prune_top, text_of(p->w, x));
  if ((uint64_t)whole < count) *out = (size_t)whole;
  return true;
}

static bool prune_by_model(Prune *p) {
  const Heuristic *h;
  const size_t count = count_left(p);
  size_t top, n = 0;
  if (!find_function(p, "perf_model", &h)) return true;
  if (!read_top(p, count, &top)) return p->failure != NULL;
  Estimate *all = arena_array(p->w->arena, Estimate, count + 1);
  for (size_t i = 0; top < count && i < p->configs.count; i++)
    if (!p->why[i] && !estimate(p, h, i, &all[n++])) return true;
  qsort(all, n, sizeof *all, by_estimate);
  for (size_t i = top; i < n; i++)
    p->why[all[i].index] = arena_printf(
        p->w->arena, "perf_model has it as number %zu, top_k is %zu", i + 1,
        top);
  return true;
}

// -- The whole pruning -------------------------------------------------------

// The arguments that the launch passes, without those that a configuration or a
// default gives.
static const Object *given_arguments(const Parameters *all) {
  Object *named = arena_new(all->w->arena, Object);
  *named = *launch_arguments(all);
  const int n = all->kernel->num_params;
  const Object **items = arena_array(all->w->arena, const Object *, n + 1);
  bool *given = arena_array(all->w->arena, bool, n + 1);
  for (int i = 0; i < n; i++) {
    given[i] = all->w->spec->args[i].kind != ARG_ABSENT;
    if (given[i]) items[i] = named->as.named.items[i];
  }
  named->as.named.count = n;
  named->as.named.items = items;
  named->as.named.given = given;
  return named;
}

static bool prune(Prune *p, const Configs *all) {
  bool ok = true;
  p->fields = functions_in(p->w, p->kernel, "autotune", p->written);
  if (!find_configs(p, all)) p->failure = "host code computes configurations";
  if (!p->failure) ok = prune_early(p);
  if (ok && !p->failure) ok = prune_by_model(p);
  if (!p->failure) return ok;
  diag_warning(p->w->diags, p->written->loc, WARNING_prune_unknown,
               p->kernel->name, p->failure);
  for (size_t i = 0; i < p->configs.count; i++) p->why[i] = NULL;
  return true;
}

bool frontend_prune(Program *program, const AstFunction *kernel,
                    const Specialization *specialization, Arena *arena,
                    DiagList *diags, const char **why) {
  KernelWalk k;
  if (!kernel_walk(program, kernel, specialization, arena, diags, &k))
    return false;
  Parameters *all = &k.params;
  const Expr *written = autotune_given(all->kernel, "prune_configs_by");
  if (!written || !parameters_read_quietly(all))
    return true; // the compilation reports these errors
  Prune p = {
      .w = all->w, .kernel = all->kernel, .written = written, .why = why};
  p.given = given_arguments(all);
  return prune(&p, &all->configs);
}
