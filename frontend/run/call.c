// call.c -- calls: arguments, parameters, and the bodies of functions.
#include "frontend/run/evaluate.h"

#include <assert.h>
#include <string.h>

enum { MAX_CALLS = 60 };

// -- Calls of unknown objects ------------------------------------------------

// Does the thing contain code of the program, itself or in its parts?
static bool holds_code(Machine *m, const Thing *x);

static bool any_code(Machine *m, Thing **items, int count) {
  for (int i = 0; items && i < count; i++)
    if (items[i] && holds_code(m, items[i])) return true;
  return false;
}

static bool content_has_code(Machine *m, const Content *c) {
  return c &&
         (any_code(m, c->keys, c->count) || any_code(m, c->items, c->count));
}

static bool is_code(Machine *m, const Thing *x) {
  switch (x->kind) {
  case THING_FUNCTION:
  case THING_METHOD:
  case THING_CLASS:
  case THING_INSTANCE: return true;
  case THING_UNKNOWN: return any_code(m, (Thing **)x->as.either, 2);
  case THING_TUPLE: return any_code(m, x->as.tuple.items, x->as.tuple.count);
  case THING_LIST:
  case THING_DICT:
  case THING_SET: return content_has_code(m, content_of(x));
  case THING_ITERATOR: return true;
  default: return false;
  }
}

// A deeply nested thing may contain itself: the answer is then yes.
static bool holds_code(Machine *m, const Thing *x) {
  enum { MAX_HELD = 20 };
  if (m->nesting > MAX_HELD) return true;
  m->nesting++;
  const bool found = is_code(m, x);
  m->nesting--;
  return found;
}

// triton.jit: the function below it becomes a kernel.  With options, the first
// call only returns the decorator.
static bool marks_kernel(const char *name, const Things *args) {
  const char *last = strrchr(name, '.');
  if (!last || strcmp(last, ".jit") != 0 || strncmp(name, "triton.", 7))
    return false;
  for (size_t i = 0; i < args->count; i++)
    if (args->items[i]->kind == THING_FUNCTION)
      args->items[i]->as.function.is_kernel = true;
  return true;
}

// Is the function `name`, with these arguments, autotune with options?  Its
// result makes a kernel a tuned one, which has the configurations, as
// `kernel.configs`.  A kernel with heuristics has these, as `kernel.values`; a
// function with reports, as `function.benchmarks`.
static bool tunes(Machine *m, const char *name, const Things *args,
                  ArgNames names) {
  const bool guides = !strcmp(name, "triton.heuristics") && args->count == 1;
  if (guides) vec_push(m->arena, &m->guided, args->items[0]);
  const bool options = args->count > 1 || (args->count && names && names[0]);
  const bool reports = run_is_report(name, args);
  if (!reports && (strcmp(name, "triton.autotune") != 0 || !options))
    return guides;
  for (size_t i = 0; i < args->count; i++)
    vec_push(m->arena, &m->tuned, args->items[i]);
  return true;
}

// A function of Python that changes its argument, as in
// `functools.partial(setattr, module, "NAME")`.
static bool is_writer(const Thing *x) {
  return x->kind == THING_BUILTIN &&
         (words_have(WORDS_NAMING_ALL, x->as.builtin->name) ||
          words_have(WORDS_CHANGING_METHODS, x->as.builtin->name));
}

// os.environ.update({"NAME": value}, OTHER=value)
static void update_variables(Machine *m, const Things *args, ArgNames names) {
  for (size_t i = 0; i < args->count; i++) {
    const Thing *x = args->items[i];
    const Content *c = x->kind == THING_DICT ? content_of(x) : NULL;
    if (names && names[i])
      vec_push(m->arena, &m->program->variables, names[i]);
    else if (!c)
      run_set_variable(m, NULL);
    for (int k = 0; c && k < c->count; k++) run_set_variable(m, c->keys[k]);
  }
}

