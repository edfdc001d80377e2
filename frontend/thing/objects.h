// objects.h -- Python's operations on objects: operators, items, attributes,
// calls.
//
// Functions of the program are called through `Machine.code`: this room does
// not know how statements run.
#ifndef TILE_FRONTEND_OBJECTS_H
#define TILE_FRONTEND_OBJECTS_H

#include "frontend/thing/machine.h"

typedef enum { NEXT_ITEM, NEXT_END, NEXT_UNKNOWN, NEXT_DEAD } Next;

// A loop over a generator function: `take` gets each item at its `yield`,
// before the body goes on.  `take` returns false if the path ended.
typedef struct Taker {
  bool (*take)(Machine *m, void *data, Thing *item);
  void *data;
  RunFrame *frame; // in which `take` runs
} Taker;

// The functions that run code of the program.  Functions below with the same
// names call them.
struct CodeRunner {
  Thing *(*call)(Machine *m, Thing *callee, Things *args, ArgNames names);
  void (*run_weakly)(Machine *m, Thing *code);
  Next (*generator_next)(Machine *m, Thing *generator, Thing **item);
  bool (*run_generator)(Machine *m, Thing *generator, Taker *taker,
                        bool *known);
  void (*run_text)(Machine *m, const char *text);
  // Functions of builtins.c use all of this room, so that their table lies
  // above the look-up of a name.
  const BuiltinRow *(*builtin_row)(const char *name);
  bool (*names_no_file)(Machine *m, const Thing *key);
};

// -- code.c: calls -----------------------------------------------------------

// The result of the call; NULL: the path ended.
Thing *run_call(Machine *m, Thing *callee, Things *args, ArgNames names);
Thing *run_call_one(Machine *m, Thing *callee, Thing *argument);
// Runs an unknown number of times: a function with unknown arguments, or the
// rest of a generator expression.
void run_weakly(Machine *m, Thing *code);
// Runs code as text, as exec() does: names in it become unknown.
void run_text(Machine *m, const char *text);
// The next item of a generator expression, made by running its clauses.
Next generator_next(Machine *m, Thing *generator, Thing **item);
// Runs the body of a generator function from its beginning.  False: no path
// reaches its end.  `*known` false: it has started before, or has escaped, so
// nothing is run.
bool run_generator(Machine *m, Thing *generator, Taker *taker, bool *known);
// The object of a lambda of a module, or of a function for which its name there
// still stands; NULL for others.
const Object *function_constant(Machine *m, const Thing *x);
// Are there `least` to `most` arguments, all of them positional?
bool args_are_plain(const Things *args, ArgNames names, size_t least,
                    size_t most);

// -- operate.c: operators ----------------------------------------------------

// Each of these functions raises an exception if Python does; if the answer is
// unknown, the function may raise.
Known run_truth(Machine *m, Thing *x, bool *alive);
Known run_equal(Machine *m, Thing *a, Thing *b, bool *alive);
Known run_is(const Thing *a, const Thing *b);
// The bool of an answer; if the answer is unknown, the code may raise.
Thing *run_known(Machine *m, Known x);
Thing *run_binary(Machine *m, Operator op, Thing *a, Thing *b, bool in_place);
Thing *run_unary(Machine *m, UnaryOperator op, Thing *x);
Thing *run_compare(Machine *m, CompareOperator op, Thing *a, Thing *b);
// Equality of items of containers: an object equals itself.
Known run_equal_items(Machine *m, Thing *a, Thing *b, bool *alive);
// Does Python raise a TypeError if the thing is used as a key?
bool thing_is_unhashable(const Thing *x);
int content_find(Machine *m, const Content *content, Thing *key, Known *found);

// -- index.c: items ----------------------------------------------------------

Thing *run_subscript(Machine *m, Thing *x, Thing *index);
// sys.modules[key]: unknown, and perhaps each module of the program.
Thing *run_loaded_module(Machine *m, Thing *key);
// The body of a module may run a second time, so that the objects that it
// reached are unknown.  `which` is the module, its key in sys.modules, or NULL
// for all modules.
void run_body_again(Machine *m, const Thing *which);
// Notes that the variable of the environment is set; NULL: any variable may be.
// Calls do not count if only unseen code might make them.
void run_set_variable(Machine *m, const Thing *name);
bool run_set_item(Machine *m, Thing *x, Thing *index, Thing *value);
bool run_del_item(Machine *m, Thing *x, Thing *index);
Thing *run_set_of(Machine *m, const Things *keys);

