// specialize.c -- one kernel, for one set of arguments, as a function of IR.
//
// The parameters come first: what is known becomes a constant, the rest a block
// argument.  Then the body is walked.  After an error the function is taken
// out of the module again.
#include "frontend/specialize.h"

#include "frontend/autotune.h"
#include "frontend/builtins.h"
#include "frontend/tensor.h"

#include <string.h>

typedef struct {
  const AstParam *param;
  const Type *type;
  Dtype dtype;
  int argument, divisibility;
  const char *name;
} RuntimeParam;

// What a parameter is bound to; run-time ones are numbered on the way.
typedef struct {
  Walk *w;
  const AstFunction *kernel;
  Vec(RuntimeParam) runtime;
} Parameters;

// A run-time parameter's place until the function exists.
typedef struct ParamTree ParamTree;
struct ParamTree {
  const Object *constant; // NULL: run-time, or a tuple
  int runtime;            // which one
  bool is_number;         // becomes a run-time scalar
  Dtype dtype;            // of that scalar; VOID: as the number says
  ParamTree *items;
  int num_items;
  const Expr *heuristic; // a lambda that gives the constant, when not NULL
};

static bool error_at(const Parameters *p, const AstParam *param,
                     const char *what) {
  return diag_error(p->w->diags, param->loc, "'%s': %s", param->name, what);
}

// `x: i32`, `x: tl.int64`, `x: "*fp16"`, `x: int`; false: says nothing.
static bool annotated_dtype(const AstParam *param, Dtype *out) {
  static const struct {
    const char *name;
    DtypeId id;
  } python[] = {
      {"int", DTYPE_INT32}, {"float", DTYPE_FP32}, {"bool", DTYPE_INT1}};
  const char *text = param->annotation_text;
  if (!text) return false;
  char buffer[64];
  size_t n = 0;
  for (; *text && n + 1 < sizeof buffer; text++) {
    if (!strchr("\"' ", *text)) buffer[n++] = *text;
  }
  buffer[n] = 0;
  const char *dot = strrchr(buffer, '.');
  if (dtype_parse(dot ? dot + 1 : buffer, out)) return true;
  for (size_t i = 0; i < sizeof python / sizeof *python; i++) {
    if (strcmp(buffer, python[i].name)) continue;
    *out = dtype_of(python[i].id);
    return true;
  }
  return false;
}

static bool check_supported(const Parameters *p, const AstParam *param,
                            Dtype dtype) {
  const DtypeInfo *info = &dtype_info[dtype.id];
  if (info->supported) return true;
  return diag_error(p->w->diags, param->loc, "'%s': %s is not supported yet",
                    param->name, info->name);
}

static bool add_runtime(Parameters *p, int argument, const AstParam *param,
                        const char *name, const ArgSpec *spec, ParamTree *out) {
  Dtype dtype;
  if (spec->kind == ARG_RUNTIME && spec->text) {
    if (!dtype_parse(spec->text, &dtype))
      return diag_error(p->w->diags, param->loc, "'%s': '%s' is not a type",
                        param->name, spec->text);
  } else if (!annotated_dtype(param, &dtype)) {
    return error_at(p, param,
                    "its type is not known; annotate it or give it "
                    "in the signature");
  }
  if (!check_supported(p, param, dtype)) return false;
  out->runtime = (int)p->runtime.count;
  const Type *type = dtype_type(&p->w->m->types, dtype);
  vec_push(
      p->w->arena, &p->runtime,
      ((RuntimeParam){param, type, dtype, argument, spec->divisibility, name}));
  return true;
}

static const Object *spec_constant(Walk *w, const ArgSpec *spec) {
  Dtype dtype;
  switch (spec->kind) {
  case ARG_BOOL: return object_bool(spec->i != 0);
  case ARG_INT: return object_int(w->arena, spec->i);
  case ARG_FLOAT: return object_float(w->arena, spec->f);
  case ARG_STRING:
    return object_string(w->arena, spec->text, strlen(spec->text));
  case ARG_DTYPE:
    if (!dtype_parse(spec->text, &dtype)) return NULL;
    return object_dtype(w->arena, dtype);
  default: return &object_none;
  }
}

static bool set_constant(Parameters *p, const AstParam *param,
                         const Object *value, ParamTree *out) {
  out->constant = value;
  out->is_number = !param->is_constexpr && object_is_number(value);
  Dtype dtype;
  if (!out->is_number || !annotated_dtype(param, &dtype)) return true;
  if (dtype.is_pointer)
    return error_at(p, param, "a pointer cannot be a constant");
  out->dtype = dtype;
  return check_supported(p, param, dtype);
}

static bool read_spec(Parameters *p, int argument, const AstParam *param,
                      const char *name, const ArgSpec *spec, ParamTree *out);

