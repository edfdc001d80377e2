// walk.h -- the walk from AST to IR: its state, and its parts.
//
// A part that fails has reported why and returns NULL or false; nobody reports
// twice, so a failure travels up unchanged to frontend_specialize().
#ifndef TILE_FRONTEND_WALK_H
#define TILE_FRONTEND_WALK_H

#include "frontend/module/imports.h"
#include "frontend/value/argument.h"
#include "frontend/value/constant.h"
#include "frontend/value/language.h"
#include "frontend/value/scope.h"
#include "frontend/value/world.h"
#include "ir/base/vec.h"
#include "ir/builder.h"

enum {
  MAX_CALL_DEPTH = 100,   // helpers inlined into one another
  MAX_WALK_DEPTH = 2000,  // nodes of the tree above the current one
  MAX_STEPS = 300000,     // statements and turns walked in one specialization
  MAX_CALL_NOTES = 8,     // "called from here" below one error
  MAX_EARLY_RETURNS = 64, // nested in one another
};

// What the trial walk of a loop body found out; the real walk follows it.
typedef struct LoopPlan LoopPlan;
typedef Vec(LoopPlan *) LoopPlans;

// A loop that is done only where a tile holds for an element: operand `operand`
// of `user`.
typedef struct {
  const Op *loop;
  Op *user;
  int operand;
  bool diverges;
} MaskedLoop;

// How paths leave a block of statements before its end.
typedef enum { EXIT_RETURN, EXIT_BREAK, EXIT_CONTINUE, NUM_EXITS } ExitKind;

enum {
  RETURNS = 1u << EXIT_RETURN,
  BREAKS = 1u << EXIT_BREAK,
  CONTINUES = 1u << EXIT_CONTINUE,
};

typedef struct {
  unsigned kinds;          // a bit for each way that some path takes
  bool always;             // no path goes on
  Value *taken[NUM_EXITS]; // i1; NULL: never, or always if it is the only way
  const Object *result;    // of the paths that return
  SrcLoc at;               // what gave it; line 0: the end of the function
} Exits;

// An `if` of which one branch has left.  What follows it is being walked in the
// other one; the op is made when that is done.
typedef struct {
  SrcLoc loc;
  Value *condition;
  Block *outer, *blocks[2];
  int left; // which branch has
  Exits exits;
  ScopeState state; // at the end of that branch
} PendingIf;

// Of a loop that is walked; of those around it in turn.
typedef struct Turns {
  const struct Turns *outer;
  SrcLoc loc;
  int count;
} Turns;

// Around an expression; those around it in turn.
typedef struct Comprehension {
  const struct Comprehension *outer;
  const Expr *expr;
} Comprehension;

// One function being walked, or a module's top level.
typedef struct Frame Frame;
struct Frame {
  Frame *caller;
  const AstFunction *function; // NULL: a module's top level
  const AstGlobal *global;     // there, whose value is found; NULL: none
  AstFile *file;
  AstPlace place; // in `file`, of what is walked
  Locals scope;
  Locals *shared; // at its end, for functions made in it; NULL: there are none
  const Comprehension *comprehension; // around the current expression
  int loops;                          // around the current statement
  Exits exits;                        // after FLOW_LEFT
  bool unwinds;                       // the walk stops, but only within it
  SrcLoc returned;                    // what a `return` last gave
  Vec(PendingIf) pending;
};

