// attribute.c -- attributes: `x.name`.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/walk/enum_member.h"
#include "frontend/walk/evaluate.h"
#include "frontend/walk/unknown_name.h"

#include <stdio.h>
#include <string.h>

// A note: `host`, an object of host code, has no known member `name`, and -D
// can define it as "host.name".
static void note_member(Walk *w, const Symbol *host, const char *name) {
  const char *whole = arena_printf(w->arena, "%s.%s", host->name, name);
  diag_note(w->diags, host->global->loc, NOTE_host_value, host->name, whole);
}

// The member of a module of Triton that a call imports.
static Symbol imported_member(Walk *w, const Symbol *host, const char *name,
                              SrcLoc loc) {
  const Symbol module = {.kind = SYMBOL_BUILTIN, .name = host->implied};
  return program_member(w->program, w->diags, module, name, loc);
}

static const Object *symbol_attribute(Walk *w, const Expr *expr,
                                      const Object *x) {
  const char *name = expr->attribute.name;
  const SrcLoc loc = expr->attribute.name_loc;
  Symbol member =
      program_member(w->program, w->diags, *x->as.symbol, name, loc);
  const bool is_set = symbol_is_set(w->program, x->as.symbol, name);
  bool failed;
  if (is_set) member.kind = SYMBOL_ABSENT;
  const Object *given =
      w->world->defined_member(w, x->as.symbol, name, &member, loc, &failed);
  if (given || failed) return given;
  if (is_set) return member_is_set(w, loc, x->as.symbol, name);
  const Object *of_type = host_type_attribute(w, x, name);
  if (of_type) return of_type;
  const bool ours = w->frame->file == w->program->library;
  const bool of_host =
      x->as.symbol->kind == SYMBOL_HOST && x->as.symbol->global && !ours;
  if (member.kind == SYMBOL_ABSENT && of_host && x->as.symbol->implied)
    member = imported_member(w, x->as.symbol, name, loc);
  if (member.kind == SYMBOL_ABSENT) {
    // An attribute that is neither called nor assigned to a global may be a
    // number, such as `limits.max`, and no function.
    const bool is_function = walk_calls(w, expr) || w->frame->global;
    const Object *function =
        of_host && is_function ? w->world->function(w, name, loc) : NULL;
    if (function) return function;
    no_attribute(w, expr, x, symbol_nearest(x->as.symbol, name));
    if (of_host) note_member(w, x->as.symbol, name);
    return NULL;
  }
  return enum_member(w, x->as.symbol, name,
                     constant_of_symbol(w, &member, loc));
}

// `x.type`: a scalar, tile, or block pointer type.
static const Object *type_of(Walk *w, const Object *x) {
  Object *type = arena_new(w->arena, Object);
  type->kind = OBJECT_DTYPE;
  type->as.type.dtype = x->as.tensor.dtype;
  type->as.type.is_block = object_is_block_pointer(x);
  if (object_type(x)->rank) type->as.type.tile = object_type(x);
  return type;
}

// NumPy reverses all dimensions, `trans` exchanges the last two: for a tile of
// three dimensions, the meaning is not clear.
static const Object *transposed(Walk *w, const Expr *expr, const Object *x) {
  if (object_type(x)->rank != 2)
    return walk_error(w, expr->loc, ERROR_t_wants_two_dimensions,
                      text_of(w, x));
  const Builtin *trans = w->language->find("trans");
  const Object *callee = object_builtin(w->arena, trans, x);
  return w->language->call(w, callee, expr->loc, &(Arguments){0});
}

// An attribute that follows from the object alone; NULL if it has none.
typedef struct {
  const char *name;
  const Object *(*value)(Walk *w, const Object *x);
} AttributeRow;

static const Object *attribute_in(Walk *w, const AttributeRow *rows, int count,
                                  const Object *x, const char *name) {
  for (int i = 0; i < count; i++)
    if (!strcmp(rows[i].name, name)) return rows[i].value(w, x);
  return NULL;
}

static const Object *descriptor_dtype(Walk *w, const Object *x) {
  return object_dtype(w->arena, x->as.tensor.dtype);
}

