// defines.h -- values that -D gives to a module's names.
//
// A name gets such a value if only host code knows its own.  If its value is
// known, another value by -D is an error.
#ifndef TILE_FRONTEND_DEFINES_H
#define TILE_FRONTEND_DEFINES_H

#include "frontend/core/walk.h"

// Members of struct World; see value/world.h.
const Object *defined_name(Walk *w, const char *name, const Symbol *symbol,
                           SrcLoc use, bool *failed);
const Object *defined_member(Walk *w, const Symbol *x, const char *name,
                             const Symbol *member, SrcLoc use, bool *failed);
void defines_assume(Program *program, const FrontendOptions *options);

// The value of `text` at `place`: a name of the file, an attribute of one, or
// `module.name` of another file.  NULL after a diagnostic.
const Object *object_by_name(Walk *w, AstFile *file, AstPlace place,
                             const char *text, SrcLoc use);

// A constant as an object.  Its names are those of `file`; `use` is the place
// for messages.  NULL after a diagnostic.
const Object *object_of_spec(Walk *w, AstFile *file, const char *name,
                             SrcLoc use, const ArgSpec *spec);

// Reports definitions by -D that `kernel` does not read; false after an error.
bool defines_check(Walk *w, const AstFunction *kernel);

#endif
