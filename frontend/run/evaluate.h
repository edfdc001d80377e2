// evaluate.h -- execution of code: expressions, calls, statements, modules.
#ifndef TILE_FRONTEND_RUN_EVALUATE_H
#define TILE_FRONTEND_RUN_EVALUATE_H

#include "frontend/thing/objects.h"

// The local names of a function.
typedef struct FunctionNames {
  Map locals, globals, nonlocals;
  bool yields;
  bool opaque; // it has statements beyond the grammar
} FunctionNames;
typedef Vec(const char *) BoundNames;

// A point from which the run continues if the code after it is too complex.
typedef struct {
  RunMark mark;
  size_t leaves;
  Machine now;
} RunPoint;

// -- scope.c, name.c: names and scopes ---------------------------------------

const FunctionNames *function_names(Machine *m, const AstFunction *function);
// The names that the block binds, in order, with repetitions.
BoundNames block_names(Machine *m, const StmtList *block);
const FunctionNames *comprehension_names(Machine *m, const Expr *expr);
// The function that a lambda expression makes.
const AstFunction *lambda_ast(Machine *m, const Expr *lambda);
Thing *run_name(Machine *m, const char *name);
// The cell that a statement here binds.
NameCell *run_cell(Machine *m, const char *name);
bool run_bind(Machine *m, const char *name, Thing *value);
bool run_unbind(Machine *m, const char *name);

// -- expr.c, assign.c, generate.c --------------------------------------------

Thing *run_expr(Machine *m, const Expr *expr);
bool run_assign(Machine *m, const Expr *target, Thing *value);
bool run_delete(Machine *m, const Expr *target);
Thing *run_comprehension(Machine *m, const Expr *expr);
// Runs the clauses of a generator expression with unknown items, an unknown
// number of times.
void run_generator_weakly(Machine *m, Thing *generator);
// The functions of `CodeRunner` for generators; see objects.h.
Next next_generated(Machine *m, Thing *generator, Thing **item);
bool generate_all(Machine *m, Thing *generator, Taker *taker, bool *known);

// -- call.c, class.c ---------------------------------------------------------

// The functions of `CodeRunner` for calls; see objects.h.
Thing *call_thing(Machine *m, Thing *callee, Things *args, ArgNames names);
void call_weakly(Machine *m, Thing *code);
Thing *run_call_expr(Machine *m, const Expr *expr);
Thing *make_function(Machine *m, const AstFunction *ast);
bool run_class(Machine *m, const Stmt *stmt);
Thing *class_call(Machine *m, Thing *class, Things *args, ArgNames names);

// -- stmt.c, loop.c, try.c, import.c -----------------------------------------

bool run_block(Machine *m, const StmtList *block);
bool run_statement(Machine *m, const Stmt *stmt);
// Evaluates an annotation, which may be NULL, unless the file postpones that;
// false: the path ended.
bool run_annotation(Machine *m, const Expr *annotation);
bool run_for(Machine *m, const Stmt *stmt);
bool run_while(Machine *m, const Stmt *stmt);
bool run_try(Machine *m, const Stmt *stmt);
bool run_with(Machine *m, const Stmt *stmt);
bool run_raise_statement(Machine *m, const Stmt *stmt);
bool run_import(Machine *m, const Stmt *stmt);
// A call of one of the functions that give modules by their names.
Thing *run_give_module(Machine *m, const char *function, const Things *args,
                       ArgNames names);
// Does the key name a module that is no file of the program?
bool names_no_file(Machine *m, const Thing *key);
// A star import may have bound any name of the module.
bool run_bind_any(Machine *m);
RunModule *run_module(Machine *m, AstFile *file, const char *name);

// -- reached.c: which statements of a module were run ------------------------

void run_begin_module(Machine *m, RunModule *module);
// The statement, which is not in the outermost block of a module, begins.
void run_note_reached(Machine *m, const Stmt *stmt);
// The statement of the outermost block has ended in a way that is followed:
// statements within it that were not reached yet never will be.
void run_note_unreached(Machine *m, const Stmt *stmt);
Reached run_reach(const RunModule *module, uint32_t token);

// -- report.c: calls of triton.testing.perf_report ---------------------------

// Is the function `name`, with these arguments, perf_report with a Benchmark or
// a list?  Its result is a decorator.
bool run_is_report(const char *name, const Things *args);
// Keeps the argument of the call at `loc`, if `callee` is perf_report; without
// `args` they are unknown.
void run_note_report(Machine *m, SrcLoc loc, const Thing *callee,
                     const Things *args);
// The argument of the call there; NULL: unknown.
const Object *run_report(Machine *m, const AstFile *file, SrcLoc loc);

// -- opaque.c: code that cannot be followed ----------------------------------

// Makes all names in the tokens of the module unknown.
bool run_opaque(Machine *m, uint32_t begin, uint32_t end);
// The same for code as text; a function of `CodeRunner`.
void text_as_code(Machine *m, const char *text);
// The same for the body of the function, which may run at any time.
void run_opaque_function(Machine *m, Thing *function);
// The first token of the statement, or of its decorators.
uint32_t statement_begin(const AstFile *file, const Stmt *stmt);
RunPoint run_point(const Machine *m);
// Returns to the point after the run was lost, and continues.
void run_recover(Machine *m, const RunPoint *point);
// Runs the statements of a module; a statement that is lost is treated by
// run_opaque().
bool run_statements(Machine *m, const StmtList *body);
// The machine of the program; it has run the main module.
typedef struct {
  Machine m;
  RunModule *main;
  Vec(const RunModule *)
      asked;   // modules whose functions were run, as by later calls
  Map objects; // Things to the constants that kernels got for them
} ProgramRun;
// Runs the modules of the program anew, and stores the run in the program.
ProgramRun *run_program(Program *program);

#endif
