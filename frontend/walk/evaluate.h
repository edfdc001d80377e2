// evaluate.h -- the walk of statements, expressions and calls.
//
// A function that fails has reported the error and returns NULL or false.
#ifndef TILE_FRONTEND_WALK_EVALUATE_H
#define TILE_FRONTEND_WALK_EVALUATE_H

#include "frontend/core/walk.h"

// -- Statements (stmt.c, if.c, for.c, ...) -----------------------------------

typedef enum { FLOW_FAILED, FLOW_NEXT, FLOW_LEFT } Flow;

Flow walk_block(Walk *w, const StmtList *stmts);
Flow walk_if(Walk *w, const Stmt *stmt);
Flow walk_for(Walk *w, const Stmt *stmt);
Flow walk_while(Walk *w, const Stmt *stmt);
// `target = value` for a name or a tuple of targets.
bool walk_assign(Walk *w, const Expr *target, const Object *value);
// Reports `x[i] = value` in a kernel; for a pointer, suggests a store.  Returns
// false.
bool subscript_assigned(Walk *w, const Expr *target);
// Walks a function's body to its end; NULL after errors.
const Object *walk_body(Walk *w, const StmtList *body);

// `if condition: pass; else: body`
Flow walk_unless(Walk *w, SrcLoc loc, Value *condition, const StmtList *body);

// One of two alternative paths that are joined.
typedef struct {
  Block *block;
  ScopeState state; // at its end
  Exits exits;
  bool is_otherwise; // the `else` of a loop
} Branch;

// Ends both blocks with yields and appends the `if`.  The scope becomes the
// join of the scopes after both.
bool join_branches(Walk *w, SrcLoc loc, Value *condition,
                   const Branch branches[2], Branch *joined);
// Builds the `if`s that became pending since `mark`.  `out` is the join of the
// paths since then; the walk has ended in `flow`.
bool close_pending(Walk *w, size_t mark, Flow flow, Branch *out);
// To be called if some paths have left: the statements behind are walked in the
// `else` of an `if` that tells whether the path has left.
Flow go_on_unless(Walk *w, SrcLoc loc, const Exits *exits);
// The exits of a block that every path leaves by `kind`, with `result`.
static inline Exits exits_by(ExitKind kind, const Object *result) {
  return (Exits){.kinds = 1u << kind, .always = true, .result = result};
}
// An i1 that is true on paths that leave in this way.
Value *exit_taken(Builder *b, const Exits *exits, ExitKind kind);
// Any value of the type, for paths on which it is not used.
Value *any_value(Builder *b, const Type *type);

// -- Expressions and calls (expr.c, call.c, ...) -----------------------------

const Object *walk_expr(Walk *w, const Expr *expr);
// walk_expr() under walk_quietly(), and under walk_hosted().
const Object *walk_expr_quietly(Walk *w, const Expr *expr);
const Object *walk_expr_hosted(Walk *w, const Expr *expr);
// The value of an expression that is iterated over at once; see
// python/iterator.c.
const Object *walk_gone_over(Walk *w, const Expr *expr);
const Object *walk_call(Walk *w, const Expr *expr);
// Is `callee` the callee of the current call?
bool walk_calls(const Walk *w, const Expr *callee);
const Object *walk_name(Walk *w, const Expr *expr);
// Does the expression consist of literals alone?
bool expr_is_literal(const Expr *expr);
const Object *walk_attribute(Walk *w, const Expr *expr);
// Is it certain that Triton has no constexpr around `x`, the value of `expr`?
bool value_is_bare(Walk *w, const Expr *expr, const Object *x);
// `x.name`; `expr` has the name and the locations for messages.
const Object *attribute_of(Walk *w, const Expr *expr, const Object *x);
const Object *walk_subscript(Walk *w, const Expr *expr);
const Object *walk_comprehension(Walk *w, const Expr *expr);

// Suggests another keyword for the argument, unless it comes from `**options`.
void argument_fix_name(Walk *w, const Argument *arg, const char *name);

// The arguments of the call of `callee`.  An argument that fails is poison in
// `out`.  False if `*args` fails, or if `callee` is NULL since its evaluation
// failed; the call's other errors are reported before.
bool walk_arguments_of(Walk *w, const Object *callee, const Expr *call,
                       Arguments *out);
// The same, without a callee whose errors could be reported.
bool walk_arguments(Walk *w, const Expr *call, Arguments *out);
bool is_passed_on(const char *name); // `_semantic` of Triton's builtins
// Calls `callee`, for which object_is_callable() is true.
const Object *call_object(Walk *w, const Object *callee, SrcLoc loc,
                          const Arguments *args);
// Calls any value; an error if it is not callable.
const Object *call_value(Walk *w, const Object *callee, SrcLoc loc,
                         const Arguments *args);
