// set_members.h -- names that setattr() may have set.
#ifndef TILE_FRONTEND_SET_MEMBERS_H
#define TILE_FRONTEND_SET_MEMBERS_H

#include "frontend/module/program.h"

// Is `name` `Class.member`, and that member in the map?
bool name_is_member(const Map *members, const char *name);
// May setattr() have put another thing in the place of that function of the
// file, which was given to it by that name?
bool function_may_be_set(const Program *program, const AstFile *file,
                         const char *name);
// The symbol of such a definition: a global whose value is not known.
Symbol symbol_of_set(Program *program, AstFile *file, const Definition *d);

#endif
