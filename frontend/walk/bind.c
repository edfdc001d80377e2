// bind.c -- the arguments of a call and the parameters of a helper.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <string.h>

// -- Parameters --------------------------------------------------------------

void argument_fix_name(Walk *w, const Argument *arg, const char *name) {
  SrcLoc loc = arg->whole;
  if (loc.line == arg->loc.line && loc.column == arg->loc.column) return;
  loc.span = (int)strlen(arg->name);
  diag_fix(w->diags, loc, name);
}

typedef struct {
  Walk *w;
  const AstFunction *function;
  SrcLoc loc;            // of the call
  const Object **values; // one for each parameter
} Binder;

static const Object *note_function(const Binder *b) {
  diag_note(b->w->diags, b->function->loc, NOTE_defined, b->function->name);
  return NULL;
}

static bool takes_position(const AstParam *param) {
  return param->kind == PARAM_NORMAL || param->kind == PARAM_POSITIONAL_ONLY;
}

static int count_positions(const AstFunction *f) {
  int n = 0;
  while (n < f->num_params && takes_position(&f->params[n])) n++;
  return n;
}

// Is the function a method whose first argument `self` is not written in the
// call?  The location of `self` is then that of the call.
static bool gives_self(const Binder *b, const Arguments *args) {
  return strchr(b->function->name, '.') && args->count &&
         !args->items[0].name && args->items[0].loc.line == b->loc.line &&
         args->items[0].loc.column == b->loc.column;
}

static bool bind_positional(const Binder *b, const Arguments *args) {
  const AstFunction *f = b->function;
  const int n = count_positions(f);
  assert(n <= f->num_params);
  const bool star = n < f->num_params && f->params[n].kind == PARAM_STAR;
  Vec(const Object *) rest = {0};
  int given = 0;
  SrcLoc excess = b->loc;
  for (size_t i = 0; i < args->count; i++) {
    if (args->items[i].name) continue;
    if (given == n) excess = args->items[i].loc;
    if (given < n)
      b->values[given] = args->items[i].value;
    else
      vec_push(b->w->arena, &rest, args->items[i].value);
    given++;
  }
  if (star)
    b->values[n] = object_written(
        object_tuple(b->w->arena, rest.items, (int)rest.count), '(');
  if (star || given <= n) return true;
  const int self = gives_self(b, args), wanted = n - self;
  diag_error(b->w->diags, excess, ERROR_helper_too_many_arguments, f->name,
             wanted, wanted == 1 ? "" : "s", given - self);
  return note_function(b) != NULL;
}

static bool no_parameter(const Binder *b, const Argument *arg) {
  const AstFunction *f = b->function;
  const int last = f->num_params - 1;
  if (last >= 0 && f->params[last].kind == PARAM_DOUBLE_STAR) {
    diag_error(b->w->diags, arg->whole, ERROR_helper_double_star, f->name,
               f->params[last].name, arg->name);
    return note_function(b) != NULL;
  }
  const char **names =
      arena_array(b->w->arena, const char *, f->num_params + 1);
  for (int i = 0; i < f->num_params; i++) names[i] = f->params[i].name;
  const char *near = diag_nearest(arg->name, names, (size_t)f->num_params);
  diag_error(b->w->diags, arg->whole, ERROR_helper_no_parameter, f->name,
             arg->name, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "");
  if (near) argument_fix_name(b->w, arg, near);
  return note_function(b) != NULL;
}

// Has the function a parameter `**options`?  Only one that runs while compiling
// may.
static bool takes_rest(const AstFunction *f) {
  return f->is_constant && f->num_params &&
         f->params[f->num_params - 1].kind == PARAM_DOUBLE_STAR;
}

static bool add_rest(const Binder *b, const Argument *arg) {
  Walk *w = b->w;
  const Object **rest = &b->values[b->function->num_params - 1];
  const Object *before = *rest ? *rest : call_dict(w, &(Arguments){0});
  const Object *key = object_string(w->arena, arg->name, strlen(arg->name));
  if (dict_find(w, before, key))
    return diag_error(w->diags, arg->whole, ERROR_gets_twice, b->function->name,
                      arg->name);
  *rest = dict_with(w, arg->loc, before, key, arg->value);
  return *rest != NULL;
}

