// evaluate.h -- statements, expressions and calls, walked.
//
// A part that fails has reported why and returns NULL or false.
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
// The error of `x[i] = value` in a kernel, which for a pointer says what to
// write instead; false.
bool subscript_assigned(Walk *w, const Expr *target);
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
// A value of the type for paths on which it has no use.
Value *any_value(Builder *b, const Type *type);

// -- Expressions and calls (expr.c, call.c, ...) -----------------------------

const Object *walk_expr(Walk *w, const Expr *expr);
// The value by walk_quietly(), and by walk_hosted().
const Object *walk_expr_quietly(Walk *w, const Expr *expr);
const Object *walk_expr_hosted(Walk *w, const Expr *expr);
// The same of what is gone over where it stands; see python/iterator.c.
const Object *walk_gone_over(Walk *w, const Expr *expr);
const Object *walk_call(Walk *w, const Expr *expr);
// Is `callee` walked to be called?
bool walk_calls(const Walk *w, const Expr *callee);
const Object *walk_name(Walk *w, const Expr *expr);
// Is it made of literals alone?
bool expr_is_literal(const Expr *expr);
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
// Calls `callee`, which object_is_callable().
const Object *call_object(Walk *w, const Object *callee, SrcLoc loc,
                          const Arguments *args);
// The same of any value; an error where it cannot be called.
const Object *call_value(Walk *w, const Object *callee, SrcLoc loc,
                         const Arguments *args);
// The constant that a host function returns to a module that calls it.  NULL,
// without a diagnostic: only the host can compute it.
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
// Calls an `__init__`: the object that its first parameter is in the end.
const Object *call_initializer(Walk *w, const AstFunction *function, SrcLoc loc,
                               const Arguments *args);
const Object *constant_of_symbol(Walk *w, const Symbol *symbol, SrcLoc loc);
// For an expression there, called from the current frame.
Frame frame_at(const Walk *w, AstFile *file, AstPlace place);
// The value of an expression there; NULL: an error was told.
const Object *walk_expr_at(Walk *w, AstFile *file, AstPlace place,
                           const Expr *expr);
// The defaults of a function that is made now, by parameter; NULL where one is
// not known.
const Object **defaults_now(Walk *w, const AstFunction *function);
// A parameter's default, where it stands in the function's module.
const Object *default_value(Walk *w, const AstFunction *function,
                            const Expr *value);

// Notes below `errors`, which are in the value of the global `name`, that it is
// needed at `use` (unknown_name.c).
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
// `aggregate_replace(instance, field=value, ...)`
const Object *call_replace(Walk *w, SrcLoc loc, const Arguments *args);

// -- What changes, functions (assign.c, call.c, closure.c) --------------------

// `x[index] = value` for the target.
bool walk_assign_item(Walk *w, const Expr *target, const Object *value);
// `changes`: false where what has the method is no list, dictionary or set.
const Object *walk_changing_call(Walk *w, const Expr *call, bool *changes);

const Object *walk_lambda(Walk *w, const Expr *expr);
// Binds the function that the statement defines within one that runs while
// compiling; false: it is none.
bool walk_nested(Walk *w, const Stmt *stmt);
// The result of the decorators of a host function, which are functions
// themselves, applied to it; NULL, without a diagnostic: it is not known.
const Object *walk_decorated(Walk *w, const Symbol *host, SrcLoc loc);
// The names that a function sees which is made here; what they are now.
const Locals *names_around(Walk *w);
const Locals *names_now(const Walk *w, const Locals *around);
// The current place, with a copy of the current bindings: defaults and
// decorators of a function that is made here are evaluated there.
AstPlace place_now(const Walk *w);
// The function that the lambda expression at `place` is.
AstFunction *lambda_function(Arena *arena, AstFile *file, AstPlace place,
                             const Expr *lambda);
// The same, for lambdas, too: `around` has the names of the functions around
// it; may be NULL.
const Object *call_function_within(Walk *w, const AstFunction *function,
                                   const Locals *around, SrcLoc loc,
                                   const Arguments *args);
// `.value` of a member of an Enum of the language; NULL: it has none.
const Object *builtin_value(Walk *w, const Builtin *info);

#endif
