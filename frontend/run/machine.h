// machine.h -- the state of a run of host code, and what its parts ask.
//
// A path is one way that the code may go.  Where a condition is unknown, both
// branches run from the same state, and the states that they leave are joined.
// Every store is logged, so that a state can be left and come back to.
//
// A function that gives a Thing gives NULL, and one that gives a bool false,
// where the path has ended: it raised something, broke out or returned.
#ifndef TILE_FRONTEND_MACHINE_H
#define TILE_FRONTEND_MACHINE_H

#include "frontend/run/thing.h"

#include <stdint.h>

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
  bool uncertain; // it may not have run, or not to its end
  bool failed;
};

struct Machine {
  Program *program;
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
  STEPS_OF_A_STATEMENT = 100000, // of a module
  STEPS_OF_A_FUNCTION = 50000,   // that may run later
  MOST_STEPS = 400000,           // of all
};

// A point to go on from when what follows is lost.
typedef struct {
  RunMark mark;
  size_t leaves;
  Machine now;
} RunPoint;

// The names that a function binds itself.
typedef struct FunctionNames {
  Map locals, globals, nonlocals;
  bool yields;
  bool opaque; // has statements beyond the grammar
} FunctionNames;
typedef Vec(const char *) BoundNames;

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
// A path may end here in an exception that is not known.
void run_may_raise(Machine *m);
// All names of modules may be bound by their text.
void run_expose_modules(Machine *m);
// Those of the frame's module.
void run_expose_own(Machine *m);
// Binds a name of the module by its text; NULL: deletes it.
void run_bind_text(Machine *m, RunModule *module, const char *name,
                   Thing *value);
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
NameTable *table_new(Machine *m);
NameCell *table_find(const NameTable *names, const char *name);
NameCell *table_cell(Machine *m, NameTable *names, const char *name);
// The value of the cell's name; NULL: none; a MAYBE: perhaps none.
Thing *cell_value(const NameCell *cell);
void cell_set(Machine *m, NameCell *cell, Thing *value);
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

// -- operate.c: operators -----------------------------------------------------

// Each raises where Python does; an answer that is not known may raise.
Known run_truth(Machine *m, Thing *x, bool *alive);
Known run_equal(Machine *m, Thing *a, Thing *b, bool *alive);
Known run_is(const Thing *a, const Thing *b);
Thing *run_binary(Machine *m, Operator op, Thing *a, Thing *b, bool in_place);
Thing *run_unary(Machine *m, UnaryOperator op, Thing *x);
Thing *run_compare(Machine *m, CompareOperator op, Thing *a, Thing *b);
// An unknown value, after all that operations on `a` and `b`, which may be
// NULL, can do.
Thing *run_unknown(Machine *m, Thing *a, Thing *b);
// Equality of items of containers: an object equals itself.
Known run_equal_items(Machine *m, Thing *a, Thing *b, bool *alive);
// Can the thing be a key?  By value or by identity.
bool thing_is_key(Machine *m, Thing *x);
// Does Python raise a TypeError for the thing as a key?
bool thing_is_unhashable(const Thing *x);
int content_find(Machine *m, const Content *content, Thing *key, Known *found);

// -- expr.c, index.c ----------------------------------------------------------

Thing *run_expr(Machine *m, const Expr *expr);
Thing *run_subscript(Machine *m, Thing *x, Thing *index);
bool run_set_item(Machine *m, Thing *x, Thing *index, Thing *value);
bool run_del_item(Machine *m, Thing *x, Thing *index);
bool run_assign(Machine *m, const Expr *target, Thing *value);
bool run_delete(Machine *m, const Expr *target);

// -- name.c: names and scopes -------------------------------------------------

const FunctionNames *function_names(Machine *m, const AstFunction *function);
// The names that the block itself binds, in order, some of them repeatedly.
BoundNames block_names(Machine *m, const StmtList *block);
const FunctionNames *comprehension_names(Machine *m, const Expr *expr);
// The function that a lambda expression makes.
const AstFunction *lambda_ast(Machine *m, const Expr *lambda);
Thing *run_name(Machine *m, const char *name);
// The cell that a statement here binds.
NameCell *run_cell(Machine *m, const char *name);
bool run_bind(Machine *m, const char *name, Thing *value);
bool run_unbind(Machine *m, const char *name);
const char *run_word(Machine *m, const char *text);
// `__name` in a class, which stands for `_Class__name`.
bool name_is_private(const char *name);

// -- attribute.c, class.c -----------------------------------------------------

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
bool run_class(Machine *m, const Stmt *stmt);
Thing *class_call(Machine *m, Thing *class, Things *args, ArgNames names);
// -- record.c: data classes and named tuples

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
// The method of that name of an instance, or NULL.
Thing *special_method(Machine *m, Thing *x, const char *name);

// -- call.c -------------------------------------------------------------------

// The result of the call; NULL: the path ended.
Thing *run_call(Machine *m, Thing *callee, Things *args, ArgNames names);
Thing *run_call_one(Machine *m, Thing *callee, Thing *argument);
Thing *run_call_expr(Machine *m, const Expr *expr);
// A call of unseen code, or of a function of Python's whose arguments are wrong
// or not known.  It may change them and `callee`, which may be NULL.
Thing *run_call_unseen(Machine *m, Thing *callee, const Things *args);
// Are the arguments that many, and has none a name?
bool args_are_plain(const Things *args, ArgNames names, size_t least,
                    size_t most);
