// guard.h -- the truth of a module's conditions, if it is known before a run.
#ifndef TILE_FRONTEND_GUARD_H
#define TILE_FRONTEND_GUARD_H

#include "frontend/module/program.h"

typedef enum { TRUTH_UNKNOWN, TRUTH_NO, TRUTH_YES } Truth;

// The truth, at `place`, of the condition in the tokens [begin, end).
Truth guard_truth(Program *program, AstFile *file, AstPlace place,
                  uint32_t begin, uint32_t end);
// Is the value of the expression known?
bool guard_knows(Program *program, AstFile *file, AstPlace place,
                 uint32_t begin, uint32_t end);

// The value of the expression, or NULL.
const struct Object *guard_value(Program *program, AstFile *file,
                                 AstPlace place, uint32_t begin, uint32_t end);

// The value of an expression at the end of the file, or NULL.
const struct Object *guard_evaluate(Program *program, AstFile *file,
                                    const struct Expr *expr);

// Does the import succeed in Python?  Yes for a module of Triton, a file, or a
// module that every machine with Triton has.
bool guard_import_works(Program *program, AstFile *file, const Definition *d);

// Does the import bind a value that another file assigns?
bool guard_imports_value(Program *program, AstFile *file, const Definition *d);

// Does code of `file` find a module of that name?
bool guard_has_module(Program *program, AstFile *file, const char *dotted);

// -- Kernels that functions of the file make ---------------------------------

struct Object;

// Defines `name`, at `loc`, as the kernel `x` that a function made; NULL: `x`
// is no such kernel.
Definition *made_definition(Program *program, const char *name, SrcLoc loc,
                            const struct Object *x);

// The kernel of a name, `kernels[1]`, `kernels["add"]` or `Class.add`, if the
// file makes it when it runs; NULL if there is none, or after errors.
const AstFunction *made_kernel(Program *program, DiagList *diags,
                               const char *path);

// Finds the kernels that functions of the main file make, if no line of the
// module calls these functions.
void functions_look_within(Program *program);

#endif
