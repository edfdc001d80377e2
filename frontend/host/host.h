// host.h -- what host code says, for its parts and for rooms above.
//
// Rooms below have some of it by `struct World`.
#ifndef TILE_FRONTEND_HOST_HOST_H
#define TILE_FRONTEND_HOST_HOST_H

#include "frontend/core/walk.h"

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

// Finds what the modules' statements change.
void walk_find_changes(Walk *w);
// The statement that gives `symbol` its value makes `copy` of `of`.
void walk_note_copy(Walk *w, const Symbol *symbol, const Object *copy,
                    const Object *of);

#endif
