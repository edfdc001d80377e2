// class.c -- objects of classes: NamedTuples and aggregates.
//
// An object of a class is a tuple whose items have names.  An aggregate is made
// by its `__init__`, which assigns each field; a NamedTuple, or an aggregate
// without `__init__`, is made from its fields in order.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <string.h>

// The meaning of `Class.name`, whether it is read from the class or an object.
static Symbol find_in_class(Walk *w, const AstClass *class, const char *name,
                            SrcLoc use) {
  return program_member(w->program, w->diags, symbol_of_class(class), name,
                        use);
}

// The nearest of the class and its bases that defines the name.
static const AstClass *owner_of(Walk *w, const AstClass *class,
                                const char *name) {
  for (; class && class->file; class = class->base) {
    const char *whole = arena_printf(w->arena, "%s.%s", class->name, name);
    const Symbol symbol = symbol_of_class(class);
    if (file_find_at(class->file, whole, class_order(&symbol))) return class;
  }
  return NULL;
}

// Finds a method of the class or its bases; `*method` is NULL if there is none.
// False after a diagnostic: the method has errors.
static bool find_method(Walk *w, const AstClass *class, const char *name,
                        SrcLoc use, const AstFunction **method) {
  *method = NULL;
  const AstClass *owner = owner_of(w, class, name);
  if (!owner) return true;
  const Symbol symbol = find_in_class(w, owner, name, use);
  if (symbol.kind == SYMBOL_FUNCTION) *method = symbol.function;
  return symbol.kind != SYMBOL_ERROR;
}

// -- Making them -------------------------------------------------------------

// The constructor of the class: a function with the fields as its parameters.
static const AstFunction *function_of(Walk *w, const AstClass *class) {
  AstFunction *function = arena_new(w->arena, AstFunction);
  const int n = class->num_fields;
  function->file = class->file;
  function->name = class->name;
  function->loc = class->loc;
  function->ok = true;
  function->num_params = n;
  function->params = arena_array(w->arena, AstParam, n + 1);
  for (int i = 0; i < n; i++) {
    function->params[i].name = class->fields[i].name;
    function->params[i].kind = PARAM_NORMAL;
    function->params[i].loc = class->loc;
    function->params[i].value = class->fields[i].value;
  }
  return function;
}

static const Object *check_fields(Walk *w, const AstClass *class, SrcLoc loc,
                                  const Object *x) {
  if (!object_is_of_class(x, class))
    return walk_error(w, loc, ERROR_self_replaced, class->name, text_of(w, x));
  assert(x->as.tuple.count == class->num_fields); // I10
  for (int i = 0; i < class->num_fields; i++) {
    if (x->as.tuple.items[i]->kind != OBJECT_GONE) continue;
    return walk_error(w, loc, ERROR_field_not_set, class->name,
                      class->fields[i].name);
  }
  return x;
}

static const Object *initialize(Walk *w, const AstClass *class,
                                const AstFunction *init, SrcLoc loc,
                                const Arguments *args) {
  const int n = class->num_fields;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++)
    items[i] = object_gone(w->arena, "'__init__' has not set it", NULL, NULL);
  const Object *self = object_of_class(w->arena, class, items);
  const Object *method = object_method(w->arena, init, self);
  const Object *x = call_method(w, method, loc, args);
  return x ? check_fields(w, class, loc, x) : NULL;
}

static const Object *circular(Walk *w, const AstClass *class, SrcLoc use) {
  walk_error(w, class->loc, ERROR_circular_definition, class->name);
  diag_note(w->diags, use, NOTE_needed);
  return NULL;
}

const Object *call_class(Walk *w, const AstClass *class, SrcLoc loc,
                         const Arguments *args) {
  for (const AstClass *c = class; c; c = c->base) {
    if (c->is_circular) return circular(w, c, loc);
  }
  const AstFunction *init;
  if (!find_method(w, class, "__init__", loc, &init)) return NULL;
  if (init) return initialize(w, class, init, loc, args);
  const Object **items = bind_parameters(w, function_of(w, class), loc, args);
  for (int i = 0; items && class->is_aggregate && i < class->num_fields; i++) {
    if (!class_field_takes(w, class, i, loc, items[i])) return NULL;
  }
  return items ? object_of_class(w->arena, class, items) : NULL;
}

// The aggregate of which a changed copy is requested; NULL after a diagnostic.
static const Object *replaced(Walk *w, SrcLoc loc, const Arguments *args) {
  const Argument *first = args->count ? &args->items[0] : NULL;
  if (!first || (first->name && strcmp(first->name, "instance")))
    return walk_error(w, loc, ERROR_replace_wants_aggregate, "nothing");
  const Object *x = first->value;
  if (x->kind == OBJECT_TUPLE && x->as.tuple.class &&
      x->as.tuple.class->is_aggregate)
    return x;
  return walk_error(w, first->loc, ERROR_replace_wants_aggregate,
                    text_of(w, x));
}

