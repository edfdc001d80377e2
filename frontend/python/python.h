// python.h -- dictionaries, sets, iterators and changes, while compiling.
#ifndef TILE_FRONTEND_PYTHON_PYTHON_H
#define TILE_FRONTEND_PYTHON_PYTHON_H

#include "frontend/core/builtins.h"

// -- Dictionaries (dict.c) ---------------------------------------------------

// The entries of a new dictionary; `**from` adds those of another one.  False
// after a diagnostic.
typedef struct {
  Vec(const Object *) keys, items;
  const Object *arguments; // the launch's arguments, if all of them are
                           // entries; or NULL
} DictEntries;
bool dict_put(Walk *w, DictEntries *entries, SrcLoc loc, const Object *key,
              const Object *item);
bool dict_put_all(Walk *w, DictEntries *entries, SrcLoc loc,
                  const Object *from);
const Object *dict_of(Walk *w, const DictEntries *entries);
const Object *call_dict(Walk *w, const Arguments *args);
// The dictionary made from a tuple of pairs.
const Object *dict_of_pairs(Walk *w, SrcLoc loc, const Object *pairs);
const Object *dict_find(Walk *w, const Object *dict, const Object *key); // NULL
const Object *dict_keys(Walk *w, const Object *dict); // a tuple
// The items for a loop over `x`, as a tuple: the keys of a dictionary; in host
// code, the characters of a string.  NULL: `x` has no items in a known order.
const Object *walk_iterable(Walk *w, const Object *x);
// The characters of a string, as a tuple; NULL if they are too many.
const Object *string_characters(Walk *w, const Object *x);
// `**dict` in a call.
bool dict_spread(Walk *w, SrcLoc loc, const Object *dict, Arguments *out);

// `x | y`
const Object *dict_union(Walk *w, SrcLoc loc, const Object *x, const Object *y);
// A copy with another entry.
const Object *dict_with(Walk *w, SrcLoc loc, const Object *dict,
                        const Object *key, const Object *item);

// -- Sets (set.c) ------------------------------------------------------------

// The set of the items of a tuple; NULL after a diagnostic.
const Object *set_of_items(Walk *w, SrcLoc loc, const Object *tuple,
                           bool frozen);
// `x | y` and the like; NULL if the operator is not defined for sets.
const Object *set_operation(Walk *w, Operator op, const Object *x,
                            const Object *y);
// The set `x` after a call of `method`, which changes it; NULL if there is no
// such method.
const Object *set_changed(Walk *w, SrcLoc loc, const char *method,
                          const Object *x, int count,
                          const Object *const *args);
// The same as walk_iterable(), if the order does not matter: also of a set.
const Object *walk_members(Walk *w, const Object *x);

// -- Attributes of types (dtype_attribute.c) ---------------------------------

// `x.name` of a dtype or the type of a tile, where it follows from the type
// alone; else NULL.
const Object *dtype_attribute(Walk *w, const Object *x, const char *name);
// The types in `tl.dtype.FP_TYPES` and the like, by name; else NULL.
const Object *dtype_list(Walk *w, const char *name);
// The sizes of a tile as a tuple, which is empty for a scalar or NULL.
const Object *shape_of_type(Walk *w, const Type *type);

// -- Iterators and views (iterator.c) ----------------------------------------

// May the iterator or view `x` be kept by a name or object?  False after a
// diagnostic.
bool walk_keep_iterator(Walk *w, SrcLoc loc, const Object *x);
bool walk_keep_arguments(Walk *w, const Arguments *args);
// May `callee` get the iterators among the arguments?
bool walk_may_get(Walk *w, const Object *callee, const Arguments *args);
// Stores in the iterator `x`, which `callee` returned, the arguments that it
// iterates over.
void walk_note_over(Walk *w, const Object *callee, const Arguments *args,
                    const Object *x);
// Tells that a loop over `x` begins (1) or has ended (-1): the source of `x`
// may not change in the loop.
void walk_loop_over(const Object *x, int change);
// Is `x` an iterator or view, or does it reach one?
bool walk_has_iterator(Walk *w, const Object *x);

// -- Changes (change.c) ------------------------------------------------------