Thing *make_function(Machine *m, const AstFunction *ast);
// Does the function of a library leave its arguments unchanged?  Does it only
// mark a function, as triton.jit does, without a call of it?
bool foreign_is_pure(const char *dotted);
bool foreign_only_marks(const char *dotted);
// Is the member a way to the program's modules, such as sys.modules?
bool foreign_reaches_modules(const char *dotted, const char *member);
// "sys.modules" for "logging.sys.modules".
const char *foreign_name(const char *dotted);
// Runs the function with arguments that are not known, perhaps never, perhaps
// often.
void run_weakly(Machine *m, Thing *function);

// -- iterate.c ----------------------------------------------------------------

typedef enum { NEXT_ITEM, NEXT_END, NEXT_UNKNOWN, NEXT_DEAD } Next;

// NULL: the path ended.  A thing that is not known: an UNKNOWN.
Thing *run_iterator(Machine *m, Thing *x);
Next run_next(Machine *m, Thing *iterator, Thing **item);
// The number of steps from `start` to before `stop`; `step` is not 0.
Integer count_steps(Integer start, Integer stop, Integer step);
Integer range_count(const Thing *range);
// Adds all items of `x` to `out`; false: they are not known, or, without
// `*alive`, the path ended.
bool run_drain(Machine *m, Thing *x, Things *out, bool *alive);
// The same where their order does not matter.
bool run_drain_any(Machine *m, Thing *x, Things *out, bool *alive);
Thing *iterator_new(Machine *m, IteratorKind kind, Thing *over, Thing **parts,
                    int num_parts);
// Runs `turn` perhaps never, perhaps often.
void run_weak(Machine *m, bool (*turn)(Machine *m, void *data), void *data);
Thing *run_comprehension(Machine *m, const Expr *expr);
// The receiver of each item of a generator function, before its body goes on.
// `take` gives false where the path ended.
typedef struct Taker {
  bool (*take)(Machine *m, void *data, Thing *item);
  void *data;
  RunFrame *frame; // in which `take` runs
} Taker;
// Runs the body of a generator function from its beginning; is there a path on
// which it ends?  Not `*known`: it has begun, or is exposed, and nothing is
// run.
bool run_generator(Machine *m, Thing *generator, Taker *taker, bool *known);
// Runs the clauses of a generator expression with unknown items, perhaps often.
void run_generator_weakly(Machine *m, Thing *generator);

// -- stmt.c, loop.c, try.c, import.c ------------------------------------------

bool run_block(Machine *m, const StmtList *block);
bool run_statement(Machine *m, const Stmt *stmt);
// Evaluates an annotation, or NULL, unless its file does so later; false: the
// path ended.
bool run_annotation(Machine *m, const Expr *annotation);
bool run_for(Machine *m, const Stmt *stmt);
bool run_while(Machine *m, const Stmt *stmt);
bool run_try(Machine *m, const Stmt *stmt);
bool run_with(Machine *m, const Stmt *stmt);
bool run_raise_statement(Machine *m, const Stmt *stmt);
// Raises an exception of Python's; returns NULL.
Thing *run_raise(Machine *m, const char *name);
Thing *exception_class(Machine *m, const char *name);
bool run_import(Machine *m, const Stmt *stmt);
void run_module_body(Machine *m, RunModule *module);
RunModule *run_module(Machine *m, AstFile *file, const char *name);

// -- opaque.c: code that cannot be followed -----------------------------------

// Tokens that the module has there: what they name is not known any more.
bool run_opaque(Machine *m, uint32_t begin, uint32_t end);
// The same for code as text.
void run_text(Machine *m, const char *text);
// The same for the function, whenever it runs.
void run_opaque_function(Machine *m, Thing *function);
RunPoint run_point(const Machine *m);
// Forgets that the run was lost since the point; it goes on.
void run_recover(Machine *m, const RunPoint *point);
// The statements of a module; one that is lost is opaque.
bool run_statements(Machine *m, const StmtList *body);
// The machine of the program; it has run the main module.
typedef struct {
  Machine m;
  RunModule *main;
  Vec(const RunModule *)
      asked;   // whose functions were run, as they may be later
  Map objects; // Things to what kernels were told
} ProgramRun;
void run_program(Program *program, ProgramRun *out);

// -- builtins.c, methods.c ----------------------------------------------------

typedef struct BuiltinRow {
  const char *name; // "len", "list.append"
  Thing *(*run)(Machine *m, Thing *self, Things *args, ArgNames names,
                int data);
  int data;
} BuiltinRow;

Thing *builtin_thing(Machine *m, const char *name); // NULL: none
// What globals() is in the module, and its `__dict__`.
Thing *module_table(Machine *m, Thing *module);
Thing *globals_get(Machine *m, Thing *self, Things *args, ArgNames names,
                   int data);
// The row of that name, of a table that ends with a row without one; or NULL.
const BuiltinRow *row_named(const BuiltinRow *rows, const char *name);
const BuiltinRow *builtin_row(const char *name);
const BuiltinRow *record_row(const char *name);
const BuiltinRow *value_row(const char *name);
const BuiltinRow *object_row(const char *name);
Thing *of_builtin(Machine *m, Thing *x, const char *name);
// Does the function, called by unseen code, give it names of modules?
bool builtin_reaches_names(const BuiltinRow *row);
// A list of the items, sorted by `key` and `reverse` among the arguments.
Thing *run_sorted(Machine *m, const Things *items, const Things *args,
                  ArgNames names);
Thing *run_set_of(Machine *m, const Things *keys);
// A method of a list, a dictionary, a set or a text; NULL: none.
Thing *method_thing(Machine *m, Thing *self, const char *name);
// The call of a function of Python's on constants, as a walk does it; NULL: it
// cannot.
Thing *call_constant(Machine *m, const char *name, Things *args,
                     ArgNames names);

#endif
