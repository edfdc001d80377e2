// call.c -- calls, and helpers that are walked in place.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/value/value.h"
#include "frontend/walk/evaluate.h"
#include "frontend/walk/failed_assertion.h"
#include "frontend/walk/unknown_name.h"
#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

// The name of `make` in `f = make(3)`, if it is a function of the file; else
// NULL.
static const char *maker_of(const Symbol *symbol) {
  const Expr *value = symbol->global ? symbol->global->value : NULL;
  const bool by_name = value && value->kind == EXPR_CALL &&
                       value->call.callee->kind == EXPR_NAME;
  return by_name ? value->call.callee->name : NULL;
}

// A call of an attribute that is a number: `x.numel()`.
static const Object *not_to_call(Walk *w, const Expr *call, const Object *x) {
  const Expr *callee = call->call.callee;
  if (reads_shape(w, callee)) return pointer_has_no_shape(w, callee);
  if (callee->kind != EXPR_ATTRIBUTE)
    return walk_error(w, callee->loc, ERROR_cannot_called, text_of(w, x));
  if (x->kind == OBJECT_DTYPE && call->call.num_args)
    return type_is_no_cast(w, callee, x);
  walk_error(w, callee->attribute.name_loc, ERROR_attribute_called,
             callee->attribute.name, text_of(w, x));
  if (!call->call.num_args) fix_written(w, call->loc, short_text(w, callee));
  return NULL;
}

// A call of a value's type, `x.dtype()` or `x.type(tl.float16)`; not
// `tl.float32()` or `x.dtype(y)`.
static bool is_type_of_value(const Expr *call, const Object *callee,
                             const Arguments *args) {
  const Expr *name = call->call.callee;
  if (args->count && args->items[0].value->kind != OBJECT_DTYPE) return false;
  return callee->kind == OBJECT_DTYPE && name->kind == EXPR_ATTRIBUTE &&
         dtype_find_attribute(name->attribute.name) == DTYPE_COUNT;
}

static const Object *not_a_function(Walk *w, const Expr *call,
                                    const Object *x) {
  const Expr *callee = call->call.callee;
  const Symbol *symbol = x->as.symbol;
  if (x->kind != OBJECT_SYMBOL) return not_to_call(w, call, x);
  if (symbol->kind == SYMBOL_MODULE)
    return walk_error(w, callee->loc, ERROR_cannot_called, text_of(w, x));
  if (symbol->kind == SYMBOL_EXTERNAL) return not_called(w, callee, symbol);
  if (symbol->kind == SYMBOL_BUILTIN)
    return walk_error(w, callee->loc, ERROR_cannot_called, text_of(w, x));
  const char *maker = maker_of(symbol);
  if (maker)
    walk_error(w, callee->loc, ERROR_calls_made_by_host, symbol->name, maker);
  else if (symbol->global && symbol->global->value)
    walk_error(w, callee->loc, ERROR_calls_host_value, symbol->name,
               short_text(w, symbol->global->value));
  else if (!w->frame->function && w->frame->global)
    return walk_error(w, callee->loc, ERROR_computed_by_host,
                      w->frame->global->name);
  else if (symbol->kind == SYMBOL_HOST && !symbol->function && !symbol->global)
    walk_error(w, callee->loc, ERROR_calls_host_class, symbol->name);
  else
    walk_error(w, callee->loc, ERROR_calls_host_code, symbol->name);
  if (symbol->loc.line)
    diag_note(w->diags, symbol->loc, NOTE_defined, symbol->name);
  return NULL;
}

// A type as a cast: `tl.float32(x)`.
static const Object *call_dtype(Walk *w, const Object *type, SrcLoc loc,
                                const Arguments *args) {
  const Builtin *cast = w->language->find("cast");
  Arguments both = {0};
  for (size_t i = 0; i < args->count; i++)
    vec_push(w->arena, &both, args->items[i]);
  vec_push(w->arena, &both, ((Argument){"dtype", type, loc, loc}));
  return w->language->call(w, object_builtin(w->arena, cast, NULL), loc, &both);
}

// Modules, and functions that compute constants, may call host functions.
static const AstFunction *called_by_constant(Walk *w, const Symbol *symbol) {
  const bool may = !w->frame->function || walk_is_constant(w);
  return may && symbol->kind == SYMBOL_HOST &&
                 program_is_plain(w->program, symbol)
             ? program_host_function(w->program, symbol)
             : NULL;
}

static bool names_config(const Object *callee) {
  return callee->kind == OBJECT_SYMBOL &&
         callee->as.symbol->kind == SYMBOL_BUILTIN &&
         !strcmp(callee->as.symbol->name, "triton.Config");
}

