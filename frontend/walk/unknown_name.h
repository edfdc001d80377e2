// unknown_name.h -- messages about unknown names.
#ifndef TILE_FRONTEND_UNKNOWN_NAME_H
#define TILE_FRONTEND_UNKNOWN_NAME_H

#include "frontend/core/walk.h"

// `member` is the attribute that is read, or NULL.
const Object *unknown_name(Walk *w, const Expr *expr, const char *member);
// Python's `name`, or `tl.name` if the file may omit `tl.`; NULL if neither
// exists.
const Object *bare_name(Walk *w, const char *name);
// Reports that `tl.name` does not exist; `modules` are the language's modules.
const Object *unknown_builtin(Walk *w, const Symbol *symbol, const char *name,
                              const char *const *modules, size_t num_modules,
                              SrcLoc loc);
// Reports that `x` lacks the attribute in `expr`; `near` is a suggestion, or
// NULL.
const Object *no_attribute(Walk *w, const Expr *expr, const Object *x,
                           const char *near);
const Object *no_tensor_attribute(Walk *w, const Expr *expr, const Object *x);
// Reports `x.type(tl.float16)`, where `type` is the type of `x`.
const Object *type_is_no_cast(Walk *w, const Expr *callee, const Object *type);
// The nearest attribute of a type, and the nearest member of a class or of an
// object of a class; NULL if none is near.
const char *nearest_of_type(Walk *w, const char *name);
const char *nearest_member(Walk *w, const Object *x, const char *name);
// Reports `x.append` and the like in a kernel; `x` becomes poison.  False if it
// is no such call.
bool is_changed_in_kernel(Walk *w, const Expr *expr, const Object *x);
// Reports that the name at `loc` has lost its value.
const Object *name_is_gone(Walk *w, SrcLoc loc, const char *name,
                           const Object *gone);
// Reports a member that setattr() may have set; returns NULL.
const Object *member_is_set(Walk *w, SrcLoc loc, const Symbol *symbol,
                            const char *name);
// Reports a call like `torch.zeros`, from a module that was not read; returns
// NULL.
const Object *not_called(Walk *w, const Expr *callee, const Symbol *symbol);

#endif
