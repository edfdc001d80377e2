// object.h -- the values of names and expressions during specialization.
//
// Objects live in the module's arena.  They are immutable, but for lists and
// dictionaries until the call is over that made them; see python/change.c.
// Constants have Python's meaning; a TENSOR is a run-time value: a scalar, a
// pointer, a tile or a block pointer.
#ifndef TILE_FRONTEND_OBJECT_H
#define TILE_FRONTEND_OBJECT_H

#include "frontend/value/dtype.h"
#include "frontend/value/symbol.h"
#include "ir/base/base.h"
#include "ir/op.h"

#include <assert.h>

typedef enum {
  OBJECT_NONE,
  OBJECT_BOOL,
  OBJECT_INT,
  OBJECT_FLOAT,
  OBJECT_STRING,
  OBJECT_DTYPE,
  OBJECT_TUPLE, // lists too
  OBJECT_DICT,  // of constants
  OBJECT_SET,   // of constants, in no known order
  OBJECT_SLICE,
  OBJECT_TENSOR,
  OBJECT_FUNCTION, // marked jit
  OBJECT_LAMBDA,   // runs while compiling
  OBJECT_METHOD,   // such a function, and the object whose it is
  OBJECT_CLASS,    // a NamedTuple or an aggregate
  OBJECT_BUILTIN,
  OBJECT_NAMED,  // what the lambdas of @heuristics get: arguments by name
  OBJECT_SYMBOL, // a module, or something of the host
  OBJECT_GONE,   // a name that has no value here; says why
  OBJECT_POISON, // the result of an error; using it fails in silence
} ObjectKind;

typedef struct Builtin Builtin; // frontend/value/builtin.h
typedef struct Locals Locals;   // frontend/value/scope.h

// Limits for one value: an unrolled loop may double it each time.
enum {
  OBJECT_MAX_SIZE = 1 << 13,   // objects
  OBJECT_MAX_LENGTH = 1 << 20, // bytes of a string
};

// The kinds of Enum that a class may be, by its members.
typedef enum {
  ENUM_NONE,    // the class is no Enum
  ENUM_PURE,    // made from `enum.Enum` alone: neither numbers nor texts
  ENUM_NUMBERS, // an IntEnum, a StrEnum: their values, and so is their str()
  ENUM_MIXED,   // `class K(str, Enum)`: their values, with another text
} EnumKind;

typedef struct Object Object;
typedef Vec(const Object *) Objects;
struct Object {
  ObjectKind kind;
  int depth;                  // of a TUPLE or DICT in others
  int64_t size;               // the objects in it, and in those
  bool is_iterator, is_spent; // of a TUPLE: may be gone over once; was it?
  const Object *over;         // of an iterator or a view: a TUPLE of what it
                              // goes over; NULL: it may be anything
  bool is_quotient;           // of a FLOAT: '/' made it of two integers
  EnumKind enum_kind;         // of the Enum that it is a member of
  int num_loops; // of a TUPLE or DICT: loops, running now, over iterators of it
  // The run that made a TUPLE, DICT or SET that may change; negative once it is
  // in another object; 0: none.
  int owner;
  union {
    const AstFunction *without; // NONE: the function that returned nothing
    bool truth;                 // BOOL
    Integer integer;            // INT
    double number;              // FLOAT
    struct {
      const char *text;
      size_t length;
    } string; // STRING
    struct {
      Dtype dtype;
      const Type *tile; // of `x.type`: its shape; NULL: a scalar type
      bool is_block;    // a pointer to a whole tile: a block pointer's type
    } type;             // DTYPE
    struct {
      const Object *const *items;
      int count;
      char written; // '[' a list, '(' a tuple, 'v' a view, 0: not known
      const AstClass *class; // that names the items; NULL: none
      const Expr *expr;      // that wrote it, an item each; NULL: not known
    } tuple;                 // TUPLE
    struct {
      const char *const *names;
      const Object *const *items; // NULL: not known
      const bool *given;          // that a launch passes it; NULL: no arguments
      bool *read;                 // who was looked at; NULL: nobody asks
      int count;
    } named; // NAMED
    struct {
      const Object *const *keys, *const *items;
      int count;
    } dict; // DICT
    struct {
      const Object *const *items;
      int count;
      bool is_frozen;
    } set;                  // SET
    const Object *slice[3]; // SLICE; NULL: left out
    struct {
      Value *value;
      Dtype dtype;     // of an element; of a block pointer: what it points at
      bool is_counter; // of a loop
    } tensor;          // TENSOR
    const AstFunction *function; // FUNCTION
    struct {
      const AstFunction *function;
      const Locals *around; // the names that it sees
    } lambda;               // LAMBDA
    struct {
      const AstFunction *function;
      const Object *self;
    } method;              // METHOD
    const AstClass *class; // CLASS
    struct {
      const Builtin *info;
      const Object *self; // `x.sum`: x; else NULL
      bool is_libdevice;  // its parameters are arg0, arg1, ... there
      const char *python; // what `type` gave for a constant of a kernel: the
                          // class of its value in Python; else NULL
    } builtin;            // BUILTIN
    const Symbol *symbol; // SYMBOL
    struct {
      const char *reason;
      const Object *were[2];  // what it was on the way here; NULL: not known
      const SrcLoc *given[2]; // the places that gave it; NULL: not known
    } gone;                   // GONE
  } as;
};

