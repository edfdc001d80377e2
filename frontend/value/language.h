// language.h -- the functions of the language, for the rooms below it.
//
// A walk meets functions of triton.language and of Python; what these do is
// built on the walk.  So the walk is given them: see frontend/parse.c.
#ifndef TILE_FRONTEND_LANGUAGE_H
#define TILE_FRONTEND_LANGUAGE_H

#include "frontend/value/argument.h"
#include "frontend/value/builtin.h"

typedef struct Language {
  // By its dotted name below triton.language ("exp", "math.exp"), NULL if there
  // is none; as a bare name; by "math.log2", of host code; as a method of a
  // tensor.
  const Builtin *(*find)(const char *name);
  const Builtin *(*find_bare)(const char *name);
  const Builtin *(*find_host)(const char *dotted);
  const Builtin *(*find_method)(const char *name);
  // Is it a function or type of the language, libdevice's included?
  bool (*has)(const char *name);
  // The nearest name, for "did you mean": among methods, the functions of
  // libdevice, all names of the language, or those and Python's.
  const char *(*nearest)(Arena *arena, const char *name, BuiltinSpace within);
  // The same among the members of a module or a class, as "extra.cuda." or
  // "str.", and others that it has.
  const char *(*nearest_member)(Arena *arena, const char *owner,
                                const char *const *others, size_t num_others,
                                const char *name);

  // Calls of builtins: the arguments, which are bound to its parameters, and
  // what it gives.  False or NULL after a diagnostic.
  bool (*bind)(Walk *w, const Object *callee, SrcLoc loc, const Arguments *args,
               BuiltinCall *out);
  const Object *(*call)(Walk *w, const Object *callee, SrcLoc loc,
                        const Arguments *args);
  // A call of triton.Config, and its parameter at that position, or NULL.
  const Object *(*config)(Walk *w, SrcLoc loc, const Arguments *args);
  const char *(*config_field)(int position);
  // A call of functools.partial.
  const Object *(*partial)(Walk *w, const BuiltinCall *c,
                           const Arguments *args);
  // min() or max() of two, whichever is called.
  const Object *(*extreme)(Walk *w, const BuiltinCall *c, const Object *x,
                           const Object *y);
  // Is it clear what this call of `callee` means?  False after an error; what a
  // Python file means is Python's, and a warning says so.
  bool (*extreme_is_clear)(Walk *w, const Expr *call, const Object *callee,
                           const Arguments *args);

  // Calls `name` of library.tile with the arguments of `c`, or with one or two.
  const Object *(*library)(Walk *w, const BuiltinCall *c, const char *name);
  const Object *(*library_one)(Walk *w, SrcLoc loc, const char *name,
                               const Object *x);
  const Object *(*library_two)(Walk *w, SrcLoc loc, const char *name,
                               const Object *x, const Object *y);
  // Calls a function of Python's that is written there: `itertools.chain` is
  // `_itertools_chain`, which gets all that a call has any number of as one
  // tuple.
  const Object *(*library_python)(Walk *w, const BuiltinCall *c);

  // The value of a tile of one element; NULL after a diagnostic: it has more.
  const Object *(*scalar)(Walk *w, SrcLoc loc, const Object *x);
  // `desc.shape`, of int32, or `desc.strides`, of int64; NULL: from elsewhere.
  const Object *(*descriptor_sizes)(Walk *w, const Object *desc, bool strides);

  // Operations on values of classes and functions that the file itself defines;
  // NULL after a diagnostic. operate: `x op y` by a method of the class of `x`;
  // `*has`: it has one. attribute: `x.name`, where `expr` has the name and the
  // location for messages. call_value: a call of any value, an error where it
  // cannot be called. body: the statements of a function, which calls of it
  // walk; see walk_body().
  const Object *(*operate)(Walk *w, SrcLoc loc, Operator op, const Object *x,
                           const Object *y, bool *has);
  const Object *(*attribute)(Walk *w, const Expr *expr, const Object *x);
  const Object *(*call_value)(Walk *w, const Object *callee, SrcLoc loc,
                              const Arguments *args);
  const Object *(*body)(Walk *w, const StmtList *body);
} Language;

#endif
