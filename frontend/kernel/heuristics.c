// heuristics.c -- the values that @heuristics gives constexpr parameters.
//
// A lambda gets the arguments: constants, types, and run-time values known at
// the launch.  Heuristics apply in order, and get the results of earlier ones.
//
// For example, `{"TWICE": lambda args: 2 * args["B"]}` with B = 16 gives TWICE
// the value 32.  `args["n"] % args["B"]` is an error while n is known only at
// run time.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/kernel/parameters.h"
#include "frontend/module/program.h"
#include "frontend/walk/evaluate.h"
#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

enum { MAX_CONSTANT_DEPTH = 8 }; // of a reported default

static const Object *known_value(const Parameters *p, const RuntimeParam *r) {
  if (dtype_is_float(r->dtype)) return object_float(p->w->arena, r->spec->f);
  if (r->dtype.id == DTYPE_INT1) return object_bool(r->spec->i != 0);
  return object_int(p->w->arena, r->spec->i);
}

// An undefined value of the descriptor's type; NULL if the type is wrong.
static const Object *descriptor_argument(Walk *w, const ArgSpec *spec) {
  Dtype dtype;
  int64_t block[MAX_RANK];
  for (int i = 0; i < spec->num_items; i++) {
    block[i] = spec->items[i].i;
    if (block[i] < 1 || block[i] > INT32_MAX) return NULL;
  }
  if (!dtype_parse(spec->text, &dtype)) return NULL;
  const Type *element = dtype_type(&w->m->types, memory_dtype(dtype));
  const Type *type =
      type_descriptor(&w->m->types, spec->num_items, block, element);
  const Block *values = block_create(w->function, 1, &type);
  return object_tensor(w->arena, &values->args[0], dtype);
}

// The value of an argument for a heuristic's lambda.  For an unknown run-time
// argument, it is an undefined value of its type.
static const Object *argument_of(const Parameters *p, const ParamTree *tree) {
  if (tree->constant) return tree->constant;
  if (tree->descriptor) return descriptor_argument(p->w, tree->descriptor);
  if (tree->runtime < 0) return NULL;
  const RuntimeParam *r = &p->runtime.items[tree->runtime];
  if (r->spec->known) return known_value(p, r);
  const Block *block = block_create(p->w->function, 1, &r->type);
  return object_tensor(p->w->arena, &block->args[0], r->dtype);
}

// Options that every configuration has.
static const char *const always[] = {"num_warps", "num_stages", "num_ctas"};
enum { NUM_ALWAYS = sizeof always / sizeof *always };

static bool config_gives(const Parameters *p, const char *name) {
  if (!p->config) return false;
  if (names_have(always, NUM_ALWAYS, name)) return true;
  const ConfigItem *item = config_item(p->config, name);
  const bool none = item && item->value && item->value->kind == OBJECT_NONE;
  return (item && !none) || config_parameter(p->config, name);
}

// Is the value given by the launch, the configuration, or an earlier heuristic?
static bool is_given(const Parameters *p, int i) {
  const ParamTree *tree = &p->trees[i];
  if (p->w->spec->args[i].kind != ARG_ABSENT || tree->runtime >= 0) return true;
  if (config_gives(p, p->kernel->params[i].name)) return true;
  return tree->awaits_heuristic && tree->constant;
}

typedef struct {
  const char **names;
  const Object **items; // NULL: unknown
  bool *given, *read;
  int count;
} HeuristicArguments;

static void give(HeuristicArguments *all, const char *name, const Object *item,
                 bool given) {
  if (names_have(all->names, (size_t)all->count, name)) return;
  assert(!item || object_is_constant(item) || object_is_tensor(item)); // I1
  const int n = all->count++;
  all->names[n] = name;
  all->items[n] = item;
  all->given[n] = given;
}

