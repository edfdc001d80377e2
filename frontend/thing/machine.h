// machine.h -- the state of a run of host code, and the values in it.
//
// A path is one way of execution.  If a condition is unknown, both branches run
// from the same state, and their final states are joined.  Every store is
// logged, so that a state can be left and restored.
//
// If the path has ended by an exception, a `break` or a `return`, a function
// that returns a Thing returns NULL, and one that returns a bool returns false.
#ifndef TILE_FRONTEND_MACHINE_H
#define TILE_FRONTEND_MACHINE_H

#include "frontend/thing/thing.h"

#include <stdint.h>

typedef struct CodeRunner CodeRunner;

// The ways in which a path continues or leaves a statement.
typedef enum {
  LEAVE_FALL, // continues behind the statement
  LEAVE_BREAK,
  LEAVE_OUTER, // a BREAK of the loop around, while a loop ends
  LEAVE_CONTINUE,
  LEAVE_RETURN,
  LEAVE_RAISE,
  LEAVE_HANDLER, // + n: continues in handler `n` of the `try`
} LeaveKind;

enum {
  LEAVE_PENDING = 1000, // added: a `finally` or `__exit__` must run first
  LEAVE_TAKER = 4000,   // added: leaves the loop over a generator
};

// A point of the run: the length of the log, and the clock.
typedef struct {
  size_t log;
  unsigned clock;
} RunMark;

typedef struct {
  void **slot;
  void *value; // in the log: the slot's value before
  Owner *owner;
} Write;

// Writes that were undone while a path that had left needed them; the newest
// first.  `before`: the writes before them, from item `from` on.
typedef struct Trail {
  Vec(Write) writes; // with the slots' values after them
  struct Trail *before;
  size_t from;
} Trail;

// A path that has left.  Its state is that at `mark`, and the writes of `trail`
// from item `from` on.
typedef struct {
  int kind; // LeaveKind
  Thing *value;
  RunMark mark;
  Trail *trail, *oldest; // `oldest`: the last of the list; NULL: no writes
  size_t from;
} Leave;

// A call of a function, a class body, a comprehension, or a module.
struct RunFrame {
  RunFrame *outer; // frame of the enclosing scope; NULL: a module's
  RunModule *module;
  NameTable *names;
  const struct FunctionNames *scope; // NULL for a module or a class
  bool is_class, is_comprehension;
  Thing *class, *self; // for super()
  Thing *yields;       // in a generator's body: list of items, or NULL
  struct Taker *taker; // runs at each `yield`; or NULL
};

struct RunModule {
  RunModule *next;
  AstFile *file;
  const char *name; // dotted
  NameTable *names;
  Thing *thing;
  RunFrame frame;
  bool has_star;        // a star import may have bound any name
  bool annotates_later; // `from __future__ import annotations`
  bool opens_names;     // its code may bind any name of any module
  bool is_unread;       // too long to be run: its names are unknown
  bool running;
  bool failed;
  Owner owner;   // of `state`
  void *state;   // here: &module_absent, &module_ready or lost_state
  StmtList body; // valid if `is_parsed`
  bool is_parsed;
  Map reached;   // first tokens of its statements to how they were reached
  int bodies;    // how often the body has begun to run, or may begin
  int forks;     // `forks` of the machine when the body began
  size_t leaves; // `leaves.count` when the present statement began
};

// A call of triton.testing.perf_report: its argument, as a walk has it, or NULL
// if that is unknown or differs from call to call.
typedef struct {
  const AstFile *file;
  SrcLoc loc;
  const Object *benchmarks;
} RunReport;

