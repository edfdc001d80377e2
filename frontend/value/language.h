// language.h -- the functions of the language, for the rooms below it.
//
// A walk calls functions of triton.language and of Python, which are
// implemented on top of the walk.  So the walk gets this table of them: see
// frontend/parse.c.
#ifndef TILE_FRONTEND_LANGUAGE_H
#define TILE_FRONTEND_LANGUAGE_H

#include "frontend/value/argument.h"
#include "frontend/value/builtin.h"

// A class of Triton whose objects are values of host code.
typedef struct {
  const char *name; // "triton.Config"
  int num_required; // parameters that a call must give; they come first
  // The parameter at that position; NULL if there is none.
  const char *(*field)(int position);
  // Its default; None also if it has none.
  const Object *(*otherwise)(int position);
  // The result of a call.
  const Object *(*make)(Walk *w, SrcLoc loc, const Arguments *args);
} HostClass;

typedef struct Language {
  // find(): by the dotted name below triton.language ("exp", "math.exp"), NULL
  // if there is none.  find_bare(): by a bare name.  find_host(): "math.log2"
  // of host code.  find_method(): a method of a tensor.
  const Builtin *(*find)(const char *name);
  const Builtin *(*find_bare)(const char *name);
  const Builtin *(*find_host)(const char *dotted);
  const Builtin *(*find_method)(const char *name);
  // Has the language a function or type of that name, libdevice included?
  bool (*has)(const char *name);
  // The nearest name, for "did you mean": among methods, libdevice's functions,
  // all names of the language, or these and Python's.
  const char *(*nearest)(Arena *arena, const char *name, BuiltinSpace within);
  // The same among the members of a module or class, such as "extra.cuda." or
  // "str.", and others that it has.
  const char *(*nearest_member)(Arena *arena, const char *owner,
                                const char *const *others, size_t num_others,
                                const char *name);

  // Calls of builtins: bind() assigns the arguments to parameters, call()
  // returns the result.  False or NULL after a diagnostic.
  bool (*bind)(Walk *w, const Object *callee, SrcLoc loc, const Arguments *args,
               BuiltinCall *out);
  const Object *(*call)(Walk *w, const Object *callee, SrcLoc loc,
                        const Arguments *args);
  const HostClass *classes; // the last one has no name
  // A call of functools.partial.
  const Object *(*partial)(Walk *w, const BuiltinCall *c,
                           const Arguments *args);
  // min() or max() of two values; the callee selects which.
  const Object *(*extreme)(Walk *w, const BuiltinCall *c, const Object *x,
                           const Object *y);
  // Is the meaning of this call of `callee` clear?  False after an error; in a
  // Python file the call has Python's meaning, with a warning.
  bool (*extreme_is_clear)(Walk *w, const Expr *call, const Object *callee,
                           const Arguments *args);

  // Calls `name` of library.tile: with the arguments of `c`, or with one or two
  // values.
  const Object *(*library)(Walk *w, const BuiltinCall *c, const char *name);
  const Object *(*library_one)(Walk *w, SrcLoc loc, const char *name,
                               const Object *x);
  const Object *(*library_two)(Walk *w, SrcLoc loc, const char *name,
                               const Object *x, const Object *y);
  // Calls a Python function that library.tile implements: `itertools.chain` is
  // `_itertools_chain` there, and gets all its arguments as one tuple.
  const Object *(*library_python)(Walk *w, const BuiltinCall *c);

  // The value of a tile with one element; NULL after a diagnostic for another
  // tile.
  const Object *(*scalar)(Walk *w, SrcLoc loc, const Object *x);
  // `desc.shape`, in int32, or `desc.strides`, in int64; NULL: unknown here.
  const Object *(*descriptor_sizes)(Walk *w, const Object *desc, bool strides);

  // Operations on objects whose classes and functions the file defines; NULL
  // after a diagnostic. operate: `x op y` by a method of the class of `x`;
  // `*has`: there is one. attribute: `x.name`; `expr` has the name and the
  // location for messages. call_value: a call of any object, an error if that
  // cannot be called. body: the statements of a function, for calls of it; see
  // walk_body().
  const Object *(*operate)(Walk *w, SrcLoc loc, Operator op, const Object *x,
                           const Object *y, bool *has);
  const Object *(*attribute)(Walk *w, const Expr *expr, const Object *x);
  const Object *(*call_value)(Walk *w, const Object *callee, SrcLoc loc,
                              const Arguments *args);
  const Object *(*body)(Walk *w, const StmtList *body);
} Language;

#endif
