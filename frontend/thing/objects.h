// objects.h -- Python's operations on objects: operators, items, attributes,
// calls.
//
// Functions of the program are called by way of `Machine.code`: this room does
// not know how statements run.
#ifndef TILE_FRONTEND_OBJECTS_H
#define TILE_FRONTEND_OBJECTS_H

#include "frontend/thing/machine.h"

typedef enum { NEXT_ITEM, NEXT_END, NEXT_UNKNOWN, NEXT_DEAD } Next;

// The receiver of each item of a generator function, before its body goes on.
// `take` gives false where the path ended.
typedef struct Taker {
  bool (*take)(Machine *m, void *data, Thing *item);
  void *data;
  RunFrame *frame; // in which `take` runs
} Taker;

// How the program's code runs.  The functions below of the same names call
// these.
struct Code {
  Thing *(*call)(Machine *m, Thing *callee, Things *args, ArgNames names);
  void (*run_weakly)(Machine *m, Thing *code);
  Next (*generator_next)(Machine *m, Thing *generator, Thing **item);
  bool (*run_generator)(Machine *m, Thing *generator, Taker *taker,
                        bool *known);
  void (*run_text)(Machine *m, const char *text);
  const BuiltinRow *(*builtin_row)(const char *name);
  bool (*names_no_file)(Machine *m, const Thing *key);
};

// -- code.c: calls ------------------------------------------------------------

// The result of the call; NULL: the path ended.
Thing *run_call(Machine *m, Thing *callee, Things *args, ArgNames names);
Thing *run_call_one(Machine *m, Thing *callee, Thing *argument);
// Runs a function with arguments that are not known, or the rest of a generator
// expression, perhaps never, perhaps often.
void run_weakly(Machine *m, Thing *code);
// Runs code as text, as exec() does: what its words name is not known.
void run_text(Machine *m, const char *text);
// The next item of a generator expression.
Next generator_next(Machine *m, Thing *generator, Thing **item);
// Runs the body of a generator function from its beginning; is there a path on
// which it ends?  Not `*known`: it has begun, or is exposed, and nothing is
// run.
bool run_generator(Machine *m, Thing *generator, Taker *taker, bool *known);
// Are the arguments that many, and has none a name?
bool args_are_plain(const Things *args, ArgNames names, size_t least,
                    size_t most);

// -- operate.c: operators -----------------------------------------------------

// Each raises where Python does; an answer that is not known may raise.
Known run_truth(Machine *m, Thing *x, bool *alive);
Known run_equal(Machine *m, Thing *a, Thing *b, bool *alive);
Known run_is(const Thing *a, const Thing *b);
Thing *run_binary(Machine *m, Operator op, Thing *a, Thing *b, bool in_place);
Thing *run_unary(Machine *m, UnaryOperator op, Thing *x);
Thing *run_compare(Machine *m, CompareOperator op, Thing *a, Thing *b);
// Equality of items of containers: an object equals itself.
Known run_equal_items(Machine *m, Thing *a, Thing *b, bool *alive);
// Can the thing be a key?  By value or by identity.
bool thing_is_key(Machine *m, Thing *x);
// Does Python raise a TypeError for the thing as a key?
bool thing_is_unhashable(const Thing *x);
int content_find(Machine *m, const Content *content, Thing *key, Known *found);

// -- index.c: items -----------------------------------------------------------

Thing *run_subscript(Machine *m, Thing *x, Thing *index);
// sys.modules[key]: unknown, and perhaps each module of the program.
Thing *run_loaded_module(Machine *m, Thing *key);
bool run_set_item(Machine *m, Thing *x, Thing *index, Thing *value);
bool run_del_item(Machine *m, Thing *x, Thing *index);
Thing *run_set_of(Machine *m, const Things *keys);

// -- attribute.c, classes.c ---------------------------------------------------