typedef struct Walk Walk;
struct Walk {
  Program *program;
  const Language *language;
  const World *world;
  Module *m;
  DiagList *diags;
  Arena *arena;
  const Specialization *spec;
  Function *function; // NULL where only constants are allowed
  Builder b;
  Frame *frame;
  int depth, call_depth, steps;
  const Turns *turns; // of the innermost `while` that runs while compiling
  int failures;       // statements skipped after an error
  bool stopped;       // after an error that leaves nothing to walk
  int trial;          // > 0: what is built will be thrown away
  LoopPlans *plans;   // where this walk puts its loops' plans, or finds them
  size_t next_plan;
  const LoopPlans *hints; // those of the trial before
  int num_partings;       // of names at the begin of a loop
  Map globals;            // AstGlobal to Object, once evaluated
  Map failed;      // of them, while one is found: to the way it was looked for
  int num_finding; // of them, one for the other
  Map things;      // dotted names below triton to Object, once found
  Map runs;        // AstRun to Locals, once run; see host/run.c
  Map sources;     // unpacked Expr to Object, once evaluated
  Map defaults;    // Expr of parameters to Object, once evaluated
  Map changed;     // Objects that change under other names; host/alias.c
  Map copies;      // what runs make to what they make it of
  Map searched;    // files whose such things have been found
  Map suspicions;  // tokens to what those from there on may do
  Map unknown;     // globals without a value, for such a search
  int num_lines;   // that all searches have looked at
  Map guesses;     // what is known only while they are searched for
  bool searches, guessed;
  bool trusts, doubts; // nothing is searched for; what was read may change
  const AstGlobal *continued; // that the statement which is run may change
  const Type *mapping;    // in map_elementwise(), of what is true or false for
                          // each element; elsewhere NULL
  Vec(MaskedLoop) masked; // loops there
  bool only_known;        // what only the host could tell is an error
  bool is_condition;      // of a module; what is found will be kept
  bool is_launch;         // a heuristic is being evaluated
  bool runs_host;         // a plain function of the host is being evaluated
  int run;                // the call that runs while compiling; 0: none
  int num_runs;
  int num_replays;                  // statements run, and changes searched for
  bool debugs;                      // assertions are compiled in
  bool checks_overflow;             // and so are those of sums that wrap
  const Object *allowed_precisions; // names, of dot(); NULL: all there are
  bool has_wide_offsets; // a block pointer was given offsets of 64 bits
  SrcLoc returned;       // where the last call returned its value
  const Expr *statement; // that is walked for what it does, not for its value
  const Expr *call;      // whose callee is walked
};

// -- Statements (walk/stmt.c, walk/if.c, walk/for.c, ...) ---

typedef enum { FLOW_FAILED, FLOW_NEXT, FLOW_LEFT } Flow;

Flow walk_block(Walk *w, const StmtList *stmts);
Flow walk_if(Walk *w, const Stmt *stmt);
Flow walk_for(Walk *w, const Stmt *stmt);
Flow walk_while(Walk *w, const Stmt *stmt);
// `target = value` for a name or a tuple of targets.
bool walk_assign(Walk *w, const Expr *target, const Object *value);
// Walks a function's body to its end; NULL after errors.
const Object *walk_body(Walk *w, const StmtList *body);

// `if condition: pass; else: body`
Flow walk_unless(Walk *w, SrcLoc loc, Value *condition, const StmtList *body);

// Two alternatives that meet again.
typedef struct {
  Block *block;
  ScopeState state; // at its end
  Exits exits;
  bool is_otherwise; // the `else` of a loop
} Branch;

// Ends both blocks with yields and appends the `if`.  The scope becomes what
// both leave behind.
bool join_branches(Walk *w, SrcLoc loc, Value *condition,
                   const Branch branches[2], Branch *joined);
// Makes the `if`s that have been pending since `mark`.  `out` is what the walk
// since then amounts to, which ended in `flow`.
bool close_pending(Walk *w, size_t mark, Flow flow, Branch *out);
// Some paths have left: what follows is walked in the `else` of an `if` on it.
Flow go_on_unless(Walk *w, SrcLoc loc, const Exits *exits);
// Every path leaves in this way.
static inline Exits exits_by(ExitKind kind, const Object *result) {
  return (Exits){.kinds = 1u << kind, .always = true, .result = result};
}
// An i1 for each path: does it leave in this way?
Value *exit_taken(Builder *b, const Exits *exits, ExitKind kind);
// Some value of the type, for paths on which nobody looks at it.
Value *placeholder(Builder *b, const Type *type);

// -- Expressions (walk/expr.c, walk/call.c) -----------------------

const Object *walk_expr(Walk *w, const Expr *expr);
// The same of what is gone over where it stands; see python/iterator.c.
const Object *walk_gone_over(Walk *w, const Expr *expr);
const Object *walk_call(Walk *w, const Expr *expr);
const Object *walk_name(Walk *w, const Expr *expr);
const Object *walk_attribute(Walk *w, const Expr *expr);
// Has `x`, which `expr` gave, certainly no constexpr around it?
bool value_is_bare(Walk *w, const Expr *expr, const Object *x);
// `x.name`, where `expr` has the name and the places for messages.
const Object *attribute_of(Walk *w, const Expr *expr, const Object *x);
const Object *walk_subscript(Walk *w, const Expr *expr);
const Object *walk_comprehension(Walk *w, const Expr *expr);