const Object *call_replace(Walk *w, SrcLoc loc, const Arguments *args) {
  const Object *x = replaced(w, loc, args);
  if (!x) return NULL;
  const AstClass *class = x->as.tuple.class;
  Arguments all = {0};
  for (int i = 0; i < class->num_fields; i++)
    vec_push(
        w->arena, &all,
        ((Argument){class->fields[i].name, x->as.tuple.items[i], loc, loc}));
  assert(all.count == (size_t)x->as.tuple.count); // I10
  for (size_t i = 1; i < args->count; i++) {
    const Argument *arg = &args->items[i];
    const int field = arg->name ? class_find_field(class, arg->name) : -1;
    if (field < 0)
      return walk_error(w, arg->whole, ERROR_no_such_field, class->name,
                        arg->name ? arg->name : text_of(w, arg->value));
    all.items[field] = *arg;
  }
  return call_class(w, class, loc, &all);
}

static bool is_initializer(const AstFunction *function) {
  const char *dot = strrchr(function->name, '.');
  return dot && !strcmp(dot, ".__init__");
}

Arguments arguments_of_method(Walk *w, const Object *method, SrcLoc loc,
                              const Arguments *args) {
  Arguments all = {0};
  vec_push(w->arena, &all,
           ((Argument){NULL, method->as.method.self, loc, loc}));
  for (size_t i = 0; i < args->count; i++)
    vec_push(w->arena, &all, args->items[i]);
  return all;
}

const Object *call_method(Walk *w, const Object *method, SrcLoc loc,
                          const Arguments *args) {
  const AstFunction *function = method->as.method.function;
  const Arguments all = arguments_of_method(w, method, loc, args);
  return is_initializer(function) ? call_initializer(w, function, loc, &all)
                                  : call_function(w, function, loc, &all);
}

// -- Members -----------------------------------------------------------------

static bool is_static(const AstFunction *function) {
  for (int i = 0; i < function->num_decorators; i++) {
    const char *name = function->decorators[i].name;
    if (name && !strcmp(name, "staticmethod")) return true;
  }
  return false;
}

bool find_member(Walk *w, const Object *x, const char *name, SrcLoc use,
                 const Object **member) {
  const bool is_value = x->kind == OBJECT_TUPLE;
  const AstClass *class = is_value ? x->as.tuple.class : x->as.class;
  *member = NULL;
  if (!class) return true;
  const int field = class_find_field(class, name);
  if (is_value && field >= 0) *member = x->as.tuple.items[field];
  if (*member || !class->file) return true;
  const AstClass *owner = owner_of(w, class, name);
  const Symbol symbol = find_in_class(w, owner ? owner : class, name, use);
  if (symbol.kind == SYMBOL_ABSENT) return true;
  const bool bound =
      is_value && symbol.kind == SYMBOL_FUNCTION && !is_static(symbol.function);
  *member = bound ? object_method(w->arena, symbol.function, x)
                  : constant_of_symbol(w, &symbol, use);
  return *member;
}

// `args["desc"].block_shape = value`, in host code of a launch.
static bool assign_of_host(Walk *w, const Expr *target, const Object *value) {
  const Object *x = walk_expr(w, target->attribute.object);
  if (x && object_is_descriptor(x))
    return host_descriptor_assign(w, target->loc, x, target->attribute.name,
                                  value);
  return x &&
         diag_error(w->diags, target->loc, ERROR_only_names_tuples_names_can,
                    short_text(w, target));
}

bool walk_assign_field(Walk *w, const Expr *target, const Object *value) {
  const Expr *object = target->attribute.object;
  const AstFunction *function = w->frame->function;
  const Object *self = object->kind == EXPR_NAME
                           ? scope_get(&w->frame->scope, object->name)
                           : NULL;
  const bool is_value =
      self && self->kind == OBJECT_TUPLE && self->as.tuple.class;
  if (!is_value && w->is_launch) return assign_of_host(w, target, value);
  if (!is_value || !function || !is_initializer(function))
    return diag_error(w->diags, target->loc, ERROR_only_names_tuples_names_can,
                      short_text(w, target));
  const AstClass *class = self->as.tuple.class;
  const int field = class_find_field(class, target->attribute.name);
  if (field < 0)
    return diag_error(w->diags, target->loc, ERROR_no_such_field, class->name,
                      target->attribute.name);
  if (class->is_aggregate &&
      !class_field_takes(w, class, field, target->loc, value))
    return false;
  if (!class->fields[field].is_constexpr && object_is_number(value))
    value = to_tensor(w, target->loc, value);
  if (!value) return false;
  const Object **items =
      arena_array(w->arena, const Object *, class->num_fields);
  for (int i = 0; i < class->num_fields; i++)
    items[i] = i == field ? value : self->as.tuple.items[i];
  scope_set(&w->frame->scope, object->name,
            object_of_class(w->arena, class, items))
      ->given = &target->loc;
  return true;
}