extern const Object object_none, object_true, object_false, object_poison;

// The None that a call of `function` gives, which returns nothing; messages
// name the function.
const Object *object_none_of(Arena *arena, const AstFunction *function);
const Object *object_bool(bool truth);
const Object *object_int(Arena *arena, Integer value);
const Object *object_float(Arena *arena, double value);
const Object *object_string(Arena *arena, const char *text, size_t length);
const Object *object_dtype(Arena *arena, Dtype dtype);
const Object *object_tuple(Arena *arena, const Object *const *items, int count);
// The tuple, which is new, as one that was written with that bracket.
const Object *object_written(const Object *tuple, char written);
// The tuple, which is new, as what this expression gives.
const Object *object_written_by(const Object *tuple, const Expr *expr);
bool object_is_aggregate(const Object *x); // a value of such a class
bool object_is_callable(const Object *x);
// The location of item `n` of `x`, if the expression at `loc` lists the items;
// else `loc`.
SrcLoc object_item_loc(const Object *x, int n, SrcLoc loc);
// The tuple, which is new, as one that host code may go over once.
const Object *object_iterator(const Object *tuple);
// Counts the items of `x`, which is new, and what they hold.
void object_hold(Object *x, const Object *const *items, int count);
// The items of `x` are in something now.
void object_hold_items(const Object *x);
// Forbids changes of `x` and of its items.
void object_freeze(const Object *x);
// An object with attributes of these names; the array `names` must outlive it.
const Object *object_named(Arena *arena, int count, const char *const *names,
                           const Object *const *items);
// The arguments of a launch, with another value for one of them.
const Object *object_named_with(Arena *arena, const Object *named,
                                const char *name, const Object *item);
// Item `i`, which is read; NULL: it is not known.
const Object *object_named_item(const Object *named, int i);
// A value of the class, whose fields they are.
const Object *object_of_class(Arena *arena, const AstClass *class,
                              const Object *const *items);
// The number of the field of that name, or -1.
int class_find_field(const AstClass *class, const char *name);
// Others in the place of a tuple's items, of the same class.
const Object *object_with_items(Arena *arena, const Object *tuple,
                                const Object *const *items);
const Object *object_function(Arena *arena, const AstFunction *function);
const Object *object_method(Arena *arena, const AstFunction *function,
                            const Object *self);
const Object *object_class(Arena *arena, const AstClass *class);
const Object *object_symbol(Arena *arena, const Symbol *symbol);
const Object *object_tensor(Arena *arena, Value *value, Dtype dtype);
const Object *object_builtin(Arena *arena, const Builtin *info,
                             const Object *self);
