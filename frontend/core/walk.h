// walk.h -- the walk from AST to IR: its state, and what all its parts ask.
//
// A part that fails has reported why and returns NULL or false; nobody reports
// twice, so a failure travels up unchanged to frontend_specialize().
#ifndef TILE_FRONTEND_WALK_H
#define TILE_FRONTEND_WALK_H

#include "frontend/module/program.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"
#include "ir/builder.h"

#include <assert.h>
#include <stddef.h>

enum {
  MAX_CALL_DEPTH = 100,   // helpers inlined into one another
  MAX_WALK_DEPTH = 2000,  // nodes of the tree above the current one
  MAX_STEPS = 300000,     // statements and turns walked in one specialization
  MAX_CALL_NOTES = 8,     // "called from here" below one error
  MAX_EARLY_RETURNS = 64, // nested in one another
};

// The result of the trial walk of a loop's body; the real walk follows it.
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

// The ways in which paths leave a block of statements before its end.
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

// A `while` that runs while compiling, and its iterations so far.
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

// A hook's changes of the arguments of a launch: the value that it fills a
// tensor with, and the block that it gives a tensor descriptor.
typedef struct {
  const Object *tensor;
  double value;
} TensorFill;
typedef struct {
  const Object *descriptor;
  const Object *block; // a TUPLE of integers
} NewBlock;
typedef struct {
  Vec(TensorFill) fills;
  Vec(NewBlock) blocks;
} HookEffects;

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
  HookEffects *hook;      // NULL: none is being evaluated
  bool runs_host;         // a plain function of the host is being evaluated
  int run;                // the call that runs while compiling; 0: none
  int num_runs;
  int num_replays;                  // statements run, and changes searched for
  bool debugs;                      // assertions are compiled in
  bool checks_overflow;             // and so are those of sums that wrap
  const Object *allowed_precisions; // names, of dot(); NULL: all there are
  const Object *default_precision;  // of None; NULL: nothing says
  bool has_wide_offsets; // a block pointer was given offsets of 64 bits
  SrcLoc returned;       // where the last call returned its value
  const Expr *statement; // that is walked for what it does, not for its value
  const Expr *call;      // whose callee is walked
};

// -- What is kept, and what nobody is told ----------------------------------

// A part of a walk that is done within a scope.
typedef const void *WalkStep(Walk *w, void *context);

// The value that was cached for `key`, or NULL. During a search for changes
// (`w->searches`) values may change later: what is computed then is a guess,
// and is cached apart, in `w->guesses`.  Whatever is made from a guess is one,
// too (`w->guessed`).
const void *walk_kept(Walk *w, const Map *known, const void *key);
// The same, or else what `step` makes, which is cached from then on.
const void *walk_remember(Walk *w, Map *known, const void *key, WalkStep *step,
                          void *context);

// Is there something in `x`, or in what its functions see, of which `found`
// says so?
bool walk_reaches(Walk *w, const Object *x,
                  bool (*found)(void *context, const Object *x), void *context);

// The result of `step`.  Its diagnostics are dropped, and its failures do not
// fail the function that is being walked; NULL, too, if a statement failed.
const void *walk_quietly(Walk *w, WalkStep *step, void *context);
// The result of `step`, which evaluates host code within limits of steps and
// depth.  Its diagnostics are dropped.
const void *walk_hosted(Walk *w, WalkStep *step, void *context);
// The same in a search for changes, whose values are guesses.
void walk_searching(Walk *w, WalkStep *step, void *context);

// -- Values ------------------------------------------------------------------

// A tuple of these items, named if `names` is not NULL; these are copied.
const Object *named_tuple(Walk *w, SrcLoc loc, const char *const *names,
                          const Object *const *items, int count);
// May more be asked of it than its items?  Not of an iterator or a view.
bool walk_is_whole(Walk *w, SrcLoc loc, const Object *x);
// `x`; NULL after a diagnostic: it holds too much.
const Object *walk_limits(Walk *w, SrcLoc loc, const Object *x);

// May the truth of `x`, or what it equals, be asked for?  Of a thing of the
// host nothing is known, which matters where a module's conditions decide.
bool walk_knows(Walk *w, SrcLoc loc, const Object *x);
// The same where it decides what is compiled.
bool walk_decides(Walk *w, SrcLoc loc, const Object *x);
// The same where its text is asked for, by repr() or by str().
bool walk_shows(Walk *w, SrcLoc loc, const Object *x, bool repr);
// May `x` be compared with `y`?  False after a diagnostic.
bool walk_compares(Walk *w, SrcLoc loc, const Object *x, const Object *y);

