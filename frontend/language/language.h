// language.h -- the language's functions, for this room and rooms above.
//
// Rooms below reach them through `struct Language`.
#ifndef TILE_FRONTEND_LANGUAGE_LANGUAGE_H
#define TILE_FRONTEND_LANGUAGE_LANGUAGE_H

#include "frontend/core/builtins.h"

// -- Members of struct Language; see value/language.h ------------------------

const Builtin *builtin_find(const char *name);
const Builtin *builtin_find_bare(const char *name);
const Builtin *builtin_find_host(const char *dotted);
const Builtin *builtin_find_method(const char *name);
bool language_has(const char *name);
const char *builtin_nearest(Arena *arena, const char *name,
                            BuiltinSpace within);
const char *builtin_nearest_member(Arena *arena, const char *owner,
                                   const char *const *others, size_t num_others,
                                   const char *name);
bool builtin_bind(Walk *w, const Object *callee, SrcLoc loc,
                  const Arguments *args, BuiltinCall *out);
const Object *call_builtin(Walk *w, const Object *callee, SrcLoc loc,
                           const Arguments *args);
const Object *call_partial(Walk *w, const BuiltinCall *c,
                           const Arguments *args);
const Object *extreme_of_two(Walk *w, const BuiltinCall *c, const Object *x,
                             const Object *y);
const Object *library_call(Walk *w, const BuiltinCall *c, const char *name);
const Object *library_call_one(Walk *w, SrcLoc loc, const char *name,
                               const Object *x);
const Object *library_call_two(Walk *w, SrcLoc loc, const char *name,
                               const Object *x, const Object *y);
const Object *library_call_python(Walk *w, const BuiltinCall *c);
const Object *scalar_of(Walk *w, SrcLoc loc, const Object *x);
const Object *descriptor_sizes(Walk *w, const Object *desc, bool strides);

// -- Arguments, and values made from them ------------------------------------

// The argument as a tuple of `rank` integers; argument_indices(): as values of
// one type.
bool argument_items(Walk *w, const BuiltinCall *c, int n, int rank,
                    const Object **out);
bool argument_indices(Walk *w, const BuiltinCall *c, int n, int rank,
                      DtypeId id, Value **out);

// Is the first argument a pointer, or a tile of pointers?  False after a
// diagnostic.
bool argument_pointer(Walk *w, const BuiltinCall *c);
// A mask, of type int1; `*out` is NULL if it is omitted.
bool argument_mask(Walk *w, const BuiltinCall *c, int n, const Object **out);
// Broadcasts `*x` to the shape of the pointers, which stays.
bool argument_spread(Walk *w, const BuiltinCall *c, int n,
                     const Object *pointer, const Object **x);
// Is the argument PropagateNan.ALL?
bool argument_propagates(const BuiltinCall *c, int n);

// `x` with its last two dimensions exchanged.
const Object *tensor_swap_last(Walk *w, const Object *x);
// Elements of `x` along `axis`, selected by the int32 indices of a tile that
// may have another size there.
const Object *tensor_gather(Walk *w, const Object *x, const Object *index,
                            int axis);

// The integers of range(start, end, step) as a tuple; the step is not 0.  NULL
// if there are more than `most`.
const Object *range_tuple(Walk *w, const int64_t bounds[3], size_t most);

// A descriptor argument of the kernel, made from its parts: address, sizes,
// strides.
const Object *descriptor_of(Walk *w, SrcLoc loc, const ArgSpec *spec,
                            const Object *const *parts);

// -- Functions of library.tile -----------------------------------------------

// Converts all arguments to tensors, of one shape, and, if `takes` says so, of
// one type.  False after a diagnostic.
bool library_check(Walk *w, BuiltinCall *c, LibraryTakes takes);
bool library_unify(Walk *w, BuiltinCall *c, int count, bool to_one_type);
// The same as library_call(), with other arguments.
const Object *library_call_with(Walk *w, const BuiltinCall *c, const char *name,
                                Arguments *args);

// -- `max(v, 0)` of a tile (bare_extreme.c) ----------------------------------

// Is the meaning of this call of `callee` clear?  False after an error; in a
// Python file the call has Python's meaning, with a warning.
bool extreme_is_clear(Walk *w, const Expr *call, const Object *callee,
                      const Arguments *args);

#endif