// Does the symbol refer to the current device?  A launch has one device, and
// passes it to ask for its properties.
static bool names_current_device(const Symbol *symbol) {
  return symbol->kind == SYMBOL_EXTERNAL &&
         !strcmp(symbol->name, "torch.cuda.current_device");
}

static const Object *call_host(Walk *w, const Expr *expr, const Object *callee,
                               const Arguments *args) {
  if (callee->kind != OBJECT_SYMBOL) return not_a_function(w, expr, callee);
  const Symbol *symbol = callee->as.symbol;
  if (w->is_launch && !w->num_finding && names_current_device(symbol))
    return object_int(w->arena, 0);
  if (symbol->kind == SYMBOL_EXTERNAL && host_is_limits(symbol->name))
    return host_limits(w, symbol->name, expr->loc, args);
  if (names_config(callee) && walk_is_host(w))
    return call_config(w, expr->loc, args);
  if (symbol_is_benchmark(symbol) && walk_is_host(w))
    return call_benchmark(w, expr->loc, args);
  const AstFunction *plain = called_by_constant(w, symbol);
  const Object *function = plain ? object_function(w->arena, plain)
                                 : walk_decorated(w, symbol, expr->loc);
  const bool inside = w->runs_host || w->frame->function;
  const Object *x = !function ? NULL
                    : inside  ? call_object(w, function, expr->loc, args)
                              : call_hosted(w, function, expr->loc, args);
  if (x || (function && inside)) return x;
  return not_a_function(w, expr, callee);
}

// `"{}".format(x)`, `str.format("{}", x)`
static const Object *call_format(Walk *w, const Object *callee, SrcLoc loc,
                                 const Arguments *args) {
  const Object *template = callee->as.builtin.self;
  Arguments values = *args;
  if (!template) {
    if (!args->count || args->items[0].name)
      return walk_error(w, loc, ERROR_missing_argument, "str.format", 4,
                        "self");
    template = args->items[0].value;
    values.items++, values.count--;
  }
  if (template->kind != OBJECT_STRING)
    return walk_error(w, args->items[0].loc, ERROR_wrong_argument, "self",
                      "str.format", "a string", text_of(w, template));
  for (size_t i = 0; i < args->count; i++) {
    const Argument *arg = &args->items[i];
    if (!object_is_constant(arg->value))
      return walk_error(w, arg->loc, ERROR_f_string_shows_constants_only,
                        "'format'", text_of(w, arg->value));
  }
  const ConstantContext c = constant_context(w, loc);
  return string_format(&c, template, &values);
}

static const Object *call_language(Walk *w, const Object *callee, SrcLoc loc,
                                   const Arguments *args) {
  const char *name = callee->as.builtin.info->name;
  if (!strcmp(name, "dict")) return call_dict(w, args);
  if (!strcmp(name, "aggregate_replace")) return call_replace(w, loc, args);
  if (!strcmp(name, "str.format")) return call_format(w, callee, loc, args);
  if (!strcmp(name, "functools.partial")) {
    const BuiltinCall c = {.info = callee->as.builtin.info, .loc = loc};
    return w->language->partial(w, &c, args);
  }
  return w->language->call(w, callee, loc, args);
}

// The decorator `@must_use_result` or `@must_use_result("why")` of a function;
// NULL if it has none.
static const Decorator *must_use(const AstFunction *function) {
  for (int i = 0; i < function->num_decorators; i++) {
    const char *name = function->decorators[i].name;
    if (name && !strcmp(name, "must_use_result"))
      return &function->decorators[i];
  }
  return NULL;
}

static const char *reason_of(const Decorator *d) {
  const Expr *call = d->expr && d->expr->kind == EXPR_CALL ? d->expr : NULL;
  const Expr *why =
      call && call->call.num_args ? call->call.args[0].value : NULL;
  return why && why->kind == EXPR_STRING ? why->string.text : "";
}

// Reports a call whose result must be used, but is not.
static bool check_used(Walk *w, const Expr *expr, const Object *callee) {
  const AstFunction *function =
      callee->kind == OBJECT_FUNCTION ? callee->as.function
      : callee->kind == OBJECT_METHOD ? callee->as.method.function
                                      : NULL;
  const Decorator *rule = function ? must_use(function) : NULL;
  const bool advance = callee->kind == OBJECT_BUILTIN &&
                       !strcmp(callee->as.builtin.info->name, "advance");
  if (expr != w->statement || (!rule && !advance)) return true;
  const char *why = rule ? reason_of(rule) : "a block pointer stays as it is";
  return diag_error(w->diags, expr->loc, ERROR_result_unused,
                    rule ? function->name : "advance", *why ? "; " : "", why);
}