// NULL: not known yet.
static const Object *option_of_launch(const Parameters *p, int option) {
  const int asked = p->w->spec->num_ctas;
  const int values[NUM_ALWAYS] = {
      p->num_warps, p->num_stages,
      asked ? asked : config_option(p->config, "num_ctas", 1)};
  return values[option] ? object_int(p->w->arena, values[option]) : NULL;
}

// Adds the configuration's options, and its constants that are no parameters.
// The launch may have its own values of the first NUM_ALWAYS options.
static void give_options(const Parameters *p, HeuristicArguments *all) {
  const Config *config = p->config;
  for (int i = 0; i < NUM_ALWAYS && config; i++)
    give(all, always[i], option_of_launch(p, i), true);
  for (size_t i = 0; config && i < config->options.count; i++) {
    const ConfigItem *item = &config->options.items[i];
    if (config_gives(p, item->name)) give(all, item->name, item->value, true);
  }
  for (size_t i = 0; config && i < config->constants.count; i++) {
    const ConfigItem *item = &config->constants.items[i];
    give(all, item->name, item->value, true);
  }
}

const Object *launch_arguments(const Parameters *p) {
  Arena *arena = p->w->arena;
  const int n = p->kernel->num_params;
  const size_t more = p->config ? NUM_ALWAYS + p->config->options.count +
                                      p->config->constants.count
                                : 0;
  const size_t most = (size_t)n + more + 1;
  HeuristicArguments given = {arena_array(arena, const char *, most),
                              arena_array(arena, const Object *, most),
                              arena_array(arena, bool, most),
                              arena_array(arena, bool, most), 0};
  for (int i = 0; i < n; i++)
    give(&given, p->kernel->params[i].name, argument_of(p, &p->trees[i]),
         is_given(p, i));
  give_options(p, &given);
  assert((size_t)given.count < most); // I1
  Object *all = arena_new(arena, Object);
  all->kind = OBJECT_NAMED;
  all->as.named.names = given.names;
  all->as.named.items = given.items;
  all->as.named.given = given.given;
  all->as.named.read = given.read;
  all->as.named.count = given.count;
  return all;
}

static bool names_parameter(const Parameters *p, const Heuristic *h) {
  for (int i = 0; i < p->kernel->num_params; i++)
    if (!strcmp(p->kernel->params[i].name, h->name)) return true;
  return false;
}

// Notes how -D can give the value of a heuristic that failed, unless an error
// since `mark` says so already.
static void note_define(Walk *w, Diag **mark, const char *name) {
  for (const Diag *d = *mark; d; d = d->next)
    if (strstr(d->text, "-D")) return;
  recover_note_calls(w, mark, (SrcLoc){0}, NOTE_heuristic_given, name);
}

// The first arguments of a heuristic are the parameters.
static void note_reads(const Parameters *p, const Object *all) {
  for (int i = 0; p->reads && i < p->kernel->num_params; i++)
    p->reads[i] = p->reads[i] || all->as.named.read[i];
}

static const Object *evaluate(const Parameters *p, const Heuristic *h) {
  Walk *w = p->w;
  if (!h->function) {
    diag_error(w->diags, p->kernel->loc, ERROR_heuristic_computed, h->name);
    return NULL;
  }
  Arguments args = {0};
  const SrcLoc loc = h->written->loc;
  const Object *all = launch_arguments(p);
  vec_push(w->arena, &args, ((Argument){NULL, all, loc, loc}));
  w->is_launch = true;
  Diag **mark = w->diags->last;
  assert(!w->run && !w->frame->function &&
         "a heuristic runs on the host"); // I1
  const Object *value = call_function(w, h->function, loc, &args);
  w->is_launch = false;
  note_reads(p, all);
  if (!value && names_parameter(p, h)) note_define(w, mark, h->name);
  if (!value || object_is_constant(value)) return value;
  return walk_error(w, h->function->loc, ERROR_heuristic_needs_value, h->name);
}

