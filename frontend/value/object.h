// object.h -- the values of names and expressions during specialization.
//
// Objects live in the module's arena.  Objects are immutable, except that lists
// and dictionaries may change until the call that made them ends; see
// python/change.c. Constants have Python's meaning.  A TENSOR is a run-time
// value: a scalar, a pointer, a tile or a block pointer.
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
  OBJECT_SET,   // of constants, whose order is unknown
  OBJECT_SLICE,
  OBJECT_TENSOR,
  OBJECT_FUNCTION, // marked jit
  OBJECT_LAMBDA,   // runs while compiling
  OBJECT_METHOD,   // a jit function with its object
  OBJECT_CLASS,    // a NamedTuple or an aggregate
  OBJECT_BUILTIN,
  OBJECT_NAMED,  // the argument of a heuristic: a launch's arguments by name
  OBJECT_SYMBOL, // a module, or an object of the host
  OBJECT_GONE,   // a name that has no value here; holds the reason
  OBJECT_POISON, // the result of an error; using it fails in silence
} ObjectKind;

typedef struct Builtin Builtin; // frontend/value/builtin.h
typedef struct Locals Locals;   // frontend/value/scope.h

// Limits for one value: an unrolled loop may double it each time.
enum {
  OBJECT_MAX_SIZE = 1 << 13,   // objects
  OBJECT_MAX_LENGTH = 1 << 20, // bytes of a string
};

// The kinds of Enum, by the values of the members.
typedef enum {
  ENUM_NONE,    // the class is no Enum
  ENUM_PURE,    // from `enum.Enum` alone: members equal no number or text
  ENUM_NUMBERS, // an IntEnum or StrEnum: members equal their values, also in
                // str()
  ENUM_MIXED,   // `class K(str, Enum)`: members equal their values, but not in
                // str()
} EnumKind;

typedef struct Object Object;
typedef Vec(const Object *) Objects;
struct Object {
  ObjectKind kind;
  int depth;                  // nesting depth of a TUPLE or DICT
  int64_t size;               // number of objects in it, at all depths
  bool is_iterator, is_spent; // of a TUPLE: can be iterated once; was iterated
  const Object *over;         // of an iterator or a view: a TUPLE of the
                              // objects that it iterates over; NULL: unknown
  bool is_quotient;           // of a FLOAT: '/' computed it from two integers
  EnumKind enum_kind;         // the kind of Enum whose member it is
  int num_loops; // of a TUPLE or DICT: running loops over its iterators
  // The run that made a TUPLE, DICT or SET, while it may change; negative if
  // the object is in another one; 0: it is immutable.
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
      const Type *tile; // of `x.type`: type of the tile; NULL: scalar
      bool is_block;    // the type of a block pointer
    } type;             // DTYPE
    struct {
      const Object *const *items;
      int count;
      char written;          // '[' a list, '(' a tuple, 'v' a view, 0: unknown
      const AstClass *class; // class with the names of the items; or NULL
      const Expr *expr;      // expression that lists the items; or NULL
    } tuple;                 // TUPLE
    struct {
      const char *const *names;
      const Object *const *items; // NULL: unknown
      const bool *given;          // the launch passes it; NULL: no launch
      bool *read;                 // out: which were read; or NULL
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
    const Object *slice[3]; // SLICE; NULL: omitted
    struct {
      Value *value;
      Dtype dtype;               // of an element, also behind a block pointer
      bool is_counter;           // it counts a loop's turns
    } tensor;                    // TENSOR
    const AstFunction *function; // FUNCTION
    struct {
      const AstFunction *function;
      const Locals *around; // the names of the enclosing scope
    } lambda;               // LAMBDA
    struct {
      const AstFunction *function;
      const Object *self;
    } method;              // METHOD
    const AstClass *class; // CLASS
    struct {
      const Builtin *info;
      const Object *self; // `x.sum`: x; else NULL
      bool is_libdevice;  // its parameters are called arg0, arg1, ...
      const char *python; // for a result of `type` on a constant in a kernel:
                          // Python's class of the value; else NULL
    } builtin;            // BUILTIN
    const Symbol *symbol; // SYMBOL
    struct {
      const char *reason;
      const Object *were[2];  // its values on the joined paths; NULL: none
      const SrcLoc *given[2]; // the places that assigned it; NULL: unknown
    } gone;                   // GONE
  } as;
};

extern const Object object_none, object_true, object_false, object_poison;

// The None that a call of `function` returns if that has no return value;
// messages name the function.
const Object *object_none_of(Arena *arena, const AstFunction *function);
const Object *object_bool(bool truth);
const Object *object_int(Arena *arena, Integer value);
const Object *object_float(Arena *arena, double value);
const Object *object_string(Arena *arena, const char *text, size_t length);
const Object *object_dtype(Arena *arena, Dtype dtype);
const Object *object_tuple(Arena *arena, const Object *const *items, int count);
// A dictionary, which keeps both arrays.
const Object *object_dict(Arena *arena, const Object *const *keys,
                          const Object *const *items, int count);
