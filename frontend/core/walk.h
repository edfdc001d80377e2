// walk.h -- the walk from AST to IR: its state, and queries about it.
//
// A function that fails has reported the error and returns NULL or false.  No
// caller reports it again, so the failure travels up unchanged to
// frontend_specialize().
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

// A loop that must run only for elements whose mask is true: the mask is
// operand `operand` of `user`.
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
  unsigned kinds;          // a bit for each way that a path takes
  bool always;             // no path reaches the end of the block
  Value *taken[NUM_EXITS]; // i1; NULL: on no path, or on all, if it is the only
                           // way
  const Object *result;    // of the paths that return
  SrcLoc at;               // of the returned expression; line 0: the function's
                           // end
} Exits;

// An `if` with a branch that was left early.  The statements after the `if` are
// walked in the other branch; the op is built at their end.
typedef struct {
  SrcLoc loc;
  Value *condition;
  Block *outer, *blocks[2];
  int left; // index of the branch that was left
  Exits exits;
  ScopeState state; // at the end of that branch
} PendingIf;

// A `while` that runs while compiling, and its iterations so far.
typedef struct Turns {
  const struct Turns *outer;
  SrcLoc loc;
  int count;
} Turns;

// A comprehension around an expression.
typedef struct Comprehension {
  const struct Comprehension *outer;
  const Expr *expr;
} Comprehension;

// One function being walked, or a module's top level.
typedef struct Frame Frame;
struct Frame {
  Frame *caller;
  const AstFunction *function; // NULL: a module's top level
  const AstGlobal *global;     // the global that is evaluated there; or NULL
  AstFile *file;
  AstPlace place; // of the walked code, in `file`
  Locals scope;
  Locals *shared; // the scope at its end, for inner functions; or NULL
  const Comprehension *comprehension; // around the current expression
  int loops;                          // around the current statement
  Exits exits;                        // after FLOW_LEFT
  bool unwinds;                       // the walk of this function alone stops
  SrcLoc returned;                    // the location of the last returned
                                      // expression
  Vec(PendingIf) pending;
};

// The changes that a hook makes to the arguments of a launch: the value with
// which it fills a tensor, and the block shape that it gives a tensor
// descriptor.
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
  Function *function; // NULL if only constants are allowed
  Builder b;
  Frame *frame;
  int depth, call_depth, steps;
  const Turns *turns; // of the innermost `while` that runs while compiling
  int failures;       // statements that were skipped after an error
  bool stopped;       // after an error, no statement is left to walk
  int trial;          // > 0: the ops will be discarded
  LoopPlans *plans;   // plans of this walk's loops: written or followed
  size_t next_plan;
  const LoopPlans *hints; // plans of the trial before
  int num_partings;       // names whose values differ at the begin of a loop
  Map globals;            // AstGlobal to Object, once evaluated
  Map failed;          // negative cache: AstGlobal to the mode (host/global.c)
  int num_finding;     // number of nested evaluations of globals
  Map things;          // dotted names below triton to Objects
  Map sources;         // unpacked Expr to Object, once evaluated
  Map defaults;        // Expr of parameters to Object, once evaluated
  const Type *mapping; // in map_elementwise(), the type of a mask of the
                       // elements; else NULL
  Vec(MaskedLoop) masked; // loops in map_elementwise()
  bool only_known;        // a value known to the host alone is an error
  bool is_condition;      // of a module; cached values must be final
  bool is_launch;         // a heuristic is being evaluated
  HookEffects *hook;      // of the hook that is evaluated; or NULL
  bool runs_host;         // a plain function of the host is being evaluated
  int run;                // number of the call that runs while compiling; 0:
                          // none
  int num_runs;
  bool debugs;                      // assertions are compiled in
  bool checks_overflow;             // checks of integer overflow are compiled
                                    // in, too
  const Object *allowed_precisions; // names for dot(); NULL: all
  const Object *default_precision;  // meaning of None; NULL: not set
  bool has_wide_offsets;            // a block pointer has offsets of 64 bits
  SrcLoc returned;       // the location of the last call's returned expression
  const Expr *statement; // the expression statement that is walked
  const Expr *call;      // the call whose callee is walked
};

// -- Caches, and muted diagnostics -------------------------------------------

// A part of a walk that runs within a scope.
typedef const void *WalkStep(Walk *w, void *context);

// The cached value, or else the result of `step`, which is then cached.
const void *walk_remember(Walk *w, Map *known, const void *key, WalkStep *step,
                          void *context);

// Is there an object that passes the test `found` among those that `x` reaches,
// also through its functions?
bool walk_reaches(Walk *w, const Object *x,
                  bool (*found)(void *context, const Object *x), void *context);

// TOLD_THING if `x` is or holds a list, dictionary or set; else TOLD_VALUE.
ToldAs walk_told_as(Walk *w, const Object *x);

// The result of `step`.  Its diagnostics are dropped, and its failure is no
// failure of the function that is walked.  NULL also if a statement failed.
const void *walk_quietly(Walk *w, WalkStep *step, void *context);
// The result of `step`, which evaluates host code within limits of steps and
// depth.  Its diagnostics are dropped.
const void *walk_hosted(Walk *w, WalkStep *step, void *context);

// -- Values ------------------------------------------------------------------

// A tuple of copies of the items; if `names` is not NULL, with these names.
const Object *named_tuple(Walk *w, SrcLoc loc, const char *const *names,
                          const Object *const *items, int count);
