// hooks.c -- what the hooks of @autotune and of its configurations do.
//
// A hook is host code, which is evaluated with the arguments: it may fill
// tensors.  Only the host could do the rest.
#include "frontend/errors.h"
#include "frontend/kernel/parameters.h"
#include "frontend/module/program.h"
#include "frontend/walk/evaluate.h"
#include "ir/base/base.h"

#include <string.h>

typedef struct {
  WalkStep *step;
  void *context;
  const char *why; // of the first error; NULL: there was none
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
  const Object *arguments; // a NAMED
} Hooks;

typedef struct {
  const AstFunction *kernel;
  const Expr *written;
} HookValue;

static const void *value_step(Walk *w, void *context) {
  const HookValue *hook = context;
  return decorator_value(w, hook->kernel, "autotune", hook->written);
}

// The function that the hook is; NULL: it is not known.
static const AstFunction *hook_function(const Hooks *h, const Expr *written,
                                        const Object *x) {
  Walk *w = h->p->w;
  HookValue value = {h->p->kernel, written};
  if (!x) x = walk_hosted(w, value_step, &value);
  return x ? function_object(w, written, "", x).function : NULL;
}

static void take_fills(const Hooks *h, const TensorFills *fills,
                       HookFill *out) {
  for (size_t i = 0; i < fills->count; i++)
    for (int k = 0; k < h->p->kernel->num_params; k++)
      if (h->arguments->as.named.items[k] == fills->items[i].tensor)
        out[k] = (HookFill){true, fills->items[i].value};
}

// The name of the second argument that Triton gives to the hook; NULL: none.
static const char *second_parameter(const char *name) {
  return !strcmp(name, "post_hook") ? "exception" : NULL;
}

static void run_hook(const Hooks *h, const char *name, const Expr *written,
                     const Object *x, HookFill *out) {
  Walk *w = h->p->w;
  const SrcLoc loc = written->loc;
  const AstFunction *function = hook_function(h, written, x);
  const char *why = "host code computes it", *second = second_parameter(name);
  TensorFills fills = {0};
  Arguments args = {0};
  vec_push(w->arena, &args, ((Argument){NULL, h->arguments, loc, loc}));
  if (second)
    vec_push(w->arena, &args, ((Argument){second, &object_none, loc, loc}));
  w->fills = &fills;
  const bool ok = function && launch_call(w, function, loc, &args, &why);
  w->fills = NULL;
  if (ok)
    take_fills(h, &fills, out);
  else
    diag_warning(w->diags, loc, WARNING_hook_unknown, name, h->p->kernel->name,
                 why);
}

bool frontend_hooks(Program *program, const AstFunction *kernel,
                    const Specialization *specialization, Arena *arena,
                    DiagList *diags, HookFill *before, HookFill *after) {
  KernelWalk k;
  if (!kernel_walk(program, kernel, specialization, arena, diags, &k))
    return false;
  Parameters *p = &k.params;
  if (!parameters_read_quietly(p))
    return true; // compiling it reports the errors
  const Expr *first = autotune_given(p->kernel, "pre_hook"),
             *last = autotune_given(p->kernel, "post_hook");
  const Config *config = p->config;
  const Hooks h = {p, launch_arguments(p)};
  if (config && config->hook)
    run_hook(&h, "pre_hook", config->hook, config->hook_value, before);
  if (first) run_hook(&h, "pre_hook", first, NULL, before);
  if (last) run_hook(&h, "post_hook", last, NULL, after);
  return true;
}
