// host.h -- the values of host code, for this room and rooms above.
//
// Rooms below reach some of these functions through `struct World`.
#ifndef TILE_FRONTEND_HOST_HOST_H
#define TILE_FRONTEND_HOST_HOST_H

#include "frontend/core/walk.h"
#include "frontend/module/program.h"

// -- Members of struct World; see value/world.h ------------------------------

const Object *global_value(Walk *w, const Symbol *symbol, SrcLoc use);
const Object *chosen_thing(Walk *w, const Symbol *symbol, const Object *x,
                           SrcLoc use);
bool walk_import(Walk *w, const Stmt *stmt);

// -- Values (global.c) -------------------------------------------------------

// The value of an expression of the module at `place`.
const Object *value_of_line(Walk *w, AstFile *file, AstPlace place,
                            const Expr *expr);
// -- Meanings of host code ---------------------------------------------------

// Is the GLOBAL the result of a call of host code?
bool host_computes(Walk *w, const Symbol *symbol);
// The module of Triton that the call in GLOBAL imports; NULL if it imports
// none.
const char *host_imported(Walk *w, const Symbol *symbol);
// The function of the language with the last part of `name`, and a warning;
// NULL, without a message, if there is none.
const Object *host_function(Walk *w, const char *name, SrcLoc use);

// -- Programs whose modules have conditions on the GPU -----------------------

// Conditions of a module are evaluated once, when its file is read.  A
// condition on the GPU is evaluated for the target of that time; for another
// target the program is read again.

// 80 for sm_80, 0 for the CPU.
int chip_of(const Target *target);

// To be called before a condition of a module uses program->target.
void chip_was_asked(Program *program);

// A kernel, and its program as read for a target.
typedef struct {
  Program *program;
  const AstFunction *kernel;
} KernelView;

// The kernel for `target`.  False after an error: for that target the kernel is
// missing, or has other parameters.
bool chip_view(Program *program, const AstFunction *kernel,
               const Target *target, DiagList *diags, KernelView *out);

#endif