// The constant that a host function returns to a module that calls it.  NULL,
// without a diagnostic: only the host knows it.
const Object *call_hosted(Walk *w, const Object *callee, SrcLoc loc,
                          const Arguments *args);
const Object *call_function(Walk *w, const AstFunction *function, SrcLoc loc,
                            const Arguments *args);
// The place of a call of a function of `file`.  While the file is still being
// read, the callee sees only definitions above that place.
AstPlace place_of_call(const Walk *w, const AstFile *file);
// The value of each parameter; NULL after a diagnostic.
const Object **bind_parameters(Walk *w, const AstFunction *function, SrcLoc loc,
                               const Arguments *args);
// Calls an `__init__`; returns the value of its first parameter at the end.
const Object *call_initializer(Walk *w, const AstFunction *function, SrcLoc loc,
                               const Arguments *args);
const Object *constant_of_symbol(Walk *w, const Symbol *symbol, SrcLoc loc);
// A frame for an expression at `place`, called from the current frame.
Frame frame_at(const Walk *w, AstFile *file, AstPlace place);
// The value of an expression at `place`; NULL after a diagnostic.
const Object *walk_expr_at(Walk *w, AstFile *file, AstPlace place,
                           const Expr *expr);
// The defaults of a function that is defined now, one for each parameter; NULL
// for an unknown one.
const Object **defaults_now(Walk *w, const AstFunction *function);
// The default of a parameter, evaluated in the function's module.
const Object *default_value(Walk *w, const AstFunction *function,
                            const Expr *value);

// Adds notes below `errors`, which concern the value of the global `name`, that
// it is needed at `use` (unknown_name.c).
void note_need(Walk *w, const Diag *errors, SrcLoc use, const char *name);

// -- Classes (class.c) -------------------------------------------------------

const Object *call_class(Walk *w, const AstClass *class, SrcLoc loc,
                         const Arguments *args);
const Object *call_method(Walk *w, const Object *method, SrcLoc loc,
                          const Arguments *args);
// The arguments for the method's function: `self`, then `args`.
Arguments arguments_of_method(Walk *w, const Object *method, SrcLoc loc,
                              const Arguments *args);
// A class made by namedtuple("Name", "x y") or NamedTuple("Name", [("x", T)]);
// NULL if the expression makes none.
const Object *class_of_call(Walk *w, AstFile *file, const Expr *call);
// A field or a method; NULL: there is none.  False after a diagnostic.
bool find_member(Walk *w, const Object *x, const char *name, SrcLoc use,
                 const Object **member);
// The source text of `expr`, shortened if it is long.
const char *short_text(Walk *w, const Expr *expr);
// Suggests `text`, which contains texts of expr_text(), unless one of these was
// shortened.
void fix_written(Walk *w, SrcLoc loc, const char *text);
// Can the field of an aggregate have that value?  False after a diagnostic.
bool class_field_takes(Walk *w, const AstClass *class, int field, SrcLoc loc,
                       const Object *value);
// `self.name = value` in an `__init__`.
bool walk_assign_field(Walk *w, const Expr *target, const Object *value);
// `x + y` by a method of the class of `x`; `*has`: there is one.  NULL also
// after a diagnostic.
const Object *class_operate(Walk *w, SrcLoc loc, Operator op, const Object *x,
                            const Object *y, bool *has);
// The method "__getitem__" or the like, which Python calls implicitly, of the
// class of `x`; NULL: there is none.  False after a diagnostic: it has errors.
bool class_special(Walk *w, const char *name, const Object *x,
                   const Object **method);
// `aggregate_replace(instance, field=value, ...)`
const Object *call_replace(Walk *w, SrcLoc loc, const Arguments *args);

// -- Inner functions (closure.c, call.c) -------------------------------------

const Object *walk_lambda(Walk *w, const Expr *expr);
// Binds the inner function that the statement defines, in a function that runs
// while compiling; false: it defines none.
bool walk_nested(Walk *w, const Stmt *stmt);
// The result of a host function's decorators, which are functions themselves,
// applied to the host function; NULL, without a diagnostic: unknown.
const Object *walk_decorated(Walk *w, const Symbol *host, SrcLoc loc);
// The current bindings of the names `around` an inner function.
const Locals *names_now(const Walk *w, const Locals *around);
// The function for the lambda expression at `place`.
AstFunction *lambda_function(Arena *arena, AstFile *file, AstPlace place,
                             const Expr *lambda);
// Calls a function or lambda; `around` has the names of the enclosing
// functions, and may be NULL.
const Object *call_function_within(Walk *w, const AstFunction *function,
                                   const Locals *around, SrcLoc loc,
                                   const Arguments *args);

#endif
