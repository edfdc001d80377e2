// language.h -- the language's functions, for each other and for rooms above.
//
// Rooms below have them by `struct Language`.
#ifndef TILE_FRONTEND_LANGUAGE_LANGUAGE_H
#define TILE_FRONTEND_LANGUAGE_LANGUAGE_H

#include "frontend/core/builtins.h"

// By its dotted name below triton.language ("exp", "math.exp"), NULL if there
// is none; as a bare name; as a method of a tensor.
const Builtin *builtin_find(const char *name);
const Builtin *builtin_find_bare(const char *name);
const Builtin *builtin_find_host(const char *dotted); // "math.log2"
const Builtin *builtin_find_method(const char *name);
// Is it a function or type of the language, libdevice's included?
bool language_has(const char *name);
// The nearest name, for "did you mean": among methods, the functions of
// libdevice, all names of the language, or those and Python's.
const char *builtin_nearest(Arena *arena, const char *name,
                            BuiltinSpace within);
// The same among the members of a module or a class, as "extra.cuda." or
// "str.", and others that it has.
const char *builtin_nearest_member(Arena *arena, const char *owner,
                                   const char *const *others, size_t num_others,
                                   const char *name);

bool builtin_bind(Walk *w, const Object *callee, SrcLoc loc,
                  const Arguments *args, BuiltinCall *out);
const Object *call_builtin(Walk *w, const Object *callee, SrcLoc loc,
                           const Arguments *args);
// A call of functools.partial.
const Object *call_partial(Walk *w, const BuiltinCall *c,
                           const Arguments *args);
// min() or max() of two, whichever is called.
const Object *extreme_of_two(Walk *w, const BuiltinCall *c, const Object *x,
                             const Object *y);

// The one element of a tile.
const Object *scalar_of(Walk *w, SrcLoc loc, const Object *x);

// A descriptor of the kernel's arguments: address, sizes, strides.
const Object *descriptor_of(Walk *w, SrcLoc loc, const ArgSpec *spec,
                            const Object *const *parts);
// `desc.shape`, of int32, or `desc.strides`, of int64; NULL: from elsewhere.
const Object *descriptor_sizes(Walk *w, const Object *desc, bool strides);

// Makes tensors of all arguments, of one shape, and of one type where they
// differ and that is wanted.  False after a diagnostic.
bool library_check(Walk *w, BuiltinCall *c, LibraryTakes takes);
bool library_unify(Walk *w, BuiltinCall *c, int count, bool to_one_type);
// Calls `name` of library.tile with the arguments of `c`.
const Object *library_call(Walk *w, const BuiltinCall *c, const char *name);
const Object *library_call_with(Walk *w, const BuiltinCall *c, const char *name,
                                Arguments *args);
// Calls a function of Python's that is written there: `itertools.chain` is
// `_itertools_chain`, which gets all that a call has any number of as one
// tuple.
const Object *library_call_python(Walk *w, const BuiltinCall *c);
const Object *library_call_one(Walk *w, SrcLoc loc, const char *name,
                               const Object *x);
const Object *library_call_two(Walk *w, SrcLoc loc, const char *name,
                               const Object *x, const Object *y);

#endif
