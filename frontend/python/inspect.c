// inspect.c -- Python's functions about an object's type and attributes.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/module/module.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"

#include <string.h>

// -- The type of a constexpr -------------------------------------------------

static const char constexpr_type[] = "constexpr_type";

// The type has one field, the value.
const Object *constexpr_type_of(Walk *w, const Object *value) {
  const char *const field = "value";
  const Object *type = named_tuple(w, w->b.loc, &field, &value, 1);
  AstClass *class = arena_new(w->arena, AstClass);
  *class = *type->as.tuple.class;
  class->name = constexpr_type;
  Object *named = arena_new(w->arena, Object);
  *named = *type;
  named->as.tuple.class = class;
  return named;
}

static bool is_constexpr_type(const Object *x) {
  return x->kind == OBJECT_TUPLE && x->as.tuple.class &&
         x->as.tuple.class->name == constexpr_type;
}

const Object *builtin_constexpr_type(Walk *w, const BuiltinCall *c) {
  return constexpr_type_of(w, c->args[0]);
}

// -- Classes -----------------------------------------------------------------

static bool is_dtype(const Object *x, const char *class) {
  const bool tile = x->as.type.tile && !x->as.type.is_block;
  if (!strcmp(class, "pointer_type"))
    return !tile && (x->as.type.dtype.is_pointer || x->as.type.is_block);
  return !strcmp(class, "dtype") || (!strcmp(class, "block_type") && tile);
}

// Is the class torch.Tensor, or the class of the host's tensor descriptors?
static bool is_class_of_launch(const char *class) {
  return !strcmp(class, "torch.Tensor") ||
         !strcmp(class, "triton.tools.tensor_descriptor.TensorDescriptor");
}

static bool is_dict(const Object *x) {
  return x->kind == OBJECT_DICT;
}

static bool is_frozenset(const Object *x) {
  return x->kind == OBJECT_SET && x->as.set.is_frozen;
}

static bool is_tensor(const Object *x) {
  return object_is_tensor(x) && !object_is_descriptor(x);
}

static bool is_constexpr(const Object *x) {
  return object_is_constant(x) && x->kind != OBJECT_TUPLE &&
         x->kind != OBJECT_SET;
}

static bool is_tuple(const Object *x) {
  return x->kind == OBJECT_TUPLE && x->as.tuple.written != 'v' &&
         x->as.tuple.written != '[';
}

static bool is_list(const Object *x) {
  return x->kind == OBJECT_TUPLE && x->as.tuple.written != 'v' &&
         x->as.tuple.written != '(';
}

static bool is_int(const Object *x) {
  return constant_is_integer(x);
}

static bool is_float(const Object *x) {
  return x->kind == OBJECT_FLOAT;
}

static bool is_bool(const Object *x) {
  return x->kind == OBJECT_BOOL;
}

static bool is_instance(const Object *x, const char *class) {
  static const struct {
    const char *name;
    bool (*has)(const Object *x);
  } classes[] = {
      {"dict", is_dict},           {"set", object_is_set},
      {"frozenset", is_frozenset}, {"tensor", is_tensor},
      {"constexpr", is_constexpr}, {"tuple", is_tuple},
      {"list", is_list},           {"int", is_int},
      {"float", is_float},         {"bool", is_bool},
      {"str", object_is_string},
  };
  if (is_class_of_launch(class))
    return object_is_tensor(x) &&
           !strcmp(class, "torch.Tensor") == !object_is_descriptor(x);
  if (is_constexpr_type(x)) return !strcmp(class, constexpr_type);
  if (!strncmp(class, "tensor_descriptor", 17)) return object_is_descriptor(x);
  if (x->kind == OBJECT_DTYPE && is_dtype(x, class)) return true;
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (!strcmp(classes[i].name, class)) return classes[i].has(x);
  return false;
}

static bool is_triton_builtin(const AstFunction *f) {
  for (int i = 0; i < f->num_decorators; i++) {
    const char *name = f->decorators[i].name;
    if (name && (!strcmp(name, "builtin") || !strcmp(name, "triton_builtin")))
      return true;
  }
  return false;
}

// In kernels, their helpers and functions that run while compiling, a constant
// has the type of its value.  Only a builtin, and functions that it calls, get
// the tl.constexpr around it.
static bool is_hidden(const Walk *w, const char *class) {
  const Frame *frame = w->frame;
  if (strcmp(class, "constexpr") != 0 || !frame->function) return false;
  for (; frame && frame->function && frame->function->is_constant;
       frame = frame->caller) {
    if (is_triton_builtin(frame->function)) return false;
    if (frame->function->num_decorators) break;
  }
  return true;
}