// os.environ.setdefault("NAME", value)
static void note_variables(Machine *m, const char *name, const Things *args,
                           ArgNames names) {
  const size_t length = strlen(environment_name);
  if (strncmp(name, environment_name, length) || name[length] != '.') return;
  const char *method = name + length + 1;
  if (!strcmp(method, "update"))
    update_variables(m, args, names);
  else if (!words_have(WORDS_ENVIRONMENT_READERS, method))
    run_set_variable(m, args->count ? args->items[0] : NULL);
}

// A call of a library's function.  Even if the call leaves its arguments
// unchanged, it may store, return or call them.
static Thing *call_foreign(Machine *m, Thing *callee, Things *args,
                           ArgNames names) {
  const char *name = callee->as.foreign;
  if (words_have(WORDS_RUNNING_AGAIN, name))
    run_body_again(m, args->count ? args->items[0] : NULL);
  note_variables(m, name, args, names);
  if (foreign_gives_modules(callee))
    return run_give_module(m, name, args, names);
  const HostClass *class = host_class(m, name);
  if (class) return host_class_call(m, class, args, names);
  if (tunes(m, name, args, names)) return callee;
  Thing *known =
      strncmp(name, "math.", 5) ? NULL : call_constant(m, name, args, names);
  if (known) return known;
  if (marks_kernel(name, args) && (!args->count || (names && names[0])))
    return callee;
  bool pure = foreign_is_pure(name) && !names_globals(args);
  for (size_t i = 0; i < args->count; i++) {
    pure = pure && !is_writer(args->items[i]);
    if (args->items[i]->kind == THING_FOREIGN)
      pure = pure && foreign_is_pure(args->items[i]->as.foreign);
  }
  // If an argument is code, the function may call it with the other arguments.
  if (!pure ||
      (!foreign_only_marks(name) && any_code(m, args->items, (int)args->count)))
    return run_call_unseen(m, callee, args);
  Thing *result = &thing_unknown;
  for (size_t i = 0; i < args->count; i++)
    result = thing_join(m, result, args->items[i]);
  run_unseen(m);
  run_may_raise(m);
  return result->kind == THING_UNKNOWN ? result : &thing_unknown;
}

// -- Parameters --------------------------------------------------------------

typedef struct {
  const AstFunction *ast;
  Thing **values; // for each parameter; NULL: none yet
  Things rest, more_values, more_names;
} Bound;

static int find_parameter(const AstFunction *ast, const char *name) {
  for (int i = 0; i < ast->num_params; i++) {
    const ParamKind kind = ast->params[i].kind;
    if ((kind == PARAM_NORMAL || kind == PARAM_KEYWORD_ONLY) &&
        ast->params[i].name == name)
      return i;
  }
  return -1;
}

static int find_kind(const AstFunction *ast, ParamKind kind) {
  for (int i = 0; i < ast->num_params; i++)
    if (ast->params[i].kind == kind) return i;
  return -1;
}

// The parameter of the positional argument `n`, or -1.
static int positional(const AstFunction *ast, int n) {
  if (n >= ast->num_params) return -1;
  const ParamKind kind = ast->params[n].kind;
  return kind == PARAM_NORMAL || kind == PARAM_POSITIONAL_ONLY ? n : -1;
}

static bool bind_named(Machine *m, Bound *b, const char *name, Thing *value) {
  const int n = find_parameter(b->ast, name);
  if (n >= 0 && b->values[n]) return false;
  if (n >= 0) b->values[n] = value;
  if (n >= 0) return true;
  if (find_kind(b->ast, PARAM_DOUBLE_STAR) < 0) return false;
  vec_push(m->arena, &b->more_names, thing_text(m, name, strlen(name)));
  vec_push(m->arena, &b->more_values, value);
  return true;
}

