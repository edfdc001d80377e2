// defines.h -- values that -D gives to a module's names.
//
// They stand for what host code computes out of sight; a name whose value is
// known keeps that, and it is an error to give it another.
#ifndef TILE_FRONTEND_DEFINES_H
#define TILE_FRONTEND_DEFINES_H

#include "frontend/core/walk.h"

// Fields of struct World; value/world.h says what they do.
const Object *defined_name(Walk *w, const char *name, const Symbol *symbol,
                           SrcLoc use, bool *failed);
const Object *defined_member(Walk *w, const Symbol *x, const char *name,
                             const Symbol *member, SrcLoc use, bool *failed);
void defines_assume(Program *program, const FrontendOptions *options);

// The value of `text` at `place`: a name of the file, an attribute of one, or
// `module.name` of another file.  NULL after a diagnostic.
const Object *object_by_name(Walk *w, AstFile *file, AstPlace place,
                             const char *text, SrcLoc use);

// A constant as an object; `use` is where it is wanted, `file` has the names
// that are meant.  NULL after a diagnostic.
const Object *object_of_spec(Walk *w, AstFile *file, const char *name,
                             SrcLoc use, const ArgSpec *spec);

// Reports definitions by -D that `kernel` does not read; false after an error.
bool defines_check(Walk *w, const AstFunction *kernel);

#endif