Object *object_gone(Arena *arena, const char *reason, const Object *a,
                    const Object *b);

// An iterator, or a view of a dictionary: what it has is found when it is made.
static inline bool object_passes(const Object *x) {
  return x->kind == OBJECT_TUPLE &&
         (x->is_iterator || x->as.tuple.written == 'v');
}

// The value of a name that has no value here, or whose line had an error.
static inline bool object_is_lost(const Object *x) {
  return x->kind == OBJECT_GONE || x->kind == OBJECT_POISON;
}

// A set that can change: not a frozenset.
static inline bool object_is_set(const Object *x) {
  return x->kind == OBJECT_SET && !x->as.set.is_frozen;
}
static inline bool object_is_tensor(const Object *x) {
  return x->kind == OBJECT_TENSOR;
}
// bool, int or float.
static inline bool object_is_number(const Object *x) {
  return x->kind >= OBJECT_BOOL && x->kind <= OBJECT_FLOAT;
}
// A number or a string.
static inline bool object_is_literal(const Object *x) {
  return object_is_number(x) || x->kind == OBJECT_STRING;
}
static inline const Type *object_type(const Object *tensor) {
  assert(object_is_tensor(tensor)); // I4
  return tensor->as.tensor.value->type;
}
static inline bool object_is_block_pointer(const Object *x) {
  return object_is_tensor(x) && object_type(x)->kind == TYPE_BLOCK_POINTER;
}
// A pointer or a tile of pointers.
static inline bool object_is_pointer(const Object *x) {
  return object_is_tensor(x) && x->as.tensor.dtype.is_pointer;
}
static inline bool object_is_descriptor(const Object *x) {
  return object_is_tensor(x) && object_type(x)->kind == TYPE_DESCRIPTOR;
}
// A block pointer or a descriptor: no value to compute with.
static inline bool object_is_window(const Object *x) {
  return object_is_block_pointer(x) || object_is_descriptor(x);
}
static inline bool object_is_tile(const Object *x) {
  return object_is_tensor(x) && object_type(x)->kind == TYPE_TILE;
}
// No tensor in it.
bool object_is_constant(const Object *x);
// A value computed by host code, or a name of a module that is not found: its
// value may be anything.
bool object_is_of_host(const Object *x);
// `x`, or an object in it, that passes the test; NULL: none.
const Object *object_find(const Object *x, bool (*test)(const Object *x));
const Object *object_find_of_host(const Object *x);
// Is `key` a variable of the environment, which `dict` is, that a line of the
// program may have set?
bool object_is_variable(const Object *dict, const Object *key);
extern const char environment_name[]; // of the symbol that its values are
// The same constant, or the same IR value.
bool object_equal(const Object *a, const Object *b);
// Could one stand for the other after a join: the same but for IR values.
bool object_same_type(const Object *a, const Object *b);

// The IR values in an object, and the object with others in their place.
int object_num_values(const Object *x);
void object_values(const Object *x, Value ***cursor);
const Object *object_with_values(Arena *arena, const Object *x,
                                 Value *const **cursor);

// For messages: "tile of fp32 [16, 16]", "constant 3", "None".
const char *object_text(Arena *arena, const Object *x);
// The same of one that differs in type from `other`, to tell them apart.
const char *object_text_beside(Arena *arena, const Object *x,
                               const Object *other);
// For `a` and `b`, which differ in type, both called `name`: descends to the
// first parts that differ, sets `*a` and `*b` to them, and returns their name,
// such as "x[1]".
const char *object_difference(Arena *arena, const char *name, const Object **a,
                              const Object **b);
// Prints a constant as Python's str() or repr() does; ends once `out` has more
// than OBJECT_MAX_LENGTH.
void object_print(const Object *x, bool repr, Str *out);
const char *shape_text(Arena *arena, int rank, const int64_t *shape);

#endif