static bool bind(Machine *m, Bound *b, Thing **defaults, const Things *args,
                 ArgNames names) {
  const int star = find_kind(b->ast, PARAM_STAR);
  for (int i = 0; i < (int)args->count; i++) {
    const char *name = names ? names[i] : NULL;
    const int n = name ? -1 : positional(b->ast, i);
    if (name && !bind_named(m, b, name, args->items[i])) return false;
    if (name) continue;
    if (n >= 0)
      b->values[n] = args->items[i];
    else if (star >= 0)
      vec_push(m->arena, &b->rest, args->items[i]);
    else
      return false;
  }
  for (int i = 0; i < b->ast->num_params; i++) {
    const ParamKind kind = b->ast->params[i].kind;
    if (kind == PARAM_STAR)
      b->values[i] = thing_tuple(m, b->rest.items, (int)b->rest.count);
    else if (kind == PARAM_DOUBLE_STAR)
      b->values[i] = thing_dict(m, b->more_names.items, b->more_values.items,
                                (int)b->more_names.count);
    else if (!b->values[i] && !(b->values[i] = defaults[i]))
      return false;
  }
  return true;
}

static RunFrame *frame_new(Machine *m, Thing *function) {
  RunFrame *frame = arena_new(m->arena, RunFrame);
  RunFrame *around = function->as.function.around;
  *frame = (RunFrame){.outer = around,
                      .module = around->module,
                      .names = table_new(m),
                      .scope = function->as.function.scope,
                      .class = function->as.function.class};
  return frame;
}

static RunFrame *frame_of_call(Machine *m, Thing *function, Things *args,
                               ArgNames names) {
  const AstFunction *ast = function->as.function.ast;
  Bound b = {.ast = ast};
  b.values = arena_array(m->arena, Thing *, ast->num_params + 1);
  if (!bind(m, &b, function->as.function.defaults, args, names)) {
    run_raise(m, "TypeError");
    return NULL;
  }
  RunFrame *frame = frame_new(m, function);
  for (int i = 0; i < ast->num_params; i++)
    cell_set(m, table_cell(m, frame->names, ast->params[i].name), b.values[i]);
  frame->self = ast->num_params ? b.values[0] : NULL;
  return frame;
}

static Thing *run_body(Machine *m, Thing *function, RunFrame *frame) {
  RunFrame *const outer = m->frame;
  const size_t base = m->leaves.count;
  const int loops = m->loops;
  Thing *value = NULL;
  m->frame = frame;
  m->loops = 0;
  m->calls++;
  if (run_block(m, &function->as.function.ast->body))
    run_leave(m, LEAVE_RETURN, &thing_none);
  const bool alive = run_merge(m, base, LEAVE_RETURN, false, &value);
  assert(m->frame == frame && m->calls > 0 && "a call within is open"); // I1
  m->calls--;
  m->loops = loops;
  m->frame = outer;
  return alive ? value : NULL;
}

static Thing *call_function(Machine *m, Thing *function, Things *args,
                            ArgNames names) {
  if (m->calls > MAX_CALLS || function->as.function.scope->opaque) run_lose(m);
  if (m->lost) return NULL;
  if (function->as.function.is_remade)
    return run_call_unseen(m, function, args);
  RunFrame *frame = frame_of_call(m, function, args, names);
  if (!frame) return NULL;
  if (!function->as.function.scope->yields) return run_body(m, function, frame);
  Thing *x = iterator_new(m, ITERATES_FUNCTION, function, NULL, 0);
  x->as.iterator.frame = frame;
  return x;
}

static Thing *call_method(Machine *m, Thing *method, Things *args,
                          ArgNames names) {
  Thing *function = method->as.method.function;
  if (function->kind == THING_BUILTIN)
    return function->as.builtin->run(m, method->as.method.self, args, names,
                                     function->as.builtin->data);
  Things all = {0};
  const char **all_names = arena_array(m->arena, const char *, args->count + 1);
  vec_push(m->arena, &all, method->as.method.self);
  for (size_t i = 0; i < args->count; i++) {
    all_names[i + 1] = names ? names[i] : NULL;
    vec_push(m->arena, &all, args->items[i]);
  }
  return run_call(m, function, &all, all_names);
}

