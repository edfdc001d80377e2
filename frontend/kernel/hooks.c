// hooks.c -- effects of the hooks of @autotune and of its configurations.
//
// A hook is host code, which is evaluated with the arguments.  A hook may fill
// tensors, and give descriptors another block shape.  Other effects are not
// supported.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/kernel/parameters.h"
#include "frontend/module/program.h"
#include "frontend/walk/evaluate.h"
#include "ir/base/base.h"

#include <assert.h>

typedef struct {
  WalkStep *step;
  void *context;
  const char *why; // the first error; or NULL
} Heard;

static const void *hear(Walk *w, void *context) {
  Heard *heard = context;
  DiagList *const muted = w->diags;
  DiagList diags;
  diag_init(&diags, w->arena);
  w->diags = &diags;
  const void *x = heard->step(w, heard->context);
  w->diags = muted;
  if (diags.first) heard->why = diags.first->text;
  return x;
}

const Object *walk_heard(Walk *w, WalkStep *step, void *context,
                         const char **why) {
  Heard heard = {step, context, NULL};
  const Object *x = walk_hosted(w, hear, &heard);
  if (!x) *why = heard.why ? heard.why : "its value is not known";
  return x;
}

typedef struct {
  const AstFunction *function;
  SrcLoc loc;
  const Arguments *args;
} LaunchCall;

static const void *call_step(Walk *w, void *context) {
  const LaunchCall *call = context;
  w->is_launch = true;
  const Object *x = call_function(w, call->function, call->loc, call->args);
  w->is_launch = false;
  return x;
}

const Object *launch_call(Walk *w, const AstFunction *function, SrcLoc loc,
                          const Arguments *args, const char **why) {
  LaunchCall call = {function, loc, args};
  return walk_heard(w, call_step, &call, why);
}

static const void *read_step(Walk *w, void *context) {
  (void)w;
  return parameters_read(context) ? context : NULL;
}

bool parameters_read_quietly(Parameters *p) {
  return walk_quietly(p->w, read_step, p) != NULL;
}

typedef struct {
  Parameters *p;
  const Object *arguments;    // a NAMED
  const Object *const *given; // items of `arguments` before the hook runs
} Hooks;

typedef struct {
  const char *name;    // of the decorator's argument
  const Expr *written; // the argument's expression; or NULL
  const Object *value; // the hook, if it is known already
} Hook;

static Hook hook_of(const Parameters *p, HookKind kind) {
  static const char *const names[] = {[HOOK_OF_CONFIG] = "pre_hook",
                                      [HOOK_BEFORE] = "pre_hook",
                                      [HOOK_AFTER] = "post_hook"};
  Hook hook = {.name = names[kind]};
  if (kind != HOOK_OF_CONFIG)
    hook.written = autotune_given(p->kernel, hook.name);
  else if (p->config)
    hook = (Hook){hook.name, p->config->hook, p->config->hook_value};
  return hook;
}

typedef struct {
  const AstFunction *kernel;
  const Expr *written;
} HookValue;

static const void *value_step(Walk *w, void *context) {
  const HookValue *hook = context;
  return decorator_value(w, hook->kernel, "autotune", hook->written);
}

// The function of the hook; NULL: unknown.
static const AstFunction *hook_function(const Hooks *h, const Hook *hook) {
  Walk *w = h->p->w;
  HookValue value = {h->p->kernel, hook->written};
  const Object *x =
      hook->value ? hook->value : walk_hosted(w, value_step, &value);
  return x ? function_object(w, hook->written, "", x).function : NULL;
}

// -- Effects -----------------------------------------------------------------

// The index of the parameter whose argument is `x`, or -1.
static int find_parameter(const Hooks *h, const Object *x) {
  int k = h->p->kernel->num_params - 1;
  while (k >= 0 && h->given[k] != x) k--;
  return k;
}

static int parameter_of(const Hooks *h, const Object *x) {
  const int k = find_parameter(h, x);
  assert(k >= 0 && "an argument of no parameter"); // I7
  return k;
}