// In a heuristic, arguments are tensors of torch and numbers of Python.
static bool is_of_launch(const Walk *w, const Object *x) {
  return w->is_launch && (object_is_tensor(x) || host_is_type(x));
}

static const Object *of_launch(Walk *w, const BuiltinCall *c) {
  const char *what = arena_printf(w->arena, "%s()", c->info->name);
  return walk_error(w, c->loc, ERROR_computed_by_host, what);
}

static bool is_tensor_class(const Object *class) {
  return class->kind == OBJECT_BUILTIN &&
         is_class_of_launch(class->as.builtin.info->name);
}

// Can the test for a tensor be answered?  For a pointer or descriptor, yes; a
// number may be a tensor of one element.
static bool asks_for_tensor(const Object *x, const Object *classes) {
  if (classes->kind != OBJECT_TUPLE)
    return (object_is_pointer(x) || object_is_descriptor(x)) &&
           is_tensor_class(classes);
  for (int i = 0; i < classes->as.tuple.count; i++)
    if (!asks_for_tensor(x, classes->as.tuple.items[i])) return false;
  return true;
}

const Object *builtin_isinstance(Walk *w, const BuiltinCall *c) {
  const Object *classes = c->args[1];
  const bool many = classes->kind == OBJECT_TUPLE;
  const int n = many ? classes->as.tuple.count : 1;
  if (is_of_launch(w, c->args[0]) && !asks_for_tensor(c->args[0], classes))
    return of_launch(w, c);
  if (!walk_decides(w, c->locs[0], c->args[0])) return NULL;
  for (int i = 0; i < n; i++) {
    const Object *class = many ? classes->as.tuple.items[i] : classes;
    if (class->kind == OBJECT_CLASS) {
      if (object_is_of_class(c->args[0], class->as.class)) return &object_true;
      continue;
    }
    if (class->kind != OBJECT_BUILTIN)
      return walk_error(w, c->locs[1], ERROR_isinstance_does_not_know,
                        text_of(w, class));
    const char *python = class->as.builtin.python;
    const char *name = python ? python : class->as.builtin.info->name;
    if (!is_hidden(w, name) && is_instance(c->args[0], name))
      return &object_true;
  }
  return &object_false;
}

// The name of Python's class of a host value; NULL if it is unknown.
static const char *host_class(const Object *x) {
  if (x->kind == OBJECT_SET && x->as.set.is_frozen) return "frozenset";
  if (x->kind != OBJECT_TUPLE) return object_python_type(x->kind);
  if (x->is_iterator) return NULL;
  return x->as.tuple.written == '['   ? "list"
         : x->as.tuple.written == '(' ? "tuple"
                                      : NULL;
}

static bool is_of_language(const Object *x) {
  return object_is_tensor(x) || x->kind == OBJECT_DTYPE ||
         object_is_descriptor(x) ||
         (x->kind == OBJECT_TUPLE && x->as.tuple.class);
}

static const Object *python_class(Walk *w, const BuiltinCall *c) {
  const char *name = host_class(c->args[0]);
  if (!name) return walk_error(w, c->loc, ERROR_host_builtin, c->info->name);
  return object_builtin(w->arena, w->language->find_bare(name), NULL);
}

static const Object *class_of_constant(Walk *w, const Object *x) {
  const char *class = x->kind == OBJECT_TUPLE ? "tuple" : "constexpr";
  Object *found = arena_new(w->arena, Object);
  *found = *object_builtin(w->arena, w->language->find(class), NULL);
  const char *python = host_class(x);
  found->as.builtin.python = python                   ? python
                             : x->kind == OBJECT_NONE ? "NoneType"
                                                      : "object";
  return found;
}

// The type of an object: the closest class for which isinstance() is true.
const Object *builtin_type(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  const bool is_tuple = x->kind == OBJECT_TUPLE;
  if (is_of_launch(w, x)) return of_launch(w, c);
  if (walk_is_host(w) && !is_of_language(x)) return python_class(w, c);
  if (is_tuple && x->as.tuple.class)
    return object_class(w->arena, x->as.tuple.class);
  if (is_tuple && x->as.tuple.written == '[') return python_class(w, c);
  size_t count;
  const char *const *classes = words_of(WORDS_TENSOR_CLASSES, &count);
  for (size_t i = 0; i < count; i++) {
    if (is_instance(x, classes[i]))
      return object_builtin(w->arena, w->language->find(classes[i]), NULL);
  }
  return class_of_constant(w, x);
}

