// thing.h -- the values of a run, and their changeable parts.
#ifndef TILE_FRONTEND_THING_H
#define TILE_FRONTEND_THING_H

#include "frontend/module/program.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"

typedef struct Thing Thing;
typedef struct Machine Machine;
typedef struct RunFrame RunFrame;
typedef Vec(Thing *) Things;
// The names of keyword arguments, one entry for each argument, NULL for a
// positional one.  NULL if all arguments are positional.
typedef const char *const *ArgNames;

typedef enum { KNOWN_NOT, KNOWN_FALSE, KNOWN_TRUE } Known;

static inline Known known_of(bool truth) {
  return truth ? KNOWN_TRUE : KNOWN_FALSE;
}

typedef enum { SLOT_THING, SLOT_CONTENT, SLOT_STATE } SlotKind;

// The owner of a slot.  `exposed`: it has escaped, so unseen code may change
// the slot at any time, for ever.  `born`: the clock when the owner was made.
// `set`: the last set of slots that had its slot.
typedef struct {
  bool exposed;
  SlotKind kind;
  unsigned born, set;
} Owner;

// The value of a name; NULL: unbound.
typedef struct {
  Owner owner;
  const char *name; // interned
  Thing *value;
  Things ever; // things that can be changed, which a module has bound to it
  bool untold; // code of another module, a text, or an assignment to the
               // module's attribute may have bound it
} NameCell;

// The names of a module, a class, an instance or a call, with their values.
typedef struct {
  Owner owner;
  Vec(NameCell *) cells;
  Map by_name; // the cells, by the addresses of their names; empty: they are
               // few
  const struct RunModule *home; // the module whose code made it
  bool untold; // text may have bound any name, or changed its value
} NameTable;

// Items of a list, keys and values of a dictionary, or keys of a set.  A
// content never changes: a store puts another one into the slot.
typedef struct {
  Thing **items, **keys;
  int count;
} Content;

extern Content unknown_content;
extern char lost_state; // position of an iterator: unknown

typedef enum {
  THING_UNKNOWN,
  THING_MAYBE, // in a cell only: the name may be unbound
  THING_CONSTANT,
  THING_TUPLE,
  THING_LIST,
  THING_DICT,
  THING_SET,
  THING_RANGE,
  THING_SLICE,
  THING_ITERATOR,
  THING_FUNCTION,
  THING_METHOD,  // a function or builtin, with its `self`
  THING_BUILTIN, // a function or type of Python
  THING_CLASS,
  THING_INSTANCE,
  THING_MODULE,
  THING_PROPERTY, // also staticmethod and classmethod, see `wrapper`
  THING_SUPER,
  THING_VIEW,    // of a dictionary: its keys, values or both
  THING_FOREIGN, // a name of a module without a file: "torch.cuda"
} ThingKind;

// The kinds of classes whose `__init__` follows from their fields.
typedef enum {
  RECORD_NONE,
  RECORD_DATA,
  RECORD_CLOSED, // a frozen data class
  RECORD_TUPLE,
  RECORD_ENUM, // Enum: members are instances
  RECORD_INT,  // IntEnum: members count as integers
} RecordKind;

typedef enum { WRAPS_PROPERTY, WRAPS_STATIC, WRAPS_CLASS } WrapperKind;

typedef enum {
  ITERATES_ITEMS, // of a list, tuple, text, range or dictionary
  ITERATES_REVERSED,
  ITERATES_ENUMERATE,
  ITERATES_ZIP,
  ITERATES_MAP,
  ITERATES_FILTER,
  ITERATES_GENERATOR, // a generator expression
  ITERATES_FUNCTION,  // a generator function, whose body is run as a whole
} IteratorKind;

typedef struct RunModule RunModule;

typedef struct BuiltinRow {
  const char *name; // "len", "list.append"
  Thing *(*run)(Machine *m, Thing *self, Things *args, ArgNames names,
                int data);
  int data;
} BuiltinRow;

struct Thing {
  ThingKind kind;
  Owner owner;
  union {
    // UNKNOWN: its two possible values; NULL stands for any value that has
    // escaped or comes from outside.  MAYBE: the value is the first.
    Thing *either[2];
    const Object *constant;
    struct {
      Thing **items;
      int count;
      int64_t num_parts; // it, its items, theirs if they are tuples, and so on
    } tuple;             // also SLICE: start, stop, step; NULL: omitted
    struct {
      Content *content;
      const struct RunModule *home; // the module whose code made it
      bool is_named;                // a function has bound it to a name
      bool is_changed_named;
      bool is_changed; // after the statement that made it, or elsewhere
      bool frozen;     // of a SET
    } holder;          // LIST, DICT, SET
    struct {
      Integer start, stop, step;
    } range;
    struct {
      IteratorKind kind;
      Thing *over;   // iterated object; MAP, FILTER: the function
      Thing **parts; // iterators of ENUMERATE, ZIP, MAP, FILTER
      int num_parts;
      void *at;       // position, from 1; GENERATOR: its state
      Content *first; // a dictionary's content when it was made
      const Expr *expr;
      RunFrame *frame;
      Integer start; // ENUMERATE, REVERSED: the start; a view's kind
    } iterator;
    struct {
      const AstFunction *ast;
      Thing **defaults; // one for each parameter
      RunFrame *around; // the frame that made it
      NameTable *names; // attributes
      const struct FunctionNames *scope;
      Thing *class;   // the class whose method it is; for super()
      bool is_opaque; // its names are unknown: it cannot be run
      bool is_kernel; // it is a kernel, which the host does not run
      bool is_remade; // its code may have been replaced
    } function;
    struct {
      Thing *function, *self;
    } method;
    const BuiltinRow *builtin;
    struct {
      const char *name;
      Thing *base; // NULL: its base is object
      NameTable *names;
      const char *python; // name of an exception of Python; or NULL
      Things fields;      // annotated: name and default in turn
      RecordKind record;
    } class;
    struct {
      Thing *class;
      NameTable *names;
    } instance;
    RunModule *module;
    const char *foreign; // the dotted name
    struct {
      Thing *dict;
      int kind; // 0: keys, 1: values, 2: both; 3: names of the module in `dict`
    } view;
    struct {
      WrapperKind kind;
      Thing *function;
    } wrapper;
    struct {
      Thing *class, *self;
    } super;
  } as;
};

#endif