// Calls a lambda.  If it is in the library, then partial() made it, so that a
// note below the lambda's errors names partial().
static const Object *call_lambda(Walk *w, const Object *callee, SrcLoc loc,
                                 const Arguments *args) {
  Diag **mark = w->diags->last;
  const Object *result = call_function_within(
      w, callee->as.lambda.function, callee->as.lambda.around, loc, args);
  if (!result) library_blame_call(w, mark, loc, "partial");
  return result;
}

const Object *call_object(Walk *w, const Object *callee, SrcLoc loc,
                          const Arguments *args) {
  switch (callee->kind) {
  case OBJECT_BUILTIN: return call_language(w, callee, loc, args);
  case OBJECT_DTYPE: return call_dtype(w, callee, loc, args);
  case OBJECT_LAMBDA: return call_lambda(w, callee, loc, args);
  case OBJECT_METHOD: return call_method(w, callee, loc, args);
  case OBJECT_CLASS: return call_class(w, callee->as.class, loc, args);
  default: return call_function(w, callee->as.function, loc, args);
  }
}

const Object *call_value(Walk *w, const Object *callee, SrcLoc loc,
                         const Arguments *args) {
  if (object_is_callable(callee)) return call_object(w, callee, loc, args);
  const AstFunction *function = callee->kind == OBJECT_SYMBOL
                                    ? called_by_constant(w, callee->as.symbol)
                                    : NULL;
  if (function) return call_function(w, function, loc, args);
  return walk_error(w, loc, ERROR_cannot_called, text_of(w, callee));
}

static const Object *walk_callee(Walk *w, const Expr *call) {
  const Expr *const outer = w->call;
  w->call = call;
  const Object *callee = walk_expr(w, call->call.callee);
  w->call = outer;
  return callee;
}

// `*changes` is false if the method's object is no list, dictionary or set.
static const Object *changing_call(Walk *w, const Expr *call, bool *changes) {
  const char *method = call->call.callee->attribute.name;
  const Object *x = walk_expr(w, call->call.callee->attribute.object);
  Arguments args = {0};
  *changes = !x || object_is_collection(x);
  if (!x || !*changes || !walk_arguments(w, call, &args)) return NULL;
  return change_by_call(w, call->loc, method, x, &args);
}

const Object *walk_call(Walk *w, const Expr *expr) {
  bool changes = is_changing_call(w, expr);
  const Object *changed = changes ? changing_call(w, expr, &changes) : NULL;
  if (changes) return changed;
  const Object *callee = walk_callee(w, expr);
  Arguments args = {0};
  if (!walk_arguments_of(w, callee, expr, &args)) return NULL;
  if (!check_used(w, expr, callee)) return NULL;
  if (!w->language->extreme_is_clear(w, expr, callee, &args)) return NULL;
  if (!walk_may_get(w, callee, &args)) return NULL;
  w->b.loc = expr->loc;
  if (is_type_of_value(expr, callee, &args))
    return not_to_call(w, expr, callee);
  if (!object_is_callable(callee)) return call_host(w, expr, callee, &args);
  const Object *result = call_object(w, callee, expr->loc, &args);
  if (result) walk_note_over(w, callee, &args, result);
  const Diag *error = w->diags->newest;
  if (!result && expr->call.num_args && error &&
      !strcmp(error->format, ERROR_static_assertion_failed) &&
      callee->kind == OBJECT_BUILTIN)
    note_sides(w, expr->call.args[0].value);
  return result;
}

// -- Walking a helper in place -----------------------------------------------

typedef struct {
  Walk *w;
  const AstFunction *function;
  const Locals *around;  // names of the scope around it; or NULL
  SrcLoc loc;            // of the call
  const Object **values; // one for each parameter
  const Object *first;   // out: value of the first one at the body's end
} Helper;

AstPlace place_of_call(const Walk *w, const AstFile *file) {
  const Frame *f = w->frame;
  while (f && f->file != file) f = f->caller;
  return f ? (AstPlace){.prefix = f->place.prefix,
                        .is_nested = true,
                        .order = f->place.order}
           : (AstPlace){0};
}

static const char in_comprehension[] =
    "is what the comprehension around this lambda leaves behind: "
    "a default, 'lambda x, y=y: ...', keeps what it is";