// -- Attributes --------------------------------------------------------------

// The answers to whether an object has an attribute.
typedef enum {
  ANSWER_NO,
  ANSWER_YES,
  ANSWER_UNKNOWN,
  ANSWER_LOOK, // the attribute is looked up
} Answer;

static bool check_name(Walk *w, const BuiltinCall *c) {
  if (c->args[1]->kind == OBJECT_STRING) return true;
  return diag_error(w->diags, c->locs[1], ERROR_getattr_wants_string,
                    c->info->name, text_of(w, c->args[1]));
}

static const Object *attribute(Walk *w, const BuiltinCall *c) {
  Expr *expr = arena_new(w->arena, Expr);
  expr->kind = EXPR_ATTRIBUTE;
  expr->loc = expr->attribute.name_loc = c->loc;
  expr->attribute.name = program_intern(w->program, c->args[1]->as.string.text);
  return w->language->attribute(w, expr, c->args[0]);
}

// Do the diagnostics say that only the host knows the value?
static bool is_of_host(const DiagList *heard) {
  for (const Diag *d = heard->first; d; d = d->next) {
    if (!strcmp(d->format, ERROR_computed_by_host)) return true;
  }
  return false;
}

// Any code may set attributes of host functions and of classes.
static bool may_have_any(const Object *x) {
  return x->kind == OBJECT_FUNCTION || x->kind == OBJECT_LAMBDA ||
         x->kind == OBJECT_METHOD ||
         (x->kind == OBJECT_SYMBOL && x->as.symbol->kind == SYMBOL_HOST &&
          !x->as.symbol->global);
}

// Attributes of tensors, methods excluded.
static bool is_of_tensor(const Walk *w, const char *name) {
  return words_have(WORDS_TENSOR_ATTRIBUTES, name) ||
         w->language->find_method(name);
}

// In a kernel, tuples are those of the language.
static Answer tuple_has(const Walk *w, const Object *x, const char *name) {
  const AstClass *class = x->as.tuple.class;
  if (class && class_find_field(class, name) >= 0) return ANSWER_YES;
  if (walk_is_host(w) || *name == '_') return ANSWER_UNKNOWN;
  return !strcmp(name, "values") || !strcmp(name, "type") ? ANSWER_YES
                                                          : ANSWER_NO;
}

// Has the module of Triton the name?  ANSWER_LOOK, if only other releases have
// the name in that module.
static Answer module_has(const Walk *w, const char *module, const char *name) {
  const TritonModule *found = triton_module(module);
  if (!found || !strncmp(name, "__", 2)) return ANSWER_LOOK;
  if (names_list(found->names, name)) return ANSWER_YES;
  // Earlier releases had the functions of libdevice in tl.math.
  const bool is_math = !strcmp(module, "triton.language.math") ||
                       !strcmp(module, "triton.language.libdevice");
  const Builtin *math =
      is_math ? w->language->find(arena_printf(w->arena, "math.%s", name))
              : NULL;
  const bool other = names_list(found->others, name) ||
                     (math && math->space == SPACE_LIBDEVICE);
  return other ? ANSWER_LOOK : ANSWER_NO;
}

// Has code of another file, or a text, set or deleted the member of the module
// or class?
static bool is_set_elsewhere(const Walk *w, const Symbol *symbol,
                             const char *name) {
  if (!symbol->file || symbol->global) return false;
  if (symbol->kind == SYMBOL_HOST || symbol->kind == SYMBOL_CLASS)
    name = arena_printf(w->arena, "%s.%s", symbol->name, name);
  else if (symbol->kind != SYMBOL_MODULE)
    return false;
  return !w->world->is_told(w->program, symbol->file, name, TOLD_VALUE);
}

// A module, or a class whose lines show all members.
static Answer symbol_has(const Walk *w, const Symbol *symbol,
                         const char *name) {
  if (symbol->kind == SYMBOL_HOST &&
      program_class_lacks(w->program, symbol, name))
    return ANSWER_NO;
  if (symbol->kind == SYMBOL_BUILTIN) return module_has(w, symbol->name, name);
  if (symbol->kind != SYMBOL_EXTERNAL) return ANSWER_LOOK;
  if (!strcmp(symbol->name, "math"))
    return host_has_math(name) ? ANSWER_YES : ANSWER_NO;
  return host_is_library(symbol->name) ? ANSWER_UNKNOWN : ANSWER_LOOK;
}

