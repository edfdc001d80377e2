// made_kernel.h -- kernels that functions of the file make.
#ifndef TILE_FRONTEND_MADE_KERNEL_H
#define TILE_FRONTEND_MADE_KERNEL_H

#include "frontend/module/program.h"

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
