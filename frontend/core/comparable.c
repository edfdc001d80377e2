// comparable.c -- pairs of values that can be compared while compiling.
#include "frontend/core/builtins.h"
#include "frontend/core/tensor.h"
#include "frontend/errors.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"

#include <string.h>

// -- Values that host code computes ------------------------------------------

// The first object that only the host knows and that is no type of torch; NULL
// if there is none.
static const Object *unknown_among(const Object *const *items, int count) {
  for (int i = 0; i < count; i++) {
    const Object *x = object_find_of_host(items[i]);
    if (x && !host_is_type(x)) return x;
  }
  return NULL;
}

static const Object *unknown_in(const Object *x) {
  if (x->kind == OBJECT_TUPLE)
    return unknown_among(x->as.tuple.items, x->as.tuple.count);
  if (x->kind == OBJECT_DICT)
    return unknown_among(x->as.dict.keys, x->as.dict.count);
  return unknown_among(&x, 1);
}

// Can `x`, a type of torch, be compared with `y`?  In a kernel, yes, unless the
// value of `y` is unknown: no type of the language equals `x`.
static bool compares(Walk *w, SrcLoc loc, const Object *x, const Object *y) {
  const bool own = y->kind == OBJECT_DTYPE;
  // enum_compares() has compared two members already
  if (x->enum_kind == ENUM_PURE) return true;
  if (!host_is_type(x) || (own && walk_is_host(w)))
    return walk_decides(w, loc, x);
  const Object *unknown = unknown_in(y);
  return !unknown || walk_decides(w, loc, unknown);
}

// -- Classes -----------------------------------------------------------------

// `tl.constexpr`, and the type of tl.tuple.
static bool is_class_of_constants(const Walk *w, const Object *x) {
  return x->kind == OBJECT_BUILTIN && !x->as.builtin.self &&
         (x->as.builtin.info == w->language->find("constexpr") ||
          x->as.builtin.info == w->language->find("tuple"));
}

static bool is_class_of_python(const Object *x) {
  return x->kind == OBJECT_BUILTIN && !x->as.builtin.self &&
         x->as.builtin.info->space == SPACE_PYTHON &&
         words_have(WORDS_PYTHON_CLASSES, x->as.builtin.info->name);
}

// Does the class `x` of the language stand for another class of Python than `y`
// does?
static bool differs(const Walk *w, const Object *x, const Object *y) {
  if (is_class_of_python(y)) return true;
  const char *of_x = x->as.builtin.python;
  return of_x && is_class_of_constants(w, y) && y->as.builtin.python &&
         strcmp(of_x, y->as.builtin.python) != 0;
}

static const Object *other_in(const Walk *w, const Object *x,
                              const Object *classes) {
  const bool many = classes->kind == OBJECT_TUPLE;
  const int count = many ? classes->as.tuple.count : 1;
  for (int i = 0; i < count; i++) {
    const Object *y = many ? classes->as.tuple.items[i] : classes;
    if (differs(w, x, y)) return y;
  }
  return NULL;
}

// Can a result of `type` be compared?  In a kernel, a constant has a class of
// the language, not Python's; a comparison with Python's class would mislead.
static bool classes_compare(Walk *w, SrcLoc loc, const Object *x,
                            const Object *y) {
  if (walk_is_host(w)) return true;
  const Object *of = is_class_of_constants(w, x) ? x : y;
  if (!is_class_of_constants(w, of)) return true;
  const Object *other = other_in(w, of, of == x ? y : x);
  if (!other) return true;
  const char *class = is_class_of_python(other) ? other->as.builtin.info->name
                                                : other->as.builtin.python;
  return diag_error(w->diags, loc, ERROR_class_of_constants,
                    of->as.builtin.info->name, class, class);
}

// -- Members of an Enum ------------------------------------------------------

static bool is_other(const Object *member, const Object *other) {
  if (member->enum_kind != ENUM_PURE || other->enum_kind == ENUM_PURE)
    return false;
  if (other->kind != OBJECT_TUPLE) return object_is_literal(other);
  for (int i = 0; i < other->as.tuple.count; i++) {
    if (is_other(member, other->as.tuple.items[i])) return true;
  }
  return false;
}

// In Python no member of a pure Enum equals a value, but a kernel gets values
// in place of members.  False after an error, if host code compares the two.
static bool enum_compares(Walk *w, SrcLoc loc, const Object *x,
                          const Object *y) {
  return !walk_is_host(w) || !(is_other(x, y) || is_other(y, x)) ||
         diag_error_text(w->diags, loc, ERROR_enum_member);
}

bool walk_compares(Walk *w, SrcLoc loc, const Object *x, const Object *y) {
  return compares(w, loc, x, y) && compares(w, loc, y, x) &&
         classes_compare(w, loc, x, y) && enum_compares(w, loc, x, y);
}
