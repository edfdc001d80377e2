// unknown_name.h -- messages about names that stand for nothing.
#ifndef TILE_FRONTEND_UNKNOWN_NAME_H
#define TILE_FRONTEND_UNKNOWN_NAME_H

#include "frontend/core/walk.h"

// `member` is the attribute that is wanted of it, or NULL.
const Object *unknown_name(Walk *w, const Expr *expr, const char *member);
// Python's `name`, or `tl.name` where `tl.` may be left out; NULL: neither.
const Object *bare_name(Walk *w, const char *name);
// `tl.name`, where the language has modules of these names.
const Object *unknown_builtin(Walk *w, const Symbol *symbol, const char *name,
                              const char *const *modules, size_t num_modules,
                              SrcLoc loc);
// `x` has not the attribute that `expr` wants; `near` is what may be meant, or
// NULL.
const Object *no_attribute(Walk *w, const Expr *expr, const Object *x,
                           const char *near);
const Object *no_tensor_attribute(Walk *w, const Expr *expr, const Object *x);
// `x.type(tl.float16)`, where `type` is that of `x`.
const Object *type_is_no_cast(Walk *w, const Expr *callee, const Object *type);
// For "did you mean"; NULL: nothing is near.  The nearest attribute of a type,
// and of a class or a value of it.
const char *nearest_of_type(Walk *w, const char *name);
const char *nearest_member(Walk *w, const Object *x, const char *name);
// `x.append` and the like in a kernel: reports it, and `x` is used no more.
// False: it is none of these.
bool is_changed_in_kernel(Walk *w, const Expr *expr, const Object *x);
// The name at `loc` had a value, but no longer has.
const Object *name_is_gone(Walk *w, SrcLoc loc, const char *name,
                           const Object *gone);
// A member that setattr() may have set: reports it; NULL.
const Object *member_is_set(Walk *w, SrcLoc loc, const Symbol *symbol,
                            const char *name);
// The error of a call of `torch.zeros`, of a module that was not read; NULL.
const Object *not_called(Walk *w, const Expr *callee, const Symbol *symbol);

#endif