static const Object *tensor_shape(Walk *w, const Object *x) {
  return shape_of_type(w, object_type(x));
}

static const Object *descriptor_shape(Walk *w, const Object *x) {
  return w->language->descriptor_sizes(w, x, false);
}

static const Object *descriptor_strides(Walk *w, const Object *x) {
  return w->language->descriptor_sizes(w, x, true);
}

static const AttributeRow of_descriptor[] = {
    {"dtype", descriptor_dtype},     {"block_shape", tensor_shape},
    {"block_type", type_of},         {"shape", descriptor_shape},
    {"strides", descriptor_strides},
};
enum {
  NUM_OF_DESCRIPTOR = (int)(sizeof of_descriptor / sizeof *of_descriptor)
};

static const Object *descriptor_attribute(Walk *w, const Expr *expr,
                                          const Object *x) {
  const char *name = expr->attribute.name;
  const Object *result =
      attribute_in(w, of_descriptor, NUM_OF_DESCRIPTOR, x, name);
  if (result) return result;
  const Builtin *method =
      w->language->find(arena_printf(w->arena, "tensor_descriptor.%s", name));
  if (method) return object_builtin(w->arena, method, x);
  return no_attribute(w, expr, x,
                      words_nearest(WORDS_DESCRIPTOR_ATTRIBUTES, name));
}

// An attribute of a triton.tools.tensor_descriptor.TensorDescriptor.
static const Object *attribute_of_host(Walk *w, const Expr *expr,
                                       const Object *x) {
  const char *name = expr->attribute.name;
  const Object *found = host_descriptor_attribute(w, x, name);
  return found ? found
               : walk_error(w, expr->attribute.name_loc, ERROR_computed_by_host,
                            arena_printf(w->arena, ".%s", name));
}

// In host code, an argument is a tensor of torch.
static const Object *dtype_of_tensor(Walk *w, const Object *x) {
  const Dtype dtype = x->as.tensor.dtype;
  if (object_is_block_pointer(x)) return type_of(w, x);
  return w->is_launch && dtype.is_pointer ? host_type(w, dtype.id)
                                          : object_dtype(w->arena, dtype);
}

static const Object *tensor_numel(Walk *w, const Object *x) {
  return object_int(w->arena, object_type(x)->num_elements);
}

static const Object *tensor_rank(Walk *w, const Object *x) {
  return object_int(w->arena, object_type(x)->rank);
}

static const AttributeRow of_tensor[] = {
    {"type", type_of},
    {"shape", tensor_shape},
    {"numel", tensor_numel},
    {"ndim", tensor_rank},
};
enum { NUM_OF_TENSOR = (int)(sizeof of_tensor / sizeof *of_tensor) };

static const Object *tensor_attribute(Walk *w, const Expr *expr,
                                      const Object *x) {
  const char *name = expr->attribute.name;
  if (object_is_descriptor(x))
    return w->is_launch ? attribute_of_host(w, expr, x)
                        : descriptor_attribute(w, expr, x);
  if (!strcmp(name, "dtype")) return dtype_of_tensor(w, x);
  const Builtin *of_host =
      w->is_launch ? w->language->find_host(
                         arena_printf(w->arena, "torch.Tensor.%s", name))
                   : NULL;
  if (of_host) return object_builtin(w->arena, of_host, x);
  if (w->is_launch)
    return walk_error(w, expr->attribute.name_loc, ERROR_computed_by_host,
                      arena_printf(w->arena, ".%s", name));
  const Object *known =
      attribute_in(w, of_tensor, NUM_OF_TENSOR, element_of(w, x), name);
  if (known) return known;
  if (!strcmp(name, "T")) return transposed(w, expr, x);
  const Builtin *method = w->language->find_method(name);
  if (method) return object_builtin(w->arena, method, x);
  if (asks_for_shape(x, name)) return pointer_has_no_shape(w, expr);
  return no_tensor_attribute(w, expr, x);
}

static const Object *element_type(Walk *w, const Object *x) {
  Object *type = arena_new(w->arena, Object);
  *type = *x;
  if (x->as.type.is_block) {
    type->as.type.is_block = false;
  } else if (x->as.type.tile) {
    type->as.type.tile = NULL;
  } else {
    type->as.type.dtype = dtype_of(x->as.type.dtype.id);
  }
  return type;
}