// num_stages 0 means 1, as in a configuration.
static bool set_option(const Parameters *p, const Heuristic *h, const Object *x,
                       int *option) {
  const bool stages = option == &p->num_stages;
  int64_t value;
  if (!object_constant_int(x, &value) || value != (int)value)
    return diag_error(p->w->diags, p->kernel->loc, ERROR_heuristic_not_integer,
                      h->name, text_of(p->w, x));
  *option = stages && !value ? 1 : (int)value;
  if (*option > 0) return true;
  return diag_error(p->w->diags, p->kernel->loc,
                    stages ? ERROR_bad_num_stages : ERROR_bad_num_warps,
                    *option);
}

static int *option_of(Parameters *p, const char *name) {
  if (!strcmp(name, "num_warps")) return &p->num_warps;
  return !strcmp(name, "num_stages") ? &p->num_stages : NULL;
}

// The parameter to which the heuristic gives a value; or NULL.
static const AstParam *awaiting(const Parameters *p, const char *name) {
  for (int i = 0; i < p->kernel->num_params; i++) {
    const AstParam *param = &p->kernel->params[i];
    if (p->trees[i].awaits_heuristic && !strcmp(param->name, name))
      return param;
  }
  return NULL;
}

// The name may be both an option and a parameter.  An option of the caller
// takes precedence.
static bool apply(Parameters *p, const Heuristic *h) {
  if (!h->name) return true;
  int *option = option_of(p, h->name);
  const AstParam *param = awaiting(p, h->name);
  const bool given = option && *option;
  if (!param && (given || !option)) return true;
  const Object *value =
      given ? object_int(p->w->arena, *option) : evaluate(p, h);
  if (!value || (option && !given && !set_option(p, h, value, option)))
    return false;
  return !param || parameter_set_value(p, param, value,
                                       &p->trees[param - p->kernel->params]);
}

bool heuristics_apply(Parameters *p) {
  bool ok = true;
  for (size_t i = 0; i < p->heuristics.count; i++)
    ok = apply(p, &p->heuristics.items[i]) && ok;
  return ok;
}

// -- For launches ------------------------------------------------------------

bool function_has_heuristics(const AstFunction *function) {
  for (int i = 0; i < function->num_decorators; i++) {
    const char *name = function->decorators[i].name;
    if (name && !strcmp(name, "heuristics")) return true;
  }
  return false;
}

static bool export_value(const Parameters *p, const char *name, const Object *x,
                         ArgSpec *out) {
  Walk *w = p->w;
  int64_t value = 0;
  switch (x->kind) {
  case OBJECT_NONE: *out = (ArgSpec){.kind = ARG_NONE}; return true;
  case OBJECT_BOOL:
    *out = (ArgSpec){.kind = ARG_BOOL, .i = x->as.truth};
    return true;
  case OBJECT_FLOAT:
    *out = (ArgSpec){.kind = ARG_FLOAT, .f = x->as.number};
    return true;
  case OBJECT_STRING:
    *out = (ArgSpec){.kind = ARG_STRING, .text = x->as.string.text};
    return true;
  case OBJECT_DTYPE:
    *out = (ArgSpec){.kind = ARG_DTYPE,
                     .text = dtype_text(w->arena, x->as.type.dtype)};
    return true;
  default: break;
  }
  *out = (ArgSpec){.kind = ARG_INT};
  if (object_constant_int(x, &value)) {
    out->i = value;
    return true;
  }
  return diag_error(w->diags, p->kernel->loc, ERROR_heuristic_not_constant,
                    name, text_of(w, x));
}

static bool export_all(const Parameters *p, ArgSpec *out) {
  for (int i = 0; i < p->kernel->num_params; i++) {
    const ParamTree *tree = &p->trees[i];
    out[i] = (ArgSpec){.kind = ARG_ABSENT};
    if (!tree->awaits_heuristic || !tree->constant) continue;
    const char *name = p->kernel->params[i].name;
    if (!export_value(p, name, tree->constant, &out[i])) return false;
  }
  return true;
}