static Thing *call_instance(Machine *m, Thing *x, Things *args,
                            ArgNames names) {
  if (class_is_unknown(x->as.instance.class))
    return run_call_unseen(m, x, args);
  Thing *method = special_method(m, x, "__call__");
  return method ? run_call(m, method, args, names) : run_raise(m, "TypeError");
}

Thing *call_thing(Machine *m, Thing *callee, Things *args, ArgNames names) {
  if (!run_step(m)) return NULL;
  switch (callee->kind) {
  case THING_FUNCTION: return call_function(m, callee, args, names);
  case THING_METHOD: return call_method(m, callee, args, names);
  case THING_BUILTIN:
    return callee->as.builtin->run(m, NULL, args, names,
                                   callee->as.builtin->data);
  case THING_CLASS: return class_call(m, callee, args, names);
  case THING_INSTANCE: return call_instance(m, callee, args, names);
  case THING_FOREIGN: return call_foreign(m, callee, args, names);
  case THING_CONSTANT:
  case THING_LIST:
  case THING_TUPLE:
  case THING_DICT:
  case THING_SET: return run_raise(m, "TypeError");
  default: return run_call_unseen(m, callee, args);
  }
}

// -- Call expressions --------------------------------------------------------

typedef struct {
  Things args;
  Vec(const char *) names;
  bool known;
} SpreadCall;

static void add_argument(Machine *m, SpreadCall *s, const char *name,
                         Thing *x) {
  vec_push(m->arena, &s->args, x);
  vec_push(m->arena, &s->names, name);
}

static bool spread_star(Machine *m, SpreadCall *s, Thing *x) {
  bool alive = true;
  Things items = {0};
  if (!run_drain(m, x, &items, &alive)) {
    s->known = false;
    if (alive) run_unknown(m, x, NULL);
    return alive;
  }
  for (size_t i = 0; i < items.count; i++)
    add_argument(m, s, NULL, items.items[i]);
  return true;
}

static bool has_name(const SpreadCall *s, const char *name) {
  for (size_t i = 0; i < s->names.count; i++)
    if (s->names.items[i] && !strcmp(s->names.items[i], name)) return true;
  return false;
}

static bool spread_dict(Machine *m, SpreadCall *s, Thing *x) {
  const Content *c = x->kind == THING_DICT ? content_of(x) : NULL;
  for (int i = 0; c && i < c->count; i++) {
    if (!thing_is_text(c->keys[i])) {
      c = NULL;
      break;
    }
    const char *name = run_word(m, c->keys[i]->as.constant->as.string.text);
    if (has_name(s, name)) return run_raise(m, "TypeError") != NULL;
    add_argument(m, s, name, c->items[i]);
  }
  if (c) return true;
  s->known = false;
  run_unknown(m, x, NULL);
  return true;
}

static bool run_arguments(Machine *m, const CallArg *args, int count,
                          SpreadCall *s) {
  *s = (SpreadCall){.known = true};
  for (int i = 0; i < count; i++) {
    Thing *x = run_expr(m, args[i].value);
    if (!x) return false;
    switch (args[i].kind) {
    case ARG_POSITIONAL: add_argument(m, s, NULL, x); break;
    case ARG_KEYWORD: add_argument(m, s, args[i].name, x); break;
    case ARG_STAR:
      if (!spread_star(m, s, x)) return false;
      break;
    case ARG_DOUBLE_STAR:
      if (!spread_dict(m, s, x)) return false;
      break;
    }
  }
  return true;
}