static const Object *walk_in_place(Walk *w, Helper *b) {
  Frame frame = {.caller = w->frame,
                 .function = b->function,
                 .file = b->function->file,
                 .place = place_of_call(w, b->function->file),
                 .scope = scope_in(w->arena)};
  frame.place.within = b->function->place.within;
  if (b->around) scope_copy(&frame.scope, names_now(w, b->around));
  for (size_t i = 0; i < b->function->hidden.count; i++)
    scope_set(&frame.scope, b->function->hidden.items[i],
              object_gone(w->arena, in_comprehension, NULL, NULL));
  for (int i = 0; i < b->function->num_params; i++) {
    const AstParam *param = &b->function->params[i];
    scope_set(&frame.scope, param->name, b->values[i])->given = &param->loc;
  }
  const SrcLoc loc = w->b.loc;
  const int run = w->run;
  if (b->function->is_constant && !walk_is_constant(w)) w->run = ++w->num_runs;
  w->frame = &frame;
  w->call_depth++;
  const Object *result = w->language->body(w, &b->function->body);
  if (b->function->num_params)
    b->first = scope_get(&frame.scope, b->function->params[0].name);
  if (frame.shared) scope_copy(frame.shared, &frame.scope);
  assert(w->frame == &frame); // I3
  assert(!result || !frame.pending.count);
  assert(!frame.loops || w->failures || w->stopped);            // I9
  assert(0 < w->call_depth && w->call_depth <= MAX_CALL_DEPTH); // I3
  w->call_depth--;
  w->frame = frame.caller;
  w->run = run;
  w->b.loc = loc;
  w->returned = frame.returned;
  if (frame.unwinds) w->stopped = false;
  return result;
}

// Is the function of frame `f` called again within that call?
static bool calls_itself(const Helper *b, const Frame *f) {
  if (f->function == b->function) return true;
  const Frame *inner = b->w->frame;
  while (inner != f && inner->function != f->function) inner = inner->caller;
  return inner != f;
}

// The outermost call of the recursive function; NULL if none is recursive.
static Frame *first_call(const Helper *b) {
  Frame *first = NULL;
  for (Frame *f = b->w->frame; f && f->caller; f = f->caller)
    if (f->function && calls_itself(b, f)) first = f;
  return first;
}

// Ends the walk of all calls within the outermost one of the recursive
// function: statements behind them would recurse again.  Statements behind the
// outermost call are still checked.
static const Object *too_deep(const Helper *b) {
  const Frame *f = b->w->frame;
  while (f && f->function != b->function) f = f->caller;
  walk_error(b->w, b->loc, f ? ERROR_recursion : ERROR_call_depth,
             MAX_CALL_DEPTH, b->function->name);
  Frame *first = first_call(b);
  if (first) first->unwinds = true;
  return recover_never(b->w);
}

// The known parameters, for a message: "with BLOCK = 64, DTYPE = fp16".
static const char *constants_text(const Helper *b) {
  enum { MAX_TEXT = 200 };
  Str out = str_in(b->w->arena);
  for (int i = 0; i < b->function->num_params && out.length < MAX_TEXT; i++) {
    const Object *x = b->values[i];
    if (!object_is_constant(x) || x->kind == OBJECT_NAMED) continue;
    str_addf(&out, "%s%s = ", out.length ? ", " : ", with ",
             b->function->params[i].name);
    object_print(x, true, &out);
  }
  return str_text(&out);
}

static const Object *call(Helper *b, const Arguments *args) {
  Walk *w = b->w;
  if (!b->function->ok && !frontend_is_broken(w->program))
    return walk_error(w, b->loc, ERROR_syntax_errors, b->function->name);
  if (!b->function->ok) return NULL;
  if (w->call_depth >= MAX_CALL_DEPTH) return too_deep(b);
  Diag **mark = w->diags->last;
  b->values = bind_parameters(w, b->function, b->loc, args);
  const int level = b->values ? walk_enter(w, b->loc) : 0;
  if (!level) return NULL;
  const Object *result = walk_in_place(w, b);
  walk_leave(w, level);
  if (!result)
    recover_note_calls(w, mark, b->loc, NOTE_called, constants_text(b));
  return result == &object_none ? object_none_of(w->arena, b->function)
                                : result;
}

const Object *call_function(Walk *w, const AstFunction *function, SrcLoc loc,
                            const Arguments *args) {
  return call_function_within(w, function, function->around, loc, args);
}

const Object *call_function_within(Walk *w, const AstFunction *function,
                                   const Locals *around, SrcLoc loc,
                                   const Arguments *args) {
  Helper b = {.w = w, .function = function, .around = around, .loc = loc};
  return call(&b, args);
}

const Object *call_initializer(Walk *w, const AstFunction *function, SrcLoc loc,
                               const Arguments *args) {
  Helper b = {.w = w, .function = function, .loc = loc};
  return call(&b, args) ? b.first : NULL;
}