static bool are_of_arguments(const Hooks *h, const HookEffects *effects) {
  for (size_t i = 0; i < effects->fills.count; i++)
    if (find_parameter(h, effects->fills.items[i].tensor) < 0) return false;
  for (size_t i = 0; i < effects->blocks.count; i++)
    if (find_parameter(h, effects->blocks.items[i].descriptor) < 0)
      return false;
  return true;
}

static const int64_t *sizes_of(Walk *w, const Object *block) {
  const int rank = block->as.tuple.count;
  int64_t *sizes = arena_array(w->arena, int64_t, rank + 1);
  for (int i = 0; i < rank; i++)
    object_constant_int(block->as.tuple.items[i], &sizes[i]);
  return sizes;
}

static void take_effects(const Hooks *h, const HookEffects *effects,
                         HookEffect *out) {
  Walk *w = h->p->w;
  for (size_t i = 0; i < effects->fills.count; i++) {
    const TensorFill *fill = &effects->fills.items[i];
    HookEffect *effect = &out[parameter_of(h, fill->tensor)];
    effect->fills = true;
    effect->value = fill->value;
  }
  for (size_t i = 0; i < effects->blocks.count; i++) {
    const NewBlock *new = &effects->blocks.items[i];
    out[parameter_of(h, new->descriptor)].block = sizes_of(w, new->block);
  }
}

// The name of the second argument that Triton passes to the hook; or NULL.
static const char *second_parameter(HookKind kind) {
  return kind == HOOK_AFTER ? "exception" : NULL;
}

// Runs the hook.  False: it cannot be evaluated; `*why` is the reason.
static bool evaluate(const Hooks *h, const Hook *hook, HookKind kind,
                     HookEffects *effects, const char **why) {
  Walk *w = h->p->w;
  const SrcLoc loc = hook->written->loc;
  const AstFunction *function = hook_function(h, hook);
  const char *second = second_parameter(kind);
  Arguments args = {0};
  vec_push(w->arena, &args, ((Argument){NULL, h->arguments, loc, loc}));
  if (second)
    vec_push(w->arena, &args, ((Argument){second, &object_none, loc, loc}));
  *why = "host code computes it";
  w->hook = effects;
  bool ok = function && launch_call(w, function, loc, &args, why);
  w->hook = NULL;
  if (ok && !are_of_arguments(h, effects)) {
    *why = "it changes what is no argument";
    ok = false;
  }
  if (ok && kind != HOOK_OF_CONFIG && effects->blocks.count) {
    *why = "it changes a descriptor, which the hook of a configuration may do";
    ok = false;
  }
  return ok;
}

static void run_hook(Parameters *p, const Hook *hook, HookKind kind,
                     HookAnswer *out) {
  const Object *arguments = launch_arguments(p);
  const Hooks h = {p, arguments, arguments->as.named.items};
  HookEffects effects = {0};
  const char *why;
  out->unknown = !evaluate(&h, hook, kind, &effects, &why);
  if (!out->unknown)
    take_effects(&h, &effects, out->effects);
  else
    diag_warning(p->w->diags, hook->written->loc, WARNING_hook_unknown,
                 hook->name, p->kernel->name, why);
  for (int i = 0; out->reads && i < p->kernel->num_params; i++)
    out->reads[i] = out->reads[i] || arguments->as.named.read[i];
}

bool frontend_hook(Program *program, const AstFunction *kernel,
                   const Specialization *specialization, HookKind kind,
                   Arena *arena, DiagList *diags, HookAnswer *out) {
  KernelWalk k;
  if (!kernel_walk(program, kernel, specialization, arena, diags, &k))
    return false;
  Parameters *p = &k.params;
  if (!parameters_read_quietly(p)) {
    out->any = true;
    return true; // the compilation reports these errors
  }
  const Hook hook = hook_of(p, kind);
  out->any = configs_have_hook(&p->configs);
  if (hook.written) run_hook(p, &hook, kind, out);
  return true;
}
