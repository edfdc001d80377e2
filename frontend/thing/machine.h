// machine.h -- the state of a run of host code, and the values in it.
//
// A path is one way that the code may go.  Where a condition is unknown, both
// branches run from the same state, and the states that they leave are joined.
// Every store is logged, so that a state can be left and come back to.
//
// A function that gives a Thing gives NULL, and one that gives a bool false,
// where the path has ended: it raised something, broke out or returned.
#ifndef TILE_FRONTEND_MACHINE_H
#define TILE_FRONTEND_MACHINE_H

#include "frontend/thing/thing.h"

#include <stdint.h>

typedef struct Code Code;

// The ways in which a path goes on, or is left.
typedef enum {
  LEAVE_FALL, // it goes on behind the statement
  LEAVE_BREAK,
  LEAVE_CONTINUE,
  LEAVE_RETURN,
  LEAVE_RAISE,
  LEAVE_HANDLER, // + n: to the handler `n` of the `try`
} LeaveKind;

enum {
  LEAVE_PENDING = 1000, // added: a `finally` or `__exit__` has yet to run
  LEAVE_TAKER = 4000,   // added: it leaves the loop over a generator
};

// A point in time: the length of the log, and the clock.
typedef struct {
  size_t log;
  unsigned clock;
} RunMark;

typedef struct {
  void **slot;
  void *value; // in the log: the one before
  Owner *owner;
} Write;

// A path that has left, with its writes since `mark`.
typedef struct {
  int kind; // LeaveKind
  Thing *value;
  RunMark mark;
  Vec(Write) delta;
} Leave;

// One call of a function, a class body, a comprehension, or a module.
struct RunFrame {
  RunFrame *outer; // the frame whose names it sees; NULL: of a module
  RunModule *module;
  NameTable *names;
  const struct FunctionNames *scope; // NULL: of a module or a class
  bool is_class, is_comprehension;
  Thing *class, *self; // for super()
  Thing *yields;       // of a generator's body: a list; NULL: see `taker`
  struct Taker *taker; // runs at each `yield`
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
  bool opens_names;     // by its code, a name of any module may be bound
  bool is_unread;       // its names are not known: it was too long to be run
  bool running;
  bool failed;
  Owner owner;   // of `state`
  void *state;   // on this path: &module_absent, &module_ready; or lost_state
  StmtList body; // once `is_parsed`
  bool is_parsed;
};

struct Machine {
  Program *program;
  const Code *code; // how that of the program is run
  Arena *arena;
  DiagList quiet;
  ConstantContext constants;
  Vec(Write) log;
  Vec(Leave) leaves;
  unsigned clock;
  uint64_t version;       // of the state: counts stores and returns
  size_t bytes;           // of files that may still be run
  size_t bytes_of_import; // of them, for an import of the main module
  int steps, most_steps, depth, nesting, calls;
  int loops;          // around the statement, in this call
  int forks;          // unknown choices around: the path may not be taken
  int tries;          // `try` and `with` around: exceptions matter
  bool widens;        // values that differ become unknown for good
  bool changed;       // a join changed a value
  bool lost;          // more than can be followed: nothing is known
  bool has_set_names; // a class says what its objects do to one they stand in
  RunFrame *frame;
  RunModule *modules;
  Things functions; // all that were made
  Things exposed;   // of them, those that unseen code may call
  Things tuned;     // that a tuned kernel has: `kernel.configs`
  bool runs_exposed;
  uint64_t exposed_version; // when they were run last
  size_t exposed_count;
  Map builtins;               // names to Things
  Map foreign;                // the same of THING_FOREIGN
  Map scopes;                 // AstFunction or Expr to FunctionNames
  Map lambdas;                // Expr to AstFunction
  struct ConstantCalls *walk; // for calls of functions on constants
  Map exceptions;             // Python's, by name
  Thing *handled;             // the exception that a handler has; or NULL
};

enum {
  BYTES_OF_IMPORTS = 160 << 10, // of files that are run besides the main one
  BYTES_OF_FEW = 16 << 10,      // of them, whose functions unseen code may call
  STEPS_OF_A_STATEMENT = 100000, // of a module
  STEPS_OF_A_FUNCTION = 50000,   // that may run later
  MOST_STEPS = 400000,           // of all
};