// May an operation other than iterating be applied?  Not to an iterator or
// view.
bool walk_is_whole(Walk *w, SrcLoc loc, const Object *x);
// `x`; NULL after a diagnostic, if it is too large.
const Object *walk_limits(Walk *w, SrcLoc loc, const Object *x);

// Is the value of `x` known, so that its truth or equality can be asked for?
// An object of the host is unknown; that is an error in a module's conditions.
bool walk_knows(Walk *w, SrcLoc loc, const Object *x);
// The same, if the answer decides which code is compiled.
bool walk_decides(Walk *w, SrcLoc loc, const Object *x);
// The same, if the text of `x` is needed: by repr(), or by str().
bool walk_shows(Walk *w, SrcLoc loc, const Object *x, bool repr);
// Can `x` be compared with `y`?  False after a diagnostic.
bool walk_compares(Walk *w, SrcLoc loc, const Object *x, const Object *y);

// -- Limits and errors -------------------------------------------------------

// Enters a level of recursion, and returns it for walk_leave(); 0: too deep,
// reported.
int walk_enter(Walk *w, SrcLoc loc);
static inline void walk_leave(Walk *w, int level) {
  assert(level > 0 && w->depth == level && "a level within was not left"); // I1
  w->depth = level - 1;
}

// Counts a statement, or a turn of a loop that runs while compiling; false:
// there are too many, reported.
bool walk_count(Walk *w, SrcLoc loc);

__attribute__((format(printf, 3, 4))) const Object *
walk_error(Walk *w, SrcLoc loc, const char *format, ...);

// -- The place of the walk ---------------------------------------------------

// A walk of the program without a function or frame; errors go to the
// diagnostics of `m`.
Walk walk_of(Program *program, Module *m, const Specialization *spec);

// A function and frame in which constants are evaluated before the real
// function exists; its ops are discarded.
typedef struct {
  Function function;
  Frame frame;
  LoopPlans plans;
} WalkScratch;

// Puts the walk into `scratch`, in the scope of the file's module; `scratch`
// must outlive it.
void walk_make_scratch(Walk *w, AstFile *file, WalkScratch *scratch);

// Is the current function one that runs while compiling?
static inline bool walk_is_constant(const Walk *w) {
  return w->frame->function && w->frame->function->is_constant;
}

// Is the code that is walked such a function, or a module?
static inline bool walk_is_host(const Walk *w) {
  return !w->frame->function || w->frame->function->is_constant;
}

static inline ConstantContext constant_context(Walk *w, SrcLoc loc) {
  return (ConstantContext){w->arena, w->diags, loc};
}

// Is `x` a tile that stands for its elements?
static inline bool is_element(const Walk *w, const Object *x) {
  return w->mapping && object_is_tile(x);
}
// In map_elementwise(): a scalar with the type of the tile's elements, for
// reading attributes; for a tuple, the same for its items.  Elsewhere `x`
// itself.
const Object *element_of(Walk *w, const Object *x);
// The same as object_text(), with the names of the current function.
const char *text_of(Walk *w, const Object *x);

// -- Recovery: the walk goes on after an error, to report several ------------

// A statement that failed is skipped.  The walk returns to the state before it,
// and the names that it assigns become poison: a use of one fails without a
// message, so that no error is reported that only follows from an earlier one.

typedef struct {
  Builder b;
  size_t num_pending;
  int depth, loops;
} WalkPoint;

WalkPoint recover_point(const Walk *w);
// Returns to that point in the same function; names keep their values.
void recover_to(Walk *w, const WalkPoint *point);
// Recovers after `stmt` failed, and counts that in `failures`.  False: the walk
// ends.
bool recover(Walk *w, const WalkPoint *point, const Stmt *stmt);
// Each name whose value differs from that at `start` becomes poison, too; the
// others get their values in `before`.
void poison_changed(Walk *w, const ScopeState *start, const ScopeState *before);
// For an error that would be repeated again and again: the walk ends after it.
// Returns NULL.
const Object *recover_never(Walk *w);

// Adds a note at `loc` below each error reported since `mark`, which was the
// list's `last`.
__attribute__((format(printf, 4, 5))) void
recover_note_calls(Walk *w, Diag **mark, SrcLoc loc, const char *format, ...);

// Blames errors within library.tile on the call of `name` at `loc`: the first
// error since `mark` is moved to the call, with a note at its own location;
// later ones follow from it and are dropped.
void library_blame_call(Walk *w, Diag **mark, SrcLoc loc, const char *name);

// -- Attributes of tensors that only the host knows --------------------------

// Is `x` only a pointer, and `name` an attribute of the host's tensor?
bool asks_for_shape(const Object *x, const char *name);
// `p.shape`, `p.numel` and the like, where `p` is such a pointer.
bool reads_shape(const Walk *w, const Expr *expr);
// Reports that the pointer has no such attribute; returns NULL.
const Object *pointer_has_no_shape(Walk *w, const Expr *attribute);

// -- Differences between releases of Triton ----------------------------------

typedef enum {
#define RELEASE(...)
#define RULE(id, first, what) RULE_##id,
#define KEYWORDS(...)
#include "frontend/core/releases.def"
} ReleaseRule;

// The number of arguments that the function takes without their names.
int num_positional(const Program *program, const char *function);
bool rule_holds(const Program *program, ReleaseRule rule);
// The text of `triton.__version__`: "3.8.0".
const char *release_version(const Program *program);

// -- Names in other languages and libraries, with ours -----------------------

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
// The next row after `*at`, which is 0 at first; NULL if there is none.
const char *usual_name_next(UsualKind kind, const char *theirs, size_t *at);

#endif
