// loop.h -- shared by the kinds of loops.
#ifndef TILE_FRONTEND_SPECIALIZE_LOOP_H
#define TILE_FRONTEND_SPECIALIZE_LOOP_H

#include "frontend/core/walk.h"
#include "frontend/walk/evaluate.h"

typedef struct {
  const char *name;
  const Object *model; // of its type from the start
} CarriedName;

// The result of the trial walk of a loop's body.
struct LoopPlan {
  const Stmt *stmt;
  Vec(CarriedName) carried;
  Vec(CarriedName) first_bound; // in its condition
  unsigned exits;       // out of the loop: bits of EXIT_BREAK, EXIT_RETURN
  const Object *result; // like what is returned
  SrcLoc at;            // what gave it
  bool endless;         // `while True`
  bool diverges;        // elements leave it one by one
  LoopPlans inner;      // of the loops met in the body, in order
  LoopPlans last;       // the same, of the trial before
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
// by returning" where the plan has such exits.
typedef struct {
  LoopPlan *plan;
  const Object **objects; // before the loop, by carried name
  Value **values;         // of all of them
  int num_names;          // values that are of names
  int num_values;
} Carried;

// The plan of this loop.  Where a carried name was bound to a constant,
// `before` has a run-time value of that number afterwards.
LoopPlan *plan_loop(Walk *w, const Loop *loop, ScopeState *before);
// Walks the body into the current block; `iv` is NULL in a `while`.
bool walk_loop_body(Walk *w, const Loop *loop, Value *iv, Exits *out);
// A number in place of a run-time value, as `(x := 1)` leaves it, becomes one,
// and a value in place of one for each element is that for each.
bool walk_as_begun(Walk *w, SrcLoc loc, const ScopeState *begin);

// Plans of loops inside are found in this one's from enter to leave.
typedef struct {
  LoopPlans *plans;
  const LoopPlans *hints;
  size_t next;
} OuterPlans;
OuterPlans enter_plan(Walk *w, LoopPlan *plan);
void leave_plan(Walk *w, OuterPlans outer);

// A value that a name was given.
typedef struct {
  const Object *object;
  const SrcLoc *at; // NULL: not known
} Given;
// The error of a loop that changes the type of a name; false.
bool changed_type(Walk *w, const Stmt *stmt, const char *name, Given before,
                  Given after);

// An object like `x`, of any values.
const Object *any_like(Walk *w, const Object *x);
// `x` as a loop carries it: a number that the loop changes has to be a run-time
// value from the start, and a scalar a tile if it is one `after` the body.
const Object *start_value(Walk *w, SrcLoc loc, const Object *x,
                          const Object *after);
// A plan made in a trial names numbers that are still constants here.
bool start_carrying(Walk *w, const Stmt *stmt, LoopPlan *plan, Carried *out);
// Do the names have the types that they began with?  Else an error.
bool check_carried(Walk *w, const Stmt *stmt, const Carried *c);
// Binds the names to the values from `first` on.
void bind_carried(Walk *w, const Carried *c, Value *first);
// The values that the carried names are bound to now, then the `count` values
// of `others`.
Value **carried_values(Walk *w, const Carried *c, int count,
                       Value *const *others);
// The values at the end of a body that was left by `exits`, without what else
// the loop carries; NULL after a diagnostic.
Value **values_after_body(Walk *w, const Stmt *stmt, const Carried *c,
                          const Exits *exits);
// i1: has the loop been left?  Only where its plan says that it may be.
Value *stop_of(const Carried *c, Value *first);

// Goes on behind the loop, whose results begin at `first`.
Flow leave_loop(Walk *w, const Loop *loop, const ScopeState *before,
                const Carried *c, Value *first);
// In a trial only the types of what a loop leaves behind matter.
Flow pretend_loop(Walk *w, const Loop *loop, const ScopeState *before,
                  const Carried *c);
// The `else` of a loop, and what follows a loop that has returned.
Flow walk_after_loop(Walk *w, const Loop *loop, const Exits *exits);

// Unrolled, over the items of a tuple, a range of start, end and step, or as
// long as a constant condition holds.
Flow unroll_items(Walk *w, const Loop *loop, const Object *items);
Flow unroll_range(Walk *w, const Loop *loop, const int64_t n[3]);
Flow unroll_while(Walk *w, const Loop *loop);

// The condition of a `while` as an i1, or as a tile in map_elementwise(); NULL
// after a diagnostic.
Value *while_condition(Walk *w, const Expr *test, bool *endless);

// The condition in a trial, as of the first turn or, where elements leave one
// by one, of those that `active` tells; `start`: what the names held before.
Value *try_condition(Walk *w, const Loop *loop, LoopPlan *plan, Value *active,
                     const ScopeState *start);

// For a range of start, end and step: is `iv` within it; does it have a value
// behind `iv`?  A tile of answers where one of them is a tile.
Value *build_range_contains(Builder *b, Value *iv, Value *const bounds[3]);
Value *build_range_has_next(Builder *b, Value *iv, Value *const bounds[3]);

// One iteration of a loop that elements leave one by one, for the elements for
// which the tile `active` holds.  `iv` is NULL in a `while`.
bool walk_divergent_turn(Walk *w, const Loop *loop, Value *iv, Value *active,
                         Exits *out);
// `active`, less the elements for which the condition of the `while` is false.
Value *active_condition(Walk *w, const Loop *loop, Value *active,
                        bool *endless);
// The whole loop; `bounds` are NULL in a `while`.
Flow emit_divergent(Walk *w, const Loop *loop, Value *const *bounds,
                    const ScopeState *before, const Carried *c);

#endif