struct Machine {
  Program *program;
  const CodeRunner *code; // runs code of the program
  Arena *arena;
  DiagList quiet;
  ConstantContext constants;
  Vec(Write) log;
  Vec(Leave) leaves;
  unsigned slot_set; // number of the present set of slots
  unsigned clock;
  unsigned statement;     // the clock when the module's statement began
  bool changes_unseen;    // things that have escaped may have been changed
  uint64_t version;       // of the state; counts stores and returns
  size_t bytes;           // of files that may still be run
  size_t bytes_of_import; // the same within an import of the main module
  int steps, most_steps, depth, nesting, calls;
  int loops;          // loops around the statement, in this call
  int forks;          // unknown choices around the statement
  int tries;          // `try` and `with` around: exceptions are followed
  bool widens;        // a join makes differing values unknown
  bool changed;       // a join changed a value
  bool lost;          // the code is too complex: all is unknown
  bool has_set_names; // a class has `__set_name__`, a hook for members
  RunFrame *frame;
  RunModule *modules;
  Things functions; // all function objects of the run
  Things exposed;   // functions that unseen code may call
  Things guided;    // dictionaries that kernels have: `kernel.values`
  Things tuned;     // lists that tuned kernels have, as `kernel.configs`, or
                    // functions with reports
  Vec(RunReport) reports;
  bool runs_exposed;
  uint64_t exposed_version; // `version` when these functions were last run
  size_t exposed_count;
  Map builtins;               // names of Python to Things
  Map foreign;                // dotted names to Things of kind THING_FOREIGN
  Map scopes;                 // AstFunction or Expr to FunctionNames
  Map lambdas;                // Expr to AstFunction
  struct ConstantCalls *walk; // calls functions on constants
  Map exceptions;             // Python's, by name
  Thing *handled;             // exception of the handler that runs; or NULL
};

#ifndef MODULE_STEPS // programs for libFuzzer take fewer
#define MODULE_STEPS 400000
#endif
enum {
  BYTES_OF_IMPORTS = 160 << 10, // files that are run besides the main one
  BYTES_OF_FEW = 16 << 10,      // up to here, functions of imports may be
                                // called
  MOST_STEPS = MODULE_STEPS,    // limit for the whole run
  STEPS_OF_A_STATEMENT = MOST_STEPS / 4, // limit for a statement of a module
  STEPS_OF_A_FUNCTION = MOST_STEPS / 8,  // limit for a function that may be
                                         // called later
};

extern char module_absent, module_ready; // states of modules
extern Thing thing_unknown, thing_none, thing_true, thing_false;

// -- store.c: states ---------------------------------------------------------

RunMark run_mark(const Machine *m);
void run_store(Machine *m, Owner *owner, void *slot, void *value);
void run_undo(Machine *m, RunMark mark);
// Ends the path in that way.  Returns false.
bool run_leave(Machine *m, int kind, Thing *value);
// Adds a write to the state of a path that has left.
void run_add_write(Machine *m, Leave *leave, Owner *owner, void *slot,
                   void *value);
// Removes the leaves of that kind from `base` on, and sets the state to the
// join of their states and, if `alive`, the present state.  False: there are
// none, and not `alive`.  The value of each is joined into `*value`, if `value`
// is not NULL.
bool run_merge(Machine *m, size_t base, int kind, bool alive, Thing **value);
Thing *thing_join(Machine *m, Thing *a, Thing *b);
// Are `a` and `b` indistinguishable: one object, equal constants, or tuples of
// such?  `1` and `True` differ.
bool thing_is_same(const Thing *a, const Thing *b);
// The number of things that are met from `x` on without its being known that
// they were met before.
int64_t thing_num_parts(const Thing *x);
// `x` and all that it reaches escape: unseen code may change them from now on.
void run_expose(Machine *m, Thing *x);
void run_expose_table(Machine *m, NameTable *names);
// Unseen code runs; it may call functions that have escaped.
void run_unseen(Machine *m);
// Functions of the two modules may be called at any time, or never.
void run_later(Machine *m, const RunModule *a, const RunModule *b);
// An unknown value, after the possible effects of an operation on `a` and `b`,
// either of which may be NULL.
Thing *run_unknown(Machine *m, Thing *a, Thing *b);
// A call of unseen code, or of a Python function with wrong or unknown
// arguments.  The call may change the arguments and `callee`, which may be
// NULL.
Thing *run_call_unseen(Machine *m, Thing *callee, const Things *args);
// The path may end here with an unknown exception.
void run_may_raise(Machine *m);
// Code as text may bind any name of any module.
void run_expose_modules(Machine *m);
// Code may change the heuristics of kernels; their configurations, too.
void run_expose_guided(Machine *m);
void run_expose_tuned(Machine *m);
// Code as text may bind any name of the frame's module.
void run_expose_own(Machine *m);
// The code of an imported module may bind names of all modules, if they are
// few.
void run_open_others(Machine *m);
// Files behind an import that is not followed may bind any name.
void run_expose_by_import(Machine *m);
// Runs `turn` an unknown number of times, perhaps never.
void run_weak(Machine *m, bool (*turn)(Machine *m, void *data), void *data);
bool run_step(Machine *m);
void run_lose(Machine *m);