// A positional argument may follow a keyword argument: `f(a=1, *rest)`.
static void put_positional_first(Machine *m, SpreadCall *s) {
  SpreadCall sorted = {.known = s->known};
  for (int named = 0; named < 2; named++)
    for (size_t i = 0; i < s->args.count; i++)
      if ((s->names.items[i] != NULL) == named)
        add_argument(m, &sorted, s->names.items[i], s->args.items[i]);
  assert(sorted.args.count == s->args.count); // I5
  *s = sorted;
}

Thing *run_call_expr(Machine *m, const Expr *e) {
  SpreadCall s;
  Thing *callee = run_expr(m, e->call.callee);
  if (!callee || !run_arguments(m, e->call.args, e->call.num_args, &s))
    return NULL;
  put_positional_first(m, &s);
  run_note_report(m, e->loc, callee, s.known ? &s.args : NULL);
  if (!s.known && callee->kind == THING_FOREIGN &&
      tunes(m, callee->as.foreign, &s.args, s.names.items))
    return callee;
  if (!s.known) return run_call_unseen(m, callee, &s.args);
  return run_call(m, callee, &s.args, s.names.items);
}

// -- Making functions --------------------------------------------------------

Thing *make_function(Machine *m, const AstFunction *ast) {
  Thing **defaults = arena_array(m->arena, Thing *, ast->num_params + 1);
  for (int i = 0; i < ast->num_params; i++) {
    if (!ast->params[i].value) continue;
    defaults[i] = run_expr(m, ast->params[i].value);
    if (!defaults[i]) return NULL;
  }
  for (int i = 0; i < ast->num_params; i++)
    if (!run_annotation(m, ast->params[i].annotation)) return NULL;
  if (!run_annotation(m, ast->returns)) return NULL;
  Thing *x = thing_new(m, THING_FUNCTION);
  x->as.function.ast = ast;
  x->as.function.defaults = defaults;
  x->as.function.around = m->frame;
  x->as.function.names = table_new(m);
  x->as.function.scope = function_names(m, ast);
  x->as.function.class = m->frame->is_class ? m->frame->class : NULL;
  vec_push(m->arena, &m->functions, x);
  return x;
}

// -- Functions that unseen code may call -------------------------------------

static bool weak_turn(Machine *m, void *data) {
  Thing *f = data;
  if (f->as.function.scope->opaque) run_lose(m);
  if (m->lost) return false;
  const AstFunction *ast = f->as.function.ast;
  const size_t base = m->leaves.count;
  RunFrame *frame = frame_new(m, f);
  for (int i = 0; i < ast->num_params; i++) {
    Thing *value = f->as.function.defaults[i];
    value = value ? thing_join(m, &thing_unknown, value) : &thing_unknown;
    cell_set(m, table_cell(m, frame->names, ast->params[i].name), value);
  }
  frame->self = &thing_unknown;
  frame->yields = thing_list(m, NULL, 0);
  Thing *result = run_body(m, f, frame);
  if (result) run_expose(m, result);
  run_expose(m, frame->yields);
  Thing *error = NULL;
  const bool alive = run_merge(m, base, LEAVE_RAISE, result != NULL, &error);
  if (error) run_expose(m, error);
  return alive;
}

static void run_function_weakly(Machine *m, Thing *f) {
  const int most = m->most_steps;
  if (f->as.function.is_opaque || f->as.function.is_kernel) return;
  const RunPoint point = run_point(m);
  if (m->steps + STEPS_OF_A_FUNCTION < most)
    m->most_steps = m->steps + STEPS_OF_A_FUNCTION;
  m->tries = m->calls = 0;
  run_weak(m, weak_turn, f);
  m->most_steps = most;
  m->tries = point.now.tries;
  m->calls = point.now.calls;
  if (!m->lost) return;
  run_recover(m, &point);
  run_opaque_function(m, f);
}

void call_weakly(Machine *m, Thing *f) {
  if (f->kind == THING_ITERATOR)
    run_generator_weakly(m, f);
  else
    run_function_weakly(m, f);
}
