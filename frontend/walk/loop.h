// loop.h -- shared by the kinds of loops.
#ifndef TILE_FRONTEND_WALK_LOOP_H
#define TILE_FRONTEND_WALK_LOOP_H

#include "frontend/core/walk.h"
#include "frontend/walk/evaluate.h"

typedef struct {
  const char *name;
  const Object *model; // a value of the type that the name has from the start
} CarriedName;

// The result of the trial walk of a loop's body.
struct LoopPlan {
  const Stmt *stmt;
  Vec(CarriedName) carried;
  Vec(CarriedName) first_bound; // names that the condition assigns first
  unsigned exits;       // ways out of the loop: bits of EXIT_BREAK, EXIT_RETURN
  const Object *result; // a value of the returned type
  SrcLoc at;            // location of the returned expression
  bool endless;         // `while True`
  bool diverges;        // elements leave it one by one
  LoopPlans inner;      // plans of the loops in the body, in order
  LoopPlans last;       // the same from the trial before
};

typedef struct {
  const Stmt *stmt;
  const StmtList *body, *otherwise;
  const Expr *target;    // NULL in a `while`
  Dtype dtype;           // of the target
  const Type *type;      // of the counter
  const Expr *condition; // NULL in a `for`
} Loop;

// The values that a run-time loop carries from one iteration to the next: those
// of the names, then those of its result, then the flags "stopped" and "stopped
// by returning" if the plan has such exits.
typedef struct {
  LoopPlan *plan;
  const Object **objects; // values before the loop, one for each carried name
  Value **values;         // IR values of all carried items
  int num_names;          // number of `values` that belong to names
  int num_values;
} Carried;

// The plan of this loop.  A carried name that is bound to a constant has a
// run-time value of that number in `before` afterwards.
LoopPlan *plan_loop(Walk *w, const Loop *loop, ScopeState *before);
// Walks the body into the current block; `iv` is NULL in a `while`.
bool walk_loop_body(Walk *w, const Loop *loop, Value *iv, Exits *out);
// Converts values to the kinds that they had at the begin of the body: a number
// becomes a run-time value, as after `(x := 1)`, and a scalar a tile.
bool walk_as_begun(Walk *w, SrcLoc loc, const ScopeState *begin);

// Between enter and leave, plans of inner loops are taken from this loop's
// plan.
typedef struct {
  LoopPlans *plans;
  const LoopPlans *hints;
  size_t next;
} OuterPlans;
OuterPlans enter_plan(Walk *w, LoopPlan *plan);
void leave_plan(Walk *w, OuterPlans outer);

// A value that was assigned to a name.
typedef struct {
  const Object *object;
  const SrcLoc *at; // NULL: unknown
} Given;
// Reports a loop that changes the type of a name; returns false.
bool changed_type(Walk *w, const Stmt *stmt, const char *name, Given before,
                  Given after);

// An object of the same type as `x`, with any values.
const Object *any_like(Walk *w, const Object *x);
// `x` as a loop carries it: a number that the loop changes becomes a run-time
// value from the start, and a scalar a tile if it is a tile `after` the body.
const Object *start_value(Walk *w, SrcLoc loc, const Object *x,
                          const Object *after);
// Prepares the carried values.  A plan that was made in a trial may contain
// names whose values are still constants here.
bool start_carrying(Walk *w, const Stmt *stmt, LoopPlan *plan, Carried *out);
// Have the names still their types from the start?  If not, reports it.
bool check_carried(Walk *w, const Stmt *stmt, const Carried *c);
// Binds the names to the values from `first` on.
void bind_carried(Walk *w, const Carried *c, Value *first);
// The present values of the carried names, then the `count` values of `others`.
Value **carried_values(Walk *w, const Carried *c, int count,
                       Value *const *others);
// The values of names at the end of a body that was left by `exits`; NULL after
// a diagnostic.
Value **values_after_body(Walk *w, const Stmt *stmt, const Carried *c,
                          const Exits *exits);
// An i1: was the loop left?  Only if its plan has such exits.
Value *stop_of(const Carried *c, Value *first);

// Binds the loop's results, which begin at `first`, and continues behind the
// loop.
Flow leave_loop(Walk *w, const Loop *loop, const ScopeState *before,
                const Carried *c, Value *first);
// Continues behind a loop in a trial, where only the types of its results
// matter.
Flow pretend_loop(Walk *w, const Loop *loop, const ScopeState *before,
                  const Carried *c);
// Walks the `else` of a loop, and handles a loop that has returned.
Flow walk_after_loop(Walk *w, const Loop *loop, const Exits *exits);

// Unrolled loops: over the items of a tuple; over a range of start, end and
// step; while a constant condition is true.
Flow unroll_items(Walk *w, const Loop *loop, const Object *items);
Flow unroll_range(Walk *w, const Loop *loop, const int64_t n[3]);
Flow unroll_while(Walk *w, const Loop *loop);

// Walks the condition as a trial, for the first turn; `active`: the mask of the
// elements that are still in the loop, or NULL; `start`: the names' values
// before the loop.
Value *try_condition(Walk *w, const Loop *loop, LoopPlan *plan, Value *active,
                     const ScopeState *start);

// For a range of start, end and step: is `iv` in it; is there a further value?
// If an operand is a tile, so is the answer.
Value *build_range_contains(Builder *b, Value *iv, Value *const bounds[3]);
Value *build_range_has_next(Builder *b, Value *iv, Value *const bounds[3]);

// One iteration of a loop that elements leave one by one, for the elements in
// the mask `active`.  `iv` is NULL in a `while`.
bool walk_divergent_turn(Walk *w, const Loop *loop, Value *iv, Value *active,
                         Exits *out);
// `active` without the elements for which the condition of the `while` is
// false.
Value *active_condition(Walk *w, const Loop *loop, Value *active,
                        bool *endless);
// The whole loop; `bounds` are NULL in a `while`.
Flow emit_divergent(Walk *w, const Loop *loop, Value *const *bounds,
                    const ScopeState *before, const Carried *c);

#endif