static const Object *dtype_method(Walk *w, const Object *x, const char *name) {
  const bool tile = x->as.type.tile != NULL;
  const Builtin *found =
      tile ? w->language->find(arena_printf(w->arena, "block_type.%s", name))
           : NULL;
  if (!found)
    found = w->language->find(arena_printf(w->arena, "dtype.%s", name));
  if (!found) return NULL;
  const bool is_static = strncmp(found->params, "self", 4) != 0;
  return object_builtin(w->arena, found, is_static ? NULL : x);
}

static const Object *type_attribute(Walk *w, const Expr *expr,
                                    const Object *x) {
  const char *name = expr->attribute.name;
  if (!strcmp(name, "element_ty")) {
    const bool has =
        x->as.type.dtype.is_pointer || x->as.type.tile || x->as.type.is_block;
    return has ? element_type(w, x) : no_attribute(w, expr, x, NULL);
  }
  const Object *found = dtype_attribute(w, x, name);
  if (!found) found = dtype_list(w, name);
  if (!found) found = dtype_method(w, x, name);
  return found ? found : no_attribute(w, expr, x, nearest_of_type(w, name));
}

// The name of the Python class of a constant; NULL if methods of it are not
// implemented.
static const char *class_of(const Object *x) {
  return object_python_type(x->kind == OBJECT_BOOL ? OBJECT_INT : x->kind);
}

// `x.value`, and methods of a number that could have been a tensor.
static const Object *constant_attribute(Walk *w, const Expr *expr,
                                        const Object *x) {
  const char *name = expr->attribute.name;
  if (!strcmp(name, "value")) return enum_value(w, x);
  if (!strcmp(name, "type")) return constexpr_type_of(w, x);
  const char *class = class_of(x);
  const Builtin *method = class ? w->language->find_host(arena_printf(
                                      w->arena, "%s.%s", class, name))
                                : NULL;
  if (method) return object_builtin(w->arena, method, x);
  const char *owner = class ? arena_printf(w->arena, "%s.", class) : NULL;
  if (is_changed_in_kernel(w, expr, x)) return NULL;
  const char *near = nearest_member(w, x, name);
  if (!near && owner)
    near = w->language->nearest_member(w->arena, owner, NULL, 0, name);
  if (near || !object_is_number(x)) return no_attribute(w, expr, x, near);
  const Object *tensor = to_tensor(w, expr->loc, x);
  return tensor ? tensor_attribute(w, expr, tensor) : NULL;
}

// An attribute of an OBJECT_NAMED, such as the result of torch.finfo().
static const Object *named_attribute(Walk *w, const Expr *expr,
                                     const Object *x) {
  for (int i = 0; i < x->as.named.count; i++) {
    if (x->as.named.items[i] &&
        !strcmp(x->as.named.names[i], expr->attribute.name))
      return object_named_item(x, i);
  }
  const char *method = arena_printf(w->arena, "dict.%s", expr->attribute.name);
  const bool gets = !strcmp(expr->attribute.name, "get");
  const Builtin *of_dict =
      gets || x->as.named.given ? w->language->find_host(method) : NULL;
  if (of_dict) return object_builtin(w->arena, of_dict, x);
  return no_attribute(w, expr, x, NULL);
}

// `tl.program_id.x`, in the manner of CUDA; NULL if it is something else.
static const char *axis_of_grid(Walk *w, const Builtin *info,
                                const char *name) {
  const bool grid =
      !strcmp(info->name, "program_id") || !strcmp(info->name, "num_programs");
  if (!grid || *name < 'x' || *name > 'z' || name[1]) return NULL;
  return arena_printf(w->arena, "%s(%d)", info->name, *name - 'x');
}

// `.value` of a member of an Enum of the language; NULL if it has none.
static const Object *builtin_value(Walk *w, const Builtin *info) {
  const bool member = !strncmp(info->name, "dtype.KIND.", 11) ||
                      !strncmp(info->name, "dtype.SIGNEDNESS.", 17);
  return member ? object_int(w->arena, info->data) : NULL;
}