Thing *run_attribute(Machine *m, Thing *x, const char *name);
// The attribute; NULL, with `*alive`: there is none.
Thing *find_attribute(Machine *m, Thing *x, const char *name, bool *alive);
bool run_set_attribute(Machine *m, Thing *x, const char *name, Thing *value);
bool run_del_attribute(Machine *m, Thing *x, const char *name);
Thing *class_lookup(Machine *m, Thing *class, const char *name);
bool class_is_unknown(const Thing *class);
bool class_is_sub(const Thing *class, const Thing *base);
// Is the class of `b` derived from that of `a`, so that `b` is asked first?
bool class_is_derived(const Thing *b, const Thing *a);
// The method of that name of an instance, or NULL.
Thing *special_method(Machine *m, Thing *x, const char *name);

// -- record.c: data classes and named tuples ----------------------------------

// The class, or one above it, that is a record; NULL: none.
Thing *record_of(Thing *class);
bool record_init(Machine *m, Thing *record, Thing *x, Things *args,
                 ArgNames names);
// Turns the names of an Enum's class into members; false: it has more than
// members.
bool record_enum(Machine *m, Thing *class, RecordKind kind);
// A named tuple as a tuple, a member of an IntEnum as its number; other things
// as they are.
Thing *record_plain(Machine *m, Thing *x);

// -- iterate.c ----------------------------------------------------------------

// NULL: the path ended.  A thing that is not known: an UNKNOWN.
Thing *run_iterator(Machine *m, Thing *x);
Next run_next(Machine *m, Thing *iterator, Thing **item);
// Adds all items of `x` to `out`; false: they are not known, or, without
// `*alive`, the path ended.
bool run_drain(Machine *m, Thing *x, Things *out, bool *alive);
// The same where their order does not matter.
bool run_drain_any(Machine *m, Thing *x, Things *out, bool *alive);
Thing *iterator_new(Machine *m, IteratorKind kind, Thing *over, Thing **parts,
                    int num_parts);
// Items of the iterator are not known from here on.
Next iterator_lose(Machine *m, Thing *iterator);
// Takes an iterator that is at its beginning to its end; false: it has begun,
// or is exposed.
bool iterator_take_all(Machine *m, Thing *iterator);

// -- raise.c, facts.c, builtins.c, constant_call.c ----------------------------

// Raises an exception of Python's; returns NULL.
Thing *run_raise(Machine *m, const char *name);
// Raises that object; returns NULL.
Thing *raise_thing(Machine *m, Thing *error);
Thing *exception_class(Machine *m, const char *name);
// The object that triton.Config() gives, and what that is for a walk; NULL: it
// is none, or not known.
Thing *config_call(Machine *m, const Things *args, ArgNames names);
const Object *config_object(Machine *m, const Thing *config);
// The walk that computes with constants for the run.
Walk *run_walk(Machine *m);
// Is it Python's or Triton's, or derived from such a class?
bool class_is_foreign(const Thing *class);
Thing *builtin_thing(Machine *m, const char *name); // NULL: none
// The row of a function or type of Python's; NULL: none.
const BuiltinRow *builtin_row(const char *name);
// Does the function of a library leave its arguments unchanged?  Does it only
// mark a function, as triton.jit does, without a call of it?
bool foreign_is_pure(const char *dotted);
bool foreign_only_marks(const char *dotted);
// Is the member a way to the program's modules, such as sys.modules?
bool foreign_reaches_modules(const char *dotted, const char *member);
// Is it sys.modules, or a function that gives a module by its name?
bool foreign_gives_modules(const Thing *x);
// Has some module such a member?
bool member_reaches_modules(const char *name);
// Is one a way from a function to names: `attrgetter("__globals__")`?
bool names_globals(const Things *args);
// "sys.modules" for "logging.sys.modules".
const char *foreign_name(const char *dotted);
// The call of a function of Python's on constants, as a walk does it; NULL: it
// cannot.
Thing *call_constant(Machine *m, const char *name, Things *args,
                     ArgNames names);

#endif