// From here on functions are called lazily: when an iterator is consumed, or
// never.  So they may not change objects that exist already: `w->run`, the
// owner of new objects, gets a new number.  The caller restores it.
void walk_be_lazy(Walk *w);
// Makes the new object `x` changeable; `written` is its opening bracket.
const Object *walk_own(Walk *w, const Object *x, char written);
// `x[index] = value`; `x += by` for a list.
bool assign_item(Walk *w, SrcLoc loc, const Object *x, const Object *index,
                 const Object *value);
bool walk_extend(Walk *w, SrcLoc loc, const Object *x, const Object *by);
// `x |= y` and the like, for sets.
bool walk_update_set(Walk *w, SrcLoc loc, Operator op, const Object *x,
                     const Object *y);
// Is the call `x.append(value)` or the like, on a list, a dictionary or a set?
bool is_changing_call(const Walk *w, const Expr *call);
bool object_is_collection(const Object *x);
const Object *change_by_call(Walk *w, SrcLoc loc, const char *method,
                             const Object *x, const Arguments *args);

// -- Functions (functions.c, math.c, inspect.c, host_only.c) -----------------

// `x.type` of a constexpr, which differs from the types of all values.
const Object *constexpr_type_of(Walk *w, const Object *value);
// Is the caller host code?  False after a diagnostic: kernels may not call the
// function.
bool call_is_of_host(Walk *w, const BuiltinCall *c);
// The value of "math.log2" or "math.pi" in Python's module; NULL if the module
// lacks the name.
const Object *host_math(Walk *w, const char *dotted);

// -- triton.Config, as a value of host code (config.c) -----------------------

// The fields of such a tuple, in order.
enum {
#define CONFIG_FIELD(id, name, otherwise) CONFIG_##id,
#include "frontend/python/fields.def"
  CONFIG_GIVEN, // a bit for each field that the call gives
  NUM_CONFIG_FIELDS
};

// The parameter of triton.Config at that position; NULL if there is none.
const char *config_field(int position);
// Its default; `kwargs` counts as one whose default is None.
const Object *config_default(int position);
bool object_is_config(const Object *x);
const Object *call_config(Walk *w, SrcLoc loc, const Arguments *args);

// -- triton.testing.Benchmark, as a value of host code (benchmark.c) ---------

enum {
#define BENCHMARK_FIELD(id, name, otherwise) BENCHMARK_##id,
#include "frontend/python/fields.def"
  NUM_BENCHMARK_FIELDS,
  NUM_BENCHMARK_REQUIRED = BENCHMARK_XLABEL // the first with a default
};

// The parameter of the class at that position; NULL if there is none.
const char *benchmark_field(int position);
// Its default; None also if it has none.
const Object *benchmark_default(int position);
bool symbol_is_benchmark(const Symbol *symbol);
bool object_is_benchmark(const Object *x);
const Object *call_benchmark(Walk *w, SrcLoc loc, const Arguments *args);

// -- Facts that hold on every machine (facts.c) ------------------------------

// The value of a host fact, such as "sys.version_info", that is the same on all
// machines on which Triton runs; NULL: no such fact is known.
const Object *host_fact(Walk *w, const char *dotted);
// `x.name` of such a fact; NULL if there is none.
const Object *host_attribute(Walk *w, const Object *x, const char *name);
// The release of Triton whose language this is.
const Object *language_version(Walk *w);

// -- Descriptors of tensors in host code (host_tensor.c) ---------------------

// `x.name`; NULL: unknown.
const Object *host_descriptor_attribute(Walk *w, const Object *x,
                                        const char *name);
// `x.name = value`; false after a diagnostic.
bool host_descriptor_assign(Walk *w, SrcLoc loc, const Object *x,
                            const char *name, const Object *value);

// -- Types of torch and their limits (limits.c) ------------------------------

// The type of torch with elements of this type.
const Object *host_type(Walk *w, DtypeId id);
// `torch.float16.itemsize`; NULL: unknown.
const Object *host_type_attribute(Walk *w, const Object *x, const char *name);
// The result of calling `name`, such as torch.finfo; NULL after a diagnostic.
const Object *host_limits(Walk *w, const char *name, SrcLoc loc,
                          const Arguments *args);

#endif
