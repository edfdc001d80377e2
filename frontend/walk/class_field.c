// class_field.c -- types that the fields of an aggregate may have.
//
// Triton checks isinstance() of each value and its field's annotation.  A
// constant and the tl.constexpr around it are one object here, so a number is
// accepted for either.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <string.h>

typedef struct {
  const AstField *field;
  const Expr *text;
} FieldType;

static const void *evaluate(Walk *w, void *context) {
  const FieldType *annotation = context;
  return walk_expr_at(w, annotation->field->file, (AstPlace){0},
                      annotation->text);
}

// The class that an annotation refers to; NULL: unknown.
static const Object *class_of(Walk *w, const AstField *field,
                              const Expr *annotation) {
  FieldType of = {field, annotation};
  return walk_quietly(w, evaluate, &of);
}

// May `x` be an instance of the class?  True also if it is unknown.
static bool may_be(const Object *x, const Object *class) {
  if (object_is_lost(x)) return true;
  if (class->kind == OBJECT_CLASS)
    return !class->as.class->is_aggregate ||
           object_is_of_class(x, class->as.class);
  if (class->kind != OBJECT_BUILTIN || object_is_block_pointer(x)) return true;
  const char *name = class->as.builtin.info->name;
  const bool is_tensor = object_is_tensor(x) && !object_is_descriptor(x);
  if (!strcmp(name, "tensor")) return is_tensor;
  if (!strcmp(name, "constexpr")) return object_is_constant(x);
  if (!strcmp(name, "tuple"))
    return x->kind == OBJECT_TUPLE &&
           !(x->as.tuple.class && x->as.tuple.class->is_aggregate);
  return strncmp(name, "tensor_descriptor", 17) != 0 || object_is_descriptor(x);
}

static const char *name_of(Walk *w, const Object *class) {
  return class->kind == OBJECT_CLASS
             ? class->as.class->name
             : arena_printf(w->arena, "tl.%s", class->as.builtin.info->name);
}

bool class_field_takes(Walk *w, const AstClass *class, int field, SrcLoc loc,
                       const Object *value) {
  assert(0 <= field && field < class->num_fields); // I10
  const AstField *f = &class->fields[field];
  if (!f->annotation) return true;
  const Object *wanted = class_of(w, f, f->annotation);
  if (!wanted || may_be(value, wanted)) return true;
  const char *advice = !object_is_number(value) ? ""
                       : wanted->kind == OBJECT_BUILTIN
                           ? "; 'tl.to_tensor' makes one of a constant"
                           : "";
  return diag_error(w->diags, loc, ERROR_field_kind, f->name, class->name,
                    name_of(w, wanted), text_of(w, value), advice);
}
