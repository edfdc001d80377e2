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
  const Object *args[MAX_BUILTIN_PARAMS]; // NULL: omitted
  SrcLoc locs[MAX_BUILTIN_PARAMS];        // of the argument, or of the call
  const Object *const *rest;              // the arguments of a `*name`
                                          // parameter
  const SrcLoc *rest_locs;
  int num_rest;
  bool is_method; // the first argument is the object before the dot
};

// Flags of a string method: it searches at the start or at the end only; it
// fails if it does not find its argument.
enum { STRING_FIRST = 1, STRING_LAST = 2, STRING_MUST = 4 };
// The code of a method such as `tensor.__add__`: an Operator, an Operator with
// `self` on the right, a CompareOperator, or a UnaryOperator.
enum {
  OPERATOR_KINDS = 63,
  OPERATOR_REVERSED = 64,
  OPERATOR_COMPARES = 128,
  OPERATOR_IS_UNARY = 256
};

// The name of parameter `n`.
const char *argument_name(Walk *w, const BuiltinCall *c, int n);
// The integer argument; `otherwise`, if it is omitted.  False after a
// diagnostic.
bool argument_int(Walk *w, const BuiltinCall *c, int n, int64_t otherwise,
                  int64_t *out);
bool argument_bool(Walk *w, const BuiltinCall *c, int n, bool otherwise,
                   bool *out);
// argument_between(): a required constant from `least` to `most`.
// argument_axis(): an axis of the tile `x`; -1 means all axes.
bool argument_axis(Walk *w, const BuiltinCall *c, int n, const Object *x,
                   int *out);
bool argument_between(Walk *w, const BuiltinCall *c, int n, int64_t least,
                      int64_t most, int64_t *out);
// The index of the string argument in `words`; omitted, None or "": 0.
bool argument_word(Walk *w, const BuiltinCall *c, int n,
                   const char *const *words, int *out);
// A tuple of constants, or one constant; for a `*name` parameter, one tuple or
// all arguments.
bool argument_ints(Walk *w, const BuiltinCall *c, int n, int64_t *out,
                   int *count);
// The same, for the shape of a tile.
bool argument_shape(Walk *w, const BuiltinCall *c, int n, int64_t *out,
                    int *count);
// Is `shape`, from such an argument, valid?  False after a diagnostic.
bool argument_is_shape(Walk *w, const BuiltinCall *c, int n,
                       const int64_t *shape, int rank);
// The location of item `i` of a shape argument; of the whole argument, if the
// items have no locations of their own.
SrcLoc argument_item_loc(const BuiltinCall *c, int n, int i);
bool order_is_permutation(const int64_t *order, int count, int rank);
// The location of the first item because of which `order` is no permutation of
// `rank` axes; of the whole argument, if the number of items is wrong.
SrcLoc argument_order_loc(const BuiltinCall *c, int n, const int64_t *order,
                          int count, int rank);
bool object_constant_int(const Object *x, int64_t *out);
bool argument_dtype(Walk *w, const BuiltinCall *c, int n, Dtype *out);
// The argument as a tensor; a constant is converted.  A block pointer is an
// error.
const Object *argument_tensor(Walk *w, const BuiltinCall *c, int n);
// Is the argument, or each element, a number?  A pointer is an error.
bool argument_is_number(Walk *w, const BuiltinCall *c, int n);
// Is argument `n` a number, or a run-time value that is no block pointer or
// descriptor?
bool argument_is_operand(Walk *w, const BuiltinCall *c, int n);
// Can the tiles among the first `count` arguments be broadcast to one shape?
bool arguments_broadcast(Walk *w, const BuiltinCall *c, int count);
bool shapes_broadcast(const Type *a, const Type *b);
// Reports that the argument is not `wanted`.  Returns false.
bool argument_wrong(Walk *w, const BuiltinCall *c, int n, const char *wanted);
// Is the argument omitted or None?
bool argument_absent(const BuiltinCall *c, int n);

// The types of operands that a function of library.tile takes.
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

// -- Notes below an error that suggest a correction --------------------------

// Each note belongs to the last error.  If it has no suggestion, nothing is
// added.

// Below an error about an object of the host: its origin.
void note_host(Walk *w, const Object *x);
// Below an error about a value that should be constant: how to keep the value
// of an assigned name or a parameter constant.  Returns false.
bool note_run_time(Walk *w, const Object *x);
// `x` is a float instead of an integer: suggests `//`, if '/' made it.
void note_quotient(Walk *w, const Object *x);
// `x` is a tuple of tiles instead of a tile.
void note_items(Walk *w, const Object *x);
// The first argument is no pointer.  If the second is one, the note suggests to
// exchange them.
void note_exchanged(Walk *w, const BuiltinCall *c, const Object *second);
// There are too many arguments, and `param` is a list: suggests brackets, if
// its items were given one by one.
void note_sizes(Walk *w, const char *param, const Arguments *args);
// The user's function that was called last returns values that cannot be
// combined: notes the place.  Returns false.
bool note_combined(Walk *w);
// A loop assigns `after` to `name`, whose value before the loop is `before`, of
// another type.
void note_carried(Walk *w, const char *name, const Object *before,
                  const Object *after);

#endif