// Members of builtins, such as PropagateNan.ALL.
static const Object *builtin_attribute(Walk *w, const Expr *expr,
                                       const Object *x) {
  char name[96];
  const Object *list;
  snprintf(name, sizeof name, "%s.%s", x->as.builtin.info->name,
           expr->attribute.name);
  const Builtin *info = w->language->find(name);
  if (!info) info = w->language->find_host(name);
  if (info) return object_builtin(w->arena, info, NULL);
  if (!strcmp(expr->attribute.name, "value") &&
      (list = builtin_value(w, x->as.builtin.info)))
    return list;
  const bool is_dtype = !strcmp(x->as.builtin.info->name, "dtype");
  list = is_dtype ? dtype_list(w, expr->attribute.name) : NULL;
  if (list) return list;
  const char *near = axis_of_grid(w, x->as.builtin.info, expr->attribute.name);
  if (!near) return no_attribute(w, expr, x, NULL);
  return walk_error(w, expr->attribute.name_loc, ERROR_no_attribute_near,
                    text_of(w, x), expr->attribute.name, near);
}

// `x.type` of a tuple: the types of its items.
static const Object *types_of(Walk *w, const Expr *expr, const Object *x) {
  const int n = x->as.tuple.count;
  const Object **types = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) {
    const Object *item = x->as.tuple.items[i];
    if (object_is_number(item)) item = to_tensor(w, expr->loc, item);
    if (!item) return NULL;
    const bool has_type = object_is_tensor(item) || item->kind == OBJECT_TUPLE;
    types[i] = has_type ? attribute_of(w, expr, item) : item;
    if (!types[i]) return NULL;
  }
  return object_with_items(w->arena, x, types);
}

// `x.name` of a named tuple, or `Class.name`.
static const Object *class_attribute(Walk *w, const Expr *expr,
                                     const Object *x) {
  const Object *member;
  if (!find_member(w, x, expr->attribute.name, expr->attribute.name_loc,
                   &member))
    return NULL;
  if (!member) member = host_attribute(w, x, expr->attribute.name);
  const bool is_tuple = x->kind == OBJECT_TUPLE;
  if (!member && is_tuple && !strcmp(expr->attribute.name, "type"))
    return types_of(w, expr, x);
  if (!member && is_tuple) return constant_attribute(w, expr, x);
  if (!member)
    return no_attribute(w, expr, x, nearest_member(w, x, expr->attribute.name));
  if (member->kind != OBJECT_GONE) return member;
  return name_is_gone(w, expr->loc, expr->attribute.name, member);
}

const Object *attribute_of(Walk *w, const Expr *expr, const Object *x) {
  switch (x->kind) {
  case OBJECT_SYMBOL: return symbol_attribute(w, expr, x);
  case OBJECT_TENSOR: return tensor_attribute(w, expr, x);
  case OBJECT_DTYPE: return type_attribute(w, expr, x);
  case OBJECT_BUILTIN: return builtin_attribute(w, expr, x);
  case OBJECT_NAMED: return named_attribute(w, expr, x);
  case OBJECT_CLASS:
  case OBJECT_TUPLE: return class_attribute(w, expr, x);
  default: return constant_attribute(w, expr, x);
  }
}

// -- `.value` ----------------------------------------------------------------

// A constant does not tell whether Triton has a constexpr around it, but some
// expressions do.

// `x.dtype`, `tl.float32`
static bool is_of_name(Walk *w, const Expr *expr) {
  if (expr->kind != EXPR_ATTRIBUTE || expr->attribute.object->kind != EXPR_NAME)
    return false;
  const Object *owner = walk_name(w, expr->attribute.object);
  return owner && (object_is_tensor(owner) || owner->kind == OBJECT_DTYPE ||
                   (owner->kind == OBJECT_SYMBOL &&
                    owner->as.symbol->kind == SYMBOL_BUILTIN));
}

bool value_is_bare(Walk *w, const Expr *expr, const Object *x) {
  if (walk_is_host(w)) return false;
  if (expr->kind == EXPR_TUPLE || expr->kind == EXPR_FSTRING) return true;
  return x->kind == OBJECT_DTYPE && is_of_name(w, expr);
}
