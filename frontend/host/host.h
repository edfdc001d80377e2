// host.h -- what host code says, for its parts and for rooms above.
//
// Rooms below have some of it by `struct World`.
#ifndef TILE_FRONTEND_HOST_HOST_H
#define TILE_FRONTEND_HOST_HOST_H

#include "frontend/core/walk.h"

// A module's value, which may be a value of its making; NULL after a
// diagnostic.
const Object *global_value(Walk *w, const Symbol *symbol, SrcLoc use);
// The first value of a global, if it was evaluated; NULL.
const Object *global_known(const Walk *w, const AstGlobal *global);
// What an expression of the module gives at `place`.
const Object *value_of_line(Walk *w, AstFile *file, AstPlace place,
                            const Expr *expr);
// What a statement that is run makes of a global; NULL: nobody knows, and
// nothing is said.
const Object *run_value(Walk *w, const Symbol *symbol);
// `x`, which a doubtful symbol that is no value means if what is in doubt was
// reached: a value is an error where it may be another one, a function or a
// module is told of.
const Object *chosen_thing(Walk *w, const Symbol *symbol, const Object *x,
                           SrcLoc use);
// Binds the names that the statement imports in such a function; false: it is
// no import, or one that Python might not find.
bool walk_import(Walk *w, const Stmt *stmt);

// -- What changes (alias.c, search.c) ----------------------------------------

// Finds what the modules' statements change.
void walk_find_changes(Walk *w);
// The statement that gives `symbol` its value makes `copy` of `of`.
void walk_note_copy(Walk *w, const Symbol *symbol, const Object *copy,
                    const Object *of);
// Has a line above that of `order` changed `x`, or what it holds, under any
// name?  0: or another line of the file.
// `symbol` names it; may be NULL.
bool walk_was_changed(Walk *w, const AstFile *file, uint32_t order,
                      const Object *x, const Symbol *symbol);

#endif