// Sets the bracket with which the new tuple was written.
const Object *object_written(const Object *tuple, char written);
// Sets the expression that made the new tuple.
const Object *object_written_by(const Object *tuple, const Expr *expr);
bool object_is_aggregate(const Object *x); // an object of an aggregate class
bool object_is_callable(const Object *x);
// The location of item `n` of `x`, if the expression at `loc` lists the items;
// else `loc`.
SrcLoc object_item_loc(const Object *x, int n, SrcLoc loc);
// Makes the new tuple an iterator, which host code can use once.
const Object *object_iterator(const Object *tuple);
// Counts the items of the new object `x`, and the objects in them.
void object_hold(Object *x, const Object *const *items, int count);
// Marks the items of `x` as items of an object.
void object_hold_items(const Object *x);
// Forbids changes of `x` and of its items.
void object_freeze(const Object *x);
// An object with attributes of these names; the array `names` must outlive it.
const Object *object_named(Arena *arena, int count, const char *const *names,
                           const Object *const *items);
// The arguments of a launch, with another value for one of them.
const Object *object_named_with(Arena *arena, const Object *named,
                                const char *name, const Object *item);
// Item `i`, which is marked as read; NULL: unknown.
const Object *object_named_item(const Object *named, int i);
// An object of the class, with the values of its fields.
const Object *object_of_class(Arena *arena, const AstClass *class,
                              const Object *const *items);
// The index of the field, or -1.
int class_find_field(const AstClass *class, const char *name);
// A tuple of the same class with other items.
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

// Is `x` a named tuple or an instance of this class itself?
static inline bool object_is_of_class(const Object *x, const AstClass *class) {
  return x->kind == OBJECT_TUPLE && x->as.tuple.class == class;
}

// Is `x` an iterator or a view of a dictionary, whose items are found when it
// is made?
static inline bool object_passes(const Object *x) {
  return x->kind == OBJECT_TUPLE &&
         (x->is_iterator || x->as.tuple.written == 'v');
}

// Is `x` the value of a name that is unbound here, or whose line had an error?
static inline bool object_is_lost(const Object *x) {
  return x->kind == OBJECT_GONE || x->kind == OBJECT_POISON;
}

// Is `x` a set that can change, not a frozenset?
static inline bool object_is_set(const Object *x) {
  return x->kind == OBJECT_SET && !x->as.set.is_frozen;
}
static inline bool object_is_tensor(const Object *x) {
  return x->kind == OBJECT_TENSOR;
}
// Is `x` a bool, int or float?
static inline bool object_is_string(const Object *x) {
  return x->kind == OBJECT_STRING;
}
static inline bool object_is_number(const Object *x) {
  return x->kind >= OBJECT_BOOL && x->kind <= OBJECT_FLOAT;
}
// Is `x` a number or a string?
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
// Is `x` a pointer or a tile of pointers?
static inline bool object_is_pointer(const Object *x) {
  return object_is_tensor(x) && x->as.tensor.dtype.is_pointer;
}
static inline bool object_is_descriptor(const Object *x) {
  return object_is_tensor(x) && object_type(x)->kind == TYPE_DESCRIPTOR;
}
// Is `x` a block pointer or a descriptor, which is no operand of arithmetic?
static inline bool object_is_window(const Object *x) {
  return object_is_block_pointer(x) || object_is_descriptor(x);
}
static inline bool object_is_tile(const Object *x) {
  return object_is_tensor(x) && object_type(x)->kind == TYPE_TILE;
}
// Does the object contain no tensor?
bool object_is_constant(const Object *x);
// Is `x` an object that host code computes, or a name of a module that is not
// found? Its value may be anything.
bool object_is_of_host(const Object *x);
// `x`, or an object in it, that passes the test; NULL if none does.
const Object *object_find(const Object *x, bool (*test)(const Object *x));
const Object *object_find_of_host(const Object *x);
// Is `dict` the environment, and may a line of the program have set its
// variable `key`?
bool object_is_variable(const Object *dict, const Object *key);
extern const char environment_name[]; // of the symbol that its values are
// Are `a` and `b` the same constant, or the same IR value?
bool object_equal(const Object *a, const Object *b);
// Can one replace the other after a join: are they equal except for IR values?
bool object_same_type(const Object *a, const Object *b);

// The number of IR values in an object, the values, and the object with other
// values in their places.
int object_num_values(const Object *x);
void object_values(const Object *x, Value ***cursor);
const Object *object_with_values(Arena *arena, const Object *x,
                                 Value *const **cursor);

// The name of Python's type of such constants: "int"; NULL: they are of another
// kind.
const char *object_python_type(ObjectKind kind);
// A text for messages: "tile of fp32 [16, 16]", "constant 3", "None".
const char *object_text(Arena *arena, const Object *x);
// The same, with enough details to tell it from `other`, of another type.
const char *object_text_beside(Arena *arena, const Object *x,
                               const Object *other);
// Descends in `a` and `b`, which differ in type and are both called `name`, to
// the first parts that differ.  Sets `*a` and `*b` to these, and returns their
// name, such as "x[1]".
const char *object_difference(Arena *arena, const char *name, const Object **a,
                              const Object **b);
// Prints a constant as Python's str() or repr() does; ends once `out` has more
// than OBJECT_MAX_LENGTH.
void object_print(const Object *x, bool repr, Str *out);
const char *shape_text(Arena *arena, int rank, const int64_t *shape);

#endif