bool class_special(Walk *w, const char *name, const Object *x,
                   const Object **method) {
  const AstClass *class = x->kind == OBJECT_TUPLE ? x->as.tuple.class : NULL;
  const AstFunction *function = NULL;
  const bool ok = !class || find_method(w, class, name, w->b.loc, &function);
  *method = function ? object_method(w->arena, function, x) : NULL;
  return ok;
}

static bool class_operator(Walk *w, Operator op, const Object *x,
                           const Object **method) {
  *method = NULL;
  const bool called = op != OPERATOR_MATMUL; // Triton has no method for it
  return !called || class_special(w, operator_method[op], x, method);
}

const Object *class_operate(Walk *w, SrcLoc loc, Operator op, const Object *x,
                            const Object *y, bool *has) {
  const Object *method;
  *has = true;
  if (!class_operator(w, op, x, &method)) return NULL;
  *has = method != NULL;
  Argument other = {NULL, y, loc, loc};
  return method ? call_method(w, method, loc, &(Arguments){&other, 1, 1})
                : NULL;
}

// -- Classes made by a call --------------------------------------------------

static void add_field(Walk *w, AstClass *class, const char *text, size_t n) {
  const char *name = arena_strndup(w->arena, text, n);
  class->fields[class->num_fields++].name = program_intern(w->program, name);
}

// "x y" or "x, y"
static void split_names(Walk *w, AstClass *class, const Expr *names) {
  const char *text = names->string.text;
  class->fields = arena_array(w->arena, AstField, names->string.length + 1);
  while (*(text += strspn(text, ", "))) {
    const size_t n = strcspn(text, ", ");
    add_field(w, class, text, n);
    text += n;
  }
}

// ["x", "y"] or [("x", T), ("y", T)]
static bool list_names(Walk *w, AstClass *class, const Expr *names) {
  class->fields = arena_array(w->arena, AstField, names->items.count + 1);
  for (int i = 0; i < names->items.count; i++) {
    const Expr *name = names->items.items[i];
    if (name->kind == EXPR_TUPLE && name->items.count)
      name = name->items.items[0];
    if (name->kind != EXPR_STRING) return false;
    add_field(w, class, name->string.text, name->string.length);
  }
  return true;
}

static bool makes_class(const Expr *call) {
  if (!call || call->kind != EXPR_CALL || call->call.num_args < 2) return false;
  const Expr *callee = call->call.callee;
  const char *name = callee->kind == EXPR_NAME        ? callee->name
                     : callee->kind == EXPR_ATTRIBUTE ? callee->attribute.name
                                                      : "";
  return !strcmp(name, "namedtuple") || !strcmp(name, "NamedTuple");
}

// Is the expression a literal, which has the same value anywhere?
static bool is_written_out(const Expr *expr) {
  return expr->kind == EXPR_INT || expr->kind == EXPR_FLOAT ||
         expr->kind == EXPR_STRING || expr->kind == EXPR_BOOL ||
         expr->kind == EXPR_NONE;
}

// `defaults=[1, 2]`, for the last fields; false: their number is unknown.
static bool take_defaults(AstClass *class, const Expr *call) {
  for (int i = 2; i < call->call.num_args; i++) {
    const CallArg *arg = &call->call.args[i];
    if (arg->kind == ARG_DOUBLE_STAR) return false;
    if (!arg->name || strcmp(arg->name, "defaults") != 0) continue;
    const Expr *list = arg->value;
    if (list->kind == EXPR_NONE) continue;
    if (list->kind != EXPR_LIST && list->kind != EXPR_TUPLE) return false;
    const int first = class->num_fields - list->items.count;
    if (first < 0) return false;
    for (int k = 0; k < list->items.count; k++) {
      if (!is_written_out(list->items.items[k])) return false;
      class->fields[first + k].value = list->items.items[k];
    }
  }
  return true;
}

const Object *class_of_call(Walk *w, AstFile *file, const Expr *call) {
  if (!makes_class(call)) return NULL;
  const Expr *name = call->call.args[0].value;
  const Expr *names = call->call.args[1].value;
  if (name->kind != EXPR_STRING) return NULL;
  AstClass *class = arena_new(w->arena, AstClass);
  class->file = file;
  class->name = name->string.text;
  class->loc = call->loc;
  if (names->kind == EXPR_STRING)
    split_names(w, class, names);
  else if ((names->kind != EXPR_LIST && names->kind != EXPR_TUPLE) ||
           !list_names(w, class, names))
    return NULL;
  return take_defaults(class, call) ? object_class(w->arena, class) : NULL;
}