// Another name for a keyword argument; one of `**options` is written nowhere.
void argument_fix_name(Walk *w, const Argument *arg, const char *name);

// One that fails is poison in `out`, unless it is `*args`; then false.
bool walk_arguments(Walk *w, const Expr *call, Arguments *out);
// The same, of a call of `callee`, which says what else it would refuse; NULL:
// that has failed.
bool walk_arguments_of(Walk *w, const Object *callee, const Expr *call,
                       Arguments *out);
bool is_passed_on(const char *name); // `_semantic`, of Triton's own builtins
// Of what can be called.
const Object *call_object(Walk *w, const Object *callee, SrcLoc loc,
                          const Arguments *args);
// The same of any value; an error where it cannot be called.
const Object *call_value(Walk *w, const Object *callee, SrcLoc loc,
                         const Arguments *args);
const Object *call_function(Walk *w, const AstFunction *function, SrcLoc loc,
                            const Arguments *args);
// What a module calls while it is read sees no more of it than has been read.
AstPlace place_of_call(const Walk *w, const AstFile *file);
// The value of each parameter; NULL after a diagnostic.
const Object **bind_parameters(Walk *w, const AstFunction *function, SrcLoc loc,
                               const Arguments *args);
// As call_function(), of an `__init__`: what its first parameter is in the end.
const Object *call_initializer(Walk *w, const AstFunction *function, SrcLoc loc,
                               const Arguments *args);
const Object *constant_of_symbol(Walk *w, const Symbol *symbol, SrcLoc loc);
// What was kept for `key`.  A search for what changes also gets what is not
// told to others, as it changes: that is a guess, and what is made of it.
const void *walk_kept(Walk *w, const Map *known, const void *key);
// Keeps what was made since walk_guess_begin() gave `outer`.
void walk_keep(Walk *w, Map *known, const void *key, const void *x, bool outer);
bool walk_guess_begin(Walk *w);
// Is there something in `x`, or in what its functions see, of which `found`
// says so?
bool walk_reaches(Walk *w, const Object *x,
                  bool (*found)(void *context, const Object *x), void *context);
// What is found out in between is not told to anybody, and does not fail what
// is being walked; walk_unhush(): did it succeed?
typedef struct {
  DiagList quiet, *diags;
  bool stopped;
  int failures;
} Hush;
void walk_hush(Walk *w, Hush *hush);
bool walk_unhush(Walk *w, const Hush *hush);
// What host code does is followed within limits, and nothing is said.
typedef struct {
  Hush hush;
  bool only_known, runs_host;
  int steps, depth;
} HostRun;
void host_run_begin(Walk *w, HostRun *run);
void host_run_end(Walk *w, const HostRun *run);
// For an expression there, called from the current frame.
Frame frame_at(const Walk *w, AstFile *file, AstPlace place);
// The value of an expression there; NULL: an error was told.
const Object *walk_expr_at(Walk *w, AstFile *file, AstPlace place,
                           const Expr *expr);
// What is called from here on is called when an iterator is gone over, perhaps
// never: it may change nothing that is there already.  Who set `run` does so
// again.
void walk_be_lazy(Walk *w);
// The defaults of a function that is made now, by parameter; NULL where one is
// not known.
const Object **defaults_now(Walk *w, const AstFunction *function);
// A parameter's default, where it stands in the function's module.
const Object *default_value(Walk *w, const AstFunction *function,
                            const Expr *value);

// -- Classes (walk/class.c) ---------------------------------------------

const Object *call_class(Walk *w, const AstClass *class, SrcLoc loc,
                         const Arguments *args);
const Object *call_method(Walk *w, const Object *method, SrcLoc loc,
                          const Arguments *args);
// Those of its function: first what it is a method of.
Arguments arguments_of_method(Walk *w, const Object *method, SrcLoc loc,
                              const Arguments *args);
// A tuple of these items, named if `names` is not NULL; these are copied.
const Object *named_tuple(Walk *w, SrcLoc loc, const char *const *names,
                          const Object *const *items, int count);
// `x.type` of a constexpr, which is none of the types that values have.
const Object *constexpr_type_of(Walk *w, const Object *value);
// A class made by namedtuple("Name", "x y") or NamedTuple("Name", [("x", T)]);
// NULL: the expression is none.
const Object *class_of_call(Walk *w, AstFile *file, const Expr *call);
// A field or a method; NULL: there is none.  False after a diagnostic.
bool find_member(Walk *w, const Object *x, const char *name, SrcLoc use,
                 const Object **member);