static bool read_tuple(Parameters *p, int argument, const AstParam *param,
                       const char *name, const ArgSpec *spec, ParamTree *out) {
  Walk *w = p->w;
  out->num_items = spec->num_items;
  out->items = arena_array(w->arena, ParamTree, spec->num_items + 1);
  if (!walk_enter(w, param->loc)) return false;
  for (int i = 0; i < spec->num_items; i++) {
    const char *item = arena_printf(w->arena, "%s_%d", name, i);
    if (!read_spec(p, argument, param, item, &spec->items[i], &out->items[i]))
      return false;
  }
  walk_leave(w);
  return true;
}

static bool is_tuple(const ParamTree *tree) {
  return tree->items != NULL;
}

static bool read_spec(Parameters *p, int argument, const AstParam *param,
                      const char *name, const ArgSpec *spec, ParamTree *out) {
  *out = (ParamTree){.runtime = -1};
  if (spec->kind == ARG_TUPLE)
    return read_tuple(p, argument, param, name, spec, out);
  if (spec->kind == ARG_RUNTIME || spec->kind == ARG_ABSENT) {
    if (!param->is_constexpr)
      return add_runtime(p, argument, param, name, spec, out);
    return error_at(p, param, "this constexpr parameter wants a value");
  }
  const Object *value = spec_constant(p->w, spec);
  if (!value) return error_at(p, param, "this is not a type");
  return set_constant(p, param, value, out);
}

// Nothing was said: a type in the source, else @autotune, else the default.
static bool read_absent(Parameters *p, int argument, const AstParam *param,
                        ParamTree *out) {
  static const ArgSpec absent = {.kind = ARG_ABSENT};
  Walk *w = p->w;
  Dtype dtype;
  *out = (ParamTree){.runtime = -1};
  out->heuristic = heuristic_of(p->kernel, param->name);
  if (out->heuristic) return true;
  const Expr *value = autotune_value(p->kernel, param->name);
  if (!value) value = param->value;
  const bool typed = !param->is_constexpr && annotated_dtype(param, &dtype);
  if (!value || (typed && !param->value))
    return read_spec(p, argument, param, param->name, &absent, out);
  const Object *constant = default_value(w, p->kernel, value);
  if (!constant) return false;
  if (!object_is_constant(constant))
    return error_at(p, param, "its default is not a constant");
  return set_constant(p, param, constant, out);
}

static bool read_parameters(Parameters *p, ParamTree *trees) {
  const AstFunction *kernel = p->kernel;
  for (int i = 0; i < kernel->num_params; i++) {
    const AstParam *param = &kernel->params[i];
    if (param->kind == PARAM_STAR || param->kind == PARAM_DOUBLE_STAR)
      return error_at(p, param, "a kernel's parameters are single values");
    const ArgSpec *spec = &p->w->spec->args[i];
    const bool ok = spec->kind == ARG_ABSENT
                        ? read_absent(p, i, param, &trees[i])
                        : read_spec(p, i, param, param->name, spec, &trees[i]);
    if (!ok) return false;
  }
  return true;
}

// -- Heuristics --------------------------------------------------------------

// What a lambda sees of an argument; of run-time ones, only the type matters.
static const Object *argument_of(Parameters *p, const ParamTree *tree) {
  if (tree->constant) return tree->constant;
  if (tree->runtime < 0) return NULL;
  const RuntimeParam *r = &p->runtime.items[tree->runtime];
  const Block *block = block_create(p->w->function, 1, &r->type);
  return object_tensor(p->w->arena, &block->args[0], r->dtype);
}

static const Object *arguments_of(Parameters *p, const ParamTree *trees) {
  Arena *arena = p->w->arena;
  const int n = p->kernel->num_params;
  const char **names = arena_array(arena, const char *, n + 1);
  const Object **items = arena_array(arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) {
    names[i] = p->kernel->params[i].name;
    items[i] = argument_of(p, &trees[i]);
  }
  Object *all = arena_new(arena, Object);
  all->kind = OBJECT_NAMED;
  all->as.named.names = names;
  all->as.named.items = items;
  all->as.named.count = n;
  return all;
}

static bool apply_heuristic(Parameters *p, const AstParam *param,
                            const ParamTree *trees, ParamTree *tree) {
  Walk *w = p->w;
  const Expr *lambda = tree->heuristic;
  scope_set(&w->frame->scope, lambda->lambda.params[0].name,
            arguments_of(p, trees));
  const Object *value = walk_expr(w, lambda->lambda.body);
  if (!value) return false;
  if (!object_is_constant(value))
    return diag_error(w->diags, lambda->loc,
                      "'%s' depends on a value that is known only at run time: "
                      "give it with -D",
                      param->name);
  return set_constant(p, param, value, tree);
}

static bool apply_heuristics(Parameters *p, ParamTree *trees) {
  for (int i = 0; i < p->kernel->num_params; i++) {
    if (!trees[i].heuristic) continue;
    if (!apply_heuristic(p, &p->kernel->params[i], trees, &trees[i]))
      return false;
  }
  return true;
}

// -- The function ------------------------------------------------------------

