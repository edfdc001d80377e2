// thing.h -- the values of a run, and what of them may change.
#ifndef TILE_FRONTEND_THING_H
#define TILE_FRONTEND_THING_H

#include "frontend/module/program.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"

typedef struct Thing Thing;
typedef struct Machine Machine;
typedef struct RunFrame RunFrame;
typedef Vec(Thing *) Things;
// The names that arguments were given by, an entry each, NULL for a positional
// one; or NULL, if all are positional.
typedef const char *const *ArgNames;

typedef enum { KNOWN_NOT, KNOWN_FALSE, KNOWN_TRUE } Known;

static inline Known known_of(bool truth) {
  return truth ? KNOWN_TRUE : KNOWN_FALSE;
}
static inline Known known_opposite(Known x) {
  return x == KNOWN_NOT ? x : known_of(x == KNOWN_FALSE);
}

typedef enum { SLOT_THING, SLOT_CONTENT, SLOT_STATE } SlotKind;

// The owner of a slot, which may change.  `exposed`: unseen code may change it
// at any time; that never ends.  `born`: the clock when it was made.
typedef struct {
  bool exposed;
  SlotKind kind;
  unsigned born;
} Owner;

// The value of a name; NULL: it has none.
typedef struct {
  Owner owner;
  const char *name; // interned
  Thing *value;
  bool by_text; // code as text, or an attribute of its module, may bind it
} NameCell;

// Names and what they stand for: of a module, a class, an instance, a call.
typedef struct {
  Owner owner;
  Vec(NameCell *) cells;
} NameTable;

// Items of a list, or keys and values of a dictionary or keys of a set.  A
// content does not change; another takes its place.
typedef struct {
  Thing **items, **keys;
  int count;
} Content;

extern Content unknown_content;
extern char lost_state; // the place of an iterator that is not known

typedef enum {
  THING_UNKNOWN,
  THING_MAYBE, // of a cell only: no value, or this one
  THING_CONSTANT,
  THING_TUPLE,
  THING_LIST,
  THING_DICT,
  THING_SET,
  THING_RANGE,
  THING_SLICE,
  THING_ITERATOR,
  THING_FUNCTION,
  THING_METHOD,  // a function or builtin, and what it is called on
  THING_BUILTIN, // a function or type of Python's
  THING_CLASS,
  THING_INSTANCE,
  THING_MODULE,
  THING_PROPERTY, // and staticmethod, classmethod: see `wrapper`
  THING_SUPER,
  THING_VIEW,    // of a dictionary: its keys, values, or both
  THING_FOREIGN, // a name of a module that is no file: "torch.cuda"
} ThingKind;

// A class whose `__init__` is made from its fields.
typedef enum {
  RECORD_NONE,
  RECORD_DATA,
  RECORD_CLOSED, // a data class whose attributes may not be written
  RECORD_TUPLE,
  RECORD_ENUM, // whose members stand for themselves
  RECORD_INT,  // and those of an IntEnum for integers
} RecordKind;

typedef enum { WRAPS_PROPERTY, WRAPS_STATIC, WRAPS_CLASS } WrapperKind;

typedef enum {
  ITERATES_ITEMS, // of a list, tuple, text, range or dictionary
  ITERATES_REVERSED,
  ITERATES_ENUMERATE,
  ITERATES_ZIP,
  ITERATES_MAP,
  ITERATES_FILTER,
  ITERATES_GENERATOR, // an expression
  ITERATES_FUNCTION,  // a generator function's body, run as a whole
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
    // UNKNOWN: the things that it may be; NULL: any that is exposed, or none of
    // the program's.  MAYBE: the first.
    Thing *either[2];
    const Object *constant;
    struct {
      Thing **items;
      int count;
    } tuple; // also SLICE: three, NULL: left out
    struct {
      Content *content;
      bool frozen; // of a SET
    } holder;      // LIST, DICT, SET
    struct {
      Integer start, stop, step;
    } range;
    struct {
      IteratorKind kind;
      Thing *over;   // what it goes over, or the function of MAP and FILTER
      Thing **parts; // iterators of ENUMERATE, ZIP, MAP, FILTER
      int num_parts;
      void *at;       // how far it has come, from 1; of a GENERATOR: its state
      Content *first; // of a dictionary, when it was made
      const Expr *expr;
      RunFrame *frame;
      Integer start; // of ENUMERATE and REVERSED; of a view, its kind
    } iterator;
    struct {
      const AstFunction *ast;
      Thing **defaults; // by parameter
      RunFrame *around; // the frame that made it
      NameTable *names; // attributes
      const struct FunctionNames *scope;
      Thing *class;   // that it is a method of; for super()
      bool is_opaque; // its names are not known: it need not run
      bool is_kernel; // nor does it run on the host
      bool is_remade; // its text does not say what it does
    } function;
    struct {
      Thing *function, *self;
    } method;
    const BuiltinRow *builtin;
    struct {
      const char *name;
      Thing *base; // NULL: object
      NameTable *names;
      const char *python; // an exception of Python's; NULL: it is none
      Things fields;      // with annotations: texts, and, in turn, defaults
      RecordKind record;
    } class;
    struct {
      Thing *class;
      NameTable *names;
    } instance;
    RunModule *module;
    const char *foreign; // its dotted name
    struct {
      Thing *dict;
      int kind; // 0: keys, 1: values, 2: both; 3: names of the module `dict`
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