// `expr` as it was written, where that is short.
const char *short_text(Walk *w, const Expr *expr);
// A fix that is made of such texts: none where one was too long.
void fix_written(Walk *w, SrcLoc loc, const char *text);
// May the field of an aggregate have that value?  False after a diagnostic.
bool class_field_takes(Walk *w, const AstClass *class, int field, SrcLoc loc,
                       const Object *value);
// `self.name = value` in an `__init__`.
bool walk_assign_field(Walk *w, const Expr *target, const Object *value);
// `x + y` by a method of the class of `x`; `*has`: it has one.  NULL after a
// diagnostic, too.
const Object *class_operate(Walk *w, SrcLoc loc, Operator op, const Object *x,
                            const Object *y, bool *has);
// The method that Python calls by itself, "__getitem__", of the class of `x`;
// NULL: it has none.  False after a diagnostic: it cannot be read.
bool class_special(Walk *w, const char *name, const Object *x,
                   const Object **method);

// -- Dictionaries and lambdas (python/dict.c, walk/lambda.c) --------

// The entries of a dictionary that is made; `**from` adds those of another one.
// False after a diagnostic.
typedef struct {
  Vec(const Object *) keys, items;
} DictEntries;
bool dict_put(Walk *w, DictEntries *entries, SrcLoc loc, const Object *key,
              const Object *item);
bool dict_put_all(Walk *w, DictEntries *entries, SrcLoc loc,
                  const Object *from);
const Object *dict_of(Walk *w, const DictEntries *entries);
const Object *call_dict(Walk *w, const Arguments *args);
// `aggregate_replace(instance, field=value, ...)`
const Object *call_replace(Walk *w, SrcLoc loc, const Arguments *args);
// Of a tuple of pairs.
const Object *dict_of_pairs(Walk *w, SrcLoc loc, const Object *pairs);
const Object *dict_find(Walk *w, const Object *dict, const Object *key); // NULL
const Object *dict_keys(Walk *w, const Object *dict); // a tuple
// What a loop goes over, as a tuple: of a dictionary its keys, in host code of
// a string its characters; NULL: it is something else.
const Object *walk_iterable(Walk *w, const Object *x);
// The characters of a string, as a tuple; NULL: they are too many.
const Object *string_characters(Walk *w, const Object *x);
// `**dict` in a call.
bool dict_spread(Walk *w, SrcLoc loc, const Object *dict, Arguments *out);

// `x | y`
const Object *dict_union(Walk *w, SrcLoc loc, const Object *x, const Object *y);
// With another entry.
const Object *dict_with(Walk *w, SrcLoc loc, const Object *dict,
                        const Object *key, const Object *item);

// -- Sets (python/set.c) --------------------------------------------------

// Of the items of a tuple; NULL after a diagnostic.
const Object *set_of_items(Walk *w, SrcLoc loc, const Object *tuple,
                           bool frozen);
// `x | y` and the like; NULL: there is no such operation.
const Object *set_operation(Walk *w, Operator op, const Object *x,
                            const Object *y);
// What a method that changes `x` makes of it; NULL: there is none.
const Object *set_changed(Walk *w, SrcLoc loc, const char *method,
                          const Object *x, int count,
                          const Object *const *args);
// As walk_iterable(), where the order does not matter: also of a set.
const Object *walk_members(Walk *w, const Object *x);

// -- Iterators and views (python/iterator.c) ------------------------------

// `x`, which something keeps; false after a diagnostic: it may not be kept.
bool walk_keep_iterator(Walk *w, SrcLoc loc, const Object *x);
bool walk_keep_arguments(Walk *w, const Arguments *args);
// May `callee` be given them?
bool walk_may_get(Walk *w, const Object *callee, const Arguments *args);
// May more be asked of it than its items?  Not of an iterator or a view.
bool walk_is_whole(Walk *w, SrcLoc loc, const Object *x);
// Is `callee` walked to be called?
bool walk_calls(const Walk *w, const Expr *callee);
// What `callee` gave for the arguments: notes what it goes over.
void walk_note_over(Walk *w, const Object *callee, const Arguments *args,
                    const Object *x);
// A loop over `x` begins (1) or has ended (-1): what `x` goes over may not
// change in it.
void walk_loop_over(const Object *x, int change);
// Is it, or does it hold or see, an iterator or a view?
bool walk_has_iterator(Walk *w, const Object *x);