static bool bind_keyword(const Binder *b, const Argument *arg) {
  const AstFunction *f = b->function;
  for (int i = 0; i < f->num_params; i++) {
    const ParamKind kind = f->params[i].kind;
    if (strcmp(f->params[i].name, arg->name) || kind == PARAM_STAR ||
        (kind == PARAM_DOUBLE_STAR && takes_rest(f)))
      continue;
    if (b->values[i])
      return diag_error(b->w->diags, arg->whole, ERROR_gets_twice, f->name,
                        arg->name);
    b->values[i] = arg->value;
    return true;
  }
  return takes_rest(f) ? add_rest(b, arg) : no_parameter(b, arg);
}

Frame frame_at(const Walk *w, AstFile *file, AstPlace place) {
  Frame frame = {.caller = w->frame,
                 .file = file,
                 .place = place,
                 .scope = scope_in(w->arena)};
  if (place.locals) scope_copy(&frame.scope, place.locals);
  return frame;
}

const Object *walk_expr_at(Walk *w, AstFile *file, AstPlace place,
                           const Expr *expr) {
  Frame frame = frame_at(w, file, place);
  const int run = w->run;
  w->run = 0;
  w->frame = &frame;
  const Object *value = walk_expr(w, expr);
  assert(w->frame == &frame); // I3
  w->frame = frame.caller;
  w->run = run;
  return value;
}

// The default of a parameter, to be evaluated.
typedef struct {
  const AstFunction *function;
  const Expr *value;
} Default;

static const void *evaluate_default(Walk *w, void *context) {
  const Default *d = context;
  return walk_expr_at(w, d->function->file, d->function->place, d->value);
}

static const Object *evaluated_default(Walk *w, const AstFunction *function,
                                       const Expr *value) {
  Default d = {function, value};
  return walk_remember(w, &w->defaults, value, evaluate_default, &d);
}

// The default `value`, if it was evaluated when the function was defined; else
// NULL.
static const Object *made_default(const AstFunction *function,
                                  const Expr *value) {
  for (int i = 0; function->defaults && i < function->num_params; i++) {
    if (function->params[i].value == value) return function->defaults[i];
  }
  return NULL;
}

typedef struct {
  const AstFunction *function;
  const Object **values;
} Defaults;

static const void *evaluate_defaults(Walk *w, void *context) {
  const Defaults *all = context;
  for (int i = 0; i < all->function->num_params; i++) {
    Default d = {all->function, all->function->params[i].value};
    if (d.value) all->values[i] = evaluate_default(w, &d);
  }
  return NULL;
}

const Object **defaults_now(Walk *w, const AstFunction *function) {
  const int n = function->num_params;
  const Object **defaults = arena_array(w->arena, const Object *, n + 1);
  Defaults all = {function, defaults};
  walk_quietly(w, evaluate_defaults, &all);
  return defaults;
}

const Object *default_value(Walk *w, const AstFunction *function,
                            const Expr *value) {
  const bool made = function->place.locals != NULL;
  const Object *x = made ? made_default(function, value)
                         : evaluated_default(w, function, value);
  if (made && !x) x = walk_expr_at(w, function->file, function->place, value);
  if (!x || (!walk_has_iterator(w, x) &&
             (made || walk_told_as(w, x) == TOLD_VALUE ||
              w->world->is_told(w->program, function->file, function->name,
                                TOLD_THING))))
    return x;
  return walk_error(w, value->loc, ERROR_computed_by_host, function->name);
}

static bool bind_defaults(const Binder *b) {
  for (int i = 0; i < b->function->num_params; i++) {
    const AstParam *param = &b->function->params[i];
    if (b->values[i]) continue;
    if (param->kind == PARAM_DOUBLE_STAR && takes_rest(b->function)) {
      b->values[i] = walk_own(b->w, call_dict(b->w, &(Arguments){0}), '{');
      continue;
    }
    if (param->value) {
      b->values[i] = default_value(b->w, b->function, param->value);
      if (!b->values[i]) return false;
      continue;
    }
    if (b->function->is_constant && is_passed_on(param->name)) {
      b->values[i] = &object_none;
      continue;
    }
    diag_error(b->w->diags, b->loc, ERROR_helper_missing_argument,
               b->function->name, param->name);
    return note_function(b) != NULL;
  }
  return true;
}