static bool is_plain(const Object *x) {
  int64_t value;
  return x->kind == OBJECT_NONE || x->kind == OBJECT_BOOL ||
         x->kind == OBJECT_FLOAT || x->kind == OBJECT_STRING ||
         x->kind == OBJECT_DTYPE || object_constant_int(x, &value);
}

// Is `x` plain, or a tuple of plain values without names, no deeper than
// arguments are?
static bool is_constant_tree(const Object *x, int depth) {
  if (x->kind != OBJECT_TUPLE) return is_plain(x);
  if (depth >= MAX_CONSTANT_DEPTH || x->as.tuple.class ||
      strchr("[v", x->as.tuple.written ? x->as.tuple.written : '('))
    return false;
  for (int i = 0; i < x->as.tuple.count; i++) {
    if (!is_constant_tree(x->as.tuple.items[i], depth + 1)) return false;
  }
  return true;
}

static bool export_tree(const Parameters *p, const char *name, const Object *x,
                        ArgSpec *out) {
  if (x->kind != OBJECT_TUPLE) return export_value(p, name, x, out);
  const int count = x->as.tuple.count;
  ArgSpec *items = arena_array(p->w->arena, ArgSpec, count + 1);
  for (int i = 0; i < count; i++) {
    if (!export_tree(p, name, x->as.tuple.items[i], &items[i])) return false;
  }
  *out = (ArgSpec){.kind = ARG_TUPLE, .items = items, .num_items = count};
  return true;
}

// Exports parameters whose values are constants, at the launch or before.
static bool export_values(const Parameters *p, ArgSpec *out) {
  for (int i = 0; i < p->kernel->num_params; i++) {
    const ParamTree *tree = &p->trees[i];
    const bool known =
        tree->runtime >= 0 && p->runtime.items[tree->runtime].spec->known;
    const Object *value = tree->constant || known ? argument_of(p, tree) : NULL;
    out[i] = (ArgSpec){.kind = ARG_ABSENT};
    if (!value || !is_constant_tree(value, 0)) continue;
    if (!export_tree(p, p->kernel->params[i].name, value, &out[i]))
      return false;
  }
  return true;
}

// May a launch of this configuration that leaves the parameter out get another
// value than its default?  A heuristic may ask which arguments were given.
static bool may_differ(const Parameters *p, const char *name) {
  if (p->configs.computed || p->heuristics.count ||
      names_have(always, NUM_ALWAYS, name))
    return true;
  return p->config &&
         (p->config->computed || config_parameter(p->config, name));
}

static bool export_defaults(const Parameters *p, ArgSpec *out) {
  for (int i = 0; i < p->kernel->num_params; i++) {
    const AstParam *param = &p->kernel->params[i];
    const Object *value =
        param->value ? default_value(p->w, p->kernel, param->value) : NULL;
    out[i] = (ArgSpec){.kind = ARG_ABSENT};
    if (p->reads) p->reads[i] = may_differ(p, param->name);
    if (!value || !is_constant_tree(value, 0)) continue;
    if (!export_tree(p, param->name, value, &out[i])) return false;
  }
  return true;
}

bool frontend_values(Program *program, const AstFunction *kernel,
                     const Specialization *specialization, ValueSource source,
                     Arena *arena, DiagList *diags, ParamValues *out) {
  static bool (*const export[])(const Parameters *p, ArgSpec *out) = {
      [VALUES_OF_HEURISTICS] = export_all,
      [VALUES_OF_LAUNCH] = export_values,
      [VALUES_OF_DEFAULTS] = export_defaults,
  };
  KernelWalk k;
  if (!kernel_walk(program, kernel, specialization, arena, diags, &k))
    return false;
  k.params.reads = out->reads;
  if (!parameters_read(&k.params) || !export[source](&k.params, out->args))
    return false;
  out->num_warps = k.params.num_warps;
  out->num_stages = k.params.num_stages;
  return source != VALUES_OF_LAUNCH || options_ctas(&k.params, &out->num_ctas);
}