extern char module_absent, module_ready; // states of modules
extern Thing thing_unknown, thing_none, thing_true, thing_false;

// -- store.c: states ----------------------------------------------------------

RunMark run_mark(const Machine *m);
void run_store(Machine *m, Owner *owner, void *slot, void *value);
void run_undo(Machine *m, RunMark mark);
// The path ends here, in that way.  Returns false.
bool run_leave(Machine *m, int kind, Thing *value);
// Takes back the leaves from `base` on of that kind: the state becomes the join
// of theirs and, if `alive`, of the present one.  Is there one?  `*value`,
// which may be NULL, is joined with theirs.
bool run_merge(Machine *m, size_t base, int kind, bool alive, Thing **value);
Thing *thing_join(Machine *m, Thing *a, Thing *b);
// Are `a` and `b` one object, or constants, or tuples of these, that nobody can
// tell apart?  `1` and `True` are not.
bool thing_is_same(const Thing *a, const Thing *b);
// Unseen code may now change `x` and all that it reaches.
void run_expose(Machine *m, Thing *x);
void run_expose_table(Machine *m, NameTable *names);
// Unseen code runs: it may call what it was given.
void run_unseen(Machine *m);
// Functions of the two modules may be called whenever, perhaps never.
void run_later(Machine *m, const RunModule *a, const RunModule *b);
// An unknown value, after all that operations on `a` and `b`, which may be
// NULL, can do.
Thing *run_unknown(Machine *m, Thing *a, Thing *b);
// A call of unseen code, or of a function of Python's whose arguments are wrong
// or not known.  It may change them and `callee`, which may be NULL.
Thing *run_call_unseen(Machine *m, Thing *callee, const Things *args);
// A path may end here in an exception that is not known.
void run_may_raise(Machine *m);
// All names of modules may be bound by their text.
void run_expose_modules(Machine *m);
// Configurations of tuned kernels may be changed.
void run_expose_tuned(Machine *m);
// Names of the frame's module may be bound by their text.
void run_expose_own(Machine *m);
// The same by files that an import runs which is not followed.
void run_expose_by_import(Machine *m);
// Runs `turn` perhaps never, perhaps often.
void run_weak(Machine *m, bool (*turn)(Machine *m, void *data), void *data);
bool run_step(Machine *m);
void run_lose(Machine *m);

// -- thing.c: values ----------------------------------------------------------

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
// "torch.cuda", or what is known of that name.
Thing *thing_foreign(Machine *m, const char *dotted);
Content *content_new(Machine *m, Thing **keys, Thing **items, int count);
// NULL: it is not known.
Content *content_of(const Thing *x);
void content_set(Machine *m, Thing *x, Content *content);
const char *run_word(Machine *m, const char *text);
// `__name` in a class, which stands for `_Class__name`.
bool name_is_private(const char *name);
NameTable *table_new(Machine *m);
NameCell *table_find(const NameTable *names, const char *name);
NameCell *table_cell(Machine *m, NameTable *names, const char *name);
// The value of the cell's name; NULL: none; a MAYBE: perhaps none.
Thing *cell_value(const NameCell *cell);
void cell_set(Machine *m, NameCell *cell, Thing *value);
// The dictionary of the names of a module: globals(), and its `__dict__`.
Thing *module_table(Machine *m, Thing *module);
// The value of a name in that dictionary: NULL: it is absent.  `*known`: false
// where neither is known.
Thing *module_named(Machine *m, const Thing *module, const char *name,
                    bool *known);
// Binds a name of the module by its text; NULL: deletes it.
void run_bind_text(Machine *m, RunModule *module, const char *name,
                   Thing *value);
bool thing_is_mutable(const Thing *x); // or reaches what is
bool thing_is_text(const Thing *x);
bool thing_is_integer(const Thing *x, Integer *out);
// The thing as a constant of a walk, or NULL.  With `made`, a map of things to
// their objects, which may be NULL, a thing is one object, whatever its names.
const Object *thing_object(Machine *m, Thing *x, Map *made);
Thing *thing_of_object(Machine *m, const Object *x); // NULL: none
// The text of a value that is known, all of it.  Sets of several are printed in
// `any_order`, which is not that of Python's texts, or not at all.
bool thing_print(Machine *m, Thing *x, bool any_order, Str *out);

#endif