static Answer tensor_has(const char *name) {
  return !strcmp(name, "handle") ? ANSWER_YES
         : !strcmp(name, "ndim") ? ANSWER_NO
                                 : ANSWER_LOOK;
}

// Has the first argument the attribute that the second one names?  In a kernel
// the answer is that of Triton, where constants have types of their own.
static Answer has(const Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  const char *name = c->args[1]->as.string.text;
  switch (x->kind) {
  case OBJECT_BOOL:
  case OBJECT_INT:
  case OBJECT_FLOAT:
  case OBJECT_STRING:
    return !walk_is_host(w) && is_of_tensor(w, name) ? ANSWER_NO
                                                     : ANSWER_UNKNOWN;
  case OBJECT_DICT:
  case OBJECT_SET: return ANSWER_UNKNOWN;
  case OBJECT_TUPLE: return tuple_has(w, x, name);
  case OBJECT_SYMBOL:
    return symbol_is_set(w->program, x->as.symbol, name) ||
                   is_set_elsewhere(w, x->as.symbol, name)
               ? ANSWER_UNKNOWN
               : symbol_has(w, x->as.symbol, name);
  case OBJECT_TENSOR: return w->is_launch ? ANSWER_LOOK : tensor_has(name);
  default: return ANSWER_LOOK;
  }
}

static const Object *unknown_attribute(Walk *w, const BuiltinCall *c) {
  return walk_error(w, c->loc, ERROR_attribute_unknown, text_of(w, c->args[0]),
                    c->args[1]->as.string.text);
}

// The attribute; NULL without a message if there is none.  If only the host
// knows it, that is an error, since "there is none" would be wrong.
static const Object *find_attribute(Walk *w, const BuiltinCall *c,
                                    bool *unknown) {
  DiagList *const loud = w->diags;
  DiagList quiet;
  diag_init(&quiet, w->arena);
  w->diags = &quiet;
  const Object *found = attribute(w, c);
  w->diags = loud;
  *unknown = !found && is_of_host(&quiet);
  if (*unknown) attribute(w, c);
  if (found || *unknown || !may_have_any(c->args[0])) return found;
  *unknown = true;
  const Object *x = c->args[0];
  const char *of = x->kind == OBJECT_SYMBOL ? x->as.symbol->name : "function";
  const char *name = c->args[1]->as.string.text;
  const char *whole = arena_printf(w->arena, "%s.%s", of, name);
  return walk_error(w, c->locs[0], ERROR_computed_by_host, whole);
}

static bool is_triton(const Object *x) {
  return x->kind == OBJECT_SYMBOL && x->as.symbol->kind == SYMBOL_BUILTIN &&
         !strcmp(x->as.symbol->name, "triton");
}

const Object *builtin_hasattr(Walk *w, const BuiltinCall *c) {
  if (!check_name(w, c)) return NULL;
  if (is_of_launch(w, c->args[0])) return of_launch(w, c);
  if (is_triton(c->args[0]) && triton_has_for_host(c->args[1]->as.string.text))
    return &object_true;
  const Answer answer = has(w, c);
  if (answer == ANSWER_UNKNOWN) return unknown_attribute(w, c);
  if (answer != ANSWER_LOOK) return object_bool(answer == ANSWER_YES);
  // For other objects a missing attribute is no certain answer in a condition
  // of a module (w->only_known).
  bool unknown;
  const bool found = find_attribute(w, c, &unknown) != NULL;
  if (unknown) return NULL;
  if (!found && !walk_decides(w, c->locs[0], c->args[0])) return NULL;
  return found || !w->only_known ? object_bool(found) : NULL;
}

const Object *builtin_getattr(Walk *w, const BuiltinCall *c) {
  if (!check_name(w, c)) return NULL;
  const Answer answer = c->args[2] ? has(w, c) : ANSWER_YES;
  if (answer == ANSWER_YES) return attribute(w, c);
  if (answer == ANSWER_UNKNOWN) return unknown_attribute(w, c);
  if (answer == ANSWER_NO) return c->args[2];
  bool unknown;
  const Object *found = find_attribute(w, c, &unknown);
  if (unknown) return NULL;
  if (!found && !walk_decides(w, c->locs[0], c->args[0])) return NULL;
  return found ? found : c->args[2];
}