// -- attribute.c, classes.c --------------------------------------------------

Thing *run_attribute(Machine *m, Thing *x, const char *name);
// The attribute.  NULL with `*alive` set: the object has none of that name.
Thing *find_attribute(Machine *m, Thing *x, const char *name, bool *alive);
NameTable *thing_names(const Thing *x);
bool run_set_attribute(Machine *m, Thing *x, const char *name, Thing *value);
bool run_del_attribute(Machine *m, Thing *x, const char *name);
Thing *class_lookup(Machine *m, Thing *class, const char *name);
bool class_is_unknown(const Thing *class);
bool class_is_sub(const Thing *class, const Thing *base);
// Is the class of `b` derived from that of `a`, so that the method of `b` is
// tried first?
bool class_is_derived(const Thing *b, const Thing *a);
// The method of that name of an instance, or NULL.
Thing *special_method(Machine *m, Thing *x, const char *name);

// -- record.c: data classes and named tuples ---------------------------------

// The class, or the nearest base, that is a record; NULL if there is none.
Thing *record_of(Thing *class);
bool record_init(Machine *m, Thing *record, Thing *x, Things *args,
                 ArgNames names);
// Turns the names of an Enum's class into members; false: it has other members,
// too.
bool record_enum(Machine *m, Thing *class, RecordKind kind);
// A named tuple as a tuple, a member of an IntEnum as its number; others
// unchanged.
Thing *record_plain(Machine *m, Thing *x);

// -- iterate.c ---------------------------------------------------------------

// NULL: the path ended.  An UNKNOWN, if `x` is unknown.
Thing *run_iterator(Machine *m, Thing *x);
Next run_next(Machine *m, Thing *iterator, Thing **item);
// Adds all items of `x` to `out`.  False: they are unknown, or, if `*alive` is
// cleared, the path ended.
bool run_drain(Machine *m, Thing *x, Things *out, bool *alive);
// The same for callers to whom the order of the items does not matter.
bool run_drain_any(Machine *m, Thing *x, Things *out, bool *alive);
Thing *iterator_new(Machine *m, IteratorKind kind, Thing *over, Thing **parts,
                    int num_parts);
// Items of the iterator are unknown from here on.
Next iterator_lose(Machine *m, Thing *iterator);
// Moves an iterator from its beginning to its end.  False: it is not at its
// beginning, or has escaped.
bool iterator_take_all(Machine *m, Thing *iterator);

// -- raise.c, facts.c, builtins.c, constant_call.c ---------------------------

// Raises an exception of Python, by name; returns NULL.
Thing *run_raise(Machine *m, const char *name);
// Raises that object; returns NULL.
Thing *raise_thing(Machine *m, Thing *error);
Thing *exception_class(Machine *m, const char *name);
// The class of Triton of that name; NULL: its objects are not followed.
const HostClass *host_class(const Machine *m, const char *name);
// The object that a call of the class gives.
Thing *host_class_call(Machine *m, const HostClass *class, const Things *args,
                       ArgNames names);
// The object as a walk has it; NULL: it is of no such class, or not known.
const Object *host_class_object(Machine *m, const Thing *x);
// The walk that computes with constants for the run.
Walk *run_walk(Machine *m);
// Is the class one of Python or Triton, or derived from one?
bool class_is_foreign(const Thing *class);
Thing *builtin_thing(Machine *m, const char *name); // NULL: there is none
// The row of a function or type of Python; NULL if there is none.
const BuiltinRow *builtin_row(const char *name);
// foreign_is_pure(): does the library's function leave its arguments unchanged?
// foreign_only_marks(): does it only mark a function, as triton.jit does,
// without calling it?
bool foreign_is_pure(const char *dotted);
bool foreign_only_marks(const char *dotted);
// Does the member give access to the program's modules, like sys.modules?
bool foreign_reaches_modules(const char *dotted, const char *member);
// Is `x` sys.modules, or a function that gives a module by its name?
bool foreign_gives_modules(const Thing *x);
// Does any module have such a member?
bool member_reaches_modules(const char *text, size_t length);
// Does an argument give access to a function's names, like
// `attrgetter("__globals__")`?
bool names_globals(const Things *args);
// The shorter name of the same module: "sys.modules" for "logging.sys.modules".
const char *foreign_name(const char *dotted);
// The result of a Python function on constants, evaluated as by a walk; NULL if
// that is not possible.
Thing *call_constant(Machine *m, const char *name, Things *args,
                     ArgNames names);

#endif
