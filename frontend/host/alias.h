// alias.h -- noting changed objects; see host/alias.c.
#ifndef TILE_FRONTEND_HOST_ALIAS_H
#define TILE_FRONTEND_HOST_ALIAS_H

#include "frontend/core/walk.h"
#include "frontend/module/program.h"

// Can the object be changed in place through an alias?
bool object_is_shared(const Object *x);
// Notes that a statement of the module changes `x`, and perhaps all that it
// holds; NULL: any object.
void walk_note_changed(Walk *w, const AstFile *file, const AstChange *change,
                       const Object *x);
void walk_note_one_changed(Walk *w, const AstFile *file,
                           const AstChange *change, const Object *x);

#endif