// -- thing.c: values ---------------------------------------------------------

Thing *thing_new(Machine *m, ThingKind kind);
Thing *thing_constant(Machine *m, const Object *x);
Thing *thing_int(Machine *m, Integer value);
Thing *thing_bool(bool truth);
Thing *thing_text(Machine *m, const char *text, size_t length);
Thing *thing_tuple(Machine *m, Thing **items, int count);
Thing *thing_list(Machine *m, Thing **items, int count);
Thing *thing_dict(Machine *m, Thing **keys, Thing **items, int count);
Thing *thing_set(Machine *m, Thing **keys, int count, bool frozen);
Thing *thing_method(Machine *m, Thing *function, Thing *self);
// The value of the dotted name, such as "torch.cuda": a FOREIGN, or a known
// one.
Thing *thing_foreign(Machine *m, const char *dotted);
Content *content_new(Machine *m, Thing **keys, Thing **items, int count);
// NULL: the content is unknown.
Content *content_of(const Thing *x);
void content_set(Machine *m, Thing *x, Content *content);
const char *run_word(Machine *m, const char *text);
// Is the name a `__name` in a class, short for `_Class__name`?
bool name_is_private(const char *name);
NameTable *table_new(Machine *m);
NameCell *table_find(const NameTable *names, const char *name);
NameCell *table_cell(Machine *m, NameTable *names, const char *name);
// The value of the cell's name; NULL: unbound; a MAYBE: perhaps unbound.
Thing *cell_value(const NameCell *cell);
// The same for a name that is read.  If unseen code may have bound it, too, the
// result is an unknown value that may still be the cell's, so a change of the
// result may change the cell's value, too.
Thing *cell_read(Machine *m, const NameCell *cell);
void cell_set(Machine *m, NameCell *cell, Thing *value);
// The dictionary of a module's names: globals(), `__dict__`.
Thing *module_table(Machine *m, Thing *module);
// The value of a name in that dictionary; NULL: the name is absent.  `*known`:
// false if even that is unknown.
Thing *module_named(Machine *m, const Thing *module, const char *name,
                    bool *known);
// Binds a name of the module by its text; if `value` is NULL, deletes it.
void run_bind_text(Machine *m, RunModule *module, const char *name,
                   Thing *value);
// Text, or an unknown name, may have set any attribute or item of the thing.
void run_set_text(Thing *x);
// The thing may have been changed in a way that is not followed.
void run_note_changed(Machine *m, Thing *x);
// Is the code that runs in the module that made the list, dictionary, set,
// class or instance, or a class of the instance?
bool run_is_home(const Machine *m, const Thing *x);
bool thing_is_mutable(const Thing *x); // the thing, or one that it reaches, can
                                       // be changed
bool thing_is_text(const Thing *x);
bool thing_is_integer(const Thing *x, Integer *out);
// The thing as a constant of a walk, or NULL.  `made` may be NULL; it maps
// things to their objects, so that a thing becomes one object.
const Object *thing_object(Machine *m, Thing *x, Map *made);
Thing *thing_of_object(Machine *m, const Object *x); // NULL: the object has no
                                                     // such form
// Prints a value that is known in full.  With `any_order`, also sets of several
// items, whose order is Python's own affair; else these fail.
bool thing_print(Machine *m, Thing *x, bool any_order, Str *out);

#endif
