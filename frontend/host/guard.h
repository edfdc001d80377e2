// guard.h -- the truth of a module's conditions, as far as it is known before a
// run.
#ifndef TILE_FRONTEND_GUARD_H
#define TILE_FRONTEND_GUARD_H

#include "frontend/module/program.h"

typedef enum { TRUTH_UNKNOWN, TRUTH_NO, TRUTH_YES } Truth;

// The truth of the condition in the tokens [begin, end), at `place`.
Truth guard_truth(Program *program, AstFile *file, AstPlace place,
                  uint32_t begin, uint32_t end);
// Is the value of the expression known?
bool guard_knows(Program *program, AstFile *file, AstPlace place,
                 uint32_t begin, uint32_t end);

// The value, or NULL.
const struct Object *guard_value(Program *program, AstFile *file,
                                 AstPlace place, uint32_t begin, uint32_t end);

// The same of an expression at the end of the file.
const struct Object *guard_evaluate(Program *program, AstFile *file,
                                    const struct Expr *expr);

// Would Python find what this import names?  Triton's own, files, and what
// every machine with Triton has.
bool guard_import_works(Program *program, AstFile *file, const Definition *d);

// Is it a value that another file assigns?
bool guard_imports_value(Program *program, AstFile *file, const Definition *d);

// Is there a module of that name, for code of `file`?
bool guard_has_module(Program *program, AstFile *file, const char *dotted);

// -- Kernels that functions of the file make ---------------------------------

struct Object;

// One that is marked and was made by a function that ran, as the definition of
// `name`, which is at `loc`; NULL: it is something else.
Definition *made_definition(Program *program, const char *name, SrcLoc loc,
                            const struct Object *x);

// The kernel that a name, `kernels[1]`, `kernels["add"]` or `Class.add` stands
// for where that is made when the file runs; NULL: none is, or errors were
// told.
const AstFunction *made_kernel(Program *program, DiagList *diags,
                               const char *path);

// Finds the kernels that functions of the main file make when they run, which
// no line of the module calls.
void functions_look_within(Program *program);

#endif
