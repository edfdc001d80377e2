// set_members.h -- names that may have been set from outside.
#ifndef TILE_FRONTEND_SET_MEMBERS_H
#define TILE_FRONTEND_SET_MEMBERS_H

#include "frontend/module/program.h"

// Is `name` `Class.member`, and that member in the map?
bool name_is_member(const Map *members, const char *name);
// May an assignment from outside have put another thing in the place of the
// function `name` of the file, whose module is handed on?
bool function_may_be_set(const Program *program, const AstFile *file,
                         const char *name);
// The symbol of such a definition: a global whose value is not known.
Symbol symbol_of_set(Program *program, AstFile *file, const Definition *d);

#endif
