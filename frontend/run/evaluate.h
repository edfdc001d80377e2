// evaluate.h -- code that runs: expressions, calls, statements, modules.
#ifndef TILE_FRONTEND_RUN_EVALUATE_H
#define TILE_FRONTEND_RUN_EVALUATE_H

#include "frontend/thing/objects.h"

// The names that a function binds itself.
typedef struct FunctionNames {
  Map locals, globals, nonlocals;
  bool yields;
  bool opaque; // has statements beyond the grammar
} FunctionNames;
typedef Vec(const char *) BoundNames;

// A point to go on from when what follows is lost.
typedef struct {
  RunMark mark;
  size_t leaves;
  Machine now;
} RunPoint;

// -- scope.c, name.c: names and scopes ----------------------------------------

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

// -- expr.c, assign.c, generate.c ---------------------------------------------

Thing *run_expr(Machine *m, const Expr *expr);
bool run_assign(Machine *m, const Expr *target, Thing *value);
bool run_delete(Machine *m, const Expr *target);
Thing *run_comprehension(Machine *m, const Expr *expr);
// Runs the clauses of a generator expression with unknown items, perhaps often.
void run_generator_weakly(Machine *m, Thing *generator);
// The functions that `Code` has; see objects.h.
Next next_generated(Machine *m, Thing *generator, Thing **item);
bool generate_all(Machine *m, Thing *generator, Taker *taker, bool *known);

// -- call.c, class.c ----------------------------------------------------------

// The functions that `Code` has; see objects.h.
Thing *call_thing(Machine *m, Thing *callee, Things *args, ArgNames names);
void call_weakly(Machine *m, Thing *code);
Thing *run_call_expr(Machine *m, const Expr *expr);
Thing *make_function(Machine *m, const AstFunction *ast);
bool run_class(Machine *m, const Stmt *stmt);
Thing *class_call(Machine *m, Thing *class, Things *args, ArgNames names);

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
bool run_import(Machine *m, const Stmt *stmt);
// A call of one of the functions that give modules by their names.
Thing *run_give_module(Machine *m, const char *function, const Things *args,
                       ArgNames names);
// Is it the name of a module that is no file of the program?
bool names_no_file(Machine *m, const Thing *key);
// A star has perhaps bound any name of the module.
bool run_bind_any(Machine *m);
void run_module_body(Machine *m, RunModule *module);
RunModule *run_module(Machine *m, AstFile *file, const char *name);

// -- opaque.c: code that cannot be followed -----------------------------------

// Tokens that the module has there: what they name is not known any more.
bool run_opaque(Machine *m, uint32_t begin, uint32_t end);
// The same for code as text, a function that `Code` has.
void text_as_code(Machine *m, const char *text);
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
// Runs the modules of the program anew; it keeps this run from then on.
ProgramRun *run_program(Program *program);

#endif