// -- What changes (python/change.c) ---------------------------------------

// `x` is new, and was written with the bracket, or with '{'.
const Object *walk_own(Walk *w, const Object *x, char written);
// `x[index] = value`; `x += by` for a list.
bool assign_item(Walk *w, SrcLoc loc, const Object *x, const Object *index,
                 const Object *value);
bool walk_assign_item(Walk *w, const Expr *target, const Object *value);
bool walk_extend(Walk *w, SrcLoc loc, const Object *x, const Object *by);
// `x |= y` and the like, of sets.
bool walk_update_set(Walk *w, SrcLoc loc, Operator op, const Object *x,
                     const Object *y);
// `x.append(value)` and the like, of a list, a dictionary or a set.
bool is_changing_call(const Walk *w, const Expr *call);
bool object_is_collection(const Object *x);
const Object *change_by_call(Walk *w, SrcLoc loc, const char *method,
                             const Object *x, const Arguments *args);
// `changes`: false where what has the method is no list, dictionary or set.
const Object *walk_changing_call(Walk *w, const Expr *call, bool *changes);
// NULL after a diagnostic: it holds too much.
const Object *walk_limits(Walk *w, SrcLoc loc, const Object *x);

const Object *walk_lambda(Walk *w, const Expr *expr);
// Binds the function that the statement defines within one that runs while
// compiling; false: it is none.
bool walk_nested(Walk *w, const Stmt *stmt);
// What the decorators of a function of the host, which are functions
// themselves, make of it; NULL: nobody knows, and nothing is said.
const Object *walk_decorated(Walk *w, const Symbol *host, SrcLoc loc);
// The names that a function sees which is made here; what they are now.
const Locals *names_around(Walk *w);
const Locals *names_now(const Walk *w, const Locals *around);
// Where a function is made whose defaults and decorators are evaluated there.
AstPlace place_now(const Walk *w);
// What a lambda at `place` is as a function.
AstFunction *lambda_function(Arena *arena, AstFile *file, AstPlace place,
                             const Expr *lambda);
// Also of a lambda: `around` has the names that it sees besides; may be NULL.
const Object *call_function_within(Walk *w, const AstFunction *function,
                                   const Locals *around, SrcLoc loc,
                                   const Arguments *args);

// May the truth of `x`, or what it equals, be asked for?  Of a thing of the
// host nothing is known, which matters where a module's conditions decide.
bool walk_knows(Walk *w, SrcLoc loc, const Object *x);
// The same where it decides what is compiled.
bool walk_decides(Walk *w, SrcLoc loc, const Object *x);

// May `x` be compared with `y`?  False after a diagnostic.
bool walk_compares(Walk *w, SrcLoc loc, const Object *x, const Object *y);
// The same where its text is asked for.
bool walk_shows(Walk *w, SrcLoc loc, const Object *x);

// Enter and leave one level of recursion; false: too deep, reported.
bool walk_enter(Walk *w, SrcLoc loc);
static inline void walk_leave(Walk *w) {
  w->depth--;
}

// Counts a statement, or a turn of what is done again and again while
// compiling; false: there are too many, reported.
bool walk_count(Walk *w, SrcLoc loc);

__attribute__((format(printf, 3, 4))) const Object *
walk_error(Walk *w, SrcLoc loc, const char *format, ...);

// A place for constants to be evaluated before the function exists; what they
// build goes nowhere.
void walk_make_scratch(Walk *w, Function *scratch);

// In a function that runs while compiling?
static inline bool walk_is_constant(const Walk *w) {
  return w->frame->function && w->frame->function->is_constant;
}

// In such a function, or in a module?
static inline bool walk_is_host(const Walk *w) {
  return !w->frame->function || w->frame->function->is_constant;
}

static inline ConstantContext constant_context(Walk *w, SrcLoc loc) {
  return (ConstantContext){w->arena, w->diags, loc};
}
// Is `x` a tile that stands for an element?
static inline bool is_element(const Walk *w, const Object *x) {
  return w->mapping && object_is_tile(x);
}
// Of a tile that stands for an element: a scalar of that type, to be asked what
// it is; of a tuple, one with those of its items; else, and elsewhere, `x`.
const Object *element_of(Walk *w, const Object *x);
// As object_text(), of what the function that is walked has it for.
const char *text_of(Walk *w, const Object *x);

#endif