static bool bind_arguments(const Binder *b, const Arguments *args) {
  bool ok = bind_positional(b, args);
  for (size_t i = 0; i < args->count; i++) {
    if (args->items[i].name) ok = bind_keyword(b, &args->items[i]) && ok;
  }
  return ok && bind_defaults(b);
}

const Object **bind_parameters(Walk *w, const AstFunction *function, SrcLoc loc,
                               const Arguments *args) {
  Binder b = {.w = w, .function = function, .loc = loc};
  b.values = arena_array(w->arena, const Object *, function->num_params + 1);
  return bind_arguments(&b, args) ? b.values : NULL;
}

// -- Arguments ---------------------------------------------------------------

static bool spread(Walk *w, const CallArg *arg, const Object *given,
                   Arguments *out) {
  const Object *x = walk_iterable(w, given);
  if (!x)
    return diag_error(w->diags, arg->value->loc, ERROR_star_wants_tuple,
                      text_of(w, given));
  for (int i = 0; i < x->as.tuple.count; i++)
    vec_push(
        w->arena, out,
        ((Argument){NULL, x->as.tuple.items[i], arg->value->loc, arg->loc}));
  return true;
}

// Parameters with which Triton's builtins pass their builder on: unused here.
bool is_passed_on(const char *name) {
  return name && (!strcmp(name, "_semantic") || !strcmp(name, "_generator") ||
                  !strcmp(name, "_builder"));
}

static bool walk_argument(Walk *w, const CallArg *arg, Arguments *out) {
  if (walk_is_constant(w) && is_passed_on(arg->name)) return true;
  const Object *x =
      arg->name ? walk_expr(w, arg->value) : walk_gone_over(w, arg->value);
  if (!x && arg->kind != ARG_DOUBLE_STAR && arg->kind != ARG_STAR)
    vec_push(
        w->arena, out,
        ((Argument){arg->name, &object_poison, arg->value->loc, arg->loc}));
  if (!x) return false;
  if (arg->kind == ARG_DOUBLE_STAR)
    return dict_spread(w, arg->value->loc, x, out);
  if (arg->kind == ARG_STAR) return spread(w, arg, x, out);
  vec_push(w->arena, out,
           ((Argument){arg->name, x, arg->value->loc, arg->loc}));
  return true;
}

bool walk_arguments(Walk *w, const Expr *call, Arguments *out) {
  bool ok = true;
  for (int i = 0; i < call->call.num_args; i++)
    ok = walk_argument(w, &call->call.args[i], out) && ok;
  return ok;
}

static bool has_star(const Expr *call) {
  for (int i = 0; i < call->call.num_args; i++) {
    const CallArgKind kind = call->call.args[i].kind;
    if (kind == ARG_STAR || kind == ARG_DOUBLE_STAR) return true;
  }
  return false;
}

// Does the function take keyword arguments of any name?
static bool takes_any(const Builtin *info) {
  static const char *const names[] = {"dict", "aggregate_replace", "str.format",
                                      "functools.partial"};
  return names_have(names, sizeof names / sizeof *names, info->name);
}

// After an argument has failed: still reports unknown keywords and missing
// arguments.
static void check_others(Walk *w, const Object *callee, const Expr *call,
                         const Arguments *args) {
  BuiltinCall bound;
  if (has_star(call)) return;
  if (callee->kind == OBJECT_BUILTIN && !takes_any(callee->as.builtin.info))
    w->language->bind(w, callee, call->loc, args, &bound);
  const bool method = callee->kind == OBJECT_METHOD;
  if (!method && callee->kind != OBJECT_FUNCTION) return;
  const AstFunction *function =
      method ? callee->as.method.function : callee->as.function;
  if (!function->ok) return;
  const Arguments all =
      method ? arguments_of_method(w, callee, call->loc, args) : *args;
  bind_parameters(w, function, call->loc, &all);
}

bool walk_arguments_of(Walk *w, const Object *callee, const Expr *call,
                       Arguments *out) {
  const bool ok = walk_arguments(w, call, out);
  if (!ok && callee && !w->stopped) check_others(w, callee, call, out);
  return ok && callee;
}