static void set_param(Walk *w, int i, const RuntimeParam *r) {
  Param *param = &w->function->params[i];
  param->name = r->name;
  w->function->body->args[i].name = r->name;
  param_set_attr(w->m, param,
                 (Attr){.key = ATTR_argument, .as.i = r->argument});
  if (r->divisibility <= 1) return;
  int64_t *value = arena_new(w->arena, int64_t);
  *value = r->divisibility;
  param_set_attr(w->m, param,
                 (Attr){.key = ATTR_divisibility, .as.ints = {value, 1}});
}

// The options come from the caller or, where that is 0, from @autotune.
static bool set_options(Parameters *p) {
  Walk *w = p->w;
  int warps = w->spec->num_warps, stages = w->spec->num_stages;
  if (!warps) warps = autotune_option(p->kernel, "num_warps", 4);
  if (!stages) stages = autotune_option(p->kernel, "num_stages", 3);
  if (warps < 1 || warps > 32 || (warps & (warps - 1)))
    return diag_error(w->diags, p->kernel->loc,
                      "num_warps must be a power of two up to 32, found %d",
                      warps);
  if (stages < 1 || stages > 16)
    return diag_error(w->diags, p->kernel->loc,
                      "num_stages must be 1 to 16, found %d", stages);
  function_set_attr(w->function, (Attr){.key = ATTR_num_warps, .as.i = warps});
  function_set_attr(w->function,
                    (Attr){.key = ATTR_num_stages, .as.i = stages});
  return true;
}

static bool create_function(Parameters *p) {
  Walk *w = p->w;
  const int n = (int)p->runtime.count;
  const Type **types = arena_array(w->arena, const Type *, n + 1);
  for (int i = 0; i < n; i++) types[i] = p->runtime.items[i].type;
  w->function =
      function_create(w->m, p->kernel->name, p->kernel->loc, n, types);
  for (int i = 0; i < n; i++) set_param(w, i, &p->runtime.items[i]);
  return set_options(p);
}

static const Object *bound_object(const Parameters *p, const AstParam *param,
                                  const ParamTree *tree) {
  Walk *w = p->w;
  if (is_tuple(tree)) {
    const Object **items =
        arena_array(w->arena, const Object *, tree->num_items + 1);
    for (int i = 0; i < tree->num_items; i++)
      items[i] = bound_object(p, param, &tree->items[i]);
    return object_tuple(w->arena, items, tree->num_items);
  }
  if (tree->runtime >= 0) {
    Value *value = &w->function->body->args[tree->runtime];
    return object_tensor(w->arena, value,
                         p->runtime.items[tree->runtime].dtype);
  }
  if (!tree->is_number) return tree->constant;
  if (tree->dtype.id) return tensor_constant(w, tree->dtype, tree->constant);
  return to_tensor(w, param->loc, tree->constant);
}

static bool walk_kernel(const Parameters *p, const ParamTree *trees) {
  Walk *w = p->w;
  const AstFunction *kernel = p->kernel;
  Frame frame = {
      .function = kernel, .file = kernel->file, .scope = scope_in(w->arena)};
  LoopPlans plans = {0};
  w->frame = &frame;
  w->plans = &plans;
  w->b = builder_at_end(w->m, w->function->body, kernel->loc);
  for (int i = 0; i < kernel->num_params; i++) {
    const AstParam *param = &kernel->params[i];
    const Object *x = bound_object(p, param, &trees[i]);
    if (!x) return false;
    scope_set(&frame.scope, param->name, x);
  }
  const Object *result = walk_body(w, &kernel->body);
  if (!result) return false;
  if (result->kind != OBJECT_NONE)
    return diag_error(w->diags, kernel->loc,
                      "a kernel returns nothing, but '%s' returns %s",
                      kernel->name, text_of(w, result));
  build_return(&w->b);
  return true;
}

// Constants are evaluated before the function exists; what they build goes
// nowhere.
static void make_scratch(Walk *w, Function *scratch) {
  *scratch = (Function){.module = w->m};
  w->function = scratch;
  w->b = (Builder){.m = w->m, .block = block_create(scratch, 0, NULL)};
}

static bool specialize(Walk *w, const AstFunction *kernel) {
  Function scratch;
  Frame frame = {.file = kernel->file, .scope = scope_in(w->arena)};
  LoopPlans plans = {0};
  Parameters p = {.w = w, .kernel = kernel};
  ParamTree *trees = arena_array(w->arena, ParamTree, kernel->num_params + 1);
  make_scratch(w, &scratch);
  w->frame = &frame;
  w->plans = &plans;
  if (!read_parameters(&p, trees) || !apply_heuristics(&p, trees)) return false;
  return create_function(&p) && walk_kernel(&p, trees);
}

bool frontend_specialize(Program *program, const AstFunction *kernel,
                         const Specialization *specialization, Module *m) {
  Walk w = {.program = program,
            .m = m,
            .diags = m->diags,
            .arena = m->arena,
            .spec = specialization};
  Function **last = m->last_function;
  if (kernel->ok && specialize(&w, kernel)) return true;
  if (!kernel->ok)
    diag_error(m->diags, kernel->loc, "'%s' has syntax errors", kernel->name);
  *last = NULL;
  m->last_function = last;
  return false;
}
