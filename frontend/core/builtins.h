// builtins.h -- the functions of triton.language and of Python.
#ifndef TILE_FRONTEND_BUILTINS_H
#define TILE_FRONTEND_BUILTINS_H

#include "frontend/core/tensor.h"
#include "frontend/core/walk.h"
#include "frontend/value/value.h"

enum { MAX_BUILTIN_PARAMS = 12 };

struct BuiltinCall {
  const Builtin *info;
  SrcLoc loc;                             // of the call
  const Object *args[MAX_BUILTIN_PARAMS]; // NULL: left out
  SrcLoc locs[MAX_BUILTIN_PARAMS];        // of the argument, or the call
  const Object *const *rest;              // of a `*name` parameter
  const SrcLoc *rest_locs;
  int num_rest;
  bool is_method; // the first argument was written before the dot
};

// Flags of a string method: it works at the start, at the end; it must find its
// argument.
enum { STRING_FIRST = 1, STRING_LAST = 2, STRING_MUST = 4 };
// The code of a method such as `tensor.__add__`: an Operator, one with `self`
// on the right, a CompareOperator, or a UnaryOperator.
enum {
  OPERATOR_KINDS = 63,
  OPERATOR_REVERSED = 64,
  OPERATOR_COMPARES = 128,
  OPERATOR_IS_UNARY = 256
};

// The name of parameter `n`.
const char *argument_name(Walk *w, const BuiltinCall *c, int n);
// `*n` left out means `otherwise`.  False after a diagnostic.
bool argument_int(Walk *w, const BuiltinCall *c, int n, int64_t otherwise,
                  int64_t *out);
bool argument_bool(Walk *w, const BuiltinCall *c, int n, bool otherwise,
                   bool *out);
// An argument that is there: a constant from `least` to `most`.  The axis of
// the tile `x` that it says, or -1: all of them.
bool argument_axis(Walk *w, const BuiltinCall *c, int n, const Object *x,
                   int *out);
bool argument_between(Walk *w, const BuiltinCall *c, int n, int64_t least,
                      int64_t most, int64_t *out);
// Position of the string argument among `words`; left out, None or "": 0.
bool argument_word(Walk *w, const BuiltinCall *c, int n,
                   const char *const *words, int *out);
// A tuple of constants, or one constant; of a `*name` parameter one tuple, or
// all that there are.
bool argument_ints(Walk *w, const BuiltinCall *c, int n, int64_t *out,
                   int *count);
// The same as the shape of a tile.
bool argument_shape(Walk *w, const BuiltinCall *c, int n, int64_t *out,
                    int *count);
// Can these, which such an argument gave, be one?  False after a diagnostic.
bool argument_is_shape(Walk *w, const BuiltinCall *c, int n,
                       const int64_t *shape, int rank);
// The location of item `i` of a shape argument, or, where the items were not
// written one by one, of the whole argument.
SrcLoc argument_item_loc(const BuiltinCall *c, int n, int i);
bool order_is_permutation(const int64_t *order, int count, int rank);
// The location of the first item that makes the argument no permutation of
// `rank` axes; of the whole argument, if it has too many or too few.
SrcLoc argument_order_loc(const BuiltinCall *c, int n, const int64_t *order,
                          int count, int rank);
bool object_constant_int(const Object *x, int64_t *out);
bool argument_dtype(Walk *w, const BuiltinCall *c, int n, Dtype *out);
// A tensor; constants become one.  Not a block pointer.
const Object *argument_tensor(Walk *w, const BuiltinCall *c, int n);
// Is it, or is each of its elements, no pointer?  Else an error.
bool argument_is_number(Walk *w, const BuiltinCall *c, int n);
// A number, or a run-time value that is no block pointer or descriptor.
bool argument_is_operand(Walk *w, const BuiltinCall *c, int n);
// Have the tiles among the first `count` one shape in common?
bool arguments_broadcast(Walk *w, const BuiltinCall *c, int count);
bool shapes_broadcast(const Type *a, const Type *b);
// An error: `wanted` was, something else was found.  Returns false.
bool argument_wrong(Walk *w, const BuiltinCall *c, int n, const char *wanted);
// NULL or None.
bool argument_absent(const BuiltinCall *c, int n);

// The operand types of a function of library.tile.
typedef enum {
  TAKES_ANY,
  TAKES_FLOATS, // fp32 and fp64
  TAKES_FP64,
  TAKES_INTS, // of 32 and 64 bits
  TAKES_FLOAT_AND_INT,
} LibraryTakes;

// Handlers; see builtins.def.
#define GROUP(title)
#define BUILTIN(name, space, handler, data, params, summary)                   \
  const Object *builtin_##handler(Walk *w, const BuiltinCall *c);
#define UNSUPPORTED(name, space)
#include "frontend/core/builtins.def"

// -- Notes below an error that say what to write instead ---------------------

// Each belongs to the last error and says nothing where it has nothing to say.

// Below an error about a thing of the host: where it comes from.
void note_host(Walk *w, const Object *x);
// Below an error about a value that should be constant: where it is one that
// was assigned, or a parameter, how to keep it.  Returns false.
bool note_run_time(Walk *w, const Object *x);
// `x` is a float where an integer is wanted: because of '/'?
void note_quotient(Walk *w, const Object *x);
// `x` is a tuple of tiles where one is wanted.
void note_items(Walk *w, const Object *x);
// The first argument is no pointer.  If the second is one, a note says that the
// two are exchanged.
void note_exchanged(Walk *w, const BuiltinCall *c, const Object *second);
// Too many arguments where `param` is a list: were its items given?
void note_sizes(Walk *w, const char *param, const Arguments *args);
// A function of the user's, called last, gives what cannot be combined: where.
// False.
bool note_combined(Walk *w);
// A loop makes `after` of `name`, which is `before` ahead of it.
void note_carried(Walk *w, const char *name, const Object *before,
                  const Object *after);

#endif