// -- Limits and errors -------------------------------------------------------

// Enter and leave one level of recursion; false: too deep, reported.
bool walk_enter(Walk *w, SrcLoc loc);
static inline void walk_leave(Walk *w) {
  assert(w->depth > 0); // I1
  w->depth--;
}

// Counts a statement, or a turn of what is done again and again while
// compiling; false: there are too many, reported.
bool walk_count(Walk *w, SrcLoc loc);

__attribute__((format(printf, 3, 4))) const Object *
walk_error(Walk *w, SrcLoc loc, const char *format, ...);

// -- Where the walk is -------------------------------------------------------

// A walk of the program that has no function or frame yet; errors go to the
// diagnostics of `m`.
Walk walk_of(Program *program, Module *m, const Specialization *spec);

// A place for constants to be evaluated before the function exists; what they
// build goes nowhere.
typedef struct {
  Function function;
  Frame frame;
  LoopPlans plans;
} WalkScratch;

// Puts the walk into `scratch`, in the scope of the file's module; `scratch`
// must outlive it.
void walk_make_scratch(Walk *w, AstFile *file, WalkScratch *scratch);

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
// In map_elementwise() a tile stands for its element: the scalar with the type
// of that element, to ask for its attributes; for a tuple, the same of its
// items.  Elsewhere `x` itself.
const Object *element_of(Walk *w, const Object *x);
// The same as object_text(), with the names of the function that is walked.
const char *text_of(Walk *w, const Object *x);

// -- Walking on after an error, so that one run reports several --------------

// A statement that failed is skipped.  The walk goes back to where it stood
// before it, and the names that it assigns become poison: using one fails in
// silence, so nothing is reported that only follows from an error.

typedef struct {
  Builder b;
  size_t num_pending;
  int depth, loops;
} WalkPoint;

WalkPoint recover_point(const Walk *w);
// Back to where the walk stood, in the same function; names keep their values.
void recover_to(Walk *w, const WalkPoint *point);
// After `stmt` failed: counts that in `failures`.  False where the walk ends.
bool recover(Walk *w, const WalkPoint *point, const Stmt *stmt);
// All names that do not mean what they did at `start` become poison, too; the
// others get what they had in `before`.
void poison_changed(Walk *w, const ScopeState *start, const ScopeState *before);
// For errors that would only come again and again; returns NULL.
const Object *recover_never(Walk *w);

// Says below each error reported since `mark`, which was the list's `last`,
// that `loc` led there.
__attribute__((format(printf, 4, 5))) void
recover_note_calls(Walk *w, Diag **mark, SrcLoc loc, const char *format, ...);

// Blames errors within a library on the call of `name` at `loc`: the first
// error since `mark` is moved to the call, with a note at its own location;
// later ones follow from it and are dropped.
void recover_blame_call(Walk *w, Diag **mark, const char *library, SrcLoc loc,
                        const char *name);
// The same of library.tile.
void library_blame_call(Walk *w, Diag **mark, SrcLoc loc, const char *name);

// -- What kernels ask of a pointer that only the host can tell ---------------

// Is `name` what a tensor of the host would have, and `x` but its pointer?
bool asks_for_shape(const Object *x, const char *name);
// `p.shape`, `p.numel` and the like, where `p` names such a pointer.
bool reads_shape(const Walk *w, const Expr *expr);
// An error; returns NULL.
const Object *pointer_has_no_shape(Walk *w, const Expr *attribute);

// -- Where the releases of Triton differ -------------------------------------

typedef enum {
#define RELEASE(...)
#define RULE(id, first, what) RULE_##id,
#define KEYWORDS(...)
#include "frontend/core/releases.def"
} Rule;

// The number of arguments that a function of the language takes without names.
int num_positional(const Program *program, const char *function);
bool rule_holds(const Program *program, Rule rule);
// The text of `triton.__version__`: "3.8.0".
const char *release_version(const Program *program);

// -- Names of other languages and libraries, and ours for them ---------------

typedef enum {
  USUAL_WORD,
  USUAL_PARAMETER,
  USUAL_TYPE,
  USUAL_BUILTIN,
  USUAL_METHOD,
  USUAL_CHANGE_OF_LIST,
  USUAL_CHANGE_OF_DICT,
} UsualKind;

// Our name for `theirs`, or NULL.
const char *usual_name(UsualKind kind, const char *theirs);
// The next one from row `*at` on, which is 0 at first; NULL: there is none.
const char *usual_name_next(UsualKind kind, const char *theirs, size_t *at);

#endif
