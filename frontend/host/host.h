// host.h -- the values of host code, for its parts and for rooms above.
//
// Rooms below have some of it by `struct World`.
#ifndef TILE_FRONTEND_HOST_HOST_H
#define TILE_FRONTEND_HOST_HOST_H

#include "frontend/core/walk.h"
#include "frontend/module/program.h"

// -- Fields of struct World; value/world.h says what they do ------------------

const Object *global_value(Walk *w, const Symbol *symbol, SrcLoc use);
const Object *chosen_thing(Walk *w, const Symbol *symbol, const Object *x,
                           SrcLoc use);
bool walk_import(Walk *w, const Stmt *stmt);
bool walk_was_changed(Walk *w, const AstFile *file, uint32_t order,
                      const Object *x, const Symbol *symbol);

// -- Values (global.c, run.c) ------------------------------------------------

// The first value of a global, if it was evaluated; NULL.
const Object *global_known(const Walk *w, const AstGlobal *global);
// The value of an expression of the module at `place`.
const Object *value_of_line(Walk *w, AstFile *file, AstPlace place,
                            const Expr *expr);
// The value of a global after the statement that binds it is run; NULL, without
// a diagnostic: it is not known.
const Object *run_value(Walk *w, const Symbol *symbol);

// -- What changes (alias.c, search.c) ----------------------------------------

// Finds what the modules' statements change, as far as they may change what the
// file has.
void walk_find_changes(Walk *w, const AstFile *of);
// The statement that gives `symbol` its value makes `copy` of `of`.
void walk_note_copy(Walk *w, const Symbol *symbol, const Object *copy,
                    const Object *of);

// -- What host code stands for -----------------------------------------------

// Is the GLOBAL the result of a call of host code?
bool host_computes(Walk *w, const Symbol *symbol);
// The module of Triton as which a call imports the GLOBAL; NULL if none does.
const char *host_imported(Walk *w, const Symbol *symbol);
// The function of the language with the last part of `name`, and a warning;
// NULL if there is none, with nothing said.
const Object *host_function(Walk *w, const char *name, SrcLoc use);

// -- A program whose modules ask what GPU there is ---------------------------

// Conditions of a module are decided once, when its file is read.  Conditions
// that ask for the GPU are decided for the one that code is made for at that
// time; for another one the program is read again.

// 80 for sm_80, 0 for the CPU.
int chip_of(const Target *target);

// A condition of a module is about to be told of program->target.
void chip_was_asked(Program *program);

// A kernel, in its program as that was read for a target.
typedef struct {
  Program *program;
  const AstFunction *kernel;
} KernelView;

// The kernel for `target`.  False after an error: there it is missing, or has
// other parameters.
bool chip_view(Program *program, const AstFunction *kernel,
               const Target *target, DiagList *diags, KernelView *out);

#endif
