// set_members.h -- names that may have been set from outside.
#ifndef TILE_FRONTEND_SET_MEMBERS_H
#define TILE_FRONTEND_SET_MEMBERS_H

#include "frontend/module/program.h"

// Is `name` a `Class.member` whose member is in the map?
bool name_is_member(const Map *members, const char *name);
// May an assignment from outside have replaced the function `name` of the file,
// whose module has escaped?
bool function_may_be_set(const Program *program, const AstFile *file,
                         const char *name);
// The symbol of a name that may be bound again: a global of unknown value.
Symbol symbol_of_set(Program *program, AstFile *file, const char *name,
                     SrcLoc loc);
// May code of another file have bound the name, or the member of a class,
// again?  `kind` is that of its symbol.  False for a GLOBAL: the search for its
// value asks this.
bool name_is_bound_elsewhere(Program *program, const AstFile *file,
                             const char *name, SymbolKind kind);

#endif
